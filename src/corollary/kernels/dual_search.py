"""The search for a kernel machine's dual: its limits, its matrix, its account.

The parameters that every machine on `solvers/smo.py` has (tol, cache_size, shrinking,
max_iter, max_seconds) become the solver's limits, and what the solver found becomes the
report's gap, stop reason and facts.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.memory import block_bytes
from corollary.core.parameters import Rule, boolean, missing, real, whole
from corollary.core.progress import Show, progress, quiet
from corollary.core.report import Optimality, Report, StopReason
from corollary.kernels.gram import MatrixGram, Ridged, TiledGram, TileKernel
from corollary.kernels.machine_kernel import TrainingRows
from corollary.solvers import smo

__all__ = [
    "SEARCH_RULES",
    "report_search",
    "search_gram",
    "search_limits",
    "shared_matrix",
    "solve_dual",
    "watched",
]

SINGLE = 1e-4  # a coarser tol than this lets float32 rows do
FEW_ROWS = 1000  # in float64 they cost nothing
SHARED = 2000  # rows whose whole matrix costs less than each search's own rows

#: Rules of the parameters of the search.
SEARCH_RULES: dict[str, Rule] = {
    "tol": real(0, ends="(]"),
    "cache_size": real(0, ends="(]"),
    "shrinking": boolean,
    "max_iter": whole(-1),
    "max_seconds": missing | real(0, ends="(]"),
}
ORDER = (
    StopReason.INTERRUPTED,
    StopReason.MAX_PASSES,
    StopReason.STALLED,
    StopReason.CONVERGED,
)


def search_limits(
    machine: Any,
    threads: int,
    *,
    machines: int = 1,
    kept: float = 0.0,
    show: Show = quiet,
) -> smo.Limits:
    """Share the cache among machines, less the bytes of what they keep."""
    most = 0.8 * block_bytes(int(1.25e6 * machine.cache_size), 1)
    return smo.Limits(
        tol=machine.tol,
        max_iter=machine.max_iter,
        seconds=machine.max_seconds,
        cache_bytes=max(most - kept, most / 4) / machines,
        shrinking=machine.shrinking,
        threads=threads,
        show=show,
    )


@contextlib.contextmanager
def watched(machine: Any) -> Iterator[Callable[[Any], Show]]:
    """Show the working sets and the dual objective of all searches in the block.

    Yields what makes a search's own `show` from a key; searches may run at once, and
    the line tells their sums.
    """
    verbose = max(get_config().verbose, int(getattr(machine, "verbose", 0)))
    if not verbose:
        yield lambda key: quiet
        return
    lock, parts = threading.Lock(), {}

    def note(key: Any, sets: int, objective: float, show: Show) -> None:
        with lock:
            parts[key] = sets, objective
            done = np.array(list(parts.values()))
            show(int(done[:, 0].sum()), float(done[:, 1].sum()))

    with progress(type(machine).__name__, None, verbose, "working set") as show:
        yield lambda key: partial(note, key, show=show)


def shared_matrix(machine: Any, data: TrainingRows) -> Any:
    """Return the kernel matrix of all rows, which searches on some of them share.

    None where it is not small, or where rows of float32 or without tiles are better
    computed as they are asked for.
    """
    k, X, threads = data.kernel, data.X, get_config().threads
    most = search_limits(machine, threads).cache_bytes / 2
    small = data.n <= SHARED and 8.0 * data.n**2 <= most
    if not small or X.dtype != np.float64 or sp.issparse(X):
        return None
    if k.function is None:
        return np.ascontiguousarray(X)
    tiles = k.gram(X, np.float64, threads) if isinstance(k.function, TileKernel) else 0
    return tiles.matrix() if isinstance(tiles, TiledGram) else None


def search_gram(
    machine: Any,
    data: TrainingRows,
    threads: int,
    rows: Vector | None = None,
    shared: Any = None,
) -> smo.Gram:
    """Return the kernel matrix of some rows, in the precision that tol asks for."""
    if shared is not None:
        return MatrixGram(shared, np.float64, rows)
    X = data.X if rows is None else data.X[rows]
    if rows is not None and data.kernel.function is None:
        X = X[:, rows]
    coarse = machine.tol >= SINGLE and X.shape[0] > FEW_ROWS
    single = coarse or X.dtype == np.float32
    return data.kernel.gram(X, np.float32 if single else np.float64, threads)


def solve_dual(
    machine: Any, data: TrainingRows, dual: smo.Dual, ridge: Floats | None = None
) -> smo.Optimum:
    """Solve the dual on all rows, with something added to the kernel's diagonal."""
    threads = get_config().threads
    gram = search_gram(machine, data, threads)
    gram = gram if ridge is None else Ridged(gram, ridge)
    with watched(machine) as show:
        limits = search_limits(machine, threads, show=show(0))
        return smo.solve(gram, dual, limits)


def report_search(optima: list[smo.Optimum], primal: float, report: Report) -> None:
    """Report the gap, the stop and the work of one or more solved duals."""
    gap = sum(o.gap for o in optima)
    report.optimality = Optimality("duality gap", gap, gap / primal if primal else None)
    report.objective = [primal]
    report.facts["kkt_violation"] = max(o.violation for o in optima)
    report.facts["n_pairs"] = sum(o.steps for o in optima)
    report.facts["n_kernel_rows"] = sum(o.rows for o in optima)
    report.passes = sum(o.sets for o in optima)
    report.stop = min((o.stop for o in optima), key=ORDER.index)
