"""Hold-out: rows to train on, rows to choose by, and rows that stay locked.

Also known as: test-set method, train-validation-test split, three-way split, simple
cross-validation.

    train        what models are fitted to
    validation   what the best of them is chosen by: its own loss there is too small
    test         locked; says once, at the end, what error to expect             (1)

It costs one fit.  It wastes the rows held out, and few of them make an estimate that
is lucky or unlucky: with 0/1 losses the standard error is at most 1/(2 sqrt(n_test)).
Usual shares are 70/30, or 60/20/20.

Which rows are held out must be like what the model will meet:

    random       rows that come independently
    stratified   the same, with classes in proportion to within one row
    group        new patients, shops, days: no group on both sides
    time         the future: the latest rows are held out                        (2)

Course: S3-98, S4-56, S4-57, S1-42. Reference: Hastie, Tibshirani, Friedman (2009), 7.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, real, shown, whole
from corollary.core.randomness import generator
from corollary.selection.locked_test_set import LockedTestSet
from corollary.selection.validation_data import rows_in, seed_of, targets_in
from corollary.theory.certify import some_rows
from corollary.theory.conformal.groups import check_groups

__all__ = ["RowSet", "ThreeWaySplit", "hold_out_split"]

WHO = "hold_out_split"
FEW = 20  # values of a target of whole numbers that are taken for classes


@dataclass(frozen=True, repr=False)
class RowSet:
    """Some rows with their targets.

    Attributes
    ----------
    X : rows, of the kind that was given
    y : array of shape (n,)
    rows : array of int of shape (n,)
        Their numbers in the whole data.
    """

    X: Any
    y: Vector
    rows: Vector

    def __len__(self) -> int:
        return len(self.rows)

    def __str__(self) -> str:
        return f"{len(self):,} rows"

    def __repr__(self) -> str:
        return f"RowSet({self})"


@dataclass(frozen=True)
class ThreeWaySplit:
    """Rows to train on, rows to choose by, and a locked test set.

    Attributes
    ----------
    train : RowSet
    validation : RowSet or None
        None where none was asked for: use `cross_validate` on the training rows.
    test : LockedTestSet
        Judges a model at the end; its rows cannot be read before it is opened.
    kind : {'random', 'stratified', 'group', 'time'}
        (2).
    """

    train: RowSet
    validation: RowSet | None
    test: LockedTestSet
    kind: str

    def __str__(self) -> str:
        parts = [f"{len(self.train):,} rows to train on"]
        if self.validation is not None:
            parts.append(f"{len(self.validation):,} to choose by")
        return f"{self.kind} split: {', '.join(parts)}, {self.test.n:,} locked"


def hold_out_split(
    X: Any,
    y: Any,
    *,
    test: float | int = 0.3,
    validation: float | int = 0.0,
    groups: Any = None,
    time: Any = None,
    stratify: bool | None = None,
    random_state: Any = 0,
) -> ThreeWaySplit:
    """Part the rows in two or three, the last of them locked (1).

    Parameters
    ----------
    X : rows: array, sparse matrix, data frame or table
    y : targets of shape (n,)
    test, validation : float or int
        Shares of all rows, or numbers of rows; 0 for no validation rows.
    groups : array of shape (n,), optional
        Rows that belong together, such as those of one patient.
    time : array of shape (n,), or True, optional
        When each row was seen; True for rows in order.  The latest are held out, and
        rows of one time stay together.
    stratify : bool, optional
        Whether to keep classes in proportion.  By default for labels, and for whole
        numbers of at most 20 values.
    random_state : None, int or Generator, default=0
        Draws the rows.

    Returns
    -------
    ThreeWaySplit

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.selection import hold_out_split
    >>> X, y = np.arange(100.0)[:, None], np.repeat(["a", "b"], [90, 10])
    >>> split = hold_out_split(X, y, test=0.2, validation=0.2)
    >>> print(split)
    stratified split: 60 rows to train on, 20 to choose by, 20 locked
    >>> [int((part.y == "b").sum()) for part in (split.train, split.validation)]
    [6, 2]
    """
    X, n = rows_in(WHO, X)
    targets = targets_in(WHO, y, n, 2)
    sizes = size_of("test", test, n), size_of("validation", validation, n)
    if not sizes[0] or sum(sizes) >= n:
        must = f"test must be at least 1, and leave some of the {n} rows to train on"
        raise ParameterError(sentence(WHO, must, f"{sizes[0]} and {sizes[1]}"))
    if not (boolean | missing).holds(stratify):
        must = "stratify must be True, False or None"
        raise ParameterError(sentence(WHO, must, shown(stratify)))
    if groups is not None and time is not None:
        must = "either groups or time may be given"
        raise ParameterError(sentence(WHO, must, "both"))
    rng = generator(seed_of(WHO, random_state), 98)
    if time is not None:
        kind, parts = "time", in_blocks(times_of(time, n), sizes)
    elif groups is not None:
        names = check_groups(WHO, groups, n)
        codes = np.unique(names, return_inverse=True)[1]
        kind = "group"
        parts = in_blocks(rng.permutation(codes.max() + 1)[codes], sizes)
    else:
        like = is_classes(targets) if stratify is None else stratify
        codes = np.unique(targets if like else np.zeros(n), return_inverse=True)[1]
        kind = "stratified" if like else "random"
        parts = drawn(np.lexsort((rng.random(n), codes)), sizes, rng)
    first, middle, last = (np.sort(rows) for rows in parts)
    some = [RowSet(some_rows(X, r), targets[r], r) for r in (first, middle)]
    locked = LockedTestSet(some_rows(X, last), targets[last], last)
    return ThreeWaySplit(some[0], some[1] if len(middle) else None, locked, kind)


def size_of(name: str, share: Any, n: int) -> int:
    """Return a number of rows, given as one or as a share."""
    if whole(0).holds(share):
        return int(share)
    if not real(0, 1, ends="[)").holds(share):
        must = f"{name} must be a share in [0, 1) or a number of rows"
        raise ParameterError(sentence(WHO, must, shown(share)))
    return max(round(float(share) * n), int(share > 0))


def is_classes(y: Vector) -> bool:
    """Tell targets that are labels, or few whole numbers."""
    if y.ndim > 1 or y.dtype.kind not in "fiu":
        return y.ndim == 1
    values = np.unique(y)
    return len(values) <= min(FEW, len(y) // 2) and bool(
        (values == values.round()).all()
    )


def drawn(order: Vector, sizes: tuple[int, int], rng: Any) -> tuple[Vector, ...]:
    """Take rows at even distances in an order, so that classes keep their shares."""
    parts, rest = [], order
    for size in sizes:
        at = np.floor((np.arange(size) + rng.random()) * len(rest) / max(size, 1))
        chosen = np.zeros(len(rest), dtype=bool)
        chosen[at.astype(np.intp)] = True
        parts.append(rest[chosen])
        rest = rest[~chosen]
    last, middle = parts
    return rest, middle, last


def times_of(time: Any, n: int) -> Vector:
    """Return the place of each row in time; equal times share a place."""
    if time is True:
        return np.arange(n)
    when = np.asarray(time)
    if when.shape != (n,):
        must = f"time must have one entry for each of the {n} rows"
        raise DataError(sentence(WHO, must, f"shape {when.shape}"))
    if when.dtype.kind in "fmM" and np.isnan(when).any():
        row = int(np.isnan(when).argmax())
        raise DataError(sentence(WHO, "time must be known", f"none in row {row}"))
    try:
        return np.unique(when, return_inverse=True)[1]
    except TypeError:
        must = "time must hold values of one kind that can be ordered"
        raise DataError(sentence(WHO, must, "mixed types")) from None


def in_blocks(keys: Vector, sizes: tuple[int, int]) -> tuple[Vector, ...]:
    """Take the last keys, with all their rows, until there are enough rows."""
    counts, ends = np.bincount(keys), [len(np.bincount(keys))]
    for size in sizes:
        taken = np.cumsum(counts[: ends[-1]][::-1])
        enough = 0 if not size else int(np.abs(taken - size).argmin()) + 1
        ends.append(ends[-1] - enough)
    if ends[-1] < 1:
        must = "groups or times must be enough to leave some to train on"
        raise DataError(sentence(WHO, must, f"{len(counts)} of them"))
    b, a = ends[1], ends[2]
    return (
        np.flatnonzero(keys < a),
        np.flatnonzero((keys >= a) & (keys < b)),
        np.flatnonzero(keys >= b),
    )
