"""What columns are for: features, and those that no model should learn from.

    constant     one value in all rows
    identifier   every row another value: whole numbers that count the rows or whose
                 name says so (id, key, index, uuid), or words
    duplicate    the same as an earlier column, or its values under other names
    group        the name says who a row belongs to (patient, customer, session), and
                 each of many values has at least two rows on average
    time         dates along which the rows lie: sorted by them, or so named
    feature      the others

A number of the row predicts nothing about rows to come; a patient in both training and
test rows makes a test too easy.  A name alone decides nothing.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.workbench.schema import ColumnSchema, find_column

if TYPE_CHECKING:
    from corollary.workbench.table_reading import TableData

__all__ = ["assigned_roles", "find_roles"]

IDENTIFIER = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|key|index|idx|nr|no|number|rownames?|row_names?)$"
    r"|^(id|uuid|guid|index|idx|row)([^a-z]|$)|^unnamed: \d+$|^column_1$|^x\.?1?$"
)
CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
NAMED_ID = re.compile(
    r"(^|[^a-z])(id|ids|uuid|guid|key|index|idx)([^a-z]|$)|^unnamed: "
)
COUNTER = re.compile(r"year|month|week|day|hour|time|date|age|step|^t$|^x\d*$|period")
GROUP = re.compile(
    r"(^|[^a-z])(patient|user|customer|client|group|session|subject|participant|family|"
    r"household|person|member|account|student|school|hospital|device|sensor|store|"
    r"player|author|speaker|site|cluster|batch)"
    r"(?P<id>[^a-z]*(id|no|nr|num|number|key|code|name|uuid))?$"
)
TIME = re.compile(r"date|time|day|month|year|created|updated|when|period|stamp|^ds$")
PERSONAL = re.compile(r"birth|dob|born|expir|due|death")
UUID = re.compile(r"[0-9a-fA-F]{8}-?(?:[0-9a-fA-F]{4}-?){3}[0-9a-fA-F]{12}")
MANY = 50  # rows from which a column that counts them is taken for a number of the row
FEW = 10  # different whole numbers that are worth a word
GROUPS = 10  # different values that are many
SURE = 20  # different numbers that are groups without a word such as id
GLANCES = 64  # rows by which columns are compared first
RECODED = 20  # rows from which equal patterns are no coincidence


@dataclass(frozen=True)
class Values:
    """What roles need to know of a column, found out when it is asked for."""

    name: str
    column: Any
    kind: str

    @property
    def rows(self) -> int:
        """All rows."""
        return len(self.column)

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return int(self.column.null_count)

    @cached_property
    def distinct(self) -> int:
        """Different values, without missing ones."""
        import pyarrow.compute as pc

        if self.kind != "number":
            return int(pc.count_distinct(self.column).as_py())
        values = np.sort(self.numbers)
        return int(np.count_nonzero(values[1:] != values[:-1])) + (len(values) > 0)

    @property
    def numbers(self) -> Vector:
        """The numbers that are not missing."""
        column = self.column.drop_null() if self.missing else self.column
        return np.asarray(column.to_numpy())

    @cached_property
    def is_whole(self) -> bool:
        """All numbers are whole."""
        some = np.asarray(self.column.slice(0, 100).drop_null().to_numpy())
        whole = self.kind == "number" and bool(np.all(np.floor(some) == some))
        return whole and bool(np.all(np.floor(self.numbers) == self.numbers))

    @cached_property
    def is_constant(self) -> bool:
        """At most one value."""
        import pyarrow.compute as pc

        if self.kind in ("number", "date"):
            bounds = pc.min_max(self.column)
            return bool(bounds["min"] == bounds["max"])
        return self.distinct <= 1

    @cached_property
    def unique(self) -> bool:
        """Every row has another value, and none is missing."""
        return not self.missing and self.rows > 2 and self.distinct == self.rows

    @property
    def low(self) -> str:
        """The name in small letters, its words apart."""
        return CAMEL.sub("_", self.name).lower()


def find_roles(data: TableData, target: str | None = None) -> tuple[ColumnSchema, ...]:
    """Return the columns of a table with their roles, for another target.

    Parameters
    ----------
    data : TableData
    target : str, optional

    Returns
    -------
    tuple of ColumnSchema
    """
    goal = None if target is None else find_column("find_roles", data.columns, target)
    columns = tuple(replace(column, role="feature") for column in data.columns)
    return assigned_roles(data.table, columns, goal.name if goal else None)


def assigned_roles(
    table: Any, columns: tuple[ColumnSchema, ...], target: str | None
) -> tuple[ColumnSchema, ...]:
    """Return the columns with their roles and the reasons for them."""
    found: dict[str, tuple[str, str]] = {}
    all_values = []
    for schema in columns:
        values = Values(schema.name, table.column(schema.name), schema.kind)
        if schema.name == target:
            found[schema.name] = ("target", "this is what is predicted")
            continue
        role = constant(values) or identifier(values) or group(values)
        if role:
            found[schema.name] = role
        all_values.append(values)
    of_name = {values.name: values for values in all_values}
    found |= duplicates([v for v in all_values if v.name not in found])
    found |= time_column([v for v in all_values if v.name not in found])
    if not any(v.name not in found for v in all_values):
        found = kept_feature(found, all_values)
    return tuple(
        replace(schema, role=found[schema.name][0], why=found[schema.name][1])
        if schema.name in found
        else replace(schema, why=schema.why or few_values(of_name[schema.name]))
        for schema in columns
    )


def few_values(values: Values) -> str:
    """Say that a feature has few different numbers, which it keeps being."""
    if not values.is_whole or values.rows < MANY or values.distinct > FEW:
        return ""
    return f"whole numbers with {values.distinct} different values"


def kept_feature(
    found: dict[str, tuple[str, str]], all_values: list[Values]
) -> dict[str, tuple[str, str]]:
    """Take columns that merely look like identifiers where nothing else is left."""
    named = {v.name for v in all_values if NAMED_ID.search(v.low)}
    looks = {
        name
        for name, (role, _) in found.items()
        if role in ("identifier", "time") and name not in named
    }
    return {name: role for name, role in found.items() if name not in looks}


def constant(values: Values) -> tuple[str, str] | None:
    """Tell a column that says nothing."""
    if values.missing == values.rows:
        return "constant", "no cell holds a value"
    if not values.missing and values.is_constant:
        return "constant", f"{str(values.column[0].as_py())[:40]!r} in all rows"
    return None


def identifier(values: Values) -> tuple[str, str] | None:
    """Tell a column that names its row."""
    if (values.kind != "category" and not values.is_whole) or not values.unique:
        return None
    n = values.rows
    every = f"a different value in each of the {n:,} rows"
    if values.kind == "category":
        some = values.column.slice(0, 100).to_pylist()
        if all(UUID.fullmatch(text) for text in some):
            return "identifier", f"{every}, all of them UUIDs"
        named = bool(NAMED_ID.search(values.low))
        return ("identifier", every) if named or n >= RECODED else None
    if NAMED_ID.search(values.low):
        return "identifier", f"{every}, and its name says so"
    numbers = values.numbers
    steps = bool(np.all(numbers[1:] == numbers[:-1] + 1))
    counts = steps and not COUNTER.search(values.low)
    if counts and (n >= MANY or IDENTIFIER.search(values.low)):
        return "identifier", f"it counts the rows from {numbers[0]:.0f}"
    return None


def group(values: Values) -> tuple[str, str] | None:
    """Tell a column that says who a row belongs to."""
    named = GROUP.search(values.low)
    if not named:
        return None
    if (values.kind != "category" and not values.is_whole) or values.distinct < GROUPS:
        return None
    mean = (values.rows - values.missing) / values.distinct
    sure = named.group("id") or values.kind == "category" or values.distinct >= SURE
    if mean < 2 or not sure:
        return None
    each = f"{values.distinct:,} values with {mean:.1f} rows each on average"
    return "group", f"its name says whose the rows are; {each}"


def duplicates(all_values: list[Values]) -> dict[str, tuple[str, str]]:
    """Tell columns that say the same as an earlier one."""
    found: dict[str, tuple[str, str]] = {}
    alike: dict[Any, list[Values]] = {}
    coded: dict[bytes, str] = {}
    for values in all_values:
        others = alike.setdefault(glance(values), [])
        same = next((o for o in others if o.column.equals(values.column)), None)
        if same is not None:
            found[values.name] = ("duplicate", f"the same as {same.name!r}")
            continue
        others.append(values)
        pattern = pattern_key(values)
        if pattern is None:
            continue
        if pattern in coded:
            why = f"each of its values stands for one of {coded[pattern]!r}"
            found[values.name] = ("duplicate", why)
        else:
            coded[pattern] = values.name
    return found


def glance(values: Values) -> tuple[Any, ...]:
    """Return what equal columns have in common, as far as a few rows tell it."""
    places = np.unique(np.linspace(0, values.rows - 1, GLANCES).astype(np.int64))
    some = values.column.take(places).to_pylist()
    return (str(values.column.type), values.missing, *some)


def pattern_key(values: Values) -> bytes | None:
    """Return a digest of which rows have equal values, if that is telling."""
    n = values.rows
    if n < RECODED or values.kind == "text":
        return None
    if values.kind == "number" and not values.is_whole:
        return None
    if not 2 <= values.distinct <= n // 2:
        return None
    codes = np.ascontiguousarray(appearance(values.column))
    return hashlib.blake2b(codes.data.cast("B"), digest_size=16).digest()


def appearance(column: Any) -> Vector:
    """Return for each row the number of its value, in the order of appearance."""
    import pyarrow as pa
    import pyarrow.compute as pc

    coded = column.combine_chunks()
    if isinstance(coded, pa.ChunkedArray):
        coded = pa.concat_arrays(coded.chunks)
    coded = coded.dictionary_encode()
    return np.asarray(pc.fill_null(coded.indices, -1), dtype=np.int32)


def time_column(all_values: list[Values]) -> dict[str, tuple[str, str]]:
    """Tell the one column of dates along which the rows lie, if there is one."""
    best, score = None, 0
    for values in all_values:
        if values.kind != "date" or values.distinct < 3:
            continue
        days = values.column.drop_null().to_numpy()
        steps = np.diff(days).astype(np.int64)
        order = bool((steps >= 0).all() or (steps <= 0).all())
        named = bool(TIME.search(values.low)) and not PERSONAL.search(values.low)
        points = 2 * order + named
        if points > score:
            best, score = values.name, points
    if best is None:
        return {}
    words = {1: "dates, and its name says so", 2: "the rows are sorted by these dates"}
    words[3] = words[2]
    return {best: ("time", words[score])}
