"""How a stochastic fit goes: its loss, its rates, its pilot and its monitor.

From the parameters that `SGDClassifier` and `SGDRegressor` share to the plan that the
loops follow; equation numbers are those of `linear/online/stochastic_gradient.py`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, real, seed, whole
from corollary.core.report import Report
from corollary.core.warn import warn_of_change
from corollary.engine import Data
from corollary.linear.online.sequential import (
    CODES,
    SCHEDULES,
    Epochs,
    LinearSequentialLearner,
    Machine,
    Plan,
    publish_weights,
    report_epochs,
)
from corollary.linear.online.sequential_gap import report_gap
from corollary.linear.online.sequential_walk import walk
from corollary.linear.online.visits import blocks, rows_to_visit
from corollary.objectives.losses import (
    LOSSES,
    EpsilonInsensitive,
    Huber,
    Loss,
    Quantile,
    SquaredEpsilonInsensitive,
)
from corollary.objectives.penalties import Penalty

__all__ = [
    "EPSILON",
    "RULES",
    "loss_named",
    "loss_table",
    "pilot",
    "plan_of",
    "publish_descent",
    "report_descent",
    "weights_of",
]

EPSILON = 0.1  # the default of losses with a width
WITH_EPSILON = (EpsilonInsensitive, SquaredEpsilonInsensitive, Huber)
RATES = 10.0 ** np.arange(-6, 2)  # of the pilot
PILOT_ROWS = 1000
PASSIVE = ("hinge", "epsilon_insensitive")  # losses of passive-aggressive steps
RULES = {
    "penalty": one_of("l2", "l1", "elasticnet", None),
    "alpha": real(0),
    "l1_ratio": missing | real(0, 1),
    "fit_intercept": boolean,
    "max_iter": whole(1),
    "tol": missing | real(0),
    "shuffle": boolean,
    "verbose": whole(0) | boolean,
    "epsilon": real(0),
    "random_state": seed,
    "learning_rate": one_of(*SCHEDULES),
    "eta0": real(0, ends="(]") | one_of("pilot"),
    "power_t": real(),
    "early_stopping": boolean,
    "validation_fraction": real(0, 1, ends="()"),
    "n_iter_no_change": whole(1),
    "warm_start": boolean,
    "average": boolean | whole(1),
    "batch_size": whole(1),
    "window": whole(1),
}


def loss_table(names: Iterable[str]) -> dict[str, tuple[Any, ...]]:
    """Return the classes of losses by name, each with the default of its number."""
    defaults: dict[Any, tuple[float, ...]] = {Quantile: (0.5,)}
    defaults |= dict.fromkeys(WITH_EPSILON, (EPSILON,))
    return {name: (LOSSES[name], *defaults.get(LOSSES[name], ())) for name in names}


def loss_named(learner: Any) -> Loss:
    """Make the loss that a learner's parameters name."""
    kind: Any = LOSSES[learner.loss]
    if kind in WITH_EPSILON:
        return kind(learner.epsilon)
    return Quantile(learner.quantile) if kind is Quantile else kind()


def check_passive(learner: Any, rate: str) -> None:
    """Refuse what passive-aggressive steps are not defined for."""
    wrong: str | None = None
    if learner.loss not in PASSIVE:
        must, wrong = f"a loss among {', '.join(PASSIVE)}", repr(learner.loss)
    elif learner.batch_size != 1:
        must, wrong = "batch_size=1", repr(learner.batch_size)
    elif isinstance(learner.eta0, str):
        must, wrong = "a number for eta0", repr(learner.eta0)
    if wrong is not None:
        text = f"learning_rate={rate!r} needs {must}"
        raise ParameterError(sentence(learner, text, wrong))


def plan_of(learner: Any, loss: Loss, penalty: Penalty) -> Plan:
    """Turn a learner's parameters into a plan, the rate of a pilot left open."""
    rate = learner.learning_rate
    if learner.power_t < 0:
        text = "a power_t below 0, which lets the rate grow, is deprecated; use >= 0"
        warn_of_change(learner, text)
    if rate == "optimal" and learner.alpha == 0:
        must = "alpha must be > 0 for learning_rate='optimal', whose rate is 1/alpha"
        remedy = "Use learning_rate='constant' or 'invscaling'."
        raise ParameterError(sentence(learner, must, "0", remedy))
    if rate in ("pa1", "pa2"):
        check_passive(learner, rate)
    kinds = ("epsilon", "delta", "q")
    parameter = next((getattr(loss, k) for k in kinds if hasattr(loss, k)), 0.0)
    name = "epsilon_insensitive" if learner.loss == "absolute_error" else learner.loss
    average = float(learner.average) if learner.average else np.inf
    return Plan(
        CODES[name],
        parameter=float(parameter),
        schedule=SCHEDULES[rate],
        eta0=1.0 if isinstance(learner.eta0, str) else float(learner.eta0),
        power=learner.power_t,
        start=first_time(loss, learner.alpha) if rate == "optimal" else 1.0,
        alpha=learner.alpha,
        l1=penalty.l1,
        l2=penalty.l2,
        intercept=learner.fit_intercept,
        average_from=average,
        window=float(learner.window),
        batch=float(learner.batch_size),
    )


def first_time(loss: Loss, alpha: float) -> float:
    """Return t0 of (4): the first steps match the size that w should have."""
    typical = np.sqrt(1 / np.sqrt(alpha))
    slope = abs(float(loss.derivative(1.0, -typical)))
    eta = typical / max(1.0, slope)
    return float(1 / (eta * alpha))


def pilot(learner: LinearSequentialLearner, data: Data, seed: int, plan: Plan) -> Plan:
    """Choose eta0: one epoch on a few rows at each rate; the lowest cost wins."""
    chunk = next(iter(blocks(data)))
    rows = rows_to_visit(chunk, shuffle=True, seed=seed)
    order = rows.order(seed, 0)[:PILOT_ROWS]
    target = learner._target(rows.y, 0)
    X, y = rows.X[order], target[order]
    costs = {}
    with np.errstate(over="ignore", invalid="ignore"):
        for eta in RATES:
            trial = plan._replace(eta0=eta, average_from=np.inf, l1=0.0)
            machine = Machine.new(X.shape[1], trial)
            walk(machine, trial, rows, order[None], target)
            f = np.asarray(X @ machine.w) + machine["intercept"]
            values = learner._loss().value(y, f)
            costs[float(eta)] = float(values.mean())
    sound = {eta: cost for eta, cost in costs.items() if np.isfinite(cost)}
    if not sound:
        must = "the pilot must find a rate at which the cost stays finite"
        remedy = "Scale the features."
        raise DataError(sentence(learner, must, "none", remedy))
    return plan._replace(eta0=min(sound, key=lambda eta: sound[eta]))


def weights_of(learner: Any, state: Epochs) -> list[tuple[Floats, float]]:
    """Return the last iterate of each machine, or the mean."""
    pick = Machine.averaged if learner.average else Machine.current
    return [pick(machine) for machine in state.machines]


def report_descent(learner: Any, state: Epochs, report: Report) -> None:
    """Report the epochs, the rate, the gap, and a cost that rises."""
    report_epochs(state, report)
    if learner.learning_rate != "optimal":
        report.facts["eta0"] = state.plans[0].eta0
    if state.gap is not None:
        report_gap(state.gap, report)
    first = np.concatenate([*state.monitor[0], []])
    if len(first) >= 4 and first[-1] > 1.2 * first[: len(first) // 2].min():
        report.warnings.append(
            f"the cost of the last {learner.window} rows lies 20% above an earlier "
            "window: the rate may be too high. Use a lower eta0 or a falling schedule."
        )


def publish_descent(learner: Any, state: Epochs) -> None:
    """Set the weights and the monitor."""
    publish_weights(learner, state, weights_of(learner, state))
    learner.monitor_ = [np.concatenate([*parts, []]) for parts in state.monitor]
