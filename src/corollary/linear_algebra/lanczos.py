"""The first principal directions of many sparse columns, by Lanczos' method.

The covariance S of d columns has d^2 entries, but its product with a vector is a sum
over the rows,

    (n - 1) S v = sum_i w_i (x_i - m) u_i,     u_i = x_i'v - m'v                 (1)

in which only the entries that are not 0 take part: m is taken out of the products, not
of the rows.  Lanczos' method finds the largest eigenvalues of S and their vectors from
some dozens of products (1), each of them one pass over the source.

Notation: X (n, d); m = mean; S = Xc'W Xc / (n - 1).
Reference: Lehoucq, Sorensen, Yang (1998), ARPACK users' guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from corollary.core.arrays import Floats
from corollary.engine import Chunk, Data, Statistics, Variances

__all__ = ["Leading", "leading_directions"]

DIGITS = 1e-10  # of the largest eigenvalue: below, a product with S has lost the vector
MOST_RESTARTS = 300


class Leading(NamedTuple):
    """The largest variances and their directions, with the moments they came with."""

    spread: Variances
    variances: Floats  # (q,) falling
    U: Floats  # (q, d)


@dataclass(frozen=True)
class Product(Statistics):
    """What one chunk adds to (1)."""

    sum_xu: Floats  # (d,) X'W u
    sum_u: float


def leading_directions(data: Data, q: int) -> Leading | None:
    """Return q directions; None where a decomposition of all of S is needed."""
    spread = data.reduce(columns)
    d = len(spread.mean)
    if spread.n <= 1 or not spread.M2.any():
        return None

    def times(v: Floats) -> Floats:
        s = data.reduce(partial(product, mean=spread.mean, v=v.ravel()))
        return (s.sum_xu - spread.mean * s.sum_u) / (spread.n - 1)  # (1)

    S = LinearOperator((d, d), matvec=times, dtype=np.float64)
    start = np.random.default_rng(0).standard_normal(d)
    try:
        values, U = eigsh(S, q, which="LA", v0=start, maxiter=MOST_RESTARTS)
    except ArpackNoConvergence:
        return None
    if values[0] < DIGITS * values[-1]:
        return None
    return Leading(spread, values[::-1], U.T[::-1])


def columns(chunk: Chunk) -> Variances:
    """Take the means and variances of the columns."""
    return Variances.of(chunk.X, chunk.w)


def product(chunk: Chunk, mean: Floats, v: Floats) -> Product:
    """Sum over a chunk what (1) needs."""
    u = np.asarray(chunk.X @ v, dtype=np.float64) - mean @ v
    u = u if chunk.w is None else u * chunk.w
    return Product(np.asarray(chunk.X.T @ u, dtype=np.float64), float(u.sum()))
