"""Filters as part of a model, so that they are learned inside the folds.

Also known as: SelectKBest, filter inside cross-validation, the wrong and the right way
to do cross-validation.

The k features of the best scores (`rank_features`) go to the model, the others are
dropped.  The scores look at the targets: whoever filters all rows first, and then
cross-validates the model, has shown it the rows that judge it.  With 50 rows, thousands
of features and labels by coin, that shows errors of a few per cent where the truth is
one half.  As a step of a pipeline the filter sees the training rows alone,

    right   for each fold: score, choose k, fit without the fold; predict the fold   (1)
    wrong   score and choose k with all rows; then folds                             (2)

and k itself is chosen by (1) for several k.

Notation: k = n_features.
Course: S4-59. Reference: Hastie, Tibshirani and Friedman (2009), 7.10.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.base import is_classifier
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from corollary.core.arrays import Vector
from corollary.core.checks import present
from corollary.core.errors import ParameterError, sentence
from corollary.core.frames import is_frame
from corollary.core.parameters import boolean, missing, one_of, shown, whole
from corollary.core.roles import Transformer
from corollary.engine.meta import Inside, MetaLearner
from corollary.selection.feature_ranking import (
    BY,
    FeatureRanking,
    rank_features,
    scored,
)
from corollary.selection.model_choice import ModelChoice, choose_model
from corollary.selection.validation_data import check_model

__all__ = ["FeatureFilter", "FilterChoice", "choose_n_features", "some_columns"]


class FeatureFilter(MetaLearner, Transformer):
    """Keep the features that say most of the target, each by itself.

    Parameters
    ----------
    n_features : int, default=10
        How many to keep; all where there are fewer.
    by : {'correlation', 'mutual information', 'kl'}, default='mutual information'
        As in `rank_features`.
    bins : int, optional
        As in `rank_features`.
    classification : bool, optional
        As in `rank_features`.

    Attributes
    ----------
    ranking_ : FeatureRanking
    kept_ : array of int
        Positions of the features that are kept, rising.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.selection import FeatureFilter
    >>> X = np.random.default_rng(0).normal(size=(60, 5))
    >>> FeatureFilter(1, by="correlation").fit(X, X[:, 3]).kept_.tolist()
    [3]
    """

    rules: ClassVar = {
        "n_features": whole(1),
        "by": one_of(*BY),
        "bins": whole(2) | missing,
        "classification": boolean | missing,
    }

    def __init__(
        self,
        n_features: int = 10,
        *,
        by: str = "mutual information",
        bins: int | None = None,
        classification: bool | None = None,
    ) -> None:
        self.n_features = n_features
        self.by = by
        self.bins = bins
        self.classification = classification

    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Score the features and choose; there is no model inside."""
        y = present(self, y)
        if is_frame(X):
            validate_data(self, X, skip_check_array=True)
        else:
            X, y = validate_data(
                self,
                X,
                y,
                dtype=None,
                ensure_all_finite="allow-nan",
                ensure_min_samples=3,
            )
        options = (self.by, self.bins, self.classification, sample_weight)
        self.ranking_ = scored(type(self).__name__, X, y, *options)
        self.kept_ = np.sort(self.ranking_.order[: self.n_features])
        return Inside([], len(np.asarray(y)))

    def transform(self, X: Any) -> Any:
        """Return the columns that are kept.

        Parameters
        ----------
        X : array, data frame or table

        Returns
        -------
        The same kind of rows
        """
        check_is_fitted(self)
        if is_frame(X):
            validate_data(self, X, reset=False, skip_check_array=True)
        else:
            options = {"dtype": None, "ensure_all_finite": "allow-nan"}
            X = validate_data(self, X, reset=False, **options)
        return some_columns(X, self.kept_)

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns that are kept.

        Parameters
        ----------
        input_features : array of str, optional

        Returns
        -------
        array of str
        """
        check_is_fitted(self)
        known = getattr(self, "feature_names_in_", None)
        if input_features is None:
            input_features = known
        if input_features is None:
            input_features = [f"x{j}" for j in range(self.n_features_in_)]
        names = np.asarray(input_features, dtype=object)
        if names.shape != (self.n_features_in_,):
            must = f"input_features must name {self.n_features_in_} columns"
            raise ParameterError(sentence(self, must, f"{len(names)}"))
        return np.asarray(names[self.kept_])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.input_tags.allow_nan = True
        return tags


def some_columns(X: Any, columns: Any) -> Any:
    """Return columns of an array, a data frame or a table, by position."""
    at = [int(j) for j in columns]
    if not is_frame(X):
        return X[:, at]
    if hasattr(X, "iloc"):
        return X.iloc[:, at]
    names = list(X.column_names if hasattr(X, "column_names") else X.columns)
    return X.select([names[j] for j in at])


@dataclass(frozen=True)
class FilterChoice:
    """How many features to keep, by cross-validation with the filter inside.

    Attributes
    ----------
    sizes : tuple of int
        Numbers of features that were tried.
    choice : ModelChoice
        Losses of each, and the fitted pipeline of the best.
    ranking : FeatureRanking
        Of all rows, which the final filter was made of.
    """

    sizes: tuple[int, ...]
    choice: ModelChoice
    ranking: FeatureRanking

    @property
    def n_features(self) -> int:
        """The number of features with the least loss; the smallest of equals."""
        return self.sizes[int(self.choice.losses.argmin())]

    @property
    def features(self) -> tuple[Any, ...]:
        """The names of the features that are kept."""
        return self.ranking.top(self.n_features)

    @property
    def model(self) -> Any:
        """The filter and the model, fitted to all rows."""
        return self.choice.model

    def __str__(self) -> str:
        kept = ", ".join(map(str, self.features[:8]))
        kept += ", ..." * (len(self.features) > 8)
        return f"{self.n_features} features by {self.ranking.by}: {kept}\n{self.choice}"


def choose_n_features(
    model: Any,
    X: Any,
    y: Any,
    *,
    by: str = "mutual information",
    sizes: Sequence[int] | None = None,
    bins: int | None = None,
    splitter: Any = 10,
    loss: Any = None,
    random_state: Any = 0,
) -> FilterChoice:
    """Choose how many of the best features a model is given (1).

    Parameters
    ----------
    model : estimator or pipeline
    X : array, data frame or table
    y : targets of shape (n,)
    by : {'correlation', 'mutual information', 'kl'}
        As in `rank_features`.
    sizes : sequence of int, optional
        Numbers of features to try; by default 1, 2, 4, ... and all.
    bins : int, optional
        As in `rank_features`.
    splitter, loss, random_state
        As in `cross_validate`.

    Returns
    -------
    FilterChoice

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.selection import choose_n_features
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 30))
    >>> y = 3 * X[:, 4] - 2 * X[:, 7] + rng.normal(size=80)
    >>> choose_n_features(LinearRegression(), X, y, by="correlation").features
    (4, 7)
    """
    who = "choose_n_features"
    check_model(who, model)
    kind = bool(is_classifier(model))
    ranking = rank_features(X, y, by=by, bins=bins, classification=kind)
    d = len(ranking.names)
    if sizes is None:
        tried = sorted({*(2**i for i in range(d.bit_length())), d})
    else:
        tried = [int(k) for k in sizes if whole(1, d).holds(k)]
        if not tried or len(tried) < len(sizes):
            must = f"sizes must be whole numbers, 1 to {d}"
            raise ParameterError(sentence(who, must, shown(sizes)))
    models = {}
    for k in tried:
        kept = FeatureFilter(k, by=by, bins=bins, classification=kind)
        models[f"{k} features"] = Pipeline([("filter", kept), ("model", model)])
    options = {"splitter": splitter, "loss": loss, "random_state": random_state}
    found = choose_model(models, X, y, **options)
    return FilterChoice(tuple(tried), found, ranking)
