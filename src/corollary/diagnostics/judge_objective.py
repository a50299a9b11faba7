"""An objective that is not what counts, as a verdict.

Also known as: wrong loss, metric mismatch, algorithm against objective.

A model that minimises its objective perfectly can still lose where it is judged:

    outliers        a squared error is led by a few targets                      (1)
    skewed targets  a mean is asked for where a median is judged                 (2)
    costs           the most probable class is not the cheapest                  (3)
    calibration     scores that rank well are bad probabilities                  (4)

Each is tried out: a robust loss or the logarithm of the target in place of the squared
error, the class of least expected cost, probabilities corrected by

    softmax(a log p + b),   a and b fitted to the other folds                    (5)

and compared by the loss that counts (absolute errors for outliers, which no model can
predict).  (1) and (2) must beat every model with a squared error, not only this one,
for otherwise the model is at fault and not its objective.

Course: S4-67. References: Huber (1964); Elkan (2001); Platt (1999).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize
from scipy.special import log_softmax
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor

from corollary.core.arrays import Floats, Vector
from corollary.decisions.cost_sensitive import CostSensitiveClassifier
from corollary.diagnostics.evidence import Case, Finding, probability, strength
from corollary.diagnostics.judged_loss import has_probabilities, mean_and_error
from corollary.diagnostics.out_of_fold import OutOfFold
from corollary.diagnostics.variants import Variant, final, with_final
from corollary.diagnostics.verdict import Action
from corollary.ensembles.hist_gradient_boosting_regressor import (
    HistGradientBoostingRegressor,
)
from corollary.linear.robust.huber_regressor import HuberRegressor

__all__ = ["judge_objective"]

OUTLYING = 6.0  # median deviations from which an error is an outlier
SHARE = 0.01  # of outliers from which a squared error is not trusted
SKEWED = 1.5  # skewness of targets from which a logarithm is tried
GAIN = 0.05  # of the loss that counts
LEAST = 1e-6
LINEAR = (
    "LinearRegression",
    "Ridge",
    "RidgeCV",
    "Lasso",
    "ElasticNet",
    "SGDRegressor",
    "BayesianRidge",
)


def judge_objective(case: Case) -> list[Finding]:
    """Tell whether another objective serves what counts better."""
    if not case.classes:
        return robust(case)
    if case.loss.function is not None and case.loss.name != "balanced_error":
        return costs(case)
    if case.loss.reads == "probabilities" and case.stated is not None:
        return calibration(case)
    return []


# -- numbers ---------------------------------------------------------------------------
def robust(case: Case) -> list[Finding]:
    """Tell whether outliers or a skewed target lead a squared error (1), (2)."""
    if case.own.predicted is None or case.loss.name not in ("squared", "absolute"):
        return []
    tested = np.isfinite(case.own.losses)
    own = np.abs(case.y - case.own.predicted)
    known = [np.abs(case.y - one.predicted) for one in case.fits.values()]
    rivals = [own, *known]
    best = min(rivals, key=lambda e: float(e[tested].mean()))
    outliers = share_of_outliers(case.y[tested], best[tested])
    skewed = skewness(case.y)
    absolute = case.loss.name == "absolute"
    if outliers < SHARE and not (absolute and abs(skewed) > SKEWED):
        return []
    tried = []
    for variant in robust_variants(case, skewed):
        result = case.judge(variant.model)
        if result is not None:
            error = np.abs(case.y - result.predicted)
            tried.append((float(error[tested].mean()), variant, error))
    if not tried:
        return []
    _, variant, after = min(tried, key=lambda one: one[0])
    gain, error = mean_and_error((best - after)[tested], None, groups_of(case, tested))
    over, over_error = mean_and_error((own - after)[tested])
    sure = strength(gain, error, GAIN * float(best[tested].mean()))
    if gain > error:  # at least as good as any: then what it saves is the objective's
        saved = strength(over, over_error, GAIN * float(own[tested].mean()))
        sure = max(sure, saved * probability(gain, error))
    evidence = (
        f"{outliers:.1%} of the errors are beyond {OUTLYING:g} median deviations, and "
        f"the targets have skewness {skewed:.2g}.",
        f"With {variant.words} the mean absolute error falls from "
        f"{own[tested].mean():.4g} by {over:.3g} (standard error {over_error:.2g}).",
    )
    action = Action(
        variant.key,
        f"Use {variant.words}.",
        f"The mean absolute error falls by {over:.3g} out of fold.",
        model=variant.model,
        loss="absolute",
    )
    return [Finding("wrong_objective", sure, evidence, (action,))]


def groups_of(case: Case, tested: Vector) -> Any:
    """Return the groups of some rows, None where there are none."""
    return None if case.groups is None else np.asarray(case.groups)[tested]


def share_of_outliers(y: Vector, errors: Floats) -> float:
    """Return the share of errors that are far beyond the usual."""
    middle = float(np.median(errors))
    if middle <= 0:
        return 0.0
    return float(np.mean(errors > OUTLYING * middle))


def skewness(y: Vector) -> float:
    """Return the skewness of targets."""
    spread = float(y.std())
    return float(np.mean(((y - y.mean()) / spread) ** 3)) if spread > 0 else 0.0


def robust_variants(case: Case, skewed: float) -> list[Variant]:
    """Return the model with a robust loss, and with the logarithm of the target."""
    model, found = case.model, []
    name = type(final(model)).__name__
    if name in LINEAR:
        huber = with_final(model, HuberRegressor(max_iter=300))
        found.append(Variant("robust_loss", "a Huber loss", huber))
    losses = [key for key in model.get_params() if key.split("__")[-1] == "loss"]
    if "Boosting" in name and losses:
        other = clone(model).set_params(**{losses[0]: "absolute_error"})
        found.append(Variant("robust_loss", "the absolute error as its loss", other))
    if not found:
        trees = HistGradientBoostingRegressor(loss="absolute_error", random_state=0)
        words = "boosted trees with the absolute error"
        found.append(Variant("robust_loss", words, with_final(model, trees)))
    if case.y.min() >= 0 and skewed > SKEWED:
        logged = TransformedTargetRegressor(
            clone(model), func=np.log1p, inverse_func=np.expm1
        )
        found.append(Variant("objective", "the logarithm of the target", logged))
    return found


# -- classes ---------------------------------------------------------------------------
def costs(case: Case) -> list[Finding]:
    """Tell whether the most probable class is the cheapest (3)."""
    p = case.own.probabilities
    if p is None or case.own.predicted is None or case.loss.function is None:
        return []
    labels = np.unique(case.y)
    table = np.array(
        [
            [float(case.loss(np.array([a]), np.array([b]), labels)[0]) for a in labels]
            for b in labels
        ]
    )  # (k, k): cost of the decision b where the class is a
    cheapest = labels[np.argmin(p @ table.T, axis=1)]
    after = np.full(len(p), np.nan)
    tested = np.isfinite(case.own.losses)
    after[tested] = case.loss(case.y[tested], cheapest[tested], labels)
    gain, error = case.gain(after)
    sure = strength(gain, error, GAIN * case.own.mean)
    text = (
        f"Deciding by least expected cost lowers the {case.loss.words} from "
        f"{case.own.mean:.4g} by {gain:.3g} (standard error {error:.2g})."
    )
    action = Action(
        "threshold",
        "Decide by least expected cost instead of the most probable class.",
        f"The {case.loss.words} falls by {gain:.3g}.",
        model=CostSensitiveClassifier(clone(case.model), loss=table),
    )
    return [Finding("wrong_objective", sure, (text,), (action,))]


def calibration(case: Case) -> list[Finding]:
    """Tell whether probabilities are off though the classes are right (4)."""
    p = case.own.probabilities
    if p is None or not has_probabilities(case.model):
        return []
    labels, codes = np.unique(case.y, return_inverse=True)
    corrected = recalibrated(p, codes.reshape(-1), case)
    after = np.full(len(p), np.nan)
    tested = np.isfinite(case.own.losses)
    after[tested] = case.loss(case.y[tested], corrected[tested], labels)
    gain, error = case.gain(after)
    rest = max(float(np.nanmean(after)) - float(np.nanmean(case.best)), 0.0)
    explained = gain / (gain + rest) if gain > 0 else 0.0
    sure = strength(gain, error, GAIN * case.own.mean) * min(1.0, explained / 0.6)
    sure *= 1.0 if as_right_as_others(case, tested) else 0.3
    text = (
        f"Corrected probabilities lower the {case.loss.words} from "
        f"{case.own.mean:.4g} by {gain:.3g} (standard error {error:.2g}); the classes "
        f"stay the same."
    )
    model = CalibratedClassifierCV(clone(case.model), cv=5)
    why = f"The {case.loss.words} falls by {gain:.3g} out of fold."
    action = Action("objective", "Calibrate the probabilities.", why, model=model)
    return [Finding("wrong_objective", sure, (text,), (action,))]


def as_right_as_others(case: Case, tested: Vector) -> bool:
    """Tell whether the model's classes are as often right as the references'."""
    if not case.fits or case.own.predicted is None:
        return True

    def errors(one: OutOfFold) -> float:
        return float(np.mean(np.asarray(one.predicted)[tested] != case.y[tested]))

    wrong = errors(case.own)
    others = min(map(errors, case.fits.values()))
    slack = 2 * np.sqrt(max(others * (1 - others), 1e-3) / tested.sum())
    return wrong <= 1.15 * others + slack


def recalibrated(p: Floats, codes: Vector, case: Case) -> Floats:
    """Return probabilities corrected by the other folds (5)."""
    k = p.shape[1]
    s = np.log(np.clip(p, LEAST, 1.0))
    out = np.array(p)

    def logs(theta: Floats, rows: Vector) -> Floats:
        b = np.concatenate([[0.0], theta[1:]])
        return log_softmax(np.exp(theta[0]) * s[rows] + b, axis=1)

    for _, test in case.folds:
        rest = np.setdiff1d(np.flatnonzero(np.isfinite(case.own.losses)), test)
        if len(rest) < 20:
            continue

        def cost(theta: Floats, rows: Vector = rest) -> float:
            return float(-logs(theta, rows)[np.arange(len(rows)), codes[rows]].mean())

        found = minimize(cost, np.zeros(k), bounds=[(-5, 3), *[(-6, 6)] * (k - 1)])
        out[test] = np.exp(logs(found.x, test))
    return out
