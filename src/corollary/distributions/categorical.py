"""The categorical law: shares of a few values, with a Dirichlet prior.

Also known as: empirical distribution, relative frequencies, discrete distribution,
Dirichlet smoothing, Laplace smoothing.

    P(x = v_i) = p_i,   p on the simplex                                         (1)
    mle          p = f / n,  f_i the count of v_i: the unique argmin of D(f || p)   (2)
    prior        p ~ Dirichlet(alpha);  posterior Dirichlet(alpha + f)           (3)
    map          p_i = (alpha_i - 1) / (sum alpha - k)                           (4)
    predictive   P(x = v_i) = alpha_i / sum alpha                                (5)

A value that was never seen has probability 0 under (2), never under (5): alpha = 1 is
Laplace's rule.  Of m draws at once the predictive is the Dirichlet-multinomial law.

Notation: v = values (k,); p, alpha (k,); f = counts.
Course: S0-10, S3-21. References: Good (1965); Gelman et al. (2013), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln, xlogy

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import numbers, positive, probabilities
from corollary.distributions.distribution import (
    Distribution,
    Family,
    Prior,
    Sums,
    joined,
    require_rows,
    set_fields,
)
from corollary.engine.statistics import Statistics

__all__ = ["Categorical", "CategoricalFamily", "Dirichlet", "Tally"]


@stored
@dataclass(frozen=True)
class Tally(Statistics):
    """Weights of the values seen, in rising order; tallies unite their values."""

    values: Floats  # (k,)
    counts: Vector  # (k,)

    def __add__(self, other: Tally) -> Tally:
        values, where = np.unique(
            np.concatenate([self.values, other.values]), return_inverse=True
        )
        both = np.concatenate([self.counts, other.counts])
        return Tally(values, np.bincount(where, both, len(values)))

    def scaled(self, factor: float) -> Tally:
        """Count the same rows `factor` times: the values stay."""
        return Tally(self.values, self.counts * factor)

    @property
    def n(self) -> float:
        """Weight of all rows."""
        return float(self.counts.sum())

    def aligned(self, who: object, values: Floats) -> Vector:
        """Return the counts of given values; no other may have been seen."""
        at = np.searchsorted(values, self.values)
        known = values[np.minimum(at, len(values) - 1)] == self.values
        if not known.all():
            shown = values.tolist() if len(values) <= 10 else f"{len(values)} values"
            must = f"X must hold the values {shown} only"
            raise DataError(sentence(who, must, f"{self.values[~known][0]:g}"))
        return np.bincount(at, self.counts, len(values))


@stored
@dataclass(frozen=True, eq=False)
class Categorical(Distribution):
    """A law on a few values of one column.

    Parameters
    ----------
    p : array of shape (k,)
        Probabilities that add up to 1.
    values : array of shape (k,), optional
        In rising order; 0 to k - 1 by default.

    Examples
    --------
    >>> Categorical([0.5, 0.25, 0.25]).pdf([0, 2, 7]).tolist()
    [0.5, 0.25, 0.0]
    """

    p: Any  # (k,)
    values: Any = None  # (k,)

    def __post_init__(self) -> None:
        p = np.atleast_1d(probabilities(self, self.p, "p"))
        set_fields(self, p=p)
        values = rising(self, self.values, len(p))
        set_fields(self, values=values)

    @property
    def dimension(self) -> int:
        """One column."""
        return 1

    def logpdf(self, X: Any) -> Floats:
        """Return ln P (1) of each row; -infinity for a value that is not listed."""
        x = self._rows(X)[:, 0]
        at = np.minimum(np.searchsorted(self.values, x), len(self.p) - 1)
        with np.errstate(divide="ignore"):
            return np.where(self.values[at] == x, np.log(self.p)[at], -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n values, (n, 1)."""
        rng = self._generator(n, random_state)
        p = self.p / self.p.sum()
        return self.values[rng.choice(len(p), n, p=p)][:, None]

    def entropy(self) -> float:
        """Return -sum p ln p."""
        return float(-xlogy(self.p, self.p).sum())

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and variance of the values as numbers."""
        mean = float(self.p @ self.values)
        return np.array([mean]), np.array([[self.p @ (self.values - mean) ** 2]])


@stored
@dataclass(frozen=True)
class CategoricalFamily(Family[Tally, Categorical]):
    """Laws on the values of one column, whichever are seen.

    Examples
    --------
    >>> law = CategoricalFamily().fit([3, 1, 3, 3])
    >>> law.values.tolist(), law.p.tolist()
    ([1.0, 3.0], [0.25, 0.75])
    """

    def sums(self, X: Floats, w: Vector) -> Tally:
        """Count the values."""
        if X.shape[1] != 1:
            must = "X must be one column of values"
            remedy = "Use JointTable for several."
            raise DataError(sentence(self, must, f"{X.shape[1]} columns", remedy))
        values, where = np.unique(X[:, 0], return_inverse=True)
        return Tally(values, np.bincount(where, w, len(values)))

    def mle(self, s: Tally) -> Categorical:
        """Return relative frequencies (2)."""
        require_rows(self, s.n)
        return Categorical(s.counts / s.n, s.values)

    def n_parameters(self, law: Categorical) -> int:
        """Count the probabilities, which add up to 1."""
        return len(law.p) - 1

    def loglikelihood(self, s: Tally, law: Categorical) -> float:
        """Return sum f ln p."""
        logs = law.logpdf(s.values)
        return float(np.where(s.counts > 0, s.counts * logs, 0.0).sum())


@stored
@dataclass(frozen=True, eq=False)
class Dirichlet(Distribution, Prior):
    """A law on the simplex: prior and posterior of categorical and multinomial laws.

    Parameters
    ----------
    alpha : array of shape (k,)
        All > 0: counts seen before, as it were.
    values : array of shape (k,), optional
        As in `Categorical`.

    Examples
    --------
    >>> rolls = CategoricalFamily().statistics([0, 0, 2])
    >>> Dirichlet([1.0, 1.0, 1.0]).posterior(rolls).predictive().p.round(4).tolist()
    [0.5, 0.1667, 0.3333]
    """

    alpha: Any  # (k,)
    values: Any = None  # (k,)

    def __post_init__(self) -> None:
        alpha = positive(self, self.alpha, "alpha")
        if alpha.ndim != 1 or len(alpha) < 2:
            must = "alpha must be a vector of two numbers or more"
            raise ParameterError(sentence(self, must, f"shape {alpha.shape}"))
        set_fields(self, alpha=alpha)
        values = rising(self, self.values, len(alpha))
        set_fields(self, values=values)

    @property
    def dimension(self) -> int:
        """The number k of shares."""
        return len(self.alpha)

    # -- a law on the simplex ------------------------------------------------------
    def logpdf(self, X: Any) -> Floats:
        """Return the log density of each row of shares."""
        X = self._rows(X)
        inside = (X >= 0).all(axis=1) & (np.abs(X.sum(axis=1) - 1) < 1e-8)
        a = self.alpha
        logs = joined(xlogy(a - 1, np.maximum(X, 0.0))) - log_beta(a)
        return np.where(inside, logs, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of shares."""
        return self._generator(n, random_state).dirichlet(self.alpha, n)

    def entropy(self) -> float:
        """Return the differential entropy."""
        a, total = self.alpha, self.alpha.sum()
        k = len(a)
        return float(
            log_beta(a) + (total - k) * digamma(total) - ((a - 1) * digamma(a)).sum()
        )

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance of the shares."""
        total = self.alpha.sum()
        mean = self.alpha / total
        return mean, (np.diag(mean) - np.outer(mean, mean)) / (total + 1)

    # -- a prior -------------------------------------------------------------------
    def posterior(self, s: Tally | Sums) -> Dirichlet:
        """Add the counts (3)."""
        f = s.aligned(self, self.values) if isinstance(s, Tally) else s.total
        if f.shape != self.alpha.shape:
            must = f"X must have {len(self.alpha)} columns, one for each alpha"
            raise DataError(sentence(self, must, f"{len(f)}"))
        return Dirichlet(self.alpha + f, self.values)

    def map(self) -> Categorical:
        """Return the law with the most probable shares (4)."""
        a = self.alpha
        if (a < 1).any() or not (a > 1).any():
            must = "a mode needs every alpha >= 1 and one > 1"
            remedy = "Use predictive(), which averages over the shares."
            raise ParameterError(sentence(self, must, f"{a.min():g}", remedy))
        return Categorical((a - 1) / (a - 1).sum(), self.values)

    def predictive(self, trials: int = 1) -> Distribution:
        """Return the law of the next value (5), or of the counts of m values."""
        if trials == 1:
            return Categorical(self.alpha / self.alpha.sum(), self.values)
        from corollary.distributions.multinomial import DirichletMultinomial

        return DirichletMultinomial(trials, self.alpha)


def rising(who: object, values: Any, k: int) -> Floats:
    """Return k values in rising order, 0 to k - 1 where none are given."""
    if values is None:
        return np.arange(float(k))
    v = numbers(who, values, "values")
    if v.shape != (k,) or (np.diff(v) <= 0).any():
        must = f"values must be {k} different numbers in rising order"
        raise ParameterError(sentence(who, must, f"{v.tolist()}"))
    return v


def log_beta(a: Floats) -> float:
    """Return the logarithm of the multivariate beta function."""
    return float(gammaln(a).sum() - gammaln(a.sum()))
