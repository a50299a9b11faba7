"""A stage of a pipeline that does harm, as a verdict.

Also known as: ablation of a pipeline.

Each stage before the learner is left out, and where columns are not scaled a scaler is
put in.  A stage that destroys what the target depends on is told by two losses at once:
without it the model does better on rows held out and no worse on training rows,

    L(without) < L(with)   and   T(without) <= T(with)                           (1)

A stage that only gives the learner more to choose from (polynomials, many bins) fails
the second: leaving it out raises the training loss, and the fault is variance.

Course: S4-69. Reference: Ng (2018), Machine Learning Yearning, ch. 53-57.
"""

from __future__ import annotations

from sklearn.pipeline import Pipeline

from corollary.diagnostics.evidence import Case, Finding, Tried, strength
from corollary.diagnostics.variants import Variant, clone_step, scaled
from corollary.diagnostics.verdict import Action

__all__ = ["judge_stages", "without_stages"]

SLACK = 0.02  # of the training loss that (1) forgives
WORTH_LOOKING = 0.1


def judge_stages(case: Case, excess: float) -> list[Finding]:
    """Tell whether a stage of the pipeline does harm (1)."""
    if excess < WORTH_LOOKING:
        return []
    variants = [*without_stages(case.model), *scaled(case.model)]
    limit = case.own.training * (1 + SLACK)
    tried = [one for one in case.try_all(variants) if one.result.training <= limit]
    if not tried:
        return []
    best = tried[0]
    sure = strength(best.gain, best.error, case.matters)
    evidence = (sentence_of(case, best),)
    actions = tuple(
        action_of(case, one)
        for one in tried[:2]
        if one.gain > max(case.matters, one.error)
    )
    return [Finding("bad_stage", sure, evidence, actions)]


def without_stages(model: object) -> list[Variant]:
    """Return a pipeline without each of its stages in turn."""
    if not isinstance(model, Pipeline):
        return []
    found = []
    for i, (name, stage) in enumerate(model.steps[:-1]):
        if stage is None or isinstance(stage, str):
            continue
        rest = [(key, clone_step(step)) for key, step in model.steps]
        del rest[i]
        words = f"without {name} ({type(stage).__name__})"
        found.append(Variant("replace_stage", words, Pipeline(rest)))
    return found


def sentence_of(case: Case, tried: Tried) -> str:
    """Say what leaving a stage out brings."""
    words = tried.variant.words
    return (
        f"{words[0].upper()}{words[1:]}: the loss falls from "
        f"{case.own.mean:.4g} to {tried.result.mean:.4g} out of fold (standard error "
        f"{tried.error:.2g}), from {case.own.training:.4g} to "
        f"{tried.result.training:.4g} on training rows."
    )


def action_of(case: Case, tried: Tried) -> Action:
    """Return a variant as an action."""
    key = tried.variant.key
    words = "Scale the features" if key == "scale" else "Leave a stage out"
    text = f"{words}: {tried.variant.words}."
    why = f"The loss falls by {tried.gain:.3g} out of fold."
    return Action(key, text, why, model=tried.variant.model)
