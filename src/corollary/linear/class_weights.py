"""Weights of the classes, as users name them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.engine import Data
from corollary.linear.logistic_sums import count_classes

__all__ = ["class_weights"]


def class_weights(learner: Any, data: Data) -> Floats | None:
    """Return one weight for each class, or None where all are 1."""
    K, asked = len(learner.classes_), learner.class_weight
    if asked is None:
        return None
    if isinstance(asked, str):
        n = data.reduce(partial(count_classes, K=K)).classes
        return n.sum() / (K * np.where(n > 0, n, 1.0))
    if not isinstance(asked, dict):
        must = "class_weight must be None, 'balanced' or a dict from class to weight"
        raise ParameterError(sentence(learner, must, repr(asked)))
    known = learner.classes_.tolist()
    strange = [label for label in asked if label not in known]
    if strange:
        must = f"class_weight must name classes among {known}"
        raise ParameterError(sentence(learner, must, repr(strange[0])))
    weights = np.array([float(asked.get(label, 1.0)) for label in known])
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        worst = weights[~(np.isfinite(weights) & (weights >= 0))][0]
        must = "the numbers in class_weight must be >= 0"
        raise ParameterError(sentence(learner, must, f"{worst:g}"))
    return weights
