"""Weights of the classes, as users name them."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence

__all__ = ["stated_class_weights"]


def stated_class_weights(learner: Any, totals: Floats) -> Floats:
    """Return one weight for each class, given what the rows of each class weigh."""
    K, asked = len(learner.classes_), learner.class_weight
    if asked is None:
        return np.ones(K)
    if isinstance(asked, str):
        return totals.sum() / (K * np.where(totals > 0, totals, 1.0))
    if not isinstance(asked, dict):
        must = "class_weight must be None, 'balanced' or a dict from class to weight"
        raise ParameterError(sentence(learner, must, repr(asked)))
    known = learner.classes_.tolist()
    strange = [label for label in asked if label not in known]
    if strange:
        must = f"class_weight must name classes among {known}"
        raise ParameterError(sentence(learner, must, repr(strange[0])))
    weights = np.array([float(asked.get(label, 1.0)) for label in known])
    sound = np.isfinite(weights) & (weights >= 0)
    if not sound.all():
        must = "the numbers in class_weight must be >= 0"
        raise ParameterError(sentence(learner, must, f"{weights[~sound][0]:g}"))
    return weights
