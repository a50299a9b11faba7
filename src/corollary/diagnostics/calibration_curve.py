"""Calibration: whether a probability of 0.8 comes true in 8 cases of 10.

Also known as: reliability diagram, calibration report, expected calibration error,
overconfidence, probability calibration, Cox recalibration.

Rows are put into bins by their probability.  In bin b of n_b rows the model has said
p_b on average, and o_b of the rows are positive: o_b is a binomial share, so that an
exact interval says whether p_b can be right.  The expected calibration error is

    ECE = sum_b (n_b / n) |d_b|,   d_b = o_b - p_b                                   (1)

Chance alone makes (1) positive: a perfect model has |d_b| of about 0.8 s_b, where s_b
is the standard error of o_b.  Let rho be what is left of the mean square of d when that
of s is taken off; then with d~_b = sqrt(rho) d_b, and W normal with mean d~_b and
standard error s_b,

    corrected ECE = max(0, sum_b (n_b / n) (|d_b| - (E|W| - |d~_b|)))                (2)
    rho = max(0, 1 - sum n_b s_b^2 / sum n_b d_b^2)

which subtracts all of the noise where nothing but noise is there, and next to nothing
where the model is wrong.

Which way it is wrong is told by a logistic regression of the outcome on the logit of
the probability (Cox 1958),

    logit Pr[positive] = a + b logit p                                               (3)

b = 1, a = 0 for a calibrated model; b < 1 where it is too sure, b > 1 where it is too
timid, a is a shift of all probabilities.  Naive Bayes counts dependent features as if
each brought evidence of its own: k copies of a feature multiply the log odds by k, and
b is 1/k.  Whether chance explains all of it is Spiegelhalter's test of

    Z = sum (y - p)(1 - 2p) / sqrt(sum (1 - 2p)^2 p (1 - p))                         (4)

Of more than two classes the top one is looked at (p = the largest probability, y =
whether that class is right), or one class against the others.

Notation: y = 1 for positive rows; p = their probabilities.
Course: S3-32. References: Cox (1958); Spiegelhalter (1986); Guo, Pleiss, Sun and
Weinberger (2017); Kumar, Liang and Ma (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, logit, ndtr, ndtri

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.diagnostics.outcomes import (
    class_probabilities,
    count_text,
    label_text,
    plain,
    whole_counts,
)
from corollary.theory.clopper_pearson import lower_risk, upper_risk
from corollary.theory.stated_numbers import chosen, confidence

__all__ = ["Calibration", "calibration_curve"]

WHO = "calibration_curve"
SURE = 1e-15  # a probability is taken to be at least this far from 0 and 1 in (3)
STEPS = 100  # of Newton's method at most


@dataclass(frozen=True, eq=False)
class Calibration:
    """What the model has said, bin by bin, and what came true.

    Attributes
    ----------
    what : str
        Whose probabilities they are: of a class, or of the class that is predicted.
    predicted, observed : arrays of shape (b,)
        Mean probability and share of positive rows of each bin.
    low, high : arrays of shape (b,)
        Exact binomial interval of each share.
    count : array of shape (b,)
        Rows, or their weight.
    error : float
        Expected calibration error, corrected (2).
    raw_error : float
        The same with the noise in it (1).
    slope, intercept : float
        Of (3).
    slope_error : float
        Standard error of the slope.
    p_value : float
        That a calibrated model would be as far off (4).
    brier : float
        Mean squared error of the probabilities.
    delta : float
        How often each interval may miss.
    """

    what: str
    predicted: Floats
    observed: Floats
    low: Floats
    high: Floats
    count: Floats
    error: float
    raw_error: float
    slope: float
    intercept: float
    slope_error: float
    p_value: float
    brier: float
    delta: float

    @property
    def slope_interval(self) -> tuple[float, float]:
        """The ends of an interval for the slope, normal approximation."""
        reach = -float(ndtri(self.delta / 2)) * self.slope_error
        return self.slope - reach, self.slope + reach

    @property
    def calibrated(self) -> bool:
        """Whether chance explains what is off: two tests, at delta / 2 each."""
        off = abs(self.slope - 1) / self.slope_error if self.slope_error else 0.0
        p_slope = float(2 * ndtr(-off))
        return min(self.p_value, p_slope) > self.delta / 2

    @property
    def verdict(self) -> str:
        """One sentence on the probabilities."""
        low, high = self.slope_interval
        if self.calibrated:
            return "calibrated: chance explains what is off"
        if not low <= 1 <= high:
            side = "sure" if high < 1 else "timid"
            return f"too {side}: log odds should be multiplied by {self.slope:.3g}"
        side = "low" if self.intercept > 0 else "high"
        return f"too {side}: log odds should move by {self.intercept:+.3g}"

    def __str__(self) -> str:
        head = f"probabilities of {self.what} are {self.verdict}"
        second = (
            f"expected calibration error {self.error:.4g} ({self.raw_error:.4g} with "
            f"noise), slope {self.slope:.4g} in [{self.slope_interval[0]:.4g}, "
            f"{self.slope_interval[1]:.4g}], p {self.p_value:.3g}"
        )
        rows = zip(
            self.predicted, self.observed, self.low, self.high, self.count, strict=True
        )
        lines = [
            f"  {p:.4f}  {o:.4f}  [{a:.4f}, {b:.4f}]  {count_text(n)}"
            for p, o, a, b, n in rows
        ]
        return "\n".join(
            [head, second, "  said    true    interval          rows", *lines]
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw what came true over what was said; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        reach = np.vstack([self.observed - self.low, self.high - self.observed])
        ax.errorbar(self.predicted, self.observed, np.maximum(reach, 0), marker="o")
        ax.plot([0, 1], [0, 1], linestyle=":", color="grey")
        ax.set(xlabel=f"probability of {self.what}", ylabel="share that came true")
        ax.set(title=self.verdict.partition(":")[0])
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `calibration` of a page.

        Returns
        -------
        dict
        """
        return {
            "predicted": plain(self.predicted),
            "observed": plain(self.observed),
            "low": plain(self.low),
            "high": plain(self.high),
            "count": whole_counts(self.count),
            "error": plain(self.error),
        }


def calibration_curve(
    y: Any,
    proba: Any,
    *,
    bins: int = 10,
    strategy: str = "quantile",
    positive: Any = None,
    classes: Any = None,
    delta: float = 0.05,
    sample_weight: Any = None,
) -> Calibration:
    """Compare probabilities with what came true.

    Parameters
    ----------
    y : array of shape (n,)
        Labels of rows that the model has not seen.
    proba : array of shape (n,) or (n, k)
        Probabilities: of the larger of two labels, or of every class.
    bins : int, default=10
        At most so many.
    strategy : {'quantile', 'uniform'}
        Bins of about as many rows, or of one width.
    positive : label, optional
        The class whose probabilities are judged; by default the larger one of two, and
        of more classes the one that is predicted in each row.
    classes : list of k labels, optional
        Of the columns of `proba`; by default the sorted labels in y.
    delta : float, default=0.05
        How often an interval may miss, and the level of the verdict.
    sample_weight : array of shape (n,), optional
        How much each row counts.

    Returns
    -------
    Calibration

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import calibration_curve
    >>> rng = np.random.default_rng(0)
    >>> p = rng.uniform(size=2000)
    >>> y = rng.uniform(size=2000) < p
    >>> calibration_curve(y, p).verdict
    'calibrated: chance explains what is off'
    >>> odds = (p / (1 - p)) ** 3  # as if every feature were counted three times
    >>> calibration_curve(y, odds / (1 + odds)).verdict
    'too sure: log odds should be multiplied by 0.345'
    """
    delta = confidence(WHO, delta)
    chosen(WHO, strategy, "strategy", ("quantile", "uniform"))
    if not whole(1).holds(bins):
        must = "bins must be a whole number >= 1"
        raise ParameterError(sentence(WHO, must, shown(bins)))
    labels, codes, P = class_probabilities(WHO, y, proba, classes)
    hit, p, what = judged(labels, codes, P, positive)
    w = full_weights(WHO, sample_weight, len(p))
    n, said, true, effective = binned(hit, p, w, bins, strategy)
    k = true * effective
    return Calibration(
        what,
        said,
        true,
        lower_risk(effective, k, delta / 2),
        upper_risk(effective, k, delta / 2),
        n,
        *errors(n, said, true, effective),
        *recalibration(hit, p, w),
        spiegelhalter(hit, p, w),
        float(w @ (hit - p) ** 2 / w.sum()),
        delta,
    )


def judged(
    labels: Vector, codes: Vector, P: Floats, positive: Any
) -> tuple[Vector, Floats, str]:
    """Return which rows came true, their probabilities, and of what they are."""
    names = labels.tolist()
    if positive is None and len(names) > 2:
        top = P.argmax(axis=1)
        return codes == top, P[np.arange(len(P)), top], "the predicted class"
    at = len(names) - 1
    if positive is not None:
        if positive not in names:
            must = f"positive must be one of {shown(names)}"
            raise ParameterError(sentence(WHO, must, shown(positive)))
        at = names.index(positive)
    return codes == at, P[:, at], label_text(names[at])


def binned(
    hit: Vector, p: Floats, w: Floats, bins: int, strategy: str
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return weight, mean probability, share and effective rows of each bin."""
    if strategy == "uniform":
        edges = np.arange(1, bins) / bins
    else:
        edges = np.unique(np.quantile(p, np.arange(1, bins) / bins))
    at = np.searchsorted(edges, p, side="left")
    every = [
        np.bincount(at, v, minlength=len(edges) + 1).astype(np.float64)
        for v in (w, w * w, w * p, w * hit)
    ]
    some = every[0] > 0
    n, squares, said, true = (v[some] for v in every)
    return n, said / n, np.minimum(true / n, 1.0), n**2 / squares


def errors(n: Floats, said: Floats, true: Floats, rows: Floats) -> tuple[float, float]:
    """Return (2) and (1)."""
    share, d = n / n.sum(), true - said
    smooth = (true * rows + 0.5) / (rows + 1)
    s = np.sqrt(smooth * (1 - smooth) / rows)
    raw = float(share @ np.abs(d))
    square = float(share @ d**2)
    rho = max(0.0, 1 - float(share @ s**2) / square) if square > 0 else 0.0
    centre = np.sqrt(rho) * np.abs(d)
    folded = s * np.sqrt(2 / np.pi) * np.exp(-0.5 * (centre / s) ** 2)
    folded += centre * (1 - 2 * ndtr(-centre / s))  # E|W|
    return max(0.0, raw - float(share @ (folded - centre))), raw


def recalibration(hit: Vector, p: Floats, w: Floats) -> tuple[float, float, float]:
    """Return slope and intercept of (3) and the standard error of the slope."""
    x = logit(np.clip(p, SURE, 1 - SURE))
    scale = float(np.abs(x).max()) or 1.0
    Z = np.column_stack([np.ones_like(x), x / scale])
    b = np.array([0.0, scale])
    ridge = 1e-9 * float(w.sum())  # keeps a separable outcome finite
    value = np.inf
    for _ in range(STEPS):
        eta = Z @ b
        mu = expit(eta)
        H = (Z * (w * mu * (1 - mu))[:, None]).T @ Z + ridge * np.eye(2)
        g = Z.T @ (w * (mu - hit)) + ridge * b
        step, new = np.linalg.solve(H, g), np.inf
        value = penalized(Z, b, hit, w, ridge)
        for _ in range(30):  # halve until the likelihood does not fall
            new = penalized(Z, b - step, hit, w, ridge)
            if new <= value:
                break
            step = step / 2
        b = b - step
        if value - new <= 1e-12 * (abs(value) + 1e-12):
            break
    rows = float(w.sum() ** 2 / (w @ w)) / float(w.sum())
    variance = np.linalg.inv(H)[1, 1] / rows
    return float(b[1] / scale), float(b[0]), float(np.sqrt(variance) / scale)


def penalized(Z: Floats, b: Floats, hit: Vector, w: Floats, ridge: float) -> float:
    """Return the negative log-likelihood of (3) and a little more."""
    eta = Z @ b
    return float(w @ (np.logaddexp(0, eta) - hit * eta)) + 0.5 * ridge * float(b @ b)


def spiegelhalter(hit: Vector, p: Floats, w: Floats) -> float:
    """Return the p-value of (4), two-sided."""
    lean = w * (1 - 2 * p)
    variance = float(lean**2 @ (p * (1 - p)))
    gap = float(lean @ (hit - p))
    if variance <= 0:
        return 1.0 if abs(gap) < 1e-12 else 0.0
    return float(2 * ndtr(-abs(gap) / np.sqrt(variance)))
