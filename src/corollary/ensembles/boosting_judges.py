"""Judges of a boosting fit: scores of training and held-out rows after each step.

A fit rests once no score of the last k steps is above the one before them:

    max(s_{t-k+1}, ..., s_t) <= s_{t-k} + tol                                    (1)

A judge keeps the scores f of its rows, so that a step costs one tree, and asks any rule
of scikit-learn's through a stand-in that answers from f.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, is_classifier
from sklearn.metrics import accuracy_score, get_scorer, r2_score

from corollary.core.arrays import Floats, Vector
from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import GrownTree

__all__ = ["Judge", "follow", "judged_by", "rests"]


@dataclass
class Judge:
    """Scores of held-out or training rows after each step, higher is better."""

    codes: Vector | None  # (d, n), None = the training rows themselves
    y: Floats
    f: Floats  # (K, n) scores so far
    w: Floats | None
    score: Callable[[Judge], float]
    found: list[float]


def rests(scores: list[float], k: int, tol: float) -> bool:
    """Apply (1)."""
    return len(scores) > k and bool(max(scores[-k:]) <= scores[-k - 1] + tol)


def follow(judge: Judge, bins: Bins, grown: list[GrownTree]) -> None:
    """Move the scores of held-out rows too, and judge them."""
    if judge.codes is not None:
        step = BoostedTrees.of(bins, np.zeros(len(grown)), grown)
        judge.f += step.coded_scores(judge.codes, 1).T
    judge.found.append(judge.score(judge))


def judged_by(
    model: Any, answers: Callable[[Floats], Floats]
) -> Callable[[Judge], float]:
    """Return the score that `scoring` names; `answers` makes answers of scores."""
    if model.scoring == "loss":
        return lambda judge: -model.chosen_loss(judge.y).mean(judge.y, judge.f, judge.w)
    stand_in = Answering(model, answers)
    named = model.scoring
    rule = Answering.score if named is None else get_scorer(named)

    def score(judge: Judge) -> float:
        y, given = judge.y, {} if judge.w is None else {"sample_weight": judge.w}
        if is_classifier(model):
            y = model.classes_[y.astype(np.int64)]
        return float(rule(stand_in, judge.f.T, y, **given))

    return score


class Answering(BaseEstimator):
    """Stands for a model whose rows are given by their scores."""

    def __init__(self, model: Any, answers: Callable[[Floats], Floats]) -> None:
        self.model, self.answers = model, answers
        if is_classifier(model):
            self.classes_ = model.classes_

    def __sklearn_tags__(self) -> Any:
        return self.model.__sklearn_tags__()

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict_proba(self, f: Floats) -> Floats:
        """Return the probabilities of a classifier."""
        return self.answers(f)

    def predict(self, f: Floats) -> Vector:
        """Return labels, or means."""
        found = self.answers(f)
        return (
            self.classes_[found.argmax(axis=1)] if is_classifier(self.model) else found
        )

    def score(self, f: Floats, y: Any, sample_weight: Any = None) -> float:
        """Return accuracy or R^2."""
        of = accuracy_score if is_classifier(self.model) else r2_score
        return float(of(y, self.predict(f), sample_weight=sample_weight))
