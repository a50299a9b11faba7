"""Minima of convex programmes by an interior-point method that is not ours (Clarabel).

    min  1/2 z'Q z + q'z   with  A z <= h                                            (1)

Losses of scores f = F z are corners or squares of such programmes, and log(1 + e^-u)
an exponential cone.  A kernel matrix K = G G' turns a kernel machine into a linear one
on the rows of G.
"""

from __future__ import annotations

from typing import Any

import clarabel
import numpy as np
import scipy.sparse as sp

Floats = Any


def settings() -> Any:
    """Ask for as many digits as double precision has."""
    asked = clarabel.DefaultSettings()
    asked.verbose = False
    asked.tol_gap_abs = asked.tol_gap_rel = asked.tol_feas = 1e-13
    asked.max_iter = 200
    return asked


def solve(Q: Floats, q: Floats, A: Floats, h: Floats, cones: Any = None) -> Floats:
    """Return z of (1), or with other cones for A z + s = h."""
    kinds = [clarabel.NonnegativeConeT(len(h))] if cones is None else cones
    found = clarabel.DefaultSolver(
        sp.csc_matrix(np.triu(Q)), q, sp.csc_matrix(A), h, kinds, settings()
    ).solve()
    return np.array(found.x)


def features(K: Floats) -> Floats:
    """Return G with K = G G'."""
    values, vectors = np.linalg.eigh(K)
    keep = values > 1e-13 * values[-1]
    return vectors[:, keep] * np.sqrt(values[keep])


def with_slack(
    Q: Floats, q: Floats, parts: list[tuple[Floats, Floats]], price: Floats, power: int
) -> Floats:
    """Minimise 1/2 z'Q z + q'z + sum_i price_i max(0, c_i - F_i z, ...)^power over z.

    `parts` are pairs (F, c), each with a row for every price.
    """
    v, n = len(q), len(price)
    heavy = price > 0
    cost = price[heavy]
    m = len(cost)
    Q = np.pad(Q, (0, m))
    linear = np.concatenate([q, cost if power == 1 else np.zeros(m)])
    if power == 2:
        Q[v:, v:] = np.diag(2 * cost)
    rows, rights = [np.hstack([np.zeros((m, v)), -np.eye(m)])], [np.zeros(m)]
    for F, c in parts:
        assert F.shape == (n, v)
        rows.append(np.hstack([-F[heavy], -np.eye(m)]))
        rights.append(-c[heavy])
    return solve(Q, linear, np.vstack(rows), np.concatenate(rights))[:v]


def with_l1(
    Q: Floats, q: Floats, strength: Floats, *, positive: bool = False
) -> Floats:
    """Minimise 1/2 z'Q z + q'z + sum_j strength_j |z_j| over z."""
    v = len(q)
    Q = np.pad(Q, (0, v))
    linear = np.concatenate([q, strength])
    eye = np.eye(v)
    A = np.block([[eye, -eye], [-eye, -eye]])
    h = np.zeros(2 * v)
    if positive:
        some = np.flatnonzero(strength > 0)
        A = np.vstack([A, np.hstack([-eye[some], 0 * eye[some]])])
        h = np.zeros(len(A))
    return solve(Q, linear, A, h)[:v]


def logistic(Z: Floats, price: Floats, l2: Floats, l1: Floats | None = None) -> Floats:
    """Minimise sum_i price_i log(1 + e^(-Z_i z)) + sum_j l2_j z_j^2/2 + l1_j |z_j|.

    log(1 + e^-u) <= t if and only if a + c <= 1 with e^-t <= a and e^(-u - t) <= c.
    """
    n, v = Z.shape
    l1 = np.zeros(v) if l1 is None else l1
    size = 2 * v + 3 * n  # z, |z|, t, a, c
    z, s, t, a, c = np.split(np.eye(size), np.cumsum([v, v, n, n]))
    Q = np.diag(np.concatenate([l2, np.zeros(size - v)]))
    q = np.concatenate([np.zeros(v), l1, price, np.zeros(2 * n)])
    linear = np.vstack([z - s, -z - s, a + c])
    rights = np.concatenate([np.zeros(2 * v), np.ones(n)])
    exponent = np.stack(
        [np.stack([t, 0 * t, -a], 1), np.stack([Z @ z + t, 0 * t, -c], 1)]
    )
    offset = np.tile([0.0, 1.0, 0.0], 2 * n)
    A = np.vstack([linear, exponent.reshape(-1, size)])
    cones = [clarabel.NonnegativeConeT(len(rights))]
    cones += [clarabel.ExponentialConeT()] * (2 * n)
    return solve(Q, q, A, np.concatenate([rights, offset]), cones)[:v]
