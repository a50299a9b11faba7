"""Choosing a few rows that stand for all: landmarks.

Also known as: inducing points, columns of a Nystrom approximation, prototypes.

    uniform    rows drawn with equal chances                                         (1)
    k-means    the centres of clusters of a sample                                   (2)
    leverage   rows drawn with chances l_i = [K (K + lambda I)^-1]_ii, the weight of
               each row in the ridge regression with the kernel                      (3)

Rows that others can replace have a small leverage; (3) needs the fewest landmarks.
lambda is set so that the effective dimension sum_i l_i is a quarter of their number:
then a group of rows alike, whose l_i add up to 1, is missed with a chance of e^-4.

Notation: K on a sample of the rows.
Course: S3-69. References: Williams and Seeger (2001); Zhang, Tsang and Kwok (2008),
k-means; Alaoui and Mahoney (2015), leverage.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.clustering.k_means import KMeans
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.randomness import generator
from corollary.core.rows import dense
from corollary.kernels.kernel import Kernel
from corollary.linear_algebra.decompositions import eigh

__all__ = ["LEVERAGE_ROWS", "choose_landmarks", "leverage_scores"]

LEVERAGE_ROWS = 2000  # rows of the sample whose leverage is computed


def choose_landmarks(
    how: str, kernel: Kernel, X: Matrix, w: Floats, m: int, seed: int
) -> Floats:
    """Choose m landmarks from a sample of distinct rows, ordered by their keys."""
    if how == "k-means" and X.shape[0] > m:
        clusters = KMeans(m, random_state=seed % 2**32).fit(X, sample_weight=w)
        return np.asarray(clusters.cluster_centers_)
    if how == "leverage" and X.shape[0] > m:
        scores = leverage_scores(kernel(X), m / 4)
        rng = generator(seed, 1)
        chosen = rng.choice(len(scores), m, replace=False, p=scores / scores.sum())
        return dense(X[np.sort(chosen)])
    return dense(X[:m])  # (1): keys are uniform draws


def leverage_scores(K: Any, dimension: float) -> Vector:
    """Return (3) with an effective dimension of about `dimension`.

    Parameters
    ----------
    K : array of shape (n, n)
    dimension : float
        What the scores shall add up to.

    Returns
    -------
    array of shape (n,)

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.preparation.landmarks import leverage_scores
    >>> K = np.diag([1.0, 1.0, 0.0]) + np.array([[0, 1, 0], [1, 0, 0], [0, 0, 1]])
    >>> leverage_scores(K, 1.0).round(2).tolist()  # two alike, and one by itself
    [0.29, 0.29, 0.41]
    """
    values, U = eigh(np.asarray(K, dtype=np.float64))
    values = np.maximum(values, 0.0)
    low, high = 1e-15 * values[-1], 1e3 * values.sum()
    for _ in range(100):
        ridge = float(np.sqrt(low * high))
        if (values / (values + ridge)).sum() > dimension:
            low = ridge
        else:
            high = ridge
    return np.asarray(U**2 @ (values / (values + ridge)))
