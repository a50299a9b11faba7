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

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.rows import dense

__all__ = ["RankCodes", "categorical_columns", "rank_codes"]

MOST_CATEGORIES = 2**16  # a set of categories has a bit for each of them
WORD = 32


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
    X = np.ascontiguousarray(dense(X))
    n, d = X.shape
    words = category_words(learner, X, categorical)
    bins = np.full(d, n if max_bins is None else max_bins, np.int64)
    if categorical is not None:
        bins[categorical] = n
    codes = np.empty((d, n), np.uint32)
    low, high = np.empty((d, n)), np.empty((d, n))
    counts = np.empty(d, np.int64)
    loops.rank_codes(X, bins, codes, low, high, counts, get_config().threads)
    keep = np.arange(n) < counts[:, None]
    start = np.concatenate([[0], np.cumsum(counts)[:-1]])
    category = None if categorical is None else categorical.astype(np.uint8)
    low = low[keep]
    high = low if max_bins is None else high[keep]
    narrow = smallest_type(int(counts.max()))
    return RankCodes(
        codes.astype(narrow, copy=False),
        counts,
        start,
        low,
        high,
        category,
        words,
    )


def smallest_type(largest: int) -> Any:
    """Return the smallest unsigned type that holds a code."""
    if largest < 2**8:
        return np.uint8
    return np.uint16 if largest < 2**16 else np.uint32


def category_words(learner: Any, X: Floats, categorical: Any) -> int:
    """Return the words of a set of categories; refuse what is no category."""
    if categorical is None:
        return 0
    values = X[:, categorical]
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
