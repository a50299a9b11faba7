"""The rows that boosting finds hardest: outliers, and labels that are wrong."""

from __future__ import annotations

from dataclasses import dataclass

from corollary.core.arrays import Floats, Vector
from corollary.core.records import readable

__all__ = ["HardestRows"]


@readable
@dataclass(frozen=True)
class HardestRows:
    """The training rows of the largest weight after the last round.

    Attributes
    ----------
    rows : array of int
        Their numbers, the heaviest first.
    weights : array of float
        Shares of the whole weight.
    even : float
        Share that each row would have by itself.
    """

    rows: Vector
    weights: Floats
    even: float
