"""Files that appear whole or not at all.

The content goes to a file of another name in the same directory, is brought to the
disk, and only then takes the name: a full disk, a crash or Ctrl-C leaves the old file.
"""

from __future__ import annotations

import os
import secrets
import stat
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from corollary.core.errors import ParameterError, sentence

__all__ = ["write_whole"]


def write_whole(path: str | os.PathLike[str], pieces: Iterable[Any]) -> None:
    """Write a file; replace one that is there, keep its permissions, follow links."""
    target = Path(os.path.realpath(path))
    mode = permissions(target)
    scratch = target.parent / f".corollary-{secrets.token_hex(8)}"
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with os.fdopen(os.open(scratch, flags, 0o666), "wb") as file:  # umask applies
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            os.chmod(scratch, mode)
        os.replace(scratch, target)
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise
    to_disk(target.parent)


def permissions(target: Path) -> int | None:
    """Return the permissions of a file that is there; refuse what is no file."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(mode):
        must = f"{target.name} must be a file or nothing"
        came = "a directory" if stat.S_ISDIR(mode) else "a pipe or device"
        raise ParameterError(sentence("save", must, came))
    return stat.S_IMODE(mode)


def to_disk(directory: Path) -> None:
    """Bring a directory's new name to the disk, where the system can do that."""
    if os.name != "posix":
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
