"""Tables from files as people have them."""

import bz2
import csv
import gzip
import io
import pathlib
import sys
import tempfile

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import DataError, MemoryLimitError, ParameterError
from corollary.workbench import read_table

ROWS = 60


@pytest.fixture
def write(tmp_path):
    def written(name, text, encoding="utf-8"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode(encoding))
        return path

    return written


def example(rows=ROWS):
    """Return a table with a column of each kind."""
    i = np.arange(rows)
    day = np.datetime64("2024-01-01") + i.astype("timedelta64[D]")
    return pa.table(
        {
            "size": np.where(i % 7 == 3, np.nan, i * 1.25 - 3),
            "count": i % 5,
            "town": [["Oslo", "Rome", None, "Bonn"][k % 4] for k in i],
            "open": [bool(k % 3) for k in i],
            "day": pa.array(day.astype("datetime64[us]")),
        }
    )


def values(data):
    return data.table.to_pydict()


def said(data):
    return [(c.name, c.kind, c.role) for c in data.columns]


# -- formats -------------------------------------------------------------------------
def as_csv(table, **options):
    buffer = io.BytesIO()
    pacsv.write_csv(table, buffer, pacsv.WriteOptions(**options))
    return buffer.getvalue()


def as_ipc(table, stream):
    buffer = io.BytesIO()
    kind = pa.ipc.new_stream if stream else pa.ipc.new_file
    with kind(buffer, table.schema) as writer:
        writer.write_table(table)
    return buffer.getvalue()


def as_json(table, lines=True):
    frame = table.to_pandas()
    frame["day"] = frame["day"].dt.strftime("%Y-%m-%d")
    return frame.to_json(orient="records", lines=lines).encode()


def as_parquet(table):
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


def as_feather(table):
    buffer = io.BytesIO()
    feather.write_feather(table, buffer, compression="zstd")
    return buffer.getvalue()


LATE = gzip.compress(
    b"a,b\n" + np.random.default_rng(0).bytes(300_000).hex(",", 9).encode()
)
LATE = LATE[:250_000] + b"xx" + LATE[250_002:]  # damaged after its first lines
FILES = {
    "a.csv": as_csv,
    "a.tsv": lambda t: as_csv(t, delimiter="\t"),
    "semicolons.csv": lambda t: as_csv(t, delimiter=";"),
    "bars.txt": lambda t: as_csv(t, delimiter="|"),
    "a.csv.gz": lambda t: gzip.compress(as_csv(t)),
    "a.csv.bz2": lambda t: bz2.compress(as_csv(t)),
    "a.csv.zst": lambda t: pa.Codec("zstd").compress(as_csv(t), asbytes=True),
    "a.parquet": as_parquet,
    "a.feather": as_feather,
    "a.arrow": lambda t: as_ipc(t, stream=False),
    "a.arrows": lambda t: as_ipc(t, stream=True),
    "a.jsonl": as_json,
    "a.json": lambda t: as_json(t, lines=False),
    "without_ending": as_parquet,
}


@pytest.mark.parametrize("name", FILES)
def test_the_same_table_is_read_from_every_format(write, name):
    table = example()
    data = read_table(write(name, FILES[name](table)))
    assert data.rows == data.used_rows == ROWS
    expected = values(read_table(table))
    assert values(data) == expected
    assert expected["size"][3] is None
    assert expected["town"][2] is None
    kinds = [column.kind for column in data.columns]
    assert kinds == ["number", "number", "category", "boolean", "date"]
    assert data.table.schema.types == [
        pa.float64(),
        pa.float64(),
        pa.string(),
        pa.bool_(),
        pa.timestamp("us"),
    ]
    assert data.notes == ()


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.arrows", "a.jsonl"])
def test_the_standard_input_is_read_once(monkeypatch, name):
    table = example()
    fake = type("Input", (), {"buffer": io.BytesIO(FILES[name](table))})()
    monkeypatch.setattr(sys, "stdin", fake)
    assert values(read_table("-")) == values(read_table(table))


def test_frames_of_every_library_are_taken():
    table = example()
    expected = values(read_table(table))
    frames = (table.to_pandas(), pl.from_arrow(table), table.to_pydict())
    for frame in frames:
        assert values(read_table(frame)) == expected
    matrix = read_table(np.arange(6.0).reshape(3, 2))
    assert values(matrix) == {"column_1": [0, 2, 4], "column_2": [1, 3, 5]}
    mixed = read_table(pd.DataFrame({"a": [1, "x", None] * 5, 3: range(15)}))
    assert values(mixed)["a"][:3] == ["1", "x", None]
    assert mixed.columns[1].name == "3"


def test_lazy_frames_and_other_objects_are_refused():
    with pytest.raises(DataError, match="a lazy one"):
        read_table(pl.DataFrame({"a": [1]}).lazy())
    for wrong in (3, None, [1, 2], np.arange(3.0)):
        with pytest.raises((ParameterError, DataError), match=r"^read_table: "):
            read_table(wrong)
    for empty in ({}, {"a": []}, {"a": [[1], [2]]}):
        with pytest.raises(DataError, match="rows and columns"):
            read_table(empty)
    with pytest.raises(DataError, match="lists of one length"):
        read_table({"a": [1], "b": [1, 2]})


def test_categories_that_are_declared_stay_so():
    frame = pd.DataFrame({"code": pd.Categorical(["1", "2", "1"]), "x": [1, 2, 3]})
    assert read_table(frame).column("code").kind == "category"


def test_nested_columns_are_taken_apart_or_left_out(write):
    lines = '{"a": {"b": 1, "c": {"d": "x"}}, "e": [1, 2]}\n' * 3
    data = read_table(write("n.jsonl", lines))
    assert [c.name for c in data.columns] == ["a.b", "a.c.d"]
    assert "'e'" in data.notes[0]


def test_json_of_mixed_types_is_read_and_a_bad_line_is_named(write):
    mixed = '{"a": 1, "b": "x"}\n{"a": "two"}\n{"a": null, "b": "y"}\n'
    data = read_table(write("mixed.jsonl", mixed))
    assert values(data) == {"a": ["1", "two", None], "b": ["x", None, "y"]}
    with pytest.raises(DataError, match="in line 2"):
        read_table(write("bad.jsonl", '{"a": 1}\n{"a": \n'))
    columns = read_table(write("columns.json", '{"a": [1, 2], "b": ["x", "y"]}'))
    assert values(columns) == {"a": [1, 2], "b": ["x", "y"]}


# -- headers -------------------------------------------------------------------------
def test_messy_headers_become_clean_unique_names(write):
    long = "n" * 500
    text = f'\ufeff a ,a,,"first\nsecond",{long},a_2\n1,2,3,4,5,6\n2,3,4,5,6,7\n'
    data = read_table(write("h.csv", text))
    names = [c.name for c in data.columns]
    assert names[:4] == ["a", "a_3", "column_3", "first second"]
    assert len(names[4]) == 80
    assert names[5] == "a_2"
    assert data.columns[0].original == " a "
    assert data.columns[4].original == long
    assert values(data)["first second"] == [4, 5]


def test_lines_before_the_header_are_skipped(write):
    data = read_table(write("c.csv", "# made by hand\n\na,b\n1,x\n2,y\n"))
    assert values(data) == {"a": [1, 2], "b": ["x", "y"]}
    assert "no table" in data.notes[0]
    excel = read_table(write("e.csv", "sep=;\na;b\n1;x\n2;y\n"))
    assert values(excel) == {"a": [1, 2], "b": ["x", "y"]}
    named = read_table(write("d.csv", "#id,b\n1,x\n2,y\n"))
    assert [c.name for c in named.columns] == ["#id", "b"]


def test_delimiters_at_the_end_and_names_of_rows(write):
    ends = read_table(write("t.csv", "a,b\n1,2,\n3,4,\n"))
    assert values(ends) == {"a": [1, 3], "b": [2, 4]}
    header = read_table(write("t.csv", "a,b,\n1,2\n3,4\n"))
    assert values(header) == {"a": [1, 3], "b": [2, 4]}
    rows = read_table(write("r.csv", '"a","b"\n"r1",1,2\n"r2",3,4\n'))
    assert values(rows)["row_name"] == ["r1", "r2"]
    assert values(rows)["b"] == [2, 4]


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n3,4\n",
        "2020-01-01,5\n2020-01-02,6\n",
        "5.1,3.5,setosa\n4.9,3.0,setosa\n7,3.2,versicolor\n",
    ],
)
def test_a_file_without_a_header_is_refused(write, text):
    with pytest.raises(DataError, match=r"first line .* must name the columns.*header"):
        read_table(write("n.csv", text))


def test_numbers_may_be_names_where_they_count(write):
    data = read_table(write("n.csv", "0,1,2\n5,6,7\n8,9,1\n"))
    assert values(data) == {"0": [5, 8], "1": [6, 9], "2": [7, 1]}
    years = read_table(write("y.csv", "town,2019,2020\nA,1,2\nB,3,4\n"))
    assert [c.name for c in years.columns] == ["town", "2019", "2020"]


def test_one_column_of_sentences_needs_no_delimiter(write):
    data = read_table(write("one.csv", "review\nGood, really\nBad\nSo; so\n"))
    assert values(data) == {"review": ["Good, really", "Bad", "So; so"]}


# -- letters -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("encoding", "said"),
    [
        ("utf-8", ""),
        ("utf-8-sig", ""),
        ("utf-16", ""),
        ("utf-16-le", ""),
        ("utf-32", ""),
        ("cp1252", "cp1252"),
        ("latin-1", "cp1252"),
    ],
)
def test_encodings_are_found(write, encoding, said):
    text = "name,größe\nJosé,1\nZoë,2\nÆble,3\n"
    data = read_table(write("e.csv", text, encoding))
    assert values(data) == {"name": ["José", "Zoë", "Æble"], "größe": [1, 2, 3]}
    assert said in " ".join(data.notes)
    assert bool(data.notes) == bool(said)


def test_an_encoding_can_be_stated_and_must_fit(write):
    path = write("e.csv", "name,x\nŁódź,1\nKraków,2\n", "cp1250")
    data = read_table(path, encoding="cp1250")
    assert values(data)["name"] == ["Łódź", "Kraków"]
    with pytest.raises(DataError, match="byte 0xA3 in line 2"):
        read_table(path, encoding="utf-8")
    with pytest.raises(DataError, match="encoding must be one that Python knows"):
        read_table(path, encoding="klingon")
    for wrong in ("base64", "undefined"):
        with pytest.raises(DataError, match="encoding must be one of texts"):
            read_table(path, encoding=wrong)
    with pytest.raises(DataError, match="must be written in utf-16"):
        read_table(path, encoding="utf-16")


# -- lines ---------------------------------------------------------------------------
def test_quoted_fields_may_hold_delimiters_quotes_and_line_breaks(write):
    text = 'a,b\n"x, ""y""\nz",1\n"plain",2\n'
    data = read_table(write("q.csv", text))
    assert values(data) == {"a": ['x, "y"\nz', "plain"], "b": [1, 2]}


def test_a_quoted_cell_may_look_like_two_lines(write):
    data = read_table(write("q.csv", 'a,b\n"p,q\nr",1\ns,2\n'))
    assert values(data) == {"a": ["p,q\nr", "s"], "b": [1, 2]}


@given(
    st.lists(
        st.tuples(
            st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=12),
            st.sampled_from(['"', ",", "\n", 'x"y', "a;b", "p\r\nq", '""', "'"]),
        ).map("z".join),
        min_size=2,
        max_size=12,
    ),
    st.sampled_from(",;\t|"),
)
def test_any_texts_that_a_program_quotes_are_read_back(texts, delimiter):
    buffer = io.StringIO()
    writer = csv.writer(buffer, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerow(["text", "row"])
    writer.writerows([text, row] for row, text in enumerate(texts))
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "a.csv"
        path.write_bytes(buffer.getvalue().encode())
        data = read_table(path, kinds={"text": "text"}, delimiter=delimiter)
    assert values(data)["text"] == [space(text) for text in texts]
    assert values(data)["row"] == list(range(len(texts)))


def space(text):
    """Trim a text as Arrow does: by white space of Unicode."""
    return pc.utf8_trim_whitespace(pa.scalar(text)).as_py()


def test_quotes_that_are_never_closed_are_letters(write):
    lines = "\n".join(f'"pipe {i},{i}' if i == 3 else f"rod {i},{i}" for i in range(50))
    data = read_table(write("q.csv", f"a,b\n{lines}\n"))
    assert data.rows == 50
    assert values(data)["a"][3] == '"pipe 3'
    assert "quotes" in data.notes[0]


@pytest.mark.parametrize(("line", "fields"), [("7", 1), ("7,8,9", 3)])
def test_a_ragged_line_is_an_error_with_its_number(write, line, fields):
    path = write("r.csv", f'a,b\n1,"x\ny"\n{line}\n3,z\n')
    message = rf"must have 2 fields like its header; got {fields} in line 4\."
    with pytest.raises(DataError, match=message):
        read_table(path)


def test_few_ragged_lines_among_many_are_left_out(write):
    lines = [f"{i},{i % 3}" for i in range(5000)]
    lines[100] = "1,2,3"
    data = read_table(write("r.csv", "\n".join(["a,b", *lines])))
    assert data.rows == 4999
    assert "1 line with another number of fields left out" in data.notes[0]
    assert "line 102" in data.notes[0]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_all_ends_of_lines_are_read(write, end):
    data = read_table(write("e.csv", end.join(["a,b", "1,x", "", "2,y", ""])))
    assert values(data) == {"a": [1, 2], "b": ["x", "y"]}


# -- several files -------------------------------------------------------------------
def test_several_files_are_one_table_whatever_their_order_of_columns(write, tmp_path):
    write("b1.csv", "a,b\n1,x\n2,y\n")
    write("b2.csv", "b,a\nz,3\n")
    write("notes.md", "no table")
    write("readme.txt", "no table")
    expected = {"a": [1, 2, 3], "b": ["x", "y", "z"]}
    paths = [tmp_path / "b1.csv", str(tmp_path / "b2.csv")]
    for asked in (paths, f"{tmp_path}/b*.csv", tmp_path):
        data = read_table(asked)
        assert values(data) == expected
        assert len(data.files) == 2


def test_files_of_several_formats_and_types_are_joined(write):
    first = write("a.csv", "a,b\n1,x\n")
    second = write("b.parquet", as_parquet(pa.table({"b": ["y"], "a": [2.5]})))
    assert values(read_table([first, second])) == {"a": [1, 2.5], "b": ["x", "y"]}


def test_a_file_with_other_columns_is_named_with_them(write):
    first, second = write("a.csv", "a,b\n1,2\n"), write("c.csv", "b,c\n1,2\n")
    with pytest.raises(DataError, match=r"c\.csv without 'a' and with 'c' besides"):
        read_table([first, second])


def test_a_file_that_is_not_there_is_told_with_a_close_name(write, tmp_path):
    write("houses.csv", "a\n1\n")
    with pytest.raises(DataError, match=r"no such file. The closest name is 'houses"):
        read_table(tmp_path / "house.csv")
    (tmp_path / "empty").mkdir()
    with pytest.raises(
        DataError, match=r"must hold tables as CSV.*; got 0 other files"
    ):
        read_table(tmp_path / "empty")
    with pytest.raises(DataError, match="no match"):
        read_table(f"{tmp_path}/*.parquet")


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.csv.gz", LATE, r"a\.csv\.gz must be a file that can be read"),
        ("a.csv", b"", "an empty file"),
        ("a.csv", b"\n\n  \n", "an empty file"),
        ("a.csv", b"a,b\n", "a header line only"),
        ("a.xlsx", b"PK\x03\x04" + bytes(100), "Excel"),
        ("a.csv", bytes(range(256)) * 50, "no text"),
        ("a.parquet", b"a,b\n1,2\n", "must start like"),
        ("a.parquet", b"PAR1" + b"x" * 90 + b"PAR1", "damaged"),
        ("a.feather", b"ARROW1\0\0" + b"x" * 90, "damaged"),
        ("a.csv.gz", b"\x1f\x8b" + b"x" * 90, "can be read"),
        ("a.csv.gz", gzip.compress(b"a,b\n" + b"1,2\n" * 90)[:-9], "read"),
        ("a.json", b"[1, 2, 3]", "list of objects"),
        ("a.json", b"[" * 100_000, "JSON"),
    ],
    ids=range(13),
)
def test_files_that_hold_no_table_are_told_in_one_sentence(write, name, content, words):
    with pytest.raises(DataError, match=words) as caught:
        read_table(write(name, content))
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith("read_table: ")


@pytest.mark.parametrize("options", [{"sample_rows": 10}, {"memory_limit": "5KB"}])
@pytest.mark.parametrize(
    ("name", "content"),
    [("a.csv.gz", LATE), ("r.csv", b"a,b\n" + b"1,2\n" * 500 + b"1\n")],
)
def test_files_that_are_damaged_later_are_told_while_sampling(
    write, name, content, options
):
    with pytest.raises(
        DataError, match=r"can be read|2 fields like its header; got 1 in line 502"
    ):
        read_table(write(name, content), **options)


# -- samples -------------------------------------------------------------------------
@pytest.mark.parametrize(
    "name", ["a.csv", "a.parquet", "a.csv.gz", "a.arrow", "a.arrows"]
)
def test_a_sample_is_uniform_ordered_and_the_same_from_every_format(write, name):
    n, k = 20_000, 2_000
    table = pa.table({"row": np.arange(n) * 1.5, "b": ["x", "y"] * (n // 2)})
    data = read_table(write(name, FILES[name](table)), sample_rows=k)
    assert (data.rows, data.used_rows) == (n, k)
    rows = np.array(values(data)["row"])
    assert (np.diff(rows) > 0).all()
    counts = np.histogram(rows, 10, (0, 1.5 * n))[0]
    assert abs(counts - k / 10).max() < 5 * np.sqrt(k / 10)
    assert "a sample of 2,000 of 20,000 rows" in data.notes[-1]
    frame = read_table(table, sample_rows=k)
    assert values(frame)["row"] == rows.tolist()
    other = read_table(table, sample_rows=k, random_state=1)
    assert values(other)["row"] != rows.tolist()


def test_a_sample_of_all_rows_is_the_table(write):
    path = write("a.csv", as_csv(example()))
    assert values(read_table(path, sample_rows=10**6)) == values(read_table(path))


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.csv.gz"])
def test_a_table_that_exceeds_the_memory_limit_is_sampled(write, name):
    n = 100_000
    rng = np.random.default_rng(0)
    table = pa.table({f"f{j}": rng.normal(size=n) for j in range(4)})
    path = write(name, FILES[name](table))
    data = read_table(path, memory_limit="6MB")
    assert data.rows == n
    assert n / 50 < data.used_rows < n / 2
    assert "memory limit" in data.notes[-1]
    assert abs(np.mean(values(data)["f0"])) < 5 / np.sqrt(data.used_rows)


LINES = [f"{i},{i % 3}" for i in range(5000)]
CHUNKED = {
    "typed": as_csv(example(3000)),
    "utf-16": as_csv(example(3000)).decode().encode("utf-16"),
    "cp1252": b"name,x\n" + "Zo\xeb,1\n".encode("cp1252") * 900,
    "marked": b"\xef\xbb\xbfname,x\n" + "Zo\xeb,1\n".encode("cp1252") * 900,
    "commas": b"a;b\n" + b"1,5;1.234,5\n0,25;7\n" * 500,
    "breaks": b'a,b\n"x\ny",1\n"p,q",2\n' + b"z,3\n" * 900,
    "ragged": "\n".join(["a,b", *LINES[:700], "1,2,3", *LINES]).encode(),
    "comment": b"# made\n# by hand\nsep\n" + b"1\n2\n" * 900,
}


@pytest.mark.parametrize("name", CHUNKED)
def test_at_once_and_in_chunks_a_file_gives_the_same_table(write, name):
    content = gzip.compress(CHUNKED[name], 0)  # which is thought to grow
    path = write("a.csv.gz", content)
    chunks = read_table(path, memory_limit=39 * len(content))
    whole = read_table(path)
    assert values(chunks) == values(whole)
    assert chunks.columns == whole.columns
    assert chunks.rows == chunks.used_rows == whole.rows
    assert sorted(chunks.notes) == sorted(whole.notes)


def test_a_larger_standard_input_is_refused(monkeypatch):
    fake = type("Input", (), {"buffer": io.BytesIO(b"a\n" + b"1\n" * 10**6)})()
    monkeypatch.setattr(sys, "stdin", fake)
    with pytest.raises(MemoryLimitError, match="standard input"):
        read_table("-", memory_limit="1MB")


# -- options -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delimiter": ",,"}, "delimiter"),
        ({"delimiter": '"'}, "delimiter"),
        ({"decimal": ";"}, "decimal"),
        ({"sample_rows": 0}, "sample_rows"),
        ({"sample_rows": 2.5}, "sample_rows"),
        ({"kinds": {"a": "colour"}}, "'colour' for 'a'"),
        ({"kinds": ["a"]}, "kinds"),
        ({"kinds": {"z": "number"}}, "column 'z'"),
        ({"memory_limit": "much"}, "memory_limit"),
        ({"target": "z"}, "column 'z'"),
        ({"target": 3}, "target"),
    ],
)
def test_options_that_make_no_sense_are_refused(options, words):
    with pytest.raises((ParameterError, DataError), match=words):
        read_table({"a": [1, 2, 3], "b": [4, 5, 6]}, **options)


def test_stated_kinds_are_kept(write):
    text = "zip,flag,n,when\n123,1,1;5,2020\n456,0,2;5,2021\n789,1,x,2022\n"
    kinds = {"zip": "category", "flag": "boolean", "n": "text"}
    data = read_table(write("k.csv", text), kinds=kinds)
    assert values(data)["zip"] == ["123", "456", "789"]
    assert values(data)["flag"] == [True, False, True]
    assert values(data)["n"] == ["1;5", "2;5", "x"]
    frame = read_table({"a": [1.0, 2.0, None]}, kinds={"a": "category"})
    assert values(frame)["a"] == ["1", "2", None]
    forced = read_table({"a": ["1", "x", "3"]}, kinds={"a": "number"})
    assert values(forced)["a"] == [1, None, 3]
    assert "1 cells are no number" in forced.notes[0]


def test_printing_a_table_tells_its_columns(write):
    text = str(read_table(write("p.csv", "a;b\n1,5;x\n2,5;y\n")))
    assert text.startswith("2 rows, 2 columns\n  a: number, decimal comma, feature")


def test_columns_between_spaces_are_read(write):
    text = " mpg  cyl   name\n 18.0  8   chevy\n 15.5   8  buick\n  9    6  ford\n"
    data = read_table(write("cars.txt", text))
    assert values(data) == {
        "mpg": [18, 15.5, 9],
        "cyl": [8, 8, 6],
        "name": ["chevy", "buick", "ford"],
    }


def test_a_few_whole_numbers_stay_numbers_and_are_told():
    data = read_table({"stars": [1, 2, 3, 4, 5] * 40, "x": np.arange(200) * 0.1})
    assert data.column("stars").kind == "number"
    assert data.column("stars").why == "whole numbers with 5 different values"
