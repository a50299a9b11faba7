"""What a model answers to rows, whatever it is: a model, a pipeline or a function.

A classifier answers with probabilities where it has them, with labels where not; a
regressor and any other model with `predict`; a function with what it returns.  Effects
and attributions are of one number for each row: of two classes the probability of the
second, of more that of the one that is asked for, or else of the most probable one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.base import is_classifier, is_regressor

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.diagnostics.outcomes import label_text

__all__ = ["Answers", "answers_of"]

PART = 100_000  # rows that are answered at a time
ALL = "all"  # outputs


@dataclass(frozen=True, eq=False)
class Answers:
    """A function of rows, and what is known of what it returns."""

    who: str
    function: Callable[[Any], Any]
    task: str | None  # classification, regression or not known
    classes: Any  # labels of the columns of probabilities, or None
    output: Any = None  # label or position of the column that is asked for
    chosen: bool = False  # whether output is a position for certain

    def __call__(self, X: Any) -> Any:
        """Return what is answered, as it is."""
        return np.asarray(self.function(X))

    def numbers(self, X: Any) -> Floats:
        """Return one number for each row."""
        return self.numbers_of(self(X), X.shape[0])

    def numbers_of(self, said: Any, n: int) -> Floats:
        """Return one number for each of n rows, from what was answered."""
        if said.ndim == 2 and said.shape[1] == 1:
            said = said[:, 0]
        if said.ndim == 2:
            said = said[:, self._column(said.shape[1])]
        try:
            found = said.astype(np.float64)
        except (TypeError, ValueError):
            must = "predict must return numbers"
            remedy = "Give a function that returns probabilities."
            raise DataError(sentence(self.who, must, f"{said.dtype}", remedy)) from None
        if found.shape != (n,) or not np.isfinite(found).all():
            must = f"predict must return a finite number for each of the {n} rows"
            came = "NaN or infinity" if found.shape == (n,) else f"shape {found.shape}"
            raise DataError(sentence(self.who, must, came))
        return found

    def about(self, said: Any) -> Answers:
        """Choose the most probable of several outputs where none is asked for."""
        if self.output is not None or np.ndim(said) != 2 or said.shape[1] < 3:
            return self
        return replace(self, output=int(np.mean(said, axis=0).argmax()), chosen=True)

    def each(self, said: Any) -> tuple[Answers, ...]:
        """Return every output that is asked for: one, those of a list, or all."""
        names = [] if self.classes is None else np.asarray(self.classes).tolist()
        if isinstance(self.output, list | tuple) and len(self.output):
            return tuple(replace(self, output=one) for one in self.output)
        if isinstance(self.output, str) and self.output == ALL and ALL not in names:
            k = said.shape[1] if np.ndim(said) == 2 else 1
            return tuple(replace(self, output=at, chosen=True) for at in range(k))
        return (self.about(said),)

    @property
    def what(self) -> str:
        """Which number it is, in words; empty where there is only one."""
        if self.classes is None or self.task != "classification":
            return ""
        return label_text(self.classes[self._column(len(self.classes))])

    def _column(self, k: int) -> int:
        names = [] if self.classes is None else np.asarray(self.classes).tolist()
        if self.output is None and k == 2:
            return 1
        if self.output in names and not self.chosen:
            return names.index(self.output)
        if whole(0, k - 1).holds(self.output):
            return int(self.output)
        must = f"output must name one of the {k} outputs" + (
            f" {shown(names)}" if names else ""
        )
        raise ParameterError(sentence(self.who, must, shown(self.output)))


def answers_of(who: str, model: Any, output: Any = None) -> Answers:
    """Return how a model, a pipeline or a function answers."""
    if hasattr(model, "predict"):
        if is_classifier(model):
            proba = getattr(model, "predict_proba", None)
            function = model.predict if proba is None else proba
            classes = getattr(model, "classes_", None)
            known = classes if proba is not None else None
            return Answers(who, function, "classification", known, output)
        task = "regression" if is_regressor(model) else None
        return Answers(who, model.predict, task, None, output)
    if callable(model):
        return Answers(who, model, None, None, output)
    must = "the model must have predict, or be a function of rows"
    raise ParameterError(sentence(who, must, shown(model)))
