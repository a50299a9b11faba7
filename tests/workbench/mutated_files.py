"""Data files with something wrong: a seeded generator.

`mutated(seed)` gives the name and the bytes of a file.  It starts from a table in one
of the formats and damages it in up to three ways, or is a file that never was a table.
"""

import bz2
import gzip
import io
import json
import random
import string

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

__all__ = ["mutated"]

SIGNS = ",;\t|\"'\r\n\0\ufeff \u2028\x85%€-.0"


def mutated(seed):
    """Return the name and the bytes of a damaged file."""
    draw = random.Random(seed)
    if draw.random() < 0.12:
        return draw.choice(NO_TABLES)(draw)
    name, content = draw.choice(FORMATS)(draw)
    for _ in range(draw.choice([0, 1, 1, 1, 2, 3])):
        content = draw.choice(MUTATIONS)(draw, content)
    if draw.random() < 0.1:
        pack, ending = draw.choice(PACKINGS)
        name, content = f"{name}{ending}", pack(content)
        if draw.random() < 0.5:
            content = draw.choice((flip, cut, insert))(draw, content)
    return name, content


# -- tables --------------------------------------------------------------------------
def cell(draw, kind):
    """Return one cell as text."""
    if draw.random() < 0.05:
        return draw.choice(["", "NA", "?", "-", "nan", "inf", "None", " ", '""'])
    number = draw.choice([draw.gauss(0, 1), draw.gauss(0, 1e6), draw.randrange(10)])
    day, month, year = draw.randint(1, 31), draw.randint(1, 12), draw.randint(1, 2300)
    return {
        "number": lambda: repr(number),
        "comma": lambda: repr(round(number, 2)).replace(".", ","),
        "thousands": lambda: f'"{number:,.2f}"',
        "percent": lambda: f"{number:.1f}%",
        "huge": lambda: draw.choice(["1e400", "9" * 30, "-1e308", "5e-324"]),
        "word": lambda: draw.choice(["red", "green", "blue", "grün"]),
        "sentence": lambda: " ".join(draw.choices(["a", "of", "to", "it"], k=6)),
        "boolean": lambda: draw.choice(["yes", "no", "Yes", "true"]),
        "date": lambda: f"{day}.{month}.{year}",
        "iso": lambda: f"{year:04d}-{month:02d}-{day:02d}T10:{day:02d}:00Z",
        "unicode": lambda: "".join(
            chr(
                draw.choice(
                    [draw.randrange(32, 0xD800), draw.randrange(0x1F600, 0x1F640)]
                )
            )
            for _ in range(draw.randrange(8))
        ),
        "odd": lambda: str(number) if draw.random() < 0.99 else "oops",
    }[kind]()


KINDS = (
    "number comma thousands percent huge word sentence boolean date iso unicode odd"
).split()


def cells(draw, most=40):
    """Return a header and rows of texts."""
    width = draw.choice([1, 2, 3, 5, 8])
    kinds = draw.choices(KINDS, k=width)
    names = [
        draw.choice(["a", "b", "", "id", "x y", "größe", "7", kind]) for kind in kinds
    ]
    rows = [[cell(draw, kind) for kind in kinds] for _ in range(draw.randrange(most))]
    return names, rows


def csv_file(draw):
    names, rows = cells(draw, draw.choice([3, 40, 400]))
    sign, end = draw.choice(",;\t|"), draw.choice(["\n", "\n", "\r\n", "\r"])
    text = end.join(sign.join(row) for row in [names, *rows])
    encoding = draw.choice(["utf-8"] * 4 + ["utf-8-sig", "utf-16", "cp1252", "utf-32"])
    return draw.choice(["a.csv", "a.tsv", "a.txt"]), text.encode(encoding, "replace")


def arrow_columns(draw):
    names, rows = cells(draw)
    rows = rows or [["x"] * len(names)]
    columns = {}
    for j, name in enumerate(names):
        column = [row[j] for row in rows]
        try:
            column = [float(value) for value in column]
        except ValueError:
            if draw.random() < 0.3:
                column = pa.array(column).dictionary_encode()
        if draw.random() < 0.1:
            column = [[1, 2]] * len(rows)
        columns[f"{name}{j}"] = column
    return pa.table(columns)


def parquet_file(draw):
    buffer = io.BytesIO()
    packing = draw.choice(["none", "snappy", "zstd"])
    pq.write_table(arrow_columns(draw), buffer, compression=packing)
    return "a.parquet", buffer.getvalue()


def feather_file(draw):
    buffer = io.BytesIO()
    packing = draw.choice(["uncompressed", "lz4", "zstd"])
    feather.write_feather(arrow_columns(draw), buffer, compression=packing)
    return "a.feather", buffer.getvalue()


def stream_file(draw):
    table, buffer = arrow_columns(draw), io.BytesIO()
    with pa.ipc.new_stream(buffer, table.schema) as writer:
        writer.write_table(table)
    return "a.arrow", buffer.getvalue()


def json_file(draw):
    names, rows = cells(draw)
    objects = [dict(zip(names, row, strict=True)) for row in rows]
    for one in objects:
        if one and draw.random() < 0.2:
            one[draw.choice(names)] = draw.choice([1, 2.5, None, True, [1], {"b": 2}])
    if draw.random() < 0.5:
        return "a.json", json.dumps(objects).encode()
    return "a.jsonl", "\n".join(map(json.dumps, objects)).encode()


FORMATS = [csv_file] * 6 + [
    parquet_file,
    feather_file,
    stream_file,
    json_file,
    json_file,
]
PACKINGS = ((gzip.compress, ".gz"), (bz2.compress, ".bz2"))


# -- damage --------------------------------------------------------------------------
def place(draw, content):
    return draw.randrange(len(content) + 1)


def flip(draw, content):
    """Change single bits."""
    data = bytearray(content)
    for _ in range(draw.choice([1, 5, 50]) if data else 0):
        data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
    return bytes(data)


def cut(draw, content):
    """Leave the end, or the start, or the middle out."""
    a, b = sorted((place(draw, content), place(draw, content)))
    return draw.choice([content[:a], content[a:], content[:a] + content[b:]])


def insert(draw, content):
    """Put signs, bytes or a piece of the file itself somewhere."""
    at = place(draw, content)
    new = draw.choice(
        [
            draw.choice(SIGNS).encode("utf-8") * draw.choice([1, 3, 100]),
            draw.randbytes(draw.choice([1, 10, 200])),
            content[at : at + 200],
            b"\0" * draw.choice([1, 1000]),
            b"\xff\xfe",
        ]
    )
    return content[:at] + new + content[at:]


def swap(draw, content):
    """Write another sign for some of one kind."""
    old, new = draw.choices([b",", b";", b"\t", b"|", b'"', b"\n", b".", b"1"], k=2)
    return content.replace(old, new, draw.choice([1, 5, -1]))


def lines(draw, content):
    """Repeat, leave out, cut or exchange lines."""
    parts = content.split(b"\n")
    for _ in range(draw.choice([1, 5])):
        i = draw.randrange(len(parts))
        j = draw.randrange(len(parts))
        change = draw.randrange(4)
        if change == 0:
            parts.insert(i, parts[j])
        elif change == 1 and len(parts) > 1:
            del parts[i]
        elif change == 2:
            parts[i] = parts[i][: place(draw, parts[i])]
        else:
            parts[i], parts[j] = parts[j], parts[i]
    return b"\n".join(parts)


def quote(draw, content):
    """Put quotes where they do not belong."""
    at = place(draw, content)
    new = draw.choice([b'"', b'""', b'"\n', b',"', b"'", b'"""'])
    return content[:at] + new + content[at:]


def long_field(draw, content):
    """Put one very long field somewhere."""
    at = content.find(b"\n", place(draw, content))
    word = draw.choice([b"x", b"1", b"\xc3\xa9", b'"', b"9,"])
    return content[:at] + word * draw.choice([1000, 200_000]) + content[at:]


MUTATIONS = (flip, cut, insert, swap, lines, quote, long_field)


# -- what never was a table ----------------------------------------------------------
def empty(draw):
    return "a.csv", draw.choice([b"", b"\n", b" \n \n", b"\xef\xbb\xbf", b"\xff\xfe"])


def noise(draw):
    name = draw.choice(["a.csv", "a.json", "a.bin", "a.parquet", "a.arrow"])
    return name, draw.randbytes(draw.choice([1, 10, 1000, 50_000]))


def fake_magic(draw):
    magic = draw.choice(
        (
            *(b"PAR1", b"ARROW1", b"FEA1", b"\xff\xff\xff\xff", b"\x1f\x8b\x08"),
            *(b"BZh9", b"\x28\xb5\x2f\xfd", b"PK\x03\x04", b"{", b"[", b"[{"),
        )
    )
    end = draw.choice([b"", magic])
    return "a", magic + draw.randbytes(draw.choice([0, 4, 100, 5000])) + end


def garbage_packed(draw):
    pack, ending = draw.choice(PACKINGS)
    return f"a.csv{ending}", pack(draw.randbytes(draw.choice([0, 10, 5000])))


def wide(draw):
    width = draw.choice([1000, 10_000])
    names = ",".join(f"c{j}" for j in range(width))
    row = ",".join(str(draw.randrange(10)) for _ in range(width))
    rows = [row] * draw.choice([1, 3])
    if draw.random() < 0.5:
        rows.append(row + ",1" * draw.randrange(3))
    return "wide.csv", "\n".join([names, *rows]).encode()


def commas(draw):
    sign = draw.choice([b",", b";", b'"', b"\n,", b'",', b"\t\n"])
    return "a.csv", sign * draw.choice([1, 100, 100_000])


def words(draw):
    text = "".join(draw.choices(string.printable + SIGNS, k=draw.randrange(2000)))
    return draw.choice(["a.csv", "a.jsonl"]), text.encode("utf-8", "replace")


def deep(draw):
    depth = draw.choice([10, 2000, 100_000])
    return "a.json", draw.choice([b"[", b'{"a":', b'[{"a":']) * depth


def binary_array(draw):
    buffer = io.BytesIO()
    np.save(buffer, np.arange(draw.randrange(1, 500)))
    return draw.choice(["a.npy", "a.csv"]), buffer.getvalue()


NO_TABLES = (
    *(empty, noise, noise, fake_magic, fake_magic, garbage_packed, wide, commas, words),
    *(deep, binary_array),
)
