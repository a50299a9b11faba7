"""Classifiers by linear scores: what they share once they have learned.

    z(x) = W x + b                                                               (1)

one score for two classes, whose sign decides (or, where a link is not symmetric, on
which side of `boundary_` it lies), and one for each of more, the largest of which
decides.

Notation: W (1 or K, d) = coef_; b = intercept_.
"""

from __future__ import annotations

from typing import Any, Self

import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.roles import Classifier
from corollary.core.rows import dense

__all__ = ["LinearClassifier", "decided"]


class LinearClassifier(Classifier):
    """A classifier by linear scores; subclasses say how it learns."""

    takes_sparse = True
    theory = ("halfspaces",)
    coef_: Any
    intercept_: Any

    def decision_function(self, X: Any) -> Floats:
        """Return the scores W x + b: (n,) for two classes, (n, K) otherwise."""
        X = self._query(X)
        Z = dense(X @ self.coef_.T.astype(X.dtype)) + self.intercept_.astype(X.dtype)
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def predict(self, X: Any) -> Vector:
        """Return the class of largest score."""
        Z = self.decision_function(X)
        return self.classes_[decided(Z, getattr(self, "boundary_", 0.0))]

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


def decided(Z: Floats, boundary: float = 0.0) -> Vector:
    """Return the number of the class that scores (n,) or (n, K) decide for."""
    return (Z > boundary).astype(int) if Z.ndim == 1 else Z.argmax(axis=1)
