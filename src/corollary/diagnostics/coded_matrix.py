"""Any table as numbers, without a look at the target.

Checks and reference models need numbers whatever the columns hold.  Each column gives

    numbers, booleans    themselves, NaN where missing
    dates                days
    texts, categories    codes 0, 1, ... in order of frequency, NaN where missing    (1)

`Coded.design()` turns these into columns for linear models: numbers as they are, and
for each of the most frequent categories an indicator.  Nothing is learned from y, so
the coding may be made once for all folds.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.table import Column, Table, table_of

__all__ = ["Coded", "coded_matrix"]

INDICATORS = 12  # categories of a column that get an indicator of their own
SPARSE_COLUMNS = 200  # of a sparse matrix that are looked at
ONE_DAY = np.timedelta64(1, "D")


@dataclass(frozen=True, eq=False)
class Coded:
    """A table as numbers (1).

    Attributes
    ----------
    Z : array of shape (n, d)
        The numbers, NaN where missing.
    names : tuple of str
        Of the columns.
    categorical : array of bool, (d,)
        Which columns hold codes.
    positions : array of int, (d,)
        Their places in the table.
    dated : array of bool, (d,)
        Which columns hold dates.
    """

    Z: Floats
    names: tuple[str, ...]
    categorical: Vector
    positions: Vector
    dated: Vector

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        n, d = self.Z.shape
        return n, d

    @cached_property
    def missing(self) -> Matrix:
        """Where values are missing, (n, d)."""
        return np.isnan(self.Z)

    def rows(self, rows: Any) -> Coded:
        """Return some of the rows."""
        return replace(self, Z=self.Z[rows])

    def without(self, columns: Any) -> Coded:
        """Return all but some columns."""
        keep = np.ones(self.Z.shape[1], dtype=bool)
        keep[list(columns)] = False
        names = tuple(name for name, kept in zip(self.names, keep, strict=True) if kept)
        return Coded(
            self.Z[:, keep],
            names,
            self.categorical[keep],
            self.positions[keep],
            self.dated[keep],
        )

    def design(self) -> Floats:
        """Return standardised columns for linear models, nothing missing."""
        parts = []
        for j, coded in enumerate(self.categorical):
            z = self.Z[:, j]
            if coded:
                top = min(INDICATORS, int(np.nanmax(z, initial=-1.0)) + 1)
                parts.append((z[:, None] == np.arange(top)).astype(np.float64))
                continue
            there = np.isfinite(z)
            middle = float(np.median(z[there])) if there.any() else 0.0
            parts.append(np.where(there, z, middle)[:, None])
            if not there.all():
                parts.append((~there)[:, None].astype(np.float64))
        if not parts:
            return np.empty((len(self.Z), 0))
        X = np.hstack(parts)
        spread = X.std(axis=0)
        live = spread > 1e-12 * np.maximum(1.0, np.abs(X).max(axis=0, initial=0.0))
        return (X[:, live] - X[:, live].mean(axis=0)) / spread[live]


def coded_matrix(who: object, X: Any) -> Coded:
    """Return a table of any kind as numbers.

    Parameters
    ----------
    who : object
        In whose name to refuse what is no table.
    X : array, data frame, pyarrow table, CSR matrix or Table

    Returns
    -------
    Coded

    Examples
    --------
    >>> coded = coded_matrix("example", [["Rome", 3], ["Oslo", None], ["Rome", 5]])
    >>> coded.Z.tolist()
    [[0.0, 3.0], [1.0, nan], [0.0, 5.0]]
    """
    if isinstance(X, Coded):
        return X
    table = table_of(who, X)
    d = table.shape[1]
    positions = np.arange(d)
    if table.sparse and d > SPARSE_COLUMNS:
        positions = widest(table.held)
        table = Table(table.held[:, positions])
    if table.is_block and table.held.dtype.kind in "fiub":
        held = table.held.toarray() if table.sparse else table.held
        Z = np.array(held, dtype=np.float64)
        categorical = dated = np.zeros(Z.shape[1], dtype=bool)
    else:
        found = [column_numbers(column) for column in table.columns]
        Z = np.column_stack([z for z, _ in found]) if found else np.empty((table.n, 0))
        categorical = np.array([coded for _, coded in found], dtype=bool)
        dated = np.array([column.kind == "date" for column in table.columns], bool)
    Z[~np.isfinite(Z)] = np.nan
    names = table.names or tuple(f"column {j}" for j in positions)
    return Coded(Z, tuple(names), categorical, positions, dated)


def widest(X: Any) -> Vector:
    """Return the columns of a sparse matrix that vary most."""
    squares = np.asarray(sp.csr_matrix.power(X, 2).mean(axis=0)).ravel()
    spread = squares - np.asarray(X.mean(axis=0)).ravel() ** 2
    return np.sort(np.argsort(-spread, kind="stable")[:SPARSE_COLUMNS])


def column_numbers(column: Column) -> tuple[Floats, bool]:
    """Return one column as numbers, and whether they are codes (1)."""
    if column.kind in ("number", "boolean"):
        return np.array(column.numbers(who="coded_matrix", name="")), False
    if column.kind == "date":
        values = column.array()
        days = (values - np.datetime64(0, "D")) / ONE_DAY
        return np.where(np.isnat(values), np.nan, days.astype(np.float64)), False
    absent = column.is_missing()
    if column.kind == "object":  # mixtures: by what they look like
        texts = np.array([str(value) for value in column.array()], dtype=object)
        column = Column(texts)
    codes = column.coded()[1]
    counts = np.bincount(codes)
    rank = np.empty(len(counts))
    rank[np.argsort(-counts, kind="stable")] = np.arange(len(counts))
    z = rank[codes]
    if absent.any():
        z[absent] = np.nan
    return z, True
