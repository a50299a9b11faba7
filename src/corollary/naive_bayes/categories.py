"""Tables of categories by class: counts that grow as new categories come.

Also known as: contingency tables by class, conditional probability tables.

Feature j takes the categories 0, 1, ..., J_j - 1.  With N_cjv the weight of the rows of
class c whose feature j is v,

    P(x_j = v | c) = (N_cjv + alpha) / (n_c + J_j alpha)                         (1)

All features stand side by side in one row of length J_1 + ... + J_d: a row of
categories is then a list of d columns that hold a 1, and (1) is a count like any other.

A category that training did not have is as probable as one that the class never had:

    P(unseen | c) = alpha / (n_c + J_j alpha)                                    (2)

Notation: J (d,) = n_categories_; N (k, sum J).
Course: S0-5, S3-28. Reference: Mitchell (1997), ch. 6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.engine import Chunk, Statistics
from corollary.naive_bayes.discrete import log_shares
from corollary.naive_bayes.naive_bayes import Joint

__all__ = [
    "CategoryCounts",
    "as_codes",
    "category_scores",
    "count_categories",
    "least_categories",
    "log_tables",
    "split",
]

MOST = 2**24  # categories of a feature; float32 holds no larger number exactly


@stored
@dataclass(frozen=True)
class CategoryCounts(Statistics):
    """Weight of each class, and of each category of each feature in it."""

    n: Floats  # (k,)
    N: Floats  # (k, sum J)
    J: Vector  # (d,)
    cut: int = 0  # entries that were no whole numbers

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        J, cut = np.maximum(self.J, other.J), self.cut + other.cut
        N = self.widened(J) + other.widened(J)
        return CategoryCounts(self.n + other.n, N, J, cut)

    def scaled(self, factor: float) -> CategoryCounts:
        """Count the same rows `factor` times."""
        return CategoryCounts(self.n * factor, self.N * factor, self.J, self.cut)

    def widened(self, J: Vector) -> Floats:
        """Make room for J categories."""
        if (self.J == J).all():
            return self.N
        place = np.arange(self.N.shape[1]) + np.repeat(
            starts(J) - starts(self.J), self.J
        )
        N = np.zeros((len(self.n), int(J.sum())))
        N[:, place] = self.N
        return N


def starts(J: Vector) -> Vector:
    """Return where each feature's columns begin.

    >>> starts(np.array([2, 3, 2])).tolist()
    [0, 2, 5]
    """
    return np.cumsum(J) - J


def split(table: Floats, J: Vector) -> list[Floats]:
    """Cut a table (k, sum J) into one for each feature."""
    return np.split(table, starts(J)[1:], axis=1) if len(J) else []


def least_categories(who: object, given: Any, d: int) -> Vector:
    """Return the least number of categories of each feature; 1 where none is given."""
    if given is None:
        return np.ones(d, dtype=np.int64)
    least = np.asarray(given)
    if least.dtype.kind not in "iu" or (least < 1).any():
        must = "min_categories must hold whole numbers >= 1"
        raise ParameterError(sentence(who, must, repr(given)[:60]))
    if least.ndim and least.shape != (d,):
        must = f"min_categories must be one number or one for each of the {d} features"
        raise ParameterError(sentence(who, must, f"shape {least.shape}"))
    return np.broadcast_to(least, (d,)).astype(np.int64)


class Codes(NamedTuple):
    """Categories as whole numbers."""

    codes: Vector  # (n, m) int32
    cut: int  # how many were no whole numbers, and lost their fraction


def as_codes(
    who: object, X: Floats, columns: Vector, first_row: int = 0, *, strict: bool = True
) -> Codes:
    """Return categories as int32; refuse what is not in [0, 2^24).

    `strict` refuses fractions too; otherwise they are cut off and counted.
    """
    part = X if len(columns) == X.shape[1] else X[:, columns]
    if not part.size:
        return Codes(np.zeros(part.shape, dtype=np.int32), 0)
    if part.min() >= 0 and part.max() < MOST:
        codes = part.astype(np.int32, order="C")
        cut = int(np.count_nonzero(codes != part))
        if not (cut and strict):
            return Codes(codes, cut)
    wrong = (part < 0) | (part >= MOST) | (strict & (part != np.floor(part)))
    row, column = np.argwhere(wrong)[0]
    value = part[row, column]
    must = f"categories must be whole numbers in [0, {MOST})"
    came = "Negative values in data, " if value < 0 else ""
    where = f"{came}{value:g} in row {first_row + row}, column {columns[column]}"
    raise DataError(sentence(who, must, where, "Encode them with OrdinalEncoder."))


def count_categories(
    coded: Codes, chunk: Chunk, k: int, least: Vector
) -> CategoryCounts:
    """Count the categories of each class in a chunk."""
    codes = coded.codes
    J = np.maximum(codes.max(axis=0, initial=-1).astype(np.int64) + 1, least)
    n, N = np.zeros(k), np.zeros((k, columns_in_all(J)))
    loops.code_counts(codes + starts(J).astype(np.int32), chunk.y, chunk.w, n, N)
    return CategoryCounts(n, N, J, coded.cut)


def columns_in_all(J: Vector) -> int:
    """Return the columns of all categories; refuse more than int32 can count."""
    total = int((J + 1).sum())
    if total >= 2**31:
        must = "the features must have fewer than 2^31 categories in all"
        came = f"{total} in {len(J)} features"
        remedy = "Encode the categories as 0, 1, 2, ... without gaps."
        raise DataError(sentence("categories", must, came, remedy))
    return int(J.sum())


def log_tables(s: CategoryCounts, alpha: float) -> Floats:
    """Return the logarithms of (1), (k, sum J)."""
    values = np.repeat(s.J, s.J)
    total = s.n[:, None] + alpha * values
    L = log_shares(s.N + alpha, total, 1)
    return np.where(total <= 0, -np.log(values), L)


def category_scores(
    codes: Vector, tables: list[Floats], n: Floats, alpha: float, constant: Floats
) -> Joint:
    """Add up the logarithms of (1), or (2), over the features."""
    J = np.array([table.shape[1] for table in tables], dtype=np.int64)
    columns_in_all(J)
    total = np.maximum(n[:, None] + alpha * J, 1e-300)  # (k, d)
    with np.errstate(divide="ignore"):
        unseen = np.log(alpha) - np.log(total)  # (2)
    both = (np.column_stack(pair) for pair in zip(tables, unseen.T, strict=True))
    L = np.hstack([*both]).T  # (sum (J + 1), k)
    place = np.minimum(codes, J.astype(np.int32)) + starts(J + 1).astype(np.int32)
    zero = np.isneginf(L)
    if not zero.any():
        return Joint(code_scores(place, L, constant))
    rest = np.repeat(-np.log(total).T, J + 1, axis=0)
    finite = code_scores(place, np.where(zero, rest, L), constant)
    return Joint(finite, code_scores(place, zero.astype(float), np.zeros(L.shape[1])))


def code_scores(codes: Vector, W: Vector, constant: Vector) -> Floats:
    """Add up the rows of W that each row of codes names, and a constant."""
    out = np.empty((len(codes), W.shape[1]))
    W = np.ascontiguousarray(W, dtype=np.float64)
    constant = np.ascontiguousarray(np.broadcast_to(constant, W.shape[1:]))
    loops.code_scores(codes, W, constant, out, get_config().threads)
    return out
