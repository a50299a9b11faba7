"""Learners that need all rows at once, because what they sum does not fit the form.

A kernel machine weighs every pair of rows; a lazy learner keeps them.  Such a method
says so in its first paragraph.  Its rows may come from any source, and are gathered in
memory first.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp

from corollary.core.interrupt import as_before, conclude
from corollary.core.magnitude import check_learned, numerical_errors
from corollary.core.memory import check_working_memory, less_memory
from corollary.core.parameters import Rule, check_parameters
from corollary.core.report import Report, StopReason
from corollary.engine.fit import Data, complete, warn_if_short
from corollary.engine.sources.opening import open_source
from corollary.engine.sources.source import ArraySource, Chunk

__all__ = ["RowsLearner", "gather"]


def gather(data: Data) -> Chunk:
    """Read a source once, check its rows, and return them as one chunk.

    Reading ends as soon as the rows and the work on them exceed the memory limit.
    """
    source = data.source
    if isinstance(source, ArraySource):
        for _ in data.one_by_one():
            pass
        chunk = Chunk(source.X, source.y, source.w, kept=source.kept)
        return replace(chunk, objects=source.objects)
    if source.n_rows is not None and not source.sparse:
        return filled(data, source.n_rows)
    chunks: list[Chunk] = []
    held = 0.0
    for chunk in data.one_by_one():
        chunks.append(chunk)
        held += chunk_size(chunk)
        n = sum(each.n for each in chunks)
        check_working_memory(data.learner, n, source.n_features, 2 * held)
    X = [chunk.X for chunk in chunks]
    rows = sp.vstack(X, format="csr") if source.sparse else np.concatenate(X)
    y = None if chunks[0].y is None else np.concatenate([c.y for c in chunks])
    w = None
    if any(c.w is not None for c in chunks):
        w = np.concatenate([np.ones(c.n) if c.w is None else c.w for c in chunks])
    return weighed(rows, y, w)


def filled(data: Data, n: int) -> Chunk:
    """Read a source of n rows into one array, which is never there twice."""
    source = data.source
    held = (source.dtype.itemsize * source.n_features + 16.0) * n
    check_working_memory(data.learner, n, source.n_features, held)
    X = np.empty((n, source.n_features), source.dtype)
    y: Any = None
    w: Any = None
    seen = 0
    for chunk in data.one_by_one():
        some = slice(seen, seen + chunk.n)
        X[some] = chunk.X
        if chunk.y is not None:
            y = np.empty((n, *chunk.y.shape[1:]), chunk.y.dtype) if y is None else y
            y[some] = chunk.y
        if chunk.w is not None:
            w = np.ones(n) if w is None else w
            w[some] = chunk.w
        seen += chunk.n
    y, w = (None if a is None else a[:seen] for a in (y, w))
    return weighed(X[:seen], y, w)


def weighed(rows: Any, y: Any, w: Any) -> Chunk:
    """Return the rows that weigh something as a chunk."""
    if w is None or w.all():
        return Chunk(rows, y, w)
    keep = w > 0
    return Chunk(rows[keep], None if y is None else y[keep], w[keep], kept=keep)


def chunk_size(chunk: Chunk) -> float:
    """Return the bytes of a chunk."""
    X = chunk.X
    parts = (X.data, X.indices, X.indptr) if sp.issparse(X) else (X,)
    return float(sum(a.nbytes for a in (*parts, chunk.y, chunk.w) if a is not None))


class RowsLearner(ABC):
    """Learns from all rows at once; they must fit in memory."""

    rules: ClassVar[Mapping[str, Rule]]

    @abstractmethod
    def learn(self, rows: Chunk, report: Report) -> None:
        """Set the learned attributes, and tell the report how the fit went."""

    def sums_bytes(self, n_features: int) -> int:
        """Return 0: nothing is summed."""
        return 0

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the memory beside the rows: a copy of them and some vectors."""
        return rows * (8.0 * features + 100.0)

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from data.

        Parameters
        ----------
        X : array, sparse matrix, data frame, or Source
            Rows are examples; they are gathered in memory.
        y : array, optional
            Target of a supervised learner; None where the source carries it.
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; 0 removes it.

        Returns
        -------
        self
        """
        return self.fit_by(self.learn, X, y, sample_weight)

    def fit_by(
        self, learn: Callable[[Chunk, Report], None], X: Any, y: Any, sample_weight: Any
    ) -> Self:
        """Check data as `fit` does, and learn from it in a way of the caller's."""
        check_parameters(self, self.rules)
        begun = time.perf_counter()
        report = Report(type(self).__name__, StopReason.CLOSED_FORM, 1)
        with as_before(self):
            data = Data(self, open_source(self, X, y, sample_weight))
            try:
                rows = gather(data)
                ours = 0.0 if data.source.in_memory else chunk_size(rows)
                with less_memory(ours), numerical_errors(self):
                    learn(rows, report)
            finally:
                data.executor.close()
            complete(report, data, time.perf_counter() - begun)
            self.report_ = report
            check_learned(self)
        warn_if_short(report)
        conclude(report)
        return self
