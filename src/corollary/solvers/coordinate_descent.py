"""Coordinate descent for the elastic net, in a working set, with a duality gap.

Also known as: cyclic coordinate descent, shooting algorithm, covariance updates.

With centred, weighted columns put  G = Xc'W Xc,  c = Xc'W yc,  y2 = yc'W yc.  Minimise

    P(b) = 1/2 (y2 - 2 c'b + b'G b) + l1 ||b||_1 + l2/2 ||b||^2                  (1)
    q = c - G b = Xc'W r,     z = q - l2 b                                       (2)

One coordinate at a time, with the soft threshold S(u, l1) = sign(u) (|u| - l1)_+ :

    b_j <- S(q_j + G_jj b_j, l1) / (G_jj + l2),                                  (3)
    q   <- q - (change of b_j) G_j                                               (4)

The gap, an upper bound on how far P is from its minimum, is that of
`objectives/duality.py` in terms of b, q and r'W r = y2 - c'b - q'b.

    Working set.  Descent goes over few columns whose Gram matrix is at hand.  One
    product with all columns then gives q, hence the gap, and the columns to add: those
    with |z_j| > l1, the largest first.  Along a path of falling l1 the strong rule
    |z_j| >= 2 l1 - l1_before says beforehand which columns to add.
    Support.  Where the signs of b no longer change, b solves a linear system on its
    support A; a step towards

        (G_AA + l2 I) b_A = c_A - l1 sign(b_A)                                   (5)

    as far as no sign changes never raises (1), and ends the descent.
    Batch.  Folds and targets share the columns: one product serves them all.

Where the columns come from is in `solvers/design.py`.  One that never moves keeps 0.
With b >= 0, |z_j| becomes z_j in the rules.

Notation: l1 = N alpha rho, l2 = N alpha (1 - rho), N the total weight, rho = l1_ratio.
Course: S3-91. References: Friedman, Hastie and Tibshirani (2010); Tibshirani et al.
(2012), strong rules; Massias, Gramfort and Salmon (2018), working sets and dual points.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg.lapack import dpotrs

from corollary import loops
from corollary.core.arrays import Floats
from corollary.core.report import StopReason
from corollary.engine.executors.executor import side_by_side
from corollary.objectives.duality import least_squares_gap
from corollary.objectives.penalties import Penalty
from corollary.solvers.design import ColumnSet, Design

__all__ = ["Point", "Task", "is_flat", "path", "towards_support"]

EPS = np.finfo(np.float64).eps
FIRST = 150  # columns that may enter at a time, or half as many as b has nonzeros
FEW = 20  # columns that hardly change what a set leaves
ROUND = 50  # epochs between two steps towards (5)
LAST = 10  # such steps at the end
SHARP = 1e-9  # a goal, relative to y2, that is worth such a step in any case
REGULAR = 1e-8  # share of a column's square that the columns before must leave of it
FLAT = 1e-10  # a gradient that is 0 to rounding, relative to the one at b = 0


@dataclass(frozen=True)
class Point:
    """One problem solved at one alpha; gap, kkt and objective are (1)'s over N."""

    coef: Floats  # (d,), or (d, m) of targets that share their columns
    gap: float
    kkt: float  # the largest violation of the optimality conditions
    objective: float
    epochs: int
    stop: StopReason


class WorkingSet(ColumnSet):
    """The columns that descent goes over."""

    @property
    def problem(self) -> tuple[Floats, float, float]:
        """Return c, y2 and the total weight."""
        design, k = self.design, self.k
        return design.c[:, k], float(design.y2[k]), float(design.n[k])

    def flat(self, penalty: Penalty, kkt: float) -> bool:
        """Say whether the gradient is 0 to rounding, next to which the penalty is 0.

        There the bounds say little: what is feasible is ruled by rounding errors.
        """
        return is_flat(self.problem[0], self.gram, penalty, kkt)

    def solve(self, penalty: Penalty, epochs: int, goal: float) -> int:
        """Descend until the gap within the set meets the goal; return the epochs."""
        l1, l2, positive = penalty.l1, penalty.l2, penalty.positive
        p, k = len(self.b), self.k
        G, c = self._G[:p, :p], self.design.c[self.columns, k]
        used, y2 = 0, float(self.design.y2[k])
        while True:
            q = c - G @ self.b
            most = min(ROUND, epochs - used)
            more, left = loops.descend(
                self._G, c, y2, l1, l2, positive, most, goal, self.b, q
            )
            used += more
            done = not left > goal or used >= epochs
            if not done:
                kkt = penalty.violation(self.b, l2 * self.b - q)
                done = self.flat(penalty, kkt)
            for _ in range(LAST if done and goal <= SHARP * y2 else not done):
                nonzeros = np.count_nonzero(self.b)
                self.b[:] = towards_support(G, c, penalty, self.b, q)
                if np.count_nonzero(self.b) == nonzeros:
                    break
                q = c - G @ self.b  # a sign was in the way: go on without it
            if done:
                return used


def is_flat(c: Floats, G: Floats, penalty: Penalty, kkt: float) -> bool:
    """Say whether a gradient is 0 to rounding, and the penalty beside it."""
    small = FLAT * np.abs(c).max(initial=0.0)
    spread = np.diagonal(G).max(initial=0.0)
    return bool(penalty.l1 <= small and penalty.l2 <= FLAT * spread and kkt <= small)


def towards_support(
    G: Floats, c: Floats, penalty: Penalty, b: Floats, q: Floats
) -> Floats:
    """Step towards (5), as far as no sign changes; b itself where that fails."""
    l1, l2, positive = penalty.l1, penalty.l2, penalty.positive
    A = np.flatnonzero(b)
    if not len(A):
        return b
    H = G[np.ix_(A, A)]
    H[np.diag_indices(len(A))] += l2
    signs = np.sign(b[A])
    try:
        L = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        return b
    if (np.diagonal(L) ** 2 <= REGULAR * np.diagonal(H)).any():
        return b  # rounding would choose among many solutions
    target, _ = dpotrs(L, c[A] - l1 * signs, lower=1)
    crossing = target * signs < 0
    length = 1.0
    if crossing.any() and (l1 > 0 or positive):
        ratios = b[A][crossing] / (b[A] - target)[crossing]
        length = float(ratios.min())
    fresh = b.copy()
    fresh[A] = b[A] + length * (target - b[A]) if length < 1 else target
    if length < 1:
        fresh[A[crossing][ratios <= length]] = 0.0

    def P(b: Floats, q: Floats) -> float:
        return float(-b @ (c + q) / 2 + l1 * np.abs(b).sum() + l2 / 2 * (b @ b))

    rounding = 16 * EPS * float(np.abs(c) @ np.abs(b))
    return fresh if P(fresh, c - G @ fresh) <= P(b, q) + rounding else b


def path(
    design: Design,
    penalties: Iterable[Penalty],
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    start: Floats | None = None,
) -> Iterator[list[Point]]:
    """Solve every problem with each penalty in turn, each from the solution before.

    Parameters
    ----------
    design : Design
    penalties : iterable of Penalty
        Of the mean loss, that is of (1) over N.
    tol : float, default=1e-4
        Of the gap, relative to y2.
    max_iter : int, default=1000
        Epochs of descent with each penalty.
    start : array of shape (k, d), optional
        Where to begin.

    Yields
    ------
    list of k Points
    """
    sets = [WorkingSet(design, k) for k in range(len(design.y2))]
    Q, r2, before = design.c.copy(), None, None
    if start is not None and start.any():
        for k, ws in enumerate(sets):
            ws.add(np.flatnonzero(start[k]))
            ws.b = start[k, ws.columns].astype(np.float64)
        Q, r2 = design.correlate(np.arange(len(sets)), sets)
    for penalty in penalties:
        tasks = [
            Task(ws, penalty.times(float(n)), tol, max_iter)
            for ws, n in zip(sets, design.n, strict=True)
        ]
        yield solve(design, sets, Q, before, tasks, r2)
        before, r2 = penalty.strength, None


def solve(
    design: Design,
    sets: list[WorkingSet],
    Q: Floats,
    before: float | None,
    tasks: list[Task],
    start_r2: Floats | None = None,
) -> list[Point]:
    """Solve every problem with one penalty; Q is that of the sets, and is kept so.

    Where a user says where to start, with residuals `start_r2`, that may be the end.
    """

    def begin(task: Task) -> None:
        r2 = None if start_r2 is None else float(start_r2[task.k])
        task.begin(Q[:, task.k], before, r2)

    side_by_side(begin, tasks)
    live, r2 = [task for task in tasks if task.point is None], np.empty(len(sets))
    while live:
        problems = np.array([task.k for task in live])
        Q[:, problems], r2[problems] = design.correlate(problems, sets)
        side_by_side(lambda task: task.examine(Q[:, task.k], r2[task.k]), live)
        live = [task for task in live if task.point is None]
        side_by_side(Task.descend, live)
    return [task.point for task in tasks if task.point is not None]


class Task:
    """One problem at one alpha, on its way to a `Point`."""

    def __init__(self, ws: Any, penalty: Penalty, tol: float, max_iter: int) -> None:
        self.ws, self.k, self.penalty, self.max_iter = ws, ws.k, penalty, max_iter
        _, self.y2, self.n = ws.problem
        self.goal = tol * self.y2
        self.epochs, self.gap, self.rough = 0, np.inf, 0.0
        self.b: Floats = np.zeros(0)  # on all columns
        self.kkt = np.inf  # its violation
        self.point: Point | None = None

    def begin(self, q: Floats, before: float | None, r2: float | None) -> None:
        """Descend among the columns that may enter, unless the start is the end.

        `before` is the strength of the penalty before, whose solution is the start.
        """
        if r2 is not None and self.ends(q, r2):
            return
        guess = 0.0
        if before is not None and self.penalty.strength > 0:
            guess = (2 - self.n * before / self.penalty.strength) * self.penalty.l1
        self.enter(q, guess)
        self.rough = 0.0 if before is not None else min(1e-3 * self.y2, self.gap / 10)
        self.descend()

    def enter(self, q: Floats, guess: float = 0.0) -> int:
        """Add the columns with |z_j| > guess, or > l1; return how many."""
        ws = self.ws
        size = self.penalty.size(q) * ws.outside
        new = np.flatnonzero(size > (guess if guess > 0 else self.penalty.l1))
        if not len(new):
            return 0
        most = FIRST
        if len(new) > FIRST:
            most = max(FIRST, len(ws.support()[0]) // 2)
        if guess <= 0 and len(new) > most:
            new = new[np.argpartition(-size[new], most - 1)[:most]]
        ws.add(new)
        return len(new)

    def descend(self) -> None:
        """Solve within the set, while others may enter not much finer than the gap."""
        rounding = 8 * EPS * self.y2
        goal = max(0.3 * self.goal, self.rough, rounding)
        left = self.max_iter - self.epochs
        self.epochs += self.ws.solve(self.penalty, left, goal)

    def ends(self, q: Floats, r2: float) -> bool:
        """Take the gap over all columns; say whether it meets the goal."""
        self.b, self.kkt = self.solution(q)
        self.gap = least_squares_gap(self.b, q, r2, self.penalty)
        if self.gap > self.goal and not self.ws.flat(self.penalty, self.kkt):
            return False
        self.conclude(r2, StopReason.CONVERGED)
        return True

    def examine(self, q: Floats, r2: float) -> None:
        """End here, or let columns in."""
        before, self.epochs = self.gap, max(1, self.epochs)
        if self.ends(q, r2):
            return
        if self.epochs >= self.max_iter:
            stop = StopReason.MAX_PASSES
        elif (entered := self.enter(q)) == 0 and not self.gap < 0.9 * before:
            stop = StopReason.STALLED
        else:
            self.rough = self.gap * (0.1 if entered > FEW else 0.01 if entered else 0.0)
            return
        self.conclude(r2, stop)

    def conclude(self, r2: float, stop: StopReason) -> None:
        """Make the point."""
        b, kkt, n = self.b, self.kkt, self.n
        P = r2 / 2 + self.penalty.value(b)
        self.point = Point(b, self.gap / n, kkt / n, P / n, self.epochs, stop)

    def solution(self, q: Floats) -> tuple[Floats, float]:
        """Return b on all columns, and how far it violates optimality."""
        b = np.zeros(q.shape)
        b[self.ws.columns] = self.ws.b
        return b, self.penalty.violation(b, self.penalty.l2 * b - q)
