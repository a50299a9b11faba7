"""Which unsupervised method: by what the rows are like, and what is wanted.

Also known as: choosing an unsupervised method, clusters or subspace, density or
compression.

Two questions and four cells:

                       a density p(x):             no density:
    the rows lie       anomalies, missing values   compression, pictures
    near a subspace    factor analysis             principal components          (1)
    in clumps          mixture of Gaussians        k-means

Methods of the first row work with fewer rows than columns; those of the second need
many rows in each clump.  Where the user does not know which row of (1) holds, it is
measured.  With lambda the variances of the principal components of standardised
columns, and q the components that keep 90 % of the variance,

    subspace  s = 1 - (q - 1) / (min(n - 1, d) / 2), not below 0                 (2)

is near 1 where a few components do, and 0 where half of them do not.  And with v_k the
variance within k clusters,

    clumps    c = max_k (v*_k - v_k) / v*_k                                      (3)

v*_k being the same of rows without clumps: normal ones with the same principal
components (Tibshirani's gap).  The larger of the two answers; below 0.2 for both there
is no structure to speak of.

Notation: n rows, d columns.
Course: S4-1. References: Tibshirani, Walther and Hastie (2001); Ng (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.clustering.k_means import KMeans
from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.randomness import entropy, generator
from corollary.core.vectors import rows_of

__all__ = ["UnsupervisedChoice", "choose_unsupervised"]

WHO = "choose_unsupervised"
STRUCTURES = ("subspace", "clusters")
PURPOSES = {
    "density": "density",
    "anomalies": "density",
    "missing values": "density",
    "compression": "compression",
    "visualization": "compression",
}
CELLS = {  # (1): a method, our class where there is one, why
    ("subspace", "density"): (
        "factor analysis",
        "PCA",
        "few hidden factors and noise of each column make a density; it works with "
        "fewer rows than columns",
    ),
    ("subspace", "compression"): (
        "principal components",
        "PCA",
        "they lose the least square error of all projections; they work with fewer "
        "rows than columns",
    ),
    ("clusters", "density"): (
        "mixture of Gaussians",
        "ParametricDensity",
        "a density with a hill for each clump tells how unlikely a row is",
    ),
    ("clusters", "compression"): (
        "k-means",
        "KMeans",
        "a row is replaced by the centre of its clump",
    ),
}
KEPT = 0.9  # of the variance, by q components
CLUSTERS = (2, 3, 4, 5, 6)
LEAST = 0.2  # of (2) and (3), from which there is structure
MOST_ROWS = 2000
REFERENCES = 3  # sets of rows without clumps


@dataclass(frozen=True)
class UnsupervisedChoice:
    """A method, and why.

    Attributes
    ----------
    method : str
        The cell of (1).
    estimator : str
        A class of Corollary to begin with.
    structure : {'subspace', 'clusters'}
    purpose : {'density', 'compression'}
    why : str
    subspace, clumps : float or None
        (2) and (3), where they were measured.
    notes : tuple of str
        What to bear in mind.
    """

    method: str
    estimator: str
    structure: str
    purpose: str
    why: str
    subspace: float | None = None
    clumps: float | None = None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        text = f"Use {self.method} (begin with {self.estimator}): {self.why}."
        if self.subspace is not None:
            text += (
                f" The rows are {self.subspace:.0%} like a subspace and "
                f"{self.clumps:.0%} like clumps."
            )
        return " ".join([text, *self.notes])


def choose_unsupervised(
    X: Any = None,
    *,
    purpose: str,
    structure: str | None = None,
    random_state: Any = 0,
) -> UnsupervisedChoice:
    """Return the method that suits a purpose and the structure of the rows, (1).

    Parameters
    ----------
    X : array of shape (n, d), optional
        Rows whose structure is measured, where `structure` is not given.
    purpose : {'density', 'anomalies', 'missing values', 'compression', 'visualization'}
    structure : {'subspace', 'clusters'}, optional
    random_state : None, int or Generator, default=0
        Draws rows without clumps, for (3).

    Returns
    -------
    UnsupervisedChoice

    Examples
    --------
    >>> from corollary.diagnostics import choose_unsupervised
    >>> choose_unsupervised(purpose="anomalies", structure="clusters").method
    'mixture of Gaussians'
    >>> choose_unsupervised(purpose="compression", structure="subspace").estimator
    'PCA'
    """
    if purpose not in PURPOSES:
        must = f"purpose must be one of {', '.join(map(repr, PURPOSES))}"
        raise ParameterError(sentence(WHO, must, shown(purpose)))
    if structure is not None and structure not in STRUCTURES:
        must = "structure must be 'subspace' or 'clusters'"
        raise ParameterError(sentence(WHO, must, shown(structure)))
    if structure is None and X is None:
        must = "structure must be given, or rows X that show it"
        raise ParameterError(sentence(WHO, must, "neither"))
    goal, notes = PURPOSES[purpose], []
    flat = clumps = None
    if X is not None:
        Z = _standardized(X, random_state)
        n, d = Z.shape
        if structure is None:
            flat = subspace_score(Z)
            clumps = clump_score(Z, entropy(random_state))
            structure = "clusters" if clumps > flat else "subspace"
            if max(flat, clumps) < LEAST:
                notes.append(
                    "Neither is pronounced: there may be no structure to find."
                )
        if n <= d and structure == "clusters":
            notes.append(
                f"{n} rows of {d} columns cannot bear a covariance: reduce first."
            )
    assert structure is not None
    method, estimator, why = CELLS[structure, goal]
    if purpose == "visualization" and structure == "clusters":
        notes.append(
            "Draw the rows along two principal components, coloured by cluster."
        )
    return UnsupervisedChoice(
        method, estimator, structure, goal, why, flat, clumps, tuple(notes)
    )


def _standardized(X: Any, random_state: Any) -> Floats:
    """Return columns of variance 1, of some rows where there are very many."""
    X = rows_of(WHO, X)
    if len(X) < 3:
        must = "X must have at least 3 rows, for their structure"
        raise DataError(sentence(WHO, must, f"{len(X)}"))
    if len(X) > MOST_ROWS:
        order = generator(entropy(random_state), 1).permutation(len(X))
        X = X[order[:MOST_ROWS]]
    spread = X.std(axis=0)
    if not (spread > 0).any():
        raise DataError(sentence(WHO, "some column must vary", "constant ones"))
    return (X - X.mean(axis=0))[:, spread > 0] / spread[spread > 0]


def subspace_score(Z: Floats) -> float:
    """Return (2)."""
    values = np.linalg.svd(Z, compute_uv=False) ** 2
    shares = np.cumsum(values) / values.sum()
    q = int(np.searchsorted(shares, KEPT) + 1)
    most = min(len(Z) - 1, Z.shape[1]) / 2
    return float(max(0.0, 1 - (q - 1) / most)) if Z.shape[1] > 1 else 0.0


def clump_score(Z: Floats, seed: int) -> float:
    """Return (3)."""
    n = len(Z)
    rng = generator(seed, 2)
    _, s, V = np.linalg.svd(Z, full_matrices=False)
    counts = [k for k in CLUSTERS if k < n]
    plain = [
        _inertias((rng.normal(size=(n, len(s))) * (s / np.sqrt(n))) @ V, counts, seed)
        for _ in range(REFERENCES)
    ]
    without = np.mean(plain, axis=0)
    within = _inertias(Z, counts, seed)
    return float(max(0.0, np.max((without - within) / without, initial=0.0)))


def _inertias(Z: Floats, counts: list[int], seed: int) -> Floats:
    models = (KMeans(k, n_init=3, random_state=seed % 2**32) for k in counts)
    return np.array([model.fit(Z).inertia_ for model in models])
