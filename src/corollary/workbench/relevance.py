"""Columns scaled by how much they matter: distances forget columns of noise.

Learners of distances and of radial kernels count every column alike, so that each
column of noise hides the others.  Here the columns, scaled before, are multiplied by

    s_j = r_j^p / sqrt(mean_l r_l^{2p}),    r_j = max(importance_j, most / 1000)   (1)

where importance is how much the splits on a column lower the impurity of random trees,
fitted to the training rows alone.  With p = 0 nothing changes; with p = 1 columns of
noise nearly vanish.  The mean of s_j^2 is 1, so that widths of kernels keep their
meaning.  Many columns, most of them zeros (the words of texts), stay as they are.

References: Geurts, Ernst and Wehenkel (2006) for the importance; Neal (1996) for
automatic relevance determination, which this stands in for.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import Rule, check_parameters, real, whole
from corollary.core.randomness import generator
from corollary.core.roles import Estimator

__all__ = ["RelevanceScaler"]

LEAST = 1e-3  # of the largest importance
ROWS = 4_000  # that trees are grown on
TREES: dict[str, Any] = {
    "n_estimators": 100,
    "max_features": 0.7,
    "min_samples_leaf": 5,
}


class RelevanceScaler(TransformerMixin, Estimator):
    """Multiplies columns by a power of their importance (1).

    Parameters
    ----------
    power : float, default=0.5
    random_state : int, default=0

    Attributes
    ----------
    scale_ : array of shape (d,)
    n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.workbench.relevance import RelevanceScaler
    >>> X = np.random.default_rng(0).normal(size=(200, 2))
    >>> scaler = RelevanceScaler().fit(X, X[:, 0])
    >>> bool(scaler.scale_[0] > 1.5 * scaler.scale_[1])
    True
    """

    rules: ClassVar[dict[str, Rule]] = {
        "power": real(0, ends="[]"),
        "random_state": whole(0),
    }
    shapes: ClassVar[dict[str, str]] = {"scale_": "d"}

    def __init__(self, power: float = 0.5, random_state: int = 0) -> None:
        self.power = power
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Learn the factors from training rows; a target of decimals is a number."""
        check_parameters(self, self.rules)
        self.n_features_in_ = X.shape[1]
        if sp.issparse(X):
            self.scale_ = np.ones(X.shape[1])
            return self
        relevance = importances(np.asarray(X), np.asarray(y), self.random_state)
        r = np.maximum(relevance, LEAST * relevance.max()) ** self.power
        size = np.sqrt((r**2).mean())
        self.scale_ = r / size if size > 0 else np.ones(X.shape[1])
        return self

    def transform(self, X: Any) -> Any:
        """Return the columns times their factors."""
        check_is_fitted(self)
        if sp.issparse(X):
            return X.multiply(self.scale_).tocsr()
        return np.asarray(X) * self.scale_

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """Return the names as they came."""
        check_is_fitted(self)
        names = [f"x{j}" for j in range(self.n_features_in_)]
        return np.asarray(names if input_features is None else input_features, object)

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        good = self.scale_.dtype == np.float64 and len(self.scale_)
        if not good or not np.isfinite(self.scale_).all() or self.scale_.min() < 0:
            must = "scale_ must be finite decimals >= 0"
            raise DataError(sentence(self, must, "others"))


def importances(X: Floats, y: Vector, seed: int) -> Floats:
    """Return the importance of each column to random trees, 0 where none splits."""
    import corollary

    if len(y) > ROWS:
        at = generator(seed, 13).permutation(len(y))[:ROWS]
        X, y = X[at], y[at]
    numbers = y.dtype.kind == "f"
    kind = corollary.ExtraTreesRegressor if numbers else corollary.ExtraTreesClassifier
    if not numbers and len(np.unique(y)) < 2:
        return np.zeros(X.shape[1])
    trees = kind(**TREES, random_state=seed).fit(X, y)
    return np.asarray(trees.feature_importances_, dtype=np.float64)
