"""Intervals from folds: CV+, jackknife+, cross-conformal, and around all folds.

Row i is predicted by f_{-k(i)}, the model of all folds but its own, and misses by
R_i = |y_i - f_{-k(i)}(x_i)|.  With k = ceil((n + 1)(1 - delta)),

    CV+       [ (n+1-k)-th smallest of f_{-k(i)}(x) - R_i,
                k-th smallest of f_{-k(i)}(x) + R_i ]                            (1)
    cross     the hull of { y : |y - f_{-k(i)}(x)| <= R_i for >= n+1-k of the i }  (2)
    minmax    [ min_j f_{-j}(x) - R_(k),  max_j f_{-j}(x) + R_(k) ]              (3)

With a fold for every row (1) is the jackknife+.  (2) lies inside (1); where no y has so
many, it is where most of the intervals meet.  All are infinite where k > n.

Of one fold, only the n+1-k largest residuals can be among the n+1-k lowest ends of (1),
or the highest, so that the others are left out.

Notation: F (m, K), what the models of K folds predict for m new rows; R (n,) residuals;
fold (n,), of each row.
References: Barber, Candes, Ramdas and Tibshirani (2021); Vovk (2015).
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.theory.conformal.calibration import conformal_rank

__all__ = ["fold_intervals"]

NUMBERS = 2**19  # of a block of rows by residuals: it stays in the cache


def fold_intervals(
    method: str, F: Floats, R: Floats, fold: Vector, delta: float
) -> Floats:
    """Return the ends of (1), (2) or (3) for each new row, (m, 2).

    >>> F = np.array([[1.0, 2.0]])
    >>> R, fold = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 0, 1, 1])
    >>> fold_intervals("cv+", F, R, fold, 0.4).tolist()
    [[-1.0, 5.0]]
    """
    m, n = len(F), len(R)
    k = conformal_rank(n, delta)
    ends: Floats = np.empty((2, m))
    if k > n:
        ends[0], ends[1] = -np.inf, np.inf
        return ends.T
    if method == "minmax":
        q = np.partition(R, k - 1)[k - 1]
        ends[0], ends[1] = F.min(axis=1) - q, F.max(axis=1) + q
        return ends.T
    order = np.lexsort((R, fold))
    parts = np.split(R[order], np.flatnonzero(np.diff(fold[order])) + 1)
    if method != "cross":
        parts = [r[-min(len(r), n + 1 - k) :] for r in parts]
    between = meeting if method == "cross" else extremes
    size = sum(map(len, parts))
    step = max(1, NUMBERS // size)
    low, high = np.empty((2, step, size))
    for start in range(0, m, step):
        f = F[start : start + step]
        first = 0
        for j, r in enumerate(parts):
            own = slice(first, first + len(r))
            np.subtract(f[:, j : j + 1], r, out=low[: len(f), own])
            np.add(f[:, j : j + 1], r, out=high[: len(f), own])
            first += len(r)
        found = between(low[: len(f)], high[: len(f)], n + 1 - k)
        ends[:, start : start + step] = found
    return ends.T


def extremes(low: Floats, high: Floats, t: int) -> tuple[Floats, Floats]:
    """Return both ends of (1): the t-th lowest and the t-th highest."""
    low.partition(t - 1, axis=1)
    high.partition(high.shape[1] - t, axis=1)
    return low[:, t - 1], high[:, -t]


def meeting(low: Floats, high: Floats, t: int) -> tuple[Floats, Floats]:
    """Return both ends of (2): of where at least t intervals meet."""
    rows, n = low.shape
    points = np.hstack([low, high])
    order = np.argsort(points, axis=1, kind="stable")  # beginnings before ends
    points = np.take_along_axis(points, order, axis=1)
    step = np.where(order < n, 1, -1)
    over = np.cumsum(step, axis=1)  # intervals that hold the point and what follows
    asked = np.minimum(t, over.max(axis=1))[:, None]
    first = (over >= asked).argmax(axis=1)
    before = over - step  # and those that hold the point and what precedes
    last = 2 * n - 1 - (before >= asked)[:, ::-1].argmax(axis=1)
    at = np.arange(rows)
    return points[at, first], points[at, last]
