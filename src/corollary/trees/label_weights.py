"""Weights of rows by their classes, of one output or of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule

__all__ = ["LABEL_WEIGHTS", "labels_weighted", "outputs"]

LABEL_WEIGHTS = class_weight_rule | Rule(
    "a list of such dicts, one for each output",
    lambda v: isinstance(v, list) and all(isinstance(each, dict) for each in v),
)


def outputs(learner: Any) -> list[Vector]:
    """Return the classes of each output."""
    classes = learner.classes_
    return classes if isinstance(classes, list) else [classes]


def labels_weighted(learner: Any, codes: Vector, w: Vector | None) -> Floats | None:
    """Return the rows' weights times those of their classes, None where all are 1."""
    if learner.class_weight is None:
        return None if w is None else w.astype(np.float64)
    weight = np.ones(len(codes)) if w is None else w.astype(np.float64)
    factor = np.ones(len(codes))
    table = codes.reshape(len(codes), -1)
    known, asked = outputs(learner), learner.class_weight
    name = type(learner).__name__
    if isinstance(asked, dict) and len(known) > 1:
        must = "class_weight must be a list of dicts, one for each output"
        raise ParameterError(sentence(learner, must, "one dict"))
    if isinstance(asked, list) and len(asked) != len(known):
        must = f"class_weight must have a dict for each of {len(known)} outputs"
        raise ParameterError(sentence(learner, must, f"{len(asked)}"))
    for o, classes in enumerate(known):
        one = asked[o] if isinstance(asked, list) else asked
        totals: Any = np.bincount(table[:, o], weight, minlength=len(classes))
        one = "balanced" if one == "balanced_subsample" else one
        alone = type(name, (), {"classes_": classes, "class_weight": one})()
        factor *= stated_class_weights(alone, totals)[table[:, o]]
    weight = weight * factor
    if not weight.any():
        must = "at least one row must have a weight above 0"
        raise DataError(sentence(learner, must, "class weights of 0"))
    return weight
