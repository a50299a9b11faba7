"""A bound on the error of a decision tree by the length of its description.

Also known as: Occam bound for trees, description-length bound.

A tree is sent node by node, parents first:

    1 bit tells inner nodes from leaves; an inner node names one of d features,
    log2 d bits, a leaf one of k classes, log2 k bits                            (1)

A threshold is the middle between the values of two training rows: it is sent as these
two rows.  A tree of L bits (1) and m thresholds is then one of 2^L n^{2m} messages, and
the rows that are not named are a test set (`compression.py`), so that with probability
1 - delta

    risk <= max {p: B(e; n - 2m, p) >= delta 2^{-L} n^{-2m}}                     (2)

for e errors.  The code does not know how the tree was grown or pruned, so every way of
choosing its size is covered.  A split by categories costs a bit for each category.

Notation: L = bits; m = thresholds.
References: Blumer, Ehrenfeucht, Haussler and Warmuth (1987); Quinlan and Rivest (1989);
Langford (2005).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.compression import tail_inverse
from corollary.theory.stated_numbers import confidence

__all__ = ["tree_bound"]

SAME = 1e-12  # relative to the column's largest value: rounding


@dataclass(frozen=True)
class TreeCode:
    """What has to be told of a tree."""

    bits: float  # (1)
    feature: Vector  # (m,) of the thresholds
    threshold: Floats  # (m,)


def tree_bound(model: Any, X: Any, y: Any, delta: float = 0.05) -> Bound:
    """Bound the error of a decision tree on new rows (2).

    Parameters
    ----------
    model : DecisionTreeClassifier or ID3Classifier
        Fitted on X and y; scikit-learn's tree too.
    X, y : rows and labels
        Those of the fit.
    delta : float, default=0.05
        How often the bound may fail.

    Returns
    -------
    Bound
        It is guidance where a threshold is not the middle of two training values.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionTreeClassifier
    >>> from corollary.theory import tree_bound
    >>> x = np.linspace(0, 1, 2000)[:, None]
    >>> y = (x[:, 0] > 0.3) & (x[:, 0] < 0.6)
    >>> print(tree_bound(DecisionTreeClassifier().fit(x, y), x, y))
    tree description-length bound: risk <= 0.01932 with confidence 0.95
    """
    who = "tree_bound"
    delta = confidence(who, delta)
    y = np.asarray(y)
    wrong = np.asarray(model.predict(X)) != y if hasattr(model, "tree_") else None
    if wrong is None or not hasattr(model, "classes_") or wrong.shape != y.shape:
        must = "model must be a fitted decision tree for classes, X and y its rows"
        raise DataError(sentence(who, must, type(model).__name__))
    X = X.toarray() if sp.issparse(X) else X
    code = code_of(model.tree_, len(model.classes_), X)
    n, m = len(y), len(code.threshold)
    log = np.log(delta) - code.bits * np.log(2) - 2 * m * np.log(n)
    rest = max(n - 2 * m, 0)
    value = tail_inverse(rest, min(float(wrong.sum()), rest), log)
    words = [INDEPENDENT, "Features and classes were fixed before the rows were seen."]
    proved = m == 0 or between_rows(code, X)
    if not proved:
        words.append("A threshold is no middle of two rows, which the proof needs.")
    by = "Blumer, Ehrenfeucht, Haussler and Warmuth (1987); Langford (2005)"
    name = "tree description-length bound"
    return Bound(name, value, delta, tuple(words), by, holds=proved)


def code_of(tree: Any, k: int, X: Any) -> TreeCode:
    """Return the length (1) of a binary or multiway tree, and its thresholds."""
    feature = np.asarray(tree.feature)
    inner = feature >= 0
    d = np.asarray(X).shape[1]
    bits = len(feature) + inner.sum() * np.log2(d) + (~inner).sum() * np.log2(k)
    threshold = np.asarray(tree.threshold, dtype=np.float64)
    cut = inner & ~np.isnan(threshold)
    if getattr(tree, "category_set", None) is not None:
        bits += int((tree.category_set >= 0).sum()) * 32 * tree.left_categories.shape[1]
    if has_missing(X):
        bits += int(inner.sum())  # which way rows without a value go
    return TreeCode(float(bits), feature[cut], threshold[cut])


def between_rows(code: TreeCode, X: Any) -> bool:
    """Tell whether every threshold is the middle of two values of its column.

    Values count as they are and rounded to single precision, as trees may hold them.
    """
    X = np.asarray(X)
    for j in np.unique(code.feature):
        column = X[:, j].astype(np.float64)
        rounded = column.astype(np.float32).astype(np.float64)
        kinds = [np.unique(one[np.isfinite(one)]) for one in (column, rounded)]
        for t in code.threshold[code.feature == j]:
            if not any(is_middle(float(t), values) for values in kinds):
                return False
    return True


def is_middle(t: float, values: Floats) -> bool:
    """Tell whether t is the middle of two of some sorted values."""
    low = values[values <= t]
    if not len(low) or len(low) == len(values):
        return False
    slack = SAME * max(float(np.abs(values).max()), abs(t))
    mirror = 2 * t - low  # where the other row must be
    at = np.clip(np.searchsorted(values, mirror), 1, len(values) - 1)
    near = np.minimum(np.abs(values[at] - mirror), np.abs(values[at - 1] - mirror))
    return bool(near.min() <= 2 * slack)


def has_missing(X: Any) -> bool:
    """Tell whether a value is missing."""
    X = np.asarray(X)
    return X.dtype.kind == "f" and bool(np.isnan(X).any())
