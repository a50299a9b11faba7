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
||p - q||/2.  Every u that (7) allows, optimal or not, proves a bound: the scores of a
hyperplane (w, b) with ||w|| = 1 differ by at least two margins between p and q, so

    no hyperplane has a margin above ||p - q||/2                                     (8)

Where p and q are one point none separates at all: u gives both classes the same mean.
A search that ended early still has a proof on one side or the other: a margin reached,
min_{s=+1} f - max_{s=-1} f > 0 for the scores f = (p - q)'phi, or (8).

No summation form: all pairs of rows matter.

Notation: a = alpha; u = weights; f = K (s u).
Course: S0-23, S0-24, S2-30, S3-63, S4-44, S4-46. References: Vapnik (1995); Bennett
and Bredensteiner (2000).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable
from corollary.core.report import StopReason
from corollary.kernels.gram import MatrixGram, TileKernel
from corollary.linear.margins import margins
from corollary.solvers import smo

__all__ = ["HardMargin", "Hulls", "canonical_form", "hard_margin", "nearest_hulls"]

TOUCH = 1e-6  # share of the spread of the rows below which two points are one
FINER = 8  # times that (7) is solved, each time from where the last ended
SAMPLE = 300  # rows that show the spread


@dataclass(frozen=True)
class Hulls:
    """The nearest points of two hulls (7), as far as they were found."""

    b: Floats  # (n,) s u: sums to 1 over one class and to -1 over the other
    f: Floats  # (n,) (p - q)'phi_i
    square: float  # ||p - q||^2
    near: float  # least f of the positive class
    far: float  # largest f of the negative class
    touch: bool  # p and q are one point
    spread2: float  # variance of some rows in feature space, or 1
    optimum: smo.Optimum

    @property
    def apart(self) -> bool:
        """Tell whether the scores f separate the classes."""
        return self.near > self.far and not self.touch

    @property
    def scale(self) -> float:
        """Return what makes f canonical (3)."""
        return 2 / (self.near - self.far)

    @property
    def rho(self) -> float:
        """Return -b of (6), for the canonical w."""
        return self.scale * (self.near + self.far) / 2

    @property
    def primal(self) -> float:
        """Return (3) at the canonical w."""
        return 0.5 * self.scale**2 * self.square

    @property
    def gap(self) -> float:
        """Return (3) less (4) at the best multiple of u, 2/||p - q||^2."""
        return max(0.0, self.primal - 2 / self.square)


def nearest_hulls(gram: smo.Gram, s: Floats, limits: smo.Limits) -> Hulls:
    """Solve (7) until the classes are apart by canonical scores to tol, or touch.

    Parameters
    ----------
    gram : Gram
        The kernel matrix.
    s : array of shape (n,)
        -1 and +1, both of them.
    limits : Limits
        `tol` is of the conditions s_i (w'phi_i + b) >= 1.

    Returns
    -------
    Hulls
    """
    positive, zero = s > 0, np.zeros(len(s))
    start = zero.copy()
    start[[np.argmax(positive), np.argmin(positive)]] = 1.0, -1.0
    group = (~positive).astype(np.int8)
    dual = smo.Dual(zero, np.minimum(s, 0.0), np.maximum(s, 0.0), zero, start, group)
    spread2 = variance_of(gram)
    limits = replace(limits, tol=(tol := limits.tol) * spread2)
    for _ in range(FINER):
        o = smo.solve(gram, dual, limits)
        f = o.f
        square = max(float(o.b @ f), 0.0)
        near, far = float(f[positive].min()), float(f[~positive].max())
        touch = square <= TOUCH**2 * spread2
        found = Hulls(o.b, f, square, near, far, touch, spread2, o)
        fine = near > far and o.violation <= tol * square / 2
        if fine or found.touch or o.stop is not StopReason.CONVERGED:
            break
        dual, gram = replace(dual, start=o.b), gram.to(np.float64)
        limits = replace(limits, tol=min(tol * square / 4, limits.tol / 10))
    return found


def variance_of(gram: smo.Gram) -> float:
    """Return the variance of some rows in feature space, or 1 where they are alike."""
    some = np.arange(0, gram.n, -(-gram.n // SAMPLE))
    K = np.empty((len(some), len(some)), gram.dtype)
    gram.take(some).fill(some, K, np.arange(len(some)))
    K = K.astype(np.float64, copy=False)
    within = float(np.diagonal(K).sum()) / len(K) - float(K.sum()) / K.size
    return max(within, 0.0) or 1.0


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
        Of the conditions of (3).

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
    hulls = nearest_hulls(MatrixGram(K, np.float64), s, smo.Limits(tol=tol))
    u, distance = np.abs(hulls.b), float(np.sqrt(hulls.square))
    if not hulls.apart:
        return HardMargin(
            False, u, distance, np.zeros(len(s)), 0.0, None, 0.0, np.zeros(0, int),
            np.inf, np.inf, np.inf, np.inf, X, s, k, classes,
        )  # fmt: skip
    alpha, b, primal = hulls.scale * u, -hulls.rho, hulls.primal  # (6)
    m = s * (hulls.scale * hulls.f + b)
    w = (alpha * s) @ X if kernel == "linear" else None
    return HardMargin(
        True, u, distance, alpha, b, w, float(1 / np.sqrt(2 * primal)),
        np.flatnonzero(alpha > 0), primal, float(alpha.sum()) - primal,
        float(np.abs(alpha * (m - 1)).max()), max(0.0, 1 - float(m.min())),
        X, s, k, classes,
    )  # fmt: skip


@readable
class Hyperplane(NamedTuple):
    """The hyperplane w'x + b = 0."""

    w: Floats
    b: float


def canonical_form(w: Any, b: float, X: Any, y: Any) -> Hyperplane:
    """Scale a separating hyperplane so that the nearest row has w'x + b = +-1.

    Parameters
    ----------
    w, b : array of shape (d,), float
        The hyperplane w'x + b = 0.
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels; the larger one is the positive side.

    Returns
    -------
    Hyperplane
        A tuple of `w` and `b`.

    Examples
    --------
    >>> from corollary.svm import canonical_form
    >>> plane = canonical_form([10.0], -10.0, [[0.0], [3.0]], [0, 1])
    >>> plane.w.tolist(), plane.b
    ([1.0], -1.0)
    """
    least = float(margins(w, b, X, y).functional.min())
    if least <= 0:
        must = "the hyperplane must separate the classes"
        raise DataError(sentence("canonical_form", must, f"a margin of {least:g}"))
    return Hyperplane(np.asarray(w, float) / least, b / least)


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
