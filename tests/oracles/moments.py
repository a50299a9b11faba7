"""Sums and products of columns about a shift, from the book."""

import numpy as np


def moments(X, Y, w, shift):
    Z = (X if Y is None else np.hstack([X, Y])).astype(np.float64) - shift
    w = np.ones(len(Z)) if w is None else w
    return w @ Z, (Z * w[:, None]).T @ Z
