"""How often a test set was looked at: the bound of a first look is not a tenth's.

A set is known by a hash of its rows and labels, whatever their order.  The count lives
in this process; nothing is written.  Whoever chooses a model after looking at a test
set has fitted to it, by a bit each time.
"""

from __future__ import annotations

from collections import OrderedDict
from threading import Lock
from typing import Any

import numpy as np

from corollary.core.randomness import row_keys
from corollary.engine.row_marks import marks_of

__all__ = ["Uses", "set_key"]

KEPT = 1024  # sets that are remembered
MOST = 10_000  # answers that are told apart on each
SEED = 20_021


class Uses:
    """Which answers were judged on which sets.

    >>> uses = Uses()
    >>> [uses.count(*pair) for pair in ((7, 1), (7, 1), (7, 2), (8, 2))]
    [1, 1, 2, 1]
    """

    def __init__(self) -> None:
        self._seen: OrderedDict[int, set[int]] = OrderedDict()
        self._lock = Lock()

    def count(self, key: int, answers: int) -> int:
        """Note a look at a set; return how many different answers it has judged.

        Whoever looks twice at the answers of one model learns nothing new.
        """
        with self._lock:
            seen = self._seen.pop(key, set())
            if len(seen) < MOST:
                seen.add(answers)
            self._seen[key] = seen
            while len(self._seen) > KEPT:
                self._seen.popitem(last=False)
            return len(seen)


def set_key(X: Any, y: Any) -> int:
    """Return a hash of rows of numbers with their codes or targets, in any order."""
    targets = np.ascontiguousarray(np.asarray(y, np.float64)[:, None])
    both = marks_of(X) ^ row_keys(targets, SEED)
    return int(np.add.reduce(both, dtype=np.uint64))
