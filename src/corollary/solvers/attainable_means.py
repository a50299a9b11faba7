"""Which means a distribution can have, and which outcomes it must then rule out.

Also known as: moment feasibility, convex hull membership, facial reduction.

A distribution p on n outcomes with features F (n, k) has means F'p = b iff b lies in
the convex hull of the rows of F.  On a face of the hull, outcomes off the face have
probability 0.  Linear programmes decide: with U the outcomes not yet known as possible,

    maximise sum_{i in U} p_i   subject to   F'p = b,  sum p = 1,  p >= 0        (1)

makes every outcome possible that gets some probability, and ends when none does; there
is no p at all iff b lies outside.  In one feature the ends of its range say the same.

Course: S0-13. Reference: Boyd and Vandenberghe (2004), 7.1.
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import linprog

from corollary.core.arrays import Floats, Vector

__all__ = ["distance_to_means", "possible_outcomes"]

POSSIBLE = 1e-9  # probability above which an outcome counts as possible
INFEASIBLE = 2  # status of linprog


def possible_outcomes(F: Floats, known: Vector) -> tuple[Vector, Floats] | None:
    """Return which outcomes can have a probability, where all means of F must be 0.

    F is in units of the features' ranges; `known` marks outcomes that are known to be
    possible.  Also returns means on the face that these span, 0 up to rounding.  None
    where the means cannot be met.

    >>> import numpy as np
    >>> square = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]])
    >>> possible_outcomes(square - [0.0, 0.3], np.zeros(4, bool))[0].tolist()
    [True, True, False, False]
    """
    if F.shape[1] == 1 and not known.any():
        return _on_a_line(F[:, 0])
    possible = known.copy()
    total, count = np.zeros(len(F)), 0
    while not possible.all():
        result = linprog(
            -(~possible).astype(float),
            A_eq=np.vstack([F.T, np.ones(len(F))]),
            b_eq=np.append(np.zeros(F.shape[1]), 1.0),
            method="highs",
            options={"primal_feasibility_tolerance": 1e-10},
        )
        if result.status == INFEASIBLE and not possible.any():
            return None
        if result.x is None:
            break
        found = ~possible & (result.x > POSSIBLE)
        total, count = total + np.maximum(result.x, 0.0), count + 1
        if not found.any():
            break
        possible |= found
    if not possible.any():
        return None
    if possible.all() or not count:
        return possible, np.zeros(F.shape[1])
    p = np.where(possible, total, 0.0)
    return possible, (p / p.sum()) @ F


def _on_a_line(f: Floats) -> tuple[Vector, Floats] | None:
    if f.min() > 0 or f.max() < 0:
        return None
    inside = f.min() < 0 < f.max()
    return np.full(len(f), True) if inside else f == 0, np.zeros(1)


def distance_to_means(F: Floats) -> float:
    """Return by how much the best distribution misses a mean of 0 at least.

    >>> import numpy as np
    >>> float(distance_to_means(np.array([[1.0], [3.0]])))
    1.0
    """
    n, k = F.shape
    ones = np.ones((k, 1))
    result = linprog(
        np.append(np.zeros(n), 1.0),
        A_ub=np.vstack([np.hstack([F.T, -ones]), np.hstack([-F.T, -ones])]),
        b_ub=np.zeros(2 * k),
        A_eq=np.append(np.ones(n), 0.0)[None, :],
        b_eq=[1.0],
        method="highs",
    )
    return float(result.fun)
