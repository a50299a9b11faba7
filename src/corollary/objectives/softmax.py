"""Log-sum-exp and softmax that neither overflow nor underflow.

    log sum_k e^{z_k} = m + log sum_k e^{z_k - m},   m = max_k z_k               (1)
    softmax(z)_k      = e^{z_k - m} / sum_j e^{z_j - m}                          (2)

Every exponent is <= 0 and one of them is 0, so the sum lies between 1 and K.  Where the
largest is infinite, those that equal it share alike: nothing else can be said.

Course: S3-75.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence

__all__ = ["log_softmax", "log_sum_exp", "softmax"]


def log_sum_exp(Z: Any) -> Floats:
    """Return log sum exp of each row (1).

    Parameters
    ----------
    Z : array of shape (n, K) or (K,)

    Returns
    -------
    array of shape (n,), or one number

    Examples
    --------
    >>> from corollary.objectives import log_sum_exp
    >>> log_sum_exp([[1000.0, 1000.0], [-1000.0, -1000.0]]).round(6).tolist()
    [1000.693147, -999.306853]
    """
    Z = floats(Z)
    m = Z.max(axis=-1)
    m = np.where(np.isfinite(m), m, Z.dtype.type(0))
    with np.errstate(divide="ignore"):
        return m + np.log(np.exp(Z - m[..., None]).sum(axis=-1))


def softmax(Z: Any) -> Floats:
    """Return the softmax of each row (2).

    Parameters
    ----------
    Z : array of shape (n, K) or (K,)

    Returns
    -------
    array of the same shape

    Examples
    --------
    >>> from corollary.objectives import softmax
    >>> softmax([[1000.0, 1000.0]]).tolist()
    [[0.5, 0.5]]
    """
    P = np.exp(_below_the_largest(floats(Z)))
    P /= P.sum(axis=-1, keepdims=True)
    return P


def log_softmax(Z: Any) -> Floats:
    """Return the logarithm of the softmax of each row.

    Parameters
    ----------
    Z : array of shape (n, K) or (K,)

    Returns
    -------
    array of the same shape

    Examples
    --------
    >>> from corollary.objectives import log_softmax
    >>> log_softmax([[0.0, -1e6]]).tolist()
    [[0.0, -1000000.0]]
    """
    Z = _below_the_largest(floats(Z))
    return Z - np.log(np.exp(Z).sum(axis=-1, keepdims=True))


def floats(Z: Any) -> Floats:
    """Return scores as an array of floats, in single precision where they were."""
    Z = np.asarray(Z)
    Z = Z if Z.dtype.kind == "f" else Z.astype(np.float64)
    if not Z.ndim or not Z.shape[-1]:
        must = "Z must have at least one score in a row"
        raise DataError(sentence("softmax", must, f"shape {Z.shape}"))
    return Z


def _below_the_largest(Z: Floats) -> Floats:
    """Return z - m."""
    m = Z.max(axis=-1, keepdims=True)
    finite = np.isfinite(m)
    if finite.all():
        return Z - m
    alike = np.where(Z == m, Z.dtype.type(0), Z.dtype.type(-np.inf))
    return np.where(finite, Z - np.where(finite, m, Z.dtype.type(0)), alike)
