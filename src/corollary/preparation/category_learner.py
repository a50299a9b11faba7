"""Learning the categories of columns, in summation form.

One pass tallies the distinct values of each column (`tallies.py`).  The categories are
these, in order, or those that the user gives; then a value that is none of them is
refused at once, unless `handle_unknown` says what becomes of it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.column import Column, alike_types
from corollary.core.errors import ParameterError, sentence
from corollary.core.hooks import hook
from corollary.core.parameters import Rule, missing, one_of, real, whole
from corollary.core.report import Report
from corollary.core.roles import total_weight
from corollary.core.table import Table
from corollary.engine import Chunk, Data, SummationLearner
from corollary.preparation.expansion import exact
from corollary.preparation.given_categories import given_categories, refuse_unknown
from corollary.preparation.infrequent import (
    Grouping,
    as_objects,
    ends_with_nan,
    grouping,
    infrequent,
)
from corollary.preparation.positions import positions
from corollary.preparation.tallies import (
    Tallies,
    Tally,
    Weights,
    check_size,
    labels_of,
    tally_bytes,
    weights_of,
)

__all__ = [
    "CATEGORIES",
    "DTYPE",
    "FREQUENCY_RULES",
    "CategoryLearner",
    "check_categories",
    "check_given",
    "first_categories",
    "groupings",
    "joined_values",
    "learn_categories",
]


def _is_dtype(value: Any) -> bool:
    try:
        return value is not None and np.dtype(value).kind in "fiub"
    except TypeError:
        return False


DTYPE = Rule("a type of numbers", _is_dtype)
CATEGORIES = one_of("auto") | Rule(
    "a list of one array for each column", lambda v: isinstance(v, list)
)
FREQUENCY_RULES = {
    "min_frequency": missing | whole(1) | real(0, 1, ends="()"),
    "max_categories": missing | whole(1),
}


class CategoryLearner(SummationLearner):
    """Learns the categories of columns, and where it is asked the weight of each."""

    categories: Any
    handle_unknown: str
    min_frequency: Any
    max_categories: int | None
    categories_: list[Vector]

    @hook
    def _check_options(self) -> None:
        """Refuse parameters that contradict each other."""

    def start(self, data: Data, seed: int) -> None:
        """Hold given categories to the number of columns."""
        self._check_options()
        check_given(self, self.categories, data.source.n_features)

    def statistics(self, chunk: Chunk, state: Any) -> Tallies:
        """Tally the values of each column."""
        X, w = chunk.X, chunk.w
        if w is not None and not w.all():
            X, w = X[w > 0], w[w > 0]
        columns = (self._tally(X, j, w) for j in range(X.shape[1]))
        return Tallies(tuple(columns), Weights(np.array([total_weight(w, len(X))])))

    def update(self, s: Tallies, state: Any) -> Tallies:
        """Know the values."""
        return s

    def account(self, state: Tallies, report: Report) -> None:
        """Report that nothing is approximated."""
        exact(report)

    def sums_bytes(self, n_features: int) -> int:
        """Estimate the size of a chunk's tallies."""
        return tally_bytes()

    def _example(self, n: int) -> Table:
        """Return rows of the first category of each column."""
        return first_categories(self.categories_, n)

    def _tally(self, X: Any, j: int, w: Vector | None) -> Tally:
        who, name, column = type(self).__name__, X.name(j), X.column(j)
        sums: Weights | None = None
        if isinstance(self.categories, str):
            if counts(self):
                labels, weight = weights_of(column, w, who)
                sums = Weights(weight.astype(np.float64))
            else:
                labels = labels_of(column, who)
            check_size(who, name, labels)
            return Tally(who, name, labels, sums)
        labels, weight = weights_of(column, w, who)
        known = given_categories(self, j, self.categories[j], labels)
        place = positions(Column(labels), known, self, learned=False).of_label
        if self.handle_unknown == "error" and (place < 0).any():
            refuse_unknown(self, Column(labels), known, j, name, "fit")
        there = place >= 0
        total: Any = np.bincount(place[there], weight[there], minlength=len(known))
        return Tally(who, name, known, Weights(total), given=True)


def check_given(who: object, categories: Any, d: int) -> None:
    """Refuse given categories of another number of columns."""
    if not isinstance(categories, str) and len(categories) != d:
        must = f"categories must be a list of {d}, one array for each column"
        came = f"{len(categories)} (Shape mismatch)"
        raise ParameterError(sentence(who, must, came))


# -- what encoders hold of it ----------------------------------------------------------
def counts(encoder: Any) -> bool:
    """Tell whether the weight of a category decides anything."""
    return encoder.min_frequency is not None or encoder.max_categories is not None


def learn_categories(encoder: Any, s: Tallies, *, nan_apart: bool = False) -> None:
    """Set the categories of each column, and which of them are infrequent.

    `nan_apart` leaves NaN out of the count: it is no category.
    """
    encoder.categories_ = [tally.labels for tally in s.columns]
    vars(encoder).pop("infrequent_categories_", None)
    if not counts(encoder):
        return
    limits = float(s.rows.weight[0]), encoder.min_frequency, encoder.max_categories
    found: list[Any] = []
    for tally in s.columns:
        k = len(tally.labels) - (nan_apart and ends_with_nan(tally.labels))
        rare = infrequent(tally.sums.weight[:k], *limits)
        found.append(tally.labels[rare] if len(rare) else None)
    encoder.infrequent_categories_ = found


def groupings(encoder: Any, *, nan_apart: bool = False) -> list[Grouping]:
    """Return the categories of each column with the infrequent ones taken together."""
    categories = encoder.categories_
    rare = getattr(encoder, "infrequent_categories_", [None] * len(categories))
    if nan_apart:
        categories = [each[:-1] if ends_with_nan(each) else each for each in categories]
    return list(map(grouping, categories, rare))


def first_categories(categories: list[Vector], n: int) -> Table:
    """Return n rows that hold the first category of each column."""
    first = np.zeros(n, dtype=np.int64)
    return Table([Column(each[first]) for each in categories])


def joined_values(columns: list[Vector]) -> Any:
    """Return the values of several columns as one array, of objects where they mix.

    >>> joined_values([np.array([1, 2]), np.array([0.5, 3.0])]).tolist()
    [[1.0, 0.5], [2.0, 3.0]]
    """
    if alike_types(columns):
        return np.stack(columns, axis=1)
    out = np.empty((len(columns[0]), len(columns)), dtype=object)
    for j, column in enumerate(columns):
        out[:, j] = as_objects(column)
    return out


def check_categories(encoder: Any) -> None:
    """Refuse categories that no fit leaves: files can alter them."""
    categories, d = encoder.categories_, encoder.n_features_in_
    good = isinstance(categories, list) and len(categories) == d
    rare = getattr(encoder, "infrequent_categories_", [None] * len(categories))
    good = good and isinstance(rare, list) and len(rare) == d
    good = good and all(is_vector(each) and len(each) for each in categories)
    good = good and all(each is None or is_vector(each) for each in rare)
    if not good:
        must = f"categories_ must be {d} arrays, infrequent_categories_ some of each"
        raise ParameterError(sentence(encoder, must, "others"))
    for known, some in zip(categories, rare, strict=True):
        if known.dtype.kind not in "OUS":
            plain = known[known == known]
            rising = bool((plain[1:] > plain[:-1]).all())
        else:
            rising = True
        inside = some is None or (
            len(some) > 0
            and positions(Column(some), known, encoder, learned=False).unknown() is None
        )
        if not rising or not inside:
            must = "categories_ must be sorted, the infrequent ones among them"
            raise ParameterError(sentence(encoder, must, "others"))


def is_vector(value: Any) -> bool:
    """Tell whether a value is an array of one dimension."""
    return isinstance(value, np.ndarray) and value.ndim == 1
