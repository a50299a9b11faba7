"""Landmark features: how near a row is to each of some points.

Also known as: RBF network features, radial basis expansion, similarity features.

With landmarks l_1, ..., l_m, the training rows themselves or fewer,

    f_i(x) = exp(-||x - l_i||^2 / (2 sigma^2)),     f_0 = 1 where a bias is wanted   (1)

f_i is 1 at its landmark and falls to 0 far from it, slower for a larger sigma (less
variance, more bias).  A linear machine on f with the penalty sum_{i=1}^m theta_i^2, one
term for each landmark, is *not* the kernel machine on the same rows: that one has

    theta'K theta,   K_ij = exp(-||l_i - l_j||^2 / (2 sigma^2))                      (2)

and is had by `Nystroem` with all rows as landmarks, whose features are K^(-1/2) f.
Both are offered, under these names.

Notation: l (m, d) = landmarks_; m = n_landmarks.
Course: S4-13. References: Broomhead and Lowe (1988); Moody and Darken (1989).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import check_finite
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import (
    array_like,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Optimality
from corollary.kernels.radial import Gaussian
from corollary.preparation.landmarks import choose_landmarks
from corollary.preparation.sampled_map import JUDGED, Drawing, Judged, SampledMap, Seen

__all__ = ["LandmarkFeatures"]

ALL = 2**62  # rows that are kept where all of them are landmarks


class LandmarkFeatures(SampledMap):
    """Nearness to landmarks, exp(-||x - l_i||^2 / (2 sigma^2)).

    Parameters
    ----------
    landmarks : {'rows', 'k-means'} or array of shape (m, d), default='rows'
        Distinct training rows, centres of clusters of them, or given points.
    n_landmarks : int, optional
        How many; by default all distinct rows, and 100 for 'k-means'.
    sigma : float, default=1.0
        Width.
    include_bias : bool, default=False
        Whether f_0 = 1 comes first.
    random_state : int, optional
        Seed of the choice.

    Attributes
    ----------
    landmarks_ : array of shape (m, d)
        With 'rows' they are training rows: a model file holds them.
    n_features_in_ : int
    report_ : Report
        With the feature of the row that is farthest from all landmarks.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LandmarkFeatures
    >>> model = LandmarkFeatures(landmarks=[[3.0, 5.0]], include_bias=True)
    >>> model = model.fit(np.zeros((4, 2)))
    >>> model.transform([[3.0, 5.0], [3.0, 6.0]]).round(4).tolist()
    [[1.0, 1.0], [1.0, 0.6065]]
    """

    rules: ClassVar = {
        "landmarks": one_of("rows", "k-means") | array_like,
        "n_landmarks": missing | whole(1),
        "sigma": real(0, ends="()"),
        "include_bias": boolean,
        "random_state": seed,
    }
    shapes: ClassVar = {"landmarks_": "m d"}

    def __init__(
        self,
        landmarks: Any = "rows",
        *,
        n_landmarks: int | None = None,
        sigma: float = 1.0,
        include_bias: bool = False,
        random_state: Any = None,
    ) -> None:
        self.landmarks = landmarks
        self.n_landmarks = n_landmarks
        self.sigma = sigma
        self.include_bias = include_bias
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def sample_size(self) -> int:
        """Sample what becomes a landmark."""
        if not isinstance(self.landmarks, str):
            return JUDGED
        if self.landmarks == "k-means":
            return max(JUDGED, 20 * (self.n_landmarks or 100))
        return max(JUDGED, self.n_landmarks or ALL)

    def make(self, seen: Seen, state: Drawing) -> dict[str, Any]:
        """Choose the landmarks."""
        sample = seen.sample
        if isinstance(self.landmarks, str):
            most = 100 if self.landmarks == "k-means" else len(sample.keys)
            m = min(self.n_landmarks or most, len(sample.keys))
            how, kernel = self.landmarks, Gaussian(self.sigma)
            L = choose_landmarks(how, kernel, sample.X, sample.w, m, state.seed)
        else:
            L = self._given(sample.X.shape[1])
        return {
            "landmarks_": np.ascontiguousarray(L, dtype=state.dtype),
            "_n_features_out": len(L) + int(self.include_bias),
        }

    def _given(self, d: int) -> Floats:
        L, m = np.asarray(self.landmarks, dtype=np.float64), self.n_landmarks
        if L.ndim != 2 or L.shape[1] != d or (m is not None and m != len(L)):
            must = f"landmarks must have shape ({m or 'm'}, {d})"
            raise ParameterError(sentence(self, must, f"{L.shape}"))
        check_finite(self, L)
        return L

    def judge(self, found: dict[str, Any], X: Matrix) -> Judged:
        """Tell how well the landmarks cover the sample."""
        F = Gaussian(self.sigma)(X, found["landmarks_"])
        least = float(F.max(axis=1).min())
        facts = {"n_landmarks": len(found["landmarks_"]), "least_covered": least}
        said = []
        if least < 0.01:
            said.append(
                "some rows are far from every landmark and have features near 0. Raise "
                "sigma, scale the columns, or use more landmarks."
            )
        return Judged(Optimality("nothing is optimised", None), facts, said)

    # -- use -----------------------------------------------------------------------
    def transform(self, X: Any) -> Floats:
        """Return the features (1) of each row, (n, m), after f_0 where it is wanted.

        Parameters
        ----------
        X : array or CSR of shape (n, d)

        Returns
        -------
        array of shape (n, m) or (n, m + 1)
        """
        X = self._query(X, self._n_features_out)
        F = Gaussian(self.sigma)(X, self.landmarks_.astype(X.dtype, copy=False))
        if not self.include_bias:
            return F
        return np.hstack([np.ones((len(F), 1), F.dtype), F])
