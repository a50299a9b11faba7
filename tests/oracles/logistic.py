"""Logistic regression from the book, in float64: losses and gradients by rows."""

import numpy as np
from scipy.special import expit, log_softmax


def binary(X, y, w, coef, intercept):
    """Return loss, grad, grad_intercept, curvature."""
    X = X.astype(np.float64)
    w = np.ones(len(X)) if w is None else w
    f = X @ coef + intercept
    loss = w @ (np.logaddexp(0, f) - y * f)
    r = w * (expit(f) - y)
    return loss, X.T @ r, r.sum(), w * expit(f) * expit(-f)


def multinomial(X, z, w, W, b):
    """Return loss, grad, grad_b, P."""
    X = X.astype(np.float64)
    w = np.ones(len(X)) if w is None else w
    log_P = log_softmax(X @ W.T + b, axis=1) if len(X) else np.zeros((0, len(b)))
    P = np.exp(log_P)
    R = w[:, None] * (P - np.eye(len(b))[z])
    return -w @ log_P[np.arange(len(X)), z], R.T @ X, R.sum(axis=0), P
