"""Any penalty of the norm and any joint loss: the representer theorem as it stands.

Also known as: generalised representer theorem, non-quadratic regularisation in an RKHS.

    R(h, b) = psi(||h||) + L(f_1, ..., f_n),    f_i = h(x_i) + b                 (1)

with psi any function that does not fall and L any loss of all scores together.  Split h
into h_0 in the span of the k(., x_i) and a rest orthogonal to it: the rest changes no
f_i, and psi(||h||) >= psi(||h_0||).  So if (1) has a minimiser, it has one of the form
h = sum_i a_i k(., x_i); if psi rises, all have it.  With K = Z Z' and a = Z (Z'Z)^-1 c

    ||h|| = |c|,    f = Z c + b                                                  (2)

    phi(t) = min L(Z c + b)  over |c| <= t and b,
    inf R = inf_t  psi(t) + phi(t)                                               (3)

since psi does not fall.  psi enters by its values alone: it may have corners and jumps
(at a jump its lower value counts), and may be infinite beyond a radius.

    Ball.  phi(t) by spectral projected gradients (`least_in_ball.py`).
    Norm.  (3) on a ladder of doubling t, each rung from the best of the last one, twice
    the last one, and some directions; then by golden section between two rungs.
    Existence.  c stays in a ball, so that (1) can have no minimiser only where R is
    lowest as t or b go to infinity.  A ladder of t, and at the best t one of |b| <= B,

        runs off   if R still falls at the last rung; or if it came within 1e-3 of its
                   fall, fell on while t, or b, doubled twice, and is no higher where
                   the last point doubles again                                  (4)

    psi(t) = t^2 with L = exp(-f_1) runs off in b, and with L = -f_1^4 in t: along
    h = s k(., x_1), R = s^2 k(x_1, x_1) - s^4 k(x_1, x_1)^4.

(4) is what numbers show, no proof.  Where L is not convex, phi is a local minimum.

Notation: a = coefficients; Z (n, r), r the rank of K; x = (c, b); t the norm.
Course: S2-35. Reference: Scholkopf, Herbrich and Smola (2001).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite_values
from corollary.core.errors import ParameterError, sentence
from corollary.core.report import StopReason
from corollary.core.vectors import positive
from corollary.kernel_methods.kernel_fisher_discriminant import empirical_map
from corollary.kernel_methods.least_in_ball import (
    WHO,
    Point,
    Task,
    at_norm,
    best_start,
    norm_of,
)

__all__ = ["RepresenterMinimum", "representer_minimum"]

RUNGS = range(-20, 41)  # powers of 2, times the norm at which scores are about 1
FARTHEST = 2.0 ** RUNGS[-1]
SETTLED, LEVEL = 1e-3, 1e-13  # shares of the fall of R
EDGE = 1 - 1e-9  # share of a radius from which on a point is not inside
DIRECTIONS = 4  # drawn at random
CUTS = 12  # equal parts between two rungs
GOLDEN = (5**0.5 - 1) / 2
NARROW = 1e-10  # share of t at which the golden section ends


@dataclass(frozen=True)
class RepresenterMinimum:
    """Where (1) is least, and whether it is least anywhere.

    Attributes
    ----------
    a : array of shape (n,)
        Coefficients: h = sum_i a_i k(., x_i).
    b : float
    f : array of shape (n,)
        The rows' scores.
    norm : float
        ||h||.
    objective : float
        R.
    exists : bool or None
        Whether there is a minimiser; None where the search could not tell.  Where there
        is none, the other fields are the last point that was looked at.
    why : str
        One sentence about it.
    steps : int
        Projected gradients in all.
    stop : StopReason
        Of the search of phi at the last norm.
    """

    a: Floats
    b: float
    f: Floats
    norm: float
    objective: float
    exists: bool | None
    why: str
    steps: int
    stop: StopReason

    def __str__(self) -> str:
        where = f"||h|| = {self.norm:.6g}, b = {self.b:.6g}"
        return f"R = {self.objective:.6g} at {where}. {self.why}"


# -- ladders -------------------------------------------------------------------------
def norm_ladder(task: Task, unit: float) -> list[Point]:
    """Return (3) at t = 0 and at doubling norms.

    A point inside its ball is that of a larger one too, unless a start is lower.
    """
    B = FARTHEST if task.intercept else 0.0
    x, t, ways = np.zeros(task.Z.shape[1] + 1), 0.0, directions(task)
    ladder = [at_norm(task, t, B, x)]
    for rung in RUNGS:
        last, edge = ladder[-1], t
        t = unit * 2.0**rung
        others = [np.append(t * way, last.x[-1]) for way in ways]
        start = best_start(task, t, B, last.x, farther(last.x) + others)
        if start is not last.x or last.t >= EDGE * edge:
            last = at_norm(task, t, B, start)
        else:
            last = replace(last, steps=0)
        ladder.append(last)
        if last.loss == -np.inf:
            break
    return ladder


def farther(x: Floats) -> list[Floats]:
    """Double a point: h and b, h alone, b alone."""
    return [2 * x, np.append(2 * x[:-1], x[-1]), np.append(x[:-1], 2 * x[-1])]


def directions(task: Task) -> list[Floats]:
    """Return where to look for lower losses: the gradient, the mean, and by chance."""
    r = task.Z.shape[1]
    ways = [task.slope(np.zeros(r + 1))[:-1], task.Z.sum(axis=0)]
    ways += list(np.random.default_rng(0).normal(size=(DIRECTIONS, r)))
    units = [w / np.linalg.norm(w) for w in ways if 0 < np.linalg.norm(w) < np.inf]
    return units + [-w for w in units]


def intercept_ladder(task: Task, at: Point) -> list[Point]:
    """Return (3) at one norm with b = 0, and within doubling bounds."""
    start = np.append(at.x[:-1], 0.0)
    ladder: list[Point] = []
    for B in (0.0, *(2.0**rung for rung in RUNGS)):
        ends = [np.append(start[:-1], b) for b in (B, -B)]
        ladder.append(at_norm(task, at.t, B, best_start(task, at.t, B, start, ends)))
        start = ladder[-1].x
        if ladder[-1].loss == -np.inf:
            break
    return ladder


def intercept_of(x: Floats) -> float:
    """Return |b|."""
    return abs(float(x[-1]))


def runs_off(task: Task, ladder: list[Point], size: Callable[[Floats], float]) -> bool:
    """Judge a ladder of t, or of b, by (4)."""
    best, lowest = ladder[0], min(ladder, key=lambda p: p.value)
    fall, falls_on, settled = best.above(lowest), False, 0
    for k in range(1, len(ladder)):
        grew = size(ladder[k].x) > 1.5 * size(ladder[k - 1].x)
        falls_on = ladder[k].below(best) and grew
        if falls_on:
            settled += ladder[k - 1].above(lowest) <= SETTLED * fall
        if ladder[k].below(best):
            best = ladder[k]
    if falls_on or settled < 2:
        return falls_on
    doubled = [x for x in farther(best.x) if size(x) > 1.5 * size(best.x)]
    beyond = [task.at(x) for x in doubled]
    return any(p.above(best) <= LEVEL * fall + p.noise for p in beyond)


def between(task: Task, low: float, high: float, at: Point) -> Point:
    """Return the best point of (3) in an interval of t."""
    B, best, steps = (FARTHEST if task.intercept else 0.0), at, 0

    def look(t: float) -> float:
        nonlocal best, steps
        found = at_norm(task, t, B, best.x)
        steps += found.steps
        if found.above(best) < 0:
            best = found
        return found.value

    cuts = np.linspace(low, high, CUTS + 1)
    k = int(np.argmin([look(float(t)) for t in cuts]))
    low, high = float(cuts[max(k - 1, 0)]), float(cuts[min(k + 1, CUTS)])
    t, u = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    R_t, R_u = look(t), look(u)
    while high - low > NARROW * high:
        if R_t <= R_u:
            high, u, R_u = u, t, R_t
            t = high - GOLDEN * (high - low)
            R_t = look(t)
        else:
            low, t, R_t = t, u, R_u
            u = low + GOLDEN * (high - low)
            R_u = look(u)
    return replace(best, steps=steps)


# -- the function --------------------------------------------------------------------
def representer_minimum(
    kernel: Any,
    X: Any,
    loss: Callable[[Any], Any],
    psi: Callable[[float], Any],
    *,
    gradient: Callable[[Any], Any] | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-14,
    max_iter: int = 2000,
) -> RepresenterMinimum:
    """Minimise (1) over the feature space of any kernel, and say if a minimiser exists.

    Parameters
    ----------
    kernel : function of two sets of rows, or None
        None where X is the kernel matrix itself.
    X : array of shape (n, d) or (n, n)
        Negative eigenvalues of the kernel matrix are left out.
    loss : function of the scores, an array of shape (n,), to a number
        L of (1), for all rows together; it knows the targets.  Differentiable.
    psi : function of ||h|| >= 0 to a number
        It does not fall, and may be infinite beyond a norm.
    gradient : function of the scores to an array of shape (n,), optional
        Of L; central differences by default, which cost 2 n losses each.
    fit_intercept : bool, default=True
        Whether there is a b.
    tol : float, default=1e-14
        Share of the loss that a step must promise, or the search ends.
    max_iter : int, default=2000
        Projected gradients at each norm.

    Returns
    -------
    RepresenterMinimum

    Examples
    --------
    >>> import numpy as np
    >>> K = np.array([[2.0]])
    >>> square = lambda t: t**2
    >>> found = representer_minimum(None, K, lambda f: (f[0] - 3) ** 2, square)
    >>> found.exists, found.norm, round(found.b, 6)  # the intercept is free
    (True, 0.0, 3.0)
    >>> representer_minimum(None, K, lambda f: np.exp(-f[0]), square).exists
    False
    >>> found = representer_minimum(
    ...     None, K, lambda f: np.exp(-f[0]), square, fit_intercept=False
    ... )
    >>> found.exists, bool(abs(2 * found.a[0] - np.exp(-2 * found.a[0])) < 1e-6)
    (True, True)
    """
    K = gram(kernel, X)
    Z, back = empirical_map(K)
    task = Task(Z, loss, gradient, psi, bool(fit_intercept), tol, max_iter)
    unit = 1 / np.sqrt(K.diagonal().max()) if Z.shape[1] else 1.0
    with np.errstate(all="ignore"):
        check_task(task, unit)
        at, exists, why, steps = settle(task, unit)
        f = task.scores(at.x)
    a, b = back @ at.x[:-1], float(at.x[-1])
    return RepresenterMinimum(a, b, f, at.t, at.value, exists, why, steps, at.stop)


def settle(task: Task, unit: float) -> tuple[Point, bool | None, str, int]:
    """Search both ladders, and judge them."""
    ladder = norm_ladder(task, unit)
    steps = sum(point.steps for point in ladder)
    k = min(range(len(ladder)), key=lambda k: ladder[k].value)
    at, off = ladder[k], ""
    if runs_off(task, ladder, norm_of):
        off = f"||h|| grows, down to {at.value:.4g} at ||h|| = {at.t:.4g}"
        remedy = "Use a psi that outgrows the loss."
    else:
        high = unit * 2.0 ** RUNGS[min(k, len(RUNGS) - 1)]
        low = unit * 2.0 ** RUNGS[k - 2] if k > 1 else 0.0
        at = between(task, low, high, at)
        steps += at.steps
        if task.intercept:
            bounds = intercept_ladder(task, at)
            steps += sum(point.steps for point in bounds)
            if runs_off(task, bounds, intercept_of):
                at = min(bounds, key=lambda p: p.value)
                off = f"|b| grows, down to {at.value:.4g} at b = {at.x[-1]:.4g}"
                remedy = "Use fit_intercept=False, or a loss that bounds b."
    if at.stop is not StopReason.CONVERGED:
        why = f"Undecided: {at.stop.meaning}. Raise max_iter, or smooth the loss."
        return at, None, why, steps
    if off:
        why = f"No minimiser: the objective falls for ever as {off}. {remedy}"
        return at, False, why, steps
    why = "A minimiser exists: no larger norm or intercept has a lower objective."
    return at, True, why, steps


def gram(kernel: Any, X: Any) -> Floats:
    """Return the kernel matrix of the rows."""
    X = np.asarray(X, dtype=np.float64)
    K = X if kernel is None else np.asarray(kernel(X, X), dtype=np.float64)
    n = len(X) if X.ndim else 0
    if n == 0 or K.shape != (n, n):
        must = f"kernel must return a matrix of shape {(n, n)}, n > 0"
        raise ParameterError(sentence(WHO, must, f"{K.shape}"))
    check_finite_values(WHO, K, "kernel matrix")
    return K


def check_task(task: Task, unit: float) -> None:
    """Refuse what is no problem (1)."""
    positive(WHO, [task.tol], "tol")
    positive(WHO, [task.max_iter], "max_iter")
    for name, function in (("loss", task.given_loss), ("psi", task.given_psi)):
        if not callable(function):
            must = f"{name} must be a function"
            raise ParameterError(sentence(WHO, must, repr(function)))
    start = task.loss(np.zeros(len(task.Z)))
    if not np.isfinite(start):
        must = "loss must be a finite number where all scores are 0"
        raise ParameterError(sentence(WHO, must, f"{start}"))
    norms = [0.0, *(unit * 2.0**rung for rung in RUNGS)]
    values = [task.psi(t) for t in norms]
    if not np.isfinite(values[0]):
        raise ParameterError(sentence(WHO, "psi(0) must be finite", f"{values[0]}"))
    for k in range(1, len(norms)):
        if not values[k] >= values[k - 1]:
            came = f"psi({norms[k - 1]:g}) = {values[k - 1]:g}"
            came += f" and psi({norms[k]:g}) = {values[k]:g}"
            raise ParameterError(sentence(WHO, "psi must not fall", came))
