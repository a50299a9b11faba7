"""Log-sum-exp and softmax that neither overflow nor underflow, and their loss.

    log sum_k e^{z_k} = m + log sum_k e^{z_k - m},   m = max_k z_k               (1)
    softmax(z)_k      = e^{z_k - m} / sum_j e^{z_j - m}                          (2)

Every exponent is <= 0 and one of them is 0, so the sum lies between 1 and K.  Where the
largest is infinite, those that equal it share alike: nothing else can be said.

The loss of a row of class y, with p = softmax(z), and its conjugate, finite where q = v
+ e_y is a law over the classes:

    L(y, z) = -log p_y,   dL/dz = p - e_y,   d2L/dz2 = diag(p) - p p'            (3)
    L*(y, v) = sum_k q_k log q_k                                                 (4)

Course: S3-75, S2-36. Reference: Boyd and Vandenberghe (2004), 3.3.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import entr

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.objectives.loss import ScoreLoss

__all__ = ["SoftmaxLoss", "log_softmax", "log_sum_exp", "softmax"]

ROUNDING = 1e-14  # by which a law may miss its bounds


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


@dataclass(frozen=True)
class SoftmaxLoss(ScoreLoss):
    """The cross-entropy (3) of K scores; y are codes 0, ..., K - 1.

    Also known as: multinomial logistic loss, log loss.

    >>> Z = np.array([[0.0, 0.0]])
    >>> float(np.exp(SoftmaxLoss().value([0], Z)[0]).round(12))
    2.0
    """

    def value(self, y: Any, f: Any) -> Floats:
        """Return -log p_y."""
        return -log_softmax(f)[np.arange(len(f)), y]

    def derivative(self, y: Any, f: Any) -> Floats:
        """Return p - e_y."""
        P = softmax(f)
        P[np.arange(len(f)), y] = -(P.sum(axis=1) - P[np.arange(len(f)), y])
        return P

    def curvature(self, y: Any, f: Any) -> Floats:
        """Return diag(p) - p p' of each row."""
        P = softmax(f)
        return P[:, :, None] * np.eye(P.shape[1]) - P[:, :, None] * P[:, None, :]

    def conjugate(self, y: Any, v: Any) -> Floats:
        """Return (4), infinite where q is no law up to rounding."""
        Q = np.array(v, dtype=float)
        Q[np.arange(len(Q)), y] += 1.0
        law = (Q.min(axis=1) >= -ROUNDING) & (np.abs(Q.sum(axis=1) - 1) <= ROUNDING * 9)
        return np.where(law, -entr(np.maximum(Q, 0.0)).sum(axis=1), np.inf)
