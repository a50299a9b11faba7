"""One epoch of stochastic gradient descent, row after row."""

import numpy as np


def own_rates(X, L, schedule, C):
    """Return what each row of a batch is moved by, under passive-aggressive steps."""
    squares, L = (X**2).sum(axis=1), np.array(L)
    if schedule == "pa2":
        return L / (squares + 0.5 / C)
    return np.where(squares > 0, np.minimum(C, L / np.maximum(squares, 1e-300)), 0.0)


def epoch(
    X, y, order, loss, *, eta, l2=0.0, l1=0.0, batch=1, w=None, b=0.0, schedule=""
):
    """Step as the book says; return w, b, the mean of w, and each row's loss before."""
    w = np.zeros(X.shape[1]) if w is None else w.copy()
    u, q = 0.0, np.zeros_like(w)
    total, losses = np.zeros_like(w), []
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        p = X[rows] @ w + b
        losses += list(loss.value(y[rows], p))
        slope = eta * loss.derivative(y[rows], p)
        if schedule in ("pa1", "pa2"):
            slope = slope / eta * own_rates(X[rows], losses[start:], schedule, eta)
        w = (1 - l2 * eta) * w - slope @ X[rows] / len(rows)
        b = b - slope.mean()
        total += w
        u += l1 * eta
        before = w.copy()
        w = np.where(before > 0, np.maximum(0, before - (u + q)), w)
        w = np.where(before < 0, np.minimum(0, before + (u - q)), w)
        q += w - before
    return w, b, total, np.array(losses)
