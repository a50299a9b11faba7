"""The problem of a run: features, target, split and folds, before any model is tried.

Labels become codes 0 ... K - 1 in sorted order;
the test rows are locked away before anything looks at how columns and target belong
together.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.workbench.judging import Metric, metric_named
from corollary.workbench.preparing import FeatureGroups, feature_groups
from corollary.workbench.schema import Schema
from corollary.workbench.splits import Split, lock_test, make_folds
from corollary.workbench.table_reading import TableData
from corollary.workbench.target import target_labels
from corollary.workbench.trials import FoldedTable, sampled

__all__ = ["Problem", "Settings", "set_problem"]

WHO = "workbench"
MOST_CLASSES = 200
RACE_ROWS = 120_000  # that learners are compared on


@dataclass(frozen=True)
class Settings:
    """What a user asked for.

    Attributes
    ----------
    target : str
    group, time : str or None
        Columns that tie rows together, or order them.
    task, metric : str or None
    ignore : tuple of str
        Columns that models must not use.
    time_budget : float
        Seconds.
    test_size : float
        Share of the rows that are locked away.
    seed : int
    """

    target: str
    group: str | None = None
    time: str | None = None
    task: str | None = None
    metric: str | None = None
    ignore: tuple[str, ...] = ()
    time_budget: float = 300.0
    test_size: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if self.group is not None and self.time is not None:
            must = "group or time must be given, not both"
            raise ParameterError(sentence(WHO, must, "both"))
        if not 0 <= self.test_size <= 0.5:
            must = "test_size must be a share between 0 and 0.5"
            raise ParameterError(sentence(WHO, must, f"{self.test_size!r}"))
        if not 1 <= self.time_budget <= 1e6:
            must = "time_budget must be a number of seconds >= 1"
            raise ParameterError(sentence(WHO, must, f"{self.time_budget!r}"))
        if self.task not in (None, "classification", "regression"):
            must = "task must be classification or regression"
            raise ParameterError(sentence(WHO, must, f"{self.task!r}"))


@dataclass(frozen=True)
class Problem:
    """What is to be learned, and from which rows.

    Attributes
    ----------
    schema : Schema
    table : pyarrow.Table
        Features of all rows.
    y : array of shape (n,)
        Codes of classes, or targets.
    classes : array of K labels, or None
    split : Split
    structure : array of shape (n,) or None
        Groups or times of the rows.
    groups : FeatureGroups
    metric : Metric
    notes : tuple of str
        What was found while the table was read.
    rows : array of int
        Row numbers in the data; classes of one row are left out.
    """

    schema: Schema
    table: Any
    y: Vector
    classes: Any
    split: Split
    structure: Any
    groups: FeatureGroups
    metric: Metric
    notes: tuple[str, ...]
    rows: Vector
    seed: int

    @property
    def spread(self) -> float:
        """The variance of the target, for scores that compare with it."""
        return float(np.var(self.y)) if self.classes is None else 1.0

    def part(self, rows: Vector) -> tuple[Any, Vector]:
        """Return features and targets of some rows."""
        return self.table.take(rows), self.y[rows]

    def labels(self, codes: Vector) -> Vector:
        """Return labels of codes, or targets as they are."""
        return codes if self.classes is None else self.classes[np.asarray(codes, int)]

    def folded(self) -> FoldedTable:
        """Return training rows in folds: all, or a sample that a race can afford."""
        train = self.split.train
        rows = train[sampled(len(train), RACE_ROWS, self.seed)]
        table, y = self.part(rows)
        splits = make_folds(
            y,
            task=self.schema.task,
            kind=self.split.kind,
            seed=self.seed,
            structure=None if self.structure is None else self.structure[rows],
        )
        return FoldedTable(table, y, splits, self.groups, self.classes, rows, self.seed)

    def whole(self) -> FoldedTable:
        """Return all training rows, in no folds."""
        rows = self.split.train
        table, y = self.part(rows)
        return FoldedTable(table, y, (), self.groups, self.classes, rows, self.seed)


def set_problem(data: TableData, settings: Settings) -> Problem:
    """Find the roles of the columns, the classes and the split.

    Parameters
    ----------
    data : TableData
        Read with its target.
    settings : Settings
    """
    data = asked_roles(data, settings)
    task = settings.task or data.task
    y, classes = coded_target(data, task)
    rows, notes = np.arange(len(y)), list(data.notes)
    if task == "classification":
        y, classes, rows, rare = without_lone_classes(y, classes, rows)
        notes += rare
    labels = () if classes is None else tuple(classes.tolist())
    schema = Schema(data.columns, data.schema.target, task, labels)
    if not schema.features:
        must = "a table must have at least one column to learn from"
        raise DataError(sentence(WHO, must, "none but the target"))
    table = data.features
    table = table if len(rows) == table.num_rows else table.take(rows)
    structure, column, key = structure_of(data, rows)
    split = lock_test(
        y,
        task=task,
        share=settings.test_size,
        seed=settings.seed,
        column=column,
        **({key: structure} if key else {}),
    )
    return Problem(
        schema,
        table,
        y,
        classes,
        split,
        structure,
        feature_groups(table, data.columns, split.train),
        metric_named(settings.metric, task),
        tuple(notes),
        rows,
        settings.seed,
    )


def asked_roles(data: TableData, settings: Settings) -> TableData:
    """Return the table with the roles that the user asks for."""
    wanted = dict.fromkeys(settings.ignore, "ignored")
    for role, name in (("group", settings.group), ("time", settings.time)):
        if name is not None:
            others = [c.name for c in data.columns if c.role in ("group", "time")]
            data = data.with_roles(dict.fromkeys(others, "feature"), "")
            wanted[name] = role
    return data.with_roles(wanted, "As asked for.")


def coded_target(data: TableData, task: str) -> tuple[Vector, Any]:
    """Return codes and sorted labels of classes, or numbers and None."""
    name = data.schema.target
    column = data.table.column(name)
    if task == "regression":
        try:
            return target_labels(column, task), None
        except (TypeError, ValueError):
            must = f"{name!r} must hold numbers for a regression"
            raise DataError(sentence(WHO, must, f"{column.type}")) from None
    classes, codes = np.unique(target_labels(column, task), return_inverse=True)
    if len(classes) > MOST_CLASSES:
        must = f"{name!r} must have at most {MOST_CLASSES} classes"
        remedy = "Choose another target, or task regression where it is a number."
        raise DataError(sentence(WHO, must, f"{len(classes):,}", remedy))
    return codes.astype(np.intp), classes


def without_lone_classes(
    y: Vector, classes: Any, rows: Vector
) -> tuple[Vector, Any, Vector, list[str]]:
    """Leave out classes of a single row: nothing can be learned or tested of them."""
    counts = np.bincount(y)
    lone = counts < 2
    if not lone.any() or (~lone).sum() < 2:
        return y, classes, rows, []
    kept = ~lone[y]
    names = ", ".join(str(label) for label in classes[lone][:5])
    codes = np.cumsum(~lone) - 1
    note = f"{int(lone.sum())} classes of one row each were left out: {names}."
    return codes[y[kept]].astype(np.intp), classes[~lone], rows[kept], [note]


def structure_of(data: TableData, rows: Vector) -> tuple[Any, str | None, str | None]:
    """Return groups or times of the rows, the column they stand in, and which."""
    for role in ("group", "time"):
        for column in data.columns:
            if column.role == role:
                values = data.table[column.name].take(rows)
                return codes_of(values, role), column.name, role
    return None, None, None


def codes_of(values: Any, role: str) -> Vector:
    """Return whole numbers that tell groups apart or that order moments."""
    if role == "time" and str(values.type).startswith("timestamp"):
        moments = values.cast("timestamp[us]").cast("int64")
        return np.asarray(moments.fill_null(0).to_numpy())
    if role == "time":
        return np.asarray(values.to_numpy(), dtype=np.float64)
    found = values.to_pylist()
    return np.unique(["" if v is None else str(v) for v in found], return_inverse=True)[
        1
    ]
