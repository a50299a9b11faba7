"""Scaling of columns to a given range, in summation form.

Also known as: min-max scaling, range scaling, min-max normalisation, rescaling.

With the least value l_j and the largest u_j of each column over the training rows,

    z_ij = a + (x_ij - l_j) (b - a) / r_j,    r_j = u_j - l_j,                   (1)

or r_j = 1 where the column is constant, so that l_j goes to a and u_j to b.  New rows
may lie outside [a, b]; `clip` puts them on its ends.  The difference x - l comes first:
written as x scale_ + min_ it would lose the digits of a column whose range is small
beside its values.  A missing value (NaN) counts nowhere and stays missing.

Extremes merge, so that one pass over any source suffices, and a stream goes on.  A
weight only matters where it is 0.

Notation: l = data_min_; u = data_max_; r = data_range_; [a, b] = feature_range;
scale_ = (b - a)/r; min_ = a - l scale_.
Course: S4-5. Reference: Han, Kamber, Pei (2012), 3.5.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, boolean, real
from corollary.core.report import Report
from corollary.engine import Chunk, Data, Fitted, StreamingLearner
from corollary.preparation.column_statistics import Extremes
from corollary.preparation.expansion import exact
from corollary.preparation.scaler import Scaler, Steps, report_constant, safe_scale

__all__ = ["MinMaxScaler"]

LARGE = 1e30  # an end of the range, at most


def _pair(value: Any) -> bool:
    pair = isinstance(value, tuple) and len(value) == 2
    return pair and all(real().holds(v) and abs(v) < LARGE for v in value)


class MinMaxScaler(StreamingLearner, Scaler):
    """Scale each column to a given range.

    Parameters
    ----------
    feature_range : pair of numbers, default=(0, 1)
        a and b, the smaller first.
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats, or sparse.
    clip : bool, default=False
        Whether new rows are held within the range.

    Attributes
    ----------
    data_min_, data_max_, data_range_ : arrays of shape (d,)
        l, u and r; 0 in a column without any value.
    scale_, min_ : arrays of shape (d,)
        z = x `scale_` + `min_`.
    n_samples_seen_ : int, or float with weights
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import MinMaxScaler
    >>> model = MinMaxScaler().fit([[-1.0, 2.0], [0.0, 6.0], [1.0, 10.0]])
    >>> model.transform([[0.5, 2.0], [2.0, 10.0]]).tolist()
    [[0.75, 0.0], [1.5, 1.0]]
    """

    shapes: ClassVar = dict.fromkeys(
        ("data_min_", "data_max_", "data_range_", "scale_", "min_"), "d"
    )
    rules: ClassVar = {
        "feature_range": Rule("a pair (low, high) of numbers", _pair),
        "copy": boolean,
        "clip": boolean,
    }

    def __init__(
        self, feature_range: Any = (0, 1), *, copy: bool = True, clip: bool = False
    ) -> None:
        self.feature_range = feature_range
        self.copy = copy
        self.clip = clip

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Check the range."""
        a, b = self.feature_range
        if a >= b:
            must = "the lower end of feature_range must be below the upper one"
            raise ParameterError(sentence(self, must, f"{self.feature_range}"))

    def statistics(self, chunk: Chunk, state: Extremes | None) -> Extremes:
        """Find the chunk's extremes."""
        return Extremes.of(chunk.X, chunk.w)

    def update(self, s: Extremes, state: Extremes | None) -> Extremes:
        """Know the extremes."""
        return s

    def account(self, state: Extremes, report: Report) -> None:
        """Report that nothing is approximated, and columns that never vary."""
        exact(report)
        report_constant(report, state.low >= state.high)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        s: Extremes = fitted.state
        a, b = self.feature_range
        there = s.low <= s.high
        self.data_min_ = np.where(there, s.low, 0).astype(s.low.dtype)
        self.data_max_ = np.where(there, s.high, 0).astype(s.low.dtype)
        self.data_range_ = self.data_max_ - self.data_min_
        self.scale_ = (b - a) / safe_scale(self.data_range_)
        self.min_ = a - self.data_min_ * self.scale_
        self.n_samples_seen_ = s.n

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Scale rows (1).

        Parameters
        ----------
        X : array of shape (n, d), or Source

        Returns
        -------
        array of shape (n, d)
            In the precision of X.
        """
        return self._forward(X)

    def inverse_transform(self, X: Any) -> Matrix:
        """Return rows in the units that they had before `transform`.

        Parameters
        ----------
        X : array of shape (n, d), or Source

        Returns
        -------
        array of shape (n, d)
        """
        return self._backward(X)

    def _steps(self) -> Steps:
        a, b = self.feature_range
        steps: Steps = [(np.subtract, self.data_min_), (np.multiply, self.scale_)]
        steps += [(np.add, a)] if a else []
        held: Steps = [(np.maximum, a), (np.minimum, b)] if self.clip else []
        return steps + held

    def _steps_back(self) -> Steps:
        a = self.feature_range[0]
        steps: Steps = [(np.subtract, a)] if a else []
        return [*steps, (np.divide, self.scale_), (np.add, self.data_min_)]
