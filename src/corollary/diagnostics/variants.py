"""The same model, changed in one respect: what a diagnosis tries out.

Whether a model is too stiff or too flexible is seen by turning its own knobs, as a
penalty curve does.  A knob is a parameter that scikit-learn's names make known
wherever it stands in a pipeline:

    stiffer   alpha up, C down, depth and leaves down, neighbours up, degree down
    looser    the other way
    longer    max_iter up and tol down, the step of a descent smaller where it diverges
    scaled    standardised columns in front of the learner

Every function returns `Variant` records with models that are not fitted; what cannot
be changed gives none.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.pipeline import Pipeline

from corollary.linear.least_squares.ridge import Ridge
from corollary.preparation.standard_scaler import StandardScaler

__all__ = ["Variant", "longer", "looser", "scaled", "stiffer"]

LONGER = 30  # times max_iter
STEPS = 5.0  # times the time, about, for most are done before
USUAL = {"alpha": 1.0, "C": 1.0}
ROUNDS = ("n_estimators", "max_iter")
UNSCALED = ("Tree", "Forest", "Boosting", "NB", "LinearRegression", "Discriminant")
STAGES = ("degree", "n_components", "n_knots", "n_bins")


@dataclass(frozen=True)
class Variant:
    """A model with one change.

    Attributes
    ----------
    key : str
        The remedy that the change is, of `remedies.REMEDIES`.
    words : str
        The change, "alpha=10".
    model : estimator
        Not fitted.
    cost : float
        How many times the time of the model a fit may take.
    """

    key: str
    words: str
    model: Any
    cost: float = 1.0


# -- stiffer and looser ----------------------------------------------------------------
def penalty(up: bool) -> Callable[[Any], list[Any]]:
    """Return how a penalty moves, up or down."""

    def moved(value: Any) -> list[float]:
        if value == 0:
            return [1.0, 100.0] if up else []
        return [value * 10 ** (p if up else -p) for p in (1, 2, 4)]

    return moved


def counts(factors: tuple[float, ...], least: int) -> Callable[[Any], list[Any]]:
    """Return how a whole number moves by factors."""

    def moved(value: Any) -> list[int]:
        found = [max(least, round(value * factor)) for factor in factors]
        return [one for one in found if one != value]

    return moved


def depth(up: bool) -> Callable[[Any], list[Any]]:
    """Return how the depth or the leaves of trees move; None has no limit."""

    def moved(value: Any) -> list[Any]:
        if value is None:
            return [] if up else [3, 6]
        return [value * 3, None] if up else [max(1, value // 2)]

    return moved


def leaves(up: bool) -> Callable[[Any], list[Any]]:
    """Return how the number of leaves moves; None has no limit."""

    def moved(value: Any) -> list[Any]:
        if value is None:
            return [] if up else [8]
        return [value * 4] if up else [max(2, value // 4)]

    return moved


Moves = Callable[[Any], list[Any]]

#: For each knob, how it moves to stiffer and to looser.
KNOBS: dict[str, tuple[Moves, Moves]] = {
    "alpha": (penalty(True), penalty(False)),
    "C": (penalty(False), penalty(True)),
    "l2_regularization": (penalty(True), penalty(False)),
    "max_depth": (depth(False), depth(True)),
    "max_leaf_nodes": (leaves(False), leaves(True)),
    "min_samples_leaf": (counts((5, 20), 5), counts((0.2,), 1)),
    "n_neighbors": (counts((4, 15), 2), counts((0.25, 0.07), 1)),
    "gamma": (penalty(False), penalty(True)),
    "degree": (counts((0.5,), 1), counts((2,), 1)),
    "n_components": (counts((0.5,), 1), counts((3,), 1)),
    "n_knots": (counts((0.5,), 2), counts((2,), 2)),
    "n_bins": (counts((0.5,), 2), counts((3,), 2)),
    "var_smoothing": (penalty(True), penalty(False)),
}
BOOSTING = (counts((0.2,), 1), counts((6,), 1))


def stiffer(model: Any) -> list[Variant]:
    """Return stiffer variants of a model, the mildest of each knob first."""
    found = list(moved(model, 0, "more_penalty"))
    return found or plain_least_squares(model)


def looser(model: Any) -> list[Variant]:
    """Return more flexible variants of a model."""
    return list(moved(model, 1, "less_penalty"))


def moved(model: Any, side: int, key: str) -> Iterator[Variant]:
    """Turn every knob of a model to one side."""
    parameters = model.get_params()
    for name, value in parameters.items():
        owner, _, knob = name.rpartition("__")
        holder = parameters.get(owner, model) if owner else model
        moves = knob_moves(knob, holder, model)
        number = isinstance(value, int | float | np.number)
        if moves is None or isinstance(value, bool | np.bool_):
            continue
        if not number and not (
            value is None and knob in ("max_depth", "max_leaf_nodes")
        ):
            continue
        for new in moves[side](value):
            words = f"{knob}={new:.4g}" if isinstance(new, float) else f"{knob}={new}"
            cost = max(1.0, new / value) if knob in ROUNDS else 1.0
            changed = clone(model).set_params(**{name: new})
            yield Variant(key, words, changed, cost)


def knob_moves(knob: str, holder: Any, model: Any) -> tuple[Moves, Moves] | None:
    """Return how a parameter of one part of a model moves, None if it is no knob."""
    kind = type(holder).__name__
    learner = is_classifier(holder) or is_regressor(holder)
    if knob in ROUNDS:
        return BOOSTING if "Boosting" in kind else None
    if knob not in KNOBS or (not learner and knob not in STAGES):
        return None
    if knob == "degree" and learner and getattr(holder, "kernel", "") != "poly":
        return None
    if knob == "gamma" and getattr(holder, "kernel", "rbf") == "linear":
        return None
    return KNOBS[knob]


def plain_least_squares(model: Any) -> list[Variant]:
    """Return least squares with a ridge penalty, for a model that has no knob."""
    if type(final(model)).__name__ != "LinearRegression":
        return []
    return [
        Variant(
            "more_penalty", f"Ridge(alpha={alpha:g})", with_final(model, Ridge(alpha))
        )
        for alpha in (1.0, 30.0)
    ]


# -- longer, scaled --------------------------------------------------------------------
def longer(model: Any) -> list[Variant]:
    """Return variants whose optimiser runs longer, or with a smaller step."""
    found = []
    for name, value in model.get_params().items():
        owner, _, knob = name.rpartition("__")
        holder = model.get_params().get(owner, model) if owner else model
        if knob != "max_iter" or "Boosting" in type(holder).__name__ or not value:
            continue
        if not isinstance(value, int | np.integer) or value < 0:
            continue
        prefix = f"{owner}__" if owner else ""
        changes: dict[str, Any] = {name: int(value) * LONGER}
        if f"{prefix}tol" in model.get_params():
            tol = model.get_params()[f"{prefix}tol"]
            changes[f"{prefix}tol"] = 1e-3 * tol if tol else tol
        words = f"max_iter={changes[name]}"
        found.append(
            Variant("more_iterations", words, clone(model).set_params(**changes), STEPS)
        )
        found += smaller_steps(model, prefix, changes)
    return found


def smaller_steps(model: Any, prefix: str, changes: dict[str, Any]) -> list[Variant]:
    """Return variants with other steps of a descent, which also runs longer."""
    parameters = model.get_params()
    found = []
    for step in ("learning_rate", "eta0", "learning_rate_init"):
        value = parameters.get(f"{prefix}{step}")
        if isinstance(value, float) and value > 0:
            for factor in (0.1, 10.0):
                new = {**changes, f"{prefix}{step}": value * factor}
                words = f"{step}={value * factor:.3g}"
                changed = clone(model).set_params(**new)
                found.append(Variant("more_iterations", words, changed, STEPS))
    return found


def scaled(model: Any) -> list[Variant]:
    """Return the model with standardised columns in front of the learner."""
    steps = list(model.steps) if isinstance(model, Pipeline) else [("model", model)]
    if any("Scaler" in type(step).__name__ for _, step in steps):
        return []
    if any(word in type(steps[-1][1]).__name__ for word in UNSCALED):
        return []
    steps.insert(len(steps) - 1, ("standardised", StandardScaler()))
    changed = Pipeline([(name, clone_step(step)) for name, step in steps])
    return [Variant("scale", "standardised columns", changed)]


# -- parts of pipelines ----------------------------------------------------------------
def final(model: Any) -> Any:
    """Return the last step of a pipeline, a model itself."""
    return model.steps[-1][1] if isinstance(model, Pipeline) else model


def with_final(model: Any, learner: Any) -> Any:
    """Return a model with another learner at its end."""
    if not isinstance(model, Pipeline):
        return clone(learner)
    steps = [(name, clone_step(step)) for name, step in model.steps[:-1]]
    return Pipeline([*steps, (model.steps[-1][0], clone(learner))])


def clone_step(step: Any) -> Any:
    """Clone a step of a pipeline; 'passthrough' stays."""
    return step if step is None or isinstance(step, str) else clone(step)
