"""Evidence of a diagnosis: what was measured, by whom ever.

`diagnose` measures what it needs.  A caller that has out-of-fold predictions already,
as the workbench has, hands them over in an `Evidence`, and only the rest is measured.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr
from sklearn.base import is_classifier

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.coded_matrix import Coded
from corollary.diagnostics.judged_loss import JudgedLoss, mean_and_error
from corollary.diagnostics.out_of_fold import Folds, OutOfFold, out_of_fold
from corollary.diagnostics.variants import Variant
from corollary.diagnostics.verdict import Action

__all__ = ["Case", "Evidence", "Finding", "Tried", "probability", "strength"]

LATE = "The time was up before everything was tried."
SURE = 2.2  # standard errors from which an effect is no chance
DEAR = 0.4  # of the time left that one more model may take
GAIN = 0.05  # of its loss that a model may gain before it matters
RANGE = 0.01  # of what a constant loses more
FAILURES = (
    ValueError,
    TypeError,
    ArithmeticError,
    MemoryError,
    AttributeError,
    TimeoutError,
)


@dataclass(frozen=True)
class Evidence:
    """What is known of a model before, or after, a diagnosis; all may be None.

    Attributes
    ----------
    loss : str or function
        The loss that `losses` are of, as in `diagnose`.
    rows : array of row numbers
        Which rows were looked at, where not all were; all else is of them.
    groups : array
        Of the rows looked at.
    folds : sequence of (training rows, test rows)
        By which everything is measured.
    structured : bool
        Whether scores are taken by groups or times already: then it is no fault that a
        random split would flatter.
    losses : array of shape (n,)
        Loss of each row out of fold; NaN for rows that were in no test fold.
    training : float or array
        Mean loss on the training rows, or one for each fold.
    predicted : array of shape (n,)
        Classes or numbers out of fold.
    probabilities : array of shape (n, K)
        Out of fold, in the order of the sorted labels.
    references : dict of str to array of shape (n,)
        Losses of other models by the same folds.
    baseline : array of shape (n,)
        Losses of the best constant.
    half : array of shape (n,)
        Losses of the model fitted to half of the training rows.
    learning_curve : object
        With `sizes` and `validation`, the mean losses at them.
    leaks : Leaks
        What `find_leaks` found.
    drift : Drift
        What `drift` found between the training and the test rows.
    """

    loss: Any = None
    rows: Any = None
    groups: Any = None
    folds: Any = None
    structured: bool = False
    losses: Any = None
    training: Any = None
    predicted: Any = None
    probabilities: Any = None
    references: Mapping[str, Any] | None = None
    baseline: Any = None
    half: Any = None
    learning_curve: Any = None
    leaks: Any = None
    drift: Any = None


@dataclass(frozen=True)
class Finding:
    """A fault that may be there: how likely, on what evidence, and what to do.

    Attributes
    ----------
    name : str
        Of `remedies.FAULTS`.
    strength : float in [0, 1]
        Probability that the fault is there and matters.
    evidence : tuple of str
    actions : tuple of Action
    """

    name: str
    strength: float
    evidence: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()


class Tried(NamedTuple):
    """What a variant brings over the model, and by what standard error."""

    variant: Variant
    gain: float
    error: float
    result: OutOfFold


@dataclass(eq=False)
class Case:
    """A model, its rows, and what has been measured of them so far."""

    model: Any
    X: Any
    y: Vector
    coded: Coded
    loss: JudgedLoss
    folds: Folds
    known: Evidence
    own: OutOfFold
    groups: Any = None
    time: Any = None
    test: Any = None
    seed: int = 0
    deadline: float = np.inf
    baseline: Floats = field(default_factory=lambda: np.empty(0))
    references: dict[str, Floats] = field(default_factory=dict)
    fits: dict[str, OutOfFold] = field(default_factory=dict)
    best: Floats = field(default_factory=lambda: np.empty(0))
    best_name: str = ""
    notes: list[str] = field(default_factory=list)
    stated: Any = None  # the loss that the user named
    rows: Vector | None = None  # that are looked at, None for all

    @property
    def classes(self) -> bool:
        """Whether the targets are classes."""
        return bool(is_classifier(self.model))

    @property
    def late(self) -> bool:
        """Whether the time is used up."""
        return clock.perf_counter() > self.deadline

    @property
    def matters(self) -> float:
        """The least gain over the model's loss that is worth a change."""
        loss, constant = self.own.mean, float(np.nanmean(self.baseline))
        return max(GAIN * loss, RANGE * abs(constant - loss))

    def judge(self, model: Any, X: Any = None, cost: float = 1.0) -> OutOfFold | None:
        """Judge another model by the same folds; None if it fails or time is up.

        `cost` is the time of a fit, in times of the model's own.
        """
        needed = cost * self.own.seconds * len(self.folds)
        if self.late or needed > DEAR * (self.deadline - clock.perf_counter()):
            self.notes += [] if LATE in self.notes else [LATE]
            return None
        try:
            rows = self.X if X is None else X
            return out_of_fold(
                model, rows, self.y, self.folds, self.loss, deadline=self.deadline
            )
        except FAILURES:
            return None

    def try_all(self, variants: Iterable[Variant]) -> list[Tried]:
        """Judge variants by the same folds; return them by gain, the best first."""
        found = []
        for variant in variants:
            result = self.judge(variant.model, cost=variant.cost)
            if result is not None:
                gain, error = self.gain(result.losses)
                found.append(Tried(variant, gain, error, result))
        return sorted(found, key=lambda one: -one.gain)

    def gain(self, losses: Floats, over: Floats | None = None) -> tuple[float, float]:
        """Return how much lower losses are than the model's, and the standard error."""
        before = self.own.losses if over is None else over
        return mean_and_error(before - losses, None, self.groups)


def strength(effect: float, error: float, matters: float = 0.0) -> float:
    """Return how likely an effect is both there and worth something.

    It is 1/2 where the effect is just what matters, or just `SURE` standard errors.

    >>> round(strength(0.3, 0.1, 0.1), 4), round(strength(0.1, 0.1), 4)
    (0.7881, 0.1151)
    """
    return probability(effect - max(matters, SURE * error), error)


def probability(effect: float, error: float) -> float:
    """Return the probability that an effect is above 0, given its standard error.

    >>> round(probability(1.0, 0.5), 4)
    0.9772
    """
    if not np.isfinite(effect):
        return 0.0
    if not error > 0:
        return float(effect > 0)
    return float(ndtr(effect / error))
