"""A pilot of learning rates: try them on a small sample before the long run.

Also known as: learning rate search, tuning the step on a subset.

A rate of stochastic descent is as good on a sample as on all rows: what matters is how
the terms of the mean curve, and n_0 terms show that as n do.  So each rate of a ladder
with factors of about 3 makes a few epochs on n_0 rows, shuffled, from the same start,
and

    recommended = argmin over rates of the cost on the sample after them         (1)

The ladder grows at an end while its best rate is there.  A pilot costs about
n_0/n of an epoch of all rows for each trial epoch.

Notation: n_0 = n_rows.
Course: S1-55. References: Bottou (2012); LeCun et al. (1998).
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import generator
from corollary.objectives.losses import Logistic, Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.learning_rate import LADDER, higher, lower
from corollary.solvers.problem import Problem, linear_problem
from corollary.solvers.stochastic import RULES, Stochastic
from corollary.theory.certify import some_rows
from corollary.theory.draws import seed_of

__all__ = ["Pilot", "learning_rate_pilot"]

WHO = "learning_rate_pilot"
MOST = 40  # trials


@dataclass(frozen=True, eq=False)
class Pilot:
    """Costs of a sample after a few epochs at several rates.

    Attributes
    ----------
    rates : array of shape (r,)
        Rising.
    costs : array of shape (r,)
        After the epochs; infinite where the descent diverged.
    start : float
        The cost before.
    n_rows : int
        Rows of the sample.
    rule : str
    """

    rates: Floats
    costs: Floats
    start: float
    n_rows: int
    rule: str

    @property
    def recommended(self) -> float:
        """The rate (1)."""
        return float(self.rates[int(self.costs.argmin())])

    def __str__(self) -> str:
        lines = [f"{self.rule} on {self.n_rows:,} rows, cost {self.start:.6g} before"]
        for rate, cost in zip(self.rates, self.costs, strict=True):
            mark = "  <- take this" if rate == self.recommended else ""
            shown_cost = f"{cost:.6g}" if np.isfinite(cost) else "diverged"
            lines.append(f"{rate:>10.3g}  {shown_cost}{mark}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the cost over the rate; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        there = np.isfinite(self.costs)
        ax.plot(self.rates[there], self.costs[there], marker="o")
        ax.axvline(self.recommended, color="grey", linestyle=":")
        ax.set_xscale("log")
        ax.set(xlabel="learning rate", ylabel="cost of the sample", title=self.rule)
        return ax


def learning_rate_pilot(
    X: Any,
    y: Any,
    *,
    loss: Any = None,
    alpha: float = 0.0,
    rule: str = "sgd",
    rates: Any = LADDER,
    n_rows: int = 1000,
    epochs: int = 3,
    random_state: Any = 0,
) -> Pilot:
    """Try rates of stochastic descent on a sample of the rows, and recommend one (1).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
        Numbers, or two labels.
    loss : Loss, optional
        Of `objectives.losses`; by default logistic for two labels, squared otherwise.
    alpha : float, default=0.0
        Strength of a squared penalty.
    rule : {'sgd', 'momentum', 'nesterov', 'adagrad', 'adam'}, default='sgd'
        As in `solvers.Stochastic`.
    rates : array, default=(0.01, 0.03, 0.1, 0.3, 1)
        Where the ladder begins; it grows as it must.
    n_rows : int, default=1000
        Rows of the sample.
    epochs : int, default=3
        Epochs of a trial.
    random_state : None, int, RandomState or Generator, default=0
        Draws the sample and the orders.

    Returns
    -------
    Pilot

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import learning_rate_pilot
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(5000, 3))
    >>> y = X.sum(axis=1) + 0.1 * rng.normal(size=5000)
    >>> learning_rate_pilot(X, y, n_rows=200).recommended
    0.01
    """
    for name, value, rule_ in (
        ("n_rows", n_rows, whole(2)),
        ("epochs", epochs, whole(1)),
    ):
        if not rule_.holds(value):
            must = f"{name} must be {rule_.words}"
            raise ParameterError(sentence(WHO, must, shown(value)))
    if rule not in RULES:
        must = f"rule must be one of {', '.join(map(repr, RULES))}"
        raise ParameterError(sentence(WHO, must, shown(rule)))
    ladder = np.unique(np.asarray(rates, dtype=np.float64))
    if not len(ladder) or not (ladder > 0).all() or not np.isfinite(ladder).all():
        must = "rates must be finite numbers > 0"
        raise ParameterError(sentence(WHO, must, shown(rates)))
    seed = seed_of(WHO, random_state)
    problem, count = _sample(X, y, loss, float(alpha), int(n_rows), seed)
    start = problem.objective(np.zeros(problem.dimension))
    tried = {float(r): _cost(problem, rule, float(r), epochs, seed) for r in ladder}
    while len(tried) < MOST:
        best = min(tried, key=lambda r: (tried[r], r))
        if best == min(tried) or not tried[best] < start:
            new = lower(min(tried))
        elif best == max(tried):
            new = higher(best)
        else:
            break
        tried[new] = _cost(problem, rule, new, epochs, seed)
    order = np.array(sorted(tried))
    costs = np.array([tried[r] for r in order])
    return Pilot(order, costs, float(start), count, rule)


def _sample(
    X: Any, y: Any, loss: Any, alpha: float, n_rows: int, seed: int
) -> tuple[Problem, int]:
    """Return the problem of some rows drawn by chance, and how many they are."""
    y = np.asarray(y)
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if y.ndim != 1 or len(y) != n or n < 2:
        must = "y must hold one target for each row of X, 2 rows at least"
        raise DataError(sentence(WHO, must, f"{n} rows and shape {y.shape}"))
    labels = np.unique(y)
    two = len(labels) == 2 and (loss is None or getattr(loss, "margin", False))
    if y.dtype.kind not in "fiub" and not two:
        must = "y must hold numbers or two labels"
        raise DataError(sentence(WHO, must, f"{len(labels)} labels"))
    if loss is None:
        loss = Logistic() if two else Squared()
    target = np.where(y == labels[-1], 1.0, -1.0) if two else y.astype(np.float64)
    rows = np.sort(generator(seed, 55).permutation(n)[:n_rows])
    penalty = Penalty(alpha) if alpha else None
    part = some_rows(X, rows)
    problem = linear_problem(part, target[rows], loss, penalty, fit_intercept=True)
    return problem, len(rows)


def _cost(problem: Problem, rule: str, rate: float, epochs: int, seed: int) -> float:
    """Return the cost after some epochs at a rate, infinite where it diverges."""
    method = Stochastic(rule, rate=rate, schedule="constant", seed=seed % 2**31)
    cost = np.inf
    with np.errstate(over="ignore", invalid="ignore"):
        steps = method.steps(problem, np.zeros(problem.dimension))
        for iterate in itertools.islice(steps, int(epochs) + 1):
            cost = problem.objective(iterate.x)
            if not np.isfinite(cost):
                return np.inf
    return float(cost)
