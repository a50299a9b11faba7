"""Partial least squares regression, in summation form.

Also known as: PLS, PLS1, PLS2, projection to latent structures, NIPALS, kernel PLS.

Directions are chosen one after the other so that the component t = Xc r covaries most
with y (or with some combination Yc c of several targets):

    w_a = argmax_{|w| = 1} max_{|c| = 1} cov(X_a w, Yc c)^2                      (1)

where X_a is Xc with the components before projected out of its columns.  So w_a is the
first left singular vector of X_a'Yc; with one target, w_1 is proportional to Xc'yc.
In terms of X itself and its loadings p_a = Xc't_a / t_a't_a,

    r_a = w_a - sum_{b < a} (p_b'w_a) r_b,      t_a = Xc r_a                     (2)
    X_{a+1}'Yc = X_a'Yc - p_a q_a' (t_a't_a),   q_a = Yc't_a / t_a't_a           (3)
    B_k = sum_{a <= k} q_a r_a'                                                  (4)

Nothing here needs the rows: in the principal axes Xc = U diag(s) V' the matrices are
diagonal, Xc'Xc -> diag(s^2) and Xc'Yc -> diag(s) Z, with Z = U'Yc, and every sum of (2)
and (3) costs as many products as there are axes.  So PLS takes one pass over any data.

The components are uncorrelated.  With one target b_k is the k-th step of conjugate
gradients on the normal equations from 0, so b_rank is least squares.

Notation: W = x_weights_; P = x_loadings_; R = x_rotations_; Q = y_loadings_.
Course: S3-93. References: Wold (1966); de Jong (1993); Dayal and MacGregor (1997).
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_targets
from corollary.core.parameters import boolean, one_of, real, whole
from corollary.core.roles import Projecting
from corollary.engine import Fitted
from corollary.linear.least_squares.component_regression import (
    ComponentRegression,
    Directions,
)
from corollary.linear.least_squares.principal_axes import PrincipalAxes, deviations
from corollary.linear.least_squares.principal_component_regression import longest

__all__ = ["PLSRegression"]

SPENT = 1e-13  # of its length at first: nothing of X'Y is left


class PLSRegression(Projecting, ComponentRegression):
    """Regression on components of X that covary with y.

    Parameters
    ----------
    n_components : int or 'cv', default=2
        Number of components; at most the rank of X have a part in y.  'cv' chooses by
        cross-validation.
    scale : bool, default=True
        Whether to divide every column of X and y by its standard deviation first.
    max_iter, tol, copy : ignored
        Kept for compatibility; (1) is solved by a singular value decomposition.
    n_folds : int, default=5
        Folds of the cross-validation; row n is in fold n mod n_folds.

    Attributes
    ----------
    coef_ : array of shape (m, d)
        For the columns as they came.
    intercept_ : array of shape (m,)
        Predictions are ``X @ coef_.T + intercept_``.
    x_weights_, x_loadings_, x_rotations_ : array of shape (d, k)
        W, P and R, for columns that are centred and scaled.
    y_weights_, y_loadings_ : array of shape (m, k)
        Both Q.
    y_rotations_ : array of shape (m, k)
    n_components_ : int
    n_iter_ : list of int
        One for each component.
    mean_, scale_ : array of shape (d,)
    y_mean_, y_scale_ : array of shape (m,)
    cv_errors_ : array
        Mean squared errors on rows held out for 1, 2, ... components, where chosen so.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import PLSRegression
    >>> X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 2.0], [0.0, -2.0]])
    >>> model = PLSRegression(1, scale=False).fit(X, X @ [1.0, 1.0])
    >>> (model.x_weights_[:, 0] * 17**0.5).round(6).tolist()
    [1.0, 4.0]
    """

    shapes: ClassVar = {
        "coef_": "m d",
        "intercept_": "m",
        "x_weights_": "d k",
        "x_loadings_": "d k",
        "x_rotations_": "d k",
        "y_weights_": "m k",
        "y_loadings_": "m k",
        "y_rotations_": "m k",
        "mean_": "d",
        "scale_": "d",
        "y_mean_": "m",
        "y_scale_": "m",
    }
    rules: ClassVar = {
        "n_components": whole(1) | one_of("cv"),
        "scale": boolean,
        "max_iter": whole(1),
        "tol": real(0),
        "copy": boolean,
        "n_folds": whole(2),
    }

    def __init__(
        self,
        n_components: Any = 2,
        *,
        scale: bool = True,
        max_iter: int = 500,
        tol: float = 1e-6,
        copy: bool = True,
        n_folds: int = 5,
    ) -> None:
        self.n_components = n_components
        self.scale = scale
        self.max_iter = max_iter
        self.tol = tol
        self.copy = copy
        self.n_folds = n_folds

    def _number(self, axes: PrincipalAxes) -> int:
        return int(self.n_components)

    def _directions(self, axes: PrincipalAxes, most: int) -> Directions:
        total = axes.rest + (axes.Z**2).sum(axis=0)
        m = len(total)
        sd = deviations(total, axes.n) if self.scale else np.ones(m)
        W, P, R, Q = components(axes.s, axes.Z / sd, min(most, len(axes.s)), axes.V)
        steps = np.einsum("rk,mk->krm", R, Q).cumsum(axis=0) * sd  # (4), on the axes
        if not len(steps):  # no column has a part in y
            steps = np.zeros((1, len(axes.s), m))
        B = np.einsum("krm,rd->kmd", steps, axes.V)
        B = B if axes.scale is None else B / axes.scale
        V = axes.V.T
        return Directions(B, axes.mean_y - B @ axes.mean_x, V @ R, V @ W, V @ P, Q, sd)

    def publish(self, fitted: Fitted) -> None:
        """Set the coefficients and the directions."""
        found, dtype = self._publish(fitted), fitted.state.dtype
        self.coef_ = found.B[-1].astype(dtype)
        self.x_weights_ = found.weights.astype(dtype)
        self.x_loadings_ = found.loadings.astype(dtype)
        self.x_rotations_ = found.rotations.astype(dtype)
        Q = found.y_loadings
        self.y_loadings_ = self.y_weights_ = Q.astype(dtype)
        self.y_rotations_ = (Q @ np.linalg.pinv(Q.T @ Q)).astype(dtype)
        self.y_mean_ = fitted.state.axes.mean_y.astype(dtype)
        self.y_scale_ = found.y_scale.astype(dtype)
        self.n_iter_ = [1] * self.n_components_
        self._n_features_out = self.n_components_
        axes = fitted.state.axes
        if len(axes.s) and not (axes.rest.any() or axes.Z.any()):
            text = "PLSRegression: y is constant; no component of X covaries with it."
            warnings.warn(text, UserWarning, stacklevel=6)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Floats:
        """Return X b + b0, in the shape of y."""
        P = self._linear(X)
        many = self._running is not None and self._running.state.many
        return P if many else P[:, 0]

    def transform(self, X: Any, y: Any = None) -> Any:
        """Return the components of rows, (n, k), and those of targets if given.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array of shape (n,) or (n, m), optional

        Returns
        -------
        components of X, or a pair of components of X and of y
        """
        X = self._query(X, self.x_rotations_.shape[1])
        W = self.x_rotations_ / self.scale_[:, None]
        T = np.asarray(X @ W - self.mean_ @ W)
        if y is None:
            return T
        Y = check_targets(self, y, X.shape[0], X.dtype, many=True)
        Y = Y if Y.ndim == 2 else Y[:, None]
        return T, (Y - self.y_mean_) / self.y_scale_ @ self.y_rotations_

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and return the components of the same rows and targets.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        return self.fit(X, y, sample_weight).transform(X, y)


def components(
    s: Floats, Z: Floats, most: int, V: Floats
) -> tuple[Floats, Floats, Floats, Floats]:
    """Return W, P, R (r, k) on the principal axes, and Q (m, k), of (1) to (3).

    The sign of w_a makes its entry of largest size, among the columns of X, positive.
    """
    C = s[:, None] * Z
    D, first = C.copy(), np.sqrt((C**2).sum())
    W: list[Floats] = []
    P: list[Floats] = []
    R: list[Floats] = []
    Q: list[Floats] = []
    for _ in range(most):
        if np.sqrt((D**2).sum()) <= SPENT * first:
            break
        w = np.linalg.svd(D, full_matrices=False)[0][:, 0]  # (1)
        w = w * np.where(longest((w @ V)[None])[0] < 0, -1.0, 1.0)
        r = w.copy()
        for p, before in zip(P, R, strict=True):  # (2), in turn
            r -= (p @ r) * before
        tt = ((s * r) ** 2).sum()
        p, q = s**2 * r / tt, C.T @ r / tt
        D = D - tt * np.outer(p, q)  # (3)
        for kept, new in zip((W, P, R, Q), (w, p, r, q), strict=True):
            kept.append(new)
    sizes = (len(s), len(s), len(s), Z.shape[1])
    parts = zip((W, P, R, Q), sizes, strict=True)
    return tuple(np.array(part).reshape(len(part), size).T for part, size in parts)  # type: ignore[return-value]
