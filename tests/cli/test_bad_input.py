"""Bad input on every verb: one sentence, exit code 2, nothing half-written."""

import os

import pytest

MODEL_VERBS = ("predict", "evaluate", "diagnose", "certify", "compare")
TABLE_VERBS = ("cluster", "reduce")
VERBS = MODEL_VERBS + TABLE_VERBS


@pytest.fixture(scope="module")
def bad(flat_files, tmp_path_factory):
    """Write files that no verb can read."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "empty.csv").write_text("")
    (folder / "header.csv").write_text(flat_files.new.read_text().splitlines()[0])
    (folder / "picture.csv").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(200))
    (folder / "bytes.bin").write_bytes(bytes(range(256)) * 20)
    (folder / "broken.parquet").write_bytes(b"PAR1" + bytes(100))
    (folder / "cut.corollary").write_bytes(flat_files.classes.read_bytes()[:5000])
    (folder / "text.corollary").write_text("I am no model.")
    (folder / "none").mkdir()
    return folder


def command(verb, data, model):
    """Return the words of a command."""
    models = {"compare": [model, model]}.get(verb, [model])
    return [verb, *(models if verb in MODEL_VERBS else []), data]


@pytest.mark.parametrize("verb", VERBS)
def test_files_that_hold_no_rows(verb, refused, flat_files, bad):
    for name in (
        "missing.csv",
        "empty.csv",
        "header.csv",
        "picture.csv",
        "bytes.bin",
        "broken.parquet",
        "none",
    ):
        said = refused(*command(verb, bad / name, flat_files.classes))
        assert name in said, said


@pytest.mark.parametrize("verb", MODEL_VERBS)
def test_files_that_hold_no_model(verb, refused, flat_files, bad):
    for name in ("missing.corollary", "cut.corollary", "text.corollary", "none"):
        said = refused(*command(verb, flat_files.new, bad / name))
        assert name in said, said


@pytest.mark.parametrize("verb", MODEL_VERBS)
def test_columns_that_are_missing(verb, refused, flat_files, tmp_path):
    path = tmp_path / "other.csv"
    path.write_text(flat_files.new.read_text().replace("rooms", "room"))
    said = refused(*command(verb, path, flat_files.classes))
    assert "the column 'rooms'" in said
    assert "closest name is 'room'" in said


@pytest.mark.parametrize("verb", VERBS)
def test_flags_that_are_unknown_or_lack_a_value(verb, refused, flat_files):
    words = command(verb, flat_files.new, flat_files.classes)
    assert "--bad" in refused(*words, "--bad")
    assert "--memory-limit" in refused(*words, "--memory-limit")
    refused(*words, "--memory-limit", "lots")
    refused(*words, "--delimiter", "two")
    refused(*words, "--encoding", "klingon")


@pytest.mark.parametrize("verb", ["predict", "cluster", "reduce"])
def test_places_that_cannot_be_written(verb, refused, flat_files, tmp_path):
    words = command(verb, flat_files.new, flat_files.classes)
    (tmp_path / "taken.csv").mkdir()
    for name in ("out.txt", "out", "no/out.csv", "taken.csv"):
        refused(*words, "--out", tmp_path / name)
    assert [file.name for file in tmp_path.iterdir()] == ["taken.csv"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(refused, flat_files, tmp_path):
    tmp_path.chmod(0o500)
    words = "predict", flat_files.classes, flat_files.new, "--out"
    assert "may be written" in refused(*words, tmp_path / "out.csv")


@pytest.mark.parametrize("verb", VERBS)
def test_ctrl_c_is_130_without_a_traceback(verb, corollary, flat_files, monkeypatch):
    def interrupt(*given, **settings):
        raise KeyboardInterrupt

    monkeypatch.setattr("corollary.workbench.table_cells.table_files", interrupt)
    result = corollary(*command(verb, flat_files.new, flat_files.classes))
    assert result.exit_code == 130
    assert result.stdout == ""
    assert result.stderr == "corollary: interrupted.\n"
