"""The hinge loss of several classes.

Also known as: multiclass SVM loss, Weston and Watkins' loss (the sum), Crammer and
Singer's loss (the largest).

Scores s in R^K of a row of class y should have s_y ahead of every other by a margin
Delta; what is missing are the violations

    v_k = max(0, s_k - s_y + Delta),  k != y                                         (1)
    sum      L = sum_k v_k            largest   L = max_k v_k                        (2)

Both are convex, 0 where all margins hold, and the hinge of s_y - s_other for K = 2;
both bound Delta 1[s_y is not the largest].  A subgradient of the sum has +1 for each k
with v_k > 0 and minus their number for y; that of the largest +1 for one largest k.

Scores k s with k >= 1 keep a loss of 0 (a k < 1 need not), so scores without a penalty
have no scale: Delta and the strength of the penalty trade off, and Delta = 1 will do.

The conjugate of either is  L*(y, v) = -Delta sum_{k != y} v_k,  where sum_k v_k = 0 and

    sum      0 <= v_k <= 1 for k != y
    largest  v_k >= 0 for k != y,  and their sum is at most 1                        (3)

Notation: s = scores (n, K); y = codes 0, ..., K - 1.
Course: S3-70, S2-36. References: Weston and Watkins (1999); Crammer and Singer (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.objectives.loss import ScoreLoss

__all__ = ["MulticlassHinge", "multiclass_hinge", "multiclass_hinge_gradient"]

FORMS = ("sum", "largest")
ROUNDING = 1e-13  # by which v may miss the bounds of (3)


def multiclass_hinge(
    scores: Any, y: Any, *, delta: float = 1.0, form: str = "sum"
) -> Floats:
    """Return the multiclass hinge loss (2) of each row.

    Parameters
    ----------
    scores : array of shape (n, K)
    y : array of shape (n,)
        Codes of the classes, 0 to K - 1.
    delta : float, default=1.0
        The margin wanted.
    form : {'sum', 'largest'}

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> multiclass_hinge([[13.0, -7.0, 11.0]], [0], delta=10).tolist()
    [8.0]
    """
    v = _violations(scores, y, delta, form)
    return v.sum(axis=1) if form == "sum" else v.max(axis=1)


def multiclass_hinge_gradient(
    scores: Any, y: Any, *, delta: float = 1.0, form: str = "sum"
) -> Floats:
    """Return a subgradient of (2) with respect to the scores of each row.

    Parameters
    ----------
    scores, y, delta, form
        As in `multiclass_hinge`.

    Returns
    -------
    array of shape (n, K)

    Examples
    --------
    >>> multiclass_hinge_gradient([[13.0, -7.0, 11.0]], [0], delta=10).tolist()
    [[-1.0, 0.0, 1.0]]
    """
    v = _violations(scores, y, delta, form)
    G = (v > 0).astype(float)
    if form == "largest":
        first = np.arange(v.shape[1]) == v.argmax(axis=1)[:, None]
        G = G * first
    rows = np.arange(len(v))
    G[rows, np.asarray(y)] = -G.sum(axis=1)
    return G


@dataclass(frozen=True)
class MulticlassHinge(ScoreLoss):
    """The loss (2) with a margin of 1.

    >>> MulticlassHinge("largest").value([0], [[0.5, 0.0, 0.25]]).tolist()
    [0.75]
    """

    form: str = "largest"

    def value(self, y: Any, f: Any) -> Floats:
        """Return (2)."""
        return multiclass_hinge(f, y, form=self.form)

    def derivative(self, y: Any, f: Any) -> Floats:
        """Return a subgradient."""
        return multiclass_hinge_gradient(f, y, form=self.form)

    def curvature(self, y: Any, f: Any) -> Floats:
        """Return 0: the loss is straight but for its corners."""
        n, K = np.shape(f)
        return np.zeros((n, K, K))

    def conjugate(self, y: Any, v: Any) -> Floats:
        """Return (3), infinite outside of its domain up to rounding."""
        V = np.array(v, dtype=float)
        balanced = np.abs(V.sum(axis=1)) <= ROUNDING * V.shape[1]
        V[np.arange(len(V)), np.asarray(y)] = 0.0
        total = V.sum(axis=1)
        top = total if self.form == "largest" else V.max(axis=1)
        inside = balanced & (V.min(axis=1) >= -ROUNDING) & (top <= 1 + ROUNDING)
        return np.where(inside, -total, np.inf)


def _violations(scores: Any, y: Any, delta: float, form: str) -> Floats:
    """Return (1), 0 for y itself."""
    s, codes = np.asarray(scores, float), np.asarray(y)
    who = "multiclass_hinge"
    if form not in FORMS:
        must = "form must be 'sum' or 'largest'"
        raise ParameterError(sentence(who, must, repr(form)))
    if not delta >= 0:
        raise ParameterError(sentence(who, "delta must be >= 0", f"{delta!r}"))
    if s.ndim != 2 or codes.shape != s.shape[:1]:
        must = "scores must be (n, K) and y (n,)"
        raise DataError(sentence(who, must, f"shapes {s.shape} and {codes.shape}"))
    if len(codes) and not (0 <= codes.min() and codes.max() < s.shape[1]):
        must = f"y must hold codes from 0 to {s.shape[1] - 1}"
        raise DataError(sentence(who, must, f"{codes.min()} to {codes.max()}"))
    rows = np.arange(len(s))
    v = np.maximum(0.0, s - s[rows, codes][:, None] + delta)
    v[rows, codes] = 0.0
    return v
