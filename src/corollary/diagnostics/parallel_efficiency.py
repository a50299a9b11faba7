"""Parallel efficiency: how much the second core helps, and what Amdahl's law allows.

Also known as: Amdahl's law, speedup, strong scaling.

If a share p of the work can be spread over s workers, the speedup is at most

    S(s) = 1 / ((1 - p) + p / s)   <=   1 / (1 - p)                              (1)

Measured times T(s) give the speedup T(1)/T(s), the efficiency T(1)/(s T(s)), and p by
least squares on T(s)/T(1) = (1 - p) + p/s.  A speedup below 1 is parallel slowdown: the
overhead of spreading exceeds what it saves.

Course: S1-53. Reference: Amdahl (1967).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from corollary.core.configuration import config_context
from corollary.core.errors import ParameterError, sentence

__all__ = ["ParallelReport", "amdahl", "parallel_efficiency"]


def amdahl(p: float, s: float) -> float:
    """Return the speedup (1) of s workers if a share p of the work is parallel.

    >>> round(amdahl(0.95, 8), 4), round(amdahl(0.95, float("inf")), 4)
    (5.9259, 20.0)
    """
    if not 0 <= p <= 1 or not s >= 1:
        must = "p must be in [0, 1] and s >= 1"
        raise ParameterError(sentence("amdahl", must, f"p={p}, s={s}"))
    serial = (1 - p) + p / s
    return 1 / serial if serial > 0 else np.inf


@dataclass(frozen=True)
class ParallelReport:
    """Measured times over thread counts and what follows from them."""

    threads: tuple[int, ...]
    seconds: tuple[float, ...]
    parallel_share: float  # p

    @property
    def speedup(self) -> tuple[float, ...]:
        """T(1) / T(s)."""
        return tuple(self.seconds[0] / t for t in self.seconds)

    @property
    def efficiency(self) -> tuple[float, ...]:
        """Speedup for each thread spent."""
        return tuple(S / s for S, s in zip(self.speedup, self.threads, strict=True))

    @property
    def limit(self) -> float:
        """The speedup that no number of threads can pass."""
        return amdahl(self.parallel_share, np.inf)

    @property
    def slowdown(self) -> bool:
        """Whether some thread count is slower than one thread."""
        return min(self.speedup) < 1

    def __str__(self) -> str:
        lines = ["threads  seconds  speedup  efficiency"]
        rows = zip(
            self.threads, self.seconds, self.speedup, self.efficiency, strict=True
        )
        lines += [f"{s:7d}  {t:7.3g}  {S:7.2f}  {e:10.0%}" for s, t, S, e in rows]
        share = f"{self.parallel_share:.0%} of the work is parallel"
        lines.append(f"{share}; no number of threads gives more than {self.limit:.3g}x")
        if self.slowdown:
            lines.append("parallel slowdown: more threads cost more than they save")
        return "\n".join(lines)


def parallel_efficiency(
    estimator: Any,
    X: Any,
    y: Any = None,
    *,
    threads: Sequence[int] = (1, 2),
    repeats: int = 3,
) -> ParallelReport:
    """Time fits of an estimator over thread counts.

    Parameters
    ----------
    estimator : estimator of Corollary
    X, y : data
    threads : sequence of int
        Thread counts; the first must be 1.
    repeats : int
        Fits for each count, alternating; the shortest time counts.

    Returns
    -------
    ParallelReport
    """
    if not threads or threads[0] != 1 or min(threads) < 1:
        must = "threads must be whole numbers that begin with 1"
        raise ParameterError(sentence("parallel_efficiency", must, f"{tuple(threads)}"))
    if repeats < 1:
        must = "repeats must be a whole number >= 1"
        raise ParameterError(sentence("parallel_efficiency", must, f"{repeats}"))
    best = dict.fromkeys(threads, np.inf)
    for _ in range(repeats):
        for s in threads:
            with config_context(threads=s, executor="serial" if s == 1 else "threads"):
                begun = time.perf_counter()
                clone(estimator).fit(X, y)
                best[s] = min(best[s], time.perf_counter() - begun)
    return fitted_report(tuple(threads), tuple(best[s] for s in threads))


def fitted_report(
    threads: tuple[int, ...], seconds: tuple[float, ...]
) -> ParallelReport:
    """Fit p of (1) to measured times."""
    saved = 1 - 1 / np.array(threads, dtype=float)  # 1 - T(s)/T(1) = p (1 - 1/s)
    gain = 1 - np.array(seconds) / seconds[0]
    p = float(saved @ gain / (saved @ saved)) if saved.any() else 0.0
    return ParallelReport(threads, seconds, float(np.clip(p, 0.0, 1.0)))
