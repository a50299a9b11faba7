"""Parallel efficiency: how much the second core helps, and what Amdahl's law allows.

Also known as: Amdahl's law, speedup, strong scaling.

If a share p of the work can be spread over s workers, the speedup is at most

    S(s) = 1 / ((1 - p) + p / s)   <=   1 / (1 - p)                              (1)

Spreading costs, too: where every further worker adds a share o of the serial time,

    T(s)/T(1) = (1 - p) + p/s + o (s - 1),   least at  s* = sqrt(p/o)            (2)

so that more workers than s* slow the work down.  Measured times T(s) give the speedup
T(1)/T(s), the efficiency T(1)/(s T(s)), and p and o >= 0 by least squares on (2); o
needs three worker counts, or a slowdown.  A speedup below 1 is parallel slowdown: the
overhead of spreading exceeds what it saves.

Course: S1-53. Reference: Amdahl (1967).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import lsq_linear
from sklearn.base import clone

from corollary.core.configuration import config_context
from corollary.core.errors import ParameterError, sentence

__all__ = ["ParallelReport", "amdahl", "parallel_efficiency"]

SHARES = ([0.0, 0.0], [1.0, np.inf])  # where p and o lie
NOTHING = 1e-6  # an overhead that cannot be told from rounding


def amdahl(p: float, s: float, overhead: float = 0.0) -> float:
    """Return the speedup (1) of s workers if a share p of the work is parallel.

    `overhead` is the o of (2), the cost of a further worker as a share of the time of
    one.

    >>> round(amdahl(0.95, 8), 4), round(amdahl(0.95, float("inf")), 4)
    (5.9259, 20.0)
    >>> [round(amdahl(0.9, s, overhead=0.1), 3) for s in (1, 2, 3, 4, 8)]
    [1.0, 1.538, 1.667, 1.6, 1.096]
    """
    if not 0 <= p <= 1 or not s >= 1:
        must = "p must be in [0, 1] and s >= 1"
        raise ParameterError(sentence("amdahl", must, f"p={p}, s={s}"))
    if not overhead >= 0:
        must = "overhead must be >= 0"
        raise ParameterError(sentence("amdahl", must, f"{overhead}"))
    serial = (1 - p) + p / s + (overhead * (s - 1) if overhead else 0.0)
    return 1 / serial if serial > 0 else np.inf


@dataclass(frozen=True)
class ParallelReport:
    """Measured times over thread counts and what follows from them."""

    threads: tuple[int, ...]
    seconds: tuple[float, ...]
    parallel_share: float  # p
    overhead: float = 0.0  # o

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
        return amdahl(self.parallel_share, self.best_threads, self.overhead)

    @property
    def best_threads(self) -> float:
        """The s* of (2), at least 1, infinite without overhead; not rounded."""
        if self.overhead == 0:
            return np.inf
        return max(1.0, float(np.sqrt(self.parallel_share / self.overhead)))

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
        if self.overhead:
            lines.append(
                f"a further thread costs {self.overhead:.2g} of the serial time; "
                f"more than {self.best_threads:.3g} threads do not pay"
            )
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
    """Fit p and o of (2) to measured times."""
    s = np.array(threads, dtype=float)
    A = np.column_stack([1 / s - 1, s - 1])  # T(s)/T(1) - 1 = p (1/s - 1) + o (s - 1)
    excess = np.array(seconds) / seconds[0] - 1
    if len(set(threads)) < 3:  # one number cannot tell both
        A[:, 0 if excess.max() > 0 else 1] = 0.0
    p, overhead = map(float, lsq_linear(A, excess, SHARES, method="bvls").x)
    if overhead <= NOTHING:
        alone = lsq_linear(A[:, :1], excess, (0.0, 1.0), method="bvls")
        p, overhead = float(alone.x[0]), 0.0
    return ParallelReport(threads, seconds, p, overhead)
