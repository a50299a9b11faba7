"""How well one column alone knows the target, out of fold.

Also known as: single-feature predictive power, predictive power score.

A column is cut into bins by its quantiles, categories and missing values are bins of
their own, and a bin predicts the mean target of its training rows, drawn a little
towards the mean of all:

    f_b = (sum_{i in b} y_i + m ybar) / (n_b + m)                                (1)

For classes y is an indicator of each.  The column's skill is what the squared error
falls by against the mean of all, out of fold,

    skill = 1 - sum_i |y_i - f_{b(i)}|^2 / sum_i |y_i - ybar|^2                  (2)

the R^2 of numbers, Brier's skill of classes: 0 for a column that knows nothing, 1 for
one that knows all.  Coarse, medium and fine bins are tried and the best is kept.

Notation: m = 1 row of prior weight; b(i) bin of row i.
Reference: Wetschoreck, Krabel and Krishnamurthy (2020), ppscore.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.diagnostics.coded_matrix import Coded
from corollary.diagnostics.out_of_fold import Folds

__all__ = ["Skill", "binned_losses", "column_skills", "missing_skills", "target_matrix"]

PRIOR = 1.0
ROWS_IN_BIN = 8  # of the finest bins, about
FINEST = 256
CATEGORIES = 1_000


class Skill(NamedTuple):
    """The skill of a column (2), with its standard error."""

    value: float
    error: float


def target_matrix(y: Vector, classes: bool) -> Floats:
    """Return targets as columns: numbers, or an indicator for each class."""
    if not classes:
        return np.asarray(y, dtype=np.float64)[:, None]
    labels, codes = np.unique(y, return_inverse=True)
    return np.eye(len(labels))[codes]


def column_skills(coded: Coded, Y: Floats, folds: Folds) -> list[Skill]:
    """Return the skill of every column alone."""
    found = []
    for j in range(coded.shape[1]):
        bins = column_bins(coded.Z[:, j], bool(coded.categorical[j]))
        found.append(max((skill_of(b, Y, folds) for b in bins), default=Skill(0, 0)))
    return found


def missing_skills(coded: Coded, Y: Floats, folds: Folds) -> list[Skill]:
    """Return the skill of knowing only whether a value is missing."""
    found = []
    for j in range(coded.shape[1]):
        gone = coded.missing[:, j]
        some = 0 < gone.sum() < len(gone)
        found.append(skill_of(gone.astype(np.intp), Y, folds) if some else Skill(0, 0))
    return found


def column_bins(z: Floats, categorical: bool) -> list[Vector]:
    """Return bins of each row: categories, or quantiles at three widths."""
    gone = ~np.isfinite(z)
    values = z[~gone]
    if not len(values):
        return []
    if categorical or len(np.unique(values[:2_000])) <= 10:
        labels = np.unique(values)[:CATEGORIES]
        codes = np.minimum(np.searchsorted(labels, np.where(gone, 0, z)), len(labels))
        return [np.where(gone, len(labels) + 1, codes)]
    found = []
    finest = int(np.clip(len(values) // ROWS_IN_BIN, 4, FINEST))
    for count in sorted({4, min(16, finest), finest}):
        edges = np.unique(np.quantile(values, np.arange(1, count) / count))
        codes = np.searchsorted(edges, np.where(gone, 0, z), side="right")
        found.append(np.where(gone, len(edges) + 1, codes))
    return found


def skill_of(bins: Vector, Y: Floats, folds: Folds) -> Skill:
    """Return the skill (2) of bins."""
    own, mean = binned_losses(bins, Y, folds)
    there = np.isfinite(own)
    total = mean[there].sum()
    if not total > 0:
        return Skill(0.0, 0.0)
    value = 1 - own[there].sum() / total
    n = there.sum()
    parts = own[there] - (1 - value) * mean[there]  # as a ratio of two sums
    error = float(parts.std() * np.sqrt(n) / total)
    return Skill(float(value), error)


def binned_losses(bins: Vector, Y: Floats, folds: Folds) -> tuple[Floats, Floats]:
    """Return squared errors of (1) and of the mean, out of fold; NaN where untested."""
    k = int(bins.max()) + 1
    own, mean = np.full(len(bins), np.nan), np.full(len(bins), np.nan)
    for train, test in folds:
        middle = Y[train].mean(axis=0)
        counts = np.bincount(bins[train], minlength=k)
        f: Matrix = np.empty((k, Y.shape[1]))
        for c in range(Y.shape[1]):
            sums: Any = np.bincount(bins[train], weights=Y[train, c], minlength=k)
            f[:, c] = (sums + PRIOR * middle[c]) / (counts + PRIOR)  # (1)
        own[test] = ((Y[test] - f[bins[test]]) ** 2).sum(axis=1)
        mean[test] = ((Y[test] - middle) ** 2).sum(axis=1)
    return own, mean
