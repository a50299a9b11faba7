"""Block coordinate descent for targets that share their columns, with a duality gap.

Also known as: group lasso, multi-task lasso, l21 penalty, simultaneous sparse coding.

With centred, weighted columns put  G = Xc'W Xc,  C = Xc'W Yc,  y2 = ||W^1/2 Yc||^2.
Minimise over B (d, m), whose row B_j belongs to column j,

    P(B) = 1/2 (y2 - 2 <C, B> + <B, G B>) + l1 sum_j ||B_j|| + l2/2 ||B||^2         (1)
    Q = C - G B,     Z = Q - l2 B                                                   (2)

One row at a time, with the threshold of blocks S(u, l1) = (1 - l1/||u||)_+ u :

    B_j <- S(Q_j + G_jj B_j, l1) / (G_jj + l2)                                      (3)
    Q   <- Q - G_j (change of B_j)                                                  (4)

so that a column serves all targets or none.  Where the same rows stay in, a Newton step
on them ends the descent: with A the rows of B that are not 0, of lengths L_j,

    H = G_AA (x) I + l2 I + blocks (l1/L_j) (I - B_j'B_j / L_j^2)                   (5)

and with l1 = 0 it is ridge regression.  It is the descent of
`coordinate_descent.py` with lengths of rows for absolute values: its working sets, its
strong rule and its gap (`objectives/duality.py`) hold as they are.  With m = 1 it is
the elastic net.

Notation: l1 = N alpha rho, l2 = N alpha (1 - rho), N the total weight, rho = l1_ratio.
Course: S3-91. References: Yuan and Lin (2006); Obozinski, Taskar and Jordan (2010).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import Point, Task, is_flat
from corollary.solvers.design import ColumnSet, Design

__all__ = ["joint_path"]

ROUND = 50  # epochs between two steps of Newton's
SHARP = 1e-9  # a goal, relative to y2, that is worth such a step in any case
SMALL = 400  # coefficients for which it is cheap


class BlockSet(ColumnSet):
    """The columns that descent goes over; all targets are one problem."""

    def __init__(self, design: Design) -> None:
        super().__init__(design, 0, (design.c.shape[1],))

    @cached_property
    def problem(self) -> tuple[Floats, float, float]:
        """Return C, y2 and the total weight."""
        design = self.design
        return design.c, float(design.y2.sum()), float(design.n[0])

    def correlate(self) -> tuple[Floats, float]:
        """Return Q of (2) and the sum of the squared residuals."""
        C, y2, _ = self.problem
        Q = C - self.design.along(0, self.columns, self.b)
        return Q, max(0.0, y2 - float((self.b * (C + Q)[self.columns]).sum()))

    def flat(self, penalty: Penalty, kkt: float) -> bool:
        """Say whether the gradient is 0 to rounding, next to which the penalty is 0."""
        return is_flat(self.problem[0], self.gram, penalty, kkt)

    def solve(self, penalty: Penalty, epochs: int, goal: float) -> int:
        """Descend until the gap within the set meets the goal; return the epochs."""
        every, y2, _ = self.problem
        C, used = np.ascontiguousarray(every[self.columns].T, dtype=np.float64), 0
        while True:
            B = np.ascontiguousarray(self.b.T)
            Q, step = C - B @ self.gram, np.empty(len(C))
            most = min(ROUND, epochs - used)
            more = (y2, penalty.l1, penalty.l2, most, goal, B, Q, step)
            made, left = loops.descend_blocks(self._G, C, *more)
            used += made
            done = not left > goal or used >= epochs
            self.b = np.ascontiguousarray(B.T)
            if not done or goal <= SHARP * y2:
                b = newton_step(self.gram, C.T, penalty, self.b)
                self.b = np.asarray(b, dtype=np.float64)
            if done:
                return used


def newton_step(G: Floats, C: Floats, penalty: Penalty, B: Floats) -> Floats:
    """Take a Newton step on the rows that are not 0 (5); B itself where that fails."""
    A, l1, l2 = penalty.support(B), penalty.l1, penalty.l2
    p, m = len(A), B.shape[1]
    if not p or (l1 > 0 and p * m > SMALL):
        return B
    G, C, b = G[np.ix_(A, A)], C[A], B[A]

    def P(b: Floats) -> float:
        return float(((G @ b / 2 - C) * b).sum()) + penalty.value(b)

    try:
        if l1 == 0:
            found = np.linalg.solve(G + l2 * np.eye(p), C)
        else:
            unit, lengths = penalty.directions(b), penalty.lengths(b)
            H = np.kron(G, np.eye(m)) + l2 * np.eye(p * m)
            for j in range(p):
                rows = slice(j * m, (j + 1) * m)
                H[rows, rows] += (
                    l1 / lengths[j] * (np.eye(m) - np.outer(unit[j], unit[j]))
                )
            slope = G @ b - C + l2 * b + l1 * unit
            found = b - np.linalg.solve(H, slope.ravel()).reshape(p, m)
    except np.linalg.LinAlgError:
        return B
    if not P(found) <= P(b):
        return B
    fresh = B.copy()
    fresh[A] = found
    return fresh


def joint_path(
    design: Design,
    penalties: Iterable[Penalty],
    *,
    tol: float = 1e-4,
    max_iter: int = 1000,
    start: Floats | None = None,
) -> Iterator[Point]:
    """Solve (1) with each penalty in turn, each from the solution before.

    Parameters
    ----------
    design : Design
        Whose problems, all with the same rows and weights, are the targets.
    penalties : iterable of Penalty
        Of the mean loss, that is of (1) over N; their rows are blocks.
    tol : float, default=1e-4
        Of the gap, relative to y2.
    max_iter : int, default=1000
        Epochs of descent with each penalty.
    start : array of shape (d, m), optional
        Where to begin.

    Yields
    ------
    Point
        With coef of shape (d, m).
    """
    blocks, Q, r2, before = BlockSet(design), design.c, None, None
    if start is not None and start.any():
        blocks.add(np.flatnonzero(start.any(axis=1)))
        blocks.b = np.ascontiguousarray(start[blocks.columns], dtype=np.float64)
        Q, r2 = blocks.correlate()
    for penalty in penalties:
        task = Task(blocks, penalty.times(blocks.problem[2]), tol, max_iter)
        task.begin(Q, before, r2)
        while task.point is None:
            Q, r2 = blocks.correlate()
            task.examine(Q, r2)
            if task.point is None:
                task.descend()
        yield task.point
        before, r2 = penalty.strength, None
