"""The rows that models are judged on, and what a model says of them.

Rows come as arrays, sparse matrices, texts, data frames or tables.  A row of weight 0
is no row.  A classifier that has not met a class gives it probability 0.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_clusterer
from sklearn.pipeline import Pipeline

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_weights
from corollary.core.distinct import is_missing
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.frames import is_frame
from corollary.core.parameters import estimator, seed, shown
from corollary.core.randomness import entropy
from corollary.engine.meta import fit_with_weights
from corollary.ensembles.members import class_probabilities
from corollary.selection.validation_loss import Loss, losses_of
from corollary.theory.certify import some_rows
from corollary.theory.conformal.groups import check_groups

__all__ = [
    "Answers",
    "Given",
    "answers_of",
    "check_model",
    "fitted",
    "given_rows",
    "rows_in",
    "seed_of",
    "targets_in",
]

KNOWN = "Drop the rows without a target."


class Given(NamedTuple):
    """Rows with their targets."""

    X: Any
    y: Vector  # (n,) or (n, m)
    w: Any  # (n,) or None
    groups: Any  # (n,) or None
    classes: Any  # (K,), sorted; None for numbers
    codes: Any  # (n,), y = classes[codes]

    @property
    def n(self) -> int:
        """How many rows there are."""
        return len(self.y)

    @property
    def targets(self) -> Vector:
        """What a loss is given beside probabilities: codes, or the targets."""
        return self.y if self.codes is None else self.codes

    def some(self, rows: Vector) -> Given:
        """Return some of the rows; the classes stay those of all."""
        w, groups, codes = (
            None if v is None else v[rows] for v in (self.w, self.groups, self.codes)
        )
        X, y = some_rows(self.X, rows), self.y[rows]
        return Given(X, y, w, groups, self.classes, codes)


class Answers(NamedTuple):
    """What a model says of rows."""

    predicted: Vector  # (n,) or (n, m)
    probabilities: Any  # (n, K), or None

    def losses(self, who: str, loss: Loss, given: Given) -> Any:
        """Return the loss of each row, or one number for all."""
        if loss.on == "predictions":
            return losses_of(who, loss, given.y, self.predicted)
        if self.probabilities is None:
            must = f"loss {loss.name!r} needs a model that offers predict_proba"
            raise ParameterError(sentence(who, must, "one without"))
        return losses_of(who, loss, given.codes, self.probabilities)


def check_model(who: str, model: Any) -> None:
    """Refuse what is no estimator."""
    if not estimator.holds(model) or not hasattr(model, "predict"):
        must = "model must be an estimator with fit and predict"
        raise ParameterError(sentence(who, must, shown(model)))
    if is_clusterer(model):
        must = "model must predict targets"
        raise ParameterError(sentence(who, must, f"a {type(model).__name__}"))


def seed_of(who: str, random_state: Any) -> int:
    """Return the seed of a random state; refuse what is none."""
    if not seed.holds(random_state):
        must = f"random_state must be {seed.words}"
        raise ParameterError(sentence(who, must, shown(random_state)))
    return entropy(random_state)


def given_rows(
    who: str,
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    groups: Any = None,
    *,
    least: int = 2,
) -> Given:
    """Check rows and targets: one target, weight and group for each row.

    In place of the model, whether it is a classifier.
    """
    X, n = rows_in(who, X)
    targets = targets_in(who, y, n, least)
    w = check_weights(who, sample_weight, n)
    known = check_groups(who, groups, n)
    if not (model if isinstance(model, bool) else is_classifier(model)):
        if targets.dtype.kind not in "fiub":
            must = "y must hold numbers for a regressor"
            remedy = "Use a classifier for labels."
            raise DataError(sentence(who, must, f"{targets.dtype}", remedy))
        return Given(X, targets.astype(np.float64), w, known, None, None)
    if targets.ndim > 1:
        must = "y of a classifier must be one column of labels"
        raise DataError(sentence(who, must, f"shape {targets.shape}"))
    try:
        classes, codes = np.unique(targets, return_inverse=True)
    except TypeError:
        must = "y must hold labels of one kind that can be ordered"
        raise DataError(sentence(who, must, "mixed types")) from None
    return Given(X, targets, w, known, classes, codes)


def rows_in(who: str, X: Any) -> tuple[Any, int]:
    """Return rows that can be selected by number, and how many there are."""
    if is_frame(X):
        return X, int(X.shape[0])
    if sp.issparse(X):
        return X.tocsr(), int(X.shape[0])
    rows = np.asarray(X)
    if rows.ndim == 0 or rows.ndim > 2:
        must = "X must be a table of rows and columns"
        raise DataError(sentence(who, must, f"{rows.ndim} dimensions"))
    return rows, len(rows)


def targets_in(who: str, y: Any, n: int, least: int) -> Vector:
    """Return targets of the rows, finite where they are numbers."""
    targets = np.asarray(y)
    if targets.ndim == 2 and targets.shape[1] == 1:
        targets = targets[:, 0]
    if targets.ndim not in (1, 2) or len(targets) != n:
        must = f"y must hold one target for each of the {n} rows of X"
        raise DataError(sentence(who, must, f"shape {targets.shape}"))
    if n < least:
        must = f"X and y must have at least {least} rows"
        raise DataError(sentence(who, must, f"{n}"))
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        came = f"NaN or infinity in row {int(np.argwhere(~np.isfinite(targets))[0][0])}"
        raise DataError(sentence(who, "y must be finite", came, KNOWN))
    objects = targets.dtype == object and targets.ndim == 1
    gone: Any = is_missing(targets) if objects else False
    if np.any(gone):
        came = f"none in row {int(np.argmax(gone))}"
        raise DataError(sentence(who, "y must be known", came, KNOWN))
    return targets


def fitted(who: str, model: Any, rows: Given) -> Any:
    """Return a clone of a model, fitted to rows with their weights."""
    fresh = clone(model)
    if rows.w is not None and isinstance(fresh, Pipeline):
        name, last = "", fresh
        while isinstance(last, Pipeline):  # weights are for the learner at the end
            name, last = f"{name}{last.steps[-1][0]}__", last.steps[-1][1]
        return fresh.fit(rows.X, rows.y, **{f"{name}sample_weight": rows.w})
    return fit_with_weights(who, fresh, rows.X, rows.y, rows.w)


def answers_of(model: Any, rows: Given) -> Answers:
    """Return what a fitted model says of rows."""
    predicted = np.asarray(model.predict(rows.X))
    probabilities: Floats | None = None
    if rows.classes is not None and hasattr(model, "predict_proba"):
        probabilities = class_probabilities(model, rows.X, rows.classes)
    if predicted.ndim == 2 and rows.y.ndim == 1:
        predicted = predicted[:, 0]
    return Answers(predicted, probabilities)
