"""Scalers: each column becomes one column, by arithmetic that can be undone.

A scaler is a few steps such as  x <- x - shift,  x <- x / scale,  with a number for
each column, and the same backwards.  The steps are made block by block while the rows
are in the cache, on all cores; sparse rows keep their zeros, so that only factors apply
to them.  Missing values (NaN) stay missing.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import names_checked
from corollary.core.report import Report
from corollary.core.roles import Transformer
from corollary.engine.executors.executor import side_by_side

__all__ = ["Scaler", "Steps", "follow", "one_to_one", "report_constant", "safe_scale"]

BLOCK = 2**20  # bytes that a thread works on at a time
ROW = 512  # entries of a row that NumPy goes through without stumbling

Steps = list[tuple[Any, Any]]  # ufuncs with a number for each column


class Scaler(Transformer):
    """Turns each column into one column, and back."""

    any_layout = True
    double_squares = True
    copy: bool

    # -- what a scaler says of itself ----------------------------------------------
    @abstractmethod
    def _steps(self) -> Steps:
        """Return the steps of `transform`."""

    @abstractmethod
    def _steps_back(self) -> Steps:
        """Return the steps of `inverse_transform`."""

    # -- use -----------------------------------------------------------------------
    def takes_missing(self) -> bool:
        """Pass missing values through."""
        return True

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`, which are those of the input.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        return one_to_one(self, input_features)

    def _forward(self, X: Any, copy: bool | None = None) -> Matrix:
        """Check rows and follow the steps."""
        columns = getattr(X, "format", "") == "csc"
        rows = self._query(X, getattr(self, "n_features_in_", 1))
        copy = self.copy if copy is None else copy
        return follow(self._steps(), rows, columns=columns, copy=copy)

    def _backward(self, X: Any, copy: bool | None = None) -> Matrix:
        """Check rows, whose names need not be those of fit, and follow steps back."""
        columns = getattr(X, "format", "") == "csc"
        with names_checked():
            rows = self._query(X, getattr(self, "n_features_in_", 1))
        copy = self.copy if copy is None else copy
        return follow(self._steps_back(), rows, columns=columns, copy=copy)


def one_to_one(model: Any, input_features: Any = None) -> Vector:
    """Name the columns of a transformer that makes one of each."""
    return OneToOneFeatureMixin.get_feature_names_out(model, input_features)


def report_constant(report: Report, constant: Vector) -> None:
    """Name the columns that never vary."""
    still = np.flatnonzero(constant)
    if len(still):
        text = f"columns {still[:10].tolist()} do not vary: their scale is 1."
        report.warnings.append(f"{text} Drop them.")


def safe_scale(scale: Floats) -> Floats:
    """Return what to divide by: 1 where a scale is 0.

    >>> safe_scale(np.array([0.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    return np.where(scale == 0, scale.dtype.type(1), scale)


def follow(
    steps: Steps, X: Matrix, *, columns: bool = False, copy: bool = True
) -> Matrix:
    """Return what steps make of rows; sparse ones as CSC where they were `columns`.

    Without a `copy` they are made in the rows themselves.

    >>> X = np.array([[1.0, 2.0], [3.0, 6.0]])
    >>> follow([(np.subtract, np.array([1.0, 2.0])), (np.divide, 2.0)], X)
    array([[0., 0.],
           [1., 2.]])
    """
    if not sp.issparse(X):
        out = np.empty_like(X) if copy or not X.flags.writeable else X
        if steps:
            fill(steps, X, out)
        else:
            np.copyto(out, X)
        return out
    out = X.copy() if copy or not X.data.flags.writeable else X
    for step, value in steps:
        each = np.asarray(value, dtype=X.dtype)
        step(out.data, each[out.indices] if each.ndim else each, out=out.data)
    return out.tocsc() if columns else out


def fill(steps: Steps, X: Floats, out: Floats) -> None:
    """Follow the steps on rows or on columns, whichever lie side by side."""
    values = [(step, np.asarray(value, dtype=X.dtype)) for step, value in steps]
    if X.nbytes <= BLOCK:
        for step, value in values:
            X = step(X, value, out=out)
    elif X.flags.c_contiguous:
        fill_rows(values, X, out)
    else:
        fill_columns(values, X.T, out.T)


def fill_rows(values: Steps, X: Floats, out: Floats) -> None:
    """Follow the steps on blocks of rows, several of them as one long row."""
    n, d = X.shape
    beside = max(1, ROW // d)
    wide = [(step, np.tile(v, beside) if v.ndim else v) for step, v in values]
    even = n // beside * beside
    A, B = (Z[:even].reshape(-1, beside * d) for Z in (X, out))
    height = max(1, BLOCK // (X.itemsize * beside * d))

    def work(a: int) -> None:
        rows, place = A[a : a + height], B[a : a + height]
        for step, value in wide:
            rows = step(rows, value, out=place)

    side_by_side(work, range(0, len(A), height))
    if even < n:
        fill(values, X[even:], out[even:])


def fill_columns(values: Steps, X: Floats, out: Floats) -> None:
    """Follow the steps on blocks of columns, which are the rows of X here."""
    d, n = X.shape
    length = BLOCK // X.itemsize

    def work(item: int) -> None:
        j, a = item % d, item // d * length
        rows, place = X[j, a : a + length], out[j, a : a + length]
        for step, value in values:
            rows = step(rows, value[j] if value.ndim else value, out=place)

    side_by_side(work, range(d * -(-n // length)))
