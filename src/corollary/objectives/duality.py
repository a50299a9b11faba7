"""How far a linear model is from the best one: the duality gap.

Also known as: Fenchel duality gap, dual certificate, suboptimality bound.

    P(w, b) = 1/N sum_i o_i L(y_i, w'x_i + b) + l1 ||w||_1 + l2/2 ||w||^2            (1)

with a convex loss and weights o.  By Fenchel and Young L(y, f) >= v f - L*(y, v) for
every v, so each choice of v_i in the domain of L* bounds P from below; minimised over w
and b the bound is

    D(v) = -1/N sum_i o_i L*(y_i, v_i) - sum_j (|s_j| - l1)_+^2 / (2 l2),            (2)
    s = 1/N sum_i o_i v_i x_i,   and with an intercept  sum_i o_i v_i = 0            (3)

(with l2 = 0 the last sum of (2) asks for |s_j| <= l1.)  P(w, b) - D(v) is the gap: P is
never farther from its minimum.  At the optimum v_i = dL/df, so this is the v to take.
Where L has a corner any v_i between the two slopes may be the right one; the slopes of
Moreau envelopes of several widths are tried, and the best bound counts.

A v that breaks (3) is shrunk.  The v_i > 0, and those < 0, are scaled by factors in [0,
1] each: 0 lies in the domain, and L*(y, 0) = -inf L = 0, so by convexity

    L*(y, c v) <= c L*(y, v)                                                         (4)

which needs sums over either sign only.  The sums are additive, so one pass over data of
any size gives the gap; (4) costs nothing at the optimum, where the factors are 1.

Other forms of the same gap.  Least squares, 1/2 r'W r + R(b), knows b and q = X'W r
only.  r is a v for (2) where l2 > 0; with z = q - l2 b and the residual of the problem
with l2 written as d extra rows, R = r'W r + l2 ||b||^2 long, s r is one where

    s = min(1 + b'z / R, l1 / max_j |z_j|)                                           (5)
    gap = (1 - s)^2 R / 2 + sum_j (l1 |b_j| - s b_j z_j)                             (6)

Cross-entropy has a law q_i over the classes for v_i, such that each class keeps its
weight, and the gap is a sum of terms >= 0, so that no digit cancels:

    gap = 1/N sum_i o_i KL(q_i || p_i) + R(W) + R*(V) - V'W,
    V = -1/N sum_i o_i (q_i - e_{y_i}) x_i',   sum_i o_i q_i = sum_i o_i e_{y_i}     (7)

A fit's own p meets the condition of (7) only at the optimum.  Let s_k be the weight
that p gives to class k, and n_k the weight it has.  The mixture with a constant law u,

    q = (1 - t) p + t u,   1 - t = min_k n_k / s_k (at most 1),
    t u_k = (n_k - (1 - t) s_k) / N                                                  (8)

meets it exactly, and so does a step from there to the labels, which scales V:

    q' = (1 - s) e_y + s q,   s = min(1, l1 / max |V|)                               (9)

With l1 alone (9) is needed, with l2 alone s = 1 is best; otherwise the better counts.

Huber's loss with a scale sigma of its own, sum_i o_i sigma (1 + H(r_i / sigma)) + alpha
||w||^2, has the dual  -sum_i o_i v_i y_i - ||sum_i o_i v_i x_i||^2 / (4 alpha)  over
|v_i| <= 2 epsilon with  sum_i o_i v_i^2 / 4 <= sum_i o_i  (and the balance of (3)).
With z = r / sigma cut off at +-epsilon to t, and v = 2 c t, c in [0, 1] for each sign,

    gap = sigma [N - sum o t^2 + 2 sum o (1 - c) t z] + alpha ||w + s / (2 alpha)||^2,
    s = 2 sum_i o_i c_i t_i x_i                                                     (10)

at the optimum c = 1, and both terms are 0: they are derivatives of the objective.

Notation: o = sample weights; N = their sum, or the visits of a stochastic fit; R, R*,
l1, l2 as in `penalties.py`.
Course: S2-17. References: Rockafellar (1970), 31; Boyd and Vandenberghe (2004), 5; Yu,
Huang and Lin (2011), cross-entropy; Massias, Gramfort and Salmon (2018), (5) and (6).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import xlogy

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, sentence
from corollary.core.records import readable
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import Statistics
from corollary.objectives.chunk_losses import scores, weighted
from corollary.objectives.loss import ScoreLoss
from corollary.objectives.penalties import Penalty
from corollary.objectives.softmax import log_softmax

if TYPE_CHECKING:
    from corollary.engine import Data
    from corollary.objectives.problem import LinearProblem

__all__ = [
    "DualSums",
    "DualityGap",
    "cross_entropy_gap",
    "dual_bound",
    "dual_sums",
    "duality_gap",
    "gap_of_sums",
    "least_squares_gap",
    "scaled_huber_gap",
]


@dataclass(frozen=True)
class DualSums(Statistics):
    """What a chunk contributes to P and to k choices of v, for v > 0 and v < 0."""

    loss: float
    v: Floats  # (k, 2) sums of o v
    conjugate: Floats  # (k, 2) sums of o L*(y, v)
    vx: Floats  # (k, 2, d) sums of o v x


@readable
@dataclass(frozen=True)
class DualityGap:
    """The value of (1), the best bound found, and their distance.

    Attributes
    ----------
    primal, dual : float
        P and the largest D.
    gap : float
        P - D >= P - min P.
    """

    primal: float
    dual: float
    gap: float


def dual_sums(
    loss: ScoreLoss, X: Matrix, y: Vector, f: Vector, weights: Vector | None = None
) -> DualSums:
    """Return the sums of rows with scores f."""
    y, f = np.asarray(y, float), np.asarray(f, float)
    o = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    V = loss.slopes(y, f)  # (k, n)
    parts = np.empty((len(V), 2, len(y)))
    np.maximum(V, 0.0, out=parts[:, 0])
    np.minimum(V, 0.0, out=parts[:, 1])
    parts *= o
    conjugates = o * np.array([loss.conjugate(y, v) for v in V])
    vx = np.asarray((X.T @ parts.reshape(-1, len(y)).T).T, float)
    return DualSums(
        float(o @ loss.value(y, f)),
        np.add.reduce(parts, axis=2),
        np.add.reduce(conjugates[:, None] * (parts != 0), axis=2),
        vx.reshape(*parts.shape[:2], -1),
    )


def gap_of_sums(
    sums: DualSums, w: Floats, penalty: Penalty, total: float, *, intercept: bool
) -> DualityGap:
    """Return the gap of weights w, whose scores the sums were taken at."""
    primal = sums.loss / total + penalty.value(w)
    bounds = [
        _bound(v, conjugate, vx, penalty, total, intercept)
        for v, conjugate, vx in zip(sums.v, sums.conjugate, sums.vx, strict=True)
        if np.isfinite(conjugate).all()
    ]
    dual = max([*bounds, 0.0])  # losses and penalties are >= 0
    return DualityGap(primal, dual, max(primal - dual, 0.0))


def _bound(
    v: Floats,
    conjugate: Floats,
    vx: Floats,
    penalty: Penalty,
    total: float,
    intercept: bool,
) -> float:
    """Return (2) for v scaled until (3) holds, by (4)."""
    scale = balanced(v) if intercept else np.ones(2)
    s = scale @ vx / total  # (3)
    return dual_bound(-float(scale @ conjugate) / total, 0.0, s, penalty)


def balanced(v: Floats) -> Floats:
    """Return the largest scales up to 1 at which v[0] >= 0 and v[1] <= 0 add up to 0.

    >>> balanced(np.array([2.0, -1.0])).tolist()
    [0.5, 1.0]
    """
    least = min(v[0], -v[1])
    return np.array([least / abs(one) if one else 0.0 for one in v.tolist()])


def dual_bound(
    linear: float, quadratic: float, s: Floats, penalty: Penalty, most: float = 1.0
) -> float:
    """Return the largest  c linear - c^2/2 quadratic - R*(c s),  0 <= c <= most.

    With both l1 and l2, c = 1 is taken as it is.
    """
    if penalty.l1 > 0 and penalty.l2 > 0:
        over = np.maximum(np.abs(s) - penalty.l1, 0.0)
        return linear - quadratic / 2 - float(over @ over) / (2 * penalty.l2)
    if linear <= 0:
        return 0.0
    if penalty.l2 > 0:
        quadratic += float(s @ s) / penalty.l2
    else:
        top = float(np.abs(s).max(initial=0.0))
        most = min(most, penalty.l1 / top) if top > 0 else most
    c = min(most, linear / quadratic if quadratic > 0 else np.inf)
    return c * linear - 0.5 * c * c * quadratic if math.isfinite(c) else 0.0


def least_squares_gap(b: Floats, q: Floats, r2: float, penalty: Penalty) -> float:
    """Return the lesser of (6) and R(b) + R*(q) - q'b; b and q hold every column.

    With several targets b and q are (d, m), and the rows of b may be blocks.
    """
    l1, l2 = penalty.l1, penalty.l2
    z = q - l2 * b
    top = float(penalty.size(z).max(initial=0.0))
    on = penalty.support(b)
    b_on = b[on]
    bz = penalty.products(b_on, z[on])
    R = r2 + l2 * float(np.vdot(b_on, b_on))
    s = max(0.0, 1 + bz.sum() / R) if R > 0 else 1.0
    s = l1 / top if s * top > l1 else s  # (5)
    scaled = (1 - s) ** 2 * R / 2  # (6)
    scaled += np.maximum(l1 * penalty.lengths(b_on) - s * bz, 0.0).sum()
    return float(scaled) if l2 == 0 else min(float(scaled), penalty.young(b, q))


def scaled_huber_gap(
    sums: tuple[float, Floats, Floats, Floats, Floats],
    w: Floats,
    sigma: float,
    alpha: float,
    *,
    intercept: bool,
) -> float | None:
    """Return (10), None without a penalty.

    `sums` are N and the sums of o t, o t^2, o t z and o t x for t > 0 and for t < 0.
    """
    N, t, t2, tz, tx = sums
    if alpha <= 0:
        return None
    c = balanced(t) if intercept else np.ones(2)
    used = float(c**2 @ t2)
    c = c * min(1.0, np.sqrt(N / used)) if used > 0 else c
    loss = sigma * (N - float(t2.sum()) + 2 * float((1 - c) @ tz))
    miss = w + c @ tx / alpha
    return max(0.0, float(loss)) + alpha * float(miss @ miss)


def duality_gap(
    loss: ScoreLoss,
    X: Any,
    y: Any,
    w: Any,
    b: float = 0.0,
    *,
    penalty: Penalty,
    intercept: bool = False,
    sample_weight: Any = None,
) -> DualityGap:
    """Return a bound on how far weights are from the best ones.

    Parameters
    ----------
    loss : ScoreLoss
        Convex, such as `Hinge()` or `Logistic()`.
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
        Labels -1 and +1 for losses of the margin, numbers otherwise.
    w : array of shape (d,)
    b : float, default=0.0
    penalty : Penalty
        With l1 or l2 above 0; without a penalty the bound is that of losses >= 0.
    intercept : bool, default=False
        Whether the model has an intercept, which is not penalised.
    sample_weight : array of shape (n,), optional

    Returns
    -------
    DualityGap

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.objectives.losses import Squared
    >>> from corollary.objectives.penalties import Penalty
    >>> X, y = np.array([[1.0], [1.0]]), np.array([1.0, 3.0])
    >>> best, other = np.array([1.0]), np.array([0.5])
    >>> gaps = [duality_gap(Squared(), X, y, w, penalty=Penalty(1.0)).gap
    ...         for w in (best, other)]
    >>> [round(gap, 6) for gap in gaps]
    [0.0, 0.5]
    """
    if not loss.convex:
        must = "the loss must be convex, as duality is empty otherwise"
        raise DataError(sentence("duality_gap", must, f"{loss}"))
    y, w = np.asarray(y, float), np.asarray(w, float)
    if X.ndim != 2 or y.shape != (X.shape[0],) or w.shape != (X.shape[1],):
        must = "X (n, d), y (n,) and w (d,) must match"
        came = f"shapes {X.shape}, {y.shape} and {w.shape}"
        raise DataError(sentence("duality_gap", must, came))
    if b != 0 and not intercept:
        must = "b must be 0 for a model without an intercept"
        raise DataError(sentence("duality_gap", must, f"{b:g}", "Use intercept=True."))
    check_finite_values("duality_gap", w, "w")
    o = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, float)
    f = np.asarray(X @ w) + b
    sums = dual_sums(loss, X, y, f, o)
    return gap_of_sums(sums, w, penalty, float(o.sum()), intercept=intercept)


@dataclass(frozen=True)
class Divergences(Statistics):
    """The first sum of (7) for each choice of s."""

    kl: Floats


def cross_entropy_gap(
    data: Data,
    problem: LinearProblem,
    theta: Floats,
    f: float,
    g: Floats,
    at_constant: Floats | None = None,
) -> float:
    """Return (7) at a point of objective f where the gradient of the smooth part is g.

    It is never more than f: no objective is below 0.  `at_constant` is the gradient at
    the constant model, where it is known.
    """
    penalty, share = problem.penalty, problem.loss.totals / problem.n
    G, W = g.reshape(problem.shape), theta.reshape(problem.shape)[:, :-1]
    t, tu = mixture(share, G[:, -1]) if problem.intercept else (0.0, 0 * share)
    V = -(1 - t) * (G[:, :-1] - penalty.l2 * W)  # (m, d), of the loss alone
    if t > 0:
        start = constant_gradient(data, problem) if at_constant is None else at_constant
        V = V - t * start.reshape(problem.shape)[:, :-1]
    top = float(np.abs(V).max(initial=0.0))
    scales = [1.0] if penalty.l2 > 0 or top <= penalty.l1 else []
    if penalty.l1 > 0 and top > penalty.l1:
        scales.append(penalty.l1 / top)  # (9)
    kl: Floats = np.zeros(1)
    if t > 0 or scales != [1.0]:  # otherwise q = p
        sums = partial(
            divergences, problem=problem, theta=theta, scales=tuple(scales), t=t, tu=tu
        )
        kl = data.reduce(sums).kl / problem.n
    gaps = (
        float(kl_s) + penalty.young(W, s * V)
        for s, kl_s in zip(scales, kl, strict=True)
    )
    return min(*gaps, f)


def constant_gradient(data: Data, problem: LinearProblem) -> Floats:
    """Return the gradient at the constant model, minus the sums of x~ by class over N.

    It is what the constant law u of (8) adds to V: sum_i o_i x~_i = 0, so that any
    constant law gives the same.
    """
    theta = problem.constant_model()
    return problem.smooth(data.reduce(partial(problem.sums, theta=theta)), theta)[1]


def mixture(share: Floats, slope: Floats) -> tuple[float, Floats]:
    """Return t and t u of (8), from n_k / N and the intercepts' gradient."""
    excess = np.array([-slope[0], slope[0]]) if len(slope) == 1 else slope
    given = share + excess  # s_k / N
    ratio = np.divide(share, given, out=np.ones_like(share), where=given > 0)
    keep = float(min(1.0, ratio.min()))
    tu = np.maximum(share - keep * given, 0.0)
    return float(tu.sum()), tu


def divergences(
    chunk: Chunk,
    problem: LinearProblem,
    theta: Floats,
    scales: tuple[float, ...],
    t: float,
    tu: Floats,
) -> Divergences:
    """Sum o KL(q' || p) over a chunk, for each s of (9)."""
    log_p = log_softmax(scores(chunk.X, *problem.model(theta)))
    w = weighted(chunk, problem.loss.weights)
    mixed = (1 - t) * np.exp(log_p) + tu  # (8)
    kl = np.empty(len(scales))
    for i, s in enumerate(scales):
        q = s * mixed
        q[np.arange(chunk.n), chunk.y] += 1 - s  # (9)
        each = np.maximum((xlogy(q, q) - q * log_p).sum(axis=1), 0.0)
        kl[i] = each.sum() if w is None else each @ w
    return Divergences(kl)
