"""An optimiser that is not done, as a verdict.

Also known as: convergence check, algorithm against objective.

A fit of ours says in its report why it stopped; others leave `n_iter_`, which has
reached `max_iter` where the steps were used up.  Neither says whether it matters, so
the optimiser is run longer, with other steps and on scaled columns (`variants`), and
linear models are solved by Newton's method instead: if a variant that minimises the
same objective better does better on rows held out, the optimiser was the fault.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

from corollary.core.report import Report, StopReason
from corollary.diagnostics.evidence import (
    FAILURES,
    Case,
    Finding,
    Tried,
    probability,
    strength,
)
from corollary.diagnostics.out_of_fold import quiet_fit
from corollary.diagnostics.variants import (
    Variant,
    final,
    longer,
    scaled,
    with_final,
)
from corollary.diagnostics.verdict import Action
from corollary.linear.least_squares.ridge import Ridge
from corollary.linear.logistic.logistic_regression import LogisticRegression
from corollary.theory.certify import some_rows

__all__ = ["judge_optimizer", "not_done"]

SHORT = (StopReason.MAX_PASSES, StopReason.DIVERGED)
TOLD = 0.9
UNTOLD = 0.7  # of the strength, where the optimiser itself says that it is done
DESCENTS = ("SGDClassifier", "SGDRegressor", "GradientDescentRegressor")
WORDS = {
    "more_iterations": "Run the optimiser longer",
    "scale": "Scale the features",
    "newton": "Use Newton's method",
}


def judge_optimizer(case: Case, excess: float) -> list[Finding]:
    """Tell whether a model is worse than its own objective allows."""
    unfinished = not_done(fitted_models(case))
    variants = [*longer(case.model)]
    if unfinished:
        variants += scaled_and_longer(case.model)
    variants += newton(case)
    if not variants or (not unfinished and excess < 0.1):
        return []
    tried = case.try_all(variants)
    if not tried:
        return []
    best = tried[0]
    sure = strength(best.gain, best.error, case.matters)
    if unfinished:  # what the optimiser says of itself needs less proof
        sure = max(sure, TOLD * probability(best.gain - case.matters, best.error))
    else:
        sure *= UNTOLD
    evidence = [*unfinished[:1], sentence_of(best)]
    actions = [
        action_of(one) for one in tried[:2] if one.gain > max(case.matters, one.error)
    ]
    return [Finding("unconverged", sure, tuple(evidence), tuple(actions))]


def fitted_models(case: Case) -> list[Any]:
    """Return fitted clones of the model, one at least."""
    if case.own.models:
        return list(case.own.models)
    train = case.folds[0][0]
    try:
        return [
            quiet_fit(clone(case.model), some_rows(case.X, train), case.y[train])[0]
        ]
    except FAILURES:
        return []


def not_done(models: list[Any]) -> list[str]:
    """Say which parts of fitted models have used up their steps, or diverged."""
    found: dict[str, str] = {}
    for model in models:
        for part in parts(model):
            name = type(part).__name__
            report = getattr(part, "report_", None)
            if isinstance(report, Report):
                if report.stop in SHORT:
                    found[name] = f"{name} stopped because {report.stop.meaning}."
                continue
            steps, most = (
                getattr(part, "n_iter_", None),
                getattr(part, "max_iter", None),
            )
            if steps is None or not isinstance(most, int) or most < 1:
                continue
            if "Boosting" not in name and np.max(steps) >= most:
                found[name] = f"{name} used up its max_iter = {most} steps."
    return list(found.values())


def parts(model: Any) -> Iterator[Any]:
    """Yield a fitted model and what it is made of."""
    yield model
    if isinstance(model, Pipeline):
        for _, step in model.steps:
            yield from parts(step)
    for name in ("regressor_", "estimator_"):
        if hasattr(model, name):
            yield from parts(getattr(model, name))


def scaled_and_longer(model: Any) -> list[Variant]:
    """Return the model on scaled columns, also with more steps."""
    found = scaled(model)
    more = [v for one in found for v in longer(one.model)[:1]]
    words = [Variant("scale", f"scaled columns and {v.words}", v.model) for v in more]
    return [*found, *words]


def newton(case: Case) -> list[Variant]:
    """Return the linear model that a descent is looking for, solved exactly."""
    name = type(final(case.model)).__name__
    if name not in DESCENTS:
        return []
    loss = str(getattr(final(case.model), "loss", "squared_error"))
    if case.classes and loss != "log_loss":
        return []
    exact = LogisticRegression() if case.classes else Ridge(alpha=1e-3)
    words = f"{type(exact).__name__} in place of {name}"
    return [Variant("newton", words, with_final(case.model, exact))]


def sentence_of(tried: Tried) -> str:
    """Say what a variant brings."""
    return (
        f"With {tried.variant.words} the loss falls by {tried.gain:.3g} out of fold "
        f"(standard error {tried.error:.2g})."
    )


def action_of(tried: Tried) -> Action:
    """Return a variant as an action."""
    key = tried.variant.key
    words = f"{WORDS[key]}: {tried.variant.words}."
    return Action(key, words, sentence_of(tried), model=tried.variant.model)
