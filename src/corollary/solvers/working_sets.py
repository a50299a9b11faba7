"""The search of sequential minimal optimisation: working sets, and rows left out.

A decomposition holds every variable's b, and f of the rows at work.  Until no pair of
all variables violates (4) it repeats:

    choose     the variables that violate most, and those of the step before, or all
               where these are few
    work       solve the set by pairs (5), (6), and bring f of all up to date
    shrink     now and then leave out the rows that could not gain; before the end bring
               them back with their f

`smo.py` has the derivation, and what comes after; the equation numbers are its own.
"""

from __future__ import annotations

import math
import time
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.interrupt import caught, stop_if_asked
from corollary.core.magnitude import largest_size
from corollary.core.report import StopReason
from corollary.solvers.box_dual import Dual, violation
from corollary.solvers.kernel_cache import Cache, Gram, Held
from corollary.solvers.optimum import Limits

__all__ = ["PROGRESS", "Decomposition"]

SET = 192  # variables in a working set, half of them new
FEW = 256  # variables that make one working set together
FEW_HELD = 1024  # the same where the kernel matrix is in memory
STEPS = 100  # inner steps for each variable of a set, at most
ENDLESS = 10**7  # pairs, or 100 for each variable, that no sane search needs
ROUGH = 3  # first working sets, solved to a tenth of what they violate
FIRST_LOOK = 30  # working sets before the first look for rows to leave out
WORTH = 0.25  # share of the rows that must be idle to be left out
PATIENCE = 60  # working sets in which D must fall
PROGRESS = 1e-12  # by this share of it at least
SLIGHT = 0.01  # share of tol by which f may change when the sums are put right
VECTORS = 40  # arrays of the variables' size in memory at a time
BESIDE = 0.1  # share of the cache's size that other arrays may have on top of it
BLOCK = 256  # rows at a time when f is made whole


class Decomposition:
    """The search: every variable's b, and f of those that are not left out."""

    def __init__(self, gram: Gram, dual: Dual, limits: Limits) -> None:
        self.whole, self.dual, self.limits = gram, dual, limits
        self.n, self.copies = gram.n, len(dual.q) // gram.n
        self.groups = dual.groups
        self.most = limits.max_iter
        if self.most < 0:
            self.most = max(ENDLESS, 100 * len(dual.q))
        self.deadline = np.inf
        if limits.seconds is not None:
            self.deadline = time.monotonic() + limits.seconds
        self.b, self.f = dual.start.astype(np.float64), dual.q.astype(np.float64)
        self.all = np.arange(len(self.b))
        self.steps = self.sets = self.computed = 0
        self.violation, self.noise = np.inf, 0.0
        self.best = self.least = np.inf
        self.idle_sets = 0
        self.stale = np.zeros(0, dtype=np.int64)  # rows whose f is not up to date
        self.memory: Vector | None = None  # of the cache
        self._open()
        self.value = 0.0
        if self.b.any():  # else f is q
            self._make_whole(np.arange(self.n))
            self.value = self.objective()

    # -- the rows at work ------------------------------------------------------------
    def _open(self) -> None:
        """Begin with all rows."""
        v, held = len(self.b), self.whole.held
        self.cache: Cache | Held
        if held is not None and v <= FEW_HELD:
            self.cache, self.together = Held(*held), True
        else:
            if self.memory is None:
                self.memory = Cache.memory_for(self.n, self._cache_bytes())
            self.cache = Cache(self.whole, self.n, self.memory)
            self.together = v <= min(FEW, len(self.cache.K))
        self.rows = np.arange(self.n)  # the rows at work
        self._gather()

    def _cache_bytes(self) -> float:
        """Return what is left for the cache if all memory is to be 1.2 times it.

        Beside it there are the variables, and copies of the rows.
        """
        beside = VECTORS * 8 * len(self.b) + self.whole.nbytes
        most = self.limits.cache_bytes
        return max(most - max(0.0, beside - BESIDE * most), most / 4)

    def _gather(self) -> None:
        """Copy what belongs to the rows at work."""
        every = len(self.rows) == self.n

        def take(a: Any) -> Any:
            if every:
                return a
            some = a.reshape(self.copies, -1)[:, self.rows]
            return np.ascontiguousarray(some).ravel()

        d, at = self.dual, take(self.all)
        here = [take(a) for a in (self.f, self.b, d.lo, d.hi, d.eps)]
        self.group = None if d.group is None else take(d.group)
        self.at, self.here = at, here
        self.taken = np.zeros(len(self.at), dtype=np.uint8)
        self.before = np.zeros(0, dtype=np.int64)

    def _scatter(self) -> None:
        if len(self.rows) == self.n:
            self.f, self.b = self.here[0], self.here[1]
        else:
            self.f[self.at], self.b[self.at] = self.here[0], self.here[1]

    def _make_whole(self, rows: Vector) -> None:
        """Compute (2) of some rows from all that is not 0, with an empty cache."""
        total = self.b.reshape(self.copies, -1).sum(axis=0)
        some = np.flatnonzero(total)
        f = np.zeros(len(rows))
        if isinstance(self.cache, Held):  # all rows are at work
            self.cache.add(some, total[some], f, self.limits.threads)
        elif len(some) and len(rows):
            gram = self.whole if len(rows) == self.n else self.whole.take(rows)
            for part, K, slots in self.cache.blocks(gram, some, BLOCK):
                loops.add_kernel_rows(K, slots, total[part], f, self.limits.threads)
        at = (np.arange(self.copies)[:, None] * self.n + rows).ravel()
        self.f[at] = self.dual.q[at] + self.of_all(f)
        self._gather()

    def of_all(self, of_rows: Floats) -> Floats:
        """Return what every row's variables share."""
        return of_rows if self.copies == 1 else np.tile(of_rows, self.copies)

    def _shrink(self) -> None:
        """Leave out the rows none of whose variables could gain."""
        if isinstance(self.cache, Held):
            return
        idle = self._idle().reshape(self.copies, -1).all(axis=0)
        keep = np.flatnonzero(~idle)
        if len(keep) > (1 - WORTH) * len(self.rows) or len(keep) < 2 * SET:
            return
        self._scatter()
        self.rows = self.rows[keep]
        columns = self.whole.take(self.rows)
        self.cache.cut(columns, keep, self.rows, self.limits.threads)
        self._gather()

    def _idle(self) -> Any:
        """Tell which variables could not gain with any other of their group."""
        f, b, lo, hi, eps = self.here
        up = np.where(b < hi, f + np.where(b >= 0, eps, -eps), np.inf)  # (3)
        low = np.where(b > lo, f + np.where(b > 0, eps, -eps), -np.inf)
        idle = np.zeros(len(f), dtype=bool)
        for g in range(self.groups):
            of = slice(None) if self.group is None else self.group == g
            idle[of] = (up[of] > low[of].max(initial=-np.inf)) & (
                low[of] < up[of].min(initial=np.inf)
            )
        return idle

    # -- the search ------------------------------------------------------------------
    def run(self) -> StopReason:
        """Take working sets until (4) holds for all variables, or a limit is met."""
        self.best = self.least = np.inf
        self.idle_sets, look = 0, FIRST_LOOK
        try:
            while True:
                stop_if_asked()
                chosen = self._choose()
                self.noise = self._noise()
                if self.violation <= max(self.limits.tol, self.noise):
                    if len(self.rows) == self.n:
                        return StopReason.CONVERGED
                    self._restore()
                    continue
                if self.steps >= self.most or time.monotonic() > self.deadline:
                    return StopReason.MAX_PASSES
                if self._stalled():
                    return StopReason.STALLED
                self._work(chosen)
                self.limits.show(self.sets, self.value)
                if self.limits.shrinking and (look := look - 1) <= 0:
                    self._shrink()
                    look = FIRST_LOOK
        except KeyboardInterrupt:
            caught()
            return StopReason.INTERRUPTED
        finally:
            self._restore()
            self._keep_sums()

    def _noise(self) -> float:
        """Return the violation below which float32 shows nothing but its rounding."""
        return self.rounding() if self.whole.dtype == np.float32 else 0.0

    def _stalled(self) -> bool:
        """Tell whether neither D nor the violation has fallen for long.

        Where D is no number no step is known to gain.
        """
        if not np.isfinite(self.value):
            return True
        falls = self.value < self.best - PROGRESS * abs(self.best)
        if falls or not np.isfinite(self.best) or self.violation < 0.9 * self.least:
            self.best, self.idle_sets = self.value, 0
            self.least = min(self.least, self.violation)
        else:
            self.idle_sets += 1
        return self.idle_sets > PATIENCE

    def _choose(self) -> Vector:
        """Return the next working set."""
        f, b, lo, hi, eps = self.here
        if self.together:
            self.violation = loops.violation(f, b, lo, hi, eps, self.group)
            return self.all
        wide = max(2, min(SET, len(self.cache.K), len(f)))
        kept = self.before[-(wide // 2) :]
        self.taken[:] = 0
        self.taken[kept] = 1
        fresh = np.empty(wide, dtype=np.int64)
        want = wide - len(kept)
        count, self.violation = loops.working_set(
            f, b, lo, hi, eps, self.group, want, self.taken, fresh
        )
        self.before = fresh[:count].copy()
        return np.concatenate([kept, self.before])

    def _work(self, chosen: Vector) -> None:
        """Solve the working set, and bring f up to date."""
        every, n = self.together, len(self.rows)
        old_f, old, lo, hi, eps = self.here if every else [a[chosen] for a in self.here]
        f, b = old_f.copy(), old.copy()
        local = chosen % n
        slots, columns = self.cache.slots(self.rows[local]), self.cache.columns(local)
        group = None if self.group is None else self.group[chosen]
        tol = max(self.limits.tol, self.noise) / 2
        if self.sets < ROUGH and not every:
            tol = max(tol, self.violation / 10)
        most = min(STEPS * len(chosen), self.most - self.steps)
        box = (lo, hi, eps, group, self.groups)
        steps, _ = loops.smo(self.cache.K, slots, columns, f, *box, tol, most, b)
        if not every:
            self._spread(chosen, slots, b - old, b)
        else:
            self.here = [f, b, *self.here[2:]]
        fall = (b - old) @ (old_f + f) / 2
        self.value += float(fall + eps @ (np.abs(b) - np.abs(old)))
        self.steps += steps
        self.sets += 1

    def _spread(self, chosen: Vector, slots: Vector, move: Any, b: Floats) -> None:
        """Bring f of all variables up to date after the move of a working set."""
        moved = np.flatnonzero(move)
        change = np.zeros(len(self.rows))
        loops.add_kernel_rows(
            self.cache.K, slots[moved], move[moved], change, self.limits.threads
        )
        fresh_f = (self.here[0].reshape(self.copies, -1) + change).ravel()
        fresh_b = self.here[1].copy()
        fresh_b[chosen] = b
        self.here = [fresh_f, fresh_b, *self.here[2:]]  # at once: Ctrl-C may come

    def _restore(self) -> None:
        """Bring back the rows that were left out, with their f."""
        self._scatter()
        if len(self.rows) < self.n:
            absent = np.ones(self.n, dtype=bool)
            absent[self.rows] = False
            self.stale = np.flatnonzero(absent)
            self.computed += self.cache.computed
            self._open()
        if len(self.stale):
            self._make_whole(self.stale)
            self.stale = self.stale[:0]

    def _keep_sums(self) -> None:
        """Take back what rounding did to the groups' sums, where there is most room."""
        d, change = self.dual, self.b - self.dual.start
        for g in range(self.groups):
            of = d.members(g)
            if not (drift := float(change[of].sum())):
                continue
            room = np.minimum(self.b - d.lo, d.hi - self.b)[of]
            t = int(self.all[of][room.argmax()])
            moves = np.zeros(self.n)
            self.cache.add(np.array([t % self.n]), np.array([drift]), moves, 1)
            slight = SLIGHT * self.limits.tol
            if abs(drift) < room.max() and np.abs(moves).max() <= slight:
                self.f -= self.of_all(moves)
                self.b[t] -= drift

    def sharpen(self) -> None:
        """Go on in float64."""
        self.whole = self.whole.to(np.float64)
        self.computed += self.cache.computed
        self._open()
        self._make_whole(np.arange(self.n))

    def place(self, b: Any, f: Any) -> None:
        """Go to a point whose f is known."""
        self.b, self.f = b, f
        self._gather()
        self.violation = violation(b, f, self.dual)

    # -- what is known ---------------------------------------------------------------
    def objective(self) -> float:
        """Return (1); f must be whole."""
        half = 0.5 * (self.b @ (self.f + self.dual.q))
        return float(half + self.dual.eps @ np.abs(self.b))

    def rounding(self) -> float:
        """Return what the rounding of the kernel rows may do to f, typically."""
        unit = float(np.finfo(self.whole.dtype).eps)
        return unit * (8 * math.sqrt(self.b @ self.b) + 2 * largest_size(self.f))
