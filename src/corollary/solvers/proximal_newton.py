"""Proximal Newton: a smooth convex function plus an l1 penalty, by quadratic models.

Also known as: iteratively reweighted least squares with the lasso, glmnet, newGLMNET.

Minimise  F(x) = f(x) + l1 sum_{j penalised} |x_j|.  With g and H the gradient and the
Hessian of f at x the model

    q(z) = g'(z - x) + 1/2 (z - x)'H(z - x) + l1 sum_j |z_j|                     (1)

is minimised over z.  The free variables b follow from the penalised ones w,

    z_b = x_b - H_bb^-1 (g_b + H_bw (z_w - x_w))                                 (2)

and leave a lasso on the Schur complement,

    G = H_ww - H_wb H_bb^-1 H_bw,   c = G x_w - (g_w - H_wb H_bb^-1 g_b)         (3)

which coordinate descent solves on its Gram matrix (`solvers/coordinate_descent.py`),
not more finely than the step deserves.  Then along d = z - x

    F(x + t d) <= F(x) + c t (g'd + l1 (||z||_1 - ||x||_1)),   t = 1, 1/2, ...   (4)

An evaluation may be a pass over data: `step` takes f, g and H at `trial` and says where
to look next.  Half of the fall that (1) promises estimates F(x) - min F.

References: Lee, Sun and Saunders (2014); Friedman, Hastie and Tibshirani (2010).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import qr, solve_triangular

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.records import changed
from corollary.objectives.penalties import Penalty, least_subgradient
from corollary.solvers.coordinate_descent import EPS, REGULAR, towards_support
from corollary.solvers.lbfgs import shorter
from corollary.solvers.solver import Evaluation, SteppingSolver

__all__ = ["ProximalNewton", "ProximalNewtonState", "begin", "step"]

SUFFICIENT = 1e-3  # c in (4)
MOST_TRIES = 30
MOST_IDLE = 4
EPOCHS, ROUNDS = 20, 200  # of descent between two looks, and such looks
PATIENCE, HASTE = 4000, 5  # looks in a search; in a step once those are used up
FINER = 0.05  # of the subgradient at x: what descent may leave of the model's


@dataclass(frozen=True)
class ProximalNewtonState:
    """Where the search stands (x, F, g) and where it wants f, g and H next."""

    trial: Floats
    x: Floats
    f: float = np.inf
    g: Any = None
    d: Any = None
    t: float = 1.0
    fall: float = 0.0  # what (4) promises of a full step, < 0
    tries: int = 0
    idle: int = 0
    rounds: int = 0  # of descent on all models so far
    stalled: bool = False

    @property
    def decrement(self) -> float:
        """Half of the fall that the model promises."""
        return -0.5 * self.fall


def begin(x: Floats) -> ProximalNewtonState:
    """Start at x."""
    return ProximalNewtonState(trial=x, x=x)


def step(
    search: ProximalNewtonState,
    f: float,
    g: Floats,
    H: Floats,
    l1: Floats,
    free: Vector,
    noise: float,
) -> ProximalNewtonState:
    """Take F, and gradient and Hessian of its smooth part, at the trial point.

    Parameters
    ----------
    search : ProximalNewtonState
    f : float
        F at `search.trial`.
    g, H : arrays of shape (d,) and (d, d)
    l1 : array of shape (d,)
        The penalty of each variable: one number, or 0 for a free variable.
    free : array of bool, of shape (d,)
    noise : float
        Relative rounding error of F.

    Returns
    -------
    ProximalNewtonState
    """
    if search.g is not None:
        before = np.abs(least_subgradient(search.x, search.g, l1)).max()
        after = np.abs(least_subgradient(search.trial, g, l1)).max()
        same = abs(f - search.f) <= 1e4 * noise * abs(search.f) and after < 0.9 * before
        if not (f <= search.f + SUFFICIENT * search.t * search.fall or same):
            if search.tries >= MOST_TRIES:
                return changed(search, trial=search.x, stalled=True)
            t = shorter(search.t, search.f, search.fall, f)
            trial = search.x + t * search.d
            return changed(search, t=t, trial=trial, tries=search.tries + 1)
        gained = search.f - f > noise * abs(f) or after < 0.9 * before
        search = changed(search, idle=0 if gained else search.idle + 1)
    x = search.trial
    most = ROUNDS if search.rounds < PATIENCE else HASTE
    z, rounds = minimize_model(x, g, H, l1, free, most)
    search = changed(search, rounds=search.rounds + rounds)
    d = z - x
    fall = float(g @ d + l1 @ (np.abs(z) - np.abs(x)))
    here = changed(search, x=x, trial=z, f=f, g=g, d=d, t=1.0, fall=fall, tries=0)
    ended = not fall < 0 or here.idle > MOST_IDLE
    return changed(here, trial=x, stalled=True) if ended else here


def minimize_model(
    x: Floats, g: Floats, H: Floats, l1: Floats, free: Vector, most: int
) -> tuple[Floats, int]:
    """Minimise (1) in so many rounds at most; return how many it took."""
    w, b = np.flatnonzero(~free), np.flatnonzero(free)
    A = np.linalg.solve(H[np.ix_(b, b)], np.column_stack([H[np.ix_(b, w)], g[b]]))
    G = np.ascontiguousarray(H[np.ix_(w, w)] - H[np.ix_(w, b)] @ A[:, :-1])
    slope = g[w] - H[np.ix_(w, b)] @ A[:, -1]
    z = x.copy()
    strength = float(l1[w].max(initial=0.0))
    z[w], rounds = lasso(G, G @ x[w] - slope, strength, x[w], slope, most)  # (3)
    z[b] = x[b] - A[:, -1] - A[:, :-1] @ (z[w] - x[w])  # (2)
    return z, rounds


def lasso(
    G: Any, c: Any, l1: float, b: Any, slope: Floats, most: int
) -> tuple[Floats, int]:
    """Minimise 1/2 b'G b - c'b + l1 ||b||_1 by rounds of descent from b."""
    penalty = Penalty(l1, 1.0)
    goal = FINER * penalty.violation(b, slope)
    b = b.copy()
    rounds = 0
    for _ in range(most):
        q = c - G @ b
        loops.descend(G, c, 0.0, l1, 0.0, False, EPOCHS, -1.0, b, q)
        fresh = towards_support(G, c, penalty, b, c - G @ b)
        if fresh is b and l1 > 0:  # the support may be of dependent columns
            b = thinned(G, l1, b, c - G @ b)
            fresh = towards_support(G, c, penalty, b, c - G @ b)
        b, rounds = fresh, rounds + 1
        if penalty.violation(b, G @ b - c) <= goal:
            break
    return b, rounds


def thinned(G: Floats, l1: float, b: Floats, q: Floats) -> Floats:
    """Walk to a support of independent columns, downhill or level; q = c - G b.

    Along a v with G v = 0 on the support the objective is straight, with the slope
    l1 sign(b)'v - q'v, until an entry of b is 0: that column leaves.
    """
    A = np.flatnonzero(b)
    scale = np.sqrt(np.diagonal(G)[A])
    if not len(A) or not scale.all():
        return b
    R, order = qr(G[np.ix_(A, A)] / np.outer(scale, scale), mode="r", pivoting=True)
    rank = int((np.abs(np.diagonal(R)) > REGULAR * abs(R[0, 0])).sum())
    if rank == len(A):
        return b
    N = np.zeros((len(A), len(A) - rank))
    N[order[:rank]] = -solve_triangular(R[:rank, :rank], R[:rank, rank:])
    N[order[rank:]] = np.eye(len(A) - rank)
    N /= scale[:, None]
    x, slope = b[A], l1 * np.sign(b[A]) - q[A]
    for k in range(N.shape[1]):
        v = N[:, k] if slope @ N[:, k] <= 0 else -N[:, k]
        falls = v * x < 0
        if not falls.any():
            continue
        lengths = np.where(falls, -x / np.where(falls, v, 1.0), np.inf)
        first = int(lengths.argmin())
        x = x + lengths[first] * v
        x[first] = 0.0
        N[:, k + 1 :] -= np.outer(v, N[first, k + 1 :] / v[first])
    fresh = b.copy()
    fresh[A] = x
    d = fresh - b
    rise = 0.5 * d @ (G @ d) - q @ d + l1 * (np.abs(fresh).sum() - np.abs(b).sum())
    return fresh if rise <= EPS * l1 * float(np.abs(b).sum()) else b


@dataclass(frozen=True)
class ProximalNewton(SteppingSolver):
    """Proximal Newton.

    Examples
    --------
    >>> from corollary.objectives.losses import Squared
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import linear_problem
    >>> lasso = linear_problem(np.eye(2), [4.0, 1.0], Squared(), Penalty(1.0, 1.0))
    >>> minimize(lasso, ProximalNewton()).x.round(6).tolist()
    [2.0, 0.0]
    """

    second_order = True
    needs = ("gradient", "smooth", "l1", "Hessian")
    state = ProximalNewtonState

    def step(self, state: ProximalNewtonState, at: Evaluation) -> ProximalNewtonState:
        """Take F, g and H at the trial point."""
        free = (at.l1 == 0) & (at.l1.max(initial=0.0) > 0)
        return step(state, at.f, at.g, at.H, at.l1, free, EPS)
