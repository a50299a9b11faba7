"""The optimal margin classifier, or a proof that no hyperplane separates the classes.

Also known as: hard-margin SVM, maximal margin hyperplane, optimal margin classifier,
nearest points of two convex hulls.

With labels s = +-1 and a feature map phi of a kernel k, three forms of one problem:

    max gamma,  s_i (w'phi_i + b) >= gamma, ||w|| = 1                                (1)
    max g/||w||,  s_i (w'phi_i + b) >= g                                             (2)
    min 1/2 ||w||^2,  s_i (w'phi_i + b) >= 1   (canonical: the nearest rows have 1)  (3)

gamma = 1/||w|| is the margin, the distance of the nearest rows; the band between the
support hyperplanes w'phi + b = +-1 is 2/||w|| wide.  The dual of (3) is

    max sum a - 1/2 sum_ij a_i a_j s_i s_j k(x_i, x_j),   a >= 0, sum a_i s_i = 0    (4)
    w = sum a_i s_i phi_i,   a_i (s_i (w'phi_i + b) - 1) = 0                         (5)
    b = -(max_{s=-1} w'phi + min_{s=+1} w'phi)/2                                     (6)

It is solved as a problem that always has an answer: the nearest points p, q of the
convex hulls of the two classes,

    min 1/2 ||p - q||^2,   p = sum_{s=+1} u_i phi_i, q = sum_{s=-1} u_i phi_i,
    u >= 0, each class with sum 1                                                    (7)

Where p and q differ, w = 2 (p - q)/||p - q||^2, a = 2 u/||p - q||^2 and the margin is
||p - q||/2.  Where they are one point, u proves that no hyperplane separates: its two
means agree, and any (w, b) would have the same score at both.

No summation form: all pairs of rows matter.

Notation: a = alpha; u = weights.
Course: S0-23, S0-24, S2-30, S3-63, S4-44, S4-46. References: Vapnik (1995); Bennett
and Bredensteiner (2000).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite
from corollary.core.errors import DataError, sentence
from corollary.discriminants.surfaces import Surface
from corollary.kernels.gram import MatrixGram, TileKernel
from corollary.linear.margins import margins
from corollary.solvers import smo

__all__ = ["HardMargin", "canonical_form", "conic_boundary", "hard_margin"]

TOUCH = 1e-6  # share of the spread of the classes below which two points are one


@dataclass(frozen=True)
class HardMargin:
    """The verdict and its proof.

    Attributes
    ----------
    separable : bool
    weights : array of shape (n,)
        u of (7): the proof where the classes are not separable.
    distance : float
        ||p - q||, the distance of the hulls.
    alpha : array of shape (n,)
        The multipliers (4), 0 where not separable.
    intercept : float
        b of (6).
    coef : array of shape (d,) or None
        w, of a linear kernel.
    margin : float
        1/||w||, half the width of the band; 0 where not separable.
    support : array
        Rows with alpha > 0: the others could be left out.
    primal, dual : float
        (3) and (4); `gap` is their difference, `slackness` the largest violation of
        (5), `violation` that of (3).
    """

    separable: bool
    weights: Floats
    distance: float
    alpha: Floats
    intercept: float
    coef: Floats | None
    margin: float
    support: Vector
    primal: float
    dual: float
    slackness: float
    violation: float
    X: Floats
    side: Floats
    kernel: Any
    classes: Vector

    @property
    def width(self) -> float:
        """Of the band between the support hyperplanes, 2/||w||."""
        return 2 * self.margin

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.primal - self.dual

    def decision_function(self, X: Any) -> Floats:
        """Return w'phi(x) + b, a sum over the support vectors alone."""
        pull = (self.alpha * self.side)[self.support]
        K = np.asarray(self.kernel(np.asarray(X, float), self.X[self.support]))
        return K @ pull + self.intercept

    def distances(self, X: Any) -> Floats:
        """Return the signed distance of rows to the hyperplane, in feature space."""
        return self.decision_function(X) * self.margin

    def predict(self, X: Any) -> Vector:
        """Return the class of each row."""
        return self.classes[(self.decision_function(X) > 0).astype(int)]

    def __str__(self) -> str:
        if self.separable:
            return (
                f"separable: margin {self.margin:.6g}, {len(self.support)} support "
                f"vectors, gap {self.gap:.2g}"
            )
        rows = int((self.weights > 0).sum())
        return (
            f"not separable: weights of {rows} rows give both classes the same mean "
            f"(distance {self.distance:.2g})"
        )


def hard_margin(
    X: Any,
    y: Any,
    kernel: Any = "linear",
    *,
    gamma: float = 1.0,
    coef0: float = 0.0,
    degree: int = 3,
    tol: float = 1e-10,
) -> HardMargin:
    """Find the hyperplane of largest margin, or prove that none separates.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels; the larger one is the positive side.
    kernel : {'linear', 'poly', 'rbf', 'sigmoid'} or function
    gamma, coef0, degree
        Of the kernel.
    tol : float
        Of the optimality conditions of (7), relative to the kernel's largest value.

    Returns
    -------
    HardMargin

    Examples
    --------
    >>> from corollary.svm.hard_margin import hard_margin
    >>> found = hard_margin([[0.0], [2.0], [5.0]], [0, 1, 1])
    >>> found.coef.round(6).tolist(), round(found.intercept, 6), round(found.margin, 6)
    ([1.0], -1.0, 1.0)
    >>> print(hard_margin([[0.0], [1.0], [2.0]], [0, 1, 0]))
    not separable: weights of 3 rows give both classes the same mean (distance 0)
    """
    X, y, s, classes = checked(X, y)
    k = kernel if callable(kernel) else TileKernel(kernel, gamma, coef0, degree)
    K = np.asarray(k(X, X), dtype=np.float64)
    size = float(np.abs(np.diagonal(K)).max()) or 1.0
    positive = s > 0
    count = np.where(positive, positive.sum(), (~positive).sum())
    zero = np.zeros(len(s))
    dual = smo.Dual(
        zero,
        np.minimum(s, 0.0),
        np.maximum(s, 0.0),
        zero,
        s / count,
        (~positive).astype(np.int8),
    )
    best = smo.solve(MatrixGram(K, np.float64), dual, smo.Limits(tol=tol * size))
    u, f = np.abs(best.b), K @ best.b
    square = max(float(best.b @ f), 0.0)
    near, far = float(f[positive].min()), float(f[~positive].max())
    spread = np.sqrt(max(float(np.diagonal(K).mean() - K.mean()), 0.0))
    if near <= far or np.sqrt(square) <= TOUCH * spread:
        distance = float(np.sqrt(square)) if square > 1e-20 * size else 0.0
        return HardMargin(
            False, u, distance, zero, 0.0, None, 0.0, np.zeros(0, int), np.inf, np.inf,
            np.inf, np.inf, X, s, k, classes,
        )  # fmt: skip
    scale = 2 / (near - far)
    alpha, b = scale * u, -scale * (near + far) / 2  # (6)
    m = s * (scale * f + b)
    norm2 = scale**2 * square
    w = (alpha * s) @ X if kernel == "linear" else None
    return HardMargin(
        True, u, float(np.sqrt(square)), alpha, b, w, float(1 / np.sqrt(norm2)),
        np.flatnonzero(alpha > 0), 0.5 * norm2, float(alpha.sum()) - 0.5 * norm2,
        float(np.abs(alpha * (m - 1)).max()), max(0.0, 1 - float(m.min())),
        X, s, k, classes,
    )  # fmt: skip


def canonical_form(w: Any, b: float, X: Any, y: Any) -> tuple[Floats, float]:
    """Scale a separating hyperplane so that the nearest row has w'x + b = +-1.

    >>> w, b = canonical_form([10.0], -10.0, [[0.0], [3.0]], [0, 1])
    >>> w.tolist(), b
    ([1.0], -1.0)
    """
    least = float(margins(w, b, X, y).functional.min())
    if least <= 0:
        must = "the hyperplane must separate the classes"
        raise DataError(sentence("canonical_form", must, f"a margin of {least:g}"))
    return np.asarray(w, float) / least, b / least


def conic_boundary(model: Any) -> Surface:
    """Return the conic on which a machine of degree 2 decides in the plane.

    Of sum_s b_s (gamma z_s'x + c)^2 + b = x'A x + l'x + r the coefficients are

        A = gamma^2 sum b_s z_s z_s',  l = 2 gamma c sum b_s z_s,  r = c^2 sum b_s + b

    They are read from the sum: the normal vector in feature space is in general not the
    image of any point of the plane.

    Parameters
    ----------
    model : fitted SVC of two classes with a polynomial kernel of degree 2, two features

    Returns
    -------
    Surface
        With `kind` and `equation()`, positive on the side of the second class.

    Examples
    --------
    >>> from corollary import SVC
    >>> X = [[0.0, 0.0], [2.0, 0.0], [-2.0, 0.0], [0.0, 2.0], [0.0, -2.0]]
    >>> model = SVC(kernel="poly", degree=2, gamma=1.0, coef0=1.0, C=1e3)
    >>> conic_boundary(model.fit(X, [1, 0, 0, 0, 0])).kind
    'ellipse'
    """
    who = "conic_boundary"
    fits = getattr(model, "kernel", None) == "poly" and model.degree == 2
    if not fits or len(model.classes_) != 2 or model.n_features_in_ != 2:
        must = (
            "the model must have kernel 'poly' of degree 2, two classes, two features"
        )
        raise DataError(sentence(who, must, f"{model!r}"))
    Z = model.support_vectors_
    Z = np.asarray(Z.toarray() if hasattr(Z, "toarray") else Z, dtype=np.float64)
    pull, g, c = np.ravel(model.dual_coef_).astype(float), model.gamma_, model.coef0
    A = g**2 * (Z.T * pull) @ Z
    constant = c**2 * pull.sum() + float(model.intercept_[0])
    return Surface(A, 2 * g * c * (pull @ Z), constant)


def checked(X: Any, y: Any) -> tuple[Floats, Vector, Floats, Vector]:
    """Return rows, labels, sides and the two classes."""
    X, y = np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or not X.size:
        must = "X must be (n, d) with one label for each row"
        raise DataError(sentence("hard_margin", must, f"{X.shape} and {y.shape}"))
    check_finite("hard_margin", X)
    classes = np.unique(y)
    if len(classes) != 2:
        must = "y must have two classes"
        raise DataError(sentence("hard_margin", must, f"{len(classes)}"))
    return X, y, np.where(y == classes[1], 1.0, -1.0), classes
