"""The least loss in a ball of a feature space, by spectral projected gradients.

In the coordinates c of a function h, |c| = ||h||, the objective has two parts, any
function psi of the norm and any loss L of all scores together:

    R(c, b) = psi(|c|) + L(f)                                                    (1)
    f = Z c + b                                                                  (2)
    phi(t) = min L(Z c + b)  over |c| <= t and |b| <= B                          (3)

(3) is searched here.  A step goes along the projection P of x - rate g on the ball,
x = (c, b), g the gradient of L in x, and is halved until L falls below the largest of
its last values:

    d = P(x - rate g) - x,    rate = d'd / d'(g after - g before)

the length of Barzilai and Borwein.  The end is where the fall -g'd that a step promises
is a small share of L.  The gradient in the scores is given, or made of differences.
Where L is not convex, phi is a local minimum.

`representer_minimum.py` lets t grow, and minimises (1).
References: Barzilai and Borwein (1988); Birgin, Martinez and Raydan (2000).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.report import StopReason
from corollary.solvers.descend import differences

__all__ = ["WHO", "Point", "Task", "at_norm", "best_start", "norm_of"]

WHO = "representer_minimum"
LONGER = 10.0  # factor of a rate where the loss does not bend
MEMORY = 10  # values that a step may rise to, at most
HALVINGS = 60
TINY = 1e-100
ROUNDED = 4 * float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Point:
    """A point of a ball, with both parts of (1)."""

    x: Floats  # (r + 1,)
    loss: float
    steps: int = 0
    stop: StopReason = StopReason.CONVERGED
    psi: float = 0.0
    t: float = 0.0  # |c|
    noise: float = 0.0  # what rounded scores may change of L

    @property
    def value(self) -> float:
        """R."""
        return self.psi + self.loss

    def above(self, other: Point) -> float:
        """Return the difference of R, each part by itself for the sake of digits."""
        return (self.loss - other.loss) + (self.psi - other.psi)

    def below(self, other: Point) -> bool:
        """Tell whether R is lower by more than the scores' rounding."""
        return self.above(other) < -self.noise


@dataclass(frozen=True)
class Task:
    """Problem (1) in the coordinates (2)."""

    Z: Floats
    given_loss: Callable[[Floats], Any]
    given_gradient: Callable[[Floats], Any] | None
    given_psi: Callable[[float], Any]
    intercept: bool
    tol: float
    max_iter: int

    def scores(self, x: Floats) -> Floats:
        """Return f of (2)."""
        return self.Z @ x[:-1] + x[-1]

    def loss(self, f: Floats) -> float:
        """Return L of scores, infinite where it is no number."""
        value = number("loss", self.given_loss, f)
        return np.inf if np.isnan(value) else value

    def gradient(self, f: Floats) -> Floats:
        """Return the gradient of L in the scores."""
        if self.given_gradient is None:
            return differences(self.loss, f)
        g = np.asarray(self.given_gradient(f), dtype=np.float64)
        if g.shape != f.shape:
            must = f"gradient must return {len(f)} numbers"
            raise ParameterError(sentence(WHO, must, f"shape {g.shape}"))
        return g

    def slope(self, x: Floats) -> Floats:
        """Return the gradient of L in c and b."""
        g = self.gradient(self.scores(x))
        return np.append(self.Z.T @ g, g.sum())

    def at(self, x: Floats, radius: float = np.inf) -> Point:
        """Return a point with both parts of (1); its norm is at most the radius."""
        f, t = self.scores(x), min(norm_of(x), radius)
        loss, noise = self.loss(f), 0.0
        if np.isfinite(loss):
            noise = ROUNDED * float(np.abs(self.gradient(f)) @ np.abs(f))
        return Point(x, loss, psi=self.psi(t), t=t, noise=noise)

    def psi(self, t: float) -> float:
        """Return psi(t)."""
        return number("psi", self.given_psi, t)


def norm_of(x: Floats) -> float:
    """Return |c|, which is ||h||."""
    return float(np.linalg.norm(x[:-1]))


def at_norm(task: Task, t: float, B: float, start: Floats) -> Point:
    """Return the point of phi(t), |b| <= B."""
    found = on_ball(task, inside(start, t, B), t, B)
    return replace(task.at(found.x, t), steps=found.steps, stop=found.stop)


def best_start(
    task: Task, t: float, B: float, last: Floats, others: list[Floats]
) -> Floats:
    """Return the last point, or another of the ball with a lower loss."""
    points = [inside(x, t, B) for x in (last, *others)]
    values = [task.loss(task.scores(x)) for x in points]
    k = int(np.argmin(values))
    lower = k > 0 and values[k] < values[0] - task.at(points[k]).noise
    return points[k] if lower else last


def on_ball(task: Task, x: Floats, t: float, B: float) -> Point:
    """Minimise L on the ball by spectral projected gradients."""
    value = task.loss(task.scores(x))
    best, first, last = Point(x, value), value, deque([value], maxlen=MEMORY)
    g, rate = task.slope(x), 1.0
    for steps in range(task.max_iter):
        d = inside(x - rate * g, t, B) - x
        fall = float(g @ d)
        scale = max(abs(best.loss), abs(first - best.loss))
        if not fall < -task.tol * scale or not np.isfinite(scale):
            return replace(best, steps=steps)
        s, least = 1.0, 2.0**-HALVINGS
        moved = task.loss(task.scores(x + d))
        while not moved <= max(last) + 1e-4 * s * fall and s > least:
            s /= 2
            moved = task.loss(task.scores(x + s * d))
        if s <= least:
            return replace(best, steps=steps, stop=StopReason.STALLED)
        before, x = g, x + s * d
        g = task.slope(x)
        last.append(moved)
        if moved < best.loss:
            best = Point(x, moved)
        bend = float(d @ (g - before)) / s  # Barzilai and Borwein
        rate = float(d @ d) / bend if bend > 0 else min(LONGER * rate, 1 / TINY)
    return replace(best, steps=task.max_iter, stop=StopReason.MAX_PASSES)


def inside(x: Floats, t: float, B: float) -> Floats:
    """Project on |c| <= t, |b| <= B."""
    norm = norm_of(x)
    c = x[:-1] * (t / norm) if norm > t else x[:-1]
    return np.append(c, np.clip(x[-1], -B, B))


def number(name: str, function: Callable[[Any], Any], at: Any) -> float:
    """Return the value of a function of the user, infinite where it overflows."""
    try:
        value = function(at)
    except OverflowError:
        return np.inf
    if np.ndim(value) or not np.isrealobj(value) or isinstance(value, str | type(None)):
        must = f"{name} must return one real number"
        came = f"shape {np.shape(value)}" if np.ndim(value) else repr(value)
        raise ParameterError(sentence(WHO, must, came))
    return float(value)
