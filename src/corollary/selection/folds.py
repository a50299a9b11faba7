"""Which rows are trained on and which are held out, fold by fold.

k folds of nearly equal size part the rows.  Of a classifier every fold has its share of
each class, to within one row; rows of one group stay together.

    fold of the row at place i of an order of the rows = i mod k                 (1)

The order is by chance, and by class before that.  Any splitter of scikit-learn's, or
any pairs of rows, may take their place.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold

from corollary.core.arrays import Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import generator
from corollary.selection.validation_data import Given

__all__ = ["Split", "folds_of"]

Split = tuple[Vector, Vector]  # rows to train on, rows held out


def folds_of(
    who: str, splitter: Any, given: Given, *, repeats: int = 1, seed: int = 0
) -> tuple[Split, ...]:
    """Return pairs of rows, by a number of folds, a splitter or pairs that are given.

    Rows of weight 0 are in no fold.
    """
    if not whole(1).holds(repeats):
        must = "repeats must be a whole number >= 1"
        raise ParameterError(sentence(who, must, shown(repeats)))
    if whole().holds(splitter):
        pairs = k_folds(who, int(splitter), given, repeats, seed)
    elif repeats > 1:
        must = "repeats need a number of folds as splitter"
        remedy = "Use RepeatedKFold, or give pairs of rows."
        raise ParameterError(sentence(who, must, shown(splitter), remedy))
    elif hasattr(splitter, "split") and not isinstance(splitter, str):
        pairs = by_splitter(who, splitter, given)
    elif hasattr(splitter, "__iter__") and not isinstance(splitter, str):
        pairs = list(splitter)
    else:
        must = "splitter must be a number of folds, a splitter or pairs of rows"
        raise ParameterError(sentence(who, must, shown(splitter)))
    if not pairs:
        raise ParameterError(sentence(who, "splitter must make a split", "none"))
    return tuple(checked(who, pair, given) for pair in pairs)


def k_folds(
    who: str, k: int, given: Given, repeats: int, seed: int
) -> list[tuple[Any, Any]]:
    """Part the rows in k folds, some times over (1)."""
    there = np.arange(given.n) if given.w is None else np.flatnonzero(given.w > 0)
    units = len(there)
    if given.groups is not None:
        units = len(np.unique(given.groups[there]))
    if not 2 <= k <= units:
        kind = "rows" if given.groups is None else "groups"
        must = f"splitter must be 2 to {units} folds, the number of {kind}"
        raise ParameterError(sentence(who, must, f"{k}"))
    pairs: list[tuple[Any, Any]] = []
    for repeat in range(repeats):
        rng = generator(seed, 56, repeat)
        if given.groups is not None:
            state = int(rng.integers(2**31))
            groups = GroupKFold(k, shuffle=True, random_state=state)
            parts = [
                test for _, test in groups.split(there, groups=given.groups[there])
            ]
        else:
            kinds = np.zeros(units) if given.codes is None else given.codes[there]
            order = np.lexsort((rng.random(units), kinds))
            parts = [np.sort(order[j::k]) for j in range(k)]
        for test in parts:
            pairs.append((np.delete(there, test), there[test]))
    return pairs


def by_splitter(who: str, splitter: Any, given: Given) -> list[tuple[Any, Any]]:
    """Ask a splitter of scikit-learn's; say in one sentence where it refuses."""
    try:
        return list(splitter.split(given.X, given.y, given.groups))
    except ValueError as refusal:
        must = f"splitter {type(splitter).__name__} must suit the {given.n} rows"
        came = f"{refusal}".rstrip(".")
        raise ParameterError(sentence(who, must, came)) from None


def checked(who: str, pair: Any, given: Given) -> Split:
    """Return two sets of row numbers that do not overlap, none of them empty."""
    if not hasattr(pair, "__len__") or len(pair) != 2:
        must = "splitter must give pairs: rows to train on, rows held out"
        raise ParameterError(sentence(who, must, shown(pair)))
    train, test = (numbers_of(who, rows, given.n) for rows in pair)
    both = np.intersect1d(train, test)
    if len(both):
        must = "splitter must not train on rows that it holds out"
        raise ParameterError(sentence(who, must, f"{len(both)} rows in both"))
    if given.w is not None:
        train, test = train[given.w[train] > 0], test[given.w[test] > 0]
    if not len(train) or not len(test):
        must = "splitter must leave rows on both sides"
        raise ParameterError(sentence(who, must, f"{len(train)} and {len(test)}"))
    return train, test


def numbers_of(who: str, rows: Any, n: int) -> Vector:
    """Return numbers of rows; a mask becomes numbers."""
    found = np.asarray(rows)
    if found.dtype == bool and found.shape == (n,):
        return np.flatnonzero(found)
    if found.ndim != 1 or (len(found) and found.dtype.kind not in "iu"):
        must = "splitter must give numbers of rows"
        raise ParameterError(sentence(who, must, shown(rows)))
    if len(found) and (found.min() < 0 or found.max() >= n):
        must = f"splitter must give rows 0 to {n - 1}"
        raise ParameterError(sentence(who, must, f"{found.min()} to {found.max()}"))
    return found.astype(np.intp)
