"""Two classes under any link: the class probability is a distribution function.

Also known as: probit regression, complementary log-log regression, cauchit regression,
latent-variable model of a yes or no.

    P(y = 1 | x) = F(w'x + b),   F = g^-1 for a link g                           (1)

which is the law of  y = 1[w'x + b + noise > 0]  where -noise has the distribution
function F.  That is the generalised linear model of the Bernoulli family, so its search
is Fisher scoring on the sums of `linear/glm/glm.py`, with alpha = 1/(C n) there.

Course: S2-15. Reference: McCullagh and Nelder (1989), 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.report import Report, StopReason
from corollary.engine import Chunk, Data, Statistics
from corollary.linear.glm import glm
from corollary.linear.logistic.logistic_sums import weighted
from corollary.objectives.families import Binomial, Family
from corollary.objectives.links import Link

__all__ = ["LinkSearch", "begin"]


class BernoulliModel(glm.GeneralizedLinearModel):
    """The generalised linear model behind (1)."""

    solver = "irls"

    def __init__(self, link: Link, alpha: float, tol: float) -> None:
        self.link, self.alpha, self.tol = link, alpha, tol
        self.fit_intercept, self.warm_start = True, False

    def _family(self) -> Family:
        return Binomial(shares=False)

    def _link(self, family: Family) -> Link:
        return self.link


class WeightedData(Data):
    """Data whose rows carry the weights of their classes."""

    def __init__(self, data: Data, weights: Floats | None) -> None:
        self._data, self._weights, self.source = data, weights, data.source

    def reduce(self, statistics: Any) -> Any:
        """Make one pass and add up what each chunk contributes."""
        return self._data.reduce(
            partial(on_weighted, function=statistics, weights=self._weights)
        )


def on_weighted(chunk: Chunk, function: Any, weights: Floats | None) -> Any:
    """Apply a function to a chunk with the weights of its classes put in."""
    return function(replace(chunk, w=weighted(chunk, weights)))


@dataclass(frozen=True)
class LinkSearch:
    """The state: the model, its own state, and the class weights."""

    model: BernoulliModel
    state: glm.Search
    weights: Floats | None

    @property
    def f(self) -> float:
        """The mean loss with its penalty."""
        return self.state.search.f

    @property
    def dtype(self) -> Any:
        """The type that coefficients are published in."""
        return self.state.dtype

    def coefficients(self) -> tuple[Floats, Floats]:
        """Return W (1, d) and b (1,)."""
        w, b = self.state.theta(self.state.search.x)
        return w[None, :], np.array([b])

    def statistics(self, chunk: Chunk) -> Statistics:
        """Sum loss, gradient and Fisher information over the chunk's rows."""
        return on_weighted(
            chunk, partial(self.model.statistics, state=self.state), self.weights
        )

    def update(self, s: Any) -> LinkSearch:
        """Take a step of Fisher scoring."""
        return replace(self, state=self.model.update(s, self.state))

    def stop(self, tol: float) -> StopReason | None:
        """Stop when gradient and decrement are small."""
        return self.model.stop(self.state)

    def conclude(self, data: Data) -> LinkSearch:
        """Look whether the likelihood has a maximum."""
        end = self.model.settle(WeightedData(data, self.weights), self.state)
        return replace(self, state=end.state)

    def account(self, report: Report) -> None:
        """Report the deviance, the decrement, and what has no answer."""
        self.model.account(self.state, report)
        remedy = "Use alpha > 0", "Use a finite C"
        report.warnings[:] = [w.replace(*remedy) for w in report.warnings]


def begin(
    data: Data,
    link: Link,
    penalty: float,
    weights: Floats | None,
    start: tuple[Floats, Floats] | None,
    *,
    intercept: bool,
    tol: float,
) -> LinkSearch:
    """Start from the constant model, or from coefficients W and b."""
    model = BernoulliModel(link, penalty, tol)
    model.fit_intercept = intercept
    if start is not None:
        model.warm_start = True
        model.coef_, model.intercept_ = start[0][0], float(start[1][0])
    return LinkSearch(model, model.start(WeightedData(data, weights), 0), weights)
