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
needs of one-hot columns.

The hash is MurmurHash3 of the text in UTF-8, as in scikit-learn's `FeatureHasher`: the
same on every machine and for every chunk, and for texts the same columns as its dicts
have.  Numbers are written without a fraction that is 0, dates as ISO 8601; 3 and 3.0
are one category, and the same day in any unit.  A missing value hashes the name alone.

Notation: D = n_features; b, s by |hash| mod D and its sign.
Course: S4-47, S0-5. Reference: Weinberger, Dasgupta, Langford, Smola, Attenberg (2009).
"""

from __future__ import annotations

import datetime
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils import murmurhash3_32

from corollary.core.arrays import Matrix, Vector
from corollary.core.checks import names_of
from corollary.core.column import Column
from corollary.core.distinct import missing_kind
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, whole
from corollary.core.report import Report
from corollary.core.roles import Transformer, total_weight
from corollary.engine import Chunk, Data, Fitted, SummationLearner
from corollary.preparation.category_learner import DTYPE
from corollary.preparation.dates import moment
from corollary.preparation.expansion import exact
from corollary.preparation.polynomial_features import Counted
from corollary.preparation.tallies import codes_of

__all__ = ["HashingEncoder"]

EXACT = 2.0**53  # the whole floats up to it are written as such


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
    >>> model = HashingEncoder(n_features=8).fit([["Rome", 3], ["Oslo", 5]])
    >>> model.transform([["Rome", 3.0], ["Bonn", 5]]).toarray().astype(int).tolist()
    [[0, 0, 0, 0, 0, 0, 0, 0], [0, 0, 0, 0, 0, 0, 0, 0]]
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

    def statistics(self, chunk: Chunk, state: None) -> Counted:
        """Count the rows."""
        return Counted(total_weight(chunk.w, chunk.n))

    def update(self, s: Counted, state: None) -> None:
        """Learn nothing."""

    def account(self, state: None, report: Report) -> None:
        """Report that nothing is approximated in the fit."""
        exact(report)

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
        (n, d), names = table.shape, names_of(self)
        places = np.empty((n, d), dtype=np.int32)
        signs = np.empty((n, d), dtype=self.dtype)
        for j in range(d):
            name = f"x{j}" if names is None else names[j]
            labels, codes = distinct_of(self, table.column(j), name)
            hashes = np.array([cell_hash(self, name, v) for v in labels], np.int64)
            places[:, j] = (np.abs(hashes) % self.n_features)[codes]
            signs[:, j] = np.where(hashes < 0, -1, 1)[codes]
        if not self.alternate_sign:
            signs[:] = 1
        ends = np.arange(0, n * d + 1, d)
        rows = sp.csr_array(
            (signs.ravel(), places.ravel(), ends), shape=(n, self.n_features)
        )
        rows.sum_duplicates()
        return rows


def distinct_of(who: object, column: Column, name: str) -> tuple[list[Any], Vector]:
    """Return the distinct values of a column in any order, and which each row has."""
    if column.codes is None and column.values.dtype.kind in "OUS":
        items = column.values.tolist()
        at: dict[Any, int] = {}
        try:
            codes = [at.setdefault(item, len(at)) for item in items]
        except TypeError:
            must = f"column {name!r} must hold texts, numbers or dates"
            came = f"{sorted({type(item).__qualname__ for item in items})}"
            raise DataError(sentence(who, must, came)) from None
        return list(at), np.array(codes, dtype=np.int32)
    if column.codes is None:
        labels, codes = codes_of(column, who)
        return list(labels), codes
    labels = [*column.values, column.missing]
    return labels, column.codes


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
        return str(value)
    if isinstance(value, bool | np.bool_):
        return str(bool(value))
    if isinstance(value, int | np.integer):
        return str(int(value))
    if isinstance(value, float | np.floating):
        number = float(value)
        whole = number == np.floor(number) and abs(number) <= EXACT
        return str(int(number)) if whole else repr(number)
    if isinstance(value, datetime.date | np.datetime64):
        return str(moment(value))
    written = type(value).__str__ is not object.__str__
    if not written and type(value).__repr__ is object.__repr__:
        must = f"column {name!r} must hold values that are written in one way"
        raise DataError(sentence(who, must, f"a {type(value).__qualname__}"))
    return str(value)
