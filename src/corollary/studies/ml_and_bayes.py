"""Maximum likelihood against Bayes on the same rows, as they become more.

Also known as: plug-in against predictive density, ML or Bayesian estimation.

    ML          p(x | theta^),  theta^ = argmax p(X | theta)                     (1)
    MAP         p(x | theta~),  theta~ = argmax p(X | theta) p(theta)            (2)
    predictive  p(x | X) = integral p(x | theta) p(theta | X) dtheta             (3)

judged by the mean log density of rows that were not learned from: its expectation is
largest for the true law.  A broad prior or many rows make the three alike; they differ
for few rows and for a skewed posterior, and then (1) may give a row that comes the
density 0, which (3) does not.

Course: S3-27. References: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import rows_of
from corollary.distributions.distribution import Family, Prior

__all__ = ["MLAndBayes", "ml_and_bayes"]


@dataclass(frozen=True)
class MLAndBayes:
    """Mean log density of new rows under three estimates from n rows.

    -infinity says that some new row had density 0, or that there was no estimate.
    """

    n: int
    ml: float
    map: float
    predictive: float
    error: float  # standard error of predictive - ml over the new rows

    @property
    def gain(self) -> float:
        """How much the predictive density is ahead of maximum likelihood."""
        return float("inf") if self.ml == -np.inf else self.predictive - self.ml

    @property
    def verdict(self) -> str:
        """Say in one sentence which to use."""
        if self.ml == -np.inf:
            return "Bayes: maximum likelihood gives new rows the density 0"
        if abs(self.gain) <= 2 * self.error or abs(self.gain) < 1e-3:
            return "alike: there are rows enough, or the prior says little"
        if self.gain > 0:
            return f"Bayes: it is ahead by {self.gain:.3g} nats a row"
        return f"maximum likelihood: the prior costs {-self.gain:.3g} nats a row"

    def __str__(self) -> str:
        return (
            f"n = {self.n}: ML {self.ml:.4g}, MAP {self.map:.4g}, predictive "
            f"{self.predictive:.4g}; {self.verdict}"
        )


def ml_and_bayes(
    family: Family[Any, Any],
    prior: Prior,
    X: Any,
    X_new: Any,
    sizes: Sequence[int] | None = None,
) -> list[MLAndBayes]:
    """Compare maximum likelihood, MAP and the predictive density (1), (2), (3).

    Parameters
    ----------
    family : Family
    prior : Prior
        Conjugate to the family.
    X : array of shape (n, d)
        Rows to learn from; the first `n` of them for each size.
    X_new : array of shape (m, d)
        Rows to judge by.
    sizes : list of int, optional
        All rows by default.

    Returns
    -------
    list of MLAndBayes

    Examples
    --------
    >>> from corollary.distributions.bernoulli import BernoulliFamily, Beta
    >>> new = [1, 0, 1, 1]
    >>> [few] = ml_and_bayes(BernoulliFamily(), Beta(1.0, 1.0), [1, 1], new)
    >>> few.verdict
    'Bayes: maximum likelihood gives new rows the density 0'
    """
    who = "ml_and_bayes"
    X, X_new = rows_of(who, X), rows_of(who, X_new)
    if len(X) < 1 or len(X_new) < 2:
        must = "there must be rows to learn from and two new rows or more"
        raise DataError(sentence(who, must, f"{len(X)} and {len(X_new)}"))
    sizes = [len(X)] if sizes is None else list(sizes)
    if min(sizes) < 1 or max(sizes) > len(X):
        must = f"sizes must be from 1 to {len(X)}"
        raise ParameterError(sentence(who, must, f"{sizes}"))
    return [_compared(family, prior, X[:n], X_new) for n in sizes]


def _compared(family: Family[Any, Any], prior: Prior, X: Any, X_new: Any) -> MLAndBayes:
    s = family.statistics(X)
    posterior = prior.posterior(s)
    logs = []
    for law in (
        lambda: family.mle(s),
        lambda: family.law_of(posterior, "map"),
        lambda: family.law_of(posterior, "predictive"),
    ):
        try:
            logs.append(law().logpdf(X_new))
        except (DataError, ParameterError):  # no such estimate from these rows
            logs.append(np.full(len(X_new), -np.inf))
    ml, at_mode, averaged = logs
    finite = np.isfinite(ml) & np.isfinite(averaged)
    difference = averaged[finite] - ml[finite]
    error = difference.std(ddof=1) / np.sqrt(len(difference)) if finite.all() else 0.0
    return MLAndBayes(
        len(X),
        float(np.mean(ml)),
        float(np.mean(at_mode)),
        float(np.mean(averaged)),
        float(error),
    )
