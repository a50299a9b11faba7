"""Preparation of a table for a family of learners: impute, encode, scale, split dates.

Few preparations serve all learners; each is fitted inside the folds, to training rows
only, so that nothing leaks:

    scaled   numbers    median for what is missing, and a mark that it was; mean 0, sd 1
             few labels one column each, rare ones together
             many       the mean target of each label, by folds, shrunk
             dates      year, days since the first; month, weekday and hour, each on
                        a circle
             texts      words by their weight (tf-idf)
    coded    numbers    as they are, missing ones too: trees know what to do
             labels     a code each, split as sets; many labels as above
             dates      year, month, weekday, hour, days since the first
             texts      the most frequent words
    weighed  scaled, then columns that matter are made large (`relevance.py`), by the
    sharply  root of their importance, or by the importance itself

Reference: Micci-Barreca (2001) for the mean target of a label.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from corollary.preparation import (
    ColumnTransformer,
    DateParts,
    OneHotEncoder,
    OrdinalEncoder,
    SimpleImputer,
    StandardScaler,
    TargetEncoder,
)
from corollary.workbench.relevance import RelevanceScaler
from corollary.workbench.words import Words

__all__ = [
    "CODED",
    "SCALED",
    "SHARPLY",
    "WEIGHED",
    "FeatureGroups",
    "feature_groups",
    "preparation",
]

SCALED, CODED, WEIGHED, SHARPLY = "scaled", "coded", "weighed", "sharply weighed"
POWERS = {WEIGHED: 0.5, SHARPLY: 1.0}  # of the importance of columns
FEW_LABELS = 25  # that get a column each
CODES = 250  # labels that a tree splits as sets
DATES = ("year", "month", "weekday", "hour", "elapsed_days")
ROUND = ("month", "weekday", "hour")


@dataclass(frozen=True)
class FeatureGroups:
    """The names of the features, by what becomes of them.

    Attributes
    ----------
    numbers, few, some, many, dates, texts : tuples of str
        Numbers and booleans; labels, by how many there are: at most 25, at most 250,
        more; dates; texts.
    missing : bool
        Whether a number is missing somewhere.
    """

    numbers: tuple[str, ...] = ()
    few: tuple[str, ...] = ()
    some: tuple[str, ...] = ()
    many: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    missing: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """All of them."""
        labels = (*self.few, *self.some, *self.many)
        return (*self.numbers, *labels, *self.dates, *self.texts)


def feature_groups(table: Any, columns: Any, rows: Any = None) -> FeatureGroups:
    """Sort the features of a table into groups.

    Parameters
    ----------
    table : pyarrow.Table
    columns : iterable of ColumnSchema
        What the columns hold; those that models do not learn from are left out.
    rows : array of int, optional
        Training rows, where these are not all.
    """
    import pyarrow.compute as pc

    found: dict[str, list[str]] = {
        name: [] for name in ("numbers", "few", "some", "many", "dates", "texts")
    }
    missing = False
    for column in columns:
        if not column.is_learned:
            continue
        values = table[column.name]
        values = values if rows is None else values.take(rows)
        if column.kind in ("number", "boolean"):
            found["numbers"].append(column.name)
            missing |= values.null_count > 0
            if column.kind == "number" and str(values.type) in ("double", "float"):
                missing |= bool(pc.any(pc.is_nan(values)).as_py())
        elif column.kind == "date":
            found["dates"].append(column.name)
        elif column.kind == "text":
            found["texts"].append(column.name)
        else:
            distinct = pc.count_distinct(values).as_py()
            kind = "few" if distinct <= FEW_LABELS else "some"
            found[kind if distinct <= CODES else "many"].append(column.name)
    return FeatureGroups(**{k: tuple(v) for k, v in found.items()}, missing=missing)


def preparation(kind: str, groups: FeatureGroups, seed: int = 0) -> Any:
    """Return an unfitted preparation: a `ColumnTransformer`, or a pipeline with one.

    Parameters
    ----------
    kind : {'scaled', 'coded', 'weighed', 'sharply weighed'}
    groups : FeatureGroups
    seed : int
    """
    make = coded_parts if kind == CODED else scaled_parts
    parts = [part for part in make(groups, seed) if part[2]]
    ready = ColumnTransformer(parts, sparse_threshold=0.1)
    if kind not in POWERS:
        return ready
    return make_pipeline(ready, RelevanceScaler(POWERS[kind], random_state=seed))


def scaled_parts(groups: FeatureGroups, seed: int) -> list[tuple[str, Any, list[str]]]:
    """Return what learners of distances and products get."""
    fill = SimpleImputer(
        strategy="median", add_indicator=True, keep_empty_features=True
    )
    one_hot = OneHotEncoder(
        handle_unknown="infrequent_if_exist", min_frequency=4, sparse_output=False
    )
    means = TargetEncoder(random_state=seed)
    in_place = StandardScaler(copy=False)  # of what the step before it has made
    dates = make_pipeline(
        DateParts(DATES, cyclic=ROUND),
        SimpleImputer(keep_empty_features=True),
        in_place,
    )
    return [
        ("labels", one_hot, list(groups.few)),
        ("means", make_pipeline(means, in_place), [*groups.some, *groups.many]),
        ("numbers", make_pipeline(fill, in_place), list(groups.numbers)),
        ("dates", dates, list(groups.dates)),
        *((f"words{j}", Words(20_000), [t]) for j, t in enumerate(groups.texts)),
    ]


def coded_parts(groups: FeatureGroups, seed: int) -> list[tuple[str, Any, list[str]]]:
    """Return what trees get; the columns of codes come first."""
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=np.nan)
    as_they_are = StandardScaler(with_mean=False, with_std=False, copy=False)
    return [
        ("codes", codes, [*groups.few, *groups.some]),
        ("means", TargetEncoder(random_state=seed), list(groups.many)),
        ("numbers", as_they_are, list(groups.numbers)),
        ("dates", DateParts(DATES), list(groups.dates)),
        *((f"words{j}", Words(200), [t]) for j, t in enumerate(groups.texts)),
    ]


def coded_columns(groups: FeatureGroups) -> list[int]:
    """Return which columns of the coded preparation hold codes of labels."""
    return list(range(len(groups.few) + len(groups.some)))
