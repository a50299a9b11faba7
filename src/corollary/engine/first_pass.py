"""What every chunk is held to when it is first read, and what a pass has seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeVar

from corollary.core.check_table import check_table_values
from corollary.core.checks import check_finite, check_sizes
from corollary.core.errors import DataError, sentence
from corollary.core.table import Table
from corollary.engine.sources.source import Chunk

__all__ = ["Check", "Seen", "check_target", "guarded", "len_of"]

S = TypeVar("S")


class Check(NamedTuple):
    """In whose name chunks are checked on their first pass, and for what."""

    who: str
    names: list[str] | None
    numbers: bool  # whether y must hold numbers
    missing: bool = False  # whether X may hold NaN
    double: bool = False  # whether squares are made in float64


class Seen(NamedTuple):
    """How many rows were read, and the sizes of the largest weight, feature, target."""

    rows: int = 0
    weight: float = 0.0
    X: float = 0.0
    y: float = 0.0

    def __or__(self, other: Seen) -> Seen:  # rows read one after the other
        return Seen(self.rows + other.rows, *map(max, self[1:], other[1:]))


def len_of(chunk: Chunk) -> int:
    """Count a chunk's rows."""
    return chunk.n


def guarded(
    function: Callable[[Chunk], S], check: Check | None, chunk: Chunk
) -> tuple[Seen, S]:
    """Apply a function to a chunk, after checking the chunk on its first pass."""
    if check is None:
        return Seen(chunk.n), function(chunk)
    return checked(check, chunk), function(chunk)


def checked(check: Check, chunk: Chunk) -> Seen:
    """Refuse what cannot be learned from; return how much of what the chunk holds."""
    who, row = check.who, chunk.first_row
    size = 0.0
    if chunk.n and isinstance(chunk.X, Table):
        check_table_values(
            who, chunk.X, names=check.names, first_row=row, missing=check.missing
        )
    elif chunk.n:
        size = check_finite(
            who,
            chunk.X,
            names=check.names,
            first_row=row,
            missing=check.missing,
            double=check.double,
        )
    target, weight = check_target(who, chunk, numbers=check.numbers)
    return Seen(chunk.n, weight, size, target)


def check_target(who: str, chunk: Chunk, *, numbers: bool) -> tuple[float, float]:
    """Refuse targets and weights that are none; return the sizes of the largest."""
    row, target, weight = chunk.first_row, 0.0, float(chunk.n > 0)
    if numbers and chunk.y is not None and chunk.y.dtype.kind not in "fiub":
        must, came = "y must hold numbers", f"{chunk.y.dtype} from row {row} on"
        raise DataError(sentence(who, must, came, "Encode text as numbers first."))
    if chunk.y is not None and chunk.y.dtype.kind == "f":
        target = check_sizes(who, chunk.y, "y", row)
    if chunk.w is not None:
        weight = check_sizes(who, chunk.w, "sample_weight", row)
        if len(chunk.w) and chunk.w.min() < 0:
            must = "sample_weight must be >= 0"
            came = f"{chunk.w.min():g} in row {row + int(chunk.w.argmin())}"
            raise DataError(sentence(who, must, came))
    return target, weight
