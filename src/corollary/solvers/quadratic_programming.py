"""Convex quadratic programmes, solved to a gap or proved infeasible.

Also known as: QP, QLP solver, primal-dual interior-point method, Mehrotra's method.

    min  1/2 x'P x + q'x    subject to  A x = b,  G x <= h                           (1)

P symmetric with eigenvalues >= 0.  With slacks s = h - G x >= 0 and multipliers y, z >=
0 the optimality conditions are

    P x + q + A'y + G'z = 0,    A x = b,    G x + s = h,    s_i z_i = 0              (2)

Every step solves (2), linearised, with s_i z_i = sigma mu in place of 0: first sigma =
0, to see how far that leads, then sigma = (mu_reached/mu)^3 with its second-order
correction.  s and z stay positive.  Each such system has the matrix

    [ P    A'   G'         ]
    [ A    0    0          ]                                                         (3)
    [ G    0   -diag(s/z)  ]

factored with a shift of its diagonal so small that two corrections undo it.  (Solved
for x and y alone it would hold G' diag(z/s) G, whose size drowns P near the answer.)

Once x and (y, z) are feasible the duality gap is

    primal - dual = s'z,     dual = -1/2 x'P x - b'y - h'z                           (4)

If no x is feasible, there are multipliers that prove it (Farkas):

    A'y + G'z = 0,  z >= 0,  b'y + h'z < 0                                           (5)

(any feasible x would give 0 = y'(Ax) + z'(Gx) <= b'y + h'z).  If (1) falls for ever,
there is a direction that proves it: P d = 0, A d = 0, G d <= 0, q'd < 0         (6)
(5) and (6) are found by a linear programme when the steps lead nowhere.

Small and dense: every step costs (n + rows of A and G)^3.  No summation form.

Course: S0-27. References: Mehrotra (1992); Boyd and Vandenberghe (2004), ch. 11.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import lstsq, lu_factor, lu_solve
from scipy.optimize import linprog

from corollary.core.arrays import Floats
from corollary.core.checks import check_finite_values
from corollary.core.errors import DataError, sentence

__all__ = ["QuadraticProgramme", "solve_qp"]

STEPS = 100
BACK = 0.99  # of the way to the border of s, z >= 0
CLOSE = 1e-7  # relative residual and gap that rounding may leave
CERTAIN = 1e-9  # of a certificate, relative
TINY = 1e-12  # shift of the diagonal of (3), relative
REFINED = 3  # solves of (3), the first included


@dataclass(frozen=True)
class QuadraticProgramme:
    """The answer to (1).

    Attributes
    ----------
    status : {'optimal', 'infeasible', 'unbounded', 'inaccurate'}
    x : array of shape (n,)
        The minimiser; the direction (6) where unbounded.
    equality, inequality : arrays
        The multipliers y and z; those of (5) where infeasible.
    value, dual_value : float
        Both sides of (4).
    gap : float
        s'z with what the residuals add.
    residual : float
        The largest violation of the linear equations of (2).
    steps : int
    """

    status: str
    x: Floats
    equality: Floats
    inequality: Floats
    value: float
    dual_value: float
    gap: float
    residual: float
    steps: int

    def __str__(self) -> str:
        words = {
            "optimal": f"optimal: value {self.value:.6g}, gap {self.gap:.2g}",
            "infeasible": "infeasible: the multipliers prove it",
            "unbounded": "unbounded: the direction x proves it",
            "inaccurate": f"stopped: gap {self.gap:.2g}, residual {self.residual:.2g}",
        }
        return words[self.status]


def solve_qp(
    P: Any,
    q: Any,
    A: Any = None,
    b: Any = None,
    G: Any = None,
    h: Any = None,
    *,
    tol: float = 1e-10,
) -> QuadraticProgramme:
    """Minimise 1/2 x'P x + q'x subject to A x = b, G x <= h.

    Parameters
    ----------
    P : array of shape (n, n)
        Symmetric, eigenvalues >= 0.
    q : array of shape (n,)
    A, b : arrays of shapes (p, n) and (p,), optional
    G, h : arrays of shapes (m, n) and (m,), optional
    tol : float
        Largest residual and gap, relative to the size of the data.

    Returns
    -------
    QuadraticProgramme

    Examples
    --------
    The point of the line x1 + x2 = 1 nearest to the origin with x1 >= 0.8:

    >>> from corollary.solvers.quadratic_programming import solve_qp
    >>> found = solve_qp([[1.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [[1.0, 1.0]], [1.0],
    ...                  [[-1.0, 0.0]], [-0.8])
    >>> found.status, found.x.round(6).tolist(), round(found.inequality[0], 6)
    ('optimal', [0.8, 0.2], np.float64(0.6))
    """
    P, q, A, b, G, h = checked(P, q, A, b, G, h)
    if not len(h):
        found = equality_only(P, q, A, b, h)
    else:
        found = interior_point(P, q, A, b, G, h, tol)
    if found.status == "optimal":
        return found
    return certificate(found, P, q, A, b, G, h)


def equality_only(
    P: Floats, q: Floats, A: Floats, b: Floats, h: Floats
) -> QuadraticProgramme:
    """Solve (2) without inequalities: one linear system."""
    n, p = len(q), len(b)
    K = np.block([[P, A.T], [A, np.zeros((p, p))]])
    xy = lstsq(K, np.concatenate([-q, b]))[0]
    residual = float(np.abs(K @ xy - np.concatenate([-q, b])).max(initial=0.0))
    scale = 1 + float(np.abs(xy).max()) * float(np.abs(K).max())
    x, y = xy[:n], xy[n:]
    status = "optimal" if residual <= 1e-9 * scale else "inaccurate"
    value = float(0.5 * x @ P @ x + q @ x)
    dual = float(-0.5 * x @ P @ x - b @ y)
    return QuadraticProgramme(status, x, y, h, value, dual, 0.0, residual, 1)


def interior_point(
    P: Floats, q: Floats, A: Floats, b: Floats, G: Floats, h: Floats, tol: float
) -> QuadraticProgramme:
    """Take predictor and corrector steps until (2) holds."""
    n, m = len(q), len(h)
    x, y = np.zeros(n), np.zeros(len(b))
    s = np.maximum(h, 1.0)
    z = np.ones(m)
    size = 1 + max(float(np.abs(v).max(initial=0.0)) for v in (q, b, h))
    status, steps = "inaccurate", 0
    while steps < STEPS:
        steps += 1
        dual_r = P @ x + q + A.T @ y + G.T @ z
        line_r, slack_r = A @ x - b, G @ x + s - h
        mu = float(s @ z) / m
        parts = (dual_r, line_r, slack_r)
        residual = max(float(np.abs(v).max(initial=0.0)) for v in parts)
        value = float(0.5 * x @ P @ x + q @ x)
        if residual <= tol * size and m * mu <= tol * (1 + abs(value)):
            status = "optimal"
            break
        system = System(P, A, G, s, z)
        dx, dy, dz, ds = system.step(*parts, s * z)
        t = reach(s, ds, z, dz)
        sigma = (float((s + t * ds) @ (z + t * dz)) / m / mu) ** 3 if mu > 0 else 0.0
        product = s * z + ds * dz - min(sigma, 1.0) * mu
        dx, dy, dz, ds = system.step(*parts, product)
        t = min(1.0, BACK * reach(s, ds, z, dz))
        if not np.isfinite(dx).all() or t < 1e-13 or np.abs(x).max() > 1e13:
            break
        x, y, z, s = x + t * dx, y + t * dy, z + t * dz, s + t * ds
    dual = float(-0.5 * x @ P @ x - b @ y - h @ z)
    gap = abs(value - dual) + float(s @ z)
    if residual <= CLOSE * size and gap <= CLOSE * (1 + abs(value)):
        status = "optimal"
    return QuadraticProgramme(status, x, y, z, value, dual, gap, residual, steps)


class System:
    """The linear system of one step, (3), factored once and solved twice."""

    def __init__(self, P: Floats, A: Floats, G: Floats, s: Floats, z: Floats) -> None:
        n, p, m = len(P), len(A), len(G)
        self.cuts, self.z = [n, n + p], z
        self.K = np.zeros((n + p + m, n + p + m))
        self.K[:n, :n] = P
        self.K[n : n + p, :n], self.K[:n, n : n + p] = A, A.T
        self.K[n + p :, :n], self.K[:n, n + p :] = G, G.T
        diagonal = np.arange(n + p, n + p + m)
        self.K[diagonal, diagonal] = -s / z
        shift = TINY * (1 + float(np.abs(P).max(initial=0.0)))
        sign = np.concatenate([np.ones(n), -np.ones(p + m)])
        self.factors = lu_factor(self.K + np.diag(shift * sign), check_finite=False)

    def step(
        self, dual_r: Floats, line_r: Floats, slack_r: Floats, product: Floats
    ) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the change of x, y, z and s that makes the residuals 0."""
        right = np.concatenate([-dual_r, -line_r, product / self.z - slack_r])
        xyz = np.zeros(len(right))
        for _ in range(REFINED):
            xyz += lu_solve(self.factors, right - self.K @ xyz, check_finite=False)
        dx, dy, dz = np.split(xyz, self.cuts)
        ds = -slack_r - self.G_times(dx)
        return dx, dy, dz, ds

    def G_times(self, dx: Floats) -> Floats:
        """Return G dx."""
        return np.asarray(self.K[self.cuts[1] :, : self.cuts[0]] @ dx)


def reach(s: Floats, ds: Floats, z: Floats, dz: Floats) -> float:
    """Return the largest t <= 1 that keeps s + t ds >= 0 and z + t dz >= 0."""
    most = 1.0
    for v, dv in ((s, ds), (z, dz)):
        falling = dv < 0
        if falling.any():
            most = min(most, float((-v[falling] / dv[falling]).min()))
    return most


def certificate(
    found: QuadraticProgramme,
    P: Floats,
    q: Floats,
    A: Floats,
    b: Floats,
    G: Floats,
    h: Floats,
) -> QuadraticProgramme:
    """Look for (5), then for (6); keep what was found where there is neither."""
    n, p, m = len(q), len(b), len(h)
    farkas = linprog(
        np.concatenate([b, h]),
        A_eq=np.hstack([A.T, G.T]),
        b_eq=np.zeros(n),
        bounds=[(-1.0, 1.0)] * p + [(0.0, 1.0)] * m,
    )
    scale = 1 + float(np.abs(np.concatenate([b, h])).max(initial=0.0))
    if farkas.status == 0 and farkas.fun < -CERTAIN * scale:
        y, z = farkas.x[:p], farkas.x[p:]
        return QuadraticProgramme(
            "infeasible", found.x, y, z, np.inf, np.inf, np.inf, np.inf, found.steps
        )
    away = linprog(
        q,
        A_ub=G if m else None,
        b_ub=np.zeros(m) if m else None,
        A_eq=np.vstack([P, A]),
        b_eq=np.zeros(n + p),
        bounds=[(-1.0, 1.0)] * n,
    )
    if away.status == 0 and away.fun < -CERTAIN * (1 + float(np.abs(q).max())):
        return QuadraticProgramme(
            "unbounded",
            away.x,
            found.equality,
            found.inequality,
            -np.inf,
            -np.inf,
            np.inf,
            np.inf,
            found.steps,
        )
    return found


def checked(
    P: Any, q: Any, A: Any, b: Any, G: Any, h: Any
) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
    """Check the shapes and the curvature of (1)."""
    who = "solve_qp"
    P, q = np.asarray(P, float), np.asarray(q, float)
    if q.ndim != 1 or P.shape != (len(q), len(q)) or not np.allclose(P, P.T):
        must = f"P must be symmetric, with as many rows as q = {q.size}"
        raise DataError(sentence(who, must, f"shape {P.shape}"))
    least = float(np.linalg.eigvalsh(P)[0]) if P.size else 0.0
    if least < -1e-9 * (1 + float(np.abs(P).max(initial=0.0))):
        must = "P must have eigenvalues >= 0, else the programme is not convex"
        raise DataError(sentence(who, must, f"{least:.3g}"))
    pairs = []
    for M, v, names in ((A, b, "A and b"), (G, h, "G and h")):
        if (M is None) != (v is None):
            raise DataError(sentence(who, f"{names} must come together", "one of them"))
        M = np.zeros((0, len(q))) if M is None else np.asarray(M, float)
        v = np.zeros(0) if v is None else np.asarray(v, float)
        if M.ndim != 2 or M.shape != (len(v), len(q)):
            must = f"{names} must be (k, {len(q)}) and (k,)"
            raise DataError(sentence(who, must, f"{M.shape} and {v.shape}"))
        pairs += [M, v]
    for value, name in zip((P, q, *pairs), "PqAbGh", strict=True):
        check_finite_values(who, value.ravel(), name)
    return P, q, *pairs
