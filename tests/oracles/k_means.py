"""K-means from the book, in float64."""

import numpy as np


def squared_distances(X, mu):
    """Return ||x_i - mu_k||^2, (n, k)."""
    X, mu = X.astype(np.float64), mu.astype(np.float64)
    return np.array([((X - m) ** 2).sum(axis=1) for m in mu]).T.reshape(len(X), len(mu))


def assign(X, w, mu):
    """Return z = argmin_k ||x - mu_k||^2, and n, sum_x, J of that assignment."""
    D = squared_distances(X, mu)
    z = D.argmin(axis=1) if len(X) else np.zeros(0, int)
    return z, *sums(X, w, mu, z)


def sums(X, w, mu, z):
    """Return n_k, sum_x_k and J = sum_i w_i ||x_i - mu_{z_i}||^2 of an assignment."""
    w = np.ones(len(X)) if w is None else w
    Z = np.eye(len(mu))[z] * w[:, None]  # (n, k)
    D = ((X.astype(np.float64) - mu[z]) ** 2).sum(axis=1)
    return Z.sum(axis=0), Z.T @ X.astype(np.float64), float(w @ D)
