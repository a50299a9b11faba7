"""Coordinate descent on the dual of a linear machine, and on any quadratic in a box.

Also known as: dual coordinate descent, coordinate ascent, LIBLINEAR's method,
Hildreth's method, Gauss and Seidel's method in a box.

Minimise over b (n,)

    F(b) = 1/2 b'K b + 1/2 sum_i r_i b_i^2 - q'b + eps sum_i |b_i|,  lo <= b <= hi   (1)

The duals of linear machines have K = X X', and then nothing of size n^2 is needed:

    w = sum_i b_i x_i,    (K b)_i = w'x_i                                            (2)
    a step by t in b_i changes w by t x_i                                            (3)

One variable at a time, with slope g = (K b)_i + r_i b_i - q_i and curvature h = K_ii +
r_i, moves to where F is least:

    b_i <- clip( S(h b_i - g, eps)/h ),    S(z, eps) = sign(z) (|z| - eps)_+         (4)

F never rises.  b_i is at rest if F rises both ways:

    g + eps >= 0 where b_i may rise, g - eps <= 0 where it may fall                  (5)

(the sign of eps turned where b_i < 0, or > 0); by how much (5) fails is the violation.
Variables that rest by more than the largest violation of the round before are left out,
and looked at again before the end.  Each round has an order of its own; on a matrix it
is cyclic, or greedy: the variable whose step (4) lowers F most is next.  An equality
such as sum_i y_i b_i = 0 blocks every variable with y_i != 0, as no single one can move
and keep it: then pairs must move (`solvers/smo.py`).

For every b the gap of (1) is a sum over the variables, because F is convex:

    F(b) - min F <= sum_i max_{lo <= c <= hi} g_i (b_i - c) + eps (|b_i| - |c|)
                    - r_i/2 (b_i - c)^2                                              (6)

Notation: b = beta; r = ridge.
Course: S4-50. References: Hsieh, Chang, Lin, Keerthi and Sundararajan (2008); Ho and
Lin (2012); Wright (2015).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.extmath import row_norms

from corollary import loops
from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import caught
from corollary.core.records import readable
from corollary.core.report import StopReason
from corollary.core.rows import rows_loop

__all__ = ["Ascent", "Descent", "LinearDual", "box_gap", "coordinate_ascent", "descend"]

LOOK = 10  # rounds, at most, from one look at the gap to the next
ROUNDS = 50  # between two tests of the trace, on a matrix
FINER = 0.1  # what is left to do in the variables at work, of what was at the last look


@dataclass(frozen=True)
class LinearDual:
    """Problem (1) of the rows of X with a constant feature; all arrays (n,)."""

    X: Matrix  # (n, d)
    constant: float
    q: Floats
    lo: Floats
    hi: Floats
    ridge: Floats
    eps: float = 0.0


@dataclass(frozen=True)
class Descent:
    """Where the search ended."""

    w: Floats  # (d,)
    b: float  # the constant feature's weight
    beta: Floats  # (n,)
    objective: float  # (1)
    rounds: int
    stop: StopReason


def descend(
    dual: LinearDual,
    enough: Callable[[Floats, float, Floats], bool],
    *,
    max_rounds: int,
    seed: int,
    shrink: bool = True,
) -> Descent:
    """Minimise (1) for rows, until `enough` says so of (scores, -F, beta).

    Parameters
    ----------
    dual : LinearDual
    enough : function of (f, D, beta) -> bool
        Sees the scores X w + constant b of all rows and D = -F(beta).
    max_rounds : int
    seed : int
        Of the orders.
    shrink : bool
        Whether to leave out variables at rest.

    Returns
    -------
    Descent
    """
    X, n = dual.X, dual.X.shape[0]
    squares = row_norms(X.astype(np.float64, copy=False), squared=True)
    squares = squares + dual.constant**2
    beta, w, b = settled(dual, squares), np.zeros(X.shape[1]), np.zeros(1)
    order = np.arange(n)
    loop = rows_loop(loops.dual_rounds, loops.dual_rounds_csr, X)
    box = (dual.q, dual.lo, dual.hi, dual.ridge, float(dual.eps))
    rounds, pause = 0, 1
    active, slack, goal = n, np.inf, 0.0
    stop, value = StopReason.MAX_PASSES, 0.0
    try:
        while rounds < max_rounds:
            left = min(pause, max_rounds - rounds)
            used, active, worst = loop(
                *box,
                squares,
                dual.constant,
                order,
                active,
                slack,
                left,
                goal,
                shrink,
                seed + rounds,
                beta,
                w,
                b,
            )
            rounds += used
            if slack == np.inf:  # all variables were looked at
                goal = FINER * worst
            slack, pause = worst, min(pause + 2, LOOK)
            w[:] = X.T @ beta  # (2), without what rounding left behind
            b[0] = dual.constant * beta.sum()
            f = np.asarray(X @ w, dtype=np.float64) + dual.constant * b[0]
            value = objective(dual, f, beta)
            if enough(f, -value, beta) or (worst == 0 and active == n):
                stop = StopReason.CONVERGED
                break
            if worst <= goal:  # those at work are done: look at the others again
                active, slack, pause = n, np.inf, 1
    except KeyboardInterrupt:
        if not rounds:
            raise
        caught()
        stop = StopReason.INTERRUPTED
        w, b[0] = X.T @ beta, dual.constant * beta.sum()
        f = np.asarray(X @ w, dtype=np.float64) + dual.constant * b[0]
        value = objective(dual, f, beta)
    return Descent(w, float(b[0]), beta, value, rounds, stop)


def settled(dual: LinearDual, squares: Floats) -> Floats:
    """Return b = 0, but for rows of zeros, which move nothing, at their best."""
    beta = np.zeros(len(squares))
    flat = (squares == 0) & (dual.ridge == 0)
    q = np.sign(dual.q) * np.maximum(np.abs(dual.q) - dual.eps, 0.0)
    ends = np.where(q > 0, dual.hi, np.where(q < 0, dual.lo, 0.0))
    beta[flat] = ends[flat]
    return beta


def objective(dual: LinearDual, f: Floats, beta: Floats) -> float:
    """Return (1), given f = K beta."""
    smooth = 0.5 * (beta @ f) + 0.5 * (dual.ridge @ beta**2) - dual.q @ beta
    return float(smooth + dual.eps * np.abs(beta).sum())


@readable
@dataclass(frozen=True)
class Ascent:
    """The maximum of a concave quadratic in a box.

    Attributes
    ----------
    x : array of shape (n,)
    value : float
        The quadratic there.
    gap : float
        A bound on how much larger it is at its maximum, never below the truth.
    violation : float
        Of (5).
    rounds : int
    trace : array
        The value after some rounds, never falling.
    converged : bool
    blocked : array of shape (n,), bool
        Coordinates that would raise the value, but that an equality keeps from moving.
    """

    x: Floats
    value: float
    gap: float
    violation: float
    rounds: int
    trace: Floats
    converged: bool
    blocked: Any


def coordinate_ascent(
    Q: Any,
    c: Any,
    low: Any = 0.0,
    high: Any = np.inf,
    *,
    start: Any = None,
    choice: str = "cyclic",
    equality: Any = None,
    tol: float = 1e-10,
    max_rounds: int = 100_000,
) -> Ascent:
    """Maximise c'x - 1/2 x'Q x in a box, one coordinate at a time (4).

    Parameters
    ----------
    Q : array of shape (n, n)
        Symmetric, with eigenvalues >= 0.
    c : array of shape (n,)
    low, high : numbers or arrays of shape (n,)
    start : array of shape (n,), optional
        The point of the box nearest to 0 by default.
    choice : {'cyclic', 'greedy'}
        Whether coordinates take turns, or the one that gains most is next.
    equality : array of shape (n,), optional
        Keep the sum of equality times x as it is at the start.
    tol : float
        Stop when no coordinate violates (5) by more.
    max_rounds : int

    Returns
    -------
    Ascent

    Examples
    --------
    >>> found = coordinate_ascent([[2.0, 1.0], [1.0, 2.0]], [3.0, -1.0])
    >>> found.x.tolist(), found.value
    ([1.5, 0.0], 2.25)
    """
    Q, c, low, high = checked(Q, c, low, high)
    zero = np.zeros(len(c))
    x = np.clip(zero if start is None else np.asarray(start, float), low, high)
    x = np.ascontiguousarray(np.broadcast_to(x, c.shape)).copy()
    tied = ties(equality, len(c))
    lo, hi = np.where(tied, x, low), np.where(tied, x, high)
    f, trace, rounds, violation = Q @ x, [], 0, np.inf
    trace.append(float(c @ x - 0.5 * (x @ f)))
    turns = rounds_of(choice)
    while rounds < max_rounds and violation > tol:
        some = min(1 if rounds < LOOK else ROUNDS, max_rounds - rounds)
        used, violation = turns(Q, c, lo, hi, zero, 0.0, some, tol, x, f)
        rounds += used
        f = Q @ x
        trace.append(float(c @ x - 0.5 * (x @ f)))
    g = c - f
    rises = rise(g, x, low, high) > tol
    gap = box_gap(x, -g, low, high, zero, 0.0)
    done = violation <= tol
    return Ascent(
        x, trace[-1], gap, violation, rounds, np.array(trace), done, tied & rises
    )


def ties(equality: Any, n: int) -> Any:
    """Return which coordinates an equality holds fast: all that it counts."""
    if equality is None:
        return np.zeros(n, dtype=bool)
    equality = np.asarray(equality, float)
    if equality.shape != (n,):
        must = f"equality must have one number for each of {n} coordinates"
        raise DataError(sentence("coordinate_ascent", must, f"shape {equality.shape}"))
    return equality != 0


def rounds_of(choice: str) -> Callable[..., tuple[int, float]]:
    """Return what takes some rounds on a matrix."""
    known = {"cyclic": loops.box_rounds, "greedy": greedy_rounds}
    if choice not in known:
        must = "choice must be 'cyclic' or 'greedy'"
        raise ParameterError(sentence("coordinate_ascent", must, repr(choice)))
    return known[choice]


def greedy_rounds(
    Q: Floats,
    c: Floats,
    lo: Floats,
    hi: Floats,
    ridge: Floats,
    eps: float,
    rounds: int,
    tol: float,
    x: Floats,
    f: Floats,
) -> tuple[int, float]:
    """Take n steps a round, each in the coordinate that gains most, where eps = 0."""
    h = np.diagonal(Q) + ridge
    curved = np.where(h > 0, h, 1.0)
    for step in range(rounds * len(c)):
        g = c - f - ridge * x
        if (worst := float(rise(g, x, lo, hi).max(initial=0.0))) <= tol:
            return step // len(c) + 1, worst
        straight = np.where(g > 0, hi, np.where(g < 0, lo, x))
        to = np.clip(np.where(h > 0, x + g / curved, straight), lo, hi)  # (4)
        t = to - x
        i = int(np.argmax(g * t - 0.5 * h * t * t))
        x[i] = to[i]
        f += t[i] * Q[i]
    worst = float(rise(c - f - ridge * x, x, lo, hi).max(initial=0.0))
    return rounds, worst


def rise(g: Floats, x: Floats, lo: Floats, hi: Floats) -> Floats:
    """Return how fast each coordinate can raise the value: (5) where eps = 0."""
    return np.maximum(np.where(x < hi, g, 0.0), np.where(x > lo, -g, 0.0))


def box_gap(
    b: Floats, g: Floats, lo: Floats, hi: Floats, ridge: Floats, eps: float
) -> float:
    """Return the bound (6), infinite where a variable has no bound and no ridge."""
    ends = [lo, hi, np.clip(0.0, lo, hi)]
    free = np.where(ridge > 0, ridge, 1.0)
    for sign in (1.0, -1.0):  # the best c beyond the kink at 0, on either side
        c = np.clip(b - (g + sign * eps) / free, lo, hi)
        ends.append(np.where(ridge > 0, c, b))
    best = np.zeros(len(b))
    for c in ends:
        far = np.isinf(c)
        near = np.where(far, b, c)
        gain = g * (b - near) + eps * (np.abs(b) - np.abs(near))
        gain = gain - 0.5 * ridge * (b - near) ** 2
        slope = np.where(c > b, g + eps, -g + eps)  # of F on the way to infinity
        endless = far & (ridge == 0) & (slope < 0)
        best = np.maximum(best, np.where(endless, np.inf, np.where(far, 0.0, gain)))
    return float(best.sum())


def checked(Q: Any, c: Any, low: Any, high: Any) -> tuple[Floats, ...]:
    """Check a concave quadratic and its box."""
    who = "coordinate_ascent"
    Q, c = np.ascontiguousarray(Q, dtype=float), np.asarray(c, dtype=float)
    if Q.ndim != 2 or Q.shape != (len(c), len(c)) or not np.allclose(Q, Q.T):
        must = f"Q must be symmetric, with as many rows as c = {len(c)}"
        raise DataError(sentence(who, must, f"shape {Q.shape}"))
    check_finite_values(who, Q.ravel(), "Q")
    check_finite_values(who, c, "c")
    least = float(np.linalg.eigvalsh(Q)[0])
    if least < -1e-10 * max(float(np.abs(Q).max()), 1e-300):
        must = "Q must have eigenvalues >= 0, else the function is not concave"
        raise DataError(sentence(who, must, f"{least:.3g}"))
    low = np.ascontiguousarray(np.broadcast_to(np.asarray(low, float), c.shape))
    high = np.ascontiguousarray(np.broadcast_to(np.asarray(high, float), c.shape))
    if (low > high).any():
        i = int(np.argmax(low > high))
        came = f"{low[i]:g} > {high[i]:g} at {i}"
        raise ParameterError(sentence(who, "low must be at most high", came))
    flat = (np.diagonal(Q) <= 0) & (c != 0)
    endless = flat & np.isinf(np.where(c > 0, high, low))
    if endless.any():
        must = "the maximum must be finite"
        came = f"a straight rise without a bound in x[{int(np.argmax(endless))}]"
        raise DataError(sentence(who, must, came, "Bound it with low and high."))
    return Q, np.ascontiguousarray(c), low, high
