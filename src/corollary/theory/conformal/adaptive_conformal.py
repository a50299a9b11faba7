"""Adaptive conformal inference: sets on a stream that may change as it likes.

Also known as: ACI, online conformal prediction, conformal prediction under drift.

Nothing is assumed of the stream.  The level follows the misses: with err_t = 1 where
the set of level alpha_t misses y_t, and 0 where it holds it,

    alpha_{t+1} = alpha_t + gamma (delta - err_t)                                (1)

A set is everything for alpha_t <= 0, so that the next step is up, and nothing for
alpha_t >= 1, so that it is down; alpha_t stays in [-gamma, 1 + gamma].  Summing (1),

    | (1/T) sum_t err_t - delta |  <=  (max(alpha_1, 1 - alpha_1) + gamma) / (gamma T)
                                                                                 (2)

after any number T of rows, whoever chose them.  A larger gamma follows faster, with
levels that swing more.  Rows that come b at once share a level; then gamma in the
numerator of (2) is b gamma.

Notation: alpha_t = level; delta, the share of misses that is aimed at; gamma, step.
Reference: Gibbs and Candes (2021).
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import deque
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.randomness import generator
from corollary.theory.conformal.calibration import (
    Calibration,
    check_delta,
    conformal_rank,
)
from corollary.theory.conformal.conformal_classifier import (
    ConformalClassifier,
    sets_of,
)
from corollary.theory.conformal.conformal_regressor import ConformalRegressor

__all__ = ["AdaptiveConformal", "FollowedStream"]


@dataclass(frozen=True)
class FollowedStream:
    """What became of a stream.

    Attributes
    ----------
    levels : array of shape (T,)
        The level alpha_t of each row's set.
    thresholds : array of shape (T,)
        The score that its set reaches to: infinite for everything.
    missed : array of bool of shape (T,)
        Whether the set missed the truth.
    delta : float
        The share of misses that was aimed at.
    bound : float
        How far, at most, the share of misses is from it (2).
    """

    levels: Floats
    thresholds: Floats
    missed: Vector
    delta: float
    bound: float

    @property
    def miss_rate(self) -> float:
        """The share of rows whose set missed the truth."""
        return float(self.missed.mean())

    def __str__(self) -> str:
        return (
            f"{len(self.missed)} rows: missed {self.miss_rate:.4g}, aimed at "
            f"{self.delta:g}, within {self.bound:.4g} whatever the stream"
        )


class AdaptiveConformal:
    """Conformal sets on a stream, whose level follows the misses.

    Parameters
    ----------
    model : ConformalRegressor or ConformalClassifier
        Fitted, with one split and without groups, classes or a shift.
    delta : float, optional
        The share of misses to aim at; by default that of the model.
    gamma : float, default=0.01
        Step of the level (1).
    window : int, optional
        How many of the latest scores are the calibration scores; by default these stay
        as they are.

    Attributes
    ----------
    level : float
        alpha_t of the next set.
    rows : int
        Rows seen so far.
    miss_rate : float
        The share of misses so far.
    bound : float
        How far it is from delta, at most (2).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ConformalRegressor
    >>> from corollary.theory import AdaptiveConformal
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 1))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> model = ConformalRegressor(random_state=0).fit(X, y)
    >>> stream = AdaptiveConformal(model, gamma=0.05)
    >>> later = rng.normal(size=(2000, 1))
    >>> y = 3 * later[:, 0] + rng.normal(size=2000)  # the law has changed
    >>> print(stream.follow(later, y))
    2000 rows: missed 0.101, aimed at 0.1, within 0.0095 whatever the stream
    """

    def __init__(
        self,
        model: ConformalRegressor | ConformalClassifier,
        *,
        delta: float | None = None,
        gamma: float = 0.01,
        window: int | None = None,
    ) -> None:
        check_is_fitted(model)
        if len(model.calibrations_) != 1 or model.shifted_:
            must = "model must have one calibration: one split, no groups, no shift"
            came = f"a {type(model).__name__} with {len(model.calibrations_)}"
            raise ParameterError(sentence(self, must, came))
        for name, value, rule in (
            ("gamma", gamma, real(0, ends="(]")),
            ("window", window, whole(1)),
        ):
            if value is not None and not rule.holds(value):
                must = f"{name} must be {rule.words}"
                raise ParameterError(sentence(self, must, f"{value!r}"))
        self.model = model
        self.delta = check_delta(self, model.delta if delta is None else delta)
        self.gamma = float(gamma)
        self.level = self._first = self.delta
        self.rows, self._misses, self._widest = 0, 0, 1
        self._scores = Scores(model.calibrations_[0], window)
        self._asked: Any = None

    def predict_interval(self, X: Any) -> Floats:
        """Return intervals of the level of now, (n, 2); `update` tells their y.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of shape (n, 2)
        """
        model = self._of(ConformalRegressor, "predict_interval")
        X = model._asked(X)
        with model._bare():
            lower, upper = model._ends(X)
        q = self._scores.threshold(self.level)
        self._asked = X, q
        return np.column_stack([lower - q, upper + q])

    def predict_set(self, X: Any) -> Vector:
        """Return sets of the level of now, (n, K); `update` tells their y.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of bool of shape (n, K)
        """
        model = self._of(ConformalClassifier, "predict_set")
        X = model._asked(X)
        u = model._keyed(X) if model._by_chance() else None
        with model._bare():
            P = model._probabilities(model.estimator_, X)
        q = self._scores.threshold(self.level)
        self._asked = X, q
        return sets_of(model._scorer(), P, np.array([[q]]), u)

    def update(self, y: Any) -> float:
        """Learn the truth of the rows that were asked last, and move the level (1).

        Parameters
        ----------
        y : array of shape (n,)

        Returns
        -------
        float
            The level of the next set.
        """
        if self._asked is None:
            must = "update needs rows that a set was asked for"
            raise DataError(sentence(self, must, "none since the last update"))
        X, q = self._asked
        s = self._stream_scores(X, np.reshape(y, -1))
        self._asked = None
        self._widest = max(self._widest, len(s))
        for score in s.tolist():
            self._step(score, q)
        return self.level

    def follow(self, X: Any, y: Any) -> FollowedStream:
        """Go through a stream row by row: a set, its truth, the next level.

        Parameters
        ----------
        X : rows
        y : array of shape (T,)

        Returns
        -------
        FollowedStream
        """
        s = self._stream_scores(self.model._asked(X), y)
        begun = self.level
        levels, thresholds = np.empty(len(s)), np.empty(len(s))
        for t, score in enumerate(s.tolist()):
            levels[t] = self.level
            thresholds[t] = q = self._scores.threshold(self.level)
            self._step(score, q)
        missed = s > thresholds
        bound = self._bound(begun, 1, len(s))
        return FollowedStream(levels, thresholds, missed, self.delta, bound)

    @property
    def miss_rate(self) -> float:
        """The share of misses so far."""
        return self._misses / max(1, self.rows)

    @property
    def bound(self) -> float:
        """How far the share of misses is from delta, at most (2)."""
        return self._bound(self._first, self._widest, self.rows)

    def _bound(self, begun: float, widest: int, rows: int) -> float:
        far = max(begun, 1 - begun) + widest * self.gamma
        return min(1.0, far / (self.gamma * rows)) if rows else 1.0

    def _step(self, score: float, q: float) -> None:
        missed = score > q
        self.level += self.gamma * (self.delta - missed)  # (1)
        self.rows += 1
        self._misses += missed
        self._scores.add(score)

    def _stream_scores(self, X: Any, y: Any) -> Floats:
        """Return the scores of the truth, by the same draws as the sets."""
        model = self.model
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        targets = model._targets(y, n, known=True)
        with model._bare():
            if isinstance(model, ConformalRegressor):
                s = model._row_scores(X, targets)
            else:
                u = model._keyed(X) if model._by_chance() else None
                P = model._probabilities(model.estimator_, X)
                s = model._scorer().of_labels(P, targets, u)
        if np.isnan(s).any():
            row = int(np.isnan(s).argmax())
            raise DataError(
                sentence(self, "scores must be numbers", f"NaN in row {row}")
            )
        return s

    def _of(self, kind: type, method: str) -> Any:
        if not isinstance(self.model, kind):
            must = f"{method} needs a {kind.__name__}"
            raise ParameterError(sentence(self, must, f"a {type(self.model).__name__}"))
        return self.model


class Scores:
    """Calibration scores in order; those of a window, if one is asked for."""

    def __init__(self, first: Calibration, window: int | None) -> None:
        self.first, self.window = first, window
        n, size = first.rows, min(window or 0, first.rows)
        even = first.scores[np.linspace(0, n - 1, size).round().astype(int)]
        self.ordered: list[float] = even.tolist()
        self.latest = deque(generator(0).permutation(even).tolist())

    def threshold(self, level: float) -> float:
        """Return how far the set of a level reaches."""
        if self.window is None:
            return self.first.level(level)
        if not 0 < level < 1:
            return np.inf if level <= 0 else -np.inf
        k = conformal_rank(len(self.ordered), level)
        return self.ordered[k - 1] if k <= len(self.ordered) else np.inf

    def add(self, score: float) -> None:
        """Take one more score, and let go of the oldest."""
        if self.window is None:
            return
        self.latest.append(score)
        insort(self.ordered, score)
        if len(self.latest) > self.window:
            del self.ordered[bisect_left(self.ordered, self.latest.popleft())]
