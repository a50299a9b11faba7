"""The two models of a run: the champion, and the simple one with its price.

The champion is the blend, each member refitted to all training rows.  The simple model
is readable (linear, additive, a small tree) and chosen by the rule of one standard
error: of the readable models, with losses L_j and the best L_b among them,

    the least complex j  with  L_j - L_b <= s.e. of the paired difference          (1)

Its price is L_simple - L_champion, with the standard error of that difference: what is
paid for being able to read the model.

References: Breiman and others (1984), 3.4.3; Hastie, Tibshirani, Friedman (2009), 7.10.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import VotingClassifier, VotingRegressor
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Bunch

from corollary.core.arrays import Floats
from corollary.workbench.blending import Blend
from corollary.workbench.trials import FoldedTable, Trial, fitted_pipeline

__all__ = [
    "Price",
    "price",
    "refit_seconds",
    "refitted",
    "simple_trial",
]


@dataclass(frozen=True)
class Price:
    """What a simple model costs: the difference of mean losses, and its error."""

    loss: float
    standard_error: float

    @property
    def certain(self) -> bool:
        """Whether the difference is larger than two standard errors."""
        return self.loss > 2 * self.standard_error


def refit_seconds(best: Blend, simple: Trial, folded: FoldedTable, rows: int) -> float:
    """Return about how long it takes to refit the two models to so many rows."""
    fold = len(folded.y) * (1 - 1 / len(folded.splits))
    each = {t.name: t.seconds / len(folded.splits) for t in (*best.trials, simple)}
    return sum(each.values()) * rows / fold


def refitted(best: Blend, simple: Trial, folded: FoldedTable) -> tuple[Any, Any]:
    """Refit the champion and the simple model to all training rows.

    A learner that is in both is fitted once.  Those that are prepared alike come one
    after the other, so that rows of one preparation are held at a time.

    Parameters
    ----------
    best : Blend
        Its members vote.
    simple : Trial
    folded : FoldedTable
    """
    learners = {t.name: t.candidate for t in (*best.trials, simple)}
    models, held = dict[str, Any](), dict[str, Any]()
    for name in sorted(learners, key=lambda name: learners[name].preparation):
        models[name] = fitted_pipeline(learners[name], folded, held)
    members = [models[t.name] for t in best.trials]
    return (
        voting(members, best.weights, folded),
        voting([models[simple.name]], (1.0,), folded),
    )


def voting(members: list[Any], weights: Sequence[float], folded: FoldedTable) -> Any:
    """Return fitted models as one, which knows the labels of the codes."""
    names = [f"model{place}" for place in range(len(members))]
    pairs = list(zip(names, members, strict=True))
    if folded.classes is None:
        vote: Any = VotingRegressor(pairs, weights=list(weights))
    else:
        vote = VotingClassifier(pairs, voting="soft", weights=list(weights))
        vote.le_ = LabelEncoder().fit(folded.classes)
        vote.classes_ = vote.le_.classes_
    vote.estimators_ = members
    vote.named_estimators_ = Bunch(**dict(pairs))
    return vote


def simple_trial(trials: Sequence[Trial]) -> Trial:
    """Choose the simple model by (1)."""
    readable = [t for t in trials if t.candidate.readable]
    best = min(readable, key=lambda t: t.loss)
    for trial in sorted(readable, key=lambda t: (t.candidate.complexity, t.loss)):
        paid = price(trial.losses, best.losses)
        if trial is best or paid.loss <= paid.standard_error:
            return trial
    return best


def price(simple: Floats, champion: Floats) -> Price:
    """Return the mean of paired differences of losses, with its standard error."""
    difference = simple - champion
    error = float(np.std(difference, ddof=1) / np.sqrt(len(difference)))
    return Price(float(difference.mean()), error)
