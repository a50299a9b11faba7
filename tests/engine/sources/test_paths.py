"""What a path stands for."""

import os

import pytest

from corollary.core.errors import DataError
from corollary.engine.sources.paths import located


@pytest.fixture
def folder(tmp_path):
    for name in ("b.parquet", "a.parquet", "_temporary/x.parquet", ".hidden.parquet"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"12345")
    for name in ("year=2025/c.parquet", "year=2026/c.PARQUET", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"123")
    return tmp_path


def found(paths, filesystem=None):
    _, files = located("ParquetSource", paths, filesystem, (".parquet",))
    return [os.path.basename(os.path.dirname(f.path)) + "/" + os.path.basename(f.path)
            for f in files]  # fmt: skip


def names(paths):
    return [name.rpartition("/")[2] for name in found(paths)]


def test_a_directory_is_its_visible_files_in_order_of_name(folder):
    assert names(folder) == ["a.parquet", "b.parquet", "c.parquet", "c.PARQUET"]


def test_a_file_keeps_its_size_whatever_its_ending(folder):
    _, (file,) = located("ParquetSource", folder / "notes.txt", None, (".parquet",))
    assert file.size == 3


def test_patterns(folder):
    assert names(str(folder / "*.parquet")) == [
        ".hidden.parquet",
        "a.parquet",
        "b.parquet",
    ]
    assert names(f"{folder}/[ab].parquet") == ["a.parquet", "b.parquet"]
    assert names(f"{folder}/year=*/c.*") == ["c.parquet", "c.PARQUET"]
    assert names(f"{folder}/**/c.parquet") == ["c.parquet"]
    assert names(f"{folder}/?.parquet") == ["a.parquet", "b.parquet"]


def test_a_list_keeps_its_order(folder):
    paths = [folder / "b.parquet", str(folder / "a.parquet")]
    assert names(paths) == ["b.parquet", "a.parquet"]


def test_a_name_with_brackets_that_exists_is_no_pattern(tmp_path):
    (tmp_path / "part[1].parquet").write_bytes(b"1")
    assert names(tmp_path / "part[1].parquet") == ["part[1].parquet"]


def test_home_and_relative_paths(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert names("a.parquet") == ["a.parquet"]
    monkeypatch.setenv("HOME", str(folder))
    assert names("~/a.parquet") == ["a.parquet"]


def test_urls_through_pyarrow_and_fsspec(folder):
    import fsspec

    assert names(f"file://{folder}/a.parquet") == ["a.parquet"]
    memory = fsspec.filesystem("memory")
    memory.pipe("/corollary-paths/m.parquet", b"1234")
    assert names("memory://corollary-paths/m.parquet") == ["m.parquet"]
    assert found("/corollary-paths", memory) == ["corollary-paths/m.parquet"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ([], "ParquetSource: paths must name at least one file; got none."),
        ("nowhere/*.parquet", "must stand for at least one file; got no match."),
        ("empty", "got a directory without .parquet files."),
        ("missing.parquet", "missing.parquet must be a file, a directory or a pattern"),
        ("missing.parquet", "FileNotFoundError"),
        ("nosuch://bucket/x", "must be of a kind that pyarrow or fsspec can open"),
    ],
)
def test_what_does_not_exist_is_one_sentence(tmp_path, monkeypatch, path, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError) as caught:
        found(path)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_two_file_systems_do_not_mix(folder):
    with pytest.raises(DataError, match="all paths must lie on one file system"):
        found([str(folder / "a.parquet"), "memory://x/y.parquet"])
