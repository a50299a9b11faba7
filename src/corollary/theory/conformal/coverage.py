"""What theory says of conformal sets: a guarantee, and what it rests on.

With n calibration scores, all different, and k of the conformal quantile, the coverage
given the calibration rows is itself random, of the law of an order statistic:

    Pr[ y in C(x) | calibration rows ]  ~  Beta(k, n + 1 - k)                    (1)
    1 - delta  <=  Pr[ y in C(x) ] = k / (n + 1)  <=  1 - delta + 1/(n + 1)      (2)

(2) is the mean of (1), over draws of the calibration rows and of the new row.  Where
scores can be equal, coverage is at least that of (1) and (2).  Sets that are made from
several folds (CV+, jackknife+, cross-conformal) hold with 1 - 2 delta at least, minus a
little with few folds: for K folds of m rows

    Pr[ y in C(x) ] >= 1 - 2 delta - min{ 2(1 - 1/K)/(m + 1), (1 - K/n)/(K + 1) }  (3)

and an interval around the predictions of all folds (minmax) with what is the better of
(3) and, by the same argument for the smallest residual of each row,

    Pr[ y in C(x) ] >= (1 - delta)(1 - (m - 1)/(n + m))                          (4)

which is 1 - delta where every row is a fold of its own.

Notation: C(x), the set; n calibration rows; k, rank; delta, how often the set may miss.
References: Vovk (2012); Lei et al. (2018); Barber, Candes, Ramdas, Tibshirani (2021).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.records import stored
from corollary.theory.conformal.calibration import (
    Calibration,
    check_delta,
    conformal_rank,
)

__all__ = ["Coverage", "of_folds", "of_scores"]

EXCHANGEABLE = "Calibration rows and new rows are exchangeable, as draws from one law."
SHIFTED = "New rows are draws from P_new, and the weights are dP_new / dP."
FOLDS = "All rows are exchangeable, and the model does not depend on their order."


@stored
@dataclass(frozen=True)
class Coverage:
    """How often a conformal set holds the truth.

    Attributes
    ----------
    delta : float
        How often the set may miss.
    rows : int
        Calibration rows n.
    rank : int
        k: the set reaches as far as the k-th score; n + 1 where n is too small for
        delta, and the set is everything.
    at_least : float
        Probability that the set holds the truth, at least.
    at_most : float
        The same, at most, where no scores are equal; 1 where theory has no bound.
    beta : tuple of two float, or None
        (a, b) of the Beta law (1) of the coverage given the calibration rows, where no
        scores are equal; None where it is not known.
    assumption : str
        What must hold.

    Examples
    --------
    >>> from corollary import ConformalRegressor
    >>> X = [[float(i)] for i in range(99)]
    >>> y = [i + 0.1 * (i % 7) for i in range(99)]
    >>> model = ConformalRegressor(calibration_size=49, random_state=0).fit(X, y)
    >>> print(model.coverage_)
    coverage >= 0.9 and <= 0.92 (49 calibration rows, delta = 0.1)
    >>> low, high = model.coverage_.between(0.95)
    >>> round(low, 3), round(high, 3)
    (0.804, 0.966)
    """

    delta: float
    rows: int
    rank: int
    at_least: float
    at_most: float = 1.0
    beta: tuple[float, float] | None = None
    assumption: str = EXCHANGEABLE

    @property
    def everything(self) -> bool:
        """Whether the rows are too few for delta, and the set is everything."""
        return self.rank > self.rows

    def between(self, confidence: float = 0.9) -> tuple[float, float]:
        """Return the coverage given the calibration rows: an interval of (1).

        Parameters
        ----------
        confidence : float, default=0.9
            Probability, over draws of the calibration rows, that it is in there.

        Returns
        -------
        tuple of two float
            (0, 1) where the law is not known.
        """
        tail = check_delta("between", 1 - confidence) / 2
        if self.beta is None:
            return 0.0, 1.0
        from scipy.special import betaincinv

        low, high = betaincinv(*self.beta, [tail, 1 - tail])
        return float(low), float(high)

    def __str__(self) -> str:
        rows = f"({self.rows} calibration rows, delta = {self.delta:g})"
        if self.everything:
            return f"coverage 1: the set is everything {rows}"
        words = f"coverage >= {self.at_least:.4g}"
        if self.at_most < 1:
            words += f" and <= {self.at_most:.4g}"
        return f"{words} {rows}"


def of_scores(calibration: Calibration, delta: float, *, shifted: bool) -> Coverage:
    """Return (1) and (2) of calibration scores; with weights, the lower end alone.

    >>> print(of_scores(Calibration(np.arange(99.0)), 0.1, shifted=False))
    coverage >= 0.9 and <= 0.91 (99 calibration rows, delta = 0.1)
    """
    n = calibration.rows
    if calibration.sums is not None:
        q = calibration.threshold(delta)
        k = int(np.searchsorted(calibration.scores, q)) + 1 if np.isfinite(q) else n + 1
        assumption = SHIFTED if shifted else EXCHANGEABLE
        return Coverage(delta, n, k, 1 - delta, assumption=assumption)
    k = conformal_rank(n, delta)
    if k > n:
        return Coverage(delta, n, k, 1.0)
    most = min(1.0, 1 - delta + 1 / (n + 1))
    return Coverage(delta, n, k, 1 - delta, most, (float(k), float(n + 1 - k)))


def of_folds(n: int, folds: int, delta: float, *, around_all: bool) -> Coverage:
    """Return (3) for folds; for the interval around all of them, (4) where better.

    >>> print(of_folds(100, 100, 0.1, around_all=False))
    coverage >= 0.8 (100 calibration rows, delta = 0.1)
    >>> print(of_folds(100, 100, 0.1, around_all=True))
    coverage >= 0.9 (100 calibration rows, delta = 0.1)
    """
    k, K, m = conformal_rank(n, delta), folds, n / folds
    loss = min(2 * (1 - 1 / K) / (m + 1), (1 - K / n) / (K + 1))
    least = max(0.0, 1 - 2 * delta - loss)  # (3)
    if around_all:
        least = max(least, (1 - delta) * (1 - (m - 1) / (n + m)))  # (4)
    return Coverage(delta, n, k, 1.0 if k > n else least, assumption=FOLDS)
