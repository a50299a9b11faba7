"""Warnings of what scikit-learn will change or drop, as it gives them itself."""

from __future__ import annotations

import sys
import warnings

__all__ = ["warn_of_change"]

OURS = __name__.partition(".")[0]


def warn_of_change(learner: object, text: str) -> None:
    """Warn the caller of the library that what it asks for is going away.

    >>> import pytest
    >>> with pytest.warns(FutureWarning, match="Ridge: max_iter=None is deprecated."):
    ...     warn_of_change("Ridge", "max_iter=None is deprecated")
    """
    name = learner if isinstance(learner, str) else type(learner).__name__
    warnings.warn(f"{name}: {text}.", FutureWarning, stacklevel=outside())


def outside() -> int:
    """Return how many calls lie between `warn_of_change` and the library's caller."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != OURS:
            break
        level, frame = level + 1, frame.f_back
    return level
