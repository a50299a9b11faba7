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

Sums over rows are exact, maxima are, and everything else is of one row alone: what a
loss says of all rows can be put together from chunks of them, to the bit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from scipy.special import expit

from corollary.core.arrays import Floats, Vector
from corollary.core.hooks import hook
from corollary.engine.exact_sum import ExactMean, ExactSum
from corollary.objectives.deviance_loss import DevianceLoss
from corollary.objectives.families import Tweedie
from corollary.objectives.links import Log
from corollary.objectives.residual_losses import Quantile, Squared
from corollary.trees.histogram_tree import Gradients, Scale

__all__ = [
    "GammaLoss",
    "HistogramLoss",
    "LogisticLoss",
    "PoissonLoss",
    "QuantileLoss",
    "SoftmaxLoss",
    "SquaredLoss",
    "class_totals",
    "leaf_quantiles",
    "weight_units",
    "weighted_rank",
]

TINY = float(np.finfo(np.float64).tiny)
#: Gradients and hessians of one output after the other.
Slopes: TypeAlias = Iterable[tuple[Floats, Floats | None]]


def weighted(x: Floats, w: Floats | None) -> Floats:
    """Return w x."""
    return x if w is None else w * x


def class_totals(y: Floats, w: Floats | None, classes: int) -> Any:
    """Return the exact weight of the rows of each class, (K,) of `ExactSum`."""
    own = np.ones(len(y)) if w is None else w
    totals = np.empty(classes, object)
    totals[:] = [ExactSum.of(own[y == k]) for k in range(classes)]
    return totals


@dataclass(frozen=True)
class HistogramLoss(ABC):
    """A loss of targets y (n,) and scores f (K, n)."""

    @property
    def outputs(self) -> int:
        """How many scores a row has."""
        return 1

    @hook
    def evidence(self, y: Floats, w: Floats | None) -> Any:
        """Return what the constants of least loss follow from; it adds up."""
        return ExactMean.of(y, w)

    @abstractmethod
    def base_of(self, evidence: Any) -> Floats:
        """Return the constants of least loss, (K,)."""

    @hook
    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the constants of least loss of some rows, (K,)."""
        return self.base_of(self.evidence(y, w))

    @abstractmethod
    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return the loss of each row, (n,)."""

    @abstractmethod
    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return the gradients and the hessians (None = all 1) of each output."""

    @hook
    def bounds(self, w: Floats | None) -> tuple[float, float] | None:
        """Return the largest gradient and hessian that there can be, if known."""
        return None

    @hook
    def gradients(
        self,
        y: Floats,
        f: Floats,
        w: Floats | None,
        threads: int,
        scales: list[Scale] | None = None,
    ) -> list[Gradients]:
        """Return the integer gradients of each output; `scales` are of all rows."""
        slopes, bounds = self.slopes(y, f, w), self.bounds(w)
        each = [None] * self.outputs if scales is None else scales
        return [
            Gradients.of(g, h, bounds, threads, scale)
            for (g, h), scale in zip(slopes, each, strict=True)
        ]

    def largest(self, y: Floats, f: Floats, w: Floats | None) -> Floats:
        """Return the largest gradients and hessians in size, (K, 2)."""
        found = np.zeros((self.outputs, 2))
        if self.bounds(w) is None:
            for k, pair in enumerate(self.slopes(y, f, w)):
                found[k] = [0 if x is None else np.abs(x).max(initial=0) for x in pair]
        return found

    @hook
    def quantile(self) -> float | None:
        """Return the quantile of its residuals that a leaf takes, if it takes one."""
        return None

    def losses(self, y: Floats, f: Floats, w: Floats | None) -> ExactMean:
        """Return the mean loss, which adds up."""
        return ExactMean.of(self.rows(y, f), w)

    def mean(self, y: Floats, f: Floats, w: Floats | None) -> float:
        """Return the mean loss."""
        return float(self.losses(y, f, w))


@dataclass(frozen=True)
class SquaredLoss(HistogramLoss):
    """Half the squared error (1)."""

    def base_of(self, evidence: ExactMean) -> Floats:
        """Return the mean."""
        return np.array([float(evidence)])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (1)."""
        return Squared().value(y, f[0])

    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return those of (1)."""
        return [(weighted(f[0] - y, w), w)]


@dataclass(frozen=True)
class QuantileLoss(HistogramLoss):
    """The loss of the q-quantile (3); the absolute error (2) is twice the median's."""

    q: float = 0.5
    factor: float = 1.0  # 2 for (2)

    def base_of(self, evidence: Any) -> Floats:
        """Return the quantile, which is no sum."""
        return np.array([float(evidence)])

    def base(self, y: Floats, w: Floats | None) -> Floats:
        """Return the q-quantile."""
        one = np.zeros(len(y), np.int32)
        return leaf_quantiles(y, w, one, 1, self.q)

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (3)."""
        return self.factor * Quantile(self.q).value(y, f[0])

    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return those of (3); a row that is met wants to rise."""
        g = self.factor * np.where(y < f[0], 1 - self.q, -self.q)
        return [(weighted(g, w), w)]

    def quantile(self) -> float:
        """Return q."""
        return self.q


@dataclass(frozen=True)
class PoissonLoss(HistogramLoss):
    """Half the deviance of counts with mean e^f (4)."""

    def base_of(self, evidence: ExactMean) -> Floats:
        """Return the log of the mean."""
        return np.log([max(float(evidence), TINY)])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (4) less its least value."""
        return DevianceLoss(Tweedie(1.0), Log()).value(y, f[0])

    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return those of (4)."""
        mu = np.exp(f[0])
        return [(weighted(mu - y, w), weighted(mu, w))]


@dataclass(frozen=True)
class GammaLoss(HistogramLoss):
    """Half the deviance of a gamma law with mean e^f (5)."""

    def base_of(self, evidence: ExactMean) -> Floats:
        """Return the log of the mean."""
        return np.log([max(float(evidence), TINY)])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (5) less its least value."""
        return DevianceLoss(Tweedie(2.0), Log()).value(y, f[0])

    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return those of (5)."""
        h = y * np.exp(-f[0])
        return [(weighted(1 - h, w), weighted(h, w))]


@dataclass(frozen=True)
class LogisticLoss(HistogramLoss):
    """The loss of two classes, y = 0 and 1 (6)."""

    def base_of(self, evidence: ExactMean) -> Floats:
        """Return the log odds."""
        p = np.clip(float(evidence), 1e-15, 1 - 1e-15)
        return np.array([np.log(p / (1 - p))])

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (6)."""
        return np.logaddexp(0, f[0]) - y * f[0]

    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return those of (6)."""
        p = expit(f[0])
        return [(weighted(p - y, w), weighted(p * (1 - p), w))]

    def bounds(self, w: Floats | None) -> tuple[float, float] | None:
        """Return those of (6)."""
        return (1.0, 0.25) if w is None else None

    def gradients(
        self,
        y: Floats,
        f: Floats,
        w: Floats | None,
        threads: int,
        scales: list[Scale] | None = None,
    ) -> list[Gradients]:
        """Return those of (6), without weights in one loop."""
        if w is None:
            scale = None if scales is None else scales[0]
            return [Gradients.logistic(y, f[0], threads, scale)]
        return super().gradients(y, f, w, threads, scales)


@dataclass(frozen=True)
class SoftmaxLoss(HistogramLoss):
    """The loss of K classes, y = 0..K-1 (7)."""

    classes: int = 3

    @property
    def outputs(self) -> int:
        """One score for each class."""
        return self.classes

    def evidence(self, y: Floats, w: Floats | None) -> Any:
        """Return the weight of each class."""
        return class_totals(y, w, self.classes)

    def base_of(self, evidence: Any) -> Floats:
        """Return the logs of the shares, centred."""
        n = evidence.astype(np.float64)
        f = np.log(np.maximum(n / n.sum(), 1e-15))
        return f - f.mean()

    def rows(self, y: Floats, f: Floats) -> Floats:
        """Return (7)."""
        top, _, total = exponentials(f)
        own = np.take_along_axis(f, y.astype(np.int64)[None], axis=0)[0]
        return top + np.log(total) - own

    def slopes(self, y: Floats, f: Floats, w: Floats | None) -> Slopes:
        """Return those of (7)."""
        _, E, total = exponentials(f)
        shares = E / total
        return (
            (weighted(p - (y == k), w), weighted(p * (1 - p), w))
            for k, p in enumerate(shares)
        )

    def bounds(self, w: Floats | None) -> tuple[float, float] | None:
        """Return those of (7)."""
        return (1.0, 0.25) if w is None else None


def exponentials(f: Floats) -> tuple[Floats, Floats, Floats]:
    """Return m = max_k f_k, e^(f - m) and its sum over k, in the order of k."""
    top = f.max(axis=0)
    E = np.exp(f - top)
    total = E[0].copy()
    for e in E[1:]:
        total += e
    return top, E, total


def weight_units(w: Floats, rows: int, largest: float) -> Vector:
    """Return weights as whole numbers, whose sums over all rows are exact."""
    bits = 62 - max(1, int(rows).bit_length())
    return np.maximum(1, np.rint(w * (2.0**bits / largest))).astype(np.int64)


def weighted_rank(q: float, total: Any) -> Any:
    """Return the units of weight below the one that has the share q at or below it."""
    below = np.ceil(q * np.asarray(total) * (1 - 1e-15)).astype(np.int64) - 1
    return np.clip(below, 0, np.maximum(total - 1, 0))


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
        at = q * (b - a - 1)
        whole = np.floor(at).astype(np.int64)
        low, high = r[a + whole], r[np.minimum(a + whole + 1, b - 1)]
        found[filled] = low + (at - whole) * (high - low)
        return found
    units = weight_units(w[order], len(w), float(w.max()))
    total = np.append(0, np.cumsum(units))
    goal = total[a] + weighted_rank(q, total[b] - total[a])
    found[filled] = r[np.searchsorted(total[1:], goal, side="right")]
    return found
