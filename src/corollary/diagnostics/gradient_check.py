"""Check a gradient against differences of the function.

Also known as: gradient checker, numerical gradient, finite differences, complex step.

    D_j(h) = (f(x + h e_j) - f(x - h e_j)) / (2 h) = f_j'(x) + O(h^2)                (1)
    D*_j   = (4 D_j(h/2) - D_j(h)) / 3             = f_j'(x) + O(h^4)                (2)

A large h bends (truncation), a small one drowns in the rounding of f:

    noise  =  |D_j(h) - D_j(h/2)| / 3  +  4 eps max|f| / h                           (3)

Several h are tried for each coordinate, in its own units, and the one of least noise
counts.  The gradient a agrees where

    |a_j - D*_j| <= tol max(|a_j|, |D*_j|) + 10 noise_j                              (4)

so that f itself says how sharp the check can be.  Where f takes complex numbers,
Im f(x + i h e_j)/h has no difference of like numbers and h may be 1e-30: it is used
where it agrees with (2).

A corner (|x|, the hinge) shows in the two one-sided slopes: their distance shrinks with
h where f is smooth, and stays where it is not.  There every number between them is a
subgradient, and any of them agrees.

Rules to try it on: a'x has the gradient a, x'A x has (A + A')x.

Notation: eps = 2.2e-16; e_j = unit vector.
Course: S0-64. References: Nocedal and Wright (2006), 8.1; Squire and Trapp (1998).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import generator
from corollary.solvers.problem import Problem

__all__ = ["GradientCheck", "check_gradient"]

EPS = float(np.finfo(np.float64).eps)
STEPS = (1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # in units of max(1, |x_j|)
NEAR, NEARER = 1e-4, 1e-6  # of the one-sided slopes
TINY = 1e-30  # of the complex step
UNDERFLOW = float(np.finfo(np.float64).tiny) / TINY  # what such a step cannot show
WHO = "check_gradient"

Function = Callable[[Floats], Any]


@dataclass(frozen=True)
class GradientCheck:
    """What a check found, coordinate by coordinate.

    Attributes
    ----------
    analytic, numerical : arrays of shape (d,)
        The gradient that was given, and (2) or the complex step.
    relative : array of shape (d,)
        |a - D*| / max(|a|, |D*|), 0 where both are 0.
    noise : array of shape (d,)
        (3): differences below say nothing.
    steps : array of shape (d,)
        The h that were chosen; 0 for the complex step.
    agrees : boolean array of shape (d,)
        (4), or a subgradient at a corner.
    corners : boolean array of shape (d,)
        Where f has a corner along the coordinate.
    tol : float
    """

    analytic: Floats
    numerical: Floats
    relative: Floats
    noise: Floats
    steps: Floats
    agrees: Vector
    corners: Vector
    tol: float

    @property
    def passed(self) -> bool:
        """Whether every coordinate agrees."""
        return bool(self.agrees.all())

    @property
    def worst(self) -> int:
        """The coordinate farthest from agreement, in units of what (4) allows."""
        size = np.maximum(np.abs(self.analytic), np.abs(self.numerical))
        allowed = self.tol * size + 10 * self.noise + np.finfo(float).tiny
        off = np.abs(self.analytic - self.numerical) / allowed
        return int(np.argmax(np.where(self.agrees, np.minimum(off, 1.0), 1.0 + off)))

    @property
    def blunt(self) -> bool:
        """Whether the rounding of f hides errors a thousand times tol."""
        size = np.maximum(np.abs(self.analytic), np.abs(self.numerical))
        return bool((10 * self.noise > 1e3 * self.tol * size.max(initial=0)).any())

    @property
    def verdict(self) -> str:
        """Say in one sentence what was found."""
        j = self.worst
        corners = np.flatnonzero(self.corners)
        where = f", with corners along {corners.tolist()}" if len(corners) else ""
        if not self.passed:
            count = int((~self.agrees).sum())
            return (
                f"wrong in {count} of {len(self.agrees)} coordinates, worst in {j}: "
                f"given {self.analytic[j]:.6g}, differences {self.numerical[j]:.6g}, "
                f"noise {self.noise[j]:.2g}{where}"
            )
        smooth = self.relative[~self.corners]
        text = f"right to {max(smooth.max(initial=0.0), EPS):.2g}{where}"
        if self.blunt:
            most = float(self.noise.max())
            text += f"; the rounding of f hides errors below {10 * most:.2g}"
        return text

    def __str__(self) -> str:
        return f"gradient {self.verdict}"


def check_gradient(
    f: Function | Problem,
    gradient: Function | Floats | None = None,
    x: Any = None,
    *,
    tol: float = 1e-7,
    complex_step: bool = True,
) -> GradientCheck:
    """Compare a gradient with differences of its function.

    Parameters
    ----------
    f : function of x -> float, or Problem
    gradient : function of x -> array of shape (d,), or that array
        Not needed with a `Problem`.
    x : array of shape (d,)
        Where; a random point by default with a `Problem`.
    tol : float, default=1e-7
        Of (4).
    complex_step : bool, default=True
        Whether to try complex numbers.

    Returns
    -------
    GradientCheck

    Examples
    --------
    >>> import numpy as np
    >>> A = np.array([[1.0, 2.0], [0.0, 3.0]])
    >>> f, x = (lambda x: x @ A @ x), np.array([1.0, -1.0])
    >>> check_gradient(f, lambda x: (A + A.T) @ x, x).passed
    True
    >>> print(check_gradient(f, lambda x: 2 * A @ x, x).verdict)
    wrong in 2 of 2 coordinates, worst in 0: given -2, differences 0, noise 3.6e-15
    """
    f, gradient, x = _taken(f, gradient, x)
    if not 0 < tol < 1:
        raise ParameterError(sentence(WHO, "tol must be in (0, 1)", f"{tol!r}"))
    analytic = np.asarray(gradient(x) if callable(gradient) else gradient, float)
    if analytic.shape != x.shape:
        must = f"the gradient must have as many entries as x = {len(x)}"
        raise DataError(sentence(WHO, must, f"shape {analytic.shape}"))
    check_finite_values(WHO, analytic, "gradient")
    here = _value(f, x)
    scale = np.maximum(1.0, np.abs(x))
    found = [differences(f, x, j, scale[j], here) for j in range(len(x))]
    numerical, noise, steps = (np.array(column) for column in zip(*found, strict=True))
    sides = [one_sided(f, x, j, scale[j], here) for j in range(len(x))]
    corners = np.array([side is not None for side in sides])
    if complex_step and not corners.any():
        exact = _complex(f, x, numerical, noise, here)
        if exact is not None:
            numerical, steps = exact, np.zeros(len(x))
            noise = np.full(len(x), 4 * EPS * np.abs(exact).max() + UNDERFLOW)
    difference = np.abs(analytic - numerical)
    size = np.maximum(np.abs(analytic), np.abs(numerical))
    agrees = difference <= tol * size + 10 * noise  # (4)
    for j in np.flatnonzero(corners):
        low, high, slack = sides[j] or (0.0, 0.0, 0.0)
        agrees[j] = low - slack <= analytic[j] <= high + slack
    relative = np.divide(difference, size, out=np.zeros_like(size), where=size > 0)
    return GradientCheck(
        analytic, numerical, relative, noise, steps, agrees, corners, tol
    )


def _taken(f: Any, gradient: Any, x: Any) -> tuple[Function, Any, Floats]:
    """Take the parts of a problem, and check the point."""
    if isinstance(f, Problem):
        gradient = f.gradient if gradient is None else gradient
        x = generator(0).normal(size=f.dimension) if x is None else x
        f = f.value
    if gradient is None or x is None:
        must = "needs a gradient and a point x"
        raise ParameterError(sentence(WHO, must, "a function alone"))
    x = np.array(x, dtype=np.float64)
    if x.ndim != 1 or not len(x):
        raise DataError(sentence(WHO, "x must be a vector", f"shape {x.shape}"))
    check_finite_values(WHO, x, "x")
    return f, gradient, x


def _value(f: Function, x: Floats) -> float:
    value = np.asarray(f(x), dtype=np.float64)
    if value.size != 1 or not np.isfinite(value).all():
        must = "f must be a finite number near x"
        came = f"{value.item():g}" if value.size == 1 else f"shape {value.shape}"
        raise DataError(sentence(WHO, must, came, "Check it at another point."))
    return float(value.item())


def _moved(f: Function, x: Floats, j: int, h: float) -> float:
    """Return f(x + h e_j), NaN where it is not defined."""
    there = x.copy()
    there[j] += h
    with np.errstate(all="ignore"):
        return float(np.asarray(f(there), dtype=np.float64).item())


def differences(
    f: Function, x: Floats, j: int, scale: float, here: float
) -> tuple[float, float, float]:
    """Return (2), (3) and h of the step of least noise."""
    best = (np.nan, np.inf, np.nan)
    for step in STEPS:
        h = float(2.0 ** np.round(np.log2(step * scale)))  # x + h is then exact, mostly
        values = [_moved(f, x, j, t) for t in (h, -h, h / 2, -h / 2)]
        if not np.isfinite(values).all():
            continue
        wide, narrow = (values[0] - values[1]) / (2 * h), (values[2] - values[3]) / h
        top = float(np.abs([here, *values]).max())
        noise = abs(wide - narrow) / 3 + 4 * EPS * top / h  # (3)
        if noise < best[1]:
            best = ((4 * narrow - wide) / 3, noise, h)  # (2)
    if not np.isfinite(best[0]):
        must = f"f must be finite on both sides of x along coordinate {j}"
        raise DataError(sentence(WHO, must, "none", "Check it inside its domain."))
    return best


def one_sided(
    f: Function, x: Floats, j: int, scale: float, here: float
) -> tuple[float, float, float] | None:
    """Return the slopes on both sides of a corner and their noise; None if smooth."""
    slopes = []
    for h in (NEAR * scale, NEARER * scale):
        right = (_moved(f, x, j, h) - here) / h
        left = (here - _moved(f, x, j, -h)) / h
        slopes.append((left, right))
    (left0, right0), (left, right) = slopes
    slack = 16 * EPS * max(abs(here), 1e-300) / (NEARER * scale)
    jump, before = abs(right - left), abs(right0 - left0)
    size = max(abs(right), abs(left))
    if not jump > max(100 * slack, 1e-3 * size, 0.3 * before):
        return None
    return min(left, right), max(left, right), slack + 1e-4 * size


def _complex(
    f: Function, x: Floats, numerical: Floats, noise: Floats, here: float
) -> Floats | None:
    """Return the gradient by complex steps, or None where f does not take them."""
    exact = np.empty(len(x))
    try:
        with np.errstate(all="ignore"):
            for j in range(len(x)):
                z = x.astype(complex)
                z[j] += 1j * TINY
                value = np.asarray(f(z))
                if not np.iscomplexobj(value) or value.size != 1:
                    return None
                if abs(value.item().real - here) > 1e-9 * max(1.0, abs(here)):
                    return None
                exact[j] = value.item().imag / TINY
    except Exception:  # whatever f does with numbers it was not made for
        return None
    size = np.maximum(np.abs(exact), np.abs(numerical))
    alike = np.abs(exact - numerical) <= 1e-6 * size + 10 * noise
    return exact if bool(alike.all()) else None
