"""Bayesian linear regression, in summation form.

Also known as: conjugate Gaussian regression, evidence approximation, type-II maximum
likelihood, empirical Bayes, MAP estimation of a linear model.

    y = x'b + b0 + e,   e ~ N(0, sigma^2),   b ~ N(m, t^2 S),   b0 flat          (1)

With b = m + L c, L L' = S, this is c ~ N(0, t^2 I) for the columns X L and the target
y - X m, whose posterior is Gaussian (`linear/least_squares/bayesian_learner.py`):

    precision of b  =  X'X / sigma^2 + (t^2 S)^-1                                (2)

(X and y centred).  Its mode, the MAP estimate, is its mean: for m = 0 and S = I that is
ridge regression with alpha = sigma^2/t^2.  A prediction averages over the posterior,

    p(y | x, D) = int p(y | x, b) p(b | D) db  =  N( x'E b + E b0,  v ),
    v = sigma^2 + sigma^2/N + (x - mean)' Cov(b) (x - mean)                      (3)

which is never as sure as the noise alone allows.  The evidence, the density of the
targets with b and b0 integrated out, judges the variances:

    log p(y) = - (N - 1)/2 log(2 pi sigma^2) - 1/2 log N
               - 1/2 sum_j log(1 + s_j^2/rho) - (RSS + rho |c|^2) / (2 sigma^2)  (4)

with rho = sigma^2/t^2, RSS and c at the mean (N for N - 1 and no log N where there is
no intercept).  For a given rho it is largest at sigma^2 = (RSS + rho |c|^2)/(N - 1), so
that one number is left to search for, on a grid first and then by the slope of (4): it
is 0 where, with gamma = sum_j s_j^2/(s_j^2 + rho) of the coefficients well determined,

    t^2 gamma = |c|^2,     sigma^2 (N - 1 - gamma) = RSS                         (5)

whichever variance is open.

The posterior after some rows is the prior for the next: `partial_fit` adds up sums, and
a fit that takes the posterior of another as `prior_mean` and `prior_variance` agrees.

Notation: m = prior_mean; t^2 S = prior_variance; sigma^2 = noise_variance; s_j singular
values of the centred columns.
Course: S4-60, S4-7. References: MacKay (1992); Bishop (2006), 3.3 to 3.5.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.linalg as sla
from scipy import stats
from scipy.optimize import brentq

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, boolean, missing, real
from corollary.core.vectors import numbers
from corollary.engine import Fitted, Moments, Triangle
from corollary.linear.least_squares.bayesian_learner import (
    BayesianLearner,
    GaussianPosterior,
    axes_of,
    posterior_of,
)
from corollary.linear.least_squares.principal_axes import PrincipalAxes

__all__ = ["BayesianLinearRegression"]

TINY = 1e-300


class BayesianLinearRegression(BayesianLearner):
    """Linear regression with a Gaussian prior and a Gaussian posterior.

    Parameters
    ----------
    noise_variance : float, optional
        sigma^2; by default the evidence decides.
    prior_variance : float, array of shape (d,) or (d, d), optional
        Prior variance of every coefficient, of each, or their covariance; by default
        one variance for all, which the evidence decides.
    prior_mean : float or array of shape (d,), default=0.0
        m, the prior mean of the coefficients.
    fit_intercept : bool, default=True
        Whether there is a b0, of which nothing is known before.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Posterior mean of b, which is the MAP estimate too.
    intercept_ : float
    covariance_ : array of shape (d, d)
        Posterior covariance of b.
    noise_variance_, prior_variance_ : float
        sigma^2 and t^2; where a prior covariance was given t^2 is 1.
    log_evidence_ : float
        (4).
    mean_ : array of shape (d,)
        Means of the columns, 0 without an intercept.
    n_ : float
        Weight of the rows.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import BayesianLinearRegression
    >>> X, y = np.array([[1.0], [-1.0]]), np.array([2.0, -2.0])
    >>> model = BayesianLinearRegression(1.0, 0.5, fit_intercept=False).fit(X, y)
    >>> model.coef_.tolist(), model.covariance_.tolist()
    ([1.0], [[0.25]])
    >>> mean, std = model.predict([[2.0]], return_std=True)
    >>> mean.tolist(), (std**2).round(6).tolist()
    ([2.0], [2.0])
    """

    shapes: ClassVar = {
        "coef_": "d",
        "intercept_": "",
        "covariance_": "d d",
        "mean_": "d",
    }
    rules: ClassVar = {
        "noise_variance": missing | real(0, ends="()"),
        "prior_variance": missing | real(0, ends="()") | array_like,
        "prior_mean": real() | array_like,
        "fit_intercept": boolean,
    }

    def __init__(
        self,
        noise_variance: float | None = None,
        prior_variance: Any = None,
        *,
        prior_mean: Any = 0.0,
        fit_intercept: bool = True,
    ) -> None:
        self.noise_variance = noise_variance
        self.prior_variance = prior_variance
        self.prior_mean = prior_mean
        self.fit_intercept = fit_intercept

    # -- learning ------------------------------------------------------------------
    def _prior(self, d: int) -> tuple[Floats, Floats]:
        """Return m (d,) and L: (d,) where it is diagonal, else (d, d)."""
        m = numbers(self, self.prior_mean, "prior_mean", ParameterError)
        if m.shape not in ((), (d,)):
            must = f"prior_mean must be one number or one for each of {d} columns"
            raise DataError(sentence(self, must, f"shape {m.shape}"))
        if self.prior_variance is None or np.ndim(self.prior_variance) == 0:
            return np.broadcast_to(m, d), np.ones(d)
        S = numbers(self, self.prior_variance, "prior_variance", ParameterError)
        if S.shape not in ((d,), (d, d)):
            must = f"prior_variance must be one number, {d}, or a {d} x {d} matrix"
            raise DataError(sentence(self, must, f"shape {S.shape}"))
        must = "prior_variance must be positive definite"
        if S.ndim == 1:
            if S.min() > 0:
                return np.broadcast_to(m, d), np.sqrt(S)
            came = f"a least eigenvalue of {S.min():.3g}"
            raise ParameterError(sentence(self, must, came))
        try:
            L = np.linalg.cholesky(S)
        except np.linalg.LinAlgError:
            came = f"a least eigenvalue of {np.linalg.eigvalsh(S)[0]:.3g}"
            raise ParameterError(sentence(self, must, came)) from None
        return np.broadcast_to(m, d), L

    def _axes(self, sums: Moments | Triangle, d: int) -> PrincipalAxes:
        """Decompose the columns X L, with the target y - X m."""
        m, L = self._prior(d)
        if isinstance(sums, Moments):
            half = through(sums.M2, m, L)
            sums = Moments(sums.n, through(sums.mean, m, L), through(half.T, m, L))
        else:
            R = through(sums.R[:, 1:], m, L)
            sums = Triangle(sums.n, np.column_stack([sums.R[:, 0], R]))
        return axes_of(sums, d, self.fit_intercept)

    def _posterior(
        self, sums: Moments | Triangle, axes: PrincipalAxes, state: GaussianPosterior
    ) -> GaussianPosterior:
        noise, prior = self._variances(axes)
        m, L = self._prior(state.d)
        c, C = posterior_of(axes, noise, prior)
        if L.ndim == 1:
            mean_x = axes.mean_x / L
        else:
            mean_x = sla.solve_triangular(L, axes.mean_x, trans="T", lower=True)
        return replace(
            state,
            mean=m + times(c, L.T),
            covariance=times(times(C, L.T).T, L.T),
            mean_x=mean_x,
            mean_y=float(axes.mean_y[0] + mean_x @ m),
            n=axes.n,
            noise=noise,
            prior=prior,
            evidence=log_evidence(axes, noise, prior, self.fit_intercept),
        )

    def _variances(self, axes: PrincipalAxes) -> tuple[float, float]:
        """Return sigma^2 and t^2, those that were left open by the evidence."""
        noise, prior = self.noise_variance, self.prior_variance
        free = max(axes.n - int(self.fit_intercept), 1.0)
        prior = None if prior is None else float(prior) if np.ndim(prior) == 0 else 1.0
        total = float(axes.rest[0] + (axes.Z**2).sum()) / free
        unit = total if total > 0 else 1.0
        spread = float((axes.s**2).max(initial=0.0)) or 1.0
        if noise is not None and prior is not None:
            return float(noise), prior

        def at(x: float) -> tuple[float, float]:
            """Return both variances for one number."""
            if noise is not None:
                return noise, noise / spread * x
            if prior is not None:
                return unit * x, prior
            rho = spread / x
            sigma2 = profiled(axes, rho, free)
            return sigma2, sigma2 / max(rho, TINY)

        def slope(x: float) -> float:
            """Return the slope (5) of the evidence in log x."""
            sigma2, t2 = at(x)
            rho = sigma2 / t2
            rss, c2 = squares(axes, rho)
            gamma = float((axes.s**2 / (axes.s**2 + rho)).sum())
            if prior is None:
                return rho * c2 / sigma2 - gamma
            return rss / sigma2 - (free - gamma)

        best = largest(lambda x: log_evidence(axes, *at(x), self.fit_intercept), slope)
        found = at(best)
        return max(found[0], TINY), max(found[1], TINY)

    def publish(self, fitted: Fitted) -> None:
        """Set the posterior."""
        state: GaussianPosterior = fitted.state
        dtype = state.dtype
        self.coef_ = state.mean.astype(dtype)
        self.covariance_ = state.covariance.astype(dtype, copy=False)
        self.mean_ = state.mean_x.astype(dtype)
        at_mean = state.mean_y - state.mean_x @ state.mean
        self.intercept_ = float(at_mean) if self.fit_intercept else 0.0
        self.noise_variance_, self.prior_variance_ = state.noise, state.prior
        self.log_evidence_, self.n_ = float(state.evidence), float(state.n)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean of (3), and its standard deviation if asked.

        Parameters
        ----------
        X : array of shape (n, d)
        return_std : bool, default=False

        Returns
        -------
        array of shape (n,), or two of them
        """
        X = self._query(X)
        mean = self._mean(X)
        if not return_std:
            return mean
        spread = self._spread(X, self.mean_, self.covariance_)
        own = self.noise_variance_ * (1 + self.fit_intercept / self.n_)
        return mean, np.sqrt(own + spread)  # (3)

    def predict_interval(self, X: Any, confidence: float = 0.95) -> Floats:
        """Return intervals that hold a new y with this probability, (n, 2).

        Parameters
        ----------
        X : array of shape (n, d)
        confidence : float, default=0.95
        """
        if not real(0, 1, ends="()").holds(confidence):
            must = "confidence must be a number in (0, 1)"
            raise ParameterError(sentence(self, must, f"{confidence!r}"))
        mean, std = self.predict(X, return_std=True)
        half = stats.norm.ppf(0.5 + confidence / 2) * std
        return np.column_stack([mean - half, mean + half])


def times(A: Floats, L: Floats) -> Floats:
    """Return A L, where L may be given by its diagonal."""
    return A * L if L.ndim == 1 else A @ L


def through(A: Floats, m: Floats, L: Floats) -> Floats:
    """Turn columns [X, y] into [X L, y - X m]."""
    X, y = A[..., :-1], A[..., -1:]
    return np.concatenate([times(X, L), y - (X @ m)[..., None]], axis=-1)


def squares(axes: PrincipalAxes, rho: float) -> tuple[float, float]:
    """Return RSS and |c|^2 of (4)."""
    f = axes.ridge(np.array([rho]))
    return float(axes.residuals(f)[0, 0]), float(((f[0] * axes.Z[:, 0]) ** 2).sum())


def log_evidence(
    axes: PrincipalAxes, noise: float, prior: float, intercept: bool
) -> float:
    """Return (4)."""
    rho = noise / prior
    rss, c2 = squares(axes, rho)
    value = -0.5 * (axes.n - intercept) * np.log(2 * np.pi * noise)
    value -= 0.5 * np.log(axes.n) if intercept else 0.0
    value -= 0.5 * np.log1p(axes.s**2 / rho).sum()
    return float(value - (rss + rho * c2) / (2 * noise))


def profiled(axes: PrincipalAxes, rho: float, free: float) -> float:
    """Return the sigma^2 of largest evidence, given rho."""
    rss, c2 = squares(axes, rho)
    return max((rss + rho * c2) / free, TINY)


def largest(
    function: Callable[[float], float], slope: Callable[[float], float]
) -> float:
    """Return the x in [1e-12, 1e12] where a function is largest, by its slope."""
    grid = np.linspace(-12, 12, 97) * np.log(10)
    values = np.array([function(float(np.exp(t))) for t in grid])
    values[np.isnan(values)] = -np.inf  # out of the range of numbers
    best = int(np.argmax(values))
    low, high = grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)]
    if not slope(float(np.exp(low))) > 0 > slope(float(np.exp(high))):
        return float(np.exp(grid[best]))
    return float(np.exp(brentq(lambda t: slope(float(np.exp(t))), low, high)))
