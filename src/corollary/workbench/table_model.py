"""Models of tables: a model with the schema by which it reads files and frames.

What `corollary fit` writes.  The model inside answers for tables whose columns are
prepared as in training; the schema knows how to make such a table of a file, a data
frame or an Arrow table: which columns, of what kind, written how.

    predict(data)  =  model.predict(read_like(data, schema))                        (1)

A prediction set or interval comes with every answer.  Out-of-fold scores s_1 ... s_n of
the training rows are sorted once, and with

    q = s_(ceil((1 - delta)(n + 1)))                                                (2)

a set holds the classes with 1 - p <= q, an interval all y with |y - f(x)| <= q.  Rows
that are like the training rows are covered in about 1 - delta of all cases; the test
set measures it, since (2) was taken from models of the folds and not from this one.

References: Vovk, Gammerman and Shafer (2005); Barber and others (2021).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin, clone
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, anything, check_parameters
from corollary.core.roles import Estimator
from corollary.workbench.read_like import read_like
from corollary.workbench.schema import Schema
from corollary.workbench.seen_rows import SeenRows, seen_rows

__all__ = ["TableClassifier", "TableRegressor"]


class TableModel(Estimator):
    """What a classifier and a regressor of tables share."""

    rules: ClassVar[dict[str, Rule]] = {
        "model": anything,
        "schema": Rule("a Schema", lambda value: isinstance(value, Schema)),
    }
    shapes: ClassVar[dict[str, str]] = {"scores_": "n"}
    parts: ClassVar[dict[str, str]] = {"fitted_": "predict"}
    takes_columns = True
    some_features = True
    task: ClassVar[str]  # of the schema

    def __init__(self, model: Any = None, schema: Any = None) -> None:
        self.model = model
        self.schema = schema

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # files and frames, no array
        return tags

    def takes_missing(self) -> bool:
        """Tell that cells may be missing: preparations know what to do."""
        return True

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the model to rows of a table.

        Parameters
        ----------
        X : path, data frame or pyarrow.Table
        y : array of shape (n,)
        """
        check_parameters(self, self.rules)
        table, y = self.table_of(X), np.asarray(y)
        if y.shape != (table.num_rows,):
            must = f"y must have one entry for each of {table.num_rows} rows"
            raise DataError(sentence(self, must, f"shape {y.shape}"))
        fitted = clone(self.model).fit(table, y)
        return self.take(fitted, seen=seen_rows(table, y))

    def take(
        self,
        fitted: Any,
        scores: Floats | None = None,
        seen: SeenRows | None = None,
    ) -> Self:
        """Take over a fitted model, out-of-fold scores for (2), and seen rows."""
        self.fitted_, self.seen_ = fitted, seen
        self.scores_ = np.sort(np.asarray(scores if scores is not None else [], float))
        self.n_features_in_ = len(self.schema.features)
        return self

    def table_of(self, X: Any) -> Any:
        """Return the features of a file, a frame or a table, as in training."""
        return read_like(X, self.schema).table

    def predict(self, X: Any) -> Vector:
        """Answer for each row of a file, a frame or a table (1).

        Parameters
        ----------
        X : path, data frame or pyarrow.Table
        """
        check_is_fitted(self)
        return np.asarray(self.fitted_.predict(self.table_of(X)))

    def width(self, delta: float) -> float:
        """Return the quantile (2) of the out-of-fold scores; infinite for too few."""
        check_is_fitted(self)
        place = int(np.ceil((1 - delta) * (len(self.scores_) + 1)))
        return float(self.scores_[place - 1]) if place <= len(self.scores_) else np.inf

    def _example(self, n: int) -> dict[str, Any]:
        """Return rows of cells that a model of tables must know how to read."""
        return {c.name: (EXAMPLES[c.kind] * n)[:n] for c in self.schema.features}

    def _audit(self) -> None:
        """Refuse what no fit leaves: files can alter it."""
        if self.schema.task != self.task:
            must = f"the task of the schema must be {self.task}"
            raise ParameterError(sentence(self, must, self.schema.task))
        if self.n_features_in_ != len(self.schema.features):
            must = f"n_features_in_ must be {len(self.schema.features)}"
            raise DataError(sentence(self, must, f"{self.n_features_in_}"))
        known = isinstance(self.seen_, SeenRows | None)
        if not known or (np.diff(self.scores_) < 0).any():
            must = "scores_ must rise, and seen_ must be SeenRows or None"
            raise DataError(sentence(self, must, "others"))


#: Cells of each kind that no table surprises a model with.
EXAMPLES: dict[str, list[Any]] = {
    "number": [None, 0.0, 1.5],
    "boolean": [None, False, True],
    "category": [None, "a", "b"],
    "date": [None, datetime(1970, 1, 1), datetime(2026, 5, 17, 12)],
    "text": [None, "a text", "words"],
}


class TableClassifier(ClassifierMixin, TableModel):
    """A classifier of tables, files and frames.

    Parameters
    ----------
    model : classifier
        Takes tables as in training.
    schema : Schema
        What the columns are.

    Attributes
    ----------
    classes_ : array of labels
    fitted_ : classifier
    scores_ : array
        Sorted out-of-fold scores 1 - p of the true class.
    seen_ : SeenRows or None
        By which training rows are told from new ones.
    """

    task = "classification"

    @property
    def classes_(self) -> Vector:
        """The labels, in the order of the probabilities."""
        return np.asarray(self.fitted_.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class.

        Parameters
        ----------
        X : path, data frame or pyarrow.Table
        """
        check_is_fitted(self)
        return np.asarray(self.fitted_.predict_proba(self.table_of(X)))

    def predict_set(self, X: Any, delta: float = 0.1) -> Vector:
        """Return which classes are in the prediction set of each row, (n, K) of bool.

        Parameters
        ----------
        X : path, data frame or pyarrow.Table
        delta : float, default=0.1
            How often a set may miss the truth.
        """
        return sets_of(self.predict_proba(X), self.width(delta))


class TableRegressor(RegressorMixin, TableModel):
    """A regressor of tables, files and frames.

    Parameters
    ----------
    model : regressor
        Takes tables as in training.
    schema : Schema
        What the columns are.

    Attributes
    ----------
    fitted_ : regressor
    scores_ : array
        Sorted out-of-fold scores ``|y - f(x)|``.
    seen_ : SeenRows or None
        By which training rows are told from new ones.
    """

    task = "regression"

    def predict_interval(self, X: Any, delta: float = 0.1) -> Floats:
        """Return the ends of an interval for each row, (n, 2).

        Parameters
        ----------
        X : path, data frame or pyarrow.Table
        delta : float, default=0.1
            How often an interval may miss the truth.
        """
        answers, half = self.predict(X), self.width(delta)
        return np.column_stack([answers - half, answers + half])


def sets_of(P: Floats, width: float) -> Vector:
    """Return the classes with 1 - p <= q, at least the most probable one."""
    held = 1.0 - P <= width
    held[np.arange(len(P)), P.argmax(axis=1)] = True
    return held


def model_class(schema: Schema) -> Any:
    """Return the class of models for a task."""
    return TableClassifier if schema.task == "classification" else TableRegressor
