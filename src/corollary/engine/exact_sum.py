"""Exact sums of numbers: the same to the bit for any order, chunks or threads.

Also known as: superaccumulator, reproducible summation.

A double is a whole number of units of 2^-1074; a sum of doubles is one too,

    sum_i x_i = 2^-1074 sum_i k_i                                                (1)

and Python's whole numbers have as many digits as that takes.  Where a rule compares
two means, such as when to stop, a sum that depends on the order of the rows would make
it depend on the chunks.

References: Neal (2015); Demmel and Nguyen (2015).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats
from corollary.engine.statistics import Statistics

__all__ = ["ExactMean", "ExactSum"]

EXPONENTS = 2048
UNIT = 1074


@dataclass(frozen=True)
class ExactSum(Statistics):
    """The sum of some numbers.

    >>> tenth = ExactSum.of(np.full(10, 0.1))
    >>> float(tenth), float(tenth + ExactSum.of(np.array([1e300, -1e300])))
    (1.0, 1.0)
    """

    units: int = 0  # (1)
    strange: float = 0.0  # sum of those that are infinite or missing

    @classmethod
    def of(cls, x: Floats) -> ExactSum:
        """Add up numbers."""
        sums = np.zeros((2, EXPONENTS), np.int64)
        loops.exact_sums(np.ascontiguousarray(x, np.float64), sums)
        if sums[:, -1].any():
            return cls(0, float(np.sum(x[~np.isfinite(x)])))
        units = 0
        for e in np.flatnonzero(sums.any(axis=0)).tolist():
            whole = (int(sums[0, e]) << 32) + int(sums[1, e])
            units += whole << max(e - 1, 0)
        return cls(units)

    def __float__(self) -> float:
        return self.per(1 << UNIT)

    def over(self, other: ExactSum) -> float:
        """Return the ratio of two sums, rounded once."""
        return self.per(other.units) if not other.strange else float("nan")

    def per(self, units: int) -> float:
        """Return the sum in other units."""
        if self.strange or not units:
            return self.strange or float("nan")
        try:
            return self.units / units
        except OverflowError:
            return float("inf") if self.units > 0 else -float("inf")


@dataclass(frozen=True)
class ExactMean(Statistics):
    """The weighted mean of some numbers, rounded once."""

    total: ExactSum
    weight: ExactSum

    @classmethod
    def of(cls, x: Floats, w: Floats | None = None) -> ExactMean:
        """Take the mean of numbers; w = None is a weight of 1 each."""
        if w is None:
            return cls(ExactSum.of(x), ExactSum(len(x) << UNIT))
        return cls(ExactSum.of(w * x), ExactSum.of(w))

    def __float__(self) -> float:
        return self.total.over(self.weight)
