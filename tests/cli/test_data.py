import numpy as np
import pyarrow.parquet as pq
import pytest

from corollary.datasets import stream_rows


def test_writes_the_stream(process, tmp_path):
    path = tmp_path / "rows.parquet"
    result = process("data", path, "--rows", 9000, "--columns", 3, "--seed", 5)
    assert result.returncode == 0
    assert "9,000 rows of 3 features" in result.stdout
    table = pq.read_table(path)
    assert table.column_names == ["x0", "x1", "x2", "y"]
    X, y, _ = stream_rows(0, 9000, 3, random_state=5)
    assert np.array_equal(np.column_stack(list(table.columns[:3])), X)
    assert np.array_equal(table["y"], y)


def test_options_reach_the_stream(corollary, tmp_path):
    folder = tmp_path / "parts"
    options = "--rows 100 --columns 2 --kind regression --files 3 --weight".split()
    result = corollary("data", folder, *options, "--dtype", "float64")
    assert result.exit_code == 0
    assert len(list(folder.iterdir())) == 3
    table = pq.read_table(folder)
    assert table.column_names == ["x0", "x1", "y", "w"]
    assert table.num_rows == 100
    assert str(table.schema.field("x0").type) == "double"


def test_nothing_is_overwritten(process, tmp_path, one_sentence):
    path = tmp_path / "rows.parquet"
    path.write_text("precious")
    one_sentence(
        process("data", path, "--rows", 10), "PATH must be new", "rows.parquet"
    )
    assert path.read_text() == "precious"


def test_a_folder_that_does_not_exist(process, tmp_path, one_sentence):
    one_sentence(process("data", tmp_path / "no" / "rows.parquet"), "must exist")


@pytest.mark.parametrize("files", [1, 3])
def test_a_full_disk_leaves_nothing_behind(files, corollary, tmp_path, monkeypatch):
    written = []

    def full(self, table, **settings):
        written.append(table.num_rows)
        if sum(written) > 50:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(pq.ParquetWriter, "write_table", full)
    options = "--rows", 100, "--columns", 2, "--files", files
    result = corollary("data", tmp_path / "rows", *options)
    assert result.exit_code == 2
    assert result.output == "corollary: No space left on device.\n"
    assert written
    assert list(tmp_path.iterdir()) == []
