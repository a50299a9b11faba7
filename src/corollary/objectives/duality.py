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

Notation: o = sample weights; N = their sum, or the visits of a stochastic fit.
Course: S2-17. References: Rockafellar (1970), 31; Boyd and Vandenberghe (2004), 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, sentence
from corollary.engine.statistics import Statistics
from corollary.objectives.loss import Loss
from corollary.objectives.penalties import Penalty

__all__ = ["DualSums", "DualityGap", "dual_sums", "duality_gap", "gap_of_sums"]

WIDTHS = (0.0, 1e-3, 1e-2, 0.1, 0.5, 1.0)  # of corners; 0 is the slope itself


@dataclass(frozen=True)
class DualSums(Statistics):
    """What a chunk contributes to P and to k choices of v, for v > 0 and v < 0."""

    loss: float
    v: Floats  # (k, 2) sums of o v
    conjugate: Floats  # (k, 2) sums of o L*(y, v)
    vx: Floats  # (k, 2, d) sums of o v x


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
    loss: Loss, X: Matrix, y: Vector, f: Vector, weights: Vector | None = None
) -> DualSums:
    """Return the sums of rows with scores f."""
    y, f = np.asarray(y, float), np.asarray(f, float)
    o = np.ones(len(y)) if weights is None else np.asarray(weights, float)
    u = y * f if loss.margin else f - y
    cornered = not np.isfinite(loss.lipschitz) and np.isfinite(loss.slope(u)).all()
    choices = [loss.slope(u)]
    if cornered:
        choices += [loss.smoothed(u, width) for width in WIDTHS[1:]]
    V = np.array([y * v if loss.margin else v for v in choices])  # (k, n)
    parts = [o * np.where(V > 0, V, 0.0), o * np.where(V < 0, V, 0.0)]
    conjugates = o * np.array([loss.conjugate(y, v) for v in V])
    return DualSums(
        float(o @ loss.at(u)),
        np.stack([part.sum(axis=1) for part in parts], axis=1),
        np.stack([(conjugates * (part != 0)).sum(axis=1) for part in parts], axis=1),
        np.stack([np.asarray((X.T @ part.T).T, float) for part in parts], axis=1),
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
    scale = np.ones(2)
    if intercept:
        balance = min(v[0], -v[1])
        scale = np.divide(balance, np.abs(v), out=np.zeros(2), where=v != 0)
    s = scale @ vx / total  # (3)
    cost = float(scale @ conjugate) / total
    if penalty.l2 > 0:
        c = _best_scale(s, cost, penalty)
        over = np.maximum(c * np.abs(s) - penalty.l1, 0.0)
        return -c * cost - float(over @ over) / (2 * penalty.l2)
    top = float(np.abs(s).max(initial=0.0))
    c = 1.0 if top <= penalty.l1 else penalty.l1 / top
    return -c * cost


def _best_scale(s: Floats, cost: float, penalty: Penalty) -> float:
    """Return c in [0, 1] that maximises the bound without l1, else 1."""
    if penalty.l1 > 0 or not s.any():
        return 1.0
    return float(np.clip(-cost * penalty.l2 / (s @ s), 0.0, 1.0))


def duality_gap(
    loss: Loss,
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
    loss : Loss
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
