"""A stream's rows depend on the seed and the row alone, and follow the truth."""

import numpy as np
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from corollary.core.errors import ParameterError
from corollary.datasets import stream_rows, write_csv, write_parquet
from corollary.datasets.streams import BLOCK

KINDS = ["blobs", "regression", "classification"]


def read(paths):
    """Read the feature columns and the target of all files."""
    tables = [pq.read_table(path) for path in paths]
    columns = [
        np.concatenate([t[name].to_numpy() for t in tables])
        for name in tables[0].column_names
    ]
    return np.column_stack(columns[:3]), columns[3]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_do_not_depend_on_groups_or_files(tmp_path, kind, dtype):
    rows = 2 * BLOCK + 321
    X, y, _ = stream_rows(0, rows, 3, kind=kind, dtype=dtype)
    for files, group in [(1, None), (1, 1000), (3, 5000), (7, BLOCK)]:
        stream = write_parquet(
            tmp_path / f"{files}-{group}",
            rows,
            3,
            kind=kind,
            dtype=dtype,
            files=files,
            row_group_rows=group,
        )
        X_read, y_read = read(stream.paths)
        np.testing.assert_array_equal(X_read, X)
        np.testing.assert_array_equal(y_read, y)
        assert len(stream.paths) == files
        assert X_read.dtype == dtype
        assert stream.nbytes == X.nbytes
        assert not list(tmp_path.rglob("*.partial"))


def test_row_groups_have_the_size_asked_for(tmp_path):
    stream = write_parquet(tmp_path / "x", 10_000, 2, row_group_rows=3_000)
    file = pq.ParquetFile(stream.paths[0])
    sizes = [file.metadata.row_group(g).num_rows for g in range(file.num_row_groups)]
    assert sizes == [3000, 3000, 3000, 1000]
    column = file.metadata.row_group(0).column(0)
    assert column.compression == "UNCOMPRESSED"
    assert not column.has_dictionary_page


def test_a_range_of_rows_is_the_slice_of_the_whole():
    X, y, w = stream_rows(0, 3 * BLOCK, 4)
    for start, stop in [
        (0, 5),
        (BLOCK - 1, BLOCK + 1),
        (BLOCK, 2 * BLOCK),
        (7, 20_000),
    ]:
        part = stream_rows(start, stop, 4)
        for got, whole in zip(part, (X, y, w), strict=True):
            np.testing.assert_array_equal(got, whole[start:stop])


def test_target_and_weight_columns_change_nothing_else(tmp_path):
    bare = write_parquet(tmp_path / "bare", 100, 3, target=False)
    full = write_parquet(tmp_path / "full", 100, 3, weight=True)
    a, b = pq.read_table(bare.paths[0]), pq.read_table(full.paths[0])
    assert a.column_names == ["x0", "x1", "x2"]
    assert b.column_names == ["x0", "x1", "x2", "y", "w"]
    assert a == b.select(a.column_names)
    w = stream_rows(0, 50_000, 3)[2]
    assert w.min() >= 0.5
    assert w.max() <= 1.5
    assert w.mean() == pytest.approx(1, abs=0.01)


def test_seeds_and_blocks_are_independent():
    X = stream_rows(0, 2 * BLOCK, 3, kind="regression")[0]
    other = stream_rows(0, 2 * BLOCK, 3, kind="regression", random_state=1)[0]
    assert abs(np.corrcoef(X[:BLOCK, 0], X[BLOCK:, 0])[0, 1]) < 0.05
    assert abs(np.corrcoef(X[:, 0], other[:, 0])[0, 1]) < 0.04


def test_blobs_have_unit_spread_about_their_centers(tmp_path):
    stream = write_parquet(tmp_path / "x", 40_000, 3, classes=5)
    X, y = read(stream.paths)
    assert stream.centers.shape == (5, 3)
    Z = X - stream.centers[y]
    np.testing.assert_allclose(Z.mean(axis=0), 0, atol=0.02)
    np.testing.assert_allclose(Z.std(axis=0), 1, atol=0.02)
    np.testing.assert_allclose(np.bincount(y) / len(y), 0.2, atol=0.01)


def test_regression_is_recovered(tmp_path):
    stream = write_parquet(tmp_path / "x", 40_000, 3, kind="regression")
    X, y = read(stream.paths)
    A = np.column_stack([X, np.ones(len(X))])
    w, rss = np.linalg.lstsq(A, y, rcond=None)[:2]
    np.testing.assert_allclose(w, [*stream.coef, stream.intercept], atol=0.03)
    assert rss[0] / len(y) == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("classes", [2, 4])
def test_classification_is_calibrated(tmp_path, classes):
    stream = write_parquet(
        tmp_path / "x", 60_000, 3, kind="classification", classes=classes
    )
    X, y = read(stream.paths)
    logits = X @ stream.coef.T + stream.intercept
    P = np.exp(logits - logits.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(np.bincount(y) / len(y), P.mean(axis=0), atol=0.01)
    likely = P.max(axis=1) > 0.9
    right = (P.argmax(axis=1) == y)[likely].mean()
    assert right == pytest.approx(P.max(axis=1)[likely].mean(), abs=0.01)


def test_csv_holds_the_same_rows(tmp_path):
    stream = write_csv(tmp_path / "x.csv", BLOCK + 10, 3, kind="regression")
    table = csv.read_csv(stream.paths[0])
    X, y, _ = stream_rows(0, BLOCK + 10, 3, kind="regression")
    assert table.column_names == ["x0", "x1", "x2", "y"]
    np.testing.assert_array_equal(table["x1"].to_numpy().astype("float32"), X[:, 1])
    np.testing.assert_array_equal(table["y"].to_numpy().astype("float32"), y)


@pytest.mark.parametrize(
    ("option", "words"),
    [({"kind": "moons"}, "kind must be one of 'blobs'"), ({"dtype": "int8"}, "dtype")],
)
def test_a_wrong_option_is_named_and_leaves_no_file(tmp_path, option, words):
    with pytest.raises(ParameterError, match=words):
        write_parquet(tmp_path / "x", 10, 2, **option)
    assert not list(tmp_path.iterdir())


def test_a_failed_write_leaves_no_file(tmp_path, monkeypatch):
    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("corollary.datasets.streams._table", fail)
    with pytest.raises(OSError, match="disk full"):
        write_parquet(tmp_path / "x", 10, 2)
    assert not list(tmp_path.iterdir())
