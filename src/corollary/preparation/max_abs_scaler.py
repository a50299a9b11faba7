"""Scaling of columns by their largest size, in summation form.

Also known as: maximum absolute scaling, max-abs normalisation.

    z_ij = x_ij / m_j,    m_j = max_i |x_ij|,  or 1 where all are 0              (1)

over the training rows, so that these lie in [-1, 1].  Nothing is subtracted: zeros stay
zeros and sparse rows stay sparse.  A missing value (NaN) counts nowhere and stays
missing.

Maxima merge, so that one pass over any source suffices, and a stream goes on.  A weight
only matters where it is 0.

Notation: m = max_abs_; scale_ is m with 1 for 0.
Course: S4-5. Reference: Han, Kamber, Pei (2012), 3.5.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Matrix
from corollary.core.parameters import boolean
from corollary.core.report import Report
from corollary.engine import Chunk, Data, Fitted, StreamingLearner
from corollary.preparation.column_statistics import Extremes
from corollary.preparation.expansion import exact
from corollary.preparation.scaler import Scaler, Steps, safe_scale

__all__ = ["MaxAbsScaler"]


class MaxAbsScaler(StreamingLearner, Scaler):
    """Scale each column by its largest size.

    Parameters
    ----------
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats, or sparse.
    clip : bool, default=False
        Whether new rows are held within [-1, 1].

    Attributes
    ----------
    max_abs_ : array of shape (d,)
        m; 0 in a column without any value.
    scale_ : array of shape (d,)
    n_samples_seen_ : int, or float with weights
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import MaxAbsScaler
    >>> MaxAbsScaler().fit_transform([[1.0, -4.0], [2.0, 0.0]]).tolist()
    [[0.5, -1.0], [1.0, 0.0]]
    """

    takes_sparse = True
    shapes: ClassVar = {"max_abs_": "d", "scale_": "d"}
    rules: ClassVar = {"copy": boolean, "clip": boolean}

    def __init__(self, *, copy: bool = True, clip: bool = False) -> None:
        self.copy = copy
        self.clip = clip

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Know nothing yet."""

    def statistics(self, chunk: Chunk, state: Extremes | None) -> Extremes:
        """Find the chunk's extremes."""
        return Extremes.of(chunk.X, chunk.w)

    def update(self, s: Extremes, state: Extremes | None) -> Extremes:
        """Know the extremes."""
        return s

    def account(self, state: Extremes, report: Report) -> None:
        """Report that nothing is approximated."""
        exact(report)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read (1)."""
        s: Extremes = fitted.state
        largest = np.maximum(-s.low, s.high)
        there = s.low <= s.high
        self.max_abs_ = np.where(there, largest, 0).astype(s.low.dtype)
        self.scale_ = safe_scale(self.max_abs_)
        self.n_samples_seen_ = s.n

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
        held: Steps = [(np.maximum, -1.0), (np.minimum, 1.0)] if self.clip else []
        return [(np.divide, self.scale_), *held]

    def _steps_back(self) -> Steps:
        return [(np.multiply, self.scale_)]
