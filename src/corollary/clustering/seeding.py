"""Seeding of centres: a sample of distinct rows, and k-means++ on it.

Also known as: k-means++ seeding, D^2 seeding.

The sample holds the `most` rows with the smallest content keys (`core.randomness`):
a uniform sample of the distinct rows, each with the total weight of its copies, that
does not depend on chunks or on the order of the rows and that merges.

k-means++ draws the first centre with probability proportional to w, each further one to

    w_n D_n^2,   D_n = distance of x_n to the nearest centre so far              (1)

and, being greedy, keeps the best of 2 + log k draws each time, the first included.
With one draw each time it is the sampling of the theorem: E J <= 8 (log k + 2) J*.

Course: S2-57. Reference: Arthur and Vassilvitskii (2007).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.randomness import entropy, generator, row_keys
from corollary.core.records import readable
from corollary.core.rows import dense
from corollary.core.sparse import canonical
from corollary.core.vectors import rows_of
from corollary.engine import Chunk, Moments, Statistics, Variances
from corollary.linear_algebra.decompositions import eigvalsh

__all__ = [
    "Sample",
    "Survey",
    "kmeans_plusplus",
    "sample_size",
    "spread_by",
    "spread_out",
]

WIDE = 256  # more columns than this: variances only, no spectral bound


def sample_size(k: int) -> int:
    """Rows to seed k centres from."""
    return max(2**14, 128 * k)


@dataclass(frozen=True)
class Sample(Statistics):
    """The rows with the smallest keys, distinct, by rising key."""

    keys: Vector  # (s,) uint64
    X: Matrix  # (s, d)
    w: Floats  # (s,) total weight of each row's copies
    most: int

    @classmethod
    def of(cls, chunk: Chunk, seed: int, most: int, share: float) -> Sample:
        """Take a chunk's rows with keys in the lowest `share` of all keys."""
        keys = row_keys(chunk.X, seed) if most else np.zeros(0, np.uint64)
        chosen = None if chunk.w is None else chunk.w[: len(keys)] > 0
        if share < 1:
            low = keys < np.uint64(share * 2.0**64)
            chosen = low if chosen is None else chosen & low
        rows = np.arange(len(keys)) if chosen is None else chosen.nonzero()[0]
        w: Floats = np.ones(len(rows))
        w = w if chunk.w is None else chunk.w[rows].astype(np.float64)
        keys, first, w = smallest(keys[rows], w, most)
        return cls(keys, chunk.X[rows[first]], w, most)

    def distinct(self) -> Sample:
        """Join equal rows, keep the smallest keys."""
        keys, first, w = smallest(self.keys, self.w, self.most)
        return Sample(keys, self.X[first], w, self.most)

    def __add__(self, other: Sample) -> Sample:
        stack = sp.vstack if sp.issparse(self.X) else np.concatenate
        X = stack([self.X, other.X])
        return Sample(
            np.concatenate([self.keys, other.keys]),
            sp.csr_array(X) if sp.issparse(X) else X,
            np.concatenate([self.w, other.w]),
            self.most,
        ).distinct()

    def at_least(self, k: int, seed: int) -> tuple[Matrix, Floats]:
        """Return rows and weights, rows repeated where fewer than k are distinct.

        They come in the order of the keys that they have in single precision: draws
        are then the same in both precisions, where the sample holds all rows.
        """
        with np.errstate(over="ignore"):
            single = self.X.astype(np.float32)
        order = np.argsort(row_keys(single, seed), kind="stable")
        again = order[np.arange(max(k, len(order))) % len(order)]
        return self.X[again], self.w[again]


def smallest(keys: Vector, w: Floats, most: int) -> tuple[Vector, Vector, Floats]:
    """Return the smallest keys, where each is first, and the weight of its copies.

    >>> smallest(np.array([7, 2, 7, 9]), np.ones(4), 2)
    (array([2, 7]), array([1, 0]), array([1., 2.]))
    """
    order = keys.argsort(kind="stable")
    keys, w = keys[order], w[order]
    begins = np.ones(len(keys), bool)
    np.not_equal(keys[1:], keys[:-1], out=begins[1:])
    if not begins.all():
        begin = begins.nonzero()[0]
        keys, order, w = keys[begin], order[begin], np.add.reduceat(w, begin)
    return keys[:most], order[:most], w[:most]


@dataclass(frozen=True)
class Survey(Statistics):
    """What k-means wants to know of the data before it starts."""

    sample: Sample
    moments: Moments | Variances  # of the columns; variances where there are many

    @classmethod
    def of(cls, chunk: Chunk, seed: int, most: int, share: float) -> Survey:
        """Survey one chunk."""
        return cls(Sample.of(chunk, seed, most, share), spread(chunk))

    def mean_variance(self) -> float:
        """Average the variances of the features."""
        M2 = self.moments.M2
        return float((np.diagonal(M2) if M2.ndim == 2 else M2).mean() / self.moments.n)

    def bound(self, k: int) -> float:
        """Bound J of any clustering into k groups from below by the spectrum.

        The sum is lowered by what rounding may have added to it.
        """
        M2 = self.moments.M2
        if M2.ndim == 1 or M2.shape[0] > WIDE:
            return -np.inf
        spectrum = eigvalsh(M2)[::-1]
        rounding = 16 * (len(M2) + 4) * np.finfo(float).eps * float(np.trace(M2))
        return max(0.0, float(spectrum[k - 1 :].sum()) - rounding)


def spread(chunk: Chunk) -> Moments | Variances:
    """Take the scatter matrix of few columns, the variances of many."""
    if sp.issparse(chunk.X) or chunk.X.shape[1] > WIDE:
        return Variances.of(chunk.X, chunk.w)
    return Moments.of(chunk.X, chunk.w)


@readable
class Seeds(NamedTuple):
    """Centres that were drawn, as a tuple in scikit-learn's order."""

    centers: Floats  # (k, d)
    indices: Vector  # (k,) of the rows that they are


def kmeans_plusplus(
    X: Any,
    n_clusters: int,
    *,
    sample_weight: Any = None,
    random_state: Any = None,
    n_local_trials: int | None = None,
) -> Seeds:
    """Draw centres by k-means++ (1).

    Also known as: k-means++.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    n_clusters : int
    sample_weight : array of shape (n,), optional
    random_state : int or None
    n_local_trials : int, optional
        Draws of which the best is kept, 2 + log k by default; 1 is the sampling of the
        theorem.

    Returns
    -------
    Seeds
        A tuple of `centers` (n_clusters, d) and `indices` (n_clusters,), the rows that
        were drawn.

    Examples
    --------
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> mu, rows = kmeans_plusplus(X, 2, random_state=0)
    >>> bool(abs(mu[0] - mu[1]) > 8)
    True
    """
    who = "kmeans_plusplus"
    X = canonical(who, X) if sp.issparse(X) else rows_of(who, X)
    w = full_weights(who, sample_weight, X.shape[0])
    most = int(np.count_nonzero(w))
    if not (whole(1).holds(n_clusters) and n_clusters <= most):
        must = f"n_clusters must be a whole number in [1, n_samples = {most}]"
        raise ParameterError(sentence(who, must, f"{n_clusters!r}"))
    if n_local_trials is not None and not whole(1).holds(n_local_trials):
        must = "n_local_trials must be a whole number >= 1"
        raise ParameterError(sentence(who, must, f"{n_local_trials!r}"))
    rng = generator(entropy(random_state))
    chosen = spread_out(X, w, n_clusters, rng, n_local_trials)
    return Seeds(np.asarray(dense(X[chosen]), dtype=np.float64), chosen)


def spread_out(
    X: Matrix, w: Floats, k: int, rng: np.random.Generator, trials: int | None = None
) -> Vector:
    """Draw k rows by (1), each the best of some trials."""
    x2 = (
        X.multiply(X).sum(axis=1, dtype=np.float64)
        if sp.issparse(X)
        else np.einsum("ij,ij->i", X, X, dtype=np.float64)
    )
    return spread_by(partial(distances, X, x2), w, k, rng, trials)


def spread_by(
    distances_to: Callable[[Vector], Floats],
    w: Floats,
    k: int,
    rng: np.random.Generator,
    trials: int | None = None,
) -> Vector:
    """Draw k rows by (1), with any distance of all rows to some of them for D^2."""
    trials = 2 + int(np.log(k)) if trials is None else trials
    chosen: list[int] = []
    p, D2 = w, np.full(len(w), np.inf)
    while len(chosen) < k:
        candidates = draw(p, trials, rng)
        left = np.minimum(D2[:, None], distances_to(candidates))
        best = int((w @ left).argmin())
        chosen.append(candidates[best])
        D2 = left[:, best]
        p = w * D2  # (1)
    return np.array(chosen)


def draw(p: Floats, size: int, rng: np.random.Generator) -> Vector:
    """Draw row numbers with probability proportional to p (uniform if p is 0)."""
    total = np.cumsum(p)
    if total[-1] <= 0:
        return rng.integers(len(p), size=size)
    at = np.searchsorted(total, rng.random(size) * total[-1], side="right")
    return np.minimum(at, len(p) - 1)


def distances(X: Matrix, x2: Floats, rows: Vector) -> Floats:
    """Return squared distances of all rows to some of them, (n, len(rows))."""
    C = X[rows]
    dots = X @ C.T
    dots = np.asarray(dots.toarray() if sp.issparse(dots) else dots)
    return np.maximum(x2[:, None] + x2[rows][None, :] - 2 * dots, 0.0)
