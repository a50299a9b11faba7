"""The negative and the positive class of a learner of rules.

A rule tells two classes apart; rows may hold one of them only, if the user names both.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = ["labels_where", "positive_code", "publish_classes"]


def positive_code(learner: Any) -> int:
    """Return the code of the positive class among those of the rows, -1 if none is."""
    classes = pair_of_classes(learner)
    at = np.flatnonzero(learner.classes_ == classes[1])
    return int(at[0]) if len(at) else -1


def pair_of_classes(learner: Any) -> Vector:
    """Return the negative and the positive label: those given, or those of the rows."""
    found: Vector = learner.classes_
    if learner.classes is None:
        if len(found) != 2:
            must = "needs samples of 2 classes; Only binary classification is supported"
            came = f"{len(found)} class{'es' if len(found) != 1 else ''}"
            remedy = "Name both with `classes`." if len(found) < 2 else ""
            raise DataError(sentence(learner, must, came, remedy))
        return found
    given = np.asarray(learner.classes)
    if given.shape != (2,) or given[0] == given[1]:
        must = "classes must be the negative and the positive label"
        raise ParameterError(sentence(learner, must, f"{learner.classes!r}"))
    if not np.isin(found, given).all():
        must = f"y must hold the labels of classes, {given.tolist()}"
        raise DataError(sentence(learner, must, f"{found.tolist()[:5]}"))
    same = found.dtype.kind == given.dtype.kind and given.dtype.kind in "biuf"
    return given.astype(found.dtype) if same else given


def publish_classes(learner: Any) -> None:
    """Set `classes_`, sorted, and which of them is positive."""
    pair = pair_of_classes(learner)
    learner.classes_ = np.sort(pair)
    learner.positive_ = int(learner.classes_[1] == pair[1])


def labels_where(learner: Any, true: Vector) -> Vector:
    """Return the positive label where a rule is true, else the negative one."""
    second = true if learner.positive_ else ~true
    return learner.classes_[second.astype(np.intp)]
