"""Folds of rows with weights.

A row of weight 0 is no row: the folds are made of the others.  A list of splits numbers
all rows, and those of weight 0 are left out of it.  A row of weight 2 is one row, in
one fold; the same row given twice may come to lie in two folds, one copy to learn from
and one to check.  Weights are repetitions, therefore, where the splits given as `cv`
keep copies together, as scikit-learn's `GroupKFold` does.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.model_selection import check_cv

from corollary.core.arrays import Matrix, Vector
from corollary.core.wording import one_sentence

__all__ = ["Folds", "folds_of", "rows_with_weight"]

Folds = list[tuple[Vector, Vector]]


def rows_with_weight(w: Vector | None) -> Vector | None:
    """Tell which rows weigh something, None where all do."""
    return None if w is None or w.all() else w != 0


def folds_of(
    learner: Any,
    cv: Any,
    X: Matrix,
    y: Vector,
    kept: Vector | None,
    *,
    classifier: bool = False,
) -> Folds:
    """Part rows that weigh something; `kept` tells which of all rows they are."""
    with one_sentence(learner, "cv"):
        folds: Folds = list(check_cv(cv, y, classifier=classifier).split(X, y))
    made_here = cv is None or isinstance(cv, Integral) or hasattr(cv, "split")
    if kept is None or made_here:
        return folds
    number = np.cumsum(kept) - 1
    return [
        (number[train][kept[train]], number[test][kept[test]]) for train, test in folds
    ]
