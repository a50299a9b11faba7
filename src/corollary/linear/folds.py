"""Folds of rows with weights.

A row of weight 0 is no row: the folds are made of the others.  A list of splits numbers
all rows, and those of weight 0 are left out of it.  A row of weight 2 is one row, in
one fold; the same row given twice may come to lie in two folds, one copy to learn from
and one to check.  Weights are repetitions, therefore, where the splits given as `cv`
keep copies together, as scikit-learn's `GroupKFold` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Integral
from types import MappingProxyType
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import check_cv

from corollary.core.arrays import Matrix, Vector
from corollary.core.report import Report
from corollary.core.warn import warn
from corollary.core.wording import one_sentence
from corollary.engine.fit import SHORT

__all__ = [
    "Folds",
    "folds_of",
    "warn_of_short_folds",
]

Folds = list[tuple[Vector, Vector]]


def folds_of(
    learner: Any,
    cv: Any,
    X: Matrix,
    y: Vector,
    kept: Vector | None,
    *,
    classifier: bool = False,
    routed: Mapping[str, Any] = MappingProxyType({}),
) -> Folds:
    """Part rows that weigh something; `kept` says which of all rows they are.

    `routed` is what else the splitter is to know of all rows, such as their groups.
    """
    more = {
        name: value if kept is None or value is None else np.asarray(value)[kept]
        for name, value in routed.items()
    }
    with one_sentence(learner, "cv"):
        splitter = check_cv(cv, y, classifier=classifier)
        folds: Folds = list(splitter.split(X, y, **more))
    made_here = cv is None or isinstance(cv, Integral) or hasattr(cv, "split")
    if kept is None or made_here:
        return folds
    number = np.cumsum(kept) - 1
    return [
        (number[train][kept[train]], number[test][kept[test]]) for train, test in folds
    ]


def warn_of_short_folds(short: int, report: Report) -> None:
    """Say that fits of the folds stopped before tol was met, once."""
    if not short:
        return
    text = f"{short} fits of the folds' paths stopped before tol was met."
    report.warnings.append(f"{text} Raise max_iter, or loosen tol.")
    report.remedy = report.warnings[-1]
    if report.stop not in SHORT:  # else the engine warns, with this remedy
        text = f"{report.learner}: {report.remedy}"
        warn(text, ConvergenceWarning)
