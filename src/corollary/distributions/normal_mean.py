"""The mean of a Gaussian with known covariance: conjugate, in any dimension.

Also known as: Bayesian estimation of a normal mean, normal-normal model, Kalman update,
normal mean posterior.

    x | mu ~ N(mu, S),   mu ~ N(mu_0, S_0),   S known                            (1)

After n rows with mean xbar the posterior is N(mu_n, S_n) with

    S_n^-1      = n S^-1 + S_0^-1                                                (2)
    S_n^-1 mu_n = n S^-1 xbar + S_0^-1 mu_0                                      (3)

and, without an inverse of S_0 (which may be 0, a certain prior) and for n = 0 too,

    K = S_0 (n S_0 + S)^-1,   mu_n = mu_0 + n K (xbar - mu_0),   S_n = K S       (4)

In one dimension mu_n lies between mu_0 and xbar, and s_n^2 <= min(s^2/n, s_0^2).  The
next row is N(mu_n, S + S_n)  (5).  Broad priors or many rows give the mean itself; and
updating batch by batch ends where one update with all rows does.

Notation: mu_0 = mean (d,), S_0 = covariance (d, d), S = noise (d, d).
Course: S1-10, S3-25. References: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import stored
from corollary.core.vectors import numbers
from corollary.distributions.distribution import Prior, set_fields
from corollary.distributions.gaussian import Gaussian, symmetric
from corollary.engine.statistics import Moments, Variances

__all__ = ["NormalMean"]


@stored
@dataclass(frozen=True, eq=False)
class NormalMean(Prior):
    """Prior and posterior of the mean of a Gaussian whose covariance is known.

    Parameters
    ----------
    mean : array of shape (d,)
    covariance : number, array of shape (d,) or (d, d)
        How uncertain the mean is; 0 is certain.  Variances, not deviations.
    noise : number, array of shape (d,) or (d, d)
        The known covariance of a row.

    Examples
    --------
    >>> from corollary.distributions.gaussian import GaussianFamily
    >>> rows = GaussianFamily().statistics([4.0, 6.0, 8.0])
    >>> after = NormalMean(0.0, 1.0, 3.0).posterior(rows)
    >>> float(after.mean[0]), float(after.covariance[0, 0])
    (3.0, 0.5)
    >>> float(after.predictive().covariance[0, 0])
    3.5
    """

    mean: Any  # (d,)
    covariance: Any  # (d, d)
    noise: Any  # (d, d)

    def __post_init__(self) -> None:
        mean = np.atleast_1d(numbers(self, self.mean, "mean"))
        noise = Gaussian(mean, self.noise).covariance_matrix
        covariance = self._checked(len(mean))
        set_fields(self, mean=mean, noise=noise, covariance=covariance)

    @property
    def law(self) -> Gaussian:
        """The law of the mean, where it is uncertain."""
        return Gaussian(self.mean, self.covariance)

    def posterior(self, s: Moments | Variances) -> NormalMean:
        """Return the law of the mean after some rows (4)."""
        S, S0 = self.noise, self.covariance
        K = sla.solve(s.n * S0 + S, S0, assume_a="pos").T
        mean = self.mean + s.n * K @ (s.mean - self.mean)
        return NormalMean(mean, symmetric(K @ S), S)

    def map(self) -> Gaussian:
        """Return the law of a row with the most probable mean."""
        return Gaussian(self.mean, self.noise)

    def predictive(self) -> Gaussian:
        """Return the law of the next row (5)."""
        return Gaussian(self.mean, self.noise + self.covariance)

    def _checked(self, d: int) -> Floats:
        """Return the covariance of the mean as a semi-definite matrix."""
        S0 = numbers(self, self.covariance, "covariance")
        if S0.shape not in ((), (d,), (d, d)):
            must = f"covariance must be a number, {d} variances or a {d} x {d} matrix"
            raise ParameterError(sentence(self, must, f"shape {S0.shape}"))
        S0 = S0 if S0.ndim == 2 else np.diag(np.broadcast_to(S0, d))
        size = np.abs(S0).max()
        if np.abs(S0 - S0.T).max() > 1e-8 * size:
            raise ParameterError(
                sentence(self, "covariance must be symmetric", "another matrix")
            )
        least = np.linalg.eigvalsh(S0)[0]
        if least < -1e-10 * size:
            must = "covariance must have eigenvalues >= 0"
            raise ParameterError(sentence(self, must, f"{least:.3g}"))
        return symmetric(S0)
