"""Fourier basis: sines and cosines of each input.

Also known as: trigonometric regression, harmonic regression, seasonal terms.

    h(x) = cos(2 pi k (x - x_0)/T),  sin(2 pi k (x - x_0)/T),   k = 1 ... K      (1)

for each input, with the constant first where asked.  On N > 2 K points spread evenly
over one period the columns are orthogonal,

    sum_n cos_j cos_k = sum_n sin_j sin_k = (N/2) [j = k],   sum_n cos_j sin_k = 0 (2)

so the least-squares weights are the coefficients of a discrete Fourier transform.  The
period T is given, with x_0 = 0, or the range of the input, with x_0 its lowest value:
then f(lowest) = f(highest), which is right for a cycle only.

Notation: T = period_; x_0 = origin_; K = n_harmonics.
Course: S3-87. Reference: Bishop (2006), 3.1.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import array_like, boolean, missing, real, whole
from corollary.core.vectors import numbers
from corollary.engine.order_statistics import Ranges
from corollary.preparation.expansion import Expansion, RangesLearner, with_ones

__all__ = ["FourierBasis"]


class FourierBasis(RangesLearner, Expansion):
    """Sines and cosines of each input.

    Parameters
    ----------
    n_harmonics : int, default=3
        Harmonics K: frequencies 1/T, 2/T, ..., K/T.
    period : float, array of shape (d,) or None
        Period T, one for all inputs or one for each; by default the range of each.
    include_bias : bool, default=False
        Whether a column of ones comes first; linear models have an intercept.

    Attributes
    ----------
    period_ : array of shape (d,)
    origin_ : array of shape (d,)
        Where each cosine is 1.
    n_features_out_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import FourierBasis
    >>> model = FourierBasis(n_harmonics=1, period=24.0).fit([[0.0], [12.0]])
    >>> model.transform([[0.0], [6.0]]).round(4).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    shapes: ClassVar = {"period_": "d", "origin_": "d"}
    rules: ClassVar = {
        "n_harmonics": whole(1),
        "period": missing | real(0, ends="(]") | array_like,
        "include_bias": boolean,
    }

    def __init__(
        self,
        n_harmonics: int = 3,
        *,
        period: Any = None,
        include_bias: bool = False,
    ) -> None:
        self.n_harmonics = n_harmonics
        self.period = period
        self.include_bias = include_bias

    def _learn(self, state: Ranges) -> None:
        d = self.n_features_in_
        if self.period is None:
            T = state.high - state.low
            T, origin = np.where(T > 0, T, 1.0), state.low
        else:
            T, origin = self._given(d), np.zeros(d)
        self.period_, self.origin_ = T.astype(state.dtype), origin.astype(state.dtype)

    def _columns(self) -> int:
        return 2 * self.n_harmonics * self.n_features_in_ + int(self.include_bias)

    def _given(self, d: int) -> Floats:
        T = numbers(self, self.period, "period", ParameterError)
        if T.shape not in ((), (d,)):
            must = f"period must be one number or one for each of the {d} inputs"
            raise ParameterError(sentence(self, must, f"shape {T.shape}"))
        if T.min() <= 0:
            raise ParameterError(sentence(self, "period must be > 0", f"{T.min():g}"))
        return np.broadcast_to(T, (d,))

    def _expand(self, X: Any) -> Floats:
        turns = (X - self.origin_.astype(X.dtype)) / self.period_.astype(X.dtype)
        turns -= np.floor(turns)  # whole turns change nothing and cost digits
        k = np.arange(1, self.n_harmonics + 1, dtype=X.dtype)
        angles = X.dtype.type(2 * np.pi) * turns[:, :, None] * k
        H = np.stack([np.cos(angles), np.sin(angles)], axis=-1)  # (1)
        return with_ones(H.reshape(len(X), -1), self.include_bias)

    def _names(self, inputs: list[str]) -> list[str]:
        waves = [(k, f) for k in range(1, self.n_harmonics + 1) for f in ("cos", "sin")]
        bias = ["1"] * int(self.include_bias)
        return bias + [f"{name}_{f}_{k}" for name in inputs for k, f in waves]
