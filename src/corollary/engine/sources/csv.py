"""CSV files with a header line, read from top to bottom in chunks.

A part is one file.  The first lines of every file tell what a column holds, unless the
user does:

    true, false                       boolean
    numbers, or nothing at all        number, read as float64
    2026-01-31, 2026-01-31 12:30      date
    anything else                     text

Whole numbers may turn into fractions further down; a value that fits less well is an
error with its line.  Labels are read as text, and taken as numbers only where each is
the number's own text: "01" and "1" are two classes.  An empty value is a missing one.
"""

from __future__ import annotations

import codecs
import contextlib
import re
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.engine.sources.columns import Columns, chunks_of, class_labels
from corollary.engine.sources.files import FileSource, unchanged
from corollary.engine.sources.paths import File, failure, first_line
from corollary.engine.sources.source import Chunk, Part

__all__ = ["CSVSource"]

BLOCK_BYTES = 2 * 2**20  # parsed at a time, and looked at to tell the columns' types
BAD_VALUE = re.compile(
    r"CSV column #(\d+): (?:Row #(\d+): )?CSV conversion error to ([^:]+): "
    r"(?:invalid value )?(.*)"
)
STATED = ("number", "boolean", "date", "text", "category")
WHOLE = re.compile(r"-?[0-9]{1,18}")
BAD_LINE = re.compile(r"(?:Row #(\d+): )?Expected (\d+) columns, got (\d+)")


class CSVSource(FileSource):
    r"""Rows of CSV files with a header line, of any number and size.

    Parameters
    ----------
    paths, columns, target, weight, classes, chunk_rows, filesystem
        As in `ParquetSource`.  Files that end in .gz, .bz2 or .zst are decompressed.
    delimiter : str
        What stands between two values.
    encoding : str
        How letters are written as bytes, ``"latin-1"`` for many older files.
    kinds : dict of str, optional
        What columns hold, ``{"zip": "text"}``, where the first lines do not tell it:
        "number", "boolean", "date", "text" or "category".

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from corollary.engine import CSVSource
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "points.csv"
    >>> _ = path.write_text("a,b,y\n1,2,yes\n3,4,no\n")
    >>> source = CSVSource(path, target="y")
    >>> source.names
    ['a', 'b']
    """

    def __init__(
        self,
        paths: Any,
        *,
        columns: list[str] | None = None,
        target: str | list[str] | None = None,
        weight: str | None = None,
        classes: Any = None,
        chunk_rows: int | None = None,
        filesystem: Any = None,
        delimiter: str = ",",
        encoding: str = "utf-8",
        kinds: dict[str, str] | None = None,
    ) -> None:
        packings = ("", ".gz", ".bz2", ".zst")
        endings = tuple(f"{e}{p}" for e in (".csv", ".tsv") for p in packings)
        super().__init__(paths, target, classes, chunk_rows, filesystem, endings)
        self.delimiter, self.encoding = delimiter, known_encoding(self.who, encoding)
        with ThreadPoolExecutor(8) as readers:
            looks = list(readers.map(self._look, self.files))
        filled = [i for i, (_, rows) in enumerate(looks) if rows]
        if not filled:
            must = f"{self.files[0].path} must hold at least one row"
            raise DataError(sentence(self.who, must, "a header line only"))
        self.files = [self.files[i] for i in filled]
        self._schemas = [looks[i][0] for i in filled]
        self.stated = stated_kinds(self.who, kinds, self._schemas[0].names)
        self._agree(self._schemas, columns, weight)
        self._describe()

    def _describe(self) -> None:
        files = f"{len(self.files)} CSV file{'s' if len(self.files) > 1 else ''}"
        self.described = f"{files}, {self.n_features:,} columns"

    def _precision(self, types: list[Any]) -> Any:
        return np.dtype(np.float64)

    def _kind(self, name: str) -> str:
        return self.stated.get(name) or looks_like(self._seen[name])

    def _must_agree(self, name: str) -> Any:
        """Accept labels that look like numbers in one file and not in another."""

    def _whole(self, features: tuple[str, ...]) -> frozenset[str]:
        whole = {f for f in features if set(map(str, self._seen[f])) == {"int64"}}
        return frozenset(whole - set(self.stated))

    def _refuse(self, who: object, name: str) -> None:
        """Show the first value that is no number, where one was meant to be."""
        from pyarrow import float64

        remedy = "Encode it as numbers, or leave it out with columns=[...]."
        if name not in self.stated and self._kind(name) == "text":
            learner = who if isinstance(who, str) else type(who).__name__
            for table in self._tables(self.columns):
                text = replace(table.text, who=learner, remedy=remedy)
                next(text.batches({name: float64()}), None)
        must = f"column {name!r} of {self.files[0].path} must hold numbers"
        raise DataError(sentence(who, must, f"a {self._kind(name)}", remedy))

    def _look(self, file: File) -> tuple[Any, int]:
        """Read the first rows: the columns with their types, and how many rows."""
        text = self._text(file)
        schema, rows = text.first()
        if all(map(_written_number, schema.names)):
            must = f"the first line of {file.path} must name the columns"
            came = ", ".join(schema.names[:5])
            raise DataError(sentence(self.who, must, came, "Add a header line."))
        return schema, rows

    def _text(self, file: File) -> Text:
        return Text(self.who, self.filesystem, file, self.delimiter, self.encoding)

    def parts(self) -> list[Part]:
        """Take each file as a part."""
        return list(self._tables(self.columns))

    def _tables(self, columns: Columns) -> Iterator[Table]:
        threads, (most, pieces) = get_config().threads, self._rows_at_once()
        few = threads > 1 and len(self.files) < 2 * threads
        for file, schema in zip(self.files, self._schemas, strict=True):
            names = tuple(schema.names)
            text = replace(self._text(file), names=names, threads=few)
            yield Table(text, columns, self._types(columns, schema), -(-most // pieces))

    def _types(self, columns: Columns, schema: Any) -> dict[str, Any]:
        """Say as what each column is read: a number, or the label that it is."""
        from pyarrow import bool_, float64, from_numpy_dtype, string

        kinds = {
            name: bool_() if schema.field(name).type == bool_() else float64()
            for name in columns.all
        }
        for name, kind in zip(columns.features, columns.kinds, strict=True):
            if kind in ("text", "category"):
                kinds[name] = string()
            elif kind == "date":
                kinds[name] = date_type(() if name in self.stated else self._seen[name])
            elif name in self.stated:
                kinds[name] = bool_() if kind == "boolean" else float64()
        if columns.encode:
            found, label = columns.classes, string()
            if found is not None and found.dtype.kind in "biuf":
                label = from_numpy_dtype(found.dtype)
            kinds[columns.targets[0]] = label
        return kinds

    def labels(self, learner: object) -> Vector:
        """Return the given classes, or read the target column to find them."""
        if self.classes is not None:
            return self.classes
        texts = super().labels(learner).tolist()
        return class_labels(own_values(texts), f"column {self.target!r}", learner)

    def _label_batches(self) -> Iterator[tuple[Any, str, int]]:
        columns = replace(self.columns.only_labels(), encode=True, classes=None)
        for table in self._tables(columns):
            row = 0
            for batch in table.text.batches(table.kinds):
                yield batch, table.text.file.path, row
                row += batch.num_rows


@dataclass(frozen=True)
class Table(Part):
    """One CSV file."""

    text: Text
    columns: Columns
    kinds: dict[str, Any]
    rows_at_once: int

    several = True

    def chunks(self) -> Iterator[Chunk]:
        """Stream the file."""
        batches, path = self.text.batches(self.kinds), self.text.file.path
        yield from chunks_of(batches, self.columns, self.rows_at_once, path)


@dataclass(frozen=True)
class Text:
    """A CSV file and how to parse it."""

    who: str
    filesystem: Any
    file: File
    delimiter: str
    encoding: str
    names: tuple[str, ...] = ()  # of all its columns
    threads: bool = False  # let pyarrow parse in threads of its own
    remedy: str = ""  # for a value that does not fit its column

    def first(self) -> tuple[Any, int]:
        """Read the first rows: the columns with the types they suggest, how many."""
        from pyarrow import ArrowException

        try:
            with self._opened({}) as reader:
                schema, _ = reader.schema, reader.schema.names
                return schema, next((batch.num_rows for batch in reader), 0)
        except (ArrowException, UnicodeError) as error:
            raise self._wrong(error) from None
        except OSError as error:
            must = f"{self.file.path} must be a CSV file that can be read"
            raise DataError(sentence(self.who, must, failure(error))) from None

    def batches(self, kinds: dict[str, Any]) -> Iterator[Any]:
        """Read record batches with columns of the given types."""
        from pyarrow import ArrowException

        with unchanged(self.who, self.file.path):
            self.file.check_unchanged(self.filesystem)
            try:
                with self._opened(kinds) as reader:
                    yield from map(labels_present, reader)
            except (ArrowException, UnicodeError) as error:
                if self.threads and "Row #" not in str(error):
                    for _ in replace(self, threads=False).batches(kinds):
                        pass  # only a single thread knows the line
                raise self._wrong(error) from None

    @contextlib.contextmanager
    def _opened(self, kinds: dict[str, Any]) -> Iterator[Any]:
        from pyarrow import csv

        with (
            self.filesystem.open_input_stream(self.file.path) as stream,
            csv.open_csv(
                stream,
                csv.ReadOptions(
                    use_threads=self.threads,
                    block_size=BLOCK_BYTES,
                    encoding=self.encoding,
                ),
                csv.ParseOptions(delimiter=self.delimiter),
                csv.ConvertOptions(column_types=kinds, include_columns=list(kinds)),
            ) as reader,
        ):
            yield reader

    def _wrong(self, error: Exception) -> DataError:
        """Say in one sentence what pyarrow says of a bad line."""
        text, path = first_line(error), self.file.path
        if isinstance(error, UnicodeError) or "UTF8" in text:
            must = f"{path} must be written in {self.encoding}"
            remedy = "Give its encoding, such as encoding='latin-1'."
            return DataError(sentence(self.who, must, self._strange_byte(), remedy))
        if found := BAD_VALUE.search(text):
            number, line, kind, value = found.groups()
            where, name = f" in line {line}" if line else "", self.names[int(number)]
            dates = "date" in kind or "time" in kind
            what = "dates" if dates else {"bool": "true or false"}.get(kind, "numbers")
            must = f"column {name!r} of {path} must hold {what}"
            remedy = "Correct the value, leave the column out with columns=[...], or"
            remedy = f"{remedy} read it as text with kinds={{{name!r}: 'text'}}."
            remedy = self.remedy or remedy
            return DataError(sentence(self.who, must, f"{value}{where}", remedy))
        if found := BAD_LINE.search(text):
            line, expected, got = found.groups()
            where = f" in line {line}" if line else ""
            must = f"every line of {path} must have {expected} values like its header"
            remedy = "Correct the line; text that holds the delimiter needs quotes."
            return DataError(sentence(self.who, must, f"{got}{where}", remedy))
        must = f"{path} must be a CSV file with a header line"
        return DataError(sentence(self.who, must, text))

    def _strange_byte(self) -> str:
        """Find the first byte that is no letter in the encoding, and its line."""
        decoder = codecs.getincrementaldecoder(self.encoding)()
        line = 1
        with self.filesystem.open_input_stream(self.file.path) as stream:
            while block := stream.read(BLOCK_BYTES):
                before, _ = decoder.getstate()
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    met = error.object
                    line += met.count(b"\n", len(before), error.start)
                    return f"the byte 0x{met[error.start]:02X} in line {line}"
                line += block.count(b"\n")
        return "a letter cut off at its end"


def labels_present(batch: Any) -> Any:
    """Mark empty texts as missing."""
    from pyarrow import compute, string

    for number, column in enumerate(batch.schema):
        if column.type == string():
            texts = batch.column(number)
            empty = compute.equal(texts, "")
            if compute.any(empty).as_py():
                texts = compute.if_else(empty, None, texts)
                batch = batch.set_column(number, column, texts)
    return batch


def looks_like(types: Iterable[Any]) -> str:
    """Return the kind of a column by what the first lines of each file suggest.

    >>> from pyarrow import float64, int64, null, string
    >>> looks_like([int64(), null(), float64()]), looks_like([int64(), string()])
    ('number', 'text')
    """
    types_seen = {str(kind) for kind in types} - {"null"}
    if types_seen <= {"int64", "double", "bool"}:
        return "boolean" if types_seen == {"bool"} else "number"
    zones = {"tz=" in kind for kind in types_seen}
    dates = all(kind.startswith(("date", "timestamp")) for kind in types_seen)
    return "date" if dates and len(zones) == 1 else "text"


def date_type(types: Iterable[Any]) -> Any:
    """Return the Arrow type by which dates are read: days, or moments."""
    from pyarrow import date32, timestamp

    types_seen = [str(kind) for kind in types if str(kind) != "null"]
    if types_seen and all(kind.startswith("date") for kind in types_seen):
        return date32()
    unit = "ns" if any("[ns" in kind for kind in types_seen) else "us"
    return timestamp(unit, "UTC" if any("tz=" in kind for kind in types_seen) else None)


def stated_kinds(
    who: str, kinds: dict[str, str] | None, names: list[str]
) -> dict[str, str]:
    """Check the kinds of columns that a user states."""
    for name, kind in (kinds or {}).items():
        if name not in names:
            must = f"kinds must be of columns that there are, such as {names[:5]}"
            raise DataError(sentence(who, must, repr(name)))
        if kind not in STATED:
            must = f"kinds must be among {', '.join(STATED)}"
            raise DataError(sentence(who, must, f"{kind!r} for {name!r}"))
    return dict(kinds or {})


def own_values(texts: list[str]) -> list[Any]:
    """Return what texts stand for, if each is the only way to write its value.

    >>> own_values(["1", "2"]), own_values(["1", "01"]), own_values(["1", "1.0"])
    ([1, 2], ['1', '01'], ['1', '1.0'])
    """
    for spelling in ("true", "false"), ("True", "False"), ("TRUE", "FALSE"):
        if set(texts) <= set(spelling):
            return [text == spelling[0] for text in texts]
    try:
        values = [int(text) if WHOLE.fullmatch(text) else float(text) for text in texts]
    except ValueError:
        return texts
    own = np.isfinite(values).all() and [str(value) for value in values] == texts
    return values if own and len(set(values)) == len(values) else texts


def known_encoding(who: str, encoding: str) -> str:
    """Refuse an encoding that Python does not know."""
    try:
        return codecs.lookup(encoding).name
    except (LookupError, TypeError):
        must = "encoding must be one that Python knows, such as 'utf-8' or 'latin-1'"
        raise DataError(sentence(who, must, repr(encoding))) from None


def _written_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True
