"""Models of ``corollary fit`` and rows for them, as verbs are given both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from corollary.core.errors import DataError, ParameterError, sentence

__all__ = [
    "Known",
    "answers_of",
    "given_model",
    "groups_of",
    "known_rows",
    "new_rows",
    "row_parts",
    "seen_share",
    "seen_words",
    "source_of",
    "whole_numbers",
    "with_target",
]

MODEL = "model.corollary"


@dataclass(frozen=True)
class Known:
    """Rows whose target is known, read like those of training.

    Attributes
    ----------
    table : pyarrow.Table
        The features.
    y : array of shape (n,)
        Labels or numbers.
    others : dict
        Columns that tell rows apart, tie them together or order them.
    notes : list of str
    """

    table: Any
    y: Any
    others: dict[str, Any]
    notes: list[str]


def given_model(who: str, path: Path) -> Any:
    """Load a model of tables from its file, or from the folder of a fit.

    Parameters
    ----------
    who : str
        The verb.
    path : Path
    """
    from corollary.persistence import load
    from corollary.workbench.table_model import TableClassifier, TableRegressor

    if path.is_dir():
        if not (path / MODEL).is_file():
            must = "MODEL must be a model file, or a folder that holds model.corollary"
            raise ParameterError(sentence(who, must, f"the folder {path}"))
        path = path / MODEL
    model = load(path)
    if not isinstance(model, TableClassifier | TableRegressor):
        must = "MODEL must be a model that corollary fit has written"
        raise ParameterError(sentence(who, must, f"a {type(model).__name__}"))
    if not hasattr(model, "fitted_"):
        must = "MODEL must be fitted"
        raise ParameterError(sentence(who, must, f"{path} that is not"))
    return model


def source_of(data: list[str]) -> Any:
    """Return one path as it is, several as a list."""
    return data[0] if len(data) == 1 else list(data)


def new_rows(model: Any, data: list[str], **reading: Any) -> Any:
    """Read rows like those that a model was trained on; notes come with them.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    data : list of str
    **reading : dict
        What `read_like` takes; None where it was not given.
    """
    from corollary.workbench.read_like import read_like

    given = {name: value for name, value in reading.items() if value is not None}
    return read_like(source_of(data), model.schema, **given)


def row_parts(model: Any, data: list[str], **reading: Any) -> Iterator[Any]:
    """Read rows part by part, where all at once exceed the memory limit.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    data : list of str
        Names of files.
    **reading : dict
        What `read_like` takes; None where it was not given.
    """
    from corollary.workbench.read_like import read_like_in_parts

    given = {name: value for name, value in reading.items() if value is not None}
    return read_like_in_parts(source_of(data), model.schema, **given)


def known_rows(who: str, model: Any, data: list[str], **reading: Any) -> Known:
    """Read rows with their target; rows without it are left out.

    Parameters
    ----------
    who : str
        The verb.
    model : TableClassifier or TableRegressor
    data : list of str
    **reading : dict
        What `read_like` takes; None where it was not given.
    """
    return with_target(who, model, new_rows(model, data, **reading))


def with_target(who: str, model: Any, rows: Any) -> Known:
    """Return the rows whose target is known."""
    import numpy as np

    from corollary.workbench.target import target_labels

    name, task = model.schema.target, model.schema.task
    if rows.target is None:
        must = f"DATA must have the column {name!r}, which MODEL predicts"
        raise DataError(sentence(who, must, "rows without it"))
    there = np.flatnonzero(rows.target.is_valid().to_numpy(zero_copy_only=False))
    if not len(there):
        must = f"the column {name!r} must hold values"
        raise DataError(sentence(who, must, "none"))
    gone = rows.table.num_rows - len(there)
    notes = list(rows.notes)
    if gone:
        many = f"{gone:,} row{'s' if gone > 1 else ''}"
        notes.append(f"{many} without a value of {name!r} left out.")
        others = {key: column.take(there) for key, column in rows.others.items()}
        rows = replace(
            rows,
            table=rows.table.take(there),
            target=rows.target.take(there),
            others=others,
        )
    return Known(rows.table, target_labels(rows.target, task), rows.others, notes)


def whole_numbers(values: Any) -> Any:
    """Return floats that are all whole as integers, other columns as they are.

    Parameters
    ----------
    values : pyarrow.ChunkedArray
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(values.type):
        return values
    whole = pc.all(pc.equal(pc.floor(values), values)).as_py()
    small = pc.max(pc.abs(values)).as_py() or 0.0
    return values.cast(pa.int64()) if whole and small < 2**53 else values


def answers_of(model: Any, table: Any) -> Any:
    """Return probabilities (n, K), or predictions (n,), for rows that were read.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    table : pyarrow.Table
        Features, read like those of training.
    """
    import numpy as np

    if model.schema.task == "classification":
        return np.asarray(model.fitted_.predict_proba(table), dtype=np.float64)
    return np.asarray(model.fitted_.predict(table), dtype=np.float64)


def seen_share(model: Any, rows: Known) -> float:
    """Estimate the share of rows that a model was fitted to; 0 where it cannot know.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    rows : Known
    """
    seen = getattr(model, "seen_", None)
    return 0.0 if seen is None else float(seen.share(rows.table, rows.y))


def seen_words(share: float) -> list[str]:
    """Warn of rows that the model was fitted to."""
    if not share:
        return []
    return [
        f"the model was fitted to about {share:.0%} of these rows: the scores are "
        "better than those on new rows."
    ]


def groups_of(model: Any, rows: Known, role: str = "group") -> Any:
    """Return what ties the rows together, or orders them, as whole numbers, or None.

    Parameters
    ----------
    model : TableClassifier or TableRegressor
    rows : Known
    role : {'group', 'time'}
    """
    from corollary.workbench.problem import codes_of

    for column in model.schema.columns:
        if column.role == role and column.name in rows.others:
            return codes_of(rows.others[column.name], role)
    return None
