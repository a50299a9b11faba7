"""Mean and covariance of a Gaussian, both unknown: the conjugate prior.

Also known as: normal-inverse-Wishart law, normal-inverse-gamma in one dimension.

    S ~ inverse Wishart(Psi, v),   mu | S ~ N(m, S/k)                            (1)

After n rows with mean xbar and scatter M = sum (x - xbar)(x - xbar)'

    k' = k + n,   v' = v + n,   m' = (k m + n xbar)/k'                           (2)
    Psi' = Psi + M + (k n/k') (xbar - m)(xbar - m)'                              (3)

The mode of both is mu = m', S = Psi'/(v' + d + 2)  (4), and the next row has the
Student law with v' - d + 1 degrees of freedom,

    x ~ t(m', Psi' (k' + 1)/(k' (v' - d + 1)), v' - d + 1)                       (5)

Notation: m = mean (d,); k = strength, the rows that the prior mean is worth; Psi =
scale (d, d); v = df > d - 1.
Course: S1-10. References: Gelman et al. (2013), sec. 3.6.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import positive
from corollary.distributions.distribution import Prior, set_fields
from corollary.distributions.gaussian import Gaussian, symmetric
from corollary.distributions.student_t import StudentT
from corollary.engine.statistics import Moments

__all__ = ["NormalInverseWishart"]


@stored
@dataclass(frozen=True, eq=False)
class NormalInverseWishart(Prior):
    """Prior and posterior of mean and covariance.

    Parameters
    ----------
    mean : array of shape (d,)
    strength : float
        Rows that the prior mean is worth.
    scale : number, array of shape (d,) or (d, d)
    df : float
        Above d - 1.

    Examples
    --------
    >>> from corollary.distributions.gaussian import GaussianFamily
    >>> rows = GaussianFamily().statistics([1.0, 3.0])
    >>> after = NormalInverseWishart(0.0, 2.0, 1.0, 3.0).posterior(rows)
    >>> float(after.mean[0]), after.scale.tolist()
    (1.0, [[7.0]])
    """

    mean: Any  # (d,)
    strength: float
    scale: Any  # (d, d)
    df: float

    def __post_init__(self) -> None:
        core = Gaussian(self.mean, self.scale)
        strength = float(positive(self, self.strength, "strength"))
        df, d = float(positive(self, self.df, "df")), len(core.mean)
        if df <= d - 1:
            must = f"df must exceed d - 1 = {d - 1}"
            raise ParameterError(sentence(self, must, f"{df:g}"))
        set_fields(self, mean=core.mean, scale=core.covariance_matrix)
        set_fields(self, strength=strength, df=df)

    def posterior(self, s: Moments) -> NormalInverseWishart:
        """Return the law after some rows (2), (3)."""
        if s.M2.ndim != 2:
            must = "the sums must be those of a full covariance"
            raise DataError(sentence(self, must, "sums of each feature alone"))
        k = self.strength + s.n
        delta = s.mean - self.mean
        Psi = self.scale + s.M2
        Psi = Psi + np.outer(delta, delta) * (self.strength * s.n / k)
        mean = self.mean + delta * (s.n / k)
        return NormalInverseWishart(mean, k, symmetric(Psi), self.df + s.n)

    def map(self) -> Gaussian:
        """Return the law with the most probable mean and covariance (4)."""
        return Gaussian(self.mean, self.scale / (self.df + len(self.mean) + 2))

    def predictive(self) -> StudentT:
        """Return the law of the next row (5)."""
        v = self.df - len(self.mean) + 1
        k = self.strength
        return StudentT(self.mean, self.scale * ((k + 1) / (k * v)), v)
