"""Whether features are independent given the class, and what independence saves.

Also known as: naive Bayes assumption check, conditional mutual information, G-test.

Naive Bayes takes the features as independent given the class.  How far two of them are
from that in class c is their mutual information there,

    I_c(i, j) = sum_{a,b} P(a, b | c) log [P(a, b | c) / (P(a | c) P(b | c))]    (1)

for categories, and for two columns of numbers with correlation r, as Gaussians,

    I_c(i, j) = -1/2 log(1 - r^2)                                                (2)

Over all classes I(i, j | C) = sum_c P(c) I_c(i, j).  Where independence holds,
G = 2 n I is about chi-squared (Wilks), with (J_i - 1)(J_j - 1) degrees of freedom in
each class for (1) and one for (2); its tail is the p-value, and Holm's rule holds the
chance of any false alarm among all pairs below the level.  A number beside a category
is cut at its quantiles first.

What independence saves, for features of J_1 ... J_d categories and k classes:

    all combinations   k (prod_j J_j - 1)                                        (3)
    independent        k sum_j (J_j - 1)                                         (4)

numbers, and k - 1 more for the class probabilities: for n boolean features and two
classes 2(2^n - 1) against 2n.  Even where independence fails, the most probable class
may be right; its probability is then too sure of itself.

Notation: n_c rows in class c; J categories; I in nats.
Course: S3-32. References: Cover and Thomas (2006), ch. 2; Holm (1979).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite, encode_labels
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = [
    "ConditionalDependence",
    "ParameterCounts",
    "conditional_dependence",
    "parameter_counts",
]

WHO = "conditional_dependence"
BINS = 5  # quantile bins of a number beside a category
FEW = 20  # distinct whole numbers that "auto" takes for categories


class ParameterCounts(NamedTuple):
    """How many free numbers a model of P(x | c) has, over all classes."""

    full: int  # (3)
    naive: int  # (4)
    prior: int  # of the class probabilities, needed by both

    @property
    def saved(self) -> float:
        """How many times fewer numbers the independent model has."""
        return self.full / self.naive if self.naive else math.inf

    def __str__(self) -> str:
        return (
            f"{self.full:,} parameters for all combinations, {self.naive:,} if the "
            f"features are independent given the class, {self.prior} for the classes"
        )


def parameter_counts(categories: Sequence[int], n_classes: int = 2) -> ParameterCounts:
    """Count the parameters of a full and of a naive model of categorical features.

    Parameters
    ----------
    categories : sequence of int
        Number of categories of each feature.
    n_classes : int, default=2

    Returns
    -------
    ParameterCounts

    Examples
    --------
    >>> from corollary.diagnostics.conditional_dependence import parameter_counts
    >>> parameter_counts([2] * 10)[:2]  # ten boolean features: 2 (2^10 - 1) and 2 x 10
    (2046, 20)
    """
    J = [int(j) for j in categories]
    if not J or min(J) < 1 or n_classes < 1:
        must = "categories must be numbers >= 1, and n_classes >= 1"
        came = f"{list(categories)[:10]} and {n_classes}"
        raise ParameterError(sentence("parameter_counts", must, came))
    full = n_classes * (math.prod(J) - 1)  # (3)
    naive = n_classes * sum(j - 1 for j in J)  # (4)
    return ParameterCounts(full, naive, n_classes - 1)


@dataclass(frozen=True)
class Pair:
    """How two features depend on each other given the class."""

    features: tuple[str, str]
    information: float  # I(i, j | C), nats
    by_class: dict[Any, float]  # I_c
    statistic: float  # G
    freedom: int
    p: float  # of independence in every class
    adjusted: float  # by Holm's rule over all pairs

    def __str__(self) -> str:
        worst = max(self.by_class, key=self.by_class.__getitem__)
        return (
            f"{self.features[0]} and {self.features[1]}: {self.information:.4g} nats "
            f"given the class (most in class {worst!r}, {self.by_class[worst]:.4g}), "
            f"p = {self.adjusted:.2g}"
        )


@dataclass(frozen=True)
class ConditionalDependence:
    """All pairs of features, the most dependent first, and a verdict."""

    pairs: tuple[Pair, ...]
    level: float
    parameters: ParameterCounts | None  # where every feature is categorical

    @property
    def dependent(self) -> tuple[Pair, ...]:
        """The pairs that chance does not explain at the level."""
        return tuple(pair for pair in self.pairs if pair.adjusted <= self.level)

    @property
    def verdict(self) -> str:
        """Say in one sentence whether naive Bayes' assumption is credible."""
        count, total = len(self.dependent), len(self.pairs)
        if not count:
            return f"no pair of {total} contradicts independence given the class"
        return (
            f"{count} of {total} pairs depend on each other given the class: expect "
            "probabilities that are too sure; drop or join features, or calibrate"
        )

    def __str__(self) -> str:
        lines = [self.verdict, *(f"  {pair}" for pair in self.dependent[:5])]
        return "\n".join(
            lines if self.parameters is None else [*lines, str(self.parameters)]
        )


def conditional_dependence(
    X: Any,
    y: Any,
    *,
    categorical: Any = "auto",
    names: Sequence[str] | None = None,
    level: float = 0.05,
) -> ConditionalDependence:
    """Measure how far pairs of features are from independence given the class.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        Numbers, or text where the columns are nominal.
    y : array of shape (n,)
        Classes.
    categorical : "auto" or list of column numbers
        Which columns hold categories; "auto" takes those of text, and those of at most
        20 different whole numbers.
    names : sequence of str, optional
        Names of the columns.
    level : float, default=0.05
        Chance of naming any pair where all are independent.

    Returns
    -------
    ConditionalDependence

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics.conditional_dependence import conditional_dependence
    >>> rng = np.random.default_rng(0)
    >>> y, noise = rng.integers(2, size=500), rng.normal(size=(500, 3))
    >>> noise[:, 2] += noise[:, 0]
    >>> found = conditional_dependence(noise + y[:, None], y, names=["a", "b", "c"])
    >>> [pair.features for pair in found.dependent]
    [('a', 'c')]
    """
    if not 0 < level < 1:
        raise ParameterError(sentence(WHO, "level must be in (0, 1)", f"{level}"))
    columns, labels = columns_of(X, names)
    d, n = len(columns), len(columns[0])
    if d < 2:
        raise DataError(sentence(WHO, "X must have at least two columns", f"{d}"))
    classes, z = encode_labels(WHO, y, n)
    nominal = chosen(categorical, columns)
    coded = [codes(c) if j in nominal else None for j, c in enumerate(columns)]
    members = [np.flatnonzero(z == c) for c in range(len(classes))]
    pairs = []
    for i, j, evidence in _evidence(columns, coded, members):
        G, freedom = (float(sum(part)) for part in zip(*evidence, strict=True))
        info = [g / (2 * len(m)) for (g, _), m in zip(evidence, members, strict=True)]
        p = float(chi2.sf(G, freedom)) if freedom else 1.0
        by_class = dict(zip(classes.tolist(), info, strict=True))
        two = (labels[i], labels[j])
        pairs.append(Pair(two, G / (2 * n), by_class, G, int(freedom), p, 1.0))
    counts = None
    if len(nominal) == d:
        sizes = [int(c.max()) + 1 for c in coded if c is not None]
        counts = parameter_counts(sizes, len(classes))
    return ConditionalDependence(holm(pairs), level, counts)


Evidence = list[tuple[float, int]]  # G and its degrees of freedom in each class


def _evidence(
    columns: list[Vector], coded: list[Vector | None], members: list[Vector]
) -> Iterator[tuple[int, int, Evidence]]:
    """Yield G for every pair of columns, class by class."""
    cut = [
        codes(quantile_bins(c)) if k is None else k
        for c, k in zip(columns, coded, strict=True)
    ]
    for i in range(len(columns)):
        for j in range(i + 1, len(columns)):
            if coded[i] is None and coded[j] is None:
                u, v = columns[i], columns[j]
                yield i, j, [correlation_test(u[m], v[m]) for m in members]
            else:
                yield i, j, [table_test(cut[i][m], cut[j][m]) for m in members]


def correlation_test(u: Floats, v: Floats) -> tuple[float, int]:
    """Return G = 2 n I by (2) and one degree of freedom; none where nothing varies."""
    n = len(u)
    u, v = u - u.mean(), v - v.mean()
    scale = np.sqrt((u @ u) * (v @ v))
    if n < 4 or scale == 0:
        return 0.0, 0
    r2 = min(float((u @ v) / scale) ** 2, 1 - 1e-15)
    return -n * math.log1p(-r2), 1


def table_test(a: Vector, b: Vector) -> tuple[float, int]:
    """Return G = 2 n I by (1) and the degrees of freedom of the values that occur.

    >>> table_test(np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1]))
    (0.0, 1)
    """
    T = np.zeros((int(a.max(initial=0)) + 1, int(b.max(initial=0)) + 1))
    np.add.at(T, (a, b), 1.0)
    rows, columns = T.sum(axis=1), T.sum(axis=0)
    expected = np.outer(rows, columns) / max(len(a), 1)
    there = T > 0
    G = 2 * float((T[there] * np.log(T[there] / expected[there])).sum())
    freedom = (np.count_nonzero(rows) - 1) * (np.count_nonzero(columns) - 1)
    return max(G, 0.0), max(int(freedom), 0)


def holm(pairs: list[Pair]) -> tuple[Pair, ...]:
    """Adjust the p-values by Holm's rule; return the most informative pairs first."""
    order = np.argsort([pair.p for pair in pairs], kind="stable")
    adjusted, worst = np.empty(len(pairs)), 0.0
    for rank, at in enumerate(order):
        worst = max(worst, min(1.0, (len(pairs) - rank) * pairs[at].p))
        adjusted[at] = worst
    done = [
        Pair(
            p.features, p.information, p.by_class, p.statistic, p.freedom, p.p, float(a)
        )
        for p, a in zip(pairs, adjusted, strict=True)
    ]
    return tuple(sorted(done, key=lambda pair: -pair.information))


# -- columns -----------------------------------------------------------------------
def columns_of(X: Any, names: Sequence[str] | None) -> tuple[list[Vector], list[str]]:
    """Return the columns of a table and their names."""
    given = list(X.columns) if names is None and hasattr(X, "columns") else names
    table = np.asarray(X)
    if table.ndim != 2 or not table.size:
        must = "X must be a table of rows and columns"
        raise DataError(sentence(WHO, must, f"shape {table.shape}"))
    columns = []
    for j in range(table.shape[1]):
        column = table[:, j]
        try:
            numbers = column.astype(np.float64)
        except (TypeError, ValueError):
            columns.append(column.astype(str))
            continue
        check_finite(WHO, numbers[:, None])
        columns.append(numbers)
    labels = [f"feature {j}" for j in range(len(columns))] if given is None else given
    if len(labels) != len(columns):
        must = f"names must be one for each of the {len(columns)} columns"
        raise ParameterError(sentence(WHO, must, f"{len(labels)}"))
    return columns, [str(label) for label in labels]


def chosen(categorical: Any, columns: list[Vector]) -> set[int]:
    """Return the numbers of the columns that hold categories."""
    text = {j for j, c in enumerate(columns) if c.dtype.kind == "U"}
    if isinstance(categorical, str):
        if categorical != "auto":
            must = "categorical must be 'auto' or a list of column numbers"
            raise ParameterError(sentence(WHO, must, repr(categorical)))
        return text | {
            j for j, c in enumerate(columns) if j not in text and few_whole(c)
        }
    asked = {int(j) for j in categorical}
    if asked - set(range(len(columns))):
        must = f"categorical must number columns in [0, {len(columns)})"
        raise ParameterError(sentence(WHO, must, f"{sorted(asked)}"))
    return text | asked


def few_whole(column: Floats) -> bool:
    """Tell whether a column holds few different whole numbers."""
    return bool((column == np.floor(column)).all()) and len(np.unique(column)) <= FEW


def codes(column: Vector) -> Vector:
    """Return the rank of each value among the different values of a column."""
    return np.unique(column, return_inverse=True)[1].reshape(-1)


def quantile_bins(column: Vector) -> Vector:
    """Cut numbers at their quantiles; text stays."""
    if column.dtype.kind == "U":
        return column
    cuts = np.quantile(column, np.arange(1, BINS) / BINS)
    return np.searchsorted(cuts, column, side="right")
