"""Join the dots: piecewise-linear interpolation as a regression.

Also known as: piecewise linear nonparametric regression, linear interpolation, linear
spline with a knot at every point.

Sort the rows by x and average the y of equal x (with weights), which leaves dots
(x_i, m_i) with x_1 < ... < x_k; between two of them

    f(x) = (1 - t) m_i + t m_{i+1},    t = (x - x_i)/(x_{i+1} - x_i)             (1)

It goes through every dot: the training error is 0 where no x comes twice.  That is no
virtue.  With y = g(x) + noise of variance s2 a prediction has the noise of its dots,

    Var f(x) = ((1 - t)^2 + t^2) s2,   2/3 s2 on average over a gap              (2)

against about p s2/k for a line or a parabola with p weights, so new rows are missed by
5/3 s2 and the curvature.  What a row left out would be missed by needs no other fit:

    e_i = m_i - (1 - t) m_{i-1} - t m_{i+1},  t = (x_i - x_{i-1})/(x_{i+1} - x_{i-1})
    s2 is estimated by the mean of e_i^2 / (1 + (1 - t)^2 + t^2)                 (3)

for dots inside; at the ends, and beyond them, the curve is held at the last dot, goes
on straight, or refuses (`extrapolation`).  The dots are all that is learned, so the
model holds the distinct values of the training rows.

Notation: x = x_; m = y_; w = weight of each dot.
Course: S3-95. Reference: Moore (2001), tutorial on cross-validation.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import one_of, whole
from corollary.core.report import Optimality, Report
from corollary.core.roles import SingleRegressor
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner

__all__ = ["JoinTheDots"]


@dataclass(frozen=True)
class Dots(Statistics):
    """Distinct x, rising, with weight, mean and centred squares of their y."""

    x: Floats
    w: Floats
    m: Floats
    M2: Floats
    dtype: Any = np.float64  # of the data

    def __add__(self, other: Dots) -> Dots:
        pairs = ((self.x, other.x), (self.w, other.w), (self.m, other.m))
        x, w, m = (np.concatenate(pair) for pair in pairs)
        return joined(x, w, m, np.concatenate([self.M2, other.M2]), self.dtype)


def joined(x: Floats, w: Floats, m: Floats, M2: Floats, dtype: Any) -> Dots:
    """Average the dots of equal x, by their weights."""
    distinct, at = np.unique(x, return_inverse=True)
    k = len(distinct)
    weight: Any = np.bincount(at, weights=w, minlength=k)
    first = np.zeros(k)
    first[at] = m  # one of them, so that the rest are small differences
    mean = first + np.bincount(at, weights=w * (m - first[at]), minlength=k) / weight
    apart = M2 + w * (m - mean[at]) ** 2
    spread: Any = np.bincount(at, weights=apart, minlength=k)
    return Dots(distinct, weight, mean, spread, dtype)


class JoinTheDots(SummationLearner, SingleRegressor):
    """Piecewise-linear interpolation along one input.

    Parameters
    ----------
    column : int, default=0
        The input; the others are not used, and the report says so.
    extrapolation : {'constant', 'linear', 'error'}, default='constant'
        Beyond the first and the last dot: their y, the last piece going on, or an
        error.

    Attributes
    ----------
    x_ : array of shape (k,)
        Distinct values of the input.
    y_ : array of shape (k,)
        Mean target at each of them.
    noise_variance_ : float
        The estimate of s2 in (3); NaN with fewer than three dots.
    leave_one_out_error_ : float
        Mean squared error of rows left out one by one; NaN where it is not defined.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import JoinTheDots
    >>> model = JoinTheDots().fit([[0.0], [1.0], [1.0], [3.0]], [0.0, 1.0, 3.0, 4.0])
    >>> model.predict([[0.5], [1.0], [2.0], [9.0]]).tolist()
    [1.0, 2.0, 3.0, 4.0]
    """

    shapes: ClassVar = {"x_": "k", "y_": "k"}
    may_be_infinite = ("noise_variance_", "leave_one_out_error_")  # of few points
    rules: ClassVar = {
        "column": whole(0),
        "extrapolation": one_of("constant", "linear", "error"),
    }

    def __init__(self, column: int = 0, *, extrapolation: str = "constant") -> None:
        self.column = column
        self.extrapolation = extrapolation

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the dots, which are merged in pairs."""
        return rows * 140.0

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Check that the input exists."""
        d = data.source.n_features
        if self.column >= d:
            must = f"column must be below the number of columns = {d}"
            raise ParameterError(sentence(self, must, f"{self.column}"))

    def statistics(self, chunk: Chunk, state: Any) -> Dots:
        """Average the rows of equal x."""
        x, y = (np.asarray(v, np.float64) for v in (chunk.X[:, self.column], chunk.y))
        w = np.ones(chunk.n) if chunk.w is None else chunk.w.astype(np.float64)
        there = w > 0
        none = np.zeros(int(there.sum()))
        return joined(x[there], w[there], y[there], none, chunk.X.dtype)

    def update(self, s: Dots, state: Any) -> Dots:
        """Keep them."""
        return s

    def objective(self, s: Dots, state: Dots) -> float:
        """Return the sum of squared residuals: those of ties."""
        return float(s.M2.sum())

    def account(self, state: Dots, report: Report) -> None:
        """Report what zero training error costs."""
        report.optimality = Optimality("exact to rounding", 0.0)
        n = float(state.w.sum())
        noise = noise_variance(state)
        report.facts["n_dots"] = report.facts["n_rows_kept"] = len(state.x)
        report.facts["training_error"] = float(state.M2.sum()) / n
        report.facts["leave_one_out_error"] = left_out(state, self.extrapolation)
        if np.isfinite(noise):
            report.facts["noise_variance"] = noise
            report.facts["expected_error"] = 5 / 3 * noise  # (2)
        others = self.n_features_in_ - 1
        if others:
            report.warnings.append(
                f"only column {self.column} is used, for dots lie on a line; others: "
                f"{others}."
            )
        if len(state.x) < n:
            report.facts["n_ties"] = n - len(state.x)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        dots: Dots = fitted.state
        self.x_, self.y_ = dots.x.astype(dots.dtype), dots.m.astype(dots.dtype)
        self.noise_variance_ = noise_variance(dots)
        self.leave_one_out_error_ = left_out(dots, self.extrapolation)

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return (1) for each row."""
        X = self._query(X)
        x = X[:, self.column].astype(np.float64)
        outside = (x < self.x_[0]) | (x > self.x_[-1])
        if self.extrapolation == "error" and outside.any():
            row = int(np.argmax(outside))
            must = f"X must lie between the dots, {self.x_[0]:g} and {self.x_[-1]:g}"
            came = f"{x[row]:g} in row {row}"
            raise DataError(sentence(self, must, came, "Use another extrapolation."))
        return line_through(x, self.x_, self.y_, self.extrapolation).astype(X.dtype)


def line_through(at: Floats, x: Floats, m: Floats, beyond: str) -> Floats:
    """Return (1); beyond the ends the last y, or the last piece going on."""
    out = np.interp(at, x, m)
    if beyond == "linear" and len(x) > 1:
        for side, a, b in ((at < x[0], 0, 1), (at > x[-1], -1, -2)):
            out[side] = m[a] + (at[side] - x[a]) * (m[b] - m[a]) / (x[b] - x[a])
    return out


def noise_variance(dots: Dots) -> float:
    """Estimate s2 by (3), each dot's noise being s2 over its weight."""
    x, m, v = dots.x, dots.m, 1 / np.maximum(dots.w, 1.0)
    within, free = float(dots.M2.sum()), float(np.maximum(dots.w - 1, 0).sum())
    if len(x) < 3:
        return within / free if free > 0 else float("nan")
    t = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
    e = m[1:-1] - (1 - t) * m[:-2] - t * m[2:]
    squares = e**2 / (v[1:-1] + (1 - t) ** 2 * v[:-2] + t**2 * v[2:])
    return float((squares.sum() + within) / (len(e) + free))


def left_out(dots: Dots, beyond: str) -> float:
    """Return the mean squared error of rows left out one by one."""
    x, m, w = dots.x, dots.m, dots.w
    alone = w <= 1
    share = np.where(alone, 0.0, w / np.maximum(w - 1, 1e-300))
    total = float((np.where(alone, 0.0, dots.M2) * share**2).sum())  # the others stay
    if alone.any():
        if len(x) < 2 or (beyond == "error" and (alone[0] or alone[-1])):
            return float("nan")
        e = np.empty(len(x))
        t = (x[1:-1] - x[:-2]) / (x[2:] - x[:-2])
        e[1:-1] = m[1:-1] - (1 - t) * m[:-2] - t * m[2:]
        e[0] = m[0] - line_through(x[:1], x[1:], m[1:], beyond)[0]
        e[-1] = m[-1] - line_through(x[-1:], x[:-1], m[:-1], beyond)[0]
        total += float((w * e**2)[alone].sum())
    return total / float(w.sum())
