"""The prior-only rule: always the most frequent class, in summation form.

Also known as: majority class, baseline classifier, dummy classifier, ZeroR.

It looks at no feature.  With class shares pi_c = n_c / n, weighted,

    P(c | x) = pi_c  for every x,   error = 1 - max_c pi_c                       (1)

which is the best that can be done unseen, and what every classifier must beat.

Notation: pi = class_prior_; n_c = class_count_.
Course: S3-4. Reference: Duda, Hart, Stork (2001), 2.1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.parameters import array_like, missing
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier
from corollary.core.vectors import class_priors
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner

__all__ = ["PriorClassifier"]


@dataclass(frozen=True)
class ClassCounts(Statistics):
    """Weight of the rows of each class."""

    n: Floats  # (k,)


@dataclass(frozen=True)
class Shares:
    """The state: weights and shares of the classes."""

    k: int
    n: Any = None
    prior: Any = None


class PriorClassifier(SummationLearner, Classifier):
    """Predict the most frequent class, whatever the row.

    Parameters
    ----------
    priors : array of shape (k,), optional
        Class probabilities; by default the shares in the data (1).

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_count_ : array of shape (k,)
        Weight of the rows of each class.
    class_prior_ : array of shape (k,)
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import PriorClassifier
    >>> model = PriorClassifier().fit([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    >>> model.predict([[1.0]]).tolist(), model.predict_proba([[1.0]]).round(3).tolist()
    (['no'], [[0.667, 0.333]])
    """

    takes_sparse = True
    shapes: ClassVar = {"classes_": "k", "class_count_": "k", "class_prior_": "k"}
    rules: ClassVar = {"priors": missing | array_like}

    def __init__(self, *, priors: Any = None) -> None:
        self.priors = priors

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Shares:
        """Check the priors."""
        k = len(self.classes_)
        class_priors(self, self.priors, np.ones(k))
        return Shares(k)

    def statistics(self, chunk: Chunk, state: Shares) -> ClassCounts:
        """Weigh each class."""
        return ClassCounts(np.bincount(chunk.y, chunk.w, state.k).astype(float))

    def update(self, s: ClassCounts, state: Shares) -> Shares:
        """Turn weights into shares (1)."""
        return replace(state, n=s.n, prior=class_priors(self, self.priors, s.n))

    def objective(self, s: ClassCounts, state: Shares) -> float:
        """Return the error on the training rows."""
        return 1.0 - float(s.n[state.prior.argmax()] / s.n.sum())

    def account(self, state: Shares, report: Report) -> None:
        """Shares are exact."""
        report.optimality = Optimality("exact to rounding", 0.0)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        self.class_count_, self.class_prior_ = fitted.state.n, fitted.state.prior

    # -- use -----------------------------------------------------------------------
    def predict_proba(self, X: Any) -> Floats:
        """Return the class shares for each row."""
        rows = self._query(X).shape[0]
        return np.tile(self.class_prior_, (rows, 1))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of the class shares for each row."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> Vector:
        """Return the most frequent class for each row; ties go to the first."""
        P = self.predict_proba(X)
        return self.classes_[P.argmax(axis=1)]
