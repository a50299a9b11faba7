"""Bayesian ridge regression with gamma priors on both precisions, in summation form.

Also known as: evidence approximation, MacKay's update, relevance of a common prior.

    y = x'b + b0 + e,   e ~ N(0, 1/alpha),   b ~ N(0, I/lambda),
    alpha ~ Gamma(alpha_1, alpha_2),   lambda ~ Gamma(lambda_1, lambda_2)        (1)

(shapes and rates).  The mean of b is ridge regression with penalty lambda/alpha.  With
the number of well-determined coefficients

    gamma = sum_j alpha s_j^2 / (lambda + alpha s_j^2)                           (2)

the evidence, times the priors, is stationary where

    lambda = (gamma + 2 lambda_1) / (|b|^2 + 2 lambda_2)
    alpha  = (N - gamma + 2 alpha_1) / (RSS + 2 alpha_2)                         (3)

which is iterated until b moves by less than tol.  In the principal axes of X a step
costs as many products as there are axes, and no look at the rows.
`BayesianLinearRegression` maximises the evidence itself instead, by a search, counts
the intercept, and takes variances that are given.

Notation: alpha = 1/sigma^2; lambda = 1/t^2; s_j singular values of the centred X.
Course: S4-60. References: MacKay (1992); Tipping (2001).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.parameters import boolean, missing, real, whole
from corollary.engine import Fitted, Moments, Triangle
from corollary.linear.least_squares.bayesian_learner import (
    BayesianLearner,
    GaussianPosterior,
    axes_of,
    posterior_of,
)
from corollary.linear.least_squares.principal_axes import PrincipalAxes

__all__ = ["BayesianRidge"]

EPS = float(np.finfo(np.float64).eps)


class BayesianRidge(BayesianLearner):
    """Ridge regression whose penalty the evidence decides.

    Parameters
    ----------
    max_iter : int, default=300
        Steps of (3).
    tol : float, default=1e-3
        The steps end when the coefficients move by less, added up.
    alpha_1, alpha_2, lambda_1, lambda_2 : float, default=1e-6
        Shapes and rates of the gamma priors (1).
    alpha_init, lambda_init : float, optional
        Where the steps begin; 1/Var(y) and 1 by default.
    compute_score : bool, default=False
        Whether to keep the log evidence of every step.
    fit_intercept : bool, default=True
        Whether to fit b0.
    copy_X, verbose : ignored
        Kept for compatibility; X is never changed.

    Attributes
    ----------
    coef_ : array of shape (d,)
        Posterior mean.
    intercept_ : float
    alpha_, lambda_ : float
        Precisions of the noise and of the prior.
    sigma_ : array of shape (d, d)
        Posterior covariance of the coefficients.
    scores_ : array or empty list
        Log evidence before every step and after the last, where asked for.
    n_iter_ : int
    X_offset_, X_scale_ : array of shape (d,)
        Means of the columns, and ones.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import BayesianRidge
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> model = BayesianRidge().fit(X, [0.1, 0.9, 2.1, 2.9])
    >>> model.coef_.round(2).tolist()
    [0.96]
    """

    shapes: ClassVar = {
        "coef_": "d",
        "intercept_": "",
        "sigma_": "d d",
        "X_offset_": "d",
        "X_scale_": "d",
    }
    rules: ClassVar = {
        "max_iter": whole(1),
        "tol": real(0, ends="()"),
        **{f"{name}_{i}": real(0) for name in ("alpha", "lambda") for i in (1, 2)},
        "alpha_init": missing | real(0),
        "lambda_init": missing | real(0),
        "compute_score": boolean,
        "fit_intercept": boolean,
        "copy_X": boolean,
        "verbose": boolean | whole(0),
    }

    def __init__(
        self,
        *,
        max_iter: int = 300,
        tol: float = 1e-3,
        alpha_1: float = 1e-6,
        alpha_2: float = 1e-6,
        lambda_1: float = 1e-6,
        lambda_2: float = 1e-6,
        alpha_init: float | None = None,
        lambda_init: float | None = None,
        compute_score: bool = False,
        fit_intercept: bool = True,
        copy_X: bool = True,
        verbose: Any = False,
    ) -> None:
        self.max_iter = max_iter
        self.tol = tol
        self.alpha_1 = alpha_1
        self.alpha_2 = alpha_2
        self.lambda_1 = lambda_1
        self.lambda_2 = lambda_2
        self.alpha_init = alpha_init
        self.lambda_init = lambda_init
        self.compute_score = compute_score
        self.fit_intercept = fit_intercept
        self.copy_X = copy_X
        self.verbose = verbose

    # -- learning ------------------------------------------------------------------
    def _axes(self, sums: Moments | Triangle, d: int) -> PrincipalAxes:
        return axes_of(sums, d, self.fit_intercept)

    def _posterior(
        self, sums: Moments | Triangle, axes: PrincipalAxes, state: GaussianPosterior
    ) -> GaussianPosterior:
        """Iterate (2) and (3)."""
        alpha, lamda = self.alpha_init, self.lambda_init
        if alpha is None:
            alpha = 1 / (variance_of_y(sums, state.d) + EPS)
        lamda = 1.0 if lamda is None else lamda
        scores: list[float] = []
        before, steps = None, 0
        while steps < self.max_iter:
            steps += 1
            f = axes.ridge(np.array([lamda / alpha]))
            c, rss = f[0] * axes.Z[:, 0], float(axes.residuals(f)[0, 0])
            scores.append(self._score(axes, state.d, alpha, lamda))
            gamma = float((f[0] * axes.s).sum())  # (2)
            lamda = (gamma + 2 * self.lambda_1) / ((c @ c) + 2 * self.lambda_2)  # (3)
            free = axes.n - gamma + 2 * self.alpha_1
            alpha = free / (rss + 2 * self.alpha_2)
            b = c @ axes.V
            if before is not None and np.abs(b - before).sum() < self.tol:
                break
            before = b
        scores.append(self._score(axes, state.d, alpha, lamda))
        mean, covariance = posterior_of(axes, 1 / alpha, 1 / lamda)
        return replace(
            state,
            mean=mean,
            covariance=covariance,
            mean_x=axes.mean_x,
            mean_y=float(axes.mean_y[0]),
            n=axes.n,
            noise=1 / alpha,
            prior=1 / lamda,
            evidence=scores[-1],
            scores=np.array(scores) if self.compute_score else [],
            steps=steps,
            moving=steps >= self.max_iter > 1,
        )

    def _score(self, axes: PrincipalAxes, d: int, alpha: float, lamda: float) -> float:
        """Return the log of the evidence times the priors, up to a constant."""
        f = axes.ridge(np.array([lamda / alpha]))
        c, rss = f[0] * axes.Z[:, 0], float(axes.residuals(f)[0, 0])
        score = self.lambda_1 * np.log(lamda) - self.lambda_2 * lamda
        score += self.alpha_1 * np.log(alpha) - self.alpha_2 * alpha
        inside = axes.n * np.log(alpha) - alpha * rss - lamda * (c @ c)
        inside -= np.log1p(alpha / lamda * axes.s**2).sum()
        return float(score + 0.5 * (inside - axes.n * np.log(2 * np.pi)))

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: GaussianPosterior = fitted.state
        dtype = state.dtype
        self.coef_ = state.mean.astype(dtype)
        self.sigma_ = state.covariance.astype(dtype, copy=False)
        self.X_offset_ = state.mean_x.astype(dtype)
        self.X_scale_ = np.ones_like(self.X_offset_)
        at_mean = state.mean_y - state.mean_x @ state.mean
        self.intercept_ = float(at_mean) if self.fit_intercept else 0.0
        self.alpha_, self.lambda_ = 1 / state.noise, 1 / state.prior
        self.scores_, self.n_iter_ = state.scores, state.steps

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any, return_std: bool = False) -> Any:
        """Return the mean of y, and its standard deviation if asked.

        The intercept counts as known, as it does in scikit-learn.

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
        spread = self._spread(X, self.X_offset_, self.sigma_)
        return mean, np.sqrt(spread + 1 / self.alpha_)


def variance_of_y(sums: Moments | Triangle, d: int) -> float:
    """Return the variance of the target about its mean."""
    if isinstance(sums, Moments):
        return float(sums.M2[d, d] / sums.n)
    ones, y = sums.R[:, 0], sums.R[:, -1]
    rest = y - (ones @ y) / (ones @ ones) * ones
    return float(rest @ rest / sums.n)
