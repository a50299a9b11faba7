"""Lagrange multipliers, duality and optimality: checked for any problem, by numbers.

Also known as: Karush, Kuhn and Tucker conditions, Lagrangian duality, weak and strong
duality, saddle point.

    p* = min f(x)   subject to  g_i(x) <= 0,  h_j(x) = 0                             (1)
    L(x, mu, lam) = f(x) + sum mu_i g_i(x) + sum lam_j h_j(x)                        (2)
    theta(mu, lam) = min_x L,    d* = max over mu >= 0 of theta  <=  p*              (3)

(weak duality, always).  d* = p* where f and g are convex, h affine, and some x has all
g_i(x) < 0 (Slater; not needed for affine g).  A minimum at which the gradients of the
active constraints are independent has multipliers with

    stationarity       grad f + sum mu_i grad g_i + sum lam_j grad h_j = 0           (4)
    feasibility        g_i <= 0,  h_j = 0,    signs  mu_i >= 0                       (5)
    slackness          mu_i g_i = 0: at least one of the two is 0                    (6)

These are necessary only; for convex problems they suffice.  In the plane of (u, t) =
(g(x), f(x)) the dual value theta(mu) is where the lowest line t + mu u = const that
touches the region from below meets u = 0 (`plots/duality.py`).  Both values of a
problem, their gap and the saddle point theorem are in `diagnostics/duality.py`.

Course: S0-65, S0-66, S4-45. Reference: Boyd and Vandenberghe (2004), ch. 5.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import approx_fprime, minimize

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence

__all__ = ["KKT", "check_kkt", "dual_function", "lagrangian"]

Function = Callable[[Floats], Any]
ACTIVE = 1e-6  # how near to 0 a constraint is active


@dataclass(frozen=True)
class KKT:
    """The residuals of (4), (5) and (6) at a point; all 0 at a KKT point.

    Attributes
    ----------
    stationarity, inequality, equality, sign, slackness : float
        The largest violations.
    regular : bool
        Whether the gradients of the active constraints are independent.
    lagrangian : float
        (2).
    value : float
        f(x).
    """

    stationarity: float
    inequality: float
    equality: float
    sign: float
    slackness: float
    regular: bool
    lagrangian: float
    value: float

    @property
    def residual(self) -> float:
        """The largest of all."""
        feasible = max(self.inequality, self.equality, self.sign)
        return max(self.stationarity, feasible, self.slackness)

    def holds(self, tol: float = 1e-6) -> bool:
        """Tell whether every condition holds to a tolerance."""
        return self.residual <= tol

    def __str__(self) -> str:
        names = ("stationarity", "inequality", "equality", "sign", "slackness")
        lines = [f"{name:<13} {getattr(self, name):.3g}" for name in names]
        words = "independent" if self.regular else "dependent"
        return "\n".join([*lines, f"active gradients are {words}"])


def lagrangian(
    f: Function,
    x: Any,
    inequalities: Sequence[Function] = (),
    equalities: Sequence[Function] = (),
    mu: Any = (),
    lam: Any = (),
) -> float:
    """Return (2).

    >>> lagrangian(lambda x: x[0] ** 2, [2.0], [lambda x: 1 - x[0]], mu=[3.0])
    1.0
    """
    x = np.atleast_1d(np.asarray(x, float))
    mu, lam = multipliers(mu, inequalities, "mu"), multipliers(lam, equalities, "lam")
    total = float(f(x))
    for factor, g in zip(
        [*mu.tolist(), *lam.tolist()], [*inequalities, *equalities], strict=True
    ):
        total += factor * float(g(x))
    return total


def check_kkt(
    f: Function,
    x: Any,
    inequalities: Sequence[Function] = (),
    equalities: Sequence[Function] = (),
    mu: Any = (),
    lam: Any = (),
    *,
    gradients: Sequence[Function] | None = None,
) -> KKT:
    """Return how far (4), (5) and (6) are from holding.

    Parameters
    ----------
    f : function of x -> float
    x : array of shape (d,)
    inequalities, equalities : lists of functions
        g_i(x) <= 0 and h_j(x) = 0.
    mu, lam : arrays
        Their multipliers.
    gradients : list of functions, optional
        Of f, then of the inequalities, then of the equalities; by central differences
        otherwise.

    Returns
    -------
    KKT

    Examples
    --------
    The point of the unit disc nearest to (3, 4) is (0.6, 0.8), with multiplier 4/1:

    >>> found = check_kkt(lambda x: ((x - [3, 4]) ** 2).sum() / 2, [0.6, 0.8],
    ...                   [lambda x: (x @ x - 1) / 2], mu=[4.0])
    >>> found.holds(), found.regular
    (True, True)
    """
    x = np.atleast_1d(np.asarray(x, float))
    if not np.isfinite(x).all():
        raise DataError(sentence("check_kkt", "x must be finite", "NaN or infinity"))
    mu, lam = multipliers(mu, inequalities, "mu"), multipliers(lam, equalities, "lam")
    functions = [f, *inequalities, *equalities]
    if gradients is not None and len(gradients) != len(functions):
        must = f"gradients must be {len(functions)}, of f and of every constraint"
        raise DataError(sentence("check_kkt", must, f"{len(gradients)}"))
    if gradients is None:
        slopes = np.array([central(function, x) for function in functions])
    else:
        slopes = np.array([np.asarray(g(x), float) for g in gradients])
    u = np.array([float(g(x)) for g in inequalities])
    v = np.array([float(h(x)) for h in equalities])
    total = slopes[0] + np.concatenate([mu, lam]) @ slopes[1:]
    active = np.concatenate([np.abs(u) <= ACTIVE, np.ones(len(v), dtype=bool)])
    rank = np.linalg.matrix_rank(slopes[1:][active]) if active.any() else 0
    return KKT(
        float(np.abs(total).max()),
        float(np.maximum(u, 0.0).max(initial=0.0)),
        float(np.abs(v).max(initial=0.0)),
        float(np.maximum(-mu, 0.0).max(initial=0.0)),
        float(np.abs(mu * u).max(initial=0.0)),
        bool(rank == active.sum()),
        lagrangian(f, x, inequalities, equalities, mu, lam),
        float(f(x)),
    )


def dual_function(
    f: Function,
    inequalities: Sequence[Function],
    mu: Any,
    *,
    equalities: Sequence[Function] = (),
    lam: Any = (),
    grid: Any = None,
    start: Any = None,
) -> float:
    """Return theta(mu, lam) of (3), over the points of a grid or by minimisation.

    Parameters
    ----------
    f : function of x -> float
    inequalities : list of functions
    mu : array
        Multipliers >= 0.
    equalities : list of functions, optional
    lam : array
        Their multipliers, of any sign.
    grid : array of shape (k, d), optional
        Points to take the minimum over: exact for a problem on these points.
    start : array of shape (d,), optional
        Where a search starts, without a grid; for convex problems.

    Examples
    --------
    min x^2 with x >= 1 has theta(mu) = mu - mu^2/4, and its largest value is 1 = p*:

    >>> f, g = (lambda x: x[0] ** 2), (lambda x: 1 - x[0])
    >>> [round(dual_function(f, [g], [m], start=[0.0]), 6) for m in (0, 1, 2, 3)]
    [0.0, 0.75, 1.0, 0.75]

    min x'x with x_1 + x_2 = 1 has theta(lam) = -lam - lam^2/2, largest at lam = -1:

    >>> f, h = (lambda x: x @ x), (lambda x: x.sum() - 1)
    >>> theta = dual_function(f, [], [], equalities=[h], lam=[-1.0], start=[0.0, 0.0])
    >>> round(theta, 6)
    0.5
    """
    mu, lam = multipliers(mu, inequalities, "mu"), multipliers(lam, equalities, "lam")
    if (mu < 0).any():
        must = "mu must be >= 0, else theta bounds nothing"
        raise DataError(sentence("dual_function", must, f"{mu.min():g}"))
    if (grid is None) == (start is None):
        must = "either grid or start must be given"
        raise DataError(sentence("dual_function", must, "both or none"))

    def L(x: Floats) -> float:
        return lagrangian(f, x, inequalities, equalities, mu, lam)

    if grid is not None:
        return min(L(x) for x in np.asarray(grid, float))
    found = minimize(L, np.asarray(start, float), method="BFGS")
    return float(found.fun)


def central(function: Function, x: Floats) -> Floats:
    """Return the gradient by differences to both sides."""
    step = 6e-6 * np.maximum(1.0, np.abs(x))
    forward = approx_fprime(x, lambda z: float(function(z)), step)
    backward = approx_fprime(x, lambda z: float(function(z)), -step)
    return 0.5 * (forward + backward)


def multipliers(values: Any, constraints: Sequence[Function], name: str) -> Floats:
    """Return one multiplier for each constraint."""
    values = np.atleast_1d(np.asarray(values, float))
    if values.shape != (len(constraints),):
        must = f"{name} must have one number for each of {len(constraints)} constraints"
        raise DataError(sentence("check_kkt", must, f"shape {values.shape}"))
    return values
