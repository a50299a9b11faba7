"""Huber's robust regression, with the scale of the noise found beside it.

Also known as: Huber regression, M-estimation, proposal 2, concomitant scale.

Squares for small residuals, absolute values for large ones, and a scale sigma that says
which is which, all in one convex problem:

    F(w, b, sigma) = sum_n s_n [sigma + sigma H((x_n'w + b - y_n) / sigma)]
                     + alpha ||w||^2,
    H(z) = z^2  for |z| <= epsilon,   2 epsilon |z| - epsilon^2  beyond             (1)

With z the scaled residuals and t = z cut off at +-epsilon, H(z) = t (2z - t), and

    dF/dw = sum_n 2 s_n t_n x_n + 2 alpha w,     dF/db = sum_n 2 s_n t_n            (2)
    dF/dsigma = N - sum_n s_n t_n^2,             N = sum_n s_n                      (3)

So the pull of a row is bounded, and by (3) the mean square of what is cut off is 1:
sigma grows with y, which makes the fit indifferent to its units.  As epsilon grows, (1)
becomes least squares with sigma^2 the mean of the squared residuals; epsilon = 1.35
loses 5 % of the efficiency of least squares where the noise is Gaussian.  Rows with
|z| > epsilon are the outliers.  The pull of rows with wild x is not bounded.

The minimum is found by L-BFGS over (w, b, log sigma), one pass over any data a step,
from least squares, preconditioned by the covariance of x.  The gap of (1) to its dual
(`objectives/duality.py`) says how far it is at most.

Notation: X (n, d); w = coef_; b = intercept_; sigma = scale_; s = sample_weight.
Course: S2-17, S4-10. References: Huber (1981), 7.7; Owen (2007).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.linalg as sla

from corollary.core.arrays import Floats, Vector
from corollary.core.parameters import boolean, real, whole
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.core.roles import SingleRegressor, total_weight
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Moments,
    Settled,
    Statistics,
    SummationLearner,
    Variances,
)
from corollary.linear.convex_statements import huber_problem
from corollary.linear_algebra.decompositions import cho_factor
from corollary.objectives.duality import scaled_huber_gap
from corollary.solvers import lbfgs
from corollary.solvers.normal_equations import raw

__all__ = ["HuberRegressor"]

SOME = 500  # columns whose covariance preconditions; more have their variances
FLAT = 1e-12  # added to the correlations of columns with themselves
EXACT = 1e-9  # a sigma, in units of y's spread, that is none: F can fall no further
EPS = float(np.finfo(np.float64).eps)


@dataclass(frozen=True)
class Spreads(Statistics):
    """The variances of the columns and of y, where covariances would be too many."""

    x: Variances
    y: Variances


@dataclass(frozen=True)
class HuberSums(Statistics):
    """What a chunk contributes to (1), (2) and (3), of t > 0 and of t < 0."""

    n: float
    h: float  # sum s H(z)
    t: Floats  # (2,) sums of s t
    t2: Floats  # (2,) of s t^2
    tz: Floats  # (2,) of s t z
    tx: Floats  # (2, d) of s t x


@dataclass(frozen=True)
class Units:
    """The coordinates of the search: x and y about their means, of spread 1."""

    mean_x: Floats  # (d,)
    spread_x: Floats  # (d,)
    mean_y: float
    spread_y: float
    correlations: Any  # (d, d) of x, None where they would be too many
    intercept: bool

    def model(self, theta: Floats) -> tuple[Floats, float, float]:
        """Return w, b and sigma for x as it comes and y in its units."""
        w = theta[:-2] / self.spread_x
        sigma = float(np.exp(theta[-1]))
        return w, float(theta[-2] - self.mean_x @ w), sigma


@dataclass(frozen=True)
class HuberState:
    """The state: the search, its coordinates, and the gap at its end."""

    units: Units
    search: lbfgs.LBFGSState
    dtype: Any
    n: float = 0.0
    gap: float | None = None  # relative to the objective
    kept: Vector | None = None  # which rows weigh something
    outliers: float = 0.0


class HuberRegressor(SummationLearner, SingleRegressor):
    """Linear regression that large residuals pull no more than others.

    Parameters
    ----------
    epsilon : float, default=1.35
        At least 1; the smaller, the more rows count as outliers.
    max_iter : int, default=100
        Passes over the data after the first, which looks at the start.
    alpha : float, default=0.0001
        Strength of the penalty on w.
    warm_start : bool, default=False
        Whether to start from the last fit.
    fit_intercept : bool, default=True
        Whether to fit b, which is not penalised.
    tol : float, default=1e-5
        Stop when the largest entry of the gradient of (1), with the features and y in
        units of their spread, is below.

    Attributes
    ----------
    coef_ : array of shape (d,)
    intercept_ : float
    scale_ : float
        sigma.
    outliers_ : array of bool of shape (n,)
        The rows with a residual beyond epsilon sigma; only where the data is in memory.
        Rows of weight 0 are not looked at and not among them.
    n_iter_ : int
        Passes after the first.
    n_features_in_ : int
    report_ : Report
        With the duality gap.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import HuberRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> y = 2 * X[:, 0] + 1 + np.tile([0.1, -0.1], 10)
    >>> y[3] = 500.0
    >>> model = HuberRegressor().fit(X, y)
    >>> model.coef_.round(1).tolist(), bool(model.outliers_[3])
    ([2.0], True)
    """

    takes_sparse = True
    looks_first = True  # the first pass looks at the start
    shapes: ClassVar = {"coef_": "d", "intercept_": ""}
    rules: ClassVar = {
        "epsilon": real(1),
        "max_iter": whole(0),
        "alpha": real(0),
        "warm_start": boolean,
        "fit_intercept": boolean,
        "tol": real(0),
    }
    convex_problem = huber_problem

    def __init__(
        self,
        *,
        epsilon: float = 1.35,
        max_iter: int = 100,
        alpha: float = 0.0001,
        warm_start: bool = False,
        fit_intercept: bool = True,
        tol: float = 1e-05,
    ) -> None:
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.warm_start = warm_start
        self.fit_intercept = fit_intercept
        self.tol = tol

    # -- learning ------------------------------------------------------------------
    def max_passes(self) -> int:
        """Bound the number of passes; the first looks at the start."""
        return 1 + int(self.max_iter)

    def start(self, data: Data, seed: int) -> HuberState:
        """Take the spread of x and y, and least squares for a start."""
        d, source = data.source.n_features, data.source
        few = d <= SOME
        total: Any = data.reduce(covariances if few else variances)
        units = coordinates(total, d, bool(self.fit_intercept))
        theta = least_squares(total, units, self._alpha(units))
        if self.warm_start and len(getattr(self, "coef_", ())) == d:
            theta = self._last(units)
        kept = getattr(source, "kept", None)
        return HuberState(units, lbfgs.begin(theta), source.dtype, kept=kept)

    def _last(self, units: Units) -> Floats:
        """Return the point of the last fit."""
        w = self.coef_.astype(np.float64) / units.spread_y
        b = (float(self.intercept_) - units.mean_y) / units.spread_y
        centre = b + float(units.mean_x @ w) if units.intercept else 0.0
        scale = max(float(self.scale_) / units.spread_y, EPS)
        return np.concatenate([w * units.spread_x, [centre, np.log(scale)]])

    def statistics(self, chunk: Chunk, state: HuberState) -> HuberSums:
        """Sum (1), (2) and (3) at the trial point."""
        return sums_at(chunk, state.units, state.search.trial, float(self.epsilon))

    def update(self, s: HuberSums, state: HuberState) -> HuberState:
        """Take a step of the search."""
        units, theta = state.units, state.search.trial
        with np.errstate(over="ignore", invalid="ignore"):
            f, g = self._value(s, units, theta)
        sigma = float(np.exp(state.search.x[-1]))
        inverse = curvature_inverse(units, sigma, s.n, self._alpha(units))
        search = lbfgs.step(state.search, f, g, inverse, EPS)
        return replace(state, search=search, n=s.n)

    def _alpha(self, units: Units) -> Floats:
        """Return the weight of each squared coordinate in the penalty."""
        return float(self.alpha) * units.spread_y / units.spread_x**2

    def _value(self, s: HuberSums, units: Units, theta: Floats) -> tuple[float, Floats]:
        """Return (1) and its gradient, in the units of the search."""
        w, sigma, a = theta[:-2], float(np.exp(theta[-1])), self._alpha(units)
        slope = sigma * (s.n - float(s.t2.sum()))  # (3), times dsigma / dlog sigma
        t, tx = float(s.t.sum()), s.tx.sum(axis=0)
        tx = (tx - units.mean_x * t) / units.spread_x
        g = np.concatenate(
            [2 * tx + 2 * a * w, [2 * t if units.intercept else 0.0, slope]]  # (2)
        )
        return sigma * (s.n + s.h) + float(a @ w**2), g

    def objective(self, s: HuberSums, state: HuberState) -> float:
        """Return (1) where the search stands."""
        return state.units.spread_y * state.search.f

    def stop(self, state: HuberState) -> StopReason | None:
        """Stop when the gradient is small, or as small as rounding lets it be."""
        norm = state.search.gradient_norm()
        exact = state.search.g is not None and np.exp(state.search.x[-1]) <= EXACT
        if norm <= self.tol or exact:
            return StopReason.CONVERGED
        if not state.search.stalled:
            return None
        near = norm <= max(self.tol, 1e-8) * state.n
        return StopReason.CONVERGED if near else StopReason.STALLED

    def settle(self, data: Data, state: HuberState) -> Settled:
        """Take the gap, and tell the outliers."""
        units, x, epsilon = state.units, state.search.x, float(self.epsilon)
        s = data.reduce(partial(sums_at, units=units, theta=x, epsilon=epsilon))
        f, _ = self._value(s, units, x)
        w, _, sigma = units.model(x)
        gap = scaled_huber_gap(
            (s.n, s.t, s.t2, s.tz, s.tx - np.outer(s.t, units.mean_x)),
            w,
            sigma,
            float(self.alpha) * units.spread_y,
            intercept=units.intercept,
        )
        share = None if gap is None or f <= 0 else min(gap / f, 1.0)  # F >= 0
        state = replace(state, gap=share)
        if not data.source.in_memory:
            return Settled(state, None, units.spread_y * f)
        marks = partial(marked, units=units, theta=x, epsilon=epsilon)
        (out,) = data.rows(marks)
        state = replace(state, outliers=float(out.sum()))
        return Settled(state, (out,), units.spread_y * f)

    def account(self, state: HuberState, report: Report) -> None:
        """Report the gap, the scale and the outliers."""
        f, units = report.objective[-1], state.units
        norm = state.search.gradient_norm()
        if state.gap is not None:
            gap = stored_gap(state.gap * f, f, state.dtype)
            report.optimality = Optimality("duality gap", gap, gap / f if f else None)
        else:
            report.optimality = Optimality("largest entry of the gradient is", norm)
        report.facts["solver"] = "L-BFGS, preconditioned by the covariance of x"
        if units.correlations is None:
            report.facts["solver"] = "L-BFGS, preconditioned by the variances of x"
        report.facts["gradient"] = norm
        report.facts["noise_scale"] = units.spread_y * float(np.exp(state.search.x[-1]))
        if state.outliers:
            report.facts["n_outliers"] = round(state.outliers)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: HuberState = fitted.state
        units, dtype = state.units, state.dtype
        w, b, sigma = units.model(state.search.x)
        self.coef_ = (w * units.spread_y).astype(dtype)
        b = units.mean_y + units.spread_y * b if units.intercept else 0.0
        self.intercept_ = dtype.type(b) if self.fit_intercept else 0.0
        self.scale_ = units.spread_y * sigma
        self.n_iter_ = fitted.report.passes - 1
        self.__dict__.pop("outliers_", None)
        if fitted.rows is not None:
            out = fitted.rows[0]
            if state.kept is not None:
                every = np.zeros(len(state.kept), dtype=bool)
                every[state.kept] = out
                out = every
            self.outliers_ = out

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return X w + b."""
        X = self._query(X)
        return X @ self.coef_.astype(X.dtype) + X.dtype.type(self.intercept_)


# -- sums over rows --------------------------------------------------------------------
def covariances(chunk: Chunk) -> Moments:
    """Take means and covariances of x and y."""
    return Moments.of(chunk.X, chunk.w, chunk.y[:, None])


def variances(chunk: Chunk) -> Spreads:
    """Take means and variances of x and y."""
    y = chunk.y[:, None].astype(np.float64)
    return Spreads(Variances.of(chunk.X, chunk.w), Variances.of(y, chunk.w))


def scaled_residuals(chunk: Chunk, units: Units, theta: Floats) -> tuple[Any, Floats]:
    """Return the rows in float64, and z of (1)."""
    X = chunk.X.astype(np.float64, copy=False)
    w, b, sigma = units.model(theta)
    y = (chunk.y.astype(np.float64) - units.mean_y) / units.spread_y
    return X, (np.asarray(X @ w) + (b - y)) / sigma


def sums_at(chunk: Chunk, units: Units, theta: Floats, epsilon: float) -> HuberSums:
    """Sum (1), (2) and (3) over a chunk."""
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        X, z = scaled_residuals(chunk, units, theta)
        t = np.clip(z, -epsilon, epsilon)
        st = t if chunk.w is None else t * chunk.w
        up = t > 0
        parts = np.where(up, st, 0.0), np.where(up, 0.0, st)
        return HuberSums(
            total_weight(chunk.w, chunk.n),
            float(st @ (2 * z - t)),
            np.array([part.sum() for part in parts]),
            np.array([part @ t for part in parts]),
            np.array([part @ z for part in parts]),
            np.array([np.asarray(X.T @ part) for part in parts]),
        )


def marked(
    chunk: Chunk, units: Units, theta: Floats, epsilon: float
) -> tuple[Vector, ...]:
    """Tell the outliers of a chunk."""
    _, z = scaled_residuals(chunk, units, theta)
    return (np.abs(z) > epsilon,)


# -- the search ------------------------------------------------------------------------
def coordinates(total: Any, d: int, intercept: bool) -> Units:
    """Return the coordinates in which x and y have the spread 1."""
    if isinstance(total, Spreads):
        n, mean = total.x.n, np.append(total.x.mean, total.y.mean)
        squares, M2 = np.append(total.x.M2, total.y.M2), None
    else:
        n, mean, M2 = total.n, total.mean, total.M2
        squares = np.diagonal(M2)
    if not intercept:
        squares = squares + n * mean**2
        M2 = None if M2 is None else M2 + n * np.outer(mean, mean)
        mean = np.zeros(d + 1)
    spread = np.sqrt(np.maximum(squares, 0.0) / n)
    spread = np.where(spread > 64 * EPS * np.abs(mean), spread, 1.0)
    C = None if M2 is None else M2[:d, :d] / np.outer(spread[:d], spread[:d]) / n
    units = (mean[:d], spread[:d], float(mean[d]), float(spread[d]))
    return Units(*units, C, intercept)


def least_squares(total: Any, units: Units, alpha: Floats) -> Floats:
    """Return the point of ridge regression, or 0 where correlations are not known."""
    d = len(units.mean_x)
    theta, C = np.zeros(d + 2), units.correlations
    if C is not None:
        M2 = total.M2 if units.intercept else raw(total)
        c = M2[:d, d] / units.spread_x / units.spread_y
        inverse = curvature_inverse(units, 1.0, total.n, alpha)
        theta[:d] = inverse(np.append(2 * c, (0.0, 0.0)))[:d]
        fit = float(theta[:d] @ (2 * c / total.n - C @ theta[:d]))
        share = 1.0 - fit if M2[d, d] > 0 else 0.0  # of y's variance that is left
        theta[-1] = 0.5 * np.log(min(max(share, 1e-4), 1.0))
    return theta


def curvature_inverse(
    units: Units, sigma: float, n: float, alpha: Floats
) -> lbfgs.Precondition:
    """Return the product with the inverse of about the curvature of (1)."""
    C, scale = units.correlations, 2 * n / sigma
    if C is None:
        diagonal = scale + 2 * alpha
    else:
        H = scale * C
        H[np.diag_indices(len(H))] += 2 * alpha + FLAT * scale
        factor = cho_factor(H, lower=True, check_finite=False)

    def inverse(v: Floats) -> Floats:
        w = v[:-2]
        w = w / diagonal if C is None else sla.cho_solve(factor, w, check_finite=False)
        return np.concatenate([w, [v[-2] / scale, v[-1] / (2 * n * sigma)]])

    return inverse
