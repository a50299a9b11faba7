"""Parquet files give the rows that were written, in chunks that any thread can read."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary
from corollary import engine
from corollary.core.errors import DataError, MemoryLimitError
from corollary.engine.executors.executor import Serial, Threads
from corollary.engine.sources import parquet


def write(path, columns, **options):
    path.parent.mkdir(exist_ok=True, parents=True)
    pq.write_table(pa.table(columns), path, **options)
    return path


def rows(n=1000, d=4, dtype=np.float64):
    X = np.random.default_rng(0).standard_normal((n, d)).astype(dtype)
    return X, {f"x{j}": X[:, j] for j in range(d)}


def chunks(source):
    return [chunk for part in source.parts() for chunk in part.chunks()]


def joined(source):
    read = chunks(source)
    first = np.cumsum([0, *(chunk.n for chunk in read)])[:-1]
    assert [chunk.first_row for chunk in read] == list(first)
    return np.concatenate([chunk.X for chunk in read])


def wrong(*arguments, **options):
    with pytest.raises(DataError) as caught:
        engine.ParquetSource(*arguments, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


# -- the rows --------------------------------------------------------------------------
@pytest.mark.parametrize("group", [1, 7, 100, 1000])
@pytest.mark.parametrize("chunk_rows", [None, 1, 64, 333])
def test_every_row_comes_back_in_order(tmp_path, group, chunk_rows):
    X, columns = rows(300)
    write(tmp_path / "a.parquet", pa.table(columns).slice(0, 120), row_group_size=group)
    write(tmp_path / "b.parquet", pa.table(columns).slice(120), row_group_size=group)
    source = engine.ParquetSource(tmp_path, chunk_rows=chunk_rows)
    assert (source.n_rows, source.n_features) == (300, 4)
    assert source.names == ["x0", "x1", "x2", "x3"]
    assert source.described == "2 Parquet files, 300 x 4 float64"
    np.testing.assert_array_equal(joined(source), X)
    for chunk in chunks(source):
        assert chunk.X.flags.c_contiguous
        assert chunk.n <= (chunk_rows or 300)


@settings(max_examples=30, deadline=None)
@given(n=st.integers(1, 200), group=st.integers(1, 80), most=st.integers(1, 90))
def test_any_cut_gives_the_same_rows(tmp_path_factory, n, group, most):
    X, columns = rows(n, 3, np.float32)
    path = tmp_path_factory.mktemp("cut") / "rows.parquet"
    write(path, columns, row_group_size=group)
    source = engine.ParquetSource(path, chunk_rows=most)
    np.testing.assert_array_equal(joined(source), X)
    assert max(chunk.n for chunk in chunks(source)) <= most


def test_a_large_row_group_is_one_part_of_equal_chunks(tmp_path):
    _, columns = rows(1000)
    source = engine.ParquetSource(
        write(tmp_path / "a.parquet", columns), chunk_rows=300
    )
    (part,) = source.parts()
    assert part.several
    assert [chunk.n for chunk in part.chunks()] == [250, 250, 250, 250]


def test_small_row_groups_share_a_part(tmp_path):
    _, columns = rows(1000)
    path = write(tmp_path / "a.parquet", columns, row_group_size=90)
    source = engine.ParquetSource(path, chunk_rows=300)
    assert [part.rows for part in source.parts()] == [270, 270, 270, 190]


def test_a_buffered_read_gives_the_same_rows(tmp_path, monkeypatch):
    X, columns = rows(5000)
    path = write(tmp_path / "a.parquet", columns, row_group_size=2000)
    monkeypatch.setattr(parquet, "RAW_BYTES", 100)
    np.testing.assert_array_equal(joined(engine.ParquetSource(path)), X)


@pytest.mark.parametrize("compression", ["none", "snappy", "zstd"])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_compressions_and_versions(tmp_path, compression, version):
    X, columns = rows(dtype=np.float32)
    options = {"compression": compression, "data_page_version": version}
    path = write(tmp_path / "a.parquet", columns, **options)
    np.testing.assert_array_equal(joined(engine.ParquetSource(path)), X)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        (np.array([1, 2, 3], np.float16), np.float32),
        (np.array([1, 2, 3], np.float32), np.float32),
        (np.array([1, 2, 3], np.float64), np.float64),
        (np.array([1, 2, 3], np.int8), np.float64),
        (np.array([1, 2, 2**52 + 1], np.int64), np.float64),
        (np.array([1, 2, 3], np.uint64), np.float64),
        (np.array([True, False, True]), np.float64),
    ],
    ids=lambda value: str(getattr(value, "dtype", value.__class__)),
)
def test_kinds_of_numbers(tmp_path, values, dtype):
    columns = {"a": values, "b": np.ones(3, np.float32)}
    source = engine.ParquetSource(write(tmp_path / "a.parquet", columns))
    X = joined(source)
    assert X.dtype == source.dtype == dtype
    np.testing.assert_array_equal(X[:, 0], values.astype(dtype))


def test_columns_are_found_by_name_in_files_of_another_order(tmp_path):
    write(tmp_path / "1.parquet", {"a": [1.0], "b": [2.0], "y": [3.0]})
    write(tmp_path / "2.parquet", {"y": [6.0], "b": [5.0], "new": ["?"], "a": [4.0]})
    source = engine.ParquetSource(tmp_path, target="y")
    np.testing.assert_array_equal(joined(source), [[1, 2], [4, 5]])
    np.testing.assert_array_equal([c.y[0] for c in chunks(source)], [3, 6])
    reverse = engine.ParquetSource(tmp_path, columns=["b", "a"])
    np.testing.assert_array_equal(joined(reverse), [[2, 1], [5, 4]])


def test_a_dot_in_a_name_is_part_of_the_name(tmp_path):
    path = write(tmp_path / "a.parquet", {"a.b": [1.0, 2.0], "a": [3.0, 4.0]})
    np.testing.assert_array_equal(joined(engine.ParquetSource(path)), [[1, 3], [2, 4]])


def test_float32_in_one_file_and_float64_in_another_is_float64(tmp_path):
    write(tmp_path / "1.parquet", {"a": np.ones(2, np.float32)})
    write(tmp_path / "2.parquet", {"a": np.ones(2, np.float64)})
    assert engine.ParquetSource(tmp_path).dtype == np.float64


def test_empty_files_among_others_and_empty_row_groups(tmp_path):
    write(tmp_path / "1.parquet", {"a": np.empty(0)})
    write(tmp_path / "2.parquet", {"a": [1.0, 2.0]})
    write(tmp_path / "3.parquet", {"a": np.empty(0)})
    np.testing.assert_array_equal(joined(engine.ParquetSource(tmp_path)), [[1], [2]])


def test_fsspec_filesystems_read_the_same(tmp_path):
    import fsspec

    X, columns = rows(100)
    memory = fsspec.filesystem("memory")
    with memory.open("/corollary/a.parquet", "wb") as file:
        pq.write_table(pa.table(columns), file)
    for source in (
        engine.ParquetSource("memory://corollary/a.parquet"),
        engine.ParquetSource("/corollary/*.parquet", filesystem=memory),
    ):
        np.testing.assert_array_equal(joined(source), X)


def test_parts_travel_as_references(tmp_path):
    X, columns = rows(1000)
    path = write(tmp_path / "a.parquet", columns, row_group_size=100)
    source = engine.ParquetSource(path, chunk_rows=100)
    for number, part in enumerate(source.parts()):
        pickled = pickle.dumps(part)
        assert len(pickled) < 3000
        (chunk,) = pickle.loads(pickled).chunks()
        np.testing.assert_array_equal(chunk.X, X[100 * number : 100 * (number + 1)])


# -- target and weight -----------------------------------------------------------------
def test_labels_of_any_type(tmp_path):
    _, columns = rows(6)
    for labels in (
        ["b", "a", "b", "c", "a", "a"],
        [3, 1, 3, 7, 1, 1],
        [True, False, True, True, False, False],
        pa.array(["b", "a", "b", "c", "a", "a"]).dictionary_encode(),
    ):
        path = write(tmp_path / "a.parquet", columns | {"y": labels}, row_group_size=4)
        source = engine.ParquetSource(path, target="y", chunk_rows=4)
        classes = source.labels(None)
        values = list(labels) if isinstance(labels, list) else labels.to_pylist()
        assert classes.tolist() == sorted(set(values))
        codes = np.concatenate([c.y for c in chunks(source.encoded(classes))])
        assert codes.dtype == np.int32
        assert classes[codes].tolist() == values
        assert source.columns.encode is False  # the source itself is unchanged


def test_given_classes_are_not_looked_for(tmp_path, monkeypatch):
    _, columns = rows(3)
    path = write(tmp_path / "a.parquet", columns | {"y": ["a", "b", "z"]})
    source = engine.ParquetSource(path, target="y", classes=["b", "a"])
    monkeypatch.setattr(parquet.RowGroups, "batches", None)
    assert source.labels(None).tolist() == ["a", "b"]
    monkeypatch.undo()
    with pytest.raises(
        DataError, match=r"labels must be among .*got 'z' in column 'y'"
    ):
        chunks(source.encoded(source.labels(None)))


def test_weight_zero_is_a_row_removed(tmp_path):
    columns = {
        "a": [1.0, 2.0, 3.0, 4.0], "y": ["u", "v", "ghost", "u"], "w": [1, 2, 0, 0.5]
    }  # fmt: skip
    path = write(tmp_path / "a.parquet", columns)
    source = engine.ParquetSource(path, target="y", weight="w")
    assert source.labels(None).tolist() == ["u", "v"]
    (chunk,) = chunks(source.encoded(source.labels(None)))
    np.testing.assert_array_equal(chunk.X, [[1], [2], [4]])
    np.testing.assert_array_equal(chunk.y, [0, 1, 0])
    np.testing.assert_array_equal(chunk.w, [1, 2, 0.5])
    assert source.names == ["a"]


def test_several_targets(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1.0, 2], "y": [3, 4], "z": [5.0, 6]})
    (chunk,) = chunks(engine.ParquetSource(path, target=["y", "z"]))
    np.testing.assert_array_equal(chunk.y, [[3, 5], [4, 6]])
    np.testing.assert_array_equal(chunk.X, [[1], [2]])


def test_fractions_are_no_labels(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1.0, 2.0], "y": [0.5, 1.0]})
    source = engine.ParquetSource(path, target="y")
    with pytest.raises(DataError, match=r"column 'y' must hold class labels; got Unkn"):
        source.labels(None)


def test_labels_keep_to_the_memory_limit(tmp_path):
    y = np.arange(20_000)
    path = write(tmp_path / "a.parquet", {"a": y.astype(float), "y": y})
    with corollary.config_context(memory_limit=1_000_000):
        with pytest.raises(MemoryLimitError, match=r"labels of column 'y' must fit"):
            engine.ParquetSource(path, target="y").labels(None)


def test_text_is_no_number_to_regress_on(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1.0, 2.0], "y": ["p", "q"]})
    source = engine.ParquetSource(path, target="y")
    with pytest.raises(
        DataError, match=r"column 'y' of .* must hold numbers; got type s"
    ):
        corollary.LinearRegression().fit(source)


# -- what is wrong with the files ------------------------------------------------------
def test_a_column_missing_in_the_third_file(tmp_path):
    for number in (1, 2):
        write(tmp_path / f"{number}.parquet", {"a": [1.0], "b": [1.0]})
    third = write(tmp_path / "3.parquet", {"a": [1.0], "c": [1.0]})
    message = f"ParquetSource: {third} must have a column 'b'; got columns a, c."
    assert wrong(tmp_path) == message


def test_a_column_of_another_kind_in_the_third_file(tmp_path):
    for number in (1, 2):
        write(tmp_path / f"{number}.parquet", {"a": [1.0], "y": ["u"]})
    third = write(tmp_path / "3.parquet", {"a": ["1"], "y": ["u"]})
    message = wrong(tmp_path, columns=["a"])
    assert message == (
        f"ParquetSource: column 'a' of {third} must be of type double like that of "
        f"{tmp_path / '1.parquet'}; got type string."
    )
    write(third, {"a": [1.0], "y": [1]})
    message = wrong(tmp_path, target="y")
    assert f"column 'y' of {third} must be of type string like that of" in message
    assert message.endswith("got type int64.")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["x"], "string"),
        (np.array(["2026-01-01"], "datetime64[ms]"), "timestamp[ms]"),
        (pa.array(["x"]).dictionary_encode(), "dictionary"),
        ([[1.0]], "list"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_other_kinds_are_refused_with_the_remedy(tmp_path, values, kind):
    path = write(tmp_path / "a.parquet", {"a": [1.0], "b": values})
    with pytest.raises(DataError) as caught:
        corollary.PCA().fit(engine.ParquetSource(path))
    message = str(caught.value)
    must = f"PCA: column 'b' of {path} must hold numbers; got type {kind}"
    assert message.startswith(must)
    assert message.endswith("Encode it as numbers, or leave it out with columns=[...].")
    assert engine.ParquetSource(path, columns=["a"]).n_features == 1


def test_decimals_are_numbers_and_nothing_but_nulls_is_missing(tmp_path):
    money = pa.array([1, 2, 3], pa.decimal128(5, 2))
    path = write(tmp_path / "a.parquet", {"a": money, "b": pa.nulls(3)})
    source = engine.ParquetSource(path)
    assert source.kinds == ["number", "number"]
    (chunk,) = chunks(source.select(["a"]))
    np.testing.assert_array_equal(chunk.X, [[1.0], [2.0], [3.0]])
    (chunk,) = chunks(source.matrices("Who", missing=True))
    np.testing.assert_array_equal(chunk.X, [[1, np.nan], [2, np.nan], [3, np.nan]])
    with pytest.raises(DataError, match=r"column 'b' .* got null in row 0"):
        corollary.PCA().fit(source)


def test_names_that_are_not_there(tmp_path):
    path = write(tmp_path / "a.parquet", {"a": [1.0]})
    for options in ({"target": "y"}, {"weight": "y"}, {"columns": ["a", "y"]}):
        message = f"ParquetSource: {path} must have a column 'y'; got columns a."
        assert wrong(path, **options) == message
    message = wrong(path, target="a")
    assert "must have at least one feature column; got columns ['a']" in message


def test_names_that_are_there_twice(tmp_path):
    table = pa.table([pa.array([1.0])] * 2, names=["a", "a"])
    pq.write_table(table, tmp_path / "a.parquet")
    assert "must be distinct; got 'a' twice" in wrong(tmp_path)


def test_no_rows_at_all(tmp_path):
    path = write(tmp_path / "1.parquet", {"a": np.empty(0)})
    assert (
        wrong(path) == f"ParquetSource: {path} must hold at least one row; got 0 rows."
    )
    write(tmp_path / "2.parquet", {"a": np.empty(0)})
    assert wrong(tmp_path).endswith("got 0 rows in 2 files.")


@pytest.mark.parametrize("content", [b"", b"PAR1", b"a,b\n1,2\n" * 100])
def test_what_is_no_parquet_file(tmp_path, content):
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    message = wrong(path)
    assert message.startswith(
        f"ParquetSource: {path} must be a Parquet file that can be read; got Arrow"
    )


def test_permission_denied(tmp_path):
    import fsspec

    class Locked(type(fsspec.filesystem("memory"))):
        protocol = "locked"

        def _open(self, path, *arguments, **options):
            raise PermissionError(13, "Permission denied", path)

    fsspec.filesystem("memory").pipe("/locked/a.parquet", b"1")
    message = wrong("/locked/a.parquet", filesystem=Locked())
    assert "/locked/a.parquet must be a Parquet file that can be read" in message
    assert "got PermissionError: " in message


@pytest.mark.parametrize("threads", [1, 2])
def test_a_missing_value_is_found_in_its_file_row_and_column(tmp_path, threads):
    values = np.arange(100.0).tolist()
    values[70] = None
    write(tmp_path / "1.parquet", {"a": np.arange(100.0), "b": np.arange(100.0)})
    second = {"a": np.arange(100.0), "b": values}
    path = write(tmp_path / "2.parquet", second, row_group_size=30)
    source = engine.ParquetSource(tmp_path, chunk_rows=20)
    with (
        engine.use(threads=threads),
        pytest.raises(DataError) as caught,
    ):
        corollary.KMeans(n_clusters=2).fit(source)
    assert str(caught.value) == (
        f"ParquetSource: column 'b' of {path} must have no missing values; got null in "
        "row 70. Impute or drop the missing values, or leave the column out."
    )


def test_nan_is_found_by_the_fit_with_its_row(tmp_path):
    values = np.arange(100.0)
    values[70] = np.nan
    write(tmp_path / "1.parquet", {"a": np.arange(50.0)})
    write(tmp_path / "2.parquet", {"a": values}, row_group_size=30)
    source = engine.ParquetSource(tmp_path, chunk_rows=20)
    with pytest.raises(DataError, match=r"NaN in row 120, column 0 \('a'\)"):
        corollary.KMeans(n_clusters=2).fit(source)


# -- what happens to the files meanwhile -----------------------------------------------
def changed(path, source):
    with pytest.raises(DataError) as caught:
        corollary.KMeans(n_clusters=2).fit(source)
    message = str(caught.value)
    must = f"ParquetSource: {path} must stay as it was when the source was opened; got "
    assert message.startswith(must)
    assert message.endswith("alone until the fit ends, or open the source anew.")
    return message


@pytest.mark.parametrize("threads", [1, 2])
def test_a_file_that_vanishes(tmp_path, threads):
    _, columns = rows()
    for number in range(8):
        write(tmp_path / f"{number}.parquet", columns)
    source = engine.ParquetSource(tmp_path)
    (tmp_path / "5.parquet").unlink()
    with engine.use(threads=threads):
        assert "FileNotFoundError" in changed(tmp_path / "5.parquet", source)


@pytest.mark.parametrize("in_place", [True, False])
def test_a_file_replaced_by_one_of_the_same_size_and_age(tmp_path, in_place):
    plain = {"compression": "none", "use_dictionary": False}
    columns = {"a": np.arange(100.0)}
    path = write(tmp_path / "a.parquet", columns, **plain)
    source = engine.ParquetSource(path)
    status = path.stat()
    other = path if in_place else tmp_path / "other"
    write(other, {"a": np.arange(100.0)[::-1]}, **plain)
    other.replace(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert path.stat().st_size == status.st_size
    assert path.stat().st_mtime_ns == status.st_mtime_ns
    assert "OSError: the file is another one now" in changed(path, source)


@pytest.mark.parametrize("row_group_size", [100, 30])
def test_a_file_rewritten_in_place_is_told_by_its_footer(
    tmp_path, monkeypatch, row_group_size
):
    plain = {"compression": "none", "use_dictionary": False}
    plain |= {"row_group_size": row_group_size}
    path = write(tmp_path / "a.parquet", {"a": np.arange(100.0)}, **plain)
    source, size = engine.ParquetSource(path), path.stat().st_size
    # as on a file system that tells neither the time nor the file apart
    monkeypatch.setattr(parquet.File, "check_unchanged", lambda *_: None)
    corollary.KMeans(n_clusters=2, random_state=0).fit(source)
    write(path, {"a": np.arange(100.0) + 1}, **plain)
    assert path.stat().st_size == size
    assert "OSError: the file is another one now" in changed(path, source)


def test_the_footer_is_read_anew_where_a_source_is_opened_anew(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", {"a": np.arange(100.0)})
    same = parquet.File(str(path), 1, 2)
    monkeypatch.setattr(parquet.File, "of", lambda *_: same)
    assert engine.ParquetSource(path).n_rows == 100
    write(path, {"a": np.arange(50.0)})
    assert engine.ParquetSource(path).n_rows == 50


def test_a_copy_on_another_host_is_the_same_file(tmp_path, monkeypatch):
    path = write(tmp_path / "a.parquet", {"a": np.arange(100.0)})
    source = engine.ParquetSource(path)
    status = path.stat()
    write(path, {"a": np.arange(100.0)})
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    monkeypatch.setattr("platform.node", lambda: "elsewhere")
    corollary.KMeans(n_clusters=2).fit(source)


def test_a_file_that_is_truncated_or_replaced(tmp_path):
    _, columns = rows()
    path = write(tmp_path / "a.parquet", columns)
    source = engine.ParquetSource(path)
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])
    assert "OSError: the file is another one now" in changed(path, source)
    write(path, rows(50)[1])
    assert "OSError: the file is another one now" in changed(path, source)


def test_a_file_that_breaks_in_the_middle(tmp_path):
    _, columns = rows(20_000)
    path = write(tmp_path / "a.parquet", columns, compression="snappy")
    source = engine.ParquetSource(path)
    with open(path, "r+b") as file:
        file.seek(50)
        file.write(bytes(range(256)) * 400)
    broken = parquet.File.seen(source.filesystem, str(path))
    source.files = [broken]  # as if it had happened without a trace
    changed(path, source)


# -- the engine ------------------------------------------------------------------------
def test_serial_and_any_team_agree_to_the_bit(tmp_path):
    _, columns = rows(3000)
    write(tmp_path / "1.parquet", pa.table(columns).slice(0, 1700), row_group_size=400)
    write(tmp_path / "2.parquet", pa.table(columns).slice(1700), row_group_size=900)
    sums = []
    for executor in (Serial(), Threads(1), Threads(2), Threads(4)):
        for threads in (1, 2, 4):
            with engine.use(threads=threads):
                parts = engine.ParquetSource(tmp_path, chunk_rows=170).parts()
            results = list(executor.map(lambda c: c.X.sum(axis=0).tobytes(), parts, {}))
            sums.append(results)
    assert all(each == sums[0] for each in sums)


def test_memories_come_back_to_their_chunks(tmp_path):
    _, columns = rows(1000)
    path = write(tmp_path / "a.parquet", columns, row_group_size=300)
    parts = engine.ParquetSource(path, chunk_rows=100).parts()

    def task(chunk):
        before = chunk.memory.get("row")
        chunk.memory["row"] = chunk.first_row
        return before, chunk.first_row

    for executor in (Serial(), Threads(2)):
        memories = {}
        assert {before for before, _ in executor.map(task, parts, memories)} == {None}
        for before, row in executor.map(task, parts, memories):
            assert before == row


def test_chunks_stay_under_the_memory_limit(tmp_path):
    path = write(tmp_path / "a.parquet", rows(50_000, 4)[1])
    with engine.use(memory_limit="1MB", threads=2):
        (part,) = engine.ParquetSource(path).parts()
        sizes = {chunk.X.nbytes for chunk in part.chunks()}
    assert max(sizes) <= 1_000_000 / 12


def test_importing_the_engine_imports_neither_pyarrow_nor_dask():
    code = (
        "import sys; sys.modules['pandas'] = None\n"  # or scikit-learn imports it
        "import corollary.engine\n"
        "print({'pyarrow', 'dask', 'distributed'} & set(sys.modules))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.stdout.strip() == "set()", run.stderr
