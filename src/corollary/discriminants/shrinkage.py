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

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.engine import Statistics

__all__ = ["FourthMoments", "ledoit_wolf", "shrunk", "spread"]


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


def shrunk(S: Floats, rho: float) -> Floats:
    """Shrink a covariance by a given amount (1).

    >>> import numpy as np
    >>> shrunk(np.diag([1.0, 3.0]), 0.5).tolist()
    [[1.5, 0.0], [0.0, 2.5]]
    """
    d = len(S)
    return (1 - rho) * S + rho * np.trace(S) / d * np.eye(d)


def ledoit_wolf(S: Floats, n: float, q: float) -> tuple[Floats, float]:
    """Shrink a covariance by the amount (2).

    Parameters
    ----------
    S : array of shape (d, d)
        Covariance, divided by n.
    n : float
        Weight of the rows.
    q : float
        ``sum_i w_i ||x_i - m||^4`` of the standardised rows.

    Returns
    -------
    array of shape (d, d)
        The shrunk covariance.
    float
        rho.
    """
    d, scale = len(S), spread(np.diagonal(S))
    R = S / np.outer(scale, scale)
    mu, size = np.trace(R) / d, float((R**2).sum())
    delta = float(((R - mu * np.eye(d)) ** 2).sum()) / d
    beta = min((q / n - size) / (d * n), delta)
    rho = beta / delta if beta > 0 else 0.0
    return shrunk(R, rho) * np.outer(scale, scale), rho
