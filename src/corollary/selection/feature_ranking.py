"""Ranking features: how much each says of the target, by itself.

Also known as: filter feature selection, univariate selection, feature scoring,
information gain, correlation ratio, Cramer's V.

    correlation          |r| = |cov(x, y)| / (sd(x) sd(y)) of numbers            (1)
                         eta = sqrt(between / total sum of squares) of a number and
                         classes; V = sqrt(chi^2 / (n (min(r, c) - 1))) of classes (2)
    mutual information   I = sum p(x, y) ln p(x, y) / (p(x) p(y))                (3)
    kl                   KL( p(x, y) || p(x) p(y) ), the same number             (4)

(1) sees straight lines alone; y = x^2 on symmetric x has r = 0.  (3) is 0 only where x
and y are independent, and takes any shape.  For two classes eta is |r| with y as 0 and
1.  Probabilities are the shares of a table: numbers of more than `bins` values are cut
in bins of nearly equal counts, what is missing has a bin of its own.  The table has
chance in it: even independent x and y show I of about (r - 1)(c - 1)/(2n), more the
more values x has.  So there are no more bins than leave 5 rows to a cell on average,
and p-values are the fairer comparison of features with few and with many values,

    2 n I ~ chi-square with (r - 1)(c - 1) degrees, if independent               (5)

A filter looks at one feature at a time: it keeps two that say the same, and drops two
that say something only together.  It is cheap: d scores, no model.  It is part of the
learning all the same, and belongs inside the folds (`FeatureFilter`).

Notation: r, c = values, or bins, of x and of y; n = rows.
Course: S4-59. References: Guyon and Elisseeff (2003); Cover and Thomas (2006), ch. 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, shown, whole
from corollary.core.table import Column, table_of
from corollary.information import kl_divergence, mutual_information
from corollary.selection.hold_out_split import is_classes
from corollary.selection.validation_data import targets_in

__all__ = ["BY", "FeatureRanking", "rank_features", "scored"]

WHO = "rank_features"
SHOWN = 12  # features that are printed


class Score(NamedTuple):
    """A score, and a statistic with the law that it has under independence."""

    value: float
    statistic: float = 0.0  # F, or chi-square / df1 where df2 is infinite
    df1: float = 1.0
    df2: float = np.inf


class Values(NamedTuple):
    """A feature or a target: numbers, or codes of classes."""

    of: Floats  # (n,)
    classes: bool


Scorer = Callable[[Values], Score]


@dataclass(frozen=True)
class FeatureRanking:
    """Scores of features, each by itself.

    Attributes
    ----------
    names : tuple
        Names of the columns, or their positions.
    scores : array of shape (d,)
        How much each says of the target.
    p_values : array of shape (d,)
        Probability of such a score if feature and target were independent, each by
        itself: of d features without information about d/20 are below 0.05.
    by : str
    """

    names: tuple[Any, ...]
    scores: Floats
    p_values: Floats
    by: str

    @property
    def order(self) -> Vector:
        """Positions of the features, the best first."""
        return np.argsort(-self.scores, kind="stable")

    def top(self, k: int) -> tuple[Any, ...]:
        """Return the names of the k best features.

        Parameters
        ----------
        k : int

        Returns
        -------
        tuple
        """
        return tuple(self.names[j] for j in self.order[:k])

    def __str__(self) -> str:
        wide = max(7, *(len(str(name)) for name in self.top(SHOWN)))
        lines = [f"{'feature':<{wide}}  {self.by:<18}  p"]
        for j in self.order[:SHOWN]:
            score, p = f"{self.scores[j]:.4g}", self.p_values[j]
            lines.append(f"{self.names[j]!s:<{wide}}  {score:<18}  {p:.3g}")
        more = len(self.names) - SHOWN
        return "\n".join([*lines, f"and {more} more"] if more > 0 else lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the scores, the best first; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        first = self.order[: 2 * SHOWN][::-1]
        ax.barh([str(self.names[j]) for j in first], self.scores[first])
        ax.set(xlabel=self.by, title="each feature by itself")
        return ax


def rank_features(
    X: Any,
    y: Any,
    *,
    by: str = "mutual information",
    bins: int | None = None,
    classification: bool | None = None,
    sample_weight: Any = None,
) -> FeatureRanking:
    """Score every feature by what it says of the target.

    Parameters
    ----------
    X : array, sparse matrix, data frame or table
        Numbers and labels; missing values are allowed.
    y : targets of shape (n,)
    by : {'correlation', 'mutual information', 'kl'}
        (1), (3) or (4).
    bins : int, optional
        Bins of numbers that have more values, for (3) and (4); by default at most 10,
        and no more than leave 5 rows to a cell.
    classification : bool, optional
        Whether y names classes.  By default for labels, and for whole numbers of at
        most 20 values.
    sample_weight : array of shape (n,), optional
        Repetitions of the rows.

    Returns
    -------
    FeatureRanking

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.selection import rank_features
    >>> X = np.random.default_rng(0).normal(size=(500, 3))
    >>> y = X[:, 1] ** 2
    >>> rank_features(X, y, by="mutual information").top(1)
    (1,)
    >>> bool(rank_features(X, y, by="correlation").scores[1] < 0.1)  # sees no parabola
    True
    """
    if by not in BY:
        must = f"by must be {one_of(*BY).words}"
        raise ParameterError(sentence(WHO, must, shown(by)))
    if not (whole(2) | missing).holds(bins):
        must = "bins must be a whole number >= 2 or None"
        raise ParameterError(sentence(WHO, must, shown(bins)))
    if not (boolean | missing).holds(classification):
        must = "classification must be True, False or None"
        raise ParameterError(sentence(WHO, must, shown(classification)))
    return scored(WHO, X, y, by, bins, classification, sample_weight)


def scored(
    who: Any,
    X: Any,
    y: Any,
    by: str,
    bins: int | None,
    classification: bool | None,
    sample_weight: Any,
) -> FeatureRanking:
    """Score every column of rows."""
    table = table_of(who, X)
    w = full_weights(who, sample_weight, table.n)
    targets = targets_in(who, y, table.n, 3)
    if not w.all():
        table, targets, w = table[w > 0], targets[w > 0], w[w > 0]
    if targets.ndim > 1:
        raise DataError(sentence(who, "y must be one column", f"{targets.shape[1]}"))
    kind = is_classes(targets) if classification is None else classification
    if not kind and targets.dtype.kind not in "fiub":
        must = "y must hold numbers unless it names classes"
        raise DataError(sentence(who, must, f"{targets.dtype}"))
    target = Values(targets.astype(np.float64), False) if not kind else coded(targets)
    count = usual_bins(target, w.sum()) if bins is None else int(bins)
    score = BY[by](target, w, count)
    found = [score(values_of(column)) for column in table.columns]
    names = tuple(range(len(found))) if table.names is None else tuple(table.names)
    scores, statistics, a, b = (np.array(list(e)) for e in zip(*found, strict=True))
    chances = np.where(
        np.isinf(b), stats.chi2.sf(statistics * a, a), stats.f.sf(statistics, a, b)
    )
    return FeatureRanking(names, scores, np.where(scores > 0, chances, 1.0), by)


def usual_bins(y: Values, n: float) -> int:
    """Return as many bins as leave 5 rows to a cell on average, 2 to 10."""
    room = n / 5 / (y.of.max() + 1) if y.classes else np.sqrt(n / 5)
    return int(np.clip(room, 2, 10))


def coded(values: Vector) -> Values:
    """Return labels as codes."""
    codes = np.unique(values, return_inverse=True)[1]
    return Values(codes.astype(np.float64), True)


def values_of(column: Column) -> Values:
    """Return a column as numbers, or as codes of its labels."""
    if column.kind in ("number", "boolean"):
        return Values(column.numbers(who=WHO, name=""), False)
    if column.kind == "date":
        when = column.array().astype("datetime64[s]")
        there = when.astype(np.int64).astype(np.float64)
        return Values(np.where(np.isnat(when), np.nan, there), False)
    return Values(column.coded(WHO)[1].astype(np.float64), True)


# -- correlation -----------------------------------------------------------------------
def _correlation(y: Values, weights: Floats, bins: int) -> Scorer:
    def score(x: Values) -> Score:
        there = np.isfinite(x.of)
        a, b, w = x.of[there], y.of[there], weights[there]
        n = float(w.sum())
        if n < 3 or np.ptp(a) == 0 or np.ptp(b) == 0:
            return Score(0.0)
        if x.classes and y.classes:
            return cramer(counts(codes_of(a), codes_of(b), w))
        if x.classes or y.classes:
            return correlation_ratio(*((b, a) if x.classes else (a, b)), w)
        a, b = (v - np.average(v, weights=w) for v in (a, b))
        r = float((w * a) @ b / np.sqrt((w @ a**2) * (w @ b**2)))  # (1)
        r, left = float(np.clip(r, -1, 1)), n - 2
        return Score(abs(r), r**2 * left / max(1 - r**2, 1e-300), 1, left)  # t^2 is F

    return score


def correlation_ratio(x: Floats, classes: Floats, w: Floats) -> Score:
    """Return eta of numbers and classes, and F of the analysis of variance (2)."""
    codes = codes_of(classes)
    x = x - np.average(x, weights=w)
    n: Any = np.bincount(codes, weights=w)
    means = np.bincount(codes, weights=w * x) / n
    between = float(n @ means**2)
    within = float(w @ (x - means[codes]) ** 2)
    k, left = len(n) - 1, float(w.sum()) - len(n)
    eta = float(np.sqrt(between / (between + within)))
    if left <= 0:
        return Score(eta)
    return Score(eta, between / k / max(within / left, 1e-300), k, left)


def cramer(T: Floats) -> Score:
    """Return V of a table, and its chi-square (2)."""
    n = T.sum()
    E = np.outer(T.sum(axis=1), T.sum(axis=0)) / n
    chi2 = float(((T - E) ** 2 / E).sum())
    V = float(np.sqrt(chi2 / (n * (min(T.shape) - 1))))
    degrees = (T.shape[0] - 1) * (T.shape[1] - 1)
    return Score(V, chi2 / degrees, degrees)


# -- information -----------------------------------------------------------------------
def _information(
    measure: Callable[[Floats], float],
) -> Callable[[Values, Floats, int], Scorer]:
    def with_target(y: Values, w: Floats, bins: int) -> Scorer:
        rows = binned(y, w, bins)

        def score(x: Values) -> Score:
            T = counts(binned(x, w, bins), rows, w)
            if min(T.shape) < 2:
                return Score(0.0)
            value = measure(T / T.sum())
            degrees = (T.shape[0] - 1) * (T.shape[1] - 1)
            return Score(value, 2 * T.sum() * value / degrees, degrees)  # (5)

        return score

    return with_target


def _against_independence(P: Floats) -> float:
    return kl_divergence(P, np.outer(P.sum(axis=1), P.sum(axis=0)))  # (4)


def binned(values: Values, w: Floats, bins: int) -> Vector:
    """Return the bin of each row: its value where there are few, NaN in its own."""
    x = values.of
    gone = np.isnan(x)
    known = np.unique(x[~gone])
    if values.classes or len(known) <= bins:
        return codes_of(np.where(gone, np.inf, x))
    options: Any = {"weights": w[~gone], "method": "inverted_cdf"}
    edges = np.unique(np.quantile(x[~gone], np.arange(1, bins) / bins, **options))
    return codes_of(np.where(gone, bins, np.searchsorted(edges, x, side="left")))


def codes_of(values: Vector) -> Vector:
    """Return the number of each value among those that appear."""
    return np.unique(values, return_inverse=True)[1]


def counts(a: Vector, b: Vector, w: Floats) -> Floats:
    """Return how often each pair of codes appears."""
    r, c = int(a.max()) + 1, int(b.max()) + 1
    flat: Any = np.bincount(a * c + b, weights=w, minlength=r * c)
    return flat.reshape(r, c)


BY = {
    "correlation": _correlation,
    "mutual information": _information(mutual_information),  # (3)
    "kl": _information(_against_independence),
}
