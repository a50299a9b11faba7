"""Independent Poisson counts, with a gamma prior.

Also known as: rare events, Gamma-Poisson model, negative binomial predictive.

    P(x | l) = prod_j l_j^x_j e^-l_j / x_j!,   x_j = 0, 1, 2, ...                (1)
    mle        l_j = mean of x_j                                                 (2)
    prior      l_j ~ Gamma(a_j, rate b_j);  posterior  a + sum x, b + n          (3)
    map        l_j = (a_j - 1)/b_j                                               (4)
    predictive negative binomial, P(x) = C(x + a - 1, x) p^a (1 - p)^x,
               p = b/(b + 1)                                                     (5)

Notation: l = rate (d,); a = shape, b = rate of the gamma law.
Course: S3-21. References: Gelman et al. (2013), ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, xlog1py, xlogy

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import non_negative, positive_vectors, whole
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

__all__ = ["Gamma", "NegativeBinomial", "Poisson", "PoissonFamily"]


@stored
@dataclass(frozen=True, eq=False)
class Poisson(Distribution):
    """Independent Poisson counts.

    Parameters
    ----------
    rate : array of shape (d,)
        The mean of each column, >= 0.

    Examples
    --------
    >>> Poisson(2.0).logpdf([0, 0.5, -1]).tolist()
    [-2.0, -inf, -inf]
    """

    rate: Any  # (d,)

    def __post_init__(self) -> None:
        rate = np.atleast_1d(non_negative(self, self.rate, "rate"))
        set_fields(self, rate=rate)

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.rate)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P (1) of each row."""
        X = self._rows(X)
        inside = is_count(X)
        k = np.where(inside, X, 0.0)
        logs = (xlogy(k, self.rate) - self.rate - gammaln(k + 1)).sum(axis=1)
        return np.where(inside.all(axis=1), logs, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of counts."""
        rng = self._generator(n, random_state)
        return rng.poisson(self.rate, (n, self.dimension)).astype(np.float64)

    def entropy(self) -> float:
        """Return the sum of the columns' entropies, adding up 1 - 1e-16 of the mass."""
        total = 0.0
        for rate in self.rate:
            k = np.arange(rate + 40 * np.sqrt(rate + 1) + 40)
            total += sum_entropy(Poisson(rate).logpdf(k))
        return total

    def moments(self) -> tuple[Floats, Floats]:
        """Return the rates as mean and variances."""
        return self.rate, np.diag(self.rate)


@stored
@dataclass(frozen=True)
class PoissonFamily(Family[Sums, Poisson]):
    """Products of Poisson laws.

    Examples
    --------
    >>> PoissonFamily().fit([1, 2, 6]).rate.tolist()
    [3.0]
    """

    def sums(self, X: Floats, w: Vector) -> Sums:
        """Add up counts."""
        X = whole(self, X, "X")
        return Sums.of(X, w, -gammaln(X + 1).sum(axis=1))

    def mle(self, s: Sums) -> Poisson:
        """Return the means (2)."""
        require_rows(self, s.n)
        return Poisson(s.total / s.n)

    def n_parameters(self, law: Poisson) -> int:
        """Count one rate for each column."""
        return law.dimension

    def loglikelihood(self, s: Sums, law: Poisson) -> float:
        """Return the log-likelihood of the counts."""
        return float((xlogy(s.total, law.rate) - s.n * law.rate).sum()) + s.base


@stored
@dataclass(frozen=True, eq=False)
class Gamma(Distribution, Prior):
    """Independent gamma laws: prior and posterior of Poisson rates.

    Parameters
    ----------
    shape, rate : arrays of shape (d,)
        Both > 0; the mean is shape/rate.

    Examples
    --------
    >>> counts = PoissonFamily().statistics([3, 5])
    >>> after = Gamma(2.0, 1.0).posterior(counts)
    >>> float(after.shape[0]), float(after.rate[0]), after.map().rate.tolist()
    (10.0, 3.0, [3.0])
    """

    shape: Any  # (d,)
    rate: Any  # (d,)

    def __post_init__(self) -> None:
        fields = positive_vectors(self, shape=self.shape, rate=self.rate)
        set_fields(self, **fields)

    @property
    def dimension(self) -> int:
        """The number of rates."""
        return len(self.shape)

    # -- a law of rates ------------------------------------------------------------
    def logpdf(self, X: Any) -> Floats:
        """Return the log density of each row of rates."""
        X = self._rows(X)
        inside = ((X >= 0) & np.isfinite(X)).all(axis=1)
        X, a, b = np.where(inside[:, None], X, 1.0), self.shape, self.rate
        logs = a * np.log(b) - gammaln(a) + xlogy(a - 1, X) - b * X
        return np.where(inside, joined(logs), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of rates."""
        rng = self._generator(n, random_state)
        return rng.gamma(self.shape, 1 / self.rate, (n, self.dimension))

    def entropy(self) -> float:
        """Return the sum of the entropies."""
        a = self.shape
        return float((a - np.log(self.rate) + gammaln(a) + (1 - a) * digamma(a)).sum())

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance of the rates."""
        return self.shape / self.rate, np.diag(self.shape / self.rate**2)

    # -- a prior -------------------------------------------------------------------
    def posterior(self, s: Sums) -> Gamma:
        """Add counts and rows (3)."""
        return Gamma(self.shape + s.total, self.rate + s.n)

    def map(self) -> Poisson:
        """Return the law with the most probable rates (4)."""
        if (self.shape < 1).any():
            must = "a mode needs shape >= 1"
            remedy = "Use predictive(), which averages over the rates."
            raise ParameterError(sentence(self, must, f"{self.shape.min():g}", remedy))
        return Poisson((self.shape - 1) / self.rate)

    def predictive(self) -> NegativeBinomial:
        """Return the law of the next row (5)."""
        return NegativeBinomial(self.shape, self.rate / (self.rate + 1))


@stored
@dataclass(frozen=True, eq=False)
class NegativeBinomial(Distribution):
    """Poisson counts whose rates are gamma-distributed (5).

    Parameters
    ----------
    shape : array of shape (d,)
        a > 0.
    p : array of shape (d,)
        In (0, 1).

    Examples
    --------
    >>> NegativeBinomial(1.0, 0.5).pdf([0, 1, 2]).round(12).tolist()
    [0.5, 0.25, 0.125]
    """

    shape: Any  # (d,)
    p: Any  # (d,)

    def __post_init__(self) -> None:
        set_fields(self, **positive_vectors(self, shape=self.shape, p=self.p))
        if self.p.max() >= 1:
            must = "p must be numbers in (0, 1)"
            raise ParameterError(sentence(self, must, f"{self.p.max():g}"))

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.shape)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P (5) of each row."""
        X = self._rows(X)
        inside = is_count(X)
        k, a = np.where(inside, X, 0.0), self.shape
        logs = gammaln(k + a) - gammaln(a) - gammaln(k + 1)
        logs = logs + a * np.log(self.p) + xlog1py(k, -self.p)
        return np.where(inside.all(axis=1), logs.sum(axis=1), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of counts."""
        rng = self._generator(n, random_state)
        size = (n, self.dimension)
        return rng.negative_binomial(self.shape, self.p, size).astype(np.float64)

    def entropy(self) -> float:
        """Return the sum of the columns' entropies, adding up the mass."""
        total = 0.0
        mean, variance = self.moments()
        spread = np.sqrt(np.diagonal(variance))
        for j in range(self.dimension):
            most = mean[j] + 40 * spread[j] + 40 / self.p[j]
            column = NegativeBinomial(self.shape[j], self.p[j])
            total += sum_entropy(column.logpdf(np.arange(most)))
        return total

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance."""
        mean = self.shape * (1 - self.p) / self.p
        return mean, np.diag(mean / self.p)


def is_count(X: Floats) -> Any:
    """Tell which entries are whole numbers >= 0."""
    return (X >= 0) & (X == np.floor(X)) & np.isfinite(X)
