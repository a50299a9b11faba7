"""When the search for a machine's dual shall stop, and where it ended.

The search is in `smo.py`, whose equation numbers stand here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.progress import Show, quiet
from corollary.core.report import StopReason
from corollary.solvers.box_dual import Dual, gap_at

__all__ = ["Limits", "Optimum"]


@dataclass(frozen=True)
class Limits:
    """When to stop, and how much memory the cache may have."""

    tol: float = 1e-3
    max_iter: int = -1  # pairs; -1 for so many that only a hopeless search needs them
    seconds: float | None = None
    cache_bytes: float = 200e6
    shrinking: bool = True
    threads: int = 1
    show: Show = quiet  # of working sets and D


@dataclass(frozen=True)
class Optimum:
    """Where the search ended."""

    b: Floats
    f: Floats
    rho: Floats  # (groups,) the offset: the middle of its interval
    interval: Floats  # (groups, 2) from low_g to up_g, a point where a variable is free
    objective: float  # (1)
    gap: float  # (8) at rho
    violation: float  # (4)
    steps: int  # pairs
    sets: int
    rows: int  # kernel rows computed
    stop: StopReason
    rounding: float = 0.0  # of f, of b and of rho, once they are stored

    def gap_at(self, dual: Dual, *rho: float) -> float:
        """Return (8) at other offsets."""
        return gap_at(self.b, self.f, dual, np.array(rho), self.rounding)
