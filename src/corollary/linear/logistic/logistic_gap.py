"""How far a logistic regression is from optimal: the duality gap.

The dual of the penalised problem maximises an entropy.  For every row choose a law q_n
over the classes, such that each class keeps its weight (the intercept's condition):

    max_q  1/n sum_n w_n H(q_n) - R*(V),   V = -1/n sum_n w_n (q_n - e_{y_n}) x_n',
    sum_n w_n q_n = sum_n w_n e_{y_n}                                            (1)

where R(W) = l1 ||W||_1 + l2/2 ||W||^2 has the conjugate sum (|V| - l1)_+^2 / (2 l2), or
infinity outside of |V| <= l1 if l2 = 0.  Every such q bounds the minimum from below,
and the distance from F(W, b) to the bound is a sum of terms >= 0, so no digit cancels:

    gap = 1/n sum_n w_n KL(q_n || p_n)
        + sum [l1 |W| + l2/2 W^2 + (|V| - l1)_+^2 / (2 l2) - V W]                (2)

A fit's own p meets the condition of (1) only at the optimum.  Let s_k be the weight
that p gives to class k, and n_k the weight it has.  The mixture with a constant law u,

    q = (1 - t) p + t u,   1 - t = min_k n_k / s_k (at most 1),
    t u_k = (n_k - (1 - t) s_k) / n                                              (3)

meets it exactly, and so does a step from there to the labels, which scales V:

    q' = (1 - s) e_y + s q,   s = min(1, l1 / max |V|)                           (4)

With l1 alone (4) is needed, with l2 alone s = 1 is best, and otherwise the better
counts. F(W, b) is never farther from the minimum than (2).

Notation: p, e_y, w, n as in `logistic_problem.py`.
References: Yu, Huang and Lin (2011), dual of logistic regression; Massias et al.
(2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import xlogy

from corollary.core.arrays import Floats
from corollary.engine import Chunk, Data, Statistics
from corollary.linear.logistic.logistic_problem import Problem, gradient
from corollary.linear.logistic.logistic_sums import scores, weighted
from corollary.objectives.softmax import log_softmax

__all__ = ["duality_gap"]


@dataclass(frozen=True)
class Divergences(Statistics):
    """The first sum of (2) for each choice of s."""

    kl: Floats


def duality_gap(
    data: Data,
    problem: Problem,
    theta: Floats,
    f: float,
    g: Floats,
    start: Floats | None = None,
) -> float:
    """Return (2) at a point of objective f where the gradient of the smooth part is g.

    It is never more than f: no objective is below 0.  `start` is the gradient at the
    constant model, where it is known.
    """
    G, W = g.reshape(problem.shape), theta.reshape(problem.shape)[:, :-1]
    share = problem.classes / problem.n
    t, tu = mixture(share, G[:, -1]) if problem.intercept else (0.0, 0 * share)
    loss = G[:, :-1] - problem.l2 * W  # the loss's part of the gradient
    V = -(1 - t) * loss  # (m, d)
    if t > 0:
        at_start = constant_gradient(data, problem) if start is None else start
        V = V - t * at_start.reshape(problem.shape)[:, :-1]
    top = float(np.abs(V).max(initial=0.0))
    scales = [1.0] if problem.l2 > 0 or top <= problem.l1 else []
    if problem.l1 > 0 and top > problem.l1:
        scales.append(problem.l1 / top)  # (4)
    coef, intercept = problem.model(theta)
    first = partial(
        divergences,
        W=coef,
        b=intercept,
        weights=problem.weights,
        scales=tuple(scales),
        t=t,
        tu=tu,
    )
    exact = t == 0 and scales == [1.0]  # then q = p
    kl = np.zeros(1) if exact else data.reduce(first).kl / problem.n
    gaps = [
        float(kl_s) + young(problem, W, s * V)
        for s, kl_s in zip(scales, kl, strict=True)
    ]
    return min(*gaps, f)


def constant_gradient(data: Data, problem: Problem) -> Floats:
    """Return the gradient at the constant model, minus the sums of x~ by class over n.

    It is what the constant law u of (3) adds to V: sum_n w_n x~_n = 0, so that any
    constant law gives the same.
    """
    theta = problem.first()
    s = data.reduce(partial(gradient, problem=problem, theta=theta))
    return problem.smooth(s, theta)[1]


def mixture(share: Floats, slope: Floats) -> tuple[float, Floats]:
    """Return t and t u of (3), from n_k / n and the intercepts' gradient."""
    excess = np.array([-slope[0], slope[0]]) if len(slope) == 1 else slope
    given = share + excess  # s_k / n
    ratio = np.divide(share, given, out=np.ones_like(share), where=given > 0)
    keep = float(min(1.0, ratio.min()))
    tu = np.maximum(share - keep * given, 0.0)
    return float(tu.sum()), tu


def young(problem: Problem, W: Floats, V: Floats) -> float:
    """Return the second sum of (2)."""
    l1, l2 = problem.l1, problem.l2
    over = np.maximum(np.abs(V) - l1, 0.0)
    if l2 == 0:
        return float(np.maximum(l1 * np.abs(W) - V * W, 0.0).sum())
    terms = l1 * np.abs(W) + l2 / 2 * W**2 + over**2 / (2 * l2) - V * W
    return float(np.maximum(terms, 0.0).sum())


def divergences(
    chunk: Chunk,
    W: Floats,
    b: Floats,
    weights: Floats | None,
    scales: tuple[float, ...],
    t: float,
    tu: Floats,
) -> Divergences:
    """Sum w KL(q' || p) over a chunk, for each s of (4)."""
    log_p = log_softmax(scores(chunk.X, W, b))
    w = weighted(chunk, weights)
    mixed = (1 - t) * np.exp(log_p) + tu  # (3)
    kl = np.empty(len(scales))
    for i, s in enumerate(scales):
        q = s * mixed
        q[np.arange(chunk.n), chunk.y] += 1 - s  # (4)
        each = np.maximum((xlogy(q, q) - q * log_p).sum(axis=1), 0.0)
        kl[i] = each.sum() if w is None else each @ w
    return Divergences(kl)
