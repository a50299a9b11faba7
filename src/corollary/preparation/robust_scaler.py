"""Scaling of columns by median and quantile range, in summation form.

Also known as: robust scaling, median and interquartile range, IQR scaling.

With the quantiles Q_j(p) of each column over the training rows,

    z_ij = (x_ij - m_j) / s_j,   m_j = Q_j(1/2),   s_j = Q_j(p_2) - Q_j(p_1)     (1)

or s_j = 1 where both quantiles are equal.  A share of rows below 1/2 may lie anywhere
and moves m_j by a bounded amount only; for s_j the share is min(p_1, 1 - p_2).  The
mean and the variance of `StandardScaler` are moved by a single row.  `unit_variance`
divides s_j by the same range of the normal distribution,

    s_j / (Phi^-1(p_2) - Phi^-1(p_1)),                                           (2)

so that normal columns have variance 1.  A missing value (NaN) counts nowhere and stays
missing.

The quantiles are exact, found in a few passes over any source
(`engine.order_statistics`).

Notation: m = center_; s = scale_; 100 p = quantile_range.
Course: S4-5, S0-63. Reference: Huber and Ronchetti (2009), 1.2.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import ndtri

from corollary.core.arrays import Matrix
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, boolean, real
from corollary.core.report import Report
from corollary.engine import Data, Fitted
from corollary.engine.order_statistics import Ranges
from corollary.preparation.expansion import RangesLearner, exact
from corollary.preparation.scaler import Scaler, Steps, report_constant, safe_scale

__all__ = ["RobustScaler"]


def _pair(value: Any) -> bool:
    pair = isinstance(value, tuple) and len(value) == 2
    return pair and all(map(real(0, 100).holds, value)) and value[0] <= value[1]


class RobustScaler(RangesLearner, Scaler):
    """Scale columns by median and quantile range.

    Parameters
    ----------
    with_centering : bool, default=True
        Whether to subtract the median.  Sparse rows need False: their zeros stay.
    with_scaling : bool, default=True
        Whether to divide by the quantile range.
    quantile_range : pair of numbers, default=(25.0, 75.0)
        The quantiles of s in percent, the lower first.
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats, or sparse.
    unit_variance : bool, default=False
        Whether to give normal columns variance 1 (2).

    Attributes
    ----------
    center_ : array of shape (d,) or None
        m; None without `with_centering`.
    scale_ : array of shape (d,) or None
        s; None without `with_scaling`.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import RobustScaler
    >>> model = RobustScaler().fit([[1.0], [2.0], [3.0], [4.0], [1000.0]])
    >>> model.center_.tolist(), model.scale_.tolist()
    ([3.0], [2.0])
    """

    shapes: ClassVar = {"center_": "d|", "scale_": "d|"}
    rules: ClassVar = {
        "with_centering": boolean,
        "with_scaling": boolean,
        "quantile_range": Rule("a pair of numbers in [0, 100], the lower first", _pair),
        "copy": boolean,
        "unit_variance": boolean,
    }

    def __init__(
        self,
        *,
        with_centering: bool = True,
        with_scaling: bool = True,
        quantile_range: Any = (25.0, 75.0),
        copy: bool = True,
        unit_variance: bool = False,
    ) -> None:
        self.with_centering = with_centering
        self.with_scaling = with_scaling
        self.quantile_range = quantile_range
        self.copy = copy
        self.unit_variance = unit_variance

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether zeros stay zeros."""
        return not self.with_centering

    # -- learning ------------------------------------------------------------------
    def _prepare(self, data: Data, seed: int) -> None:
        """Refuse a normal range without end."""
        low, high = self.quantile_range
        wide = self.with_scaling and self.unit_variance
        if wide and not 0 < low < high < 100:
            must = "quantile_range must lie inside (0, 100) for unit_variance=True"
            raise ParameterError(sentence(self, must, f"{self.quantile_range}"))

    def _asked(self) -> Any:
        asked = [0.5] if self.with_centering else []
        low, high = self.quantile_range
        return asked + ([low / 100, high / 100] if self.with_scaling else [])

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Ranges = fitted.state
        found = state.quantiles.astype(state.dtype)
        self.center_ = found[0] if self.with_centering else None
        self.scale_ = None
        if self.with_scaling:
            low, high = self.quantile_range
            normal = ndtri(high / 100) - ndtri(low / 100) if self.unit_variance else 1.0
            self.scale_ = safe_scale(found[-1] - found[-2]) / normal  # (1), (2)

    def account(self, state: Ranges, report: Report) -> None:
        """Report that nothing is approximated, and ranges that are 0."""
        exact(report)
        if self.with_scaling:
            report_constant(report, state.quantiles[-1] == state.quantiles[-2])

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Scale rows (1).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array or sparse matrix of shape (n, d)
            In the precision of X; columns of a sparse matrix stay columns (CSC).
        """
        return self._forward(X)

    def inverse_transform(self, X: Any) -> Matrix:
        """Return rows in the units that they had before `transform`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array or sparse matrix of shape (n, d)
        """
        return self._backward(X)

    def _steps(self) -> Steps:
        centre: Steps = [(np.subtract, self.center_)] if self.with_centering else []
        return centre + ([(np.divide, self.scale_)] if self.with_scaling else [])

    def _steps_back(self) -> Steps:
        stretch: Steps = [(np.multiply, self.scale_)] if self.with_scaling else []
        return stretch + ([(np.add, self.center_)] if self.with_centering else [])
