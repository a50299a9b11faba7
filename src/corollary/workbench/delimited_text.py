"""Separated values: the cells of a file as texts, and lines that do not fit.

A field in double quotes may hold the delimiter and line breaks.  A line with more or
fewer fields than the header is an error with its number, unless such lines are fewer
than one in a thousand: then they are left out, and a note says so.  See `text_layout`
for the delimiter and the header, `column_types` for what the texts become.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from corollary.core.errors import DataError, sentence
from corollary.workbench.column_types import MISSING_WORDS
from corollary.workbench.table_files import (
    ReadingOptions,
    TableFile,
    encoding_notes,
    encoding_of,
    reason_of,
    text_of,
)
from corollary.workbench.text_layout import HEAD, Layout, layout_of

__all__ = ["DelimitedTable", "delimited_batches", "delimited_table"]

LEFT_OUT = 0.001  # share of lines that may be left out
BLOCK = (1 << 20, 1 << 24)  # bytes that are parsed at once, from and to
LARGEST_BLOCK = (1 << 31) - 1


@dataclass(frozen=True)
class DelimitedTable:
    """Cells as texts, by place, and the names that the header gives."""

    table: Any
    names: tuple[str, ...]
    delimiter: str
    notes: tuple[str, ...] = ()


@dataclass
class BadLines:
    """Lines that do not have as many fields as the header."""

    most: float
    count: int = 0
    first: list[Any] = field(default_factory=list)

    def __call__(self, row: Any) -> str:
        self.count += 1
        if len(self.first) < 20:
            self.first.append(row)
        return "skip" if self.count <= self.most else "error"


# -- cells ---------------------------------------------------------------------------
def delimited_table(
    file: TableFile, data: bytes, options: ReadingOptions
) -> DelimitedTable:
    """Return all cells of a file, whose bytes are given, as texts."""
    text = text_of(file, data, options)
    layout = layout_of(file.name, text.data[:HEAD].decode("utf-8", "ignore"), options)
    if layout.delimiter == " " and b'"' not in text.data:
        text = replace(text, data=squeezed(text.data))
        head = text.data[:HEAD].decode("utf-8", "ignore")
        layout = layout_of(file.name, head, replace(options, delimiter=" "))
    lines = max(1, *(text.data.count(sign, layout.start) for sign in (b"\n", b"\r")))
    quotes = layout.quotes and text.data.find(b'"', layout.start) >= 0
    bad, layout = BadLines(LEFT_OUT * lines), replace(layout, quotes=quotes)
    table, wrong = parsed(text.data, layout, bad)
    fewer = table is None or table.num_rows + 1 < lines
    if quotes and len(layout.names) > 1 and fewer and holds_breaks(table):
        again = BadLines(0)
        plain, _ = parsed(text.data, replace(layout, quotes=False), again)
        fits = plain is not None and not again.count
        if fits and not well_quoted(text.data, layout):
            words = f"{file.name}: quotes are read as letters, as one is never closed."
            layout = replace(layout, notes=(*layout.notes, words))
            table, bad = plain, again
    notes = checked(file, text.data, layout, options, bad, table, wrong)
    return finished(table, layout, (*text.notes, *notes))


def squeezed(data: bytes) -> bytes:
    """Leave one space between fields, and none around lines."""
    data = re.sub(rb"[ \t]+", b" ", data)
    return re.sub(rb"^ +| +$|(?<=\r) +| +(?=\r)", b"", data, flags=re.M)


def well_quoted(data: bytes, layout: Layout) -> bool:
    """Tell whether every quote that opens a field is closed at its end."""
    text = io.TextIOWrapper(io.BytesIO(data), "utf-8", newline="")
    try:
        for _ in csv.reader(text, delimiter=layout.delimiter, strict=True):
            pass
    except csv.Error:
        return False
    return True


def holds_breaks(table: Any) -> bool:
    """Tell whether a cell holds a line break; a table that failed may have."""
    import pyarrow.compute as pc

    if table is None:
        return True
    return any(
        pc.any(pc.match_substring(column, "\n")).as_py() for column in table.columns
    )


def parse_options(layout: Layout, bad: BadLines, newlines: bool) -> dict[str, Any]:
    """Return how pyarrow parses the rows: all cells as texts, columns by place."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    places = list(map(str, range(len(layout.names))))
    return {
        "parse_options": arrow_csv.ParseOptions(
            delimiter=layout.delimiter,
            quote_char='"' if layout.quotes else False,
            newlines_in_values=newlines and layout.quotes,
            invalid_row_handler=bad,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict.fromkeys(places, pa.string()),
            null_values=list(MISSING_WORDS),
            strings_can_be_null=True,
        ),
    }


def parsed(data: bytes, layout: Layout, bad: BadLines) -> tuple[Any, str]:
    """Parse all rows; return a table, or None and what pyarrow says."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    places = list(map(str, range(len(layout.names))))
    body = pa.py_buffer(data).slice(min(layout.start, len(data)))
    if not len(body):
        return pa.table({place: pa.array([], pa.string()) for place in places}), ""
    block, wrong = min(max(len(body) // 8, BLOCK[0]), BLOCK[1]), ""
    while True:
        try:
            read = arrow_csv.ReadOptions(column_names=places, block_size=block)
            options = parse_options(layout, bad, newlines=True)
            return arrow_csv.read_csv(pa.BufferReader(body), read, **options), ""
        except pa.ArrowInvalid as error:
            wrong = reason_of(error)
        if "straddl" not in wrong or block >= min(len(body), LARGEST_BLOCK):
            return None, wrong
        block, bad.count, bad.first = min(8 * block, LARGEST_BLOCK), 0, []


def checked(
    file: TableFile,
    data: bytes,
    layout: Layout,
    options: ReadingOptions,
    bad: BadLines,
    table: Any,
    wrong: str = "",
) -> tuple[str, ...]:
    """Raise where lines do not fit; return notes on the few that are left out."""
    many = table is None or bad.count > bad.most or options.strict
    if bad.count and many:
        line, row = bad_line(data, layout, bad)
        width = len(layout.names)
        must = f"every line of {file.name} must have {width:,} fields like its header"
        came = f"{row.actual_columns:,}{f' in line {line:,}' if line else ''}"
        remedy = "Correct the line; text that holds the delimiter needs quotes."
        raise DataError(sentence(options.who, must, came, remedy))
    if table is None:
        must = f"{file.name} must be a file of separated values"
        raise DataError(sentence(options.who, must, wrong))
    if not table.num_rows:
        must = f"{file.name} must hold at least one row"
        raise DataError(sentence(options.who, must, "a header line only"))
    if not bad.count:
        return layout.notes
    line, _ = bad_line(data, layout, bad)
    many_lines = f"{bad.count:,} line{'s' if bad.count > 1 else ''}"
    first = f", the first is line {line:,}" if line else ""
    words = f"{file.name}: {many_lines} with another number of fields left out{first}."
    return (*layout.notes, words)


def bad_line(data: bytes, layout: Layout, bad: BadLines) -> tuple[int, Any]:
    """Return the number of the first line that does not fit, and its row."""
    places = [(place_of_line(data, layout.start, row.text), row) for row in bad.first]
    at, row = min(places, key=lambda place: place[0])
    if at >= len(data):
        return row.number + layout.lines if row.number else 0, row
    ends, returns, both = (
        data.count(sign, layout.start, at) for sign in (b"\n", b"\r", b"\r\n")
    )
    return ends + returns - both + layout.lines + 1, row


def place_of_line(data: bytes, start: int, line: str) -> int:
    """Return where a line starts, or the end of the data where it is not found."""
    text = re.escape(line.encode("utf-8", "replace"))
    found = re.compile(rb"^" + text + rb"(?=[\r\n]|\Z)", re.M).search(data, start)
    if found is None:  # lines may end as those of old computers did
        found = re.compile(rb"(?<=\r)" + text + rb"(?=[\r\n]|\Z)").search(data, start)
    return found.start() if found else len(data)


def finished(table: Any, layout: Layout, notes: tuple[str, ...]) -> DelimitedTable:
    """Return the table without a last column that is only a sign at the end."""
    names = layout.names
    if layout.drop_last:
        names, table = names[:-1], table.remove_column(table.num_columns - 1)
    return DelimitedTable(table, names, layout.delimiter, notes)


# -- larger than memory --------------------------------------------------------------
def delimited_batches(
    file: TableFile, options: ReadingOptions
) -> Iterator[DelimitedTable]:
    """Return the cells of a file in chunks, without holding the file in memory."""
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    encoding = options.encoding or encoding_of(file)
    head = io.BufferedReader(Decoded(file, encoding), BLOCK[0]).read(HEAD)
    layout = layout_of(file.name, head.decode("utf-8", "ignore"), options)
    bad, rows = BadLines(float("inf")), 0
    read = arrow_csv.ReadOptions(
        column_names=list(map(str, range(len(layout.names)))),
        block_size=int(min(max(options.room / 32, BLOCK[0]), BLOCK[1])),
        use_threads=False,  # only a single thread knows the numbers of lines
    )
    stream = io.BufferedReader(Decoded(file, encoding), BLOCK[0])
    stream.read(layout.start)
    notes = (*encoding_notes(file, encoding, options), *layout.notes)
    try:
        with arrow_csv.open_csv(
            stream, read, **parse_options(layout, bad, newlines=True)
        ) as reader:
            for batch in reader:
                rows += batch.num_rows
                yield finished(pa.table(batch), layout, notes)
                notes = ()
    except pa.ArrowInvalid as error:
        if "Empty CSV" not in str(error):
            must = f"{file.name} must be a file of separated values"
            raise DataError(sentence(options.who, must, reason_of(error))) from None
    bad.most = LEFT_OUT * (rows + bad.count)
    empty = pa.table(
        {str(i): pa.array([], pa.string()) for i in range(len(layout.names))}
    )
    some = empty if not rows else pa.table({"0": [""]})
    found = checked(file, b"", replace(layout, notes=()), options, bad, some)
    yield finished(empty, layout, found)


class Decoded(io.RawIOBase):
    """The letters of a file as UTF-8, decoded while they are read."""

    def __init__(self, file: TableFile, encoding: str) -> None:
        super().__init__()
        self._blocks = self._decoded(file.blocks(), encoding)
        self._rest = b""

    def _decoded(self, blocks: Iterator[bytes], encoding: str) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        first = True
        for block in blocks:
            block = block.removeprefix(codecs.BOM_UTF8) if first else block
            text = decoder.decode(block)
            yield (text.lstrip("\ufeff") if first else text).encode("utf-8", "replace")
            first = False
        yield decoder.decode(b"", True).encode("utf-8", "replace")

    def readable(self) -> bool:
        """Tell that this can be read."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with the next bytes."""
        while not self._rest:
            block = next(self._blocks, None)
            if block is None:
                return 0
            self._rest = block
        count = min(len(buffer), len(self._rest))
        buffer[:count], self._rest = self._rest[:count], self._rest[count:]
        return count
