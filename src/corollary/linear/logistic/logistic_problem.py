"""The problem that every search of logistic regression solves, and its sums.

Two classes have m = 1 row of weights, K > 2 classes have m = K.  With x~ = x - mean
(the mean is taken out so that the intercept does not hang on the weights), minimise

    F(W, b) = 1/n sum_n w_n [-log p_{y_n}(x_n)] + l1 ||W||_1 + l2/2 ||W||^2      (1)

where l1 = rho/(C n), l2 = (1 - rho)/(C n), rho = l1_ratio, n = sum of the weights.  A
point of a search is (W, b) row by row; the intercepts are not penalised.  The smooth
part of (1) has gradient and Hessian

    G = 1/n sum_n w_n (p(x_n) - e_{y_n}) (x~_n, 1)' + l2 (W, 0)                  (2)
    H_kl = 1/n sum_n w_n p_k ([k = l] - p_l) (x~_n, 1)(x~_n, 1)' + l2 [k = l] I* (3)

with I* the identity that has a 0 for the intercept.  A minimum of (1) is where the
least subgradient of each weight is 0:

    G_j + l1 sign(W_j) where W_j is not 0,  (|G_j| - l1)_+ where it is           (4)

A feature in small units has small entries of G wherever it stands: what they are worth
is seen in units of the curvature, (spread_j^2 + 4 l2)^1/2 of feature j, at most 1 (5)

Probabilities do not change when the same number is added to the scores of all classes:
in these directions (3) is 0 but for the penalty.

Notation: theta = the point, flat (m (d + 1),); e_k = unit vector.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Matrix
from corollary.core.report import StopReason
from corollary.core.rows import rows_loop
from corollary.engine import Chunk, Statistics
from corollary.engine.statistics import dense_blocks
from corollary.linear.logistic.logistic_sums import curvature, weighted
from corollary.solvers.orthant_wise import least_subgradient

__all__ = ["Gradient", "Problem", "Quadratic", "Search", "gradient", "quadratic"]

NOISE = {"float32": 1e-9, "float64": 2e-16}  # relative, of a mean of many losses


@dataclass(frozen=True)
class Gradient(Statistics):
    """What one chunk contributes to (1) and (2), the penalty left out."""

    loss: float
    W: Floats  # (m, d)
    b: Floats  # (m,)


@dataclass(frozen=True)
class Quadratic(Statistics):
    """What one chunk contributes to (1), (2) and (3), the penalty left out."""

    loss: float
    W: Floats  # (m, d)
    b: Floats  # (m,)
    H: Floats  # (m (d + 1), m (d + 1))


@dataclass(frozen=True)
class Problem:
    """The constants of (1)."""

    n: float
    l1: float
    l2: float
    weights: Floats | None  # (K,) class weights
    classes: Floats  # (K,) total weight of each class
    mean: Floats  # (d,) taken out of the features
    intercept: bool
    dtype: Any
    spread: Floats  # (d,) root mean square of x~, 1 where it is 0

    @property
    def shape(self) -> tuple[int, int]:
        """Return (m, d + 1)."""
        K = len(self.classes)
        return (1 if K == 2 else K), len(self.mean) + 1

    @property
    def noise(self) -> float:
        """Return the relative rounding error of (1)."""
        return NOISE[np.dtype(self.dtype).name]

    @property
    def unit_rounding(self) -> float:
        """Return the relative rounding error of a number."""
        return float(np.finfo(self.dtype).eps)

    @property
    def penalised(self) -> bool:
        """Tell whether there is a penalty."""
        return self.l1 > 0 or self.l2 > 0

    def model(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return W and b of a point."""
        T = theta.reshape(self.shape)
        W = np.ascontiguousarray(T[:, :-1])
        return W, T[:, -1] - W @ self.mean

    def point(self, W: Floats, b: Floats) -> Floats:
        """Return the point of W and b."""
        return np.column_stack([W, b + W @ self.mean]).reshape(-1).astype(np.float64)

    def first(self) -> Floats:
        """Return the constant model: scores that are the shares of the classes."""
        T = np.zeros(self.shape)
        if self.intercept:
            log_pi = np.log(np.maximum(self.classes / self.n, 1e-13))
            two = len(log_pi) == 2
            T[:, -1] = log_pi[1] - log_pi[0] if two else log_pi - log_pi.mean()
        return T.reshape(-1)

    def ridge(self, strength: float) -> Floats:
        """Return it for every weight and 0 for every intercept, flat."""
        each = np.full(self.shape, strength)
        each[:, -1] = 0.0
        return each.reshape(-1)

    def smooth(self, s: Gradient | Quadratic, theta: Floats) -> tuple[float, Floats]:
        """Return the smooth part of (1) and its gradient (2) from the sums."""
        W = theta.reshape(self.shape)[:, :-1]
        f = s.loss / self.n + 0.5 * self.l2 * float((W**2).sum())
        G = (s.W - np.outer(s.b, self.mean)) / self.n + self.l2 * W
        b = s.b / self.n if self.intercept else np.zeros_like(s.b)
        return f, np.hstack([G, b[:, None]]).reshape(-1)

    def hessian(self, H: Floats) -> Floats:
        """Return (3) from its sum, the penalty put in, regular in b."""
        m, p = self.shape
        H = (H / self.n).reshape(m, p, m, p)
        at = np.arange(m)
        if not self.intercept:  # no coupling with what is not there
            H[:, -1], H[:, :, :, -1] = 0.0, 0.0
            H[at, -1, at, -1] = 1.0
        elif m > 1:  # the sum of the intercepts, in which nothing changes
            H[:, -1, :, -1] += np.einsum("kk->", H[:, -1, :, -1]) / m**2
        H = H.reshape(m * p, m * p)
        return H + np.diag(self.ridge(self.l2))

    @cached_property
    def worth(self) -> Floats:
        """Return (5) for every weight and 1 for every intercept, flat."""
        each = np.minimum(np.sqrt(self.spread**2 + 4 * self.l2), 1.0)
        return np.tile(np.append(each, 1.0), self.shape[0])

    def absolute(self, theta: Floats) -> float:
        """Return l1 ||W||_1."""
        return float(self.ridge(self.l1) @ np.abs(theta)) if self.l1 else 0.0

    def subgradient(self, theta: Floats, g: Floats) -> Floats:
        """Return (4), the least subgradient."""
        return least_subgradient(theta, g, self.ridge(self.l1)) if self.l1 else g


class Search(ABC):
    """Where a search stands; each pass over the data moves it one step on."""

    problem: Problem
    search: Any  # a solver's state
    at_start: Floats | None  # the gradient at the constant model, if it was taken

    @property
    def theta(self) -> Floats:
        """The best point so far."""
        return self.search.x

    @property
    def f(self) -> float:
        """The objective (1) there."""
        return self.search.f

    @property
    def g(self) -> Any:
        """The gradient (2) there, None before the first pass."""
        return self.search.g

    @property
    def stalled(self) -> bool:
        """Whether no step lowers the objective any more."""
        return self.search.stalled

    @property
    @abstractmethod
    def described(self) -> str:
        """Words for the report."""

    @property
    def decrement(self) -> float | None:
        """Half of g'H^-1 g, where H is known."""
        return None

    def first_look(self, trial: Floats, g: Floats) -> Floats | None:
        """Return the gradient at the constant model, once a pass has been there."""
        began = self.g is None and np.array_equal(trial, self.problem.first())
        return g if began else self.at_start

    @property
    def dtype(self) -> Any:
        """The type that coefficients are published in."""
        return self.problem.dtype

    def coefficients(self) -> tuple[Floats, Floats]:
        """Return W and b of the best point so far."""
        return self.problem.model(self.theta)

    @abstractmethod
    def statistics(self, chunk: Chunk) -> Statistics:
        """Sum over the chunk's rows what the next step needs."""

    @abstractmethod
    def update(self, s: Any) -> Search:
        """Take the step."""

    def residual(self) -> float:
        """Return the largest entry of (4)."""
        if self.g is None:
            return np.inf
        return float(np.abs(self.problem.subgradient(self.theta, self.g)).max())

    def stop(self, tol: float) -> StopReason | None:
        """Stop when (4) is small in the units (5)."""
        if self.g is not None:
            slopes = np.abs(self.problem.subgradient(self.theta, self.g))
            if (slopes <= tol * self.problem.worth).all():
                return StopReason.CONVERGED
        return StopReason.STALLED if self.stalled else None


def gradient(
    chunk: Chunk, problem: Problem, theta: Floats, h: Floats | None = None
) -> Gradient:
    """Sum loss and gradient; h (n, m) receives w p (1 - p) if m = 1, otherwise p."""
    W, b = problem.model(theta)
    w = weighted(chunk, problem.weights)
    grad, grad_b = np.zeros_like(W), np.zeros_like(b)
    if len(W) == 1:
        loop = rows_loop(loops.binary, loops.binary_csr, chunk.X)
        y, column = chunk.y.astype(np.float64), None if h is None else h[:, 0]
        loss, grad_b[0] = loop(y, w, W[0], float(b[0]), grad[0], column)
    else:
        loop = rows_loop(loops.multinomial, loops.multinomial_csr, chunk.X)
        loss = loop(chunk.y, w, W, b, grad, grad_b, h)
    return Gradient(loss, grad, grad_b)


def quadratic(chunk: Chunk, problem: Problem, theta: Floats) -> Quadratic:
    """Sum loss, gradient and Hessian."""
    m, _ = problem.shape
    h = np.empty((chunk.n, m), chunk.X.dtype)
    s = gradient(chunk, problem, theta, h)
    if m == 1:
        H = curvature(chunk.X, h, problem.mean, diagonal=False)[0]
    else:
        w = weighted(chunk, problem.weights)
        H = softmax_hessian(chunk.X, h, w, problem.mean)
    return Quadratic(s.loss, s.W, s.b, H)


def softmax_hessian(X: Matrix, P: Floats, w: Floats | None, mean: Floats) -> Floats:
    """Sum (3) over the rows, for all pairs of classes."""
    m, p = P.shape[1], len(mean) + 1
    H = np.zeros((m, p, m, p))
    shift = mean.astype(X.dtype)
    weighed = P if w is None else P * w[:, None].astype(X.dtype)
    for block, wP, P_ in dense_blocks(X, weighed, P):
        Z = np.ones((len(block), p), X.dtype)
        np.subtract(block, shift, out=Z[:, :-1])
        for k in range(m):
            for j in range(k + 1):
                h = wP[:, k] * ((k == j) - P_[:, j])  # type: ignore[index]
                H[k, :, j] += Z.T @ (Z * h[:, None])
    for k in range(m):
        for j in range(k):
            H[j, :, k] = H[k, :, j].T
    return H.reshape(m * p, m * p)
