"""Logistic regression under other links: two classes with any noise.

Also known as: binary response model, latent variable model of two classes.

Let g be a link and F = g^-1.  Then

    P(y = 1 | x) = F(w'x + b)                                                    (1)

is the law of  y = 1[w'x + b + noise > 0]  where -noise has the distribution function F:
normal noise gives the probit, a Gumbel one the complementary log-log, a Cauchy one the
cauchit.  (1) is the generalised linear model of the Bernoulli family with
alpha = 1/(C n), fitted by Fisher scoring (`linear/glm/glm.py`).

Reference: McCullagh and Nelder (1989), 4.3.
"""

from __future__ import annotations

from typing import Any

from corollary.core.arrays import Floats
from corollary.engine import Data
from corollary.linear.class_weights import class_weights
from corollary.linear.glm import glm
from corollary.linear.inference.sandwich import rows_again
from corollary.linear.inference.summarize import summarize_likelihood
from corollary.linear.inference.summary import Summary
from corollary.objectives.chunk_losses import Deviance
from corollary.objectives.families import Binomial

__all__ = ["begin_scoring", "summarize_bernoulli"]


def deviance(model: Any, weights: Any) -> Deviance:
    """Return the loss of (1), with the weights of the classes."""
    family, link = Binomial(shares=False), model.probability_link()
    return Deviance(type(model).__name__, family, link, weights=weights)


def begin_scoring(
    model: Any,
    data: Data,
    weights: Any,
    alpha: float,
    last: tuple[Floats, Floats] | None,
) -> glm.GLMState:
    """Begin Fisher scoring, from W and b of the last fit where there are any."""
    asked = glm.GLM(
        deviance(model, weights),
        alpha,
        model.fit_intercept,
        model.tol,
        scoring=True,
        start=None if last is None else (last[0][0], float(last[1][0])),
        warm=last is not None,
        remedy="Use a finite C",
    )
    return glm.begin(data, asked)


def summarize_bernoulli(
    model: Any, confidence: float, errors: str, rows: tuple[Any, Any, Any]
) -> Summary:
    """Return the table of a fit; the rows are X, y and weights, or None each."""
    weights = None
    if rows[0] is not None:
        with rows_again(model, *rows) as data:
            weights = class_weights(model, data)
    loss = deviance(model, weights)
    return summarize_likelihood(model, loss, confidence, errors, rows)
