"""Answers of a model for new rows: sets, intervals, files, and bad input."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from corollary import load
from corollary.workbench import predictions_table


def test_classes_come_with_sets(corollary, flat_files):
    result = corollary("predict", flat_files.classes, flat_files.blind, "--json")
    assert result.exit_code == 0, result.output
    found = json.loads(result.stdout)
    assert (found["target"], found["rows"], found["delta"]) == ("dear", 25, 0.1)
    expected = predictions_table(load(flat_files.classes), flat_files.blind)
    for row, other in zip(found["predictions"], expected.to_pylist(), strict=True):
        assert row["prediction"] == other["prediction"]
        assert row["set"] == other["set"]
        chances = [other["probability of no"], other["probability of yes"]]
        assert row["probability"] == pytest.approx(max(chances))
        assert "probability of yes" not in row


def test_numbers_come_with_intervals(corollary, flat_files):
    words = "predict", flat_files.numbers.parent, flat_files.new, "--json"
    found = json.loads(corollary(*words, "--delta", 0.2).stdout)
    model = load(flat_files.numbers)
    expected = model.predict_interval(flat_files.new, 0.2)
    rows = found["predictions"]
    assert np.allclose([[row["low"], row["high"]] for row in rows], expected)
    rent = pyarrow.csv.read_csv(flat_files.new)["rent"].to_numpy()
    inside = (expected[:, 0] <= rent) & (rent <= expected[:, 1])
    assert 0.7 < inside.mean() < 0.9


def test_a_table_of_the_first_rows(process, flat_files):
    result = process("predict", flat_files.classes, flat_files.new)
    assert result.returncode == 0
    assert result.stderr == ""
    head, first, *rest = result.stdout.splitlines()
    assert head.split() == ["row", "flat", "id", "prediction", "probability", "set"]
    assert first.split()[:2] == ["0", "002-0000"]
    assert len(rest) == 10
    assert rest[-1].startswith("the first 10 of 160 rows; each set")
    assert "\x1b" not in result.stdout


@pytest.mark.parametrize("ending", ["parquet", "csv", "json", "jsonl"])
def test_files_of_all_kinds_hold_the_same_rows(ending, corollary, flat_files, tmp_path):
    out = tmp_path / f"answers.{ending}"
    words = "predict", flat_files.classes, flat_files.blind, "--proba", "--out", out
    result = corollary(*words)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith(f"wrote {out}: 25 rows")
    if ending == "parquet":
        rows = pq.read_table(out).to_pylist()
    elif ending == "csv":
        rows = pyarrow.csv.read_csv(out).to_pylist()
    elif ending == "json":
        rows = json.loads(out.read_text())
    else:
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert len(rows) == 25
    assert rows[3]["flat id"] == "003-0003"
    for row in rows:
        chances = [row["probability of no"], row["probability of yes"]]
        assert sum(chances) == pytest.approx(1)
        assert row["prediction"] == ["no", "yes"][int(np.argmax(chances))]
    assert [file.name for file in tmp_path.iterdir()] == [out.name]


def test_the_standard_input(corollary, flat_files):
    text = flat_files.blind.read_text()
    result = corollary("predict", flat_files.classes, "-", "--json", input=text)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["rows"] == 25


def test_odd_cells_are_notes_on_the_standard_error(corollary, flat_files, tmp_path):
    text = flat_files.blind.read_text().splitlines()
    text[1] = "x,large,3,Oslo,1990-01-01"
    text[2] = "y,55.0,3,Atlantis,1990-01-01"
    path = tmp_path / "odd.csv"
    path.write_text("\n".join(text))
    result = corollary("predict", flat_files.classes, path, "--json")
    assert result.exit_code == 0
    assert result.stderr.startswith("note: column 'area': 1 of 25 cells are no number")
    assert json.loads(result.stdout)["rows"] == 25
    assert corollary("predict", flat_files.classes, path, "--quiet").stderr == ""


@pytest.mark.parametrize("ending", ["parquet", "csv", "json", "jsonl"])
def test_a_file_larger_than_memory_is_answered_in_parts(
    ending, corollary, flat_files, tmp_path
):
    lines = flat_files.new.read_text().splitlines()
    path = tmp_path / "large.csv"
    path.write_text("\n".join([lines[0], *(lines[1:] * 300)]))
    words = "predict", flat_files.classes, path, "--out"
    whole, parts = tmp_path / f"whole.{ending}", tmp_path / f"parts.{ending}"
    assert corollary(*words, whole).exit_code == 0
    result = corollary(*words, parts, "--memory-limit", "2MB")
    assert result.exit_code == 0, result.output
    assert result.stdout == f"wrote {parts}: 48,000 rows, read in parts\n"
    if ending == "parquet":
        assert pq.ParquetFile(parts).num_row_groups > 1
    found, wanted = table_of(parts), table_of(whole)
    assert found.column_names == wanted.column_names
    for name in wanted.column_names:
        if wanted[name].type == pa.float64():  # sums of products round by their number
            np.testing.assert_allclose(found[name], wanted[name], rtol=1e-12)
        else:
            assert found[name].equals(wanted[name])


def table_of(path):
    """Read a file of answers."""
    if path.suffix == ".parquet":
        return pq.read_table(path)
    if path.suffix == ".csv":
        return pyarrow.csv.read_csv(path)
    text = path.read_text()
    rows = json.loads(text) if path.suffix == ".json" else text.splitlines()
    return pa.Table.from_pylist(
        rows if path.suffix == ".json" else [json.loads(row) for row in rows]
    )


# -- bad input -------------------------------------------------------------------------
def test_a_missing_column_is_named_with_the_closest(refused, flat_files, tmp_path):
    path = tmp_path / "new.csv"
    path.write_text(flat_files.blind.read_text().replace("area", "areas"))
    said = refused("predict", flat_files.classes, path)
    assert "the column 'area'" in said
    assert "'areas'" in said


def test_bad_files_are_one_sentence(refused, flat_files, tmp_path):
    new, model = flat_files.new, flat_files.classes
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (tmp_path / "bad.corollary").write_bytes(model.read_bytes()[:-50])
    (tmp_path / "folder").mkdir()
    assert "empty.csv" in refused("predict", model, tmp_path / "empty.csv")
    assert "picture" in refused("predict", model, tmp_path / "picture.png")
    assert "no such file" in refused("predict", model, tmp_path / "none.csv")
    assert "The closest name is 'new.csv'" in refused("predict", model, f"{new}x")
    refused("predict", model, tmp_path / "folder")
    assert "cannot be loaded" in refused("predict", tmp_path / "bad.corollary", new)
    assert "cannot be loaded" in refused("predict", new, new)
    assert "does not exist" in refused("predict", tmp_path / "no.corollary", new)
    assert "folder" in refused("predict", tmp_path / "folder", new)


def test_a_model_of_another_kind(refused, flat_files, tmp_path):
    from corollary import KMeans, save

    path = tmp_path / "clusters.corollary"
    save(KMeans(2, random_state=0).fit(np.eye(4)), path)
    assert "got a KMeans" in refused("predict", path, flat_files.new)


def test_what_cannot_be_written_is_said_first(refused, flat_files, tmp_path):
    words = "predict", flat_files.classes, flat_files.new, "--out"
    assert "must end in" in refused(*words, tmp_path / "answers.xlsx")
    assert "must exist" in refused(*words, tmp_path / "no" / "answers.csv")
    (tmp_path / "answers.csv").mkdir()
    assert "no file" in refused(*words, tmp_path / "answers.csv")


def test_a_full_disk_leaves_nothing_behind(refused, flat_files, tmp_path, monkeypatch):
    def full(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("corollary.persistence.whole_files.os.fsync", full)
    words = "predict", flat_files.classes, flat_files.new, "--out"
    assert "No space left" in refused(*words, tmp_path / "answers.csv")
    assert list(tmp_path.iterdir()) == []


def test_bad_options(refused, flat_files):
    words = "predict", flat_files.numbers, flat_files.new
    assert "--delta must be" in refused(*words, "--delta", 1)
    assert "--proba must be left out" in refused(*words, "--proba")
    assert "--juggle" in refused(*words, "--juggle")
    assert "must fit in" in refused(*words, "--memory-limit", "1kB")
    assert "memory_limit must be" in refused(*words, "--memory-limit", "some")
    assert "delimiter must be" in refused(*words, "--delimiter", ";;")


def test_bad_input_in_a_process_of_its_own(process, one_sentence, flat_files, tmp_path):
    words = "predict", flat_files.classes, "none.csv", "--out", "answers.csv"
    one_sentence(process(*words, cwd=tmp_path), "none.csv", "no such file")
    assert list(tmp_path.iterdir()) == []
