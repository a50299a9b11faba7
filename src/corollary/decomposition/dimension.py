"""How many components: a number, a share of the variance, or Minka's evidence.

A number may be asked for, or None for all of them; a share of the variance keeps as few
components as exceed it; 'mle' has the largest evidence.  For dimension q of d, with
sample variances lambda_1 >= ... >= lambda_d of n rows and v = mean of lambda_{q+1..d},
Laplace's approximation of the evidence is

    log p(q) = log p(U) - n/2 sum_{i<=q} log lambda_i - n (d-q)/2 log v
               + (m+q)/2 log 2pi - 1/2 log|A| - q/2 log n                        (1)

    log p(U) = -q log 2 + sum_{i=1..q} [log Gamma((d-i+1)/2) - (d-i+1)/2 log pi]
    m = d q - q (q+1)/2
    log|A| = sum_{i<=q} sum_{i<j<=d} log[(1/l_j - 1/l_i)(lambda_i - lambda_j) n]

with l_j = lambda_j for j <= q and v beyond.

Reference: Minka (2000), Automatic choice of dimensionality for PCA.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence

__all__ = ["check_asked", "components_kept", "minka_dimension"]

TRUNCATED = ("arpack", "randomized")  # names of solvers that look for some components


def check_asked(learner: Any, n: int | None, d: int) -> None:
    """Refuse a number of components that n rows of d columns do not have."""
    q = learner.n_components
    most = d if n is None else min(n, d)
    if isinstance(q, int | np.integer) and q > most:
        must = (
            f"n_components={q} must be between 0 and min(n_samples, n_features)={most}"
        )
        raise ParameterError(sentence(learner, must, f"{q}", "Ask for fewer."))
    if learner.svd_solver in TRUNCATED and isinstance(q, int | np.integer) and q < 1:
        must = f"n_components must be at least 1 for svd_solver={learner.svd_solver!r}"
        raise ParameterError(sentence(learner, must, f"{q}", "Use another solver."))
    if q == "mle" and n is not None and n < d:
        must = "n_components='mle' is only supported if n_samples >= n_features"
        raise ParameterError(sentence(learner, must, f"{n} x {d}"))


def components_kept(learner: Any, variances: Floats, total: float, n: float) -> int:
    """Return how many components are kept of all variances, which fall."""
    asked = learner.n_components
    if asked is None:
        return max(1, len(variances) - (learner.svd_solver == "arpack"))
    if asked == "mle":
        return minka_dimension(variances, n)
    if isinstance(asked, float | np.floating):
        share = np.cumsum(variances / (total if total > 0 else 1.0))
        return min(len(variances), int(np.searchsorted(share, asked, "right")) + 1)
    return int(asked)


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
