"""Learners as functions of a sample: (X, y, X_new) -> predictions.

An experiment needs of a learner only what it predicts after a sample.  A function says
so itself; an estimator is cloned, fitted and asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from sklearn.base import clone

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence

__all__ = ["answer", "as_function", "named_learners"]


def named_learners(who: str, learners: Any) -> dict[str, Callable[..., Any]]:
    """Return learners as functions (X, y, X_new) -> labels, by name."""
    if isinstance(learners, Mapping):
        given = {str(name): one for name, one in learners.items()}
    else:
        alone = callable(learners) or hasattr(learners, "fit")
        listed = list(learners) if np.iterable(learners) else []
        several = [learners] if alone else listed
        given = {}
        for one in several:
            name = getattr(one, "__name__", type(one).__name__)
            given[name if name not in given else f"{name} {len(given)}"] = one
    if not given or not all(callable(x) or hasattr(x, "fit") for x in given.values()):
        must = "learners must be classifiers or functions (X, y, X_new) -> labels"
        raise ParameterError(sentence(who, must, f"{type(learners).__name__}"))
    return {name: as_function(one) for name, one in given.items()}


def as_function(learner: Any) -> Callable[..., Any]:
    """Return a learner as a function (X, y, X_new) -> predictions.

    A classifier that refuses rows of one class predicts that class.
    """
    if not hasattr(learner, "fit"):
        return learner

    def learn(X: Floats, y: Vector, X_new: Floats) -> Any:
        model = clone(learner)
        try:
            model.fit(X, y)
        except ValueError:
            if (y != y[0]).any():
                raise
            return np.full(len(X_new), y[0])
        return model.predict(X_new)

    return learn


def answer(name: str, learn: Any, X: Floats, y: Vector, X_new: Floats) -> Vector:
    """Ask a learner for labels 0 or 1, and check them."""
    labels = np.asarray(learn(X.copy(), y.copy(), X_new))
    if labels.shape != (len(X_new),) or not np.isin(labels, (0, 1)).all():
        must = f"a learner must return 0 or 1 for each of {len(X_new)} points"
        raise DataError(sentence(name, must, f"{labels.tolist()}"[:60]))
    return labels.astype(np.int64)
