"""The binomial law: successes in m tosses, for independent columns.

Also known as: number of heads, Bernoulli trials.

    P(k | q) = C(m, k) q^k (1 - q)^(m - k),   k = 0..m                           (1)
    mle      q = successes / tosses                                              (2)

Its sums are those of single tosses, so `Beta` is its prior too.  A share k/m of rows in
a cell is (2): it estimates the cell's probability with variance q(1 - q)/m.

Notation: m = trials; q = p (d,).
Course: S3-21. Reference: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import xlog1py, xlogy

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.distributions.bernoulli import (
    Beta,
    counts_up_to,
    log_choose,
    log_tosses,
    share,
    shares,
    tosses,
)
from corollary.distributions.distribution import (
    Distribution,
    Family,
    Prior,
    Sums,
    require_rows,
    set_fields,
    sum_entropy,
)

__all__ = ["Binomial", "BinomialFamily"]


@stored
@dataclass(frozen=True, eq=False)
class Binomial(Distribution):
    """Independent binomial counts.

    Parameters
    ----------
    trials : int
    p : array of shape (d,)

    Examples
    --------
    >>> Binomial(2, 0.5).pdf([0, 1, 2, 3]).round(12).tolist()
    [0.25, 0.5, 0.25, 0.0]
    """

    trials: int
    p: Any  # (d,)

    def __post_init__(self) -> None:
        set_fields(self, trials=tosses(self, self.trials), p=shares(self, self.p))

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.p)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P (1) of each row."""
        X = self._rows(X)
        inside = counts_up_to(X, self.trials)
        k = np.where(inside, X, 0.0)
        logs = xlogy(k, self.p) + xlog1py(self.trials - k, -self.p)
        logs = (logs + log_choose(self.trials, k)).sum(axis=1)
        return np.where(inside.all(axis=1), logs, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of counts."""
        rng = self._generator(n, random_state)
        size = (n, self.dimension)
        return rng.binomial(self.trials, self.p, size).astype(np.float64)

    def entropy(self) -> float:
        """Return the sum of the columns' entropies, by adding up (1)."""
        k = np.arange(self.trials + 1.0)
        return sum(sum_entropy(Binomial(self.trials, p).logpdf(k)) for p in self.p)

    def moments(self) -> tuple[Floats, Floats]:
        """Return m q and diag m q(1 - q)."""
        mean = self.trials * self.p
        return mean, np.diag(mean * (1 - self.p))


@stored
@dataclass(frozen=True)
class BinomialFamily(Family[Sums, Binomial]):
    """Binomial laws with a known number of tosses.

    Parameters
    ----------
    trials : int

    Examples
    --------
    >>> BinomialFamily(4).fit([1, 2, 3]).p.tolist()
    [0.5]
    """

    trials: int

    def __post_init__(self) -> None:
        tosses(self, self.trials)

    def sums(self, X: Floats, w: Vector) -> Sums:
        """Count tosses and successes."""
        inside = counts_up_to(X, self.trials)
        if not inside.all():
            must = f"X must hold whole numbers from 0 to trials = {self.trials}"
            raise DataError(sentence(self, must, f"{X[~inside][0]:g}"))
        counted = Sums.of(X, w, log_choose(self.trials, X).sum(axis=1))
        return Sums(counted.n * self.trials, counted.total, counted.base)

    def mle(self, s: Sums) -> Binomial:
        """Return successes / tosses (2)."""
        require_rows(self, s.n)
        return Binomial(self.trials, share(s))

    def law_of(self, posterior: Prior, estimate: str) -> Distribution:
        """Return the law of m tosses under a `Beta` posterior."""
        if not isinstance(posterior, Beta):
            must = "the prior of a binomial law must be a Beta"
            raise ParameterError(sentence(self, must, type(posterior).__name__))
        if estimate == "map":
            return Binomial(self.trials, posterior.map().p)
        return posterior.predictive(self.trials)

    def n_parameters(self, law: Binomial) -> int:
        """Count one probability for each column."""
        return law.dimension

    def loglikelihood(self, s: Sums, law: Binomial) -> float:
        """Return the log-likelihood of the counts."""
        return log_tosses(s, law.p)
