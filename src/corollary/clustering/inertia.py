"""The inertia of a clustering, taken apart by Huygens' theorem.

Also known as: variance decomposition, within and between inertia, analysis of variance.

    sum_n w_n ||x_n - m||^2 = sum_n w_n ||x_n - m_{z_n}||^2 + sum_k w_k ||m_k - m||^2
            total                       within                      between      (1)

with m the mean of all rows and m_k, w_k the mean and weight of cluster k.  k-means
lowers `within`, so it raises `between` by as much.

Course: S2-59. Reference: Huygens (1673), as in any book on variance decomposition.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.checks import check_weights, coded
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable

__all__ = ["Inertia", "huygens"]


@readable
@dataclass(frozen=True)
class Inertia:
    """The three terms of (1)."""

    total: float
    within: float
    between: float

    @property
    def explained(self) -> float:
        """The share of the total that the clusters explain."""
        return self.between / self.total if self.total > 0 else 1.0


def huygens(X: Any, labels: Any, sample_weight: Any = None) -> Inertia:
    """Split the total inertia of X into within and between clusters.

    Parameters
    ----------
    X : array of shape (n, d)
    labels : array of shape (n,)
    sample_weight : array of shape (n,), optional

    Returns
    -------
    Inertia

    Examples
    --------
    >>> huygens([[0.0], [2.0], [10.0], [12.0]], [0, 0, 1, 1])
    Inertia(total=104.0, within=4.0, between=100.0)
    """
    X = np.asarray(X, dtype=np.float64)
    labels = np.asarray(labels)
    if X.ndim != 2 or labels.shape != X.shape[:1]:
        must = "X must be a matrix with one label for each row"
        raise DataError(sentence("huygens", must, f"{X.shape} and {labels.shape}"))
    w = check_weights("huygens", sample_weight, len(X))
    w = np.ones(len(X)) if w is None else w
    clusters, z = coded("huygens", labels)
    n = np.bincount(z, w, minlength=len(clusters))
    means = np.zeros((len(clusters), X.shape[1]))
    np.add.at(means, z, w[:, None] * X)
    means /= np.where(n > 0, n, 1.0)[:, None]
    mean = n @ means / n.sum()
    within = float(w @ ((X - means[z]) ** 2).sum(axis=1))
    between = float(n @ ((means - mean) ** 2).sum(axis=1))
    return Inertia(float(w @ ((X - mean) ** 2).sum(axis=1)), within, between)
