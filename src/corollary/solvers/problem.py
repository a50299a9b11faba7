"""What a solver may know of the function that it minimises.

    F(x) = f(x) + g(x)                                                               (1)

f is differentiable (or has subgradients, where it is marked as cornered), g is simple:
its proximal map is at hand.  A `Problem` holds whatever else is known: the Hessian H of
f or its products, whether f is quadratic, the Lipschitz constant L of its gradient, a
sum of n terms, the structure of a linear model, a bound from below.  Each solver states
what it needs of these, and a pair that does not fit fails with one sentence.

A linear model is such a problem, with x = (w, b):

    f(x) = 1/N sum_i o_i L(y_i, w'x_i + b) + l2/2 ||w||^2,    g(x) = l1 ||w||_1      (2)
    gradient  1/N sum_i o_i L' (x_i, 1) + l2 (w, 0)                                  (3)
    Hessian   1/N sum_i o_i L'' (x_i, 1)(x_i, 1)' + l2 diag(1, ..., 1, 0)            (4)

and its gap is that of `objectives/duality.py`.  A sum of n terms is

    f(x) = 1/n sum_i f_i(x) + h(x),   f_i = n o_i L_i / N,   h = l2/2 ||w||^2        (5)

Notation: A (n, p) has rows (x_i, 1) or x_i; o = sample weights; N their sum.
Course: S4-10. Reference: Nocedal and Wright (2006).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_finite_values, full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.magnitude import all_finite
from corollary.core.records import readable
from corollary.core.sparse import canonical
from corollary.linear_algebra.decompositions import eigvalsh
from corollary.objectives.duality import duality_gap
from corollary.objectives.loss import Loss
from corollary.objectives.losses import Squared
from corollary.objectives.penalties import Penalty

__all__ = ["FiniteSum", "LinearTerms", "Problem", "linear_problem", "quadratic_problem"]


@dataclass(frozen=True)
class FiniteSum:
    """The terms of (5); the gradient of term i is made of a part that is cheap to keep.

    Attributes
    ----------
    n : int
    parts : function of (x, rows) -> array of shape (b, ...)
        What to keep of the gradients of some terms: the gradients, or less.
    total : function of (parts, rows) -> array of shape (d,)
        The sum of the gradients that the parts stand for.
    lipschitz : float
        The largest Lipschitz constant of the gradient of a term, with that of h.
    common : function of x -> array of shape (d,)
        The gradient of h.
    """

    n: int
    parts: Callable[[Floats, Vector], Floats]
    total: Callable[[Floats, Vector], Floats]
    lipschitz: float = float(np.inf)
    common: Callable[[Floats], Floats] = np.zeros_like

    @classmethod
    def of_gradients(
        cls,
        n: int,
        gradients: Callable[[Floats, Vector], Floats],
        lipschitz: float = float(np.inf),
    ) -> FiniteSum:
        """Make a sum from a function that gives the gradients (b, d) of some terms."""
        return cls(n, gradients, lambda parts, rows: parts.sum(axis=0), lipschitz)

    def gradient(self, x: Floats, rows: Vector) -> Floats:
        """Return the mean gradient of some terms, with that of h."""
        return self.total(self.parts(x, rows), rows) / len(rows) + self.common(x)


@readable
@dataclass(frozen=True)
class Problem:
    """A function to minimise, and what is known of it; see (1).

    Parameters
    ----------
    dimension : int
        d, the length of x.
    value : function of x -> float
        f.
    gradient : function of x -> array of shape (d,), optional
    hessian : function of x -> array of shape (d, d), optional
    hessian_product : function of (x, p) -> array of shape (d,), optional
        H p.
    simple : function of x -> float, optional
        g.
    prox : function of (v, t) -> array of shape (d,), optional
        argmin_x ||x - v||^2/2 + t g(x); required with `simple`.
    terms : FiniteSum, optional
    linear : LinearTerms, optional
    lipschitz : float, optional
        Of the gradient of f.
    convexity : float, default=0.0
        mu with H >= mu I.
    quadratic : bool, default=False
        Whether H is the same everywhere.
    cornered : bool, default=False
        Whether `gradient` is but a subgradient.
    gap : function of x -> float, optional
        A bound on F(x) - min F.
    name : str
        For messages.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.solvers.minimize import minimize
    >>> bowl = Problem(2, lambda x: x @ x / 2, lambda x: x, lipschitz=1.0)
    >>> minimize(bowl, "gradient_descent", start=[1.0, 2.0]).x.tolist()
    [0.0, 0.0]
    """

    dimension: int
    value: Callable[[Floats], float]
    gradient: Callable[[Floats], Floats] | None = None
    hessian: Callable[[Floats], Floats] | None = None
    hessian_product: Callable[[Floats, Floats], Floats] | None = None
    simple: Callable[[Floats], float] | None = None
    prox: Callable[[Floats, float], Floats] | None = None
    terms: FiniteSum | None = None
    linear: LinearTerms | None = None
    lipschitz: float | None = None
    convexity: float = 0.0
    quadratic: bool = False
    cornered: bool = False
    gap: Callable[[Floats], float] | None = None
    name: str = "the function"

    def __post_init__(self) -> None:
        if (self.simple is None) != (self.prox is None):
            must = "simple and prox must come together"
            raise ParameterError(sentence(self, must, "one of them"))

    def objective(self, x: Floats) -> float:
        """Return F(x)."""
        extra = 0.0 if self.simple is None else self.simple(x)
        return float(self.value(x)) + extra

    def product(self, x: Floats, p: Floats) -> Floats:
        """Return H p by whichever way is known."""
        if self.hessian_product is not None:
            return self.hessian_product(x, p)
        assert self.hessian is not None
        return self.hessian(x) @ p

    def proximal(self, v: Floats, t: float) -> Floats:
        """Return the proximal map of t g, v itself where g = 0."""
        return v if self.prox is None else self.prox(v, t)

    def stationarity(self, x: Floats, gradient: Floats) -> float:
        """Return the largest entry of the gradient, or of x - prox(x - gradient)."""
        step = gradient if self.prox is None else x - self.prox(x - gradient, 1.0)
        return float(np.abs(step).max(initial=0.0))


@dataclass(frozen=True)
class LinearTerms:
    """The data of (2), with what solvers ask of it."""

    A: Matrix  # (n, p)
    y: Vector
    loss: Loss
    penalty: Penalty
    weights: Vector  # o / N
    intercept: bool = False
    ridge: Vector = field(init=False)  # (p,) l2, and 0 for the intercept

    def __post_init__(self) -> None:
        ridge = np.full(self.A.shape[1], self.penalty.l2)
        ridge[len(ridge) - self.intercept :] = 0.0
        object.__setattr__(self, "ridge", ridge)

    # -- (2), (3), (4) -----------------------------------------------------------------
    def scores(self, x: Floats) -> Floats:
        """Return A x."""
        return np.asarray(self.A @ x)

    def value(self, x: Floats) -> float:
        """Return f."""
        losses = self.loss.value(self.y, self.scores(x))
        return float(self.weights @ losses + 0.5 * (self.ridge @ x**2))

    def gradient(self, x: Floats) -> Floats:
        """Return (3)."""
        slopes = self.weights * self.loss.derivative(self.y, self.scores(x))
        return np.asarray(self.A.T @ slopes) + self.ridge * x

    def _bends(self, x: Floats) -> Floats:
        return self.weights * self.loss.curvature(self.y, self.scores(x))

    def hessian(self, x: Floats) -> Floats:
        """Return (4)."""
        h = self._bends(x)[:, None]
        weighted = self.A.multiply(h) if sp.issparse(self.A) else self.A * h
        H = self.A.T @ weighted
        return (H.toarray() if sp.issparse(H) else H) + np.diag(self.ridge)

    def hessian_product(self, x: Floats, p: Floats) -> Floats:
        """Return (4) times p."""
        return np.asarray(self.A.T @ (self._bends(x) * (self.A @ p))) + self.ridge * p

    # -- (5) -----------------------------------------------------------------------
    def parts(self, x: Floats, rows: Vector) -> Floats:
        """Return the slopes of some terms, which stand for their gradients."""
        slopes = self.loss.derivative(self.y[rows], np.asarray(self.A[rows] @ x))
        return len(self.y) * self.weights[rows] * slopes

    def total(self, parts: Floats, rows: Vector) -> Floats:
        """Return the sum of the gradients of some terms."""
        return np.asarray(self.A[rows].T @ parts)

    def common(self, x: Floats) -> Floats:
        """Return the gradient of h."""
        return self.ridge * x

    # -- constants -----------------------------------------------------------------
    @cached_property
    def squares(self) -> Floats:
        """Return sum_i o_i/N a_ij^2 of each column."""
        A2 = self.A.multiply(self.A) if sp.issparse(self.A) else self.A**2
        return np.asarray(A2.T @ self.weights).ravel()

    def lipschitz(self) -> float:
        """Return lambda_max of (4) for the largest L''."""
        root = np.sqrt(self.weights)[:, None]
        B = self.A.multiply(root).tocsr() if sp.issparse(self.A) else self.A * root
        G = B @ B.T if B.shape[0] < B.shape[1] else B.T @ B
        G = G.toarray() if sp.issparse(G) else G
        top = float(eigvalsh(G)[-1])
        return float(self.loss.lipschitz) * top + self.penalty.l2

    def term_lipschitz(self) -> float:
        """Return the largest Lipschitz constant of a term."""
        A2 = self.A.multiply(self.A) if sp.issparse(self.A) else self.A**2
        lengths = np.asarray(A2.sum(axis=1)).ravel()
        top = float((len(self.y) * self.weights * lengths).max())
        return float(self.loss.lipschitz) * top + self.penalty.l2

    # -- g, and the gap ----------------------------------------------------------------
    def simple(self, x: Floats) -> float:
        """Return l1 ||w||_1."""
        return self.penalty.l1 * float(np.abs(x[: self._d]).sum())

    def prox(self, v: Floats, t: float) -> Floats:
        """Soften w, leave b."""
        soft = Penalty(self.penalty.l1, 1.0).prox(v, t)
        soft[self._d :] = v[self._d :]
        return soft

    @cached_property
    def l1(self) -> Floats:
        """The l1 penalty of each entry of x."""
        l1 = np.full(self.A.shape[1], self.penalty.l1)
        l1[self._d :] = 0.0
        return l1

    @property
    def _d(self) -> int:
        return int(self.A.shape[1]) - self.intercept

    def gap(self, x: Floats) -> float:
        """Return the duality gap."""
        b = float(x[-1]) if self.intercept else 0.0
        X, d = self.A[:, : self._d], self._d
        found = duality_gap(
            self.loss,
            X,
            self.y,
            x[:d],
            b,
            penalty=self.penalty,
            intercept=self.intercept,
            sample_weight=self.weights,
        )
        return found.gap


def linear_problem(
    X: Any,
    y: Any,
    loss: Loss,
    penalty: Penalty | None = None,
    *,
    fit_intercept: bool = False,
    sample_weight: Any = None,
) -> Problem:
    """Make the problem (2) of a linear model.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1 for a loss of the margin, numbers otherwise.
    loss : Loss
        Of `objectives/losses.py`, such as `Logistic()`.
    penalty : Penalty, optional
        None by default.
    fit_intercept : bool, default=False
        Whether x has an entry b at its end, which is not penalised.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    Problem

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.objectives.losses import Squared
    >>> from corollary.solvers.minimize import minimize
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([1.0, 3.0, 5.0])
    >>> line = linear_problem(X, y, Squared(), fit_intercept=True)
    >>> minimize(line, "conjugate_gradient").x.round(6).tolist()
    [2.0, 1.0]
    """
    A, y = _rows(X, y, loss)
    if fit_intercept:
        ones = np.ones((A.shape[0], 1))
        A = sp.csr_array(sp.hstack([A, ones])) if sp.issparse(A) else np.c_[A, ones]
    o = full_weights("linear_problem", sample_weight, len(y))
    penalty = Penalty() if penalty is None else penalty
    data = LinearTerms(A, y, loss, penalty, o / o.sum(), fit_intercept)
    cornered = not np.isfinite(loss.lipschitz) and not loss.bend(np.zeros(1)).any()
    smooth = np.isfinite(loss.lipschitz)
    sharp = penalty.l1 > 0
    constant = data.lipschitz() if smooth else None
    return Problem(
        A.shape[1],
        data.value,
        data.gradient,
        None if cornered else data.hessian,
        None if cornered else data.hessian_product,
        data.simple if sharp else None,
        data.prox if sharp else None,
        FiniteSum(len(y), data.parts, data.total, data.term_lipschitz(), data.common),
        data,
        constant,
        float(data.ridge.min(initial=np.inf)),
        isinstance(loss, Squared),
        cornered,
        data.gap if loss.convex and penalty.strength > 0 else None,
        f"the {type(loss).__name__} loss",
    )


def _rows(X: Any, y: Any, loss: Loss) -> tuple[Matrix, Vector]:
    """Check the data."""
    A = (
        np.asarray(X, float)
        if not sp.issparse(X)
        else canonical("linear_problem", X).astype(float)
    )
    y = np.asarray(y, float)
    if A.ndim != 2 or y.shape != (A.shape[0],) or not len(y):
        must = "X must be (n, d) and y (n,)"
        came = f"shapes {A.shape} and {y.shape}"
        raise DataError(sentence("linear_problem", must, came))
    if not all_finite(A):
        raise DataError(sentence("linear_problem", "X must be finite", "NaN or inf"))
    check_finite_values("linear_problem", y, "y")
    if loss.margin and (np.abs(y) != 1).any():
        strange = y[np.abs(y) != 1][0]
        must = "y must hold labels -1 and +1 for a loss of the margin"
        raise DataError(sentence("linear_problem", must, f"{strange:g}"))
    return A, y


def quadratic_problem(H: Any, c: Any) -> Problem:
    """Make the problem  1/2 x'H x - c'x  of a symmetric matrix H >= 0.

    Parameters
    ----------
    H : array of shape (d, d)
    c : array of shape (d,)

    Examples
    --------
    >>> from corollary.solvers.minimize import minimize
    >>> bowl = quadratic_problem([[2.0, 0.0], [0.0, 4.0]], [2.0, 4.0])
    >>> minimize(bowl, "newton").x.round(9).tolist()
    [1.0, 1.0]
    """
    H, c = np.asarray(H, float), np.asarray(c, float)
    if H.ndim != 2 or H.shape != (len(c), len(c)) or not np.allclose(H, H.T):
        must = f"H must be symmetric, with as many rows as c = {len(c)}"
        raise DataError(sentence("quadratic_problem", must, f"shape {H.shape}"))
    spread = eigvalsh(H)
    if spread[0] < -1e-10 * max(abs(spread[-1]), 1e-300):
        must = "H must have eigenvalues >= 0, else there is no minimum"
        raise DataError(sentence("quadratic_problem", must, f"{spread[0]:.3g}"))
    return Problem(
        len(c),
        lambda x: float(0.5 * x @ H @ x - c @ x),
        lambda x: H @ x - c,
        lambda x: H,
        lambda x, p: H @ p,
        lipschitz=float(max(spread[-1], 0.0)),
        convexity=float(max(spread[0], 0.0)),
        quadratic=True,
        name="the quadratic",
    )
