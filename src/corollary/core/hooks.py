"""Hooks: methods with a default that a class may replace.

A class of this library is abstract or final, and no concrete method is overridden,
except those that are marked as hooks where they are first defined; a test sees to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

__all__ = ["hook", "is_hook"]

F = TypeVar("F", bound=Callable[..., Any])


def hook(method: F) -> F:
    """Mark a method whose default a class may replace."""
    method.__hook__ = True  # type: ignore[attr-defined]
    return method


def is_hook(method: Any) -> bool:
    """Tell whether a method is a hook."""
    return bool(getattr(method, "__hook__", False))
