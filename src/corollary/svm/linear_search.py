"""The search for a linear machine, by passes over the rows or by the rows themselves.

Newton        the full Hessian in every pass, for few features: the objective is
              quadratic in pieces, so that the end is exact
quasi-Newton  L-BFGS with the Hessian's diagonal, for many features
descent       coordinate descent on the dual, for many features and rows in memory
              (`solvers/dual_descent.py`)

The corner of the hinge is rounded off about a guess of the slopes.  As soon as the
search of the rounded objective has come closer than the rounding matters,

    Newton decrement <= (P - D)/100, or /1000 where it is a rough one                (1)

its slopes are the next guess, the width delta is halved, and the search goes on
from where it is: the proximal method of multipliers, which on pieces of quadratics ends
after finitely many guesses.  Every pass gives P and a bound D; the lowest P
and the highest D are kept, and the search ends where

    P - D <= tol P                                                                   (2)

Where few of many rows keep a loss in the end, Newton steps with a squared loss are
short ones, from piece to piece.  After a short one C is divided by 100, so that more
rows have a loss.  Whenever the search of the eased objective has come to

    P_C - D_C <= 0.3 P_C                                                             (3)

C rises tenfold, up to what was asked for; having begun to rise it falls no more.

With an L1 penalty, proximal Newton or orthant-wise steps do the same for the squared
hinge.

Notation: P, D, delta as in `svm/linear_problem.py`; x = (w, weight of the constant).
References: Keerthi and DeCoste (2005); Chapelle (2007); Rockafellar (1976).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import changed
from corollary.core.report import StopReason
from corollary.engine import Chunk
from corollary.solvers import lbfgs, piecewise_newton, proximal_newton
from corollary.solvers.dual_descent import descend
from corollary.solvers.piecewise_newton import LENGTHS, PiecewiseNewtonState
from corollary.solvers.steps import step
from corollary.svm.linear_problem import (
    LinearSums,
    Point,
    SupportProblem,
    bound,
    dual_of,
    sums,
)

__all__ = ["LinearSearch", "begin", "dual_search", "gap_of", "stop", "summed", "update"]

EXACT = 1e-8  # times tol: where the Newton search ends, which is fast at its end
FLOOR = {np.dtype(np.float64): 1e-7, np.dtype(np.float32): 1e-4}  # the least delta
NARROWER = 2.0  # by which delta is divided
GUESSES = 60  # at most
CLOSER, CLOSEST = 1e-2, 1e-3  # of (1), with the full Hessian and with its diagonal
EASED, HARDER, ROUGH = 0.01, 10.0, 0.3  # of (3)
NOISE = 1e-15  # relative rounding error of a sum
SINGLE = 3e-8  # the same, of rows in float32


@dataclass(frozen=True)
class Machine:
    """One machine's search."""

    search: Any  # a state of `solvers/steps.py`
    delta: float
    x: Floats  # the best point
    before: tuple[tuple[Floats, float], ...] = ()  # minima of rounded objectives
    P: float = np.inf
    D: float = 0.0
    diagonal: Any = None  # of the Hessian, for quasi-Newton
    share: float = 1.0  # of C in the objective that is searched (3)
    risen: bool = False  # whether that C has begun to rise
    rounds: int = 0  # of descent
    stop: StopReason | None = None

    @property
    def at_work(self) -> bool:
        """Whether the next pass must serve it: it goes on, or its P is unknown."""
        return self.stop is None or not np.isfinite(self.P)

    @property
    def on_line(self) -> bool:
        """Whether the search asks for slopes along its direction."""
        return isinstance(self.search, PiecewiseNewtonState) and self.search.line


@dataclass(frozen=True)
class LinearSearch:
    """The state: the problem and its machines."""

    problem: SupportProblem
    tol: float
    full: bool  # whether the whole Hessian is summed
    exact: bool  # whether to go on to the last piece
    machines: tuple[Machine, ...]


def begin(
    problem: SupportProblem, starts: Floats, tol: float, *, full: bool, exact: bool
) -> LinearSearch:
    """Start every machine at a row of `starts` (m, p)."""
    method: Any = proximal_newton if problem.penalty.l1 else piecewise_newton
    method = method if full else lbfgs
    machines = (Machine(method.begin(x), 1.0, x) for x in starts)
    return LinearSearch(problem, tol, full, exact, tuple(machines))


def dual_search(
    problem: SupportProblem, rows: Chunk, tol: float, max_rounds: int, seed: int
) -> LinearSearch:
    """Solve every machine's dual by descent; a pass then confirms P."""
    machines = []
    for k in range(problem.machines):
        C = problem.prices(rows, k)

        def enough(
            f: Floats, D: float, beta: Floats, k: int = k, C: Floats = C
        ) -> bool:
            q, lo, hi, _ = problem.targets(rows.y, k)
            loss = float(C @ problem.losses(problem.excess(q - f, lo, hi)))
            half = 0.5 * float(beta @ f)
            return half + loss - D <= tol * (half + loss)

        dual = dual_of(problem, rows, k)
        found = descend(dual, enough, max_rounds=max_rounds, seed=seed + k)
        if found.stop is StopReason.INTERRUPTED and k + 1 < problem.machines:
            raise KeyboardInterrupt  # the other machines have nothing yet
        x = np.append(found.w, found.b) if problem.constant > 0 else found.w
        machine = Machine(piecewise_newton.begin(x), 1.0, x, rounds=found.rounds)
        D = max(0.0, -found.objective)
        machines.append(changed(machine, D=D, stop=found.stop))
    return LinearSearch(problem, tol, False, False, tuple(machines))


def summed(chunk: Chunk, state: LinearSearch) -> LinearSums:
    """Sum over a chunk what the machines at work ask for."""
    points, fresh = {}, False
    for k, machine in enumerate(state.machines):
        if machine.at_work:
            search, line = machine.search, machine.on_line
            along = (search.x, search.d) if line else (search.trial, None)
            points[k] = Point(along[0], machine.delta, machine.before, along[1])
            fresh = fresh or (machine.stop is None and machine.diagonal is None)
    curvature = "full" if state.full else "diagonal" if fresh else "none"
    return sums(chunk, state.problem, points, curvature)


def update(s: LinearSums, state: LinearSearch) -> LinearSearch:
    """Take every machine's step."""
    machines = (moved(s, k, state) for k in range(len(state.machines)))
    return changed(state, machines=tuple(machines))


def stop(state: LinearSearch) -> StopReason | None:
    """Say why to stop, None while a machine is at work."""
    reasons = [machine.stop for machine in state.machines]
    if None in reasons:
        return None
    short = (StopReason.INTERRUPTED, StopReason.MAX_PASSES, StopReason.STALLED)
    return next((r for r in short if r in reasons), StopReason.CONVERGED)


def gap_of(machine: Machine) -> float:
    """Return P - D, with what rounding may have done to it."""
    return max(machine.P - machine.D, 0.0) + NOISE * abs(machine.P)


def moved(s: LinearSums, k: int, state: LinearSearch) -> Machine:
    """Take what a pass says of machine k's trial point, and go on."""
    problem, machine = state.problem, state.machines[k]
    if not machine.at_work:
        return machine
    search = machine.search
    if machine.on_line:  # the slopes of the whole objective along the direction
        x, d = search.x, search.d
        slopes = machine.share * s.along[k] + x @ d + LENGTHS * (d @ d)
        return changed(machine, search=piecewise_newton.along(search, slopes))
    x, l1 = search.trial, problem.penalty.l1
    R = problem.penalty.value(x)
    D = max(machine.D, bound(problem, s.target[k], s.square[k], s.v[k]))
    P = R + float(s.loss[k])
    best = (x, P) if P < machine.P else (machine.x, machine.P)
    machine = changed(machine, D=D, x=best[0], P=best[1])
    if machine.stop is not None:
        return machine
    finest = EXACT * state.tol if state.exact else state.tol
    least = SINGLE if problem.dtype == np.float32 else 4 * NOISE
    if gap_of(machine) <= max(finest, least) * machine.P:  # (2)
        return changed(machine, stop=StopReason.CONVERGED)
    if problem.squared:
        machine = with_share(machine, problem, R, s, k)
    share = machine.share
    f, g = R + share * float(s.smooth[k]), -s.v[k] if l1 else x - share * s.v[k]
    machine = stepped(machine, state, f, g, None if s.H is None else share * s.H[k])
    return finer(machine, state, float(s.rounding[k]))


def with_share(
    machine: Machine, problem: SupportProblem, R: float, s: LinearSums, k: int
) -> Machine:
    """Ease C after short steps, until it has begun to rise; raise it by (3)."""
    search, share = machine.search, machine.share
    short = isinstance(search, PiecewiseNewtonState) and search.sure
    if short and not machine.risen:
        share *= EASED
    eased = share
    while share < 1:
        P = R + share * float(s.loss[k])
        target, square = share * s.target[k], share * s.square[k]
        if P - bound(problem, target, square, share * s.v[k]) > ROUGH * P:
            break
        share = min(1.0, HARDER * share)
    if share == machine.share:
        return machine
    fresh = piecewise_newton.begin(search.trial)
    return changed(machine, search=fresh, share=share, risen=share > eased)


def stepped(
    machine: Machine, state: LinearSearch, f: float, g: Floats, H: Any
) -> Machine:
    """Give f, g and the Hessian at the trial point to the search."""
    l1 = np.ones(len(g)) if state.problem.penalty.l1 else None
    if state.full:
        own = 1.0 if l1 is None else 1e-12 * np.diagonal(H) + np.finfo(float).tiny
        H.reshape(-1)[:: len(g) + 1] += own
        return changed(machine, search=step(machine.search, f, g, H, l1=l1))
    if machine.diagonal is None:
        small = 1e-3 * float(H.mean()) + np.finfo(float).tiny
        machine = changed(machine, diagonal=H + (1.0 if l1 is None else small))

    def precondition(v: Floats) -> Floats:
        return v / machine.diagonal

    after = step(machine.search, f, g, l1=l1, precondition=precondition, noise=NOISE)
    return changed(machine, search=after)


def finer(machine: Machine, state: LinearSearch, rounding: float) -> Machine:
    """Sharpen the corner (1), or see that nothing is left to do."""
    problem, search = state.problem, machine.search
    cornered = not problem.squared and len(machine.before) < GUESSES
    if cornered and (search.stalled or near(machine, state, rounding)):
        least = FLOOR[np.dtype(problem.dtype)]
        minimum = (search.x if search.stalled else search.trial, machine.delta)
        return changed(
            machine,
            search=(piecewise_newton if state.full else lbfgs).begin(minimum[0]),
            delta=max(machine.delta / NARROWER, least),
            before=(*machine.before, minimum),
            diagonal=None,
        )
    if search.stalled and machine.share < 1:
        return changed(machine, search=piecewise_newton.begin(search.x), share=1.0)
    if search.stalled:
        close = gap_of(machine) <= state.tol * machine.P
        why = StopReason.CONVERGED if close else StopReason.STALLED
        return changed(machine, stop=why)
    return machine


def near(machine: Machine, state: LinearSearch, rounding: float) -> bool:
    """Say whether the search is closer to its end than the end to the truth."""
    search = machine.search
    if state.full:
        return search.decrement <= CLOSER * rounding
    norm = float(search.g @ (search.g / machine.diagonal))
    return 0.5 * norm <= CLOSEST * rounding
