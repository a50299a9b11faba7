"""The smallest ball around most of the rows.

Also known as: SVDD, support vector data description, hypersphere one-class machine,
minimal enclosing ball with outliers.

    P = R^2 + (1 / (nu W)) sum_i w_i max(0, ||phi(x_i) - c||^2 - R^2)            (1)

over the centre c and R^2, with W = sum_i w_i the number of rows.  The centre is a mean
of rows, c = sum_i a_i phi(x_i), and the dual

    max  sum_i a_i K_ii - a'K a,     0 <= a_i <= w_i / (nu W),   sum_i a_i = 1   (2)

With b = nu W a this is the dual of `OneClassSVM` and a linear term,

    min  1/2 b'K b - (nu W / 2) sum_i K_ii b_i,  0 <= b_i <= w_i,  sum_i b_i = nu W  (3)
    R^2 = a'K a - 2 rho / (nu W)                                                 (4)
    ||phi(x) - c||^2 = k(x, x) - 2 sum_i a_i k(x, x_i) + a'K a                   (5)

The linear term is constant where k(x, x) is, so for the Gaussian kernel both machines
have the same b and decide alike.  For the linear kernel it matters: (1) is a ball among
the rows, where the one-class machine is a plane between them and the origin.  Rows are

    inside   ||phi(x) - c||^2 < R^2,  a_i = 0
    on it    ||phi(x) - c||^2 = R^2
    outside  ||phi(x) - c||^2 > R^2,  a_i = w_i / (nu W)                         (6)

and at most a share nu is outside.  With nu <= 1 / n no row can be: the smallest ball
around all of them.

A matrix of kernels between new rows and old has no k(x, x) of the new ones, which (5)
needs.  Where it is the same number for all old rows, as for the Gaussian kernel, it is
taken for the new ones too; otherwise it must be given.

Notation: a = dual_coef_ over the rows support_; R^2 = radius2_; c = center_, known as a
point for the linear kernel; k(x, x) = diagonal.
Course: S1-50. Reference: Tax and Duin (2004).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown
from corollary.core.report import Optimality, Report
from corollary.core.roles import OutlierDetector
from corollary.engine.sources.source import Chunk
from corollary.kernels.dual_search import solve_dual
from corollary.kernels.kernel_problem import expansion_problem, stated_kernel
from corollary.kernels.machine_kernel import kernel_of, training_rows
from corollary.solvers import smo
from corollary.solvers.convex_problem import Box, Problems
from corollary.svm import single
from corollary.svm.machine import (
    ROUNDING,
    RULES,
    dense_coefficients,
    expand,
    linear_weights,
    query_rows,
    report_roles,
    unit_of,
)

__all__ = ["ROLES", "SVDD"]

ROLES = ("inside", "on", "outside")


class SVDD(single.SingleMachine, OutlierDetector):
    """The smallest ball around most of the rows, in the space of a kernel.

    Parameters
    ----------
    kernel : {'rbf', 'linear', 'poly', 'sigmoid', 'precomputed'} or function
        A function takes two sets of rows and returns their kernel matrix.
    degree : int, default=3
        Of 'poly'.
    gamma : {'scale', 'auto'} or float
        Of 'rbf', 'poly' and 'sigmoid'; 'scale' is 1 / (d Var X), 'auto' 1 / d.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    tol : float, default=1e-3
        Largest violation of the optimality conditions of (3), for weights about 1.
    nu : float, default=0.5
        In (0, 1]: largest share of rows outside.
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
    radius2_ : float
        R^2.
    center_ : array of shape (d,)
        c, of the linear kernel.
    support_ : array of shape (s,)
    support_vectors_ : array of shape (s, d)
    n_support_ : array of shape (1,)
    dual_coef_ : array of shape (1, s)
        a, which sums to 1.
    intercept_ : array of shape (1,)
        R^2 - ||c||^2.
    diagonal_ : float
        k(x, x) of every row of the fit, NaN where they differ.
    offset_ : array of shape (1,)
        -R^2: `decision_function` is `score_samples` less this.
    roles_ : array of shape (n,)
        What (6) says of each row, as a number in `corollary.svm.svdd.ROLES`.
    gamma_ : float
    n_iter_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVDD
    >>> X = np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5]])
    >>> ball = SVDD(nu=0.01, kernel="linear").fit(X)
    >>> ball.center_.round(6).tolist(), round(ball.radius2_, 6)
    ([1.0, 0.0], 1.0)
    """

    may_be_infinite = ("diagonal_",)  # NaN where k(x, x) differs from row to row
    rules: ClassVar = {**RULES, "nu": real(0, 1, ends="(]")}
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
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (3)."""
        data = training_rows(self, rows)
        w, zero = data.w / unit_of(data.w), np.zeros(data.n)
        diagonal = data.kernel.square_norms(data.X)
        mass = self.nu * float(w.sum())
        start = smo.filled(w, mass, single.rows_by_depth(data))
        dual = smo.Dual(-mass / 2 * diagonal, zero, w, zero, start)
        o = solve_dual(self, data, dual)
        a, h = o.b / mass, (o.f - dual.q) / mass
        norm = float(a @ h)  # ||c||^2
        self.radius2_ = max(0.0, norm - 2 * float(o.rho[0]) / mass)  # (4)
        distance = diagonal - 2 * h + norm
        self.radius2_ += ROUNDING * float(np.abs(distance).max())
        single.publish_expansion(self, data, a, self.radius2_ - norm, o.steps)
        self.offset_ = np.array([-self.radius2_], dtype=data.X.dtype)
        alike = np.ptp(diagonal) <= ROUNDING * np.abs(diagonal).max()
        self.diagonal_ = float(diagonal[0]) if alike else np.nan
        over = np.maximum(0.0, distance - self.radius2_)
        primal = self.radius2_ + float(w @ over) / mass  # (1)
        single.report_expansion(self, data, o, primal, a, w / mass, report)
        gap = o.gap_at(dual, (norm - self.radius2_) * mass / 2) * 2 / mass**2
        report.optimality = Optimality("duality gap", gap)
        at_bound = (o.b >= w) & (w > 0)
        self.roles_ = np.select([at_bound, o.b > 0], [2, 1]).astype(np.int8)
        report_roles(ROLES, self.roles_, report)
        report.facts["radius"] = float(np.sqrt(self.radius2_))
        single.report_share(self.nu, w, self.roles_, report)

    @property
    def center_(self) -> Floats:
        """Return c, of the linear kernel."""
        c = linear_weights(self, dense_coefficients(self))
        return np.ravel(c.toarray() if hasattr(c, "toarray") else c)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        w, mass = sample_weight, float(self.nu) * float(sample_weight.sum())
        norms = stated_kernel(self, X, w).square_norms(X)
        box = Box(-norms, 0 * w, w / mass, t=1.0)
        plain = expansion_problem(self, X, w, box)
        norm = float(plain.b @ plain.times(plain.b[:, None])[:, 0])  # ||c||^2
        more = {"rho": norm - float(self.radius2_), "factor": 2.0}
        return [expansion_problem(self, X, w, box, **more)]

    def fit_predict(self, X: Any, y: Any = None, sample_weight: Any = None) -> Vector:
        """Fit, and return 1 for a row inside the ball, -1 for one outside."""
        self.fit(X, y, sample_weight)
        given = self.kernel == "precomputed"
        return self.predict(X, np.diagonal(np.asarray(X)) if given else None)

    def decision_function(self, X: Any, diagonal: Any = None) -> Floats:
        """Return R^2 - ||phi(x) - c||^2 of each row, negative for outliers.

        Parameters
        ----------
        X : array or CSR of shape (n, d)
            With 'precomputed': the kernel of new rows with those of the fit.
        diagonal : array of shape (n,) or float, optional
            With 'precomputed': k(x, x) of the new rows; needed where the rows of the
            fit had several values.

        Returns
        -------
        array of shape (n,)
        """
        return self.score_samples(X, diagonal) - self.offset_[0]

    def score_samples(self, X: Any, diagonal: Any = None) -> Floats:
        """Return -||phi(x) - c||^2 of each row."""
        check_is_fitted(self)
        self._audit()
        X = query_rows(self, X)
        inner = expand(self, X, dense_coefficients(self).T)[:, 0]
        norm = self.intercept_[0] + self.offset_[0]  # -||c||^2
        return 2 * inner - self._square_norms(X, diagonal) + norm  # (5)

    def _square_norms(self, X: Any, diagonal: Any) -> Floats:
        """Return k(x, x) of each row."""
        if self.kernel != "precomputed":
            if diagonal is not None:
                must = "diagonal must be None unless the kernel is 'precomputed'"
                raise ParameterError(sentence(self, must, f"{shown(diagonal)}"))
            return kernel_of(self, self.gamma_).square_norms(X)
        if diagonal is None and not np.isfinite(self.diagonal_):
            must = "diagonal must be k(x, x) of each row, for those of the fit differ"
            raise DataError(sentence(self, must, "None"))
        given = np.asarray(self.diagonal_ if diagonal is None else diagonal, float)
        if given.shape not in ((), (X.shape[0],)) or not np.isfinite(given).all():
            must = f"diagonal must be {X.shape[0]} finite numbers, k(x, x) of each row"
            raise DataError(sentence(self, must, shown(diagonal)))
        return np.broadcast_to(given, (X.shape[0],))

    def predict(self, X: Any, diagonal: Any = None) -> Vector:
        """Return 1 for a row inside the ball, -1 for one outside."""
        inside = self.decision_function(X, diagonal) >= 0
        return np.where(inside, 1, -1).astype(np.intp)
