"""The multivariate Gaussian: density, estimation, and its linear algebra.

Also known as: normal distribution, Gaussian law, maximum likelihood for the Gaussian.

    ln N(x; mu, S) = -1/2 [(x - mu)' S^-1 (x - mu) + ln|S| + d ln 2 pi]          (1)

Maximum likelihood from n rows (weights counted), with M = sum (x - mu)(x - mu)':

    mu = mean,   full S = M/n,   diagonal s_j = M_jj/n,   spherical s = tr M/(n d)  (2)

E[M/n] = (n-1)/n S, so `unbiased` divides by n - 1; classes that share S pool their
scatters, S = sum_c M_c / (n - C) or / n.  `shrinkage` a gives (1-a) S + a tr(S)/d I.
M has rank n - 1 almost surely where n <= d: then, and where a feature is constant or
determined by others, there is no density, and the error names the features; shrinkage
"auto" takes a = 0.01 in that case and 0 else.

    A'x + b      ~ N(A'mu + b, A'SA)                                             (3)
    x_1 | x_2    ~ N(mu_1 + S_12 S_22^-1 (x_2 - mu_2), S_11 - S_12 S_22^-1 S_21) (4)
    r^2(x)       = (x - mu)' S^-1 (x - mu)       (Mahalanobis)                   (5)
    whitening    W = Phi Lambda^-1/2,  S = Phi Lambda Phi':  (x - mu)'W ~ N(0, I)   (6)

(4) with x_1 = y is linear regression; from the moments of data it is least squares with
an intercept.  Uncorrelated means independent only for features that are jointly normal.

Notation: mu = mean (d,); S = covariance: () spherical, (d,) diagonal, (d, d) full; it
holds variances, never standard deviations.
Course: S0-7, S1-6, S1-8, S2-1, S2-2, S2-6, S2-8, S3-14, S3-15, S3-16, S3-17, S3-21,
S4-38. References: Anderson (2003), ch. 2-3; Duda, Hart, Stork (2001), ch. 2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import scipy.linalg as sla
from scipy.linalg.lapack import dpotrf, dpotri
from scipy.sparse.linalg import LinearOperator, eigsh
from scipy.special import ndtr

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean as truth
from corollary.core.parameters import check_parameters, one_of, real
from corollary.core.records import stored
from corollary.core.vectors import numbers
from corollary.distributions.covariance import (
    Singularity,
    checked_covariance,
    diagnose,
    refuse_singular,
)
from corollary.distributions.distribution import (
    Distribution,
    Family,
    fit_classes,
    require_rows,
    set_fields,
)
from corollary.engine.statistics import Moments, Variances

__all__ = ["Gaussian", "GaussianFamily", "LinearLaw", "pooled_covariance"]

SMALL = 500  # features up to which all eigenvalues are as cheap as two of them
AUTO = 0.01  # shrinkage of a singular covariance
LOG_2PI = float(np.log(2 * np.pi))


@stored
@dataclass(frozen=True, eq=False)
class Gaussian(Distribution):
    """A Gaussian law.

    Parameters
    ----------
    mean : array of shape (d,)
    covariance : number, array of shape (d,) or (d, d)
        A number is the variance of every feature, a vector the variances of
        independent features, a matrix the full covariance.

    Examples
    --------
    >>> law = Gaussian([0.0, 0.0], [[1.0, 0.5], [0.5, 1.0]])
    >>> law.logpdf([[0.0, 0.0]]).round(6).tolist()
    [-1.694036]
    >>> law.conditional([1], [2.0]).mean.tolist()  # the first, where the second is 2
    [1.0]
    """

    mean: Any  # (d,)
    covariance: Any  # (), (d,) or (d, d)

    def __post_init__(self) -> None:
        mean = np.atleast_1d(numbers(self, self.mean, "mean"))
        if mean.ndim != 1:
            must = "mean must be a vector"
            raise ParameterError(sentence(self, must, f"shape {mean.shape}"))
        set_fields(self, mean=mean)
        covariance = checked_covariance(self, self.covariance, len(mean))
        set_fields(self, covariance=covariance)

    @property
    def dimension(self) -> int:
        """The number d of features."""
        return len(self.mean)

    @cached_property
    def covariance_matrix(self) -> Floats:
        """The covariance as a matrix, (d, d)."""
        S = self.covariance
        return S if S.ndim == 2 else np.diag(np.broadcast_to(S, self.dimension))

    @cached_property
    def _root(self) -> Floats:
        """A root L of S = LL': lower triangle, or standard deviations."""
        S = self.covariance
        return np.linalg.cholesky(S) if S.ndim == 2 else np.sqrt(S)

    @cached_property
    def log_determinant(self) -> float:
        """The logarithm of the covariance's determinant."""
        L = self._root
        diagonal = np.diagonal(L) if L.ndim == 2 else np.broadcast_to(L, self.dimension)
        return float(2 * np.log(diagonal).sum())

    # -- a distribution ------------------------------------------------------------
    def logpdf(self, X: Any) -> Floats:
        """Return ln N(x) (1) of each row."""
        r2 = self._squares(self._rows(X))
        return -0.5 * (r2 + self.log_determinant + self.dimension * LOG_2PI)

    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows, mu + L z with z standard normal."""
        rng = self._generator(n, random_state)
        Z = rng.standard_normal((n, self.dimension))
        L = self._root
        return self.mean + (Z @ L.T if L.ndim == 2 else Z * L)

    def entropy(self) -> float:
        """Return 1/2 ln|2 pi e S|."""
        return 0.5 * (self.dimension * (1 + LOG_2PI) + self.log_determinant)

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and covariance matrix."""
        return self.mean, self.covariance_matrix

    def cdf(self, x: Any) -> Floats:
        """Return P(X <= x) of a law on one feature, for each x."""
        x = self._rows(x)
        if self.dimension != 1:
            must = "cdf must be of a law on one feature"
            raise ParameterError(sentence(self, must, f"{self.dimension} features"))
        return ndtr((x - self.mean)[:, 0] / np.sqrt(self.covariance_matrix[0, 0]))

    def condition(self) -> float:
        """Return the largest over the least eigenvalue of the covariance."""
        S, L = self.covariance, self._root
        if S.ndim < 2:
            return float(S.max() / S.min())
        d = self.dimension
        if d <= SMALL:
            values = np.linalg.eigvalsh(S)
            return float(values[-1] / values[0])
        back = LinearOperator((d, d), lambda x: sla.cho_solve((L, True), x))
        high, low = (
            eigsh(A, 1, v0=np.ones(d), tol=1e-6, return_eigenvectors=False)[0]
            for A in (S, back)
        )
        return float(high * low)

    # -- geometry ------------------------------------------------------------------
    def mahalanobis(self, X: Any) -> Floats:
        """Return the distance r (5) of each row from the mean.

        Also known as: Mahalanobis distance.
        """
        return np.sqrt(self._squares(self._rows(X)))

    def whitening(self) -> Floats:
        """Return W (6), (d, d): the rows (X - mean) @ W have covariance I."""
        Lambda, Phi = np.linalg.eigh(self.covariance_matrix)
        return Phi / np.sqrt(Lambda)

    def whiten(self, X: Any) -> Floats:
        """Return the rows (X - mean) @ W."""
        return (self._rows(X) - self.mean) @ self.whitening()

    def contour(self, probability: float = 0.95, points: int = 100) -> Floats:
        """Return the ellipse that holds a share of the mass, (points, 2), for d = 2."""
        if self.dimension != 2:
            must = "contour must be of a law on 2 features"
            remedy = "Take a marginal on two of them."
            raise ParameterError(sentence(self, must, f"{self.dimension}", remedy))
        if not 0 < probability < 1:
            must = "probability must be a number in (0, 1)"
            raise ParameterError(sentence(self, must, f"{probability}"))
        r = np.sqrt(-2 * np.log1p(-probability))  # r^2 is exponential for d = 2
        angle = np.linspace(0, 2 * np.pi, points)
        circle = r * np.column_stack([np.cos(angle), np.sin(angle)])
        return self.mean + circle @ np.linalg.inv(self.whitening())

    # -- other laws that follow ----------------------------------------------------
    def linear_map(self, A: Any, b: Any = 0.0) -> Gaussian:
        """Return the law of the rows X @ A + b (3); A (d, k) has rank k."""
        A = numbers(self, A, "A")
        if A.ndim != 2 or A.shape[0] != self.dimension:
            must = f"A must have {self.dimension} rows, one for each feature"
            raise DataError(sentence(self, must, f"shape {A.shape}"))
        return Gaussian(A.T @ self.mean + b, A.T @ self.covariance_matrix @ A)

    def marginal(self, features: Sequence[int]) -> Gaussian:
        """Return the law of some features."""
        keep = self._features(features)
        S = self.covariance
        part = S[np.ix_(keep, keep)] if S.ndim == 2 else S[keep] if S.ndim else S
        return Gaussian(self.mean[keep], part)

    def conditional(self, features: Sequence[int], values: Any) -> Gaussian:
        """Return the law of the others where some features have given values (4).

        Also known as: conditional Gaussian.
        """
        values = np.atleast_1d(numbers(self, values, "values"))
        given = self._features(features)
        if values.shape != (len(given),):
            must = f"values must have one number for each of {len(given)} features"
            raise DataError(sentence(self, must, f"shape {values.shape}"))
        rest = np.setdiff1d(np.arange(self.dimension), given)
        law = self.regression([int(j) for j in rest], [int(j) for j in given])
        return Gaussian(law.predict(values[None, :])[0], law.covariance)

    def regression(
        self, targets: Sequence[int], given: Sequence[int] | None = None
    ) -> LinearLaw:
        """Return the mean of some features as a linear function of others (4).

        Parameters
        ----------
        targets : list of int
        given : list of int, optional
            All the others by default.

        Returns
        -------
        LinearLaw
        """
        one = self._features(targets)
        rest = np.setdiff1d(np.arange(self.dimension), one)
        two = rest if given is None else self._features(given)
        if not len(two) or not len(one):
            must = "targets and given must be features on both sides"
            raise ParameterError(sentence(self, must, f"{len(one)} and {len(two)}"))
        S = self.covariance_matrix
        S12 = S[np.ix_(one, two)]
        B = sla.solve(S[np.ix_(two, two)], S12.T, assume_a="pos")  # S22^-1 S21
        rest_covariance = S[np.ix_(one, one)] - S12 @ B
        return LinearLaw(
            B.T, self.mean[one] - B.T @ self.mean[two], symmetric(rest_covariance)
        )

    def _features(self, features: Sequence[int]) -> Vector:
        chosen = np.atleast_1d(np.asarray(features, dtype=int))
        valid = (chosen >= 0) & (chosen < self.dimension)
        if not valid.all() or len(np.unique(chosen)) != len(chosen):
            must = f"features must be different numbers from 0 to {self.dimension - 1}"
            raise ParameterError(sentence(self, must, f"{chosen.tolist()}"))
        return chosen

    def _squares(self, X: Floats) -> Floats:
        """Return r^2 (5) of each row."""
        Z, L = X - self.mean, self._root
        if L.ndim < 2:
            return ((Z / L) ** 2).sum(axis=1)
        finite = np.where(np.isfinite(Z), Z, 0.0)
        r2 = (sla.solve_triangular(L, finite.T, lower=True) ** 2).sum(axis=0)
        return np.where(np.isfinite(Z).all(axis=1), r2, np.inf)


@dataclass(frozen=True, eq=False)
class LinearLaw:
    """y | x ~ N(coef x + intercept, covariance): regression with its variance."""

    coef: Floats  # (m, d)
    intercept: Floats  # (m,)
    covariance: Floats  # (m, m), the same for every x

    def predict(self, X: Any) -> Floats:
        """Return E[y | x] of each row, (n, m)."""
        return np.asarray(X, dtype=np.float64) @ self.coef.T + self.intercept


@stored
@dataclass(frozen=True)
class GaussianFamily(Family["Moments | Variances", Gaussian]):
    """Gaussians with a full, diagonal or spherical covariance.

    Parameters
    ----------
    covariance : {"full", "diagonal", "spherical"}
    unbiased : bool
        Divide by n - 1 instead of n.
    shrinkage : float in [0, 1] or "auto"
        Share of tr(S)/d I in the covariance; above 0 it is never singular unless all
        features are constant.  "auto" shrinks a singular covariance only.

    Examples
    --------
    >>> law = GaussianFamily().fit([[0.0, 1.0], [2.0, 0.0], [4.0, 5.0]])
    >>> law.mean.tolist(), law.covariance.round(3).tolist()
    ([2.0, 2.0], [[2.667, 2.667], [2.667, 4.667]])
    """

    covariance: str = "full"
    unbiased: bool = False
    shrinkage: float | str = 0.0

    def __post_init__(self) -> None:
        rules = {
            "covariance": one_of("full", "diagonal", "spherical"),
            "unbiased": truth,
            "shrinkage": real(0, 1) | one_of("auto"),
        }
        check_parameters(self, rules)

    def sums(self, X: Floats, w: Vector) -> Moments | Variances:
        """Return count, mean and centred squares, in full or of each feature."""
        weights = None if (w == 1).all() else w
        full = self.covariance == "full"
        return Moments.of(X, weights) if full else Variances.of(X, weights)

    def mle(self, s: Moments | Variances) -> Gaussian:
        """Return mean and covariance (2); refuse a singular one."""
        S, d = self._scatter(s), len(s.mean)
        spread = np.diagonal(S) if S.ndim == 2 else S
        average = float(spread.mean())
        if self.covariance == "spherical":
            refuse_singular(self, np.full(1, average), s.mean[:1], s.n)
            return Gaussian(s.mean, np.array(average))
        a = self.used_shrinkage(s)
        if a > 0:
            target = np.diag(np.full(d, average)) if S.ndim == 2 else average
            S = (1 - a) * S + a * target
        refuse_singular(self, S, s.mean, s.n)
        return Gaussian(s.mean, S)

    def diagnosis(self, s: Moments | Variances) -> Singularity:
        """Find the rank of the covariance, unshrunk, and the features to blame."""
        return diagnose(self._scatter(s), s.mean)

    @property
    def may_shrink(self) -> bool:
        """Whether it depends on the rows that the covariance is shrunk."""
        return self.shrinkage == "auto" and self.covariance != "spherical"

    def used_shrinkage(self, s: Moments | Variances) -> float:
        """Return the shrinkage, which "auto" makes depend on the rank."""
        if self.covariance == "spherical":
            return 0.0
        if isinstance(self.shrinkage, str):
            return AUTO if self.diagnosis(s).singular else 0.0
        return float(self.shrinkage)

    def _scatter(self, s: Moments | Variances) -> Floats:
        """Return M over n, or over n - 1."""
        require_rows(self, s.n)
        n = s.n - int(self.unbiased)
        if n <= 0:
            must = "an unbiased covariance needs more rows than 1"
            raise DataError(sentence(self, must, f"n_samples = {s.n:g}"))
        return s.M2 / n

    def n_parameters(self, law: Gaussian) -> int:
        """Count means and variances: d + 1, 2 d or d + d (d + 1)/2."""
        d = law.dimension
        return d + (1, d, d * (d + 1) // 2)[law.covariance.ndim]

    def loglikelihood(self, s: Moments | Variances, law: Gaussian) -> float:
        """Return -n/2 [tr(S^-1 M/n) + r^2(mean) + ln|S| + d ln 2 pi]."""
        if s.M2.ndim == 2:
            S, M2 = law.covariance_matrix, s.M2
            scale = np.sqrt(np.diagonal(S))  # features on very different scales
            units = np.outer(scale, scale)
            trace = float(np.vdot(inverse(S / units), M2 / units))
        elif law.covariance.ndim == 2:
            must = "sums of each feature alone must meet a law of independent features"
            raise DataError(sentence(self, must, "a full covariance"))
        else:
            trace = float((s.M2 / law.covariance).sum())
        r2 = float(law.mahalanobis(s.mean[None, :])[0]) ** 2
        d = law.dimension
        return -0.5 * (trace + s.n * (r2 + law.log_determinant + d * LOG_2PI))


def inverse(S: Floats) -> Floats:
    """Return the inverse of a positive definite matrix."""
    L, failed = dpotrf(S, lower=1)
    if failed:
        raise np.linalg.LinAlgError("Matrix is not positive definite")
    P, _ = dpotri(L, lower=1)
    P = np.tril(P)
    return P + np.tril(P, -1).T


def pooled_covariance(
    X: Any, y: Any, sample_weight: Any = None, *, unbiased: bool = False
) -> Floats:
    """Return the covariance that classes share: their scatters about their own means.

    Parameters
    ----------
    X : array of shape (n, d) or (n,)
    y : array of shape (n,)
        The class of each row.
    sample_weight : array of shape (n,), optional
    unbiased : bool
        Divide by n - C instead of n, for C classes.

    Returns
    -------
    array of shape (d, d)

    Examples
    --------
    >>> X, y = [0.0, 2.0, 10.0, 14.0], ["a", "a", "b", "b"]
    >>> pooled_covariance(X, y).tolist()
    [[2.5]]
    >>> pooled_covariance(X, y, unbiased=True).tolist()
    [[5.0]]
    """
    who = "pooled_covariance"
    parts = fit_classes(GaussianFamily().statistics, X, y, sample_weight).laws
    n = sum(part.n for part in parts) - (len(parts) if unbiased else 0)
    if n <= 0:
        must = "the classes must have more rows than there are classes"
        came = f"{sum(part.n for part in parts):g} rows in {len(parts)}"
        raise DataError(sentence(who, must, came))
    return sum(part.M2 for part in parts[1:]) / n + parts[0].M2 / n


def symmetric(A: Floats) -> Floats:
    """Return A with the rounding of its two halves made equal."""
    return (A + A.T) / 2
