"""Gathering: all rows of a source as one chunk in memory, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.memory import check_working_memory
from corollary.core.table import joined_rows
from corollary.engine.data import Data
from corollary.engine.sources.source import ArraySource, Chunk

__all__ = ["chunk_size", "gather"]


def gather(data: Data) -> Chunk:
    """Read a source once, check its rows, and return them as one chunk.

    Reading ends as soon as the rows and the work on them exceed the memory limit.
    """
    source = data.source
    if isinstance(source, ArraySource):
        data.look()
        kept, objects = source.kept, source.objects
        return Chunk(source.X, source.y, source.w, kept=kept, objects=objects)
    if source.n_rows is not None and not source.sparse and not source.tabular:
        return filled(data, source.n_rows)
    chunks: list[Chunk] = []
    held = 0.0
    for chunk in data.one_by_one():
        chunks.append(chunk)
        held += chunk_size(chunk)
        n = sum(each.n for each in chunks)
        check_working_memory(data.learner, n, source.n_features, 2 * held)
    X = [chunk.X for chunk in chunks]
    rows: Any
    if source.tabular:
        rows = joined_rows(X)
    else:
        rows = sp.vstack(X, format="csr") if source.sparse else np.concatenate(X)
    y = None if chunks[0].y is None else np.concatenate([c.y for c in chunks])
    w = None
    if any(c.w is not None for c in chunks):
        w = np.concatenate([np.ones(c.n) if c.w is None else c.w for c in chunks])
    return positive_weight_rows(rows, y, w)


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
    return positive_weight_rows(X[:seen], y, w)


def positive_weight_rows(rows: Any, y: Any, w: Any) -> Chunk:
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
