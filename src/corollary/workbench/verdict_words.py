"""The verdict of a run in plain words: how good, what holds it back, what to trust."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from corollary.workbench.run import Run

__all__ = ["verdict_of"]


def verdict_of(run: Run, found: dict[str, Any]) -> dict[str, Any]:
    """Return a headline and at most four sentences.

    Parameters
    ----------
    run : Run
    found : dict
        The findings so far.
    """
    sentences = [versus_baseline(run), held_back(found), leaks(found), simple(run)]
    return {
        "headline": headline(run),
        "sentences": [text for text in sentences if text],
    }


def headline(run: Run) -> str:
    """Say what to expect of the champion."""
    where = "of new rows" if run.judged.locked else "of rows it has not seen"
    judged, problem = run.judged, run.problem
    rows = problem.split.test if judged.locked else run.folded.rows
    y = problem.y[rows]
    if problem.classes is not None:
        right = float(np.mean(judged.answers.argmax(axis=1) == y))
        low, high = share_interval(int((1 - right) * len(y) + 0.5), len(y))
        ends = f"between {low:.1%} and {high:.1%}"
        return f"Expect {right:.1%} {where} to be decided rightly ({ends})."
    error = np.abs(judged.answers - y)
    explained = 1 - np.mean((judged.answers - y) ** 2) / max(float(np.var(y)), 1e-300)
    target = problem.schema.target
    return (
        f"Predictions of {target} {where} are off by {np.mean(error):.3g} on average; "
        f"{max(explained, 0):.0%} of its variance is explained."
    )


def share_interval(errors: int, n: int) -> tuple[float, float]:
    """Return the exact interval of the share of right decisions."""
    from corollary.theory.clopper_pearson import binomial_interval

    found = binomial_interval(n, errors)
    return 1 - found.high, 1 - found.low


def versus_baseline(run: Run) -> str:
    """Compare with the model that looks at nothing."""
    base = [t for t in run.race.trials if t.candidate.family == "baseline"]
    if not base:
        return ""
    metric, spread = run.problem.metric, run.problem.spread
    own, other = (metric.of(x, spread) for x in (run.blend.crossed, base[0].losses))
    difference = base[0].losses - run.blend.crossed
    error = float(difference.std(ddof=1) / np.sqrt(len(difference)))
    if difference.mean() < 2 * error:
        return (
            f"It is no better than always giving the same answer ({metric.name} "
            f"{own:.3g} against {other:.3g}): these columns tell nothing of the target."
        )
    return (
        f"{metric.name.capitalize()} {own:.3g} against {other:.3g} of a model that "
        "always gives the same answer."
    )


def held_back(found: dict[str, Any]) -> str:
    """Say what the diagnosis puts first."""
    verdicts = (found.get("diagnosis") or {}).get("verdicts") or []
    if not verdicts:
        return ""
    first = verdicts[0]
    evidence = first["evidence"][0] if first["evidence"] else ""
    return f"{first['title'].rstrip('.')}. {evidence}".strip()


def leaks(found: dict[str, Any]) -> str:
    """Warn of columns that know the target too well."""
    columns = (found.get("leaks") or {}).get("columns") or []
    if not columns:
        return ""
    names = ", ".join(repr(one["column"]) for one in columns[:3])
    return f"Look at {names} first: it may know the target by other means."


def simple(run: Run) -> str:
    """Say what the readable model costs."""
    if not run.price.certain:
        return f"The {run.simple_trial.name} can be read, and costs nothing measurable."
    metric, spread = run.problem.metric, run.problem.spread
    score = metric.of(run.simple_trial.losses, spread)
    own = metric.of(run.blend.crossed, spread)
    return (
        f"The {run.simple_trial.name} can be read, at a price: {metric.name} "
        f"{score:.3g} instead of {own:.3g}."
    )
