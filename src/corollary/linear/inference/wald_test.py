"""Tests of several coefficients at once: Wald's statistic, and the F test.

Also known as: F test, Wald test, general linear hypothesis, joint significance.

A hypothesis says that q linear combinations of the coefficients are 0, R b = 0.  With
the estimated covariance C of the estimates,

    W = (R b)' (R C R')^-1 (R b)                                                 (1)

is about chi-square with q degrees of freedom if the hypothesis holds.  Under Gaussian
noise of estimated variance W / q has the F law with q and n - p degrees of freedom,
exactly, and for R = all slopes it is the share that the columns explain over the share
that they leave,

    F = ((TSS - RSS) / q) / (RSS / (n - p))                                      (2)

Combinations that follow from others are counted once: q is the rank of R C R'.

Notation: b (p,) estimates; R (rows, p); C (p, p).
Course: S3-88. References: Greene (2018), ch. 5; Wald (1943).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import stats

from corollary.core.arrays import Floats
from corollary.core.records import readable
from corollary.linear_algebra.decompositions import eigh

__all__ = ["WaldTest", "wald_test"]


@readable
@dataclass(frozen=True)
class WaldTest:
    """A test that linear combinations of coefficients are all 0.

    Attributes
    ----------
    kind : {'F', 'chi-square'}
        Law of the statistic under the hypothesis.
    statistic : float
        W / q for F, W for chi-square (1).
    restrictions : int
        q, the number of independent combinations.
    dof : float
        Degrees of freedom of the noise, infinite for chi-square.
    p_value : float
        Probability of a statistic as large if the hypothesis holds.
    """

    kind: str
    statistic: float
    restrictions: int
    dof: float
    p_value: float


def wald_test(b: Floats, C: Floats, R: Floats, dof: float | None) -> WaldTest:
    """Test R b = 0 (1), by F where the noise has been estimated from `dof` rows.

    >>> wald_test(np.array([2.0]), np.eye(1), np.eye(1), None).statistic
    4.0
    """
    V, z = R @ C @ R.T, R @ b
    unit = np.sqrt(np.where(np.diagonal(V) > 0, np.diagonal(V), 1.0))
    values, U = eigh(V / np.outer(unit, unit))
    seen = values > 64 * len(V) * np.finfo(np.float64).eps * max(values[-1], 1e-300)
    q = int(seen.sum())
    W = float((((z / unit) @ U[:, seen]) ** 2 / values[seen]).sum())
    if dof is None:
        return WaldTest("chi-square", W, q, np.inf, float(stats.chi2.sf(W, max(q, 1))))
    F = W / max(q, 1)
    return WaldTest("F", F, q, dof, float(stats.f.sf(F, max(q, 1), dof)))
