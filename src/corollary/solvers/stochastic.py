"""Stochastic gradient descent, with momentum and steps of each coordinate's own.

Also known as: SGD, mini-batch gradient descent, heavy ball, Polyak's momentum,
Nesterov's momentum, AdaGrad, Adam, Robbins-Monro.

f is a mean of n terms; a step takes r, the mean gradient of a batch of b terms drawn
without repetition within an epoch, at the rate eta_t:

    sgd       x+ = prox(x - eta r)                                                   (1)
    momentum  v+ = m v - eta r,              x+ = prox(x + v+)                       (2)
    nesterov  v+ = m v - eta r(x + m v),     x+ = prox(x + v+)                       (3)
    adagrad   s+ = s + r^2,                  x+ = x - eta r / (sqrt(s+) + e)         (4)
    adam      v+ = b1 v + (1 - b1) r,  s+ = b2 s + (1 - b2) r^2,
              x+ = x - eta v^ / (sqrt(s^) + e),
              v^ = v+/(1 - b1^t),  s^ = s+/(1 - b2^t)                                (5)

entry by entry.  A batch of all n terms makes (1) gradient descent.  Schedules:

    constant  eta0                        hovers around the minimum
    inverse   eta0 / (1 + decay t)        sum eta infinite, sum eta^2 finite: converges
    root      eta0 / sqrt(1 + decay t)                                               (6)

With momentum m a step counts 1/(1 - m) times in the long run.  On a quadratic with
eigenvalues in [mu, L] the best heavy ball has eta = 4/(sqrt L + sqrt mu)^2 and

    m = ((sqrt kappa - 1)/(sqrt kappa + 1))^2                                        (7)

and converges like (sqrt kappa - 1)/(sqrt kappa + 1), against (kappa - 1)/(kappa + 1).

Course: S1-54. References: Robbins and Monro (1951); Polyak (1964); Sutskever et al.
(2013); Duchi, Hazan and Singer (2011); Kingma and Ba (2015).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.randomness import generator
from corollary.solvers.problem import FiniteSum, Problem
from corollary.solvers.solver import Iterate, Solver, require_step

__all__ = ["RULES", "Stochastic"]

RULES = ("sgd", "momentum", "nesterov", "adagrad", "adam")
SCHEDULES = ("constant", "inverse", "root")
B1, B2, TINY = 0.9, 0.999, 1e-8  # of (5)


@dataclass(frozen=True)
class Memory:
    """What a rule remembers between steps."""

    v: Floats
    s: Floats
    t: int = 0


@dataclass(frozen=True)
class Stochastic(Solver):
    """Steps (1) to (5), an epoch at a time.

    Parameters
    ----------
    rule : {'sgd', 'momentum', 'nesterov', 'adagrad', 'adam'}
    batch : int, default=1
        Terms of a step; n makes whole gradients.
    rate : float, optional
        eta0; by default 1/L of the terms, times 1 - momentum, and 0.1 for 'adagrad',
        0.01 for 'adam'.
    schedule : {'inverse', 'root', 'constant'}
    decay : float, optional
        Of the schedule; by default eta0 mu where F is strongly convex, else 1/n.
    momentum : float, default=0.9
        m of (2) and (3).
    average : bool, default=False
        Whether to give the mean of the iterates of an epoch.
    seed : int, default=0
        Of the orders.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.objectives.losses import Squared
    >>> from corollary.solvers.minimize import minimize
    >>> from corollary.solvers.problem import linear_problem
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> line = linear_problem(X, [1.0, 2.0, 3.0], Squared())
    >>> found = minimize(line, Stochastic("nesterov", schedule="constant"))
    >>> found.x.round(4).tolist()
    [1.0, 2.0]
    """

    rule: str = "sgd"
    batch: int = 1
    rate: float | None = None
    schedule: str = "inverse"
    decay: float | None = None
    momentum: float = 0.9
    average: bool = False
    seed: int = 0

    def __post_init__(self) -> None:
        for name, value, known in (
            ("rule", self.rule, RULES),
            ("schedule", self.schedule, SCHEDULES),
        ):
            if value not in known:
                must = f"{name} must be one of {', '.join(map(repr, known))}"
                raise ParameterError(sentence(self, must, repr(value)))
        require_step(self, "rate", self.rate)
        if not 0 <= self.momentum < 1:
            must = "momentum must be in [0, 1)"
            raise ParameterError(sentence(self, must, f"{self.momentum!r}"))
        if self.batch < 1:
            must = "batch must be at least 1 term"
            raise ParameterError(sentence(self, must, f"{self.batch!r}"))

    @property
    def needs(self) -> tuple[str, ...]:
        """Name what a problem must have."""
        entrywise = ("no simple part",) if self.rule in ("adagrad", "adam") else ()
        return ("gradient", "finite sum", *entrywise)

    def steps(self, problem: Problem, x: Floats) -> Iterator[Iterate]:
        """Yield x after each epoch."""
        terms = problem.terms
        assert terms is not None
        eta0, decay = self._rates(problem, terms)
        memory = Memory(np.zeros_like(x), np.zeros_like(x))
        epoch = 0
        yield Iterate(x)
        while True:
            order = generator(self.seed, epoch).permutation(terms.n)
            total, count = np.zeros_like(x), 0
            for first in range(0, terms.n, self.batch):
                rows = order[first : first + self.batch]
                eta = self._rate_at(memory.t, eta0, decay)
                x, memory = self._step(problem, terms, x, rows, eta, memory)
                if self.average:
                    total, count = total + x, count + 1
            epoch += 1
            yield Iterate(total / count if self.average else x)

    def _step(
        self,
        problem: Problem,
        terms: FiniteSum,
        x: Floats,
        rows: Vector,
        eta: float,
        memory: Memory,
    ) -> tuple[Floats, Memory]:
        """Make one step of (1) to (5)."""
        v, s, t, m = memory.v, memory.s, memory.t + 1, self.momentum
        r = terms.gradient(x + m * v if self.rule == "nesterov" else x, rows)
        if self.rule == "sgd":
            return problem.proximal(x - eta * r, eta), Memory(v, s, t)
        if self.rule in ("momentum", "nesterov"):
            v = m * v - eta * r
            return problem.proximal(x + v, eta), Memory(v, s, t)
        if self.rule == "adagrad":
            s = s + r**2
            return x - eta * r / (np.sqrt(s) + TINY), Memory(v, s, t)
        v, s = B1 * v + (1 - B1) * r, B2 * s + (1 - B2) * r**2
        size = np.sqrt(s / (1 - B2**t)) + TINY
        return x - eta * v / (1 - B1**t) / size, Memory(v, s, t)

    def _rates(self, problem: Problem, terms: FiniteSum) -> tuple[float, float]:
        """Return eta0 and the decay."""
        if self.rate is not None:
            eta0 = self.rate
        elif self.rule in ("adagrad", "adam"):
            eta0 = 0.1 if self.rule == "adagrad" else 0.01
        else:
            L = terms.lipschitz if np.isfinite(terms.lipschitz) else 1.0
            heavy = self.rule in ("momentum", "nesterov")
            eta0 = (1 - self.momentum if heavy else 1.0) / max(L, TINY)
        if self.decay is not None:
            return eta0, self.decay
        return eta0, max(eta0 * problem.convexity, 0.0) or 1 / terms.n

    def _rate_at(self, t: int, eta0: float, decay: float) -> float:
        """Return (6)."""
        if self.schedule == "constant":
            return eta0
        slower = 1 + decay * t
        return float(eta0 / (slower if self.schedule == "inverse" else np.sqrt(slower)))
