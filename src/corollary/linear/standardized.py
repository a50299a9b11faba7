"""Standardise before shrinkage, and map the coefficients back.

Also known as: scaled ridge, scaled lasso, standardised coefficients, shrinkage in
standard units, feature scaling for penalised models.

A penalty such as ||b||^2 or ||b||_1 depends on the units of the columns: a length in
millimetres is shrunk less than the same in metres.  So a shrinkage model is fitted to

    z_ij = (x_ij - mu_j) / s_j                                                   (1)

with mean and standard deviation of each column, where its coefficients c and its
intercept c_0 have one unit, and is told in the units of the user:

    c_0 + sum_j c_j z_j = b_0 + sum_j b_j x_j                                    (2)
    b_j = c_j / s_j,    b_0 = c_0 - sum_j b_j mu_j                               (3)

Columns multiplied by constants give the same predictions, and coefficients divided by
them.  A column that never varies has s_j = 1, is 0 in (1) and is given b_j = 0 by any
penalty.  The intercept is not shrunk, so that (1) without the means has the same
solution: they are left out for sparse rows, whose zeros stay, and for models without an
intercept.

Means and deviations take one more pass over any source.  They are those of all rows,
also where the model inside chooses by cross-validation; search over
``Standardized(Ridge())`` to have them learned anew in each fold.

Notation: c = estimator_.coef_; b = coef_; b_0 = intercept_; mu, s = scaler_.
Course: S3-113. Reference: Hastie, Tibshirani, Friedman (2009), 3.4.
"""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import names_checked
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.parameters import estimator as an_estimator
from corollary.core.parameters import missing
from corollary.core.roles import Estimator
from corollary.engine.meta import Inside, MetaLearner, fit_with_weights
from corollary.engine.sources.opening import as_source
from corollary.linear.least_squares.ridge import Ridge
from corollary.preparation.standard_scaler import StandardScaler
from corollary.solvers.convex_problem import Problems, statement_of

__all__ = ["Standardized"]


def offers(method: str) -> Any:
    """Return how to tell whether the model inside has a method."""

    def known(model: Any) -> bool:
        inside = getattr(model, "estimator_", None)
        return hasattr(model._chosen() if inside is None else inside, method)

    return known


class Standardized(MetaLearner, Estimator):
    """Fit a linear model to standardised columns, with coefficients in their units.

    Parameters
    ----------
    estimator : linear regressor or classifier, optional
        Cloned and fitted to the columns (1); by default `Ridge()`.

    Attributes
    ----------
    coef_ : array of shape (d,) or (k, d)
        b, in the units of the columns.
    intercept_ : float or array of shape (k,)
        b_0.
    estimator_ : linear model
        The model of the standardised columns; what else it has learned (``alpha_``,
        paths) is in their units.
    scaler_ : StandardScaler
    classes_ : array of shape (k,)
        Only of a classifier.
    n_features_in_ : int
    report_ : Report
        That of the model inside.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Lasso, Standardized
    >>> X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 2.0], [3.0, 0.0]])
    >>> y = 2 * X[:, 0] + 1
    >>> metres = Standardized(Lasso(alpha=0.1)).fit(X, y)
    >>> millimetres = Standardized(Lasso(alpha=0.1)).fit(1000 * X, y)
    >>> metres.coef_.round(4).tolist(), millimetres.coef_.round(7).tolist()
    ([1.9106, 0.0], [0.0019106, 0.0])
    >>> guess = X @ metres.coef_ + metres.intercept_
    >>> np.allclose(metres.predict(X), guess)
    True
    """

    scaler_: Any
    target = "numbers"
    parts: ClassVar = {"estimator_": "predict", "scaler_": "transform"}
    shapes: ClassVar = {"coef_": "d|k d"}
    rules: ClassVar = {"estimator": missing | an_estimator}

    def __init__(self, estimator: Any = None) -> None:
        self.estimator = estimator

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the model inside takes sparse rows."""
        return bool(get_tags(self._chosen()).input_tags.sparse)

    def __sklearn_tags__(self) -> Any:
        tags, inside = super().__sklearn_tags__(), get_tags(self._chosen())
        tags.estimator_type = inside.estimator_type
        tags.classifier_tags = inside.classifier_tags
        tags.regressor_tags = inside.regressor_tags
        tags.target_tags = inside.target_tags
        return tags

    # -- learning ------------------------------------------------------------------
    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Standardise (1), fit the model inside, and map back (3)."""
        if not hasattr(self._chosen(), "predict"):
            must = "estimator must be a linear model, with predict"
            came = f"a {type(self._chosen()).__name__}"
            raise ParameterError(sentence(self, must, came))
        source = as_source(X)
        if source is not None and not source.replayable:
            must = "means and deviations need a pass of their own, over data that can "
            must += "be read again"
            remedy = "Give a function that returns a new iterator."
            raise DataError(sentence(self, must, "chunks that come once", remedy))
        sparse = sp.issparse(X) if source is None else source.sparse
        centred = not sparse and getattr(self._chosen(), "fit_intercept", True)
        self.scaler_ = StandardScaler(with_mean=bool(centred))
        self.scaler_.fit(X, sample_weight=sample_weight)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.scaler_, name):
                setattr(self, name, getattr(self.scaler_, name))
        self.estimator_ = clone(self._chosen())
        Z = self._scaled(X)
        with or_so_far(self.estimator_):
            fit_with_weights(self, self.estimator_, Z, y, sample_weight)
        self._map_back()
        facts = {"estimator": type(self.estimator_).__name__}
        notes = self.scaler_.report_.warnings
        return Inside([self.estimator_], self.scaler_.report_.rows, facts, notes)

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State the problem of the model inside, at `coef_`, for `optimality_gap`."""
        inside = copy(self._inside())
        if "coef_" in vars(inside):
            moved = self.coef_ @ self.scaler_.mean_ if self.scaler_.with_mean else 0.0
            inside.coef_ = self.coef_ * self.scaler_.scale_
            inside.intercept_ = self.intercept_ + moved
        return statement_of(inside)(inside, self._scaled(X), y, sample_weight)

    def _chosen(self) -> Any:
        return Ridge() if self.estimator is None else self.estimator

    def _scaled(self, X: Any) -> Any:
        """Return rows as the model inside knows them; of a source, a lazy one."""
        if as_source(X) is not None or hasattr(X, "__dask_graph__"):
            return self.scaler_.transform(X)
        rows = self._query(X, getattr(self, "n_features_in_", 1))
        with names_checked():
            return self.scaler_.transform(rows)

    def _map_back(self) -> None:
        """Set the coefficients of the columns as they are (3)."""
        inside = self.estimator_
        if not hasattr(inside, "coef_") or not hasattr(inside, "intercept_"):
            must = "estimator must be a linear model, with coef_ and intercept_"
            raise ParameterError(sentence(self, must, f"a {type(inside).__name__}"))
        c = np.asarray(inside.coef_)
        b = c.astype(np.float64) / self.scaler_.scale_
        moved = b @ self.scaler_.mean_ if self.scaler_.with_mean else 0.0
        self.coef_ = b.astype(c.dtype)
        self.intercept_ = inside.intercept_ - moved
        if hasattr(inside, "classes_"):
            self.classes_ = inside.classes_
        elif hasattr(self, "classes_"):
            del self.classes_

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return what the model says of rows, by (2).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array of shape (n,) or (n, k)
        """
        return self._inside().predict(self._scaled(X))

    @available_if(offers("decision_function"))  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return the scores (2) of a classifier.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array of shape (n,) or (n, k)
        """
        return self._inside().decision_function(self._scaled(X))

    @available_if(offers("predict_proba"))  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the classes.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array of shape (n, k)
        """
        return self._inside().predict_proba(self._scaled(X))

    @available_if(offers("predict_log_proba"))  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Return their logarithms.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source

        Returns
        -------
        array of shape (n, k)
        """
        return self._inside().predict_log_proba(self._scaled(X))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return the score of the model inside.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source
        y : array, optional
            None where the source carries it.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        float
        """
        more = {} if sample_weight is None else {"sample_weight": sample_weight}
        inside = self._inside()
        return inside.score(self._scaled(X), *(() if y is None else (y,)), **more)

    def _inside(self) -> Any:
        """Return the fitted model inside."""
        check_is_fitted(self)
        return self.estimator_
