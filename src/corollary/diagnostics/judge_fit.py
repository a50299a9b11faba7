"""Too stiff, too flexible, or too few rows: what the losses say.

Also known as: bias-variance diagnosis, underfitting and overfitting.

A model has the mean loss T on its training rows, L out of fold; other models on the
same columns reach L* (`references`), a constant reaches B.  Its excess

    L - L* = bias + variance,     variance = min(L - L*, (L - T) / 2)            (1)

For least squares with d coefficients T = s (1 - d/n) and L = s (1 + d/n) in the mean:
half of the gap is what estimation costs.  So it is for the nearest neighbour, with T =
0 and L = 2 s.  The excess matters if

    L - L* > r L*   and   L - L* > q (B - L*)                                    (2)

Turning the model's own knobs (`variants`) says more than (1): a stiffer variant that
does better proves variance, a more flexible one bias.  Where nothing does better and

    s (L(n/2) - L(n)) > t L(n)                                                   (3)

more rows are what lacks.  Out of fold n counts 4/5 of the rows; where a loss falls as
a + b / n, all rows twice save s = 2/5 of what the second half of them saved.

Course: S4-64. References: Efron (1986); Hastie, Tibshirani, Friedman (2009), 7.2, 7.4.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.randomness import generator
from corollary.diagnostics.evidence import (
    FAILURES,
    LATE,
    Case,
    Finding,
    Tried,
    strength,
)
from corollary.diagnostics.judged_loss import mean_and_error
from corollary.diagnostics.out_of_fold import out_of_fold
from corollary.diagnostics.references import REFERENCE_WORDS, reference_pipeline
from corollary.diagnostics.variants import Variant, looser, stiffer
from corollary.diagnostics.verdict import Action

__all__ = ["Excess", "excess_of", "judge_fit", "judge_rows", "judge_signal"]

MATTERS = 0.10  # r of (2): a loss that is so much higher matters
TWICE, SAVES = 0.4, 0.08  # s and t of (3)
OF_RANGE = 0.02  # q of (2)
WORTH_LOOKING = 0.1  # strength of an excess from which variants are tried
MOST = 4  # variants of each kind
CLEAR = 0.05  # share of variance, or of bias, below which no knob is turned for it


class Excess(NamedTuple):
    """The excess (1) of a model over the references."""

    value: float
    error: float
    matters: float  # the least value that matters (2)
    variance: float  # its share of the excess, 0 to 1
    strength: float  # how likely it is that it matters


def excess_of(case: Case) -> Excess:
    """Return the excess of the model over the best reference (1), (2)."""
    value, error = case.gain(case.best)
    low = float(np.nanmean(case.best))
    high = float(np.nanmean(case.baseline))
    matters = max(MATTERS * low, OF_RANGE * max(high - low, 0.0), 1e-12 * abs(high))
    gap = max(case.own.mean - case.own.training, 0.0)
    share = float(np.clip(gap / 2 / value, 0.0, 1.0)) if value > 0 else 0.0
    return Excess(value, error, matters, share, strength(value, error, matters))


def judge_fit(case: Case, excess: Excess) -> list[Finding]:
    """Tell high bias and high variance by (1) and by turning knobs."""
    if excess.strength < WORTH_LOOKING:
        return []
    stiff = [] if excess.variance < CLEAR else stiffer(case.model)
    loose = [] if excess.variance > 1 - CLEAR else looser(case.model)
    down, up = (case.try_all(spread_out(side, MOST)) for side in (stiff, loose))
    variance = share_of_variance(excess, down, up)
    low = float(np.nanmean(case.best))
    measured = (
        f"The loss is {case.own.mean:.4g} out of fold and {case.own.training:.4g} on "
        f"training rows; {case.best_name} reaches {low:.4g} out of fold "
        f"(difference {excess.value:.3g}, standard error {excess.error:.2g})."
    )
    findings = []
    for name, share, tried, key in (
        ("high_variance", variance, down, "stable_model"),
        ("high_bias", 1 - variance, up, "flexible_model"),
    ):
        evidence = [measured]
        better = [one for one in tried if one.gain > max(case.matters, one.error)]
        if better:
            first = better[0]
            evidence.append(
                f"With {first.variant.words} the loss falls by {first.gain:.3g} "
                f"(standard error {first.error:.2g})."
            )
        actions = [(one.gain, knob_action(one)) for one in better[:2]]
        actions.append((excess.value, reference_action(case, key, excess)))
        ranked = [action for _, action in sorted(actions, key=lambda one: -one[0])]
        sure = excess.strength * min(1.0, 2 * share) if share >= 0.3 else 0.0
        findings.append(Finding(name, sure, tuple(evidence), tuple(ranked)))
    return findings


def spread_out(variants: list[Variant], most: int) -> list[Variant]:
    """Return at most so many variants, evenly spaced over the list."""
    if len(variants) <= most:
        return variants
    at = np.unique(np.linspace(0, len(variants) - 1, most).round().astype(int))
    return [variants[i] for i in at]


def share_of_variance(excess: Excess, down: list[Tried], up: list[Tried]) -> float:
    """Return the share of variance, by knobs where they decide, else by (1)."""
    stiff, loose = (
        max((strength(t.gain, t.error, excess.matters / 2) for t in side), default=0.0)
        for side in (down, up)
    )
    if max(stiff, loose) < 0.7 or abs(stiff - loose) < 0.3:
        return excess.variance
    knobs = 1.0 if stiff > loose else 0.0
    return 0.3 * excess.variance + 0.7 * knobs


def knob_action(tried: Tried) -> Action:
    """Return an action that turns a knob."""
    more = tried.variant.key == "more_penalty"
    words = f"Make the model {'stiffer' if more else 'more flexible'}: "
    why = f"The loss falls by {tried.gain:.3g} out of fold."
    words += f"{tried.variant.words}."
    return Action(tried.variant.key, words, why, model=tried.variant.model)


def reference_action(case: Case, key: str, excess: Excess) -> Action:
    """Return the advice to use the kind of model that did best."""
    kind = "more flexible" if key == "flexible_model" else "steadier"
    why = f"Out of fold its loss is lower by {excess.value:.3g}."
    name = REFERENCE_WORDS.get(case.best_name, case.best_name)
    words = f"Use a {kind} model, such as {name}."
    return Action(key, words, why, model=reference_pipeline(case, case.best_name))


# -- rows ------------------------------------------------------------------------------
def judge_rows(case: Case, excess: Excess) -> list[Finding]:
    """Tell whether more rows are what lacks (3)."""
    measured = fall_of(case)
    if measured is None:
        return []
    fall, error = measured
    low, high = case.own.mean, float(np.nanmean(case.baseline))
    saved, doubt = TWICE * fall, TWICE * error
    matters = max(SAVES * low, OF_RANGE * max(high - low, 0.0))
    sure = strength(saved, doubt, matters) * (1 - excess.strength)
    n = len(case.y)
    evidence = (
        f"With half of the rows the loss is {low + fall:.4g}, with all {n} {low:.4g} "
        f"(difference {fall:.3g}, standard error {error:.2g}): it still falls.",
        "No other model tried does clearly better with the rows that there are.",
    )
    why = f"Twice as many may save {saved:.3g}."
    action = Action("more_rows", "Get more rows.", why)
    return [Finding("little_data", sure, evidence, (action,))]


def fall_of(case: Case) -> tuple[float, float] | None:
    """Return how much the loss falls from half of the rows to all, and its error."""
    curve = case.known.learning_curve
    if curve is not None and case.known.half is None and len(curve.sizes) > 1:
        sizes, losses = np.asarray(curve.sizes), np.asarray(curve.validation)
        fall = float(np.interp(sizes[-1] / 2, sizes, losses) - losses[-1])
        spread = np.asarray(curve.validation_se)[-1] if fall else 0.0
        return fall, float(spread) / 2  # both ends are judged by the same rows
    half = half_losses(case)
    if half is None:
        return None
    return mean_and_error(half - case.own.losses, None, case.groups)


def half_losses(case: Case) -> Floats | None:
    """Return the losses of the model fitted to half of each training fold."""
    if case.known.half is not None:
        return np.asarray(case.known.half, dtype=np.float64)
    if case.late:
        case.notes += [] if LATE in case.notes else [LATE]
        return None
    rng = generator(case.seed, 64)

    def halved(train: Vector) -> tuple[Vector, Vector, None]:
        some = rng.permutation(train)[: max(2, len(train) // 2)]
        return some, case.y[some], None

    try:
        return out_of_fold(
            case.model,
            case.X,
            case.y,
            case.folds,
            case.loss,
            change=halved,
            deadline=case.deadline,
        ).losses
    except FAILURES:
        return None


# -- signal ----------------------------------------------------------------------------
def judge_signal(case: Case) -> list[Finding]:
    """Tell whether the columns tell anything of the target at all.

    The model itself may read what the others cannot, such as texts.
    """
    for losses in (case.own.losses, case.best):
        value, error = case.gain(losses, case.baseline)
        if value > 2 * error:
            return []
    if case.loss.function is not None:
        return []
    if case.classes and np.unique(case.y, return_counts=True)[1].min() < 50:
        return []  # too few to tell
    text = (
        f"None of {len(case.references)} models does clearly better than a constant, "
        f"which loses {np.nanmean(case.baseline):.4g} (best gain {value:.3g}, standard "
        f"error {error:.2g})."
    )
    action = Action("more_features", "Add columns that tell the target.", "")
    return [Finding("no_signal", 0.6, (text,), (action,))]
