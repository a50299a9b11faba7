"""Any loss in a kernel's feature space, by the representer theorem.

Also known as: regularised empirical risk minimisation in an RKHS, kernel ERM, kernel
machine with a general loss, kernel logistic regression, least-squares SVM.

    P(h, b) = lam/2 ||h||^2 + sum_i w_i L(y_i, h(x_i) + b)                       (1)

Split h into h_0 in the span of the k(., x_i) and a rest orthogonal to it: the rest
changes no h(x_i) and only adds to the norm, so P(h, b) >= P(h_0, b), and a minimiser is

    h = sum_i a_i k(., x_i),  ||h||^2 = a'K a,   lam a_i = -w_i L'(y_i, f_i)     (2)

with f = K a + b.  Vectors a that differ by one of ker K are the same function; (2) is a
unique choice.  Any v in the domain of the conjugate L* bounds P from below:

    D(v) = -sum_i w_i L*(y_i, v_i) - u'K u / (2 lam),   u = w v,  1'u = 0        (3)

(1'u = 0 with an intercept), and P - D is the gap that every convex fit reports.

    Newton.  With g_i = w_i L', d_i = w_i L'', the step from f solves for a+ and b+

        a_i = -g_i / lam where d_i = 0,   elsewhere
        (K + lam diag(1/d)) a + b 1 = f - g/d,   with an intercept  1'a = 0      (4)

    kernel ridge on working responses, of the rows that bend alone.  The step is halved
    until P falls; where it does not, L'' gives way to its bound, with which P cannot
    rise.
    Corners.  With an intercept, losses that are straight with corners (hinge, absolute,
    quantile, epsilon-insensitive) have box duals, and `solvers/smo.py` solves them.
    Otherwise L gives way to its Moreau envelopes of falling widths m,

        L_m(u) = max_s  s u - L*(s) - m s^2/2                                    (5)

    until the gap of L itself is small.

(1) has no minimum where a loss falls for ever in b alone: labels of one class, with the
logistic or the exponential loss.  That is an error.

Notation: u = y f or f - y is the argument of the loss, as in `objectives/losses.py`.
Course: S2-35. References: Kimeldorf and Wahba (1971); Scholkopf, Herbrich and Smola
(2001); Chapelle (2007), Newton; Nesterov (2005), smoothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.linalg import cho_solve

from corollary.core.arrays import Floats
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable
from corollary.core.report import StopReason
from corollary.kernels.gram import MatrixGram
from corollary.linear_algebra.decompositions import cho_factor
from corollary.objectives.losses import Hinge, Loss, Perceptron, Quantile
from corollary.objectives.residual_losses import Absolute, EpsilonInsensitive
from corollary.solvers import smo

__all__ = ["Envelope", "Expansion", "Task", "minimize"]

SHARPER = 6  # times that the tolerance of the dual search is divided by 10
NARROWER = 4.0  # factor between two widths of (5)
WIDTHS = 40
HALVINGS = 30
STRAIGHT = 1e-14  # share of the largest bend that counts as none
FAR = 50.0  # a margin at which only a loss without a minimum still falls


@dataclass(frozen=True)
class Task:
    """Problem (1) but for K."""

    loss: Loss
    y: Floats  # (n,) numbers, or -1 and +1
    w: Floats  # (n,)
    lam: float
    intercept: bool

    def argument(self, f: Floats) -> Floats:
        """Return u."""
        return self.y * f if self.loss.margin else f - self.y

    def value(self, f: Floats, square: float, loss: Any = None) -> float:
        """Return (1) at scores f and ||h||^2."""
        losses = (self.loss if loss is None else loss).at(self.argument(f))
        return 0.5 * self.lam * square + float(self.w @ losses)

    def signed(self, slopes: Floats) -> Floats:
        """Turn derivatives in u into derivatives in f."""
        return self.y * slopes if self.loss.margin else slopes


@dataclass(frozen=True)
class Envelope:
    """The Moreau envelope (5) of a loss."""

    loss: Loss
    width: float

    def at(self, u: Floats) -> Floats:
        """Return L_m."""
        s = self.slope(u)
        return s * u - self.loss.dual(s) - 0.5 * self.width * s**2

    def slope(self, u: Floats) -> Floats:
        """Return the maximiser s."""
        return self.loss.smoothed(u, self.width)

    def bend(self, u: Floats) -> Floats:
        """Return the slope's own slope, which is constant between corners."""
        e = 1e-4 * self.width
        return (self.slope(u + e) - self.slope(u - e)) / (2 * e)

    @property
    def lipschitz(self) -> float:
        """1/m."""
        return 1 / self.width


@readable
@dataclass(frozen=True)
class Expansion:
    """Where the search ended.

    Attributes
    ----------
    a : array of shape (n,)
        Coefficients of (2).
    b : float
    f : array of shape (n,)
        The rows' scores.
    objective : float
        P.
    gap : float or None
        P - D >= P - min P; None where the loss is not convex.
    gradient : float
        Norm of the gradient in feature space, and in b.
    steps : int
    stop : StopReason
    method : str
    width : float or None
        Of the last envelope (5).
    """

    a: Floats
    b: float
    f: Floats
    objective: float = np.inf
    gap: float | None = None
    gradient: float = np.inf
    steps: int = 0
    stop: StopReason = StopReason.MAX_PASSES
    method: str = ""
    width: float | None = None


def minimize(K: Floats, task: Task, tol: float, max_iter: int) -> Expansion:
    """Minimise (1) until the gap is a share tol of P.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric, positive semi-definite.
    task : Task
    tol : float
        Of the gap relative to P; of the gradient where the loss is not convex.
    max_iter : int
        Newton steps.

    Returns
    -------
    Expansion
    """
    require_minimum(task)
    cornered = task.loss.convex and not np.isfinite(task.loss.lipschitz)
    cornered = cornered and not task.loss.bend(np.linspace(-2, 2, 9)).any()
    if not cornered:
        found = newton(K, task, task.loss, start(task), tol, max_iter)
        return replace(found, method="Newton")
    if task.intercept and box_of(task.loss) is not None:
        return by_box(K, task, tol)
    return by_smoothing(K, task, tol, max_iter)


def require_minimum(task: Task) -> None:
    """Refuse (1) where it falls for ever in b."""
    one = len(np.unique(task.y[task.w > 0])) == 1
    if task.loss.margin and task.intercept and one:
        if task.loss.slope(np.array([FAR]))[0] < 0:
            must = "(1) must have a minimum"
            came = "labels of one class, for which the loss falls for ever in b"
            remedy = "Use rows of both classes, or no intercept."
            raise DataError(sentence(task.loss, must, came, remedy))


def start(task: Task) -> Expansion:
    """Begin at h = 0, with the median as intercept where y are numbers."""
    b = 0.0
    if task.intercept and not task.loss.margin:
        order = np.argsort(task.y)
        total = np.cumsum(task.w[order])
        b = float(task.y[order[np.searchsorted(total, total[-1] / 2)]])
    n = len(task.y)
    return Expansion(np.zeros(n), b, np.full(n, b))


# -- Newton's method -----------------------------------------------------------------
def newton(
    K: Floats, task: Task, curve: Any, at: Expansion, tol: float, max_iter: int
) -> Expansion:
    """Take the steps (4) for a loss or its envelope."""
    first, now = None, judged(K, task, curve, at)
    for steps in range(max_iter + 1):
        first = max(now.gradient, 1e-300) if first is None else first
        near = now.gradient <= tol * first
        if now.gap is not None:
            near = now.gap <= tol * now.objective
        if near:
            return replace(now, steps=at.steps + steps, stop=StopReason.CONVERGED)
        if steps == max_iter:
            break
        moved = shorter(K, task, curve, now)
        if moved is None:
            return replace(now, steps=at.steps + steps, stop=StopReason.STALLED)
        now = judged(K, task, curve, moved)
    return replace(now, steps=at.steps + max_iter, stop=StopReason.MAX_PASSES)


def shorter(K: Floats, task: Task, curve: Any, at: Expansion) -> Expansion | None:
    """Return the point of the line to (4) at which P falls, None if there is none."""
    u = task.argument(at.f)
    g = task.w * task.signed(curve.slope(u))
    bends = [task.w * np.maximum(curve.bend(u), 0.0)]
    if np.isfinite(curve.lipschitz):
        bends.append(task.w * curve.lipschitz)
    h = at.f - at.b  # K a
    here = task.value(at.f, float(at.a @ h), curve)
    for d in bends:
        target = full_step(K, task, at.f, g, d)
        if target is None:
            continue
        da, db = target[0] - at.a, target[1] - at.b
        dh = K @ da
        fall = task.lam * float(at.a @ dh) + float(g @ (dh + db))
        if not fall < -1e-15 * abs(here):
            continue
        t = 1.0
        for _ in range(HALVINGS):
            a = at.a + t * da
            f = at.f + t * (dh + db)
            square = float(a @ (h + t * dh))
            if task.value(f, square, curve) <= here + 1e-4 * t * fall:
                return Expansion(a, at.b + t * db, f, steps=at.steps)
            t /= 2
    return None


def full_step(
    K: Floats, task: Task, f: Floats, g: Floats, d: Floats
) -> tuple[Floats, float] | None:
    """Solve (4); None where nothing fixes the intercept."""
    bent = np.flatnonzero(d > STRAIGHT * d.max(initial=0.0))
    a = -g / task.lam
    if not len(bent):
        return None if task.intercept else (a, 0.0)
    a[bent] = 0.0
    s = np.sqrt(d[bent])
    A = s[:, None] * K[np.ix_(bent, bent)] * s
    A.flat[:: len(bent) + 1] += task.lam
    others = K[bent] @ a if len(bent) < len(f) else 0.0
    right = np.stack([s * (f[bent] - others) - g[bent] / s, s], axis=1)
    factor = cho_factor(A, lower=True, overwrite_a=True, check_finite=False)
    v, z = cho_solve(factor, right, check_finite=False).T
    b = float(s @ v + a.sum()) / float(s @ z) if task.intercept else 0.0
    a[bent] = s * (v - b * z)
    return a, b


def judged(K: Floats, task: Task, curve: Any, at: Expansion) -> Expansion:
    """Add P, the gradient's norm, and the gap (3)."""
    slopes = curve.slope(task.argument(at.f))
    v = task.signed(slopes)
    u = task.w * v
    objective = task.value(at.f, float(at.a @ (at.f - at.b)))
    rest = task.lam * at.a + u
    square = max(float(rest @ (K @ rest)), 0.0)
    gradient = np.sqrt(square + (u.sum() ** 2 if task.intercept else 0.0))
    gap = None
    if task.loss.convex:
        gap = max(objective - bound(K, task, v), 0.0)
    return replace(at, objective=objective, gap=gap, gradient=float(gradient))


def bound(K: Floats, task: Task, v: Floats) -> float:
    """Return D of (3), for v scaled on either sign until it is balanced."""
    if task.intercept:
        up = float(task.w @ np.maximum(v, 0.0))
        down = float(task.w @ np.maximum(-v, 0.0))
        least = min(up, down)
        scale = np.where(v > 0, least / up if up else 0, least / down if down else 0)
        v = v * scale
    u = task.w * v
    conjugate = float(task.w @ task.loss.conjugate(task.y, v))
    return -conjugate - float(u @ (K @ u)) / (2 * task.lam)


# -- losses with corners -------------------------------------------------------------
def box_of(loss: Loss) -> tuple[float, float, float, float] | None:
    """Return (lo, hi, eps, q): -v in [lo, hi], L* = eps |v| - q v in units of y."""
    if isinstance(loss, Hinge | Perceptron):
        return 0.0, 1.0, 0.0, loss.threshold
    if isinstance(loss, Quantile):
        return loss.q - 1, loss.q, 0.0, 1.0
    if isinstance(loss, Absolute | EpsilonInsensitive):
        return -1.0, 1.0, loss.epsilon, 1.0
    return None


def box_dual(task: Task) -> smo.Dual:
    """Return the dual of a straight loss with corners, in a = -u / lam."""
    sides = box_of(task.loss)
    assert sides is not None
    lo, hi, eps, q = sides
    most = task.w / task.lam
    low, high = lo * most, hi * most
    if task.loss.margin:  # the box is that of y a
        low, high = np.where(task.y > 0, low, -high), np.where(task.y > 0, high, -low)
    zero = np.zeros(len(task.y))
    return smo.Dual(-q * task.y, low, high, np.full(len(zero), eps), zero)


def by_box(K: Floats, task: Task, tol: float) -> Expansion:
    """Minimise the dual of a straight loss with corners."""
    dual = box_dual(task)
    limits = smo.Limits(threads=get_config().threads)
    gram = MatrixGram(np.ascontiguousarray(K), np.float64)
    steps = 0
    for _ in range(SHARPER):
        best = smo.solve(gram, dual, limits)
        steps += best.steps
        b = -float(best.rho[0])
        h = best.f - dual.q
        objective = task.value(h + b, float(best.b @ h))
        gap = task.lam * best.gap
        near = gap <= tol * objective or not objective > 0
        if near or best.stop is not StopReason.CONVERGED:
            break
        limits = replace(limits, tol=limits.tol / 10)
        dual = replace(dual, start=best.b)
    stop = best.stop if near else StopReason.STALLED
    steps = max(steps, 1)
    return Expansion(best.b, b, h + b, objective, gap, 0.0, steps, stop, "dual, by SMO")


def by_smoothing(K: Floats, task: Task, tol: float, max_iter: int) -> Expansion:
    """Minimise envelopes of falling widths until the gap of the loss is small."""
    now = start(task)
    width = 1.0 if task.loss.margin else max(float(task.y.std()), 1e-300)
    for _ in range(WIDTHS):
        now = newton(K, task, Envelope(task.loss, width), now, tol, max_iter)
        if now.stop is StopReason.CONVERGED or now.steps >= max_iter:
            break
        width /= NARROWER
    return replace(now, method="Newton on envelopes", width=width)
