"""What a fitted logistic regression does: scores, classes and their probabilities.

    scores         Z = W x + b                                                   (1)
    two classes    P(y = 1 | x) = F(Z), the inverse of the link, in logarithms   (2)
    K classes      P(y = k | x) = softmax(Z)_k                                   (3)

The class of a row is the one of largest probability; of two classes, the second where
Z lies above the link of 1/2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.linear.linear_classifier import LinearClassifier
from corollary.objectives.links import LINKS, Link
from corollary.objectives.softmax import log_softmax, softmax

__all__ = ["LogisticClassifier"]


class LogisticClassifier(LinearClassifier):
    """A classifier by linear scores and a link; subclasses say how it learns."""

    def probability_link(self) -> Link:
        """Return the link of (2)."""
        return LINKS["logit"]

    def predict(self, X: Any) -> Vector:
        """Return the class of largest probability."""
        Z = self.decision_function(X)
        if Z.ndim == 2:
            return self.classes_[Z.argmax(axis=1)]
        even = float(self.probability_link().of(np.array(0.5)))
        return self.classes_[(Z > even).astype(int)]

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x), (n, K)."""
        if self.probability_link() == LINKS["logit"]:
            return softmax(self._logits(X))
        return np.exp(self.predict_log_proba(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | x), (n, K)."""
        if self.probability_link() == LINKS["logit"]:
            return log_softmax(self._logits(X))
        Z = self.decision_function(X)
        logs = self.probability_link().logs(Z.astype(np.float64))
        return np.column_stack([logs.rest, logs.mean]).astype(Z.dtype)

    def _logits(self, X: Any) -> Floats:
        Z = self.decision_function(X)
        return np.column_stack([np.zeros_like(Z), Z]) if Z.ndim == 1 else Z
