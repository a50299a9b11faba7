"""Scores: what a model says of rows before it decides, and their margins.

Two classes have one score f(x), whose sign decides; several have one each, s_c(x), of
which the largest decides.  The margin of a row is how far the true class leads,

    u_i = y_i f(x_i),  y_i = -1 or +1;   u_i = s_{y_i}(x_i) - max_{c != y_i} s_c(x_i)
                                                                                 (1)

and a row is on the wrong side where u_i < 0.  Scores are those of `decision_function`,
or else the logarithms of probabilities: log p_1 / p_0, log p_c.  A plane (w, b) may
stand for a model of two classes, with f(x) = w'x + b.

Notation: f, s = scores; u = margin.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.diagnostics.outcomes import labels_of
from corollary.linear.margins import normal

__all__ = ["Plane", "Scored", "plane_of", "scored"]

LEAST = 1e-300  # probability whose logarithm is taken at least


@dataclass(frozen=True)
class Plane:
    """A hyperplane w'x + b = 0."""

    w: Floats  # (d,)
    b: float

    @property
    def norm(self) -> float:
        """The length of w."""
        return float(np.linalg.norm(self.w))


@dataclass(frozen=True)
class Scored:
    """Scores of rows, and the truth."""

    classes: Vector  # (K,)
    codes: Vector  # (n,) of the true classes
    scores: Floats  # (n,) of two classes, (n, K) of more

    @property
    def signs(self) -> Floats:
        """The labels of two classes as -1 and +1."""
        return np.where(self.codes == 1, 1.0, -1.0)

    @property
    def margins(self) -> Floats:
        """The margin of each row, (1)."""
        if self.scores.ndim == 1:
            return self.signs * self.scores
        rows = np.arange(len(self.codes))
        others = self.scores.copy()
        others[rows, self.codes] = -np.inf
        return self.scores[rows, self.codes] - others.max(axis=1)


def plane_of(model: Any) -> Plane | None:
    """Return the hyperplane of a linear model of two classes, or None."""
    if isinstance(model, tuple) and len(model) == 2:
        return Plane(normal(model[0]), float(model[1]))
    w = getattr(model, "coef_", None)
    if w is None or np.ndim(w) > 2 or np.size(w) != np.shape(w)[-1]:
        return None
    w = np.asarray(w.toarray() if hasattr(w, "toarray") else w, np.float64).ravel()
    b = np.ravel(getattr(model, "intercept_", 0.0))
    return Plane(w, float(b[0])) if len(b) == 1 and w.any() else None


def scored(who: str, model: Any, X: Any, y: Any) -> Scored:
    """Return the scores of rows by a fitted classifier, or by a plane (w, b)."""
    found, codes = labels_of(who, y)
    if isinstance(model, tuple):
        return _by_plane(who, model, X, found, codes)
    if not hasattr(model, "classes_"):
        must = "model must be a fitted classifier or a plane (w, b)"
        raise ParameterError(sentence(who, must, shown(model)))
    check_is_fitted(model)
    classes = np.asarray(model.classes_)
    unknown = [label for label in found.tolist() if label not in classes.tolist()]
    if unknown:
        must = f"y must hold classes of the model, {shown(classes.tolist())}"
        raise DataError(sentence(who, must, shown(unknown)))
    place = np.array([classes.tolist().index(label) for label in found.tolist()])
    scores = np.asarray(_scores(who, model, X), np.float64)
    if len(scores) != len(codes):
        must = f"y must hold one label for each of {len(scores)} rows"
        raise DataError(sentence(who, must, f"{len(codes)}"))
    if scores.ndim == 2 and scores.shape[1] != len(classes):
        must = "decision_function must give one score for each class"
        remedy = "Use decision_function_shape='ovr'."
        raise ParameterError(sentence(who, must, f"{scores.shape[1]}", remedy))
    return Scored(classes, place[codes], scores)


def _scores(who: str, model: Any, X: Any) -> Any:
    if hasattr(model, "decision_function"):
        return model.decision_function(X)
    if not hasattr(model, "predict_proba"):
        must = "model must offer decision_function or predict_proba"
        raise ParameterError(sentence(who, must, shown(model)))
    logs = np.log(np.maximum(model.predict_proba(X), LEAST))
    return logs[:, 1] - logs[:, 0] if logs.shape[1] == 2 else logs


def _by_plane(who: str, model: Any, X: Any, classes: Vector, codes: Vector) -> Scored:
    plane = plane_of(model)
    X = np.asarray(X, dtype=np.float64)
    if plane is None or X.ndim != 2 or X.shape[1] != len(plane.w):
        must = "a plane must be (w, b), with one weight for each column of X"
        raise DataError(sentence(who, must, f"shape {X.shape}"))
    if len(classes) != 2 or len(X) != len(codes):
        must = "y must hold two labels, one for each row"
        raise DataError(
            sentence(who, must, f"{len(classes)} labels, {len(codes)} rows")
        )
    return Scored(classes, codes, X @ plane.w + plane.b)
