"""Inference for linear models, from the sums that a fit keeps.

Also known as: regression table, standard errors, t test and z test of coefficients,
Wald test, confidence intervals, variance inflation factors, collinearity diagnosis.
Related words: VIF, confidence interval, prediction interval, noise variance, condition
number, overdispersion.

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

A family that knows its dispersion may be wrong about it.  Counts scatter more than
Poisson's law says where

    X^2 / (n - p),   X^2 = sum w (y - mu)^2 / V(mu)   (Pearson's statistic)      (9)

is well above 1; errors are then too small by its root, and the table says so.

Of K classes the coefficients of logistic regression are those of the scores' leads over
the first class, for only differences of scores are determined.

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
from corollary.core.errors import ParameterError, sentence
from corollary.core.html import html_table
from corollary.core.vectors import rows_of
from corollary.linear.inference.wald_test import WaldTest, wald_test

__all__ = ["Summary"]


@dataclass(frozen=True, repr=False)
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
    errors : {'classical', 'HC0', 'HC1', 'HC2', 'HC3'}
        How the standard errors were taken (`sandwich.py`).
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
    pearson : float or None
        Pearson's statistic X^2 (9), for generalised linear models.
    sigma, sigma_ml : float
        Standard deviation of the noise, unbiased and by maximum likelihood (1).
    r_squared, adjusted_r_squared : float or None
        (6), for least squares.
    deviance, null_deviance, deviance_explained : float
    log_likelihood, aic, bic : float or None
        (7); None where the law has no closed form.
    condition_number : float
    intercept : bool
        Whether the first coefficient is the intercept, of every class.
    slopes : tuple of int
        Places of the coefficients that are no intercepts.
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
    slopes: tuple[int, ...]
    errors: str = "classical"
    pearson: float | None = None
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

    @property
    def overdispersion(self) -> float | None:
        """Pearson's statistic over its degrees of freedom (9)."""
        return None if self.pearson is None else self.pearson / self.dof

    def f_test(self, hypothesis: Any = None) -> WaldTest:
        """Test that coefficients are all 0, by F, or by chi-square under kind 'z'.

        Parameters
        ----------
        hypothesis : None, list of names, or array of shape (q, p)
            None: all but the intercept.  Names: these.  An array R: R b = 0.

        Returns
        -------
        WaldTest

        Examples
        --------
        >>> from corollary import LinearRegression
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.0, 8.0]
        >>> round(LinearRegression().fit(X, y).summary().f_test().statistic, 3)
        26.889
        """
        R = self._restrictions(hypothesis)
        if not np.isfinite(self.standard_errors[(R != 0).any(axis=0)]).all():
            must = "a test needs coefficients that the data determines"
            came = f"columns {list(self.dependent)} that follow from the others"
            raise ParameterError(sentence("Summary", must, came, "Drop them."))
        dof = self.dof if self.kind == "t" else None
        return wald_test(self.coef, self.covariance, R, dof)

    def _restrictions(self, hypothesis: Any) -> Floats:
        """Return R of a hypothesis R b = 0."""
        unit = np.eye(len(self.coef))
        if hypothesis is None:
            chosen = list(self.slopes)
        elif all(isinstance(name, str) for name in hypothesis):
            absent = [name for name in hypothesis if name not in self.names]
            if absent:
                must = f"names must be among {list(self.names)}"
                raise ParameterError(sentence("Summary", must, f"{absent}"))
            chosen = [self.names.index(name) for name in hypothesis]
        else:
            return rows_of("Summary", hypothesis, len(self.coef))
        if not chosen:
            must = "a hypothesis must name at least one coefficient"
            raise ParameterError(sentence("Summary", must, "none"))
        return unit[chosen]

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

    # -- showing -------------------------------------------------------------------
    def to_frame(self) -> Any:
        """Return the table as a pandas frame, one row for each coefficient.

        Examples
        --------
        >>> from corollary import LinearRegression
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.0, 8.0]
        >>> frame = LinearRegression().fit(X, y).summary().to_frame()
        >>> frame.loc["x0", ["coefficient", "std_error"]].round(3).tolist()
        [2.2, 0.424]
        """
        try:
            import pandas as pd
        except ImportError as error:
            must = "to_frame needs pandas to be installed"
            raise ImportError(sentence("Summary", must, "no pandas")) from error
        columns = {
            "coefficient": self.coef,
            "std_error": self.standard_errors,
            self.kind: self.statistics,
            "p_value": self.p_values,
            "lower": self.intervals[:, 0],
            "upper": self.intervals[:, 1],
            "vif": self.vif,
        }
        return pd.DataFrame(columns, index=pd.Index(self.names, name="name"))

    def _head(self) -> tuple[str, ...]:
        error = "std error" if self.errors == "classical" else f"{self.errors} error"
        low = f"{50 * (1 - self.confidence):g} %"
        high = f"{50 * (1 + self.confidence):g} %"
        return "", "coefficient", error, self.kind, "p-value", low, high, "VIF"

    def _cells(self) -> list[tuple[str, ...]]:
        """Return the table as texts, a row for each coefficient."""
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
        return [
            (
                name,
                f"{b:.6g}",
                f"{se:.4g}",
                f"{t:.3f}",
                f"{p:.3g}",
                f"{low:.5g}",
                f"{high:.5g}",
                "" if np.isnan(vif) else f"{vif:.4g}",
            )
            for name, b, se, t, p, (low, high), vif in rows
        ]

    def __repr__(self) -> str:
        return f"Summary({self.model}, {len(self.coef)} coefficients, {self.n:g} rows)"

    def __str__(self) -> str:
        width = max(9, *(len(name) for name in self.names))
        widths = (width, 12, 10, 8, 9, 12, 12, 8)
        lines = [self.model]
        for name, *cells in [self._head(), *self._cells()]:
            shown = [f"{cell:>{w}}" for cell, w in zip(cells, widths[1:], strict=True)]
            lines.append(" ".join([f"{name:{width}}", *shown]).rstrip())
        return "\n".join([*lines, *self._measures(), *self.notes])

    def _repr_html_(self) -> str:
        below = [*self._measures(), *self.notes]
        return html_table(self.model, self._cells(), self._head(), below)

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
        if self.slopes and np.isfinite(self.standard_errors).all():
            test = self.f_test()
            dof = f" and {test.dof:g}" if test.kind == "F" else ""
            lines.append(
                f"all slopes 0: {test.kind} {test.statistic:.6g} with "
                f"{test.restrictions}{dof} degrees of freedom, p {test.p_value:.3g}"
            )
        if self.log_likelihood is not None:
            lines.append(
                f"log-likelihood {self.log_likelihood:.6g}, AIC {self.aic:.6g}, "
                f"BIC {self.bic:.6g}"
            )
        return lines
