"""Sequential Bayes: belief in hypotheses, updated one observation at a time.

Also known as: incremental Bayes, recursive Bayes, streaming Bayes update.

The posterior after n observations is the prior of the next:

    P_n(h) prop. to p(x_n | h) P_{n-1}(h)                                        (1)

In logarithms the evidence adds up,

    log P_n(h) = log pi_h + sum_i log p(x_i | h) + const                         (2)

so order and batching do not matter, beliefs of two streams from the same prior merge by
adding their sums, and nothing underflows.

Notation: pi = prior; the sum in (2) is `log_likelihood`.
Course: S0-8. Reference: Duda, Hart, Stork (2001), 3.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.decisions.probabilities import check_distribution, check_log_likelihood
from corollary.objectives.softmax import log_softmax

__all__ = ["Belief", "prior_belief"]


@dataclass(frozen=True)
class Belief:
    """What is believed of each hypothesis; every update returns a new belief.

    Attributes
    ----------
    hypotheses : tuple of str
    prior : array of shape (k,)
    log_likelihood : array of shape (k,)
        Sum over the observations so far (2).
    n : int
        Observations so far.
    """

    hypotheses: tuple[str, ...]
    prior: Floats
    log_likelihood: Floats
    n: int = 0

    def update(self, log_likelihood: Any) -> Belief:
        """Take in one observation, (k,), or several, (n, k).

        Parameters
        ----------
        log_likelihood : array of shape (k,) or (n, k)
            log p(x | h) under each hypothesis.

        Returns
        -------
        Belief
        """
        rows = check_log_likelihood(
            self, np.atleast_2d(log_likelihood), len(self.prior)
        )
        total = self.log_likelihood + rows.sum(axis=0)
        return self._with(total, self.n + len(rows))

    def merge(self, other: Belief) -> Belief:
        """Join what two streams said, which started from the same prior."""
        same = self.hypotheses == other.hypotheses
        if not same or not np.array_equal(self.prior, other.prior):
            must = "beliefs to merge must have the same hypotheses and prior"
            came = f"{list(other.prior)} beside {list(self.prior)}"
            raise ParameterError(sentence(self, must, came))
        total = self.log_likelihood + other.log_likelihood
        return self._with(total, self.n + other.n)

    @property
    def log_posterior(self) -> Floats:
        """Logarithm of the posterior, (k,)."""
        with np.errstate(divide="ignore"):
            return log_softmax((self.log_likelihood + np.log(self.prior))[None, :])[0]

    @property
    def posterior(self) -> Floats:
        """Probability of each hypothesis, (k,)."""
        return np.exp(self.log_posterior)

    @property
    def best(self) -> str:
        """The most probable hypothesis."""
        return self.hypotheses[int(self.log_posterior.argmax())]

    def __str__(self) -> str:
        pairs = zip(self.hypotheses, self.posterior, strict=True)
        shares = ", ".join(f"{name} {p:.4g}" for name, p in pairs)
        return f"after {self.n} observations: {shares}"

    def _with(self, total: Floats, n: int) -> Belief:
        if np.isneginf(total[self.prior > 0]).all():
            must = "some hypothesis with a prior above 0 must allow what was seen"
            raise DataError(sentence(self, must, "an observation that all rule out"))
        return replace(self, log_likelihood=total, n=n)


def prior_belief(prior: Any, hypotheses: Sequence[str] = ()) -> Belief:
    """Start from a prior.

    Parameters
    ----------
    prior : array of shape (k,)
    hypotheses : sequence of str, optional
        Their names; by default numbers.

    Returns
    -------
    Belief

    Examples
    --------
    A coin that may be fair, or show heads six times in ten, shows two heads:

    >>> import numpy as np
    >>> heads = np.log([0.5, 0.6])
    >>> belief = prior_belief([0.75, 0.25], ["fair", "biased"])
    >>> print(belief.update(heads).update(heads))
    after 2 observations: fair 0.6757, biased 0.3243
    """
    pi = check_distribution("prior_belief", prior, name="prior")
    names = tuple(map(str, hypotheses or range(len(pi))))
    if len(names) != len(pi):
        must = f"hypotheses must hold a name for each of {len(pi)}"
        raise ParameterError(sentence("prior_belief", must, f"{len(names)}"))
    return Belief(names, pi, np.zeros(len(pi)))
