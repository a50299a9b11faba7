"""Generalised linear models, in summation form.

Also known as: GLM, Poisson regression, log-linear model, gamma regression, logit and
probit regression, Tweedie regression, iteratively reweighted least squares, IRLS,
Fisher scoring.

A response y of mean mu and variance phi V(mu) depends on x through a linear predictor,

    g(mu) = eta = x'b + b0  (+ offset)                                           (1)

with a family (V) and a link (g) of `objectives/`.  Minimise, with n = sum of weights,

    F(b, b0) = 1/(2n) sum_n w_n d(y_n, mu_n) + alpha/2 ||b||^2                   (2)

d is the unit deviance; alpha = 0 is maximum likelihood.  Its gradient is X'(mu - y)/n
for the canonical link of every family, least squares and logistic regression included:

    grad F = -1/n sum_n w_n (y_n - mu_n) mu_n'/V(mu_n) x_n + alpha b             (3)

and its expected Hessian, the Fisher information, is

    H = 1/n sum_n w_n mu_n'^2/V(mu_n) x~_n x~_n' + alpha diag(1, ..., 1, 0)      (4)

Fisher scoring steps by -H^-1 grad F: a least-squares problem for the working response
eta + (y - mu)/mu' (IRLS).  `solver='irls'` sums (4) anew in every pass.  The default
starts from (4) at the constant model, which needs only the covariance of x, and sums it
anew only where that has not sufficed, and at the end.  Either way the gradients met so
far correct it (L-BFGS), for the Hessian itself may be far from its expectation, and a
step is shortened until (2) falls.  How far the end is from the minimum is estimated by
the Newton decrement

    1/2 grad F' H^-1 grad F                                                      (5)

A weight is repetition: of rows, or, if y is a share, of trials.  An exposure t is no
weight: mu = t e^(x'b + b0), a mean proportional to t, is the offset log t.  (For the
Poisson family the rate y/t with weight t gives the same b.)

The likelihood may rise for ever: classes that a plane separates, counts that are 0
wherever a column is not.  The report says so and names a direction's columns.

Notation: X (n, d); b = coef_; b0 = intercept_; mu = predict(X); x~ = (x - mean, 1).
Course: S4-37. References: Nelder and Wedderburn (1972); McCullagh and Nelder (1989).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, NoReturn

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.records import changed
from corollary.core.report import Optimality, Report, StopReason
from corollary.distributions.covariance import diagnose
from corollary.engine import Data
from corollary.linear import descent
from corollary.linear.glm.glm_sums import (
    GLMSums,
    look_along,
    null_space,
    null_sums,
    weakest,
)
from corollary.objectives.chunk_losses import Census, Deviance, Sums
from corollary.objectives.penalties import Penalty
from corollary.objectives.problem import constant_curvature, linear_problem_of
from corollary.solvers import newton

__all__ = [
    "GLM",
    "GLMState",
    "account",
    "begin",
    "coefficients",
    "settle",
    "stop",
    "sums_of",
    "update",
]

NEAR = 100.0  # times the goal: the next pass sums (4) as well
ESTIMATE = "Newton decrement, an estimate:"  # no bound: the curvature may fall


@dataclass(frozen=True)
class GLM:
    """What is fitted, and how: the loss holds family, link, exposure and weights."""

    loss: Deviance
    alpha: float
    fit_intercept: bool
    tol: float
    scoring: bool  # whether (4) is summed in every pass
    offset: int | None = None  # column that enters eta with coefficient 1
    start: tuple[Floats, float] | None = None  # b and b0 to start from
    warm: bool = False  # whether a start was asked for, had there been one
    names: Any = None  # of the columns
    remedy: str = "Use alpha > 0"  # for what has no answer without a penalty

    @property
    def held(self) -> list[int]:
        """The columns whose coefficient is not fitted."""
        return [j for j in (self.offset, self.loss.exposure) if j is not None]


@dataclass(frozen=True)
class GLMState:
    """The state: the model, the search, and what was known at its start."""

    model: GLM
    descent: descent.Descent
    census: Census
    first: Floats  # (4) at the constant model: (d + 1, d + 1), or its diagonal
    null: float  # loss of the constant model, NaN before the first pass
    dependent: tuple[int, ...] = ()
    constant: tuple[int, ...] = ()
    endless: Any = None  # a direction in which the likelihood rises for ever


def begin(data: Data, model: GLM) -> GLMState:
    """Check y, take the spread of x, fit the constant model, build (4) there."""
    loss, source, d = model.loss, data.source, data.source.n_features
    if source.many_targets:
        must = "y must be one column"
        raise DataError(sentence(loss.who, must, "a matrix", "Fit one model for each."))
    census = data.reduce(loss.census)
    penalty, intercept = Penalty(model.alpha), model.fit_intercept
    problem = linear_problem_of(
        loss, penalty, census, source.dtype, intercept=intercept
    )
    coef = np.zeros(d)
    if model.offset is not None:
        coef[model.offset] = 1.0
    b0, null, weight = constant_model(data, model, census, coef)
    H = constant_curvature(census.spread, problem.mean, np.array([weight]))
    free, dependent, constant = moving(model, H[0], problem.mean)
    problem = replace(problem, free=free)
    w, b = (coef, b0) if model.start is None else model.start
    patience = -1 if model.scoring else min(max(5, d // 10), 40)
    theta, near = problem.point(w[None], np.array([b])), NEAR * model.tol**2
    search = descent.begin(problem, theta, "lbfgs", H, patience=patience, near=near)
    return GLMState(model, search, census, H[0], null, dependent, constant)


def constant_model(
    data: Data, model: GLM, census: Census, coef: Floats
) -> tuple[float, float, float]:
    """Return the intercept that fits best alone, its loss, its weight in (4).

    The loss is NaN where the first pass of the search will find it.
    """
    loss, n = model.loss, census.n
    family, link, mean = loss.family, loss.link, census.sum_y / n
    if model.fit_intercept and not family.mean_exists(mean):
        must = f"the mean of y must be a mean of the {family.name} family"
        remedy = "The likelihood has no maximum: every row says the same."
        raise DataError(sentence(loss.who, must, f"{mean:g}", remedy))
    b0 = float(link.of(np.array(mean))) if model.fit_intercept else 0.0
    if not model.held and not model.warm:
        eta = np.array([b0])
        with np.errstate(all="ignore"):
            mu = link.inverse(eta)
        at_mean = family.terms(mu, eta, link)
        if not np.isfinite(at_mean.loss[0]):
            refuse_start(loss, b0)
        return b0, np.nan, float(at_mean.weight[0])
    at = partial(null_sums, loss=loss, coef=coef)
    s = data.reduce(partial(at, b0=b0))
    if not np.isfinite(s.loss):
        refuse_start(loss, b0)
    if model.fit_intercept and model.held:
        search = newton.begin(np.array([b0]))
        for _ in range(100):
            g, h = np.array([s.slope]) / n, np.array([[s.weight]]) / n
            search = newton.step(search, s.loss / n, g, h)
            if search.stalled or search.decrement <= 1e-15 * max(search.f, 1e-300):
                break
            s = data.reduce(partial(at, b0=float(search.trial[0])))
        b0 = float(search.x[0])
    return b0, s.loss, s.weight / n


def refuse_start(loss: Deviance, b0: float) -> NoReturn:
    """Say that the constant model has no mean."""
    must = "the model that the search starts from must have means in range"
    came = f"eta = {b0:g} under link {loss.link.name}"
    remedy = "Use link='log', or fit_intercept=True."
    raise DataError(sentence(loss.who, must, came, remedy))


def moving(model: GLM, H: Floats, mean: Floats) -> tuple[Vector, Any, Any]:
    """Find which entries of theta move, and which columns cannot."""
    d = len(mean)
    free = np.ones(d + 1, dtype=bool)
    free[d] = model.fit_intercept
    free[model.held] = False
    columns = np.flatnonzero(free[:d])
    if model.alpha > 0 or not len(columns):
        return free, (), ()
    G = H[columns] if H.ndim == 1 else H[np.ix_(columns, columns)]
    found = diagnose(G, mean[columns] * np.sqrt(H[d] if H.ndim == 1 else H[d, d]))
    dependent = tuple(int(columns[j]) for j in found.dependent)
    constant = tuple(int(columns[j]) for j in found.constant)
    free[[*dependent, *constant]] = False
    return free, dependent, constant


def update(s: Sums, state: GLMState) -> GLMState:
    """Take a step of the search, with (4) where it was summed."""
    if state.descent.search.g is None and not np.isfinite(s.loss):
        _, b = state.descent.problem.model(state.descent.search.trial)
        refuse_start(state.model.loss, float(b[0]))
    null = s.loss if np.isnan(state.null) else state.null
    return changed(state, null=null, descent=descent.advance(s, state.descent))


def stop(state: GLMState) -> StopReason | None:
    """Stop when gradient and decrement are small and (4) is known."""
    here, tol = state.descent, state.model.tol
    flat = here.search.gradient_norm() <= tol
    if flat and here.decrement <= tol**2 and here.H is not None:
        return StopReason.CONVERGED
    if not here.search.stalled:
        return None
    rounding = 4 * here.problem.noise * abs(here.search.f)
    close = here.decrement <= max(rounding, tol**2)
    return StopReason.CONVERGED if close else StopReason.STALLED


def settle(data: Data, state: GLMState) -> GLMState:
    """Sum (4) at the end if that is left to do; look whether there is a maximum."""
    here = state.descent
    problem, search = here.problem, here.search
    if not data.source.replayable:
        return state
    if here.H is None:
        kind = "blocks" if here.P.ndim == 3 else "diagonal"
        s = data.reduce(partial(problem.sums, theta=search.x, curvature=kind))
        P = problem.inverse(s.H / problem.n)
        decrement = 0.5 * float(search.g @ problem.precondition(P, search.g))
        here = changed(here, H=s.H, pearson=s.pearson, P=P, decrement=decrement)
        state = changed(state, descent=here)
    if state.model.alpha == 0:
        state = changed(state, endless=endless_direction(data, state))
    return state


def endless_direction(data: Data, state: GLMState) -> Any:
    """Look for a direction in which the likelihood rises for ever."""
    here, loss = state.descent, state.model.loss
    if not loss.family.known_dispersion or here.H is None or here.H.ndim == 2:
        return None
    free = here.problem.free
    weak = weakest(state.first, here.H[0] / here.problem.n, free)
    if weak is None:
        return None
    for v in (np.where(free, here.search.x, 0.0), weak, -weak):
        W, b = here.problem.model(v)
        if data.reduce(partial(look_along, loss=loss, v=W[0], b0=float(b[0]))).endless:
            return v
    return None


def account(state: GLMState, report: Report) -> None:
    """Report the deviance, the distance from optimal, and what has no answer."""
    model, here = state.model, state.descent
    report.optimality = Optimality(ESTIMATE, here.decrement)
    scoring = "Fisher scoring", "L-BFGS from the Fisher information"
    report.facts |= {
        "family": model.loss.family.name,
        "link": model.loss.link.name,
        "solver": scoring[0] if model.scoring else scoring[1],
        "deviance": deviance(state),
        "null_deviance": 2 * state.null,
        "gradient": here.search.gradient_norm(),
    }

    def named(columns: Any) -> list[Any]:
        names = model.names
        return [int(j) if names is None else str(names[j]) for j in columns]

    if state.constant or state.dependent:
        columns = named(sorted((*state.constant, *state.dependent)))
        report.facts["dependent_columns"] = columns
        drop = f"Drop them or {model.remedy[0].lower()}{model.remedy[1:]}."
        report.warnings.append(
            f"columns {columns} follow from the others or never change: their "
            f"coefficients are not determined by the data. {drop}"
        )
    if state.endless is not None:
        size = np.abs(state.endless[:-1]) * np.sqrt(
            np.diagonal(state.first)[:-1] if state.first.ndim == 2 else state.first
        )
        columns = named(np.flatnonzero(size > 0.1 * size.max(initial=0.0))[:10])
        report.facts["separability"] = "separable"
        report.warnings.append(
            f"columns {columns} separate the rows: the likelihood has no maximum and "
            f"the coefficients are only where the search stopped. {model.remedy}."
        )


def deviance(state: GLMState) -> float:
    """Return the sum of the unit deviances."""
    problem, search = state.descent.problem, state.descent.search
    b = np.where(problem.free[:-1], search.x[:-1], 0.0)
    return 2 * problem.n * (search.f - problem.penalty.value(b))


def coefficients(state: GLMState) -> tuple[Floats, float]:
    """Return b and b0; of the solutions, the shortest."""
    problem = state.descent.problem
    W, b0 = problem.model(state.descent.search.x)
    N = null_space(state.first, problem.free, state.dependent, state.constant)
    shorter = W[0] - N @ (N.T @ W[0])
    return shorter, float(b0[0]) + float((W[0] - shorter) @ problem.mean)


def sums_of(state: GLMState) -> GLMSums:
    """Return what inference needs of the last pass."""
    here, problem, census = state.descent, state.descent.problem, state.census
    full = here.H is not None and here.H.ndim == 3
    held = np.zeros(len(problem.mean), dtype=bool)
    held[state.model.held] = True
    second = constant_curvature(census.spread, problem.mean, np.ones(1))[0]
    return GLMSums(
        problem.n,
        deviance(state),
        2 * state.null,
        here.pearson,
        census.constant,
        float(state.model.alpha),
        problem.mean,
        here.H[0] if full else None,
        problem.n * second[:-1, :-1] if full else None,
        problem.free,
        held,
        null_space(state.first, problem.free, state.dependent, state.constant),
        state.endless is not None,
    )
