"""The two models of a run: the champion, and the simple one with its price.

The champion is the blend.  Members that a few other rows change much (boosted trees)
answer by the mean of their models of all folds, where these fit into time and memory,

    f(x) = (1/K) sum_k f_k(x),    f_k fitted without the rows of fold k            (2)

which varies less than one model of all rows (Breiman, 1996); a loss is convex, so the
out-of-fold losses are those of the f_k, and the mean is expected to do no worse.  All
other members are refitted to all training rows.  A blend of classes is softened by its
last member, the shares of the classes, which weighs as much as one row (`blending.py`).

The simple model is readable (linear, additive, a small tree) and chosen by the rule of
one standard error: of the readable models, with losses L_j and the best L_b among them,

    the least complex j  with  L_j - L_b <= s.e. of the paired difference          (1)

Its price is L_simple - L_champion, with the standard error of that difference: what is
paid for being able to read the model.

References: Breiman (1996); Breiman and others (1984), 3.4.3; Hastie, Tibshirani,
Friedman (2009), 7.10.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.ensemble import VotingClassifier, VotingRegressor
from sklearn.preprocessing import LabelEncoder
from sklearn.utils import Bunch

from corollary.core.arrays import Floats
from corollary.workbench.blending import Blend
from corollary.workbench.ladder import base
from corollary.workbench.trials import PREPARED, FoldedTable, Trial, fitted_pipeline

__all__ = [
    "Price",
    "price",
    "refit_seconds",
    "refitted",
    "simple_trial",
]

AVERAGED = frozenset(
    {"boosting", "boosting of counts", "boosting of logarithms"}
)  # families that answer by (2)
MOST_AVERAGED = 50_000  # rows, above which one model varies little
SLOWER = 1.5  # than in the race, fits may be: preparations are fitted again


@dataclass(frozen=True)
class Price:
    """What a simple model costs: the difference of mean losses, and its error."""

    loss: float
    standard_error: float

    @property
    def certain(self) -> bool:
        """Whether the difference is larger than two standard errors."""
        return self.loss > 2 * self.standard_error


def refit_seconds(trials: Iterable[Trial], folded: FoldedTable, rows: int) -> float:
    """Return about how long it takes to refit models to so many rows."""
    fold = len(folded.y) * (1 - 1 / len(folded.splits))
    each = [trial.seconds / len(folded.splits) for trial in trials]
    return sum(each) * rows / fold


def refitted(
    best: Blend, simple: Trial, folded: FoldedTable, until: float = -np.inf
) -> tuple[Any, Any]:
    """Fit the champion, whose members vote, and the simple model.

    A learner that is in both is fitted once.  Those that are prepared alike come one
    after the other, so that rows of one preparation are held at a time.

    Parameters
    ----------
    best : Blend
    simple : Trial
    folded : FoldedTable
        All training rows.
    until : float
        Time, as `time.monotonic` tells it, by which models of all folds must be done;
        members for which it does not suffice have one model of all rows.
    """
    models = averaged(best.trials, folded, until)
    learners = {t.name: t.candidate for t in (*best.trials, simple)}
    if folded.classes is not None:
        prior = replace(base("classification")[0], most_rows=PREPARED)
        learners[prior.name] = prior
    held: dict[str, Any] = {}
    for one in sorted(learners.values(), key=lambda c: (c.preparation, c.most_rows)):
        if one.name not in models:
            models[one.name] = fitted_pipeline(one, folded, held)
    members, weights = [models[t.name] for t in best.trials], list(best.weights)
    if folded.classes is not None:
        members.append(models[prior.name])
        weights = [*(len(best.answers) * w for w in weights), 1.0]
    return (
        voting(members, weights, folded),
        voting([models[simple.name]], (1.0,), folded),
    )


def averaged(
    trials: Sequence[Trial], folded: FoldedTable, until: float
) -> dict[str, Any]:
    """Fit models of all folds (2) for members that vary, as long as time suffices."""
    parts, codes = held_apart(folded), folded
    if folded.classes is not None:
        codes = replace(folded, classes=folded.codes)
    found: dict[str, Any] = {}
    for place, trial in enumerate(trials):  # heaviest first
        if trial.candidate.family in AVERAGED and parts:
            seconds = refit_seconds(trials[place + 1 :], folded, len(folded.y))
            if time.monotonic() + SLOWER * trial.seconds + seconds < until:
                models = [fitted_pipeline(trial.candidate, *part) for part in parts]
                found[trial.name] = voting(models, (1.0,) * len(models), codes)
    return found


def held_apart(folded: FoldedTable) -> list[tuple[FoldedTable, dict[str, Any]]]:
    """Return the training rows of each fold with their preparations, for (2).

    There are none where rows are many, or where a fold does not know a class.
    """
    if len(folded.y) > MOST_AVERAGED:
        return []
    parts = [
        replace(folded, table=folded.table.take(at), y=folded.y[at], splits=())
        for at, _ in folded.splits
    ]
    known = None if folded.classes is None else len(folded.classes)
    if known and any(len(np.unique(part.y)) < known for part in parts):
        return []
    return [(part, {}) for part in parts]


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
