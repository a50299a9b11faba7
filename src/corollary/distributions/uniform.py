"""The uniform law on [0, theta], with a power-law prior on theta.

Also known as: German tank problem, Pareto prior, truncated Pareto, largest observation.

    p(x | theta) = prod_j 1/theta_j  for 0 <= x_j <= theta_j, else 0             (1)
    mle          theta_j = max_n x_nj                                            (2)

The likelihood theta^-n falls beyond the largest x and is 0 before it, so (2) sits where
its derivative is not 0: at the edge of the range.  E[mle] = n/(n + 1) theta.  A prior

    p(theta) prop to theta^-k  on [l, h]                                         (3)

is conjugate: k grows by n, and l becomes the largest x if that exceeds it.  k = 0 is
the uniform prior on [l, h]; h = infinity with k > 1 the Pareto law.  With

    Z(k, a) = integral of t^-k from a to h                                       (4)

the mode is l, and the next x has the density

    p(x | X) = Z(k + 1, max(x, l)) / Z(k, l),   0 <= x <= h                      (5)

flat up to l, falling after it, and positive beyond every x seen: it is not uniform.

Notation: theta = high (d,); k = exponent; l, h = low, high of the prior (d,).
Course: S3-21, S3-26. References: Duda, Hart, Stork (2001), ch. 3; DeGroot (1970).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.integrate import quad

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import non_negative, positive
from corollary.distributions.distribution import (
    Distribution,
    Family,
    Prior,
    joined,
    require_rows,
    set_fields,
)
from corollary.engine.statistics import Statistics

__all__ = ["Largest", "PowerLaw", "Uniform", "UniformFamily", "UniformPredictive"]


@stored
@dataclass(frozen=True, eq=False)
class Uniform(Distribution):
    """Independent uniform laws on [0, high].

    Parameters
    ----------
    high : array of shape (d,)

    Examples
    --------
    >>> Uniform([2.0]).pdf([1.0, 2.0, 2.5, -1.0]).tolist()
    [0.5, 0.5, 0.0, 0.0]
    """

    high: Any  # (d,)

    def __post_init__(self) -> None:
        high = np.atleast_1d(positive(self, self.high, "high"))
        set_fields(self, high=high)

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.high)

    def logpdf(self, X: Any) -> Floats:
        """Return the log density (1) of each row."""
        X = self._rows(X)
        inside = ((X >= 0) & (X <= self.high)).all(axis=1)
        return np.where(inside, -np.log(self.high).sum(), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows."""
        rng = self._generator(n, random_state)
        return rng.random((n, self.dimension)) * self.high

    def entropy(self) -> float:
        """Return sum ln theta."""
        return float(np.log(self.high).sum())

    def moments(self) -> tuple[Floats, Floats]:
        """Return theta/2 and diag theta^2/12."""
        return self.high / 2, np.diag(self.high**2 / 12)


@stored
@dataclass(frozen=True)
class Largest(Statistics):
    """Weight of the rows and the largest value in each column."""

    n: float
    top: Floats  # (d,)

    def __add__(self, other: Largest) -> Largest:
        return Largest(self.n + other.n, np.maximum(self.top, other.top))

    def scaled(self, factor: float) -> Largest:
        """Count the same rows `factor` times: the largest stays."""
        return Largest(self.n * factor, self.top)


@stored
@dataclass(frozen=True)
class UniformFamily(Family[Largest, Uniform]):
    """Uniform laws on [0, theta].

    Examples
    --------
    >>> UniformFamily().fit([1.0, 3.0, 2.0]).high.tolist()
    [3.0]
    """

    def sums(self, X: Floats, w: Vector) -> Largest:
        """Keep the largest value of each column."""
        X = non_negative(self, X, "X")
        top = X.max(axis=0) if len(X) else np.zeros(X.shape[1])
        return Largest(float(w.sum()), top)

    def mle(self, s: Largest) -> Uniform:
        """Return the largest values (2)."""
        require_rows(self, s.n)
        if (s.top == 0).any():
            j = int(np.argmin(s.top))
            must = "each column must have a value > 0"
            raise DataError(sentence(self, must, f"zeros only in column {j}"))
        return Uniform(s.top)

    def n_parameters(self, law: Uniform) -> int:
        """Count one end for each column."""
        return law.dimension

    def loglikelihood(self, s: Largest, law: Uniform) -> float:
        """Return -n sum ln theta, or -infinity where a value lies beyond theta."""
        outside = (s.top > law.high).any()
        return float("-inf") if outside else -s.n * law.entropy()


@stored
@dataclass(frozen=True, eq=False)
class PowerLaw(Distribution, Prior):
    """Prior and posterior (3) of the ends of uniform laws.

    Parameters
    ----------
    exponent : float
        k >= 0; 0 is uniform on [low, high].
    low, high : arrays of shape (d,)
        `high` may be infinite where exponent > 1.

    Examples
    --------
    >>> seen = UniformFamily().statistics([1.0, 2.0, 3.0])
    >>> after = PowerLaw(0, 0.0, 10.0).posterior(seen)
    >>> float(after.exponent), float(after.low[0])
    (3.0, 3.0)
    >>> after.predictive().pdf([1.0, 3.0, 5.0, 11.0]).round(5).tolist()
    [0.23761, 0.23761, 0.04615, 0.0]
    """

    exponent: float
    low: Any  # (d,)
    high: Any  # (d,)

    def __post_init__(self) -> None:
        k = float(non_negative(self, self.exponent, "exponent"))
        low = np.atleast_1d(non_negative(self, self.low, "low"))
        high = np.atleast_1d(np.asarray(self.high, dtype=np.float64))
        low, high = (a.copy() for a in np.broadcast_arrays(low, high))
        if not (high > low).all():
            must = "high must exceed low"
            came = f"{high[~(high > low)][0]:g}"
            raise ParameterError(sentence(self, must, came))
        if (np.isinf(high).any() and k <= 1) or ((low == 0).any() and k >= 1):
            must = "exponent must be > 1 for an infinite high and < 1 for low = 0"
            raise ParameterError(sentence(self, must, f"{k:g}"))
        set_fields(self, exponent=k, low=low, high=high)

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.low)

    # -- a law of theta ------------------------------------------------------------
    def logpdf(self, X: Any) -> Floats:
        """Return the log density (3) of each row of theta."""
        X = self._rows(X)
        inside = ((X >= self.low) & (X <= self.high)).all(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            power = np.where(self.exponent > 0, -self.exponent * np.log(X), 0.0)
        logs = power - log_Z(self.exponent, self.low, self.high)
        return np.where(inside, joined(logs), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows of theta by inverting the distribution function."""
        rng = self._generator(n, random_state)
        u, k = rng.random((n, self.dimension)), self.exponent
        if k == 1:
            return self.low * (self.high / self.low) ** u
        e = 1 - k
        return (self.low**e + u * (self.high**e - self.low**e)) ** (1 / e)

    def entropy(self) -> float:
        """Return ln Z(k, l) + k E ln theta, by quadrature."""
        total = 0.0
        for low, high in zip(self.low, self.high, strict=True):
            column = PowerLaw(self.exponent, low, high)
            total += _entropy(column, low, high)
        return total

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance of theta; infinite where there is none."""
        first, second = (self._power_mean(j) for j in (1, 2))
        with np.errstate(invalid="ignore"):
            spread = np.where(np.isfinite(second), second - first**2, np.inf)
        return first, np.diag(spread)

    def _power_mean(self, j: int) -> Floats:
        """Return E theta^j = Z(k - j, l)/Z(k, l)."""
        k = self.exponent
        logs = log_Z(k - j, self.low, self.high) - log_Z(k, self.low, self.high)
        return np.exp(logs)

    # -- a prior -------------------------------------------------------------------
    def posterior(self, s: Largest) -> PowerLaw:
        """Raise the exponent by n and the low end to the largest value."""
        if (s.top > self.high).any():
            must = f"X must be at most high = {self.high.min():g}, where the prior ends"
            raise DataError(sentence(self, must, f"{s.top.max():g}"))
        return PowerLaw(self.exponent + s.n, np.maximum(self.low, s.top), self.high)

    def map(self) -> Uniform:
        """Return the law whose theta is the mode, the low end."""
        if self.exponent == 0:
            must = "a mode needs exponent > 0"
            remedy = "A uniform prior has none."
            raise ParameterError(sentence(self, must, "0", remedy))
        return Uniform(self.low)

    def predictive(self) -> UniformPredictive:
        """Return the law of the next row (5)."""
        return UniformPredictive(self.exponent, self.low, self.high)


@stored
@dataclass(frozen=True, eq=False)
class UniformPredictive(Distribution):
    """Uniform draws whose end has a power law (5).

    Parameters
    ----------
    exponent, low, high : as in `PowerLaw`

    Examples
    --------
    >>> law = UniformPredictive(3, 3.0, 10.0)
    >>> law.pdf([0.0, 2.9]).round(5).tolist()
    [0.23761, 0.23761]
    """

    exponent: float
    low: Any  # (d,)
    high: Any  # (d,)

    def __post_init__(self) -> None:
        theta = PowerLaw(self.exponent, self.low, self.high)
        set_fields(self, **vars(theta))

    @property
    def dimension(self) -> int:
        """The number of columns."""
        return len(self.low)

    def logpdf(self, X: Any) -> Floats:
        """Return the log density (5) of each row."""
        X = self._rows(X)
        inside = ((X >= 0) & (X <= self.high)).all(axis=1)
        at = np.clip(X, self.low, self.high)
        logs = log_Z(self.exponent + 1, at, self.high)
        logs = logs - log_Z(self.exponent, self.low, self.high)
        return np.where(inside, joined(logs), -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw theta, then x."""
        rng = self._generator(n, random_state)
        theta = PowerLaw(self.exponent, self.low, self.high).sample(n, rng)
        return rng.random((n, self.dimension)) * theta

    def entropy(self) -> float:
        """Return the entropy by quadrature."""
        total = 0.0
        for low, high in zip(self.low, self.high, strict=True):
            column = UniformPredictive(self.exponent, low, high)
            total += _entropy(column, 0.0, low) + _entropy(column, low, high)
        return total

    def moments(self) -> tuple[Floats, Floats]:
        """Return E theta/2 and the variance E theta^2/3 - (E theta/2)^2."""
        first, spread = PowerLaw(self.exponent, self.low, self.high).moments()
        second = np.diagonal(spread) + first**2
        with np.errstate(invalid="ignore"):
            variance = np.where(np.isfinite(second), second / 3 - first**2 / 4, np.inf)
        return first / 2, np.diag(variance)


def log_Z(k: float, a: Floats, h: Floats) -> Floats:
    """Return ln Z(k, a) (4), without overflow for large k.

    >>> round(float(np.exp(-log_Z(3, np.array(3.0), np.array(10.0)))), 3)
    19.78
    """
    e = k - 1
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratio = np.log(a) - np.log(h)  # <= 0
        if e == 0:
            return np.log(-ratio)
        if e > 0:  # a^-e (1 - (a/h)^e) / e
            return -e * np.log(a) + np.log(-np.expm1(e * ratio)) - np.log(e)
        return -e * np.log(h) + np.log(-np.expm1(-e * ratio)) - np.log(-e)


def _entropy(law: Distribution, a: float, b: float) -> float:
    """Integrate -p ln p of a law on one column from a to b."""
    if a == b:
        return 0.0

    def integrand(x: float) -> float:
        log = float(law.logpdf([x])[0])
        return -np.exp(log) * log if np.isfinite(log) else 0.0

    return float(quad(integrand, a, b, limit=200)[0])
