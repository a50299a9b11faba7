"""Bins: every number becomes the code of one of at most 255 intervals.

Also known as: discretisation, quantile binning, histogram binning.

With the distinct values v_1 < ... < v_m of a feature and B the most bins,

    edges   (v_j + v_{j+1}) / 2, all of them where m <= B                        (1)
            otherwise those below the values at the ranks n k/B, k = 1..B-1      (2)
    code    b(x) = #{edges < x}, and the number of bins for a missing value      (3)

(1) loses nothing: a tree on codes finds every split of a tree on values.  The ranks of
(2) count the rows of a sample, those with the smallest keys; the key of a row is made
of its values, so that the edges do not depend on chunks, threads or files, and all rows
are the sample where they are few.  Weights do not move an edge.

A categorical feature comes as the numbers of its values (`feature_columns.py`) and has
a bin for each of them.

Notation: X (n, d); codes (d, n), a byte each.
References: Ke et al. (2017); Munro and Paterson (1980).
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from corollary import loops
from corollary.clustering.seeding import Sample
from corollary.core.arrays import Floats, Vector
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.core.records import stored
from corollary.engine.data import Data
from corollary.engine.gather import gather
from corollary.engine.sources.source import ArraySource, Chunk
from corollary.trees.feature_columns import FeatureColumns

__all__ = ["Bins", "find_bins"]

SAMPLE = 200_000  # rows whose ranks make the edges
WIDTH = 256  # of the table of edges
PARALLEL = 2**18  # numbers from which columns are sorted by several threads


@stored
@dataclass(frozen=True)
class Bins:
    """The bins of every feature."""

    edges: Floats  # (d, 256) rising, padded with infinity
    counts: Vector  # (d,) int32: bins of a feature; the next code is for missing values
    categorical: Vector  # (d,) bool

    def __post_init__(self) -> None:
        d = len(self.counts)
        right = (
            self.edges.shape == (d, WIDTH)
            and self.edges.dtype == np.float64
            and self.counts.dtype == np.int32
            and len(self.categorical) == d
            and self.categorical.dtype == bool
            and (d == 0 or (self.counts.min() >= 1 and self.counts.max() < WIDTH))
        )
        if not right:
            must = "bins must have an edge table of 256 columns and 1 to 255 bins"
            raise DataError(sentence("Bins", must, f"{self.edges.shape}"))

    def check_width(self, X: Floats) -> None:
        """Refuse rows of another number of features."""
        if X.shape[1] != len(self.counts):
            must = f"rows must have the {len(self.counts)} features of the bins"
            raise DataError(sentence("Bins", must, f"{X.shape[1]}"))

    def codes(self, X: Floats, threads: int = 1) -> Vector:
        """Return the code of every value (3), (d, n) bytes."""
        self.check_width(X)
        codes = np.empty(X.shape[::-1], np.uint8)
        edges: Any = self.edges
        loops.bin_codes(X, edges, self.counts, codes, threads)
        return codes


# -- finding them ----------------------------------------------------------------------
def find_bins(data: Data, most: int, columns: FeatureColumns, seed: int) -> Bins:
    """Look at all rows, or at a sample of them, and cut every feature into bins."""
    source = data.source
    if isinstance(source, ArraySource) and (source.n_rows or 0) <= SAMPLE:
        X, copies = columns.matrix(gather(data).X), None
    else:
        share = 2.0 * SAMPLE / source.n_rows if source.n_rows else 1.0
        look = partial(sampled, columns=columns, seed=seed, share=share)
        sample = data.reduce(look)
        X, copies = sample.X, sample.w
    edges = np.full((source.n_features, WIDTH), np.inf)
    counts = np.ones(source.n_features, np.int32)
    for f, inner in enumerate(cut_columns(X, copies, most)):
        edges[f, : len(inner)], counts[f] = inner, len(inner) + 1
    categorical = columns.categorical
    for f in np.flatnonzero(categorical).tolist():
        k = max(1, len(columns.categories[f]))
        edges[f] = np.inf
        edges[f, : k - 1], counts[f] = np.arange(k - 1) + 0.5, k
    return Bins(edges, counts, categorical)


def sampled(chunk: Chunk, columns: FeatureColumns, seed: int, share: float) -> Sample:
    """Return a chunk's rows with the smallest keys; a weight counts once."""
    rows = replace(chunk, X=columns.matrix(chunk.X), w=None)
    return Sample.of(rows, seed, SAMPLE, share)


def cut_columns(X: Floats, copies: Floats | None, most: int) -> Sequence[Floats]:
    """Return the edges of every column; large ones are sorted by several threads."""
    cut = partial(edges_of, copies=copies, most=most)
    threads = get_config().threads
    if X.size < PARALLEL or threads == 1:
        return [cut(x) for x in X.T]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(cut, X.T))


def edges_of(x: Floats, copies: Floats | None, most: int) -> Floats:
    """Return the edges between the bins of one column, (1) or (2)."""
    if copies is None:
        x = np.sort(x)  # NaN last
        m = np.searchsorted(x, np.nan)
        x = x[:m]
        first = (
            np.flatnonzero(np.append(True, x[1:] != x[:-1])) if m else np.zeros(0, int)
        )
        total, before = float(m), first.astype(np.float64)
    else:
        there = ~np.isnan(x)
        order = np.argsort(x[there], kind="stable")
        x, rows = x[there][order], np.cumsum(copies[there][order])
        first = (
            np.flatnonzero(np.append(True, x[1:] != x[:-1]))
            if len(x)
            else np.zeros(0, int)
        )
        total = float(rows[-1]) if len(x) else 0.0
        before = np.where(first > 0, rows[first - 1], 0.0)
    v = x[first].astype(np.float64)  # (m,) distinct; before: rows below each
    if len(v) > most:
        ranks = total * np.arange(1, most) / most
        at = np.unique(np.searchsorted(before, ranks, side="right") - 1)
        at = at[at > 0]
    else:
        at = np.arange(1, len(v))
    low, high = v[at - 1], v[at]
    middle = low / 2 + high / 2
    return np.where((middle >= low) & (middle < high), middle, low)


def firsts(x: Floats) -> Vector:
    """Return where each distinct value of sorted x stands first."""
    new = np.ones(len(x), bool)
    new[1:] = x[1:] != x[:-1]
    return np.flatnonzero(new)
