"""Inference for linear models, from the sums that a fit keeps.

Also known as: regression table, standard errors, t test and z test of coefficients,
Wald test, confidence intervals, variance inflation factors, collinearity diagnosis.
Related words: VIF, confidence interval, prediction interval, noise variance, condition
number.

Under Gaussian noise y = x'b + b0 + N(0, sigma^2) least squares is maximum likelihood:

    log p = -n/2 log(2 pi sigma^2) - RSS/(2 sigma^2),
    largest at sigma_ml^2 = RSS/n;  unbiased is sigma^2 = RSS/(n - p)            (1)

    Cov(b) = sigma^2 (Xc'Xc)^-1,   Var(b0) = sigma^2/n + mean' Cov(b) mean       (2)
    t_j = b_j / se_j,  Student with n - p degrees of freedom under b_j = 0       (3)
    Var(x~'b^) = x~' Cov x~,   Var(y - x~'b^) = sigma^2 + x~' Cov x~             (4)

so that x~'b^ -+ t times the root of the first holds the mean of y at x, and of the
second a new y at x, with the confidence of Student's quantile t.

In a generalised linear model Cov = phi (n H)^-1 with the Fisher information H, and phi
is 1, with normal z_j, or it is estimated by Pearson's statistic divided by n - p, with
Student's t_j.  With a penalty A = Xc'Xc + alpha P, the scatter of the estimates is

    Cov(b) = sigma^2 A^-1 Xc'Xc A^-1,   p = tr A^-1 Xc'Xc  (+ 1)                 (5)

but they are biased as well, so that intervals need not cover: the table says so.

    R^2 = 1 - RSS/TSS,  adjusted 1 - (RSS/(n - p)) / (TSS/(n - 1))               (6)
    AIC = -2 log p + 2 p,   BIC = -2 log p + p log n                             (7)

Collinearity: the variance of b_j is the variance inflation factor times what it would
be if column j were orthogonal to the others, R_j^2 = what they explain of it:

    VIF_j = 1/(1 - R_j^2) = |x_j|^2 ((Xc'Xc)^-1)_jj                              (8)

and the condition number is that of [1 X] with columns of unit length (Belsley, Kuh,
Welsch): above 30 coefficients begin to explode and cancel though the fit is good.
Columns that follow from others have no estimate of their own: infinite error.

n is the sum of the weights, for a weight is repetition.

Notation: p = number of coefficients with the intercept; x~ = (1, x).
Course: S3-88, S3-89, S4-7.
References: Greene (2018), ch. 4; Belsley, Kuh, Welsch (1980).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import stats

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import rows_of
from corollary.engine import Moments, Triangle
from corollary.linear.glm.glm_sums import inverse
from corollary.linear.least_squares.column_geometry import (
    Geometry,
    geometry,
    square_root,
)
from corollary.objectives.chunk_losses import Deviance
from corollary.solvers.normal_equations import Solution

__all__ = ["Summary", "summarize_least_squares", "summarize_likelihood"]

STRONG = 30.0  # condition number above which collinearity is worth a word
INFLATED = 10.0  # variance inflation factor, likewise


@dataclass(frozen=True)
class Summary:
    """A table of coefficients, and how well they explain the response.

    Attributes
    ----------
    model : str
        Class, family and link.
    names : tuple of str
        One for each coefficient, 'intercept' first if there is one.
    coef, standard_errors, statistics, p_values : array of shape (p,)
        Estimates, their standard errors, t or z (3), and two-sided p-values of zero.
    intervals : array of shape (p, 2)
    kind : {'t', 'z'}
    confidence : float
        Of the intervals.
    vif : array of shape (p,)
        Variance inflation factors (8), NaN for the intercept.
    covariance : array of shape (p, p)
        Of the estimates.
    n, parameters, dof : float
        Weight of the rows, number of coefficients (5), and n - p.
    dispersion : float
        sigma^2 or phi.
    sigma, sigma_ml : float
        Standard deviation of the noise, unbiased and by maximum likelihood (1).
    r_squared, adjusted_r_squared : float or None
        (6), for least squares.
    deviance, null_deviance, deviance_explained : float
    log_likelihood, aic, bic : float or None
        (7); None where the law has no closed form.
    condition_number : float
    intercept : bool
        Whether the first coefficient is the intercept.
    dependent : tuple of str
        Columns that follow from the others.
    notes : tuple of str
        Sentences worth reading before the table is used.
    """

    model: str
    names: tuple[str, ...]
    coef: Floats
    standard_errors: Floats
    kind: str
    confidence: float
    vif: Floats
    covariance: Floats
    n: float
    parameters: float
    dispersion: float
    deviance: float
    null_deviance: float
    log_likelihood: float | None
    condition_number: float
    intercept: bool
    dependent: tuple[str, ...] = ()
    r_squared: float | None = None
    adjusted_r_squared: float | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def dof(self) -> float:
        """Degrees of freedom left to the noise, n - p."""
        return self.n - self.parameters

    @property
    def statistics(self) -> Floats:
        """T or z: each estimate over its standard error (3)."""
        se = self.standard_errors
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(self.coef == 0, 0.0, self.coef / se)

    @property
    def p_values(self) -> Floats:
        """Probability of a statistic as large if the coefficient were 0."""
        return 2 * self._law().sf(np.abs(self.statistics))

    @property
    def intervals(self) -> Floats:
        """Confidence intervals, (p, 2).

        Also known as: confidence interval.
        """
        half = self._law().ppf(0.5 + self.confidence / 2) * self.standard_errors
        return np.column_stack([self.coef - half, self.coef + half])

    @property
    def sigma(self) -> float:
        """Standard deviation of the noise, unbiased variance (1)."""
        return float(np.sqrt(self.dispersion))

    @property
    def sigma_ml(self) -> float:
        """Standard deviation of the noise by maximum likelihood (1)."""
        return float(np.sqrt(self.deviance / self.n))

    @property
    def deviance_explained(self) -> float:
        """1 - deviance / null deviance."""
        if self.null_deviance <= 0:
            return float(self.deviance <= 0)
        return 1 - self.deviance / self.null_deviance

    @property
    def aic(self) -> float | None:
        """Akaike's criterion (7)."""
        ll = self.log_likelihood
        return None if ll is None else -2 * ll + 2 * self.parameters

    @property
    def bic(self) -> float | None:
        """Schwarz's criterion (7)."""
        ll = self.log_likelihood
        return None if ll is None else -2 * ll + self.parameters * float(np.log(self.n))

    def predictive_variance(self, X: Any) -> Floats:
        """Return the variance of a new y at rows of X under Gaussian noise (4).

        Parameters
        ----------
        X : array of shape (m, d)
        """
        return self.dispersion + self._at(X)[1]

    def mean_intervals(self, X: Any) -> Floats:
        """Return confidence intervals of the mean of y at rows of X, (m, 2).

        Parameters
        ----------
        X : array of shape (m, d)
        """
        return self._about(*self._at(X))

    def prediction_intervals(self, X: Any) -> Floats:
        """Return intervals that hold a new y at rows of X, (m, 2).

        Parameters
        ----------
        X : array of shape (m, d)
        """
        mean, variance = self._at(X)
        return self._about(mean, self.dispersion + variance)

    def _about(self, mean: Floats, variance: Floats) -> Floats:
        half = self._law().ppf(0.5 + self.confidence / 2) * np.sqrt(variance)
        return np.column_stack([mean - half, mean + half])

    def _at(self, X: Any) -> tuple[Floats, Floats]:
        """Return the estimated mean of y at rows of X, and its variance."""
        if self.r_squared is None:
            must = "intervals of y need Gaussian noise about a straight line"
            raise ParameterError(sentence("Summary", must, self.model))
        X = rows_of("Summary", X, len(self.coef) - int(self.intercept))
        Z = np.column_stack([np.ones(len(X)), X]) if self.intercept else X
        return Z @ self.coef, np.einsum("ij,jk,ik->i", Z, self.covariance, Z)

    def _law(self) -> Any:
        return stats.t(self.dof) if self.kind == "t" else stats.norm()

    def __str__(self) -> str:
        width = max(9, *(len(name) for name in self.names))
        share = f"{100 * self.confidence:g} % interval"
        head = f"{'':{width}} {'coefficient':>12} {'std error':>10} {self.kind:>8}"
        lines = [self.model, f"{head} {'p-value':>9} {share:>25} {'VIF':>8}"]
        rows = zip(
            self.names,
            self.coef,
            self.standard_errors,
            self.statistics,
            self.p_values,
            self.intervals,
            self.vif,
            strict=True,
        )
        for name, b, se, t, p, (low, high), vif in rows:
            inflated = "" if np.isnan(vif) else f"{vif:.4g}"
            lines.append(
                f"{name:{width}} {b:12.6g} {se:10.4g} {t:8.3f} {p:9.3g} "
                f"{low:12.5g} {high:12.5g} {inflated:>8}"
            )
        return "\n".join([*lines, *self._measures(), *self.notes])

    def _measures(self) -> list[str]:
        lines = [f"rows {self.n:g}, coefficients {self.parameters:.6g}"]
        lines[0] += f", condition number {self.condition_number:.4g}"
        if self.r_squared is not None:
            lines.append(
                f"R^2 {self.r_squared:.6g}, adjusted {self.adjusted_r_squared:.6g}, "
                f"sigma {self.sigma:.6g} ({self.sigma_ml:.6g} by maximum likelihood)"
            )
        else:
            lines.append(
                f"deviance {self.deviance:.6g} of {self.null_deviance:.6g} "
                f"({100 * self.deviance_explained:.4g} % explained), dispersion "
                f"{self.dispersion:.6g}"
            )
        if self.log_likelihood is not None:
            lines.append(
                f"log-likelihood {self.log_likelihood:.6g}, AIC {self.aic:.6g}, "
                f"BIC {self.bic:.6g}"
            )
        return lines


def summarize_least_squares(learner: Any, confidence: float, target: int) -> Summary:
    """Summarise `LinearRegression` or `Ridge` from the sums of its last pass."""
    fitted, intercept, d = (
        learner._running,
        learner.fit_intercept,
        learner.n_features_in_,
    )
    solution: Solution | None = fitted.state.solution
    if solution is None or not isinstance(fitted.statistics, Moments | Triangle):
        must = "summary needs sums of products of columns"
        remedy = "Use solver='cholesky'."
        raise ParameterError(
            sentence(learner, must, "a fit by conjugate gradients", remedy)
        )
    if learner.positive or learner._with_ones:
        must = "summary needs estimates free to have either sign, and no penalty on b0"
        came = "positive=True" if learner.positive else "penalize_intercept=True"
        raise ParameterError(sentence(learner, must, came))
    if not 0 <= target < len(solution.coef):
        must = f"target must be below the number of targets = {len(solution.coef)}"
        raise ParameterError(sentence(learner, must, f"{target}"))
    alphas = np.broadcast_to(learner._alpha(len(solution.coef)), len(solution.coef))
    alpha = float(alphas[target])
    space, total = geometry(fitted.statistics, d, intercept)
    A_inverse = space.gram_inverse(alpha, learner._weights(d))
    n, rank = space.n, float(space.rank)
    if alpha > 0:
        M = space.R @ A_inverse
        A_inverse, rank = M.T @ M, float((M * space.R).sum())  # (5)
    parameters = rank + intercept
    check_rows(learner, n, parameters)
    rss, tss = float(solution.residual[target]), float(total[target])
    sigma2 = rss / (n - parameters)  # (1)
    with np.errstate(divide="ignore"):
        log_likelihood = float(-0.5 * n * (np.log(2 * np.pi * rss / n) + 1))
    r2 = 1 - rss / tss if tss > 0 else float(rss <= 0)
    adjusted = 1 - (1 - r2) * (n - intercept) / (n - parameters)  # (6)
    return summary_of(
        learner,
        type(learner).__name__,
        np.append(solution.intercept[target], solution.coef[target]),
        sigma2 * with_intercept(A_inverse, space.mean, 1 / n),
        space,
        alpha,
        kind="t",
        confidence=confidence,
        n=n,
        parameters=parameters,
        dispersion=sigma2,
        deviance=rss,
        null_deviance=tss,
        log_likelihood=log_likelihood,
        r_squared=r2,
        adjusted_r_squared=adjusted,
    )


def summarize_likelihood(learner: Any, loss: Deviance, confidence: float) -> Summary:
    """Summarise a generalised linear model from the sums of its last pass."""
    s = learner.sums_
    if s.H is None:
        must = "summary needs the information matrix"
        came = f"{learner.n_features_in_} columns, too many to keep it"
        raise ParameterError(sentence(learner, must, came, "Use fewer columns."))
    d, kept, intercept = len(s.mean), ~s.held, bool(s.free[-1])
    at = np.ix_(s.free, s.free)
    ridge = np.where(np.arange(d + 1) < d, s.n * s.alpha, 0.0)
    A_inverse = inverse((s.H + np.diag(ridge))[at])
    parameters = float(s.free.sum())
    if s.alpha > 0:
        parameters = float((A_inverse * s.H[at]).sum())  # (5)
        A_inverse = A_inverse @ s.H[at] @ A_inverse
    check_rows(learner, s.n, parameters)
    known = loss.family.known_dispersion
    phi = 1.0 if known else s.pearson / (s.n - parameters)
    C = np.zeros((d + 1, d + 1))
    C[at] = phi * A_inverse
    covariance = with_intercept(C[:d, :d], s.mean, C[d, d], C[:d, d])
    listed = np.append(True, kept)
    gram = s.gram[np.ix_(kept, kept)]
    space = Geometry.of(s.n, s.mean[kept], square_root(gram), intercept)
    return summary_of(
        learner,
        f"{type(learner).__name__}: {loss.family.name} family, {loss.link.name} link",
        np.append(float(learner.intercept_), learner.coef_[kept]),
        covariance[np.ix_(listed, listed)],
        space,
        s.alpha,
        kind="z" if known else "t",
        confidence=confidence,
        n=s.n,
        parameters=parameters,
        dispersion=phi,
        deviance=s.deviance,
        null_deviance=s.null_deviance,
        log_likelihood=loss.family.log_likelihood(s.deviance, phi, s.n, s.constant),
        columns=np.flatnonzero(kept),
        endless=s.endless,
    )


def summary_of(
    learner: Any,
    model: str,
    coef: Floats,
    covariance: Floats,
    space: Geometry,
    alpha: float,
    columns: Any = None,
    endless: bool = False,
    **measures: Any,
) -> Summary:
    """Put names to the numbers; the intercept comes first in all of them."""
    if not 0 < measures["confidence"] < 1:
        must = "confidence must be between 0 and 1"
        raise ParameterError(sentence(learner, must, f"{measures['confidence']}"))
    skip = 0 if space.intercept else 1
    seen = getattr(learner, "feature_names_in_", None)
    columns = np.arange(len(space.mean)) if columns is None else columns
    names = [f"x{j}" if seen is None else str(seen[j]) for j in columns]
    errors = np.sqrt(np.maximum(np.diagonal(covariance)[skip:], 0.0))
    if alpha == 0:
        errors = np.where(space.identified, errors, np.inf)
    vif, condition = space.vif(), space.condition()
    dependent = tuple(names[j] for j in space.dependent)
    inflated = [names[j] for j in np.flatnonzero(vif > INFLATED)]
    return Summary(
        model=model,
        names=("intercept", *names)[skip:],
        coef=np.asarray(coef[skip:], dtype=np.float64),
        standard_errors=errors,
        vif=np.append(np.nan, vif)[skip:],
        covariance=covariance[skip:, skip:],
        condition_number=condition,
        intercept=space.intercept,
        dependent=dependent,
        notes=notes(dependent, inflated, alpha, endless),
        **measures,
    )


def notes(
    dependent: tuple[str, ...], inflated: list[str], alpha: float, endless: bool
) -> tuple[str, ...]:
    """Say what to mind when reading the table."""
    said = []
    if dependent:
        said.append(
            f"columns {list(dependent)} follow from the others or never change."
        )
    elif inflated:
        said.append(
            f"columns {inflated} are nearly determined by the others: their "
            "coefficients may be large and cancel."
        )
    if alpha > 0:
        said.append("the penalty biases the estimates: intervals need not cover.")
    if endless:
        said.append("the likelihood has no maximum: errors and tests mean nothing.")
    return tuple(said)


def with_intercept(
    C: Floats, mean: Floats, at_mean: float, cross: Floats | None = None
) -> Floats:
    """Return Cov(b0, b) from Cov(b), the variance at the mean, and their covariance."""
    cross = np.zeros(len(mean)) if cross is None else cross
    both = cross - C @ mean
    variance = at_mean + mean @ C @ mean - 2 * mean @ cross
    return np.block([[np.array([[variance]]), both[None, :]], [both[:, None], C]])


def check_rows(learner: Any, n: float, parameters: float) -> None:
    """Refuse inference where nothing is left to estimate the noise from."""
    if not n > parameters + 1e-9:
        must = f"summary needs more rows than its {parameters:.6g} coefficients"
        raise DataError(sentence(learner, must, f"{n:g}", "Use more rows."))
