"""The PAC experiment: how often a learner errs by more than epsilon.

Also known as: probably approximately correct, Monte Carlo check of a sample size.

Draw many samples of m rows from a distribution D, learn a rule h from each, and look at

    err(h) = Pr_D[h(x) != y],     Opt(C) = min_{h in C} err(h)                   (1)
    failure rate = share of the samples with  err(h) > Opt(C) + epsilon          (2)

Learning with epsilon and delta from m examples means that (2) is at most delta in the
limit of many draws.  The number of failures is binomial, so that its exact interval
(Clopper and Pearson) decides: the promise is kept where the upper end is at most delta,
broken where the lower end is above it, and undecided in between.

On a finite support err and Opt are computed exactly; otherwise err is measured on fresh
rows of each draw, which adds noise of the order 1/sqrt(n_test).  The case is realizable
where Opt(C) = 0.

Notation: m = n_train; epsilon, delta; D = distribution.
Course: S0-50. References: Valiant (1984); Clopper and Pearson (1934).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import beta

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.randomness import generator
from corollary.core.vectors import numbers, probabilities, rows_of
from corollary.theory.draws import seed_of
from corollary.theory.learner_functions import answer, named_learners
from corollary.theory.shattering import as_class, dichotomies

__all__ = ["PACExperiment", "pac_experiment"]

WHO = "pac_experiment"
RULES = {
    "m": whole(1),
    "n_draws": whole(1),
    "n_test": whole(1),
    "epsilon": real(0, 1, ends="()"),
    "delta": real(0, 1, ends="()"),
    "confidence": real(0, 1, ends="()"),
}


@dataclass(frozen=True, eq=False)
class PACExperiment:
    """What many samples show of a learner.

    Attributes
    ----------
    m : int
    epsilon, delta : float
        The promise.
    errors : array of shape (n_draws,)
        err(h) of each sample (1).
    optimum : float
        Opt(C), 0 unless known to be more.
    n_failures : int
    low, high : float
        Exact interval of the failure rate.
    confidence : float
        Of the interval.
    exact : bool
        Whether err was computed, not measured.
    """

    m: int
    epsilon: float
    delta: float
    errors: Floats
    optimum: float
    n_failures: int
    low: float
    high: float
    confidence: float
    exact: bool

    @property
    def failure_rate(self) -> float:
        """The share (2)."""
        return self.n_failures / len(self.errors)

    @property
    def realizable(self) -> bool:
        """Whether some rule of the class never errs."""
        return self.optimum == 0

    @property
    def verdict(self) -> str:
        """'kept', 'broken' or 'undecided': the promise that (2) is at most delta."""
        if self.high <= self.delta:
            return "kept"
        return "broken" if self.low > self.delta else "undecided"

    def __str__(self) -> str:
        n = len(self.errors)
        best = f"Opt + {self.epsilon:g}" if self.optimum else f"{self.epsilon:g}"
        lines = [
            f"{self.n_failures} of {n} samples of {self.m} rows led to err > {best}",
            f"failure rate {self.failure_rate:.4g}, in [{self.low:.4g}, "
            f"{self.high:.4g}] with confidence {self.confidence:g}",
            f"err: mean {self.errors.mean():.4g}, largest {self.errors.max():.4g}, "
            f"{'exact' if self.exact else 'measured on fresh rows'}",
        ]
        if self.optimum:
            lines.append(f"not realizable: Opt = {self.optimum:.4g}")
        lines.append(f"the promise delta = {self.delta:g} is {self.verdict}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the errors of all samples and where failure begins.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.hist(self.errors, bins=30)
        ax.axvline(self.optimum + self.epsilon, linestyle="--", color="k")
        ax.set_xlabel("err(h)")
        ax.set_ylabel("samples")
        ax.set_title(f"failure rate {self.failure_rate:.3g}, delta {self.delta:g}")
        return ax


def pac_experiment(
    learner: Any,
    distribution: Any,
    target: Any = None,
    *,
    m: int,
    epsilon: float = 0.1,
    delta: float = 0.05,
    n_draws: int = 500,
    hypotheses: Any = None,
    optimum: float | None = None,
    n_test: int = 5000,
    confidence: float = 0.95,
    random_state: Any = None,
) -> PACExperiment:
    """Draw many samples, learn from each, and hold the errors to a PAC promise.

    Parameters
    ----------
    learner : classifier, or function (X, y, X_new) -> labels
        A classifier that refuses rows of one class repeats that class.
    distribution : function (n, rng) -> X or (X, y); or pair (points, probabilities)
        A sampler, or a finite support, on which errors are exact.
    target : function X -> labels, or array, optional
        Labels 0 and 1 of rows; on a finite support also the probability of label 1 at
        each point.  None where the sampler gives labels.
    m : int
        Rows of a sample.
    epsilon, delta : float, default=0.1, 0.05
    n_draws : int, default=500
        Samples.
    hypotheses : HypothesisClass, table, or iterable of functions, optional
        The class C, to compute Opt(C) on a finite support.
    optimum : float, optional
        Opt(C) where it is known; 0 by default.
    n_test : int, default=5000
        Fresh rows on which each rule is measured.
    confidence : float, default=0.95
        Of the interval of the failure rate.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    PACExperiment

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import TightestBox
    >>> from corollary.theory import pac_experiment
    >>> grid = np.arange(20.0)[:, None]
    >>> found = pac_experiment(
    ...     TightestBox(classes=(0, 1)),
    ...     (grid, np.full(20, 0.05)),
    ...     lambda X: (X[:, 0] >= 5) & (X[:, 0] < 15),
    ...     m=88, n_draws=200, random_state=0,
    ... )
    >>> found.exact, found.verdict
    (True, 'kept')
    """
    given: dict[str, Any] = {"m": m, "n_draws": n_draws, "n_test": n_test}
    given |= {"epsilon": epsilon, "delta": delta, "confidence": confidence}
    for name, value in given.items():
        if not RULES[name].holds(value):
            must = f"{name} must be {RULES[name].words}"
            raise ParameterError(sentence(WHO, must, f"{value!r}"))
    [(name, learn)] = named_learners(WHO, [learner]).items()
    draw, judge, support = problem(distribution, target, int(n_test))
    opt = best_error(hypotheses, optimum, support)
    seed = seed_of(WHO, random_state)
    errors = np.empty(int(n_draws))
    for i in range(int(n_draws)):
        rng = generator(seed, i)
        X, y = draw(int(m), rng)
        X_new, wrong = judge(rng)
        errors[i] = wrong(answer(name, learn, X, y, X_new))
    failures = int((errors > opt + epsilon + 1e-12).sum())
    low, high = binomial_interval(failures, len(errors), confidence)
    exact = support is not None
    promise = int(m), float(epsilon), float(delta)
    return PACExperiment(
        *promise, errors, opt, failures, low, high, float(confidence), exact
    )


def binomial_interval(k: int, n: int, confidence: float) -> tuple[float, float]:
    """Return the exact interval (Clopper and Pearson) of a rate seen k times in n.

    >>> tuple(round(end, 4) for end in binomial_interval(0, 10, 0.95))
    (0.0, 0.3085)
    """
    tail = (1 - confidence) / 2
    low = float(beta.ppf(tail, k, n - k + 1)) if k else 0.0
    high = float(beta.ppf(1 - tail, k + 1, n - k)) if k < n else 1.0
    return low, high


@dataclass(frozen=True, eq=False)
class Support:
    """A finite support: points, their probabilities, and Pr[y = 1] at each."""

    points: Any
    p: Floats
    positive: Floats

    def error(self, labels: Vector) -> Any:
        """Return err of rules by their labels of the points, (..., N)."""
        return np.where(labels == 1, 1 - self.positive, self.positive) @ self.p  # (1)


Draw = Callable[[int, np.random.Generator], tuple[Any, Any]]
Judge = Callable[[np.random.Generator], tuple[Any, Callable[[Vector], float]]]


def problem(
    distribution: Any, target: Any, n_test: int
) -> tuple[Draw, Judge, Support | None]:
    """Return how to draw samples, how to judge rules, and the support if finite."""
    if callable(distribution):

        def draw(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
            return labelled(distribution(n, rng), target, n)

        def judge(rng: np.random.Generator) -> tuple[Any, Callable[[Vector], float]]:
            X, y = draw(n_test, rng)
            return X, lambda labels: float((labels != y).mean())

        return draw, judge, None
    support = finite_support(distribution, target)

    def draw_points(n: int, rng: np.random.Generator) -> tuple[Any, Any]:
        rows = rng.choice(len(support.p), n, p=support.p)
        y = rng.uniform(size=n) < support.positive[rows]
        return support.points[rows], y.astype(np.int64)

    def judge_points(rng: np.random.Generator) -> tuple[Any, Callable[[Vector], float]]:
        return support.points, lambda labels: float(support.error(labels))

    return draw_points, judge_points, support


def labelled(drawn: Any, target: Any, n: int) -> tuple[Any, Any]:
    """Return rows and labels 0 and 1, of the sampler or of the target."""
    if target is None:
        if not isinstance(drawn, tuple) or len(drawn) != 2:
            must = "the sampler must return (X, y) where no target is given"
            raise DataError(sentence(WHO, must, type(drawn).__name__))
        X, y = rows_of(WHO, drawn[0]), np.asarray(drawn[1])
    elif callable(target):
        X = rows_of(WHO, drawn)
        y = np.asarray(target(X))
    else:
        must = "target must be a function of rows unless the support is finite"
        raise ParameterError(sentence(WHO, must, type(target).__name__))
    if X.shape[0] != n or y.shape != (n,) or not np.isin(y, (0, 1)).all():
        must = f"{n} rows must be drawn, each with label 0 or 1"
        raise DataError(sentence(WHO, must, f"shapes {X.shape} and {y.shape}"))
    return X, y.astype(np.int64)


def finite_support(distribution: Any, target: Any) -> Support:
    """Return points, probabilities and Pr[y = 1] of a finite support."""
    if not isinstance(distribution, tuple | list) or len(distribution) != 2:
        must = "distribution must be a sampler, or a pair (points, probabilities)"
        raise ParameterError(sentence(WHO, must, type(distribution).__name__))
    X = rows_of(WHO, numbers(WHO, distribution[0], "points"))
    p = probabilities(WHO, distribution[1], "probabilities", len(X))
    if target is None:
        must = "target must be given with a finite support"
        raise ParameterError(sentence(WHO, must, "None"))
    y = numbers(WHO, target(X) if callable(target) else target, "target")
    if y.shape != (len(X),) or (y < 0).any() or (y > 1).any():
        must = f"target must hold a label or Pr[y = 1] for each of {len(X)} points"
        raise DataError(sentence(WHO, must, f"shape {y.shape}"))
    return Support(X, p / p.sum(), y)


def best_error(hypotheses: Any, optimum: Any, support: Support | None) -> float:
    """Return Opt(C): given, or the least error of the class on the support."""
    if hypotheses is None:
        if optimum is not None and not real(0, 1).holds(optimum):
            must = "optimum must be a number in [0, 1]"
            raise ParameterError(sentence(WHO, must, f"{optimum!r}"))
        return float(optimum or 0.0)
    if support is None or optimum is not None:
        must = "hypotheses need a finite support, and no optimum beside them"
        raise ParameterError(sentence(WHO, must, "another case"))
    found = dichotomies(as_class(hypotheses), support.points)
    return float(support.error(found.vectors).min())
