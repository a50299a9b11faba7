"""The first principal directions of many sparse columns, by Lanczos' method.

It finds the largest eigenvalues of the covariance S and their vectors from some dozens
of products with S, each of them one pass over the source (`covariance_products.py`).

Reference: Lehoucq, Sorensen, Yang (1998), ARPACK users' guide.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from corollary.core.arrays import Floats
from corollary.engine import Data
from corollary.linear_algebra.covariance_products import (
    DIGITS,
    Leading,
    columns,
    times_covariance,
)

__all__ = ["leading_directions"]

MOST_RESTARTS = 300


def leading_directions(data: Data, q: int) -> Leading | None:
    """Return q directions; None where a decomposition of all of S is needed."""
    spread = data.reduce(columns)
    d = len(spread.mean)
    if spread.n <= 1 or not spread.M2.any():
        return None

    def times(v: Floats) -> Floats:
        return times_covariance(data, spread, v.ravel())

    S = LinearOperator((d, d), matvec=times, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(d)
    try:
        values, U = eigsh(S, q, which="LA", v0=start, maxiter=MOST_RESTARTS)
    except ArpackNoConvergence:
        return None
    if values[0] < DIGITS * values[-1]:
        return None
    return Leading(spread, values[::-1], U.T[::-1])
