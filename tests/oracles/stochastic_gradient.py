"""One epoch of stochastic gradient descent, row after row."""

import numpy as np


def epoch(X, y, order, loss, *, eta, l2=0.0, l1=0.0, batch=1, w=None, b=0.0):
    """Step as the book says; return w, b, the mean of w, and each row's loss before."""
    w = np.zeros(X.shape[1]) if w is None else w.copy()
    u, q = 0.0, np.zeros_like(w)
    total, losses = np.zeros_like(w), []
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        p = X[rows] @ w + b
        losses += list(loss.value(y[rows], p))
        slope = loss.derivative(y[rows], p)
        w = (1 - l2 * eta) * w - eta * slope @ X[rows] / len(rows)
        b = b - eta * slope.mean()
        total += w
        u += l1 * eta
        before = w.copy()
        w = np.where(before > 0, np.maximum(0, before - (u + q)), w)
        w = np.where(before < 0, np.minimum(0, before + (u - q)), w)
        q += w - before
    return w, b, total, np.array(losses)
