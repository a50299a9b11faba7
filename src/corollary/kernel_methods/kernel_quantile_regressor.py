"""Kernel quantile regression, and with quantile 1/2 kernel least absolute deviations.

Also known as: kernel LAD, median regression, L1 regression, pinball-loss machine,
support vector quantile regression.

With the pinball loss  rho_q(r) = q r for r >= 0, (q - 1) r for r < 0,  of the residual
r_i = y_i - h(x_i) - b, minimise in the feature space of a kernel

    P(h, b) = 1/2 ||h||^2 + C sum_i w_i rho_q(r_i)                               (1)

rho_1/2 = |r|/2, so that the quantile 1/2 with 2 C is least absolute deviations, support
vector regression with epsilon = 0.  A constant model's minimiser is the sample's
q-quantile, and h + b aims at the q-quantile of y given x.  The dual is to minimise

    D(a) = 1/2 a'K a - y'a,   C w_i (q - 1) <= a_i <= C w_i q,   sum_i a_i = 0   (2)

and P = -D at the optimum, h = sum_i a_i k(., x_i).  Rows above the curve h + b have
a_i = C w_i q, rows below it a_i = C w_i (q - 1), and those between lie on it.  As
sum a = 0, of the weight

    at most the share 1 - q lies above the curve, and at most q below            (3)

There is no summation form: every pair of rows may matter.  `solvers/smo.py` solves (2)
and bounds P + D.

Notation: a = dual_coef_ over the rows support_; b = intercept_.
Course: S2-41. References: Koenker and Bassett (1978); Takeuchi, Le, Sears and Smola
(2006).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.parameters import real
from corollary.core.report import Report
from corollary.core.roles import SingleRegressor
from corollary.engine.sources.source import Chunk
from corollary.kernel_methods.feature_space import (
    FeatureSpaceLearner,
    expanded,
    keep_rows,
)
from corollary.kernels.dual_search import SEARCH_RULES, report_search, solve_dual
from corollary.kernels.kernel_problem import expansion_problem
from corollary.kernels.machine_kernel import SPACE_RULES, training_rows, warn_of_kernel
from corollary.objectives.losses import Quantile
from corollary.solvers import smo
from corollary.solvers.convex_problem import Box, Problems

__all__ = ["KernelQuantileRegressor"]


class KernelQuantileRegressor(FeatureSpaceLearner, SingleRegressor):
    """A quantile of y given x, in the feature space of a kernel.

    Parameters
    ----------
    quantile : float in (0, 1), default=0.5
        q of (1); 0.5 is the median, least absolute deviations.
    C : float, default=1.0
        Price of the losses.
    kernel : str or function, default='rbf'
        As in `KernelRidge`.
    degree : int, default=3
        Of 'poly'.
    gamma : float, 'scale', 'auto' or None, default='scale'
        As in `KernelRidge`.
    coef0 : float, default=0.0
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        More arguments of a kernel that is a function.
    shrinking : bool, default=True
        Whether to leave out rows that cannot matter any more for a while.
    tol : float, default=1e-3
        Largest violation of the optimality conditions.
    cache_size : float, default=200
        Megabytes for kernel rows.
    max_iter : int, default=-1
        Most pairs of variables to move; -1 for 10 million, or 100 a row.
    max_seconds : float, optional
        Most time for the search.

    Attributes
    ----------
    dual_coef_ : array of shape (s,)
    support_ : array of shape (s,)
        Numbers of the rows with a coefficient.
    X_fit_ : array or CSR of shape (s, d)
        These rows, which prediction needs: a model file holds them.
    intercept_ : float
    gamma_ : float
    n_iter_ : int
        Pairs of variables moved.
    n_features_in_ : int
    report_ : Report
        With the duality gap, and the shares of (3).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KernelQuantileRegressor
    >>> X, y = np.arange(9.0)[:, None], np.array([0, 1, 2, 3, 400, 5, 6, 7, 8.0])
    >>> model = KernelQuantileRegressor(kernel="linear", C=10, tol=1e-6).fit(X, y)
    >>> model.predict([[4.0]]).round(3).tolist()  # the outlier has no pull
    [4.0]
    """

    shapes: ClassVar = {"dual_coef_": "s", "X_fit_": "s d|0 0", "support_": "s"}
    rules: ClassVar = {
        **SPACE_RULES,
        **SEARCH_RULES,
        "quantile": real(0, 1, ends="()"),
        "C": real(0, ends="(]"),
    }

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        kernel_params: dict[str, Any] | None = None,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float = 200,
        max_iter: int = -1,
        max_seconds: float | None = None,
    ) -> None:
        self.quantile = quantile
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.max_iter = max_iter
        self.max_seconds = max_seconds

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the variables of the machine at work, and copies of the rows."""
        return rows * (8.0 * features + 300.0)

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Solve (2)."""
        data = training_rows(self, rows)
        y, w = data.y.astype(np.float64), data.w
        q, zero, price = self.quantile, np.zeros(data.n), self.C * w
        dual = smo.Dual(-y, price * (q - 1), price * q, zero, zero)
        o = solve_dual(self, data, dual)
        some = np.flatnonzero(o.b)
        keep_rows(self, data, some)
        self.support_ = data.numbers(some)
        self.dual_coef_ = o.b[some].astype(data.X.dtype)
        self.intercept_ = -float(o.rho[0])
        self.n_iter_ = max(o.steps, 1)
        h = o.f + y
        r = y - h - self.intercept_
        loss = float(w @ Quantile(q).at(-r))
        report_search([o], 0.5 * float(o.b @ h) + self.C * loss, report)
        free = (o.b > dual.lo) & (o.b < dual.hi)
        report.facts["share_above"] = float(w[(r > 0) & ~free].sum() / w.sum())  # (3)
        report.facts["share_below"] = float(w[(r < 0) & ~free].sum() / w.sum())
        report.facts["n_on_curve"] = int(free.sum())
        warn_of_kernel(data, report)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (1) at the coefficients, for `optimality_gap`."""
        price, q = self.C * sample_weight, float(self.quantile)
        box = Box(-y, (q - 1) * price, q * price)
        return [expansion_problem(self, X, sample_weight, box)]

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the quantile h(x) + b of each row."""
        return expanded(self, X) + self.intercept_
