"""What logistic regression sums besides its gradient: classes, curvature, margins.

With x~ = (x - mean, 1) and h_nk = w_n p_k(x_n) (1 - p_k(x_n)), the blocks of the
Hessian that belong to one class are

    H_k = sum_n h_nk x~_n x~_n'                                                  (1)

At the constant model p = pi, the shares of the classes, (1) needs only the covariance
of x.  Where there are many columns only the diagonal of (1) is summed.  The margin of a
row is the lead of its class's score over the next: where the smallest is positive, the
scores separate the classes; where the largest is large, some direction may do so in
part                                                                             (2)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.roles import total_weight
from corollary.engine import Chunk, Moments, Statistics, Variances
from corollary.engine.statistics import dense_blocks

__all__ = [
    "Census",
    "Curvature",
    "Margin",
    "count_classes",
    "curvature",
    "margins",
    "scores",
    "second_moments",
    "take_census",
    "weighted",
]

LARGE = 2**23  # more entries than this in (3): its diagonal only
SPARSE = 200  # more sparse columns than this: likewise


@dataclass(frozen=True)
class Census(Statistics):
    """What is known before the search: class weights and the spread of features."""

    classes: Floats  # (K,) weight of each class
    spread: Moments | Variances


@dataclass(frozen=True)
class Margin(Statistics):
    """The smallest and the largest lead of the true class's score over the next."""

    smallest: float
    largest: float

    def __add__(self, other: Margin) -> Margin:
        return Margin(
            min(self.smallest, other.smallest), max(self.largest, other.largest)
        )


@dataclass(frozen=True)
class Curvature(Statistics):
    """What one chunk contributes to (1)."""

    H: Floats  # (m, d + 1, d + 1), or (m, d + 1) for the diagonal


def weighted(chunk: Chunk, weights: Floats | None) -> Floats | None:
    """Multiply the rows' weights by their classes' weights."""
    if weights is None:
        return chunk.w
    return weights[chunk.y] if chunk.w is None else weights[chunk.y] * chunk.w


def count_classes(chunk: Chunk, K: int) -> Census:
    """Weigh each class."""
    spread = Variances(total_weight(chunk.w, chunk.n), np.zeros(0), np.zeros(0))
    return Census(np.bincount(chunk.y, chunk.w, minlength=K).astype(float), spread)


def take_census(chunk: Chunk, K: int, weights: Floats | None) -> Census:
    """Weigh each class and take the spread of the features."""
    w, d = weighted(chunk, weights), chunk.X.shape[1]
    wide = K * d * d > LARGE or (sp.issparse(chunk.X) and d > SPARSE)
    spread = Variances.of(chunk.X, w) if wide else Moments.of(chunk.X, w)
    return Census(np.bincount(chunk.y, w, minlength=K).astype(float), spread)


def second_moments(spread: Moments | Variances, about: Floats, h: Floats) -> Floats:
    """Return (1) at the constant model: h_k times E x~ x~'."""
    shift, d = spread.mean - about, len(about)
    if spread.M2.ndim == 1:
        return h[:, None] * np.append(spread.M2 / spread.n + shift**2, 1.0)
    H = np.empty((d + 1, d + 1))
    H[:d, :d] = spread.M2 / spread.n + np.outer(shift, shift)
    H[d, :d] = H[:d, d] = shift
    H[d, d] = 1.0
    return h[:, None, None] * H


def curvature(X: Matrix, h: Floats, mean: Floats, *, diagonal: bool) -> Floats:
    """Sum h_nk x~_n x~_n' over the rows, for every k."""
    total = h.sum(axis=0, dtype=np.float64)  # (m,)
    if diagonal:
        X2 = X.multiply(X) if sp.issparse(X) else X * X
        first, second = np.asarray(X.T @ h), np.asarray(X2.T @ h)  # (d, m)
        about_mean = second - 2 * mean[:, None] * first + mean[:, None] ** 2 * total
        return np.column_stack([about_mean.T, total]).astype(np.float64)
    H = np.zeros((h.shape[1], X.shape[1] + 1, X.shape[1] + 1))
    shift = mean.astype(X.dtype)
    for block, _, root in dense_blocks(X, None, np.sqrt(h)):
        Z = np.ones((len(block), X.shape[1] + 1), X.dtype)
        np.subtract(block, shift, out=Z[:, :-1])
        for k in range(h.shape[1]):
            last = Z if k + 1 == h.shape[1] else None
            Zh = np.multiply(Z, root[:, k, None], out=last)  # type: ignore[index]
            H[k] += Zh.T @ Zh
    return H


def scores(X: Matrix, W: Floats, b: Floats) -> Floats:
    """Return W x + b in float64, (n, K); of two classes the first has score 0."""
    Z = np.asarray(X @ W.T, dtype=np.float64) + b
    return np.column_stack([np.zeros(len(Z)), Z[:, 0]]) if Z.shape[1] == 1 else Z


def margins(chunk: Chunk, W: Floats, b: Floats) -> Margin:
    """Return the range of the lead of the true class over the others in a chunk (2)."""
    Z, rows = scores(chunk.X, W, b), np.arange(chunk.n)
    true = Z[rows, chunk.y].copy()
    Z[rows, chunk.y] = -np.inf
    lead = true - Z.max(axis=1)
    if chunk.w is not None:
        lead = lead[chunk.w > 0]
    return Margin(float(lead.min(initial=np.inf)), float(lead.max(initial=-np.inf)))
