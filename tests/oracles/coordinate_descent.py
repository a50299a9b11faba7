"""Coordinate descent for the elastic net from the book, one coordinate at a time."""

import numpy as np


def descend(G, c, y2, l1, l2, positive, epochs, goal, b):
    """Return epochs, gap, b, q; the gap is taken every ten epochs and at the end."""
    b, epoch = b.copy(), 0
    left = gap(G, c, y2, l1, l2, positive, b)
    while epoch < epochs and left > goal:
        for j in range(len(b)):
            if G[j, j] > 0:
                u = c[j] - G[j] @ b + G[j, j] * b[j]
                u = max(u, 0.0) if positive else u
                b[j] = np.sign(u) * max(abs(u) - l1, 0.0) / (G[j, j] + l2)
        epoch += 1
        if epoch % 10 == 0 or epoch == epochs:
            left = gap(G, c, y2, l1, l2, positive, b)
    return epoch, left, b, c - G @ b


def primal(G, c, y2, l1, l2, b):
    """Return the objective."""
    loss = (y2 - 2 * c @ b + b @ G @ b) / 2
    return loss + l1 * np.abs(b).sum() + l2 / 2 * b @ b


def gap(G, c, y2, l1, l2, positive, b):
    """Return primal minus the better of two dual values, each from its definition."""
    q = c - G @ b
    size = (lambda v: v) if positive else np.abs
    z = q - l2 * b
    # 1: the residual of the rows with sqrt(l2) I below them, scaled to be feasible
    R = max(y2 - b @ (c + q), 0) + l2 * b @ b
    yr = y2 - b @ c  # y'r
    s = max(0.0, yr / R) if R > 0 else 1.0
    top = size(z).max(initial=0.0)
    s = l1 / top if s * top > l1 else s
    dual = s * yr - s**2 * R / 2  # y'theta - |theta|^2 / 2
    if l2 > 0:  # 2: the residual itself, with the conjugate of the penalty
        over = np.maximum(size(q) - l1, 0)
        other = yr - (y2 - b @ (c + q)) / 2 - (over**2).sum() / (2 * l2)
        dual = max(dual, other)
    return primal(G, c, y2, l1, l2, b) - dual


def descend_blocks(G, C, y2, l1, l2, epochs, B):
    """Return the gap, B and Q after so many rounds over the rows of B."""
    B = B.copy()
    for _ in range(epochs):
        for j in range(len(B)):
            if G[j, j] > 0:
                u = C[j] - G[j] @ B + G[j, j] * B[j]
                length = np.sqrt(u @ u)
                share = max(0.0, 1 - l1 / length) if length > 0 else 0.0
                B[j] = share * u / (G[j, j] + l2)
    return blocks_gap(G, C, y2, l1, l2, B), B, C - G @ B


def blocks_gap(G, C, y2, l1, l2, B):
    """Return primal minus the better of two dual values, sizes being lengths."""
    Q = C - G @ B
    size = lambda V: np.sqrt((V**2).sum(axis=1))  # noqa: E731
    r2, yr = max(y2 - (B * (C + Q)).sum(), 0), y2 - (B * C).sum()
    R, top = r2 + l2 * (B**2).sum(), size(Q - l2 * B).max(initial=0.0)
    s = max(0.0, yr / R) if R > 0 else 1.0
    s = l1 / top if s * top > l1 else s
    dual = s * yr - s**2 * R / 2
    if l2 > 0:
        over = np.maximum(size(Q) - l1, 0)
        dual = max(dual, yr - r2 / 2 - (over**2).sum() / (2 * l2))
    return R / 2 + l1 * size(B).sum() - dual
