"""The objective of linear machines as sums over the rows, with its dual bound.

With x~ = (x, B), where B is a constant feature whose weight is the intercept's,

    P(w) = R(w) + sum_i C_i L(r_i),   R = 1/2 ||w||^2 or ||w||_1                     (1)

    r = q - f,  f = w'x~,  q = s = +-1 for classes (margin s f), q = y for numbers
    excess  u = max(0, s r),    or  u = max(0, |r| - eps);    L = u  or  u^2         (2)

The squared losses have a slope.  The others have a corner, which the proximal method
rounds off over a width delta, about a guess a of the slope:

    L_d(r) = max_p  p r - eps |p| - delta/2 (p - a)^2,   p between lo and hi         (3)
    p = clip( S(a + r/delta, eps/delta), lo, hi ),    S(z, e) = sign(z) (|z| - e)_+  (4)

lo, hi = 0, 1 or -1, 0 by the class, -1, 1 for numbers.  The p of one minimum are the
guess for the next; as they come right, the rounding no longer matters.  A guess is a
function of the row and of the few minima before, so that nothing need be kept: a chunk
computes it again where its memory was lost.  With p = L' for squared losses,

    v = sum_i C_i p_i x~_i,       gradient of (1) = R'(w) - v                        (5)
    Hessian = R'' + sum C_i kappa x~_i x~_i' over rows with p inside its bounds      (6)

kappa = 1/delta, or 2 for squared losses.  p is feasible for the dual of (1) itself, not
only of the rounded one, whatever w and a are:

    D(p) = sum_i C_i (p_i q_i - eps |p_i| - p_i^2/4) - 1/2 ||v||^2  <=  min P        (7)

(p^2/4 for squared losses only; for R = ||w||_1 instead of the last term the constraint
|v_j| <= 1.)  As p may be scaled by any c in [0, 1], or c >= 0 for squared losses, the
best c counts.  All these are sums: one pass gives P, a bound D, the gradient and the
Hessian.

Notation: p = d + 1, or d without an intercept; m machines (one for each class against
the rest, or one).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.rows import rows_loop
from corollary.engine import Chunk, Statistics
from corollary.objectives.duality import dual_bound
from corollary.objectives.penalties import Penalty
from corollary.solvers.dual_descent import LinearDual
from corollary.solvers.piecewise_newton import LENGTHS

__all__ = ["LinearSums", "Point", "SupportProblem", "bound", "dual_of", "sums"]


class Point(NamedTuple):
    """Where a machine asks for the sums: x, and how the corner is rounded there."""

    x: Floats  # (p,)
    delta: float
    before: tuple[tuple[Floats, float], ...] = ()  # minima (x, delta) so far
    along: Any = None  # (p,) ask for the slopes in this direction instead


FEW_ROWS = 4096  # of a chunk that remembers what every pass asks for
NARROW = 12  # features up to which the loop sums the Hessian faster than BLAS does


@dataclass(frozen=True)
class SupportProblem:
    """What (1) needs besides the rows."""

    C: float
    squared: bool
    constant: float  # B, 0 for no intercept
    penalty: Penalty = field(default_factory=lambda: Penalty(1.0))  # R
    eps: float | None = None  # of (3); None for classes
    machines: int = 1
    weights: Floats | None = None  # (K,) of the classes
    dtype: Any = np.float64  # of the rows

    def sides(self, y: Vector, k: int) -> Floats:
        """Return the labels +-1 of machine k."""
        positive = 1 if self.machines == 1 else k
        return np.where(y == positive, 1.0, -1.0)

    def prices(self, chunk: Chunk, k: int) -> Floats:
        """Return C_i of machine k.

        Of several machines each weighs its own class alone, as LIBLINEAR does.
        """
        C = np.full(chunk.n, self.C) if chunk.w is None else self.C * chunk.w
        if self.weights is None:
            return C
        if self.machines == 1:
            return C * self.weights[chunk.y]
        return C * np.where(chunk.y == k, self.weights[k], 1.0)

    def width(self, d: int) -> int:
        """Return p."""
        return d + (self.constant > 0)

    def split(self, x: Floats) -> tuple[Floats, float]:
        """Return the weights of the features, and what is added to their sum."""
        if self.constant > 0:
            return x[:-1], self.constant * float(x[-1])
        return x, 0.0

    def targets(self, y: Vector, k: int) -> tuple[Floats, Any, Any, float]:
        """Return q, lo, hi and eps of machine k."""
        if self.eps is not None:
            return np.asarray(y, dtype=np.float64), -1.0, 1.0, self.eps
        s = self.sides(y, k)
        return s, np.minimum(s, 0.0), np.maximum(s, 0.0), 0.0

    def excess(self, r: Floats, lo: Any, hi: Any) -> Floats:
        """Return u of (2)."""
        if self.eps is not None:
            return np.maximum(np.abs(r) - self.eps, 0.0)
        return np.maximum((lo + hi) * r, 0.0)

    def losses(self, u: Floats) -> Floats:
        """Return L."""
        return u**2 if self.squared else u


@dataclass(frozen=True)
class LinearSums(Statistics):
    """What a chunk contributes, for each machine."""

    loss: Floats  # (m,) of (1)
    smooth: Floats  # (m,) the same, rounded by (3)
    rounding: Floats  # (m,) by how much (1) is above (7) where w = v
    target: Floats  # (m,) sum C (p q - eps |p|)
    square: Floats  # (m,) sum C p^2/4, of squared losses
    v: Floats  # (m, p) (5)
    H: Floats | None  # (m, p, p) of (6), or (m, p) its diagonal
    along: Floats  # (m, J) slopes of the losses at some lengths of a step


def sums(
    chunk: Chunk, problem: SupportProblem, points: dict[int, Point], curvature: str
) -> LinearSums:
    """Sum (1), (5), (6) and (7) over a chunk at the points of some machines.

    `curvature` is 'full', 'diagonal' or 'none'.
    """
    X, m, d = rows_of(chunk, problem), problem.machines, chunk.X.shape[1]
    width = problem.width(d)
    loss, smooth, rounding, target, square = np.zeros((5, m))
    V, along = np.zeros((m, width)), np.zeros((m, len(LENGTHS)))
    shape = {"full": (m, width, width), "diagonal": (m, width)}.get(curvature)
    H = None if shape is None else np.zeros(shape)
    in_loop = curvature == "full" and d <= NARROW
    B, eps = problem.constant, -1.0 if problem.eps is None else problem.eps
    read = rows_loop(loops.support_losses, loops.support_losses_csr, X)
    for k, point in points.items():
        q, *_, C = stated(chunk, problem, k)
        delta = 0.0 if problem.squared else point.delta
        a = guess(chunk, problem, point, k) if delta > 0 and point.before else None
        losses, at = (q, C, eps, delta, a), problem.split(point.x)
        if point.along is not None:
            slopes = rows_loop(loops.support_slopes, loops.support_slopes_csr, X)
            slopes(*losses, *at, *problem.split(point.along), LENGTHS, along[k])
            continue
        h = None if H is None or in_loop else np.empty(chunk.n)
        summed = H[k] if H is not None and in_loop else None
        found = read(*losses, *at, B, V[k, :d], h, summed)
        loss[k], rounding[k], far, target[k], pulled = found
        if problem.squared:
            rounding[k], smooth[k], square[k] = 0.0, loss[k], loss[k]
        else:
            smooth[k] = loss[k] - rounding[k] - 0.5 * delta * far
        if B > 0:
            V[k, -1] = B * pulled
        if H is not None and h is not None:
            some = np.flatnonzero(h)
            H[k] = gram(X, some, h[some], B, curvature)
    return LinearSums(loss, smooth, rounding, target, square, V, H, along)


def stated(chunk: Chunk, problem: SupportProblem, k: int) -> Any:
    """Return q, lo, hi, eps and C of machine k; a small chunk remembers them."""
    known = chunk.memory.get(f"stated {k}")
    if known is None:
        known = (*problem.targets(chunk.y, k), problem.prices(chunk, k))
        if chunk.n <= FEW_ROWS:
            chunk.memory[f"stated {k}"] = known
    return known


def rows_of(chunk: Chunk, problem: SupportProblem) -> Matrix:
    """Return the rows in the precision of the sums.

    A sharp corner magnifies what rounding does to the scores: it asks for double.
    """
    return chunk.X if problem.squared else chunk.X.astype(np.float64, copy=False)


def scores(chunk: Chunk, problem: SupportProblem, x: Floats) -> Floats:
    """Return f of a chunk's rows."""
    w, b = problem.split(x)
    return np.asarray(rows_of(chunk, problem) @ w) + b


def softened(z: Floats, e: float) -> Floats:
    """Return S(z, e)."""
    return z if e == 0 else np.sign(z) * np.maximum(np.abs(z) - e, 0.0)


def guess(chunk: Chunk, problem: SupportProblem, point: Point, k: int) -> Any:
    """Return the slopes (4) at the last minimum, by way of all before it."""
    known, a = chunk.memory.get(f"slopes {k}", (0, 0.0))
    if known > len(point.before):
        known, a = 0, 0.0
    if known < len(point.before):
        q, lo, hi, eps, _ = stated(chunk, problem, k)
        for x, delta in point.before[known:]:
            r = q - scores(chunk, problem, x)
            z = softened(a + r / delta, eps / delta)
            a = np.minimum(np.maximum(z, lo), hi)
        chunk.memory[f"slopes {k}"] = (len(point.before), a)
    return a


def gram(X: Matrix, band: Vector, h: Floats, constant: float, curvature: str) -> Floats:
    """Return sum_i h_i x~_i x~_i' over some rows (6), or its diagonal."""
    d = X.shape[1]
    p = d + (constant > 0)
    rows = X[band]
    if curvature == "diagonal":
        squares = rows.multiply(rows) if sp.issparse(rows) else rows * rows
        diagonal = np.full(p, constant**2 * h.sum())
        diagonal[:d] = np.asarray(h.astype(X.dtype) @ squares)
        return diagonal
    G = np.zeros((p, p))
    if not len(band):
        return G
    even = h.min() == h.max()
    root = np.sqrt(h).astype(X.dtype)[:, None]
    if sp.issparse(rows):
        rows = sp.csr_array(rows.multiply(root))
        G[:d, :d] = (rows.T @ rows).toarray()
        even = False
    else:
        rows = rows if even else rows * root
        G[:d, :d] = rows.T @ rows
    left = np.ones(len(band), X.dtype) if even else root[:, 0]
    if constant > 0:
        G[d, :d] = G[:d, d] = constant * np.asarray(left @ rows)
        G[d, d] = constant**2 * float(left @ left)
    return G * h[0] if even else G


def bound(problem: SupportProblem, target: float, square: float, v: Floats) -> float:
    """Return (7) at the best scale c of p."""
    most = np.inf if problem.squared else 1.0
    return dual_bound(target, 2 * square, v, problem.penalty, most)


def dual_of(problem: SupportProblem, chunk: Chunk, k: int) -> LinearDual:
    """Return the dual of machine k, for `solvers/dual_descent.py`."""
    X, B = chunk.X, problem.constant
    C = problem.prices(chunk, k)
    q, lo, hi, eps = problem.targets(chunk.y, k)
    if not problem.squared:
        return LinearDual(X, B, q, C * lo, C * hi, np.zeros(chunk.n), eps)
    ridge = np.divide(0.5, C, out=np.zeros(chunk.n), where=C > 0)
    top = np.where(C > 0, np.inf, 0.0)
    with np.errstate(invalid="ignore"):
        lo, hi = (np.where(np.asarray(end) != 0, end * top, 0.0) for end in (lo, hi))
    lo, hi = (np.where(C > 0, end, 0.0) for end in (lo, hi))
    return LinearDual(X, B, q, lo, hi, ridge, eps)
