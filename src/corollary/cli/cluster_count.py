"""How many clusters: silhouettes, and those of a cloud that has none.

Also known as: choosing k, silhouette analysis, gap statistic.

The silhouette of row i compares its mean distance a_i to rows of its own cluster with
b_i, that to rows of the nearest other one,

    s_i = (b_i - a_i) / max(a_i, b_i)                                               (1)

and k is chosen where the mean of s_i is largest.  Every cloud of points can be cut, and
a long one rather neatly.  So the same is done with rows that have no clusters: those of
a normal law with the same covariance, and those of a box around the data, along its
principal axes.  With the larger of their two silhouettes, s_0(k), the clusters are not
clear where

    s(k) - s_0(k) <= 0.05                                                           (2)

References: Rousseeuw (1987); Tibshirani, Walther and Hastie (2001).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.randomness import generator

__all__ = ["ClusterCount", "choose_count", "distinct_rows", "judge_count"]

MOST = 10  # clusters that are tried
FITTED = 10_000  # rows that k is chosen on
COMPARED = 1_500  # rows whose silhouettes are taken
CLEAR = 0.05


@dataclass(frozen=True)
class ClusterCount:
    """A number of clusters, and how well it cuts the rows.

    Attributes
    ----------
    k : int
    silhouette, reference : float
        The mean of (1) on the rows, and on rows without clusters; NaN where there is
        none.
    inertia : float
        Sum of squared distances to the centres, on the rows that were looked at.
    """

    k: int
    silhouette: float
    reference: float
    inertia: float

    @property
    def clear(self) -> bool:
        """Whether the rows are cut better than rows without clusters (2)."""
        return bool(self.silhouette - self.reference > CLEAR)


def choose_count(X: Any, seed: int) -> list[ClusterCount]:
    """Try numbers of clusters; the best one comes first, the others by k.

    Parameters
    ----------
    X : array of shape (n, d)
    seed : int
    """
    most = min(MOST, distinct_rows(X, seed) - 1)
    found = [judge_count(X, k, seed) for k in range(2, most + 1)]
    if not found:
        return [ClusterCount(1, float("nan"), float("nan"), float("nan"))]
    best = max(found, key=lambda one: one.silhouette)
    return [best, *(one for one in found if one is not best)]


def distinct_rows(X: Any, seed: int) -> int:
    """Count different rows, of a sample where there are many.

    Parameters
    ----------
    X : array of shape (n, d)
    seed : int
    """
    return len(np.unique(sampled(X, COMPARED, seed), axis=0))


def judge_count(X: Any, k: int, seed: int) -> ClusterCount:
    """Cut the rows into k clusters, and rows without clusters as well.

    Parameters
    ----------
    X : array of shape (n, d)
    k : int
    seed : int
    """
    some = sampled(X, FITTED, seed)
    silhouette, inertia = cut(some, k, seed)
    reference = max(cut(rows, k, seed)[0] for rows in without_clusters(some, seed))
    return ClusterCount(k, silhouette, reference, inertia)


def cut(X: Any, k: int, seed: int) -> tuple[float, float]:
    """Return the mean silhouette (1) of k-means, and its inertia."""
    from sklearn.metrics import silhouette_score

    from corollary import KMeans

    model = KMeans(k, n_init=4, random_state=seed).fit(X)
    rows = sampled_rows(len(X), COMPARED, seed)
    labels = model.labels_[rows]
    if not 1 < len(np.unique(labels)) < len(rows):
        return float("nan"), float(model.inertia_)
    return float(silhouette_score(X[rows], labels)), float(model.inertia_)


def without_clusters(X: Any, seed: int) -> list[Any]:
    """Draw rows of a normal law, and of a box, along the principal axes of others."""
    m, rng = min(len(X), COMPARED), generator(seed, 11)
    _, sd, axes = np.linalg.svd(X - X.mean(axis=0), full_matrices=False)
    Z = X @ axes.T
    low, high = Z.min(axis=0), Z.max(axis=0)
    normal = rng.normal(size=(m, len(axes))) * (sd / np.sqrt(len(X)))
    return [normal @ axes, rng.uniform(low, high, (m, len(axes))) @ axes]


def sampled(X: Any, most: int, seed: int) -> Any:
    """Return at most so many rows."""
    return X[sampled_rows(len(X), most, seed)]


def sampled_rows(n: int, most: int, seed: int) -> Any:
    """Return at most so many of n places, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(generator(seed, 12).permutation(n)[:most])
