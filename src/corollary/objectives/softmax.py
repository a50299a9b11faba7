"""Log-sum-exp and softmax that neither overflow nor underflow.

    log sum_k e^{z_k} = m + log sum_k e^{z_k - m},   m = max_k z_k               (1)
    softmax(z)_k      = e^{z_k - m} / sum_j e^{z_j - m}                          (2)

Every exponent is <= 0 and one of them is 0, so the sum lies between 1 and K.

Course: S3-75.
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["log_sum_exp", "softmax"]


def log_sum_exp(Z: Floats) -> Floats:
    """Return log sum exp of each row (1).

    >>> log_sum_exp(np.array([[1000.0, 1000.0], [-1000.0, -1000.0]])).round(6).tolist()
    [1000.693147, -999.306853]
    """
    m = Z.max(axis=1)
    m = np.where(np.isfinite(m), m, 0.0)
    with np.errstate(divide="ignore"):
        return m + np.log(np.exp(Z - m[:, None]).sum(axis=1))


def softmax(Z: Floats) -> Floats:
    """Return the softmax of each row (2).

    >>> softmax(np.array([[1000.0, 1000.0]])).tolist()
    [[0.5, 0.5]]
    """
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    return P
