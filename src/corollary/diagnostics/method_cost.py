"""What a method costs on samples of the rows: seconds, and bytes beside the rows.

A fit is timed, the least of a few where it is brief, and fitted once more while its
allocations are traced; both grow with the rows by a `scaling_law`.  What compiled loops
allocate is not traced: where a method states what it needs (`working_bytes`), and that
is more, the statement counts.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.scaling_law import PredictedCost, ScalingLaw, fit_scaling_law
from corollary.selection.validation_data import Given

__all__ = ["MeasuredCost", "MethodCost", "measured_cost", "method_cost"]

BRIEF = 0.1  # seconds below which a fit is timed again
REPEATS = 3
EXACT = 0.005  # relative error of bytes
LEAST_SIZES = 2


@dataclass(frozen=True, eq=False)
class MeasuredCost:
    """What samples cost."""

    sizes: Vector  # (k,)
    seconds: Floats  # (k,)
    bytes: Floats  # (k,)


@dataclass(frozen=True, eq=False)
class MethodCost:
    """What one method costs.

    Attributes
    ----------
    name : str
    seconds, memory : ScalingLaw
        (1), in seconds and in bytes beside the rows.
    expected_seconds, expected_bytes : PredictedCost
        For all rows: value, low and high.
    fits_time, fits_memory : bool
        Whether the values are within the budget.
    sure : bool
        Whether the upper ends are, too.
    loss : float
        Mean loss on held-out rows, of the largest sample that all methods were
        fitted to.
    """

    name: str
    seconds: ScalingLaw
    memory: ScalingLaw
    expected_seconds: PredictedCost
    expected_bytes: PredictedCost
    fits_time: bool
    fits_memory: bool
    sure: bool
    loss: float

    @property
    def fits(self) -> bool:
        """Whether the method fits the budget."""
        return self.fits_time and self.fits_memory

    def __str__(self) -> str:
        took, held = self.expected_seconds, self.expected_bytes
        return (
            f"{self.name}: {took.value:.3g} s ({took.low:.2g} to {took.high:.2g}), "
            f"{held.value / 1e6:.3g} MB, as n^{self.seconds.exponent:.1f} and "
            f"n^{self.memory.exponent:.1f}; loss {self.loss:.4g}"
        )


def measured_cost(
    model: Any, given: Given, rows: Vector, sizes: Vector, allowed: float | None
) -> MeasuredCost:
    """Fit clones of a model to growing samples, while that takes what is allowed."""
    seconds: list[float] = []
    peaks: list[float] = []
    begun = time.perf_counter()
    for m in sizes:
        some = given.some(rows[:m])
        seconds.append(_seconds(lambda: clone(model).fit(some.X, some.y)))  # noqa: B023
        peaks.append(_peak(lambda: clone(model).fit(some.X, some.y)))  # noqa: B023
        spent = time.perf_counter() - begun
        if allowed is not None and spent > allowed and len(seconds) >= LEAST_SIZES:
            break
    return MeasuredCost(sizes[: len(seconds)], np.array(seconds), np.array(peaks))


def _seconds(work: Callable[[], Any]) -> float:
    """Return how long something takes, the least of a few times if it is brief."""
    best = float("inf")
    for _ in range(REPEATS):
        begun = time.perf_counter()
        work()
        best = min(best, time.perf_counter() - begun)
        if best > BRIEF:
            break
    return best


def _peak(work: Callable[[], Any]) -> float:
    """Return the most bytes that something holds at a time, as Python traces them."""
    ours = not tracemalloc.is_tracing()
    if ours:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before = tracemalloc.get_traced_memory()[0]
        work()
        return float(max(tracemalloc.get_traced_memory()[1] - before, 0))
    finally:
        if ours:
            tracemalloc.stop()


def method_cost(
    name: str,
    model: Any,
    measured: MeasuredCost,
    n: int,
    features: int,
    budget: tuple[float | None, float | None],
    loss: float,
) -> MethodCost:
    """Return what n rows will cost, and whether that fits a budget."""
    time_law = fit_scaling_law(measured.sizes, measured.seconds)
    room = fit_scaling_law(measured.sizes, measured.bytes, noise=EXACT)
    state = getattr(model, "working_bytes", None)
    stated = 0.0 if state is None else float(state(n, features))
    took = time_law.at(n)
    held = PredictedCost(*(max(end, stated) for end in room.at(n)))
    seconds, memory = (np.inf if most is None else most for most in budget)
    return MethodCost(
        name,
        time_law,
        room,
        took,
        held,
        took.value <= seconds,
        held.value <= memory,
        took.high <= seconds and held.high <= memory,
        loss,
    )
