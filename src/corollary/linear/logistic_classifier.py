"""What a fitted logistic regression does: scores, classes and their probabilities.

    scores         Z = W x + b                                                   (1)
    two classes    P(y = 1 | x) = F(Z), the inverse of the link, in logarithms   (2)
    K classes      P(y = k | x) = softmax(Z)_k                                   (3)

The class of a row is the one of largest probability; of two classes, the second where
Z lies above the link of 1/2.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.base import Classifier
from corollary.core.rows import dense
from corollary.objectives.links import LINKS, Link
from corollary.objectives.softmax import log_softmax, softmax

__all__ = ["LogisticClassifier"]


class LogisticClassifier(Classifier):
    """A classifier by linear scores and a link; subclasses say how it learns."""

    takes_sparse = True
    coef_: Any
    intercept_: Any

    def probability_link(self) -> Link:
        """Return the link of (2)."""
        return LINKS["logit"]

    def sparsify(self) -> Self:
        """Keep only the nonzeros of `coef_`, as a sparse matrix.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = sp.csr_matrix(self.coef_)
        return self

    def densify(self) -> Self:
        """Make `coef_` an array again.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        self.coef_ = dense(self.coef_)
        return self

    def decision_function(self, X: Any) -> Floats:
        """Return the scores W x + b: (n,) for two classes, (n, K) otherwise."""
        X = self._query(X)
        Z = dense(X @ self.coef_.T.astype(X.dtype)) + self.intercept_.astype(X.dtype)
        return Z[:, 0] if Z.shape[1] == 1 else Z

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
