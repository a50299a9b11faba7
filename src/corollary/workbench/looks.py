"""A closer look at a run: where the champion errs, what holds it back, what it uses.

Out-of-fold answers of the blend serve every look but the last ones, which ask the
champion itself.  Nothing is chosen by what they find.  A look that there is no time
for, or that the table does not allow, is left out, and the findings say so.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.pipeline import Pipeline

from corollary import diagnostics as d
from corollary.core.warn import gathered_warnings
from corollary.workbench.display import Quiet
from corollary.workbench.preparing import preparation
from corollary.workbench.trials import sampled

if TYPE_CHECKING:
    from corollary.workbench.run import Clock, Run

__all__ = ["look"]

MOST_ROWS = 50_000  # that are looked at for slices and noise
LEAST_ROWS, SOME_ROWS = 50, 2_000  # that are asked for effects
LEAST_SHARE = 0.04  # of the budget in which the champion is asked, even when it is over
BACKGROUND = 5, 50  # rows that stand for what is not known, at least and at most
TIMED = 200, 2_000  # rows by which it is told how long the champion takes to answer
REPEATS = 3  # permutations of each column
SHOWN = 12  # columns whose effects are shown
CURVES = {  # the loss of a learning curve, by the metric: its name, and in words
    "log loss": ("log", "log loss"),
    "accuracy": ("error", "share of errors"),
    "balanced accuracy": ("error", "share of errors"),
    "rmse": ("squared", "mean squared error"),
    "r2": ("squared", "mean squared error"),
    "mae": ("absolute", "mean absolute error"),
}

Look = Callable[["Run", float], dict[str, Any]]


def look(run: Run, clock: Clock, show: Quiet) -> dict[str, Any]:
    """Return the sections of the page that a closer look fills.

    Parameters
    ----------
    run : Run
    clock : Clock
    show : Quiet
    """
    found: dict[str, Any] = {}
    left_out = []
    for name, share, one in LOOKS:
        until = clock.at(share)
        if share < 1 and time.monotonic() > until:
            left_out.append(f"{name}: no time was left.")
            continue
        show.say(f"looking at {name}")
        try:
            with gathered_warnings():
                found |= one(run, until)
        except (ValueError, ArithmeticError, MemoryError) as error:
            left_out.append(f"{name}: {error}")
        except KeyboardInterrupt:
            left_out.append(f"{name} and what follows: interrupted.")
            break
    if left_out:
        found["left_out"] = left_out
    return found


def best_pipeline(run: Run) -> Any:
    """Return the best single model, unfitted, as a pipeline of a table."""
    best = min(run.race.trials, key=lambda trial: trial.loss)
    folded = run.folded
    prepare = preparation(best.candidate.preparation, folded.groups, folded.seed)
    learner = best.candidate.made(folded.groups, folded.seed, len(folded.y))
    return Pipeline([("prepare", prepare), ("model", learner)])


def labels(run: Run) -> Any:
    """Return the training targets, labels for classes."""
    return run.problem.labels(run.folded.y)


# -- from out-of-fold answers ----------------------------------------------------------
def decisions(run: Run, until: float) -> dict[str, Any]:
    """Return what is mistaken for what, and how far probabilities can be believed."""
    classes, y, P = run.problem.classes, labels(run), run.blend.answers
    if classes is None:
        return {"residuals": d.residual_analysis(y, P).to_findings()}
    predicted = classes[P.argmax(axis=1)]
    found = {
        "confusion": d.confusion(y, predicted, classes=classes.tolist()).to_findings(),
        "calibration": d.calibration_curve(y, P, classes=classes).to_findings(),
    }
    if len(classes) == 2:
        scores, positive = P[:, 1], classes[1]
        for name, curve in (
            ("thresholds", d.threshold_curve),
            ("roc", d.roc_curve),
            ("precision_recall", d.precision_recall_curve),
        ):
            found[name] = curve(y, scores, positive=positive).to_findings()
    return found


def worst_rows(run: Run, until: float) -> dict[str, Any]:
    """Return the rows with the largest losses."""
    worst = d.worst_examples(
        labels(run), answers_of(run), run.folded.table, **known(run)
    )
    found = worst.to_findings()
    rows = run.problem.rows[run.folded.rows]
    for one in found:
        one["row"] = int(rows[one["row"]])
    return {"worst": found}


def slices(run: Run, until: float) -> dict[str, Any]:
    """Return groups of rows that fare worse than the others."""
    at = spaced(len(run.folded.y), MOST_ROWS)
    table = run.folded.table.take(at)
    return {"slices": d.find_slices(table, run.blend.losses[at]).to_findings()}


def noise(run: Run, until: float) -> dict[str, Any]:
    """Return how many labels seem wrong, and which."""
    if run.problem.classes is None:
        return {}
    found = d.label_noise(labels(run), run.blend.answers, classes=run.problem.classes)
    findings = found.to_findings()
    rows = run.problem.rows[run.folded.rows]
    for one in findings["rows"]:
        one["row"] = int(rows[one["row"]])
    return {"noise": findings}


def leaks(run: Run, until: float) -> dict[str, Any]:
    """Return columns that know too much, rows that both sides share."""
    problem, split = run.problem, run.problem.split
    structure = problem.structure
    kind = {"group": "groups", "time": "time"}.get(split.kind)
    given = {kind: structure[run.folded.rows]} if kind else {}
    test = problem.table.take(split.test) if len(split.test) else None
    found = d.find_leaks(
        run.folded.table, labels(run), model=best_pipeline(run), test=test, **given
    )
    return {"leaks": found.to_findings()}


# -- by fitting again ------------------------------------------------------------------
def diagnosis(run: Run, until: float) -> dict[str, Any]:
    """Return what holds the best single model back, and what was tried against it."""
    model, y = best_pipeline(run), labels(run)
    left = max(until - time.monotonic(), 1.0)
    split, structure = run.problem.split, run.problem.structure
    kind = {"group": "groups", "time": "time"}.get(split.kind)
    given = {kind: structure[run.folded.rows]} if kind else {}
    seed = run.settings.seed
    found = d.diagnose(
        *(model, run.folded.table, y),
        time_budget=0.6 * left,
        random_state=seed,
        evidence=d.Evidence(structured=kind is not None),
        **given,
    )
    left = max(until - time.monotonic(), 1.0)
    tried = d.try_actions(model, run.folded.table, y, found, time_budget=left)
    return {"diagnosis": tried.to_findings()}


def curve(run: Run, until: float) -> dict[str, Any]:
    """Return the learning curve of the best single model."""
    left = max(until - time.monotonic(), 1.0)
    loss, words = CURVES[run.problem.metric.name]
    found = d.learning_curve(
        *(best_pipeline(run), run.folded.table, labels(run)),
        loss=loss,
        time_budget=left,
        random_state=run.settings.seed,
    )
    return {"learning_curve": found.to_findings() | {"loss": words}}


# -- by asking the champion ------------------------------------------------------------
def effects(run: Run, until: float) -> dict[str, Any]:
    """Return how much each column matters, and the shape of its effect."""
    rows = run.problem.split.test if run.judged.locked else run.folded.rows
    model, seed = run.model.fitted_, run.settings.seed
    classes = run.problem.classes
    asked = REPEATS * run.folded.table.num_columns + 2 * SHOWN  # times each row is
    many = affordable(run, asked, until, LEAST_ROWS, SOME_ROWS)
    table, y = run.problem.part(rows[spaced(len(rows), many)])
    weights = d.permutation_importance(
        model, table, run.problem.labels(y), repeats=REPEATS, random_state=seed
    )
    names = [weights.names[j] for j in weights.order[:SHOWN]]
    some = sampled(run.problem.table.num_rows, many, seed)  # seen rows have more dates
    shapes = d.partial_effects(
        *(model, run.problem.table.take(some), names),
        output=None if classes is None or len(classes) < 3 else classes.tolist(),
        random_state=seed,
    )
    return {"effects": shapes.to_findings(weights)}


def attributions(run: Run, until: float) -> dict[str, Any]:
    """Return what each column adds to the answers for the worst rows and some more."""
    order = np.argsort(-run.blend.losses, kind="stable")
    at = np.unique(np.concatenate([order[:5], spaced(len(order), 5)]))
    table = run.folded.table
    background = table.take(spaced(len(order), 100))
    asked = 4 * len(at) * table.num_columns  # times each row of the background is
    found = d.shapley_values(
        *(run.model.fitted_, table.take(at), background),
        background_rows=affordable(run, asked, until, *BACKGROUND),
        random_state=run.settings.seed,
    )
    findings = found.to_findings()
    rows = run.problem.rows[run.folded.rows]
    for place, one in zip(at, findings, strict=True):
        one["row"] = int(rows[place])
    return {"attributions": findings}


def affordable(run: Run, asked: int, until: float, least: int, most: int) -> int:
    """Return how many rows the champion can be asked about so often, by the clock."""
    left = max(until - time.monotonic(), LEAST_SHARE * run.settings.time_budget)
    for rows in TIMED:
        table = run.folded.table.take(spaced(len(run.folded.y), rows))
        start = time.monotonic()
        run.model.fitted_.predict(table)
        took = max(time.monotonic() - start, 1e-9)
        if took > 0.3 * left:  # many rows are quicker, each, than few
            break
    return int(np.clip(left * table.num_rows / (asked * took), least, most))


def answers_of(run: Run) -> Any:
    """Return probabilities or predictions, out of fold."""
    return run.blend.answers


def known(run: Run) -> dict[str, Any]:
    """Return the classes, where there are any."""
    return {} if run.problem.classes is None else {"classes": run.problem.classes}


def spaced(n: int, most: int) -> Any:
    """Return row numbers, all or evenly spaced, in order."""
    return np.unique(np.linspace(0, n - 1, min(n, most)).astype(np.intp))


#: What is looked at, and the share of the budget by which it must begin; 1: always.
LOOKS: tuple[tuple[str, float, Look], ...] = (
    ("decisions", 1.0, decisions),
    ("the worst rows", 1.0, worst_rows),
    ("slices", 1.0, slices),
    ("labels", 1.0, noise),
    ("leaks", 0.8, leaks),
    ("what holds it back", 0.9, diagnosis),
    ("the learning curve", 0.95, curve),
    ("effects", 0.98, effects),
    ("single answers", 0.99, attributions),
)
