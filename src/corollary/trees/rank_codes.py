"""Rank codes: each column's distinct values as 0, 1, 2, ..., for growers of trees.

Also known as: presorting, dense ranks, feature binning, quantisation.

A tree asks of a feature only whether x <= t, so the order of its values is all that
matters.  With the distinct values v_0 < v_1 < ... of a column,

    code(x) = k  where  x = v_k                                                      (1)

and x <= t is code(x) <= k for the largest v_k <= t.  Sorting happens once for all nodes
and all trees.  With at most `max_bins` codes, values that follow each other share one,
each with about as many rows: splits inside a bin are given up for speed.

Missing values, NaN, have the code after the last.  Categories are whole numbers >= 0
and are never put together.

Notation: X (n, d); codes (d, n); v = low and high, which differ in a bin alone.
Course: S2-46. References: Mehta, Agrawal and Rissanen (1996); Chen and Guestrin (2016).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.rows import dense

__all__ = ["RankCodes", "categorical_columns", "rank_codes"]

MOST_CATEGORIES = 2**16  # a set of categories has a bit for each of them
WORD = 32
BLOCK = 2**23  # entries of the columns that are coded together, at most
CACHED = 2**15  # entries that stay in the cache
SHARE = 4  # columns of a thread, where that is more


@dataclass(frozen=True)
class RankCodes:
    """The columns of X as codes (1)."""

    codes: Vector  # (d, n) uint8, uint16 or uint32
    counts: Vector  # (d,) codes of a column, without that of NaN
    start: Vector  # (d,) where a column's values begin in low and high
    low: Vector  # least value of each code
    high: Vector  # largest value of each code
    category: Vector | None  # (d,) uint8, which columns hold categories
    words: int  # of 32 categories each

    @property
    def n(self) -> int:
        """Number of rows."""
        return int(self.codes.shape[1])


def rank_codes(
    learner: Any, X: Matrix, max_bins: int | None = None, categorical: Any = None
) -> RankCodes:
    """Code the columns of X (1).

    Parameters
    ----------
    learner : estimator
        In whose name categories are refused.
    X : array (n, d) or CSR matrix
    max_bins : int, optional
        Codes of a column at most; None = all distinct values.
    categorical : array of bool (d,), optional
        Which columns hold categories.
    """
    n, d = X.shape
    words = 0 if categorical is None else category_words(learner, X, categorical)
    several = SHARE * get_config().threads * n
    step = max(1, min(BLOCK, max(CACHED, several)) // max(1, n))
    X = X.tocsc() if sp.issparse(X) and step < d else X
    parts = []
    for begin in range(0, d, step):
        chosen = slice(begin, begin + step)
        bins = np.full(min(step, d - begin), n if max_bins is None else max_bins)
        if categorical is not None:
            bins[categorical[chosen]] = n
        block = np.ascontiguousarray(dense(X if step >= d else X[:, chosen]))
        parts.append(coded_block(block, bins.astype(np.int64)))
    codes, counts, low, high = joined(parts)
    start = np.concatenate([[0], np.cumsum(counts)[:-1]])
    category = None if categorical is None else categorical.astype(np.uint8)
    return RankCodes(codes, counts, start, low, high, category, words)


def coded_block(X: Floats, bins: Vector) -> tuple[Vector, ...]:
    """Return codes, counts, and least and largest values of some columns."""
    n, d = X.shape
    codes, counts = np.empty((d, n), np.uint32), np.empty(d, np.int64)
    every = bool((bins >= n).all())  # whether each code is one value, low and high
    low = np.empty((d, n))
    high = low if every else np.empty((d, n))
    loops.rank_codes(X, bins, codes, low, high, counts, get_config().threads)
    codes = codes.astype(smallest_type(int(counts.max())), copy=False)
    values = used(low, counts)
    return codes, counts, values, values if every else used(high, counts)


def used(values: Floats, counts: Vector) -> Floats:
    """Return the first values of each column, as many as it has codes, in one row."""
    return np.concatenate([v[:k] for v, k in zip(values, counts.tolist(), strict=True)])


def joined(parts: list[tuple[Vector, ...]]) -> tuple[Vector, ...]:
    """Return the codes of all columns, given those of blocks of them."""
    if len(parts) == 1:
        return parts[0]
    codes, counts, low, high = (list(column) for column in zip(*parts, strict=True))
    same = all(a is b for a, b in zip(low, high, strict=True))
    values = np.concatenate(low)
    return (
        np.concatenate(codes),  # of the widest type
        np.concatenate(counts),
        values,
        values if same else np.concatenate(high),
    )


def smallest_type(largest: int) -> Any:
    """Return the smallest unsigned type that holds a code."""
    if largest < 2**8:
        return np.uint8
    return np.uint16 if largest < 2**16 else np.uint32


def category_words(learner: Any, X: Matrix, categorical: Vector) -> int:
    """Return the words of a set of categories; refuse what is no category."""
    values = dense(X[:, np.flatnonzero(categorical)])
    known = values[~np.isnan(values)]
    if known.size and ((known < 0) | (known != np.floor(known))).any():
        must = "categories must be whole numbers >= 0"
        bad = known[(known < 0) | (known != np.floor(known))][0]
        remedy = "Encode them by an OrdinalEncoder first."
        raise DataError(sentence(learner, must, f"{bad:g}", remedy))
    largest = int(known.max(initial=0))
    if largest >= MOST_CATEGORIES:
        must = f"categories must be below {MOST_CATEGORIES}"
        remedy = "Encode them by an OrdinalEncoder first."
        raise DataError(sentence(learner, must, f"{largest}", remedy))
    return largest // WORD + 1


def categorical_columns(learner: Any, d: int) -> Vector | None:
    """Return which of d columns hold categories, as `categorical_features` says.

    It is None, a mask, positions, or the names of columns.
    """
    asked = learner.categorical_features
    if asked is None:
        return None
    given = np.asarray(asked)
    mask = np.zeros(d, bool)
    must = f"categorical_features must name columns among {d}"
    if given.dtype == bool:
        if given.shape != (d,):
            raise ParameterError(sentence(learner, must, f"a mask of {given.shape}"))
        mask[:] = given
    elif given.dtype.kind in "iu":
        if given.size and (given.min() < 0 or given.max() >= d):
            raise ParameterError(sentence(learner, must, shown(asked)))
        mask[given] = True
    elif given.size:
        names = list(getattr(learner, "feature_names_in_", ()))
        if given.dtype.kind not in "UO" or any(name not in names for name in given):
            raise ParameterError(sentence(learner, must, shown(asked)))
        mask[[names.index(name) for name in given]] = True
    return mask if mask.any() else None
