"""Shape functions: an additive model as tables over the bins of its features.

Also known as: generalised additive model with interactions, GA2M, lookup tables.

    f_k(x) = b_k + sum_j s_jk(x_j) + sum_(i,j) s_ijk(x_i, x_j)                       (1)

Each table has a score for every bin and one for missing values, and a mean of 0 over
the training rows: b carries the mean.  The importance of a term is its mean |score|
over those rows, summed over the outputs.

Notation: b = intercept; s = tables; K outputs, k one of them.
References: Hastie and Tibshirani (1990); Lou, Caruana, Gehrke and Hooker (2013).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.records import stored
from corollary.trees.bins import Bins

__all__ = ["ShapeFunctions", "grid_codes"]

BLOCK = 2**16  # rows whose codes are looked up at once


@stored
@dataclass(frozen=True)
class ShapeFunctions:
    """A model of the form (1)."""

    bins: Bins
    intercept: Floats  # (K,)
    terms: Vector  # (m, 2) int32: features of a term; -1 = a feature alone
    starts: Vector  # (m + 1,) int64: first row of each term's table
    table: Floats  # (rows, K); a pair's row is code_i * (bins_j + 1) + code_j
    importances: Floats  # (m,)

    def __post_init__(self) -> None:
        if not self._sound():
            must = "tables must have a row for every bin of their features"
            raise DataError(sentence("ShapeFunctions", must, "others"))

    def _sound(self) -> bool:
        """Tell whether every code of every term finds its row."""
        d, m, terms = len(self.bins.counts), len(self.terms), self.terms
        good = terms.dtype == np.int32 and terms.ndim == 2 and terms.shape[1] == 2
        good = good and self.starts.dtype == np.int64 and self.starts.shape == (m + 1,)
        good = good and self.table.dtype == np.float64 and self.table.ndim == 2
        good = good and self.intercept.shape == self.table.shape[1:]
        good = good and self.importances.shape == (m,)
        if not good or (m and (terms.min() < -1 or terms.max() >= d)):
            return False
        if m and terms[:, 0].min() < 0:
            return False
        sizes = self.bins.counts.astype(np.int64) + 1
        rows = sizes[terms[:, 0]] * np.where(terms[:, 1] < 0, 1, sizes[terms[:, 1]])
        return bool((self.starts == np.append(0, np.cumsum(rows))).all()) and len(
            self.table
        ) == int(self.starts[-1])

    @classmethod
    def of(
        cls,
        bins: Bins,
        base: Floats,
        terms: list[tuple[int, ...]],
        tables: list[Floats],
        columns: Vector,
        w: Floats | None,
    ) -> ShapeFunctions:
        """Centre tables over the rows with these codes (d, n): the base takes means."""
        intercept = np.array(base, np.float64)
        importances = np.zeros(len(terms))
        centred = []
        for m, (term, table) in enumerate(zip(terms, tables, strict=True)):
            rows = np.bincount(places(bins, term, columns), w, minlength=len(table))
            share = rows / rows.sum()
            mean = share @ table
            intercept += mean
            centred.append(table - mean)
            importances[m] = (share @ np.abs(centred[-1])).sum()
        padded = np.array([(*term, -1)[:2] for term in terms], np.int32)
        starts = np.cumsum([0, *map(len, tables)]).astype(np.int64)
        return cls(
            bins,
            intercept,
            padded.reshape(-1, 2),
            starts,
            np.concatenate([*centred, np.zeros((0, len(intercept)))]),
            importances,
        )

    def features(self, m: int) -> tuple[int, ...]:
        """Return the features of a term, one or two."""
        return tuple(f for f in self.terms[m].tolist() if f >= 0)

    def shape(self, m: int) -> Floats:
        """Return the table of a term, (bins, K) or (bins_i, bins_j, K)."""
        sizes = self.bins.counts[list(self.features(m))] + 1
        rows = self.table[self.starts[m] : self.starts[m + 1]]
        return rows.reshape(*sizes, -1)

    def scores(self, X: Floats) -> Floats:
        """Return (1) of rows of numbers, (n, K)."""
        out = np.empty((len(X), len(self.intercept)))
        for begin in range(0, len(X), BLOCK):
            codes = self.bins.codes(X[begin : begin + BLOCK], get_config().threads)
            out[begin : begin + BLOCK] = self.coded_scores(codes)
        return out

    def coded_scores(self, codes: Vector) -> Floats:
        """Return (1) of coded rows (d, n), (n, K)."""
        f = np.tile(self.intercept, (codes.shape[1], 1))
        for m in range(len(self.terms)):
            at = places(self.bins, self.features(m), codes)
            f += self.table[self.starts[m] : self.starts[m + 1]].take(at, axis=0)
        return f

    def contributions(self, X: Floats) -> Floats:
        """Return what each term adds to each row, (n, m, K)."""
        codes = self.bins.codes(X)
        found = np.empty((len(X), len(self.terms), len(self.intercept)))
        for m in range(len(self.terms)):
            at = places(self.bins, self.features(m), codes)
            found[:, m] = self.table[self.starts[m] + at]
        return found


def places(bins: Bins, term: tuple[int, ...], codes: Vector) -> Any:
    """Return the row of a term's table for each coded row, (n,)."""
    at = codes[term[0]].astype(np.int64)
    for f in term[1:]:
        at = at * (int(bins.counts[f]) + 1) + codes[f]
    return at


def grid_codes(bins: Bins, term: tuple[int, ...]) -> Vector:
    """Return the codes of the rows of a term's table, (features of the term, rows)."""
    sizes = [int(bins.counts[f]) + 1 for f in term]
    return np.indices(sizes).reshape(len(term), -1).astype(np.uint8)
