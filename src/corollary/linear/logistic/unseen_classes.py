"""Folds that have not seen every class: their model of all classes, and its score.

A fold may learn from rows of some classes alone, as with labels in order and folds in
order.  What it learns is the model of these classes; one that it has not seen gets the
probability 0, by an intercept far below the others, as maximum likelihood would have it
(without an intercept it gets the score 0).  One class alone leaves nothing to learn.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from sklearn import config_context

from corollary.core.arrays import Floats, Matrix, Vector

__all__ = ["score_of", "with_all_classes"]

FAR = 1000.0  # e^-FAR is 0 in floating-point numbers


def with_all_classes(model: Any, seen: Vector, K: int, d: int) -> Any:
    """Return a model of the classes 0..K-1 from one of those that were seen.

    Parameters
    ----------
    model : LogisticRegression
        Fitted to the classes `seen`, or not at all where that is only one.
    seen : array of whole numbers, in order
    K, d : int
        Number of classes and of features.
    """
    if len(seen) == K:
        return model
    found = copy(model)
    found.classes_, found.boundary_, found.n_features_in_ = np.arange(K), 0.0, d
    W, b = seen_part(model, len(seen), d)
    far = b.min() - FAR if model.fit_intercept else 0.0
    W_all, b_all = np.zeros((K, d), W.dtype), np.full(K, far, W.dtype)
    W_all[seen], b_all[seen] = W, b
    if K == 2:
        W_all, b_all = W_all[1:] - W_all[:1], b_all[1:] - b_all[:1]
    found.coef_, found.intercept_ = W_all, b_all
    return found


def seen_part(model: Any, seen: int, d: int) -> tuple[Floats, Floats]:
    """Return a row of coefficients and an intercept for each class that was seen."""
    if seen == 1:
        return np.zeros((1, d)), np.zeros(1)
    W, b = model.coef_, np.broadcast_to(model.intercept_, len(model.coef_))
    if seen == 2:  # one score, for the second class
        return np.vstack([-W, W]) / 2, np.concatenate([-b, b]) / 2
    return W, b


def score_of(
    scorer: Any, model: Any, X: Matrix, y: Vector, weights: dict[str, Any]
) -> float:
    """Score a model on rows that may lack classes; scores with `labels` hear of all."""
    if len(np.unique(y)) == len(model.classes_):
        return float(scorer(model, X, y, **weights))
    try:
        with config_context(enable_metadata_routing=True):  # lets labels pass
            return float(scorer(model, X, y, labels=model.classes_, **weights))
    except TypeError:
        return float(scorer(model, X, y, **weights))
