"""Logistic regression with an L2 penalty, in summation form.

Also known as: logit model, softmax regression, multinomial logistic regression, maximum
entropy classifier, MAP estimation with a Gaussian prior.

Two classes, p = 1 / (1 + e^-(w'x + b)), and K classes, p = softmax(W x + b), minimise

    F(W, b) = 1/n sum_n w_n [-log p_{y_n}(x_n)] + lambda/2 ||W||^2,
    lambda = 1 / (C n),   n = sum of the weights                                 (1)

with gradient  1/n sum_n w_n (p(x_n) - e_{y_n}) x_n' + lambda W                  (2)

F is convex.  The search is L-BFGS, one pass over the data an evaluation, preconditioned
by the blocks of the Hessian that belong to one class: with x~ = (x - mean, 1),

    P_k = (1/n sum_n h_nk x~_n x~_n' + lambda diag(1, ..., 1, 0))^-1,
    h_nk = w_n p_k(x_n) (1 - p_k(x_n))                                           (3)

at the constant model, where p = pi, the class shares, and (3) needs only the covariance
of x; and again at the point reached whenever a number of passes worth one look at (3)
has not sufficed.  That makes the search indifferent to the scale of the features and to
correlations among them.  Where there are many columns only the diagonal of (3) is used.

Separable classes have no maximum of likelihood: without a penalty W grows for ever.
The report tells when the fitted scores separate the training rows.

Notation: W (1 or K, d) = coef_; b = intercept_.
Course: S4-9, S3-75. References: Bohning (1992); Nocedal and Wright (2006).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.base import Classifier
from corollary.core.errors import DataError, sentence
from corollary.core.params import anything, boolean, missing, one_of, real, seed, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.rows import rows_loop
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Settled,
    Statistics,
    SummationLearner,
)
from corollary.linear.class_weights import class_weights
from corollary.linear.logistic_sums import (
    Curvature,
    curvature,
    second_moments,
    smallest_margin,
    take_census,
    weighted,
)
from corollary.objectives.softmax import log_softmax, softmax
from corollary.solvers import lbfgs

__all__ = ["LogisticRegression"]

PATIENCE = (10, 40)  # passes before (3) is taken anew, d/4 within these bounds
NOISE = {"float32": 1e-9, "float64": 2e-16}  # relative, of a mean of many losses
SOLVERS = ("lbfgs", "newton-cholesky", "newton-cg", "sag", "saga")


@dataclass(frozen=True)
class Gradient(Statistics):
    """What one chunk contributes to (1) and (2), the penalty left out."""

    loss: float
    W: Floats  # (m, d), m = 1 for two classes and K otherwise
    b: Floats  # (m,)


@dataclass(frozen=True)
class Search:
    """The state: the problem's constants, its preconditioner, and the search."""

    n: float
    penalty: float  # lambda
    weights: Floats | None  # (K,) class weights
    mean: Floats  # (d,) taken out of the features
    P: Floats  # (3): (m, d + 1, d + 1), or (m, d + 1) where diagonal
    search: lbfgs.LBFGS
    dtype: Any
    age: int = 0  # passes since P was taken
    margin: float | None = None

    @property
    def refreshing(self) -> bool:
        """Tell whether the next pass is for (3) instead of the gradient."""
        low, high = PATIENCE
        return self.age > min(max(low, len(self.mean) // 4), high)

    def theta(self, x: Floats) -> tuple[Floats, Floats]:
        """Return W and b of a point of the search."""
        theta = x.reshape(self.P.shape[:2])
        W = np.ascontiguousarray(theta[:, :-1])
        return W, theta[:, -1] - W @ self.mean

    def precondition(self, g: Floats) -> Floats:
        """Multiply by (3)."""
        G = g.reshape(self.P.shape[:2])
        PG = G * self.P if self.P.ndim == 2 else np.einsum("mij,mj->mi", self.P, G)
        if len(PG) > 1:  # the classes' W and b sum to 0, and shall stay so
            PG -= PG.mean(axis=0)
        return PG.reshape(-1)


class LogisticRegression(SummationLearner, Classifier):
    """Logistic regression with an L2 penalty, for two or more classes.

    Parameters
    ----------
    penalty : {'deprecated', 'l2', None}
        None is the same as C=inf.
    C : float, default=1.0
        Inverse strength of the penalty, inf for none.
    l1_ratio : 0.0
        Only the L2 penalty is offered.
    dual : False
        Kept for compatibility.
    tol : float, default=1e-4
        Stop when the largest entry of the gradient of (1) is below.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    intercept_scaling : float
        Kept for compatibility.
    class_weight : dict, 'balanced' or None
        Weight of each class; 'balanced' gives all classes the same total.
    random_state : ignored
        Nothing is drawn.
    solver : {'lbfgs', 'newton-cholesky', 'newton-cg', 'sag', 'saga'}
        The minimum is unique and so is the search for it: all names run the
        preconditioned L-BFGS described above.
    max_iter : int, default=100
        Passes over the data.
    verbose : int, default=0
        1 shows progress.
    warm_start : bool, default=False
        Start from the coefficients of the last fit.
    n_jobs : None
        Kept for compatibility; see `corollary.set_config(threads=...)`.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (1, d) or (K, d)
    intercept_ : array of shape (1,) or (K,)
    n_iter_ : array of shape (1,)
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LogisticRegression
    >>> X = np.array([[-2.0], [-1], [-0.5], [0.5], [1], [2]])
    >>> model = LogisticRegression().fit(X, [0, 0, 1, 0, 1, 1])
    >>> model.predict([[-3.0], [3.0]]).tolist()
    [0, 1]
    """

    takes_sparse = True
    shapes: ClassVar = {"classes_": "K", "coef_": "m d", "intercept_": "m"}
    rules: ClassVar = {
        "penalty": one_of("deprecated", "l2", None),
        "C": real(0, ends="(]"),
        "l1_ratio": missing | real(0, 0),
        "dual": boolean,
        "tol": real(0, ends="(]"),
        "fit_intercept": boolean,
        "intercept_scaling": real(),
        "class_weight": missing | one_of("balanced") | anything,
        "random_state": seed,
        "solver": one_of(*SOLVERS),
        "max_iter": whole(1),
        "verbose": whole(0) | boolean,
        "warm_start": boolean,
        "n_jobs": anything,
    }

    def __init__(
        self,
        penalty: str | None = "deprecated",
        *,
        C: float = 1.0,
        l1_ratio: float | None = 0.0,
        dual: bool = False,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1,
        class_weight: Any = None,
        random_state: Any = None,
        solver: str = "lbfgs",
        max_iter: int = 100,
        verbose: int = 0,
        warm_start: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.penalty = penalty
        self.C = C
        self.l1_ratio = l1_ratio
        self.dual = dual
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.random_state = random_state
        self.solver = solver
        self.max_iter = max_iter
        self.verbose = verbose
        self.warm_start = warm_start
        self.n_jobs = n_jobs

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Search:
        """Count the classes, take the spread of the features, build (3)."""
        K = len(self.classes_)
        if K < 2:
            must = "needs samples of at least 2 classes in the data"
            raise DataError(
                sentence(self, must, f"one class, {self.classes_.tolist()[0]!r}")
            )
        weights = class_weights(self, data)
        census = data.reduce(partial(take_census, K=K, weights=weights))
        spread, n = census.spread, float(census.classes.sum())
        mean = spread.mean if self.fit_intercept else np.zeros_like(spread.mean)
        pi = census.classes / n
        h = (pi * (1 - pi))[1:] if K == 2 else pi * (1 - pi)
        penalty = 0.0 if self.penalty is None else 1.0 / (self.C * n)
        P = self._inverse(second_moments(spread, mean, h), penalty)
        state = Search(n, penalty, weights, mean, P, lbfgs.begin(h), data.source.dtype)
        return replace(state, search=lbfgs.begin(self._first(state, pi)))

    def _inverse(self, H: Floats, penalty: float) -> Floats:
        """Turn the blocks of the Hessian into (3)."""
        ridge = np.full(H.shape[1], penalty)
        ridge[-1] = 0.0
        tiny = 1e-12 * np.abs(H).max() + np.finfo(np.float64).tiny
        if H.ndim == 2:
            return 1 / (H + ridge + tiny)
        if not self.fit_intercept:  # no coupling with what is not there
            H = H.copy()
            H[:, -1, :-1] = H[:, :-1, -1] = 0.0
        return np.linalg.inv(H + np.diag(ridge + tiny))

    def _first(self, state: Search, pi: Floats) -> Floats:
        """Start from the constant model, or from the last fit."""
        theta = np.zeros(state.P.shape[:2])
        if (
            self.warm_start
            and getattr(self, "coef_", np.zeros(0)).shape == theta[:, :-1].shape
        ):
            theta[:, :-1] = self.coef_
            theta[:, -1] = self.intercept_ + self.coef_ @ state.mean
        elif self.fit_intercept:
            log_pi = np.log(pi)
            theta[:, -1] = (
                log_pi[1] - log_pi[0] if len(pi) == 2 else log_pi - log_pi.mean()
            )
        return theta.reshape(-1)

    def statistics(self, chunk: Chunk, state: Search) -> Gradient | Curvature:
        """Sum loss and gradient (2) over the chunk's rows, or the curvature (3)."""
        at = state.search.x if state.refreshing else state.search.trial
        W, b = state.theta(at)
        w = weighted(chunk, state.weights)
        grad, grad_b = np.zeros_like(W), np.zeros_like(b)
        h = np.empty((chunk.n, len(W)), chunk.X.dtype) if state.refreshing else None
        if len(W) == 1:
            loop = rows_loop(loops.binary, loops.binary_csr, chunk.X)
            y, column = chunk.y.astype(np.float64), None if h is None else h[:, 0]
            loss, grad_b[0] = loop(y, w, W[0], float(b[0]), grad[0], column)
        else:
            loop = rows_loop(loops.multinomial, loops.multinomial_csr, chunk.X)
            loss = loop(chunk.y, w, W, b, grad, grad_b, h)
        if h is None:
            return Gradient(loss, grad, grad_b)
        if len(W) > 1:
            h *= (1 - h) if w is None else (1 - h) * w[:, None]
        return Curvature(curvature(chunk.X, h, state.mean, diagonal=state.P.ndim == 2))

    def update(self, s: Any, state: Search) -> Search:
        """Add the penalty and let the search take its step, or renew (3)."""
        if state.refreshing:
            P = self._inverse(s.H / state.n, state.penalty)
            return replace(state, P=P, age=0)
        W = state.search.trial.reshape(state.P.shape[:2])[:, :-1]
        f = s.loss / state.n + 0.5 * state.penalty * float((W**2).sum())  # (1)
        G = (s.W - np.outer(s.b, state.mean)) / state.n + state.penalty * W  # (2)
        b = s.b / state.n if self.fit_intercept else np.zeros_like(s.b)
        g = np.hstack([G, b[:, None]]).reshape(-1)
        noise = NOISE[np.dtype(state.dtype).name]
        search = lbfgs.step(state.search, f, g, state.precondition, noise)
        return replace(state, search=search, age=state.age + 1)

    def objective(self, s: Gradient, state: Search) -> float:
        """Return (1) where the search stands."""
        return state.search.f

    def stop(self, state: Search) -> StopReason | None:
        """Stop when the gradient is small."""
        if state.search.gradient_norm() <= self.tol:
            return StopReason.CONVERGED
        return StopReason.STALLED if state.search.stalled else None

    def settle(self, data: Data, state: Search) -> Settled:
        """Where nearly nothing is lost, look whether the scores separate the rows."""
        if state.search.f > 0.1 or not data.source.replayable:
            return Settled(state)
        W, b = state.theta(state.search.x)
        margin = data.reduce(partial(smallest_margin, W=W, b=b)).smallest
        return Settled(replace(state, margin=margin))

    def account(self, state: Search, report: Report) -> None:
        """Report the gradient, the search, and separable classes."""
        norm = state.search.gradient_norm()
        report.optimality = Optimality("largest entry of the gradient is", norm)
        full = "blocks" if state.P.ndim == 3 else "diagonal"
        report.facts["solver"] = f"L-BFGS, preconditioned by the Hessian's {full}"
        if state.margin is not None and state.margin > 0:
            report.facts["separable"] = f"yes, smallest margin {state.margin:.3g}"
            if state.penalty == 0:
                report.warnings.append(
                    "the classes are linearly separable: the likelihood has no maximum "
                    "and the coefficients are only where the search stopped. Use a "
                    "finite C."
                )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Search = fitted.state
        W, b = state.theta(state.search.x)
        self.coef_ = W.astype(state.dtype)
        self.intercept_ = (b if self.fit_intercept else np.zeros_like(b)).astype(
            state.dtype
        )
        self.n_iter_ = np.array([fitted.report.passes], dtype=np.int32)

    # -- use -----------------------------------------------------------------------
    def decision_function(self, X: Any) -> Floats:
        """Return the scores W x + b: (n,) for two classes, (n, K) otherwise."""
        X = self._query(X)
        Z = np.asarray(X @ self.coef_.T.astype(X.dtype)) + self.intercept_.astype(
            X.dtype
        )
        return Z[:, 0] if Z.shape[1] == 1 else Z

    def predict(self, X: Any) -> Vector:
        """Return the class of largest score."""
        Z = self.decision_function(X)
        return self.classes_[(Z > 0).astype(int) if Z.ndim == 1 else Z.argmax(axis=1)]

    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x), (n, K)."""
        return softmax(self._logits(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(class | x), (n, K)."""
        return log_softmax(self._logits(X))

    def _logits(self, X: Any) -> Floats:
        Z = self.decision_function(X)
        return np.column_stack([np.zeros_like(Z), Z]) if Z.ndim == 1 else Z
