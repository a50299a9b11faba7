"""Coordinate descent on a quadratic in a box, by its definition."""

import numpy as np


def rounds(K, q, lo, hi, ridge, eps, count):
    """Return b after some rounds from 0, one coordinate after the other."""
    b = np.zeros(len(q))
    for _ in range(count):
        for i in range(len(b)):
            h = K[i, i] + ridge[i]
            z = h * b[i] - (K[i] @ b + ridge[i] * b[i] - q[i])
            soft = np.sign(z) * max(abs(z) - eps, 0.0)
            b[i] = np.clip(soft / h, lo[i], hi[i])
    return b
