"""Working sets and kernels by their definitions."""

import numpy as np


def kernel(kind, X, Z, gamma, coef0, degree):
    """Return the matrix of a kernel, in float64, from its formula."""
    X, Z = X.astype(np.float64), Z.astype(np.float64)
    U = X @ Z.T
    if kind == 0:
        return U
    if kind == 1:
        return (gamma * U + coef0) ** degree
    if kind == 2:
        return np.tanh(gamma * U + coef0)
    return np.exp(-gamma * ((X[:, None] - Z[None]) ** 2).sum(axis=-1))


def slopes(f, b, lo, hi, eps):
    """Return the slopes of the objective as each variable rises, and as it falls."""
    up = np.where(b < hi, f + np.where(b >= 0, eps, -eps), np.inf)
    low = np.where(b > lo, f + np.where(b > 0, eps, -eps), -np.inf)
    return up, low


def violation(f, b, lo, hi, eps, group=None):
    """Return how much the best pair of one group could gain for each unit moved."""
    up, low = slopes(f, b, lo, hi, eps)
    groups = np.zeros(len(f)) if group is None else group
    return max(
        low[groups == g].max() - up[groups == g].min() for g in np.unique(groups)
    )


def objective(K, q, eps, b):
    """Return 1/2 b'K b + q'b + sum eps |b|."""
    return 0.5 * b @ K @ b + q @ b + eps @ np.abs(b)
