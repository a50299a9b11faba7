"""Linear separability: a separating hyperplane, or a proof that there is none.

Also known as: linear programming test of separability, Gordan's theorem, existence of
the maximum-likelihood estimate of logistic regression.

Augment and normalise: y_i = t_i (1, x_i) with t_i = +-1.  Two classes are separable if
some a has a'y_i > 0 for all i; by scaling, a'y_i >= 1.  The linear programme

    max_{a, s}  sum_i s_i   subject to   y_i'a >= s_i,  0 <= s_i <= 1                (1)

decides everything at once.  All s_i = 1: a separates.  All s_i = 0: the classes
overlap.  Otherwise they touch: a has the rows with s_i = 1 on their sides and the rest
on the hyperplane itself.  Its dual multipliers lambda >= 0 satisfy

    sum_i lambda_i y_i = 0,   lambda not 0 unless the classes are separable          (2)

which no a can contradict (a'y_i > 0 would make the sum positive; Gordan).  The
intercept's entry of (2) says that both classes have the same sum of lambda, and the
other entries that their weighted means agree: a point that lies in both convex hulls.

Unpenalised logistic regression has a maximum of likelihood if and only if the classes
overlap (Albert and Anderson): otherwise its weights run away along a.

Notation: a = (intercept, coef); lambda = weights; t from the sorted labels, the second
is +1.
Course: S3-55, S2-16. References: Albert and Anderson (1984); Gordan (1873).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import linprog

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite
from corollary.core.errors import DataError, sentence

__all__ = ["Separability", "separability"]

HALF = 0.5  # the s of (1) are 0 or 1, up to rounding


@dataclass(frozen=True)
class Separability:
    """The answer of (1), with its witness.

    Attributes
    ----------
    kind : {'separable', 'touching', 'overlapping'}
    coef, intercept : array of shape (d,), float
        a: separates the classes with smallest functional margin 1 where they are
        separable, weakly where they touch, and 0 where they overlap.
    margin : float
        The geometric margin of a, 0 unless separable.
    weights : array of shape (n,)
        lambda of (2), each class with sum 1 (without an intercept: all with sum 1);
        0 where the classes are separable.
    common_point : array of shape (d,) or None
        The point of both convex hulls that the weights make, with an intercept.
    """

    kind: str
    coef: Floats
    intercept: float
    margin: float
    weights: Floats
    common_point: Floats | None

    @property
    def separable(self) -> bool:
        """Whether some hyperplane has every row strictly on its side."""
        return self.kind == "separable"

    @property
    def likelihood_has_maximum(self) -> bool:
        """Whether unpenalised logistic regression has a finite answer."""
        return self.kind == "overlapping"

    def __str__(self) -> str:
        if self.separable:
            return f"separable: a hyperplane of margin {self.margin:.4g} separates them"
        rows = int((self.weights > 0).sum())
        if self.common_point is None:
            return f"{self.kind}: {rows} rows have a weighted sum t_i x_i of 0"
        point = np.array2string(self.common_point, precision=4)
        return f"{self.kind}: {rows} rows put {point} into both convex hulls"


def separability(X: Any, y: Any, *, fit_intercept: bool = True) -> Separability:
    """Decide whether a hyperplane separates two classes, with a proof either way.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels.
    fit_intercept : bool, default=True
        Whether the hyperplane may miss the origin.

    Returns
    -------
    Separability

    Examples
    --------
    >>> from corollary.linear.separability import separability
    >>> print(separability([[0.0], [1.0], [2.0]], [0, 0, 1]))
    separable: a hyperplane of margin 0.5 separates them
    >>> print(separability([[0.0], [1.0], [2.0]], [0, 1, 0]))
    overlapping: 3 rows put [1.] into both convex hulls
    """
    X, t = _checked(X, y)
    n, d = X.shape
    centre = X.mean(axis=0) if fit_intercept else np.zeros(d)
    length = np.abs(X - centre).max(axis=0)
    scale = np.where(length > 0, length, 1.0)
    ones = np.full((n, 1), float(fit_intercept))
    Y = t[:, None] * np.hstack([ones, (X - centre) / scale])
    p = d + 1
    answer = linprog(  # (1)
        np.concatenate([np.zeros(p), -np.ones(n)]),
        A_ub=sp.hstack([-sp.csr_array(Y), sp.eye_array(n)], format="csr"),
        b_ub=np.zeros(n),
        bounds=[(None, None)] * p + [(0.0, 1.0)] * n,
        method="highs",
    )
    if answer.status != 0:
        must = "the linear programme must have an answer"
        raise DataError(sentence("separability", must, answer.message))
    a, met = answer.x[:p], answer.x[p:] > HALF
    coef = a[1:] / scale
    intercept = float(a[0] - coef @ centre) if fit_intercept else 0.0
    functional = t * (X @ coef + intercept)
    if met.all() and functional.min() > 0:
        coef, intercept = coef / functional.min(), intercept / functional.min()
        margin = float(1 / np.linalg.norm(coef))
        return Separability("separable", coef, intercept, margin, np.zeros(n), None)
    weights = np.maximum(0.0, -answer.ineqlin.marginals)  # (2)
    weights = weights / weights.sum() * (1 + fit_intercept)
    kind = "touching" if met.any() else "overlapping"
    if kind == "overlapping":
        coef, intercept = np.zeros(d), 0.0
    point = weights[t > 0] @ X[t > 0] if fit_intercept else None
    return Separability(kind, coef, intercept, 0.0, weights, point)


def _checked(X: Any, y: Any) -> tuple[Floats, Floats]:
    """Return rows of numbers and labels -1, +1."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or not X.size:
        must = "X must be (n, d) with one label for each row"
        raise DataError(sentence("separability", must, f"{X.shape} and {y.shape}"))
    check_finite("separability", X)
    labels = np.unique(y)
    if len(labels) != 2:
        must = "y must have two classes"
        remedy = "Test each class against the rest." if len(labels) > 2 else ""
        raise DataError(sentence("separability", must, f"{len(labels)}", remedy))
    return X, np.where(y == labels[1], 1.0, -1.0)
