"""The problem of a linear model: loss x penalty x intercept, from sums over the rows.

    F(W, b) = 1/n sum_n w_n L(y_n, W x_n + b) + l1 ||W||_1 + l2/2 ||W||^2        (1)

with a loss of `chunk_losses.py` (cross-entropy; deviance of a family and a link), a
penalty of `penalties.py` and n, the sum of the weights.  With x~ = x - mean (the mean
is taken out so that the intercept does not hang on the weights) a point of a search is
theta = (W, b) row by row; the intercepts are not penalised.  The smooth part of (1) has

    G = 1/n sum_n w_n L'_n (x~_n, 1)' + l2 (W, 0)                                (2)
    H_kl = 1/n sum_n w_n L''_n,kl (x~_n, 1)(x~_n, 1)' + l2 [k = l] I*            (3)

with I* the identity that has a 0 for the intercept.  A minimum of (1) is where the
least subgradient is 0 (`penalties.py`); how far it is, the duality gap says
(`duality.py`).  A feature in small units has small entries of G wherever it stands:
what they are worth is seen in units of the curvature,

    (spread_j^2 + 4 l2)^1/2  of feature j, at most 1                             (4)

Of K > 2 classes, probabilities do not change when the same number is added to the
scores of all classes: in these directions (3) is 0 but for the penalty.

Entries of theta that do not move (no intercept, an offset, dependent columns) have no
gradient and no penalty.

Notation: theta flat (m p,), p = d + 1; m = outputs of the loss.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import Moments, Variances
from corollary.objectives.chunk_losses import Census, Sums
from corollary.objectives.penalties import Penalty, least_subgradient

__all__ = ["LinearProblem", "constant_curvature", "linear_problem_of"]

NOISE = {"float32": 1e-9, "float64": 2e-16}  # relative, of a mean of many losses
TINY = 1e-12  # keeps a matrix of diagonal 1 regular


@dataclass(frozen=True)
class LinearProblem:
    """The constants of (1)."""

    loss: Any  # a ChunkLoss
    penalty: Penalty
    n: float
    mean: Floats  # (d,) taken out of the features
    spread: Floats  # (d,) root mean square of x~, 1 where it is 0
    free: Vector  # (d + 1,) which entries of each output's theta move
    dtype: Any

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(m, d + 1)."""
        return self.loss.outputs, len(self.mean) + 1

    @property
    def intercept(self) -> bool:
        """Whether there is an intercept."""
        return bool(self.free[-1])

    @cached_property
    def whole(self) -> bool:
        """Whether every entry of theta moves."""
        return bool(self.free.all())

    @cached_property
    def noise(self) -> float:
        """The relative rounding error of (1)."""
        return NOISE[np.dtype(self.dtype).name]

    @property
    def unit_rounding(self) -> float:
        """The relative rounding error of a number."""
        return float(np.finfo(self.dtype).eps)

    # -- points --------------------------------------------------------------------
    def model(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return W and b of a point."""
        T = theta.reshape(self.shape)
        W = np.ascontiguousarray(T[:, :-1])
        return W, T[:, -1] - W @ self.mean

    def point(self, W: Floats, b: Floats) -> Floats:
        """Return the point of W and b."""
        return np.column_stack([W, b + W @ self.mean]).reshape(-1).astype(np.float64)

    def constant_model(self) -> Floats:
        """Return the point whose scores are the shares of the classes."""
        T = np.zeros(self.shape)
        if self.intercept:
            log_pi = np.log(np.maximum(self.loss.totals / self.n, 1e-13))
            two = len(log_pi) == 2
            T[:, -1] = log_pi[1] - log_pi[0] if two else log_pi - log_pi.mean()
        return T.reshape(-1)

    def weights_of(self, strength: float) -> Floats:
        """Return a number for every weight and 0 for every intercept, flat."""
        each = np.full(self.shape, strength)
        each[:, -1] = 0.0
        return each.reshape(-1)

    @cached_property
    def l1(self) -> Floats:
        """The l1 penalty of every entry of theta."""
        return self.weights_of(self.penalty.l1)

    @cached_property
    def unpenalized(self) -> Vector:
        """Which entries of theta are intercepts."""
        return self.weights_of(1.0) == 0

    @cached_property
    def worth(self) -> Floats:
        """(4) for every weight and 1 for every intercept, flat."""
        each = np.minimum(np.sqrt(self.spread**2 + 4 * self.penalty.l2), 1.0)
        return np.tile(np.append(each, 1.0), self.shape[0])

    @cached_property
    def unit(self) -> Floats:
        """A length of each entry of theta."""
        return np.tile(np.append(1 / self.spread, 1.0), self.shape[0])

    # -- value, gradient, Hessian --------------------------------------------------
    def sums(self, chunk: Chunk, theta: Floats, curvature: str | None = None) -> Sums:
        """Return what a chunk contributes to (1), (2) and perhaps (3) at a point."""
        return self.loss.sums(chunk, *self.model(theta), self.mean, curvature)

    def smooth(self, s: Sums, theta: Floats) -> tuple[float, Floats]:
        """Return the smooth part of (1) and its gradient (2) from the sums."""
        W, l2 = theta.reshape(self.shape)[:, :-1], self.penalty.l2
        if not self.whole:
            W = np.where(self.free[:-1], W, 0.0)
        f = s.loss / self.n + 0.5 * l2 * float((W**2).sum())
        G = np.empty(self.shape)
        G[:, :-1] = (s.W - s.b[:, None] * self.mean) / self.n + l2 * W
        G[:, -1] = s.b / self.n
        if not self.whole:
            G = np.where(self.free, G, 0.0)
        return f, G.reshape(-1)

    def absolute(self, theta: Floats) -> float:
        """Return l1 ||W||_1."""
        return float(self.l1 @ np.abs(theta)) if self.penalty.l1 else 0.0

    def subgradient(self, theta: Floats, g: Floats) -> Floats:
        """Return the least subgradient of (1)."""
        return least_subgradient(theta, g, self.l1) if self.penalty.l1 else g

    def hessian(self, H: Floats) -> Floats:
        """Return (3) from its full sum, regular where a score does not depend on it.

        Of several classes, what all their weights have in common gets curvature.
        """
        m, p = self.shape
        H = (H / self.n).reshape(m, p, m, p)
        at, fixed = np.arange(m), np.flatnonzero(~self.free)
        H[:, fixed], H[:, :, :, fixed] = 0.0, 0.0  # no coupling with what is not there
        for j in fixed:
            H[at, j, at, j] = 1.0
        if self.intercept and m > 1:  # the sum of the intercepts
            H[:, -1, :, -1] += np.einsum("kk->", H[:, -1, :, -1]) / m**2
        return H.reshape(m * p, m * p) + np.diag(self.weights_of(self.penalty.l2))

    def regular(self, H: Floats) -> Floats:
        """Put curvature into what no probability hangs on: common weights."""
        m, p = self.shape
        if m == 1:
            return H
        each = np.diagonal(H).reshape(m, p).mean(axis=0)
        return H + np.kron(np.full((m, m), 1 / m), np.diag(each))

    # -- preconditioning -----------------------------------------------------------
    def inverse(self, H: Floats) -> Floats:
        """Invert the mean of the Hessian's blocks, or of their diagonal, with l2."""
        ridge, free = np.full(H.shape[1], self.penalty.l2), self.free
        ridge[-1] = 0.0
        if H.ndim == 2:
            H = H + ridge
            return np.where(free & (H > 0), 1 / np.where(H > 0, H, 1.0), 0.0)
        both = 1.0 if self.whole else free[:, None] & free
        H, at = H * both, np.arange(len(free))
        H[:, at, at] += ridge
        size = H[:, at, at]
        unit = 1 / np.sqrt(np.where(size > 0, size, 1.0))  # in any units of features
        units = unit[:, :, None] * unit[:, None, :]
        H *= units
        H[:, at, at] += np.where(size > 0, TINY, 1.0)
        return np.linalg.inv(H) * units * both

    def precondition(self, P: Floats, g: Floats) -> Floats:
        """Multiply a gradient by an inverse of the blocks."""
        G = g.reshape(self.shape)
        PG = G * P if P.ndim == 2 else (P @ G[:, :, None])[:, :, 0]
        if len(PG) > 1 and not self.penalty.l1:  # W and b sum to 0, and shall stay so
            PG -= PG.mean(axis=0)
        return PG.reshape(-1)


def linear_problem_of(
    loss: Any, penalty: Penalty, census: Census, dtype: Any, *, intercept: bool
) -> LinearProblem:
    """Write down (1) from what a census of the rows says."""
    spread = census.spread
    mean = spread.mean if intercept else np.zeros_like(spread.mean)
    M2 = spread.M2 if spread.M2.ndim == 1 else spread.M2.diagonal()
    squares = M2 / census.n + (spread.mean - mean) ** 2
    free = np.append(np.ones(len(mean), dtype=bool), intercept)
    size = np.sqrt(np.where(squares > 0, squares, 1.0))
    return LinearProblem(loss, penalty, census.n, mean, size, free, dtype)


def constant_curvature(spread: Moments | Variances, about: Floats, h: Floats) -> Floats:
    """Return the blocks of (3) at a constant model: h_k times E x~ x~'."""
    shift, d = spread.mean - about, len(about)
    if spread.M2.ndim == 1:
        return h[:, None] * np.append(spread.M2 / spread.n + shift**2, 1.0)
    H = np.empty((d + 1, d + 1))
    H[:d, :d] = spread.M2 / spread.n + np.outer(shift, shift)
    H[d, :d] = H[:d, d] = shift
    H[d, d] = 1.0
    return h[:, None, None] * H
