"""Rows of mixed types from every kind of source, and small transformers for them."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import scipy.sparse as sp

from corollary import engine
from corollary.core.roles import Transformer
from corollary.core.table import joined_columns
from corollary.engine import Statistics, SummationLearner

N = 600
CUTS = (0, 250, 251, N)


def mixed(n=N, seed=0):
    """Return an Arrow table of texts, categories, numbers, dates, with holes."""
    rng = np.random.default_rng(seed)

    def holes(values, share=0.1):
        absent = rng.random(n) < share
        return [None if a else v for a, v in zip(absent, values, strict=True)]

    towns = np.array(["Rome", "Oslo", "Ōsaka", "São Paulo"])[rng.integers(0, 4, n)]
    grades = holes(np.array(["b", "a", "c"])[rng.integers(0, 3, n)])
    days = np.datetime64("2026-01-01", "us") + rng.integers(0, 10**15, n)
    return pa.table(
        {
            "town": pa.array(holes(towns), pa.string()),
            "age": pa.array(rng.integers(18, 90, n)),
            "pay": pa.array(holes(rng.normal(size=n).round(3)), pa.float64()),
            "member": pa.array(rng.random(n) < 0.4),
            "grade": pa.array(grades, pa.string()).dictionary_encode(),
            "since": pa.array(days),
            "y": pa.array(rng.normal(size=n).round(3)),
        }
    )


def features(table):
    return table.drop_columns(["y"])


def parts(table):
    return [table.slice(a, b - a) for a, b in pairwise(CUTS)]


def parquet(table, folder):
    for number, part in enumerate(parts(table)):
        path = folder / f"{number}.parquet"
        pa.parquet.write_table(part, path, row_group_size=90)
    return engine.ParquetSource(folder, target="y")


def csv(table, folder):
    for number, part in enumerate(parts(table)):
        plain = part.set_column(4, "grade", part["grade"].cast(pa.string()))
        pa.csv.write_csv(plain, folder / f"{number}.csv")
    return engine.CSVSource(folder, target="y", kinds={"grade": "category"})


def chunks(table, folder):
    pieces = [(features(part), part["y"].to_numpy()) for part in parts(table)]
    return engine.ChunkSource(lambda: iter(pieces))


def dask(table, folder):
    import dask.dataframe as dd

    return engine.DaskSource(dd.from_pandas(as_pandas(table), 4), target="y")


def as_pandas(table):
    return table.to_pandas()


SOURCES = {"parquet": parquet, "csv": csv, "chunks": chunks, "dask": dask}
FRAMES = {
    "pandas": as_pandas,
    "polars": pl.from_arrow,
    "pyarrow": lambda table: table,
}


def key(label):
    """Return a label by which missing ones of every library are the same."""
    return None if label is None or label != label else label


# -- transformers ----------------------------------------------------------------------
@dataclass(frozen=True)
class Labels(Statistics):
    """The labels of each column, in a frozen set."""

    found: tuple[frozenset[Any], ...]

    def __add__(self, other):
        pairs = zip(self.found, other.found, strict=True)
        return Labels(tuple(a | b for a, b in pairs))

    def scaled(self, factor):
        return self


class TinyEncoder(SummationLearner, Transformer):
    """One column of 0 and 1 for each label of each column."""

    takes_columns: ClassVar[bool] = True

    def __init__(self, sparse=False):
        self.sparse = sparse

    def takes_missing(self):
        return True

    def start(self, data, seed):
        return None

    def statistics(self, chunk, state):
        columns = (column.coded(self)[0].tolist() for column in chunk.X.columns)
        return Labels(tuple(frozenset(map(key, labels)) for labels in columns))

    def update(self, statistics, state):
        return statistics

    def publish(self, fitted):
        self.labels_ = [sorted(found, key=str) for found in fitted.state.found]
        self._n_features_out = sum(map(len, self.labels_))

    def transform(self, X):
        table = self._table(X)
        blocks = []
        for column, labels in zip(table.columns, self.labels_, strict=True):
            here, codes = column.coded(self)
            place = [labels.index(key(label)) for label in here.tolist()]
            blocks.append(np.eye(len(labels))[np.array(place)[codes]])
        out = np.hstack(blocks)
        return sp.csr_array(out) if self.sparse else out


class TinyFiller(SummationLearner, Transformer):
    """Puts a word in the place of what is missing; gives tables, or objects."""

    takes_columns: ClassVar[bool] = True

    def __init__(self, word="none", table=True):
        self.word, self.table = word, table

    def takes_missing(self):
        return True

    def start(self, data, seed):
        return None

    def statistics(self, chunk, state):
        return Labels((frozenset(),))

    def update(self, statistics, state):
        return statistics

    def publish(self, fitted):
        self._n_features_out = self.n_features_in_

    def transform(self, X):
        table = self._table(X)
        out = table.objects().astype(object)
        for j, column in enumerate(table.columns):
            out[column.is_missing(), j] = self.word
        if not self.table:
            return out
        from corollary.core.table import table_of

        return joined_columns([table_of(self, out)])
