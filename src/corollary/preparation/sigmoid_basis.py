"""Sigmoid basis functions: soft steps along each input.

Also known as: sigmoidal basis functions, soft steps, hidden units with fixed weights.

    h_j(x) = sigma((x - mu_j) / s),    sigma(a) = 1 / (1 + exp(-a))              (1)

1/2 at its centre, 0.731 at the distance s beyond it.  tanh(a) = 2 sigma(2 a) - 1, so a
basis of hyperbolic tangents of twice the width spans the same functions with the
constant.  Centres are put on each input evenly, at its quantiles, or as given; the
width is given or the distance of neighbouring centres.

Notation: mu = centers_; s = width_.
Course: S3-87. Reference: Bishop (2006), 3.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.special import expit

from corollary.core.arrays import Floats
from corollary.core.parameters import array_like, boolean, one_of, real, whole
from corollary.engine.order_statistics import Ranges
from corollary.preparation.expansion import (
    Expansion,
    RangesLearner,
    centres_of_features,
    spacing,
    with_ones,
)

__all__ = ["SigmoidBasis"]


class SigmoidBasis(RangesLearner, Expansion):
    """Soft steps along each input.

    Parameters
    ----------
    n_centers : int, default=10
        Steps k of each input; not used with given centres.
    centers : {'grid', 'quantile'} or array of shape (k,) or (k, d), default='grid'
        Where they are.
    width : 'spacing' or float, default='spacing'
        Width s, or the mean distance of a centre to the next.
    include_bias : bool, default=False
        Whether a column of ones comes first; linear models have an intercept.

    Attributes
    ----------
    centers_ : array of shape (k, d)
    width_ : array of shape (d,)
    n_features_out_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import SigmoidBasis
    >>> model = SigmoidBasis(centers=[0.0, 1.0], width=1.0).fit([[0.0], [2.0]])
    >>> model.transform([[1.0]]).round(4).tolist()
    [[0.7311, 0.5]]
    """

    shapes: ClassVar = {"centers_": "k d", "width_": "d"}
    rules: ClassVar = {
        "n_centers": whole(1),
        "centers": one_of("grid", "quantile") | array_like,
        "width": one_of("spacing") | real(0, ends="(]"),
        "include_bias": boolean,
    }

    def __init__(
        self,
        n_centers: int = 10,
        *,
        centers: Any = "grid",
        width: Any = "spacing",
        include_bias: bool = False,
    ) -> None:
        self.n_centers = n_centers
        self.centers = centers
        self.width = width
        self.include_bias = include_bias

    def _asked(self) -> Any:
        quantile = isinstance(self.centers, str) and self.centers == "quantile"
        return np.linspace(0, 1, self.n_centers) if quantile else ()

    def _learn(self, state: Ranges) -> None:
        mu = centres_of_features(self, self.centers, self.n_centers, state)
        s = spacing(mu)
        if not isinstance(self.width, str):
            s = np.full_like(s, self.width)
        self.centers_, self.width_ = mu.astype(state.dtype), s.astype(state.dtype)

    def _columns(self) -> int:
        return self.centers_.size + int(self.include_bias)

    def _expand(self, X: Any) -> Floats:
        mu, s = self.centers_.astype(X.dtype), self.width_.astype(X.dtype)
        H = expit((X[:, :, None] - mu.T) / s[:, None])  # (1)
        return with_ones(H.reshape(len(X), -1), self.include_bias)

    def _names(self, inputs: list[str]) -> list[str]:
        k, bias = len(self.centers_), ["1"] * int(self.include_bias)
        return bias + [f"{name}_sigmoid_{i}" for name in inputs for i in range(k)]
