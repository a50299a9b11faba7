"""The tightest box: learn a rectangle from its positives, in summation form.

Also known as: tightest-fit rectangle learner, bounding box learner, axis-aligned
rectangle.

The target is a box R of R^n; the learner answers with the smallest box R' around the
positives, the empty set where there is none:

    low_j = min_{i: y_i = 1} x_ij,     high_j = max_{i: y_i = 1} x_ij                (1)

R' lies inside R, so that it errs on positives only.  Its error is above epsilon only
where one of 2n strips of R, each of weight epsilon/2n or more, is hit by no example:

    Pr[err(R') > epsilon] <= 2n (1 - epsilon/2n)^m <= 2n exp(-epsilon m / 2n)        (2)
    m >= (2n/epsilon) ln(2n/delta)   suffices for (2) <= delta                       (3)

whatever the distribution, atoms included.  In the plane, epsilon = 0.1 and delta = 0.05
ask for 176 examples by (3), for 174 by the power in (2).

Strategy "midway" moves each face half the way to the nearest negative that it keeps
out: a negative counts for the face beyond which it lies farthest, and a face without
one stays.  It errs on both sides; (2) does not speak of it.

Where a negative lies inside R' no box agrees with all rows; the box (1) is kept, and
the report says so.  Extremes merge, so that any source will do; one more pass counts
the negatives inside.

Notation: low, high = low_, high_; m rows; n features.
Course: S0-51. References: Blumer, Ehrenfeucht, Haussler, Warmuth (1989); Kearns and
Vazirani (1994), 1.1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import array_like, missing, one_of, whole
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier
from corollary.core.vectors import numbers
from corollary.engine import Chunk, Data, Fitted, Settled, Statistics, SummationLearner
from corollary.theory.bound import Bound
from corollary.theory.two_classes import (
    labels_where,
    positive_code,
    publish_classes,
)

__all__ = ["TightestBox", "tightest_box_bound"]


@stored
@dataclass(frozen=True)
class PositiveRange(Statistics):
    """The extremes of the positives (1) and the number of all rows."""

    low: Floats  # (d,)
    high: Floats  # (d,)
    rows: int
    weight: float

    def __add__(self, other: PositiveRange) -> PositiveRange:
        low = np.minimum(self.low, other.low)
        high = np.maximum(self.high, other.high)
        rows, weight = self.rows + other.rows, self.weight + other.weight
        return PositiveRange(low, high, rows, weight)


@stored
@dataclass(frozen=True)
class Negatives(Statistics):
    """The weight of the negatives inside, and the room of each face."""

    inside: float
    below: Floats  # (d,) least distance of a negative that the lower face keeps out
    above: Floats  # (d,)

    def __add__(self, other: Negatives) -> Negatives:
        below = np.minimum(self.below, other.below)
        above = np.minimum(self.above, other.above)
        return Negatives(self.inside + other.inside, below, above)


@stored
@dataclass(frozen=True)
class BoxState:
    """The state: a box, and what was counted beside it."""

    positive: int  # code of the positive class, -1 where no row has it
    low: Floats
    high: Floats
    rows: int = 0
    weight: float = 0.0
    inside: float = 0.0


class TightestBox(SummationLearner, Classifier):
    """The smallest box around the positives, a classifier of two classes.

    Parameters
    ----------
    strategy : {'tightest', 'midway'}, default='tightest'
        The box (1), or one whose faces lie midway between it and the negatives.
    classes : pair of labels, optional
        The negative and the positive label, for rows that may lack one; by default
        the two labels of y, the second of which is positive.

    Attributes
    ----------
    classes_ : array of shape (2,)
    positive_ : int
        Which of `classes_` is the positive one, 0 or 1.
    low_, high_ : arrays of shape (d,)
        The box; `low_` is 1 and `high_` 0 where there is no positive: it is empty.
    realizable_ : bool
        Whether no negative lies in the tightest box.
    n_samples_seen_ : int
        Rows of a weight above 0.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import TightestBox
    >>> X = [[1.0, 1.0], [3.0, 2.0], [2.0, 4.0], [9.0, 1.0]]
    >>> model = TightestBox().fit(X, [1, 1, 1, 0])
    >>> model.low_.tolist(), model.high_.tolist()
    ([1.0, 1.0], [3.0, 4.0])
    >>> model.predict([[2.0, 3.0], [5.0, 1.0]]).tolist()
    [1, 0]
    >>> TightestBox(strategy="midway").fit(X, [1, 1, 1, 0]).high_.tolist()
    [6.0, 4.0]
    """

    shapes: ClassVar = {"classes_": "2", "low_": "d", "high_": "d"}
    rules: ClassVar = {
        "strategy": one_of("tightest", "midway"),
        "classes": missing | array_like,
    }

    def __init__(self, strategy: str = "tightest", *, classes: Any = None) -> None:
        self.strategy = strategy
        self.classes = classes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.classifier_tags.poor_score = True
        return tags

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> BoxState:
        """Begin with the empty box."""
        none = np.full(data.source.n_features, np.inf, dtype=data.source.dtype)
        return BoxState(positive_code(self), none, -none)

    def statistics(self, chunk: Chunk, state: BoxState) -> PositiveRange:
        """Find the extremes of the chunk's positives."""
        there = np.ones(chunk.n, dtype=bool) if chunk.w is None else chunk.w > 0
        P = chunk.X[there & (chunk.y == state.positive)]
        low = P.min(axis=0, initial=np.inf)
        high = P.max(axis=0, initial=-np.inf)
        weight = float(there.sum() if chunk.w is None else chunk.w.sum())
        return PositiveRange(low, high, int(there.sum()), weight)

    def update(self, s: PositiveRange, state: BoxState) -> BoxState:
        """Take the box (1)."""
        return replace(state, low=s.low, high=s.high, rows=s.rows, weight=s.weight)

    def settle(self, data: Data, state: BoxState) -> Settled:
        """Count the negatives inside, and move the faces where asked."""
        s: Negatives = data.reduce(partial(negatives, state=state))
        if self.strategy == "midway":
            low = state.low - np.where(np.isfinite(s.below), s.below / 2, 0)
            high = state.high + np.where(np.isfinite(s.above), s.above / 2, 0)
            dtype = state.low.dtype
            state = replace(state, low=low.astype(dtype), high=high.astype(dtype))
        error = s.inside / state.weight
        return Settled(replace(state, inside=s.inside), None, error)

    def account(self, state: BoxState, report: Report) -> None:
        """Report whether some box agrees with all rows."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["separated"] = state.inside == 0
        report.facts["n_errors"] = state.inside
        if state.inside > 0:
            report.warnings.append(
                "negatives lie inside the box of the positives: no box agrees with all "
                "rows, and its bound does not hold."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: BoxState = fitted.state
        publish_classes(self)
        empty = state.low[0] > state.high[0]
        self.low_ = np.ones_like(state.low) if empty else state.low
        self.high_ = np.zeros_like(state.high) if empty else state.high
        self.realizable_ = state.inside == 0
        self.n_samples_seen_ = state.rows

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the positive label inside the box, faces included."""
        X = self._query(X)
        inside = (self.low_ <= X) & (self.high_ >= X)
        return labels_where(self, np.asarray(inside.all(axis=1)))

    def error_bound(self, delta: float = 0.05) -> Bound:
        """Bound the error on new rows by (2).

        Parameters
        ----------
        delta : float, default=0.05
            How often the bound may fail.

        Returns
        -------
        Bound
            It holds for the tightest box where no negative is inside, if labels come
            from a box.
        """
        m = int(self.n_samples_seen_)
        value = tightest_box_bound(m=m, delta=delta, n_features=self.n_features_in_)
        assumptions = (
            "Rows are drawn independently, each with weight 1.",
            "The labels are those of some box.",
        )
        holds = bool(self.realizable_ and self.strategy == "tightest")
        source = "Blumer, Ehrenfeucht, Haussler, Warmuth (1989)"
        value = min(value, 1.0)
        return Bound("tightest box", value, delta, assumptions, source, holds=holds)


def negatives(chunk: Chunk, state: BoxState) -> Negatives:
    """Look at the chunk's negatives from the box."""
    d = len(state.low)
    w = np.ones(chunk.n) if chunk.w is None else chunk.w.astype(np.float64)
    rows = (chunk.y != state.positive) & (w > 0)
    below, above = np.full(d, np.inf), np.full(d, np.inf)
    if not rows.any() or state.low[0] > state.high[0]:
        return Negatives(0.0, below, above)
    X = chunk.X[rows].astype(np.float64)
    beyond = np.hstack([state.low - X, X - state.high])  # (n, 2d) above 0: kept out
    face = beyond.argmax(axis=1)
    room = beyond[np.arange(len(X)), face]
    inside = float(w[rows][room <= 0].sum())
    out = room > 0
    nearest = np.full(2 * d, np.inf)
    np.minimum.at(nearest, face[out], room[out])
    return Negatives(inside, nearest[:d], nearest[d:])


def tightest_box_bound(
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    *,
    n_features: int = 2,
    form: str = "power",
) -> Any:
    """Relate examples, error and failure of the tightest box; give two of three.

    Parameters
    ----------
    m : int or array, optional
        Examples.
    epsilon : float or array, optional
        Error, in (0, 1).
    delta : float or array, optional
        Probability of a larger error, in (0, 1).
    n_features : int, default=2
        n.
    form : {'power', 'exponential'}, default='power'
        The first or the second bound of (2).

    Returns
    -------
    int, float or array
        The one that is missing: m, the least that suffices; epsilon, which may be 1 or
        more; or delta, at most 1.

    Examples
    --------
    >>> from corollary.theory import tightest_box_bound
    >>> tightest_box_bound(epsilon=0.1, delta=0.05)
    174
    >>> tightest_box_bound(epsilon=0.1, delta=0.05, form="exponential")
    176
    >>> round(tightest_box_bound(m=174, epsilon=0.1), 4)
    0.0488
    """
    who = "tightest_box_bound"
    if (m is None) + (epsilon is None) + (delta is None) != 1:
        must = "give two of m, epsilon and delta"
        raise ParameterError(sentence(who, must, "another number of them"))
    if not whole(1).holds(n_features) or form not in ("power", "exponential"):
        must = (
            "n_features must be a whole number >= 1 and form 'power' or 'exponential'"
        )
        raise ParameterError(sentence(who, must, f"{n_features!r} and {form!r}"))
    k = 2 * int(n_features)
    m, epsilon, delta = _numbers(who, m), _share(who, epsilon), _share(who, delta)
    power = form == "power"
    if m is None:
        strip = -np.log1p(-epsilon / k) if power else epsilon / k
        found = np.ceil(np.log(k / delta) / strip * (1 - 1e-15))
        return int(found) if found.ndim == 0 else found.astype(np.int64)
    if epsilon is None:
        rate = np.log(k / delta) / m
        found = k * (-np.expm1(-rate) if power else rate)
    else:
        strip = np.log1p(-epsilon / k) if power else -epsilon / k
        found = np.minimum(k * np.exp(m * strip), 1.0)
    return float(found) if found.ndim == 0 else found


def _numbers(who: str, m: Any) -> Any:
    if m is None:
        return None
    value = numbers(who, m, "m", ParameterError)
    if not value.size or (value < 1).any() or (value != np.floor(value)).any():
        raise ParameterError(sentence(who, "m must be whole numbers >= 1", f"{m!r}"))
    return value


def _share(who: str, given: Any) -> Any:
    if given is None:
        return None
    value = numbers(who, given, "epsilon and delta", ParameterError)
    if not value.size or (value <= 0).any() or (value >= 1).any():
        must = "epsilon and delta must be in (0, 1)"
        raise ParameterError(sentence(who, must, f"{given!r}"))
    return value
