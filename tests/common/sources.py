"""The same rows from every kind of source: what the common tests run over."""

import contextlib

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from corollary import engine


@contextlib.contextmanager
def local_client():
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, processes=False, dashboard_address=":0"
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def table(X, y):
    columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
    if y is not None and y.ndim == 2:
        return columns | {f"y{j}": y[:, j] for j in range(y.shape[1])}
    return columns if y is None else columns | {"y": y}


def named(y):
    """Return what a file's source calls its target."""
    if y is None or y.ndim == 1:
        return None if y is None else "y"
    return [f"y{j}" for j in range(y.shape[1])]


def parquet(X, y, folder):
    whole = pa.table(table(X, y))
    for number, (a, b) in enumerate([(0, 700), (700, 701), (701, 2000)]):
        pa.parquet.write_table(
            whole.slice(a, b - a), folder / f"{number}.parquet", row_group_size=300
        )
    return engine.ParquetSource(folder, target=named(y))


def csv(X, y, folder):
    path = folder / "data.csv"
    pa.csv.write_csv(pa.table(table(X, y)), path)
    return engine.CSVSource(path, target=named(y))


def chunks(X, y, folder):
    def again():
        for a in range(0, 2000, 450):
            rows = slice(a, a + 450)
            yield X[rows] if y is None else (X[rows], y[rows])

    return engine.ChunkSource(again)


def dask_array(X, y, folder):
    import dask.array as da

    A = da.from_array(X, chunks=(420, -1))
    return A if y is None else (A, da.from_array(y, chunks=(420, -1)[: y.ndim]))


SOURCES = {
    "array": lambda X, y, folder: (X, y),
    "fortran": lambda X, y, folder: (np.asfortranarray(X), y),
    "pandas": lambda X, y, folder: (pd.DataFrame(table(X, None)), y),
    "polars": lambda X, y, folder: (pl.DataFrame(table(X, None)), y),
    "arrow": lambda X, y, folder: (pa.table(table(X, None)), y),
    "parquet": parquet,
    "csv": csv,
    "chunks": chunks,
    "dask": dask_array,
}
