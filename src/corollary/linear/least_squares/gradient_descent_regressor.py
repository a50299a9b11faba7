"""Linear regression by batch gradient descent, in summation form.

Also known as: steepest descent for least squares, batch LMS.
Related words: feature scaling.

Minimise  J(theta) = 1/(2n) (sum_n w_n (theta' x~_n - y_n)^2 + rho sum_j theta_j^2)  (1)
by        theta <- theta - eta/n (sum_n w_n (theta' x~_n - y_n) x~_n + rho theta*)   (2)

all entries of theta at once, with x~ = (x, 1).  The penalty rho spares the intercept:
theta* is theta with a 0 for it.  So every step first shrinks theta_j by the factor
1 - eta rho/n, the decay of weights.  J is convex and quadratic; with lambda the
eigenvalues of H = 1/n (sum_n w_n x~_n x~_n' + rho I*), I* the identity with a 0 for the
intercept, the error along an eigenvector shrinks by |1 - eta lambda| a step, so (2)
converges if and only if

    0 < eta < 2 / lambda_max                                                     (3)

and the number of steps grows with the condition number lambda_max / lambda_min: scale
the features first.  At a fixed eta the steps shrink by themselves, and the limit is
the solution of the normal equation n H theta = X~'W y.

Notation: theta = (coef_, intercept_); eta = learning_rate; rho = alpha.
Course: S4-3, S4-5, S4-61. Reference: Nocedal and Wright (2006), 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.parameters import boolean, one_of, real, whole
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor, total_weight
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Moments,
    Statistics,
    SummationLearner,
    Triangle,
)
from corollary.linear.convex_statements import ridge_problem
from corollary.linear_algebra.decompositions import eigvalsh, svd

__all__ = ["GradientDescentRegressor"]


@dataclass(frozen=True)
class Residuals(Statistics):
    """What one chunk contributes to (1) and (2)."""

    n: float
    squares: float
    G: Floats  # (m, d)
    b: Floats  # (m,)


@dataclass(frozen=True)
class Descent:
    """The state: theta, the step, and how the descent goes."""

    W: Floats  # (m, d)
    b: Floats  # (m,)
    eta: float
    condition: float
    limit: float  # 2 / lambda_max
    gradient: float = np.inf  # largest entry
    J: float = np.inf
    first_J: float = np.inf
    dtype: Any = np.float64
    many: bool = False


class GradientDescentRegressor(SummationLearner, Regressor):
    """Least squares by batch gradient descent, with a ridge if asked.

    Parameters
    ----------
    learning_rate : float or 'auto', default='auto'
        eta; 'auto' takes 1 / lambda_max, half of what (3) allows.
    alpha : float, default=0.0
        rho, the strength of the penalty, as in `Ridge`.
    fit_intercept : bool, default=True
        Whether to fit the entry of theta that belongs to the 1.
    max_iter : int, default=1000
        Steps, each a pass over the data.
    tol : float, default=1e-6
        Stop when the largest entry of the gradient is below.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    coef_ : array of shape (d,) or (m, d)
    intercept_ : float or array of shape (m,)
    n_iter_ : int
    n_features_in_ : int
    report_ : Report
        With the trace of J, the condition number, and the largest step allowed by (3).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GradientDescentRegressor
    >>> X = np.array([[-1.0], [0.0], [1.0]])
    >>> model = GradientDescentRegressor().fit(X, [1.0, 3.0, 5.0])
    >>> round(float(model.coef_[0]), 4), round(float(model.intercept_), 4)
    (2.0, 3.0)
    """

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "|m"}
    rules: ClassVar = {
        "learning_rate": one_of("auto") | real(0, ends="(]"),
        "alpha": real(0),
        "fit_intercept": boolean,
        "max_iter": whole(1),
        "tol": real(0),
        "verbose": whole(0) | boolean,
    }

    convex_problem = ridge_problem

    def __init__(
        self,
        *,
        learning_rate: float | str = "auto",
        alpha: float = 0.0,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        tol: float = 1e-6,
        verbose: int = 0,
    ) -> None:
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.verbose = verbose

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Descent:
        """Take the spectrum of H, and theta = 0."""
        wide = data.few_rows <= data.source.n_features
        first = data.reduce(summed_by_rows if wide else summed)
        low, high = spectrum(first, self.fit_intercept, self.alpha)
        limit = 2 / high if high > 0 else np.inf
        eta = self.learning_rate
        if isinstance(eta, str):
            eta = limit / 2 if np.isfinite(limit) else 1.0
        source = data.source
        m, d = first.targets, source.n_features
        return Descent(
            np.zeros((m, d)),
            np.zeros(m),
            float(eta),
            high / low if low > 0 else np.inf,
            limit,
            dtype=source.dtype,
            many=source.many_targets,
        )

    def statistics(self, chunk: Chunk, state: Descent) -> Residuals:
        """Sum squared residuals and the gradient over the chunk's rows."""
        Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
        R = np.asarray(chunk.X @ state.W.T.astype(chunk.X.dtype)) + state.b - Y
        wR = R if chunk.w is None else R * chunk.w[:, None]
        G = np.asarray(chunk.X.T @ wR.astype(chunk.X.dtype), dtype=np.float64).T
        n = total_weight(chunk.w, chunk.n)
        return Residuals(n, float((wR * R).sum()), G, wR.sum(axis=0))

    def update(self, s: Residuals, state: Descent) -> Descent:
        """Take one step (2), every entry at once."""
        G = (s.G + self.alpha * state.W) / s.n
        b = s.b / s.n if self.fit_intercept else np.zeros_like(s.b)
        penalty = self.alpha * float((state.W**2).sum())
        J = (s.squares + penalty) / (2 * s.n)  # (1), before the step
        largest = max(float(np.abs(G).max(initial=0)), float(np.abs(b).max(initial=0)))
        return replace(
            state,
            W=state.W - state.eta * G,
            b=state.b - state.eta * b,
            gradient=largest,
            J=J,
            first_J=min(state.first_J, J) if np.isfinite(state.first_J) else J,
        )

    def objective(self, s: Residuals, state: Descent) -> float:
        """Return J before the step."""
        return state.J

    def stop(self, state: Descent) -> StopReason | None:
        """Stop on a small gradient, or when J has grown a hundredfold."""
        if not np.isfinite(state.J) or state.J > 100 * state.first_J + 1e-300:
            return StopReason.DIVERGED
        return StopReason.CONVERGED if state.gradient <= self.tol else None

    def account(self, state: Descent, report: Report) -> None:
        """Report the gradient, the conditioning, and the limit (3)."""
        what = "largest entry of the gradient is"
        report.optimality = Optimality(what, state.gradient)
        report.condition = state.condition
        report.facts["learning_rate"] = state.eta
        report.facts["largest_learning_rate"] = state.limit

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Descent = fitted.state
        W, b = state.W.astype(state.dtype), state.b.astype(state.dtype)
        self.coef_ = W if state.many else W[0]
        self.intercept_ = b if state.many else b[0]
        self.n_iter_ = fitted.report.passes

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return theta' x~ of each row."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)


@dataclass(frozen=True)
class Summed(Statistics):
    """The moments of the features or their triangle, and how many targets there are."""

    sums: Any  # Moments or Triangle
    targets: int

    def __add__(self, other: Summed) -> Summed:
        sums: Any = self.sums  # both are of one kind
        return Summed(sums + other.sums, self.targets)


def targets_of(chunk: Chunk) -> int:
    """Count the targets."""
    return 1 if chunk.y.ndim == 1 else int(chunk.y.shape[1])


def summed(chunk: Chunk) -> Summed:
    """Take the moments of a chunk's features."""
    return Summed(Moments.of(chunk.X, chunk.w), targets_of(chunk))


def summed_by_rows(chunk: Chunk) -> Summed:
    """Take the triangle of a chunk's features, which has no more rows than they."""
    return Summed(Triangle.of(chunk.X, chunk.w, None, ones=True), targets_of(chunk))


def spectrum(first: Summed, intercept: bool, rho: float) -> tuple[float, float]:
    """Return the least and the largest eigenvalue of H.

    Along directions that no row has, H is rho / n; so where rows are few it is enough
    to look along the principal axes of the rows, and at the 1.
    """
    sums, outside = first.sums, np.inf
    if isinstance(sums, Moments):
        mean = sums.mean
        second = sums.M2 / sums.n + np.outer(mean, mean)
    else:
        R = sums.R
        _, s, V = svd(R[:, 1:], full_matrices=False)
        mean = V @ (R[0, 0] * R[0, 1:] / sums.n)
        second = np.diag(s**2 / sums.n)
        outside = rho / sums.n if len(s) < R.shape[1] - 1 else np.inf
    second = second + rho / sums.n * np.eye(len(second))
    if intercept:
        ones = np.ones((1, 1))
        second = np.block([[second, mean[:, None]], [mean[None, :], ones]])
    values = eigvalsh(second)
    return min(float(values[0]), outside), float(values[-1])
