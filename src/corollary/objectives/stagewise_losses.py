"""Losses for stagewise fits: where to begin, where to go, and the best value of a cell.

A stagewise fit adds functions to a score f, K numbers a row.  Of a loss it asks

    f_0    = argmin_c sum_i w_i L(y_i, c)               the best constant        (1)
    r_i    = -dL(y_i, f_i)/df                           pseudo-residuals         (2)
    v_j    ~ argmin_v sum_{i in cell j} w_i L(y_i, f_i + v)                      (3)

where cells are the leaves of a tree that was fitted to r.  By loss:

    loss           f_0                      v of a cell
    squared        mean                     mean of r
    absolute       median                   median of y - f
    quantile q     q-quantile               q-quantile of y - f
    Huber          median                   median m, then m + mean of y - f - m clipped
    logistic       log(n+ / n-)             sum r / sum p (1 - p)
    exponential    1/2 log(n+ / n-)         sum r / sum e^{-y f}
    multinomial    log shares, centred      (K-1)/K sum r / sum p (1 - p), each class
    Poisson        log mean                 log(sum y / sum e^f)
    gamma          log mean                 log(sum y e^{-f} / sum 1)

all sums weighted.  Squared, absolute, quantile, Poisson and gamma solve (3); the others
make one step of Newton's method (Huber one of Friedman's) from v = 0.  Huber's bend is
the q-quantile of |y - f|, found anew before every stage.  Where several values are
best, as for the median of an even number, the middle one is taken.

Labels of two classes are -1 and +1; f of the logistic loss is the log-odds, of the
exponential half of them.  A share of exactly 0 would make f_0 infinite and cannot come.

Notation: F (n, K) scores; R (n, K) = r; w (n,) weights.
Course: S2-26. References: Friedman (2001); Friedman, Hastie and Tibshirani (2000).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from corollary.core.arrays import Floats, Vector
from corollary.core.hooks import hook
from corollary.objectives.class_losses import CrossEntropy
from corollary.objectives.deviance_loss import DevianceLoss
from corollary.objectives.families import Tweedie
from corollary.objectives.links import Log
from corollary.objectives.loss import ScoreLoss
from corollary.objectives.margin_losses import Exponential, Logistic
from corollary.objectives.residual_losses import Absolute, Huber, Quantile, Squared
from corollary.objectives.softmax import softmax

__all__ = [
    "Cells",
    "DevianceStages",
    "ExponentialStages",
    "HuberStages",
    "LogisticStages",
    "MultinomialStages",
    "QuantileStages",
    "SquaredStages",
    "StagewiseLoss",
    "absolute_stages",
]

FLAT = 1e-150  # curvature that is 0
LOWEST = 5.0  # step down where all counts of a cell are 0, and no finite v is best
LEAST = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class Cells:
    """A partition of some rows, with their weights."""

    cell: Vector  # (n,) 0, ..., m - 1
    m: int
    w: Floats  # (n,)

    def sums(self, values: Any) -> Floats:
        """Return the weighted sum of each cell, (m,)."""
        found = np.bincount(self.cell, self.w * values, self.m)
        return found.astype(np.float64, copy=False)

    def means(self, values: Any) -> Floats:
        """Return the weighted mean of each cell, 0 of an empty one, (m,)."""
        return ratio(self.sums(values), self.sums(1.0))

    def quantiles(self, values: Floats, q: float) -> Floats:
        """Return the weighted q-quantile of each cell, 0 of an empty one, (m,).

        Where all values between two neighbours are quantiles, the middle is taken.
        """
        order = np.lexsort((values, self.cell))
        sums = np.cumsum(self.w[order])
        ends = np.cumsum(np.bincount(self.cell, minlength=self.m))
        begins = np.concatenate([[0], ends[:-1]])
        some = ends > begins
        before = np.concatenate([[0.0], sums])[begins]
        total = np.concatenate([[0.0], sums])[ends] - before
        goal, slack = before + q * total, 1e-12 * (sums[-1] if len(sums) else 0.0)
        last = np.maximum(ends - 1, 0)
        low = np.minimum(np.searchsorted(sums, goal - slack, side="left"), last)
        high = np.minimum(np.searchsorted(sums, goal + slack, side="right"), last)
        found = values[order]
        middle = 0.5 * (found[low] + found[high]) if len(found) else np.zeros(self.m)
        return np.where(some, middle, 0.0)


@dataclass(frozen=True)
class StagewiseLoss(ABC):
    """A loss of targets y (n,) and scores F (n, K)."""

    factor: ClassVar[float] = 1.0  # of the scores: 2 for a deviance

    @property
    def K(self) -> int:
        """Scores of a row."""
        return 1

    @abstractmethod
    def values(self, y: Vector, F: Floats) -> Floats:
        """Return L of each row, (n,)."""

    @abstractmethod
    def residuals(self, y: Vector, F: Floats) -> Floats:
        """Return r of (2), (n, K)."""

    @abstractmethod
    def start(self, y: Vector, w: Floats) -> Floats:
        """Return f_0 of (1), (K,)."""

    @abstractmethod
    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return v of (3) for the k-th score of each cell, (m,)."""

    @hook
    def prepared(self, y: Vector, F: Floats, w: Floats) -> StagewiseLoss:
        """Return the loss as it is for the next stage."""
        return self

    @hook
    def scores_of(self, answers: Floats) -> Floats:
        """Return scores (n, K) of means (n,), or of probabilities (n, c)."""
        return np.asarray(answers, float).reshape(len(answers), -1)

    @hook
    def answers_of(self, F: Floats) -> Floats:
        """Return the means (n,), or the probabilities (n, c), of scores."""
        return F[:, 0]

    def mean(self, y: Vector, F: Floats, w: Floats) -> float:
        """Return the weighted mean of L, times `factor`."""
        return self.factor * float(np.average(self.values(y, F), weights=w))


class OneScore(StagewiseLoss):
    """One score a row, and a loss of it."""

    loss: ScoreLoss

    def values(self, y: Vector, F: Floats) -> Floats:
        """Return L of each row."""
        return self.loss.value(y, F[:, 0])

    def residuals(self, y: Vector, F: Floats) -> Floats:
        """Return -dL/df."""
        return -self.loss.derivative(y, F[:, 0])[:, None]


@dataclass(frozen=True)
class SquaredStages(OneScore):
    """The squared loss; its score is the mean of squares, not half of it.

    >>> y, w = np.array([1.0, 2.0, 6.0]), np.ones(3)
    >>> SquaredStages().start(y, w).tolist()
    [3.0]
    """

    loss: ScoreLoss = field(default_factory=Squared)
    factor: ClassVar[float] = 2.0

    def start(self, y: Vector, w: Floats) -> Floats:
        """Return the mean."""
        return np.array([np.average(y, weights=w)])

    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return the means of r."""
        return cells.means(R[:, k])


@dataclass(frozen=True)
class QuantileStages(OneScore):
    """The quantile loss.

    >>> y, w = np.array([1.0, 2.0, 6.0, 7.0]), np.ones(4)
    >>> QuantileStages(Quantile(0.9), 0.9).start(y, w).tolist()
    [7.0]
    """

    loss: ScoreLoss = field(default_factory=lambda: Quantile(0.5))
    q: float = 0.5

    def start(self, y: Vector, w: Floats) -> Floats:
        """Return the quantile."""
        return whole(y, w).quantiles(y.astype(np.float64), self.q)

    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return the quantiles of y - f."""
        return cells.quantiles(y - F[:, 0], self.q)


def absolute_stages() -> QuantileStages:
    """Return the stages of the absolute loss, whose quantile is the median."""
    return QuantileStages(Absolute(), 0.5)


@dataclass(frozen=True)
class HuberStages(OneScore):
    """Huber's loss, with the bend at the q-quantile of the absolute residuals."""

    loss: ScoreLoss = field(default_factory=lambda: Huber(1.0))
    q: float = 0.9

    def prepared(self, y: Vector, F: Floats, w: Floats) -> HuberStages:
        """Put the bend at the quantile of |y - f|."""
        delta = whole(y, w).quantiles(np.abs(y - F[:, 0]), self.q)
        return replace(self, loss=Huber(max(float(delta[0]), LEAST)))

    def start(self, y: Vector, w: Floats) -> Floats:
        """Return the median."""
        return whole(y, w).quantiles(y.astype(np.float64), 0.5)

    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return medians of y - f, moved by the mean of what is left, clipped."""
        off = y - F[:, 0]
        middle = cells.quantiles(off, 0.5)
        assert isinstance(self.loss, Huber)
        delta = self.loss.delta
        return middle + cells.means(np.clip(off - middle[cells.cell], -delta, delta))


class TwoClasses(OneScore):
    """A loss of the margin, whose score tells the log-odds."""

    odds: ClassVar[float]  # f of log-odds 1

    def start(self, y: Vector, w: Floats) -> Floats:
        """Return `odds` times the log-odds of the shares."""
        positive = float(w[y > 0].sum())
        shares = np.array([positive, float(w.sum()) - positive])
        return np.array([self.odds * float(-np.diff(np.log(shares))[0])])

    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return a step of Newton's method."""
        return ratio(cells.sums(R[:, k]), cells.sums(self.loss.curvature(y, F[:, 0])))

    def scores_of(self, answers: Floats) -> Floats:
        """Return scores of the probabilities of both classes."""
        eps = float(np.finfo(np.float64).eps)
        p = np.clip(answers[:, 1], eps, 1 - eps)
        return (self.odds * (np.log(p) - np.log1p(-p)))[:, None]

    def answers_of(self, F: Floats) -> Floats:
        """Return the probabilities of both classes."""
        p = expit(F[:, 0] / self.odds)
        return np.column_stack([1 - p, p])


@dataclass(frozen=True)
class LogisticStages(TwoClasses):
    """The logistic loss of labels -1, +1; its score is the deviance.

    >>> y, w = np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4)
    >>> LogisticStages().start(y, w).round(6).tolist()  # log 3
    [1.098612]
    """

    loss: ScoreLoss = field(default_factory=Logistic)
    factor: ClassVar[float] = 2.0
    odds: ClassVar[float] = 1.0


@dataclass(frozen=True)
class ExponentialStages(TwoClasses):
    """The exponential loss of labels -1, +1.

    >>> y, w = np.array([1.0, 1.0, 1.0, -1.0]), np.ones(4)
    >>> ExponentialStages().start(y, w).round(6).tolist()  # half of log 3
    [0.549306]
    """

    loss: ScoreLoss = field(default_factory=Exponential)
    odds: ClassVar[float] = 0.5


@dataclass(frozen=True)
class DevianceStages(OneScore):
    """Half the deviance of counts (power 1) or amounts (power 2), by the logarithm."""

    loss: ScoreLoss = field(default_factory=lambda: DevianceLoss(Tweedie(1.0), Log()))
    factor: ClassVar[float] = 2.0

    @property
    def power(self) -> float:
        """The power of the variance."""
        assert isinstance(self.loss, DevianceLoss)
        assert isinstance(self.loss.family, Tweedie)
        return float(self.loss.family.power)

    def start(self, y: Vector, w: Floats) -> Floats:
        """Return the logarithm of the mean."""
        return np.log([max(float(np.average(y, weights=w)), LEAST)])

    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return the v at which the slope of the cell is 0."""
        p, f = self.power, F[:, 0]
        above = cells.sums(y * np.exp((1 - p) * f))
        below = cells.sums(np.exp((2 - p) * f))
        some = (above > 0) & (below > 0)
        found = np.log(np.where(some, above, 1.0) / np.where(some, below, 1.0))
        return np.where(some, found, np.where(below > 0, -LOWEST, 0.0))

    def scores_of(self, answers: Floats) -> Floats:
        """Return the logarithms of means."""
        return np.log(np.maximum(np.asarray(answers, float), LEAST)).reshape(-1, 1)

    def answers_of(self, F: Floats) -> Floats:
        """Return the means."""
        return np.exp(F[:, 0])


@dataclass(frozen=True)
class MultinomialStages(StagewiseLoss):
    """The cross-entropy of codes 0, ..., K - 1.

    >>> MultinomialStages(3).start(np.array([0, 1, 1, 2]), np.ones(4)).round(4).tolist()
    [-0.231, 0.4621, -0.231]
    """

    classes: int = 3

    @property
    def K(self) -> int:
        """One score for each class."""
        return self.classes

    def values(self, y: Vector, F: Floats) -> Floats:
        """Return -log softmax(f)_y."""
        return CrossEntropy().value(y, F)

    def residuals(self, y: Vector, F: Floats) -> Floats:
        """Return 1[k = y] - p_k."""
        return -CrossEntropy().derivative(y, F)

    def start(self, y: Vector, w: Floats) -> Floats:
        """Return the logarithms of the shares, whose sum is 0."""
        logs = np.log(np.maximum(np.bincount(y, w, self.K) / w.sum(), LEAST))
        return logs - logs.mean()

    def cell_values(
        self, cells: Cells, y: Vector, F: Floats, R: Floats, k: int
    ) -> Floats:
        """Return a step of Newton's method with the diagonal of the curvature."""
        p = (y == k) - R[:, k]
        step = ratio(cells.sums(R[:, k]), cells.sums(p * (1 - p)))
        return (self.K - 1) / self.K * step

    def scores_of(self, answers: Floats) -> Floats:
        """Return the logarithms of probabilities, whose sum is 0."""
        eps = float(np.finfo(np.float64).eps)
        logs = np.log(np.clip(answers, eps, 1 - eps))
        return logs - logs.mean(axis=1, keepdims=True)

    def answers_of(self, F: Floats) -> Floats:
        """Return the probabilities."""
        return softmax(F)


def whole(y: Vector, w: Floats) -> Cells:
    """Return all rows as one cell."""
    return Cells(np.zeros(len(y), np.intp), 1, w)


def ratio(above: Floats, below: Floats) -> Floats:
    """Divide; 0 where there is nothing to divide by."""
    some = np.abs(below) > FLAT
    return np.where(some, above / np.where(some, below, 1.0), 0.0)
