"""Radial basis functions: Gaussian bumps around centres.

Also known as: RBF features, Gaussian basis functions, RBF network (first layer).

    h_j(x) = exp(-||x - mu_j||^2 / (2 s^2))                                      (1)

1 at its centre, exp(-1/2) = 0.607 at the distance s, never 0.  Centres are put

    'grid', 'quantile'   on each input alone, evenly or where the rows are: k bumps for
                         each of the d inputs, ||.|| is the distance along that input
    'rows', 'kmeans'     among the rows, drawn or as centres of clusters; ||.|| is the
                         distance of rows
    given                (k,) for each input alone, (k, d) for rows

and the width s is given, or the distance of neighbouring centres: much smaller leaves
holes between the bumps, much larger makes them nearly dependent.  Scale the inputs
first where the distance is one of rows.

Notation: mu = centers_; s = width_.
Course: S3-87. References: Broomhead and Lowe (1988); Bishop (2006), 3.1.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np

from corollary.clustering.k_means import KMeans
from corollary.clustering.seeding import Sample
from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import array_like, boolean, one_of, real, seed, whole
from corollary.core.report import Report
from corollary.core.vectors import numbers
from corollary.engine import Data
from corollary.engine.order_statistics import Ranges
from corollary.preparation.expansion import (
    Expansion,
    RangesLearner,
    centres_of_features,
    exact_ranges,
    spacing,
    with_ones,
)

__all__ = ["RadialBasis"]


class RadialBasis(RangesLearner, Expansion):
    """Gaussian bumps around centres.

    Parameters
    ----------
    n_centers : int, default=10
        Bumps k, of each input or of all; not used with given centres.
    centers : {'grid', 'quantile', 'rows', 'kmeans'} or array, default='grid'
        Where they are; an array of shape (k,) for each input alone, (k, d) for rows.
    width : 'spacing' or float, default='spacing'
        Width s, or the mean distance of a centre to the next.
    include_bias : bool, default=False
        Whether a column of ones comes first; linear models have an intercept.
    random_state : int, RandomState or None
        Seed of the rows that are drawn and of the clusters.

    Attributes
    ----------
    centers_ : array of shape (k, d)
    width_ : array of shape (d,) or (1,)
        One for each input, or one for rows.
    n_features_out_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import RadialBasis
    >>> model = RadialBasis(centers=[0.0, 1.0, 2.0], width=1.0).fit([[0.0], [2.0]])
    >>> model.transform([[1.0]]).round(4).tolist()
    [[0.6065, 1.0, 0.6065]]
    """

    shapes: ClassVar = {"centers_": "k d", "width_": "d|1"}
    rules: ClassVar = {
        "n_centers": whole(1),
        "centers": one_of("grid", "quantile", "rows", "kmeans") | array_like,
        "width": one_of("spacing") | real(0, ends="(]"),
        "include_bias": boolean,
        "random_state": seed,
    }

    def __init__(
        self,
        n_centers: int = 10,
        *,
        centers: Any = "grid",
        width: Any = "spacing",
        include_bias: bool = False,
        random_state: Any = None,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.include_bias = include_bias
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def _prepare(self, data: Data, seed: int) -> Floats | None:
        """Return centres among the rows, where these are asked for."""
        if not self._of_rows():
            return None
        k, d = self.n_centers, data.source.n_features
        if not isinstance(self.centers, str):
            mu = numbers(self, self.centers, "centers", ParameterError)
            if mu.shape[1] != d or not len(mu):
                must = f"centers must have shape (k,) or (k, {d})"
                raise ParameterError(sentence(self, must, f"shape {mu.shape}"))
            return mu
        if self.centers == "rows":
            take = partial(Sample.of, seed=seed, most=k, share=1.0)
            return data.reduce(take).X.astype(np.float64)
        state = seed % 2**32
        return KMeans(k, random_state=state).fit(data.source).cluster_centers_

    def _of_rows(self) -> bool:
        """Tell whether the distance is that of rows."""
        if isinstance(self.centers, str):
            return self.centers in ("rows", "kmeans")
        return np.ndim(self.centers) == 2

    def _asked(self) -> Any:
        quantile = isinstance(self.centers, str) and self.centers == "quantile"
        return np.linspace(0, 1, self.n_centers) if quantile else ()

    def _learn(self, state: Ranges) -> None:
        mu: Floats
        s: Floats
        if self._of_rows():
            mu = np.asarray(state.given, dtype=np.float64)
            s = np.array([nearest_other(mu)])
        else:
            mu = centres_of_features(self, self.centers, self.n_centers, state)
            s = spacing(mu)
        if not isinstance(self.width, str):
            s = np.full_like(s, self.width)
        self.centers_, self.width_ = mu.astype(state.dtype), s.astype(state.dtype)

    def _columns(self) -> int:
        mu = self.centers_
        return (len(mu) if self._of_rows() else mu.size) + int(self.include_bias)

    def account(self, state: Ranges, report: Report) -> None:
        """Report as every expansion does; say where rows are kept."""
        exact_ranges(state, report)
        if isinstance(self.centers, str) and self.centers == "rows":
            report.facts["n_rows_kept"] = len(state.given)
            if len(state.given) < self.n_centers:
                report.warnings.append(
                    f"only {len(state.given)} rows differ: there are fewer centres "
                    f"than n_centers = {self.n_centers}."
                )

    # -- use -----------------------------------------------------------------------
    def _expand(self, X: Any) -> Floats:
        mu, s = self.centers_.astype(X.dtype), self.width_.astype(X.dtype)
        if self._of_rows():
            middle = mu.mean(axis=0)
            A, C = X - middle, mu - middle
            d2 = (A * A).sum(axis=1)[:, None] + (C * C).sum(axis=1) - 2 * (A @ C.T)
            H = np.exp(np.maximum(d2, 0) / (-2 * s * s))  # (1)
        else:
            H = np.exp(-0.5 * ((X[:, :, None] - mu.T) / s[:, None]) ** 2)
        return with_ones(H.reshape(len(X), -1), self.include_bias)

    def _names(self, inputs: list[str]) -> list[str]:
        k, bias = len(self.centers_), ["1"] * int(self.include_bias)
        if self._of_rows():
            return bias + [f"rbf_{i}" for i in range(k)]
        return bias + [f"{name}_rbf_{i}" for name in inputs for i in range(k)]


def nearest_other(mu: Floats) -> float:
    """Return the mean distance of a centre to the nearest other one; never 0."""
    if len(mu) < 2:
        return 1.0
    C = mu - mu.mean(axis=0)
    sizes = (C * C).sum(axis=1)
    d2 = sizes[:, None] + sizes - 2 * C @ C.T
    np.fill_diagonal(d2, np.inf)
    apart = float(np.sqrt(np.maximum(d2.min(axis=1), 0.0)).mean())
    return apart if apart > 0 else 1.0
