"""Using a model on a source: predictions chunk by chunk, transformed sources.

What `fit` accepts, `predict`, `transform`, `score` and their like accept too:

    transform(source)        a lazy source: chunks are transformed as they are read
    predict(source)          an array, where it fits the memory limit
    engine.predict(...)      an iterator of arrays, or Parquet files with `into`; of
                             data frames, where `set_output` asks a transformer for them
    score(source)            the score, where the source carries y: see `scores.py`
    any of Dask's            a lazy Dask collection

Each chunk goes through the same method as an array does, by the executor that a fit
would use, and the order is kept.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn import config_context, get_config
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from corollary.core.check_table import check_table
from corollary.core.checks import check_X, names_checked, names_of
from corollary.core.errors import DataError, sentence
from corollary.core.frames import is_frame
from corollary.core.memory import check_memory
from corollary.core.roles import Estimator
from corollary.core.table import Table, table_of
from corollary.engine.data import chosen_executor
from corollary.engine.executors.executor import NoMemories
from corollary.engine.scores import score_of
from corollary.engine.sources.mapped import MappedSource, as_rows
from corollary.engine.sources.opening import as_source, suited
from corollary.engine.sources.source import ArraySource, Chunk, Source

__all__ = ["answer", "predict"]

METHODS = "predict predict_proba predict_log_proba decision_function score_samples"
TRANSFORMS = ("transform", "inverse_transform")


def predict(
    model: Any, X: Any, method: str = "predict", *, into: Any = None
) -> Iterator[Any] | str:
    """Use a fitted model on data of any size, chunk by chunk.

    Parameters
    ----------
    model : estimator
        A fitted model, or a pipeline of such.
    X : array, sparse matrix, data frame, or Source
        What `fit` accepts.
    method : str, default='predict'
        The model's method: 'predict', 'predict_proba', 'transform', ...
    into : path, optional
        Where to write the answers: a file that ends in ``.parquet``, or a new folder of
        such files.  It is there complete, or not at all.

    Returns
    -------
    iterator of arrays, or str
        The answers of each chunk in the order of the rows, or the path of `into`.
        ``model.set_output(transform="pandas")`` or "polars" makes the answers of
        'transform' data frames, one a chunk; `model.transform` of a source gives a
        lazy source whatever was set.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression, engine
    >>> X = np.arange(6.0)[:, None]
    >>> model = LinearRegression().fit(X, 2 * X[:, 0])
    >>> parts = engine.predict(model, engine.ChunkSource([X[:4], X[4:]]))
    >>> [part.round(6).tolist() for part in parts]
    [[0.0, 2.0, 4.0, 6.0], [8.0, 10.0]]
    """
    if not hasattr(model, method):
        must = f"method must be one that the model has, such as {METHODS.split()[0]!r}"
        raise DataError(sentence(model, must, repr(method)))
    source = opened(model, X)
    answers = called(model, method, source)
    if into is None:
        return answers
    from corollary.engine.sources.parquet_writing import write_parquet

    return write_parquet(answers, partial(columns_of, model, method), into)


def opened(model: Any, X: Any) -> Source:
    """Return any data as a source."""
    if hasattr(X, "__dask_graph__"):
        from corollary.engine.sources.dask import DaskSource

        return suited_to(model, DaskSource(X))
    source = as_source(X)
    if source is not None:
        return suited_to(model, source)
    if isinstance(model, Estimator):
        check = check_table if model.takes_columns else check_X
        return ArraySource(check(model, X, reset=False, sparse=model.takes_sparse))
    if is_frame(X):
        return suited_to(model, ArraySource(table_of(model, X)))
    return ArraySource(X if sp.issparse(X) else np.asarray(X))


def suited_to(model: Any, source: Source) -> Source:
    """Return a source as a model takes it; others' take tables where there is text."""
    if isinstance(model, Estimator):
        return suited(model, model.columns_used(source))
    numbers = set(source.kinds) <= {"number", "boolean"}
    return source.matrices(model, missing=True) if numbers else source.tables()


def asked_output() -> str:
    """Return the container that scikit-learn's configuration asks transformers for."""
    return str(get_config()["transform_output"])


@dataclass(frozen=True)
class Call:
    """A method of a model, applied to chunks."""

    model: Any
    method: str
    names: list[str] | None = None  # for models of others, which ask for them
    output: str = field(default_factory=asked_output)  # in whatever thread it is called

    def __call__(self, chunk: Chunk) -> Any:
        with names_checked(), config_context(transform_output=self.output):
            return getattr(self.model, self.method)(self.rows(chunk))

    def rows(self, chunk: Chunk) -> Any:
        """Return the rows, as a data frame where another's model knows their names."""
        X = chunk.X
        if reads_tables(self.model):
            return X
        there = importlib.util.find_spec("pandas") is not None
        if isinstance(X, Table):
            return X.frame(self.names) if there else X.objects()
        if self.names is None or not there:
            return X
        import pandas as pd

        return pd.DataFrame(X, columns=self.names)


def reads_tables(model: Any) -> bool:
    """Tell whether a model is one of ours, or a pipeline that begins with one."""
    if isinstance(model, Estimator):
        return True
    from sklearn.pipeline import Pipeline

    return isinstance(model, Pipeline) and isinstance(model.steps[0][1], Estimator)


@dataclass(frozen=True)
class Transformed:
    """A chunk as a transformer makes it."""

    call: Call
    like: Any  # one row as the transformer makes it
    names: list[str] | None  # of the columns that it makes

    def __call__(self, chunk: Chunk) -> Chunk:
        X = named(as_rows(self.call(chunk), self.like), self.names)
        return replace(chunk, X=X, memory={})


def named(X: Any, names: Sequence[str] | None) -> Any:
    """Return rows under the names of their columns, where they are a table."""
    if not isinstance(X, Table):
        return X
    return Table(X.held, None if names is None else tuple(names), X.n)


def call_of(model: Any, method: str, source: Source) -> Call:
    """Check that a source has the features of the model; return its method."""
    if not isinstance(model, Estimator):
        named = hasattr(model, "feature_names_in_") or source.tabular
        return Call(model, method, source.names if named else None)
    check_is_fitted(model)
    if method == "inverse_transform" or model.finds_columns:
        return Call(model, method)
    wanted = model.n_features_in_
    if source.n_features != wanted:
        must = f"is expecting {wanted} features as input"
        raise DataError(sentence(model, must, f"{source.n_features}"))
    names = names_of(model)
    if names is not None and source.keeps_names and source.names not in (None, names):
        must = f"the columns must be those of fit, {names[:10]}"
        raise DataError(sentence(model, must, f"{list(source.names or ())[:10]}"))
    if source.sparse and not get_tags(model).input_tags.sparse:
        raise DataError(sentence(model, "X must be dense", "a source of sparse rows"))
    return Call(model, method)


def mapped(function: Callable[[Chunk], Any], source: Source) -> Generator[Any]:
    """Apply a function to every chunk, by the executor that a fit would use."""
    parts = source.parts()
    single = isinstance(parts, list) and len(parts) == 1 and source.in_memory
    executor = chosen_executor(source, single)
    try:
        yield from executor.map(function, parts, NoMemories())
    finally:
        executor.close()


def called(model: Any, method: str, source: Source) -> Generator[Any]:
    """Return the answers of a method, chunk by chunk."""
    call = call_of(model, method, source)
    return mapped(call, source.without_target())


def joined(model: Any, answers: Iterator[Any], rows: int | None) -> Any:
    """Join the answers in memory, if they fit."""
    found: list[Any] = []
    held = seen = 0
    for answer in answers:
        found.append(answer)
        held += getattr(answer, "data", answer).nbytes
        seen += answer.shape[0]
        needed = 2.0 * held if rows is None else held * max(rows, seen) / seen
        remedy = "Use engine.predict(model, source), or into='file.parquet'."
        check_memory(model, needed, "the predictions of all rows", remedy)
    if not found:
        raise DataError(sentence(model, "a source must give at least one row", "none"))
    if sp.issparse(found[0]):
        return sp.vstack(found, format="csr")
    return np.concatenate(found) if len(found) > 1 else found[0]


def transformed(model: Any, method: str, source: Source) -> MappedSource:
    """Return a source seen through a transformer."""
    call = replace(call_of(model, method, source), output="default")
    like = as_rows(call(Chunk(source.sample())))
    name = type(model).__name__
    described = f", through {name}"
    names = columns_of(model, method, like) if method == "transform" else None
    like = named(like, names)
    function = Transformed(call, like, names)
    return MappedSource(source, function, like=like, names=names, described=described)


def columns_of(model: Any, method: str, like: Any) -> list[str]:
    """Name the columns of an answer."""
    width = 1 if like.ndim == 1 else like.shape[1]
    if method == "transform" and hasattr(model, "get_feature_names_out"):
        names = [str(name) for name in model.get_feature_names_out()]
        if len(names) == width:
            return names
    if like.ndim == 1:
        return [method]
    labels: Any = getattr(model, "classes_", range(width))
    labels = labels if len(labels) == width else range(width)
    return [f"{method}_{label}" for label in labels]


# -- what the methods of every estimator do with a source ------------------------------
def answer(
    model: Any, method: Callable[..., Any], X: Any, args: Any, options: Any
) -> Any:
    """Answer for a method that was given a source; NotImplemented for anything else."""
    name = method.__name__
    if name == "fit_transform":
        source: Any = X if hasattr(X, "__dask_graph__") else as_source(X)
        if source is None:
            return NotImplemented
        if hasattr(model, "fit_transform_source"):  # which is not fit, then transform
            return model.fit_transform_source(source, *args, **options)
        getattr(model, "fit_source", model.fit)(source, *args, **options)
        return model.transform(source)
    if hasattr(X, "__dask_graph__"):
        from corollary.engine.sources.dask import DaskSource
        from corollary.engine.sources.dask_answers import dask_answer

        if name == "fit_transform":
            return model.fit(X, *args, **options).transform(X)
        if name != "score":
            dask: Any = suited_to(model, DaskSource(X))
            call = call_of(model, name, dask)
            return dask_answer(call, dask, partial(columns_of, model, name))
        dask = DaskSource(X, *args, **renamed(options))
        return scored(model, method, suited_to(model, dask))
    source = as_source(X)
    if source is None:
        return NotImplemented
    if name == "fit_transform":
        return model.fit(source, *args, **options).transform(source)
    source = suited_to(model, source)
    if any(value is not None for value in (*args, *options.values())):
        must = "y and sample_weight must come inside the source, next to X"
        raise DataError(sentence(model, must, "them as separate arguments"))
    if name == "score":
        return scored(model, method, source)
    if name in TRANSFORMS:
        return transformed(model, name, source)
    return joined(model, called(model, name, source), source.n_rows)


def scored(model: Any, method: Callable[..., Any], source: Source) -> float:
    """Return the score of a source that has the features of the model."""
    call_of(model, "predict", source)
    return score_of(model, method, source, mapped)


def renamed(options: Any) -> Any:
    """Return options of `score` by the names that a source has for them."""
    return {{"sample_weight": "w"}.get(name, name): v for name, v in options.items()}
