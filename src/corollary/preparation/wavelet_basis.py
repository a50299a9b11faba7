"""Wavelet basis: a coarse picture and details on finer and finer scales.

Also known as: Haar basis, Daubechies wavelets, discrete wavelet transform, multiscale
basis.

An orthogonal filter c_0 ... c_{2N-1} defines a scaling function phi and a wavelet psi:

    phi(u) = sqrt 2 sum_m c_m phi(2u - m),   psi(u) = sqrt 2 sum_m g_m phi(2u - m)
    g_m = (-1)^m c_{2N-1-m}                                                      (1)

Haar has c = (1, 1)/sqrt 2.  Daubechies' filter of order N is the shortest whose wavelet
is orthogonal to 1, u, ..., u^{N-1}: N zeros of sum c_m z^m at -1, and of the others
those inside the unit circle.  The basis of an interval, wrapped around at its ends, is

    1,   psi_{jk}(u) = 2^{j/2} psi(2^j u - k),   j < J,   k < 2^j                (2)

with u = (x - a)/(b - a): 2^J functions, orthonormal on the interval.  They are
tabulated on a dyadic grid of 2^L points by running (1) upwards as the inverse transform
does, so that they are orthonormal on that grid as well, exactly,

    2^-L sum_i h_m(u_i) h_n(u_i) = [m = n],    u_i = i 2^-L                      (3)

and for all filters; Haar steps between the points, the others are joined by lines.

Notation: a = low_; b = high_; J = n_levels; L = resolution.
Course: S3-87. References: Daubechies (1988); Mallat (1989).
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, real, whole
from corollary.engine import Data
from corollary.engine.order_statistics import Ranges
from corollary.preparation.expansion import Expansion, RangesLearner

__all__ = ["WaveletBasis", "daubechies_filter"]

ORDERS = {"haar": 1, **{f"db{N}": N for N in range(1, 9)}}


class WaveletBasis(RangesLearner, Expansion):
    """Wavelets of each input on an interval.

    Parameters
    ----------
    wavelet : {'haar', 'db1', 'db2', ..., 'db8'}, default='haar'
        Haar's, or Daubechies' of an order N ('db1' is Haar's).
    n_levels : int, default=3
        Scales J: 2^J functions with the constant.
    low, high : float, optional
        Ends of the interval; by default the range of each input.
    extrapolation : {'constant', 'periodic', 'error'}, default='constant'
        What to do outside: hold x at the end, repeat, or refuse.
    resolution : int, default=12
        Points of the grid (3): 2^L; at least J.
    include_bias : bool, default=True
        Whether the constant, the coarsest scaling function, is among the columns.

    Attributes
    ----------
    low_, high_ : arrays of shape (d,)
        The interval of each input.
    n_features_out_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import WaveletBasis
    >>> model = WaveletBasis(n_levels=2, low=0.0, high=1.0).fit([[0.0], [1.0]])
    >>> model.transform([[0.0], [0.3]]).round(4).tolist()
    [[1.0, 1.0, 1.4142, 0.0], [1.0, 1.0, -1.4142, 0.0]]
    """

    shapes: ClassVar = {"low_": "d", "high_": "d"}
    rules: ClassVar = {
        "wavelet": one_of(*ORDERS),
        "n_levels": whole(0, 16),
        "low": missing | real(),
        "high": missing | real(),
        "extrapolation": one_of("constant", "periodic", "error"),
        "resolution": whole(1, 20),
        "include_bias": boolean,
    }

    def __init__(
        self,
        wavelet: str = "haar",
        *,
        n_levels: int = 3,
        low: float | None = None,
        high: float | None = None,
        extrapolation: str = "constant",
        resolution: int = 12,
        include_bias: bool = True,
    ) -> None:
        self.wavelet = wavelet
        self.n_levels = n_levels
        self.low = low
        self.high = high
        self.extrapolation = extrapolation
        self.resolution = resolution
        self.include_bias = include_bias

    # -- learning ------------------------------------------------------------------
    def _prepare(self, data: Data, seed: int) -> None:
        if self.resolution < self.n_levels:
            must = f"resolution must be at least n_levels = {self.n_levels}"
            raise ParameterError(sentence(self, must, f"{self.resolution}"))
        if not self.n_levels and not self.include_bias:
            must = "n_levels must be above 0 where include_bias is False"
            raise ParameterError(sentence(self, must, "0: no column left"))
        if self.low is not None and self.high is not None and self.low >= self.high:
            must = f"high must be above low = {self.low:g}"
            raise ParameterError(sentence(self, must, f"{self.high:g}"))

    def _learn(self, state: Ranges) -> None:
        a = state.low if self.low is None else np.full_like(state.low, self.low)
        b = state.high if self.high is None else np.full_like(state.high, self.high)
        b = np.where(b > a, b, a + 1.0)
        self.low_, self.high_ = a.astype(state.dtype), b.astype(state.dtype)

    def _columns(self) -> int:
        return self._width() * self.n_features_in_

    def _width(self) -> int:
        return 2**self.n_levels - int(not self.include_bias)

    # -- use -----------------------------------------------------------------------
    def _expand(self, X: Any) -> Floats:
        H = table(ORDERS[self.wavelet], self.n_levels, self.resolution)
        H = H[int(not self.include_bias) :].astype(X.dtype)  # (p, 2^L)
        points = H.shape[1]
        at = self._inside(X) * X.dtype.type(points)
        i = np.clip(at.astype(np.int64), 0, points - 1)
        values = H[:, i]  # (p, n, d)
        if ORDERS[self.wavelet] > 1:
            part = at - i
            values = values + part * (H[:, (i + 1) % points] - values)
        return np.ascontiguousarray(np.moveaxis(values, 0, -1)).reshape(len(X), -1)

    def _inside(self, X: Floats) -> Floats:
        """Return u of (2), in [0, 1]."""
        a, b = self.low_.astype(X.dtype), self.high_.astype(X.dtype)
        u = (X - a) / np.where(b > a, b - a, X.dtype.type(1))
        if self.extrapolation == "periodic":
            return u - np.floor(u)
        outside = (u < 0) | (u > 1)
        if self.extrapolation == "error" and outside.any():
            row, j = (int(i) for i in np.argwhere(outside)[0])
            must = f"X must lie in the interval from {a[j]:g} to {b[j]:g}"
            came = f"{X[row, j]:g} in row {row}, column {j}"
            raise DataError(sentence(self, must, came, "Use another extrapolation."))
        return np.clip(u, 0, 1)

    def _names(self, inputs: list[str]) -> list[str]:
        details = [(j, k) for j in range(self.n_levels) for k in range(2**j)]
        own = ["scaling"] * int(self.include_bias)
        own += [f"wavelet_{j}_{k}" for j, k in details]
        return [f"{name}_{function}" for name in inputs for function in own]


def daubechies_filter(N: int) -> Floats:
    """Return Daubechies' filter c of order N, 2N numbers with sum sqrt 2.

    Parameters
    ----------
    N : int
        From 1, Haar's, to 8.

    Returns
    -------
    array of shape (2 N,)

    Examples
    --------
    >>> daubechies_filter(1).round(4).tolist()
    [0.7071, 0.7071]
    >>> daubechies_filter(2).round(4).tolist()
    [0.483, 0.8365, 0.2241, -0.1294]
    """
    if not 1 <= N <= 8:
        must = "N must be a whole number from 1 to 8"
        raise ParameterError(sentence("daubechies_filter", must, f"{N}"))
    y = np.roots([comb(N - 1 + k, k) for k in range(N)][::-1])
    half = 1 - 2 * y  # y = (2 - z - 1/z)/4, so z^2 - 2 (1 - 2y) z + 1 = 0
    root = np.sqrt(half**2 - 1 + 0j)
    z = np.where(np.abs(half + root) < 1, half + root, half - root)
    c = np.real(np.poly(np.concatenate([-np.ones(N), z])))
    return c * (np.sqrt(2) / c.sum())


@cache
def table(N: int, J: int, L: int) -> Floats:
    """Return the functions (2) on the grid (3), (2^J, 2^L)."""
    c = daubechies_filter(N)
    g = c[::-1] * (-1.0) ** np.arange(2 * N)  # (1)
    rows = [np.ones((1, 2**L))]
    for j in range(J):
        # one wavelet of this scale, then the same moved along
        detail = upwards(np.eye(1, 2**j)[0], g)
        for _ in range(j + 1, L):
            detail = upwards(detail, c)
        step = 2 ** (L - j)
        moved = [np.roll(detail, k * step) for k in range(2**j)]
        rows.append(np.sqrt(2.0**L) * np.array(moved))
    out = np.concatenate(rows)
    out.setflags(write=False)
    return out


def upwards(coarse: Floats, filter_: Floats) -> Floats:
    """Return one step of the inverse transform, wrapped around: twice the points."""
    size = 2 * len(coarse)
    fine = np.zeros(size)
    for m, weight in enumerate(filter_):
        np.add.at(fine, (2 * np.arange(len(coarse)) + m) % size, weight * coarse)
    return fine
