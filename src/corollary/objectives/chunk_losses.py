"""Losses of linear scores, summed over a chunk: value, gradient and curvature.

With scores z = W x + b of m outputs and x~ = (x - mean, 1), a chunk contributes

    loss  sum_n w_n L(y_n, z_n), gradient sum_n w_n L'_n x_n' and sum_n w_n L'_n     (1)
    blocks of the Hessian  H_k = sum_n h_nk x~_n x~_n',  h_nk = w_n d2L/dz_k^2       (2)
    the full Hessian  H_kl = sum_n w_n d2L/dz_k dz_l x~_n x~_n'                      (3)

    cross-entropy  L = -log p_y,  p = sigmoid(z) or softmax(z):  L' = p - e_y,
                   d2L = diag(p) - p p', by one compiled loop over the rows          (4)
    deviance       L = d(y, g^-1(z))/2 of a family and a link: slope and expected
                   curvature of `families.py`, the Fisher information                (5)

Where there are many columns only the diagonal of (2) is summed.  With the weights of
classes a row's weight is multiplied by that of its class.

Notation: W (m, d); b (m,); m = 1 for two classes and for a deviance, else K.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.rows import rows_loop
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import (
    NARROW,
    Moments,
    Statistics,
    Variances,
    dense_blocks,
)
from corollary.objectives.families import Family, Tweedie
from corollary.objectives.links import Link, Log

__all__ = [
    "Census",
    "ChunkLoss",
    "CrossEntropy",
    "Deviance",
    "Sums",
    "scores",
    "weighted",
]

LARGE = 2**23  # more entries than this in (2): its diagonal only
SPARSE = 200  # more sparse columns than this: likewise


@dataclass(frozen=True)
class Census(Statistics):
    """What is known before the search: weights, targets, the spread of features."""

    n: float
    sum_y: Any  # (K,) weight of each class, or the sum of w y
    constant: float  # what the likelihood takes from y alone
    spread: Moments | Variances


@dataclass(frozen=True)
class Sums(Statistics):
    """What one chunk contributes to (1), (2) and (3)."""

    loss: float
    W: Floats  # (m, d)
    b: Floats  # (m,)
    H: Any = None  # (m, p, p) or (m, p) of (2), or (m p, m p) of (3); p = d + 1
    pearson: float = 0.0  # sum of w (y - mu)^2 / V(mu)


class ChunkLoss(ABC):
    """A loss of linear scores that chunks can sum."""

    weights: Floats | None  # (K,) of the classes

    @property
    @abstractmethod
    def outputs(self) -> int:
        """The number m of scores of a row."""

    @abstractmethod
    def census(self, chunk: Chunk) -> Census:
        """Check the targets, and take what a search must know before it begins."""

    @abstractmethod
    def sums(
        self, chunk: Chunk, W: Floats, b: Floats, mean: Floats, curvature: str | None
    ) -> Sums:
        """Sum (1), and with it (2) for 'blocks' or 'diagonal', (3) for 'full'."""


@dataclass(frozen=True)
class CrossEntropy(ChunkLoss):
    """The loss (4) of K classes."""

    K: int
    weights: Floats | None = None
    totals: Any = None  # (K,) total weight of each class

    @property
    def outputs(self) -> int:
        """1 for two classes, otherwise K."""
        return 1 if self.K == 2 else self.K

    def census(self, chunk: Chunk) -> Census:
        """Weigh each class and take the spread of the features."""
        w = weighted(chunk, self.weights)
        totals = np.bincount(chunk.y, w, minlength=self.K).astype(float)
        spread = spread_of(chunk.X, w, self.K)
        return Census(float(totals.sum()), totals, 0.0, spread)

    def sums(
        self,
        chunk: Chunk,
        W: Floats,
        b: Floats,
        mean: Floats,
        curvature: str | None = None,
    ) -> Sums:
        """Sum (1) by a compiled loop; h receives w p (1 - p) if m = 1, otherwise p."""
        X, w = chunk.X, weighted(chunk, self.weights)
        h = None if curvature is None else np.empty((chunk.n, len(W)), X.dtype)
        grad, grad_b = np.zeros_like(W), np.zeros_like(b)
        if len(W) == 1:
            loop = rows_loop(loops.binary, loops.binary_csr, X)
            y, column = chunk.y.astype(np.float64), None if h is None else h[:, 0]
            loss, grad_b[0] = loop(y, w, W[0], float(b[0]), grad[0], column)
        else:
            loop = rows_loop(loops.multinomial, loops.multinomial_csr, X)
            loss = loop(chunk.y, w, W, b, grad, grad_b, h)
        if h is None:
            return Sums(loss, grad, grad_b)
        if len(W) > 1 and curvature == "full":
            return Sums(loss, grad, grad_b, softmax_hessian(X, h, w, mean))
        if len(W) > 1:
            h *= (1 - h) if w is None else (1 - h) * w[:, None]
        H = blocks(X, h, mean, diagonal=curvature == "diagonal")
        return Sums(loss, grad, grad_b, H[0] if curvature == "full" else H)


@dataclass(frozen=True)
class Deviance(ChunkLoss):
    """The loss (5) of a family under a link."""

    who: str  # in whose name errors speak
    family: Family
    link: Link
    exposure: int | None = None  # column of X whose logarithm is added to the score
    weights: Floats | None = None

    @property
    def outputs(self) -> int:
        """1."""
        return 1

    def predictor(self, X: Matrix, coef: Floats, b0: float) -> Floats:
        """Return the score of each row, in float64."""
        eta = np.asarray(X @ coef.astype(X.dtype), dtype=np.float64) + b0
        if self.exposure is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                eta += np.log(column(X, self.exposure))
        return eta

    def rows(self, chunk: Chunk) -> tuple[Matrix, Floats, Vector | None]:
        """Return X, y in float64 and w of the rows that have a weight."""
        X, w = chunk.X, weighted(chunk, self.weights)
        y = np.asarray(chunk.y, dtype=np.float64)
        if w is None or w.all():
            return X, y, w
        keep = w > 0
        return X[keep], y[keep], w[keep]

    def census(self, chunk: Chunk) -> Census:
        """Check the response and the exposure, and take the spread of the features."""
        X, y, w = self.rows(chunk)
        self.family.check(self.who, y, chunk.first_row)
        if self.exposure is not None:
            exposure = column(X, self.exposure)
            if len(exposure) and not exposure.min() > 0:
                must = f"the exposure, column {self.exposure} of X, must be > 0"
                row = chunk.first_row + exposure.argmin()
                came = f"{exposure.min():g} in row {row}"
                raise DataError(sentence(self.who, must, came, "Drop rows without it."))
        ones = np.ones(len(y)) if w is None else w
        constant = self.family.constant(y, ones)
        spread = spread_of(X, w, 1)
        return Census(float(ones.sum()), float(ones @ y), constant, spread)

    def sums(
        self,
        chunk: Chunk,
        W: Floats,
        b: Floats,
        mean: Floats,
        curvature: str | None = None,
    ) -> Sums:
        """Sum (1) and, where asked, the Fisher information and Pearson's statistic.

        A Tweedie family under a log link is summed by a compiled loop.
        """
        X, y, w = self.rows(chunk)
        family, b0 = self.family, float(b[0])
        in_loop = isinstance(self.link, Log) and self.exposure is None
        if isinstance(family, Tweedie) and in_loop:
            grad, h = np.zeros_like(W), np.empty(len(y), X.dtype)
            loop = rows_loop(loops.tweedie, loops.tweedie_csr, X)
            loss, g0, pearson = loop(y, w, family.power, W[0], b0, grad[0], h)
        else:
            at = family.terms(y, self.predictor(X, W[0], b0), self.link)
            ones = np.ones(len(y)) if w is None else w
            loss, pearson = float(ones @ at.loss), float(ones @ at.pearson)
            slope, h = ones * at.slope, (ones * at.weight).astype(X.dtype)
            grad = np.asarray(X.T @ slope.astype(X.dtype), dtype=np.float64)[None]
            g0 = slope.sum()
        if curvature is None:
            return Sums(loss, grad, np.array([g0]))
        H = blocks(X, h[:, None], mean, diagonal=curvature == "diagonal")
        return Sums(loss, grad, np.array([g0]), H, pearson)


def weighted(chunk: Chunk, weights: Floats | None) -> Floats | None:
    """Multiply the rows' weights by their classes' weights."""
    if weights is None:
        return chunk.w
    return weights[chunk.y] if chunk.w is None else weights[chunk.y] * chunk.w


def spread_of(X: Matrix, w: Vector | None, blocks: int) -> Moments | Variances:
    """Take the moments of the features, or where these are too many the variances."""
    d = X.shape[1]
    wide = blocks * d * d > LARGE or (sp.issparse(X) and d > SPARSE)
    return Variances.of(X, w) if wide else Moments.of(X, w)


def scores(X: Matrix, W: Floats, b: Floats) -> Floats:
    """Return W x + b in float64, (n, K); of two classes the first has score 0."""
    Z = np.asarray(X @ W.T, dtype=np.float64) + b
    return np.column_stack([np.zeros(len(Z)), Z[:, 0]]) if Z.shape[1] == 1 else Z


def column(X: Matrix, j: int) -> Floats:
    """Return a column of dense or sparse rows, in float64."""
    values = X[:, [j]].toarray()[:, 0] if sp.issparse(X) else X[:, j]
    return np.asarray(values, dtype=np.float64)


def blocks(X: Matrix, h: Floats, mean: Floats, *, diagonal: bool) -> Floats:
    """Sum (2) over the rows, for every k."""
    total = h.sum(axis=0, dtype=np.float64)  # (m,)
    if diagonal:
        X2 = X.multiply(X) if sp.issparse(X) else X * X
        first, second = np.asarray(X.T @ h), np.asarray(X2.T @ h)  # (d, m)
        about_mean = second - 2 * mean[:, None] * first + mean[:, None] ** 2 * total
        return np.column_stack([about_mean.T, total]).astype(np.float64)
    d = X.shape[1]
    H = np.zeros((h.shape[1], d + 1, d + 1))
    if d <= NARROW and not sp.issparse(X):
        s, G = np.empty(d), np.empty((d, d))
        for k in range(len(H)):
            w = np.ascontiguousarray(h[:, k], dtype=np.float64)
            loops.moments(X, None, w, mean.astype(X.dtype), s, G)
            H[k, :d, :d], H[k, d, :d], H[k, :d, d], H[k, d, d] = G, s, s, total[k]
        return H
    for Z, root in about(X, np.sqrt(h), mean):
        for k in range(h.shape[1]):
            last = Z if k + 1 == h.shape[1] else None
            Zh = np.multiply(Z, root[:, k, None], out=last)
            H[k] += Zh.T @ Zh
    return H


def softmax_hessian(X: Matrix, P: Floats, w: Floats | None, mean: Floats) -> Floats:
    """Sum (3) over the rows, for all pairs of classes."""
    m, p = P.shape[1], len(mean) + 1
    H = np.zeros((m, p, m, p))
    both = np.hstack([P, P if w is None else P * w[:, None].astype(X.dtype)])
    for Z, PP in about(X, both, mean):
        for k in range(m):
            for j in range(k + 1):
                h = PP[:, m + k] * ((k == j) - PP[:, j])
                H[k, :, j] += Z.T @ (Z * h[:, None])
    for k in range(m):
        for j in range(k):
            H[j, :, k] = H[k, :, j].T
    return H.reshape(m * p, m * p)


def about(X: Matrix, h: Floats, mean: Floats) -> Any:
    """Yield blocks of rows x~, and what belongs to them."""
    shift = mean.astype(X.dtype)
    for block, _, some in dense_blocks(X, None, h):
        Z = np.ones((len(block), X.shape[1] + 1), X.dtype)
        np.subtract(block, shift, out=Z[:, :-1])
        yield Z, some
