"""Products with the covariance of many columns, which is never made.

The covariance S of d columns has d^2 entries, but its product with a vector is a sum
over the rows,

    (n - 1) S v = sum_i w_i (x_i - m) u_i,     u_i = x_i'v - m'v                 (1)

in which only the entries that are not 0 take part: m is taken out of the products, not
of the rows.  Each product is one pass over the source, for one vector or for several.

Notation: X (n, d); m = mean; S = Xc'W Xc / (n - 1).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.engine import Chunk, Data, Statistics, Variances

__all__ = ["DIGITS", "Leading", "columns", "times_covariance"]

DIGITS = 1e-10  # of the largest eigenvalue: below, a product with S has lost the vector


class Leading(NamedTuple):
    """The largest variances and their directions, with the moments they came with."""

    spread: Variances
    variances: Floats  # (q,) falling
    U: Floats  # (q, d)
    residual: float = 0.0  # the largest ||S u - lambda u||, where it is not rounding


@dataclass(frozen=True)
class Product(Statistics):
    """What one chunk adds to (1)."""

    sum_xu: Floats  # (d,) or (d, l): X'W u
    sum_u: Any  # a number, or (l,)


def times_covariance(data: Data, spread: Variances, v: Floats) -> Floats:
    """Return S v for a vector, or for each column of a matrix, in one pass."""
    s = data.reduce(partial(product, mean=spread.mean, v=v))
    return (s.sum_xu - np.multiply.outer(spread.mean, s.sum_u)) / (spread.n - 1)  # (1)


def columns(chunk: Chunk) -> Variances:
    """Take the means and variances of the columns."""
    return Variances.of(chunk.X, chunk.w)


def product(chunk: Chunk, mean: Floats, v: Floats) -> Product:
    """Sum over a chunk what (1) needs."""
    u = np.asarray(chunk.X @ v, dtype=np.float64) - mean @ v
    u = u if chunk.w is None else (u.T * chunk.w).T
    return Product(np.asarray(chunk.X.T @ u, dtype=np.float64), u.sum(axis=0))
