"""The findings of a run, as plain values: what report.json holds and the page shows."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import numpy as np
import sklearn

from corollary import __version__
from corollary.core.configuration import get_config
from corollary.report.plain_data import plain
from corollary.workbench.profile import profile_table
from corollary.workbench.readable_text import model_text
from corollary.workbench.verdict_words import verdict_of

if TYPE_CHECKING:
    from corollary.workbench.run import Clock, Run

__all__ = ["findings_of"]

FORMAT = 1
DELTA = 0.1  # of prediction sets


def findings_of(
    run: Run, sections: dict[str, Any], clock: Clock, command: str
) -> dict[str, Any]:
    """Gather what a run has found.

    Parameters
    ----------
    run : Run
        Without findings.
    sections : dict
        What was found by looking closer, by the names of the page's sections.
    clock : Clock
    command : str
    """
    problem = run.problem
    found: dict[str, Any] = {
        "format": FORMAT,
        "title": f"{problem.schema.target}: {problem.schema.task}",
        "task": problem.schema.task,
        "target": problem.schema.target,
        "classes": [str(label) for label in problem.schema.classes],
        "metric": {
            "name": problem.metric.name,
            "greater_is_better": problem.metric.greater_is_better,
            "words": problem.metric.words,
        },
        "data": data_of(run),
        "models": models_of(run),
        "champion": champion_of(run),
        "simple": simple_of(run),
        "certificate": certificate_of(run),
        "made": made(run, clock, command),
    }
    found |= sections
    found["verdict"] = verdict_of(run, found)
    return plain(found)


def data_of(run: Run) -> dict[str, Any]:
    """Return the profile of the table, and how its rows were split."""
    data, problem = run.data, run.problem
    split = problem.split
    roles = {column.name: column for column in problem.schema.columns}
    columns = profile_table(data).to_dict()
    for column in columns:
        known = roles[column["name"]]
        column |= {"role": known.role, "why": known.why}
    return {
        "files": list(data.files),
        "rows": data.rows,
        "used_rows": len(problem.y),
        "notes": list(problem.notes),
        "columns": columns,
        "split": {
            "kind": split.kind,
            "column": split.column,
            "train": len(split.train),
            "test": len(split.test),
            "folds": len(run.folded.splits),
            "why": split.why,
        },
    }


def models_of(run: Run) -> list[dict[str, Any]]:
    """Return every learner that was tried, best first; then those that were not."""
    metric, spread = run.problem.metric, run.problem.spread
    members = {trial.name for trial in run.blend.trials}
    rows = [
        {
            "name": run.blend.name if len(run.blend.trials) > 1 else "",
            "family": "blend",
            "parameters": {},
            "score": metric.of(run.blend.crossed, spread),
            "standard_error": metric.error(run.blend.crossed, spread),
            "seconds": sum(trial.seconds for trial in run.blend.trials),
            "predict_seconds": sum(t.predict_seconds for t in run.blend.trials),
            "readable": False,
            "chosen": "champion",
            "rows": max(trial.rows for trial in run.blend.trials),
            "note": "",
        }
    ]
    alone = len(members) == 1
    rows = [] if alone else rows
    for trial in sorted(run.race.trials, key=lambda one: one.loss):
        chosen = "member" if trial.name in members else None
        chosen = "champion" if alone and trial.name in members else chosen
        chosen = "simple" if trial is run.simple_trial and chosen is None else chosen
        rows.append(
            {
                "name": trial.name,
                "family": trial.candidate.family,
                "parameters": {
                    k: str(v) for k, v in trial.candidate.parameters.items()
                },
                "score": metric.of(trial.losses, spread),
                "standard_error": metric.error(trial.losses, spread),
                "seconds": trial.seconds,
                "predict_seconds": trial.predict_seconds,
                "readable": trial.candidate.readable,
                "chosen": chosen,
                "rows": trial.rows,
                "note": " ".join(trial.warnings[:1]),
            }
        )
    return rows


def champion_of(run: Run) -> dict[str, Any]:
    """Return what the champion is and how good."""
    members = zip(run.blend.trials, run.blend.weights, strict=True)
    metric, spread = run.problem.metric, run.problem.spread
    return {
        "name": run.blend.name,
        "members": [{"name": t.name, "weight": w} for t, w in members],
        "score": metric.of(run.blend.crossed, spread),
        "standard_error": metric.error(run.blend.crossed, spread),
        **tested(run.judged),
    }


def simple_of(run: Run) -> dict[str, Any]:
    """Return what the simple model is, how good, and what it costs."""
    trial, metric, spread = run.simple_trial, run.problem.metric, run.problem.spread
    score = metric.of(trial.losses, spread)
    price = abs(score - metric.of(run.blend.crossed, spread))
    return {
        "name": trial.name,
        "score": score,
        "standard_error": metric.error(trial.losses, spread),
        **tested(run.simple_judged),
        "price": price,
        "price_words": price_words(run, price),
        "text": model_text(run.simple.fitted_.estimators_[0], run.problem.classes),
    }


def price_words(run: Run, price: float) -> str:
    """Say what simplicity costs."""
    name = run.problem.metric.name
    if run.price.certain:
        return f"To read the model costs {price:.3g} in {name}."
    return f"To read the model costs nothing that can be measured ({name})."


def tested(judged: Any) -> dict[str, Any]:
    """Return the score on locked rows with its interval, None where none are open."""
    if not judged.locked:
        return {"test_score": None, "test_interval": None}
    return {"test_score": judged.score, "test_interval": list(judged.interval())}


def certificate_of(run: Run) -> dict[str, Any] | None:
    """Return the certificate with what the prediction sets covered."""
    one = run.certificate
    if one is None:
        return None
    bound = one.bound
    return {
        "verdict": one.verdict,
        "risk": one.risk,
        "bound": None if bound is None else bound.value,
        "delta": one.delta,
        "n": one.n,
        "loss": one.loss,
        "assumptions": [] if bound is None else list(bound.assumptions),
        "checks": [
            {"name": c.name, "holds": c.holds, "words": c.words} for c in one.checks
        ],
        "intervals": [interval_of(interval) for interval in one.intervals],
        "conformal": conformal_of(run),
    }


def interval_of(interval: Any) -> dict[str, Any]:
    """Return an interval as plain values."""
    return {
        "name": interval.name,
        "value": interval.value,
        "low": interval.low,
        "high": interval.high,
    }


def conformal_of(run: Run) -> dict[str, Any]:
    """Say what share of the locked rows the prediction sets cover, and their size."""
    problem = run.problem
    y, answers = problem.y[problem.split.test], run.judged.answers
    width = run.model.width(DELTA)
    if problem.classes is None:
        covered = np.abs(y - answers) <= width
        size, what = 2 * width, "intervals are this wide"
    else:
        held = 1.0 - answers <= width
        held[np.arange(len(y)), answers.argmax(axis=1)] = True
        covered = held[np.arange(len(y)), y]
        size, what = float(held.sum(axis=1).mean()), "classes a set on average"
    words = (
        f"Prediction sets made for {1 - DELTA:.0%} hold the truth in "
        f"{covered.mean():.1%} of the {len(y):,} locked rows; {size:.3g} {what}."
    )
    return {"level": 1 - DELTA, "words": words, "size": size}


def made(run: Run, clock: Clock, command: str) -> dict[str, Any]:
    """Say how the run was made."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "scikit_learn": sklearn.__version__,
        "seed": run.settings.seed,
        "command": command,
        "seconds": clock.spent,
        "budget": run.settings.time_budget,
        "started": clock.started.isoformat(timespec="seconds"),
        "cores": get_config().threads,
        "stopped": run.race.stopped,
        "not_used": [
            {"name": one.candidate.name, "why": one.why} for one in run.race.refused
        ],
    }
