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

The scores of y that belong to t_a are those of what the components before have left,

    u_a = Y_a q_a / q_a'q_a,      Y_{a+1} = Y_a - t_a q_a'                       (5)

Nothing here needs the rows: in the principal axes Xc = U diag(s) V' the matrices are
diagonal, Xc'Xc -> diag(s^2) and Xc'Yc -> diag(s) Z, with Z = U'Yc, and every sum of (2)
and (3) costs as many products as there are axes.  So PLS takes one pass over any data.

The components are uncorrelated.  With one target b_k is the k-th step of conjugate
gradients on the normal equations from 0, so b_rank is least squares.

Notation: W = x_weights_; P = x_loadings_; R = x_rotations_; Q = y_loadings_; t =
x_scores_; u = y_scores_.
Course: S3-93. References: Wold (1966); de Jong (1993); Dayal and MacGregor (1997).
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_array, check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_targets, matching
from corollary.core.errors import DataError, sentence
from corollary.core.memory import exceeds_memory
from corollary.core.parameters import boolean, one_of, real, whole
from corollary.core.roles import Projecting
from corollary.core.warn import warn
from corollary.core.wording import one_sentence
from corollary.engine import Chunk, Data, Fitted, Settled
from corollary.linear.least_squares.component_regression import (
    ComponentFit,
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
    x_scores_, y_scores_ : array of shape (n, k)
        t and u of the training rows; only where the data is in memory and they are
        within its limit.  As many components as features tell the rows themselves: a
        model file has neither.
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
    of_rows = ("x_scores_", "y_scores_")
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

    def settle(self, data: Data, state: ComponentFit) -> Settled:
        """Take the scores of rows that are in memory, where they fit beside them."""
        if data.once or not data.source.in_memory or state.directions is None:
            return Settled(state)
        k = state.directions.rotations.shape[1]
        if exceeds_memory(32.0 * k * data.n_rows):  # of both, in parts and joined
            return Settled(state)
        return Settled(state, data.rows(partial(scores_of, state=state)))

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
        self._set_scores(fitted.rows)
        axes = fitted.state.axes
        if len(axes.s) and not (axes.rest.any() or axes.Z.any()):
            text = "PLSRegression: y is constant; no component of X covaries with it."
            warn(text)

    def _set_scores(self, rows: Any) -> None:
        if rows is not None:
            self.x_scores_, self.y_scores_ = rows
        elif hasattr(self, "x_scores_"):
            del self.x_scores_, self.y_scores_

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any, copy: bool = True) -> Floats:
        """Return X b + b0, in the shape of y.

        Parameters
        ----------
        X : array of shape (n, d)
        copy : ignored
            Kept for compatibility; X is never changed.

        Returns
        -------
        array of shape (n,) or (n, m)
        """
        P = self._linear(X)
        many = self._running is not None and self._running.state.many
        return P if many else P[:, 0]

    def transform(self, X: Any, y: Any = None, copy: bool = True) -> Any:
        """Return the components of rows, (n, k), and those of targets if given.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array of shape (n,) or (n, m), optional
        copy : ignored
            Kept for compatibility; X and y are never changed.

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

    def inverse_transform(self, X: Any, y: Any = None) -> Any:
        """Reconstruct rows from their components, and targets from theirs if given.

        Rows are exact where there are as many components as the rank of X.

        Parameters
        ----------
        X : array of shape (n, k)
            Components of rows, as `transform` gives them.
        y : array of shape (n, k), optional
            Components of targets.

        Returns
        -------
        rows of shape (n, d), or a pair of rows and of targets (n, m)
        """
        check_is_fitted(self)
        T = self._scores(X, "X")
        rows = T @ (self.x_loadings_.T * self.scale_) + self.mean_
        if y is None:
            return rows
        U = matching(self, self._scores(y, "y"), len(T))
        return rows, U @ (self.y_loadings_.T * self.y_scale_) + self.y_mean_

    def _scores(self, T: Any, name: str) -> Floats:
        """Check components: one column for each."""
        with one_sentence(self, name):
            kinds = [np.float64, np.float32]
            T = check_array(T, dtype=kinds, ensure_min_features=0, input_name=name)
        if T.shape[1] != self.n_components_:
            must = f"{name} must have {self.n_components_} columns, one a component"
            raise DataError(sentence(self, must, f"{T.shape[1]}"))
        return T

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and return the components of the same rows and targets.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`.
        """
        return self.fit(X, y, sample_weight).transform(X, y)


def scores_of(chunk: Chunk, state: ComponentFit) -> tuple[Vector, ...]:
    """Return t = Xc r (2) and u (5) of a chunk's rows."""
    axes, found = state.axes, state.directions
    assert axes is not None  # update has been there
    assert found is not None
    R, Q = found.rotations, found.y_loadings
    R = R if axes.scale is None else R / axes.scale[:, None]
    T = np.asarray(chunk.X @ R - axes.mean_x @ R)
    Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
    Y, U = (Y - axes.mean_y) / found.y_scale, np.empty_like(T)
    for a, q in enumerate(Q.T):
        U[:, a] = Y @ q / (q @ q)  # (5)
        Y = Y - np.outer(T[:, a], q)
    return T.astype(state.dtype), U.astype(state.dtype)


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
        if D.shape[1] == 1:
            w = D[:, 0] / np.sqrt((D**2).sum())
        else:
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
