"""Random Fourier features: random cosines in place of the Gaussian kernel.

Also known as: random kitchen sinks, RFF, RandomFourierFeatures, spectral sampling.

A kernel of the difference x - z is the Fourier transform of a probability (Bochner).
For the Gaussian that is Gaussian again: with w ~ N(0, 2 gamma I) and b ~ U[0, 2 pi],

    k(x, z) = exp(-gamma ||x - z||^2) = E 2 cos(w'x + b) cos(w'z + b)                (1)
    f(x) = sqrt(2 / D) (cos(w_1'x + b_1), ..., cos(w_D'x + b_D)),  f(x)'f(z) ~ k     (2)

A linear machine on f is nearly the kernel machine, at a cost that is linear in the
rows. Each product in (1) lies in [-2, 2], so that by Hoeffding, for m pairs of points
at once,

    P(largest |f(x)'f(z) - k(x, z)| > e) <= 2 m exp(-D e^2 / 8)                      (3)

The error falls like 1 / sqrt(D).  Directions that are orthogonal in groups of d, with
the lengths of Gaussian vectors, have the same mean (1) and a smaller variance.

The draws depend on random_state alone; a sample of the rows judges them: the largest
error on its pairs stands in the report beside the e of (3) for 5%.

Notation: W (d, D) = random_weights_; b (D,) = random_offset_; D = n_components.
Course: S1-52. References: Rahimi and Recht (2007); Yu, Suresh, Choromanski,
Holtmann-Rice and Kumar (2016), orthogonal directions.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix
from corollary.core.configuration import get_config
from corollary.core.parameters import boolean, one_of, real, seed, whole
from corollary.core.randomness import generator
from corollary.core.report import MeasuredOptimality
from corollary.kernels.gram import panels_of
from corollary.kernels.radial import Gaussian
from corollary.preparation.sampled_map import (
    Drawing,
    Judged,
    SampledMap,
    Seen,
    variance_of,
)

__all__ = ["RBFSampler"]

DOUBT = 0.05  # of the bound (3)
WAVE = 4  # the number of (2) in loops/kernel_rows.cpp


class RBFSampler(SampledMap):
    """Random Fourier features of the Gaussian kernel exp(-gamma ||x - z||^2).

    Parameters
    ----------
    gamma : float or 'scale', default=1.0
        1 / (2 sigma^2); 'scale' is 1 / (d times the variance of X).
    n_components : int, default=100
        Features D.
    orthogonal : bool, default=False
        Whether the directions are orthogonal in groups of d, for a smaller error.
    random_state : int, optional
        Seed of the draws.

    Attributes
    ----------
    random_weights_ : array of shape (d, D)
    random_offset_ : array of shape (D,)
    gamma_ : float
        gamma as a number.
    n_features_in_ : int
    report_ : Report
        With the largest error on pairs of a sample, and its bound (3).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import RBFSampler
    >>> X = np.linspace(0, 1, 50)[:, None]
    >>> model = RBFSampler(n_components=2000, random_state=0).fit(X)
    >>> f = model.transform(X)
    >>> bool(np.abs(f @ f.T - np.exp(-((X - X.T) ** 2))).max() < 0.1)
    True
    """

    rules: ClassVar = {
        "gamma": one_of("scale") | real(0, ends="[)"),
        "n_components": whole(1),
        "orthogonal": boolean,
        "random_state": seed,
    }
    shapes: ClassVar = {"random_weights_": "d D", "random_offset_": "D"}

    def __init__(
        self,
        *,
        gamma: float | str = 1.0,
        n_components: int = 100,
        orthogonal: bool = False,
        random_state: Any = None,
    ) -> None:
        self.gamma = gamma
        self.n_components = n_components
        self.orthogonal = orthogonal
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def needs_spread(self) -> bool:
        """Whether gamma is taken from the variance."""
        return self.gamma == "scale"

    def make(self, seen: Seen, state: Drawing) -> dict[str, Any]:
        """Draw directions and offsets."""
        d, D = seen.sample.X.shape[1], self.n_components
        if seen.spread is None:
            gamma = float(self.gamma)
        else:
            variance = variance_of(seen.spread)
            gamma = 1.0 / (d * variance) if variance > 0 else 1.0
        rng, kind = generator(state.seed), state.dtype
        W = orthogonal(d, D, rng) if self.orthogonal else rng.standard_normal((d, D))
        b = rng.uniform(0, 2 * np.pi, D)
        return {
            "random_weights_": (math.sqrt(2 * gamma) * W).astype(kind, copy=False),
            "random_offset_": b.astype(kind, copy=False),
            "gamma_": gamma,
            "_n_features_out": D,
        }

    def judge(self, found: dict[str, Any], X: Matrix) -> Judged:
        """Compare products of features with the kernel on all pairs of the sample."""
        n, D = X.shape[0], self.n_components
        pairs = n * (n + 1) / 2
        bound = float(np.sqrt(8 * np.log(2 * pairs / DOUBT) / D))
        largest = MeasuredOptimality(
            f"largest error of the kernel on {n} rows is",
            partial(largest_error, found, X),
        )
        facts = {"error_bound": bound, "confidence": 1 - DOUBT}
        return Judged(largest, facts | {"n_features_out": D})

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Return the features (2) of each row, (n, D).

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, D)
        """
        X = self._query(X, self._n_features_out)
        W = self.random_weights_.astype(X.dtype, copy=False)
        b = self.random_offset_.astype(X.dtype, copy=False)
        return waves(X, W, b)


def largest_error(found: dict[str, Any], X: Matrix) -> float:
    """Return by how much products of features miss the kernel on pairs of rows."""
    f = waves(X, found["random_weights_"], found["random_offset_"])
    gamma, n = found["gamma_"], X.shape[0]
    K = Gaussian.of_gamma(gamma)(X) if gamma > 0 else np.ones((n, n))
    return float(np.abs(f @ f.T - K).max())


def waves(X: Matrix, W: Floats, b: Floats) -> Floats:
    """Return sqrt(2 / D) cos(W'x + b) of each row, (2)."""
    D, height = len(b), float(np.sqrt(2 / len(b)))
    if sp.issparse(X):
        return height * np.cos(np.asarray(X @ W) + b)
    panels = panels_of(np.ascontiguousarray(W.T))
    offsets = np.zeros(panels.shape[0] * panels.shape[2], X.dtype)
    offsets[:D] = b
    f, n = np.empty((len(X), D), X.dtype), len(X)
    kind, places = (WAVE, height, 0.0, 0), np.arange(n)
    still, threads = np.zeros(n, X.dtype), get_config().threads
    loops.kernel_rows(X, still, panels, offsets, *kind, f, places, threads)
    return f


def orthogonal(d: int, D: int, rng: np.random.Generator) -> Floats:
    """Draw D directions, orthogonal in groups of d, as long as Gaussian ones."""
    groups = []
    for _ in range(-(-D // d)):
        Q, R = np.linalg.qr(rng.standard_normal((d, d)))
        groups.append(Q * np.sign(np.diagonal(R)))  # uniform over all rotations
    lengths = np.sqrt(rng.chisquare(d, D))
    return np.hstack(groups)[:, :D] * lengths
