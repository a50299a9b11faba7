"""Least absolute deviations: the robust line.

Also known as: LAD, L1 regression, median regression, least absolute errors, LAE.

Minimise  1/n sum_i w_i |y_i - x_i'b - b0|                                       (1)

It models the conditional median: a constant model gives the sample median, and |r| =
(1 - 2 [r < 0]) r has the slopes +1 and -1, so that an outlier pulls no harder than its
neighbour.  (1) is twice the pinball loss at t = 1/2 (`QuantileRegressor`) without a
penalty, and is solved as that.  Some minimiser goes through as many rows as there are
weights; the minimiser need not be the only one: the median of an even number of rows is
an interval.  Then the report says so, and `minimizers_` has a second one.

Notation: b = coef_; b0 = intercept_.
Course: S2-17. References: Boscovich (1757); Bloomfield and Steiger (1983).
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.core.parameters import boolean, one_of
from corollary.linear.convex_statements import quantile_problem
from corollary.linear.quantile.quantile_learner import QuantileLearner

__all__ = ["LeastAbsoluteDeviations"]


class LeastAbsoluteDeviations(QuantileLearner):
    """Linear regression by least absolute deviations.

    Parameters
    ----------
    fit_intercept : bool, default=True
        Whether to fit b0.
    solver : {'auto', 'highs', 'interior-point'}, default='auto'
        A linear program that needs the rows in memory, or passes over the data along
        the central path; 'auto' takes the former for few rows.

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
    >>> from corollary import LeastAbsoluteDeviations
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0]], [0.0, 1.0, 2.0, 3.0, 100.0]
    >>> model = LeastAbsoluteDeviations().fit(X, y)
    >>> model.coef_.round(6).tolist(), model.report_.facts["minimizers"]
    ([1.0], 'one')
    """

    times = 2.0
    shapes: ClassVar = {"coef_": "d"}
    rules: ClassVar = {
        "fit_intercept": boolean,
        "solver": one_of("auto", "highs", "interior-point"),
    }

    convex_problem = quantile_problem

    def __init__(self, *, fit_intercept: bool = True, solver: str = "auto") -> None:
        self.fit_intercept = fit_intercept
        self.solver = solver

    def _quantile(self) -> float:
        return 0.5

    def _penalty(self) -> float:
        return 0.0

    def _solver(self) -> tuple[str, Any]:
        return self.solver, None
