"""The intercept of fewest errors, for any score.

Also known as: optimal threshold, decision stump on a score.

Given scores h_i and labels y_i in {-1, +1}, the error of sign(h + b) as a function of b
is a step function that jumps at -h_1, ..., -h_n, so it has n + 1 pieces.  With sorted
scores and cumulative weights of either class one sweep finds the best piece:

    R(b) = sum_{y_i=+1, h_i + b <= 0} w_i + sum_{y_i=-1, h_i + b > 0} w_i        (1)

The best b is any point of that piece; its middle is returned, or a point beyond the
last score.  Ties go to the lowest b.  sign(0) = -1.

Course: S2-11, S2-10. Reference: the sorting takes O(n log n), the sweep O(n).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable

__all__ = ["Intercept", "best_intercept", "scores_of"]


@readable
class Intercept(NamedTuple):
    """The best intercept, the interval in which all are as good, and their error."""

    b: float
    low: float
    high: float
    error: float  # share of the weight on the wrong side


def best_intercept(scores: Any, y: Any, sample_weight: Any = None) -> Intercept:
    """Find the b for which sign(score + b) makes the fewest errors (1).

    Parameters
    ----------
    scores : array of shape (n,)
        Of any classifier; larger speaks for the positive class.
    y : array of shape (n,)
        Two labels; the larger one is the positive class.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    Intercept

    Examples
    --------
    >>> from corollary.discriminants.intercept import best_intercept
    >>> best = best_intercept([1.0, 2.0, 3.0, 4.0], [0, 0, 1, 1])
    >>> best.b, best.low, best.high, best.error
    (-2.5, -3.0, -2.0, 0.0)
    """
    h, positive, w = scores_of("best_intercept", scores, y, sample_weight)
    values, at = np.unique(h, return_inverse=True)
    up = np.bincount(at, w * positive)  # weight of the positive rows at each score
    down = np.bincount(at, w * ~positive)
    # piece j: the scores below values[j] are called negative, the others positive
    missed = np.concatenate([[0.0], np.cumsum(up)])
    false = down.sum() - np.concatenate([[0.0], np.cumsum(down)])
    errors = missed + false
    j = len(errors) - 1 - int(np.argmin(errors[::-1]))  # ties: the lowest b
    low = -values[j] if j < len(values) else -np.inf
    high = -values[j - 1] if j else np.inf
    if np.isinf(low) or np.isinf(high):
        b = high - 1.0 if np.isinf(low) else low + 1.0
    else:
        b = (low + high) / 2
    return Intercept(float(b), float(low), float(high), float(errors[j] / w.sum()))


def scores_of(who: str, scores: Any, y: Any, w: Any) -> tuple[Floats, Vector, Floats]:
    """Return scores, which of two classes is the positive one, and weights."""
    h, y = np.asarray(scores, dtype=np.float64), np.asarray(y)
    if h.ndim != 1 or y.shape != h.shape or not len(h):
        must = "scores and y must be vectors of the same length"
        raise DataError(sentence(who, must, f"shapes {h.shape} and {y.shape}"))
    if not np.isfinite(h).all():
        raise DataError(sentence(who, "scores must be finite", "NaN or infinity"))
    w = np.ones(len(h)) if w is None else np.asarray(w, dtype=np.float64)
    if w.shape != h.shape or not (np.isfinite(w) & (w >= 0)).all() or not w.any():
        must = "sample_weight must be >= 0, one for each row and not all 0"
        raise DataError(sentence(who, must, f"shape {w.shape}"))
    h, y, w = h[w > 0], y[w > 0], w[w > 0]
    labels = np.unique(y)
    if len(labels) != 2:
        must = "y must have two labels"
        raise DataError(sentence(who, must, f"{len(labels)}"))
    return h, y == labels[1], w
