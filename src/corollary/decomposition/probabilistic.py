"""The Gaussian model behind PCA: components plus equal noise in every direction.

    C = U' diag(lambda - sigma^2) U + sigma^2 I                                  (1)
    log p(x) = -1/2 [x' C^-1 x + log|C| + d log 2pi]                             (2)

with sigma^2 the mean of the variances left out.  Where that is 0, directions without
variance are given as much as rounding can hide, so that (2) stays finite.

Reference: Tipping and Bishop (1999).
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats
from corollary.linear_algebra.decompositions import eigh

__all__ = ["covariance_of", "log_likelihood"]

EMPTY = np.finfo(np.float64).tiny


def covariance_of(U: Floats, variances: Floats, noise: float) -> Floats:
    """Return C (1)."""
    excess = np.maximum(variances - noise, 0.0)
    return (U.T * excess) @ U + noise * np.eye(U.shape[1])


def log_likelihood(Xc: Floats, C: Floats) -> Floats:
    """Return log p (2) of each centred row."""
    variances, V = eigh(C)
    tiny = len(C) * np.finfo(np.float64).eps * max(float(variances[-1]), EMPTY)
    variances = np.maximum(variances, tiny)
    r2 = ((Xc @ V) ** 2 / variances).sum(axis=1)
    return -0.5 * (r2 + np.log(variances).sum() + len(C) * np.log(2 * np.pi))
