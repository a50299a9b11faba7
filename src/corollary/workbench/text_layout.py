"""The layout of separated values: the sign between them, and the header.

The delimiter is the one of , ; tab | by which the first lines have as many fields as
the header, or spaces between columns of numbers.  The header is the first line that is
no comment.  A file whose first line holds values is refused: columns need names.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from corollary.core.errors import DataError, sentence
from corollary.workbench.column_names import listed
from corollary.workbench.date_texts import is_date
from corollary.workbench.table_files import ReadingOptions

__all__ = ["HEAD", "Layout", "layout_of"]

DELIMITERS = (",", ";", "\t", "|")
HEAD = 1 << 20  # bytes by which the layout is told
RECORDS = 200
UNUSED = "\x1f"  # a delimiter that no text has, for files of one column
LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|$)")
ROW_NAMES = "row_name"


@dataclass(frozen=True)
class Layout:
    """How a file of separated values is laid out."""

    delimiter: str
    names: tuple[str, ...]
    start: int  # bytes before the first row
    lines: int  # lines before the first row
    quotes: bool = True
    drop_last: bool = False  # every line ends with a delimiter
    notes: tuple[str, ...] = ()


def layout_of(name: str, head: str, options: ReadingOptions) -> Layout:
    """Find delimiter and header in the first bytes of a file."""
    skipped, lines, delimiter = preamble(head)
    body = head[skipped:]
    delimiter = options.delimiter or delimiter or sniffed(body, name)
    quotes = True
    found = records(body, delimiter)
    if not found or found[0].lines > 50:  # a quote that is never closed
        quotes, found = False, records(body, delimiter, quotes=False)
    if not found:
        must = f"{name} must hold a header line and rows"
        raise DataError(sentence(options.who, must, "no line that can be read"))
    header, rest = found[0], [one.fields for one in found[1:]]
    names, drop_last = fitted_names(header.fields, rest)
    refuse_values(name, header.fields, rest, options.who)
    start = len(head[: skipped + header.end].encode("utf-8", "surrogatepass"))
    notes = (f"{name}: its first {lines} lines are no table.",) if lines else ()
    return Layout(
        delimiter, tuple(names), start, lines + header.lines, quotes, drop_last, notes
    )


@dataclass(frozen=True)
class Record:
    """One line of fields, which may span several lines of text."""

    fields: list[str]
    end: int  # letters up to its end
    lines: int


def records(text: str, delimiter: str, quotes: bool = True) -> list[Record]:
    """Return the first records of a text; blank lines are none."""
    found: list[Record] = []
    end = taken = 0

    def lines() -> Iterator[str]:
        nonlocal end, taken
        for line in LINES.finditer(text):
            end, taken = line.end(), taken + 1
            yield line.group()

    reader = csv.reader(
        lines(),
        delimiter=delimiter,
        quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE,
    )
    before = 0
    try:
        for fields in reader:
            if fields:
                found.append(Record(fields, end, taken - before if found else taken))
            before = taken
            if len(found) > RECORDS:
                break
    except csv.Error:  # a field longer than any that is worth a look
        pass
    whole = len(text) < HEAD // 2 or end < len(text)
    return found if whole or len(found) < 2 else found[:-1]


def preamble(head: str) -> tuple[int, int, str]:
    """Return letters and lines before the header, and the delimiter if a line says it.

    Comments that start with # stand before the header where the next line that is none
    has another number of fields; Excel writes sep=; in the first line.
    """
    skipped, lines, delimiter = 0, 0, ""
    rows = [line.group() for line in islice(LINES.finditer(head), 100)]
    for place, line in enumerate(rows):
        said = re.fullmatch(r'"?sep=(.)"?\s*', line) if not delimiter else None
        after = next((one for one in rows[place + 1 :] if one.strip()), "")
        signs = [sum(row.count(d) for d in DELIMITERS) for row in (line, after)]
        comment = line.startswith("#") and bool(after) and signs[0] != signs[1]
        if not (said or comment or (not line.strip() and after)):
            break
        delimiter = said.group(1) if said else delimiter
        skipped, lines = skipped + len(line), lines + 1
    delimiter = "" if delimiter in ('"', "\n", "\r") else delimiter
    return skipped, lines, delimiter


def sniffed(text: str, name: str) -> str:
    """Return the delimiter by which the lines have as many fields as the header."""
    best, score = "", (0.0, 0)
    order = DELIMITERS if ".tsv" not in name.lower() else ("\t", ",", ";", "|")
    alone = []
    for delimiter in order:
        found = records(text, delimiter)
        if not found:
            continue
        width = len(found[0].fields)
        counts = Counter(len(one.fields) for one in found[1:])
        fits = sum(counts[width + more] for more in (0, 1, -1) if width + more > 1)
        share = fits / max(1, len(found) - 1) if len(found) > 1 else 1.0
        if width > 1 and (round(share, 2), width) > score:
            best, score = delimiter, (round(share, 2), width)
        if width == 1 and set(counts) <= {1}:
            alone.append(delimiter)
    if best and score[0] >= 0.5:
        return best
    if in_spaced_columns(text):
        return " "
    return alone[0] if alone else best or UNUSED


def in_spaced_columns(text: str) -> bool:
    """Tell whether spaces stand between columns, most of them of numbers."""
    some = islice(LINES.finditer(text), 2 * RECORDS)
    rows = [line.group().split() for line in some if line.group().strip()]
    if len(rows) < 3 or '"' in text or {len(row) for row in rows} != {len(rows[0])}:
        return False
    cells = [is_number(cell) for row in rows[1:-1] for cell in row]
    return len(rows[0]) > 1 and sum(cells) > len(cells) / 2


def fitted_names(header: list[str], rest: list[list[str]]) -> tuple[list[str], bool]:
    """Return as many names as lines have fields, and whether the last is none.

    Lines may end with a delimiter that the header lacks, or the other way round; some
    programs write the names of rows without a name for their column.
    """
    width, widths = len(header), {len(row) for row in rest}
    if widths == {width + 1}:
        if all(not row[-1].strip() for row in rest):
            return [*header, ""], True
        return ([ROW_NAMES, *header], False) if width > 1 else (header, False)
    if widths == {width - 1} and not header[-1].strip() and width > 1:
        return header[:-1], False
    return header, False


def refuse_values(
    name: str, header: list[str], rest: list[list[str]], who: str
) -> None:
    """Refuse a first line that holds values instead of names."""
    numbers = [is_number(one) or is_date(one) for one in header]
    if not any(numbers) or header in counted(len(header)):
        return
    again = (
        number or one.strip() in {row[j].strip() for row in rest if len(row) > j}
        for j, (one, number) in enumerate(zip(header, numbers, strict=True))
    )
    if all(numbers) or (sum(numbers) >= len(header) / 2 and all(again)):
        must = f"the first line of {name} must name the columns"
        came = f"values, {listed(header, 4)}"
        raise DataError(sentence(who, must, came, "Add a header line."))


def counted(width: int) -> tuple[list[str], ...]:
    """Return headers that programs write where columns have numbers for names."""
    zero, one = list(map(str, range(width))), list(map(str, range(1, width + 1)))
    return (*([zero] if width > 2 else []), *([one] if width > 4 else []))


def is_number(text: str) -> bool:
    """Tell whether a text is a number."""
    try:
        float(text.replace(",", ".") if text.count(",") == 1 else text)
    except ValueError:
        return False
    return text.strip().lower() not in ("nan", "inf", "infinity", "-nan", "-inf")
