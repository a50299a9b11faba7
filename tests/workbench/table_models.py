"""Models of tables as a run makes them, small and the same every time."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np

from corollary import workbench
from corollary.workbench.blending import Blend
from corollary.workbench.champion import refitted
from corollary.workbench.ladder import Candidate, base, variants
from corollary.workbench.problem import Settings, set_problem
from corollary.workbench.run import misses
from corollary.workbench.seen_rows import seen_rows
from corollary.workbench.table_model import model_class
from corollary.workbench.trials import attempt

SMALLER = {  # so that a file is read in an instant
    "n_estimators": 4,
    "max_iter": 5,
    "max_leaf_nodes": 6,
    "interactions": 2,
}
#: What a file holds: a target, and the learners that vote.
BLENDS = (
    ("sells", ("logistic regression", "boosting", "nearest neighbours")),
    ("sells", ("support vector machine", "naive Bayes", "linear discriminant")),
    ("sells", ("additive boosting, pairs",)),
    ("grade", ("majority", "random forest", "logistic regression")),
    ("grade", ("extra trees", "support vector machine", "boosting, slow")),
    ("grade", ("small tree",)),
    ("price", ("ridge regression", "boosting", "support vector machine")),
    ("price", ("mean", "random forest", "nearest neighbours")),
    ("price", ("elastic net, weak penalty",)),
    ("price", ("additive boosting", "extra trees")),
)
TARGETS = {"sells": "classification", "grade": "classification", "price": "regression"}
NOTES = "a quiet street,far from any station,new roof and garden,needs some work"


def houses(n: int = 80, seed: int = 0) -> dict[str, list[Any]]:
    """Return houses: numbers, booleans, labels, dates, texts; cells are missing."""
    rng = np.random.default_rng(seed)
    area = rng.uniform(30, 200, n)
    town = rng.choice(["Rome", "Oslo", "Bern"], n)
    street = rng.integers(30, size=n)
    day = datetime.date(2024, 1, 1)
    price = area + 50 * (town == "Oslo") + 10 * rng.normal(size=n)
    notes = rng.choice(NOTES.split(","), (n, 2))
    return {
        "area": some_missing(area.round(1).tolist(), rng),
        "garden": (rng.random(n) < 0.5).tolist(),
        "town": some_missing(town.tolist(), rng),
        "street": [f"street {k}" for k in street],
        "sold": some_missing(
            [day + datetime.timedelta(int(k)) for k in rng.integers(900, size=n)], rng
        ),
        "note": some_missing([told(a, b, k) for k, (a, b) in enumerate(notes)], rng),
        "sells": np.where(price > np.median(price), "yes", "no").tolist(),
        "grade": np.digitize(price, np.quantile(price, [0.3, 0.7])).tolist(),
        "price": price.tolist(),
    }


def told(first: str, second: str, number: int) -> str:
    """Return a text that no other house has, of words that many have."""
    return f"{first} and {second}, {' '.join(str(number))}"


def some_missing(values: list[Any], rng: np.random.Generator) -> list[Any]:
    """Return values of which one in ten is missing."""
    return [None if rng.random() < 0.1 else value for value in values]


def smaller(candidate: Candidate) -> Candidate:
    """Return a learner of the ladder with few trees and few steps."""
    from dataclasses import replace

    learner = candidate.learner
    known = learner.get_params(deep=False)
    less = {k: v for k, v in SMALLER.items() if k in known and known[k] is not None}
    return replace(candidate, learner=type(learner)(**known | less))


def table_model(target: str, names: tuple[str, ...]) -> Any:
    """Return a blend of learners of the ladder as a run refits and saves it."""
    table = {k: v for k, v in houses().items() if k == target or k not in TARGETS}
    data = workbench.read_table(table, target=target)
    problem = set_problem(data, Settings(target, task=TARGETS[target]))
    folded = problem.folded()
    ladder = {one.name: one for one in (*base(data.task), *variants(data.task))}
    trials = [attempt(smaller(ladder[n]), folded, problem.metric) for n in names]
    answers = np.mean([trial.answers for trial in trials], axis=0)
    weights = (1 / len(trials),) * len(trials)
    losses = problem.metric.losses(folded.y, answers)
    found = Blend(tuple(trials), weights, answers, losses, losses)
    fitted, _ = refitted(found, trials[0], folded)
    seen = seen_rows(folded.table, problem.labels(folded.y))
    made = model_class(problem.schema)(fitted, problem.schema)
    return made.take(fitted, misses(folded, answers), seen)
