"""Least squares on one-hot targets, in summation form.

Also known as: multiclass MSE procedure, indicator regression, linear regression of the
class indicators.

Class c has the target column B_nc = 1[y_n = c], and with Y = [1 X]

    min_A  ||Y A - B||^2 + alpha ||W||^2                                             (1)
    A = (Y'Y)^-1 Y'B        (alpha = 0, full rank; by QR, the shortest A otherwise)  (2)
    predict  argmax_c f_c(x),   f(x) = W x + b                                       (3)

The rows of B sum to 1 and the column of ones lies in the span of Y, so the outputs sum
to 1 for every x: sum_c f_c(x) = 1, though some may be negative.  Gradient descent on
(1) has (2) as its limit.  With three or more classes along a line the output of a
middle class may lie below the others everywhere (masking): such a class is never
predicted, and the report says so.

Notation: A = (b, W); W (K, d) = coef_; b = intercept_.
Course: S1-33, S3-62. Reference: Hastie, Tibshirani, Friedman (2009), 4.2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_memory, check_two_classes
from corollary.core.parameters import boolean, real
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.roles import Classifier
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Settled,
    Statistics,
    StreamingClassifier,
    Triangle,
)
from corollary.linear.class_statements import indicator_problem
from corollary.solvers.normal_equations import Solution, from_triangle

__all__ = ["LeastSquaresClassifier"]


@dataclass(frozen=True)
class Predicted(Statistics):
    """How often each class is predicted."""

    n: Floats  # (K,)


@stored
@dataclass(frozen=True)
class Indicators:
    """The state: the solution of (1), and which classes it never predicts."""

    d: int
    dtype: Any
    solution: Solution | None = None
    masked: tuple[int, ...] = ()


class LeastSquaresClassifier(StreamingClassifier, Classifier):
    """Linear regression of the class indicators; the largest output wins.

    Parameters
    ----------
    alpha : float, default=0.0
        Ridge on the coefficients.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (K, d)
    intercept_ : array of shape (K,)
    rank_ : int
        Rank of the centred features.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LeastSquaresClassifier
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    >>> model = LeastSquaresClassifier().fit(X, ["a", "b", "c"])
    >>> model.outputs([[1.0, 2.0]]).round(6).tolist()
    [[-2.0, 2.0, 1.0]]
    """

    takes_sparse = True
    shapes: ClassVar = {"classes_": "K", "coef_": "K d", "intercept_": "K"}
    rules: ClassVar = {"alpha": real(0), "fit_intercept": boolean}

    convex_problem = indicator_problem

    def __init__(self, *, alpha: float = 0.0, fit_intercept: bool = True) -> None:
        self.alpha = alpha
        self.fit_intercept = fit_intercept

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Indicators:
        """Refuse a single class; look whether the triangle fits in memory."""
        K, d = len(self.classes_), data.source.n_features
        check_two_classes(self)
        needed = 24.0 * (d + K) * min(d + K, data.few_rows)
        what = f"the {d} x {d} normal equations"
        check_memory(self, needed, what, "Use fewer columns, or SGDClassifier.")
        return Indicators(d, data.source.dtype)

    def statistics(self, chunk: Chunk, state: Indicators) -> Triangle:
        """Decompose [1 X B]."""
        B = np.eye(len(self.classes_))[chunk.y]
        return Triangle.of(chunk.X, chunk.w, B, ones=self.fit_intercept)

    def update(self, s: Triangle, state: Indicators) -> Indicators:
        """Solve (2)."""
        alpha = np.array([self.alpha])
        solution = from_triangle(s, state.d, alpha, intercept=self.fit_intercept)
        return replace(state, solution=solution)

    def objective(self, s: Triangle, state: Indicators) -> float:
        """Return (1)."""
        assert state.solution is not None
        penalty = self.alpha * float((state.solution.coef**2).sum())
        return float(state.solution.residual.sum()) + penalty

    def settle(self, data: Data, state: Indicators) -> Settled:
        """Look for classes that are never predicted, if the rows can be seen again."""
        if data.once or len(self.classes_) < 3:
            return Settled(state)
        seen = data.reduce(partial(predicted, state=state)).n
        return Settled(replace(state, masked=tuple(np.flatnonzero(seen == 0).tolist())))

    def account(self, state: Indicators, report: Report) -> None:
        """Report rank, conditioning and masked classes."""
        assert state.solution is not None
        report.optimality = Optimality("exact to rounding", 0.0)
        report.condition = state.solution.condition
        report.facts |= {"rank": int(state.solution.rank), "n_features": state.d}
        if state.masked:
            names = self.classes_[list(state.masked)].tolist()
            report.warnings.append(
                f"classes {names} are never predicted on the training rows (masking). "
                "Use LogisticRegression or LinearDiscriminantAnalysis."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Indicators = fitted.state
        assert state.solution is not None
        self.coef_ = state.solution.coef.astype(state.dtype)
        self.intercept_ = state.solution.intercept.astype(state.dtype)
        self.rank_ = state.solution.rank

    # -- use -----------------------------------------------------------------------
    def outputs(self, X: Any) -> Floats:
        """Return f(x) of (3), (n, K); with an intercept each row sums to 1."""
        X = self._query(X)
        return scores(X, self.coef_, self.intercept_)

    def decision_function(self, X: Any) -> Floats:
        """Return the outputs (n, K), for two classes their difference (n,)."""
        F = self.outputs(X)
        return F[:, 1] - F[:, 0] if F.shape[1] == 2 else F

    def predict(self, X: Any) -> Vector:
        """Return the class of largest output."""
        largest = self.outputs(X).argmax(axis=1)
        return self.classes_[largest]


def scores(X: Matrix, W: Floats, b: Floats) -> Floats:
    """Return W x + b of each row."""
    return np.asarray(X @ W.T.astype(X.dtype)) + b.astype(X.dtype)


def predicted(chunk: Chunk, state: Indicators) -> Predicted:
    """Count the predictions of each class in a chunk."""
    assert state.solution is not None
    coef, intercept = state.solution.coef, state.solution.intercept
    largest = scores(chunk.X, coef, intercept).argmax(axis=1)
    return Predicted(np.bincount(largest, minlength=len(coef)).astype(np.float64))
