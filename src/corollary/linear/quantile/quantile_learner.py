"""Learning a linear quantile: a linear program for few rows, passes for many.

What `QuantileRegressor` and `LeastAbsoluteDeviations` share.  Few rows in memory are
solved as a linear program.  Otherwise the fit follows the central path of
`solvers/pinball.py`: each pass sums a weighted Gram matrix, a Newton step follows,
and the barrier falls tenfold whenever the step is short.  Either way the fit
ends at the corner that the nearest rows make, if that is no worse, and with a duality
gap that is never below the truth.

Columns are centred and scaled inside (only scaled where they are sparse), which changes
no prediction; roughly, by powers of 2 and their sixteenths, so that few digits go.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.engine import Chunk, Data, Fitted, Settled, SummationLearner, Variances
from corollary.solvers.pinball import (
    Corner,
    Feasible,
    Nearest,
    Path,
    QuantileRows,
    corner_of,
    newton_step,
    other_minimizer,
    solve_rows,
)

__all__ = ["QuantileLearner"]

FEW = 2**19  # entries of X up to which a linear program is solved
FALL = 0.1  # of the barrier after each short step
SHORT = 0.1  # a Newton step is short below this share of the barrier
DEEP = 1e-9  # share of the loss that the last barrier may cost


@dataclass(frozen=True)
class Quantiles:
    """The state: where the path is."""

    route: str  # "highs..." or "interior-point"
    dtype: Any
    shift: Floats  # (d,) taken off the columns
    scale: Floats  # (d,) the columns are divided by
    b: Floats  # (p,) of the scaled columns, the intercept last
    mu: float
    spread: float  # scale of y
    n: float = 0.0
    P: float = np.inf
    F: float = np.inf  # at the last accepted b, for this mu
    step: Any = None  # the step on trial
    before: Any = None  # b before it
    size: float = 0.0  # root mean square of y
    slope: float = 0.0
    share: float = 1.0  # of the step that is tried
    done: StopReason | None = None
    gap: float = np.inf
    unique: bool = False  # by the corner
    alone: bool = False  # no other one was found
    other: Any = None


class QuantileLearner(SummationLearner, SingleRegressor):
    """Minimises a weighted sum of pinball losses plus an absolute penalty."""

    takes_sparse = True
    times: ClassVar[float] = 1.0  # the pinball loss in what is reported
    fit_intercept: bool

    @abstractmethod
    def _quantile(self) -> float:
        """Return t."""

    @abstractmethod
    def _penalty(self) -> float:
        """Return alpha, of the mean loss."""

    @abstractmethod
    def _solver(self) -> tuple[str, Any]:
        """Return the solver asked for and its options."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Quantiles:
        """Measure the columns, and choose a route by the number of rows."""
        source, d = data.source, data.source.n_features
        s = data.reduce(partial(_spread, d=d))
        asked, _ = self._solver()
        n = source.n_rows or 0
        small = source.in_memory and (n * d <= FEW or n <= d)
        route = asked if asked != "auto" else "highs" if small else "interior-point"
        scale = np.sqrt(s.M2[:d] / s.n)
        scale = np.where(scale > 1e-12 * np.abs(s.mean[:d]), scale, 1.0)
        scale = np.exp2(np.round(np.log2(scale)))
        centred = self.fit_intercept and not source.sparse
        whole = np.round(16 * (s.mean[:d] / scale)) / 16
        shift = scale * whole if centred else np.zeros(d)
        spread = float(np.sqrt(s.M2[d] / s.n)) or abs(float(s.mean[d])) or 1.0
        b = np.zeros(d + int(self.fit_intercept))
        if self.fit_intercept:
            b[-1] = s.mean[d]
        size = float(np.hypot(s.mean[d], spread))
        return Quantiles(
            route, source.dtype, shift, scale, b, spread, spread, s.n, size=size
        )

    def _rows(self, chunk: Chunk, state: Quantiles) -> QuantileRows:
        """Return the chunk's rows with scaled columns and the column of ones."""
        X, n = chunk.X, chunk.n
        w = np.ones(n) if chunk.w is None else chunk.w.astype(np.float64)
        y, t = chunk.y.astype(np.float64), np.full(n, self._quantile())
        if sp.issparse(X):
            Z = X.astype(np.float64).multiply(1 / state.scale).tocsr()
            one = [sp.csr_array(np.ones((n, 1)))] if self.fit_intercept else []
            return QuantileRows(sp.hstack([Z, *one], "csr"), y, w, t)
        Z = np.ones((n, len(state.b)))
        Z[:, : X.shape[1]] = (X - state.shift) / state.scale
        return QuantileRows(Z, y, w, t)

    def _pseudo(self, state: Quantiles) -> QuantileRows | None:
        """Return the penalty as rows of its own."""
        weight = self._penalty() * state.n / state.scale  # lambda |b_j| / scale_j
        if not weight.any():
            return None
        d, c = len(state.scale), state.spread
        Z = np.zeros((d, len(state.b)))
        Z[:, :d] = c * np.eye(d)
        return QuantileRows(Z, np.zeros(d), 2 * weight / c, np.full(d, 0.5))

    def _summed(self, data: Data, state: Quantiles, of: Any) -> Any:
        """Sum a statistic over all rows, those of the penalty too."""
        total = data.reduce(lambda chunk: of(self._rows(chunk, state)))
        more = self._pseudo(state)
        return total if more is None else total + of(more)

    def statistics(self, chunk: Chunk, state: Quantiles) -> QuantileRows | Path:
        """Hand over the rows, or sum what a Newton step needs."""
        rows = self._rows(chunk, state)
        if state.route != "interior-point":
            return rows
        return Path.of(rows, state.b, state.mu)

    def update(self, s: Any, state: Quantiles) -> Quantiles:
        """Solve the linear program, or go a step along the path."""
        more = self._pseudo(state)
        if state.route == "interior-point":
            return advanced(
                s if more is None else s + Path.of(more, state.b, state.mu), state
            )
        if more is not None:
            s = s + (
                replace(more, Z=sp.csr_array(more.Z)) if sp.issparse(s.Z) else more
            )
        _, options = self._solver()
        found = solve_rows(s, state.route, options)
        if found.word:
            remedy = "Use solver='interior-point'."
            raise DataError(
                sentence(self, "the linear program must be solved", found.word, remedy)
            )
        b = found.b
        P = s.loss(s.residuals(b))
        mu = max(DEEP * P / s.w.sum(), 1e-13 * state.spread)
        end = replace(state, b=b, P=P, mu=mu, done=StopReason.CONVERGED)
        return self._alternative(s, end, found.a)

    def _alternative(
        self, rows: QuantileRows, state: Quantiles, a: Floats
    ) -> Quantiles:
        """Look for another minimiser where the corner does not exclude one."""
        near = Nearest.of(rows, state.b, 4 * len(state.b))
        b = near.corner()
        if b is not None:
            found = corner_of(rows, b)
            if found.certified(near.at_zero(b))[1]:
                return state
        if b is None or found.P > state.P * (1 + 1e-9):
            b = state.b
        other = other_minimizer(rows, b, a)
        return replace(state, other=other, alone=other is None)

    def objective(self, s: Any, state: Quantiles) -> float:
        """Return the mean loss with the penalty."""
        return self.times * state.P / state.n

    def stop(self, state: Quantiles) -> StopReason | None:
        """Stop at the end of the path."""
        return state.done

    def max_passes(self) -> int:
        """Bound the passes."""
        return 500

    def settle(self, data: Data, state: Quantiles) -> Settled:
        """Step to the corner if it is no worse, and measure the gap.

        A search that ended early goes back from the point that it was about to try to
        the last one whose loss is known.
        """
        if state.done is None and state.before is not None:
            state = replace(state, b=state.before)
        nearest = partial(Nearest.of, b=state.b, most=4 * len(state.b))
        near: Nearest = self._summed(data, state, nearest)
        b = near.corner()
        if b is not None:
            corner = partial(corner_of, b=b)
            found: Corner = self._summed(data, state, corner)
            if found.P <= state.P * (1 + 1e-12) + 1e-14 * state.spread * state.n:
                gap, unique = found.certified(near.at_zero(b))
                state = replace(state, b=b, P=found.P, gap=gap, unique=unique)
        if state.P <= 1e-12 * state.spread * state.n:  # no loss is below 0
            state = replace(state, gap=state.P)
        if not np.isfinite(state.gap):
            state = replace(state, gap=state.P - self._dual(data, state))
        if state.dtype == np.float32:
            stored = partial(corner_of, b=self._as_stored(state))
            rise = max(0.0, self._summed(data, state, stored).P - state.P)
            rise += float(np.finfo(np.float32).eps) * state.size * state.n  # of y
            state = replace(state, gap=state.gap + rise)
        return Settled(state, objective=self.times * state.P / state.n)

    def _dual(self, data: Data, state: Quantiles) -> float:
        """Return a lower bound of the loss from the central path at b."""
        best = -np.inf
        for mu in state.mu * 10.0 ** np.arange(0, 7, 2):
            s = self._summed(data, state, partial(Path.of, b=state.b, mu=mu))
            v = newton_step(s.g, s.H)  # H^-1 Z'a
            of = partial(Feasible.of, b=state.b, mu=mu, v=v)
            best = max(best, self._summed(data, state, of).bound)
        return min(best, state.P)

    def account(self, state: Quantiles, report: Report) -> None:
        """Report the gap, and whether the minimiser is the only one."""
        relative = state.gap / state.P if state.P > 0 else 0.0
        gap = self.times * state.gap / state.n
        report.optimality = Optimality("duality gap", gap, relative)
        report.facts["solver"] = state.route
        report.facts["quantile"] = self._quantile()
        several = state.other is not None
        known = (
            "several"
            if several
            else "one"
            if state.unique or state.alone
            else "not known"
        )
        report.facts["minimizers"] = known
        if several:
            report.warnings.append(
                "other coefficients have the same loss: the one reported is a corner "
                "of the set of minimisers; see minimizers_."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read, in the units of the data."""
        state: Quantiles = fitted.state
        self.coef_, intercept = self._stored(state)
        self.intercept_ = intercept if self.fit_intercept else 0.0
        self.n_iter_ = fitted.report.passes
        others = [] if state.other is None else [state.other]
        ends = [self._unscaled(state, b) for b in (state.b, *others)]
        self.minimizers_ = np.array([[b0, *b] for b, b0 in ends]).astype(state.dtype)

    def _stored(self, state: Quantiles) -> tuple[Floats, Any]:
        """Return coefficients and intercept in the precision of the data."""
        coef = (state.b[: len(state.scale)] / state.scale).astype(state.dtype)
        b0 = float(state.b[-1] - state.shift @ coef) if self.fit_intercept else 0.0
        return coef, state.dtype.type(b0)

    def _as_stored(self, state: Quantiles) -> Floats:
        """Return the b of what is stored."""
        coef, b0 = self._stored(state)
        wide = coef.astype(np.float64)
        last = [float(b0) + state.shift @ wide] if self.fit_intercept else []
        return np.append(wide * state.scale, last)

    def _unscaled(self, state: Quantiles, b: Floats) -> tuple[Floats, float]:
        coef = b[: len(state.scale)] / state.scale
        return coef, float(b[-1] - state.shift @ coef) if self.fit_intercept else 0.0

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return x'b + b0."""
        X = self._query(X)
        return X @ self.coef_.astype(X.dtype) + X.dtype.type(self.intercept_)


def _spread(chunk: Chunk, d: int) -> Variances:
    """Take means and variances of the columns and of y."""
    y = chunk.y.astype(np.float64)[:, None]
    of_y, of_x = Variances.of(y, chunk.w), Variances.of(chunk.X, chunk.w)
    return Variances(
        of_x.n, np.append(of_x.mean, of_y.mean), np.append(of_x.M2, of_y.M2)
    )


def advanced(s: Path, state: Quantiles) -> Quantiles:
    """Accept the step or shorten it; lower the barrier after a short one."""
    rounding = 1e-13 * abs(s.F)
    tried = state.step is not None
    if tried and s.F > state.F + 1e-4 * state.share * state.slope + rounding:
        share = state.share / 4
        if share < 1e-5:  # nothing lowers F any more
            return lowered(s, replace(state, b=state.before, step=None), None)
        return replace(state, b=state.before + share * state.step, share=share)
    step = newton_step(s.g, s.H)
    slope = float(s.g @ step)
    now = replace(state, P=s.P, F=s.F, before=state.b, slope=slope, share=1.0)
    if -slope <= SHORT * state.mu * s.n / s.rows:
        return lowered(s, now, step)
    return replace(now, b=state.b + step, step=step)


def lowered(s: Path, state: Quantiles, step: Floats | None) -> Quantiles:
    """Take the last step with a lower barrier, or stop at the end of the path."""
    if 2 * state.mu * s.n <= DEEP * state.P or state.mu <= 1e-13 * state.spread:
        return replace(state, done=StopReason.CONVERGED)
    b = state.b if step is None else state.b + step
    return replace(state, b=b, mu=FALL * state.mu, step=None, F=np.inf)
