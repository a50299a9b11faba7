"""Gaussian naive Bayes from the book, in float64."""

import numpy as np


def class_moments(X, z, w, k):
    """Return n_c, mean_c and M2_c = sum w (x - mean_c)^2 of every class."""
    X = X.astype(np.float64)
    w = np.ones(len(X)) if w is None else w
    n, mean, M2 = np.zeros(k), np.zeros((k, X.shape[1])), np.zeros((k, X.shape[1]))
    for c in range(k):
        w_c, X_c = w[z == c], X[z == c]
        n[c] = w_c.sum()
        if n[c] > 0:
            mean[c] = w_c @ X_c / n[c]
            M2[c] = w_c @ (X_c - mean[c]) ** 2
    return n, mean, M2


def joint_log_likelihood(X, theta, precision, constant):
    """Return constant_c - 1/2 sum_j (x_j - theta_cj)^2 precision_cj, (n, k)."""
    X = X.astype(np.float64)
    return np.stack(
        [
            a - 0.5 * ((X - t) ** 2 * p).sum(axis=1)
            for t, p, a in zip(theta, precision, constant, strict=True)
        ],
        axis=1,
    )
