"""Answers of a model for a Dask collection: a lazy Dask collection.

An array gives an array, a data frame a series or a data frame with its index; sparse
answers are an array of CSR blocks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.table import Table
from corollary.engine.sources.dask import DaskSource, PartitionRows
from corollary.engine.sources.source import Chunk

__all__ = ["dask_answer"]


def dask_answer(
    call: Any, source: DaskSource, columns_of: Callable[[Any], list[str]]
) -> Any:
    """Return what a model's method says of each partition, computed when asked."""
    X, rows = source.X, source.rows_of()
    like = _plain(call(Chunk(source.sample())))
    if source.names is not None and not sp.issparse(like):
        return _of_frame(call, X, rows, like, columns_of(like))
    if source.names is not None or sp.issparse(like):
        return _of_blocks(call, X, rows, like)
    meta = np.empty((0,) * like.ndim, like.dtype)
    shape: dict[str, Any] = {"drop_axis": 1}
    if like.ndim > 1:
        shape = {"chunks": (X.chunks[0], (like.shape[1],))}
    return X.map_blocks(_rows, call, rows, like, dtype=like.dtype, meta=meta, **shape)


def _plain(answer: Any) -> Any:
    """Return an answer as an array, a CSR matrix or a table."""
    if sp.issparse(answer) or isinstance(answer, Table):
        return answer
    return np.asarray(answer)


def _rows(block: Any, call: Any, rows: PartitionRows, like: Any) -> Any:
    """Answer for one block; none for an empty one."""
    if len(block) if not sp.issparse(block) else block.shape[0]:
        return _plain(call(Chunk(rows.block(block))))
    return like[:0]


def _of_blocks(call: Any, X: Any, rows: PartitionRows, like: Any) -> Any:
    """Return sparse answers as an array whose blocks are CSR."""
    import dask
    import dask.array as da

    answered = dask.delayed(_rows, pure=True)
    sizes = [np.nan] * X.npartitions if is_dask_frame(X) else X.chunks[0]
    blocks = [
        da.from_delayed(
            answered(piece, call, rows, like),
            shape=(size, like.shape[1]),
            dtype=like.dtype,
            meta=like[:0],
        )
        for piece, size in zip(np.ravel(X.to_delayed()), sizes, strict=True)
    ]
    return da.concatenate(blocks, axis=0)


def is_dask_frame(X: Any) -> bool:
    """Tell whether a Dask collection is a data frame."""
    return hasattr(X, "columns")


def _of_frame(
    call: Any, X: Any, rows: PartitionRows, like: Any, names: list[str]
) -> Any:
    import pandas as pd

    def made(values: Any, index: Any) -> Any:
        if isinstance(values, Table):
            return values.frame(names).set_index(index)
        if like.ndim == 1:
            return pd.Series(values, index=index, name=names[0])
        return pd.DataFrame(values, index=index, columns=names)

    def answered(block: Any) -> Any:
        return made(_rows(block, call, rows, like), block.index)

    meta = made(like[:0], X._meta.index[:0])
    return X.map_partitions(answered, meta=meta)
