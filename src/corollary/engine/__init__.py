"""The engine: learners in summation form on any source, executor and schedule."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TYPE_CHECKING, Any

from corollary.core.config import Config, config_context
from corollary.engine.contract import (
    StreamingClassifier,
    StreamingLearner,
    SummationLearner,
)
from corollary.engine.executors import Executor, Serial, Threads
from corollary.engine.run import Data, Fitted, Settled
from corollary.engine.schedules import PerChunk, PerPass
from corollary.engine.sources import ArraySource, Chunk, ChunkSource, Part, Source
from corollary.engine.statistics import Moments, Statistics, Triangle, Variances

if TYPE_CHECKING:
    from corollary.engine.csv import CSVSource as CSVSource
    from corollary.engine.parquet import ParquetSource as ParquetSource
    from corollary.engine.partitions import DaskSource as DaskSource

_LAZY = {  # loaded when first asked for: they are the only ones that need pyarrow, dask
    "CSVSource": "corollary.engine.csv",
    "DaskSource": "corollary.engine.partitions",
    "ParquetSource": "corollary.engine.parquet",
}

__all__ = [
    "ArraySource",
    "CSVSource",
    "Chunk",
    "ChunkSource",
    "DaskSource",
    "Data",
    "Executor",
    "Fitted",
    "Moments",
    "ParquetSource",
    "Part",
    "PerChunk",
    "PerPass",
    "Serial",
    "Settled",
    "Source",
    "Statistics",
    "StreamingClassifier",
    "StreamingLearner",
    "SummationLearner",
    "Threads",
    "Triangle",
    "Variances",
    "use",
]


@contextmanager
def use(**settings: Any) -> Iterator[Config]:
    """Choose how fits run inside a ``with`` block.

    Parameters
    ----------
    **settings
        executor (``"serial"``, ``"threads"``, a Dask Client, an `Executor`),
        threads, chunk_rows, schedule (`PerPass()`, `PerChunk(decay)`),
        memory_limit, verbose, interrupt, patience.

    Examples
    --------
    >>> from corollary import engine, PCA
    >>> from corollary.datasets import blobs
    >>> X, *_ = blobs(1000, 3, random_state=0)
    >>> with engine.use(executor="serial", chunk_rows=100):
    ...     model = PCA(n_components=2).fit(X)
    >>> model.report_.executor
    'serial'
    """
    with config_context(**settings) as config:
        yield config


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'corollary.engine' has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
