"""How far Huber's regression with its scale is from its optimum.

With the residuals r = X w + b - y the objective of `linear/robust/huber_regressor.py`
is a supremum, sigma H(r/sigma) = max over |v| <= 2 epsilon of  v r - sigma v^2/4,  so

    D(v) = -sum_i o_i v_i y_i - ||sum_i o_i v_i x_i||^2 / (4 alpha)                  (1)
    for |v_i| <= 2 epsilon,  sum_i o_i v_i^2/4 <= N,  and sum_i o_i v_i = 0 with an
    intercept;  sum_i o_i v_i x_i = 0 where alpha = 0

bounds the minimum from below.  At the optimum v = 2 t.  Elsewhere v loses what it has
in the span that must be 0, and is scaled down into its bounds.  It is tried at the
model, and at the points of Newton's method from there, in (w, b, sigma); with z =
r/sigma a row with |z| <= epsilon has the Hessian (2/sigma) a a', a = (x, 1, -z), and
the others none.

Notation: t = z cut off at +-epsilon; o = weights, N their sum.
Course: S2-36. References: Huber (1981), 7.7; Rockafellar (1970), 31.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from corollary.core.arrays import Floats
from corollary.diagnostics.contest_proof import CLOSED, NOISE
from corollary.objectives.conditions import Conditions, largest
from corollary.solvers import newton
from corollary.solvers.convex_problem import HuberStatement, full_rows

__all__ = ["of_huber"]

STEPS = 60
MANY = 1000  # columns whose Hessian is worth its price


@np.errstate(over="ignore", invalid="ignore", divide="ignore")
def of_huber(p: HuberStatement) -> tuple[float, float, Conditions]:
    """Return P, D and the conditions: the gradient is 0, and nothing is bound."""
    p = replace(p, X=full_rows(p.X))
    primal, g, _ = evaluated(p)
    dual, search = bound(p), newton.begin(np.append(p.w, [p.b, p.sigma]))
    for _ in range(STEPS if len(p.w) <= MANY else 0):
        x = search.trial
        at = replace(p, w=x[:-2], b=float(x[-2]) * p.intercept, sigma=float(x[-1]))
        value, slope, H = evaluated(at)
        size = np.diagonal(H)
        unit = 1 / np.sqrt(np.where(size > 0, size, 1.0))
        search = newton.step(search, value, slope, H, unit)
        if search.x is x:
            dual = max(dual, bound(at))
        if search.stalled or value - dual <= CLOSED * primal:
            break
    return primal, max(dual - NOISE * primal, 0.0), Conditions(largest(np.abs(g)))


def evaluated(p: HuberStatement) -> tuple[float, Floats, Floats]:
    """Return the objective, its gradient and its Hessian in (w, b, sigma)."""
    if not p.sigma > 0:
        size = len(p.w) + 2
        return np.inf, np.zeros(size), np.eye(size)
    z = (p.X @ p.w + p.b - p.y) / p.sigma
    t = np.clip(z, -p.epsilon, p.epsilon)
    value = p.sigma * float(p.o @ (1 + t * (2 * z - t))) + p.alpha * float(p.w @ p.w)
    free = np.full(len(z), float(p.intercept))
    A = np.column_stack([p.X, free, -z])
    g = A[:, :-1].T @ (2 * p.o * t)
    g[:-1] += 2 * p.alpha * p.w
    inside = np.where(np.abs(z) <= p.epsilon, 2 * p.o / p.sigma, 0.0)
    A[inside == 0] = 0.0  # where z may be huge
    H = (A * inside[:, None]).T @ A
    H[np.diag_indices(len(p.w))] += 2 * p.alpha
    return value, np.append(g, p.o @ (1 - t * t)), H


def bound(p: HuberStatement) -> float:
    """Return (1) at 2 t, moved until it is a point of the dual."""
    z = (p.X @ p.w + p.b - p.y) / p.sigma
    v = 2 * np.clip(z, -p.epsilon, p.epsilon)
    Z = p.X if p.alpha == 0 else p.X[:, :0]
    Z = np.column_stack([Z, np.ones(len(Z))]) if p.intercept else Z
    if Z.shape[1]:
        root = np.sqrt(p.o)
        v = v - Z @ np.linalg.lstsq(root[:, None] * Z, root * v, rcond=None)[0]
    N, used = float(p.o.sum()), float(p.o @ v**2) / 4
    top = float(np.abs(v[p.o > 0]).max(initial=0.0))
    v = v * min(1.0, 2 * p.epsilon / max(top, 1e-300), np.sqrt(N / max(used, 1e-300)))
    terms = p.o * v * p.y
    s = p.X.T @ (p.o * v)
    value = -float(terms.sum()) - NOISE * float(np.abs(terms).sum())
    value -= float(s @ s) / (4 * p.alpha) if p.alpha else 0.0
    return value if np.isfinite(value) else -np.inf
