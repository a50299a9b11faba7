"""Splines: piecewise polynomials that join smoothly, as a basis.

Also known as: B-splines, basis splines, regression splines, truncated power basis,
natural cubic splines, restricted cubic splines.

A spline of degree p is a polynomial of degree p between neighbouring knots t_i, with
p - 1 continuous derivatives at them.  Three bases (`kind`) for each input:

B-splines, by Cox and de Boor's recursion, p + 1 of which are not 0 at any x and add
up to 1:

    B_{i,0}(x) = 1 where t_i <= x < t_{i+1},  else 0                             (1)
    B_{i,p}(x) = (x - t_i)/(t_{i+p} - t_i) B_{i,p-1}(x)
                 + (t_{i+p+1} - x)/(t_{i+p+1} - t_{i+1}) B_{i+1,p-1}(x)          (2)

truncated powers, which span the same functions but are nearly dependent:

    1, x, ..., x^p,  (x - t_i)_+^p  for the knots inside                         (3)

and the natural cubic splines, straight lines beyond the outer knots t_1, t_K:

    1, x,  D_i(x) - D_{K-1}(x),  i = 1 ... K - 2,
    D_i(x) = [(x - t_i)_+^3 - (x - t_K)_+^3] / (t_K - t_i)                       (4)

Beyond the outer knots B-splines are held constant, go on straight, go on as the
polynomials they are, or repeat.  The first and the last p knots, which only (2) needs,
go on with the distance of the two outermost; x in (3) and (4) is measured from the
first knot, in units of the range of the knots, which changes no fit and keeps digits.

Notation: p = degree; t = knots_ (without those that only (2) needs).
Course: S3-87. References: de Boor (1978); Hastie, Tibshirani, Friedman (2009), 5.2.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, boolean, one_of, whole
from corollary.core.vectors import numbers
from corollary.engine import Data
from corollary.engine.order_statistics import Ranges
from corollary.preparation.expansion import Expansion, RangesLearner

__all__ = ["SplineTransformer"]

HIGHEST = 100  # degree: (2) takes its square in steps


class SplineTransformer(RangesLearner, Expansion):
    """Splines of each input.

    Parameters
    ----------
    n_knots : int, default=5
        Knots K of each input, the outer ones included; not used with given knots.
    degree : int, default=3
        Degree p of the pieces, at most 100; the natural splines are cubic.
    knots : {'uniform', 'quantile'} or array of shape (K, d), default='uniform'
        Evenly over the range of each input, at its quantiles, or given.
    extrapolation : {'error', 'constant', 'linear', 'continue', 'periodic'}
        What to do beyond the outer knots.  The kinds 'truncated-power' and 'natural'
        know 'error' and 'continue' only, and take 'constant', the default, for x held
        at the outer knot.
    include_bias : bool, default=True
        Whether the columns of an input span the constants; False leaves out the last
        B-spline, or the constant.
    order : {'C', 'F'}, default='C'
        Layout of a dense result.
    handle_missing : {'error', 'zeros'}, default='error'
        Missing values (NaN) are refused, or all splines of one are 0.
    sparse_output : bool, default=False
        Whether B-splines come as a CSR matrix: p + 1 of an input are not 0.
    kind : {'b-spline', 'truncated-power', 'natural'}, default='b-spline'
        The basis: (2), (3) or (4).

    Attributes
    ----------
    knots_ : array of shape (K, d)
        The knots from the first to the last.
    n_features_out_ : int
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import SplineTransformer
    >>> X = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> model = SplineTransformer(n_knots=3, degree=2).fit(X)
    >>> model.transform([[0.0], [1.0]]).tolist()
    [[0.5, 0.5, 0.0, 0.0], [0.125, 0.75, 0.125, 0.0]]
    """

    shapes: ClassVar = {"knots_": "K d"}
    rules: ClassVar = {
        "n_knots": whole(2),
        "degree": whole(0, HIGHEST),
        "knots": one_of("uniform", "quantile") | array_like,
        "extrapolation": one_of("error", "constant", "linear", "continue", "periodic"),
        "include_bias": boolean,
        "order": one_of("C", "F"),
        "handle_missing": one_of("error", "zeros"),
        "sparse_output": boolean,
        "kind": one_of("b-spline", "truncated-power", "natural"),
    }

    def __init__(
        self,
        n_knots: int = 5,
        degree: int = 3,
        *,
        knots: Any = "uniform",
        extrapolation: str = "constant",
        include_bias: bool = True,
        order: str = "C",
        handle_missing: str = "error",
        sparse_output: bool = False,
        kind: str = "b-spline",
    ) -> None:
        self.n_knots = n_knots
        self.degree = degree
        self.knots = knots
        self.extrapolation = extrapolation
        self.include_bias = include_bias
        self.order = order
        self.handle_missing = handle_missing
        self.sparse_output = sparse_output
        self.kind = kind

    # -- learning ------------------------------------------------------------------
    def takes_missing(self) -> bool:
        """Tell whether NaN stands for a missing value."""
        return self.handle_missing == "zeros"

    def _prepare(self, data: Data, seed: int) -> Floats | None:
        """Check that the choices go together; return the knots that are given."""
        known = ("error", "constant", "continue")
        if self.kind != "b-spline" and self.extrapolation not in known:
            must = f"extrapolation of kind={self.kind!r} must be one of {known}"
            raise ParameterError(sentence(self, must, f"{self.extrapolation!r}"))
        if self.kind != "b-spline" and self.sparse_output:
            must = "sparse_output needs kind='b-spline': other bases are dense"
            raise ParameterError(sentence(self, must, f"kind={self.kind!r}"))
        if self.kind == "natural" and self.degree != 3:
            must = "degree must be 3 for kind='natural'"
            raise ParameterError(sentence(self, must, f"{self.degree}"))
        t = None if isinstance(self.knots, str) else self._given(data.source.n_features)
        count = self.n_knots if t is None else len(t)
        if self.extrapolation == "periodic" and count <= self.degree:
            must = f"Periodic splines require degree < n_knots = {count}"
            raise ParameterError(sentence(self, must, f"degree = {self.degree}"))
        return t

    def _given(self, d: int) -> Floats:
        t = numbers(self, self.knots, "knots", ParameterError)
        if t.ndim != 2 or t.shape[1] != d or len(t) < 2:
            must = f"knots must have shape (K, {d}) with K >= 2"
            raise ParameterError(sentence(self, must, f"shape {t.shape}"))
        if (np.diff(t, axis=0) <= 0).any():
            j = int(np.argmax((np.diff(t, axis=0) <= 0).any(axis=0)))
            must = "knots must be sorted without duplicates"
            raise ParameterError(sentence(self, must, f"{t[:, j].tolist()}"))
        return t

    def _asked(self) -> Any:
        quantiles = isinstance(self.knots, str) and self.knots == "quantile"
        return np.linspace(0, 1, self.n_knots) if quantiles else ()

    def _learn(self, state: Ranges) -> None:
        if state.given is not None:
            t = state.given
        elif self.knots == "quantile":
            t = state.quantiles
        else:
            t = np.linspace(state.low, state.high, self.n_knots)
        self.knots_ = t.astype(state.dtype)

    def _columns(self) -> int:
        return self._width() * self.n_features_in_

    def _check_learned(self) -> None:
        if (np.diff(self.knots_, axis=0) < 0).any():
            raise ParameterError(sentence(self, "knots_ must rise", "falling ones"))

    def _width(self) -> int:
        """Return the columns that are made of one input."""
        K, left_out = len(self.knots_), int(not self.include_bias)
        if self.kind == "natural":
            return K - left_out
        if self.extrapolation == "periodic":
            return K - 1 - left_out
        return K + self.degree - 1 - left_out

    # -- use -----------------------------------------------------------------------
    @property
    def bsplines_(self) -> list[Any]:
        """The B-splines of each input as `scipy.interpolate.BSpline` objects."""
        from scipy.interpolate import BSpline

        out = []
        for base in self.knots_.T.astype(np.float64):
            if base[0] == base[-1]:  # a column that does not vary, or has no value
                base = base[0] + np.linspace(0.0, 1.0, len(base))
            t = self._extended(base)
            n = len(t) - self.degree - 1
            c = np.eye(n)
            periodic = self.extrapolation == "periodic"
            if periodic:  # the last p are the first p over again
                c = c[np.arange(n) % (len(base) - 1), : len(base) - 1]
            end = "periodic" if periodic else self.extrapolation == "continue"
            out.append(BSpline(t, c, self.degree, extrapolate=end))
        return out

    def _extended(self, base: Floats) -> Floats:
        """Add the p knots on either side that only (2) needs."""
        p = self.degree
        if self.extrapolation == "periodic":
            period = base[-1] - base[0]
            left, right = base[-p - 1 : -1] - period, base[1 : p + 1] + period
        else:
            steps = np.arange(1, p + 1)
            left = base[0] - (base[1] - base[0]) * steps[::-1]
            right = base[-1] + (base[-1] - base[-2]) * steps
        return np.concatenate([left, base, right])

    def _names(self, inputs: list[str]) -> list[str]:
        return [f"{name}_sp_{i}" for name in inputs for i in range(self._width())]

    def _expand(self, X: Any) -> Matrix:
        n, d, width = len(X), X.shape[1], self._width()
        self._check_inside(X)
        missing = np.isnan(X)
        if missing.any():
            X = np.where(missing, self.knots_[0], X)
        if self.kind == "b-spline" and self.sparse_output:
            return self._sparse(X, missing)
        kept = width + (self.kind == "b-spline" and not self.include_bias)
        out = np.zeros((n, d, kept), dtype=X.dtype)
        entries = out.reshape(-1)
        begin = np.arange(n)[:, None] * (d * kept)  # of a row
        for j in range(d):
            base = self.knots_[:, j].astype(np.float64)
            if self.kind != "b-spline":
                out[:, j] = self._powers(X[:, j], base)[:, int(not self.include_bias) :]
                continue
            place, values = self._local(X[:, j], base)
            place += begin + j * kept
            if self.extrapolation != "periodic":
                entries[place] = values
                continue
            for at, value in zip(place.T, values.T, strict=True):  # some may meet
                entries[at] += value
        out[missing] = 0.0
        layout: Any = self.order
        return np.asarray(out[:, :, :width].reshape(n, d * width), order=layout)

    def _check_inside(self, X: Floats) -> None:
        if self.extrapolation != "error":
            return
        outside = (self.knots_[0] > X) | (self.knots_[-1] < X)
        if outside.any():
            row, j = (int(i) for i in np.argwhere(outside)[0])
            low, high = self.knots_[[0, -1], j]
            must = f"X must lie between the outer knots, {low:g} and {high:g}"
            came = f"{X[row, j]:g} in row {row}, column {j}"
            raise DataError(sentence(self, must, came, "Use another extrapolation."))

    def _local(self, x: Floats, base: Floats) -> tuple[Vector, Floats]:
        """Return the p + 1 columns that are not 0 for each x, and their values."""
        x = x.astype(np.float64)
        p, t = self.degree, self._extended(base)
        low, high = base[0], base[-1]
        if self.extrapolation == "periodic":
            x = low + (x - low) % (high - low) if high > low else np.full_like(x, low)
        held = np.minimum(np.maximum(x, low), high)
        at = x if self.extrapolation == "continue" else held
        last = max(p, int(np.searchsorted(t, high)) - 1)  # the last that is no point
        i = np.searchsorted(t, held, side="right") - 1
        i = np.minimum(np.maximum(i, p), last)
        values = cox_de_boor(at, t, i, p)
        beyond = x != held
        if self.extrapolation == "linear" and p and beyond.any():
            slopes = slopes_of(held[beyond], t, i[beyond], p)
            values[beyond] += (x - held)[beyond, None] * slopes
        place = i[:, None] - p + np.arange(p + 1)
        if self.extrapolation == "periodic":
            place %= len(base) - 1
        return place, values

    def _powers(self, x: Floats, base: Floats) -> Floats:
        """Return (3) or (4), in units of the range of the knots."""
        x = x.astype(np.float64)
        x = x if self.extrapolation == "continue" else np.clip(x, base[0], base[-1])
        unit = base[-1] - base[0] if base[-1] > base[0] else 1.0
        u, t = (x - base[0])[:, None] / unit, (base - base[0]) / unit
        if self.kind == "truncated-power":
            powers = u ** np.arange(self.degree + 1)
            beyond = np.where(u >= t[1:-1], (u - t[1:-1]) ** self.degree, 0.0)
            return np.hstack([powers, beyond])
        apart = np.where(t[-1] > t[:-1], t[-1] - t[:-1], 1.0)
        ends = np.maximum(u - t[-1], 0.0) ** 3
        D = (np.maximum(u - t[:-1], 0.0) ** 3 - ends) / apart
        return np.hstack([np.ones_like(u), u, D[:, :-1] - D[:, -1:]])

    def _sparse(self, X: Floats, missing: Vector) -> Any:
        n, d, width = len(X), X.shape[1], self._width()
        columns, data = [], []
        for j in range(d):
            place, values = self._local(X[:, j], self.knots_[:, j].astype(np.float64))
            values = np.where((place < width) & ~missing[:, j, None], values, 0.0)
            columns.append(np.minimum(place, width - 1) + j * width)
            data.append(values)
        column, value = np.hstack(columns), np.hstack(data).astype(X.dtype)
        rows = np.repeat(np.arange(n), column.shape[1])
        entries = (value.ravel(), (rows, column.ravel()))
        out = sp.csr_array(sp.coo_array(entries, shape=(n, d * width)))
        out.eliminate_zeros()
        return out


def cox_de_boor(x: Floats, t: Floats, i: Vector, p: int) -> Floats:
    """Return B_{i-p,p}(x) ... B_{i,p}(x) for t_i <= x < t_{i+1}, (n, p + 1), by (2)."""
    near = {m: t[i + m] for m in range(1 - p, p + 1)}  # the knots around x
    away = {m: knot - x if m > 0 else x - knot for m, knot in near.items()}
    meet = p > 0 and not (near[1] > near[0]).all()
    B = [np.ones(len(x))]  # (1)
    for k in range(1, p + 1):
        carried = np.zeros(len(x))
        for r in range(k):
            left, right = r + 1 - k, r + 1
            apart = near[right] - near[left]
            share = B[r] / (np.where(apart == 0, 1.0, apart) if meet else apart)
            B[r] = carried + away[right] * share
            carried = away[left] * share
        B.append(carried)
    return np.array(B).T


def slopes_of(x: Floats, t: Floats, i: Vector, p: int) -> Floats:
    """Return the derivatives of the same: p (B_{j,p-1}/.. - B_{j+1,p-1}/..)."""
    lower = cox_de_boor(x, t, i, p - 1)  # B_{i-p+1,p-1} ... B_{i,p-1}
    apart = np.stack([t[i + r + 1] - t[i + r + 1 - p] for r in range(p)], axis=1)
    ratio = p * lower / np.where(apart > 0, apart, 1.0)
    edge = np.zeros((len(x), 1))
    return np.hstack([edge, ratio]) - np.hstack([ratio, edge])
