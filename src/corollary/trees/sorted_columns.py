"""Columns sorted once, for learners that sweep over thresholds again and again.

    order_j[0], order_j[1], ... = the rows with rising values of feature j           (1)

A sweep over a feature visits its rows in the order (1), and may cut between two rows
whose values differ.  Sorting takes O(n log n) a feature and each sweep O(n), so that a
learner that sweeps under many weights, as boosting does, sorts once.

Notation: X (n, d); order (d, n) holds the row i where a cut may follow, else ~i.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable

__all__ = ["Gap", "SortedColumns", "presorted", "threads_for"]

SMALL = 1 << 15  # entries of a matrix that one thread sweeps sooner than two


@dataclass(frozen=True)
class Gap:
    """A threshold and the interval [low, high) of those that cut alike."""

    threshold: float  # the middle
    low: float
    high: float


@readable
@dataclass(frozen=True)
class SortedColumns:
    """A matrix and the order of each of its columns, as `presorted` makes it."""

    X: Floats  # (n, d)
    order: Vector  # (d, n) int32

    def gap(self, feature: int, place: int) -> Gap:
        """Return the interval between a place in the order and the next.

        Place -1 is before all rows.
        """
        if place < 0:
            return Gap(-np.inf, -np.inf, float(self.X[:, feature].min()))
        here, there = self.order[feature, place : place + 2]
        low = float(self.X[here, feature])
        high = float(self.X[there if there >= 0 else ~there, feature])
        return Gap(middle(low, high), low, high)


def presorted(X: Any) -> SortedColumns:
    """Sort the columns of a matrix.

    Parameters
    ----------
    X : array of shape (n, d)
        Finite numbers, float32 or float64.

    Returns
    -------
    SortedColumns

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.trees import presorted
    >>> presorted(np.array([[3.0], [1.0], [1.0]])).order.tolist()
    [[-2, 2, -1]]
    """
    X = np.asarray(X)
    X = np.ascontiguousarray(X, np.float32 if X.dtype == np.float32 else np.float64)
    if X.ndim != 2 or not np.isfinite(X).all():
        must = "X must be a matrix of finite numbers"
        raise DataError(sentence("presorted", must, f"{X.ndim} dimensions or NaN"))
    if len(X) >= 2**31:
        must = "X must have fewer than 2^31 rows"
        raise DataError(sentence("presorted", must, f"{len(X)}"))
    order = np.empty(X.shape[::-1], dtype=np.int32)
    loops.sorted_columns(X, order, threads_for(X))
    return SortedColumns(X, order)


def threads_for(X: Floats) -> int:
    """Return how many threads a sweep over a matrix is worth."""
    return 1 if X.size < SMALL else get_config().threads


def middle(low: float, high: float) -> float:
    """Return a t in [low, high) near the middle.

    >>> middle(1.0, 2.0), middle(1.0, 1.0000000000000002), middle(-1e308, 1e308)
    (1.5, 1.0, 0.0)
    """
    t = 0.5 * low + 0.5 * high
    return t if low <= t < high else low
