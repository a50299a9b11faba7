"""Support vector regression.

Also known as: SVR, epsilon-SVR, tube regression; with epsilon = 0 kernel least absolute
deviations, which estimates the median.
Related words: support vector machine.

A residual within epsilon of the function costs nothing.  Minimise

    P(w, b) = 1/2 ||w||^2 + sum_i C_i max(0, |y_i - w'phi(x_i) - b| - epsilon)   (1)

The textbook's dual has two variables for every row, alpha+ for a point above the tube
and alpha- for one below:

    max  - 1/2 (alpha+ - alpha-)'K (alpha+ - alpha-) + y'(alpha+ - alpha-)
         - epsilon sum_i (alpha+_i + alpha-_i)                                   (2)
    0 <= alpha+_i, alpha-_i <= C_i,     sum_i (alpha+_i - alpha-_i) = 0

At the optimum alpha+_i alpha-_i = 0 where epsilon > 0, for taking the lesser from both
leaves the first two terms and raises the third; so adding alpha+_i + alpha-_i <= C_i
changes nothing, and b_i = alpha+_i - alpha-_i alone says all:

    min  D(b) = 1/2 b'Kb - y'b + epsilon sum_i |b_i|,  |b_i| <= C_i,  sum b = 0  (3)

This is what is solved, with half the variables.  P = -D, and a row is

    inside the tube    |y - g| < epsilon,  b_i = 0
    on its edge        |y - g| = epsilon,  0 < |b_i| < C_i
    outside            |y - g| > epsilon,  |b_i| = C_i                           (4)

There is no summation form; see `RBFSampler` with a linear machine.

Notation: b = dual_coef_ over the rows support_; C_i = C times the row's weight.
Course: S2-42. References: Vapnik (1995); Smola and Schoelkopf (2004).
"""

from __future__ import annotations

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
from corollary.svm.machine import RULES, VERBOSE, capped, report_roles

__all__ = ["SVR"]


class SVR(single.SingleMachine, SingleRegressor):
    """Support vector regression with any kernel.

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
        Price of a residual beyond epsilon, in (1).
    epsilon : float, default=0.1
        Half the width of the tube.
    shrinking : bool, default=True
        Whether to leave out rows that cannot matter any more for a while.
    cache_size : float, default=200
        Megabytes for kernel rows.
    verbose : int, default=0
        Kept for compatibility.
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
        What (4) says of each row, as a number in `corollary.svm.single.TUBE`.
    gamma_ : float
    n_iter_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVR
    >>> x = np.linspace(0, 6, 50)[:, None]
    >>> model = SVR(C=10).fit(x, np.sin(x[:, 0]))
    >>> bool(np.abs(model.predict(x) - np.sin(x[:, 0])).max() < 0.11)
    True
    """

    rules: ClassVar = {
        **RULES,
        "C": real(0, ends="(]"),
        "epsilon": real(0),
        "verbose": VERBOSE,
    }

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
        verbose: bool = False,
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
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (3)."""
        data = training_rows(self, rows)
        y, price = data.y.astype(np.float64), capped(self.C) * data.w
        eps = np.full(data.n, float(self.epsilon))
        dual = smo.Dual(-y, -price, price, eps, np.zeros(data.n))
        o = solve_dual(self, data, dual)
        single.publish_expansion(self, data, o.b, -o.rho[0], o.steps)
        excess = np.abs(o.f - o.rho[0]) - self.epsilon  # f = K b - y
        primal = 0.5 * (o.b @ (o.f + y)) + price @ np.maximum(0.0, excess)  # (1)
        single.report_expansion(self, data, o, primal, o.b, price, report)
        roles = np.select([o.b == 0, np.abs(o.b) >= price], [0, 2], default=1)
        self.roles_ = roles.astype(np.int8)
        report_roles(single.TUBE, self.roles_, report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        price = capped(self.C) * sample_weight
        box = tube_box(y, price, float(self.epsilon))
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
