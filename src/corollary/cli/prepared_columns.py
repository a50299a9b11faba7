"""A table without a target as a matrix, for methods of distances and variances.

    numbers   the median for what is missing; mean 0, deviation 1
    booleans  as numbers
    labels    a column of 0 and 1 each, rare ones together; above 250 left out
    dates     days since the first; mean 0, deviation 1
    texts     the 200 most frequent words by their weight (tf-idf)

Columns that name, group or order the rows are left out, and so are constant ones; notes
say which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from corollary.core.errors import DataError, MemoryLimitError, sentence

__all__ = ["Prepared", "identifiers", "prepared", "read_whole"]

WORDS = 200
RARE = 4  # rows of a label below which it joins the rare ones
OTHER = "infrequent_sklearn"


@dataclass(frozen=True)
class Prepared:
    """Rows as numbers.

    Attributes
    ----------
    X : array of shape (n, d)
    names : list of str
        Of the columns of X.
    used : list of ColumnSchema
        The columns of the table that they come from.
    notes : list of str
        What was left out.
    """

    X: Any
    names: list[str]
    used: list[Any]
    notes: list[str]


def read_whole(who: str, data: Any, ignore: list[str] | None, **reading: Any) -> Any:
    """Read all rows of a table without a target; columns may be left out by name.

    Parameters
    ----------
    who : str
        The verb.
    data : path or list of paths
    ignore : list of str, optional
    **reading : dict
        What `read_table` takes; None where it was not given.
    """
    from corollary.workbench.table_reading import read_table

    given = {name: value for name, value in reading.items() if value is not None}
    found = read_table(data, **given)
    if found.used_rows != found.rows:
        must = f"all {found.rows:,} rows must fit in the memory limit"
        remedy = "Give fewer rows or columns, or a higher --memory-limit."
        raise MemoryLimitError(sentence(who, must, f"{found.used_rows:,}", remedy))
    return found.with_roles(dict.fromkeys(ignore or (), "ignored"), "as asked for")


def prepared(who: str, data: Any) -> Prepared:
    """Return the features of a table as numbers.

    Parameters
    ----------
    who : str
        The verb.
    data : TableData
    """
    import numpy as np

    from corollary.core.memory import exceeds_memory
    from corollary.workbench.preparing import CODES

    blocks, names, used, notes = [], [], [], []
    for column in data.columns:
        if column.role != "feature":
            why = f": {column.why}" if column.why else ""
            notes.append(f"{column.name} is left out ({column.role}{why}).")
            continue
        values = data.table.select([column.name])
        try:
            X, found = as_numbers(column, values)
        except ValueError:
            X, found = np.empty((0, 0)), []
        if not found:
            why = "no words"
            if column.kind == "category":
                why = f"more than {CODES} different labels"
            notes.append(f"{column.name} is left out ({why}).")
            continue
        blocks.append(X)
        names += found
        used.append(column)
    if not blocks or len(blocks[0]) < 2:
        must = "DATA must have 2 rows or more, and a column of numbers, labels or texts"
        came = f"{data.used_rows:,} rows and {len(blocks)} such columns"
        raise DataError(sentence(who, must, came))
    if exceeds_memory(16.0 * len(blocks[0]) * len(names)):
        must = f"{len(blocks[0]):,} rows of {len(names):,} numbers must fit in memory"
        remedy = "Give fewer rows or columns, or a higher --memory-limit."
        raise MemoryLimitError(sentence(who, must, "less room", remedy))
    return Prepared(np.ascontiguousarray(np.hstack(blocks)), names, used, notes)


def as_numbers(column: Any, values: Any) -> tuple[Any, list[str]]:
    """Return one column as a matrix, and the names of its columns."""
    import numpy as np
    from sklearn.pipeline import make_pipeline

    from corollary.preparation import (
        DateParts,
        OneHotEncoder,
        SimpleImputer,
        StandardScaler,
    )
    from corollary.workbench.preparing import CODES
    from corollary.workbench.words import Words

    name = column.name
    if column.kind == "text":
        words = Words(WORDS)
        X = words.fit_transform(values).toarray()
        return X, [f"{name}: {word}" for word in words.get_feature_names_out()]
    if column.kind == "category":
        rare = RARE if values.num_rows > 10 * RARE else None
        hot = OneHotEncoder(min_frequency=rare, sparse_output=False)
        if len(values[name].unique()) > CODES:
            return np.empty((0, 0)), []
        X = hot.fit_transform(values)
        labels = [text[len(name) + 1 :] for text in hot.get_feature_names_out([name])]
        return X, [f"{name} = {'other' if s == OTHER else s}" for s in labels]
    fill = SimpleImputer(strategy="median", keep_empty_features=True)
    steps = [fill, StandardScaler()]
    if column.kind == "date":
        steps.insert(0, DateParts(("elapsed_days",)))
    return np.asarray(make_pipeline(*steps).fit_transform(values), float), [name]


def identifiers(data: Any) -> dict[str, Any]:
    """Return the columns that name the rows, whole numbers as such.

    Parameters
    ----------
    data : TableData
    """
    from corollary.cli.model_rows import whole_numbers

    return {
        column.name: whole_numbers(data.table[column.name])
        for column in data.columns
        if column.role == "identifier"
    }
