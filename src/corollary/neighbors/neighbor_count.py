"""The number of neighbours, chosen by leaving each row out.

Also known as: choice of k, k selection, leave-one-out k-NN.

A small k follows the noise of single rows, a large one averages over rows that are far
away.  The error of every k = 1, ..., K comes from one search: the K nearest other rows
of each row, nearest first, hold the neighbours of every smaller k, and a row left out
changes nothing else in the rule.  With e_i(k) the loss of row i predicted by its k
nearest others,

    E(k)  = (1/n) sum_i e_i(k),    s(k)^2 = sum_i (e_i(k) - E(k))^2 / (n (n - 1))   (1)
    k_min = argmin_k E(k)                                                           (2)
    k_1se = max {k : E(k) <= E(k_min) + s(k_min)}                                   (3)

(3) is the smoothest rule whose error is no worse than chance explains.  The loss is the
share of errors for labels, and the squared error for numbers.

k should grow with n, but slower, as in k = sqrt(n): the error then tends to the least
possible one.  Where the best k stands at the end of what was tried, more should be.

Notation: E = error; s = its standard error.
Course: S3-46. References: Cover and Hart (1967); Stone (1977); Breiman et al. (1984),
3.4.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.neighbors.k_neighbors_classifier import KNeighborsClassifier
from corollary.neighbors.k_neighbors_regressor import KNeighborsRegressor
from corollary.neighbors.neighbors_learner import votes_of

__all__ = ["NeighborCount", "choose_n_neighbors"]

WHO = "choose_n_neighbors"
LEAST = 25  # neighbours that are tried where there are rows enough
CELLS = 2**22  # votes that are counted at a time


@dataclass(frozen=True)
class NeighborCount:
    """The error of each number of neighbours, and the best.

    Attributes
    ----------
    n_neighbors : array of shape (K,)
        The numbers tried: 1, ..., K.
    error : array of shape (K,)
        E(k) of (1): share of errors, or mean squared error.
    standard_error : array of shape (K,)
        s(k) of (1).
    best : int
        (2).
    simplest : int
        (3): the largest k that is no worse than chance explains.
    measure : str
        What the error is.
    at_end : bool
        Whether the best is the last one tried, so that more should be.
    """

    n_neighbors: Vector
    error: Floats
    standard_error: Floats
    best: int
    simplest: int
    measure: str
    at_end: bool

    def __str__(self) -> str:
        low = self.error[self.best - 1]
        lines = [
            f"{self.best} neighbours have the least {self.measure}, {low:.4g} "
            f"+- {self.standard_error[self.best - 1]:.2g}, leaving each row out.",
            f"Up to {self.simplest} are no worse than chance explains "
            f"({self.error[self.simplest - 1]:.4g}).",
            f"One neighbour alone has {self.error[0]:.4g}, "
            f"{len(self.error)} have {self.error[-1]:.4g}.",
        ]
        if self.at_end:
            lines.append("The best stands at the end of what was tried: try more.")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the error against k; needs the extra ``corollary[plots]``."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        low, high = self.error - self.standard_error, self.error + self.standard_error
        ax.plot(self.n_neighbors, self.error, marker=".")
        ax.fill_between(self.n_neighbors, low, high, alpha=0.2)
        ax.axvline(self.best, linestyle=":")
        ax.axvline(self.simplest, linestyle="--")
        ax.set_xlabel("neighbours")
        ax.set_ylabel(f"{self.measure}, rows left out")
        return ax


def choose_n_neighbors(
    X: Any, y: Any, *, model: Any = None, most: int | None = None
) -> NeighborCount:
    """Measure the error of every number of neighbours by leaving each row out.

    Parameters
    ----------
    X : array, CSR matrix or data frame of shape (n, d)
        Scaled as the model is to see it.
    y : array of shape (n,)
        Labels or numbers.
    model : KNeighborsClassifier or KNeighborsRegressor, optional
        Metric and weights; by default a classifier.
    most : int, optional
        K, the largest number tried; by default twice the square root of n, at least 25,
        and at most n - 1.

    Returns
    -------
    NeighborCount

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary.neighbors import choose_n_neighbors
    >>> X, y = load_iris(return_X_y=True)
    >>> found = choose_n_neighbors(X, y)
    >>> found.best, round(float(found.error.min()), 3)
    (19, 0.02)
    """
    model = KNeighborsClassifier() if model is None else model
    if not isinstance(model, KNeighborsClassifier | KNeighborsRegressor):
        must = "model must be a KNeighborsClassifier or a KNeighborsRegressor"
        raise ParameterError(sentence(WHO, must, shown(model)))
    model = clone(model).fit(X, y)
    n = model.n_samples_fit_
    if n < 3:
        raise DataError(sentence(WHO, "there must be at least 3 rows", f"{n}"))
    K = min(max(LEAST, int(2 * np.sqrt(n))), n - 1) if most is None else most
    if not whole(1, n - 1).holds(K):
        must = f"most must be a whole number from 1 to n - 1 = {n - 1}"
        raise ParameterError(sentence(WHO, must, shown(K)))
    losses = left_out_losses(model, int(K))  # (n, K)
    error = losses.mean(axis=0)
    spread = losses.std(axis=0, ddof=1) / np.sqrt(n)
    best = int(np.argmin(error))
    chance = np.flatnonzero(error <= error[best] + spread[best])
    labels = isinstance(model, KNeighborsClassifier)
    measure = "share of errors" if labels else "mean squared error"
    simplest = int(chance[-1]) + 1
    numbers = np.arange(1, int(K) + 1)
    return NeighborCount(
        numbers, error, spread, best + 1, simplest, measure, best + 1 == K
    )


def left_out_losses(model: Any, K: int) -> Floats:
    """Return e_i(k) for all rows and k = 1, ..., K: one search, growing votes."""
    distances, rows = model.kneighbors(n_neighbors=K)
    votes = votes_of(model, distances.astype(np.float64))
    if model.y_fit_.ndim == 2:
        raise DataError(sentence(WHO, "y must be one column", "several"))
    if isinstance(model, KNeighborsRegressor):
        y = model.y_fit_.astype(np.float64)
        sums = np.cumsum(votes * y[rows], axis=1)
        return (sums / np.cumsum(votes, axis=1) - y[:, None]) ** 2
    codes, classes = model.y_fit_, len(model.classes_)
    step = max(1, CELLS // (K * classes))
    blocks = range(0, len(rows), step)
    return np.vstack(
        [_errors(codes, rows, votes, classes, slice(a, a + step)) for a in blocks]
    )


def _errors(
    codes: Vector, rows: Vector, votes: Floats, classes: int, some: slice
) -> Floats:
    """Return whether each row of a block is misclassified by its k nearest others."""
    own = codes[rows[some]][:, :, None] == np.arange(classes)  # (b, K, classes)
    counts = np.cumsum(np.where(own, votes[some][:, :, None], 0.0), axis=1)
    return (counts.argmax(axis=2) != codes[some][:, None]).astype(np.float64)
