"""Losses that histogram boosting lowers: gradients, hessians, and where to begin.

With the score f of a row and w its weight, all w = 1 where none are given,

    squared      (y - f)^2 / 2          g = f - y            h = 1              (1)
    absolute     |y - f|                g = sign(f - y)      h = 1              (2)
    quantile q   q (y - f)+ + (1 - q) (f - y)+                h = 1             (3)
    Poisson      e^f - y f              g = e^f - y          h = e^f            (4)
    gamma        f + y e^-f             g = 1 - y e^-f       h = y e^-f         (5)
    logistic     log(1 + e^f) - y f     g = p - y            h = p (1 - p)      (6)
    softmax      log sum_k e^f_k - f_y  g_k = p_k - [y = k]  h_k = p_k (1 - p_k) (7)

each times w.  Boosting begins at the constant of least loss.  After (2) and (3), whose
h says nothing, a leaf takes the median or the q-quantile of its residuals y - f.  The
values of the losses are those of `objectives`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, softmax

from corollary.core.arrays import Floats, Vector
from corollary.core.hooks import hook
from corollary.objectives.class_losses import CrossEntropy
from corollary.objectives.deviance_loss import DevianceLoss
from corollary.objectives.families import Tweedie
from corollary.objectives.links import Log
from corollary.objectives.residual_losses import Quantile, Squared
from corollary.trees.histogram_tree import Gradients

__all__ = [
    "GammaLoss",
    "HistogramLoss",
    "LogisticLoss",
    "PoissonLoss",
    "QuantileLoss",
    "SoftmaxLoss",
    "SquaredLoss",
]

TINY = float(np.finfo(np.float64).tiny)


def mean_of(x: Floats, w: Floats | None) -> float:
    """Return the weighted mean."""
    return float(np.mean(x) if w is None else np.sum(w * (x / np.sum(w))))


def weighted(x: Floats, w: Floats | None) -> Floats:
    """Return w x."""
    return x if w is None else w * x


@dataclass(frozen=True)
class HistogramLoss(ABC):
    """A loss of targets y (n,) and scores f (K, n)."""

    @property
    def outputs(self) -> int:
        """How many scores a row has."""
        return 1

    @abstractmethod
    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the constants of least loss, (K,)."""

    @abstractmethod
    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return the loss of each row, (n,)."""

    @abstractmethod
    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return the gradients of each output."""

    @hook
    def quantile(self) -> float | None:
        """Return the quantile of its residuals that a leaf takes, if it takes one."""
        return None

    def mean(self, y: Floats, f: Floats, w: Floats | None) -> float:
        """Return the mean loss."""
        return mean_of(self.rows(y, f), w)


@dataclass(frozen=True)
class SquaredLoss(HistogramLoss):
    """Half the squared error (1)."""

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the mean."""
        return np.array([mean_of(y, w)])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (1)."""
        return Squared().value(y, f[0])

    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return those of (1)."""
        return [Gradients.of(weighted(f[0] - y, w), w, threads=threads)]


@dataclass(frozen=True)
class QuantileLoss(HistogramLoss):
    """The loss of the q-quantile (3); the absolute error (2) is twice the median's."""

    q: float = 0.5
    factor: float = 1.0  # 2 for (2)

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the q-quantile."""
        one = np.zeros(len(y), np.int32)
        return leaf_quantiles(y, w, one, 1, self.q)

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (3)."""
        return self.factor * Quantile(self.q).value(y, f[0])

    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return those of (3); a row that is met wants to rise."""
        g = self.factor * np.where(y < f[0], 1 - self.q, -self.q)
        return [Gradients.of(weighted(g, w), w, threads=threads)]

    def quantile(self) -> float:
        """Return q."""
        return self.q


@dataclass(frozen=True)
class PoissonLoss(HistogramLoss):
    """Half the deviance of counts with mean e^f (4)."""

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the log of the mean."""
        return np.log([max(mean_of(y, w), TINY)])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (4) less its least value."""
        return DevianceLoss(Tweedie(1.0), Log()).value(y, f[0])

    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return those of (4)."""
        mu = np.exp(f[0])
        return [Gradients.of(weighted(mu - y, w), weighted(mu, w), threads=threads)]


@dataclass(frozen=True)
class GammaLoss(HistogramLoss):
    """Half the deviance of a gamma law with mean e^f (5)."""

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the log of the mean."""
        return np.log([max(mean_of(y, w), TINY)])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (5) less its least value."""
        return DevianceLoss(Tweedie(2.0), Log()).value(y, f[0])

    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return those of (5)."""
        h = y * np.exp(-f[0])
        return [Gradients.of(weighted(1 - h, w), weighted(h, w), threads=threads)]


@dataclass(frozen=True)
class LogisticLoss(HistogramLoss):
    """The loss of two classes, y = 0 and 1 (6)."""

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the log odds."""
        p = np.clip(mean_of(y, w), 1e-15, 1 - 1e-15)
        return np.array([np.log(p / (1 - p))])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (6)."""
        return np.logaddexp(0, f[0]) - y * f[0]

    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return those of (6)."""
        if w is None:
            return [Gradients.logistic(y, f[0], threads)]
        p = expit(f[0])
        return [Gradients.of(w * (p - y), w * p * (1 - p), threads=threads)]


@dataclass(frozen=True)
class SoftmaxLoss(HistogramLoss):
    """The loss of K classes, y = 0..K-1 (7)."""

    classes: int = 3

    @property
    def outputs(self) -> int:
        """One score for each class."""
        return self.classes

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the logs of the shares, centred."""
        n = np.bincount(y.astype(np.int64), weights=w, minlength=self.classes)
        f = np.log(np.maximum(n / n.sum(), 1e-15))
        return f - f.mean()

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (7)."""
        return CrossEntropy().value(y.astype(np.int64), f.T)

    def gradients(
        self, y: Floats, f: Floats, w: Floats | None, threads: int
    ) -> list[Gradients]:
        """Return those of (7)."""
        P = softmax(f, axis=0)
        bounds = (1.0, 0.25) if w is None else None
        found = []
        for k, p in enumerate(P):
            g, h = weighted(p - (y == k), w), weighted(p * (1 - p), w)
            found.append(Gradients.of(g, h, bounds, threads))
        return found


def leaf_quantiles(
    r: Floats, w: Floats | None, leaf: Vector, leaves: int, q: float
) -> Floats:
    """Return the q-quantile of the residuals in each leaf, 0 where there is none.

    Without weights between two of them, as NumPy's; with weights the smallest residual
    that has at least the share q of the leaf's weight at or below it.
    """
    order = np.lexsort((r, leaf))
    r, leaf = r[order], leaf[order]
    ends = np.searchsorted(leaf, np.arange(leaves), side="right")
    starts = np.append(0, ends[:-1])
    filled = np.flatnonzero(ends > starts)
    found = np.zeros(leaves)
    a, b = starts[filled], ends[filled]
    if w is None:
        at = a + q * (b - a - 1)
        low = np.floor(at).astype(np.int64)
        high = np.minimum(low + 1, b - 1)
        found[filled] = r[low] + (at - low) * (r[high] - r[low])
        return found
    total = np.append(0.0, np.cumsum(w[order]))
    goal = total[a] + q * (total[b] - total[a])
    at = np.searchsorted(total[1:], goal * (1 - 1e-15), side="left")
    found[filled] = r[np.clip(at, a, b - 1)]
    return found
