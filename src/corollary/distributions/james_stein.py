"""The James-Stein estimator: a mean that is better for being biased.

Also known as: shrinkage of a mean, positive-part James-Stein, Stein's paradox.

From N rows of N(mu, s^2 I) in d dimensions, xbar the mean,

    mu_JS = t + (1 - c) (xbar - t),   c = (d - 2) s^2 / (N ||xbar - t||^2)        (1)

for any point t chosen before the data.  For d > 2 its total squared error is below that
of xbar, which is d s^2/N, whatever mu is; the gain is greatest at mu = t, where the
error is 2 s^2/N.  The 1/N belongs there: without it the estimator is right for N = 1,
no better than xbar at N = 2, and far worse after.  The positive part, max(0, 1 - c),
never shrinks past t and is better still.

Notation: t = target; s^2 = variance of an entry, not a deviation.
Course: S1-38. References: James and Stein (1961); Efron and Morris (1977).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.vectors import numbers, positive, rows_of

__all__ = ["james_stein"]


def james_stein(
    X: Any, variance: float = 1.0, target: Any = 0.0, positive_part: bool = True
) -> Floats:
    """Estimate the mean of Gaussian rows with less total error than their average.

    Parameters
    ----------
    X : array of shape (N, d)
        Rows with independent entries of equal, known variance; d > 2.
    variance : float
        Variance of an entry.
    target : number or array of shape (d,)
        Where to shrink to, chosen before the data.
    positive_part : bool
        Never shrink past the target.

    Returns
    -------
    array of shape (d,)

    Examples
    --------
    >>> james_stein([[3.0, 0.0, 4.0]]).round(2).tolist()  # 1 - 1/25
    [2.88, 0.0, 3.84]
    """
    who = "james_stein"
    X = rows_of(who, np.atleast_2d(np.asarray(X)))
    N, d = X.shape
    if N < 1:
        raise DataError(sentence(who, "X must have rows", "none"))
    if d <= 2:
        must = "X must have more than 2 columns"
        raise DataError(sentence(who, must, f"{d}", "Use the mean."))
    s2, t = float(positive(who, variance, "variance")), numbers(who, target, "target")
    away = X.mean(axis=0) - t
    squares = float(away @ away)
    if squares == 0:
        return np.broadcast_to(t, d).copy()
    c = (d - 2) * s2 / (N * squares)  # (1)
    return t + (max(0.0, 1 - c) if positive_part else 1 - c) * away
