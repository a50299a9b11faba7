"""Support vector regression that finds its own tube.

Also known as: nu-SVR.
Related words: support vector machine.

Instead of epsilon a share nu is stated, and the tube's width is part of the problem:

    P = 1/2 ||w||^2 + C (nu epsilon W + sum_i w_i max(0, |y_i - g(x_i)| - epsilon))  (1)

over w, b and epsilon >= 0, with W = sum_i w_i the number of rows.  Its dual has two
variables for every row, a_i >= 0 above the tube and -c_i <= 0 below it,

    min  1/2 (a - c)'K (a - c) - y'(a - c),      0 <= a_i, c_i <= C w_i          (2)
    sum_i a_i = sum_i c_i = C nu W / 2

in two groups with offsets rho_a = -b - epsilon and rho_c = -b + epsilon, so

    epsilon = (rho_c - rho_a) / 2,      b = -(rho_a + rho_c) / 2                 (3)

Property of nu: the share of rows outside the tube is at most nu, and the share of
support vectors at least nu.  With epsilon of (3), `SVR` finds the same function.

Notation: a - c = dual_coef_ over the rows support_; epsilon = epsilon_.
Course: S2-42. Reference: Schoelkopf, Smola, Williamson and Bartlett (2000).
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
from corollary.solvers.convex_problem import Problems, not_handled, tube_box
from corollary.svm import single
from corollary.svm.machine import RULES, VERBOSE, capped, report_roles

__all__ = ["NuSVR"]


class NuSVR(single.SingleMachine, SingleRegressor):
    """Support vector regression with a share of rows outside the tube.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1]: most rows outside the tube, and fewest support vectors.
    C : float, default=1.0
        Price of a residual beyond the tube, in (1).
    kernel : {'linear', 'poly', 'rbf', 'sigmoid', 'precomputed'} or function
        A function takes two sets of rows and returns their kernel matrix.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto'} or float
        Of 'rbf', 'poly' and 'sigmoid'; 'scale' is 1 / (d Var X), 'auto' 1 / d.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    shrinking : bool, default=True
        Whether to leave out rows that cannot matter any more for a while.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=200
        Megabytes for kernel rows.
    verbose : int, default=0
        Kept for compatibility.
    max_iter : int, default=-1
        Most pairs of variables to move; -1 for 10 million, or 100 a variable.
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
    epsilon_ : float
        Half the width of the tube.
    roles_ : array of shape (n,)
        Each row's place, as a number in `corollary.svm.single.TUBE`.
    gamma_ : float
    n_iter_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import NuSVR
    >>> x = np.linspace(0, 6, 50)[:, None]
    >>> model = NuSVR(nu=0.2, C=10).fit(x, np.sin(x[:, 0]))
    >>> bool((model.roles_ == 2).mean() <= 0.2 <= (model.roles_ >= 1).mean())
    True
    """

    rules: ClassVar = {
        **RULES,
        "C": real(0, ends="(]"),
        "nu": real(0, 1, ends="(]"),
        "verbose": VERBOSE,
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        verbose: bool = False,
        max_iter: int = -1,
        max_seconds: float | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2)."""
        data = training_rows(self, rows)
        n, w, y = data.n, data.w, data.y.astype(np.float64)
        price, dual = capped(self.C) * w, self._dual(y, w)
        o = solve_dual(self, data, dual)
        a, c = o.b.reshape(2, n)
        rho = o.rho
        self.epsilon_ = float(max(0.0, (rho[1] - rho[0]) / 2))  # (3)
        if rho[1] < rho[0]:
            o = replace(o, gap=o.gap_at(dual, rho.mean(), rho.mean()))
        b = a + c  # c <= 0 here
        single.publish_expansion(self, data, b, -float(rho.mean()), o.steps)
        h = o.f[:n] + y
        excess = np.maximum(0.0, np.abs(h - rho.mean() - y) - self.epsilon_)
        primal = 0.5 * (b @ h) + price @ (self.nu * self.epsilon_ + excess)  # (1)
        single.report_expansion(self, data, o, primal, b, price, report)
        bound = (np.maximum(a, -c) >= price) & (price > 0)
        free = o.b.reshape(2, n).any(axis=0)
        self.roles_ = np.select([bound, free], [2, 1]).astype(np.int8)
        report_roles(single.TUBE, self.roles_, report)
        report.facts["epsilon"] = self.epsilon_
        single.report_share(self.nu, w, self.roles_, report)

    def _dual(self, y: Floats, w: Floats) -> smo.Dual:
        """Return (2), with c as negative numbers."""
        n, zero, C = len(y), np.zeros(len(y)), capped(self.C)
        price = C * w
        start = np.minimum(C * smo.filled(w, self.nu * w.sum() / 2), price)
        return smo.Dual(
            q=np.concatenate([-y, -y]),
            lo=np.concatenate([zero, -price]),
            hi=np.concatenate([price, zero]),
            eps=np.zeros(2 * n),
            start=np.concatenate([start, -start]),
            group=np.repeat(np.array([0, 1], np.int8), n),
        )

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        if not hasattr(self, "epsilon_"):
            what = "NuSVR, which does not publish the width of its tube"
            raise not_handled(f"scikit-learn's {what}")
        price, width = capped(self.C) * sample_weight, float(self.epsilon_)
        more = {"width": width, "most": float(self.nu) * float(price.sum())}
        box = tube_box(y, price, width)
        return [expansion_problem(self, X, sample_weight, box, **more)]

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
