"""The law of a scatter matrix of Gaussian rows.

Also known as: Wishart law, Wishart distribution, law of the sample covariance.

The scatter of v independent rows V_i ~ N(0, Sigma) about 0, and that of n = v + 1 rows
of N(mu, Sigma) about their own mean, have one law whatever mu (Cochran):

    S = sum_{i<=v} V_i V_i'  ~  W(Sigma, v),   E S = v Sigma                     (1)
    var S_ij = v (Sigma_ij^2 + Sigma_ii Sigma_jj)                                (2)

so that S/n, the maximum-likelihood covariance, is too small by (n - 1)/n, and S/(n - 1)
is not.  For v >= d, and only then, S is invertible with probability 1, with density

    ln p(S) = (v - d - 1)/2 ln|S| - tr(Sigma^-1 S)/2
              - v d/2 ln 2 - v/2 ln|Sigma| - ln Gamma_d(v/2)                     (3)

Draws take a triangle L with L_ii^2 ~ chi2(v - i), normal numbers below it, and S =
C L L'C' for C C' = Sigma (Bartlett) (4).  For d = 1 it is Sigma chi2(v).

Notation: Sigma = scale (d, d); v = df.
Course: S2-1. References: Wishart (1928); Bartlett (1933); Anderson (2003), ch. 7.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy.special import multigammaln

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import generator
from corollary.core.vectors import numbers, positive
from corollary.distributions.distribution import set_fields
from corollary.distributions.gaussian import Gaussian

__all__ = ["Wishart"]


@dataclass(frozen=True, eq=False)
class Wishart:
    """The law (1) of a random positive matrix.

    Parameters
    ----------
    scale : number, array of shape (d,) or (d, d)
        Sigma, the covariance of a row; variances where it is a vector.
    df : float
        v, above d - 1: one less than the rows of a sample.

    Examples
    --------
    >>> law = Wishart([[2.0, 1.0], [1.0, 3.0]], df=5)
    >>> law.mean().tolist()
    [[10.0, 5.0], [5.0, 15.0]]
    >>> round(float(law.logpdf([[10.0, 5.0], [5.0, 15.0]])), 4)
    -8.5181
    """

    scale: Any  # (d, d)
    df: float

    def __post_init__(self) -> None:
        scale = numbers(self, self.scale, "scale")
        d = 1 if scale.ndim == 0 else len(scale)
        core = Gaussian(np.zeros(d), scale)
        df = float(positive(self, self.df, "df"))
        if df <= d - 1:
            must = f"df must exceed d - 1 = {d - 1}"
            raise ParameterError(sentence(self, must, f"{df:g}"))
        set_fields(self, scale=core.covariance_matrix, df=df)

    @property
    def dimension(self) -> int:
        """The number d of rows and columns."""
        return len(self.scale)

    def mean(self) -> Floats:
        """Return E S (1), (d, d)."""
        return self.df * self.scale

    def variance(self) -> Floats:
        """Return the variance of each entry (2), (d, d)."""
        sizes = np.diagonal(self.scale)
        return self.df * (self.scale**2 + np.outer(sizes, sizes))

    def logpdf(self, S: Any) -> Floats:
        """Return the log density (3) of matrices, (d, d) or (n, d, d).

        It is -infinity where a matrix is not positive definite.
        """
        S, d = numbers(self, S, "S"), self.dimension
        if S.shape[-2:] != (d, d) or S.ndim not in (2, 3):
            must = f"S must be a {d} x {d} matrix or an array of them"
            raise DataError(sentence(self, must, f"shape {S.shape}"))
        C = sla.cholesky(self.scale, lower=True)
        constant = self.df * (d / 2 * np.log(2) + np.log(np.diagonal(C)).sum())
        constant += multigammaln(self.df / 2, d)
        inside = np.linalg.eigvalsh(S)[..., 0] > 0
        inside &= np.isclose(S, S.swapaxes(-1, -2)).all((-1, -2))
        logs = np.linalg.slogdet(np.where(inside[..., None, None], S, np.eye(d)))[1]
        trace = (sla.cho_solve((C, True), np.eye(d)) * S).sum(axis=(-1, -2))
        density = (self.df - d - 1) / 2 * logs - trace / 2 - constant
        return np.where(inside, density, -np.inf)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n matrices (4), (n, d, d)."""
        rng, d = generator(random_state), self.dimension
        L = np.tril(rng.standard_normal((n, d, d)), -1)
        steps = np.arange(d)
        L[:, steps, steps] = np.sqrt(rng.chisquare(self.df - steps, size=(n, d)))
        A = sla.cholesky(self.scale, lower=True) @ L
        return A @ A.swapaxes(1, 2)
