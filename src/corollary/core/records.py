"""Records that may stand inside a saved model, each marked where it is defined.

A file names a record by its package and its class, `kernels.Gaussian`; no module path
is ever read from a file, and a class that is not marked is never made from one.
"""

from __future__ import annotations

from typing import TypeVar

__all__ = ["STORED", "record_name", "stored"]

T = TypeVar("T", bound=type)

#: Every marked class that has been imported, by its name in files.
STORED: dict[str, type] = {}


def stored(cls: T) -> T:
    """Let a record stand inside saved models."""
    name = record_name(cls)
    other = STORED.setdefault(name, cls)
    if other.__module__ != cls.__module__:
        raise TypeError(f"{cls.__module__} and {other.__module__} both store {name}")
    STORED[name] = cls
    return cls


def record_name(cls: type) -> str:
    """Return the name of a record in files: its package and its class."""
    return f"{cls.__module__.split('.')[1]}.{cls.__name__}"
