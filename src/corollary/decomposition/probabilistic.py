"""The Gaussian model behind PCA: components plus equal noise in every direction.

    C = U' diag(lambda - sigma^2) U + sigma^2 I                                  (1)
    log p(x) = -1/2 [x' C^-1 x + log|C| + d log 2pi]                             (2)

with sigma^2 the mean of the variances left out.

Reference: Tipping and Bishop (1999).
"""

from __future__ import annotations

import numpy as np
import scipy.linalg as sla

from corollary.core.arrays import Floats

__all__ = ["covariance_of", "log_likelihood"]


def covariance_of(U: Floats, variances: Floats, noise: float) -> Floats:
    """Return C (1)."""
    excess = np.maximum(variances - noise, 0.0)
    return (U.T * excess) @ U + noise * np.eye(U.shape[1])


def log_likelihood(Xc: Floats, C: Floats) -> Floats:
    """Return log p (2) of each centred row."""
    L = np.linalg.cholesky(C)
    Z = sla.solve_triangular(L, Xc.T, lower=True)
    log_det = 2 * np.log(np.diagonal(L)).sum()
    return -0.5 * ((Z**2).sum(axis=0) + log_det + len(C) * np.log(2 * np.pi))
