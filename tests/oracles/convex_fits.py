"""More objectives of fitted models and their minima: softmax, Huber, two means."""

from __future__ import annotations

import itertools
from typing import Any

import clarabel
import numpy as np
from oracles import convex_programs as programs
from oracles.convex_objectives import dense, gram
from scipy.special import logsumexp

from corollary.kernel_methods.target_expansions import loss_of

Floats = Any


def softmax(
    model: Any, X: Any, y: Any, w: Floats, l1: float, l2: float
) -> tuple[float, float]:
    """Return those of sum w (log sum_k e^f_k - f_y) / W + l1 |B|_1 + l2/2 ||B||^2."""
    X, share, K = dense(X), w / w.sum(), len(model.classes_)
    keep = share > 0
    X, share, z = X[keep], share[keep], np.searchsorted(model.classes_, y[keep])
    free = float(bool(model.fit_intercept))
    F = np.column_stack([X, np.full(len(X), free)])

    def value(B: Floats) -> float:
        f, W = F @ B.T, B[:, :-1]
        loss = share @ (logsumexp(f, axis=1) - f[np.arange(len(f)), z])
        return float(loss + l1 * np.abs(W).sum() + 0.5 * l2 * (W**2).sum())

    here = np.column_stack([dense(model.coef_), np.ravel(model.intercept_)])
    best = softmax_minimum(F, z, K, share, l1, l2, free)
    return value(here), value(best)


def softmax_minimum(
    F: Floats, z: Floats, K: int, share: Floats, l1: float, l2: float, free: float
) -> Floats:
    """Minimise it: t_n >= log sum_k e^(f_k - f_y) if sum_k a_nk <= 1, a_nk >= e^.."""
    n, p = F.shape
    v = K * p
    size = 2 * v + n + n * K  # B, |B|, t, a
    B, s, t, a = np.split(np.eye(size), np.cumsum([v, v, n]))
    weight = np.tile(np.append(np.ones(p - 1), 0.0), K)
    ridge = l2 * weight + (1 - free) * (1 - weight)
    Q = np.diag(np.concatenate([ridge, np.zeros(size - v)]))
    q = np.concatenate([np.zeros(v), l1 * weight, share, np.zeros(n * K)])
    a = a.reshape(n, K, size)
    E = np.eye(K)
    lead = E[None, :, :] - E[z][:, None, :]  # (n, K, K): f_k - f_y
    scores = np.einsum("nkc,np->nkcp", lead, F).reshape(n, K, v) @ B
    linear = np.vstack([B - s, -B - s, a.sum(axis=1)])
    rights = np.concatenate([np.zeros(2 * v), np.ones(n)])
    cone = np.stack([t[:, None, :] - scores, 0 * a, -a], axis=2)
    A = np.vstack([linear, cone.reshape(-1, size)])
    h = np.concatenate([rights, np.tile([0.0, 1.0, 0.0], n * K)])
    cones = [clarabel.NonnegativeConeT(len(rights))]
    cones += [clarabel.ExponentialConeT()] * (n * K)
    return programs.solve(Q, q, A, h, cones)[:v].reshape(K, p)


def huber(r: Floats, delta: float) -> Floats:
    """Return r^2/2 up to delta, then delta |r| - delta^2/2."""
    far = np.abs(r) > delta
    return np.where(far, delta * np.abs(r) - delta**2 / 2, r**2 / 2)


def kernel_huber(model: Any, X: Any, y: Floats, w: Floats) -> tuple[float, float]:
    """Return those of lam/2 ||h||^2 + sum w huber(y - h - b).

    The loss is the least (r - u)^2/2 + delta |u| over u.
    """
    K, a, delta = gram(model, X), np.zeros(len(y)), float(loss_of(model).delta)
    a[w > 0] = dense(model.dual_coef_)[0]
    f = K @ a + float(model.intercept_[0])
    value = 0.5 * model.lam * a @ K @ a + w @ huber(y - f, delta)
    G = programs.features(K)
    heavy = w > 0
    F = np.column_stack([G, np.ones(len(y))])[heavy]
    A, price = np.hstack([F, np.eye(len(F))]), w[heavy]
    ridge = np.zeros(A.shape[1])
    ridge[: G.shape[1]] = model.lam
    Q = A.T @ (A * price[:, None]) + np.diag(ridge)
    strength = np.append(np.zeros(F.shape[1]), delta * price)
    z = programs.with_l1(Q, -A.T @ (price * y[heavy]), strength)[: F.shape[1]]
    least = 0.5 * z @ (ridge[: len(z)] * z) + price @ huber(y[heavy] - F @ z, delta)
    return float(value), float(least)


def two_means(model: Any, X: Any, w: Floats) -> tuple[float, float]:
    """Return the inertia and the least one of all ways to part the rows in two."""
    X = dense(X)
    gaps = ((X[:, None, :] - dense(model.cluster_centers_)[None]) ** 2).sum(axis=2)
    value = float(w @ gaps.min(axis=1))
    best = np.inf
    for sides in itertools.product([False, True], repeat=len(X) - 1):
        side, total = np.array([*sides, False]), 0.0
        for of in (side, ~side):
            if of.any():
                mean = np.average(X[of], axis=0, weights=w[of])
                total += float(w[of] @ ((X[of] - mean) ** 2).sum(axis=1))
        best = min(best, total)
    return value, best
