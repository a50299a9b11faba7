"""Rounds of AdaBoost: a member, its votes, and the weights of the rows after it.

The equation numbers are those of `ada_boost_classifier.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import names_checked
from corollary.core.errors import DataError, sentence
from corollary.ensembles.members import class_probabilities
from corollary.ensembles.weak_learners import WeakLearner, codes_among

__all__ = ["Round", "member_votes", "next_turn", "updated"]

LARGEST = 700.0  # logarithm of a number that is one
LEAST = 1e-15  # probability that a member may give a class, in (9)


class Round(NamedTuple):
    """A member that is kept."""

    member: Any
    error: float  # (1)
    weight: float  # a of (8)
    Z: float = 1.0


class Turn(NamedTuple):
    """What a round does to the rows."""

    kept: Round
    gains: Floats  # (n,) y~'h / C of the member's scores h
    votes: Floats  # (n, C) h, or (n,) a y g for two classes that vote


def next_turn(
    model: Any, weak: WeakLearner, D: Floats, rounds: list[Round]
) -> Turn | None:
    """Fit a member that is better than chance; None where there is none."""
    C, rate, y, eps = model.n_classes_, model.learning_rate, weak.y, 1.0
    for attempt in weak.attempts(D, len(rounds)):
        wrong = attempt.answers != y
        eps = float(D[wrong].sum())  # (1)
        if C == 1 or eps < 1 - 1 / C:
            break
    else:
        if not rounds:
            must = "the first member must be better than chance"
            came = f"an error of {eps:.4g} with {C} classes, worse than random"
            raise DataError(sentence(model, must, came, "Use another estimator."))
        return None
    member, codes = attempt
    if model.algorithm == "SAMME.R" and C > 1:
        h = rate * log_leads(class_probabilities(member, weak.X, model.classes_))
        gains = h[np.arange(len(y)), y] / (C - 1)
        return Turn(Round(member, eps, rate), gains, h)
    if eps <= 0:
        a = 1.0 + sum(each.weight for each in rounds)
    else:
        a = rate * float(np.log((1 - eps) / eps) + np.log(max(C - 1, 1)))  # (8)
    gains = np.where(wrong, -a / C, a * (C - 1) / C)
    return Turn(Round(member, eps, a), gains, votes_of(codes, wrong, a, C))


def updated(D: Floats, gains: Floats) -> tuple[Floats, float]:
    """Return D of the next round and Z (3), for gains of any size."""
    least = float(gains.min())
    E = D * np.exp(least - gains)
    total = float(E.sum())
    if total == 0:  # rows without weight alone are wrong, and the others vanish
        return D, np.inf
    log_Z = np.log(total) - least
    return E / total, float(np.exp(log_Z)) if log_Z < LARGEST else np.inf


def votes_of(codes: Vector, wrong: Vector, a: float, C: int) -> Floats:
    """Return a y g for two classes, (n,); else what each class is given, (n, C)."""
    if C <= 2:
        return np.where(wrong, -a, a)
    F = np.zeros((len(codes), C))
    F[np.arange(len(codes)), codes] = a
    return F


def log_leads(P: Floats) -> Floats:
    """Return h of (9)."""
    logs = np.log(np.maximum(P, LEAST))
    C = P.shape[1]
    return (C - 1) * (logs - logs.mean(axis=1, keepdims=True))


def member_votes(model: Any, t: int, X: Any) -> Floats:
    """Return the scores that the member of round t adds, (n, C)."""
    C, weight = model.n_classes_, model.estimator_weights_[t]
    member = model.estimators_[t]
    if C == 1:
        return np.zeros((X.shape[0], 1))
    with names_checked():
        if model.algorithm == "SAMME.R":
            return weight * log_leads(class_probabilities(member, X, model.classes_))
        codes = codes_among(model.classes_, member.predict(X))
    F = np.full((len(codes), C), -weight / (C - 1))
    F[np.arange(len(codes)), codes] = weight
    return F
