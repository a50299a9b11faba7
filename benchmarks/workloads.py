"""The data of the jobs: synthetic, from a seed, the same for every contestant."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np
import scipy.sparse as sp


def linear(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw y = X w + noise, all Gaussian."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d), dtype=np.float32).astype(np.float64)
    return X, X @ rng.standard_normal(d) + rng.standard_normal(n)


def ridge_solution(X: np.ndarray, y: np.ndarray, alpha: float) -> np.ndarray:
    """Solve well-conditioned least squares, penalised by alpha, with intercept."""
    Z, t = X - X.mean(axis=0), y - y.mean()
    return np.linalg.solve(Z.T @ Z + alpha * np.eye(X.shape[1]), Z.T @ t)


def independent_columns(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw columns of which k tell y, whose noise is a third of it."""
    rng = np.random.default_rng(0)
    X, w = np.asfortranarray(rng.standard_normal((n, d))), np.zeros(d)
    w[rng.choice(d, k, replace=False)] = rng.standard_normal(k)
    y = X @ w
    return X, y + rng.standard_normal(n) * y.std() / 3


def correlated_columns(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw the same with columns that resemble their neighbours; centre them."""
    X, _ = independent_columns(n, d, 0)
    X[:, 1:] = 0.5 * X[:, :-1] + np.sqrt(0.75) * X[:, 1:]
    X -= X.mean(axis=0)
    rng, w = np.random.default_rng(1), np.zeros(d)
    w[rng.choice(d, k, replace=False)] = rng.standard_normal(k)
    y = X @ w
    y += rng.standard_normal(n) * y.std() / 3
    return X, y - y.mean()


def lasso_objective(model: object, X: np.ndarray, y: np.ndarray, alpha: float) -> float:
    """Half the mean squared residual plus alpha times the sum of |w|."""
    w = np.ravel(model.coef_)
    r = y - X @ w - np.ravel(model.intercept_)[0]
    return float(r @ r / (2 * len(y)) + alpha * np.abs(w).sum())


def softmax_classes(n: int, d: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw Gaussian rows with classes from a softmax of linear scores."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, d))
    scores = X @ rng.standard_normal((d, k)) * 3 / np.sqrt(d)
    return X, np.argmax(scores + rng.gumbel(size=(n, k)), axis=1)


def csr(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, d: int
) -> sp.csr_matrix:
    """Put the arrays of sparse rows together."""
    return sp.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, d))


def sparse_classes(n: int, d: int, nonzeros: int) -> tuple[sp.csr_matrix, np.ndarray]:
    """Draw sparse rows, columns as frequent as words, and two classes."""
    rng = np.random.default_rng(0)
    frequency = np.cumsum(1 / np.arange(1, d + 1) ** 0.9)
    j = np.searchsorted(frequency / frequency[-1], rng.random((n, nonzeros)))
    values = (rng.random(n * nonzeros) + 0.5, j.astype(np.int32).ravel())
    X = sp.csr_matrix((*values, np.arange(0, n * nonzeros + 1, nonzeros)), shape=(n, d))
    X.sum_duplicates()
    X = sp.csr_matrix(sp.diags(1 / np.sqrt(X.power(2).sum(axis=1).A1)) @ X)
    scores = X @ rng.normal(size=d) * 3
    return X, (scores + rng.logistic(size=n) > 0).astype(int)


def liblinear(X: object, y: np.ndarray, words: str) -> Callable[[], object]:
    """Train by LIBLINEAR's own release; its copy of the rows is made beforehand."""
    from liblinear.liblinearutil import parameter, problem, train

    rows, asked = problem(np.where(y == y.max(), 1.0, -1.0), X), parameter(words)

    def fit() -> object:
        model = train(rows, asked)
        side = model.get_labels()[0]  # the class that is positive
        w = side * np.array(model.get_decfun()[0])
        return SimpleNamespace(coef_=w, intercept_=[side * model.get_decfun()[1]])

    return fit


def machine_objective(model: object, X: np.ndarray, y: np.ndarray) -> float:
    """Squared hinge plus half the squared weights, the intercept's too; C = 1."""
    w, b = np.ravel(model.coef_), float(model.intercept_[0])
    u = np.maximum(0.0, 1 - (2 * (y == y.max()) - 1) * (X @ w + b))
    return float(0.5 * (w @ w + b * b) + u @ u)


def logistic_objective(
    model: object,
    X: np.ndarray,
    y: np.ndarray,
    C: float = 1.0,
    l1_ratio: float = 0.0,
) -> float:
    """Mean log-loss plus the penalty over ``C n``, which scikit-learn minimises."""
    W, b = np.atleast_2d(model.coef_), np.ravel(model.intercept_)
    Z = X @ W.T + b
    if Z.shape[1] == 1:
        loss = np.logaddexp(0, Z[:, 0]) - y * Z[:, 0]
    else:
        top = Z.max(axis=1)
        norm = top + np.log(np.exp(Z - top[:, None]).sum(axis=1))
        loss = norm - Z[np.arange(len(y)), y]
    penalty = l1_ratio * np.abs(W).sum() + (1 - l1_ratio) / 2 * (W**2).sum()
    return float(loss.mean() + penalty / (C * len(y)))


def blobs(
    n: int, d: int, k: int, std: float, box: float, dtype: type
) -> tuple[np.ndarray, np.ndarray]:
    """Draw round clusters around centres spread in a box."""
    rng = np.random.default_rng(0)
    centers, z = rng.uniform(-box, box, (k, d)), rng.integers(0, k, n)
    return (centers[z] + std * rng.standard_normal((n, d))).astype(dtype), z


def texts(
    n: int, words: int, k: int, length: int = 90
) -> tuple[sp.csr_array, np.ndarray]:
    """Draw word counts: few frequent words, many rare ones, some told by the class."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    row = np.repeat(np.arange(n), rng.poisson(length, n))
    word = (words ** rng.random(len(row))).astype(np.int64) - 1  # Zipf's law
    own = rng.random(len(row)) < 0.2
    word = np.where(own, (7 * word + 101 * y[row]) % words, word)
    X = sp.csr_array((np.ones(len(row)), (row, word)), shape=(n, words))
    X.sum_duplicates()
    return X, y


def categories(n: int, d: int, J: int, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw d features of J categories each, whose shares differ between k classes."""
    rng = np.random.default_rng(0)
    y = rng.integers(k, size=n)
    edges = rng.dirichlet(np.ones(J), (k, d)).cumsum(axis=2)
    X = np.empty((n, d), dtype=np.int64)
    for j in range(d):
        X[:, j] = (rng.random(n)[:, None] > edges[y, j, :-1]).sum(axis=1)
    return X, y


def low_rank(n: int, d: int, k: int) -> np.ndarray:
    """Draw k strong directions and unit noise."""
    rng = np.random.default_rng(0)
    loadings = rng.standard_normal((k, d)) * np.linspace(3, 1, k)[:, None]
    return rng.standard_normal((n, k)) @ loadings + rng.standard_normal((n, d))


def inertia(X: np.ndarray, centers: np.ndarray) -> float:
    """Sum of squared distances to the nearest centre, a block of rows at a time."""
    C, total = centers.astype(np.float64), 0.0
    squares = (C**2).sum(axis=1)
    for start in range(0, len(X), 20_000):
        B = X[start : start + 20_000].astype(np.float64)
        distances = (B**2).sum(axis=1)[:, None] + squares - 2 * B @ C.T
        total += float(distances.min(axis=1).clip(0).sum())
    return total


def overlapping_blobs(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw ten round clusters of two classes that overlap; 3% of labels are wrong."""
    rng = np.random.default_rng(0)
    centers, z = 0.9 * rng.standard_normal((10, d)), rng.integers(0, 10, n)
    X = centers[z] + rng.standard_normal((n, d))
    y = np.where(rng.random(n) < 0.03, 1 - z % 2, z % 2)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def bent_classes(n: int, d: int, more: int = 50_000) -> dict[str, np.ndarray]:
    """Draw two classes divided by a sine, a product and a square; more rows to test."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + more, d))
    z = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + X[:, 3] ** 2 / 2 - 0.5
    z += X[:, 4:8].sum(axis=1) / 4 + 0.3 * rng.standard_normal(n + more)
    y = (z > 0).astype(int)
    return {"X": X[:n], "y": y[:n], "X_test": X[n:], "y_test": y[n:]}


def log_loss_of(model: object, X_test: np.ndarray, y_test: np.ndarray) -> float:
    """Mean log loss on rows that were not trained on."""
    p = np.clip(model.predict_proba(X_test)[:, 1], 1e-15, 1 - 1e-15)
    return float(-np.mean(np.where(y_test == 1, np.log(p), np.log(1 - p))))


def accuracy_of(model: object, X_test: np.ndarray, y_test: np.ndarray) -> float:
    """Share of right answers on rows that were not trained on."""
    return float(np.mean(np.ravel(model.predict(X_test)) == y_test))
