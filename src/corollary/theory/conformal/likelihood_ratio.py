"""Covariate shift: how much likelier a row is among new rows than among the old.

Also known as: density ratio, importance weights, propensity odds.

Rows were drawn from P and new ones come from P_new, with y given x unchanged.  Sets
that are calibrated on the old rows cover the new ones once each score counts

    w(x) = dP_new(x) / dP(x)                                                     (1)

A classifier that tells new rows (n_new) from old ones (n) by p(x) = Pr[ new | x ] has

    w(x) = p(x) / (1 - p(x)) * n / n_new                                         (2)

Only ratios of weights count, so that the factor n / n_new is for the reader.

Notation: w, likelihood ratio; p, probability of the classifier.
Reference: Tibshirani, Barber, Candes and Ramdas (2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.core.records import stored
from corollary.decisions.probabilities import check_offers
from corollary.engine.fit import inside_another_fit

__all__ = ["LikelihoodRatio", "check_ratio", "likelihood_ratio"]

LEAST = 1e-12  # probability of a row to be an old one


@stored
@dataclass(frozen=True)
class LikelihoodRatio:
    """A likelihood ratio (2), to be called on rows.

    Attributes
    ----------
    estimator : classifier
        Tells new rows (1) from old ones (0).
    rows, new_rows : int
        How many it has seen of each.
    """

    estimator: Any
    rows: int
    new_rows: int

    def __call__(self, X: Any) -> Floats:
        """Return w of each row."""
        p = np.asarray(self.estimator.predict_proba(X), dtype=np.float64)[:, 1]
        return p / np.maximum(1 - p, LEAST) * (self.rows / self.new_rows)  # (2)

    def __str__(self) -> str:
        name = type(self.estimator).__name__
        return f"likelihood ratio by {name}: {self.new_rows} new rows, {self.rows} old"


def likelihood_ratio(X: Any, X_new: Any, estimator: Any = None) -> LikelihoodRatio:
    """Learn how much likelier rows are among the new than among the old ones.

    Also known as: density ratio estimation, importance weighting.

    Parameters
    ----------
    X : array of shape (n, d)
        Rows of the law that a model is calibrated under.
    X_new : array of shape (m, d)
        Rows of the law that it is used under; no targets are needed.
    estimator : classifier with predict_proba, optional
        By default `LogisticRegression()`.

    Returns
    -------
    LikelihoodRatio
        A function of rows.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import likelihood_ratio
    >>> X = np.linspace(-2, 2, 200)[:, None]
    >>> w = likelihood_ratio(X, X + 1)
    >>> low, high = w([[-1.0], [1.0]])
    >>> bool(low < 1 < high)
    True
    >>> print(w)
    likelihood ratio by LogisticRegression: 200 new rows, 200 old
    """
    who = "likelihood_ratio"
    X, X_new = np.asarray(X), np.asarray(X_new)
    if X.ndim != 2 or X_new.ndim != 2 or X.shape[1] != X_new.shape[1]:
        must = "X and X_new must be rows of the same features"
        raise DataError(sentence(who, must, f"shapes {X.shape} and {X_new.shape}"))
    if not len(X) or not len(X_new):
        must = "X and X_new must have at least 1 row each"
        raise DataError(sentence(who, must, f"{len(X)} and {len(X_new)}"))
    if estimator is None:
        from corollary.linear.logistic.logistic_regression import LogisticRegression

        estimator = LogisticRegression()
    check_offers(estimator, "predict_proba", "Use a probabilistic classifier.")
    model = clone(estimator)
    with inside_another_fit():
        model.fit(np.vstack([X, X_new]), np.repeat([0, 1], [len(X), len(X_new)]))
    return LikelihoodRatio(model, len(X), len(X_new))


def check_ratio(who: Any, ratio: Any, X: Any, rows: int) -> Floats:
    """Return the likelihood ratio of each row, from a function or an array."""
    given = ratio(X) if callable(ratio) else ratio
    try:
        w = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        w = np.full(0, np.nan)
    if w.shape != (rows,):
        must = f"ratio must have one number for each of the {rows} rows"
        raise DataError(sentence(who, must, f"shape {np.shape(given)}"))
    if not np.isfinite(w).all() or (w < 0).any():
        row = int((~(w >= 0) | ~np.isfinite(w)).argmax())
        must = "ratio must be finite and >= 0"
        raise DataError(sentence(who, must, f"{w[row]} in row {row}"))
    return w
