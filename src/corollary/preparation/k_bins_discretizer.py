"""Binning of columns into intervals, in summation form.

Also known as: discretisation, quantisation, bucketing, histogram features, equal-width
bins, equal-frequency bins.

Each column is cut at edges e_0 < e_1 < ... < e_K, and a value becomes the number of its
interval,

    bin(x) = k  where  e_k <= x < e_{k+1},  the outer intervals without end      (1)

as it is, or as K columns of which one is 1.  The edges lie evenly over the range of the
column ('uniform'), at its quantiles k/K ('quantile'), or half-way between the centres
of a k-means clustering of its values ('kmeans').  A linear model of the columns (1) is
a step function of the inputs.

Ranges take one pass over any source, the quantiles a few and are exact, whatever
`subsample` is; k-means takes a pass for each of its steps, for all columns at once.  A
weight counts a row so many times.

Notation: e = bin_edges_; K = n_bins_.
Course: S3-87. Reference: Dougherty, Kohavi, Sahami (1995).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.base import OneToOneFeatureMixin
from sklearn.utils.validation import check_array, check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, array_like, missing, one_of, seed, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Transformer
from corollary.core.warn import warn
from corollary.core.wording import one_sentence
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.engine.executors.executor import side_by_side
from corollary.engine.order_statistics import MOST_PASSES, Ranges
from corollary.engine.quantile_rules import METHODS
from corollary.preparation.column_statistics import Extremes, Spread
from corollary.preparation.expansion import exact
from corollary.preparation.line_k_means import Centres, middles

__all__ = ["KBinsDiscretizer"]

NARROW = 1e-8  # share of the range below which a bin is dropped
FEW = 16  # edges that are compared one by one
ROWS = 2**13  # worked on at a time
MOST_STEPS = 300  # of k-means


@dataclass(frozen=True)
class Look(Statistics):
    """What the first pass contributes: ranges, and variances where k-means follows."""

    extremes: Extremes
    spread: Spread | None


@dataclass(frozen=True)
class Binning:
    """The state: how far the search for the edges is."""

    n_bins: Vector  # (d,) that are asked for
    dtype: Any
    ranges: Ranges | None = None  # of strategy 'quantile'
    low: Any = None
    high: Any = None
    centres: Centres | None = None  # of strategy 'kmeans'


def _is_float(value: Any) -> bool:
    return value in (np.float32, np.float64)


class KBinsDiscretizer(SummationLearner, Transformer):
    """Cut each column into intervals.

    Parameters
    ----------
    n_bins : int or array of shape (d,), default=5
        Intervals K of each column, at least 2.
    encode : {'onehot', 'onehot-dense', 'ordinal'}, default='onehot'
        K columns of zeros and a one, as a CSR matrix or an array, or the numbers (1).
    strategy : {'uniform', 'quantile', 'kmeans'}, default='quantile'
        Where the edges lie.
    quantile_method : str, default='averaged_inverted_cdf'
        How a quantile lies between two values, by NumPy's names.
    dtype : {numpy.float32, numpy.float64}, default=None
        Of the result; None is that of X.
    subsample : int or None, default=200000
        Kept for compatibility; all rows are used.
    random_state : int, RandomState or None
        Kept for compatibility; nothing is drawn.

    Attributes
    ----------
    bin_edges_ : array of shape (d,) of arrays
        e; (-inf, inf) of a constant column.
    n_bins_ : array of shape (d,)
        K; less than asked where intervals would be too narrow.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import KBinsDiscretizer
    >>> X = [[-2.0], [-1.0], [0.0], [1.0]]
    >>> model = KBinsDiscretizer(3, encode="ordinal", strategy="uniform").fit(X)
    >>> model.bin_edges_[0].tolist()
    [-2.0, -1.0, 0.0, 1.0]
    >>> model.transform(X).ravel().tolist()
    [0.0, 1.0, 2.0, 2.0]
    """

    double_squares = True
    rules: ClassVar = {
        "n_bins": whole(2) | array_like,
        "encode": one_of("onehot", "onehot-dense", "ordinal"),
        "strategy": one_of("uniform", "quantile", "kmeans"),
        "quantile_method": one_of(*METHODS),
        "dtype": missing | Rule("numpy.float32 or numpy.float64", _is_float),
        "subsample": missing | whole(1),
        "random_state": seed,
    }

    def __init__(
        self,
        n_bins: Any = 5,
        *,
        encode: str = "onehot",
        strategy: str = "quantile",
        quantile_method: str = "averaged_inverted_cdf",
        dtype: Any = None,
        subsample: int | None = 200_000,
        random_state: Any = None,
    ) -> None:
        self.n_bins = n_bins
        self.encode = encode
        self.strategy = strategy
        self.quantile_method = quantile_method
        self.dtype = dtype
        self.subsample = subsample
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Binning:
        """Say what is looked for."""
        source = data.source
        n_bins = self._asked(source.n_features)
        ranges = None
        if self.strategy == "quantile":
            q = np.unique(np.concatenate([levels(k) for k in np.unique(n_bins)]))
            ranges = Ranges.begin(
                source.n_features,
                q,
                source.dtype,
                method=self.quantile_method,
                n_rows=source.n_rows,
            )
        return Binning(n_bins, source.dtype, ranges)

    def _asked(self, d: int) -> Vector:
        """Return the intervals that each column is to have."""
        if whole(2).holds(self.n_bins):
            return np.full(d, int(self.n_bins))
        asked = np.asarray(self.n_bins)
        plain = asked.dtype.kind in "iuf" and asked.shape == (d,)
        if not plain or (asked < 2).any() or (asked != np.floor(asked)).any():
            must = f"n_bins must be a whole number >= 2, or one for each of {d} columns"
            raise ParameterError(sentence(self, must, f"{self.n_bins!r}"))
        return asked.astype(np.int64)

    def statistics(self, chunk: Chunk, state: Binning) -> Statistics:
        """Count, or look at the ranges, or sum the values of each centre."""
        if state.ranges is not None:
            return state.ranges.count(chunk)
        if state.centres is not None:
            return state.centres.assign(chunk)
        spread = Spread.of(chunk.X, chunk.w) if self.strategy == "kmeans" else None
        return Look(Extremes.of(chunk.X, chunk.w), spread)

    def update(self, s: Any, state: Binning) -> Binning:
        """Narrow the quantiles, know the ranges, or move the centres."""
        k, dtype = state.n_bins, state.dtype
        if state.ranges is not None:
            found = state.ranges.narrowed(s)
            return Binning(k, dtype, found, found.low, found.high)
        if state.centres is not None:
            moved = state.centres.moved(s)
            return Binning(k, dtype, None, state.low, state.high, moved)
        low, high = (v.astype(np.float64) for v in (s.extremes.low, s.extremes.high))
        centres = None
        if self.strategy == "kmeans":
            centres = Centres.begin(low, high, k, s.spread.variance)
        return Binning(k, dtype, None, low, high, centres)

    def stop(self, state: Binning) -> StopReason | None:
        """Stop when the edges are known."""
        if state.ranges is not None:
            return None if state.ranges.quantiles is None else StopReason.CLOSED_FORM
        if state.centres is not None:
            return StopReason.CONVERGED if state.centres.done else None
        return StopReason.CLOSED_FORM

    def publishable(self, state: Binning) -> bool:
        """Tell whether there are edges to publish."""
        searching = state.ranges is not None and state.ranges.quantiles is None
        return state.low is not None and not searching

    def max_passes(self) -> int:
        """Bound the search."""
        return MOST_STEPS if self.strategy == "kmeans" else MOST_PASSES

    def account(self, state: Binning, report: Report) -> None:
        """Report that nothing is approximated; k-means ends in a local minimum."""
        exact(report)
        if self.strategy == "kmeans":
            report.optimality = Optimality("a local minimum of k-means", None)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read, and warn of columns with fewer intervals."""
        state: Binning = fitted.state
        edges = [column_edges(state, j) for j in range(len(state.n_bins))]
        notes = []
        for j, e in enumerate(edges):
            if np.isinf(e[0]):
                notes.append(f"Feature {j} is constant and will be replaced with 0.")
            elif len(e) - 1 < state.n_bins[j]:
                text = f"Bins of feature {j} whose width is too small are removed."
                notes.append(f"{text} Consider decreasing the number of bins.")
        for text in notes:
            warn(f"{type(self).__name__}: {text}")
        fitted.report.warnings += notes
        self.bin_edges_ = np.empty(len(edges), dtype=object)
        for j, e in enumerate(edges):
            self.bin_edges_[j] = e
        self.n_bins_ = np.array([len(e) - 1 for e in edges])
        fitted.report.facts["n_features_out"] = self._columns()

    def _audit(self) -> None:
        """Refuse edges that no fit leaves: files can alter them."""
        d, edges = self.n_features_in_, self.bin_edges_
        good = isinstance(edges, np.ndarray) and edges.shape == (d,)
        good = good and all(is_rising(e) for e in edges)
        lengths = [len(e) - 1 for e in edges] if good else []
        if not good or not np.array_equal(self.n_bins_, lengths):
            must = f"bin_edges_ must be rising edges of {d} columns, as n_bins_ tells"
            raise ParameterError(sentence(self, must, "others"))

    def _columns(self) -> int:
        """Return the number of columns of `transform`."""
        ordinal = self.encode == "ordinal"
        return self.n_features_in_ if ordinal else int(self.n_bins_.sum())

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Matrix:
        """Return the numbers of intervals (1), or columns for them.

        Parameters
        ----------
        X : array of shape (n, d), or Source

        Returns
        -------
        array of shape (n, d), or array or CSR matrix of shape (n, sum of `n_bins_`)
        """
        check_is_fitted(self)
        X = self._query(X, getattr(self, "n_features_in_", 1))
        (n, d), dtype = X.shape, self.dtype or X.dtype
        if self.encode == "ordinal":
            return self._numbers(X, np.empty((n, d), dtype=dtype))
        first = np.append(0, np.cumsum(self.n_bins_))
        at = self._numbers(X, np.empty((n, d), dtype=np.int32))
        at += first[:-1].astype(np.int32)
        if self.encode == "onehot":
            ones, ends = np.ones(n * d, dtype=dtype), np.arange(0, n * d + 1, d)
            return sp.csr_array((ones, at.ravel(), ends), shape=(n, int(first[-1])))
        size = float(np.dtype(dtype).itemsize) * n * first[-1]
        what = f"{n:,} rows of {first[-1]:,} columns"
        check_memory(self, size, what, "Use encode='onehot', which is sparse.")
        out = np.zeros((n, first[-1]), dtype=dtype)
        np.put_along_axis(out, at, 1, axis=1)
        return out

    def _numbers(self, X: Floats, out: Vector) -> Vector:
        """Write the numbers (1) of all entries, block by block, on all cores."""
        inner = [e[1:-1] for e in self.bin_edges_]
        most = max(len(e) for e in inner)
        padded = np.full((most, len(inner)), np.inf)
        for j, e in enumerate(inner):
            padded[: len(e), j] = e

        def work(a: int) -> None:
            rows, place = X[a : a + ROWS], out[a : a + ROWS]
            if most <= FEW:
                count = np.zeros(rows.shape, dtype=np.int8)
                for e in padded:
                    count += rows >= e
                place[:] = count
            else:
                for j, e in enumerate(inner):
                    place[:, j] = np.searchsorted(e, rows[:, j], side="right")

        side_by_side(work, range(0, len(X), ROWS))
        return out

    def inverse_transform(self, X: Any) -> Floats:
        """Return the middle of each interval; NaN in columns that are constant.

        Parameters
        ----------
        X : array or sparse matrix, as `transform` returns it

        Returns
        -------
        array of shape (n, d)
        """
        check_is_fitted(self)
        with one_sentence(self):
            kinds = [np.float64, np.float32]
            X = check_array(X, accept_sparse="csr", dtype=kinds)
        if X.shape[1] != self._columns():
            must = f"X must have the {self._columns()} columns of transform"
            raise DataError(sentence(self, must, f"{X.shape[1]}"))
        ends = np.append(0, np.cumsum(self.n_bins_))
        out = np.empty((X.shape[0], self.n_features_in_), dtype=X.dtype)
        for j, e in enumerate(self.bin_edges_):
            if self.encode == "ordinal":
                column = X[:, [j]].toarray() if sp.issparse(X) else X[:, [j]]
                at = column[:, 0].astype(np.int64)
            else:
                own = X[:, ends[j] : ends[j + 1]]
                at = np.asarray(own.argmax(axis=1)).ravel()
            if len(at) and not (at.min() >= 0 and at.max() < len(e) - 1):
                must = f"column {j} must hold numbers of its {len(e) - 1} intervals"
                raise DataError(sentence(self, must, f"{at.max()}"))
            finite = np.isfinite(e[0])
            out[:, j] = ((e[1:] + e[:-1]) / 2)[at] if finite else np.nan
        return out

    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`; encoded ones end in their interval's number.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        inputs = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        if self.encode == "ordinal":
            return inputs
        pairs = zip(inputs, self.n_bins_, strict=True)
        names = [f"{name}_{float(k)}" for name, K in pairs for k in range(K)]
        return np.asarray(names, dtype=object)


def levels(k: int) -> Floats:
    """Return the quantiles that part a column into k."""
    return np.linspace(0, 100, k + 1) / 100


def column_edges(state: Binning, j: int) -> Floats:
    """Return the edges of column j, without intervals that are too narrow."""
    low, high, k = state.low[j], state.high[j], state.n_bins[j]
    if low >= high:
        return np.array([-np.inf, np.inf])
    if state.ranges is not None:
        at = np.searchsorted(state.ranges.q, levels(k))
        edges = state.ranges.quantiles[at, j]
    elif state.centres is not None:
        edges = np.r_[low, middles(state.centres.mu[j]), high]
    else:
        return np.linspace(low, high, k + 1)
    return edges[np.ediff1d(edges, to_begin=np.inf) > NARROW * (high - low)]


def is_rising(edges: Any) -> bool:
    """Tell whether edges are two or more rising numbers."""
    plain = isinstance(edges, np.ndarray) and edges.dtype.kind == "f"
    return plain and edges.ndim == 1 and len(edges) > 1 and (np.diff(edges) > 0).all()
