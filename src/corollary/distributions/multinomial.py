"""The multinomial law: counts of k outcomes in m draws.

Also known as: bag of words, Dirichlet-multinomial model, Polya distribution.

    P(x | p) = m! / prod_i x_i! * prod_i p_i^x_i,   sum_i x_i = m                (1)
    mle      p = (sum_n x_n) / (sum_n m_n)                                       (2)

Rows may have different m, which is then taken as given (`trials` None).  `Dirichlet` is
its prior; m draws from the posterior predictive follow

    P(x | alpha) = m! / prod x_i! * B(alpha + x)/B(alpha)                        (3)

Notation: X (n, k) counts; p, alpha (k,); m = trials.
Course: S3-21. Reference: Gelman et al. (2013), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import probabilities, whole
from corollary.distributions.bernoulli import BetaBinomial, tosses
from corollary.distributions.binomial import Binomial
from corollary.distributions.categorical import Dirichlet, log_beta
from corollary.distributions.distribution import (
    Distribution,
    Family,
    Prior,
    Sums,
    require_rows,
    set_fields,
)
from corollary.distributions.poisson import is_count

__all__ = ["DirichletMultinomial", "Multinomial", "MultinomialFamily"]


@stored
@dataclass(frozen=True, eq=False)
class Multinomial(Distribution):
    """Counts of k outcomes.

    Parameters
    ----------
    p : array of shape (k,)
        Probabilities that add up to 1.
    trials : int, optional
        Draws in a row; None takes each row's own sum as given.

    Examples
    --------
    >>> Multinomial([0.5, 0.5], trials=2).pdf([[1, 1], [2, 1]]).round(12).tolist()
    [0.5, 0.0]
    """

    p: Any  # (k,)
    trials: int | None = None

    def __post_init__(self) -> None:
        p = np.atleast_1d(probabilities(self, self.p, "p"))
        set_fields(self, p=p)
        if self.trials is not None:
            set_fields(self, trials=tosses(self, self.trials))

    @property
    def dimension(self) -> int:
        """The number k of outcomes."""
        return len(self.p)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P (1) of each row."""
        X = self._rows(X)
        inside, k = count_rows(X, self.trials)
        return np.where(inside, xlogy(k, self.p).sum(axis=1) + log_orders(k), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of counts; needs `trials`."""
        rng = self._generator(n, random_state)
        m = known_trials(self, "sample")
        return rng.multinomial(m, self.p / self.p.sum(), n).astype(np.float64)

    def entropy(self) -> float:
        """Return the entropy; each count is binomial, which gives E ln x_i!."""
        m = known_trials(self, "entropy")
        k = np.arange(m + 1.0)
        factorials = sum(Binomial(m, p).pdf(k) @ gammaln(k + 1) for p in self.p)
        value = -gammaln(m + 1.0) - m * xlogy(self.p, self.p).sum() + factorials
        return float(value)

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance; of one draw where `trials` is None."""
        m = self.trials or 1
        return m * self.p, m * (np.diag(self.p) - np.outer(self.p, self.p))


@stored
@dataclass(frozen=True)
class MultinomialFamily(Family[Sums, Multinomial]):
    """Multinomial laws.

    Parameters
    ----------
    trials : int, optional
        As in `Multinomial`; kept for the laws that are fitted.

    Examples
    --------
    >>> MultinomialFamily().fit([[2, 1], [1, 0]]).p.tolist()
    [0.75, 0.25]
    """

    trials: int | None = None

    def sums(self, X: Floats, w: Vector) -> Sums:
        """Add up the counts; n is the number of draws."""
        X = whole(self, X, "X")
        inside, _ = count_rows(X, self.trials)
        if not inside.all():
            must = f"each row must add up to trials = {self.trials}"
            bad = X[~inside][0].sum()
            raise DataError(sentence(self, must, f"{bad:g}"))
        s = Sums.of(X, w, log_orders(X))
        return Sums(float(s.total.sum()), s.total, s.base)

    def mle(self, s: Sums) -> Multinomial:
        """Return shares of the outcomes (2)."""
        require_rows(self, s.n)
        return Multinomial(s.total / s.n, self.trials)

    def law_of(self, posterior: Prior, estimate: str) -> Distribution:
        """Return the law of a row of counts under a `Dirichlet` posterior."""
        if not isinstance(posterior, Dirichlet):
            must = "the prior of a multinomial law must be a Dirichlet"
            raise ParameterError(sentence(self, must, type(posterior).__name__))
        if estimate == "map":
            return Multinomial(posterior.map().p, self.trials)
        return DirichletMultinomial(self.trials, posterior.alpha)

    def n_parameters(self, law: Multinomial) -> int:
        """Count the probabilities, which add up to 1."""
        return len(law.p) - 1

    def loglikelihood(self, s: Sums, law: Multinomial) -> float:
        """Return the log-likelihood of the counts."""
        return float(xlogy(s.total, law.p).sum()) + s.base


@stored
@dataclass(frozen=True, eq=False)
class DirichletMultinomial(Distribution):
    """Counts of m draws whose shares are Dirichlet-distributed (3).

    Parameters
    ----------
    trials : int or None
        As in `Multinomial`.
    alpha : array of shape (k,)

    Examples
    --------
    >>> DirichletMultinomial(2, [1.0, 1.0]).pdf([[2, 0], [1, 1]]).round(6).tolist()
    [0.333333, 0.333333]
    """

    trials: int | None
    alpha: Any  # (k,)

    def __post_init__(self) -> None:
        if self.trials is not None:
            set_fields(self, trials=tosses(self, self.trials))
        set_fields(self, alpha=Dirichlet(self.alpha).alpha)

    @property
    def dimension(self) -> int:
        """The number k of outcomes."""
        return len(self.alpha)

    def logpdf(self, X: Any) -> Floats:
        """Return ln P (3) of each row."""
        X = self._rows(X)
        inside, k = count_rows(X, self.trials)
        total = self.alpha.sum() + k.sum(axis=1)
        after = gammaln(self.alpha + k).sum(axis=1) - gammaln(total)
        logs = log_orders(k) + after - log_beta(self.alpha)
        return np.where(inside, logs, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw shares, then counts."""
        rng = self._generator(n, random_state)
        m = known_trials(self, "sample")
        return rng.multinomial(m, rng.dirichlet(self.alpha, n)).astype(np.float64)

    def entropy(self) -> float:
        """Return the entropy; each count is Beta-binomial."""
        m, total = known_trials(self, "entropy"), float(self.alpha.sum())
        k = np.arange(m + 1.0)
        value = -gammaln(m + 1.0) + gammaln(total + m) - gammaln(total)
        for a in self.alpha:
            p = BetaBinomial(m, a, total - a).pdf(k)
            value += p @ (gammaln(k + 1) - gammaln(a + k) + gammaln(a))
        return float(value)

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance; of one draw where `trials` is None."""
        m, total = self.trials or 1, self.alpha.sum()
        p = self.alpha / total
        spread = m * (np.diag(p) - np.outer(p, p)) * (total + m) / (total + 1)
        return m * p, spread


def known_trials(law: Multinomial | DirichletMultinomial, what: str) -> int:
    """Return the number of draws of a law that has one."""
    if law.trials is None:
        must = f"{what} needs a number of trials"
        raise ParameterError(sentence(law, must, "None", "Give trials."))
    return law.trials


def count_rows(X: Floats, trials: int | None) -> tuple[Any, Floats]:
    """Tell which rows are counts (of so many draws); return them, others as 0."""
    inside = is_count(X).all(axis=1)
    if trials is not None:
        inside &= np.where(np.isfinite(X), X, 0.0).sum(axis=1) == trials
    return inside, np.where(inside[:, None], X, 0.0)


def log_orders(X: Floats) -> Floats:
    """Return ln m!/prod x_i! of each row."""
    return gammaln(X.sum(axis=1) + 1) - gammaln(X + 1).sum(axis=1)
