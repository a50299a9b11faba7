"""Shift as a verdict: test rows that are not like the training rows.

Also known as: covariate shift, concept drift, dataset shift.

Two things can differ.  The columns: `drift` tells the two sets of rows apart, with an
area A under the ROC curve.  And the law of the target given them: the model, fitted to
all training rows, loses on the test rows more than it does out of fold,

    L_test - L > r L                                                             (1)

Weights that make training rows look like test rows are the odds of the classifier that
tells them apart, cut off where they grow too large,

    w(x) = P(test | x) / P(training | x)                                         (2)

References: Shimodaira (2000); Sugiyama and Kawanabe (2012).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import expit
from sklearn.base import clone

from corollary.core.arrays import Floats
from corollary.core.table import joined_rows, table_of
from corollary.diagnostics.coded_matrix import coded_matrix
from corollary.diagnostics.drift import Drift, domain_scores, drift
from corollary.diagnostics.evidence import FAILURES, Case, Finding, strength
from corollary.diagnostics.judged_loss import mean_and_error
from corollary.diagnostics.out_of_fold import answer, quiet_fit
from corollary.diagnostics.verdict import Action

__all__ = ["judge_shift"]

DELTA = 0.02  # false alarms of the comparison of columns
MATTERS = 0.15  # r of (1)
APART = 0.6  # area from which a shift of columns matters
LARGEST = 20.0  # weight (2)


def judge_shift(case: Case) -> list[Finding]:
    """Tell whether the test rows are like the training rows."""
    if case.test is None:
        return []
    X, y = pair(case.test)
    found = case.known.drift or drift(case.X, X, delta=DELTA, random_state=case.seed)
    columns = of_columns(found)
    evidence = [found.sentence]
    law = 0.0
    if y is not None:
        losses = losses_on_test(case, X, np.asarray(y))
        if losses is not None:
            mean, error = mean_and_error(losses)
            own_error = mean_and_error(case.own.losses, None, case.groups)[1]
            both = float(np.hypot(error, own_error))
            span = abs(float(np.nanmean(case.baseline)) - case.own.mean)
            matters = max(MATTERS * case.own.mean, 0.03 * span)
            law = strength(mean - case.own.mean, both, matters)
            evidence.append(
                f"The loss is {case.own.mean:.4g} out of fold and {mean:.4g} on the "
                f"test rows (standard error of the difference {both:.2g})."
            )
    sure = 1 - (1 - columns) * (1 - law)
    return [Finding("shift", sure, tuple(evidence), actions(case, X, found))]


def pair(test: Any) -> tuple[Any, Any]:
    """Return the rows and the targets of a test; None for targets not given."""
    if isinstance(test, tuple) and len(test) == 2:
        return test
    return test, None


def of_columns(found: Drift) -> float:
    """Return how likely it is that the columns differ so that it matters."""
    if not found.shifted:
        return 0.0
    area = 0.5 if found.auc is None else found.auc.value
    effect = max((one.effect for one in found.drifted), default=0.0)
    reach = max((area - APART) / 0.05, (effect - 0.2) / 0.1)
    return float(expit(reach + 1.0))


def losses_on_test(case: Case, X: Any, y: Any) -> Floats | None:
    """Return the losses of the model, fitted to all rows, on the test rows."""
    labels = np.unique(case.y) if case.classes else None
    if labels is not None and not np.isin(y, labels).all():
        return None
    try:
        model = quiet_fit(clone(case.model), case.X, case.y)[0]
        return case.loss(y, answer(model, X, case.loss.reads, labels), labels)
    except FAILURES:
        return None


def actions(case: Case, X: Any, found: Drift) -> tuple[Action, ...]:
    """Return what can be done: weights (2), or rows of the new kind."""
    new = Action(
        "like_rows",
        "Collect rows like the test rows, with targets, and fit to them.",
        "The law may have changed as well as the columns.",
    )
    weights = likeness(case, X) if found.shifted else None
    if weights is None:
        return (new,)
    weighed = Action(
        "like_rows",
        "Weigh the training rows by how much they look like the test rows.",
        "The model then counts most where it is to work.",
        sample_weight=weights,
    )
    return (new, weighed)


def likeness(case: Case, X: Any) -> Floats | None:
    """Return the weights (2) of the training rows, of mean 1."""
    n = len(case.y)
    try:
        both = joined_rows([table_of("diagnose", case.X), table_of("diagnose", X)])
        y = np.repeat([0, 1], [n, both.n - n])
        p = domain_scores(coded_matrix("diagnose", both), y, case.seed)[:n]
    except FAILURES:
        return None
    odds = p / np.maximum(1 - p, 1e-3)
    odds = np.minimum(odds / odds.mean(), LARGEST)
    return odds / odds.mean()
