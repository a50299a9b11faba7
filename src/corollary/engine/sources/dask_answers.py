"""Answers of a model for a Dask collection: a lazy Dask collection."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corollary.core.checks import names_checked
from corollary.engine.sources.source import Chunk

__all__ = ["dask_answer"]


def dask_answer(call: Any, X: Any, columns_of: Callable[[Any], list[str]]) -> Any:
    """Return what a model's method says of each partition, computed when asked."""
    like = np.asarray(
        call(Chunk(np.zeros((1, len(X.columns)) if _frame(X) else (1, X.shape[1]))))
    )
    if _frame(X):
        return _of_frame(call, X, like, columns_of(like))
    X = X if X.numblocks[1] == 1 else X.rechunk({1: -1})
    meta = np.empty((0,) * like.ndim, like.dtype)
    if like.ndim == 1:
        return X.map_blocks(_rows, call, like, drop_axis=1, dtype=like.dtype, meta=meta)
    chunks = (X.chunks[0], (like.shape[1],))
    return X.map_blocks(_rows, call, like, chunks=chunks, dtype=like.dtype, meta=meta)


def _frame(X: Any) -> bool:
    return hasattr(X, "columns")


def _rows(block: Any, call: Any, like: Any) -> Any:
    """Answer for one block; none for an empty one."""
    if not len(block):
        return np.empty((0, *like.shape[1:]), like.dtype)
    with names_checked():
        return np.asarray(getattr(call.model, call.method)(np.asarray(block)))


def _of_frame(call: Any, X: Any, like: Any, names: list[str]) -> Any:
    import pandas as pd

    def made(values: Any, index: Any) -> Any:
        if like.ndim == 1:
            return pd.Series(values, index=index, name=names[0])
        return pd.DataFrame(values, index=index, columns=names)

    def answered(block: Any) -> Any:
        return made(_rows(block, call, like), block.index)

    meta = made(np.empty((0, *like.shape[1:]), like.dtype), X._meta.index[:0])
    return X.map_partitions(answered, meta=meta)
