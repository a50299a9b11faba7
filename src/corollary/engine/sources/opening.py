"""Opening: from what a user hands to `fit` to a checked source."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Vector
from corollary.core.check_table import check_table
from corollary.core.checks import (
    check_indicators,
    check_labels,
    check_targets,
    check_weights,
    check_X,
    encode_labels,
    present,
)
from corollary.core.errors import DataError, sentence
from corollary.core.table import Table
from corollary.engine.sources.chunks import ChunkSource
from corollary.engine.sources.source import ArraySource, Source, codes_of

__all__ = ["as_source", "is_chunks", "objects_of", "open_source", "suited"]


def open_source(
    learner: Any,
    X: Any,
    y: Any = None,
    sample_weight: Any = None,
    *,
    reset: bool = True,
    classes: Any = None,
) -> Source:
    """Return a source for a learner, checked against the learner's needs.

    Sets `n_features_in_` (and `feature_names_in_`, `classes_`) where `reset` is true
    and holds the data to them otherwise.
    """
    if hasattr(X, "__dask_graph__"):
        from corollary.engine.sources.dask import DaskSource

        X, y, sample_weight = DaskSource(X, y, sample_weight), None, None
    objects = objects_of(X) if getattr(learner, "takes_objects", False) else None
    if objects is not None:  # rows that are no numbers are numbered
        X = np.arange(float(len(objects)))[:, None]
    source = as_source(X)
    if source is None:
        opened = _arrays(learner, X, y, sample_weight, reset, classes)
        opened.objects = objects
        return opened
    if y is not None or sample_weight is not None:
        must = "y and sample_weight must come inside the source, next to X"
        raise DataError(sentence(learner, must, "them as separate arguments"))
    if isinstance(source, ArraySource):
        return _arrays(learner, source.X, source.y, source.w, reset, classes)
    source = suited(learner, source)
    return _features(learner, _targets(learner, source, reset, classes), reset)


def suited(model: Any, source: Source) -> Source:
    """Return a source in the form that an estimator takes: tables, or matrices."""
    if getattr(model, "takes_columns", False):
        return source.tables()
    return source.matrices(model, missing=getattr(model, "takes_missing", bool)())


def objects_of(X: Any) -> Vector | None:
    """Return rows that are texts or other objects as an array of them, else None."""
    if not isinstance(X, list | tuple | np.ndarray) or not len(X):
        return None
    plain = isinstance(X, np.ndarray) and X.ndim == 1 and X.dtype == object
    if not plain and not isinstance(X[0], str | bytes):
        return None
    objects = np.empty(len(X), dtype=object)
    objects[:] = list(X)
    return objects


def is_chunks(X: Any) -> bool:
    """Tell an iterator of chunks, or a function of one, from an array; read none."""
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return False
    return isinstance(X, Iterator) or (callable(X) and not hasattr(X, "__array__"))


def as_source(X: Any) -> Source | None:
    """Recognise sources and iterators; None means an array."""
    if isinstance(X, Source):
        return X
    return ChunkSource(X) if is_chunks(X) else None


def _targets(learner: Any, source: Source, reset: bool, classes: Any) -> Source:
    """Encode labels; refuse a source without the target that the learner needs."""
    if learner.target == "none":
        return source.unlabelled()
    if not source.has_target:
        present(learner, None)
    if learner.target == "number" and source.many_targets:
        raise DataError(sentence(learner, "y must be one column", "a matrix"))
    target = learner.target
    if target == "either":
        target, classes = learner.target_of_source(source, reset)
    if target == "labels":
        if reset:
            found = source.labels(learner) if classes is None else np.unique(classes)
            check_labels(learner, found)
            learner.classes_ = found
        return source.encoded(learner.classes_)
    return source


def _features(learner: Any, source: Source, reset: bool) -> Source:
    if source.sparse and not learner.takes_sparse:
        must, came = "X must be dense", "a source of sparse rows"
        raise DataError(sentence(learner, must, came))
    if reset:
        learner.n_features_in_ = source.n_features
        if source.names is not None and source.keeps_names:
            learner.feature_names_in_ = np.asarray(source.names, dtype=object)
    elif source.n_features != learner.n_features_in_:
        must = f"is expecting {learner.n_features_in_} features as input"
        raise DataError(sentence(learner, must, f"{source.n_features}"))
    return source


def _arrays(
    learner: Any, X: Any, y: Any, w: Any, reset: bool, classes: Any
) -> ArraySource:
    """Check X, y and weights in memory; rows of weight 0 leave supervised data."""
    target = learner.target
    if target != "none":
        present(learner, y)
    if getattr(learner, "takes_columns", False):
        X = check_table(learner, X, reset=reset, sparse=learner.takes_sparse)
    else:
        X = check_X(learner, X, reset=reset, sparse=learner.takes_sparse)
    rows = X.shape[0]
    dtype = X.float_type() if isinstance(X, Table) else X.dtype
    w = check_weights(learner, w, rows)
    if target == "either":
        target, dtype = learner.target_of(y, w, reset), np.float64
    if target == "labels":
        y = _codes(learner, y, rows, w, reset, classes)
    elif target != "none":
        many = target == "numbers"
        y = check_targets(learner, y, rows, dtype, many=many)
    else:
        y = None
    kept = None
    if y is not None and w is not None and not w.all():
        kept = w > 0
        X, y, w = X[kept], y[kept], w[kept]
    source = ArraySource(X, y, w)
    source.kept = kept
    names = getattr(learner, "feature_names_in_", None)
    source.names = None if names is None else [str(name) for name in names]
    return source


def _codes(
    learner: Any, y: Any, rows: int, w: Vector | None, reset: bool, classes: Any
) -> Vector:
    """Encode labels; classes of which every row weighs 0 do not exist."""
    table = y if sp.issparse(y) or not learner.takes_indicators else np.asarray(y)
    if learner.takes_indicators and reset and table.ndim == 2 and table.shape[1] > 1:
        learner.classes_ = np.arange(table.shape[1])
        return check_indicators(learner, table, rows)
    if learner.takes_many_labels and not sp.issparse(y):
        several = np.asarray(y)
        if several.ndim == 2 and several.shape[1] > 1:
            return _many_codes(learner, several, rows, w)
    found, codes = encode_labels(learner, y, rows)
    if reset and classes is None:
        if w is not None and not w.all():
            alive = np.bincount(codes, weights=w, minlength=len(found)) > 0
            codes = np.where(alive[codes], np.cumsum(alive)[codes] - 1, 0)
            found, codes = found[alive], codes.astype(np.int32)
        learner.classes_ = found
        return codes
    if reset:
        learner.classes_ = np.unique(classes)
    return codes_of(found, learner.classes_, learner, "y")[codes]


def _many_codes(learner: Any, y: Vector, rows: int, w: Vector | None) -> Vector:
    """Encode the labels of several outputs; `classes_` is a list, one for each."""
    columns = [encode_labels(learner, column, rows) for column in y.T]
    known = slice(None) if w is None else w > 0
    used = [np.unique(codes[known]) for _, codes in columns]
    learner.classes_ = [
        classes[u] for (classes, _), u in zip(columns, used, strict=True)
    ]
    codes = [
        np.searchsorted(u, codes) for (_, codes), u in zip(columns, used, strict=True)
    ]
    return np.column_stack(codes).astype(np.int32)
