"""Hashing: categories as columns of a fixed number, without learning them.

Also known as: the hashing trick, feature hashing, count sketch, signed hashing.

A cell that holds v in column j is put, with a sign, in one of D columns, both taken
from a hash of the words "j=v":

    h_i(x) = sum_j s(j, x_j) [b(j, x_j) = i],     b in 0 ... D - 1,  s = +1 or -1    (1)

so nothing has to be learned or kept, new values have a place, and a column may have any
number of values.  Two cells may meet in one place; signs make that fair: over hashes,

    E h(x)'h(z) = number of columns in which x and z agree = a                       (2)
    Var h(x)'h(z) = (d^2 + a^2 - 2 a) / D                                            (3)

for rows x, z of d columns, so D a few times d^2 keeps what a linear model or a distance
needs of one-hot columns.  Of m distinct values in all columns the share

    1 - (1 - 1/D)^(m - 1)                                                            (4)

is to be expected in one place with another; the report states how many are.  For that
one pass sees the hashes of training, all of them up to a million, beyond that the
lowest K of them, multiplied by an odd number: the K-th of m even draws is near K/m.

The hash is MurmurHash3 of the text in UTF-8, as in scikit-learn's `FeatureHasher`: the
same on every machine and for every chunk, and for texts the same columns as its dicts
have.  Numbers are written without zeros at the end of a fraction, dates as ISO 8601; 3
and 3.0 are one category, and the same day in any unit.  A missing value hashes the name
alone.

Notation: D = n_features; b, s by |hash| mod D and its sign; K = MOST.
References: Weinberger, Dasgupta, Langford, Smola, Attenberg (2009); Bar-Yossef,
Jayram, Kumar, Sivakumar, Trevisan (2002).
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import murmurhash3_32

from corollary.core.arrays import Matrix, Vector
from corollary.core.checks import names_of
from corollary.core.column import Column
from corollary.core.distinct import missing_kind
from corollary.core.errors import DataError, MixedTypesError, sentence
from corollary.core.memory import block_bytes, check_memory
from corollary.core.parameters import boolean, whole
from corollary.core.report import Report
from corollary.core.roles import Transformer
from corollary.core.table import Table
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.preparation.category_learner import DTYPE
from corollary.preparation.dates import moment
from corollary.preparation.expansion import exact
from corollary.preparation.tallies import codes_of

__all__ = ["HashingEncoder"]

EXACT = 2.0**53  # the whole floats up to it are written as such
MOST = 2**20  # hashes that a pass keeps
RANGE = 2**32  # of hashes
ODD = 2654435769  # RANGE over the golden ratio: neighbours land far apart
CROWDED = 0.5  # share of values in one place with another that is worth a warning


@dataclass(frozen=True)
class Seen(Statistics):
    """The distinct hashes of the cells, or the lowest of them where they are many."""

    mixed: Vector  # (at most `most`,) uint64, rising: hashes times ODD, modulo RANGE
    most: int

    @classmethod
    def of(cls, hashes: Sequence[Vector], most: int) -> Seen:
        """See hashes of 32 bits with a sign."""
        mixed = np.concatenate([np.empty(0, np.int64), *hashes]).astype(np.uint64)
        mixed *= np.uint64(ODD)
        mixed %= np.uint64(RANGE)
        return cls(lowest(mixed, most), most)

    def __add__(self, other: Seen) -> Seen:
        both = np.concatenate([self.mixed, other.mixed])
        return Seen(lowest(both, self.most), self.most)

    def values(self) -> int:
        """Return how many distinct values there are, or about."""
        k = len(self.mixed)
        if k < self.most:
            return k
        return round((k - 1) * RANGE / float(self.mixed[-1] + 1))

    def collisions(self, D: int) -> float:
        """Return the share of values in one place with another, or expect it (4)."""
        m = self.values()
        if len(self.mixed) == self.most:
            return -float(np.expm1((m - 1) * np.log1p(-1 / D))) if D > 1 else 1.0
        back = np.uint64(pow(ODD, -1, RANGE))
        hashes = (self.mixed * back % np.uint64(RANGE)).astype(np.uint32)
        places = places_of(hashes.view(np.int32).astype(np.int64), D)
        _, counts = np.unique(places, return_counts=True)
        return float(counts[counts > 1].sum() / m) if m else 0.0


def lowest(values: Vector, most: int) -> Vector:
    """Sort numbers in place, and return the lowest different ones.

    >>> lowest(np.array([3, 1, 3, 2, 1]), 2).tolist()
    [1, 2]
    """
    values.sort()
    first = np.ones(len(values), dtype=bool)
    np.not_equal(values[1:], values[:-1], out=first[1:])
    return values[np.flatnonzero(first)[:most]]


class HashingEncoder(SummationLearner, Transformer):
    """Hash the categories of all columns into columns of a fixed number.

    Parameters
    ----------
    n_features : int, default=16384
        Number of columns D of the result; a power of two spreads best.
    alternate_sign : bool, default=True
        Whether signs alternate (1); without them all entries are counts.
    dtype : type of numbers, default=numpy.float64
        Type of the result.

    Attributes
    ----------
    n_features_in_ : int
    feature_names_in_ : array of shape (d,)
        Names of the columns, where they all have one; else they are x0, x1, ...
    report_ : Report

    Examples
    --------
    >>> from corollary import HashingEncoder
    >>> model = HashingEncoder(n_features=8).fit([["Rome", 3], ["Oslo", 7]])
    >>> model.transform([["Rome", 3.0], ["Bonn", 3]]).toarray().astype(int).tolist()
    [[0, 0, 0, 1, -1, 0, 0, 0], [0, 0, 1, 1, 0, 0, 0, 0]]
    >>> model.report_.facts["collision_share"]
    0.5
    """

    takes_columns = True
    rules: ClassVar = {
        "n_features": whole(1, 2**31 - 1),
        "alternate_sign": boolean,
        "dtype": DTYPE,
    }

    def __init__(
        self,
        n_features: int = 2**14,
        *,
        alternate_sign: bool = True,
        dtype: Any = np.float64,
    ) -> None:
        self.n_features = n_features
        self.alternate_sign = alternate_sign
        self.dtype = dtype

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []
        return tags

    def takes_missing(self) -> bool:
        """Take a missing value for a category."""
        return True

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Know nothing."""

    def statistics(self, chunk: Chunk, state: Any) -> Seen:
        """See the hashes, for the report alone."""
        X = chunk.X if chunk.w is None or chunk.w.all() else chunk.X[chunk.w > 0]
        cells = hashed_cells(self, X, X.names)
        some = (h[np.bincount(codes, minlength=len(h)) > 0] for h, codes in cells)
        return Seen.of(list(some), max(1, block_bytes(8 * MOST, share=256) // 8))

    def update(self, s: Seen, state: Any) -> Seen:
        """Learn nothing more."""
        return s

    def account(self, state: Seen, report: Report) -> None:
        """Report how many values share a place."""
        exact(report)
        m, shared = state.values(), state.collisions(self.n_features)
        report.facts.update(n_values=m, collision_share=shared)
        if shared > CROWDED:
            enough = 2 ** int(np.ceil(np.log2(10 * m)))
            report.warnings.append(
                f"{shared:.0%} of the values are in one column with another. "
                f"n_features={enough} leaves about a tenth of them so."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        self._n_features_out = self.n_features
        fitted.report.facts["n_features_out"] = self.n_features

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Return (1) for each row.

        Parameters
        ----------
        X : array, data frame, or Source of d columns

        Returns
        -------
        CSR matrix of shape (n, D)
        """
        table = self._table(X)
        n, d = table.shape
        size = (4.0 + np.dtype(self.dtype).itemsize) * n * d
        check_memory(self, size, f"{n:,} rows of {d:,} cells", "Transform in chunks.")
        places = np.empty((n, d), dtype=np.int32)
        signs = np.ones((n, d), dtype=self.dtype)
        cells = hashed_cells(self, table, names_of(self))
        for j, (hashes, codes) in enumerate(cells):
            places[:, j] = places_of(hashes, self.n_features)[codes]
            if self.alternate_sign:
                signs[:, j] = np.where(hashes < 0, -1, 1)[codes]
        ends = np.arange(0, n * d + 1, d)
        rows = sp.csr_array(
            (signs.ravel(), places.ravel(), ends), shape=(n, self.n_features)
        )
        rows.sum_duplicates()
        return rows


def places_of(hashes: Vector, D: int) -> Vector:
    """Return the places b of hashes (1)."""
    return np.abs(hashes) % D


def hashed_cells(
    who: object, table: Table, names: Sequence[str] | None
) -> Iterator[tuple[Vector, Vector]]:
    """Yield of each column the hashes of some values, and which of them each row has.

    A missing value may have the code -1: its hash is the last one.
    """
    for j in range(table.shape[1]):
        name = f"x{j}" if names is None else names[j]
        labels, codes = distinct_of(who, table.column(j), name)
        hashes = np.array([cell_hash(who, name, v) for v in labels], dtype=np.int64)
        yield hashes, np.where(codes < 0, len(labels) - 1, codes)


def distinct_of(who: object, column: Column, name: str) -> tuple[list[Any], Vector]:
    """Return the distinct values of a column in any order, and which each row has."""
    if column.codes is not None:
        return [*column.values, column.missing], column.codes
    if column.values.dtype.kind not in "OUS":
        labels, codes = codes_of(column, who)
        return list(labels), codes
    items: list[Any] = column.values.tolist()
    mixed = len(set(map(type, items))) > 1  # True is 1 to a dict, not to us
    keys = [(type(item), item) for item in items] if mixed else items
    at: dict[Any, int] = {}
    try:
        codes = np.array([at.setdefault(key, len(at)) for key in keys], dtype=np.int32)
    except TypeError:
        must = f"column {name!r} of the argument must be of strings, numbers or dates"
        came = f"{sorted({type(item).__qualname__ for item in items})}"
        raise MixedTypesError(sentence(who, must, came)) from None
    return [key[1] for key in at] if mixed else list(at), codes


def cell_hash(who: object, name: str, value: Any) -> int:
    """Return the hash of a cell, of 32 bits with a sign."""
    key = name
    if missing_kind(value) is None and not isinstance(value, bytes):
        key = f"{name}={text_of(who, name, value)}"
    letters = key.encode("utf-8", "surrogatepass")
    if isinstance(value, bytes):
        letters += b"=" + value
    return int(murmurhash3_32(letters, seed=0))


def text_of(who: object, name: str, value: Any) -> str:
    """Write a value in the one way that all its types share.

    >>> import numpy as np
    >>> [text_of("example", "x", v) for v in (3, 3.0, np.float32(0.5), True, "a")]
    ['3', '3', '0.5', 'True', 'a']
    >>> text_of("example", "x", np.datetime64("2026-01-02"))
    '2026-01-02T00:00:00.000000'
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, datetime.timedelta | np.timedelta64):
        return str(np.timedelta64(value, "us"))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        whole = number == np.floor(number) and abs(number) <= EXACT
        return str(int(number)) if whole else repr(number)
    if isinstance(value, Decimal):
        return f"{value.normalize():{'f' if abs(value.adjusted()) < 20 else ''}}"
    if isinstance(value, datetime.date | np.datetime64):
        return str(moment(value))
    plain: Any = object
    kind: Any = type(value)
    if (kind.__str__, kind.__repr__) == (plain.__str__, plain.__repr__):
        must = f"column {name!r} must hold values that are written in one way"
        raise DataError(sentence(who, must, f"a {kind.__qualname__}"))
    return str(value)
