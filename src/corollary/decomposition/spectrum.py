"""The spectrum of a covariance: variances, directions, and how they were found.

The state of `PCA` between and after its passes.  With S the covariance,

    S u_i = lambda_i u_i,   lambda_1 >= lambda_2 >= ...

by one of four routes: the eigenvectors of S, the singular values of the triangle R
(which keeps the digits of variances that S has lost), and two searches by products with
S alone, which find the first few and no others.  Directions are made to depend on the
data alone: the entry of largest size is positive, and those without any variance are
fixed vectors with the span projected out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import stored
from corollary.core.report import Optimality, stored_gap
from corollary.linear_algebra.decompositions import eigh, graded_eigh

__all__ = [
    "PRODUCTS",
    "Spectrum",
    "axes_of",
    "completed",
    "digits_lost",
    "distance",
    "upright",
]

PRODUCTS = ("lanczos", "randomized")  # routes by products with the covariance alone
LOST = 1e-10  # share of the first variance below which S has lost a variance


@stored
@dataclass(frozen=True)
class Spectrum:
    """The state: the route, then mean, all variances, and the directions."""

    route: str  # "covariance", "qr", "lanczos" or "randomized"
    d: int
    dtype: Any
    n: float = 0.0
    mean: Any = None
    variances: Any = None  # (r,) lambda, falling: all of them, or q by products
    U: Any = None  # (r, d)
    total: float = 0.0  # sum of all variances
    q: int = 0  # components to keep
    once: bool = False  # whether no second pass is possible
    again: bool = False  # whether digits were lost, so that there is a second pass
    residual: float = 0.0  # the largest ||S u - lambda u|| of a random range

    @property
    def lost(self) -> float:
        """The variance that is left out."""
        if self.route in PRODUCTS:
            return max(self.total - float(self.variances.sum()), 0.0)
        return float(self.variances[self.q :].sum())


def axes_of(S: Floats, *, graded: bool) -> tuple[Floats, Floats, bool]:
    """Return variances, directions (d, d), and whether each has its digits."""
    found = graded_eigh(S) if graded else None
    if found is not None:
        return found[0], found[1].T, True
    variances, U = eigh(S)
    return np.maximum(variances[::-1], 0.0), U[:, ::-1].T, False


def digits_lost(kept: Floats) -> bool:
    """Tell whether the covariance has lost the digits of a variance, which fall."""
    return bool(len(kept) and kept[-1] < LOST * kept[0])


def completed(U: Floats, rank: int) -> Floats:
    """Replace the directions beyond the rank by some that depend on the span alone.

    They have no variance, so any orthonormal ones would do; these are fixed vectors
    with the span projected out, the same for equal data however it was summed.
    """
    spare = len(U) - rank
    if spare == 0:
        return U
    G = np.random.default_rng(0).standard_normal((U.shape[1], spare))
    for _ in range(2):
        G -= U[:rank].T @ (U[:rank] @ G)
    return np.vstack([U[:rank], np.linalg.qr(G)[0].T])


def upright(U: Floats) -> Floats:
    """Fix the signs: the entry of largest size in each direction is positive."""
    if not U.size:
        return U
    largest = np.abs(U).argmax(axis=1)
    signs = np.sign(U[np.arange(len(U)), largest])
    return U * np.where(signs == 0, 1.0, signs)[:, None]


def distance(state: Spectrum) -> Optimality:
    """Say how far the stored directions are from eigenvectors of S."""
    if state.route != "randomized":
        return Optimality("exact to rounding", 0.0)
    first = float(state.variances[0])
    residual = stored_gap(state.residual, first, state.dtype)
    words = "||S u - lambda u|| of each direction is at most"
    return Optimality(words, residual, residual / first)
