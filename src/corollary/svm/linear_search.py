"""The search for a linear machine, by passes over the rows or by the rows themselves.

Newton        the full Hessian in every pass, for few features: the objective is
              quadratic in pieces, so that the end is exact
quasi-Newton  L-BFGS with the Hessian's diagonal, for many features
descent       coordinate descent on the dual, for many features and rows in memory
              (`solvers/dual_descent.py`)

The corner of the hinge is rounded off about a guess of the slopes.  As soon as the
search of the rounded objective has come closer than the rounding matters,

    Newton decrement <= (P - D)/1000                                                 (1)

its slopes are the next guess, the width delta is halved, and the search goes on
from where it is: the proximal method of multipliers, which on pieces of quadratics ends
after finitely many guesses.  Every pass gives P and a bound D; the lowest P
and the highest D are kept, and the search ends where

    P - D <= tol P                                                                   (2)

With an L1 penalty, proximal Newton or orthant-wise steps do the same for the squared
hinge.

Notation: P, D, delta as in `svm/linear_problem.py`; x = (w, weight of the constant).
References: Keerthi and DeCoste (2005); Chapelle (2007); Rockafellar (1976).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.report import StopReason
from corollary.engine import Chunk
from corollary.solvers import lbfgs, orthant_wise, piecewise_newton, proximal_newton
from corollary.solvers.dual_descent import LinearDual, descend
from corollary.solvers.piecewise_newton import LENGTHS
from corollary.svm.linear_problem import (
    LinearProblem,
    LinearSums,
    Point,
    bound,
    norm,
    rows_of,
    sums,
)

__all__ = ["LinearSearch", "begin", "dual_search"]

EXACT = 1e-8  # times tol: where the Newton search ends, which is fast at its end
FLOOR = {"float64": 1e-7, "float32": 1e-4}  # the least delta
NARROWER = 2.0  # by which delta is divided
GUESSES = 60  # at most
CLOSER = 1e-3  # of (1)
NOISE = 1e-15  # relative rounding error of a sum
SINGLE = 3e-8  # the same, of rows in float32


@dataclass(frozen=True)
class Machine:
    """One machine's search."""

    search: Any
    delta: float
    x: Floats  # the best point
    before: tuple[tuple[Floats, float], ...] = ()  # minima of rounded objectives
    P: float = np.inf
    D: float = 0.0
    diagonal: Any = None  # of the Hessian, for quasi-Newton
    rounds: int = 0  # of descent
    stop: StopReason | None = None

    @property
    def point(self) -> Point:
        """What the search wants to know next."""
        search = self.search
        if getattr(search, "line", False):
            return Point(search.x, self.delta, self.before, search.d)
        return Point(search.trial, self.delta, self.before)

    @property
    def gap(self) -> float:
        """P - D, with what rounding may have done to it."""
        return max(self.P - self.D, 0.0) + NOISE * abs(self.P)


@dataclass(frozen=True)
class LinearSearch:
    """The state: the problem and its machines."""

    problem: LinearProblem
    tol: float
    full: bool  # whether the whole Hessian is summed
    exact: bool  # whether to go on to the last piece
    machines: tuple[Machine, ...]

    @property
    def stop(self) -> StopReason | None:
        """Why to stop, None while a machine is at work."""
        reasons = [machine.stop for machine in self.machines]
        if None in reasons:
            return None
        short = (StopReason.INTERRUPTED, StopReason.MAX_PASSES, StopReason.STALLED)
        return next((r for r in short if r in reasons), StopReason.CONVERGED)

    @property
    def objective(self) -> float:
        """P of all machines."""
        return sum(machine.P for machine in self.machines)

    def statistics(self, chunk: Chunk) -> LinearSums:
        """Sum over a chunk what the machines at work ask for."""
        work = {
            k: machine.point
            for k, machine in enumerate(self.machines)
            if machine.stop is None or not np.isfinite(machine.P)
        }
        if self.full:
            return sums(chunk, self.problem, work, "full")
        at_work = (self.machines[k] for k in work)
        fresh = any(m.stop is None and m.diagonal is None for m in at_work)
        return sums(chunk, self.problem, work, "diagonal" if fresh else "none")

    def update(self, s: LinearSums) -> LinearSearch:
        """Take every machine's step."""
        machines = [self._moved(s, k) for k in range(len(self.machines))]
        return replace(self, machines=tuple(machines))

    def _moved(self, s: LinearSums, k: int) -> Machine:
        """Weigh what a pass says of machine k's trial point, and go on."""
        problem, machine = self.problem, self.machines[k]
        if machine.stop is not None and np.isfinite(machine.P):
            return machine
        if getattr(machine.search, "line", False):
            return self._along(machine, s.along[k])
        x = machine.search.trial
        R = norm(problem, x)
        D = max(machine.D, bound(problem, s.target[k], s.square[k], s.v[k]))
        machine = replace(machine, D=D)
        if R + s.loss[k] < machine.P:
            machine = replace(machine, x=x, P=R + float(s.loss[k]))
        if machine.stop is not None:
            return machine
        finest = EXACT * self.tol if self.exact else self.tol
        least = SINGLE if problem.dtype == np.float32 else 4 * NOISE
        if machine.gap <= max(finest, least) * machine.P:  # (2)
            return replace(machine, stop=StopReason.CONVERGED)
        f, g = R + float(s.smooth[k]), -s.v[k] if problem.l1 else x - s.v[k]
        machine = self._stepped(machine, f, g, None if s.H is None else s.H[k])
        return self._finer(machine, float(s.rounding[k]))

    def _along(self, machine: Machine, slopes: Floats) -> Machine:
        """Tell a search the slopes of the whole objective along its direction."""
        x, d = machine.search.x, machine.search.d
        slopes = slopes + x @ d + LENGTHS * (d @ d)
        return replace(machine, search=piecewise_newton.along(machine.search, slopes))

    def _stepped(self, machine: Machine, f: float, g: Floats, H: Any) -> Machine:
        """Give f, g and the Hessian at the trial point to the search."""
        search, p = machine.search, len(g)
        one = np.ones(p)
        if self.full and self.problem.l1:
            own = 1e-12 * np.diagonal(H) + np.finfo(float).tiny  # in its own units
            H, free = H + np.diag(own), np.zeros(p, dtype=bool)
            search = proximal_newton.step(search, f, g, H, one, free, NOISE)
        elif self.full:
            search = piecewise_newton.step(search, f, g, H + np.eye(p))
        else:
            if machine.diagonal is None:
                small = 1e-3 * float(H.mean()) + np.finfo(float).tiny
                ridge = small if self.problem.l1 else 1.0
                machine = replace(machine, diagonal=H + ridge)

            def precondition(v: Floats) -> Floats:
                return v / machine.diagonal

            if self.problem.l1:
                search = orthant_wise.step(search, f, g, one, precondition, NOISE)
            else:
                search = lbfgs.step(search, f, g, precondition, NOISE)
        return replace(machine, search=search)

    def _finer(self, machine: Machine, rounding: float) -> Machine:
        """Sharpen the corner (1), or see that nothing is left to do."""
        search = machine.search
        cornered = not self.problem.squared and len(machine.before) < GUESSES
        if cornered and (search.stalled or self._near(machine, rounding)):
            least = FLOOR[np.dtype(self.problem.dtype).name]
            minimum = (search.x if search.stalled else search.trial, machine.delta)
            fresh = (
                piecewise_newton.begin(minimum[0])
                if self.full
                else lbfgs.begin(minimum[0])
            )
            return replace(
                machine,
                search=fresh,
                delta=max(machine.delta / NARROWER, least),
                before=(*machine.before, minimum),
                diagonal=None,
            )
        if search.stalled:
            close = machine.gap <= self.tol * machine.P
            why = StopReason.CONVERGED if close else StopReason.STALLED
            return replace(machine, stop=why)
        return machine

    def _near(self, machine: Machine, rounding: float) -> bool:
        """Tell whether the search is closer to its end than the end to the truth."""
        search = machine.search
        if self.full:
            return search.decrement <= CLOSER * rounding
        norm = float(search.g @ (search.g / machine.diagonal))
        return 0.5 * norm <= CLOSER * rounding


def begin(
    problem: LinearProblem, starts: Floats, tol: float, *, full: bool, exact: bool
) -> LinearSearch:
    """Start every machine at a row of `starts` (m, p)."""

    def searching(x: Floats) -> Any:
        if not full:
            return lbfgs.begin(x)
        return proximal_newton.begin(x) if problem.l1 else piecewise_newton.begin(x)

    machines = (Machine(searching(x), 1.0, x) for x in starts)
    return LinearSearch(problem, tol, full, exact, tuple(machines))


def dual_search(
    problem: LinearProblem, rows: Chunk, tol: float, max_rounds: int, seed: int
) -> LinearSearch:
    """Solve every machine's dual by descent; a pass then confirms P."""
    machines = []
    for k in range(problem.machines):
        box = rows_of(problem, rows, k)
        C = problem.prices(rows, k)

        def enough(
            f: Floats, D: float, beta: Floats, k: int = k, C: Floats = C
        ) -> bool:
            q, lo, hi, _ = problem.targets(rows.y, k)
            loss = float(C @ problem.losses(problem.excess(q - f, lo, hi)))
            half = 0.5 * float(beta @ f)
            return half + loss - D <= tol * (half + loss)

        found = descend(
            LinearDual(rows.X, problem.constant, **box),
            enough,
            max_rounds=max_rounds,
            seed=seed + k,
        )
        if found.stop is StopReason.INTERRUPTED and k + 1 < problem.machines:
            raise KeyboardInterrupt  # the other machines have nothing yet
        x = np.append(found.w, found.b) if problem.constant > 0 else found.w
        machines.append(
            Machine(
                piecewise_newton.begin(x),
                1.0,
                x,
                D=max(0.0, -found.objective),
                rounds=found.rounds,
                stop=found.stop,
            )
        )
    return LinearSearch(problem, tol, False, False, tuple(machines))
