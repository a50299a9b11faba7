"""Dissimilarities for clustering, each with the centroid that goes with it.

A dissimilarity d(x, c) >= 0 says how badly c stands for x.  Its centroid of rows x_i
with weights w_i is

    c = argmin_c sum_i w_i d(x_i, c)                                              (1)

    name                d(x, c)                               centroid
    squared             sum_j (x_j - c_j)^2                    mean
    manhattan           sum_j |x_j - c_j|                      median of each column
    cosine              1 - x'c / (|x| |c|)                    direction of sum w x/|x|
    kullback_leibler    sum_j x_j log(x_j/c_j) - x_j + c_j     mean
    itakura_saito       sum_j x_j/c_j - log(x_j/c_j) - 1       mean

Squared, Kullback-Leibler and Itakura-Saito are Bregman divergences, and for these the
mean is always the centroid (Banerjee, Merugu, Dhillon, Ghosh 2005).  The last two are
of positive numbers.  A row of zeros has no direction: its cosine with any other is 0.

Notation: X (m, d) rows; C (k, d) centroids; w (m,) weights.
Course: S2-56.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from scipy.special import kl_div

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence

__all__ = ["DISSIMILARITIES", "Dissimilarity", "numbers", "of_user", "weighted_median"]


@dataclass(frozen=True)
class Dissimilarity:
    """A dissimilarity and its centroid (1)."""

    between: Callable[[Floats, Floats], Floats]  # X (m, d), C (k, d) -> (m, k)
    centroid: Callable[[Floats, Floats], Floats]  # X (m, d), w (m,) -> (d,)
    positive: bool = False  # whether it is of numbers above 0 only
    own: bool = False  # whether the functions are a user's: called on all rows at once


def mean(X: Floats, w: Floats) -> Floats:
    """Return the weighted mean of the rows."""
    w = of_size_one(w)
    return w @ X / w.sum()


def of_size_one(w: Floats) -> Floats:
    """Return weights over a power of two: no digit changes, and no sum overflows."""
    return np.ldexp(w, -np.frexp(w.max())[1])


def weighted_median(X: Floats, w: Floats) -> Floats:
    """Return the median of each column, the middle where an interval of them is.

    >>> weighted_median(np.array([[0.0], [1.0], [5.0]]), np.array([1.0, 1.0, 2.0]))
    array([3.])
    """
    order = X.argsort(axis=0)
    X = np.take_along_axis(X, order, axis=0)
    below = of_size_one(w)[order].cumsum(axis=0)  # (m, d) weight up to each row
    half = below[-1] / 2
    low, high = (below < half).sum(axis=0), (below <= half).sum(axis=0)
    columns = np.arange(X.shape[1])
    return X[low, columns] + (X[high, columns] - X[low, columns]) / 2


def directions(X: Floats) -> Floats:
    """Return rows of length 1; zeros stay."""
    largest = np.abs(X).max(axis=1, keepdims=True)
    X = X / np.where(largest > 0, largest, 1.0)
    size = np.sqrt((X**2).sum(axis=1, keepdims=True))
    return X / np.where(size > 0, size, 1.0)


def cosine(X: Floats, C: Floats) -> Floats:
    """Return 1 - x'c / (|x| |c|), as half a squared chord, exact where small."""
    d = cdist(directions(X), directions(C), "sqeuclidean") / 2
    d[~X.any(axis=1)] = 1.0
    d[:, ~C.any(axis=1)] = 1.0
    return d


def mean_direction(X: Floats, w: Floats) -> Floats:
    """Return the direction of the sum of the rows' directions."""
    return directions(mean(directions(X), w)[None])[0]


def kullback_leibler(X: Floats, C: Floats) -> Floats:
    """Return sum_j x_j log(x_j / c_j) - x_j + c_j."""
    return each_centroid(lambda c: kl_div(X, c), X, C)


def itakura_saito(X: Floats, C: Floats) -> Floats:
    """Return sum_j x_j / c_j - log(x_j / c_j) - 1."""

    def terms(c: Floats) -> Floats:
        t = (X - c) / c
        return t - np.log1p(t)

    return each_centroid(terms, X, C)


def each_centroid(terms: Callable[[Floats], Floats], X: Floats, C: Floats) -> Floats:
    """Sum a dissimilarity's terms over the columns, for one centroid after another."""
    d = np.empty((len(X), len(C)))
    for k, c in enumerate(C):
        d[:, k] = np.maximum(terms(c).sum(axis=1), 0.0)
    return d


DISSIMILARITIES = {
    "squared": Dissimilarity(lambda X, C: cdist(X, C, "sqeuclidean"), mean),
    "manhattan": Dissimilarity(lambda X, C: cdist(X, C, "cityblock"), weighted_median),
    "cosine": Dissimilarity(cosine, mean_direction),
    "kullback_leibler": Dissimilarity(kullback_leibler, mean, positive=True),
    "itakura_saito": Dissimilarity(itakura_saito, mean, positive=True),
}


def of_user(who: Any, between: Any, centroid: Any) -> Dissimilarity:
    """Return a user's pair of functions, whose answers are checked at every call."""

    def checked_between(X: Floats, C: Floats) -> Floats:
        name = f"dissimilarity(X, C) must give numbers >= 0 of shape {len(X), len(C)}"
        d = numbers(who, between(X, C), (len(X), len(C)), name)
        if (d < 0).any():
            raise ParameterError(sentence(who, name, f"{d.min():.6g}"))
        return d

    def checked_centroid(X: Floats, w: Floats) -> Floats:
        name = f"centroid(X, weights) must give numbers of shape {X.shape[1:]}"
        return numbers(who, centroid(X, w), X.shape[1:], name)

    return Dissimilarity(checked_between, checked_centroid, own=True)


def numbers(who: Any, answer: Any, shape: tuple[int, ...], must: str) -> Floats:
    """Return a user's answer as finite numbers of the right shape."""
    try:
        found = np.asarray(answer, dtype=np.float64)
    except (TypeError, ValueError):
        raise ParameterError(sentence(who, must, type(answer).__name__)) from None
    if found.shape != shape:
        raise ParameterError(sentence(who, must, f"shape {found.shape}"))
    if not np.isfinite(found).all():
        raise ParameterError(sentence(who, must, "NaN or infinity"))
    return found
