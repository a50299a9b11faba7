"""Drift: whether a second set of rows is like the first, column by column and whole.

Also known as: covariate shift test, dataset shift, two-sample test, domain classifier,
adversarial validation, data drift.

Every column is tested by itself,

    numbers      Kolmogorov and Smirnov   D = sup_s |F(s) - G(s)|                (1)
    categories   Pearson's chi^2 of the counts, rare ones together               (2)
    missing      Fisher's exact test of how many are                             (3)

and the J p-values are held together by Holm's steps: in rising order the j-th test is
a drift as long as

    p_(j) <= delta / (2 (J - j + 1))                                             (4)

Joint changes leave single columns as they are.  A classifier that is asked, out of
fold, to which set a row belongs sees them; where the sets are alike its area under the
ROC curve is 1/2, and drift is an interval (DeLong) at delta / 2 above it.       (5)
Scores of different folds share training rows, which doubles the variance where the sets
are alike (measured); the interval is 1.5 times as wide as DeLong's.  So the whole
gives a false alarm with probability at most delta, up to the asymptotics of (2), (5).

A p-value says whether there is a drift, not whether it matters: the effect of a column
is D, half of the sum of |differences| of the shares for categories (both between 0 and
1), and the area of (5) says how well rows of the two sets can be told apart.

References: Holm (1979); Lopez-Paz and Oquab (2017); Rabanser, Guennemann and Lipton
(2019).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri
from scipy.stats import chi2_contingency, fisher_exact, ks_2samp

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import real
from corollary.core.randomness import entropy, generator
from corollary.core.table import joined_rows, table_of
from corollary.diagnostics.coded_matrix import Coded, coded_matrix
from corollary.diagnostics.judged_loss import JudgedLoss
from corollary.diagnostics.out_of_fold import folds_of, out_of_fold
from corollary.ensembles.hist_gradient_boosting_classifier import (
    HistGradientBoostingClassifier,
)
from corollary.linear.logistic.logistic_regression import LogisticRegression
from corollary.theory.auc_interval import auc_interval
from corollary.theory.interval import Interval

__all__ = ["ColumnDrift", "Drift", "drift"]

WHO = "drift"
MOST_ROWS = 4_000  # of each set that the classifier is asked about
TESTED_ROWS = 50_000  # of each set in the tests of columns
EXPECTED = 5.0  # count of a category below which it joins the rare ones
WIDER = 1.5  # than DeLong's interval, for scores that share training rows
BRIER = JudgedLoss("brier", "Brier score", "probabilities")


@dataclass(frozen=True)
class ColumnDrift:
    """One column in two sets of rows.

    Attributes
    ----------
    column : str
    test : str
        "Kolmogorov-Smirnov", "chi^2" or "missing".
    effect : float
        Between 0 and 1: D of (1), the difference of shares for others.
    p_value, adjusted : float
        Of the test, and after Holm's steps (4).
    words : str
        What changed.
    drifted : bool
        Whether it is a drift at the confidence that was asked for.
    """

    column: str
    test: str
    effect: float
    p_value: float
    words: str
    adjusted: float = 1.0
    drifted: bool = False

    def __str__(self) -> str:
        return f"{self.column}: {self.words} (p = {self.p_value:.2g})"


@dataclass(frozen=True)
class Drift:
    """How two sets of rows differ.

    Attributes
    ----------
    columns : tuple of ColumnDrift
        Every test, the least p-value first.
    auc : Interval or None
        Area of a classifier that tells the sets apart (5), None where none can be
        fitted.
    delta : float
        How often alike sets are called different.
    rows : (int, int)
        Of the two sets.
    new_categories : tuple of (column, rows)
        How many rows of the second set hold a category that the first does not.
    """

    columns: tuple[ColumnDrift, ...]
    auc: Interval | None
    delta: float
    rows: tuple[int, int]
    new_categories: tuple[tuple[str, int], ...] = ()

    @property
    def drifted(self) -> tuple[ColumnDrift, ...]:
        """The columns that drift."""
        return tuple(column for column in self.columns if column.drifted)

    @property
    def apart(self) -> bool:
        """Whether the classifier tells the sets apart (5)."""
        return self.auc is not None and self.auc.low > 0.5

    @property
    def shifted(self) -> bool:
        """Whether anything differs."""
        return bool(self.drifted) or self.apart

    @property
    def sentence(self) -> str:
        """What was found, in one sentence."""
        area = (
            ""
            if self.auc is None
            else f"; told apart with an area of {self.auc.value:.2f}"
        )
        if not self.shifted:
            return f"The two sets of rows are alike{area} (0.5 is chance)."
        if not self.drifted:
            return f"The columns are alike one by one, but not together{area}."
        some = ", ".join(f"{one.column} ({one.words})" for one in self.drifted[:3])
        count = len({one.column for one in self.drifted})
        more = f" and {count - 3} more" if count > 3 else ""
        return f"The two sets of rows differ in {some}{more}{area}."

    def __str__(self) -> str:
        lines = [self.sentence]
        lines += [f"  {one}" for one in self.drifted]
        for name, rows in self.new_categories:
            lines.append(f"  {name}: {rows} rows hold a category that is new")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the effects of the columns; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        some = self.columns[:20]
        colors = ["tab:red" if one.drifted else "tab:grey" for one in some]
        labels = [f"{one.column} ({one.test})" for one in some]
        ax.barh(range(len(some)), [one.effect for one in some], color=colors)
        ax.set_yticks(range(len(some)), labels)
        ax.invert_yaxis()
        ax.set(xlabel="effect", title="drift, red where it is no chance")
        return ax


def drift(
    first: Any, second: Any, *, delta: float = 0.05, random_state: Any = 0
) -> Drift:
    """Compare two sets of rows.

    Parameters
    ----------
    first, second : arrays, data frames, pyarrow tables
        With the same columns, of any types.
    delta : float in (0, 1), default=0.05
        How often sets that are alike may be called different.
    random_state : None, int or Generator
        For the folds of the classifier, and the rows that it is asked about.

    Returns
    -------
    Drift

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 3))
    >>> drift(X[:200], X[200:]).shifted
    False
    >>> X[200:, 1] += 1
    >>> print(drift(X[:200], X[200:]).drifted[0].words)
    mean 0.04 -> 0.999
    """
    if not real(0, 1, ends="()").holds(delta):
        must = "delta must be a number between 0 and 1"
        raise DataError(sentence(WHO, must, f"{delta!r}"))
    coded, n = both_sets(first, second)
    seed = entropy(random_state)
    tests = [
        test
        for j in range(coded.shape[1])
        for test in column_tests(coded, j, n, generator(seed, j))
    ]
    ranked = holm(sorted(tests, key=lambda one: one.p_value), delta / 2)
    auc = told_apart(coded, n, delta / 2, seed)
    sizes = (n, coded.shape[0] - n)
    return Drift(ranked, auc, float(delta), sizes, new_categories(coded, n))


def both_sets(first: Any, second: Any) -> tuple[Coded, int]:
    """Return both sets as numbers, one below the other, and the rows of the first."""
    a, b = table_of(WHO, first), table_of(WHO, second)
    if a.shape[1] != b.shape[1]:
        must = "both sets must have the same columns"
        raise DataError(sentence(WHO, must, f"{a.shape[1]} and {b.shape[1]} columns"))
    if a.names is not None and b.names is not None and a.names != b.names:
        if set(a.names) != set(b.names):
            strange = sorted(set(a.names) ^ set(b.names))[:5]
            must = "both sets must have the same columns"
            raise DataError(sentence(WHO, must, f"{strange} in one only"))
        b = b.select(list(a.names))
    if a.n < 2 or b.n < 2:
        must = "both sets must have 2 rows or more"
        raise DataError(sentence(WHO, must, f"{a.n} and {b.n}"))
    return coded_matrix(WHO, joined_rows([a, b])), a.n


# -- columns ---------------------------------------------------------------------------
def column_tests(
    coded: Coded, j: int, n: int, rng: np.random.Generator
) -> list[ColumnDrift]:
    """Return the tests of one column (1), (2), (3)."""
    z, w = sampled(coded.Z[:n, j], rng), sampled(coded.Z[n:, j], rng)
    name, found = coded.names[j], []
    a, b = z[np.isfinite(z)], w[np.isfinite(w)]
    gone = [[len(z) - len(a), len(a)], [len(w) - len(b), len(b)]]
    if gone[0][0] or gone[1][0]:
        p = float(fisher_exact(gone)[1])
        shares = [row[0] / sum(row) for row in gone]
        words = f"missing {shares[0]:.1%} -> {shares[1]:.1%}"
        effect = abs(shares[0] - shares[1])
        found.append(ColumnDrift(name, "missing", effect, p, words))
    if len(a) < 2 or len(b) < 2:
        return found
    if coded.categorical[j]:
        return [*found, categories(name, a, b)]
    if len(np.unique(np.concatenate([a, b]))) <= 2:
        return [*found, categories(name, a, b, "mean")]
    test = ks_2samp(a, b, method="auto" if len(a) + len(b) < 2_000 else "asymp")
    words = f"mean {a.mean():.3g} -> {b.mean():.3g}"
    if abs(a.mean() - b.mean()) < 0.1 * max(a.std(), 1e-300):
        words = f"spread {a.std():.3g} -> {b.std():.3g}"
    effect = float(test.statistic)
    p = float(test.pvalue)
    return [*found, ColumnDrift(name, "Kolmogorov-Smirnov", effect, p, words)]


def sampled(z: Floats, rng: np.random.Generator) -> Floats:
    """Return all values, or so many of them as the tests look at."""
    return z if len(z) <= TESTED_ROWS else rng.permutation(z)[:TESTED_ROWS]


def categories(name: str, a: Floats, b: Floats, what: str = "share") -> ColumnDrift:
    """Compare the counts of categories, rare ones taken together (2)."""
    labels, codes = np.unique(np.concatenate([a, b]), return_inverse=True)
    counts = np.array(
        [np.bincount(c, minlength=len(labels)) for c in np.split(codes, [len(a)])],
        dtype=np.float64,
    )
    shares = counts / counts.sum(axis=1, keepdims=True)
    effect = float(np.abs(shares[0] - shares[1]).sum() / 2)
    least = counts.sum(axis=0) * min(len(a), len(b)) / (len(a) + len(b))
    rare = least < EXPECTED
    if rare.any():
        together = counts[:, rare].sum(axis=1, keepdims=True)
        counts = np.hstack([counts[:, ~rare], together])
    p = 1.0
    if counts.shape[1] > 1 and (counts.sum(axis=0) > 0).all():
        p = float(chi2_contingency(counts, correction=counts.shape[1] == 2)[1])
    words = f"shares of categories moved by {effect:.1%}"
    if what == "mean":
        words = f"mean {a.mean():.3g} -> {b.mean():.3g}"
    return ColumnDrift(name, "chi^2", effect, p, words)


def holm(tests: list[ColumnDrift], delta: float) -> tuple[ColumnDrift, ...]:
    """Return tests in rising order of p with Holm's decisions (4)."""
    found, largest = [], 0.0
    for j, test in enumerate(tests):
        largest = max(largest, min(1.0, test.p_value * (len(tests) - j)))
        found.append(replace(test, adjusted=largest, drifted=largest <= delta))
    return tuple(found)


def new_categories(coded: Coded, n: int) -> tuple[tuple[str, int], ...]:
    """Count rows of the second set whose category the first does not have."""
    found = []
    for j in np.flatnonzero(coded.categorical):
        z, w = coded.Z[:n, j], coded.Z[n:, j]
        count = int((~np.isin(w[np.isfinite(w)], z)).sum())
        if count:
            found.append((coded.names[j], count))
    return tuple(found)


# -- together --------------------------------------------------------------------------
def told_apart(coded: Coded, n: int, delta: float, seed: int) -> Interval | None:
    """Return the area of a classifier that tells the sets apart, out of fold (5)."""
    rng = generator(seed, 5)
    rows = np.concatenate(
        [
            some(np.arange(n), MOST_ROWS, rng),
            some(np.arange(n, coded.shape[0]), MOST_ROWS, rng),
        ]
    )
    y = (rows >= n).astype(np.int64)
    if coded.shape[1] == 0 or min(np.bincount(y)) < 10:
        return None
    part = coded.rows(rows)
    scores = domain_scores(part, y, seed)
    wider = WIDER * ndtri(1 - delta)
    return auc_interval(y, scores, 2 * float(ndtr(-wider)))


def some(rows: Vector, most: int, rng: np.random.Generator) -> Vector:
    """Return at most so many rows."""
    return rows if len(rows) <= most else np.sort(rng.permutation(rows)[:most])


def domain_scores(coded: Coded, y: Vector, seed: int) -> Floats:
    """Return out-of-fold scores: the mean of boosted trees and a linear model."""
    leaf = int(np.clip(len(y) // 50, 5, 30))
    trees = HistGradientBoostingClassifier(
        max_iter=40, max_leaf_nodes=8, min_samples_leaf=leaf, random_state=0
    )
    line = LogisticRegression(C=0.1)
    folds = folds_of(True, y, seed=seed)
    design = coded.design()
    p = out_of_fold(trees, coded.Z, y, folds, BRIER).probabilities
    assert p is not None
    if design.shape[1] == 0:
        return p[:, 1]
    q = out_of_fold(line, design, y, folds, BRIER).probabilities
    assert q is not None
    return (p[:, 1] + q[:, 1]) / 2
