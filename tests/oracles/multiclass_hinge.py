"""One round of dual descent for the multiclass hinge, by the definition."""

import numpy as np
from scipy.optimize import brentq


def hinge_round(X, y, order, C, squares, summed, constant, alpha, W, b):
    """Visit rows in order; return alpha, W and b."""
    alpha, W, b = alpha.copy(), W.copy(), b.copy()
    K = len(b)
    for i in order:
        A = squares[i]
        if A <= 0:
            continue
        s, old = W @ X[i] + constant * b, alpha[i].copy()
        if summed:
            for k in set(range(K)) - {int(y[i])}:
                a = np.clip(-alpha[i, k] + (1 - s[y[i]] + s[k]) / (2 * A), 0, C[i])
                step = a + alpha[i, k]
                alpha[i, k] -= step
                alpha[i, y[i]] += step
                s[k] -= A * step
                s[y[i]] += A * step
        else:
            top = np.where(np.arange(K) == y[i], C[i], 0.0)
            B = s + (np.arange(K) != y[i]) - A * alpha[i]

            def best(beta, top=top, B=B, A=A):
                return np.minimum(top, (beta - B) / A)

            span = np.abs(B).max() + A * C[i] + 1
            beta = brentq(
                lambda v: best(v).sum(), -4 * K * span, 4 * K * span, xtol=1e-15
            )
            alpha[i] = best(beta)
        W += np.outer(alpha[i] - old, X[i])
        b += constant * (alpha[i] - old)
    return alpha, W, b
