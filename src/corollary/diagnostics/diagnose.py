"""What holds a model back, and what to do: a verdict from measurements.

Also known as: model diagnosis, machine learning debugging, bias-variance diagnosis.

A model that does not do well has a fault, and each fault has its own cure
(`remedies`).  The faults are told apart by measuring, not by rules of thumb: the model
and some others are judged by the same folds (`out_of_fold`), its knobs are turned
(`variants`), its stages left out, its optimiser run longer, its columns and rows
searched for leaks, copies and shift.  Each measurement is an effect with a standard
error, and a fault has the strength

    P(effect > what matters) = Phi((effect - what matters) / standard error)     (1)

Verdicts stand in the order of their strength, but a fault that spoils the measurements
of others (a leak, a shift) or that explains them (a stage, an optimiser, an objective)
comes before them.

Course: S4-64. References: Ng (2018), Machine Learning Yearning.
"""

from __future__ import annotations

import time as clock
from dataclasses import replace
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import entropy, generator
from corollary.diagnostics.coded_matrix import coded_matrix
from corollary.diagnostics.evidence import LATE, Case, Evidence, Finding
from corollary.diagnostics.judge_collinear import judge_collinear
from corollary.diagnostics.judge_fit import (
    excess_of,
    judge_fit,
    judge_rows,
    judge_signal,
)
from corollary.diagnostics.judge_labels import judge_noise, judge_skew
from corollary.diagnostics.judge_leaks import (
    judge_columns_that_know,
    judge_repeated_rows,
    judge_split,
)
from corollary.diagnostics.judge_objective import judge_objective
from corollary.diagnostics.judge_optimizer import judge_optimizer
from corollary.diagnostics.judge_shift import judge_shift
from corollary.diagnostics.judge_stages import judge_stages
from corollary.diagnostics.judged_loss import JudgedLoss, judged_loss
from corollary.diagnostics.out_of_fold import (
    OutOfFold,
    folds_of,
    out_of_fold,
    quiet_fit,
)
from corollary.diagnostics.references import baseline, best_reference, reference_losses
from corollary.diagnostics.remedies import REMEDIES, remedies_for, will_not_help
from corollary.diagnostics.verdict import Action, Diagnosis, Verdict
from corollary.theory.certify import some_rows

__all__ = ["diagnose"]

WHO = "diagnose"
LIKELY = 0.55  # strength from which a fault is a verdict
MOST_ROWS = 20_000  # that are looked at
LEAST_ROWS = 1_000
EVERY = 10  # rows of every class, at least
FITS = 60  # of the model, about, in a whole diagnosis
#: What spoils or explains the measurements of other faults comes before them.
PRECEDENCE = {
    "target_leak": 1.6,
    "split_leak": 1.5,
    "duplicate_rows": 1.5,
    "shift": 1.4,
    "unconverged": 1.35,
    "bad_stage": 1.3,
    "wrong_objective": 1.4,
    "class_skew": 1.25,
    "label_noise": 1.2,
    "high_bias": 1.0,
    "high_variance": 1.0,
    "little_data": 1.0,
    "collinearity": 0.8,
    "no_signal": 0.8,
}
#: Faults of the measurement itself, which a low loss does not excuse.
HONESTY = ("target_leak", "split_leak", "duplicate_rows", "shift")
WORDS = {remedy.key: remedy.words for remedy in REMEDIES}


def diagnose(
    model: Any,
    X: Any,
    y: Any,
    *,
    test: tuple[Any, Any] | Any = None,
    groups: Any = None,
    time: Any = None,
    loss: Any = None,
    target_loss: float | None = None,
    evidence: Evidence | None = None,
    time_budget: float = 30,
    random_state: Any = 0,
) -> Diagnosis:
    """Say what holds a model back, on what evidence, and what to try.

    Parameters
    ----------
    model : classifier or regressor, or a pipeline that ends in one
        Of Corollary or of scikit-learn, fitted or not; clones of it are fitted.
    X : rows of any kind that the model takes
    y : array of shape (n,)
    test : (X, y) or X, optional
        Rows of the time or place where the model is to work, to compare.
    groups : array of shape (n,), optional
        Rows that belong together, such as those of one patient.
    time : array of shape (n,), optional
        When each row was made.
    loss : str or function (y, predicted) -> losses, optional
        What the model is judged by: 'error', 'balanced_error', 'brier', 'log_loss'
        for classes, 'squared', 'absolute' for numbers.  By default the Brier score,
        the share of errors without probabilities, the squared error.
    target_loss : float, optional
        The mean loss that is asked for.
    evidence : Evidence, optional
        What is known already.
    time_budget : float, default=30
        Seconds.
    random_state : None, int or Generator

    Returns
    -------
    Diagnosis

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionTreeRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(300, 4))
    >>> y = X[:, 0] + rng.normal(size=300)
    >>> found = diagnose(DecisionTreeRegressor(random_state=0), X, y)
    >>> found.main.name, found.actions[0].key
    ('high_variance', 'stable_model')
    """
    begun = clock.perf_counter()
    case = opened(
        model,
        X,
        y,
        test=test,
        groups=groups,
        time=time,
        loss=loss,
        evidence=evidence or Evidence(),
        deadline=begun + checked_budget(time_budget),
        seed=entropy(random_state),
    )
    findings = judged(case)
    return concluded(case, findings, target_loss, clock.perf_counter() - begun)


# -- what was given --------------------------------------------------------------------
def checked_budget(budget: Any) -> float:
    """Return seconds > 0."""
    if isinstance(budget, str) or not float(budget) > 0:
        must = "time_budget must be a number of seconds > 0"
        raise ParameterError(sentence(WHO, must, f"{budget!r}"))
    return float(budget)


def checked_targets(model: Any, y: Any, n: int) -> Vector:
    """Return one target for each row, of at least two kinds."""
    if not (is_classifier(model) or is_regressor(model)):
        must = "model must be a classifier or a regressor"
        raise ParameterError(sentence(WHO, must, f"a {type(model).__name__}"))
    y = np.asarray(y)
    y = y[:, 0] if y.ndim == 2 and y.shape[1] == 1 else y
    if y.ndim != 1 or len(y) != n:
        must = f"y must hold one target for each of the {n} rows"
        raise DataError(sentence(WHO, must, f"shape {y.shape}"))
    if n < 10:
        must = "there must be 10 rows or more"
        raise DataError(sentence(WHO, must, f"{n}", "Collect more rows first."))
    if is_regressor(model):
        if y.dtype.kind not in "fiub":
            must = "y of a regressor must hold numbers"
            raise DataError(sentence(WHO, must, f"type {y.dtype}"))
        y = y.astype(np.float64)
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise DataError(sentence(WHO, "y must be finite", "NaN or infinity"))
    if len(np.unique(y)) < 2:
        must = "y must hold 2 different values or more"
        raise DataError(sentence(WHO, must, f"{y[0]!r} in every row"))
    return y


def one_for_each(name: str, values: Any, n: int) -> Any:
    """Return a vector with an entry for each row, or None."""
    if values is None:
        return None
    values = np.asarray(values)
    if values.ndim != 1 or len(values) != n:
        must = f"{name} must hold one entry for each of the {n} rows"
        raise DataError(sentence(WHO, must, f"shape {values.shape}"))
    return values


def opened(
    model: Any,
    X: Any,
    y: Any,
    *,
    test: Any,
    groups: Any,
    time: Any,
    loss: Any,
    evidence: Evidence,
    deadline: float,
    seed: int,
) -> Case:
    """Check what was given; judge the model and the references by the same folds."""
    coded = coded_matrix(WHO, X)
    n = len(coded.Z)
    y = checked_targets(model, y, n)
    groups = one_for_each("groups", groups, n)
    time = one_for_each("time", time, n)
    stated = evidence.loss if loss is None else loss
    judge = judged_loss(stated, model, y)
    notes: list[str] = []
    rows = fewer_rows(model, X, y, groups, evidence, deadline, seed)
    if rows is not None:
        notes.append(f"Looked at {len(rows):,} of {n:,} rows, to keep to the time.")
        X, y, coded = some_rows(X, rows), y[rows], coded.rows(rows)
        groups = None if groups is None else groups[rows]
        time = None if time is None else time[rows]
    folds = evidence.folds or folds_of(is_classifier(model), y, groups, time, seed=seed)
    own = own_losses(model, X, y, folds, judge, evidence)
    case = Case(model, X, y, coded, judge, folds, evidence, own, groups, time, test)
    case.seed, case.deadline, case.notes = seed, deadline, notes
    case.stated, case.rows = stated, rows
    compare(case)
    return case


def fewer_rows(
    model: Any,
    X: Any,
    y: Vector,
    groups: Any,
    known: Evidence,
    deadline: float,
    seed: int,
) -> Vector | None:
    """Return the rows to look at, None for all of them."""
    n = len(y)
    if known.losses is not None or known.folds is not None or n <= LEAST_ROWS:
        return None
    order = np.sort(generator(seed, 1).permutation(n)[:MOST_ROWS])
    few = order[:: max(1, len(order) // LEAST_ROWS)]
    seconds = np.inf
    for _ in range(2):  # the first fit may load code
        begun = clock.perf_counter()
        try:
            quiet_fit(clone(model), some_rows(X, few), y[few])
        except Exception:  # the fit itself will tell
            return None if n <= MOST_ROWS else order
        seconds = min(seconds, clock.perf_counter() - begun)
        if seconds > 1:
            break
    each = max(seconds, 1e-4) / len(few)
    allowed = (deadline - clock.perf_counter()) / (FITS * each)
    keep = int(np.clip(allowed, LEAST_ROWS, MOST_ROWS))
    if keep >= n:
        return None
    return sampled_rows(keep, y, groups, generator(seed, 1))


def sampled_rows(keep: int, y: Vector, groups: Any, rng: np.random.Generator) -> Vector:
    """Return about so many rows: whole groups, or some of every class."""
    order = rng.permutation(len(y))
    if groups is not None:
        codes = np.unique(np.asarray(groups), return_inverse=True)[1].reshape(-1)
        rank = rng.permutation(int(codes.max()) + 1)[codes]
        return np.sort(np.argsort(rank, kind="stable")[:keep])
    if y.dtype.kind == "f":
        return np.sort(order[:keep])
    codes = np.unique(y[order], return_inverse=True)[1].reshape(-1)
    within = np.empty(len(y), dtype=np.intp)  # place of each row in its own class
    for k in range(int(codes.max()) + 1):
        own = np.flatnonzero(codes == k)
        within[own] = np.arange(len(own))
    some = (np.arange(len(y)) < keep) | (within < EVERY)
    return np.sort(order[some])


def own_losses(
    model: Any, X: Any, y: Vector, folds: Any, loss: JudgedLoss, known: Evidence
) -> OutOfFold:
    """Return what the model loses out of fold, measured or given."""
    if known.losses is None:
        return out_of_fold(model, X, y, folds, loss, keep=True)
    losses = np.asarray(known.losses, dtype=np.float64)
    if losses.shape != y.shape:
        must = f"losses of the evidence must hold one for each of the {len(y)} rows"
        raise DataError(sentence(WHO, must, f"shape {losses.shape}"))
    training = np.nan if known.training is None else float(np.mean(known.training))
    if np.isnan(training):
        training = out_of_fold(model, X, y, folds[:1], loss).training
    given = known.predicted, known.probabilities
    predicted, p = (None if one is None else np.asarray(one) for one in given)
    return OutOfFold(losses, training, predicted, p)


def compare(case: Case) -> None:
    """Judge the best constant and the references by the same folds."""
    known = case.known
    if known.baseline is not None:
        case.baseline = np.asarray(known.baseline, dtype=np.float64)
    else:
        case.baseline = baseline(case.model, case.y, case.folds, case.loss)[0]
    if known.references is not None:
        given = known.references.items()
        case.references = {name: np.asarray(one, np.float64) for name, one in given}
    else:
        half_way = (clock.perf_counter() + case.deadline) / 2
        found = reference_losses(
            case.model, case.coded, case.y, case.folds, case.loss, deadline=half_way
        )
        case.fits = found
        case.references = {name: one.losses for name, one in found.items()}
    best = best_reference({**case.references, "a constant": case.baseline}, case.folds)
    assert best is not None  # a constant is always there
    case.best, case.best_name = best


# -- the verdict -----------------------------------------------------------------------
def judged(case: Case) -> list[Finding]:
    """Return what may be wrong, each with its strength."""
    excess = excess_of(case)
    return [
        *judge_columns_that_know(case),  # what costs least comes first
        *judge_skew(case),
        *judge_noise(case),
        *judge_collinear(case),
        *judge_signal(case),
        *judge_shift(case),
        *judge_split(case),
        *judge_repeated_rows(case),
        *judge_rows(case, excess),
        *judge_objective(case),
        *judge_optimizer(case, excess.strength),
        *judge_stages(case, excess.strength),
        *judge_fit(case, excess),
    ]


def concluded(
    case: Case, findings: list[Finding], target: float | None, seconds: float
) -> Diagnosis:
    """Rank the findings, and the actions that they call for."""
    findings = [of_target(case, one, target) for one in findings]
    ranked = sorted(findings, key=lambda one: -one.strength * PRECEDENCE[one.name])
    faults = [one for one in ranked if one.strength >= LIKELY]
    if len(faults) > 1:  # other columns may still predict
        faults = [one for one in faults if one.name != "no_signal"]
    if not faults:
        faults = [short_of(case, target) or healthy(case, ranked)]
    verdicts = tuple(Verdict(f.name, f.strength, f.evidence) for f in faults)
    actions = tuple(
        of_all_rows(action, case.rows)
        for fault in faults
        for action in fault.actions or usual_actions(fault)
    )
    return Diagnosis(
        verdicts,
        ranked_actions(actions),
        tuple((WORDS[key], why) for key, why in will_not_help(faults[0].name)),
        case.loss.words,
        case.own.training,
        case.own.mean,
        float(np.nanmean(case.best)),
        float(np.nanmean(case.baseline)),
        target,
        summary(case),
        seconds,
        tuple(case.notes),
    )


def ranked_actions(actions: tuple[Action, ...]) -> tuple[Action, ...]:
    """Return each action once, in order."""
    return tuple({action.action: action for action in reversed(actions)}.values())[::-1]


def of_target(case: Case, finding: Finding, target: float | None) -> Finding:
    """Return a finding, weaker where the loss asked for is reached already."""
    if target is None or case.own.mean > target or finding.name in HONESTY:
        return finding
    text = f"The loss asked for, {target:.4g}, is reached all the same."
    evidence = (*finding.evidence, text)
    return replace(finding, strength=0.45 * finding.strength, evidence=evidence)


def short_of(case: Case, target: float | None) -> Finding | None:
    """Return what lacks where no fault was found but more is asked for."""
    if target is None or case.own.mean <= target:
        return None
    stiff = case.own.training > target
    best = min(float(np.nanmean(case.best)), case.own.mean)
    text = (
        f"The loss is {case.own.mean:.4g} out of fold and {case.own.training:.4g} on "
        f"training rows; {target:.4g} is asked for, and the best model tried reaches "
        f"{best:.4g}."
    )
    key = "more_features" if stiff else "more_rows"
    why = "No other model tried does better with these columns and rows."
    action = Action(key, WORDS[key], why)
    name = "high_bias" if stiff else "little_data"
    return Finding(name, 0.6, (text,), (action,))


def usual_actions(fault: Finding) -> tuple[Action, ...]:
    """Return what heals a fault, where nothing better was measured."""
    some = remedies_for(fault.name)[:2]
    return tuple(Action(remedy.key, remedy.words, "") for remedy in some)


def of_all_rows(action: Action, rows: Vector | None) -> Action:
    """Return an action on all rows, where only some were looked at."""
    if rows is None:
        return action
    dropped, relabel = action.drop_rows, action.relabel
    return replace(
        action,
        drop_rows=None if dropped is None else rows[dropped],
        relabel=None if relabel is None else (rows[relabel[0]], relabel[1]),
        sample_weight=None,
    )


def healthy(case: Case, ranked: list[Finding]) -> Finding:
    """Return the verdict that no fault was found."""
    most = ranked[0].strength if ranked else 0.0
    most = max(most, LIKELY) if LATE in case.notes else most
    text = (
        f"The loss is {case.own.mean:.4g} out of fold; the best of "
        f"{len(case.references)} other models reaches {np.nanmean(case.best):.4g}, "
        f"a constant {np.nanmean(case.baseline):.4g}."
    )
    return Finding("healthy", 1 - most, (text,))


def summary(case: Case) -> Evidence:
    """Return what was measured, to be used again."""
    return replace(
        case.known,
        loss=case.stated,
        rows=case.rows,
        groups=case.groups,
        folds=case.folds,
        losses=case.own.losses,
        training=case.own.training,
        predicted=case.own.predicted,
        probabilities=case.own.probabilities,
        references=case.references,
        baseline=case.baseline,
    )
