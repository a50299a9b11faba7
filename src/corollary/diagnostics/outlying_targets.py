"""Outlying targets: numbers that do not belong to their rows.

Also known as: label noise in regression, gross errors, robust residuals, outliers.

The residual r = y - f(x) of a row is measured against those of rows with a similar
prediction: c and s are the median, and the median distance from it, in up to 20 groups
of rows by f(x), joined by straight lines:

    z = |r - c(f)| / s(f)                                                            (1)

Both resist up to half of the rows being wrong.  How fast regular residuals thin out is
not known beforehand, and is read from where 10 % of the z lie beyond:

    Pr[z > x] = 2^-(x^k),    k = log(log 10 / log 2) / log z_0.9,  0.5 <= k <= 2     (2)

k is 1 for Laplace's law and 1.35 for the normal, whose true tail is lighter: there
too few rows are named, not too many.  Benjamini and Hochberg's rule names the
rows with

    p_(k) <= k delta / n                                                             (3)

so that about a share delta of the rows named is regular.

Notation: f = predictions; z_0.9 = a quantile; z_0.5 is 1.
References: Hampel (1974); Benjamini and Hochberg (1995); Rousseeuw and Leroy (1987).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.diagnostics.outcomes import plain
from corollary.theory.clopper_pearson import binomial_interval
from corollary.theory.interval import Interval
from corollary.theory.stated_numbers import confidence, vector

__all__ = ["OutlyingTargets", "outlying_targets"]

WHO = "outlying_targets"
GROUPS, LEAST_ROWS = 20, 100  # of rows by prediction, and rows of each
MOST = 50  # rows of a page
TAILS = (0.5, 2.0)  # of k in (2)


@dataclass(frozen=True, eq=False)
class OutlyingTargets:
    """Targets that do not belong to their rows.

    Attributes
    ----------
    rows : int array
        Rows that are named (3), the most outlying first.
    y, predicted : arrays of shape (n,)
    z : array of shape (n,)
        Distance from what rows like it have (1).
    q : array of shape (n,)
        Least delta at which each row would be named.
    tail : float
        How fast regular residuals thin out, k of (2).
    share : Interval
        Rows named among all.
    delta : float
    """

    rows: Vector
    y: Floats
    predicted: Floats
    z: Floats
    q: Floats
    tail: float
    share: Interval
    delta: float

    def __str__(self) -> str:
        n = len(self.y)
        head = f"{len(self.rows):,} of {n:,} targets do not belong to their rows"
        lines = [
            f"  row {row}: {self.y[row]:.6g}, {self.predicted[row]:.6g} expected, "
            f"{self.z[row]:.3g} times the usual distance"
            for row in self.rows[:10]
        ]
        return "\n".join([head, *lines])

    def plot(self, ax: Any = None) -> Any:
        """Draw targets over predictions, those named in red; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.predicted, self.y, ".", alpha=0.4)
        ax.plot(self.predicted[self.rows], self.y[self.rows], "o", color="red")
        ax.set(xlabel="predicted", ylabel="target", title=f"{len(self.rows)} outlying")
        return ax

    def to_findings(self) -> dict[str, Any]:
        """Return the section `noise` of a page: at most 50 rows.

        Returns
        -------
        dict
        """
        return {
            "share": plain(self.share.value),
            "low": plain(self.share.low),
            "high": plain(self.share.high),
            "rows": [
                {
                    "row": int(row),
                    "given": plain(self.y[row]),
                    "suggested": plain(self.predicted[row]),
                    "probability": plain(1 - self.q[row]),
                }
                for row in self.rows[:MOST]
            ],
        }


def outlying_targets(
    y: Any, predictions: Any, *, delta: float = 0.05
) -> OutlyingTargets:
    """Find targets that do not belong to their rows.

    Parameters
    ----------
    y : array of shape (n,)
        Numbers, n >= 10.
    predictions : array of shape (n,)
        Out-of-fold predictions.
    delta : float, default=0.05
        Share of regular rows among those that are named, about.

    Returns
    -------
    OutlyingTargets

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import outlying_targets
    >>> rng = np.random.default_rng(0)
    >>> f = rng.normal(size=500)
    >>> y = f + 0.1 * rng.normal(size=500)
    >>> y[[7, 90]] *= -10
    >>> sorted(outlying_targets(y, f).rows.tolist())
    [7, 90]
    """
    delta = confidence(WHO, delta)
    y = vector(WHO, y, "y")
    f = vector(WHO, predictions, "predictions", len(y))
    if len(y) < 10:
        raise DataError(sentence(WHO, "y must have 10 rows or more", f"{len(y)}"))
    z = distances(y - f, f)
    tail = tail_of(z)
    p = np.exp2(-(z**tail))  # (2)
    order = np.argsort(p, kind="stable")
    n = len(y)
    steps = p[order] * n / np.arange(1, n + 1)
    q = np.empty(n)
    q[order] = np.minimum(np.minimum.accumulate(steps[::-1])[::-1], 1.0)  # (3)
    named = order[: int(np.count_nonzero(q <= delta))]
    share = binomial_interval(n, len(named), delta)
    return OutlyingTargets(named, y, f, z, q, tail, share, delta)


def distances(r: Floats, f: Floats) -> Floats:
    """Return (1)."""
    n = len(r)
    groups = int(np.clip(n // LEAST_ROWS, 1, GROUPS))
    parts = np.array_split(np.argsort(f, kind="stable"), groups)
    at = np.array([np.median(f[part]) for part in parts])
    centre = np.array([np.median(r[part]) for part in parts])
    pairs = zip(parts, centre, strict=True)
    scale = np.array([np.median(np.abs(r[part] - c)) for part, c in pairs])
    whole = float(np.median(np.abs(r - np.median(r))))
    gaps = np.abs(r - np.median(r))
    if whole <= 0:  # more than half of the rows are met exactly
        whole = float(np.median(gaps[gaps > 0])) if (gaps > 0).any() else 1.0
    scale = np.maximum(scale, 0.05 * whole)
    return np.abs(r - np.interp(f, at, centre)) / np.interp(f, at, scale)


def tail_of(z: Floats) -> float:
    """Return k of (2)."""
    high = float(np.quantile(z, 0.9)) / max(float(np.median(z)), 1e-12)
    k = np.log(np.log(10) / np.log(2)) / np.log(max(high, 1.0 + 1e-9))
    return float(np.clip(k, *TAILS))
