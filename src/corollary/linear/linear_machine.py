"""The linear machine: one linear function for each class, and distances to boundaries.

Also known as: multiclass linear discriminant, argmax rule, winner takes all.

    g_c(x) = w_c'x + b_c,     decide  argmax_c g_c(x)                                (1)

Classes i and j meet on the hyperplane H_ij: (w_i - w_j)'x + (b_i - b_j) = 0, from which
x has the signed distance

    r_ij(x) = (g_i(x) - g_j(x)) / ||w_i - w_j||                                      (2)

positive on the side of i.  The nearest point there is x - r_ij (w_i - w_j)/||w_i -
w_j||.  As g_i - g_j is linear, the region of each class is convex: with two points it
holds the segment between them.  So no linear machine follows a class that lies in
several pieces.  How far x may move in any direction before its decision changes is

    min over j of r_ij(x),   i the class decided for                                 (3)

Notation: w (K, d) = coef; b (K,) = intercept.
Course: S3-53. Reference: Duda, Hart, Stork (2001), 5.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable

__all__ = ["LinearMachine", "machine_of"]


@readable
@dataclass(frozen=True)
class LinearMachine:
    """Linear functions (1) with the boundaries between their classes.

    Attributes
    ----------
    coef : array of shape (K, d)
    intercept : array of shape (K,)
    classes : array of shape (K,)

    Examples
    --------
    >>> import numpy as np
    >>> coef, intercept = np.array([[3.0, 4.0], [0.0, 0.0]]), np.array([0.0, 5.0])
    >>> machine = LinearMachine(coef, intercept)
    >>> machine.decide([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [0, 1]
    >>> machine.distance([[3.0, 4.0]], 0, 1), machine.room([[0.0, 0.0]])
    (array([4.]), array([1.]))
    """

    coef: Floats
    intercept: Floats
    classes: Any = None

    def __post_init__(self) -> None:
        W, b = self.coef, self.intercept
        if W.ndim != 2 or len(W) < 2 or b.shape != W.shape[:1]:
            must = "coef must be (K, d) and intercept (K,), K >= 2"
            raise DataError(sentence(self, must, f"{W.shape} and {b.shape}"))
        check_finite("LinearMachine", np.column_stack([W, b]))

    def scores(self, X: Any) -> Floats:
        """Return g_c(x) of (1), (n, K)."""
        X = np.asarray(X, dtype=np.float64)
        if X.ndim != 2 or X.shape[1] != self.coef.shape[1]:
            must = f"X must be (n, {self.coef.shape[1]})"
            raise DataError(sentence(self, must, f"{X.shape}"))
        check_finite("LinearMachine", X)
        return X @ self.coef.T + self.intercept

    def decide(self, X: Any) -> Vector:
        """Return the class of largest score."""
        largest = self.scores(X).argmax(axis=1)
        return largest if self.classes is None else np.asarray(self.classes)[largest]

    def distance(self, X: Any, i: int, j: int) -> Floats:
        """Return the signed distance (2) to the boundary of classes number i and j."""
        G, length = self.scores(X), self._length(i, j)
        if length == 0:
            must = f"classes {i} and {j} must have different coefficients"
            raise DataError(sentence(self, must, "the same: they have no boundary"))
        return (G[:, i] - G[:, j]) / length

    def nearest_boundary_point(self, X: Any, i: int, j: int) -> Floats:
        """Return the nearest point of the boundary of classes number i and j."""
        r, v = self.distance(X, i, j), self.coef[i] - self.coef[j]
        return np.asarray(X, dtype=np.float64) - np.outer(r, v / self._length(i, j))

    def room(self, X: Any) -> Floats:
        """Return how far each row is from another decision (3)."""
        G = self.scores(X)
        best = G.argmax(axis=1)
        rows = np.arange(len(G))
        gap = G[rows, best][:, None] - G
        length = np.linalg.norm(self.coef[best][:, None] - self.coef[None], axis=2)
        gap[rows, best] = np.inf
        parallel = length == 0  # no boundary with such a class
        return np.where(parallel, np.inf, gap / np.where(parallel, 1.0, length)).min(1)

    def _length(self, i: int, j: int) -> float:
        return float(np.linalg.norm(self.coef[i] - self.coef[j]))


def machine_of(model: Any) -> LinearMachine:
    """Return the linear machine of a fitted linear classifier.

    A classifier of two classes with one function f decides as g = (-f/2, f/2).

    Parameters
    ----------
    model : estimator with ``coef_``, ``intercept_`` and ``classes_``

    Examples
    --------
    >>> from corollary import LinearDiscriminantAnalysis
    >>> X = [[0.0], [1.0], [4.0], [5.0]]
    >>> model = LinearDiscriminantAnalysis().fit(X, [0, 0, 1, 1])
    >>> machine_of(model).distance([[3.5]], 1, 0).round(6).tolist()
    [1.0]
    """
    if not all(hasattr(model, name) for name in ("coef_", "intercept_", "classes_")):
        must = "the model must be a fitted linear classifier"
        raise DataError(sentence("machine_of", must, f"a {type(model).__name__}"))
    W = np.asarray(model.coef_, dtype=np.float64)
    b = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    if len(W) == 1 and len(model.classes_) == 2:
        W, b = np.vstack([-W / 2, W / 2]), np.concatenate([-b / 2, b / 2])
    return LinearMachine(W, b, model.classes_)
