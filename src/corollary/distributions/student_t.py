"""The multivariate Student law: a Gaussian whose covariance is uncertain.

Also known as: t distribution, heavy-tailed Gaussian.

    p(x) = G((v+d)/2) / [G(v/2) (v pi)^(d/2) |S|^(1/2)] (1 + r^2/v)^-((v+d)/2)    (1)

with r^2 = (x - mu)' S^-1 (x - mu).  It tends to N(mu, S) as v grows; its covariance is
S v/(v - 2) for v > 2 and infinite below.

Notation: v = df; mu = mean (d,); S = scale (d, d); G the gamma function.
References: Kotz and Nadarajah (2004), ch. 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import digamma, gammaln

from corollary.core.arrays import Floats
from corollary.core.records import stored
from corollary.core.vectors import positive
from corollary.distributions.distribution import Distribution, set_fields
from corollary.distributions.gaussian import Gaussian

__all__ = ["StudentT"]


@stored
@dataclass(frozen=True, eq=False)
class StudentT(Distribution):
    """A Student law.

    Parameters
    ----------
    mean : array of shape (d,)
    scale : number, array of shape (d,) or (d, d)
    df : float
        Degrees of freedom, > 0.

    Examples
    --------
    >>> StudentT([0.0], 1.0, 1.0).pdf([0.0]).round(6).tolist()  # 1/pi: Cauchy
    [0.31831]
    """

    mean: Any  # (d,)
    scale: Any
    df: float

    def __post_init__(self) -> None:
        core = Gaussian(self.mean, self.scale)
        df = float(positive(self, self.df, "df"))
        set_fields(self, mean=core.mean, scale=core.covariance_matrix, df=df)

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.mean)

    @property
    def _core(self) -> Gaussian:
        return Gaussian(self.mean, self.scale)

    def logpdf(self, X: Any) -> Floats:
        """Return the log density (1) of each row."""
        v, d, core = self.df, self.dimension, self._core
        r2 = core.mahalanobis(self._rows(X)) ** 2
        return self._constant(core) - 0.5 * (v + d) * np.log1p(r2 / v)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows: Gaussian rows over the root of a chi-squared mean."""
        rng = self._generator(n, random_state)
        Z = Gaussian(np.zeros(self.dimension), self.scale).sample(n, rng)
        return self.mean + Z / np.sqrt(rng.chisquare(self.df, (n, 1)) / self.df)

    def entropy(self) -> float:
        """Return the differential entropy."""
        v, d = self.df, self.dimension
        half = 0.5 * (v + d)
        return float(-self._constant(self._core)) + float(
            half * (digamma(half) - digamma(0.5 * v))
        )

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance, infinite where df <= 2."""
        if self.df <= 2:
            return self.mean, np.full(self.scale.shape, np.inf)
        return self.mean, self.scale * (self.df / (self.df - 2))

    def _constant(self, core: Gaussian) -> float:
        v, d = self.df, self.dimension
        gammas = gammaln(0.5 * (v + d)) - gammaln(0.5 * v)
        return float(gammas - 0.5 * (d * np.log(v * np.pi) + core.log_determinant))
