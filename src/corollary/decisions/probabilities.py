"""Checks of what a decision is made from: priors, posteriors, losses.

Each returns its argument as an array of float64, or ends in one sentence.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import probabilities

__all__ = [
    "check_distribution",
    "check_log_likelihood",
    "check_loss",
    "check_posterior",
    "check_reject_cost",
    "posterior_of",
]

ROUGH = 1e-4  # by which a posterior of many classes may miss 1 in float32


def check_distribution(
    who: Any, p: Any, k: int | None = None, name: str = "priors"
) -> Floats:
    """Return probabilities (k,) that are >= 0 and sum to 1."""
    p = _floats(who, p, name, 1)
    return probabilities(who, p, name, k, ParameterError)


def check_posterior(who: Any, P: Any, name: str = "posterior") -> Floats:
    """Return probabilities (n, k), each row of which is a distribution."""
    P = _floats(who, P, name, 2, DataError)
    if not P.size:
        must = f"{name} must have rows and columns"
        raise DataError(sentence(who, must, f"shape {P.shape}"))
    low, total = P.min(axis=1), P.sum(axis=1)
    bad = (low < 0) | (np.abs(total - 1) > ROUGH)
    if bad.any():
        row = int(bad.argmax())
        must = f"every row of {name} must be >= 0 and sum to 1"
        came = f"the smallest {low[row]:g} and the sum {total[row]:g} in row {row}"
        raise DataError(sentence(who, must, came))
    return P


def check_log_likelihood(who: Any, log_likelihood: Any, k: int) -> Floats:
    """Return log p(x | class) as (n, k); -inf is allowed, NaN and +inf are not."""
    L = np.asarray(log_likelihood, dtype=np.float64)
    if L.ndim != 2 or L.shape[1] != k:
        must = f"log_likelihood must have a column for each of {k} classes"
        raise DataError(sentence(who, must, f"shape {L.shape}"))
    bad = np.isnan(L) | (L == np.inf)
    if bad.any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        must = "log_likelihood must hold numbers or -inf"
        came = f"{L[row, column]} in row {row}, column {column}"
        raise DataError(sentence(who, must, came))
    return L


def check_loss(who: Any, loss: Any, k: int) -> Floats:
    """Return the loss as (actions, k); None stands for the 0/1 loss."""
    if loss is None:
        return 1.0 - np.eye(k)
    loss = _floats(who, loss, "loss", 2)
    if loss.shape[1] != k or not len(loss):
        must = f"loss must have a row for each action and a column for each of {k}"
        raise ParameterError(sentence(who, f"{must} classes", f"shape {loss.shape}"))
    return loss


def check_reject_cost(who: Any, cost: Any) -> float | None:
    """Return the cost of refusing to decide, a number >= 0, or None."""
    if cost is None:
        return None
    number = float(_floats(who, cost, "reject_cost", 0))
    if number < 0:
        raise ParameterError(sentence(who, "reject_cost must be >= 0", f"{number:g}"))
    return number


def posterior_of(classifier: Any, X: Any) -> Floats:
    """Return P(class | x) of any fitted classifier that offers `predict_proba`.

    >>> from corollary import GaussianNB
    >>> model = GaussianNB().fit([[-1.0], [1.0], [-2.0], [2.0]], [0, 1, 0, 1])
    >>> posterior_of(model, [[0.0]]).tolist()
    [[0.5, 0.5]]
    """
    check_offers(classifier, "predict_proba")
    check_is_fitted(classifier)
    return check_posterior(classifier, classifier.predict_proba(X), "predict_proba")


def check_offers(estimator: Any, method: str, remedy: str = "") -> None:
    """Refuse an estimator without the method that is to be called."""
    if not hasattr(estimator, method):
        name = type(estimator).__name__
        must = f"the estimator must offer {method}"
        raise ParameterError(sentence(name, must, "one without", remedy))


def _floats(
    who: Any, values: Any, name: str, ndim: int, kind: type[ValueError] = ParameterError
) -> Floats:
    """Return finite numbers with the given number of dimensions."""
    forms = ("one number", "a list of numbers", "a table of numbers")
    must = f"{name} must be {forms[ndim]}"
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise kind(sentence(who, must, f"{values!r:.60}")) from None
    if array.ndim != ndim:
        raise kind(sentence(who, must, f"shape {array.shape}"))
    if not np.isfinite(array).all():
        what = "NaN" if np.isnan(array).any() else "infinity"
        raise kind(sentence(who, f"{name} must be finite", what))
    return array
