"""Polynomial features: every product of inputs up to a degree.

Also known as: polynomial basis expansion, monomials, interaction terms, feature
lifting.

The columns are the monomials of degree a to b,

    h(x) = prod_m x_{c_m},    c_1 <= c_2 <= ... <= c_k,    a <= k <= b           (1)

by rising degree, then in the order of the dictionary; with `interaction_only` the
inputs of a product differ, c_1 < c_2 < ...  There are

    sum_k C(d + k - 1, k),   or  sum_k C(d, k)  without repetition               (2)

Each is one product: a column of degree k is a column of degree k - 1, already there,
times an input.  The columns of degree k that begin with input c are input c times those
of degree k - 1 that begin with c or later, which lie side by side.  In a sparse row
only products of stored entries are not 0; their place follows from counting (2) of what
comes before them,

    place = sum_m M(d - c_{m-1}, k - m + 1) - M(d - c_m, k - m + 1),  c_0 = 0    (3)
    M(n, r) = C(n + r - 1, r)  (without repetition C(n, r), and c_{m-1} + 1 for c_{m-1})

The first column is x^0 = 1, not x^0 and x^0 again: the powers run x^j, not x^(j-1).

Notation: d = n_features_in_; c = the inputs of a product, powers_ counts them.
Course: S3-87. Reference: Hastie, Tibshirani, Friedman (2009), 5.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import Rule, boolean, one_of, whole
from corollary.core.report import Report
from corollary.core.roles import total_weight
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.preparation.expansion import Expansion, exact, publish_columns

__all__ = ["PolynomialFeatures"]

BLOCK = 2**18  # bytes of new columns that are made at a time


@dataclass(frozen=True)
class Counted(Statistics):
    """Weight of the rows: all that there is to learn."""

    n: float


def _pair(value: Any) -> bool:
    both = isinstance(value, tuple) and len(value) == 2
    return both and all(whole(0).holds(v) for v in value) and value[0] <= value[1]


class PolynomialFeatures(SummationLearner, Expansion):
    """Products of inputs up to a degree.

    Parameters
    ----------
    degree : int or pair of int, default=2
        Highest degree, or the lowest and the highest.
    interaction_only : bool, default=False
        Only products of different inputs, no powers.
    include_bias : bool, default=True
        Whether the column of ones, of degree 0, comes first.
    order : {'C', 'F'}, default='C'
        Layout of a dense result.

    Attributes
    ----------
    n_output_features_ : int
        Columns of the result.
    n_features_out_ : int
        The same.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import PolynomialFeatures
    >>> model = PolynomialFeatures(degree=2).fit([[2.0, 3.0]])
    >>> model.transform([[2.0, 3.0]]).tolist()
    [[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]]
    >>> model.get_feature_names_out(["a", "b"]).tolist()
    ['1', 'a', 'b', 'a^2', 'a b', 'b^2']
    """

    takes_sparse = True
    any_width = True
    rules: ClassVar = {
        "degree": whole(0) | Rule("a pair of them, the lower first", _pair),
        "interaction_only": boolean,
        "include_bias": boolean,
        "order": one_of("C", "F"),
    }

    def __init__(
        self,
        degree: Any = 2,
        *,
        interaction_only: bool = False,
        include_bias: bool = True,
        order: str = "C",
    ) -> None:
        self.degree = degree
        self.interaction_only = interaction_only
        self.include_bias = include_bias
        self.order = order

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> int:
        """Count the columns (2)."""
        d = data.source.n_features
        p = self._columns_of(d)
        if not p and not self._degrees()[1]:
            must = "degree must be above 0 where include_bias=False"
            came = f"degree={self.degree}: no column left"
            raise ParameterError(sentence(self, must, came, "Use include_bias=True."))
        if p > np.iinfo(np.int64).max:
            must = "the number of columns must be below 2^63"
            came = f"degree={self.degree} of {d} inputs"
            raise ParameterError(sentence(self, must, came, "Lower the degree."))
        return p

    def statistics(self, chunk: Chunk, state: int) -> Counted:
        """Count the rows."""
        return Counted(total_weight(chunk.w, chunk.n))

    def update(self, s: Counted, state: int) -> int:
        """Learn nothing more."""
        return state

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        publish_columns(self, fitted)

    def account(self, state: int, report: Report) -> None:
        """Report that nothing is approximated."""
        exact(report)
        if not state:
            report.warnings.append("no product has this degree: no column is left.")

    def _learn(self, state: int) -> None:
        self.n_output_features_ = state

    def _columns(self) -> int:
        return self._columns_of(self.n_features_in_)

    def _columns_of(self, d: int) -> int:
        """Return how many columns d inputs give, or a number above all that can be."""
        (low, high), bias = self._degrees(), int(self.include_bias)
        if min(d, high) > 64:  # some of them are more than 2^63 alone
            return 2**64
        if self.interaction_only:
            return bias + sum(comb(d, k) for k in range(low, min(d, high) + 1))
        return bias + max(0, comb(d + high, d) - comb(d + low - 1, d))

    def _check_learned(self) -> None:
        p = self._columns()
        if self.n_output_features_ != p or p >= 2**63:
            must = f"n_output_features_ must be {p} and below 2^63"
            raise ParameterError(sentence(self, must, f"{self.n_output_features_}"))

    def _degrees(self) -> tuple[int, int]:
        """Return the lowest degree above 0 and the highest."""
        low, high = self.degree if isinstance(self.degree, tuple) else (0, self.degree)
        return max(1, int(low)), int(high)

    def _sizes(self, d: int) -> list[int]:
        """Return how many columns of degree 1, 2, ... there are (2)."""
        high = self._degrees()[1]
        if self.interaction_only:
            return [comb(d, k) for k in range(1, high + 1)]
        return [comb(d + k - 1, k) for k in range(1, high + 1)]

    # -- use -----------------------------------------------------------------------
    @property
    def powers_(self) -> Vector:
        """Power of each input in each column, (p, d)."""
        d = self.n_features_in_
        rows = [np.bincount(c, minlength=d) for c in self._products()]
        return np.array(rows, dtype=np.int64).reshape(len(rows), d)

    def _products(self) -> list[tuple[int, ...]]:
        """List the inputs of every column, in order (1)."""
        low, high = self._degrees()
        kind = combinations if self.interaction_only else combinations_with_replacement
        inputs = range(self.n_features_in_)
        constant: list[tuple[int, ...]] = [()] if self.include_bias else []
        return constant + [c for k in range(low, high + 1) for c in kind(inputs, k)]

    def _names(self, inputs: list[str]) -> list[str]:
        shown = []
        for product in self._products():
            powers = {c: product.count(c) for c in product}
            parts = [inputs[c] + (f"^{m}" if m > 1 else "") for c, m in powers.items()]
            shown.append(" ".join(parts) or "1")
        return shown

    def _expand(self, X: Any) -> Matrix:
        if sp.issparse(X):
            return self._sparse(X)
        n, d = X.shape
        sizes = self._sizes(d)
        (low, high), bias = self._degrees(), int(self.include_bias)
        skipped = sum(sizes[: low - 1])
        layout: Any = self.order
        out = np.empty((n, self.n_output_features_), dtype=X.dtype, order=layout)
        if bias:
            out[:, 0] = 1
        rows = max(16, BLOCK // (X.dtype.itemsize * max(1, sum(sizes))))
        direct = not skipped and self.order == "C"
        for a in range(0, n, rows):
            block = X[a : a + rows]
            if direct:
                monomials(block, out[a : a + rows, bias:], high, self.interaction_only)
                continue
            made = np.empty((len(block), sum(sizes)), dtype=X.dtype)
            monomials(block, made, high, self.interaction_only)
            out[a : a + rows, bias:] = made[:, skipped:]
        return out

    def _sparse(self, X: Any) -> Any:
        n, d = X.shape
        low, high = self._degrees()
        sizes, bias = self._sizes(d), int(self.include_bias)
        first = np.cumsum([bias, *sizes[low - 1 :]], dtype=np.int64)
        everything = np.arange(n)
        parts = [(everything, np.zeros(n, np.int64), np.ones(n, X.dtype))] * bias
        terms = Terms.of(X)
        for k in range(1, high + 1):
            if k > 1:
                terms = terms.times(X, strict=self.interaction_only)
            if k >= low:
                column = first[k - low] + terms.places(d, self.interaction_only)
                parts.append((terms.row, column, terms.value))
        shape = (n, self.n_output_features_)
        if not parts:
            return sp.csr_array(shape, dtype=X.dtype)
        row, column, value = (np.concatenate(part) for part in zip(*parts, strict=True))
        small = max(len(value), *shape) <= np.iinfo(np.int32).max
        index = np.int32 if small else np.int64
        places = (row.astype(index), column.astype(index))
        return sp.csr_array(sp.coo_array((value, places), shape=shape))


def monomials(X: Floats, out: Floats, degrees: int, strict: bool) -> None:
    """Fill out with the products of degree 1, 2, ...: each an input times a column."""
    if not degrees:
        return
    d = X.shape[1]
    out[:, :d] = X
    begins, end, at = list(range(d)), d, d  # columns that begin with input c begin here
    for _ in range(degrees - 1):
        starts = []
        for c in range(d):
            a = (begins[c + 1] if c + 1 < d else end) if strict else begins[c]
            starts.append(at)
            np.multiply(X[:, c, None], out[:, a:end], out=out[:, at : at + end - a])
            at += end - a
        begins, end = starts, at


@dataclass(frozen=True)
class Terms:
    """Products of k stored entries of a CSR matrix."""

    row: Vector  # (t,)
    at: Vector  # (t,) place among the stored entries of the last factor
    columns: Vector  # (t, k)
    value: Floats  # (t,)

    @classmethod
    def of(cls, X: Any) -> Terms:
        """Take the entries themselves."""
        row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        columns = X.indices.astype(np.int64)[:, None]
        return cls(row, np.arange(X.nnz), columns, X.data)

    def times(self, X: Any, *, strict: bool) -> Terms:
        """Multiply each by every entry of its row from its last factor on."""
        ends = X.indptr.astype(np.int64)[self.row + 1]
        children = ends - self.at - int(strict)
        parent = np.repeat(np.arange(len(self.row)), children)
        before = np.cumsum(children) - children
        at = np.arange(len(parent)) - before[parent] + self.at[parent] + int(strict)
        last = X.indices.astype(np.int64)[at][:, None]
        return Terms(
            self.row[parent],
            at,
            np.hstack([self.columns[parent], last]),
            self.value[parent] * X.data[at],
        )

    def places(self, d: int, strict: bool) -> Vector:
        """Count the products of this degree that come before (3)."""
        k = self.columns.shape[1]
        place = np.zeros(len(self.row), dtype=np.int64)
        before = np.zeros(len(self.row), dtype=np.int64)
        for m in range(k):
            c = self.columns[:, m]
            place += choose(d - before, k - m, strict) - choose(d - c, k - m, strict)
            before = c + int(strict)
        return place


def choose(n: Vector, r: int, strict: bool) -> Vector:
    """Count the ways to take r of n things, with repetition unless `strict`.

    Each product is divided before it is taken, so that none is above the count itself.
    """
    out = np.ones_like(n)
    for i in range(r):
        shared = np.gcd(out, i + 1)
        out = out // shared * ((n - i if strict else n + i) // ((i + 1) // shared))
    return out
