"""What learners that answer by their nearest rows share: the rows, and the search."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import (
    DataError,
    ParameterError,
    SparseDataError,
    sentence,
)
from corollary.core.parameters import function, missing, one_of, real, whole
from corollary.core.parameters import shown as shown_value
from corollary.core.report import Optimality, Report
from corollary.core.roles import Estimator
from corollary.core.warn import warn
from corollary.engine.sources.source import Chunk
from corollary.engine.unweighted_rows_learner import (
    UnweightedRowsLearner,
    refuse_weights,
)
from corollary.neighbors.metrics import Metric
from corollary.neighbors.nearest_rows import Nearest, nearest_given, nearest_rows
from corollary.neighbors.other_metrics import (
    METRIC,
    METRIC_PARAMS,
    OtherMetric,
    check_metric,
    chosen_metric,
    nearest_by,
)

__all__ = ["NEIGHBOR_RULES", "NeighborsLearner"]

UNEQUAL = 100.0  # times that one column may vary as much as another
LOST = 1e-6  # a variance, relative to the mean square, that has lost digits
NEIGHBOR_RULES = {
    "n_neighbors": whole(1),
    "weights": one_of("uniform", "distance", None) | function,
    "algorithm": one_of("auto", "brute", "kd_tree", "ball_tree"),
    "leaf_size": whole(1),
    "p": real(0.05, ends="[]"),
    "metric": METRIC,
    "metric_params": METRIC_PARAMS,
    "n_jobs": missing | whole(),
}


class Neighbours(NamedTuple):
    """The nearest rows of each query, and how much each of them counts."""

    rows: Vector  # (q, k)
    votes: Floats  # (q, k)
    dtype: Any  # of the queries


class NeighborsLearner(UnweightedRowsLearner):
    """Keeps all rows, and answers by the nearest."""

    takes_sparse = True
    keeps_rows = True
    may_be_infinite: ClassVar[tuple[str, ...]] = ("X_fit_",)  # NaN: missing
    n_neighbors: int
    weights: Any
    metric: Any
    metric_params: Any
    p: float
    X_fit_: Any
    y_fit_: Vector
    n_features_in_: int

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate vectors beside the rows, which are not copied."""
        return 100.0 * rows

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.input_tags.pairwise = self.metric == "precomputed"
        tags.input_tags.positive_only = self.metric == "precomputed"
        return tags

    def takes_missing(self) -> bool:
        """Tell whether the metric leaves out what is missing."""
        return bool(self.metric == "nan_euclidean")

    def learn(self, rows: Chunk, report: Report) -> None:
        """Keep the rows."""
        refuse_weights(self, rows)
        if self.metric == "precomputed":
            check_given(self, rows.X, square=True)
        check_metric(self, self._metric(), rows.X)
        self._warn_of_power()
        self.X_fit_, self.y_fit_ = rows.X, rows.y
        report.optimality = Optimality("nothing is minimised: the rows are kept", 0.0)
        report.facts["n_neighbors"] = int(self.n_neighbors)
        report.facts["distance"] = name_of(self.effective_metric_)
        report.facts["n_rows_kept"] = rows.n
        report.warnings += self._warnings()

    def _warn_of_power(self) -> None:
        """Warn of a power that is given twice, or that makes no metric."""
        who, p = type(self).__name__, self.effective_metric_params_.get("p", 1.0)
        if "p" in (self.metric_params or {}):
            text = "p of metric_params takes the place of the parameter p."
            warn(f"{who}: {text}", SyntaxWarning)
        if p < 1:
            text = f"p = {p:g} < 1 makes no metric: a way round may be the shorter one."
            warn(f"{who}: {text}", UserWarning)

    def _warnings(self) -> list[str]:
        """Return what a user should know before asking for neighbours."""
        n, found = self.n_samples_fit_, []
        if self.n_neighbors > n:
            found.append(
                f"there are {n} rows, fewer than n_neighbors = {self.n_neighbors}: "
                "predictions will be refused"
            )
        alike = ("cosine", "precomputed")  # whatever the columns' sizes
        ours = isinstance(self._metric(), Metric) and self.metric not in alike
        if self.n_features_in_ > 1 and ours:
            found += uneven_columns(self, self.X_fit_)
        return found

    @property
    def n_samples_fit_(self) -> int:
        """Number of rows that are kept."""
        return int(self.X_fit_.shape[0])

    @property
    def effective_metric_(self) -> Any:
        """The metric; a special power of Minkowski's by its own name."""
        return self._metric().kind

    @property
    def effective_metric_params_(self) -> dict[str, Any]:
        """The parameters of the metric, such as the power p of Minkowski's."""
        metric = self._metric()
        if isinstance(metric, OtherMetric):
            return dict(metric.params)
        return {"p": metric.p} if metric.kind == "minkowski" else {}

    def _metric(self) -> Metric | OtherMetric:
        return chosen_metric(self)

    # -- the search ----------------------------------------------------------------
    def kneighbors(
        self,
        X: Any = None,
        n_neighbors: int | None = None,
        return_distance: bool = True,
    ) -> Any:
        """Find the nearest rows of each query.

        Parameters
        ----------
        X : array or CSR matrix of shape (q, d), optional
            Queries; by default the rows themselves, none its own neighbour.
        n_neighbors : int, optional
            By default that of the learner.
        return_distance : bool, default=True

        Returns
        -------
        distances : array of shape (q, k)
            Only where `return_distance`; the nearest first.
        rows : array of shape (q, k)
            Numbers of training rows; of rows at the same distance the first.
        """
        found, dtype = self._nearest(X, n_neighbors)
        if not return_distance:
            return found.rows
        return found.distances.astype(dtype), found.rows

    def kneighbors_graph(
        self, X: Any = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """Return the matrix of who is whose neighbour, (q, n) CSR.

        Parameters
        ----------
        X : array or CSR matrix of shape (q, d), optional
            Queries; by default the rows themselves, none its own neighbour.
        n_neighbors : int, optional
            By default that of the learner.
        mode : {'connectivity', 'distance'}, default='connectivity'
            Whether entries are 1, or distances.
        """
        if mode not in ("connectivity", "distance"):
            must = "mode must be 'connectivity' or 'distance'"
            raise ParameterError(sentence(self, must, shown_value(mode)))
        found, dtype = self._nearest(X, n_neighbors)
        q, k = found.rows.shape
        one = mode == "connectivity"
        values = np.ones(q * k) if one else found.distances.ravel().astype(dtype)
        places = np.arange(0, q * k + 1, k)
        shape = (q, self.n_samples_fit_)
        return sp.csr_matrix((values, found.rows.ravel(), places), shape=shape)

    def _nearest(self, X: Any, n_neighbors: Any = None) -> tuple[Nearest, Any]:
        """Return the nearest rows, and the type of the queries."""
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not whole(1).holds(k):
            must = "n_neighbors must be a whole number >= 1"
            raise ParameterError(sentence(self, must, shown_value(k)))
        own, role = X is None, cast(Estimator, self)
        if self.metric == "precomputed":
            check_keeps_zeros(self, X)
        Q: Matrix = self.X_fit_ if own else role._query(X, columns=2 * int(k))
        check_count(self, int(k), Q.shape[0], own)
        return self._search(Q, int(k), own), Q.dtype

    def _search(self, Q: Matrix, k: int, own: bool) -> Nearest:
        """Return the k nearest rows of each query."""
        metric = self._metric()
        check_metric(self, metric, self.X_fit_)
        if isinstance(metric, OtherMetric):
            return nearest_by(metric, self.X_fit_, Q, k, own=own)
        if metric.kind != "precomputed":
            return nearest_rows(metric, self.X_fit_, Q, k, own=own)
        check_given(self, Q)
        check_entries(self, Q, k, own)
        return nearest_given(Q, k, own=own)

    def _neighbours(self, X: Any) -> Neighbours:
        """Return the nearest rows and what each of them counts."""
        found, dtype = self._nearest(X)
        return Neighbours(found.rows, votes_of(self, found.distances), dtype)


def check_given(learner: Any, D: Matrix, *, square: bool = False) -> None:
    """Refuse what is no matrix of distances."""
    if square and D.shape[0] != D.shape[1]:
        must = "X must be a square matrix of distances for metric='precomputed'"
        raise DataError(sentence(learner, must, f"shape {D.shape}"))
    values = D.data if sp.issparse(D) else D
    if values.size and values.min() < 0:
        must = "distances must be at least 0; Negative values in data passed to X"
        raise DataError(sentence(learner, must, f"{values.min():g}"))


def check_keeps_zeros(learner: Any, D: Any) -> None:
    """Refuse sparse distances in a format that loses those of 0."""
    if sp.issparse(D) and D.format in ("dok", "bsr"):
        must = "a sparse matrix of distances must be one that holds distances of 0"
        raise SparseDataError(sentence(learner, must, D.format, "Use CSR."))


def check_entries(learner: Any, D: Matrix, k: int, own: bool) -> None:
    """Refuse sparse distances that hold fewer neighbours of a row than asked for."""
    if not sp.issparse(D):
        return
    r = np.repeat(np.arange(D.shape[0]), np.diff(D.indptr))
    other = (D.indices != r) | (not own)
    entries = np.bincount(r[other], minlength=D.shape[0])
    if entries.min(initial=k) < k:
        row = int(entries.argmin())
        must = f"a sparse matrix of distances must hold {k} neighbours of each row"
        raise DataError(sentence(learner, must, f"{entries[row]} of row {row}"))


def name_of(metric: Any) -> str:
    """Return the name of a metric, of a function or of scikit-learn's object."""
    if isinstance(metric, str):
        return metric
    return str(getattr(metric, "__name__", type(metric).__name__))


def check_count(learner: Any, k: int, queries: int, own: bool) -> None:
    """Refuse to look for more neighbours than there are rows."""
    n = learner.n_samples_fit_
    if k > n - own:
        others = " - 1, a row being none of its own" if own else ""
        must = f"n_neighbors must be at most n_samples_fit = {n}{others}"
        came = f"n_neighbors = {k} for n_samples = {queries}"
        raise DataError(
            sentence(learner, must, came, "Ask for fewer, or fit more rows.")
        )


def votes_of(learner: Any, distances: Floats) -> Floats:
    """Return what each neighbour counts, (q, k): numbers >= 0, not all 0 in a row."""
    if learner.weights in ("uniform", None):
        return np.ones(distances.shape)
    if learner.weights == "distance":
        votes = inverse(distances)
    else:
        votes = np.asarray(learner.weights(distances.copy()), dtype=np.float64)
    if votes.shape != distances.shape:
        must = f"weights must give one number for each of {distances.shape} distances"
        raise ParameterError(sentence(learner, must, f"shape {votes.shape}"))
    if not np.isfinite(votes).all() or votes.min() < 0:
        must = "weights must give finite numbers >= 0"
        bad = votes[~(np.isfinite(votes) & (votes >= 0))][0]
        raise ParameterError(sentence(learner, must, f"{bad}"))
    if not votes.any(axis=1).all():
        row = int(np.flatnonzero(~votes.any(axis=1))[0])
        must = "weights must be above 0 for some neighbour of every row"
        raise ParameterError(sentence(learner, must, f"0 for all of row {row}"))
    return votes


def inverse(distances: Floats) -> Floats:
    """Return 1 / distance relative to the nearest; rows at distance 0 alone count.

    >>> inverse(np.array([[1.0, 2.0], [0.0, 3.0]])).tolist()
    [[1.0, 0.5], [1.0, 0.0]]
    """
    nearest = distances.min(axis=1, keepdims=True)
    same = distances == nearest
    safe = np.where(same, 1.0, distances)
    return np.where(same, 1.0, nearest / safe)


def deviations(X: Floats) -> Floats:
    """Return the standard deviations of columns, to the digits that a reader sees.

    >>> deviations(np.array([[1.0, 7.0], [3.0, 7.0]])).tolist()
    [1.0, 0.0]
    """
    if X.dtype == np.float64:
        squares = np.einsum("ij,ij->j", X, X) / len(X)
        variances = squares - (np.full(len(X), 1 / len(X)) @ X) ** 2
        if not (variances < LOST * squares).any():
            return np.sqrt(variances)
    return X.std(axis=0, dtype=np.float64)


def uneven_columns(learner: Any, X: Matrix) -> list[str]:
    """Say which column decides the distance alone, by varying far more than another."""
    if sp.issparse(X):
        return []
    spread = deviations(X)
    alive = np.flatnonzero(spread > 0)
    if len(alive) < 2:
        return []
    least, most = alive[spread[alive].argmin()], alive[spread[alive].argmax()]
    times = spread[most] / spread[least]
    if times < UNEQUAL:
        return []
    names = getattr(learner, "feature_names_in_", None)
    a, b = (repr(str(names[j])) if names is not None else str(j) for j in (most, least))
    return [
        f"column {a} varies {times:.3g} times as much as column {b}, which hardly "
        "counts in the distance: scale them first, as StandardScaler does"
    ]
