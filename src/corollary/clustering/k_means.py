"""K-means clustering, in summation form.

Also known as: Lloyd's algorithm, LBG, vector quantisation, hard EM with equal spherical
covariances.

Minimise  J(mu, z) = sum_n w_n ||x_n - mu_{z_n}||^2                              (1)
alternating  z_n   = argmin_k ||x_n - mu_k||^2       (ties: the lowest k)        (2)
        and  mu_k  = sum_{n: z_n=k} w_n x_n / sum_{n: z_n=k} w_n                 (3)

Neither step can raise J, so it falls until the assignment repeats: a local minimum,
not always the global one (finding that is NP-hard); `n_init` restarts keep the best.

A row whose distance u to its own centre is below a lower bound l on its distance to
any other keeps its label without a look at the others (Hamerly 2010):

    u < l,   where l shrinks by the largest drift of a centre from pass to pass  (4)

The bound is the chunk's memory; losing it costs time and changes no bit.

A cluster without rows takes over the row that lies farthest from its own centre, or is
eliminated (`empty='drop'`): then fewer than k remain, and J is none the worse for it.
Seeding by k-means++ draws each further centre with probability proportional to

    w_n min_k ||x_n - mu_k||^2                                                   (5)

from a sample of distinct rows keyed by their content, so that the seeds depend neither
on the chunks nor on the order of the rows, and a weight counts like repetition.

How far from optimal: with total scatter T = sum_n w_n ||x_n - mean||^2 and eigenvalues
lambda_1 >= lambda_2 ... of the scatter matrix, every clustering into k groups has
J >= T - (lambda_1 + ... + lambda_{k-1})  (Zha, He, Ding, Gu, Simon 2001).       (6)

Notation: X (n, d); w (n,) = sample_weight; mu (k, d) = cluster_centers_; z (n,) =
labels_; J = inertia_.
Course: S0-42, S1-20, S2-56, S2-57, S2-59, S4-72.
References: Lloyd (1982); Arthur and Vassilvitskii (2007); Hamerly (2010).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary import loops
from corollary.clustering.assignment import (
    Assigned,
    is_full,
    label,
    nearest,
    rehoused,
    remembered,
    spread_over,
)
from corollary.clustering.farthest_rows import farthest
from corollary.clustering.seeding import Survey, sample_size, spread_out
from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_X
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    array_like,
    boolean,
    function,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.randomness import generator
from corollary.core.records import changed, stored
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Clusterer
from corollary.core.rows import dense, rows_loop
from corollary.core.warn import warn
from corollary.engine import Chunk, Data, Fitted, ScoreSums, Settled, StreamingLearner

__all__ = ["KMeans", "warn_of_copies"]


@stored
@dataclass(frozen=True)
class Centres:
    """The state: the centres and how far they moved last."""

    mu: Floats  # (k, d)
    tolerance: float  # on the squared shift below
    shift2: float = np.inf  # sum_k ||mu_k - previous mu_k||^2
    bound: float = -np.inf  # (6), for the report
    dtype: Any = np.float64  # of the data
    alive: Any = None  # (k,) bool, the clusters that remain; None: all

    @property
    def remaining(self) -> Floats:
        """The centres of the clusters that were not eliminated."""
        return self.mu if self.alive is None else self.mu[self.alive]


@dataclass(frozen=True)
class Distortion(ScoreSums):
    """A share of J (1) under centres that are given."""

    J: float

    def score(self) -> float:
        """Return -J."""
        return -self.J


class KMeans(StreamingLearner, Clusterer):
    """K-means clustering.

    Parameters
    ----------
    n_clusters : int, default=8
        Number of clusters k.
    init : {'k-means++', 'random'}, array of shape (k, d) or callable
        First centres: drawn by (5), drawn uniformly, given, or computed by
        ``init(X, k, random_state)`` from a sample of the rows.
    n_init : int or 'auto', default='auto'
        Restarts; the lowest J wins.  'auto' is 1 for 'k-means++' and given centres,
        10 for 'random' and callables.
    max_iter : int, default=300
        Passes over the data from one start.
    tol : float, default=1e-4
        Stop when the squared shift of the centres is below tol times the mean variance
        of the features; 0 goes on until no centre moves.
    verbose : int, default=0
        1 shows progress.
    random_state : int, RandomState or None
        Seed of the draws.
    copy_x : bool, default=True
        Kept for compatibility; X is never changed.
    algorithm : {'lloyd', 'elkan'}, default='lloyd'
        Kept for compatibility; both run Lloyd's algorithm with the bounds (4).
    empty : {'relocate', 'drop'}, default='relocate'
        What becomes of a cluster without rows: it takes the farthest row, or it is
        eliminated, and `cluster_centers_` has fewer than k rows.

    Attributes
    ----------
    cluster_centers_ : array of shape (k, d)
    labels_ : array of shape (n,)
        Cluster of each training row; only where the data is in memory.
    inertia_ : float
        J at the end.
    n_iter_ : int
        Passes made from the winning start.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import KMeans
    >>> X = np.array([[1.0, 2], [1, 4], [1, 0], [10, 2], [10, 4], [10, 0]])
    >>> model = KMeans(n_clusters=2, random_state=0).fit(X)
    >>> sorted(model.cluster_centers_.tolist())
    [[1.0, 2.0], [10.0, 2.0]]
    >>> model.inertia_
    16.0
    """

    takes_sparse = True
    row_bytes = 50.0  # labels, bounds and distances
    shapes: ClassVar = {"cluster_centers_": "k d"}
    rules: ClassVar = {
        "n_clusters": whole(1),
        "init": one_of("k-means++", "random") | function | array_like,
        "n_init": one_of("auto") | whole(1),
        "max_iter": whole(1),
        "tol": real(0),
        "verbose": whole(0) | boolean,
        "random_state": seed,
        "copy_x": boolean,
        "algorithm": one_of("lloyd", "elkan"),
        "empty": one_of("relocate", "drop"),
    }

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int | str = "auto",
        max_iter: int = 300,
        tol: float = 1e-4,
        verbose: int = 0,
        random_state: Any = None,
        copy_x: bool = True,
        algorithm: str = "lloyd",
        empty: str = "relocate",
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose
        self.random_state = random_state
        self.copy_x = copy_x
        self.algorithm = algorithm
        self.empty = empty

    # -- learning ------------------------------------------------------------------
    def starts(self, data: Data, seed: int) -> Iterator[Centres]:
        """Look at the data once, then seed every restart from the same sample."""
        if self.algorithm == "elkan" and self.n_clusters == 1:
            text = "KMeans: algorithm='elkan' saves nothing with one cluster."
            warn(text, RuntimeWarning)
        survey = self._survey(data, seed)
        self._check_rows(data)
        for number in range(self._restarts()):
            data.forget()
            yield self._seeded(survey, data, seed, number)

    def start(self, data: Data, seed: int) -> Centres:
        """Seed once."""
        return next(self.starts(data, seed))

    def statistics(self, chunk: Chunk, state: Centres) -> Assigned:
        """Assign each row to its nearest centre (2) and sum the rows of each."""
        mu = state.remaining
        k, d = mu.shape
        memory = remembered(chunk, mu)
        n: Floats = np.zeros(k)
        sum_x: Floats = np.zeros((k, d))
        J, _ = rows_loop(loops.assign, loops.assign_csr, chunk.X)(
            chunk.w,
            mu.astype(chunk.X.dtype, copy=False),
            memory.labels,
            memory.lower,
            memory.fresh,
            memory.drift,
            n,
            sum_x,
        )
        far = farthest(chunk, mu, memory.labels, n)
        if state.alive is None:
            return Assigned(n, sum_x, J, far)
        every = spread_over(state.alive, n), spread_over(state.alive, sum_x)
        return Assigned(*every, J, far)

    def update(self, s: Assigned, state: Centres) -> Centres:
        """Move each centre to the mean of its rows (3); rehouse empty clusters.

        An empty cluster takes the farthest row, unless every row lies on its centre; or
        it is eliminated.
        """
        drops = self.empty == "drop"
        n, sum_x = (s.n, s.sum_x) if drops or is_full(s.n) else rehoused(s)
        filled = n > 0
        if is_full(filled):
            mu = sum_x / n[:, None]
        else:
            mu = sum_x / np.where(filled, n, 1)[:, None]
            mu = np.where(filled[:, None], mu, state.mu)
        moves = (mu - state.mu).ravel()
        shift2 = float(moves @ moves)
        return changed(state, mu=mu, shift2=shift2, alive=filled if drops else None)

    def objective(self, s: Assigned, state: Centres) -> float:
        """Return J (1) before the centres moved."""
        return s.J

    def stop(self, state: Centres) -> StopReason | None:
        """Stop once the centres rest."""
        return StopReason.CONVERGED if state.shift2 <= state.tolerance else None

    def settle(self, data: Data, state: Centres) -> Settled:
        """Assign every row to the final centres."""
        if not data.source.in_memory:
            final = data.reduce(partial(self.statistics, state=state))
            return Settled(state, None, final.J)
        z, share = data.rows(partial(label, mu=state.remaining))
        return Settled(state, (z,), float(share.sum()))

    def account(self, state: Centres, report: Report) -> None:
        """Tell how far J may be above the best clustering there is (6)."""
        J = report.objective[-1]
        report.facts["n_clusters"] = len(state.remaining)
        if report.stop is StopReason.STREAMING and report.passes > 1:
            return  # (6) is known of the first batch only
        if np.isfinite(state.bound) and (state.bound > 0 or J == 0):
            gap = max(0.0, J - state.bound)
            report.optimality = Optimality(
                "above the best clustering by at most", gap, gap / J if J > 0 else 0.0
            )
        elif np.isfinite(state.bound):
            report.optimality = Optimality("spectral lower bound is 0: no bound", None)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        self.cluster_centers_ = fitted.state.remaining.astype(fitted.state.dtype)
        self.inertia_ = fitted.report.objective[-1]
        self.n_iter_ = fitted.report.passes
        self._n_features_out = len(self.cluster_centers_)
        if fitted.rows is not None:
            self.labels_ = fitted.rows[0]
            if self.empty != "drop":
                warn_of_copies(self, self.labels_, self.n_clusters, fitted.report)
        elif hasattr(self, "labels_"):
            del self.labels_

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the nearest centre's number for each row."""
        return self._nearest(X)[0]

    def transform(self, X: Any) -> Floats:
        """Return the distance of each row to every centre, (n, k)."""
        from sklearn.metrics.pairwise import euclidean_distances

        X = self._query(X, self._n_features_out)
        return euclidean_distances(X, self.cluster_centers_.astype(X.dtype))

    def score(self, X: Any, y: Any = None, sample_weight: Any = None) -> float:
        """Return -J of X under the fitted centres."""
        return self.score_sums(X, None, sample_weight).score()

    def score_sums(self, X: Any, y: Any, w: Any) -> Distortion:
        """Return the rows' share of J."""
        d2 = self._nearest(X)[1].astype(np.float64)
        return Distortion(float(d2.sum() if w is None else d2 @ np.asarray(w)))

    # -- helpers -------------------------------------------------------------------
    def _nearest(self, X: Any) -> tuple[Vector, Floats]:
        X = self._query(X)
        return nearest(X, self.cluster_centers_.astype(X.dtype), get_config().threads)

    def _restarts(self) -> int:
        if self.n_init != "auto":
            if self._given_centres() and int(self.n_init) > 1:
                text = "Explicit initial center position passed: performing only one"
                text += f" init in KMeans instead of n_init={self.n_init}."
                warn(text, RuntimeWarning)
            return 1 if self._given_centres() else int(self.n_init)
        drawn = callable(self.init) or (
            isinstance(self.init, str) and self.init == "random"
        )
        return 10 if drawn else 1

    def _given_centres(self) -> bool:
        return not isinstance(self.init, str) and not callable(self.init)

    def _check_rows(self, data: Data) -> None:
        if data.n_rows < self.n_clusters:
            must = f"n_clusters must be at most n_samples = {data.n_rows}"
            remedy = "Use fewer clusters or more rows."
            raise DataError(sentence(self, must, f"{self.n_clusters}", remedy))

    def _survey(self, data: Data, seed: int) -> Survey:
        most = 0 if self._given_centres() else sample_size(self.n_clusters)
        share = 2.0 * most / data.n_rows if data.n_rows else 1.0
        survey = data.reduce(partial(Survey.of, seed=seed, most=most, share=share))
        if share < 1 and len(survey.sample.keys) < most:  # many copies of few rows
            survey = data.reduce(partial(Survey.of, seed=seed, most=most, share=1.0))
        return survey

    def _seeded(self, survey: Survey, data: Data, seed: int, number: int) -> Centres:
        k, rng = self.n_clusters, generator(seed, number)
        if self._given_centres():
            mu = check_X(self, self.init, reset=False, sparse=False)
            return self._centres(mu, survey, data)
        X, w = survey.sample.at_least(k, seed)
        if callable(self.init):
            mu = self.init(X, k, random_state=np.random.RandomState(seed % 2**32))
        elif self.init == "random":
            mu = dense(X[rng.choice(X.shape[0], k, replace=False, p=w / w.sum())])
        else:
            mu = dense(X[spread_out(X, w, k, rng)]).astype(np.float64)  # (5)
        return self._centres(np.asarray(mu), survey, data)

    def _centres(self, mu: Floats, survey: Survey, data: Data) -> Centres:
        k = self.n_clusters
        if mu.shape != (k, data.source.n_features):
            must = f"init must give {k} centres of {data.source.n_features} features"
            raise ParameterError(sentence(self, must, f"shape {mu.shape}"))
        dtype, tolerance = data.source.dtype, self.tol * survey.mean_variance()
        mu = mu.astype(dtype).astype(np.float64)
        return Centres(mu, tolerance, bound=survey.bound(k), dtype=dtype)


def warn_of_copies(learner: Any, z: Vector, k: int, report: Report) -> None:
    """Tell where fewer than k clusters have a row: rows that are copies."""
    found = len(np.unique(z))
    if found < k:
        text = (
            f"Number of distinct clusters ({found}) found smaller than n_clusters "
            f"({k}). Possibly due to duplicate points in X."
        )
        report.warnings.append(text)
        warn(f"{type(learner).__name__}: {text}", ConvergenceWarning)
