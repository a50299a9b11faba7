"""Projections on convex sets, with the multipliers that prove them.

Also known as: nearest point, proximal map of an indicator, simplex projection, least
squares in a box, knapsack projection.

The projection of x on a closed convex set K is the p that minimises

    1/2 ||p - x||^2   over p in K                                                (1)

and it is unique.  Each function returns p with the multiplier of its KKT conditions:

    ball         ||p - c|| <= r      p = c + (x - c)/(1 + mu),
                                     mu = max(0, ||x - c||/r - 1)                (2)
    hyperplane   a'p = b             p = x - mu a,  mu = (a'x - b)/||a||^2       (3)
    half-space   a'p <= b            the same with mu >= 0                       (4)
    range(A)     p = A z             p = U U'x,     mu = x - p,  A'mu = 0        (5)
    box          l <= p <= u         p = clip(x),   mu = x - p                   (6)
    simplex      p >= 0, sum p = s   p = max(x - mu, 0)                          (7)
    box and hyperplane               p = clip(x - mu a),  a'p = b                (8)

In (7) and (8) the one unknown is mu, and the sum is piecewise linear and falling in it:
sort the kinks, find the piece, solve there.  Under relative entropy the projection of
f >= 0 on the simplex is a mere scaling,

    argmin_p sum_i p_i ln(p_i/f_i) - p_i + f_i  =  s f / sum f,  mu = ln(sum f / s)  (9)

whichever argument comes first.  (3) may leave the positive orthant where (7) does not.

Notation: x, p (n,); mu = multiplier; U an orthonormal basis of the columns of A.
Course: S0-12, S2-37. References: Boyd and Vandenberghe (2004), sec. 8.1; Held, Wolfe
and Crowder (1974).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import non_negative, numbers, positive

__all__ = [
    "Projection",
    "project_ball",
    "project_box",
    "project_box_and_hyperplane",
    "project_half_space",
    "project_hyperplane",
    "project_range",
    "project_simplex",
    "scale_to_simplex",
]


@dataclass(frozen=True, eq=False)
class Projection:
    """The nearest point and the multiplier of its constraint."""

    point: Floats  # (n,)
    multiplier: Any  # a number, or (n,) for a box and for range(A)


def project_ball(x: Any, radius: float = 1.0, center: Any = 0.0) -> Projection:
    """Project on the ball of a radius about a centre (2).

    Parameters
    ----------
    x : array of shape (n,)
    radius : float
    center : array of shape (n,), default=0

    Returns
    -------
    Projection
        The multiplier is ||x - c||/r - 1 outside the ball and 0 inside.

    Examples
    --------
    >>> p = project_ball([3.0, 4.0], radius=2.0)
    >>> p.point.tolist(), p.multiplier
    ([1.2, 1.6], 1.5)
    """
    who = "project_ball"
    x, r = _vector(who, x), float(positive(who, radius, "radius"))
    c = _like(who, center, x, "center")
    mu = max(0.0, float(np.linalg.norm(x - c)) / r - 1)
    return Projection(x if mu == 0 else c + (x - c) / (1 + mu), mu)


def project_hyperplane(x: Any, a: Any, b: float) -> Projection:
    """Project on the hyperplane a'p = b (3).

    Parameters
    ----------
    x, a : arrays of shape (n,)
    b : float

    Returns
    -------
    Projection

    Examples
    --------
    >>> p = project_hyperplane([5.0, 1.0, 0.0], [1.0, 1.0, 1.0], 1.0)
    >>> p.point.round(2).tolist()
    [3.33, -0.67, -1.67]
    """
    x, a, b = _affine("project_hyperplane", x, a, b)
    mu = float((a @ x - b) / (a @ a))
    return Projection(x - mu * a, mu)


def project_half_space(x: Any, a: Any, b: float) -> Projection:
    """Project on the half-space a'p <= b (4).

    Parameters
    ----------
    x, a : arrays of shape (n,)
    b : float

    Returns
    -------
    Projection

    Examples
    --------
    >>> project_half_space([0.0, 3.0], [0.0, 1.0], 1.0).point.tolist()
    [0.0, 1.0]
    """
    x, a, b = _affine("project_half_space", x, a, b)
    mu = max(0.0, float((a @ x - b) / (a @ a)))
    return Projection(x - mu * a, mu)


def project_range(x: Any, A: Any) -> Projection:
    """Project on the columns of a matrix of any rank (5).

    Parameters
    ----------
    x : array of shape (n,)
    A : array of shape (n, k)

    Returns
    -------
    Projection
        The multiplier is the residual, orthogonal to every column.

    Examples
    --------
    >>> A = [[1.0, 2.0], [1.0, 2.0], [0.0, 0.0]]  # rank 1
    >>> project_range([1.0, 3.0, 5.0], A).point.round(12).tolist()
    [2.0, 2.0, 0.0]
    """
    who = "project_range"
    x, A = _vector(who, x), numbers(who, A, "A")
    if A.ndim != 2 or A.shape[0] != len(x):
        must = f"A must have {len(x)} rows, as many as x"
        raise DataError(sentence(who, must, f"shape {A.shape}"))
    U, s, _ = np.linalg.svd(A, full_matrices=False)
    U = U[:, s > np.finfo(float).eps * max(A.shape) * (s[0] if len(s) else 0.0)]
    p = U @ (U.T @ x)
    return Projection(p, x - p)


def project_box(x: Any, low: Any = 0.0, high: Any = 1.0) -> Projection:
    """Project on the box low <= p <= high (6).

    Parameters
    ----------
    x : array of shape (n,)
    low, high : numbers or arrays of shape (n,)

    Returns
    -------
    Projection

    Examples
    --------
    >>> project_box([-1.0, 0.5, 3.0]).point.tolist()
    [0.0, 0.5, 1.0]
    """
    x, low, high = _box("project_box", x, low, high)
    p = np.clip(x, low, high)
    return Projection(p, x - p)


def project_simplex(x: Any, total: float = 1.0) -> Projection:
    """Project on the simplex p >= 0, sum p = total (7), by sorting.

    Parameters
    ----------
    x : array of shape (n,)
    total : float

    Returns
    -------
    Projection

    Examples
    --------
    >>> project_simplex([5.0, 1.0, 0.0]).point.tolist()
    [1.0, 0.0, 0.0]
    """
    who = "project_simplex"
    x, s = _vector(who, x), float(positive(who, total, "total"))
    shift = x.max()  # large numbers would drown the total
    z = np.sort(x - shift)[::-1]
    levels = (np.cumsum(z) - s) / np.arange(1, len(z) + 1)  # mu if k entries stay
    mu = float(levels[np.flatnonzero(z > levels)[-1]])
    return Projection(np.maximum(x - shift - mu, 0.0), mu + float(shift))


def project_box_and_hyperplane(
    x: Any, a: Any, b: float, low: Any = 0.0, high: Any = 1.0
) -> Projection:
    """Project on the part of a hyperplane inside a box (8), exactly.

    Parameters
    ----------
    x, a : arrays of shape (n,)
    b : float
    low, high : numbers or arrays of shape (n,)

    Returns
    -------
    Projection
        The multiplier is that of a'p = b.

    Examples
    --------
    >>> p = project_box_and_hyperplane([2.0, 0.4, 0.0], [1.0, 1.0, -1.0], 1.0)
    >>> p.point.round(12).tolist()
    [1.0, 0.2, 0.2]
    """
    who = "project_box_and_hyperplane"
    x, a, b = _affine(who, x, a, b)
    x, low, high = _box(who, x, low, high)
    least = float(np.where(a > 0, a * low, a * high).sum())
    most = float(np.where(a > 0, a * high, a * low).sum())
    room = 1e-12 * (np.abs(a) @ np.maximum(np.abs(low), np.abs(high)) + abs(b))
    if not least - room <= b <= most + room:
        must = f"b must be in [{least:g}, {most:g}] for the hyperplane to cut the box"
        raise ParameterError(sentence(who, must, f"{b:g}"))

    def height(mu: float) -> float:
        return float(a @ np.clip(x - mu * a, low, high))

    moving = a != 0
    kinks = np.concatenate(
        [(x[moving] - e[moving]) / a[moving] for e in (low, high)]
    )  # where an entry meets its bound
    kinks = np.unique(kinks)
    first, last = 0, len(kinks) - 1  # the height falls from `most` to `least`
    while last - first > 1:
        middle = (first + last) // 2
        first, last = (middle, last) if height(kinks[middle]) >= b else (first, middle)
    h0, h1 = height(kinks[first]), height(kinks[last])
    share = 0.0 if h0 == h1 else np.clip((h0 - b) / (h0 - h1), 0.0, 1.0)
    mu = float(kinks[first] + share * (kinks[last] - kinks[first]))
    return Projection(np.clip(x - mu * a, low, high), mu)


def scale_to_simplex(f: Any, total: float = 1.0) -> Projection:
    """Project non-negative f on the simplex under relative entropy (9).

    Parameters
    ----------
    f : array of shape (n,)
        Non-negative, not all 0.
    total : float

    Returns
    -------
    Projection

    Examples
    --------
    >>> scale_to_simplex([5.0, 1.0, 0.0]).point.round(4).tolist()
    [0.8333, 0.1667, 0.0]
    """
    who = "scale_to_simplex"
    f, s = non_negative(who, _vector(who, f, "f"), "f"), positive(who, total, "total")
    if not f.any():
        raise DataError(sentence(who, "some entry of f must be > 0", "zeros only"))
    return Projection(f * (s / f.sum()), float(np.log(f.sum() / s)))


def _vector(who: str, x: Any, name: str = "x") -> Floats:
    x = numbers(who, x, name)
    if x.ndim != 1 or not len(x):
        must = f"{name} must be a vector of one number or more"
        raise DataError(sentence(who, must, f"shape {x.shape}"))
    return x


def _like(who: str, value: Any, x: Floats, name: str) -> Floats:
    value = numbers(who, value, name)
    if value.shape not in ((), x.shape):
        must = f"{name} must be a number or have {len(x)} entries, as x has"
        raise DataError(sentence(who, must, f"shape {value.shape}"))
    return np.broadcast_to(value, x.shape)


def _affine(who: str, x: Any, a: Any, b: Any) -> tuple[Floats, Floats, float]:
    x = _vector(who, x)
    a = _like(who, a, x, "a")
    if not a.any():
        raise ParameterError(sentence(who, "a must not be 0", "zeros only"))
    return x, a, float(numbers(who, b, "b"))


def _box(who: str, x: Any, low: Any, high: Any) -> tuple[Floats, Floats, Floats]:
    x = _vector(who, x)
    low, high = _like(who, low, x, "low"), _like(who, high, x, "high")
    if (low > high).any():
        i = int(np.argmax(low > high))
        came = f"{low[i]:g} > {high[i]:g} at {i}"
        raise ParameterError(sentence(who, "low must be at most high", came))
    return x, low, high
