"""Quantile regression: a linear model of a conditional quantile.

Also known as: median regression, L1 regression, pinball regression, tau-regression.

Minimise  1/n sum_i w_i rho_t(y_i - x_i'b - b0) + alpha ||b||_1                  (1)

with the pinball loss rho_t(r) = max(t r, (t - 1) r) and n = sum_i w_i.  A constant
model gives the t-quantile of y, so (1) models the t-quantile of y given x: about a
share t of the rows lies below.  At a minimiser there are slopes a_i of the losses with

    sum_i a_i = 0,   |sum_i a_i x_ij| <= alpha n  (= alpha n sign(b_j), b_j not 0)   (2)
    a_i = t w_i where r_i > 0,  (t - 1) w_i where r_i < 0,  between them where r_i = 0

and the sum of a_i y_i, for any a that keeps (2)'s bounds, is a lower bound of n times
(1): the difference is the duality gap of the report.  Moving y_i along without
passing the plane changes nothing: the model is robust against outliers in y, though not
in x.  Fitted one by one, quantiles may cross; `quantile_crossings` finds out.

Notation: t = quantile; b = coef_; b0 = intercept_; r = y - x'b - b0.
Course: S2-17. References: Koenker and Bassett (1978); Portnoy and Koenker (1997).
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.core.parameters import Rule, boolean, missing, one_of, real
from corollary.linear.convex_statements import quantile_problem
from corollary.linear.quantile.quantile_learner import QuantileLearner

__all__ = ["QuantileRegressor"]


class QuantileRegressor(QuantileLearner):
    """Linear regression of a quantile.

    Parameters
    ----------
    quantile : float, default=0.5
        Quantile t, above 0 and below 1.
    alpha : float, default=1.0
        Strength of the L1 penalty.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    solver : {'auto', 'highs', 'highs-ds', 'highs-ipm', 'interior-point'}
        A linear program (SciPy's HiGHS) that needs the rows in memory, or passes over
        the data along the central path; 'auto' takes the former for few rows.
    solver_options : dict, optional
        Options of HiGHS.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    n_iter_ : int
        Passes over the data.
    minimizers_ : array of shape (1 or 2, 1 + d)
        Intercept and coefficients, and those of another minimiser where one was found.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import QuantileRegressor
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 100.0]
    >>> model = QuantileRegressor(alpha=0).fit(X, y)
    >>> model.predict([[10.0]]).round(6).tolist()
    [10.0]
    """

    shapes: ClassVar = {"coef_": "d"}
    rules: ClassVar = {
        "quantile": real(0, 1, ends="()"),
        "alpha": real(0),
        "fit_intercept": boolean,
        "solver": one_of("auto", "highs", "highs-ds", "highs-ipm", "interior-point"),
        "solver_options": missing | Rule("a dict", lambda v: isinstance(v, dict)),
    }

    convex_problem = quantile_problem

    def __init__(
        self,
        *,
        quantile: float = 0.5,
        alpha: float = 1.0,
        fit_intercept: bool = True,
        solver: str = "auto",
        solver_options: Any = None,
    ) -> None:
        self.quantile = quantile
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.solver_options = solver_options

    def _quantile(self) -> float:
        return float(self.quantile)

    def _penalty(self) -> float:
        return float(self.alpha)

    def _solver(self) -> tuple[str, Any]:
        return self.solver, self.solver_options
