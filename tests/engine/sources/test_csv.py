"""CSV files give the rows that were written, or the line that is wrong."""

import gzip
import os
import pickle

import numpy as np
import pytest

import corollary
from corollary import engine
from corollary.core.errors import DataError
from corollary.engine.executors.executor import Serial, Threads
from corollary.engine.sources import csv


def write(path, text):
    path.parent.mkdir(exist_ok=True, parents=True)
    path.write_text(text)
    return path


def table(X, names, labels=None):
    lines = [",".join([*names, *(["y"] if labels else [])])]
    for i, row in enumerate(X):
        values = [repr(float(value)) for value in row]
        lines.append(",".join([*values, *([labels[i]] if labels else [])]))
    return "\n".join(lines) + "\n"


def chunks(source):
    return [chunk for part in source.parts() for chunk in part.chunks()]


def joined(source):
    return np.concatenate([chunk.X for chunk in chunks(source)])


def wrong(act):
    with pytest.raises(DataError) as caught:
        act()
    assert "\n" not in str(caught.value)
    return str(caught.value)


X = np.random.default_rng(0).standard_normal((500, 3))
NAMES = ["a", "b", "c"]


# -- the rows --------------------------------------------------------------------------
@pytest.mark.parametrize("chunk_rows", [1, 77, 500, 10_000])
@pytest.mark.parametrize("block", [200, 5000, 2**20])
def test_every_digit_comes_back_whatever_the_cuts(
    tmp_path, monkeypatch, block, chunk_rows
):
    monkeypatch.setattr(csv, "BLOCK_BYTES", block)
    path = write(tmp_path / "a.csv", table(X, NAMES))
    source = engine.CSVSource(path, chunk_rows=chunk_rows)
    assert (source.n_features, source.n_rows, source.names) == (3, None, NAMES)
    assert source.described == "1 CSV file, 3 columns"
    read = chunks(source)
    np.testing.assert_array_equal(np.concatenate([chunk.X for chunk in read]), X)
    assert [chunk.n for chunk in read[:-1]] == [chunk_rows] * (len(read) - 1)
    assert all(chunk.X.flags.c_contiguous for chunk in read)


def test_several_files_of_another_order_and_packing(tmp_path):
    write(tmp_path / "1.csv", "a,b\n1,2\n3,4\n")
    write(tmp_path / "2.csv", "b,extra,a\n6,?,5\n")
    write(tmp_path / "3.csv", "a,b\n")
    with gzip.open(tmp_path / "4.csv.gz", "wt") as file:
        file.write("a,b\n7,8\n")
    np.testing.assert_array_equal(
        joined(engine.CSVSource(tmp_path)), [[1, 2], [3, 4], [5, 6], [7, 8]]
    )


def test_whole_numbers_may_turn_into_fractions_further_down(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 64)
    text = "a,b\n" + "1,true\n" * 100 + "2.5,false\n"
    X = joined(engine.CSVSource(write(tmp_path / "a.csv", text)))
    assert X[-1].tolist() == [2.5, 0.0]
    assert X[0].tolist() == [1.0, 1.0]


def test_delimiters_and_quotes(tmp_path):
    path = write(tmp_path / "a.tsv", '"a b"\tc\n1\t"2"\n')
    source = engine.CSVSource(path, delimiter="\t")
    assert source.names == ["a b", "c"]
    np.testing.assert_array_equal(joined(source), [[1, 2]])


def test_labels_and_weights(tmp_path):
    text = "a,kind,w\n1,x,1\n2,y,2\n3,ghost,0\n4,x,0.5\n"
    path = write(tmp_path / "a.csv", text)
    source = engine.CSVSource(path, target="kind", weight="w")
    classes = source.labels(None)
    assert classes.tolist() == ["x", "y"]
    (chunk,) = chunks(source.encoded(classes))
    assert chunk.X.tolist() == [[1], [2], [4]]
    assert chunk.y.tolist() == [0, 1, 0]
    assert chunk.w.tolist() == [1, 2, 0.5]


def test_whole_numbers_are_labels_or_targets(tmp_path):
    path = write(tmp_path / "a.csv", "a,y\n1,3\n2,1\n3,3\n")
    source = engine.CSVSource(path, target="y")
    assert source.labels(None).tolist() == [1, 3]
    assert source.labels(None).dtype == np.int64
    assert chunks(source.encoded(source.labels(None)))[0].y.tolist() == [1, 0, 1]
    (chunk,) = chunks(source)
    assert chunk.y.dtype == np.float64
    assert chunk.y.tolist() == [3, 1, 3]


def test_labels_that_look_like_numbers_in_one_file_only(tmp_path):
    write(tmp_path / "1.csv", "a,y\n1,red\n2,7\n")
    write(tmp_path / "2.csv", "a,y\n1,7\n2,7\n")
    source = engine.CSVSource(tmp_path, target="y")
    classes = source.labels(None)
    assert classes.tolist() == ["7", "red"]
    codes = np.concatenate([chunk.y for chunk in chunks(source.encoded(classes))])
    assert codes.tolist() == [1, 0, 0, 0]


def test_serial_and_any_team_agree_to_the_bit(tmp_path):
    for number in range(5):
        write(tmp_path / f"{number}.csv", table(X[100 * number :][:100], NAMES))
    sums = []
    for executor in (Serial(), Threads(2), Threads(4)):
        parts = engine.CSVSource(tmp_path, chunk_rows=30).parts()
        parts = [pickle.loads(pickle.dumps(part)) for part in parts]
        sums.append(list(executor.map(lambda c: c.X.sum(axis=0).tobytes(), parts, {})))
    assert sums[0] == sums[1] == sums[2]
    assert len(sums[0]) == 20


# -- what is wrong with the files ------------------------------------------------------
def test_text_in_a_column_of_numbers_names_file_line_and_column(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 128)
    path = write(tmp_path / "a.csv", "n,a,b\n" + "1,2,3\n" * 100 + "1,2,oops\n")
    for threads in (1, 2):
        with engine.use(threads=threads):
            source = engine.CSVSource(path, columns=["b", "a"])
            message = wrong(lambda: corollary.PCA().fit(source))  # noqa: B023
        assert message == (
            f"CSVSource: column 'b' of {path} must hold numbers; got 'oops' in line "
            "102. Correct the value, leave the column out with columns=[...], or read "
            "it as text with kinds={'b': 'text'}."
        )


def test_text_from_the_beginning_names_the_column(tmp_path):
    path = write(tmp_path / "a.csv", "a,town\n1,Bonn\n")
    assert wrong(lambda: corollary.PCA().fit(engine.CSVSource(path))) == (
        f"PCA: column 'town' of {path} must hold numbers; got 'Bonn' in line 2. "
        "Encode it as numbers, or leave it out with columns=[...]."
    )
    assert engine.CSVSource(path, columns=["a"]).names == ["a"]


def test_a_ragged_line_names_file_and_line(tmp_path, monkeypatch):
    path = write(tmp_path / "a.csv", "a,b\n1,2\n3,4,5\n")
    message = (
        f"CSVSource: every line of {path} must have 2 values like its header; got 3 in "
        "line 3. Correct the line; text that holds the delimiter needs quotes."
    )
    assert wrong(lambda: engine.CSVSource(path)) == message
    monkeypatch.setattr(csv, "BLOCK_BYTES", 64)
    write(path, "a,b\n" + "1,2\n" * 100 + "3\n")
    for threads in (1, 2):
        with engine.use(threads=threads):
            source = engine.CSVSource(path)
            message = wrong(lambda: corollary.PCA().fit(source))  # noqa: B023
        assert "2 values like its header; got 1 in line 102." in message


def test_a_missing_value_names_file_row_and_column(tmp_path):
    path = write(tmp_path / "a.csv", "a,b\n1,2\n3,\n")
    assert (
        f"column 'b' of {path} must have no missing values; got null in row 1."
        in wrong(lambda: corollary.PCA().fit(engine.CSVSource(path)))
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a CSV file with a header line; got Empty CSV file."),
        ("a,b\n", "must hold at least one row; got a header line only."),
        ("1.5,2\n3,4\n", "must name the columns; got 1.5, 2. Add a header line."),
        ("a,a\n1,2\n", "must be distinct; got 'a' twice."),
    ],
)
def test_bad_files_are_one_sentence(tmp_path, text, message):
    path = write(tmp_path / "a.csv", text)
    assert message.format(path=path) in wrong(lambda: engine.CSVSource(path))


def test_columns_that_are_missing(tmp_path):
    write(tmp_path / "1.csv", "a,b\n1,2\n")
    third = write(tmp_path / "3.csv", "a,c\n1,2\n")
    message = f"CSVSource: {third} must have a column 'b'; got columns a, c."
    assert wrong(lambda: engine.CSVSource(tmp_path)) == message


def test_labels_of_another_kind_further_down(tmp_path, monkeypatch):
    monkeypatch.setattr(csv, "BLOCK_BYTES", 64)
    path = write(tmp_path / "a.csv", "a,y\n" + "1,2\n" * 50 + "1,red\n")
    source = engine.CSVSource(path, target="y")
    classes = source.labels(None)
    assert classes.tolist() == ["2", "red"]
    codes = np.concatenate([chunk.y for chunk in chunks(source.encoded(classes))])
    assert codes.tolist() == [0] * 50 + [1]


@pytest.mark.parametrize(
    ("written", "classes"),
    [
        (["1", "01"], ["01", "1"]),
        (["1", "1.0"], ["1", "1.0"]),
        (["10", "-2"], [-2, 10]),
        (["1.0", "2.0"], [1.0, 2.0]),
        (["1e3", "2"], ["1e3", "2"]),
        (["nan", "1"], ["1", "nan"]),
        (["True", "False"], [False, True]),
        (["true", "True"], ["True", "true"]),
        (["123456789012345678901", "7"], ["123456789012345678901", "7"]),
    ],
)
def test_labels_are_numbers_only_where_they_are_written_so(tmp_path, written, classes):
    lines = "".join(f"{i},{label}\n" for i, label in enumerate(written * 2))
    source = engine.CSVSource(write(tmp_path / "a.csv", f"a,y\n{lines}"), target="y")
    found = source.labels(None)
    assert found.tolist() == classes
    codes = chunks(source.encoded(found))[0].y
    assert [str(found[code]) for code in codes[:2]] == written[:2]


@pytest.mark.parametrize("empty", ["", '""'])
@pytest.mark.parametrize("other", ["x", "1"])
def test_an_empty_label_is_missing(tmp_path, empty, other):
    path = write(tmp_path / "a.csv", f"a,y\n1,{other}\n2,{empty}\n3,z\n")
    source = engine.CSVSource(path, target="y")
    message = wrong(lambda: corollary.GaussianNB().fit(source))
    assert f"column 'y' of {path} must have no missing values; got null in row 1" in (
        message
    )
    told = engine.CSVSource(path, target="y", classes=[other, "z"])
    assert "got null in row 1" in wrong(lambda: chunks(told.encoded(told.classes)))


@pytest.mark.parametrize(
    ("text", "line", "byte"),
    [("a,größe\n1,x\n2,z\n", 1, "F6"), ("a,größe\n1,x\n2,z\n".replace("öß", "oe")
      + "3,grün\n", 4, "FC")],
)  # fmt: skip
def test_another_encoding_is_named_or_given(tmp_path, text, line, byte):
    path = tmp_path / "a.csv"
    path.write_bytes(text.encode("latin-1"))
    name = text.splitlines()[0].split(",")[1]

    def labels(**options):
        return engine.CSVSource(path, target=name, **options).labels(None)

    assert wrong(labels) == (
        f"CSVSource: {path} must be written in utf-8; got the byte 0x{byte} in line "
        f"{line}. Give its encoding, such as encoding='latin-1'."
    )
    assert labels(encoding="latin-1").tolist() == sorted(
        row.split(",")[1] for row in text.splitlines()[1:]
    )
    assert "encoding must be one that Python knows" in wrong(
        lambda: labels(encoding="klingon")
    )


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_that_vanishes_or_changes(tmp_path, threads):
    path = write(tmp_path / "a.csv", table(X, NAMES))
    source = engine.CSVSource(path)
    opened = f"CSVSource: {path} must stay as it was when the source was opened; got "
    with engine.use(threads=threads):
        write(path, "a,b,c\n1,2,3\n")
        message = wrong(lambda: corollary.PCA().fit(source))
        assert message.startswith(f"{opened}OSError: the file is another one now.")
        path.unlink()
        message = wrong(lambda: corollary.PCA().fit(source))
        assert message.startswith(f"{opened}FileNotFoundError")


def test_a_file_replaced_by_one_of_the_same_size_and_age(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("a\n1\n2\n3\n")
    source = engine.CSVSource(path)
    status = path.stat()
    path.write_text("a\n1\n2\n9\n")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    with pytest.raises(DataError, match="OSError: the file is another one now"):
        corollary.KMeans(n_clusters=2).fit(source)
