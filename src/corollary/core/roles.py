"""The roles an estimator can have, on scikit-learn's public base classes.

A class has at most two bases: how it learns (`engine.SummationLearner`, where its
sums add up) and what it is, one of the roles below.
"""

from __future__ import annotations

import functools
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import sklearn
from sklearn.base import (
    BaseEstimator,
    ClassifierMixin,
    ClassNamePrefixFeaturesOutMixin,
    ClusterMixin,
    DensityMixin,
    MultiOutputMixin,
    OutlierMixin,
    RegressorMixin,
    TransformerMixin,
)
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Matrix, Vector
from corollary.core.check_table import check_table, check_table_values
from corollary.core.checks import check_query, names_of
from corollary.core.errors import ParameterError, sentence
from corollary.core.hooks import hook
from corollary.core.memory import check_answer
from corollary.core.parameters import Rule
from corollary.core.report import Report
from corollary.core.table import Table

__all__ = [
    "AnswersSources",
    "Classifier",
    "Clusterer",
    "DensityEstimator",
    "Estimator",
    "OutlierDetector",
    "Projecting",
    "Regressor",
    "SingleRegressor",
    "Transformer",
    "accept_sources",
]


#: The methods that take what `fit` takes: arrays, frames, and any source.
QUERIES = (
    "predict",
    "predict_proba",
    "predict_log_proba",
    "decision_function",
    "score_samples",
    "transform",
    "inverse_transform",
    "score",
)
SumsOf = Callable[[Any, Matrix, Any, Vector | None], Any]
Answer = Callable[[Any, Any, Any, Any, Any], Any]
_answers: list[Answer] = []  # how the engine answers for a source


def accept_sources(answer: Answer) -> None:
    """Let `answer(model, method, X, args, options)` answer for what is no array."""
    _answers[:] = [answer]


def takes_sources(method: Any) -> Any:
    """Return a method that also takes sources; an array pays a look at its type."""

    @functools.wraps(method)
    def query(self: Any, *args: Any, **options: Any) -> Any:
        X = args[0] if args else options.get("X")
        if type(X) is not np.ndarray and _answers:
            more = {name: value for name, value in options.items() if name != "X"}
            found = _answers[0](self, method, X, args[1:], more)
            if found is not NotImplemented:
                return found
        return method(self, *args, **options)

    return query


class Available:
    """A method that only some parameters offer, and that also takes sources."""

    def __init__(self, method: Any) -> None:
        self.method, self.__doc__ = method, method.__doc__

    def __get__(self, model: Any, owner: Any = None) -> Any:
        method = self.method.__get__(model, owner)
        if model is None:
            return method

        @functools.wraps(method)
        def bound(_: Any, *args: Any, **options: Any) -> Any:
            return method(*args, **options)

        return functools.wraps(method)(functools.partial(takes_sources(bound), model))


class AnswersSources:
    """Lets the methods of a class take sources, those of scikit-learn's mixins too.

    It stands first, so that what `set_output` does to arrays is done inside: a source
    stays a source.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in (*QUERIES, "fit_transform"):
            owner = next((one for one in cls.__mro__ if name in vars(one)), None)
            if owner is None or (owner is not cls and issubclass(owner, Estimator)):
                continue
            method = vars(owner)[name]
            if not inspect.isfunction(method):
                setattr(cls, name, Available(method))
            elif next(iter(list(inspect.signature(method).parameters)[1:]), "") in "XY":
                setattr(cls, name, takes_sources(method))


class Estimator(BaseEstimator):
    """What every estimator has: rules for its parameters and a report of its fit."""

    rules: ClassVar[Mapping[str, Rule]] = {}
    takes_sparse: ClassVar[bool] = False
    takes_columns: ClassVar[bool] = False  # is given tables of any types, no matrices
    finds_columns: ClassVar[bool] = False  # by name, among others and in any order
    keeps_rows: ClassVar[bool] = False  # needs training rows to predict
    takes_indicators: ClassVar[bool] = False  # y may be labels (n, K) of 0 and 1
    takes_many_labels: ClassVar[bool] = False  # y may be labels of m outputs, (n, m)
    any_layout: ClassVar[bool] = False  # takes large Fortran-ordered arrays uncopied
    any_width: ClassVar[bool] = False  # takes sparse rows of more than 2^31 columns
    double_squares: ClassVar[bool] = False  # squares float32 in float64
    row_bytes: ClassVar[float] = 0.0  # kept of each row of an array; of others a cache
    target: ClassVar[str] = "none"  # "none", "labels", "number(s)", "either"
    shapes: ClassVar[Mapping[str, str]] = {}  # of learned arrays: "d", "k d", "d|m d"
    parts: ClassVar[Mapping[str, str]] = {}  # learned estimators: the method they offer
    may_be_infinite: ClassVar[tuple[str, ...]] = ()  # learned, may hold inf or NaN
    binary_parts: ClassVar[bool] = False  # whether these tell 0 from 1
    some_classes: ClassVar[bool] = False  # whether these may know some classes only
    some_features: ClassVar[bool] = False  # and look at some features, of codes
    of_rows: ClassVar[tuple[str, ...]] = ()  # learned, tell training rows: not saved
    #: A method of X, y and weights that returns what rows add to the score, as an
    #: `engine.ScoreSums`: a source is then scored in one pass.  None: it is no sum.
    score_sums: ClassVar[SumsOf | None] = None
    report_: Report

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.takes_sparse
        tags.input_tags.allow_nan = self.takes_missing()
        tags.input_tags.categorical = self.takes_columns
        return tags

    def set_callbacks(self, *callbacks: Any) -> Self:
        """Let scikit-learn's callbacks hear of a fit and of each of its iterations.

        Parameters
        ----------
        *callbacks : callbacks of `sklearn.callback`, of scikit-learn 1.9 or newer
            Such as ``ProgressBar()``; none takes back those set before.  One whose
            ``on_fit_task_end`` returns True ends the fit.  An estimator that fits
            others tells of its own fit, not of theirs.

        Returns
        -------
        self
        """
        try:
            from sklearn.callback import CallbackSupportMixin
        except ImportError:
            must = "callbacks need scikit-learn 1.9 or newer"
            raise ParameterError(sentence(self, must, sklearn.__version__)) from None

        CallbackSupportMixin.set_callbacks(self, *callbacks)
        return self

    @hook
    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the memory of a fit beside its data, where it grows with the rows.

        A fit that would exceed the memory limit is refused before it begins.
        """
        return 0.0

    @hook
    def columns_used(self, source: Any) -> Any:
        """Return a source narrowed to the columns that the fitted model looks at."""
        return source

    @hook
    def takes_missing(self) -> bool:
        """Tell whether NaN stands for a missing value; else it is refused."""
        return False

    @hook
    def scores_answers(self) -> bool:
        """Tell whether `score` asks X through `predict` and its like alone."""
        return False

    @hook
    def sums_bytes(self, n_features: int) -> int:
        """Estimate the size of one chunk's statistics, where it is large."""
        return 0

    def _query(self, X: Any, columns: int | None = None) -> Matrix:
        """Check the model is fitted and X has its features; return X as an array.

        The answer must fit in memory: so many columns, or else one, or the scores of
        several classes.
        """
        check_is_fitted(self)
        X = check_query(self, X, sparse=self.takes_sparse)
        if columns is None:
            classes = len(getattr(self, "classes_", ()))
            columns = classes if classes > 2 else 1
        check_answer(self, X, columns)
        return X

    def _table(self, X: Any) -> Table:
        """Check the model is fitted and X has its features; return X as a table.

        For estimators that take columns.  A missing value is refused by row and name
        unless `takes_missing`.
        """
        check_is_fitted(self)
        table = check_table(self, X, reset=False, sparse=self.takes_sparse)
        names, missing = names_of(self), self.takes_missing()
        check_table_values(self, table, names=names, missing=missing)
        return table


class Clusterer(
    AnswersSources,
    ClassNamePrefixFeaturesOutMixin,
    TransformerMixin,
    ClusterMixin,
    Estimator,
):
    """Groups rows; `transform` gives the distance of a row to every group."""

    labels_: Vector


class Classifier(AnswersSources, ClassifierMixin, Estimator):
    """Predicts one of `classes_` from a score for each of them."""

    target = "labels"
    theory: ClassVar[tuple[str, ...]] = ()  # that bounds its error: `model_theory`
    classes_: Vector


class Projecting(AnswersSources, ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """Beside another role: projects rows on a few directions that it has learned."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


class DensityEstimator(AnswersSources, DensityMixin, Estimator):
    """Gives the log density of a row; `score` is the mean over rows."""

    @abstractmethod
    def score_samples(self, X: Any) -> Vector:
        """Return the log density of each row."""

    def score(self, X: Any, y: Any = None) -> float:
        """Return the mean log density of the rows."""
        return float(np.mean(self.score_samples(X)))


class OutlierDetector(AnswersSources, OutlierMixin, Estimator):
    """Predicts 1 for a row like the others, -1 for an outlier."""


class Regressor(AnswersSources, MultiOutputMixin, RegressorMixin, Estimator):
    """Predicts one number for a row, or several."""

    target = "numbers"


class SingleRegressor(AnswersSources, RegressorMixin, Estimator):
    """Predicts one number for a row."""

    target = "number"


class Transformer(
    AnswersSources, ClassNamePrefixFeaturesOutMixin, TransformerMixin, Estimator
):
    """Turns rows into other rows."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags


def total_weight(w: Vector | None, rows: int) -> float:
    """Sum the weights, which are all 1 where none were given."""
    return float(rows) if w is None else float(np.sum(w, dtype=np.float64))
