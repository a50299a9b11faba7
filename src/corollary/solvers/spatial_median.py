"""The point with the least sum of distances to given ones.

Also known as: spatial median, geometric median, Fermat-Weber point, L1 median.

Minimise  P(m) = sum_i o_i ||w_i - m||,  weights o                                  (1)

P is convex, and its minimiser is unique unless the points lie on a line; half of the
points may run away without taking it along.  With r_i = ||w_i - m|| and the unit
vectors u_i = (w_i - m) / r_i,

    gradient -sum o_i u_i,    Hessian  sum (o_i / r_i) (I - u_i u_i')               (2)
    Weiszfeld's step:  m <- sum (o_i / r_i) w_i / sum (o_i / r_i)                   (3)

(3) never raises P; Newton's step by (2) is far faster near the end, and is taken where
it lowers P more; so is the point that pulls most, since both creep towards a minimum
that is one of the points.  At a point m = w_j the direction u_j is free: m is the
minimum if the others' sum is not longer than o_j, otherwise m leaves along it (Vardi
and Zhang).

Any v_i with ||v_i|| <= 1 and sum o_i v_i = 0 bounds P from below,

    P(m) >= sum_i o_i v_i'(w_i - m),   v = u less its mean, scaled to length <= 1   (4)

whose distance to (1) is the duality gap.  In one dimension it is the median.

References: Weiszfeld (1937); Vardi and Zhang (2000).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["SpatialMedian", "spatial_median", "weighted_median"]

EPS = float(np.finfo(np.float64).eps)


class SpatialMedian(NamedTuple):
    """Where the sum of distances is least, and how far from it at most."""

    point: Floats
    objective: float
    gap: float
    iterations: int
    interrupted: bool = False


class Look(NamedTuple):
    """What (2) needs of a point."""

    P: float
    U: Floats  # (n, p) unit vectors, 0 where a point lies on m
    pull: Floats  # (n,) o / r, 0 there
    g: Floats  # (p,) sum of o u, less what points on m can hold


def spatial_median(
    W: Floats, weights: Floats | None = None, *, tol: float = 1e-6, max_iter: int = 300
) -> SpatialMedian:
    """Minimise (1).

    Parameters
    ----------
    W : array of shape (n, p)
    weights : array of shape (n,), optional
    tol : float, default=1e-6
        Of the duality gap, relative to P.
    max_iter : int, default=300

    Returns
    -------
    SpatialMedian
        After Ctrl-C the best point so far, marked as interrupted.

    Examples
    --------
    >>> W = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    >>> spatial_median(W).point.round(5).tolist()
    [0.21132, 0.78868]
    """
    o = np.ones(len(W)) if weights is None else weights
    if W.shape[1] == 1:
        m = np.array([weighted_median(W[:, 0], o)])
        return SpatialMedian(m, float(o @ np.abs(W[:, 0] - m)), 0.0, 1)
    m = np.array([weighted_median(column, o) for column in W.T])
    here = look(W, o, m)
    gap, k = gap_at(W, o, m, here), 0
    try:
        while gap > tol * here.P and k < max_iter:
            tries = (newton(m, here), weiszfeld(m, here), W[np.argmax(here.pull)])
            looks = [look(W, o, candidate) for candidate in tries]
            best = int(np.argmin([found.P for found in looks]))
            if not looks[best].P < here.P:
                break
            below = gap_at(W, o, tries[best], looks[best])
            m, here, gap, k = tries[best], looks[best], below, k + 1
    except KeyboardInterrupt:  # what was found so far is a point as good as its gap
        return SpatialMedian(m, here.P, gap, k, interrupted=True)
    return SpatialMedian(m, here.P, gap, k)


def look(W: Floats, o: Floats, m: Floats) -> Look:
    """Return the distances from m, the unit vectors, and the slope."""
    D = W - m
    r = np.sqrt(np.einsum("ij,ij->i", D, D))
    on = r <= 4 * EPS * np.abs(m).max(initial=0.0)
    safe = np.where(on, 1.0, r)
    U = np.where(on[:, None], 0.0, D / safe[:, None])
    g, held = o @ U, float(o[on].sum())
    length = float(np.sqrt(g @ g))
    g = g * max(0.0, 1 - held / length) if length > 0 else g
    return Look(float(o @ r), U, np.where(on, 0.0, o / safe), g)


def newton(m: Floats, here: Look) -> Floats:
    """Return Newton's step (2)."""
    H = here.pull.sum() * np.eye(len(m)) - (here.U.T * here.pull) @ here.U
    try:
        return m + np.linalg.solve(H, here.g)
    except np.linalg.LinAlgError:
        return m


def weiszfeld(m: Floats, here: Look) -> Floats:
    """Return (3), of which points on m hold their part back."""
    total = here.pull.sum()
    return m + here.g / total if total > 0 else m


def gap_at(W: Floats, o: Floats, m: Floats, here: Look) -> float:
    """Return (1) less (4)."""
    V, D = here.U.copy(), W - m
    on = here.pull == 0
    if on.any():  # free directions take what the others leave
        rest = o @ V
        held = float(o[on].sum())
        V[on] = -rest / max(held, float(np.sqrt(rest @ rest)), EPS)
    V -= o @ V / o.sum()
    V /= max(1.0, float(np.sqrt(np.einsum("ij,ij->i", V, V)).max()))
    return max(0.0, here.P - float(o @ np.einsum("ij,ij->i", V, D)))


def weighted_median(x: Floats, o: Floats) -> float:
    """Return the middle of the medians of weighted numbers.

    >>> weighted_median(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 2.0]))
    2.0
    """
    order = np.argsort(x, kind="stable")
    reached = np.cumsum(o[order])
    half = reached[-1] / 2
    slack = 8 * EPS * reached[-1]
    low = x[order[np.searchsorted(reached, half - slack)]]
    high = x[order[min(np.searchsorted(reached, half + slack), len(x) - 1)]]
    return float((low + high) / 2)
