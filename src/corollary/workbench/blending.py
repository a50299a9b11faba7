"""Blending: a weighted mean of models, its weights chosen on out-of-fold answers.

Also known as: ensemble selection, greedy weights, stacked generalisation with votes.

From the best model on, one model is added at a time, with replacement, so that the mean

    F_t = ((t - 1) F_{t-1} + f_j) / t,     j = argmin_j mean loss of F_t           (1)

has the least loss; weights are the shares of the additions.  Of all F_t the best is
kept, the earliest where several are equal within rounding.  So that one lucky model
does not take all, this is done for 8 random halves of the models, and the weights are
averaged.  Of many models only the best take part: 3 of each family, and 15 in all.

No n rows show that something never happens.  So a blend of classes is softened: it
answers as if one row more had come, of a class at random,

    P = (n F + pi) / (n + 1),    pi the shares of the classes among n rows         (3)

which costs 1/n in log loss, and bounds what a confident error costs by log(n / pi).

Weights that were chosen on rows look better on them than they are.  So the blend is
judged by crossing: the rows are dealt into 4 parts, and those of each part are answered
with weights chosen on the other three

    L = (1/n) sum_i loss(y_i, sum_j w_j^(-part of i) f_ij)                          (2)

Notation: f (m, n, K) answers of m models.
References: Caruana, Niculescu-Mizil, Crew, Ksikes (2004); Wolpert (1992).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.randomness import generator
from corollary.workbench.judging import Metric
from corollary.workbench.trials import FoldedTable, Trial, sampled

__all__ = ["Blend", "blend", "contenders", "judged"]

STEPS = 30
LEAST_WEIGHT = 0.04
LEAST_MODELS = 5  # of a half
LOOKED_AT = 40_000  # numbers of each model on which weights are chosen
BAGS = 8  # random halves of the models
BEST, BEST_OF_FAMILY = 15, 3  # models that take part
PARTS = 4  # into which rows are dealt to judge the choice of weights


@dataclass(frozen=True)
class Blend:
    """A weighted mean of models.

    Attributes
    ----------
    trials : tuple of Trial
        Those with a weight, heaviest first.
    weights : tuple of float
        They sum to 1.
    answers, losses : arrays of shape (n, K) or (n,), and (n,)
        Of the blend, out of fold.
    crossed : array of shape (n,)
        Losses with weights that were chosen on other rows (2).
    """

    trials: tuple[Trial, ...]
    weights: tuple[float, ...]
    answers: Floats
    losses: Floats
    crossed: Floats

    @property
    def loss(self) -> float:
        """The mean loss."""
        return float(self.losses.mean())

    @property
    def name(self) -> str:
        """The model's name, or what it is a blend of."""
        if len(self.trials) == 1:
            return self.trials[0].name
        return f"blend of {len(self.trials)} models"


def blend(trials: Sequence[Trial], folded: FoldedTable, metric: Metric) -> Blend:
    """Choose weights of models by (1).

    Parameters
    ----------
    trials : sequence of Trial
        At least one.
    folded : FoldedTable
    metric : Metric
    """
    models = contenders(trials)
    most = LOOKED_AT if folded.classes is None else LOOKED_AT // len(folded.classes)
    at = sampled(len(folded.y), max(most, 1_000), folded.seed)
    f = softened(np.stack([trial.answers[at] for trial in models]), folded)
    weights = bagged_weights(f, folded.y[at], folded, metric)
    order = np.argsort(-weights, kind="stable")
    chosen = [j for j in order if weights[j] > 0]
    answers = softened(mixed(weights, models), folded)
    losses = metric.losses(folded.y, answers)
    only = softened(models[0].answers, folded)
    alone = metric.losses(folded.y, only)
    if losses.mean() >= alone.mean():  # on all rows the blend is no better
        return Blend((models[0],), (1.0,), only, alone, alone)
    return Blend(
        tuple(models[j] for j in chosen),
        tuple(float(weights[j]) for j in chosen),
        answers,
        losses,
        losses,
    )


def contenders(trials: Sequence[Trial]) -> list[Trial]:
    """Return the models that may be blended, best first."""
    models = sorted(trials, key=lambda trial: trial.loss)
    met: Counter[str] = Counter()
    chosen = []
    for place, trial in enumerate(models):
        met[trial.candidate.family] += 1
        if place < BEST or met[trial.candidate.family] <= BEST_OF_FAMILY:
            chosen.append(trial)
    return chosen


def judged(
    best: Blend, trials: Sequence[Trial], folded: FoldedTable, metric: Metric
) -> Blend:
    """Return the blend with its losses by weights of other rows (2)."""
    if len(best.trials) == 1:
        return best
    models = contenders(trials)
    n = len(folded.y)
    part = generator(folded.seed, 7).permutation(n) % PARTS
    crossed = np.empty(n)
    for one in range(PARTS):
        other, own = np.flatnonzero(part != one), np.flatnonzero(part == one)
        at = other[sampled(len(other), LOOKED_AT // 2, folded.seed)]
        f = softened(np.stack([trial.answers[at] for trial in models]), folded)
        w = bagged_weights(f, folded.y[at], folded, metric)
        answers = softened(mixed(w, models, own), folded)
        crossed[own] = metric.losses(folded.y[own], answers)
    return replace(best, crossed=crossed)


def softened(answers: Floats, folded: FoldedTable) -> Floats:
    """Return probabilities (..., K) as (3) has them, and numbers as they are."""
    if folded.classes is None:
        return answers
    n = len(folded.y)
    shares = np.bincount(folded.y, minlength=len(folded.classes)) / n
    return np.asarray((n * answers + shares) / (n + 1))


def mixed(weights: Floats, models: Sequence[Trial], rows: Any = slice(None)) -> Floats:
    """Return the weighted mean of answers."""
    used = [(w, model) for w, model in zip(weights, models, strict=True) if w > 0]
    return np.asarray(sum(w * model.answers[rows] for w, model in used))


def bagged_weights(f: Floats, y: Vector, folded: FoldedTable, metric: Metric) -> Floats:
    """Return the mean of greedy weights over random halves of the models."""
    m = len(f)
    if m <= LEAST_MODELS:
        return greedy_weights(f, y, metric)
    rng = generator(folded.seed, 8)
    weights = np.zeros(m)
    for _ in range(BAGS):
        some = np.sort(rng.permutation(m)[: max(m // 2, LEAST_MODELS)])
        weights[some] += greedy_weights(f[some], y, metric)
    return without_small(weights)


def without_small(weights: Floats) -> Floats:
    """Return weights that sum to 1, small ones dropped."""
    weights = weights / weights.sum()
    kept = np.where(weights < LEAST_WEIGHT, 0.0, weights)
    return kept / kept.sum() if kept.any() else weights


def greedy_weights(f: Floats, y: Vector, metric: Metric) -> Floats:
    """Return the weights of (1)."""
    m = len(f)
    counts, total = np.zeros(m), np.zeros_like(f[0])
    best_loss, best = np.inf, counts.copy()
    for step in range(1, STEPS + 1):
        losses = [
            float(metric.losses(y, (total + f[j]) / step).mean()) for j in range(m)
        ]
        j = int(np.argmin(losses))
        counts[j] += 1
        total += f[j]
        if losses[j] < best_loss * (1 - 1e-9):
            best_loss, best = losses[j], counts.copy()
    return without_small(best)
