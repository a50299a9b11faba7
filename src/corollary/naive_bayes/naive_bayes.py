"""What every naive Bayes classifier shares: Bayes' rule on a model of each class.

Also known as: Bayes' rule, maximum a posteriori classification.

Given its class, a row's features are independent:

    log P(c, x) = log pi_c + sum_j log P(x_j | c)                                (1)
    P(c | x)    = P(c, x) / sum_b P(b, x)                                        (2)

in logarithms until the last step.  A probability of zero is a veto: it makes (1) minus
infinity whatever the other features say.  Where every class has vetoes, (2) is 0/0, and
its limit is taken as every zero becomes a small equal number: the classes with the
fewest vetoes share the row by the product of their other factors.  So a posterior is
never NaN.

Notation: pi (k,) class probabilities; J (n, k) the finite part of (1); V (n, k) how
many factors of (1) are zero.
Course: S3-28, S3-75. Reference: Mitchell (1997), ch. 6.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.roles import Classifier
from corollary.objectives.softmax import log_softmax, softmax

__all__ = ["Joint", "NaiveBayes", "vetoed"]


class Joint(NamedTuple):
    """The logarithm of (1), without its zero factors, and how many those are."""

    J: Floats  # (n, k)
    V: Floats | None = None  # (n, k); None = no factor is zero


class NaiveBayes(Classifier):
    """Applies Bayes' rule to a model of each class."""

    # logarithms of what was never seen, without smoothing
    may_be_infinite = ("class_log_prior_", "feature_log_prob_", "absence_log_prob_")

    # -- what each model of a class writes -----------------------------------------
    @abstractmethod
    def _joint(self, X: Matrix) -> Joint:
        """Return (1) for checked rows."""

    # -- use -----------------------------------------------------------------------
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log P(c, x) of each row and class (1), (n, k)."""
        J, V = self._joint(self._query(X))
        if V is None:
            return J
        return np.where(V == 0, J, np.copysign(np.inf, -V)).astype(J.dtype, copy=False)

    def predict(self, X: Any) -> Vector:
        """Return the most probable class of each row."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(c | x) of each row and class."""
        return log_softmax(self._scores(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return P(c | x) of each row and class."""
        return softmax(self._scores(X))

    def _scores(self, X: Any) -> Floats:
        """Return (1) up to a constant of the row: the classes with fewest vetoes."""
        J, V = self._joint(self._query(X))
        if V is None:
            return J
        fewest = V == V.min(axis=1, keepdims=True)
        return np.where(fewest, J, -np.inf).astype(J.dtype, copy=False)


def vetoed(joint: Joint, log_prior: Floats) -> Joint:
    """Let a class of probability zero lose to every other, whatever their vetoes."""
    absent = np.isneginf(log_prior)
    if joint.V is None or not absent.any():
        return joint
    return joint._replace(V=np.where(absent, np.inf, joint.V))
