"""Choosing how fits run: executor, threads, chunks, schedule, memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from corollary.core.configuration import Config, config_context

__all__ = ["use"]


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
