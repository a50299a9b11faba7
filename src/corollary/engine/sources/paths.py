"""Paths: from what a user writes to a list of files that exist.

A path is a file, a directory, a pattern with ``*``, ``?``, ``[...]`` or ``**``, or a
URL (``s3://``, ``gs://``, ``file://`` through pyarrow; any other through fsspec).
"""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from corollary.core.errors import DataError, sentence

__all__ = ["File", "located"]


@dataclass(frozen=True)
class File:
    """A file as it was when the source was opened."""

    path: str
    size: int | None
    changed: int | None  # nanoseconds since 1970
    identity: tuple[str, int, int] | None = None  # host, inode, last change of either

    @classmethod
    def of(cls, filesystem: Any, info: Any) -> File:
        """Note what the file system tells of a file; a local one tells more."""
        identity = None
        if filesystem.type_name == "local":
            status = os.stat(info.path)
            identity = (platform.node(), status.st_ino, status.st_ctime_ns)
        return cls(info.path, info.size, info.mtime_ns, identity)

    @classmethod
    def seen(cls, filesystem: Any, path: str) -> File:
        """Look at the file now; raise FileNotFoundError where there is none."""
        info = filesystem.get_file_info(path)
        if not info.is_file:
            raise FileNotFoundError(f"no such file: {path}")
        return cls.of(filesystem, info)

    def check_unchanged(self, filesystem: Any) -> None:
        """Look again; raise OSError where the file is another one now.

        A worker on another host may have a copy of its own, of the same age.
        """
        now = File.seen(filesystem, self.path)
        mine, its = self.identity, now.identity
        here = mine is not None and its is not None and mine[0] == its[0]
        alike = (now.size, now.changed) == (self.size, self.changed)
        if not alike or (here and mine != its):
            raise OSError("the file is another one now")


def located(
    who: str, paths: Any, filesystem: Any, endings: tuple[str, ...]
) -> tuple[Any, list[File]]:
    """Return the pyarrow filesystem and the files that the paths stand for.

    A directory stands for the files in and below it with one of the `endings`;
    names that start with ``_`` or ``.`` are left out, as other readers do.
    """
    several = isinstance(paths, list | tuple)
    asked = [os.fspath(path) for path in (paths if several else [paths])]
    if not asked:
        raise DataError(sentence(who, "paths must name at least one file", "none"))
    found: list[File] = []
    used = None if filesystem is None else arrow_filesystem(filesystem)
    for path in asked:
        at, inner = (used, path) if filesystem is not None else _opened(who, path)
        if used is not None and not used.equals(at):
            must = "all paths must lie on one file system"
            raise DataError(sentence(who, must, f"{asked[0]!r} and {path!r}"))
        used = at
        found += _files(who, used, inner, endings)
    return used, found


def arrow_filesystem(filesystem: Any) -> Any:
    """Wrap an fsspec filesystem; pyarrow's own pass unchanged."""
    from pyarrow import fs

    if isinstance(filesystem, fs.FileSystem):
        return filesystem
    return fs.PyFileSystem(fs.FSSpecHandler(filesystem))


def _opened(who: str, path: str) -> tuple[Any, str]:
    """Find the filesystem of a path or URL, and the path inside it."""
    from pyarrow import ArrowInvalid, fs

    if "://" not in path:
        return fs.LocalFileSystem(), os.path.abspath(os.path.expanduser(path))
    try:
        return fs.FileSystem.from_uri(path)
    except ArrowInvalid:
        pass  # not a kind that pyarrow knows
    try:
        import fsspec

        other, inner = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        must = f"a URL must be of a kind that pyarrow or fsspec can open ({path})"
        remedy = "Install fsspec and the package for this kind of URL."
        raise DataError(sentence(who, must, first_line(error), remedy)) from None
    return arrow_filesystem(other), inner


def _files(
    who: str, filesystem: Any, path: str, endings: tuple[str, ...]
) -> list[File]:
    """List the files that one path stands for, sorted by name."""
    from pyarrow import fs

    try:
        info = filesystem.get_file_info(path)
        if info.is_file:
            return [File.of(filesystem, info)]
        pattern = any(sign in path for sign in "*?[") and info.type is not (
            fs.FileType.Directory
        )
        base = _fixed_part(path) if pattern else path
        selector = fs.FileSelector(base, allow_not_found=pattern, recursive=True)
        infos = filesystem.get_file_info(selector)
    except OSError as error:
        must = f"{path} must be a file, a directory or a pattern that can be read"
        raise DataError(sentence(who, must, failure(error))) from None
    names = {info.path: info for info in infos if info.is_file}
    wanted = [
        name
        for name in sorted(names)
        if (_matches(name.split("/"), path.split("/")) if pattern else
            _visible(name[len(base) :], endings))
    ]  # fmt: skip
    if not wanted:
        must = f"{path} must stand for at least one file"
        kinds = " or ".join(endings)
        came = "no match" if pattern else f"a directory without {kinds} files"
        raise DataError(sentence(who, must, came))
    return [File.of(filesystem, names[name]) for name in wanted]


def _fixed_part(pattern: str) -> str:
    """Return the directories before the first sign of a pattern."""
    parts = pattern.split("/")
    first = next(i for i, part in enumerate(parts) if any(s in part for s in "*?["))
    return "/".join(parts[:first]) or "/"


def _matches(parts: list[str], pattern: list[str]) -> bool:
    """Compare a path with a pattern; ``**`` stands for any directories."""
    if not pattern or not parts:
        return not pattern and not parts
    if pattern[0] == "**":
        return _matches(parts, pattern[1:]) or _matches(parts[1:], pattern)
    return fnmatchcase(parts[0], pattern[0]) and _matches(parts[1:], pattern[1:])


def _visible(below: str, endings: tuple[str, ...]) -> bool:
    hidden = any(part.startswith(("_", ".")) for part in below.strip("/").split("/"))
    return not hidden and below.lower().endswith(endings)


def failure(error: BaseException) -> str:
    """Name an error and what it says, in one line."""
    return f"{type(error).__name__}: {first_line(error)}"


def first_line(error: BaseException) -> str:
    """Return the first line of an error's words, without a full stop."""
    return next(_lines(error), type(error).__name__)


def _lines(error: BaseException) -> Iterator[str]:
    for line in str(error).splitlines():
        if line.strip():
            yield line.strip().rstrip(".")
