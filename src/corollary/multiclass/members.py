"""Members: binary machines side by side, and the sum of their reports.

What `OneVsRestClassifier` and `OneVsOneClassifier` share: how rows and labels are
checked, how members are fitted (in threads, if asked), what a member scores, and the
report that adds up theirs.  Every member tells 0 from 1.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.base import clone, is_regressor
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import (
    check_two_classes,
    check_weights,
    check_X,
    names_checked,
)
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.memory import check_memory
from corollary.core.report import StopReason
from corollary.core.roles import Classifier, Estimator
from corollary.decisions.prior_classifier import PriorClassifier
from corollary.engine import Chunk, DaskSource, Data, MappedSource, Source
from corollary.engine.executors.team import in_turn, run_parts
from corollary.engine.gather import gather
from corollary.engine.meta import Inside, MetaLearner, fit_with_weights
from corollary.engine.sources.opening import as_source
from corollary.linear.logistic.logistic_regression import LogisticRegression

__all__ = [
    "Ambiguity",
    "BinaryMembers",
    "Split",
    "Task",
    "base_has",
    "claims",
    "is_constant",
    "score_of",
]

PER_LABEL = 16.0  # bytes of a row for each class
PER_SCORE = 14.0  # and for each member


@dataclass(frozen=True)
class Ambiguity:
    """Rows that the members do not agree on.

    Attributes
    ----------
    none : array of bool of shape (n,)
        No class claims the row (one against the rest), or all tie (all pairs).
    several : array of bool of shape (n,)
        Two or more classes claim the row, or tie for the most votes.
    """

    none: Vector
    several: Vector

    @property
    def share(self) -> float:
        """Share of the rows that are ambiguous either way."""
        return float(np.mean(self.none | self.several))


@dataclass(frozen=True)
class Task:
    """What one member learns: some rows, each 0 or 1."""

    name: str
    rows: Any  # which rows, or None for all
    y: Vector  # (n,) 0 or 1

    def own(self, values: Any) -> Any:
        """Return the task's rows of an array; all of them without a copy."""
        return values if self.rows is None else values[self.rows]


@dataclass(frozen=True)
class Split:
    """The classes that a member tells apart: the second from the first or the rest."""

    first: int | None  # None: all the others
    second: int

    def name(self, labels: list[Any]) -> str:
        """Return the split in words."""
        if self.first is None:
            return f"{labels[self.second]!r} against the rest"
        return f"{labels[self.first]!r} against {labels[self.second]!r}"

    def rows(self, codes: Vector) -> Vector | None:
        """Return the rows of the two classes, None for all."""
        if self.first is None:
            return None
        return np.flatnonzero((codes == self.first) | (codes == self.second))

    def __call__(self, chunk: Chunk) -> Chunk:
        """Return the rows of a chunk that the member learns from, coded 0 and 1."""
        rows = self.rows(chunk.y)
        if rows is None:
            return replace(chunk, y=(chunk.y == self.second).astype(np.int64))
        X, y = chunk.X[rows], (chunk.y[rows] == self.second).astype(np.int64)
        w = None if chunk.w is None else chunk.w[rows]
        return Chunk(X, y, w, first_row=chunk.first_row)


def source_of(X: Any, y: Any, w: Any) -> Source | None:
    """Return a source as one, arrays as None."""
    if hasattr(X, "__dask_graph__"):
        return DaskSource(X, y, w)
    source = as_source(X)
    if source is not None and (y is not None or w is not None):
        must = "y and sample_weight must come inside the source, next to X"
        raise DataError(sentence("fit", must, "them as separate arguments"))
    return source


def base_has(method: str) -> Callable[[Any], bool]:
    """Tell whether the base, or the fitted members that learned, have a method."""

    def has(model: Any) -> bool:
        fitted = getattr(model, "estimators_", None) or []
        for one in [m for m in fitted if not is_constant(m)] or [model._base()]:
            getattr(one, method)  # its own error says why, where there is none
        return True

    return has


def is_constant(member: Any) -> bool:
    """Tell whether a member has seen one class alone."""
    return len(getattr(member, "classes_", (0, 1))) == 1


def score_of(member: Any, X: Matrix) -> Floats:
    """Return how sure a member is of 1: its decision function, or its probability.

    A regressor's prediction of 0 or 1 is such a probability, but for its range.
    """
    if is_constant(member):
        return np.full(X.shape[0], float(member.classes_[0]))
    if is_regressor(member):
        return np.asarray(member.predict(X), dtype=np.float64).reshape(-1)
    if hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X)).reshape(-1)
    return np.asarray(member.predict_proba(X))[:, 1]


def claims(member: Any, score: Floats) -> Vector:
    """Tell the rows of which a member says 1."""
    odds = hasattr(member, "decision_function") and not is_regressor(member)
    return score > (0.0 if odds and not is_constant(member) else 0.5)


class BinaryMembers(MetaLearner, Classifier):
    """Several binary machines behind one classifier."""

    binary_parts = True
    parts = {"estimators_": "predict"}  # noqa: RUF012
    estimator: Any
    n_jobs: int | None
    verbose: int
    estimators_: list[Any]

    @abstractmethod
    def _splits(self, k: int) -> list[Split]:
        """Return which of k classes each member tells apart."""

    @abstractmethod
    def _codes(self, y: Any, rows: int) -> tuple[Vector, Vector]:
        """Return the classes of y and the codes of its rows."""

    @abstractmethod
    def ambiguity(self, X: Any) -> Ambiguity:
        """Find the rows that the members do not agree on."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.pairwise = base.pairwise
        tags.input_tags.allow_nan = base.allow_nan
        return tags

    def _base(self) -> Any:
        return LogisticRegression() if self.estimator is None else self.estimator

    # -- learning ------------------------------------------------------------------
    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Fit every member; after Ctrl-C some would be missing."""
        source = source_of(X, y, sample_weight)
        if source is None:
            return self._from_arrays(X, y, sample_weight)
        own = isinstance(self._base(), Estimator) and not self._between_rows()
        if own and source.replayable and not source.many_targets:
            return self._from_source(source)
        many = source.many_targets
        labels = None if many else source.labels(self)
        rows = gather(Data(self, source if labels is None else source.encoded(labels)))
        names, y = source.names, rows.y if labels is None else labels[rows.y]
        inside = self._from_arrays(rows.X, y.astype(int) if many else y, rows.w)
        self._name_features(names)
        return inside

    def _from_arrays(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        X, codes, w = self._checked(X, y, sample_weight)
        n, k = len(codes), len(self.classes_)
        members = k if codes.ndim == 2 else len(self._splits(k))
        needed = n * (PER_LABEL * k + PER_SCORE * members)
        what = f"labels and scores of {n:,} rows for {k} classes"
        check_memory(self, needed, what, "Use fewer rows, or LogisticRegression.")
        tasks = self._tasks(codes)

        def fitted(task: Task) -> Any:
            weights = None if w is None else task.own(w)
            one = len(np.unique(task.y)) < 2
            member = PriorClassifier() if one else clone(self._base())
            some = self._columns(task.own(X), task.rows)
            return fit_with_weights(self, member, some, task.y, weights)

        cut = [task.rows for task in tasks]
        self.pairwise_indices_ = (
            cut if self._between_rows() and cut[0] is not None else None
        )
        self.estimators_ = in_threads(fitted, tasks, self.n_jobs)
        with names_checked():
            unclear = self.ambiguity(X)
        shares = (float(unclear.none.mean()), float(unclear.several.mean()))
        return self._inside([task.name for task in tasks], n, shares)

    def _from_source(self, source: Source) -> Inside:
        """Let every member read the source anew, its own rows coded 0 and 1."""
        self.classes_ = source.labels(self)
        check_two_classes(self)
        self._codes(self.classes_, len(self.classes_))  # one label for each row
        self.n_features_in_ = source.n_features
        self._name_features(source.names if source.keeps_names else None)
        self.pairwise_indices_ = None
        coded = source.encoded(self.classes_)
        splits = self._splits(len(self.classes_))

        def fitted(split: Split) -> Any:
            own = MappedSource(coded, split, classes=np.array([0, 1]))
            own.keeps_names = False  # members are asked of arrays
            return clone(self._base()).fit(own)

        self.estimators_ = in_threads(fitted, splits, self.n_jobs)
        n, none, several = 0, 0.0, 0.0
        with names_checked():
            for chunk in (c for part in coded.parts() for c in part.chunks()):
                unclear = self.ambiguity(chunk.X)
                n += chunk.n
                none += unclear.none.sum()
                several += unclear.several.sum()
        names = [split.name(self.classes_.tolist()) for split in splits]
        return self._inside(names, n, (none / n, several / n))

    def _name_features(self, names: list[str] | None) -> None:
        if names is not None:
            self.feature_names_in_ = np.asarray(names, dtype=object)

    def _tasks(self, codes: Any) -> list[Task]:
        """Return what each member learns from the codes of the classes, or labels."""
        if codes.ndim == 2:
            return [
                Task(f"label {c}", None, column) for c, column in enumerate(codes.T)
            ]
        names, tasks = self.classes_.tolist(), []
        for split in self._splits(len(names)):
            rows = split.rows(codes)
            y = (codes if rows is None else codes[rows]) == split.second
            tasks.append(Task(split.name(names), rows, y.astype(np.int64)))
        return tasks

    @available_if(base_has("partial_fit"))  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any = None, classes: Any = None, sample_weight: Any = None
    ) -> Self:
        """Let the members learn from one more batch; the first must name all `classes`.

        Parameters
        ----------
        X, y, sample_weight
            As in `fit`, with labels as y.
        classes : array, optional
            Every label that can ever come; required in the first call.

        Returns
        -------
        self
        """
        return self._fit_by(lambda: self._absorb(X, y, classes, sample_weight))

    def _absorb(self, X: Any, y: Any, classes: Any, sample_weight: Any) -> Inside:
        """Let every member learn from one more batch."""
        first = not hasattr(self, "estimators_")
        if first and classes is None:
            must = "classes must be passed on the first call to partial_fit"
            raise DataError(sentence(self, must, "None"))
        if first:
            self.classes_ = np.unique(classes)
        X, codes, w = self._checked(X, y, sample_weight, reset=first, known=True)
        tasks = self._tasks(codes)
        if first:
            self.estimators_ = [clone(self._base()) for _ in tasks]

        def absorbed(pair: tuple[Task, Any]) -> Any:
            task, member = pair
            given = {} if w is None else {"sample_weight": task.own(w)}
            known = {} if hasattr(member, "classes_") else {"classes": [0, 1]}
            if not len(task.y):
                return member
            return member.partial_fit(task.own(X), task.y, **known, **given)

        pairs = list(zip(tasks, self.estimators_, strict=True))
        self.estimators_ = in_threads(absorbed, pairs, self.n_jobs)
        rows = len(codes) + (0 if first else self.report_.rows)
        return self._inside([task.name for task in tasks], rows)._replace(
            stop=StopReason.STREAMING
        )

    def _inside(
        self, names: list[str], rows: int, shares: tuple[float, float] | None = None
    ) -> Inside:
        """Return the members with what the report says of all of them."""
        texts, constant = [], []
        for name, member in zip(names, self.estimators_, strict=True):
            known = getattr(member, "report_", None)
            texts += [f"{name}: {text}" for text in getattr(known, "warnings", ())]
            constant += [name] if is_constant(member) else []
        if constant:
            texts.append(f"{', '.join(constant)}: the same in every row.")
            warnings.warn(f"{type(self).__name__}: {texts[-1]}", stacklevel=7)
        base = type(self._base()).__name__
        facts: dict[str, Any] = {"estimator": base, "n_members": len(names)}
        if shares is not None:
            facts["unclaimed_share"], facts["contested_share"] = shares
        return Inside(self.estimators_, rows, facts, texts)

    def _checked(
        self, X: Any, y: Any, w: Any, reset: bool = True, known: bool = False
    ) -> tuple[Matrix, Any, Any]:
        """Check rows, labels and weights; rows of weight 0 are not there.

        Whether values may be missing is for the members to say.
        """
        takes = get_tags(self._base()).input_tags
        X = check_X(self, X, reset=reset, sparse=takes.sparse)
        w = check_weights(self, w, X.shape[0])
        found, codes = self._codes(y, X.shape[0])
        if w is not None and not w.all() and not takes.pairwise:
            X, codes, w = X[w > 0], codes[w > 0], w[w > 0]
        if known:
            strange = [c for c in found.tolist() if c not in self.classes_.tolist()]
            if strange:
                must = f"labels must be among the classes {self.classes_.tolist()}"
                raise DataError(sentence(self, must, f"{strange[0]!r}"))
            return X, np.searchsorted(self.classes_, found)[codes], w
        if codes.ndim == 1:
            there, codes = np.unique(codes, return_inverse=True)
            found = found[there]
            if len(found) < 2:
                must = "y must have at least two classes"
                raise DataError(sentence(self, must, f"1 class, {found.tolist()}"))
        self.classes_ = found
        return X, codes, w

    def _between_rows(self) -> bool:
        """Tell whether X is a matrix between rows, such as a kernel's."""
        return bool(get_tags(self._base()).input_tags.pairwise)

    def _columns(self, X: Matrix, rows: Any) -> Matrix:
        """Return the columns of a member's own rows, of a matrix between rows."""
        return X if rows is None or not self._between_rows() else X[:, rows]

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    # -- use -----------------------------------------------------------------------
    def _scores(self, X: Any) -> tuple[Matrix, Floats]:
        """Return the rows, checked, and every member's score, (n, m)."""
        check_is_fitted(self)
        sparse = get_tags(self._base()).input_tags.sparse
        X = check_X(self, X, reset=False, sparse=sparse)
        cut = getattr(self, "pairwise_indices_", None) or [None] * len(self.estimators_)
        some = zip(self.estimators_, cut, strict=True)
        return X, np.column_stack([score_of(m, self._columns(X, c)) for m, c in some])


def in_threads(
    work: Callable[[Any], Any], items: Sequence[Any], n_jobs: int | None
) -> list[Any]:
    """Do the work for each item, in so many threads; -1 is one for each item."""
    if n_jobs == 0:
        must = "n_jobs must be None, -1 or a number of threads above 0"
        raise ParameterError(sentence("n_jobs", must, "0"))
    if n_jobs in (None, 1) or len(items) < 2:
        return in_turn(work, items)
    threads = len(items) if n_jobs is None or n_jobs < 0 else n_jobs
    pool = ThreadPoolExecutor(threads)
    try:
        return run_parts(work, items, pool)
    finally:
        pool.shutdown(wait=False)
