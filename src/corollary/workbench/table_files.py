"""Files that hold tables: which they are, how they are packed, what is inside.

The first bytes of a file say what it is, and only then its name:

    PAR1                     Parquet
    ARROW1, FEA1             Arrow file, Feather
    FF FF FF FF              Arrow stream
    1F 8B, BZh, 28 B5 2F FD  gzip, bzip2, Zstandard around one of the others
    { or [                   JSON: an object a line, or one list of objects
    other text               separated values

Text is UTF-8, or UTF-16 or UTF-32 with the mark of its byte order; what is neither is
taken for Windows' Western European letters (cp1252), and a note says so.
"""

from __future__ import annotations

import codecs
import contextlib
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from corollary.core.errors import DataError, MemoryLimitError, sentence
from corollary.engine.sources.csv import known_encoding
from corollary.engine.sources.paths import first_line, located
from corollary.workbench.column_names import closest

__all__ = [
    "ReadingOptions",
    "TableFile",
    "Text",
    "checked_encoding",
    "encoding_of",
    "format_of",
    "readable",
    "reason_of",
    "table_files",
    "text_of",
]

PACKINGS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
TEXTS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
TYPED = (".parquet", ".pq", ".arrow", ".feather", ".ipc", ".arrows")
ENDINGS = (*(f"{e}{p}" for e in TEXTS for p in ("", ".gz", ".bz2", ".zst")), *TYPED)
OTHERS = {  # files that are met often and hold no table that is read
    b"PK\x03\x04": "a zip archive or an Excel workbook",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook",
    b"\xfd7zXZ": "an xz archive",
    b"%PDF": "a PDF document",
    b"\x89HDF": "an HDF5 file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"SQLite format": "a SQLite database",
    b"\x93NUMPY": "a NumPy array",
    b"\x7fELF": "a program",
    b"<!DOCTYPE": "a web page",
    b"<html": "a web page",
    b"<?xml": "an XML document",
}
BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
BLOCK = 1 << 20
BINARY = 0.02  # share of control signs that no text has
UNDEFINED = re.compile(rb"[\x81\x8d\x8f\x90\x9d]")  # bytes that cp1252 does not have
STDIN = "standard input"
LINE = 200  # letters of what a reader says
MANY = 10_000  # names of a folder among which a close one is looked for


@dataclass(frozen=True)
class ReadingOptions:
    """How files are to be read, and by whom."""

    who: str = "read_table"
    delimiter: str | None = None
    encoding: str | None = None
    strict: bool = False  # no line may be left out
    room: float = float("inf")  # bytes that may be taken at once


@dataclass(frozen=True)
class TableFile:
    """One file, or the bytes of the standard input."""

    name: str
    filesystem: Any = None
    path: str = ""
    data: Any = None  # bytes, where there is no path
    size: int = 0

    def unpacked(self) -> Any:
        """Open the file for reading from its start, decompressed."""
        import pyarrow as pa

        raw = self._raw()
        return pa.CompressedInputStream(raw, self.packing) if self.packing else raw

    def _raw(self) -> Any:
        import pyarrow as pa

        if self.data is not None:
            return pa.BufferReader(self.data)
        return self.filesystem.open_input_file(self.path)

    @cached_property
    def packing(self) -> str:
        """How the file is compressed, if it is."""
        with self._raw() as stream:
            start = bytes(stream.read(4))
        for magic, packing in PACKINGS.items():
            if start.startswith(magic):
                return packing
        return ""

    def head(self, count: int = BLOCK) -> bytes:
        """Return the first bytes, decompressed."""
        with self.unpacked() as stream:
            return bytes(stream.read(count))

    def blocks(self) -> Iterator[bytes]:
        """Return all bytes, decompressed, block by block."""
        with self.unpacked() as stream:
            while block := stream.read(BLOCK):
                yield block

    def read(self, room: float) -> bytes | None:
        """Return all bytes, or None where they need more room."""
        if self.data is not None and not self.packing:
            return bytes(self.data)
        if self.size > room:
            return None
        if not self.packing:
            with self._raw() as stream:
                return bytes(stream.read())
        out = bytearray()
        for block in self.blocks():
            out += block
            if len(out) > room:
                return None
        return bytes(out)

    def seekable(self, options: ReadingOptions) -> Any:
        """Open a file that is read here and there."""
        import pyarrow as pa

        if not self.packing:
            return self._raw()
        data = self.read(options.room)
        if data is None:
            must = f"{self.name}, unpacked, must fit in {options.room / 1e9:.3g} GB"
            came, remedy = "a larger file", "Unpack it first."
            raise MemoryLimitError(sentence(options.who, must, came, remedy))
        return pa.BufferReader(data)


def table_files(paths: Any, options: ReadingOptions) -> list[TableFile]:
    """Return the files that paths, patterns, folders or `-` stand for."""
    several = isinstance(paths, list | tuple)
    asked = [os.fspath(path) for path in (paths if several else [paths])]
    files: list[TableFile] = []
    for path in asked:
        if isinstance(path, bytes):
            path = os.fsdecode(path)
        if "\0" in path:
            must = "a path must be the name of a file"
            raise DataError(sentence(options.who, must, repr(path[:60])))
        if path == "-":
            files.append(standard_input(options))
            continue
        must_exist(path, options.who)
        place = os.path.expanduser(path)
        endings = tables_in(place, options.who) if os.path.isdir(place) else ENDINGS
        filesystem, found = located(options.who, path, None, endings)
        files += [
            TableFile(shown(one.path), filesystem, one.path, size=one.size or 0)
            for one in found
        ]
    if not files:
        must = "paths must name at least one file"
        raise DataError(sentence(options.who, must, "none"))
    return files


def tables_in(folder: str, who: str) -> tuple[str, ...]:
    """Return the endings of the tables of a folder: .txt only where nothing else is."""
    some = tuple(ending for ending in ENDINGS if ".txt" not in ending)
    names = [name.lower() for _, _, found in os.walk(folder) for name in found]
    if not any(name.endswith(ENDINGS) for name in names):
        must = f"{folder} must hold tables as CSV, Parquet, Arrow or JSON"
        raise DataError(sentence(who, must, f"{len(names):,} other files"))
    return some if any(name.endswith(some) for name in names) else ENDINGS


def must_exist(path: str, who: str) -> None:
    """Refuse the name of a local file that is not there; tell a name that is close."""
    place = os.path.expanduser(path)
    if "://" in path or any(sign in path for sign in "*?[") or os.path.exists(place):
        return
    folder = os.path.dirname(place) or "."
    names = sorted(os.listdir(folder))[:MANY] if os.path.isdir(folder) else []
    near = closest(os.path.basename(place), names)
    remedy = near if near.startswith("The closest") else ""
    must = f"{path} must be a file, a folder or a pattern"
    raise DataError(sentence(who, must, "no such file", remedy))


def shown(path: str) -> str:
    """Return a path as it is written from where the user stands."""
    here = os.getcwd()
    inside = path.startswith(here + os.sep)
    return path[len(here) + 1 :] if inside else path


def standard_input(options: ReadingOptions) -> TableFile:
    """Read the standard input once."""
    stream = getattr(sys.stdin, "buffer", sys.stdin)
    if stream is None:
        must = "the standard input must be open"
        raise DataError(sentence(options.who, must, "none"))
    most = options.room
    data = stream.read() if most == float("inf") else stream.read(int(most) + 1)
    data = data.encode() if isinstance(data, str) else data
    if len(data) > most:
        must = f"the standard input must fit in {most / 1e9:.3g} GB"
        remedy = "Give the name of a file, of which a sample can be taken."
        raise MemoryLimitError(sentence(options.who, must, "more", remedy))
    return TableFile(STDIN, data=data, size=len(data))


def format_of(file: TableFile, options: ReadingOptions) -> str:
    """Tell what a file holds: parquet, arrow, stream, json or text."""
    who = options.who
    with readable(file, options):
        head = file.head(64 * 1024)
    if not head.strip(b"\r\n\t \0"):
        must = f"{file.name} must hold a header line and rows"
        raise DataError(sentence(who, must, "an empty file"))
    for magic, found in (
        (b"PAR1", "parquet"),
        (b"ARROW1", "arrow"),
        (b"FEA1", "arrow"),
    ):
        if head.startswith(magic):
            return found
    if head.startswith(b"\xff\xff\xff\xff"):
        return "stream"
    ending = os.path.splitext(file.path)[1].lower()
    if ending in TYPED:
        must = f"{file.name} must start like a file of its kind, {ending}"
        raise DataError(sentence(who, must, f"the bytes {head[:6]!r}"))
    for magic, other in OTHERS.items():
        if head.startswith(magic):
            must = f"{file.name} must hold a table as CSV, Parquet, Arrow or JSON"
            remedy = "Save the table as CSV first."
            raise DataError(sentence(who, must, other, remedy))
    return text_format(file, head, ending, options)


def text_format(
    file: TableFile, head: bytes, ending: str, options: ReadingOptions
) -> str:
    """Tell JSON from separated values, and both from what is no text."""
    encoding = options.encoding or start_encoding(head)
    if not encoding.startswith(("utf-16", "utf-32", "utf_16", "utf_32")):
        if len(CONTROL.findall(head)) > BINARY * len(head):
            must = f"{file.name} must hold a table as CSV, Parquet, Arrow or JSON"
            raise DataError(sentence(options.who, must, "bytes that are no text"))
    try:
        start = head.decode(encoding, "replace").lstrip("\ufeff \t\r\n")
    except (LookupError, UnicodeError):
        start = head.decode("latin-1")
    named = any(part in file.path.lower() for part in (".json", ".ndjson"))
    objects = re.match(r'\{\s*("|\})|\[\s*(\{|\])', start)
    return "json" if named or (objects and ending not in (".csv", ".tsv")) else "text"


@contextlib.contextmanager
def readable(file: TableFile, options: ReadingOptions) -> Iterator[None]:
    """Say in one sentence that a file cannot be read to its end."""
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException) as error:
        must = f"{file.name} must be a file that can be read"
        raise DataError(sentence(options.who, must, reason_of(error))) from None


def checked_encoding(who: str, encoding: str | None) -> str | None:
    """Refuse the name of an encoding by which no text is written."""
    if encoding is None:
        return None
    name = known_encoding(who, encoding)
    try:
        good = "a,1\n".encode(name).decode(name) == "a,1\n"
    except (LookupError, UnicodeError):
        good = False
    if not good:
        must = "encoding must be one of texts, such as 'utf-8' or 'latin-1'"
        raise DataError(sentence(who, must, repr(encoding)))
    return name


def reason_of(error: BaseException) -> str:
    """Return what an error of a reader says, in one short line of letters."""
    line = first_line(error)
    line = "".join(sign if sign.isprintable() else "?" for sign in line)
    return line if len(line) <= LINE else f"{line[: LINE - 3]}..."


# -- letters -------------------------------------------------------------------------
@dataclass(frozen=True)
class Text:
    """Text as UTF-8 bytes, and what there is to say of its letters."""

    data: bytes
    encoding: str
    notes: tuple[str, ...] = ()


def start_encoding(head: bytes) -> str:
    """Tell the encoding by the first bytes: a mark, or zeros at every other place."""
    for bom, encoding in BOMS:
        if head.startswith(bom):
            return encoding
    even, odd = head[0:4096:2].count(0), head[1:4096:2].count(0)
    half = max(1, min(len(head), 4096) // 2)
    if odd > 0.4 * half and even < 0.05 * half:
        return "utf-16-le"
    if even > 0.4 * half and odd < 0.05 * half:
        return "utf-16-be"
    return "utf-8"


def encoding_of(file: TableFile) -> str:
    """Tell the encoding of a file, reading all of it."""
    found = start_encoding(file.head(4096))
    if not found.startswith("utf-8"):
        return found
    decoder = codecs.getincrementaldecoder(found)()
    try:
        for block in file.blocks():
            decoder.decode(block)
        decoder.decode(b"", True)
    except UnicodeDecodeError:
        undefined = any(UNDEFINED.search(block) for block in file.blocks())
        return "latin-1" if undefined else "cp1252"
    return found


def text_of(file: TableFile, data: bytes, options: ReadingOptions) -> Text:
    """Return the bytes of a file as UTF-8."""
    encoding = options.encoding or encoding_of(TableFile(file.name, data=data))
    if encoding in ("utf-8", "utf-8-sig") and not options.encoding:
        return Text(data.removeprefix(codecs.BOM_UTF8), encoding)
    try:
        errors = "strict" if options.encoding else "replace"
        text = data.removeprefix(codecs.BOM_UTF8).decode(encoding, errors)
    except (UnicodeError, LookupError) as error:
        byte = reason_of(error)
        if isinstance(error, UnicodeDecodeError):
            line = data.count(b"\n", 0, error.start) + 1
            byte = f"the byte 0x{error.object[error.start]:02X} in line {line:,}"
        must = f"{file.name} must be written in {encoding}"
        raise DataError(sentence(options.who, must, byte)) from None
    written = text.lstrip("\ufeff").encode("utf-8", "replace")
    return Text(written, encoding, encoding_notes(file, encoding, options))


def encoding_notes(
    file: TableFile, encoding: str, options: ReadingOptions
) -> tuple[str, ...]:
    """Say in which letters a file was read, where it had to be guessed."""
    if options.encoding or encoding not in ("cp1252", "latin-1"):
        return ()
    words = "Western European letters"
    return (f"{file.name} is not UTF-8; it is read as {words} ({encoding}).",)
