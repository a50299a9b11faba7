"""Shrinkage of covariances towards a sphere, in summation form.

Also known as: Ledoit-Wolf shrinkage, regularised covariance.

With S the covariance (1/n) of d features and mu = tr S / d,

    Sigma(rho) = (1 - rho) S + rho mu I                                          (1)

is invertible for rho > 0.  The rho of least expected squared error is estimated from
one more sum over the rows (Ledoit, Wolf 2004):

    delta = ||S - mu I||_F^2 / d
    beta  = [ (1/n) sum_i w_i ||x_i - m||^4 - ||S||_F^2 ] / (d n)
    rho   = min(beta, delta) / delta                                             (2)

The features are divided by their standard deviations before (2) and multiplied back
after, so that the answer does not depend on their units.

Course: S2-2, S1-12. Reference: Ledoit and Wolf (2004), J. Multivariate Analysis 88.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.records import readable, stored
from corollary.core.vectors import rows_of
from corollary.engine import Moments, Statistics

__all__ = [
    "FourthMoments",
    "ShrunkCovariance",
    "ledoit_wolf",
    "shrunk",
    "shrunk_by_sums",
    "spread",
]


@readable
class ShrunkCovariance(NamedTuple):
    """A covariance (1), and how far it was shrunk."""

    covariance: Floats  # (d, d)
    shrinkage: float  # rho


@stored
@dataclass(frozen=True)
class FourthMoments(Statistics):
    """The sum in (2) for each of several groups of rows, about their own means."""

    q: Floats  # (groups,)

    @classmethod
    def of(
        cls, X: Floats, y: Vector, w: Vector | None, mean: Floats, scale: Floats
    ) -> FourthMoments:
        """Sum over the rows of a chunk, standardised by the group that y names."""
        Z = (X - mean[y]) / scale[y]
        fourth = np.einsum("ij,ij->i", Z, Z) ** 2
        sums = np.bincount(y, fourth if w is None else w * fourth, len(mean))
        return cls(sums.astype(np.float64))


def spread(variances: Floats) -> Floats:
    """Return standard deviations, 1 where a feature does not vary."""
    return np.sqrt(np.where(variances > 0, variances, 1.0))


def shrunk(S: Any, rho: float) -> Floats:
    """Shrink a covariance by a given amount (1).

    Parameters
    ----------
    S : array of shape (d, d)
    rho : float
        In [0, 1]: 0 leaves S, 1 leaves its mean variance.

    Returns
    -------
    array of shape (d, d)

    Examples
    --------
    >>> from corollary.discriminants import shrunk
    >>> shrunk([[1.0, 0.0], [0.0, 3.0]], 0.5).tolist()
    [[1.5, 0.0], [0.0, 2.5]]
    """
    S = np.asarray(S)
    if S.ndim != 2 or S.shape[0] != S.shape[1]:
        raise DataError(sentence("shrunk", "S must be square", f"shape {S.shape}"))
    if not real(0, 1).holds(rho):
        raise ParameterError(sentence("shrunk", "rho must be in [0, 1]", f"{rho!r}"))
    d = len(S)
    return (1 - rho) * S + rho * np.trace(S) / d * np.eye(d)


def ledoit_wolf(X: Any, sample_weight: Any = None) -> ShrunkCovariance:
    """Estimate a covariance, shrunk by the amount (2).

    Parameters
    ----------
    X : array of shape (n, d)
    sample_weight : array of shape (n,), optional

    Returns
    -------
    ShrunkCovariance
        The covariance (d, d), and rho.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(10, 20))
    >>> covariance, rho = ledoit_wolf(X)
    >>> int(np.linalg.matrix_rank(covariance)), bool(0 < rho < 1)
    (20, True)
    """
    X = rows_of("ledoit_wolf", X)
    w = full_weights("ledoit_wolf", sample_weight, len(X))
    s = Moments.of(X, w)
    S, alone = s.M2 / s.n, np.zeros(len(X), dtype=np.int32)
    scale = spread(np.diagonal(S))
    q = FourthMoments.of(X, alone, w, s.mean[None], scale[None]).q[0]
    return shrunk_by_sums(S, float(s.n), float(q))


def shrunk_by_sums(S: Floats, n: float, q: float) -> ShrunkCovariance:
    """Shrink a covariance by (2); q = sum_i w_i ||x_i - m||^4 of standardised rows."""
    d, scale = len(S), spread(np.diagonal(S))
    R = S / np.outer(scale, scale)
    mu, size = np.trace(R) / d, float((R**2).sum())
    delta = float(((R - mu * np.eye(d)) ** 2).sum()) / d
    beta = min((q / n - size) / (d * n), delta)
    rho = beta / delta if beta > 0 else 0.0
    return ShrunkCovariance(shrunk(R, rho) * np.outer(scale, scale), rho)
