"""Weights of the classes, from sums over the rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.class_weights import stated_class_weights
from corollary.engine import Chunk, Data

__all__ = ["class_totals", "class_weights"]


def class_weights(learner: Any, data: Data) -> Floats | None:
    """Return one weight for each class, or None where all are 1."""
    if learner.class_weight is None:
        return None
    K = len(learner.classes_)
    balanced = isinstance(learner.class_weight, str)
    totals = class_totals(data, K) if balanced else np.ones(K)
    return stated_class_weights(learner, totals)


def class_totals(data: Data, K: int) -> Floats:
    """Return the weight of each class."""
    return data.reduce(partial(count_classes, K=K))


def count_classes(chunk: Chunk, K: int) -> Any:
    """Return the weight of each class in a chunk."""
    return np.bincount(chunk.y, chunk.w, minlength=K).astype(np.float64)
