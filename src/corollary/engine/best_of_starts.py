"""The best of several starts; after Ctrl-C, the best so far.

A search that ends in a local minimum is begun several times, and the lowest end wins,
the first of equal ones.  Ctrl-C may come in two ways:

    between two ends     KeyboardInterrupt comes from the next start            (1)
    within an end        the search kept what it had, and says so               (2)

Both finish the fit with the lowest end so far, which is then marked as interrupted.
Where (1) comes before the first end there is nothing to keep, and it goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, TypeVar

from corollary.core.report import StopReason

__all__ = ["best_of_starts"]


class SearchEnd(Protocol):
    """Where a search from one start ended, and why."""

    @property
    def reason(self) -> StopReason:
        """Why it ended."""


E = TypeVar("E", bound=SearchEnd)


def best_of_starts(
    ends: Iterable[E], height: Callable[[E], Any], interrupted: Callable[[E], E]
) -> E:
    """Return the lowest end.

    Parameters
    ----------
    ends : iterable
        One for each start, made when it is asked for.
    height : function of an end
        What is to be lowest.
    interrupted : function of an end
        Marks it as the last before Ctrl-C.
    """
    best: E | None = None
    try:
        for end in ends:
            if best is None or height(end) < height(best):
                best = end
            if end.reason is StopReason.INTERRUPTED:  # (2)
                raise KeyboardInterrupt
    except KeyboardInterrupt:
        if best is None:
            raise
        best = interrupted(best)
    assert best is not None  # there is a start
    return best
