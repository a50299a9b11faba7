"""The first principal directions of many columns, from a random range.

Also known as: randomised PCA, randomised SVD, random range finder, randomised subspace
iteration.

Products of the covariance S with l = q + oversampling random vectors lie mostly in the
span of its largest eigenvectors, the more so the more often S is applied:

    Y = S^p Omega,   Omega (d, l) of normal draws,   Q an orthonormal basis of Y  (1)

each time one pass over the source, and the vectors are made independent again in
between, or rounding would leave the first direction alone.  Then, in one more pass,

    T = Q'S Q = V diag(theta) V',       u_i = Q v_i,   lambda_i ~ theta_i         (2)
    r_i = ||S u_i - theta_i u_i|| = ||(S Q) v_i - theta_i Q v_i||                 (3)

theta_i is never above lambda_i (Cauchy's interlacing), and an eigenvalue of S lies
within r_i of it (Weyl): the largest r_i, stated with a margin for rounding, says how
far the answer is from exact.  The expected error of the range is sigma_{q+1} times the
(2p + 1)-th root of a factor, so some passes make it almost the least there is (Halko,
Martinsson, Tropp 2011, corollary 10.10).

scikit-learn counts n_iter power iterations and one more half on each side; here p =
n_iter + 1, so that the range is no worse.

Notation: S (d, d); Q (d, l); U (q, d).
Reference: Halko, Martinsson and Tropp (2011).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_memory
from corollary.core.randomness import generator
from corollary.engine import Data
from corollary.linear_algebra.covariance_products import (
    DIGITS,
    Leading,
    columns,
    times_covariance,
)
from corollary.linear_algebra.decompositions import eigh, lu_range, qr

__all__ = ["RangeSearch", "random_directions"]

FEW = 0.1  # share of all components below which a pass is cheap, so more are made


class RangeSearch(NamedTuple):
    """How to look for a range; scikit-learn's parameters of a randomised PCA."""

    n_oversamples: int = 10
    iterated_power: int | str = "auto"
    normalizer: str = "auto"  # "QR", "LU" or "none"; "auto" is "LU"
    seed: int = 0

    def power(self, q: int, most: int) -> int:
        """Return p of (1)."""
        if self.iterated_power != "auto":
            return int(self.iterated_power) + 1
        return 8 if q < FEW * most else 5


def random_directions(data: Data, q: int, search: RangeSearch) -> Leading | None:
    """Return q directions; None where a decomposition of all of S is needed."""
    spread = data.reduce(columns)
    d = len(spread.mean)
    if spread.n <= 1 or not spread.M2.any():
        return None
    most = min(d, data.few_rows)
    size = min(q + search.n_oversamples, most)
    remedy = "Ask for fewer components."
    check_memory(data.learner, 8.0 * 6 * d * size, "the random range", remedy)
    Q: Floats = generator(search.seed).standard_normal((d, size))
    for _ in range(search.power(q, most)):  # (1)
        Q = spanned(times_covariance(data, spread, Q), search.normalizer)
    Q = spanned(Q, "QR")
    SQ = times_covariance(data, spread, Q)
    T = Q.T @ SQ
    theta, V = eigh((T + T.T) / 2)  # (2)
    theta, V = theta[: -q - 1 : -1], V[:, : -q - 1 : -1]
    if theta[-1] < DIGITS * theta[0]:
        return None
    U = Q @ V
    r = np.sqrt(((SQ @ V - theta * U) ** 2).sum(axis=0))  # (3)
    rounding = float(np.finfo(np.float64).eps * np.sqrt(d) * theta[0])
    return Leading(spread, theta, U.T, float(r.max()) + 10 * rounding)


def spanned(Y: Floats, how: str) -> Floats:
    """Return better vectors of the same span: orthonormal, triangular, or scaled."""
    if how == "QR":
        return qr(Y, mode="economic")[0]
    if how == "none":
        return Y / np.sqrt((Y**2).sum(axis=0).max())
    return lu_range(Y)
