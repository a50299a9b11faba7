"""Weights of the classes, as users name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import (
    Rule,
    check_parameters,
    missing,
    one_of,
    real,
    shown,
)

__all__ = ["class_weight_rule", "stated_class_weights"]

class_weight_rule = (
    missing
    | one_of("balanced")
    | Rule("a dict from class to weight", lambda v: isinstance(v, dict))
)


def stated_class_weights(learner: Any, totals: Floats) -> Floats:
    """Return one weight for each class, given what the rows of each class weigh."""
    check_parameters(learner, {"class_weight": class_weight_rule})
    K, asked = len(learner.classes_), learner.class_weight
    if asked is None:
        return np.ones(K)
    if isinstance(asked, str):
        return totals.sum() / (K * np.where(totals > 0, totals, 1.0))
    known = learner.classes_.tolist()
    strange = [label for label in asked if label not in known]
    if strange:
        must = f"class_weight must name classes among {known}"
        raise ParameterError(sentence(learner, must, repr(strange[0])))
    for weight in asked.values():
        if not real(0).holds(weight) or not np.isfinite(weight):
            must = "the numbers in class_weight must be >= 0"
            raise ParameterError(sentence(learner, must, shown(weight)))
    return np.array([float(asked.get(label, 1.0)) for label in known])
