"""The primal and the dual value of a problem, their gap, and the saddle point theorem.

Also known as: duality gap, strong duality, minimax theorem, primal and dual problem,
saddle point theorem.

With L, theta and the constraints g <= 0, h = 0 of `diagnostics/kkt.py`,

    theta_P(x) = max over mu >= 0, lam of L(x, mu, lam)
               = f(x) where x is feasible, infinity elsewhere                    (1)
    p* = min_x theta_P(x),   d* = max over mu >= 0, lam of theta(mu, lam)        (2)
    d* <= p*: max min is never above min max (weak duality)                      (3)

(x, mu, lam) is a saddle point of L where, for every x', mu' >= 0 and lam',

    L(x, mu', lam') <= L(x, mu, lam) <= L(x', mu, lam)                           (4)

which is  theta_P(x) = L(x, mu, lam) = theta(mu, lam).  The theorem: (4) holds if and
only if x is optimal, (mu, lam) are, and the gap p* - d* is 0.  In numbers, the two
violations of (4) are never negative and add up to

    theta_P(x) - theta(mu, lam)  >=  p* - d*                                     (5)

On a grid of k points both values are exact: p* is the least of the feasible f, and d*
a linear programme, max t with t <= f(x_i) + mu'g(x_i) + lam'h(x_i) for each i   (6).
Otherwise the problem must be convex and smooth, and both are found by a search.

Course: S0-66, S4-45. Reference: Boyd and Vandenberghe (2004), ch. 5.2 and 5.4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import linprog, minimize

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.diagnostics.kkt import (
    Function,
    central,
    dual_function,
    lagrangian,
)

__all__ = [
    "Duality",
    "SaddlePoint",
    "check_saddle_point",
    "lagrangian_duality",
    "primal_function",
]

FEASIBLE = 1e-9  # how far a constraint may be violated


@dataclass(frozen=True)
class Duality:
    """Both values of a problem (2) and where they are attained.

    Attributes
    ----------
    primal, dual : float
        p* and d*.
    x : array of shape (d,) or None
        Where theta_P is least; None where no point is feasible.
    mu, lam : arrays or None
        Where theta is largest; None where it is unbounded.
    """

    primal: float
    dual: float
    x: Floats | None
    mu: Floats | None
    lam: Floats | None

    @property
    def gap(self) -> float:
        """p* - d*, >= 0 by (3) but for rounding; 0 where both are infinite."""
        return 0.0 if self.primal <= self.dual else self.primal - self.dual

    def strong(self, tol: float = 1e-6) -> bool:
        """Tell whether there is no gap, to a tolerance."""
        return self.gap <= tol * max(1.0, abs(self.dual))

    def __str__(self) -> str:
        return f"p* = {self.primal:.6g}, d* = {self.dual:.6g}, gap {self.gap:.3g}"


@dataclass(frozen=True)
class SaddlePoint:
    """How far (4) is from holding.

    Attributes
    ----------
    left, right : float
        theta_P - L and L - theta, the violations of either half, >= 0.
    theta_P, lagrangian, theta : float
        (1), L and the dual function at the point.
    """

    left: float
    right: float
    theta_P: float
    lagrangian: float
    theta: float

    @property
    def gap(self) -> float:
        """Their sum (5): how far x and the multipliers may be from optimal."""
        return self.left + self.right

    def holds(self, tol: float = 1e-6) -> bool:
        """Tell whether this is a saddle point: x and multipliers optimal, no gap."""
        return self.gap <= tol * max(1.0, abs(self.theta))

    def __str__(self) -> str:
        shown = f"L = {self.lagrangian:.6g}, below max by {self.left:.3g}, "
        return shown + f"above min by {self.right:.3g}"


def primal_function(
    f: Function,
    x: Any,
    inequalities: Sequence[Function] = (),
    equalities: Sequence[Function] = (),
    *,
    tol: float = FEASIBLE,
) -> float:
    """Return theta_P(x) (1): f(x) where x is feasible, infinity elsewhere.

    Parameters
    ----------
    f : function of x -> float
    x : array of shape (d,)
    inequalities, equalities : lists of functions
        g_i(x) <= 0 and h_j(x) = 0.
    tol : float
        How far a constraint may be violated.

    Examples
    --------
    >>> f, g = (lambda x: x[0] ** 2), (lambda x: 1 - x[0])
    >>> primal_function(f, [2.0], [g]), primal_function(f, [0.5], [g])
    (4.0, inf)
    """
    x = np.atleast_1d(np.asarray(x, float))
    fits = all(float(g(x)) <= tol for g in inequalities) and all(
        abs(float(h(x))) <= tol for h in equalities
    )
    return float(f(x)) if fits else np.inf


def lagrangian_duality(
    f: Function,
    inequalities: Sequence[Function] = (),
    equalities: Sequence[Function] = (),
    *,
    grid: Any = None,
    start: Any = None,
) -> Duality:
    """Return p*, d* and their gap (2).

    Parameters
    ----------
    f : function of x -> float
    inequalities, equalities : lists of functions
        g_i(x) <= 0 and h_j(x) = 0.
    grid : array of shape (k, d), optional
        The points of the problem: exact on them, whatever f (6).
    start : array of shape (d,), optional
        Where a search starts, without a grid; for smooth convex problems that have a
        minimum.

    Returns
    -------
    Duality

    Examples
    --------
    min -x^2 on [0, 2] with x <= 1 is not convex, and has a gap:

    >>> grid = np.linspace(0, 2, 201)[:, None]
    >>> found = lagrangian_duality(lambda x: -x[0] ** 2, [lambda x: x[0] - 1],
    ...                            grid=grid)
    >>> print(found)
    p* = -1, d* = -2, gap 1
    >>> print(lagrangian_duality(lambda x: x[0] ** 2, [lambda x: 1 - x[0]],
    ...                          start=[3.0]))
    p* = 1, d* = 1, gap 0
    """
    if (grid is None) == (start is None):
        must = "either grid or start must be given"
        raise DataError(sentence("lagrangian_duality", must, "both or none"))
    if grid is not None:
        return _on_grid(f, inequalities, equalities, grid)
    return _by_search(f, inequalities, equalities, start)


def check_saddle_point(
    f: Function,
    x: Any,
    inequalities: Sequence[Function] = (),
    equalities: Sequence[Function] = (),
    mu: Any = (),
    lam: Any = (),
    *,
    grid: Any = None,
    start: Any = None,
    tol: float = FEASIBLE,
) -> SaddlePoint:
    """Return how far (x, mu, lam) is from a saddle point of the Lagrangian (4).

    Parameters
    ----------
    f : function of x -> float
    x : array of shape (d,)
    inequalities, equalities : lists of functions
        g_i(x) <= 0 and h_j(x) = 0.
    mu, lam : arrays
        Their multipliers; mu >= 0.
    grid, start : arrays, optional
        As for `dual_function`; a search starts at x where neither is given.
    tol : float
        How far x may violate a constraint.

    Returns
    -------
    SaddlePoint

    Examples
    --------
    >>> f, g = (lambda x: x[0] ** 2), (lambda x: 1 - x[0])
    >>> check_saddle_point(f, [1.0], [g], mu=[2.0]).holds()
    True
    >>> print(check_saddle_point(f, [1.0], [g], mu=[1.0]))
    L = 1, below max by 0, above min by 0.25
    """
    x = np.atleast_1d(np.asarray(x, float))
    start = x if grid is None and start is None else start
    theta = dual_function(
        f, inequalities, mu, equalities=equalities, lam=lam, grid=grid, start=start
    )
    L = lagrangian(f, x, inequalities, equalities, mu, lam)
    theta_P = primal_function(f, x, inequalities, equalities, tol=tol)
    # both are >= 0 but for rounding, a search that stopped early, and the tolerance
    return SaddlePoint(max(theta_P - L, 0.0), max(L - theta, 0.0), theta_P, L, theta)


def _on_grid(
    f: Function,
    inequalities: Sequence[Function],
    equalities: Sequence[Function],
    grid: Any,
) -> Duality:
    """Solve both problems over the points of a grid (6)."""
    points = np.asarray(grid, float)
    if points.ndim != 2 or not len(points):
        must = "grid must be an array of shape (k, d) with k >= 1"
        raise DataError(sentence("lagrangian_duality", must, f"shape {points.shape}"))
    t = np.array([float(f(x)) for x in points])
    G = np.array([[float(c(x)) for c in (*inequalities, *equalities)] for x in points])
    m, k = len(inequalities), len(points)
    fits = (G[:, :m] <= FEASIBLE).all(axis=1) & (np.abs(G[:, m:]) <= FEASIBLE).all(
        axis=1
    )
    primal, x = np.inf, None
    if fits.any():
        best = int(np.argmin(np.where(fits, t, np.inf)))
        primal, x = float(t[best]), points[best]
    free = [(None, None)]
    found = linprog(
        np.append(-1.0, np.zeros(G.shape[1])),
        A_ub=np.hstack([np.ones((k, 1)), -G]),
        b_ub=t,
        bounds=free + [(0, None)] * m + free * len(equalities),
    )
    if found.x is None:  # unbounded above: no mixture of points is feasible
        return Duality(primal, np.inf, x, None, None)
    return Duality(primal, -float(found.fun), x, found.x[1 : m + 1], found.x[m + 1 :])


def _by_search(
    f: Function,
    inequalities: Sequence[Function],
    equalities: Sequence[Function],
    start: Any,
) -> Duality:
    """Solve both problems of a smooth convex problem by a search from `start`."""
    start = np.atleast_1d(np.asarray(start, float))
    m, constraints = len(inequalities), [*inequalities, *equalities]
    primal = minimize(
        lambda x: float(f(x)),
        start,
        method="SLSQP",
        jac=lambda x: central(f, x),
        constraints=[
            {
                "type": "ineq" if i < m else "eq",
                "fun": _value(c, -1.0 if i < m else 1.0),
            }
            for i, c in enumerate(constraints)
        ],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    x = np.asarray(primal.x)

    def negative(factors: Floats) -> tuple[float, Floats]:
        """Return -theta and its gradient, the constraints where L is least."""
        mu, lam = factors[:m], factors[m:]
        inner = minimize(
            lambda z: lagrangian(f, z, inequalities, equalities, mu, lam), x
        )
        slopes = np.array([float(c(inner.x)) for c in constraints])
        return -float(inner.fun), -slopes

    p_star = primal_function(f, x, inequalities, equalities, tol=1e-7)
    if not constraints:
        return Duality(p_star, p_star, x, np.empty(0), np.empty(0))
    dual = minimize(
        negative,
        np.append(np.ones(m), np.zeros(len(equalities))),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * m + [(None, None)] * len(equalities),
    )
    return Duality(p_star, -float(dual.fun), x, dual.x[:m], dual.x[m:])


def _value(constraint: Function, sign: float) -> Any:
    return lambda x: sign * float(constraint(x))
