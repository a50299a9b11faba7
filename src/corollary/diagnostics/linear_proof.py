"""How far a linear model is from its optimum: the best dual point that is found.

Also known as: dual certificate, Fenchel duality gap.

A model states  P(theta) = 1/N sum_i o_i L(y_i, f_i) + R(theta),  f = A theta, by (1) of
`solvers/convex_problem.py`.  Every v in the domain of the conjugates bounds the minimum
from below, however it was found (`objectives/duality.py`):

    D(v) = -1/N sum_i o_i L*(y_i, v_i) - R*(s),   s = A'(o v)/N                      (1)

where s must be 0 for what is not penalised.  Some v are tried, and the best counts:

    the slopes dL/df at the model, moved until (1) is finite: `duality.py` has how
    straight losses of a score, without l2: v solves a linear programme
    smooth losses: with the curvature h = d2L/df2 and a Newton step d at a point theta

        v = dL/df + h (A d)                                                          (2)

    hinges of K scores: `contest_proof.py`
    squares with w >= 0 or with joint columns: `squares_proof.py`

A Newton step solves  A'(o h A d)/N + R''d = -grad P,  so that the s of (2) is R' at
theta + d, as if the step had led to the minimum: (2) meets what (1) asks for, with any
penalty and without one.  At the minimum d = 0 and D = P; near it P - D is the Newton
decrement.  With an l1 penalty d moves only what is not 0 already, and v is scaled where
another |s_j| is above l1.  A v outside of the domain proves nothing; the search then
takes the step, shortened where P asks for it, and looks again from there.  So D comes
near the minimum though the model does not.

The conditions are those of the least subgradient of P at the model, (6) of
`objectives/penalties.py`, and of the intercept, whose derivative is 0 (stationarity).
With corners of the loss they are about the v that was found; a row that is at no corner
has the slope v_i that its side asks for (slackness).

Notation: theta = (w, b); A = rows of features, and a constant; o, N as in `duality.py`.
Course: S2-36, S2-17. References: Rockafellar (1970), 31; Boyd and Vandenberghe (2004),
5.5 and 10.2; Bach (2010).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.optimize import linprog

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.diagnostics.contest_proof import (
    CLOSED,
    CORNER,
    EPS,
    NOISE,
    WORK,
    of_contest,
)
from corollary.diagnostics.squares_proof import is_cone, off, square_points
from corollary.linear_algebra.decompositions import eigh
from corollary.objectives.conditions import Conditions, largest
from corollary.objectives.duality import dual_sums, gap_of_sums, mixture
from corollary.objectives.losses import Absolute, Hinge, Quantile, Squared
from corollary.objectives.multiclass_hinge import MulticlassHinge
from corollary.solvers import newton, proximal_newton
from corollary.solvers.convex_problem import WHO, LinearStatement, full_rows
from corollary.solvers.steps import step

__all__ = ["of_linear"]

ROUNDING = 1e-12  # share of a sum that is no more than its rounding
UNIT = 1e-3  # share of the largest v, times ROUNDING, to which each is known
MANY = 1000  # entries of theta whose Hessian is worth its price
ENTRIES = 2**26  # of the curvatures of all rows
STEPS = 40  # evaluations of it, at most
SEEN = 1e-7  # share of a gap that a better bound is worth
FIRM = 1e-10  # of a diagonal, which keeps the search's Hessian regular


@np.errstate(over="ignore", invalid="ignore")
def of_linear(p: LinearStatement) -> tuple[float, float, Conditions]:
    """Return P, D and the conditions of a linear statement."""
    primal = p.value()
    if not np.isfinite(primal):
        must = "the objective must be finite at the model"
        why = "Some scores are too large, or belong to no mean."
        raise DataError(sentence(WHO, must, f"{primal}", why))
    if isinstance(p.loss, MulticlassHinge):
        return p.scale * primal, *of_contest(p)
    f = p.scores()
    slope = p.loss.derivative(p.y, f)
    dual, found = max(0.0, first_bound(p, slope)), Conditions()
    v = None if is_cone(p) else programmed(p, slope)
    if v is not None:
        dual = max(dual, dual_value(p, v, np.zeros_like(p.w)))
        if not isinstance(p.loss, Squared):  # at a corner v is one of many slopes
            off = np.abs(f - p.y) > CORNER * (1 + np.abs(p.y))
            apart = largest(np.abs(p.weighted(v - slope))[off])
            found, slope = Conditions(complementary_slackness=apart), v
    else:
        dual = max(dual, by_search(p, primal, dual))
    w, g = p.w, p.totals(slope) + p.penalty.l2 * p.w
    w, g = (w.T, g.T) if p.penalty.blocks else (w.ravel(), g.ravel())
    found |= p.penalty.conditions(w, g)
    if p.intercept:
        found |= Conditions(largest(np.abs(p.weighted(slope).sum(axis=0))))
    dual = max(dual - NOISE * primal, 0.0)
    return p.scale * primal, p.scale * dual, found.times(p.scale)


# -- bounds ----------------------------------------------------------------------------
def first_bound(p: LinearStatement, slope: Floats) -> float:
    """Return (1) at the slopes, moved until it is finite."""
    if is_cone(p):
        return 0.0  # the search begins with the slopes
    if slope.ndim == 1:
        sums = dual_sums(p.loss, p.X, p.y, p.scores(), p.o)
        return gap_of_sums(sums, p.w, p.penalty, p.N, intercept=p.intercept).dual
    if p.intercept:  # mix with a constant law until every class keeps its weight
        own = np.eye(slope.shape[1])[p.y]
        t, tu = mixture(p.weighted(own).sum(axis=0), p.weighted(slope).sum(axis=0))
        slope = (1 - t) * slope + tu - t * own
    return bound(p, slope)


def bound(p: LinearStatement, v: Floats) -> float:
    """Return (1), minus infinity where v is no point of the dual."""
    l1, l2, s = p.penalty.l1, p.penalty.l2, p.totals(v)
    sizes = np.abs(v) + UNIT * np.abs(v).max(initial=0.0)
    left = []  # sums that are to be 0, with the size of their terms and their worth
    if p.intercept:
        left.append((p.weighted(v).sum(axis=0), p.weighted(sizes).sum(axis=0), p.b))
    if l1 + l2 == 0:
        off_zero = np.minimum(s, 0.0) if p.penalty.positive else s
        left.append((off_zero, replace(p, X=np.abs(p.X)).totals(sizes), p.w))
    if any((np.abs(total) > ROUNDING * size).any() for total, size, _ in left):
        return -np.inf
    lost = sum(float(np.abs(total * worth).sum()) for total, _, worth in left)
    top, scales = float(p.penalty.size(-s.T).max(initial=0.0)), [1.0]
    if l1 > 0 and top > l1:
        scales = [l1 / top, 1.0] if l2 > 0 else [l1 / top]
    return max(dual_value(p, c * v, c * s) for c in scales) - lost


def dual_value(p: LinearStatement, v: Floats, s: Floats) -> float:
    """Return (1) where what is not penalised has s = 0."""
    conjugates = p.loss.conjugate(p.y, v)
    conjugates[p.o == 0] = 0.0
    if not np.isfinite(conjugates).all():
        return -np.inf
    terms = p.weighted(conjugates)
    value, size = float(terms.sum()), float(np.abs(terms).sum())
    if p.penalty.l2 > 0:
        over = np.maximum(p.penalty.size(-s.T) - p.penalty.l1, 0.0)
        value += float((over**2).sum()) / (2 * p.penalty.l2)
    return -value - NOISE * size


def programmed(p: LinearStatement, slope: Floats) -> Floats | None:
    """Return v where a linear problem gives it: squares alone, and straight losses.

    sum_i o_i v_i x_i must be 0, or within l1.  Of squares v is the residual, less what
    rounding left in the span of the columns; of straight losses with a corner it solves
    a linear programme.
    """
    if isinstance(p.loss, Squared) and p.penalty.strength == 0:
        return off(p, slope)
    if p.penalty.l2 > 0 or not isinstance(p.loss, Quantile | Absolute | Hinge):
        return None
    share, Z = p.o / p.N, full_rows(p.X)
    Z = np.column_stack([Z, np.ones(len(p.y))]) if p.intercept else Z
    if isinstance(p.loss, Hinge):
        ends = np.sort([np.zeros(len(p.y)), -p.y], axis=0)
    else:
        q = p.loss.q if isinstance(p.loss, Quantile) else None
        low, high = (-1.0, 1.0) if q is None else (-q, 1 - q)
        ends = np.broadcast_to([[low], [high]], (2, len(p.y)))
    most = np.full(Z.shape[1], p.penalty.l1)
    if p.intercept:
        most[-1] = 0.0
    A = (share[:, None] * Z).T
    limits, fine = np.concatenate([most, most]), {"primal_feasibility_tolerance": 1e-10}
    A = np.vstack([A, -A])
    lp = linprog(share * p.y, A, limits, bounds=ends.T, options=fine)
    return np.clip(lp.x, *ends) if lp.success else None


# -- the search ------------------------------------------------------------------------
def by_search(p: LinearStatement, primal: float, dual: float) -> float:
    """Return the best bound by (2), or of the points that descent on squares finds.

    It cannot be above P at a point of the search: once it is near, the search ends.
    """
    n, size, K = len(p.o), p.w.size + np.size(p.b), p.scores()[:1].size
    steps = int(min(STEPS, WORK / (n * size**2)))
    large = size > MANY or n * K**2 > ENTRIES
    if primal - dual <= CLOSED * primal or (large and not is_cone(p)):
        return dual
    for value, v in square_points(p) if is_cone(p) else newton_points(p, steps):
        dual = max(dual, bound(p, v))
        if value - dual <= max(SEEN * (primal - dual), CLOSED * primal):
            break
    return dual


@dataclass(frozen=True)
class Evaluated:
    """What a search asks for at a point theta, and what (2) does."""

    at: LinearStatement  # with theta for w, and the constant among the features
    l1: Floats  # (p,) of each entry of theta
    l2: Floats  # (p,)
    value: float
    slope: Floats
    bend: Any  # h
    g: Floats  # (p,) of all but l1
    H: Floats  # (p, p)


def newton_points(p: LinearStatement, steps: int) -> Iterator[tuple[float, Floats]]:
    """Yield P and (2) at the model, then where each step leads to."""
    at, penalised = lifted(p)
    l1, l2 = p.penalty.l1 * penalised, p.penalty.l2 * penalised
    method = proximal_newton if p.penalty.l1 else newton
    search: Any = method.begin(at.w.ravel())
    here = None
    for _ in range(steps):
        point = search.trial
        new = evaluated(replace(at, w=point.reshape(at.w.shape)), l1, l2)
        here = new or here
        if here is None or not here.bend.any():
            return
        value = np.inf if new is None else new.value
        size = np.diagonal(here.H)
        size = np.where(size > 0, size, 1.0)
        H, unit = here.H + FIRM * np.diag(size), 1 / np.sqrt(size)
        strengths = l1 if p.penalty.l1 else None
        search = step(search, value, here.g, H, l1=strengths, free=l1 == 0, unit=unit)
        if new is not None and np.array_equal(search.x, point):
            yield new.value, stepped(new)
        if search.stalled:
            return


def lifted(p: LinearStatement) -> tuple[LinearStatement, Floats]:
    """Put the constant among the features, and take their mean out of the others.

    Return with it 1 for what is penalised and 0 for the constant, flat.
    """
    if not p.intercept:
        return replace(p, X=full_rows(p.X), b=0.0), np.ones(p.w.size)
    X = full_rows(p.X)
    mean = p.weighted(X).sum(axis=0)
    theta = np.column_stack([np.atleast_2d(p.w), np.ravel(p.b + p.w @ mean)])
    Z = np.column_stack([X - mean, np.ones(len(X))])
    penalised = np.ones(theta.shape)
    penalised[:, -1] = 0.0
    theta = theta if p.w.ndim == 2 else theta[0]
    return replace(p, X=Z, w=theta, b=0.0, intercept=False), penalised.ravel()


def evaluated(at: LinearStatement, l1: Floats, l2: Floats) -> Evaluated | None:
    """Return value, slopes and curvature at a point, None where they are no numbers."""
    f, x = at.scores(), at.w.ravel()
    value = float(at.weighted(at.loss.value(at.y, f)).sum())
    value += float(l1 @ np.abs(x) + 0.5 * l2 @ x**2)
    if not np.isfinite(value):
        return None
    slope, bend = at.loss.derivative(at.y, f), at.loss.curvature(at.y, f)
    g = at.totals(slope).ravel() + l2 * x
    H = gram(at.X, at.weighted(bend)) + np.diag(l2)
    if not (np.isfinite(g).all() and np.isfinite(H).all()):
        return None
    return Evaluated(at, l1, l2, value, slope, bend, g, H)


def gram(Z: Floats, h: Floats) -> Floats:
    """Return sum_i A_i'h_i A_i, A_i being what makes the scores of row i of theta."""
    if h.ndim == 1:
        return (Z * h[:, None]).T @ Z
    if Z.ndim == 3:
        return Z.reshape(-1, Z.shape[2]).T @ (h @ Z).reshape(-1, Z.shape[2])
    K, d = h.shape[1], Z.shape[1]
    H = np.empty((K, d, K, d))
    for k in range(K):
        for j in range(k + 1):
            H[k, :, j] = H[j, :, k] = (Z * h[:, k, j, None]).T @ Z  # symmetric
    return H.reshape(K * d, K * d)


def stepped(here: Evaluated) -> Floats:
    """Return (2), corrected until rounding alone is left of its equations."""
    at, x = here.at, here.at.w.ravel()
    on = (here.l1 == 0) | (x != 0)
    solve = inverse(here.H[np.ix_(on, on)])
    d, v = np.zeros(len(x)), here.slope
    for _ in range(3):
        left = at.totals(v).ravel() + here.l2 * (x + d) + here.l1 * np.sign(x)
        d[on] -= solve @ left[on]
        moved = replace(at, w=d.reshape(at.w.shape)).scores()
        turned = here.bend * moved if moved.ndim == 1 else times(here.bend, moved)
        v = here.slope + turned
    return v


def times(h: Floats, f: Floats) -> Floats:
    """Multiply the scores of each row by its matrix."""
    return np.asarray((h @ f[:, :, None])[:, :, 0])


def inverse(H: Floats) -> Floats:
    """Return the inverse on what H does not take to 0, up to rounding."""
    size = np.diagonal(H)
    unit = 1 / np.sqrt(np.where(size > 0, size, 1.0))
    values, vectors = eigh(H * np.outer(unit, unit))
    seen = values > EPS * max(len(H), 1) * values.max(initial=0.0)
    V = (vectors * unit[:, None])[:, seen]
    return (V / values[seen]) @ V.T
