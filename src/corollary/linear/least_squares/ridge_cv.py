"""Ridge regression that chooses its penalty by cross-validation, in summation form.

Also known as: leave-one-out ridge, cross-validated weight decay, lambda curve, LOOCV.

One decomposition gives the coefficients for every alpha, and one more pass their exact
leave-one-out errors (`ridge_path.py`).  With `cv` the rows are parted in folds
instead: the fit without fold k needs the moments of the other folds, which are sums of
theirs, so that every row is read once for all folds and all alphas,

    b_k(alpha) from sum_{j != k} moments of fold j,
    score_k(alpha) = R^2 on fold k, or what `scoring` says                       (1)

The alpha with the best score, or the best mean of (1), is taken.

The errors must be measured on rows that were held out and without the penalty: the
minimum of the penalised objective itself rises with alpha, so that choosing by it
always takes the least alpha.

Notation: X (n, d); y (n,) or (n, m); a alphas.
Course: S4-62, S3-90, S3-99. References: Golub, Heath and Wahba (1979); Stone (1974).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.metrics import get_scorer, get_scorer_names

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    anything,
    array_like,
    boolean,
    function,
    missing,
    one_of,
    real,
)
from corollary.core.warn import warn_of_change
from corollary.engine import ArraySource, Chunk, Data, Fitted, Settled
from corollary.linear.convex_statements import ridge_problem
from corollary.linear.folds import folds_of
from corollary.linear.least_squares.principal_axes import PrincipalAxes
from corollary.linear.least_squares.ridge_path import (
    RidgePathLearner,
    Trail,
    axes_of_rows,
    held_out,
    left_out,
)
from corollary.linear.sparse.elastic_net_cv_learner import train_moments

__all__ = ["RidgeCV"]


class RidgeCV(RidgePathLearner):
    """Ridge regression with the penalty chosen by leave-one-out or k folds.

    Parameters
    ----------
    alphas : array of shape (a,), default=(0.1, 1.0, 10.0)
        Penalties to try; above 0 unless `cv` is given.
    fit_intercept : bool, default=True
        Whether to fit b0, which is not penalised.
    scoring : str or function, optional
        A name of scikit-learn's, or ``f(estimator, X, y)``, higher is better.  By
        default minus the mean squared error without `cv`, and R^2 with it.
    cv : int, splitter or iterable of (train, test), optional
        Folds instead of leave-one-out, of the rows whose weight is not 0.
        A row of weight 0 is left out before folds are made; a row of weight 2 lies in
        one fold, while copies of a row may lie in several, unless splits keep them
        together.
    gcv_mode : {'auto', 'svd', 'eigen'}, optional
        Kept for compatibility; the conditioning decides.  'svd' for sparse X is
        deprecated.
    store_cv_results : bool, default=False
        Whether to keep the squared error of every row left out, or its prediction
        where `scoring` is given.
    alpha_per_target : bool, default=False
        Whether every target gets an alpha of its own.

    Attributes
    ----------
    alpha_ : float or array of shape (m,)
    best_score_ : float or array of shape (m,)
    coef_ : array of shape (d,) or (m, d)
    intercept_ : float or array of shape (m,)
    cv_results_ : array of shape (n, a) or (n, m, a)
        Where asked for.
    path_ : RidgePath
        Coefficients, degrees of freedom, GCV and leave-one-out errors at all alphas.
    scores_ : array of shape (a,) or (a, m)
        The score of every alpha, the curve that the choice was made on.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import RidgeCV
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(30, 10))
    >>> model = RidgeCV([0.01, 1.0, 100.0]).fit(X, X[:, 0] + rng.normal(size=30))
    >>> model.alpha_
    1.0
    """

    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "|m"}
    may_be_infinite = ("scores_", "best_score_")  # of one row, with none left to fit
    rules: ClassVar[Any] = {
        "alphas": array_like | real(0),
        "fit_intercept": boolean,
        "scoring": missing | one_of(*get_scorer_names()) | function,
        "cv": anything,
        "gcv_mode": missing | one_of("auto", "svd", "eigen"),
        "store_cv_results": boolean,
        "alpha_per_target": boolean,
    }

    convex_problem = ridge_problem

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        scoring: Any = None,
        cv: Any = None,
        gcv_mode: str | None = None,
        store_cv_results: bool = False,
        alpha_per_target: bool = False,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.gcv_mode = gcv_mode
        self.store_cv_results = store_cv_results
        self.alpha_per_target = alpha_per_target

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Trail:
        """Check what goes together, then choose the route."""
        alphas = self._grid()
        least = float(alphas.min())
        if self.cv is None and least <= 0:
            must = "alphas must be > 0 where rows are left out one by one"
            raise ParameterError(sentence(self, must, f"{least:g}", "Give cv."))
        if self.gcv_mode == "svd" and data.source.sparse:
            text = "gcv_mode='svd' for sparse X is deprecated; use 'auto' or 'eigen'"
            warn_of_change(self, text)
        for name in ("store_cv_results", "alpha_per_target"):
            if self.cv is not None and getattr(self, name):
                must = f"cv!=None and {name}=True are incompatible: cv must be None"
                raise ParameterError(sentence(self, must, repr(self.cv)))
        if self.cv is not None and not isinstance(data.source, ArraySource):
            must = "cv needs rows in memory"
            remedy = "Use cv=None, which leaves out the rows of any data."
            raise DataError(sentence(self, must, data.source.described, remedy))
        return self._begin(data, alphas)

    def settle(self, data: Data, state: Trail) -> Settled:
        """Score every alpha on rows held out."""
        state, rows = self._gathered(data, state)
        if isinstance(data.source, ArraySource) and self.cv is not None:
            return Settled(replace(state, scores=self._by_folds(data.source, state)))
        options = self._of_rows(data, state)
        if self.scoring is None and not self.store_cv_results:
            if rows is None:
                total = data.reduce(partial(held_out, **options))
            else:
                total = held_out(rows, **options)
            return Settled(self._left_out(state, total.squares / total.n))
        if rows is None:
            E, Y, w = data.rows(partial(rows_left_out, **options))
        else:
            E, Y, w = rows_left_out(rows, **options)
        weights = None if w.shape[1] == 0 else w[:, 0]
        squares = E**2 if weights is None else E**2 * weights[:, None, None]
        loo = np.average(E**2, axis=0, weights=weights).T  # (a, m)
        state = self._left_out(state, loo)
        results = squares
        if self.scoring is not None:
            results = Y[:, :, None] - E  # predictions of the rows left out
            scores = [self._scored(P, Y, weights) for P in np.moveaxis(results, 2, 0)]
            state = replace(state, scores=np.array(scores))
        kept = results if state.many else results[:, 0]
        return Settled(replace(state, results=kept if self.store_cv_results else None))

    def publishable(self, state: Trail) -> bool:
        """Say whether there are scores to choose by."""
        return state.scores is not None

    def _left_out(self, state: Trail, loo: Floats) -> Trail:
        """Score by the mean squared error of rows left out, (a, m)."""
        assert state.path is not None
        path = replace(state.path, loo=loo if state.many else loo[:, 0])
        scores = -loo if self.alpha_per_target else -loo.mean(axis=1, keepdims=True)
        return replace(state, path=path, scores=scores)

    def _scored(self, P: Floats, Y: Floats, w: Vector | None) -> Floats:
        """Score predictions P (n, m): one score, or one for each target."""
        scorer = get_scorer("r2" if self.scoring is None else self.scoring)
        named = self.scoring is None or isinstance(self.scoring, str)
        more = {"sample_weight": w} if w is not None and named else {}
        if self.alpha_per_target:
            pairs = list(zip(P.T, Y.T, strict=True))
        else:
            pairs = [(P, Y) if Y.shape[1] > 1 else (P[:, 0], Y[:, 0])]
        return np.array([float(scorer(Given(), p, t, **more)) for p, t in pairs])

    def _by_folds(self, source: ArraySource, state: Trail) -> Floats:
        """Return the mean of (1) over the folds, (a, 1)."""
        X, y, w = source.X, source.y, source.w
        assert y is not None  # a regressor has a target
        Y = y if y.ndim == 2 else y[:, None]
        folds = folds_of(self, self.cv, X, y, source.kept)
        sums = train_moments(X, Y, w, folds) if state.route == "gram" else None
        alphas, d = state.alphas, state.d
        scores = np.empty((len(alphas), len(folds)))
        for k, (train, test) in enumerate(folds):
            centre, least = self.fit_intercept, float(alphas.min())
            axes = None
            if sums is not None:
                axes = PrincipalAxes.of(sums[k], d, intercept=centre)
                axes = axes if axes.good(sums[k], least) else None
            if axes is None:
                weights = None if w is None else w[train]
                rows = Chunk(X[train], Y[train], weights)
                axes = axes_of_rows(rows, intercept=centre, alpha=least)
            coefs, intercepts = axes.coefficients(axes.ridge(alphas))
            weights = None if w is None else w[test]
            for i, (B, b0) in enumerate(zip(coefs, intercepts, strict=True)):
                P = X[test] @ B.T + b0
                scores[i, k] = self._scored(P, Y[test].astype(float), weights)[0]
        return scores.mean(axis=1, keepdims=True)

    def publish(self, fitted: Fitted) -> None:
        """Set the best alpha and its coefficients."""
        state: Trail = fitted.state
        path, scores = state.path, state.scores
        assert path is not None
        best = np.argmax(scores, axis=0)  # (m,) or (1,)
        own = self.alpha_per_target and state.many
        self.path_ = path
        self.scores_ = scores if own else scores[:, 0]
        if own:
            targets = np.arange(scores.shape[1])
            self.alpha_, self.best_score_ = path.alphas[best], scores[best, targets]
            self.coef_ = path.coefs[best, targets]
            self.intercept_ = path.intercepts[best, targets]
        else:
            self.alpha_ = float(path.alphas[best[0]])
            self.best_score_ = float(scores[best[0], 0])
            self.coef_, self.intercept_ = path.coefs[best[0]], path.intercepts[best[0]]
        if state.many and len(self.coef_) == 1:
            self.coef_ = self.coef_[0]  # one column of targets, as in Ridge
        if not self.fit_intercept:
            self.intercept_ = 0.0
        if state.results is not None:
            self.cv_results_ = state.results.astype(state.dtype)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)


class Given(RegressorMixin, BaseEstimator):
    """A regressor whose rows are its predictions: what a scorer needs to see."""

    def predict(self, P: Floats) -> Floats:
        """Return what came."""
        return P


def rows_left_out(chunk: Chunk, **options: Any) -> tuple[Vector, ...]:
    """Return leave-one-out residuals (n, m, a), targets and weights of a chunk."""
    Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
    w = np.empty((chunk.n, 0)) if chunk.w is None else chunk.w[:, None]
    return left_out(chunk, **options), Y, w
