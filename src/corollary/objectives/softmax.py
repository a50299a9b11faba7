"""Log-sum-exp and softmax that neither overflow nor underflow.

    log sum_k e^{z_k} = m + log sum_k e^{z_k - m},   m = max_k z_k               (1)
    softmax(z)_k      = e^{z_k - m} / sum_j e^{z_j - m}                          (2)

Every exponent is <= 0 and one of them is 0, so the sum lies between 1 and K.  Where the
largest is infinite, those that equal it share alike: nothing else can be said.

Course: S3-75.
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["log_softmax", "log_sum_exp", "softmax"]


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
    P = np.exp(_below_the_largest(Z))
    P /= P.sum(axis=1, keepdims=True)
    return P


def log_softmax(Z: Floats) -> Floats:
    """Return the logarithm of the softmax of each row.

    >>> log_softmax(np.array([[0.0, -1e6]])).tolist()
    [[0.0, -1000000.0]]
    """
    Z = _below_the_largest(Z)
    return Z - np.log(np.exp(Z).sum(axis=1, keepdims=True))


def _below_the_largest(Z: Floats) -> Floats:
    """Return z - m."""
    m = Z.max(axis=1, keepdims=True)
    finite = np.isfinite(m)
    if finite.all():
        return Z - m
    alike = np.where(Z == m, Z.dtype.type(0), Z.dtype.type(-np.inf))
    return np.where(finite, Z - np.where(finite, m, Z.dtype.type(0)), alike)
