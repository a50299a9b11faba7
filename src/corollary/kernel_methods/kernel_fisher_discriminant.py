"""Fisher's discriminant in a kernel's feature space, with a ridge.

Also known as: kernel Fisher discriminant, KFD, KFDA, generalised discriminant analysis,
GDA, kernel LDA, kernel discriminant analysis.

With the spreads W within and B between the classes of `FisherDiscriminant`, taken in
the feature space of a kernel, maximise over v

    J(v) = v'B v / v'(W + e I) v,       e = ridge * tr W                         (1)

With v = sum_i a_i phi(x_i), class c's means nu_c = (mean over l in c of k(x_l, x_j))_j,
its columns K_c (n, n_c) of the kernel matrix, and shares pi_c of the rows,

    v'W v = a'N a,   N = sum_c pi_c (1/n_c) K_c (I - 11'/n_c) K_c',  v'v = a'K a (2)

and for two classes  (N + e K) a ~ nu_1 - nu_0.  N has a rank of at most n less the
number of classes: without a ridge, directions in which the classes have no spread at
all, of which n rows in a rich space have many, are lost.

    Computation.  K = Q diag(l) Q' gives every row the coordinates Z = Q diag(l)^1/2,
    whose inner products are K: an explicit map.  `FisherDiscriminant` on Z, with the
    shrinkage s that mixes W with a sphere as (1) does, finds V, and

        a = Q diag(l)^-1/2 V,    s = r ridge / (1 + r ridge),  Z (n, r)          (3)

The nearest projected mean decides, or for two classes the intercept of fewest errors.
All rows are kept; `FisherDiscriminant` on explicit features has a summation form.

Notation: a = dual_coef_ (columns, with v'(W + e I)v = 1); J = criterion_; the projected
means = means_.
Course: S2-12. References: Mika, Ratsch, Weston, Scholkopf and Muller (1999); Baudat and
Anouar (2000).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import missing, one_of, real, whole
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier, Projecting
from corollary.discriminants.fisher_discriminant import FisherDiscriminant
from corollary.engine.sources.source import Chunk
from corollary.kernel_methods.feature_space import (
    FeatureSpaceLearner,
    expanded,
    kept_rows,
)
from corollary.kernel_methods.kernel_nearest_centroid import require_classes
from corollary.kernels.machine_kernel import SPACE_RULES, warn_of_kernel
from corollary.linear_algebra.decompositions import eigh

__all__ = ["KernelFisherDiscriminant", "empirical_map"]


class KernelFisherDiscriminant(FeatureSpaceLearner, Projecting, Classifier):
    """Fisher's discriminant with a kernel: a projection, and the rule on it.

    Parameters
    ----------
    ridge : float, default=1e-3
        e of (1) as a share of tr W.  0 inverts W on its range.
    n_components : int, optional
        Directions to keep, at most K - 1, which is the default.
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
    weighting : {'rows', 'classes'}, default='rows'
        Whether W and B count rows, or every class alike.
    intercept : {'centres', 'errors'}, default='centres'
        How two classes are told apart on their direction: by the nearest mean, or with
        the fewest training errors.

    Attributes
    ----------
    classes_ : array of shape (K,)
    dual_coef_ : array of shape (n, n_components)
    criterion_ : array of shape (n_components,)
        J along each direction.
    means_ : array of shape (K, n_components)
    intercept_ : array of shape (1,)
        For two classes.
    X_fit_ : array or CSR of shape (n, d)
        The training rows, which prediction needs: a model file holds them.
    gamma_ : float
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KernelFisherDiscriminant
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> Z, y = np.vstack([X, X + 0.1]), [0, 0, 1, 1] * 2  # exclusive or
    >>> KernelFisherDiscriminant().fit(Z, y).predict(X).tolist()
    [0, 0, 1, 1]
    """

    shapes: ClassVar = {
        "classes_": "K",
        "dual_coef_": "n q",
        "X_fit_": "n d|0 0",
        "means_": "K q",
    }
    rules: ClassVar = {
        "ridge": real(0),
        "n_components": missing | whole(1),
        **SPACE_RULES,
        "weighting": one_of("rows", "classes"),
        "intercept": one_of("centres", "errors"),
    }

    def __init__(
        self,
        ridge: float = 1e-3,
        *,
        n_components: int | None = None,
        kernel: Any = "rbf",
        gamma: Any = "scale",
        degree: int = 3,
        coef0: float = 1,
        kernel_params: dict[str, Any] | None = None,
        weighting: str = "rows",
        intercept: str = "centres",
    ) -> None:
        self.ridge = ridge
        self.n_components = n_components
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_params = kernel_params
        self.weighting = weighting
        self.intercept = intercept

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the kernel matrix and what is decomposed of it."""
        return rows * (48.0 * rows + 8.0 * features + 100.0)

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Map the rows by (3), and find the directions there."""
        self._check_classes()
        data = kept_rows(self, rows)
        threads = get_config().threads
        Z, back = empirical_map(data.kernel.matrix(data.X, np.float64, threads))
        r = Z.shape[1]
        most = min(len(self.classes_) - 1, max(r, 1))
        spread = max(
            float(np.ptp(Z[rows.y == c], axis=0).max(initial=0.0))
            for c in range(len(self.classes_))
        )
        if not spread > 1e-7 * float(np.abs(Z).max(initial=0.0)):
            must = "some class must have rows that the kernel tells apart"
            raise DataError(sentence(self, must, "classes of equal rows"))
        s = r * self.ridge / (1 + r * self.ridge)
        linear = FisherDiscriminant(
            min(self.n_components or most, most),
            weighting=self.weighting,
            shrinkage=s,
            intercept=self.intercept,
        ).fit(Z, rows.y, rows.w)
        unit = np.sqrt(1 - s)  # from v'((1 - s) W + ...)v = 1 to that of W + e I
        V = linear.directions_ * unit
        dtype = data.X.dtype
        self.dual_coef_ = (back @ V).astype(dtype)
        self.means_ = (linear.means_ @ V).astype(dtype)
        self.criterion_ = linear.criterion_ * (1 - s)
        self._n_features_out = V.shape[1]
        if len(self.classes_) == 2:
            self.intercept_ = (linear.intercept_ * unit).astype(dtype)
        self._account(linear, report)
        report.facts["n_rows_kept"] = data.n
        warn_of_kernel(data, report)

    def _check_classes(self) -> None:
        require_classes(self)
        k = len(self.classes_)
        if self.n_components is not None and self.n_components > k - 1:
            must = f"n_components must be at most K - 1 = {k - 1}"
            raise ParameterError(sentence(self, must, f"{self.n_components}"))
        if self.intercept == "errors" and k > 2:
            must = "intercept='errors' needs two classes"
            remedy = "Use 'centres'."
            raise ParameterError(sentence(self, must, f"{k} classes", remedy))

    def _account(self, linear: FisherDiscriminant, report: Report) -> None:
        report.optimality = Optimality("exact to rounding", 0.0)
        report.condition = linear.report_.condition
        rank, r = linear.report_.facts["rank_within"], linear.n_features_in_
        report.facts["dimension"] = r
        if rank < r:
            report.warnings.append(
                f"W has the rank {rank} in a space of {r} dimensions, and was inverted "
                "on its range: directions without spread within the classes are lost. "
                "Use ridge > 0."
            )

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Project rows on the directions, (n, n_components)."""
        return expanded(self, X)

    def decision_function(self, X: Any) -> Floats:
        """Return v'phi(x) + b of two classes, (n,), or scores, (n, K).

        The scores of more classes are half the squared distances to the projected
        means, negated, up to a term in x alone.
        """
        T = self.transform(X)
        if len(self.classes_) == 2:
            return T[:, 0] + self.intercept_.astype(T.dtype)
        m = self.means_.astype(T.dtype)
        return T @ m.T - 0.5 * (m**2).sum(axis=1)

    def predict(self, X: Any) -> Vector:
        """Return the class of the nearest projected mean, or by the sign."""
        g = self.decision_function(X)
        best = (g > 0).astype(int) if g.ndim == 1 else g.argmax(axis=1)
        return self.classes_[best]


def empirical_map(K: Floats) -> tuple[Floats, Floats]:
    """Return Z with Z Z' = K, and the matrix that turns directions into coefficients.

    Parameters
    ----------
    K : array of shape (n, n)
        Symmetric; negative eigenvalues are left out.

    Returns
    -------
    Z : array of shape (n, r)
    back : array of shape (n, r)
        For a direction v the function z'v is sum_i a_i k(., x_i) with a = back v.

    Examples
    --------
    >>> import numpy as np
    >>> Z, back = empirical_map(np.array([[4.0, 2.0], [2.0, 1.0]]))
    >>> (Z @ Z.T).round(12).tolist(), Z.shape
    ([[4.0, 2.0], [2.0, 1.0]], (2, 1))
    """
    values, Q = eigh((K + K.T) / 2)
    kept = values > 10 * len(K) * np.finfo(np.float64).eps * max(values[-1], 0.0)
    root, Q = np.sqrt(values[kept]), Q[:, kept]
    return Q * root, Q / root
