"""Standardisation of columns: mean 0 and variance 1, in summation form.

Also known as: feature scaling, z-score, z-scaling, standard scores, mean normalisation,
autoscaling.

With the mean and the variance of each column over the training rows,

    mu_j = sum_i w_i x_ij / n_j,   v_j = sum_i w_i (x_ij - mu_j)^2 / n_j         (1)
    z_ij = (x_ij - mu_j) / s_j,    s_j = sqrt(v_j),  or 1 where x_j is constant  (2)

where n_j is the weight of the rows that have a value in column j: a missing value (NaN)
counts nowhere and stays missing.  New rows are scaled by the statistics of the training
rows, never by their own: what is learned later must not know them.

A column counts as constant where its variance is within the rounding of (1) (Chan,
Golub and LeVeque):

    v_j <= n eps v_j + (n eps mu_j)^2,   n = min(n_j, 2^16)                      (3)

since sums over more rows than that are made in pairs, whose error grows with log n.

The sums (1) merge, so that one pass over any source suffices, and a stream goes on.

Notation: X (n, d); w = sample_weight; mu = mean_; v = var_; s = scale_.
Course: S4-5, S4-81. References: Chan, Golub, LeVeque (1983).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.parameters import boolean
from corollary.core.report import Report
from corollary.engine import Chunk, Data, Fitted, StreamingLearner
from corollary.preparation.column_statistics import Spread, counted
from corollary.preparation.expansion import exact
from corollary.preparation.scaler import Scaler, Steps, report_constant

__all__ = ["StandardScaler", "constant_columns", "scale_of"]

EPS = float(np.finfo(np.float64).eps)
PAIRS = 2**16  # rows from which on sums are made in pairs


class StandardScaler(StreamingLearner, Scaler):
    """Standardise columns to mean 0 and variance 1.

    Parameters
    ----------
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats, or sparse.
    with_mean : bool, default=True
        Whether to subtract the mean.  Sparse rows need False: their zeros stay.
    with_std : bool, default=True
        Whether to divide by the standard deviation.

    Attributes
    ----------
    mean_ : array of shape (d,) or None
        mu; None where neither means nor deviations are used.
    var_ : array of shape (d,) or None
        v; None without `with_std`.
    scale_ : array of shape (d,) or None
        s; None without `with_std`.
    n_samples_seen_ : int or float, or array of shape (d,)
        Weight of the rows that have a value; an array where columns differ.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import StandardScaler
    >>> model = StandardScaler().fit([[0.0, 5.0], [2.0, 5.0]])
    >>> model.mean_.tolist(), model.scale_.tolist()
    ([1.0, 5.0], [1.0, 1.0])
    >>> model.transform([[3.0, 5.0]]).tolist()
    [[2.0, 0.0]]
    """

    shapes: ClassVar = {
        "mean_": "d|",
        "var_": "d|",
        "scale_": "d|",
        "n_samples_seen_": "d|",
    }
    rules: ClassVar = {"copy": boolean, "with_mean": boolean, "with_std": boolean}

    def __init__(
        self, *, copy: bool = True, with_mean: bool = True, with_std: bool = True
    ) -> None:
        self.copy = copy
        self.with_mean = with_mean
        self.with_std = with_std

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether zeros stay zeros."""
        return not self.with_mean

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Know nothing yet."""

    def statistics(self, chunk: Chunk, state: Spread | None) -> Spread:
        """Take the chunk's share of (1)."""
        return Spread.of(chunk.X, chunk.w)

    def update(self, s: Spread, state: Spread | None) -> Spread:
        """Know (1)."""
        return s

    def account(self, state: Spread, report: Report) -> None:
        """Report that nothing is approximated, and columns that never vary."""
        exact(report)
        report_constant(report, constant_columns(state))

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        s: Spread = fitted.state
        known = self.with_mean or self.with_std
        self.mean_ = s.mean if known else None
        self.var_ = s.variance if self.with_std else None
        self.scale_ = scale_of(s) if self.with_std else None
        self.n_samples_seen_ = counted(s.n)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Standardise rows (2).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source
        copy : bool, optional
            Instead of the parameter of that name.

        Returns
        -------
        array or sparse matrix of shape (n, d)
            In the precision of X.
        """
        return self._forward(X, copy)

    def inverse_transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Return rows in the units that they had before `transform`.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source
        copy : bool, optional
            Instead of the parameter of that name.

        Returns
        -------
        array or sparse matrix of shape (n, d)
        """
        return self._backward(X, copy)

    def _steps(self) -> Steps:
        centre: Steps = [(np.subtract, self.mean_)] if self.with_mean else []
        return centre + ([(np.divide, self.scale_)] if self.with_std else [])

    def _steps_back(self) -> Steps:
        stretch: Steps = [(np.multiply, self.scale_)] if self.with_std else []
        return stretch + ([(np.add, self.mean_)] if self.with_mean else [])


def constant_columns(s: Spread) -> Vector:
    """Tell which columns do not vary by more than rounding (3)."""
    n, v = np.minimum(s.n, PAIRS), s.variance
    return v <= n * EPS * v + (n * EPS * s.mean) ** 2


def scale_of(s: Spread) -> Floats:
    """Return the standard deviation of each column, 1 where it is constant (2)."""
    return np.where(constant_columns(s), 1.0, np.sqrt(s.variance))
