"""Nearest centroid in a kernel's feature space.

Also known as: kernel nearest centre, kernel mean classifier, Parzen window classifier,
kernel Rocchio, minimum maximum-mean-discrepancy to a class.

A class is the mean of its rows in feature space, m_c = (1/W_c) sum_{i in c} w_i phi_i
with W_c the weight of the class.  It is never formed, as its distance needs inner
products only:

    ||phi(x) - m_c||^2 = k(x, x) - (2/W_c) sum_{i in c} w_i k(x, x_i)
                         + (1/W_c^2) sum_{i, l in c} w_i w_l k(x_i, x_l)         (1)

A row belongs to the nearest.  k(x, x) is common to all, so the score of a class is

    g_c(x) = (1/W_c) sum_{i in c} w_i k(x, x_i) - 1/2 ||m_c||^2                  (2)

where with a kernel that is a density, such as 'rbf' up to a factor, the sum is the
Parzen estimate of the class.  With the linear kernel this is `NearestCentroid`, which
has the summation form that this method lacks: all rows are kept.

Notation: w_i / W_c = dual_coef_; ||m_c||^2 = square_norms_.
Course: S2-7. References: Scholkopf and Smola (2002), 1.2; Shawe-Taylor and Cristianini
(2004), 5.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier
from corollary.engine.sources.source import Chunk
from corollary.kernel_methods.feature_space import (
    FeatureSpaceLearner,
    expanded,
    kept_rows,
)
from corollary.kernels.machine_kernel import (
    SPACE_RULES,
    TrainingRows,
    kernel_of,
    warn_of_kernel,
)
from corollary.solvers.shifted_system import products

__all__ = ["KernelNearestCentroid", "require_classes"]


class KernelNearestCentroid(FeatureSpaceLearner, Classifier):
    """Decides for the class whose mean in feature space is nearest.

    Parameters
    ----------
    kernel : str or function, default='rbf'
        As in `KernelRidge`.
    gamma : float, 'scale', 'auto' or None, default='scale'
        As in `KernelRidge`.
    degree : int, default=3
        Of 'poly'.
    coef0 : float, default=1
        Of 'poly' and 'sigmoid'.
    kernel_params : dict, optional
        More arguments of a kernel that is a function.

    Attributes
    ----------
    classes_ : array of shape (K,)
    dual_coef_ : array of shape (n, K)
        The share of each row in the mean of each class.
    square_norms_ : array of shape (K,)
        Of the means.
    X_fit_ : array or CSR of shape (n, d)
        The training rows, which prediction needs: a model file holds them.
    gamma_ : float
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KernelNearestCentroid
    >>> X = np.array([[-1.0], [-0.9], [0.9], [1.0], [-0.1], [0.1]])
    >>> y = ["outer"] * 4 + ["inner"] * 2  # both means are 0
    >>> model = KernelNearestCentroid(gamma=2.0).fit(X, y)
    >>> model.predict([[0.0], [1.2], [-1.1]]).tolist()
    ['inner', 'outer', 'outer']
    """

    shapes: ClassVar = {
        "classes_": "K",
        "dual_coef_": "n K",
        "X_fit_": "n d|0 0",
        "square_norms_": "K",
    }
    rules: ClassVar = SPACE_RULES

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
    ) -> None:
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Take the share of each row in its class, and the means' norms."""
        require_classes(self)
        data, K = kept_rows(self, rows), len(self.classes_)
        shares = np.zeros((data.n, K))
        each = data.w / np.bincount(data.y, data.w, K)[data.y]
        shares[np.arange(data.n), data.y] = each
        norms = [square_norm(data, shares[:, c]) for c in range(K)]
        self.dual_coef_ = shares.astype(data.X.dtype)
        self.square_norms_ = np.array(norms)
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["n_rows_kept"] = data.n
        warn_of_kernel(data, report)

    # -- use -----------------------------------------------------------------------
    def _scores(self, X: Any) -> Floats:
        """Return (2), (n, K)."""
        g = expanded(self, X)
        return g - (0.5 * self.square_norms_).astype(g.dtype)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores (2), (n, K); for two classes g_1 - g_0, (n,)."""
        g = self._scores(X)
        return g[:, 1] - g[:, 0] if g.shape[1] == 2 else g

    def predict(self, X: Any) -> Vector:
        """Return the class of the nearest mean."""
        best = self._scores(X).argmax(axis=1)
        return self.classes_[best]

    def distances(self, X: Any) -> Floats:
        """Return the distance (1) of each row to each mean, (n, K).

        Parameters
        ----------
        X : array or CSR of shape (n, d)
            Not for a precomputed kernel, whose k(x, x) is not known.
        """
        g = self._scores(X)
        if self.kernel == "precomputed":
            must = "distances needs k(x, x) of each row"
            remedy = "Use decision_function, which does not."
            raise DataError(sentence(self, must, "a precomputed kernel", remedy))
        norms = kernel_of(self, self.gamma_).square_norms(self._query(X))
        return np.sqrt(np.maximum(norms[:, None] - 2 * g, 0.0))


def square_norm(data: TrainingRows, share: Floats) -> float:
    """Return ||m_c||^2 from the rows of one class alone."""
    some = np.flatnonzero(share)
    part = data.X[some]
    part = part[:, some] if data.kernel.function is None else part
    p, gram = (
        share[some][:, None],
        data.kernel.gram(part, np.float64, get_config().threads),
    )
    return float((p * products(gram, p)).sum())


def require_classes(learner: Any) -> None:
    """Refuse data of one class."""
    if len(learner.classes_) < 2:
        must = "The number of classes has to be greater than one"
        came = f"one class, {learner.classes_.tolist()[0]!r}"
        raise DataError(sentence(learner, must, came))
