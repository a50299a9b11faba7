"""Independent coins: the product of Bernoulli laws, with a Beta prior.

Also known as: coin toss, binary features, Beta-Bernoulli model, Beta-binomial model.

    P(x | q) = prod_j q_j^x_j (1 - q_j)^(1 - x_j),   x_j in {0, 1}               (1)
    mle      q_j = successes_j / n                                               (2)
    prior    q_j ~ Beta(a_j, b_j);  posterior Beta(a + successes, b + failures)  (3)
    map      q_j = (a_j - 1)/(a_j + b_j - 2)   for a, b > 1                      (4)
    predictive   P(x_j = 1) = a_j/(a_j + b_j)                                    (5)

Of m tosses at once the predictive is the Beta-binomial law

    P(k) = C(m, k) B(k + a, m - k + b) / B(a, b)                                 (6)

Beta(1, 1) is the uniform prior; its predictive is Laplace's (successes + 1)/(n + 2).

Notation: q = p (d,); a, b (d,).
Course: S0-6, S1-6. References: Gelman et al. (2013), ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betaln, digamma, gammaln, xlog1py, xlogy

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import numbers, positive_vectors
from corollary.distributions.distribution import (
    Distribution,
    Family,
    Prior,
    Sums,
    joined,
    require_rows,
    set_fields,
    sum_entropy,
)

__all__ = ["Bernoulli", "BernoulliFamily", "Beta", "BetaBinomial"]


@stored
@dataclass(frozen=True, eq=False)
class Bernoulli(Distribution):
    """Independent coins.

    Parameters
    ----------
    p : array of shape (d,)
        Probability of 1 for each column.

    Examples
    --------
    >>> Bernoulli([0.25, 0.5]).pdf([[1, 0], [0, 2]]).round(12).tolist()
    [0.125, 0.0]
    """

    p: Any  # (d,)

    def __post_init__(self) -> None:
        set_fields(self, p=shares(self, self.p))

    @property
    def dimension(self) -> int:
        """The number of coins."""
        return len(self.p)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P(x) (1) of each row."""
        X = self._rows(X)
        binary = ((X == 0) | (X == 1)).all(axis=1)
        X = np.where(X == 1, 1.0, 0.0)
        logs = (xlogy(X, self.p) + xlog1py(1 - X, -self.p)).sum(axis=1)
        return np.where(binary, logs, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of 0 and 1."""
        rng = self._generator(n, random_state)
        return (rng.random((n, self.dimension)) < self.p).astype(np.float64)

    def entropy(self) -> float:
        """Return the sum of the coins' entropies."""
        p = self.p
        return float(-(xlogy(p, p) + xlog1py(1 - p, -p)).sum())

    def moments(self) -> tuple[Floats, Floats]:
        """Return q and diag q(1 - q)."""
        return self.p, np.diag(self.p * (1 - self.p))


@stored
@dataclass(frozen=True)
class BernoulliFamily(Family[Sums, Bernoulli]):
    """Products of Bernoulli laws.

    Examples
    --------
    >>> BernoulliFamily().fit([[1, 0], [1, 1], [0, 0], [1, 0]]).p.tolist()
    [0.75, 0.25]
    """

    def sums(self, X: Floats, w: Vector) -> Sums:
        """Count tosses and successes."""
        if not ((X == 0) | (X == 1)).all():
            bad = X[(X != 0) & (X != 1)][0]
            raise DataError(sentence(self, "X must hold 0 and 1 only", f"{bad:g}"))
        return Sums.of(X, w)

    def mle(self, s: Sums) -> Bernoulli:
        """Return the shares of successes (2)."""
        require_rows(self, s.n)
        return Bernoulli(share(s))

    def n_parameters(self, law: Bernoulli) -> int:
        """Count one probability for each column."""
        return law.dimension

    def loglikelihood(self, s: Sums, law: Bernoulli) -> float:
        """Return successes times ln q plus failures times ln(1 - q)."""
        return log_tosses(s, law.p)


@stored
@dataclass(frozen=True, eq=False)
class Beta(Distribution, Prior):
    """Independent Beta laws: prior and posterior of coins.

    Parameters
    ----------
    a, b : arrays of shape (d,)
        Both > 0: successes and failures seen before, as it were.

    Examples
    --------
    >>> tosses = BernoulliFamily().statistics([1, 1, 1, 0])
    >>> after = Beta(1.0, 1.0).posterior(tosses)
    >>> float(after.map().p[0]), after.predictive().p.round(4).tolist()
    (0.75, [0.6667])
    """

    a: Any  # (d,)
    b: Any  # (d,)

    def __post_init__(self) -> None:
        set_fields(self, **positive_vectors(self, a=self.a, b=self.b))

    @property
    def dimension(self) -> int:
        """The number of coins."""
        return len(self.a)

    # -- a law of q ----------------------------------------------------------------
    def logpdf(self, X: Any) -> Floats:
        """Return the log density of each row of probabilities q."""
        X = self._rows(X)
        inside = ((X >= 0) & (X <= 1)).all(axis=1)
        X = np.clip(X, 0.0, 1.0)
        logs = xlogy(self.a - 1, X) + xlog1py(self.b - 1, -X) - betaln(self.a, self.b)
        return np.where(inside, joined(logs), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of probabilities q."""
        rng = self._generator(n, random_state)
        return rng.beta(self.a, self.b, (n, self.dimension))

    def entropy(self) -> float:
        """Return the sum of the entropies."""
        a, b = self.a, self.b
        terms = betaln(a, b) - (a - 1) * digamma(a) - (b - 1) * digamma(b)
        return float((terms + (a + b - 2) * digamma(a + b)).sum())

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance of q."""
        total = self.a + self.b
        return self.a / total, np.diag(self.a * self.b / (total**2 * (total + 1)))

    # -- a prior -------------------------------------------------------------------
    def posterior(self, s: Sums) -> Beta:
        """Add successes and failures (3), of coins or of binomial counts."""
        return Beta(self.a + s.total, self.b + np.maximum(s.n - s.total, 0.0))

    def map(self) -> Bernoulli:
        """Return the coins with the most probable q (4)."""
        a, b = self.a, self.b
        if ((a < 1) | (b < 1) | (a + b <= 2)).any():
            must = "a mode needs a >= 1, b >= 1 and a + b > 2"
            remedy = "Use predictive(), which averages over q."
            came = f"a = {a.min():g}, b = {b.min():g}"
            raise ParameterError(sentence(self, must, came, remedy))
        return Bernoulli((a - 1) / (a + b - 2))

    def predictive(self, trials: int = 1) -> Distribution:
        """Return the law of the next toss (5), or of the next m tosses (6)."""
        if trials == 1:
            return Bernoulli(self.moments()[0])
        return BetaBinomial(trials, self.a, self.b)


@stored
@dataclass(frozen=True, eq=False)
class BetaBinomial(Distribution):
    """Successes of m tosses of coins whose bias is Beta-distributed (6).

    Parameters
    ----------
    trials : int
    a, b : arrays of shape (d,)

    Examples
    --------
    >>> BetaBinomial(2, 1.0, 1.0).pdf([0, 1, 2]).round(12).tolist()
    [0.333333333333, 0.333333333333, 0.333333333333]
    """

    trials: int
    a: Any  # (d,)
    b: Any  # (d,)

    def __post_init__(self) -> None:
        set_fields(self, trials=tosses(self, self.trials))
        set_fields(self, **positive_vectors(self, a=self.a, b=self.b))

    @property
    def dimension(self) -> int:
        """The number of coins."""
        return len(self.a)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P(k) (6) of each row."""
        X = self._rows(X)
        inside = counts_up_to(X, self.trials)
        k = np.where(inside, X, 0.0)
        logs = betaln(k + self.a, self.trials - k + self.b) - betaln(self.a, self.b)
        logs = (logs + log_choose(self.trials, k)).sum(axis=1)
        return np.where(inside.all(axis=1), logs, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw biases, then successes."""
        rng = self._generator(n, random_state)
        q = rng.beta(self.a, self.b, (n, self.dimension))
        return rng.binomial(self.trials, q).astype(np.float64)

    def entropy(self) -> float:
        """Return the sum of the columns' entropies, by adding up (6)."""
        k = np.arange(self.trials + 1.0)
        columns = zip(self.a, self.b, strict=True)
        laws = (BetaBinomial(self.trials, a, b) for a, b in columns)
        return sum(sum_entropy(law.logpdf(k)) for law in laws)

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance."""
        m, total = self.trials, self.a + self.b
        q = self.a / total
        return m * q, np.diag(m * q * (1 - q) * (total + m) / (total + 1))


def shares(who: object, p: Any) -> Floats:
    """Return probabilities in [0, 1], (d,)."""
    p = np.atleast_1d(numbers(who, p, "p"))
    if p.ndim != 1 or p.min() < 0 or p.max() > 1:
        bad = p[(p < 0) | (p > 1)]
        came = f"{bad[0]:g}" if bad.size else f"shape {p.shape}"
        raise ParameterError(sentence(who, "p must be numbers in [0, 1]", came))
    return p


def share(s: Sums) -> Floats:
    """Return the shares of successes (2)."""
    return np.minimum(s.total / s.n, 1.0)


def log_tosses(s: Sums, p: Floats) -> float:
    """Return the log-likelihood of sums of tosses."""
    failures = np.maximum(s.n - s.total, 0.0)
    return float((xlogy(s.total, p) + xlog1py(failures, -p)).sum()) + s.base


def tosses(who: object, trials: Any) -> int:
    """Return a number of tosses >= 1."""
    whole = isinstance(trials, int | np.integer) and not isinstance(trials, bool)
    if not whole or trials < 1:
        must = "trials must be a whole number >= 1"
        raise ParameterError(sentence(who, must, repr(trials)))
    return int(trials)


def counts_up_to(X: Floats, m: float) -> Any:
    """Tell which entries are whole numbers from 0 to m."""
    return (X >= 0) & (X <= m) & (X == np.floor(X))


def log_choose(m: Any, k: Floats) -> Floats:
    """Return ln C(m, k)."""
    return gammaln(m + 1.0) - gammaln(k + 1.0) - gammaln(m - k + 1.0)
