"""How many components: Minka's Bayesian evidence for the dimension of PCA.

For dimension q of d, with sample variances lambda_1 >= ... >= lambda_d of n rows and
v = mean of lambda_{q+1..d}, Laplace's approximation of the evidence is

    log p(q) = log p(U) - n/2 sum_{i<=q} log lambda_i - n (d-q)/2 log v
               + (m+q)/2 log 2pi - 1/2 log|A| - q/2 log n                        (1)

    log p(U) = -q log 2 + sum_{i=1..q} [log Gamma((d-i+1)/2) - (d-i+1)/2 log pi]
    m = d q - q (q+1)/2
    log|A| = sum_{i<=q} sum_{i<j<=d} log[(1/l_j - 1/l_i)(lambda_i - lambda_j) n]

with l_j = lambda_j for j <= q and v beyond.

Reference: Minka (2000), Automatic choice of dimensionality for PCA.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from corollary.core.arrays import Floats

__all__ = ["minka_dimension"]


def minka_dimension(variances: Floats, n: float) -> int:
    """Return the dimension of largest evidence (1).

    >>> minka_dimension(np.array([9.0, 4.0, 0.11, 0.10, 0.09]), n=1000)
    2
    """
    evidence = [log_evidence(variances, q, n) for q in range(1, len(variances))]
    return int(np.argmax(evidence)) + 1 if evidence else len(variances)


def log_evidence(variances: Floats, q: int, n: float) -> float:
    """Return (1) for one dimension q < d."""
    d = len(variances)
    if variances[q - 1] < 1e-15:
        return -np.inf
    v = max(variances[q:].mean(), np.finfo(float).tiny)
    i = np.arange(1, q + 1)
    half = (d - i + 1) / 2
    log_pU = -q * np.log(2.0) + (gammaln(half) - half * np.log(np.pi)).sum()
    m = d * q - q * (q + 1) / 2
    level = np.where(np.arange(d) < q, variances, v)
    upper = np.triu(np.ones((q, d), dtype=bool), k=1)
    inverse = 1 / level[None, :] - 1 / level[:q, None]
    gaps = variances[:q, None] - variances[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        log_A = np.log(np.maximum(inverse * gaps, np.finfo(float).tiny) * n)[
            upper
        ].sum()
    return float(
        log_pU
        - n / 2 * np.log(variances[:q]).sum()
        - n * (d - q) / 2 * np.log(v)
        + (m + q) / 2 * np.log(2 * np.pi)
        - log_A / 2
        - q / 2 * np.log(n)
    )
