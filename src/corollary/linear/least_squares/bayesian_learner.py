"""The common core of Bayesian linear regressions, in summation form.

The posterior of the coefficients depends on the rows through N, the means and the
scatter of [X y] only.  So one pass gives it, the posterior of all rows comes from the
sums of chunks, and a stream that adds up its sums updates it exactly.

With y = X b + b0 + N(0, sigma^2), a flat prior of b0 and b ~ N(0, t^2 I), and in the
principal axes Xc = U diag(s) V', z = U'yc, the coordinates c = V b are independent,

    c_j | y ~ N( s_j z_j / (s_j^2 + rho),  sigma^2 / (s_j^2 + rho) )             (1)

with rho = sigma^2/t^2, and keep their prior along axes that X lacks.  The mean is ridge
regression with penalty rho, for the mode of a Gaussian is its mean.  At a new row x the
mean of y is x'b + b0 and its variance

    sigma^2 + sigma^2/N + (x - mean)' Cov(b) (x - mean)                          (2)

Notation: sigma^2 = noise variance; t^2 = prior variance; N = sum of weights.
Reference: Bishop (2006), 3.3 to 3.5.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import check_memory
from corollary.core.records import stored
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.engine import Chunk, Data, Moments, StreamingLearner, Triangle
from corollary.linear.least_squares.principal_axes import PrincipalAxes

__all__ = ["BayesianLearner", "GaussianPosterior"]


@stored
@dataclass(frozen=True)
class GaussianPosterior:
    """The state: the route to the axes, then the posterior of the coefficients."""

    route: str  # "gram" or "qr"
    d: int
    dtype: Any
    mean: Any = None  # (d,) of b
    covariance: Any = None  # (d, d) of b
    mean_x: Any = None  # (d,)
    mean_y: float = 0.0
    n: float = 0.0
    noise: float = 0.0  # sigma^2
    prior: float = 0.0  # t^2, as a factor of the prior covariance
    evidence: float = 0.0  # log p(y), or the trace of it
    scores: Any = None
    steps: int = 0  # towards the variances, where they are found so
    moving: bool = False  # whether they moved to the last


class BayesianLearner(StreamingLearner, SingleRegressor):
    """Linear regression with a Gaussian posterior; subclasses find the variances."""

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d", "intercept_": ""}
    fit_intercept: bool

    @abstractmethod
    def _posterior(
        self, sums: Moments | Triangle, axes: PrincipalAxes, state: GaussianPosterior
    ) -> GaussianPosterior:
        """Find the variances and the posterior (1)."""

    @abstractmethod
    def _axes(self, sums: Moments | Triangle, d: int) -> PrincipalAxes:
        """Decompose the columns, as `axes_of` does."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> GaussianPosterior:
        """Choose the route by the shape of the data."""
        source, d = data.source, data.source.n_features
        wide = data.few_rows <= d
        check_memory(
            self,
            32.0 * d * d,
            f"the {d} x {d} covariance of the coefficients",
            "Use fewer columns, or RidgeCV.",
        )
        route = "qr" if wide or data.once else "gram"
        return GaussianPosterior(route, d, source.dtype)

    def statistics(self, chunk: Chunk, state: GaussianPosterior) -> Moments | Triangle:
        """Sum what the axes need."""
        Y = chunk.y[:, None]
        if state.route == "gram":
            return Moments.of(chunk.X, chunk.w, Y)
        return Triangle.of(chunk.X, chunk.w, Y, ones=True)

    def update(self, s: Any, state: GaussianPosterior) -> GaussianPosterior:
        """Find the posterior; by the triangle where the moments lost digits."""
        axes = self._axes(s, state.d)
        again = state.mean is not None  # a stream goes on after a fit
        if state.route == "gram" and not again and not axes.good(s):
            return replace(state, route="qr")
        return self._posterior(s, axes, state)

    def objective(self, s: Any, state: GaussianPosterior) -> float:
        """Return minus the log evidence."""
        return np.inf if state.mean is None else -state.evidence

    def stop(self, state: GaussianPosterior) -> StopReason | None:
        """Stop when solved."""
        return None if state.mean is None else StopReason.CLOSED_FORM

    def max_passes(self) -> int:
        """Allow a second pass for the triangle."""
        return 2

    def account(self, state: GaussianPosterior, report: Report) -> None:
        """Report the variances and the evidence."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = report.objective[-1:]
        report.facts["route"] = state.route
        report.facts["noise_variance"] = float(state.noise)
        report.facts["prior_variance"] = float(state.prior)
        report.facts["log_evidence"] = float(state.evidence)
        if state.steps:
            report.facts["n_steps"] = state.steps
        if state.moving:
            report.warnings.append("the variances still moved. Raise max_iter.")

    # -- use -----------------------------------------------------------------------
    def _mean(self, X: Matrix) -> Floats:
        return np.asarray(X @ self.coef_.astype(X.dtype) + self.intercept_, X.dtype)

    def _spread(self, X: Matrix, mean: Floats, covariance: Floats) -> Floats:
        """Return (x - mean)' Cov (x - mean) of each row, row by row."""
        XC = np.asarray(X @ covariance) - mean @ covariance
        centred = (X.toarray() if hasattr(X, "toarray") else X) - mean
        return np.maximum((XC * centred).sum(axis=1), 0.0)


def axes_of(sums: Moments | Triangle, d: int, intercept: bool) -> PrincipalAxes:
    """Decompose the columns; a triangle of [1 X y] may lose its first column."""
    if isinstance(sums, Triangle) and not intercept:
        sums = Triangle(sums.n, sums.R[:, 1:])
    return PrincipalAxes.of(sums, d, intercept=intercept)


def posterior_of(
    axes: PrincipalAxes, noise: float, prior: float
) -> tuple[Floats, Floats]:
    """Return the mean and the covariance (1) of the coefficients."""
    rho = noise / prior
    f = axes.ridge(np.array([rho]))
    mean = axes.coefficients(f)[0][0, 0]
    V = axes.V
    if len(V) == V.shape[1]:
        return mean, (V.T * (noise / (axes.s**2 + rho))) @ V
    # t^2 I off the axes: t^2 - t^2 s^2 / (s^2 + rho) = sigma^2 / (s^2 + rho) on them
    covariance = (V.T * (-prior * f[0] * axes.s)) @ V
    np.fill_diagonal(covariance, np.diagonal(covariance) + prior)
    return mean, covariance
