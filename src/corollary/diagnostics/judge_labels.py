"""Wrong labels and rare classes, as verdicts.

Wrong labels are told by `label_lapses` on the out-of-fold probabilities of the best
reference.  A rare class is passed over if moving the decision to the odds of the
classes,

    predict  argmax_k P(k | x) / n_k   instead of   argmax_k P(k | x)            (1)

lowers the share of errors with every class counting the same, and by much.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from corollary.core.arrays import Floats
from corollary.decisions.cost_sensitive import CostSensitiveClassifier
from corollary.diagnostics.evidence import Case, Finding, strength
from corollary.diagnostics.judged_loss import (
    JudgedLoss,
    balanced_error,
    has_probabilities,
    mean_and_error,
)
from corollary.diagnostics.label_lapses import Lapses, label_lapses
from corollary.diagnostics.out_of_fold import out_of_fold
from corollary.diagnostics.references import reference_models
from corollary.diagnostics.verdict import Action

__all__ = ["judge_noise", "judge_skew", "sharp_probabilities"]

BRIER = JudgedLoss("brier", "Brier score", "probabilities")
LEAST_ROWS = 100
LEAST_SHARE = 0.03  # of wrong labels that matters
EVIDENCE = 7.5  # of (2) in `label_lapses`, at which a verdict is even
RARE = 0.2  # share of a class below which it is rare
BALANCED = 0.05  # balanced error that a moved decision must save


# -- wrong labels ----------------------------------------------------------------------
def judge_noise(case: Case) -> list[Finding]:
    """Tell whether labels are wrong where they could be known."""
    if not case.classes or len(case.y) < LEAST_ROWS:
        return []
    p = sharp_probabilities(case)
    if p is None:
        return []
    labels, codes = np.unique(case.y, return_inverse=True)
    found = label_lapses(p, codes.reshape(-1))
    if found.share < LEAST_SHARE / 3:
        return []
    size = float(np.clip((found.share - LEAST_SHARE / 3) / LEAST_SHARE, 0.0, 1.0))
    evidence = found.evidence * independent(case)
    sure = float(expit((evidence - EVIDENCE) / 1.8)) * size
    text = (
        f"About {found.share:.1%} of the labels are wrong: they contradict the columns "
        f"as often far from the boundary as near it (likelihood ratio "
        f"{found.evidence:.1f})."
    )
    return [Finding("label_noise", sure, (text,), cleaning(labels, found))]


def independent(case: Case) -> float:
    """Return the share of rows that count as independent: groups over rows."""
    if case.groups is None:
        return 1.0
    return len(np.unique(np.asarray(case.groups))) / len(case.y)


def sharp_probabilities(case: Case) -> Floats | None:
    """Return out-of-fold probabilities of the reference with the least Brier score."""
    codes = np.unique(case.y, return_inverse=True)[1].reshape(-1)
    target = np.eye(int(codes.max()) + 1)[codes]
    given = [fit.probabilities for fit in case.fits.values()]
    given.append(case.own.probabilities)
    there = [p for p in given if p is not None and np.isfinite(p).all()]
    if not there and not case.late:
        design = case.coded.design()
        model = reference_models(True, len(case.y), design.shape[1])["forest"][0]
        made = out_of_fold(model, design, case.y, case.folds, BRIER).probabilities
        there = [made] if made is not None else []
    judged = [p for p in there if (p.sum(axis=1) > 0.5).all()]
    if not judged:
        return None
    return min(judged, key=lambda p: float(((p - target) ** 2).sum()))


def cleaning(labels: Any, found: Lapses) -> tuple[Action, ...]:
    """Return the advice to correct the labels that are more likely wrong than not."""
    rows = np.flatnonzero(found.wrong > 0.5)
    if not len(rows):
        return (Action("clean_labels", "Check how the labels were made.", ""),)
    new = labels[found.likely[rows]]
    words = (
        f"Check the {len(rows):,} most suspicious labels; train with them corrected."
    )
    why = "Each is more likely wrong than right."
    dropped = Action(
        "clean_labels",
        "Or leave the suspicious rows out of training.",
        why,
        drop_rows=rows,
    )
    return (Action("clean_labels", words, why, relabel=(rows, new)), dropped)


# -- rare classes ----------------------------------------------------------------------
def judge_skew(case: Case) -> list[Finding]:
    """Tell whether a rare class is passed over (1)."""
    if not case.classes or case.own.predicted is None:
        return []
    labels, counts = np.unique(case.y, return_counts=True)
    share = counts / counts.sum()
    rare = int(share.argmin())
    if share[rare] > RARE or counts[rare] < 5:
        return []
    tested = np.isfinite(case.own.losses)
    y, predicted = case.y[tested], case.own.predicted[tested]
    weighed = balanced_error(y)
    recall = float(np.mean(predicted[y == labels[rare]] == labels[rare]))
    p = case.own.probabilities
    p = sharp_probabilities(case) if p is None else p
    if p is None:
        return []
    moved = labels[np.argmax(p[tested] / share, axis=1)]  # (1)
    gain, error = mean_and_error(weighed(y, predicted) - weighed(y, moved))
    sure = strength(gain, error, BALANCED)
    caught = float(np.mean(moved[y == labels[rare]] == labels[rare]))
    evidence = (
        f"Class {labels[rare]} is {share[rare]:.1%} of the rows, and {recall:.0%} of "
        "it is found.",
        f"With the decision moved to the odds of the classes {caught:.0%} is found, "
        f"and the error with every class counting the same falls by {gain:.3g} "
        f"(standard error {error:.2g}).",
    )
    return [Finding("class_skew", sure, evidence, weighing(case, share))]


def weighing(case: Case, share: Floats) -> tuple[Action, ...]:
    """Return the advice to move the threshold, and to weigh the classes."""
    found = []
    if has_probabilities(case.model):
        costs = (1 - np.eye(len(share))) / (share * len(share))
        model = CostSensitiveClassifier(clone(case.model), loss=costs)
        found.append(
            Action(
                "threshold",
                "Move the threshold: an error on a class costs one over its share.",
                "The probabilities need not be learned again.",
                model=model,
                loss="balanced_error",
            )
        )
    names = [name for name in case.model.get_params() if name.endswith("class_weight")]
    if names:
        model = clone(case.model).set_params(**{names[0]: "balanced"})
        found.append(
            Action(
                "class_weights",
                "Weigh the classes equally: class_weight='balanced'.",
                "Every class then counts the same in training.",
                model=model,
                loss="balanced_error",
            )
        )
    if not found:
        found.append(Action("class_weights", "Weigh the classes equally.", ""))
    return tuple(found)
