"""A file is replaced whole or not at all."""

import errno
import os
import resource
import signal
import stat

import numpy as np
import pytest

import corollary
from corollary.core.errors import ParameterError
from corollary.persistence import whole_files
from corollary.persistence.whole_files import write_whole

posix = pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")


@pytest.fixture
def old(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"old")
    return path


def only(path):
    """Tell whether nothing else was left behind."""
    return [each.name for each in path.parent.iterdir()] == [path.name]


@posix
def test_permissions_are_those_of_the_old_file_or_of_the_umask(old, tmp_path):
    old.chmod(0o640)
    write_whole(old, [b"new"])
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    before = os.umask(0o027)
    try:
        write_whole(tmp_path / "fresh", [b"new"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640
    write_whole(tmp_path / "usual", [b"new"])
    assert stat.S_IMODE((tmp_path / "usual").stat().st_mode) == 0o666 & ~before


@posix
def test_links_are_followed(old, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    link = tmp_path / "elsewhere" / "link"
    link.symlink_to(old)
    write_whole(link, [b"new"])
    assert link.is_symlink()
    assert old.read_bytes() == b"new"
    dangling = tmp_path / "elsewhere" / "dangling"
    dangling.symlink_to(tmp_path / "later")
    write_whole(dangling, [b"new"])
    assert dangling.is_symlink()
    assert (tmp_path / "later").read_bytes() == b"new"


@pytest.mark.parametrize(
    "error",
    [OSError(errno.ENOSPC, "No space"), KeyboardInterrupt(), MemoryError()],
)
@pytest.mark.parametrize("step", ["fsync", "replace", "open"])
def test_whatever_goes_wrong_leaves_the_old_file(old, monkeypatch, error, step):
    def fail(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(whole_files.os, step, fail)
        with pytest.raises(type(error)):
            write_whole(old, [b"new"])
    assert old.read_bytes() == b"old"
    assert only(old)


def test_pieces_that_stop_coming_leave_the_old_file(old):
    def pieces():
        yield b"new"
        raise OSError(errno.ENOSPC, "No space left on device")

    with pytest.raises(OSError, match="No space left"):
        write_whole(old, pieces())
    assert old.read_bytes() == b"old"
    assert only(old)


@posix
def test_a_full_disk_leaves_the_old_model(tmp_path):
    path = tmp_path / "model"
    corollary.save(corollary.PCA(2).fit(np.eye(5)), path)
    before = path.read_bytes()
    large = corollary.PCA(200).fit(np.random.default_rng(0).normal(size=(300, 200)))
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, hard))
    try:
        with pytest.raises(OSError, match="File too large"):
            corollary.save(large, path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert path.read_bytes() == before
    assert only(path)


@posix
def test_only_files_are_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name, what in (("pipe", "a pipe or device"), (".", "a directory")):
        with pytest.raises(ParameterError, match=f"must be a file.*{what}"):
            write_whole(tmp_path / name, [b"new"])


def test_file_and_directory_are_brought_to_the_disk(old, monkeypatch):
    kinds, sync = [], os.fsync

    def watched(handle):
        kinds.append(stat.S_ISDIR(os.fstat(handle).st_mode))
        sync(handle)

    monkeypatch.setattr(whole_files.os, "fsync", watched)
    write_whole(old, [b"new"])
    assert kinds == ([False, True] if os.name == "posix" else [False])
