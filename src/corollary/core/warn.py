"""Warnings that point at the user's line, whatever lies between it and their cause.

Python shows a warning once for each line that it points at.  One that pointed into the
library would be shown once for all fits of a program, and would name a line that its
reader did not write.

Whoever fits many models on a user's behalf gathers what they warn of instead
(`gathered_warnings`), and says it once where it matters; Python's filters, which belong
to the whole process, are not touched.
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar

__all__ = ["gathered_warnings", "warn", "warn_of_change"]

BETWEEN = {"corollary", "sklearn", "joblib"}  # packages that call on a user's behalf
_gathered: ContextVar[list[str] | None] = ContextVar("gathered", default=None)


@contextlib.contextmanager
def gathered_warnings() -> Iterator[list[str]]:
    """Collect the texts of the library's warnings in a block instead of showing them.

    >>> with gathered_warnings() as found:
    ...     warn("KMeans: two rows are equal.")
    >>> found
    ['KMeans: two rows are equal.']
    """
    found: list[str] = []
    token = _gathered.set(found)
    try:
        yield found
    finally:
        _gathered.reset(token)


def warn(text: str, category: type[Warning] = UserWarning) -> None:
    """Warn the caller of the library.

    >>> import pytest
    >>> with pytest.warns(UserWarning, match="KMeans: two rows are equal."):
    ...     warn("KMeans: two rows are equal.")
    """
    found = _gathered.get()
    if found is not None:
        found.append(text)
    else:
        warnings.warn(text, category, stacklevel=outside())


def warn_of_change(who: object, text: str) -> None:
    """Warn of what scikit-learn will change or drop, as it does itself.

    >>> import pytest
    >>> with pytest.warns(FutureWarning, match="Ridge: max_iter=None is deprecated."):
    ...     warn_of_change("Ridge", "max_iter=None is deprecated")
    """
    name = who if isinstance(who, str) else type(who).__name__
    warn(f"{name}: {text}.", FutureWarning)


def outside() -> int:
    """Return how many calls lie between `warn` and the first line of the user's own."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] not in BETWEEN:
            break
        level, frame = level + 1, frame.f_back
    return level
