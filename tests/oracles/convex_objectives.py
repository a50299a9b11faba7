"""Objectives of fitted models from their public attributes, and their minima.

Plain NumPy, written from the books: nothing here calls the library but to read
parameters and learned arrays.  `Fitted.value` is the objective at what a model
publishes, `Fitted.least` a value that some point attains: no more than rounding below
the objective's minimum lies under it.
"""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
from oracles import convex_programs as programs
from scipy import optimize
from sklearn.metrics.pairwise import pairwise_kernels

Floats = Any


def dense(a: Any) -> Floats:
    """Return an array of float64."""
    return np.asarray(a.toarray() if hasattr(a, "toarray") else a, dtype=float)


def hinge(f: Floats, y: Floats, power: int = 1) -> Floats:
    """Return max(0, 1 - y f)^power."""
    return np.maximum(0.0, 1 - y * f) ** power


def tube(f: Floats, y: Floats, epsilon: float, power: int = 1) -> Floats:
    """Return max(0, |y - f| - epsilon)^power."""
    return np.maximum(0.0, np.abs(y - f) - epsilon) ** power


def pinball(f: Floats, y: Floats, q: float) -> Floats:
    """Return q r for r = y - f >= 0, (q - 1) r for r < 0."""
    return np.maximum(q * (y - f), (q - 1) * (y - f))


# -- kernel machines -------------------------------------------------------------------
def gram(model: Any, X: Any) -> Floats:
    """Return the kernel matrix."""
    X, kernel = dense(X), model.kernel
    if kernel == "precomputed":
        return X
    more = {} if kernel == "linear" else {"gamma": model.gamma_}
    if kernel == "poly":
        more |= {"degree": model.degree, "coef0": model.coef0}
    return pairwise_kernels(X, metric=kernel, **more)


def slack_of(name: str, model: Any, y: Floats) -> tuple[list[Any], int]:
    """Return the pairs (sign, constant) of a loss max(0, c - sign g)^power, and it."""
    if name in ("SVC", "SquaredHingeSVC"):
        return [(y, np.ones(len(y)))], 2 if name == "SquaredHingeSVC" else 1
    one = np.ones(len(y))
    if name == "KernelQuantileRegressor":
        q = model.quantile
        return [(q * one, q * y), ((q - 1) * one, (q - 1) * y)], 1
    e = model.epsilon
    return [(one, y - e), (-one, -y - e)], 2 if name == "SquaredEpsilonSVR" else 1


def machine(name: str, model: Any, K: Floats, y: Floats, price: Floats) -> Floats:
    """Minimise 1/2 ||h||^2 + sum_i price_i L(y_i, h_i + b), return (h, b)."""
    G = programs.features(K)
    F = np.column_stack([G, np.ones(len(K))])
    Q = np.diag(np.append(np.ones(G.shape[1]), 0.0))
    signs, power = slack_of(name, model, y)
    parts = [(sign[:, None] * F, c) for sign, c in signs]
    z = programs.with_slack(Q, np.zeros(len(Q)), parts, price, power)
    return 0.5 * float(z[:-1] @ z[:-1]), F @ z


def losses(name: str, model: Any, f: Floats, y: Floats) -> Floats:
    """Return the loss of each row."""
    signs, power = slack_of(name, model, y)
    worst = np.max([c - sign * f for sign, c in signs], axis=0)
    return np.maximum(0.0, worst) ** power


def kernel_regressor(model: Any, X: Any, y: Floats, w: Floats) -> tuple[float, float]:
    """Return objective and minimum of a machine for numbers."""
    name, K = type(model).__name__, gram(model, X)
    a = np.zeros(len(y))
    a[model.support_] = dense(model.dual_coef_).ravel()
    f = K @ a + float(np.ravel(model.intercept_)[0])
    price = min(model.C, 1e10) * w
    value = 0.5 * a @ K @ a + price @ losses(name, model, f, y)
    half, best = machine(name, model, K, y, price)
    return float(value), float(half + price @ losses(name, model, best, y))


def kernel_classifier(model: Any, X: Any, y: Any, w: Floats) -> tuple[float, float]:
    """Return objective and minimum, summed over the pairs of classes."""
    name, K = type(model).__name__, gram(model, X)
    D = np.zeros((len(model.classes_) - 1, len(y)))
    D[:, model.support_] = dense(model.dual_coef_)
    value = least = 0.0
    z = np.searchsorted(model.classes_, y)
    w = w * model.class_weight_[z]
    for p, (a, b) in enumerate(itertools.combinations(range(len(model.classes_)), 2)):
        rows = np.flatnonzero((z == a) | (z == b))
        s = np.where(z[rows] == (b if len(model.classes_) == 2 else a), 1.0, -1.0)
        beta = np.where(z[rows] == a, D[b - 1, rows], D[a, rows])
        k, price = K[np.ix_(rows, rows)], min(model.C, 1e10) * w[rows]
        f = k @ beta + float(model.intercept_[p])
        value += 0.5 * beta @ k @ beta + price @ losses(name, model, f, s)
        half, best = machine(name, model, k, s, price)
        least += half + price @ losses(name, model, best, s)
    return float(value), float(least)


def nu_classifier(model: Any, X: Any, y: Any, w: Floats) -> tuple[float, float]:
    """Return those of 1/2 ||w||^2 - nu W rho + sum w (rho - y g)_+, over rho^2.

    The machine is published divided by its margin rho = 1/C_.
    """
    K, s = gram(model, X), np.where(y == model.classes_[1], 1.0, -1.0)
    price, rho = w * model.class_weight_[(s > 0).astype(int)], 1 / model.C_
    a = np.zeros(len(s))
    a[model.support_] = rho * dense(model.dual_coef_).ravel()
    f = K @ a + rho * float(model.intercept_[0])
    mass = model.nu * price.sum()

    def value(half: float, f: Floats, rho: float) -> float:
        return half - mass * rho + float(price @ np.maximum(0.0, rho - s * f))

    G = programs.features(K)
    F = np.column_stack([s[:, None] * G, s, -np.ones(len(s))])
    Q = np.diag(np.append(np.ones(G.shape[1]), [0.0, 0.0]))
    q = np.append(np.zeros(len(Q) - 1), -mass)
    z = programs.with_slack(Q, q, [(F, np.zeros(len(s)))], price, 1)
    best = value(0.5 * z[:-2] @ z[:-2], G @ z[:-2] + z[-2], z[-1])
    return value(0.5 * a @ K @ a, f, rho) / rho**2, best / rho**2


def nu_regressor(model: Any, X: Any, y: Floats, w: Floats) -> tuple[float, float]:
    """Return those of 1/2 ||w||^2 + C sum w (nu epsilon + (|y - g| - epsilon)_+)."""
    K, price = gram(model, X), model.C * w
    a = np.zeros(len(y))
    a[model.support_] = dense(model.dual_coef_).ravel()
    f, mass = K @ a + float(model.intercept_[0]), model.nu * price.sum()

    def value(half: float, f: Floats, epsilon: float) -> float:
        return half + mass * epsilon + float(price @ tube(f, y, epsilon))

    G, one = programs.features(K), np.ones((len(y), 1))
    Q = np.diag(np.append(np.ones(G.shape[1]), [0.0, 0.0]))
    q = np.append(np.zeros(len(Q) - 1), mass)
    parts = [(np.hstack([G, one, one]), y), (np.hstack([-G, -one, one]), -y)]
    z = programs.with_slack(Q, q, parts, price, 1)
    best = value(0.5 * z[:-2] @ z[:-2], G @ z[:-2] + z[-2], max(z[-1], 0.0))
    return value(0.5 * a @ K @ a, f, model.epsilon_), best


def one_class(model: Any, X: Any, w: Floats) -> tuple[float, float]:
    """Return those of 1/2 ||w||^2 - nu W rho + sum w (rho - h)_+."""
    K, mass = gram(model, X), model.nu * w.sum()
    a = np.zeros(len(K))
    a[model.support_] = dense(model.dual_coef_).ravel()

    def value(half: float, h: Floats, rho: float) -> float:
        return half - mass * rho + float(w @ np.maximum(0.0, rho - h))

    G = programs.features(K)
    Q = np.diag(np.append(np.ones(G.shape[1]), 0.0))
    q = np.append(np.zeros(G.shape[1]), -mass)
    F = np.column_stack([G, -np.ones(len(K))])
    z = programs.with_slack(Q, q, [(F, np.zeros(len(K)))], w, 1)
    best = value(0.5 * z[:-1] @ z[:-1], G @ z[:-1], z[-1])
    return value(0.5 * a @ K @ a, K @ a, float(model.offset_[0])), best


def ball(model: Any, X: Any, w: Floats) -> tuple[float, float]:
    """Return those of R^2 + sum w (||phi - c||^2 - R^2)_+ / (nu W).

    With t = R^2 - ||c||^2 it is t + ||c||^2 + sum w (K_ii - 2 phi'c - t)_+ / (nu W).
    """
    K, price = gram(model, X), w / (model.nu * w.sum())
    a = np.zeros(len(K))
    a[model.support_] = dense(model.dual_coef_).ravel()
    own = np.diagonal(K)
    distance = own - 2 * K @ a + a @ K @ a
    R2 = -float(model.offset_[0])
    value = R2 + price @ np.maximum(0.0, distance - R2)
    G = programs.features(K)
    Q = np.diag(np.append(np.full(G.shape[1], 2.0), 0.0))
    q = np.append(np.zeros(G.shape[1]), 1.0)
    F = np.column_stack([2 * G, np.ones(len(K))])
    z = programs.with_slack(Q, q, [(F, own)], price, 1)
    over = np.maximum(0.0, own - F @ z)
    return float(value), float(z[-1] + z[:-1] @ z[:-1] + price @ over)


# -- linear models ---------------------------------------------------------------------
def linear_machine(
    F: Floats, x: Floats, y: Floats, price: Floats, name: str, *, l1: bool, eps: float
) -> tuple[float, float]:
    """Return those of ||x||^2/2 or ||x||_1 and a loss of rows F, at x."""
    power = 2 if name.startswith("squared") else 1
    if eps < 0:
        parts = [(y[:, None] * F, np.ones(len(y)))]
    else:
        parts = [(F, y - eps), (-F, -y - eps)]

    def value(x: Floats) -> float:
        f = F @ x
        each = hinge(f, y, power) if eps < 0 else tube(f, y, eps, power)
        norm = np.abs(x).sum() if l1 else 0.5 * x @ x
        return float(norm + price @ each)

    v = F.shape[1]
    if not l1:
        best = programs.with_slack(np.eye(v), np.zeros(v), parts, price, power)
        return value(x), value(best)
    parts = [(np.hstack([A, -A]), c) for A, c in parts]  # x = x+ - x-
    heavy = price > 0
    signs = [(np.pad(np.diag(-np.ones(2 * v)), ((0, 0), (0, 0))), np.zeros(2 * v))]
    Q = np.zeros((2 * v, 2 * v))
    m = int(heavy.sum())
    cost = price[heavy]
    Q = np.pad(Q, (0, m))
    q = np.concatenate([np.ones(2 * v), cost if power == 1 else np.zeros(m)])
    if power == 2:
        Q[2 * v :, 2 * v :] = np.diag(2 * cost)
    A = [np.hstack([signs[0][0], np.zeros((2 * v, m))])]
    A.append(np.hstack([np.zeros((m, 2 * v)), -np.eye(m)]))
    h = [np.zeros(2 * v), np.zeros(m)]
    for P, c in parts:
        A.append(np.hstack([-P[heavy], -np.eye(m)]))
        h.append(-c[heavy])
    z = programs.solve(Q, q, np.vstack(A), np.concatenate(h))[: 2 * v]
    return value(x), value(z[:v] - z[v:])


def with_constant(X: Any, model: Any) -> Floats:
    """Return the rows with the constant feature that stands for the intercept."""
    B = float(model.intercept_scaling)
    X = dense(X)
    return np.column_stack([X, np.full(len(X), B)]) if model.fit_intercept else X


def weights_of(model: Any, k: int) -> Floats:
    """Return the weights of machine k, that of the constant feature too."""
    w = np.atleast_2d(dense(model.coef_))[k]
    b = float(np.ravel(model.intercept_)[k]) if model.fit_intercept else 0.0
    return np.append(w, b / model.intercept_scaling) if model.fit_intercept else w


def least_squares(
    model: Any, X: Any, y: Floats, w: Floats, l1: float, l2: float, *, positive: bool
) -> tuple[float, float]:
    """Return those of ||y - X b - b0||_w^2 / (2 W) + l1 ||b||_1 + l2/2 ||b||^2."""
    X, share = dense(X), w / w.sum()
    F = np.column_stack([X, np.full(len(y), float(bool(model.fit_intercept)))])

    def value(z: Floats) -> float:
        r = y - F @ z
        b = z[:-1]
        return float(0.5 * share @ r**2 + l1 * np.abs(b).sum() + 0.5 * l2 * b @ b)

    ridge = np.append(np.full(X.shape[1], l2), 0.0 if model.fit_intercept else 1.0)
    Q = F.T @ (F * share[:, None]) + np.diag(ridge)
    strength = np.append(np.full(X.shape[1], l1), 0.0)
    strength[:-1] += 1e-300  # which of them are weights
    z = programs.with_l1(Q, -F.T @ (share * y), strength, positive=positive)
    here = np.append(dense(model.coef_), float(np.ravel(model.intercept_)[0]))
    return value(here), value(z)


def huber(model: Any, X: Any, y: Floats, w: Floats) -> tuple[float, float]:
    """Return those of sum w [s + s H((x'b + b0 - y)/s)] + alpha ||b||^2."""
    F = np.column_stack([dense(X), np.full(len(y), float(bool(model.fit_intercept)))])
    e = model.epsilon

    def value(z: Floats) -> float:
        scale, size = np.exp(z[-1]), (F @ z[:-1] - y) / np.exp(z[-1])
        H = np.where(np.abs(size) <= e, size**2, 2 * e * np.abs(size) - e * e)
        return float(w @ (scale + scale * H) + model.alpha * z[:-2] @ z[:-2])

    offset, spread = float(np.ravel(model.intercept_)[0]), np.log(model.scale_)
    here = np.concatenate([np.ravel(model.coef_), [offset, spread]]).astype(float)
    found = optimize.minimize(value, here, method="BFGS", options={"gtol": 1e-9})
    return value(here), min(value(here), float(found.fun))


def multi_task(
    model: Any, X: Any, Y: Floats, w: Floats, l1: float, l2: float
) -> tuple[float, float]:
    """Return those of ||Y - X B' - b0||_w^2 / (2 W) + l1 sum_j ||b_j|| + l2/2 ||B||^2.

    The minimum is that of accelerated proximal steps, on centred columns.
    """
    X, share = dense(X), w / w.sum()
    free = float(bool(model.fit_intercept))
    Z, T = X - free * (share @ X), Y - free * (share @ Y)

    def value(B: Floats, R: Floats) -> float:
        lengths = np.linalg.norm(B, axis=1)
        loss = 0.5 * share @ (R**2).sum(axis=1)
        return float(loss + l1 * lengths.sum() + 0.5 * l2 * (B**2).sum())

    G, C = Z.T @ (share[:, None] * Z), Z.T @ (share[:, None] * T)
    step = 1 / (np.linalg.norm(G, 2) + l2 + 1e-300)
    B = V = np.zeros_like(C)
    t, best = 1.0, np.inf
    for _ in range(4000):
        D = V - step * (G @ V - C + l2 * V)
        length = np.linalg.norm(D, axis=1, keepdims=True)
        new = D * np.maximum(1 - step * l1 / np.maximum(length, 1e-300), 0)
        after = (1 + np.sqrt(1 + 4 * t * t)) / 2
        if np.sum((V - new) * (new - B)) > 0:  # restart
            after = 1.0
        V = new + (t - 1) / after * (new - B)
        B, t = new, after
        best = min(best, value(B, T - Z @ B))
    coef = dense(model.coef_)
    return value(coef.T, Y - X @ coef.T - np.ravel(model.intercept_)), best


def logistic(
    model: Any, X: Any, s: Floats, w: Floats, l1: float, l2: float
) -> tuple[float, float]:
    """Return those of sum w log(1 + e^-s f) / W + l1 ||b||_1 + l2/2 ||b||^2."""
    X, share = dense(X), w / w.sum()
    free = float(bool(model.fit_intercept))
    F = s[:, None] * np.column_stack([X, np.full(len(s), free)])

    def value(z: Floats) -> float:
        b = z[:-1]
        loss = share @ np.logaddexp(0.0, -F @ z)
        return float(loss + l1 * np.abs(b).sum() + 0.5 * l2 * b @ b)

    one = np.append(np.ones(X.shape[1]), 0.0)
    ridge = l2 * one + (1 - free) * (1 - one)
    z = programs.logistic(F[share > 0], share[share > 0], ridge, l1 * one)
    here = np.append(dense(model.coef_).ravel(), float(np.ravel(model.intercept_)[0]))
    return value(here), value(z)


def stochastic(model: Any, X: Any, s: Floats, w: Floats) -> tuple[float, float]:
    """Return those of sum w L / W + alpha/2 ||b||^2 with the hinge or logistic loss."""
    if model.loss == "log_loss":
        return logistic(model, X, s, w, 0.0, model.alpha)
    X, share = dense(X), w / w.sum()
    F = np.column_stack([X, np.ones(len(s))])
    Q = model.alpha * np.diag(np.append(np.ones(X.shape[1]), 0.0))

    def value(z: Floats) -> float:
        return float(0.5 * z @ Q @ z + share @ hinge(F @ z, s))

    parts = [(s[:, None] * F, np.ones(len(s)))]
    z = programs.with_slack(Q, np.zeros(len(Q)), parts, share, 1)
    return value(np.append(dense(model.coef_)[0], model.intercept_[0])), value(z)


def quantile(
    model: Any, X: Any, y: Floats, w: Floats, q: float, alpha: float, times: float
) -> tuple[float, float]:
    """Return those of times sum w pinball / W + alpha ||b||_1."""
    X, share = dense(X), times * w / w.sum()
    d = X.shape[1]
    F = np.column_stack([X, np.ones(len(y))])

    def value(z: Floats) -> float:
        return float(share @ pinball(F @ z, y, q) + alpha * np.abs(z[:-1]).sum())

    rows = np.vstack([F, np.eye(d + 1)[:d]])  # |b| is a pinball loss of 1/2, twice
    goal, at = np.append(y, np.zeros(d)), np.append(np.full(len(y), q), np.full(d, 0.5))
    price = np.append(share, np.full(d, 2 * alpha))
    parts = [(k[:, None] * rows, k * goal) for k in (at, at - 1)]
    z = programs.with_slack(np.zeros((d + 1, d + 1)), np.zeros(d + 1), parts, price, 1)
    return value(np.append(dense(model.coef_), float(model.intercept_))), value(z)


def contest(model: Any, X: Any, y: Any, w: Floats) -> tuple[float, float]:
    """Return those of 1/2 ||W||^2 + C sum w max_k (1 - f_y + f_k)_+."""
    F, K = with_constant(X, model), len(model.classes_)
    z, price = np.searchsorted(model.classes_, y), model.C * w
    E = np.eye(K)
    others = [E[z] - E[(z + r) % K] for r in range(1, K)]
    parts = [
        (np.einsum("nk,nd->nkd", e, F).reshape(len(F), -1), np.ones(len(F)))
        for e in others
    ]
    v = K * F.shape[1]

    def value(x: Floats) -> float:
        worst = np.max([c - A @ x for A, c in parts], axis=0)
        return float(0.5 * x @ x + price @ np.maximum(0.0, worst))

    best = programs.with_slack(np.eye(v), np.zeros(v), parts, price, 1)
    here = np.concatenate([weights_of(model, k) for k in range(K)])
    return value(here), value(best)


def hard_margin(model: Any, X: Any, y: Any) -> tuple[float, float]:
    """Return those of 1/2 ||w||^2 where no margin is below 1, scaled until it is so."""
    K, s = gram(model, X), np.where(y == model.classes_[1], 1.0, -1.0)
    a = np.zeros(len(s))
    a[model.support_] = dense(model.dual_coef_).ravel()
    least = float((s * (K @ a + float(model.intercept_[0]))).min())
    G = programs.features(K)
    F = s[:, None] * np.column_stack([G, np.ones(len(s))])
    Q = np.diag(np.append(np.ones(G.shape[1]), 0.0))
    z = programs.solve(Q, np.zeros(len(Q)), -F, -np.ones(len(s)))
    best = 0.5 * float(z[:-1] @ z[:-1]) / min(1.0, float((F @ z).min())) ** 2
    return 0.5 * float(a @ K @ a) / min(1.0, least) ** 2, best


def kernel_logistic(model: Any, X: Any, s: Floats, w: Floats) -> tuple[float, float]:
    """Return those of lam/2 ||h||^2 + sum w log(1 + e^(-s (h + b)))."""
    K, a = gram(model, X), np.zeros(len(s))
    a[w > 0] = dense(model.dual_coef_)[0]
    f = K @ a + float(model.intercept_[0])
    value = 0.5 * model.lam * a @ K @ a + w @ np.logaddexp(0.0, -s * f)
    G = programs.features(K)
    Z = s[:, None] * np.column_stack([G, np.ones(len(s))])
    ridge = np.append(np.full(G.shape[1], model.lam), 0.0)
    z = programs.logistic(Z[w > 0], w[w > 0], ridge)
    least = 0.5 * z @ (ridge * z) + w @ np.logaddexp(0.0, -Z @ z)
    return float(value), float(least)
