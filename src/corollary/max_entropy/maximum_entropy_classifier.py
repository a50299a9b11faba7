"""The maximum-entropy classifier, in summation form.

Also known as: conditional maximum entropy, log-linear model, MaxEnt classifier,
conditional exponential model, Gibbs classifier.

Of all conditional laws p(y | x) under which features f_j(x, y) have the means that they
have in the data, take the one of largest conditional entropy.  It is a Gibbs law,

    p(y | x) = exp(sum_j mu_j f_j(x, y)) / Z(x)                                  (1)

whose multipliers maximise the likelihood (less a penalty, which loosens the
constraints: the means are then met up to lambda_j mu_j),

    minimise  1/n sum_n w_n [-log p(y_n | x_n)] + 1/2 sum_j lambda_j mu_j^2      (2)
    gradient  E_model f_j - E_data f_j + lambda_j mu_j                           (3)

with lambda = 1 / (C n).  With the default features f_{cj}(x, y) = [y = c] x_j and
[y = c], the latter without penalty, (2) is multinomial logistic regression.

Four searches reach the one minimum, a pass over the data each step: Newton's method,
L-BFGS, and generalised or improved iterative scaling, for which each row's features are
shifted to be >= 0: a shift common to all classes of a row cancels in (1).

Notation: mu = multipliers_; W = coef_, b = intercept_ for the default features.
Course: S0-14, S0-15. References: Berger, Della Pietra and Della Pietra (1996); Jaynes
(1957); Malouf (2002).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory, check_two_classes
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, function, missing, one_of, real, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Classifier, total_weight
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.max_entropy.feature_maps import ClassTimesX, FeatureMap, Given
from corollary.objectives.penalties import Penalty
from corollary.objectives.softmax import SoftmaxLoss, log_softmax, softmax
from corollary.solvers import iterative_scaling, lbfgs, newton
from corollary.solvers.convex_problem import LinearStatement, Problems
from corollary.solvers.steps import step

__all__ = ["MaximumEntropyClassifier"]

FEW = 300  # features up to which the Hessian is worth its price
PASSES = {"newton": 100, "lbfgs": 500, "gis": 20_000, "iis": 20_000}
WORDS = {
    "newton": "Newton's method",
    "lbfgs": "L-BFGS",
    "gis": "generalised iterative scaling",
    "iis": "improved iterative scaling",
}


@dataclass(frozen=True)
class FeatureCensus(Statistics):
    """What the data say of the features, before the first step."""

    n: float
    observed: Floats  # (m,) sum of w f(x, y) with the true y
    spread: Floats  # (m,) sum of the variances of f over classes, all alike likely
    low: Floats  # (m,)
    high: Floats  # (m,)
    floor: Floats  # (m,) sum of w min_y f(x, y)
    top: float  # largest sum of a row's features above their floor

    def __add__(self, other: FeatureCensus) -> FeatureCensus:
        if len(self.low) != len(other.low):
            must = "features(X, y) must return as many features for all rows"
            came = f"{len(self.low)} and {len(other.low)}"
            raise DataError(sentence("MaximumEntropyClassifier", must, came))
        return FeatureCensus(
            self.n + other.n,
            self.observed + other.observed,
            self.spread + other.spread,
            np.minimum(self.low, other.low),
            np.maximum(self.high, other.high),
            self.floor + other.floor,
            max(self.top, other.top),
        )


@dataclass(frozen=True)
class Expectations(Statistics):
    """Sums under the model: the loss, and means of the features."""

    loss: float
    f: Floats  # (m,) sum of w E[f | x]
    H: Any = None  # (m, m) sum of w Cov[f | x], for Newton's method
    g: Any = None  # (m,) sum of w E[f exp(delta f#)], f >= 0, for improved scaling
    slope: Any = None  # (m,) its derivative


@dataclass(frozen=True)
class EntropySearch:
    """The state: what is asked of the model, and where the search stands."""

    features: FeatureMap
    n: float
    b: Floats  # (m,) means in the data
    penalty: Floats  # (m,) lambda
    floor: Floats  # (m,) means of the least a feature has in a row
    unit: Floats  # (m,) ranges of the features
    spread: Floats  # (m,)
    search: Any
    solver: str
    dtype: Any
    f: float = np.inf
    residual: float = np.inf  # largest entry of (3), in units of the features' ranges
    done: bool = False

    @property
    def scaling(self) -> bool:
        """Whether the search is iterative scaling."""
        return isinstance(self.search, iterative_scaling.ScalingState)

    @property
    def trial(self) -> Floats:
        """Where the next pass is evaluated."""
        return self.search.mu if self.scaling else self.search.trial

    @property
    def mu(self) -> Floats:
        """Where the search stands."""
        return self.search.mu if self.scaling else self.search.x


class MaximumEntropyClassifier(SummationLearner, Classifier):
    """Classify by the most even law that has the data's means of some features.

    Parameters
    ----------
    features : function, optional
        ``features(X, label)`` returns the features of each row with that label, an
        array of shape (n, m).  By default x times the indicator of each class.
    C : float, default=1.0
        Inverse strength of the penalty; inf meets the constraints exactly.
    solver : {'auto', 'newton', 'lbfgs', 'gis', 'iis'}
        All end at the same point; 'auto' is Newton's method for up to 300 features and
        L-BFGS beyond.
    tol : float, default=1e-6
        Stop when no mean misses its target by more, in units of the feature's range.
    max_iter : int, optional
        Passes over the data; by default 100 for Newton's method, 500 for L-BFGS and
        20,000 for iterative scaling.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    classes_ : array of shape (k,)
    multipliers_ : array of shape (m,)
        mu of (1).
    coef_ : array of shape (k, d)
        With the default features: the multipliers of x times each class.
    intercept_ : array of shape (k,)
        With the default features: the multipliers of the classes themselves.
    n_iter_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import MaximumEntropyClassifier
    >>> X = np.array([[-2.0], [-1], [-0.5], [0.5], [1], [2]])
    >>> model = MaximumEntropyClassifier().fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.predict([[-3.0], [3.0]]).tolist()
    [0, 1]
    """

    takes_sparse = True
    shapes: ClassVar = {
        "classes_": "k",
        "multipliers_": "m",
        "coef_": "k d",
        "intercept_": "k",
    }
    rules: ClassVar = {
        "features": missing | function,
        "C": real(0, ends="(]"),
        "solver": one_of("auto", *PASSES),
        "tol": real(0, ends="(]"),
        "max_iter": missing | whole(1),
        "verbose": whole(0) | boolean,
    }

    def __init__(
        self,
        features: Any = None,
        *,
        C: float = 1.0,
        solver: str = "auto",
        tol: float = 1e-6,
        max_iter: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.features = features
        self.C = C
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.verbose = verbose

    def convex_problem(self, X: Any, y: Any, sample_weight: Any) -> Problems:
        """State (2) at the multipliers, for `optimality_gap`."""
        codes = np.searchsorted(self.classes_, y)
        problem = SoftmaxLoss(), Penalty(1.0 / (self.C * float(sample_weight.sum())))
        if self.features is None:
            W, b = self.coef_.astype(np.float64), self.intercept_.astype(np.float64)
            return [LinearStatement(*problem, X, codes, sample_weight, W, b, True)]
        mu = self.multipliers_.astype(np.float64)
        size = 8.0 * X.shape[0] * len(self.classes_) * len(mu)
        check_memory(self, size, "the features of all rows", "Take a part of the rows.")
        F = Given(self.features, self.classes_, len(mu)).tensor(X)
        return [LinearStatement(*problem, F, codes, sample_weight, mu)]

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> EntropySearch:
        """Take the means and ranges of the features in the data."""
        K, d = len(self.classes_), data.source.n_features
        check_two_classes(self)
        features: FeatureMap = (
            ClassTimesX(K, d)
            if self.features is None
            else Given(self.features, self.classes_)
        )
        census = data.reduce(partial(take_census, features=features, K=K))
        if isinstance(features, Given):
            features = replace(features, m=len(census.low))
        solver = self.solver
        if solver == "auto":
            solver = "newton" if features.m <= FEW else "lbfgs"
        penalty = np.full(features.m, 1.0 / (self.C * census.n))
        if self.features is None:
            penalty[d :: d + 1] = 0.0  # of the classes themselves
        start = np.zeros(features.m)
        search: Any
        if solver in ("gis", "iis"):
            search = iterative_scaling.begin(start, census.top)
        else:
            search = newton.begin(start) if solver == "newton" else lbfgs.begin(start)
        return EntropySearch(
            features,
            census.n,
            census.observed / census.n,
            penalty,
            census.floor / census.n,
            np.where(census.high > census.low, census.high - census.low, 1.0),
            census.spread / census.n,
            search,
            solver,
            data.source.dtype,
        )

    def statistics(self, chunk: Chunk, state: EntropySearch) -> Expectations:
        """Sum the loss and the means of the features under the model."""
        X, w = rows_of(chunk), weights_of(chunk)
        log_p = log_softmax(state.features.scores(X, state.trial))
        P = np.exp(log_p)
        loss = -float(w @ log_p[np.arange(chunk.n), chunk.y])
        mean = state.features.totals(X, P * w[:, None])
        if state.solver == "newton":
            return Expectations(loss, mean, H=state.features.covariance(X, P, w))
        if state.solver == "iis":
            g, slope = tilted(state, X, P * w[:, None])
            return Expectations(loss, mean, g=g, slope=slope)
        return Expectations(loss, mean)

    def update(self, s: Expectations, state: EntropySearch) -> EntropySearch:
        """Take a step of the search."""
        mu = state.trial
        f = s.loss / state.n + 0.5 * float(state.penalty @ mu**2)  # (2)
        g = s.f / state.n - state.b + state.penalty * mu  # (3)
        miss = float((np.abs(g) / state.unit).max(initial=0.0))
        if state.scaling:
            if miss <= self.tol and state.search.inner == 0:
                return replace(state, f=f, residual=miss, done=True)
            return replace(state, search=self._scaled(s, state), f=f, residual=miss)
        h = state.spread + state.penalty
        search = step(
            state.search,
            f,
            g,
            None if s.H is None else s.H / state.n + np.diag(state.penalty),
            precondition=(1 / np.where(h > 0, h, 1.0)).__mul__,
            unit=1 / state.unit,
        )
        miss = float((np.abs(search.g) / state.unit).max(initial=0.0))
        return replace(state, search=search, f=search.f, residual=miss)

    def _scaled(
        self, s: Expectations, state: EntropySearch
    ) -> iterative_scaling.ScalingState:
        """Scale with features that are shifted to be >= 0."""
        b = state.b - state.floor
        if state.solver == "gis":
            mean = s.f / state.n - state.floor
            moved = iterative_scaling.gis_step(state.search, mean, b, state.penalty)
        else:
            g, slope = s.g / state.n, s.slope / state.n
            moved = iterative_scaling.iis_step(state.search, g, slope, b, state.penalty)
        return replace(moved, mu=state.features.centred(moved.mu))

    def objective(self, s: Expectations, state: EntropySearch) -> float:
        """Return (2) where the search stands."""
        return state.f

    def stop(self, state: EntropySearch) -> StopReason | None:
        """Stop when the means are met."""
        if state.done or (not state.scaling and state.residual <= self.tol):
            return StopReason.CONVERGED
        if not state.scaling and state.search.stalled:
            small = getattr(state.search, "decrement", np.inf) <= 1e-10 * (1 + state.f)
            return StopReason.CONVERGED if small else StopReason.STALLED
        return None

    def max_passes(self) -> int:
        """Bound the passes; iterative scaling takes many."""
        if self.max_iter is not None:
            return int(self.max_iter)
        return PASSES["lbfgs" if self.solver == "auto" else self.solver]

    def account(self, state: EntropySearch, report: Report) -> None:
        """Report the moment residual, the search, and multipliers that run away."""
        report.optimality = Optimality("largest moment residual is", state.residual)
        report.facts["solver"] = WORDS[state.solver]
        report.facts["n_constraints"] = state.features.m
        if not state.penalty.any() and np.abs(state.mu * state.unit).max() > 30:
            report.warnings.append(
                "some multipliers are still growing: the data's means lie on the "
                "boundary of what can be met, as with separable classes, and there is "
                "no maximum. Use a finite C."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: EntropySearch = fitted.state
        mu = state.mu
        if self.features is None:
            mu = state.features.centred(mu)
            M = mu.reshape(len(self.classes_), -1)
            self.coef_ = np.ascontiguousarray(M[:, :-1]).astype(state.dtype)
            self.intercept_ = M[:, -1].astype(state.dtype)
        self.multipliers_ = mu.astype(state.dtype)
        self.n_iter_ = fitted.report.passes

    # -- use -----------------------------------------------------------------------
    def _scores(self, X: Any) -> Floats:
        X = self._query(X)
        if self.features is None:
            return np.asarray(X @ self.coef_.T.astype(X.dtype)) + self.intercept_
        given = Given(self.features, self.classes_, len(self.multipliers_))
        return given.scores(X, self.multipliers_.astype(np.float64))

    def decision_function(self, X: Any) -> Floats:
        """Return the sums mu'f(x, y), (n, k); of two classes the difference, (n,)."""
        S = self._scores(X)
        return S[:, 1] - S[:, 0] if S.shape[1] == 2 else S

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log p(y | x) of each row and class, (n, k)."""
        return log_softmax(self._scores(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return p(y | x) of each row and class (1), (n, k)."""
        return softmax(self._scores(X))

    def predict(self, X: Any) -> Vector:
        """Return the most probable class of each row."""
        S = self._scores(X)
        return self.classes_[S.argmax(axis=1)]


def rows_of(chunk: Chunk) -> Any:
    """Return a chunk's rows in float64: sums over features need the digits."""
    return chunk.X.astype(np.float64, copy=False)


def weights_of(chunk: Chunk) -> Floats:
    """Return a chunk's weights, 1 where none were given."""
    if chunk.w is None:
        return np.ones(chunk.n)
    return np.asarray(chunk.w, dtype=np.float64)


def take_census(chunk: Chunk, features: FeatureMap, K: int) -> FeatureCensus:
    """Sum what the data say of the features."""
    X, w = rows_of(chunk), weights_of(chunk)
    features = features.seen(X)
    truth = np.zeros((chunk.n, K))
    truth[np.arange(chunk.n), chunk.y] = w
    even = np.broadcast_to(w[:, None] / K, (chunk.n, K))
    spread = features.squares(X, even) * (1 - 1 / K)
    n = total_weight(chunk.w, chunk.n)
    observed = features.totals(X, truth)
    ranges, floors = features.ranges(X), features.floors(X, w)
    return FeatureCensus(n, observed, spread, *ranges, *floors)


def tilted(state: EntropySearch, X: Any, A: Floats) -> tuple[Floats, Floats]:
    """Sum A f exp(delta f#) and A f f# exp(delta f#) over rows and classes, f >= 0."""
    g, slope = np.zeros(len(state.b)), np.zeros(len(state.b))
    for part, F in state.features.blocks(X, A.shape[1]):
        F = F - F.min(axis=1, keepdims=True)
        total = F.sum(axis=2)  # (n, K) f#
        F = F * np.exp(total[:, :, None] * state.search.delta)
        g += np.einsum("nk,nkm->m", A[part], F)
        slope += np.einsum("nk,nkm->m", A[part] * total, F)
    return g, slope
