"""What logistic regression says of its fit: the gap, and whether a minimum exists.

With a penalty there is a minimum, and the duality gap says how far it is at most
(`objectives/duality.py`).  So does a Newton step once it is short, with a penalty or
without (`newton_bound.py`); the smaller bound is reported.  Where neither is known the
report has the Newton decrement g'H^-1 g / 2, an estimate.  Without a penalty
there may be no minimum.  The likelihood of two or more classes has a maximum if and
only if no direction of the weights says yes to all rows and more than yes to some
(Albert and Anderson 1984): no V other than 0 has

    (V_{y_n} - V_k)'(1, x_n) >= 0   for all n and k                              (1)

up to what changes no score.  Whether the fitted scores are such a V is seen in one
pass: all margins are positive.  Where some margin is large and the rows are in memory
and not too many, a linear programme decides (1) (`linear/separability.py`): the vectors
(e_{y_n} - e_k) (1, x_n)' are to lie in one half-space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.report import Optimality, Report
from corollary.core.rows import dense
from corollary.engine import ArraySource, Chunk, Data, Statistics
from corollary.linear.descent import Descent
from corollary.linear.glm.glm_sums import GLMSums
from corollary.linear.inference.summarize import led
from corollary.linear.logistic.newton_bound import curved_at, parted
from corollary.linear.separability import separability
from corollary.objectives.chunk_losses import Census, scores
from corollary.objectives.duality import cross_entropy_gap
from corollary.objectives.problem import LinearProblem, constant_curvature
from corollary.solvers.newton import NewtonState
from corollary.solvers.proximal_newton import ProximalNewtonState

__all__ = ["Conclusion", "account", "conclusion_of", "sums_of"]

SMALL = 800  # weights whose Hessian is worth a pass at the end
CLOSE = 2.0  # times the decrement, where no other bound is asked for
WORK = 2e8  # multiplications that this pass may take
DOUBT = 5.0  # a lead of a score that makes a direction (1) thinkable
PROGRAMME = 400_000  # entries of the linear programme that still takes a second or two
KINDS = {
    "separable": "a hyperplane separates the classes",
    "touching": "a hyperplane separates the classes but for rows that lie on it",
}


@dataclass(frozen=True)
class Margin(Statistics):
    """The smallest and the largest lead of the true class's score over the next."""

    smallest: float
    largest: float

    def __add__(self, other: Margin) -> Margin:
        return Margin(
            min(self.smallest, other.smallest), max(self.largest, other.largest)
        )


@dataclass(frozen=True)
class Conclusion:
    """What a last look at the data says of the end of a search."""

    gap: float | None = None
    decrement: float | None = None
    by_step: float | None = None  # what a Newton step proves
    margin: Margin | None = None
    verdict: str | None = None  # a key of KINDS, or "overlapping"
    H: Floats | None = None  # the sum of the Hessian over the rows, of few weights


def conclusion_of(data: Data, state: Descent) -> Conclusion:
    """Take the gap, or the decrement, and look for separable classes."""
    problem, search = state.problem, state.search
    theta, g, penalised = search.x, search.g, problem.penalty.strength > 0
    if data.once or g is None:
        return Conclusion()
    decrement, by_step, H = newton_account(data, problem, search)
    gap = None
    if penalised and not close(by_step, decrement):
        gap = cross_entropy_gap(data, problem, theta, search.f, g, constant(state))
        gap += stored_change(problem, theta, problem.subgradient(theta, g))
    margin, verdict = None, None
    if search.f <= 0.1 or not penalised:
        margin = data.reduce(partial(margins, problem=problem, theta=theta))
    if not penalised:
        assert margin is not None
        if margin.smallest > 0:
            verdict = "separable"
        elif margin.largest > DOUBT and isinstance(data.source, ArraySource):
            verdict = by_programme(data.source, *problem.shape, problem.intercept)
    return Conclusion(gap, decrement, by_step, margin, verdict, H)


def constant(state: Descent) -> Floats | None:
    """Return the gradient at the constant model, if the search began there."""
    began = np.array_equal(state.start, state.problem.constant_model())
    return state.first if began else None


def newton_account(
    data: Data, problem: LinearProblem, search: Any
) -> tuple[float | None, float | None, Floats | None]:
    """Return the decrement, what a Newton step proves, and the Hessian's sum.

    None of them where a pass over the rows for the Hessian is not worth it.
    """
    theta, g = search.x, search.g
    work = float(data.source.n_rows or np.inf) * theta.size**2
    if theta.size > SMALL or (problem.penalty.strength > 0 and work > WORK):
        return getattr(search, "decrement", None), None, None
    curved, (slope, shared) = curved_at(data, problem, theta), parted(problem, theta, g)
    decrement = curved.decrement(slope) + shared
    bound = curved.bound(slope, problem.unit_rounding)
    if bound is not None and np.isfinite(shared):
        rounding = stored_change(problem, theta, problem.subgradient(theta, g))
        return decrement, min(bound + shared + rounding, search.f), curved.sums
    return decrement if np.isfinite(shared) else None, None, curved.sums


def close(bound: float | None, decrement: float | None) -> bool:
    """Say whether a bound is about as small as what it bounds."""
    return bound is not None and decrement is not None and bound <= CLOSE * decrement


def stored_change(problem: LinearProblem, theta: Floats, slope: Floats) -> float:
    """Bound what storing W and b in float32 adds to the objective.

    A change D of the point adds slope'D and half of its curvature, where the mean
    square of a score's change counts at most 1/2.
    """
    if problem.dtype != np.float32:
        return 0.0
    W, b = problem.model(theta)
    unit = problem.unit_rounding / 2
    by_weight = unit * np.abs(W)  # (m, d)
    by_offset = by_weight @ np.abs(problem.mean) + unit * np.abs(b)
    D = np.column_stack([by_weight, by_offset])
    reach = by_weight @ problem.spread + by_offset
    curved = 0.25 * float(reach @ reach) + 0.5 * problem.penalty.l2 * float(
        (D**2).sum()
    )
    return float(np.abs(slope) @ D.reshape(-1)) + curved


def margins(chunk: Chunk, problem: LinearProblem, theta: Floats) -> Margin:
    """Return the range of the lead of the true class over the others in a chunk."""
    Z, rows = scores(chunk.X, *problem.model(theta)), np.arange(chunk.n)
    true = Z[rows, chunk.y].copy()
    Z[rows, chunk.y] = -np.inf
    lead = true - Z.max(axis=1)
    if chunk.w is not None:
        lead = lead[chunk.w > 0]
    return Margin(float(lead.min(initial=np.inf)), float(lead.max(initial=-np.inf)))


def by_programme(source: ArraySource, m: int, p: int, intercept: bool) -> str | None:
    """Decide (1), None where that would take too long."""
    K = max(m, 2)
    n = len(source.X) if isinstance(source.X, np.ndarray) else source.X.shape[0]
    if n * (K - 1) * p * m > PROGRAMME:
        return None
    keep = slice(None) if source.w is None else source.w > 0
    X = dense(source.X)[keep].astype(np.float64)
    y = np.asarray(source.y)[keep]
    rows = half_space_rows(X, y, K, intercept)
    side = np.where(np.arange(len(rows)) % 2 == 0, 1.0, -1.0)
    if len(rows) < 2:
        return None
    return separability(rows * side[:, None], side, fit_intercept=False).kind


def half_space_rows(X: Floats, y: Any, K: int, intercept: bool) -> Floats:
    """Return the vectors of (1), the last class's weights being 0."""
    X = X - X.mean(axis=0) if intercept else X
    X = X / np.maximum(np.abs(X).max(axis=0), np.finfo(np.float64).tiny)
    Z = np.hstack([X, np.full((len(X), int(intercept)), 1.0)])
    E = np.eye(K)
    rows = [
        np.einsum("nk,nd->nkd", E[y[y != k]] - E[k], Z[y != k])[:, :-1]
        for k in range(K)
    ]
    return np.concatenate(rows).reshape(-1, (K - 1) * Z.shape[1])


def sums_of(state: Descent, census: Census, end: Conclusion) -> GLMSums:
    """Return what inference needs of the fit (`linear/inference/`)."""
    problem, search = state.problem, state.search
    n, mean, (m, p) = problem.n, problem.mean, problem.shape
    W = search.x.reshape(m, p)[:, :-1]
    shares = np.full(max(m, 2), 1 / max(m, 2))
    if problem.intercept:
        shares = np.maximum(census.sum_y / n, np.finfo(np.float64).tiny)
    H = gram = None
    if end.H is not None and census.spread.M2.ndim == 2:
        H = led(end.H, m)
        gram = n * constant_curvature(census.spread, mean, np.ones(1))[0, :-1, :-1]
    return GLMSums(
        n=n,
        deviance=2 * n * (search.f - problem.penalty.value(W)),
        null_deviance=-2 * float(census.sum_y @ np.log(shares)),
        pearson=np.nan,
        constant=0.0,
        alpha=problem.penalty.l2,
        mean=mean,
        H=H,
        gram=gram,
        free=problem.free,
        held=np.zeros(len(mean), dtype=bool),
        null_space=np.zeros((len(mean), 0)),
        endless=end.verdict in KINDS,
    )


def account(state: Descent, end: Conclusion, report: Report) -> None:
    """Write it into the report."""
    problem, search = state.problem, state.search
    norm = np.inf
    if search.g is not None:
        norm = float(np.abs(problem.subgradient(search.x, search.g)).max())
    bounds = {"duality gap": end.gap, "gap by a Newton step": end.by_step}
    known = {kind: value for kind, value in bounds.items() if value is not None}
    if known:
        kind = min(known, key=lambda name: known[name])
        relative = known[kind] / search.f if search.f > 0 else None
        report.optimality = Optimality(kind, known[kind], relative)
    elif end.decrement is not None:
        kind = "Newton decrement, an estimate:"
        report.optimality = Optimality(kind, end.decrement)
    else:
        report.optimality = Optimality("largest entry of the gradient is", norm)
    report.facts["solver"] = described(state)
    report.facts["gradient"] = norm
    if problem.penalty.l1:
        W, _ = problem.model(search.x)
        report.facts["n_nonzero"] = int(np.count_nonzero(W))
    if end.margin is not None and end.margin.smallest > 0:
        report.facts["separability"] = "separable"
        report.facts["smallest_margin"] = end.margin.smallest
    elif end.verdict == "touching":
        report.facts["separability"] = "touching"
    if end.verdict in KINDS and problem.penalty.strength == 0:
        report.warnings.append(
            "the classes are linearly separable: the likelihood has no maximum, for "
            f"{KINDS[end.verdict]}, and the coefficients are only where the search "
            "stopped. Use a finite C."
        )


def described(state: Descent) -> str:
    """Return words for the search."""
    if isinstance(state.search, NewtonState):
        return "Newton with the full Hessian"
    if isinstance(state.search, ProximalNewtonState):
        return "proximal Newton, coordinate descent on the full Hessian"
    name = "orthant-wise L-BFGS" if state.problem.penalty.l1 else "L-BFGS"
    full = "blocks" if state.P.ndim == 3 else "diagonal"
    return f"{name}, preconditioned by the Hessian's {full}"
