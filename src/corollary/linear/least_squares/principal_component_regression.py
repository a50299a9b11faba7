"""Principal component regression, in summation form.

Also known as: PCR, least squares on principal components.

With the singular value decomposition Xc = U diag(s) V' of the centred (and scaled)
columns, y is regressed on the first k principal components X v_a only,

    b_k = sum_{a <= k} (u_a'yc / s_a) v_a                                        (1)

which is least squares with all axes of small variance left out, where least squares has
its variance: Var(v_a'b) = sigma^2 / s_a^2.  Ridge regression shrinks the same axes
smoothly, by s_a^2 / (s_a^2 + alpha); here the factors are 1 and 0.  With k = rank X (1)
is least squares.  The choice of axes does not look at y (partial least squares does);
k is given, or as the share of variance to keep, or chosen by cross-validation.

Notation: V' = components_; s_a^2 / (n - 1) = explained_variance_.
Course: S3-92. References: Massy (1965); Hastie, Tibshirani, Friedman (2009), 3.5.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.parameters import boolean, missing, one_of, real, whole
from corollary.engine import Fitted
from corollary.linear.least_squares.component_regression import (
    ComponentRegression,
    Directions,
)
from corollary.linear.least_squares.principal_axes import PrincipalAxes

__all__ = ["PrincipalComponentRegression"]


class PrincipalComponentRegression(ComponentRegression):
    """Least squares on the first principal components of X.

    Parameters
    ----------
    n_components : int, float, 'cv' or None
        k; a share in (0, 1) of the variance of X that the components must keep at
        least; 'cv' chooses by cross-validation; None takes all, which is least squares.
    scale : bool, default=True
        Whether to divide every column by its standard deviation first.
    n_folds : int, default=5
        Folds of the cross-validation; row n is in fold n mod n_folds.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
        For the columns as they came.
    intercept_ : float or array of shape (m,)
    n_components_ : int
    components_ : array of shape (k, d)
        Directions of the scaled columns, orthonormal.
    explained_variance_, explained_variance_ratio_ : array of shape (k,)
    mean_, scale_ : array of shape (d,)
    cv_errors_ : array
        Mean squared errors on rows held out for 1, 2, ... components, where chosen so.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import PrincipalComponentRegression
    >>> X = np.array([[-2.0, -1.0], [-1.0, -2.0], [1.0, 2.0], [2.0, 1.0]])
    >>> model = PrincipalComponentRegression(1, scale=False).fit(X, X.sum(axis=1))
    >>> model.coef_.round(6).tolist()
    [1.0, 1.0]
    """

    shapes: ClassVar = {
        "coef_": "d|m d",
        "intercept_": "|m",
        "components_": "k d",
        "mean_": "d",
        "scale_": "d",
    }
    rules: ClassVar = {
        "n_components": missing | whole(1) | real(0, 1, ends="()") | one_of("cv"),
        "scale": boolean,
        "n_folds": whole(2),
    }

    def __init__(
        self, n_components: Any = None, *, scale: bool = True, n_folds: int = 5
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.n_folds = n_folds

    def _number(self, axes: PrincipalAxes) -> int:
        k = self.n_components
        if k is None:
            return len(axes.s)
        if isinstance(k, float | np.floating):
            kept = np.cumsum(axes.s**2) / max((axes.s**2).sum(), 1e-300)
            return int(np.searchsorted(kept, k - 1e-12)) + 1
        return int(k)

    def _directions(self, axes: PrincipalAxes, most: int) -> Directions:
        k = min(most, len(axes.s))
        f = np.tril(np.ones((max(k, 1), len(axes.s)))) / axes.s  # (1), row by row
        B, b0 = axes.coefficients(f)
        V = axes.V[:k].T * np.where(longest(axes.V[:k]) < 0, -1.0, 1.0)
        q = axes.Z[:k].T / axes.s[:k] * np.where(longest(axes.V[:k]) < 0, -1.0, 1.0)
        return Directions(B, b0, V, V, V, q, np.ones(len(q)))

    def publish(self, fitted: Fitted) -> None:
        """Set the coefficients and the components."""
        found, axes = self._publish(fitted), fitted.state.axes
        dtype, k = fitted.state.dtype, self.n_components_
        coef = found.B[-1].astype(dtype)
        self.coef_ = coef if fitted.state.many else coef[0]
        self.intercept_ = self.intercept_ if fitted.state.many else self.intercept_[0]
        self.components_ = np.ascontiguousarray(found.rotations.T).astype(dtype)
        variance = axes.s**2 / max(axes.n - 1, 1.0)
        self.explained_variance_ = variance[:k].astype(dtype)
        share = variance[:k] / max(variance.sum(), 1e-300)
        self.explained_variance_ratio_ = share.astype(dtype)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        return self._linear(X)

    def transform(self, X: Any) -> Floats:
        """Return the components of rows, (n, k).

        Parameters
        ----------
        X : array of shape (n, d)
        """
        X = self._query(X, len(self.components_))
        W = (self.components_ / self.scale_).T
        return np.asarray(X @ W - self.mean_ @ W)

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Floats:
        """Fit, and return the components of the same rows.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        return self.fit(X, y, sample_weight).transform(X)


def longest(V: Floats) -> Floats:
    """Return the entry of each row that is largest in size."""
    if not V.size:
        return np.zeros(len(V))
    return V[np.arange(len(V)), np.abs(V).argmax(axis=1)]
