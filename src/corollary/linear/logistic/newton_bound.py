"""How far a logistic regression is from optimal, proved by one Newton step.

Also known as: self-concordance bound, Newton decrement with a guarantee.

The duality gap of a weak penalty is far above the truth, and without a penalty there is
none.  The Newton decrement is close to the truth but only an estimate; what bounds the
truth is how fast the curvature can fall.  Along a direction D the scores of a row
change by numbers of range c, and the third derivative of the loss is at most c times
the second (Bach 2010).  With the Hessian H and a subgradient g of F at a point,

    |x|_* = (x'H^-1 x)^1/2,   S >= |x_n|_* of all rows,   lambda = |g|_*             (1)

the range in row n is at most S r for every D of length r = (D'H D)^1/2, so that

    F(theta + D) >= F(theta) - lambda r + (e^(-S r) + S r - 1) / S^2                 (2)

The right side is least where e^(-S r) = 1 - S lambda.  If t = S lambda < 1, therefore,

    F(theta) - min F <= (t + (1 - t) log(1 - t)) / S^2                               (3)

which is lambda^2/2, the decrement, as t goes to 0.  It holds with L1 and L2 penalties,
whose curvature does not fall, and without any; and with a smaller matrix instead of H:
of many rows every fourth one is enough.  Of K > 2 classes, (1) is about the vectors
(e_k - e_l) x', at most 2^1/2 times as long.  S comes from the largest entries of the
columns and a number below the least eigenvalue of H, one over the Frobenius norm of
H^-1, both in units of the features' spread, so that no unit of a feature matters.

Notation: theta, x~, F, g, H as in `objectives/problem.py`.
References: Bach (2010), self-concordant analysis; Sun and Tran-Dinh (2019).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.core.rows import dense
from corollary.engine import Chunk, Data, Statistics
from corollary.objectives.problem import LinearProblem

__all__ = ["Curved", "curved_at", "parted"]

MANY = 4000  # rows
FOURTH = 4
SERIES = 1e-4  # t below which (3) is its series, as its terms cancel
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class CurvatureSums(Statistics):
    """What a chunk says of H, and the largest entry of each column of x~."""

    H: Floats
    top: Floats  # (d,)

    def __add__(self, other: CurvatureSums) -> CurvatureSums:
        return CurvatureSums(self.H + other.H, np.maximum(self.top, other.top))


@dataclass(frozen=True)
class Curved:
    """H^-1 in units of the features' spread, and how long rows are at most."""

    inverse: Floats  # of the directions in which H is not 0
    least: float  # no eigenvalue of H is below; 0 where H is singular
    unit: Floats  # (m (d + 1),)
    length: float

    def decrement(self, g: Floats) -> float:
        """Return lambda^2 / 2, of the directions in which H is not 0."""
        z = g / self.unit
        return 0.5 * float(z @ self.inverse @ z)

    def bound(self, g: Floats, noise: float = 0.0) -> float | None:
        """Return (3), None where the step is too long or H is singular.

        `noise` is the rounding error of the entries of g, in units of the spread.
        """
        if not self.least:
            return None
        sharp = float(np.sqrt(self.least))
        S, lost = self.length / sharp, noise * float(np.sqrt(len(g))) / sharp
        step = float(np.sqrt(2 * self.decrement(g))) + lost  # lambda
        t = S * step
        if t >= 1:
            return None
        if t < SERIES:
            return 0.5 * step**2 * (1 + t)
        return float(t + (1 - t) * np.log1p(-t)) / S**2


def inverted(H: Floats) -> tuple[Floats, float]:
    """Return H^-1 and a number below the least eigenvalue of H.

    Of a singular H, the inverse of the directions in which it is not 0, and 0.
    """
    unsure = EPS * len(H) * float(np.abs(H).sum(axis=1).max())
    try:
        inverse = sla.cho_solve(sla.cho_factor(H), np.eye(len(H)))
        least = 1.0 / float(np.sqrt((inverse**2).sum()))
        if least > unsure:
            return inverse, least
    except np.linalg.LinAlgError:
        pass
    values, vectors = np.linalg.eigh(H)
    seen = values > EPS * len(H) * values[-1]
    parts = vectors[:, seen]
    return (parts / values[seen]) @ parts.T, float(values[0]) if seen.all() else 0.0


def curved_at(data: Data, problem: LinearProblem, theta: Floats) -> Curved:
    """Take the Hessian at a point, and the longest row, in one pass."""
    every = FOURTH if (data.source.n_rows or np.inf) > MANY else 1
    s = data.reduce(partial(sums_at, problem=problem, theta=theta, every=every))
    m, H = problem.shape[0], problem.hessian(s.H)
    unit = np.tile(np.append(problem.spread, 1.0), m)
    H = problem.regular(H) / np.outer(unit, unit)
    inverse, least = inverted(H)
    top = s.top / problem.spread
    length = np.sqrt((float(top @ top) + 1.0) * (1 if m == 1 else 2))
    return Curved(inverse, least, unit, float(length))


def parted(problem: LinearProblem, theta: Floats, g: Floats) -> tuple[Floats, float]:
    """Return a slope without what all classes share, and what that part can gain.

    Of K > 2 classes, weights that all classes share change no probability, and H says
    nothing of them.  Where a weight is 0 every slope within l1 of the gradient is a
    subgradient, and some sum to 0 over the classes; what is left gains c^2/(2 K l2).
    """
    m = problem.shape[0]
    slope = problem.subgradient(theta, g)
    if m == 1:
        return slope, 0.0
    slopes, G = slope.reshape(problem.shape).copy(), g.reshape(problem.shape)
    common = slopes.sum(axis=0)
    if problem.penalty.l1:
        zero = theta.reshape(problem.shape) == 0
        zero[:, -1] = False
        side = np.where(common > 0, -problem.penalty.l1, problem.penalty.l1)
        room = np.where(zero, np.abs(G + side - slopes), 0.0)
        total = room.sum(axis=0)
        share = np.divide(common, total, out=np.zeros_like(total), where=total > 0)
        slopes -= np.clip(share, -1.0, 1.0) * room
        common = slopes.sum(axis=0)
    rest = common[:-1]
    if not problem.penalty.l2:
        lost = np.abs(rest).max(initial=0.0) > EPS * len(slope)
        return (slopes - common / m).reshape(-1), np.inf if lost else 0.0
    gain = float(rest @ rest) / (2 * m * problem.penalty.l2)
    return (slopes - common / m).reshape(-1), gain


def sums_at(
    chunk: Chunk, problem: LinearProblem, theta: Floats, every: int
) -> CurvatureSums:
    """Sum the Hessian over some rows, and find the largest entries of all."""
    X = chunk.X
    top = np.maximum(
        ends(X.max(axis=0)) - problem.mean, problem.mean - ends(X.min(axis=0))
    )
    if every > 1:
        some = slice(-chunk.first_row % every, None, every)
        w = None if chunk.w is None else np.ascontiguousarray(chunk.w[some])
        rows = X[some] if sp.issparse(X) else np.ascontiguousarray(X[some])
        chunk = replace(chunk, X=rows, y=np.ascontiguousarray(chunk.y[some]), w=w)
    return CurvatureSums(problem.sums(chunk, theta, "full").H, top)


def ends(row: Any) -> Floats:
    """Return a row of a matrix, dense or sparse, as an array of float64."""
    return np.asarray(dense(row), dtype=np.float64).ravel()
