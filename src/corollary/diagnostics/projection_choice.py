"""Principal components or random projections, on one's own data.

Also known as: PCA or random projection, Johnson-Lindenstrauss, choice of a projection.

Two ways to fewer columns, with two promises.  Principal components lose the least
square error that a subspace of p columns can,

    1 - sum_{j <= p} lambda_j / sum_j lambda_j   of the variance                 (1)

and nothing where the rows lie in such a subspace; they must look at the rows, in
O(n d min(n, d)).  A random projection x -> Wx with independent W_ij ~ N(0, 1/p) knows
nothing of the rows, takes O(n d p), and keeps all n(n-1)/2 squared distances within a
factor of 1 +- epsilon with probability 1 - delta once (Johnson and Lindenstrauss)

    p >= 16 / epsilon^2 log(n / sqrt(delta)),    whatever d is                   (2)
    p >= 4 log(n) / (epsilon^2 / 2 - epsilon^3 / 3),    for some W               (3)

(2) and (3) are large: a random projection pays for very many columns only, or where the
variance is spread over all of them so that (1) is hopeless; and rows that are sparse
can be recovered from it, by the L1 norm, as components cannot.  What both do to the
distances is measured on pairs of rows, at the same p:

    distortion = |  ||f(x) - f(z)||^2 / ||x - z||^2 - 1 |                        (4)

A component projection can only shorten; the mean of a random one is right.

Notation: n rows, d columns, p = n_components; lambda = variances; W = (p, d).
Course: S2-85. References: Johnson and Lindenstrauss (1984); Dasgupta and Gupta (2003);
Shalev-Shwartz and Ben-David (2014), 23.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.vectors import rows_of
from corollary.decomposition.pca import PCA

__all__ = ["ProjectionChoice", "choose_projection", "johnson_lindenstrauss_size"]

WHO = "choose_projection"
PAIRS = 2000
KEPT = 0.95  # of the variance, with which components suffice
FEW_NONZEROS = 0.1  # share of the entries of sparse rows


@dataclass(frozen=True)
class ProjectionChoice:
    """Which projection, and what was measured.

    Attributes
    ----------
    advice : {'components', 'random', 'neither'}
    why : str
    n_rows, n_features, n_components : int
    variance_lost : float
        (1).
    components_for_95 : int
        Components that keep 95 % of the variance.
    distances_size : int
        (2), columns that a random projection needs for its promise.
    distances_size_improved : int
        (3).
    component_distortion, random_distortion : float
        The largest of (4) but for one pair in twenty.
    component_seconds, random_seconds : float
    nonzero_share : float
        Share of the entries of X that are not 0.
    """

    advice: str
    why: str
    n_rows: int
    n_features: int
    n_components: int
    variance_lost: float
    components_for_95: int
    distances_size: int
    distances_size_improved: int
    component_distortion: float
    random_distortion: float
    component_seconds: float
    random_seconds: float
    nonzero_share: float

    def __str__(self) -> str:
        what = {
            "components": "Use principal components (PCA)",
            "random": "Use a random projection",
            "neither": "Project neither way",
        }[self.advice]
        return "\n".join(
            [
                f"{what}: {self.why}.",
                f"  {self.n_components} of {self.n_features} columns: components lose "
                f"{self.variance_lost:.1%} of the variance; 95% takes "
                f"{self.components_for_95}",
                f"  squared distances change by up to {self.component_distortion:.0%} "
                f"with components, {self.random_distortion:.0%} at random",
                f"  all distances within the tolerance take {self.distances_size:,} "
                f"random columns, {self.distances_size_improved:,} at best",
            ]
        )


def johnson_lindenstrauss_size(
    n_rows: int,
    epsilon: float,
    *,
    delta: float | None = None,
    improved: bool = False,
) -> int:
    """Return how many random columns keep all squared distances within 1 +- epsilon.

    Parameters
    ----------
    n_rows : int
    epsilon : float in (0, 1)
    delta : float in (0, 1), optional
        How often the promise may fail, (2).  By default 16 log(n) / epsilon^2, with
        which some projection keeps it.
    improved : bool, default=False
        Whether to use (3), for some projection.

    Returns
    -------
    int

    Examples
    --------
    >>> johnson_lindenstrauss_size(100, 0.05)
    29474
    >>> johnson_lindenstrauss_size(100, 0.05, improved=True)
    15245
    """
    who = "johnson_lindenstrauss_size"
    if not whole(2).holds(n_rows):
        raise ParameterError(sentence(who, "n_rows must be >= 2", shown(n_rows)))
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        if value is not None and not real(0, 1, ends="()").holds(value):
            must = f"{name} must be a number between 0 and 1"
            raise ParameterError(sentence(who, must, shown(value)))
    log_n = float(np.log(n_rows))
    if improved:
        return int(np.ceil(4 * log_n / (epsilon**2 / 2 - epsilon**3 / 3)))  # (3)
    doubt = 0.0 if delta is None else -0.5 * float(np.log(delta))
    return int(np.ceil(16 / epsilon**2 * (log_n + doubt)))  # (2)


def choose_projection(
    X: Any,
    *,
    n_components: int | None = None,
    epsilon: float = 0.2,
    delta: float = 0.05,
    random_state: Any = 0,
) -> ProjectionChoice:
    """Measure both projections of some rows, and say which one to use.

    Parameters
    ----------
    X : array or CSR matrix of shape (n, d)
    n_components : int, optional
        p; by default the columns that the promise (2) needs, at most d / 2, at least 2.
    epsilon : float in (0, 1), default=0.2
        How far squared distances may change.
    delta : float in (0, 1), default=0.05
        How often the promise (2) may fail.
    random_state : None, int or Generator, default=0
        Draws the projection and the pairs of rows.

    Returns
    -------
    ProjectionChoice

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.diagnostics import choose_projection
    >>> rng = np.random.default_rng(0)
    >>> flat = rng.normal(size=(200, 3)) @ rng.normal(size=(3, 50))  # a subspace
    >>> choose_projection(flat, n_components=3).advice
    'components'
    """
    X = X.tocsr() if sp.issparse(X) else rows_of(WHO, X)
    n, d = X.shape
    if n < 3 or d < 2:
        must = "X must have at least 3 rows and 2 columns"
        raise DataError(sentence(WHO, must, f"shape {X.shape}"))
    needed = johnson_lindenstrauss_size(n, epsilon, delta=delta)
    p = max(2, min(needed, d // 2, n - 1)) if n_components is None else n_components
    if not whole(1, min(n, d)).holds(p):
        must = f"n_components must be a whole number from 1 to {min(n, d)}"
        raise ParameterError(sentence(WHO, must, shown(p)))
    rng = generator(entropy(random_state), 85)
    begun = time.perf_counter()
    pca = PCA(n_components=min(n, d)).fit(X)
    shares = np.cumsum(pca.explained_variance_ratio_)
    Z = pca.transform(X)[:, :p]
    middle = time.perf_counter()
    R = X @ rng.normal(scale=1 / np.sqrt(p), size=(d, p))
    end = time.perf_counter()
    i, j = _pairs(rng, n)
    D = _squares(X, i, j)
    apart = D > 0
    moved = [_distortion(_squares(F, i, j), D, apart) for F in (Z, np.asarray(R))]
    lost = max(0.0, 1 - float(shares[p - 1]))
    filled = float(np.count_nonzero(X.data if sp.issparse(X) else X)) / (n * d)
    enough = int(np.searchsorted(shares, KEPT - 1e-12) + 1)
    advice, why = _advice(p, d, lost, moved, epsilon, needed, filled)
    return ProjectionChoice(
        advice,
        why,
        n,
        d,
        int(p),
        lost,
        enough,
        needed,
        johnson_lindenstrauss_size(n, epsilon, improved=True),
        moved[0],
        moved[1],
        middle - begun,
        end - middle,
        filled,
    )


def _advice(
    p: int,
    d: int,
    lost: float,
    moved: list[float],
    epsilon: float,
    needed: int,
    filled: float,
) -> tuple[str, str]:
    """Return the advice and the reason."""
    ours, chance = moved
    if lost <= 1 - KEPT or ours <= epsilon:
        kept = f"{p} components keep {1 - lost:.1%} of the variance"
        return "components", kept
    if chance <= epsilon:
        why = (
            f"{p} components lose {lost:.0%} of the variance, and random columns keep "
        )
        why += f"distances within {epsilon:.0%}"
        if filled <= FEW_NONZEROS:
            why += "; the rows are sparse, and can be recovered from them"
        return "random", why
    if needed >= d:
        why = f"{p} components lose {lost:.0%} of the variance, and the promise of "
        return "neither", why + f"random columns takes {needed:,}, not below {d:,}"
    why = f"{p} columns are too few: random ones need {needed:,} of {d:,}"
    return "neither", why


def _pairs(rng: np.random.Generator, n: int) -> tuple[Any, Any]:
    """Return some pairs of different rows, or all of them."""
    if n * (n - 1) // 2 <= PAIRS:
        return np.triu_indices(n, 1)
    i = rng.integers(n, size=PAIRS)
    return i, (i + rng.integers(1, n, size=PAIRS)) % n


def _squares(X: Any, i: Any, j: Any) -> Floats:
    """Return the squared distances of pairs of rows."""
    if sp.issparse(X):
        gap = X[i] - X[j]
        return np.asarray(gap.multiply(gap).sum(axis=1)).ravel()
    return ((X[i] - X[j]) ** 2).sum(axis=1)


def _distortion(after: Floats, before: Floats, apart: Any) -> float:
    """Return the 95th percentile of (4)."""
    if not apart.any():
        return 0.0
    return float(np.quantile(np.abs(after[apart] / before[apart] - 1), 0.95))
