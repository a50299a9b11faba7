"""Minima of smooth convex objectives by SciPy, which knows nothing of the library.

A loss is a function of scores (n, K) that returns values (n,), slopes (n, K) and
curvatures (n, K, K); rows are tensors (n, K, m), so that the scores are T @ x.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import logsumexp, xlogy

Floats = Any
Loss = Callable[[Floats], tuple[Floats, Floats, Floats]]


def value_and_minimum(
    loss: Loss, T: Floats, share: Floats, ridge: Floats, x: Floats
) -> tuple[float, float]:
    """Return sum share L(T x) + sum ridge x^2 / 2 at x, and its least value."""

    def parts(z: Floats) -> tuple[float, Floats, Floats]:
        with np.errstate(all="ignore"):
            L, g, h = loss(T @ z)
        value = float(share @ L + 0.5 * ridge @ z**2)
        if not np.isfinite(value):
            return np.inf, np.zeros(len(z)), np.eye(len(z))
        slope = np.einsum("n,nk,nkm->m", share, g, T) + ridge * z
        bend = np.einsum("n,nkl,nkm,nlj->mj", share, h, T, T) + np.diag(ridge)
        return value, slope, bend

    best = np.inf
    for start in (x, np.zeros(len(x))):
        if not np.isfinite(parts(start)[0]):
            continue
        found = minimize(
            lambda z: parts(z)[0],
            start,
            jac=lambda z: parts(z)[1],
            hess=lambda z: parts(z)[2],
            method="trust-exact",
            options={"gtol": 1e-12, "maxiter": 500},
        )
        end = found.x
        for _ in range(3):  # Newton's own steps, where rounding hides the fall
            _, g, H = parts(end)
            step = end - np.linalg.lstsq(H, g, rcond=None)[0]
            end = step if parts(step)[0] <= parts(end)[0] else end
        best = min(best, parts(end)[0])
    return parts(x)[0], best


def tweedie(y: Floats, p: float, offset: Any = 0.0) -> Loss:
    """Return half the deviance of variance mu^p under the log link, from the book."""

    def loss(F: Floats) -> tuple[Floats, Floats, Floats]:
        eta = F[:, 0] + offset
        mu = np.exp(eta)
        if p == 1:
            L = xlogy(y, y) - y * eta - y + mu
        elif p == 2:
            L = y / mu - 1 - np.log(y) + eta
        else:
            L = y ** (2 - p) / ((1 - p) * (2 - p))
            L = L - y * mu ** (1 - p) / (1 - p) + mu ** (2 - p) / (2 - p)
        h = (2 - p) * mu ** (2 - p) + (p - 1) * y * mu ** (1 - p)
        return L, ((mu - y) * mu ** (1 - p))[:, None], h[:, None, None]

    return loss


def shares(y: Floats, mean: Callable[[Floats], tuple[Floats, Floats, Floats]]) -> Loss:
    """Return minus the log-likelihood of shares; `mean` has mu and its derivatives."""

    def loss(F: Floats) -> tuple[Floats, Floats, Floats]:
        mu, first, second = mean(F[:, 0])
        L = xlogy(y, y) + xlogy(1 - y, 1 - y) - xlogy(y, mu) - xlogy(1 - y, 1 - mu)
        at_mu = (mu - y) / (mu * (1 - mu))
        bend = y / mu**2 + (1 - y) / (1 - mu) ** 2
        h = bend * first**2 + at_mu * second
        return L, (at_mu * first)[:, None], h[:, None, None]

    return loss


def softmax(codes: Floats) -> Loss:
    """Return log sum_k e^f_k - f_y."""
    rows = np.arange(len(codes))

    def loss(F: Floats) -> tuple[Floats, Floats, Floats]:
        total = logsumexp(F, axis=1)
        P = np.exp(F - total[:, None])
        G = P.copy()
        G[rows, codes] -= 1
        H = np.einsum("nk,kl->nkl", P, np.eye(P.shape[1])) - P[:, :, None] * P[:, None]
        return total - F[rows, codes], G, H

    return loss


def outputs(X: Floats, K: int, intercept: bool) -> Floats:
    """Return the tensor of K scores of the same features, x = (W, b) row by row."""
    F = np.column_stack([X, np.full(len(X), float(intercept))])
    T = np.zeros((len(X), K, K, F.shape[1]))
    for k in range(K):
        T[:, k, k] = F
    return T.reshape(len(X), K, -1)
