"""Linear classifiers that take one row after another: what they have in common.

Two classes need one machine with targets -1 and +1; K > 2 classes have a machine each,
against the rest, and the largest score wins.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.checks import check_two_classes
from corollary.core.errors import ParameterError, sentence
from corollary.engine import Data
from corollary.linear.class_weights import class_weights
from corollary.linear.online.sequential import LinearSequentialLearner, Plan

__all__ = ["SequentialClassifier"]


class SequentialClassifier(LinearSequentialLearner):
    """A linear classifier that learns row by row."""

    shapes: ClassVar[Mapping[str, str]] = {
        "classes_": "K",
        "coef_": "m d",
        "intercept_": "m",
    }
    classes_: Vector
    class_weight: Any

    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Make one epoch over one more batch; the first must name all `classes`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        classes : array, optional
            Every label that can ever come; required in the first call.

        Returns
        -------
        self
        """
        return self._go_on(X, y, sample_weight, classes)

    def _for_classes(self, plan: Plan, data: Data) -> list[Plan]:
        """Return a plan for each machine, with the weights of its two sides."""
        K = len(self.classes_)
        check_two_classes(self)
        if isinstance(self.class_weight, str) and data.once:
            must = "class_weight must be a dict or None in a stream"
            remedy = "Count the classes first and pass their weights."
            came = repr(self.class_weight)
            raise ParameterError(sentence(self, must, came, remedy))
        weights = class_weights(self, data)
        if weights is None:
            return [plan] * (1 if K == 2 else K)
        if K == 2:
            return [plan._replace(negative=weights[0], positive=weights[1])]
        return [plan._replace(positive=weight) for weight in weights]

    def _target(self, y: Any, machine: int) -> Vector:
        """Code a class as +1 and the rest as -1."""
        positive = 1 if len(self.classes_) == 2 else machine
        return np.where(y == positive, 1.0, -1.0)
