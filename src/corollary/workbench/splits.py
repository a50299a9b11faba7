"""A locked test set, and folds of what is left: nothing leaks from one to the other.

    stratified   each class has the same share on both sides          classification
    random       rows at random                                       regression
    group        all rows of a group, such as a patient, on one side
    time         the latest rows are the test; folds are blocks of time

Cross-validation serves 8 folds, 5 where a table is tiny: every training row is answered
once by a model that has not seen it.

Course: S3-98, S4-57. Reference: Hastie, Tibshirani, Friedman (2009), 7.10.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.model_selection import GroupKFold, KFold

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import generator

__all__ = ["Split", "lock_test", "make_folds"]

WHO = "workbench"
FOLDS, FEW_FOLDS, TINY = 8, 5, 400
LEAST_ROWS = 20
MOST_TEST = 50_000  # rows that a test set needs at most


@dataclass(frozen=True)
class Split:
    """Rows that are locked away, rows to learn from, and how they were told apart.

    Attributes
    ----------
    kind : {'stratified', 'random', 'group', 'time'}
    column : str or None
        The column that groups or orders the rows.
    train, test : arrays of int
        Row numbers.
    why : str
    """

    kind: str
    column: str | None
    train: Vector
    test: Vector
    why: str


def lock_test(
    y: Vector,
    *,
    task: str,
    share: float,
    seed: int,
    group: Vector | None = None,
    time: Vector | None = None,
    column: str | None = None,
) -> Split:
    """Choose the rows of the test set.

    Parameters
    ----------
    y : array of shape (n,)
        Codes of classes, or targets.
    task : {'classification', 'regression'}
    share : float in [0, 1)
        Share of the rows that are locked away.
    seed : int
    group, time : arrays of shape (n,), optional
        Codes of groups, or times.  At most one of them.
    column : str, optional
        Where these come from.
    """
    n = len(y)
    if n < LEAST_ROWS:
        must = f"a table must have at least {LEAST_ROWS} rows with a target"
        raise DataError(sentence(WHO, must, f"{n}", "Collect more rows."))
    wanted = min(round(share * n), MOST_TEST)
    rows = np.arange(n)
    if not wanted:
        kind = "group" if group is not None else "time" if time is not None else None
        kind = kind or ("stratified" if task == "classification" else "random")
        return Split(kind, column, rows, rows[:0], "No rows were locked away.")
    if time is not None:
        return by_time(time, wanted, column)
    rng = generator(seed, 1)
    if group is not None:
        return by_group(group, wanted, column, rng)
    if task == "classification":
        test = stratified(y, wanted, rng)
        why = "Each class has the same share among the locked rows."
        kind = "stratified"
    else:
        test = np.sort(rng.permutation(n)[:wanted])
        kind, why = "random", "Rows were locked away at random."
    return Split(kind, None, np.setdiff1d(rows, test), test, why)


def by_time(time: Vector, wanted: int, column: str | None) -> Split:
    """Lock the latest rows; rows of one moment stay together."""
    order = np.argsort(time, kind="stable")
    first = time[order[-wanted]]
    test = np.flatnonzero(time >= first)
    train = np.flatnonzero(~(time >= first))
    if len(train) < len(time) // 2:
        must = f"{column!r} must tell early rows from late ones"
        raise DataError(sentence(WHO, must, "half of the rows share its last value"))
    why = f"The latest rows by {column!r} are locked away: the model must foresee."
    return Split("time", column, train, test, why)


def by_group(group: Vector, wanted: int, column: str | None, rng: Any) -> Split:
    """Lock whole groups."""
    names, codes = np.unique(group, return_inverse=True)
    if len(names) < 3:
        must = f"{column!r} must name at least 3 groups of rows"
        raise DataError(sentence(WHO, must, f"{len(names)}"))
    sizes = np.bincount(codes)
    order = rng.permutation(len(names))
    reached = np.cumsum(sizes[order])
    many = max(1, int(np.searchsorted(reached, wanted)) + 1)
    locked = np.zeros(len(names), dtype=bool)
    locked[order[: min(many, len(names) - 2)]] = True
    test = np.flatnonzero(locked[codes])
    train = np.flatnonzero(~locked[codes])
    why = f"All rows of one {column!r} are on one side: the model must meet new ones."
    return Split("group", column, train, test, why)


def stratified(y: Vector, wanted: int, rng: Any) -> Vector:
    """Draw the same share of each class; a class keeps at least one training row."""
    share = wanted / len(y)
    drawn = []
    for code in np.unique(y):
        members = np.flatnonzero(y == code)
        take = min(int(share * len(members) + rng.random()), len(members) - 1)
        drawn.append(rng.permutation(members)[:take])
    return np.sort(np.concatenate(drawn))


def make_folds(
    y: Vector,
    *,
    task: str,
    kind: str,
    seed: int,
    structure: Vector | None = None,
    folds: int | None = None,
) -> list[tuple[Vector, Vector]]:
    """Return pairs of training and validation rows that answer every row once.

    Parameters
    ----------
    y : array of shape (n,)
        Codes of classes, or targets, of the training rows.
    task : {'classification', 'regression'}
    kind : {'stratified', 'random', 'group', 'time'}
        As the test set was locked.
    seed : int
    structure : array of shape (n,), optional
        Groups or times of the training rows.
    folds : int, optional
        8 by default, 5 where there are fewer than 400 rows.
    """
    n = len(y)
    count = folds or (FEW_FOLDS if n < TINY else FOLDS)
    count = max(2, min(count, n // 2))
    if kind == "time" and structure is not None:
        blocks = np.array_split(np.argsort(structure, kind="stable"), count)
        return [(np.setdiff1d(np.arange(n), rows), np.sort(rows)) for rows in blocks]
    state = int(generator(seed, 2).integers(2**31))
    if kind == "group" and structure is not None:
        many = min(count, len(np.unique(structure)))
        splitter: Any = GroupKFold(many, shuffle=True, random_state=state)
        return list(splitter.split(y, y, structure))
    if task == "classification":
        return stratified_folds(y, count, seed)
    return list(KFold(count, shuffle=True, random_state=state).split(y))


def stratified_folds(y: Vector, count: int, seed: int) -> list[tuple[Vector, Vector]]:
    """Deal the rows of each class to the folds in turn; rare classes go round too."""
    rng = generator(seed, 3)
    place = np.empty(len(y), dtype=np.intp)
    dealt = 0
    for code in np.unique(y):
        members = rng.permutation(np.flatnonzero(y == code))
        place[members] = (dealt + np.arange(len(members))) % count
        dealt += len(members)
    rows = np.arange(len(y))
    return [(rows[place != f], rows[place == f]) for f in range(count)]
