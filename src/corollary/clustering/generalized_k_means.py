"""K-means with any dissimilarity and the centroid that goes with it.

Also known as: k-medians, spherical k-means, cosine k-means, Bregman hard clustering,
k-means with Bregman divergences, information-theoretic clustering, k-centroids.

Given a dissimilarity d(x, c) >= 0, minimise over partitions into cells C_1 ... C_k

    D = sum_j  inf_c  sum_{n in C_j} w_n d(x_n, c)                                (1)

alternating  z_n = argmin_j d(x_n, c_j)            (ties: the lowest j)           (2)
        and  c_j = argmin_c sum_{n: z_n=j} w_n d(x_n, c)                          (3)

Neither step can raise D, whatever d is, so D falls until it rests: a local minimum.
With the squared Euclidean norm this is k-means, (3) being the mean; with the sum of
absolute differences the median of each column; with the cosine the direction of the
sum of directions; with a Bregman divergence the mean (`dissimilarities.py`).

A cell without rows takes over the row that is farthest from its own centroid, from a
cell that has others.  Starts are drawn like those of k-means++, d in place of the
squared distance: each further one with probability proportional to w_n times the least
d(x_n, c_j) to those drawn so far.

Medians, and the centroids of a user, do not add up over chunks: all rows must fit in
memory.  `KMeans` takes data of any size, for the squared norm.
Equal rows are taken once, with the weight of all copies, in an order of their contents:
so the answer depends neither on the order of the rows nor on how copies are told.

Notation: X (n, d); w (n,) = sample_weight; c_j = cluster_centers_[j]; z = labels_;
D = inertia_.
Course: S2-56. References: Bradley, Mangasarian, Street (1997); Dhillon and Modha
(2001); Banerjee, Merugu, Dhillon, Ghosh (2005).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary.clustering.dissimilarities import (
    DISSIMILARITIES,
    Dissimilarity,
    numbers,
    of_user,
)
from corollary.clustering.k_means import warn_of_copies
from corollary.clustering.seeding import Sample, sample_size, spread_by
from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    array_like,
    boolean,
    function,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.progress import progress
from corollary.core.randomness import entropy, generator
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Clusterer
from corollary.engine.best_of_starts import best_of_starts
from corollary.engine.blocks import fill_rows
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk

__all__ = ["GeneralizedKMeans"]


@dataclass(frozen=True)
class Cells:
    """Centroids, and what (2) makes of the rows."""

    C: Floats  # (k, d)
    z: Vector  # (n,) the cell of each row
    d: Floats  # (n,) its dissimilarity to the centroid
    D: float  # (1)


@dataclass(frozen=True)
class Descent:
    """What one start led to."""

    cells: Cells
    trace: list[float]  # D of the start and after each step
    reason: StopReason


class GeneralizedKMeans(RowsLearner, Clusterer):
    """K-means with a dissimilarity and its own centroid.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of cells k.
    dissimilarity : {'squared', 'manhattan', 'cosine', 'kullback_leibler', \
'itakura_saito'} or function, default='manhattan'
        d; a function of rows X (n, d) and centroids C (k, d) gives all d(x, c), (n, k).
        'manhattan' makes k-medians, 'cosine' spherical k-means.
    centroid : function or None, default=None
        (3) of a function d: ``centroid(X, weights)`` gives c (d,) for the rows of one
        cell.  A named dissimilarity has its own.
    init : {'k-means++', 'random'}, array of shape (k, d) or callable
        First centroids: drawn by d, drawn uniformly, given, or computed by
        ``init(X, k, random_state)`` from distinct rows.
    n_init : int or 'auto', default='auto'
        Restarts; the lowest D wins.  'auto' is 1 for 'k-means++' and given centroids,
        10 for 'random' and callables.
    max_iter : int, default=300
        Steps from one start.
    tol : float, default=0.0
        Stop when a step lowers D by no more than tol times D; 0 goes on until D rests.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState or None
        Seed of the draws.

    Attributes
    ----------
    cluster_centers_ : array of shape (k, d)
    labels_ : array of shape (n,)
        Cell of each row; of those that weigh something where a source gave them.
    inertia_ : float
        D at the end.
    n_iter_ : int
        Steps made from the winning start.
    n_features_in_ : int
    report_ : Report
        With D of the start and after each step, which never rises.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GeneralizedKMeans
    >>> X = np.array([[1.0], [2], [3], [50], [101], [102], [103]])
    >>> model = GeneralizedKMeans(2, init=[[0.0], [99.0]]).fit(X)  # k-medians
    >>> model.cluster_centers_.ravel().tolist(), model.inertia_
    ([2.5, 102.0], 52.0)
    """

    shapes: ClassVar = {"cluster_centers_": "k d"}
    rules: ClassVar = {
        "n_clusters": whole(1),
        "dissimilarity": one_of(*DISSIMILARITIES) | function,
        "centroid": missing | function,
        "init": one_of("k-means++", "random") | function | array_like,
        "n_init": one_of("auto") | whole(1),
        "max_iter": whole(1),
        "tol": real(0),
        "verbose": whole(0) | boolean,
        "random_state": seed,
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        dissimilarity: Any = "manhattan",
        centroid: Any = None,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 0.0,
        verbose: int = 0,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.dissimilarity = dissimilarity
        self.centroid = centroid
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the memory: rows in float64, distinct ones, those of a cell."""
        scores = self.n_clusters if callable(self.dissimilarity) else 2
        return rows * (8.0 * (4 * features + scores) + 100.0)

    def learn(self, rows: Chunk, report: Report) -> None:
        """Descend from every start; the lowest D wins."""
        measure = self._measure()
        if rows.n < self.n_clusters:
            must = f"n_clusters must be at most n_samples = {rows.n}"
            remedy = "Use fewer clusters or more rows."
            raise DataError(sentence(self, must, f"{self.n_clusters}", remedy))
        self._check_positive(measure, rows.X, "X")
        draw = entropy(self.random_state)
        sample = Sample.of(rows, draw, rows.n, 1.0)
        with single_threaded_blas():
            best = self._best(measure, sample, draw)
            found = assigned(measure, rows.X.astype(np.float64), None, best.cells.C)
        self.cluster_centers_ = best.cells.C.astype(rows.X.dtype)
        self.labels_, self.inertia_ = found.z, best.cells.D
        self.n_iter_ = max(1, len(best.trace) - 1)
        self._n_features_out = self.n_clusters
        self._account(best, report)

    def _best(self, measure: Dissimilarity, sample: Sample, draw: int) -> Descent:
        """Return the lowest descent, or the best so far after Ctrl-C."""
        starts = (
            self._start(measure, sample, draw, number)
            for number in range(self._restarts())
        )
        return best_of_starts(
            (self._descend(measure, sample, C) for C in starts),
            lambda end: end.cells.D,
            lambda end: replace(end, reason=StopReason.INTERRUPTED),
        )

    def _descend(self, measure: Dissimilarity, sample: Sample, C: Floats) -> Descent:
        """Alternate (3) and (2) until D rests."""
        dtype, w = sample.X.dtype, sample.w
        X = sample.X.astype(np.float64)
        cells = assigned(measure, X, w, rounded(C, dtype))
        trace, reason = [cells.D], StopReason.MAX_PASSES
        name = type(self).__name__
        with progress(name, self.max_iter, int(self.verbose)) as show:
            try:
                while len(trace) <= self.max_iter:
                    C = rounded(recentred(measure, X, w, cells), dtype)
                    after = assigned(measure, X, w, C)
                    rests = after.D >= cells.D * (1 - self.tol)
                    if after.D > cells.D:
                        reason = risen(measure, after.D, cells.D, dtype)
                        break
                    cells = after
                    trace.append(cells.D)
                    show(len(trace) - 1, cells.D)
                    if rests:
                        reason = StopReason.CONVERGED
                        break
            except KeyboardInterrupt:
                if len(trace) < 2:
                    raise
                reason = StopReason.INTERRUPTED
        return Descent(cells, trace, reason)

    def _account(self, best: Descent, report: Report) -> None:
        """Tell of the descent; no theory says how far the best partition is."""
        report.stop, report.passes = best.reason, self.n_iter_
        report.objective = list(best.trace)
        report.facts["n_clusters"] = self.n_clusters
        words = "a local minimum: no bound on the best partition is known"
        if best.reason is not StopReason.CONVERGED:
            words = "no bound on the best partition is known"
        report.optimality = Optimality(words, None)
        if best.reason is StopReason.DIVERGED:
            report.remedy = (
                "Give the centroid that minimises the weighted sum of the "
                "dissimilarities to the rows of a cell."
            )
        warn_of_copies(self, self.labels_, self.n_clusters, report)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the number of the nearest centroid for each row."""
        return self._nearest(X).z

    def transform(self, X: Any) -> Floats:
        """Return the dissimilarity of each row to every centroid, (n, k)."""
        X = self._query(X, self._n_features_out)
        measure = self._measure()
        self._check_positive(measure, X, "X")
        rows, C = X.astype(np.float64), self.cluster_centers_.astype(np.float64)
        if measure.own:
            return measure.between(rows, C).astype(X.dtype)
        return fill_rows(partial(between, measure, C), rows, len(C)).astype(X.dtype)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return -D of X under the fitted centroids."""
        d = self._nearest(X).d
        return -float(d.sum() if sample_weight is None else d @ sample_weight)

    # -- helpers -------------------------------------------------------------------
    def _nearest(self, X: Any) -> Cells:
        X = self._query(X)
        measure = self._measure()
        self._check_positive(measure, X, "X")
        C = self.cluster_centers_.astype(np.float64)
        return assigned(measure, X.astype(np.float64), None, C)

    def _measure(self) -> Dissimilarity:
        """Return d and its centroid, which come together."""
        if isinstance(self.dissimilarity, str):
            if self.centroid is not None:
                must = "centroid must be None where dissimilarity is a name"
                remedy = "A named dissimilarity has its own centroid."
                raise ParameterError(sentence(self, must, "a function", remedy))
            return DISSIMILARITIES[self.dissimilarity]
        if self.centroid is None:
            must = "centroid must be a function where dissimilarity is one"
            raise ParameterError(sentence(self, must, "None"))
        return of_user(self, self.dissimilarity, self.centroid)

    def _check_positive(self, measure: Dissimilarity, X: Floats, name: str) -> None:
        if measure.positive and not (X > 0).all():
            must = f"{name} must be above 0 for dissimilarity={self.dissimilarity!r}"
            remedy = "Add a small number to counts."
            raise DataError(sentence(self, must, f"{X.min():.6g}", remedy))

    def _restarts(self) -> int:
        if not isinstance(self.init, str) and not callable(self.init):
            return 1
        if self.n_init != "auto":
            return int(self.n_init)
        return 1 if isinstance(self.init, str) and self.init == "k-means++" else 10

    def _start(
        self, measure: Dissimilarity, sample: Sample, draw: int, number: int
    ) -> Floats:
        """Return the first centroids of one start."""
        k, rng = self.n_clusters, generator(draw, number)
        if not isinstance(self.init, str) and not callable(self.init):
            return self._checked(self.init)
        most = slice(0, sample_size(k))  # the rows with the smallest keys
        few = replace(
            sample, keys=sample.keys[most], X=sample.X[most], w=sample.w[most]
        )
        X, w = few.at_least(k, draw)
        if callable(self.init):
            state = np.random.RandomState(draw % 2**32)
            return self._checked(self.init(X, k, random_state=state))
        rows = X.astype(np.float64)
        if self.init == "random":
            return rows[rng.choice(len(X), k, replace=False, p=w / w.sum())]
        return rows[spread_by(lambda C: measure.between(rows, rows[C]), w, k, rng)]

    def _checked(self, C: Any) -> Floats:
        """Check the first centroids that a user gave."""
        k, d = self.n_clusters, self.n_features_in_
        C = numbers(self, C, (k, d), f"init must give {k} centers of {d} features")
        self._check_positive(self._measure(), C, "init")
        return C


def between(measure: Dissimilarity, C: Floats, X: Floats) -> Floats:
    """Return d of a block of rows to the centroids."""
    return measure.between(X, C)


def assigned(measure: Dissimilarity, X: Floats, w: Floats | None, C: Floats) -> Cells:
    """Assign each row to its nearest centroid (2)."""

    def nearest(rows: Floats) -> Floats:
        d = measure.between(rows, C)
        z = d.argmin(axis=1)
        return np.column_stack([z, d[np.arange(len(z)), z]])

    found = nearest(X) if measure.own else fill_rows(nearest, X, 2)
    z, d = found[:, 0].astype(np.int32), np.ascontiguousarray(found[:, 1])
    return Cells(C, z, d, float(d.sum() if w is None else w @ d))


def recentred(measure: Dissimilarity, X: Floats, w: Floats, cells: Cells) -> Floats:
    """Move each centroid to its optimum (3), after rows were found for empty cells."""
    z, k = cells.z.copy(), len(cells.C)
    rows = np.bincount(z, minlength=k)
    far = iter(np.argsort(-cells.d, kind="stable"))
    for empty in np.flatnonzero(rows == 0):
        for i in far:
            if cells.d[i] > 0 and rows[z[i]] > 1:
                rows[[z[i], empty]] += -1, 1
                z[i] = empty
                break
    order = np.argsort(z, kind="stable")
    ends = np.cumsum(rows)
    C = cells.C.copy()
    for j in np.flatnonzero(rows):
        cell = order[ends[j] - rows[j] : ends[j]]
        C[j] = measure.centroid(X[cell], w[cell])
    return C


def rounded(C: Floats, dtype: Any) -> Floats:
    """Return centroids as they are stored, in the precision of the rows."""
    return np.asarray(C, dtype=np.float64).astype(dtype).astype(np.float64)


def risen(
    measure: Dissimilarity, after: float, before: float, dtype: Any
) -> StopReason:
    """Tell rounding at rest from a user's centroid that is not the best one."""
    if measure.own and after > before * (1 + 1e3 * float(np.finfo(dtype).eps)):
        return StopReason.DIVERGED
    return StopReason.CONVERGED
