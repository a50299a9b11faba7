"""Support vector regression whose residuals beyond the tube are squared.

Also known as: L2-SVR, squared epsilon-insensitive SVR, least-squares SVM (epsilon = 0).

A residual within epsilon of the function costs nothing.  Minimise

    P(w, b) = 1/2 ||w||^2
              + sum_i C_i max(0, |y_i - w'phi(x_i) - b| - epsilon)^2             (1)

The dual has no bounds but a ridge:

    min  D(b) = 1/2 b'(K + diag(1 / (2 C_i))) b - y'b + epsilon sum_i |b_i|      (2)
    sum b = 0

strictly convex: b is unique.  At the optimum |b_i| = 2 C_i xi_i with xi_i the excess of
row i, so rows outside the tube are the support vectors, and no others; P = -D.  With
epsilon = 0 every row is, and (1) is kernel ridge regression with a free intercept,
alpha = 1 / (2 C).

The solver wants a box.  P at the optimum is at most that of w = 0 and any b, here the
middle m of the targets by their prices: C_i xi_i^2 <= P_0, so

    |b_i| = 2 C_i xi_i <= 2 sqrt(C_i P_0),
    P_0 = sum_i C_i max(0, |y_i - m| - epsilon)^2                                (3)

and the optimum is inside.  The gap reported is the lesser of the solver's bound and
P + D.  `squared_losses.py` has the machine without an intercept.  There is no summation
form; see `RBFSampler` with `LinearSVR` of the squared loss.

Notation: b = dual_coef_ over the rows support_; C_i = C times the row's weight.
Course: S2-43. References: Vapnik (1995); Shawe-Taylor and Cristianini (2004), quadratic
epsilon-insensitive loss; Suykens and Vandewalle (1999), epsilon = 0.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.parameters import real
from corollary.core.report import Report
from corollary.core.roles import SingleRegressor
from corollary.engine.sources.source import Chunk
from corollary.kernels.dual_search import solve_dual
from corollary.kernels.kernel_problem import expansion_problem
from corollary.kernels.machine_kernel import training_rows
from corollary.solvers import smo
from corollary.solvers.convex_problem import Problems, tube_box
from corollary.svm import single
from corollary.svm.machine import RULES, capped, report_roles
from corollary.svm.squared_losses import squared_gap

__all__ = ["SquaredEpsilonSVR"]

ROOM = 1e-9  # added to the box, so that no optimum is on its bound by rounding


class SquaredEpsilonSVR(single.SingleMachine, SingleRegressor):
    """Support vector regression with squared residuals beyond a tube.

    Parameters
    ----------
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'} or function
        A function takes two sets of rows and returns their kernel matrix.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto'} or float
        Of 'rbf', 'poly' and 'sigmoid'; 'scale' is 1 / (d Var X), 'auto' 1 / d.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    C : float, default=1.0
        Price of a squared residual beyond epsilon, in (1).
    epsilon : float, default=0.1
        Half the width of the tube.
    shrinking : bool, default=True
        Whether to leave out rows that cannot matter any more for a while.
    cache_size : float, default=200
        Megabytes for kernel rows.
    max_iter : int, default=-1
        Most pairs of variables to move; -1 for 10 million, or 100 a row.
    max_seconds : float, optional
        Most time.

    Attributes
    ----------
    support_ : array of shape (s,)
    support_vectors_ : array of shape (s, d)
    n_support_ : array of shape (1,)
    dual_coef_ : array of shape (1, s)
    intercept_ : array of shape (1,)
    coef_ : array of shape (1, d)
        Only of the linear kernel.
    roles_ : array of shape (n,)
        0 inside the tube, 2 outside, as in `corollary.svm.single.TUBE`.
    gamma_ : float
    n_iter_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SquaredEpsilonSVR
    >>> X = np.array([[-1.0], [1.0]])
    >>> model = SquaredEpsilonSVR(kernel="linear", C=1.0, epsilon=0.5).fit(X, [-1, 1])
    >>> model.coef_.round(6).tolist(), model.predict(X).round(6).tolist()
    ([[0.4]], [-0.4, 0.4])
    """

    rules: ClassVar = {**RULES, "C": real(0, ends="(]"), "epsilon": real(0)}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float = 200,
        max_iter: int = -1,
        max_seconds: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2) in the box (3)."""
        data = training_rows(self, rows)
        y, price = data.y.astype(np.float64), capped(self.C) * data.w
        ridge, most = 0.5 / price, box(y, price, self.epsilon)
        eps = np.full(data.n, float(self.epsilon))
        dual = smo.Dual(-y, -most, most, eps, np.zeros(data.n))
        o = solve_dual(self, data, dual, ridge)
        single.publish_expansion(self, data, o.b, -o.rho[0], o.steps)
        h = o.f + y - ridge * o.b  # K b
        r = y - h + o.rho[0]
        excess = np.maximum(0.0, np.abs(r) - self.epsilon)
        primal = float(0.5 * (o.b @ h) + price @ excess**2)  # (1)
        lost = np.abs(o.b) * (excess + self.epsilon) - o.b * r
        o = replace(o, gap=squared_gap(price, o.b, excess, lost, o.rounding))
        single.report_expansion(
            self, data, o, primal, o.b, np.full(data.n, np.inf), report
        )
        self.roles_ = np.where(o.b != 0, 2, 0).astype(np.int8)
        report_roles(single.TUBE, self.roles_, report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        price = capped(self.C) * sample_weight
        box = tube_box(y, price, float(self.epsilon), squared=True)
        return [expansion_problem(self, X, sample_weight, box)]

    def predict(self, X: Any) -> Floats:
        """Return the function at each row.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        return single.scores(self, X)


def box(y: Floats, price: Floats, epsilon: float) -> Floats:
    """Return (3), with a little room."""
    middle = float(price @ y / price.sum())
    excess = np.maximum(0.0, np.abs(y - middle) - epsilon)
    size = 2 * np.sqrt(price * float(price @ excess**2))
    return size * (1 + ROOM) + ROOM
