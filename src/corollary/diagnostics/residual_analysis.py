"""Residual analysis: what a regression leaves unexplained, and in what shape.

Also known as: residual diagnostics, predicted against actual, heteroscedasticity test,
Breusch-Pagan test, regression error analysis.
Related words: R squared, RMSE, MAE, bias of predictions.

With f the out-of-fold prediction and r = y - f the residual of a row,

    bias  mean(f - y),   MAE  mean |r|,   RMSE  sqrt(mean r^2),
    R^2   1 - sum r^2 / sum (y - mean y)^2                                           (1)

each with an interval.  A good model leaves residuals that f says nothing about.  Three
questions are asked of them, each a regression on f:

    slope   y = a + b f        b = 1; below 1 predictions are too extreme, above 1
                               too timid                                             (2)
    curve   r = a + b f + c f^2      c = 0; else a bend is left                      (3)
    spread  r^2 = a + b f + c f^2    b = c = 0; else the noise depends on f          (4)

and one of their order: neighbours in the data should not be alike (5).  (2) and (3) are
judged by standard errors that allow for (4) (HC3), (4) by n R^2 of its regression,
chi-squared with 2 degrees of freedom whatever the law of the noise (Koenker), (5) by
the correlation of r with the next r times sqrt n.  A question is answered "yes" at
delta / 4, so that all four together are wrong in a share delta of good models.

Notation: f = predicted; r = residuals.
References: Breusch and Pagan (1979); Koenker (1981); MacKinnon and White (1985); Ramsey
(1969).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import ndtr
from scipy.stats import chi2

from corollary.core.arrays import Floats
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, sentence
from corollary.core.randomness import generator
from corollary.diagnostics.outcomes import plain
from corollary.theory.interval import Interval
from corollary.theory.score_intervals import mean_interval, score_interval
from corollary.theory.stated_numbers import confidence, vector

__all__ = ["ResidualAnalysis", "residual_analysis"]

WHO = "residual_analysis"
MOST = 2_000  # points of a page


@dataclass(frozen=True, eq=False)
class ResidualAnalysis:
    """What a regression leaves unexplained.

    Attributes
    ----------
    actual, predicted : arrays of shape (n,)
    bias, mae, rmse : Interval
        (1).
    r2 : Interval or None
        None where all targets are equal.
    slope, slope_error : float
        b of (2) and its standard error.
    p_slope, p_curve, p_spread, p_order : float
        That a good model would look as bad, of (2) to (5).
    spread_rises : bool
        Whether the noise grows with the prediction.
    correlation : float
        Of a residual with the next one (5).
    skewness, excess : float
        Of the residuals: third moment, and fourth less 3; 0 for normal noise.
    delta : float
    """

    actual: Floats
    predicted: Floats
    bias: Interval
    mae: Interval
    rmse: Interval
    r2: Interval | None
    slope: float
    slope_error: float
    p_slope: float
    p_curve: float
    p_spread: float
    p_order: float
    spread_rises: bool
    correlation: float
    skewness: float
    excess: float
    delta: float

    @property
    def residuals(self) -> Floats:
        """Actual less predicted, (n,)."""
        return self.actual - self.predicted

    @property
    def heteroscedastic(self) -> bool:
        """Whether the noise depends on the prediction."""
        return self.p_spread <= self.delta / 4

    @property
    def notes(self) -> tuple[str, ...]:
        """What is wrong with the residuals, in sentences."""
        bar, found = self.delta / 4, []
        if 0 not in self.bias:
            side = "high" if self.bias.value > 0 else "low"
            found.append(f"Predictions are too {side} by {abs(self.bias.value):.4g}.")
        if self.p_slope <= bar:
            kind = "extreme" if self.slope < 1 else "timid"
            found.append(
                f"Predictions are too {kind}: their distance from the mean should be "
                f"multiplied by {self.slope:.3g}."
            )
        if self.p_curve <= bar:
            found.append("A bend is left: the model misses a curve.")
        if self.heteroscedastic:
            way = "grows with" if self.spread_rises else "depends on"
            found.append(
                f"The noise {way} the prediction: one interval width does not fit all; "
                "predict log y, or a quantile."
            )
        if self.p_order <= bar:
            found.append(
                f"Neighbouring rows err alike (correlation {self.correlation:.2g}): "
                "rows are not independent, and intervals are too narrow."
            )
        return tuple(found)

    def __str__(self) -> str:
        every = (self.r2, self.rmse, self.mae, self.bias)
        lines = [str(each) for each in every if each is not None]
        notes = self.notes or ("Nothing is left that the prediction tells.",)
        return "\n".join([*lines, *notes])

    def plot(self, ax: Any = None) -> Any:
        """Draw actual over predicted values; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        page = self.to_findings()
        f = np.array(page["predicted"])
        ax.plot(f, page["actual"], ".", alpha=0.4)
        ax.plot([f.min(), f.max()], [f.min(), f.max()], linestyle=":", color="grey")
        title = "" if self.r2 is None else f"R^2 {self.r2.value:.3f}"
        ax.set(xlabel="predicted", ylabel="actual", title=title)
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `residuals` of a page: at most 2,000 points.

        Returns
        -------
        dict
        """
        n = len(self.actual)
        at = np.arange(n)
        if n > MOST:
            at = np.sort(generator(0, 9).choice(n, MOST, replace=False))
        f, y = self.predicted[at], self.actual[at]
        return {"predicted": plain(f), "actual": plain(y)}


def residual_analysis(
    y: Any, predictions: Any, *, delta: float = 0.05, sample_weight: Any = None
) -> ResidualAnalysis:
    """Say how large the errors of a regression are, and what shape they have.

    Parameters
    ----------
    y : array of shape (n,)
        Numbers, n >= 3.
    predictions : array of shape (n,)
        Out-of-fold predictions.
    delta : float, default=0.05
        How often each interval, and the four tests together, may be wrong.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    ResidualAnalysis

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import residual_analysis
    >>> rng = np.random.default_rng(0)
    >>> f = rng.uniform(1, 3, size=500)
    >>> found = residual_analysis(f + f * rng.normal(size=500), f)
    >>> found.heteroscedastic, found.spread_rises
    (True, True)
    """
    delta = confidence(WHO, delta)
    y = vector(WHO, y, "y")
    f = vector(WHO, predictions, "predictions", len(y))
    if len(y) < 3:
        raise DataError(sentence(WHO, "y must have 3 rows or more", f"{len(y)}"))
    w = full_weights(WHO, sample_weight, len(y))
    known = None if sample_weight is None else w
    r = y - f
    scores = {
        name: score_interval(y, f, name, delta, sample_weight=known)
        for name in (("rmse", "r2") if np.ptp(y) > 0 else ("rmse",))
    }
    z = standardized(f, w)
    slope, doubt, p_slope = slope_of(y, f, z, w)
    p_spread, rises = spread_test(r, z, w)
    correlation, p_order = order_test(r, w)
    skewness, excess = moments(r, w)
    return ResidualAnalysis(
        y,
        f,
        mean_interval("bias", -r, delta, known),
        mean_interval("MAE", np.abs(r), delta, known),
        scores["rmse"],
        scores.get("r2"),
        slope,
        doubt,
        p_slope,
        curve_test(r, z, w),
        p_spread,
        p_order,
        rises,
        correlation,
        skewness,
        excess,
        delta,
    )


def standardized(f: Floats, w: Floats) -> Floats:
    """Return predictions of mean 0 and variance 1; zeros where they do not vary."""
    centre = float(w @ f / w.sum())
    spread = float(np.sqrt(w @ (f - centre) ** 2 / w.sum()))
    if spread <= 1e-12 * max(abs(centre), 1e-300):
        return np.zeros(len(f))
    return (f - centre) / spread


def regressed(Z: Floats, target: Floats, w: Floats) -> tuple[Floats, Floats]:
    """Return coefficients of weighted least squares and their covariance (HC3)."""
    root = np.sqrt(w)[:, None]
    b = np.linalg.lstsq(root * Z, root[:, 0] * target, rcond=None)[0]
    inverse = np.linalg.pinv((Z * w[:, None]).T @ Z)
    pull = w * np.einsum("ij,jk,ik->i", Z, inverse, Z)  # leverage
    scores = Z * (w * (target - Z @ b) / np.maximum(1 - pull, 1e-6))[:, None]
    return b, inverse @ (scores.T @ scores) @ inverse


def slope_of(y: Floats, f: Floats, z: Floats, w: Floats) -> tuple[float, float, float]:
    """Return b of (2), its standard error and its p-value."""
    if not z.any():
        return 1.0, 0.0, 1.0
    b, V = regressed(np.column_stack([np.ones(len(z)), z]), y, w)
    scale = float(np.sqrt(w @ (f - w @ f / w.sum()) ** 2 / w.sum()))
    slope, error = float(b[1]) / scale, float(np.sqrt(max(V[1, 1], 0))) / scale
    return slope, error, two_sided(slope - 1, error)


def curve_test(r: Floats, z: Floats, w: Floats) -> float:
    """Return the p-value of c = 0 in (3)."""
    if len(np.unique(z[:1000])) < 3:
        return 1.0
    b, V = regressed(np.column_stack([np.ones(len(z)), z, z**2]), r, w)
    return two_sided(float(b[2]), float(np.sqrt(max(V[2, 2], 0))))


def two_sided(gap: float, error: float) -> float:
    """Return the p-value of a gap by the normal law."""
    if error <= 1e-14:
        return 1.0 if abs(gap) < 1e-9 else 0.0
    return float(2 * ndtr(-abs(gap) / error))


def spread_test(r: Floats, z: Floats, w: Floats) -> tuple[float, bool]:
    """Return the p-value of (4), and whether the spread rises with z."""
    square = r**2
    total = float(w.sum())
    gap = square - float(w @ square) / total
    below = float(w @ gap**2)
    k = min(len(np.unique(z[:1000])) - 1, 2)
    if k < 1 or below <= 0:
        return 1.0, False
    Z = np.column_stack([z**power for power in range(k + 1)])
    b = regressed(Z, square, w)[0]
    share = 1 - float(w @ (square - Z @ b) ** 2) / below
    n = total**2 / float(w @ w)
    return float(chi2.sf(n * max(share, 0.0), k)), bool(b[1] > 0)


def order_test(r: Floats, w: Floats) -> tuple[float, float]:
    """Return the correlation of a residual with the next, and its p-value (5)."""
    x = r - float(w @ r) / float(w.sum())
    below = float(x @ x)
    if below <= 0:
        return 0.0, 1.0
    correlation = float(x[1:] @ x[:-1]) / below
    return correlation, two_sided(correlation, 1 / np.sqrt(len(r)))


def moments(r: Floats, w: Floats) -> tuple[float, float]:
    """Return skewness and excess of the residuals."""
    x = standardized(r, w)
    if not x.any():
        return 0.0, 0.0
    total = float(w.sum())
    return float(w @ x**3) / total, float(w @ x**4) / total - 3
