"""Weights of the classes, from sums over the rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.class_weights import stated_class_weights
from corollary.engine import Data
from corollary.linear.logistic.logistic_sums import count_classes

__all__ = ["class_weights"]


def class_weights(learner: Any, data: Data) -> Floats | None:
    """Return one weight for each class, or None where all are 1."""
    if learner.class_weight is None:
        return None
    K = len(learner.classes_)
    totals: Floats = np.ones(K)
    if isinstance(learner.class_weight, str):
        totals = data.reduce(partial(count_classes, K=K)).classes
    return stated_class_weights(learner, totals)
