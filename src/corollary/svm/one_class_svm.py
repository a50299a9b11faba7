"""The one-class support vector machine: where most of the rows lie.

Also known as: one-class SVM, novelty detection, nu-one-class machine.

Find the hyperplane in the space of phi that leaves the origin behind it with the
largest margin, and few rows:

    P = 1/2 ||w||^2 - nu W rho + sum_i w_i max(0, rho - w'phi(x_i))              (1)

with W = sum_i w_i the number of rows.  Its dual is

    min  1/2 b'K b,      0 <= b_i <= w_i,      sum_i b_i = nu W                  (2)

A row is an outlier where g(x) = sum_i b_i k(x, x_i) - rho < 0.

Property of nu: the share of outliers among the training rows is at most nu, the share
of support vectors at least nu.  For a kernel with k(x, x) constant, such as the
Gaussian, (2) is the smallest ball as well: `SVDD` decides alike.

The search begins with the rows of least mean kernel with a sample all the way in, for
they are the likely outliers.

Notation: b = dual_coef_ over the rows support_; rho = offset_ = -intercept_.
Course: S1-50. Reference: Schoelkopf, Platt, Shawe-Taylor, Smola and Williamson (2001).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.parameters import real
from corollary.core.report import Report
from corollary.core.roles import OutlierDetector
from corollary.engine.sources.source import Chunk
from corollary.kernels.dual_search import solve_dual
from corollary.kernels.kernel_problem import expansion_problem
from corollary.kernels.machine_kernel import training_rows
from corollary.solvers import smo
from corollary.solvers.convex_problem import Box, Problems
from corollary.svm import single
from corollary.svm.machine import ROUNDING, RULES, VERBOSE, report_roles, unit_of

__all__ = ["ROLES", "OneClassSVM"]

ROLES = ("inlier", "margin", "outlier")


class OneClassSVM(single.SingleMachine, OutlierDetector):
    """Where most of the rows lie, with any kernel.

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
        Largest violation of the optimality conditions, for weights about 1.
    nu : float, default=0.5
        In (0, 1]: most outliers, and fewest support vectors.
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
    offset_ : array of shape (1,)
        rho: `decision_function` is `score_samples` less this.
    coef_ : array of shape (1, d)
        Only of the linear kernel.
    roles_ : array of shape (n,)
        Each row's role, as a number in `corollary.svm.one_class_svm.ROLES`.
    gamma_ : float
    n_iter_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import OneClassSVM
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> model = OneClassSVM(nu=0.1).fit(X)
    >>> model.predict([[0.0, 0.0], [9.0, 9.0]]).tolist()
    [1, -1]
    """

    rules: ClassVar = {**RULES, "nu": real(0, 1, ends="(]"), "verbose": VERBOSE}
    shapes: ClassVar = {**single.SingleMachine.shapes, "offset_": "1"}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2), for weights about 1: b, f and rho grow with them, (1) squared."""
        data = training_rows(self, rows)
        unit = unit_of(data.w)
        w, zero = data.w / unit, np.zeros(data.n)
        start = smo.filled(w, self.nu * w.sum(), single.rows_by_depth(data))
        dual = smo.Dual(zero, zero, w, zero, start)
        o = solve_dual(self, data, dual)
        terms = float(o.b.sum() * np.abs(data.kernel.square_norms(data.X)).max())
        rho = float(o.rho[0]) - ROUNDING * terms  # rows on the margin are inliers
        single.publish_expansion(self, data, unit * o.b, -unit * rho, o.steps)
        self.offset_ = -self.intercept_
        short = np.maximum(0.0, rho - o.f)
        primal = 0.5 * (o.b @ o.f) - self.nu * w.sum() * rho + w @ short  # (1)
        gap, violation = o.gap_at(dual, rho) * unit**2, o.violation * unit
        known = replace(o, gap=gap, violation=violation)
        single.report_expansion(self, data, known, primal * unit**2, o.b, w, report)
        self.roles_ = np.select([o.b == 0, o.b >= w], [0, 2], default=1).astype(np.int8)
        report_roles(ROLES, self.roles_, report)
        single.report_share(self.nu, w, self.roles_, report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        w = sample_weight
        box = Box(0 * w, 0 * w, w, t=float(self.nu) * float(w.sum()))
        return [expansion_problem(self, X, w, box)]

    def score_samples(self, X: Any) -> Floats:
        """Return sum_i b_i k(x, x_i) of each row: large where the rows are."""
        return single.scores(self, X) + self.offset_[0]

    def decision_function(self, X: Any) -> Floats:
        """Return g of each row, negative for outliers.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n,)
        """
        return single.scores(self, X)

    def predict(self, X: Any) -> Vector:
        """Return 1 for an inlier, -1 for an outlier."""
        return np.where(single.scores(self, X) >= 0, 1, -1).astype(np.intp)
