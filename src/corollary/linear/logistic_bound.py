"""How far a logistic regression is from optimal, told by one Newton step.

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
whose curvature does not fall, and without any.  Of K > 2 classes, (1) is about the
vectors (e_k - e_l) x', at most 2^1/2 times as long.  S comes from the longest row and
the least eigenvalue of H, both in units of the features' spread, so that no unit of a
feature matters.

Notation: theta, x~, F, g, H as in `linear/logistic_problem.py`.
References: Bach (2010), self-concordant analysis; Sun and Tran-Dinh (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.engine import Chunk, Data, Statistics
from corollary.linear.logistic_newton import regular
from corollary.linear.logistic_problem import Problem, quadratic

__all__ = ["Curved", "look"]

SERIES = 1e-4  # t below which (3) is its series, as its terms cancel
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Look(Statistics):
    """What a chunk says of H, and the largest squared length of its rows."""

    H: Floats
    length2: float

    def __add__(self, other: Look) -> Look:
        return Look(self.H + other.H, max(self.length2, other.length2))


@dataclass(frozen=True)
class Curved:
    """H in units of the features' spread, its eigenvectors, and the longest row."""

    values: Floats
    vectors: Floats
    unit: Floats  # (m (d + 1),)
    length: float

    def decrement(self, g: Floats) -> float:
        """Return lambda^2 / 2, as long as H tells anything."""
        seen = self.values > EPS * len(g) * self.values[-1]
        z = self.vectors.T @ (g / self.unit)
        return 0.5 * float((z[seen] ** 2 / self.values[seen]).sum())

    def bound(self, g: Floats, noise: float = 0.0) -> float | None:
        """Return (3), None where the step is too long or H is singular.

        `noise` is the rounding error of the entries of g, in units of the spread.
        """
        if self.values[0] <= EPS * len(g) * self.values[-1]:
            return None
        sharp = float(np.sqrt(self.values[0]))
        S, lost = self.length / sharp, noise * float(np.sqrt(len(g))) / sharp
        step = float(np.sqrt(2 * self.decrement(g))) + lost  # lambda
        t = S * step
        if t >= 1:
            return None
        if t < SERIES:
            return 0.5 * step**2 * (1 + t)
        return float(t + (1 - t) * np.log1p(-t)) / S**2


def look(data: Data, problem: Problem, theta: Floats) -> Curved:
    """Take the Hessian at a point, and the longest row, in one pass."""
    s = data.reduce(partial(looked, problem=problem, theta=theta))
    m = problem.shape[0]
    unit = np.tile(np.append(problem.spread, 1.0), m)
    H = regular(problem, problem.hessian(s.H)) / np.outer(unit, unit)
    values, vectors = np.linalg.eigh(H)
    length = np.sqrt(s.length2 * (1 if m == 1 else 2))
    return Curved(np.maximum(values, 0.0), vectors, unit, float(length))


def looked(chunk: Chunk, problem: Problem, theta: Floats) -> Look:
    """Sum the Hessian, and find the largest ||x~||^2 in units of the spread."""
    X, mean, a = chunk.X, problem.mean, problem.spread**-2
    squares = X.multiply(X) if sp.issparse(X) else X * X
    each = np.asarray(squares @ a - 2 * (X @ (mean * a)), dtype=np.float64)
    longest = float(each.max(initial=0.0)) + float(mean**2 @ a) + 1.0
    return Look(quadratic(chunk, problem, theta).H, longest)
