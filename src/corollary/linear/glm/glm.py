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

from abc import abstractmethod
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, NoReturn

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_targets, full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.distributions.covariance import diagnose
from corollary.engine import Chunk, Data, Fitted, Settled, SummationLearner
from corollary.linear.glm.glm_sums import (
    Census,
    GLMSums,
    Model,
    Sums,
    certify,
    inverse,
    null_space,
    null_sums,
    sums,
    take_census,
    weakest,
)
from corollary.linear.least_squares.summary import Summary, summarise_likelihood
from corollary.linear.logistic.logistic_sums import second_moments
from corollary.objectives.families import Family
from corollary.objectives.links import Identity, Link
from corollary.solvers import lbfgs, newton

__all__ = ["GeneralizedLinearModel"]

NOISE = {"float32": 1e-9, "float64": 2e-16}  # relative, of a mean of many losses
NEAR = 100.0  # times the goal: the next pass sums (4) as well

ESTIMATE = "Newton decrement, an estimate:"  # no bound: the curvature may fall


@dataclass(frozen=True)
class Search:
    """The state: the problem's constants, the preconditioner, and the search."""

    census: Census
    mean: Floats  # (d,) taken out of the features
    free: Vector  # (d + 1,) which entries of theta move
    dependent: tuple[int, ...]
    constant: tuple[int, ...]
    P: Floats  # inverse of (4): (d + 1, d + 1), or (d + 1,) where diagonal
    first: Floats  # (4) at the constant model
    search: lbfgs.LBFGS
    dtype: Any
    null: float  # loss of the constant model
    full: bool = False  # whether the next pass sums (4)
    age: int = 0  # passes since P was taken
    decrement: float = np.inf
    H: Any = None  # (4) times n at `search.x`, the penalty left out
    pearson: float = 0.0
    endless: Any = None  # a direction in which the likelihood rises for ever

    def theta(self, x: Floats) -> tuple[Floats, float]:
        """Return b and b0 of a point of the search."""
        return x[:-1], float(x[-1] - x[:-1] @ self.mean)

    def precondition(self, g: Floats) -> Floats:
        """Multiply by the inverse of (4)."""
        return g * self.P if self.P.ndim == 1 else self.P @ g


class GeneralizedLinearModel(SummationLearner, SingleRegressor):
    """A generalised linear model; subclasses choose the family and the link."""

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d", "intercept_": ""}
    alpha: float
    fit_intercept: bool
    max_iter: int
    tol: float
    warm_start: bool
    solver: str
    offset: Any = None
    exposure: Any = None

    @abstractmethod
    def _family(self) -> Family:
        """Return the family that the parameters name."""

    @abstractmethod
    def _link(self, family: Family) -> Link:
        """Return the link that the parameters name."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        try:
            below = bool(self._family().inside(np.array([-1.0]))[0])
        except ParameterError:  # fit will say what is wrong
            below = True
        tags.target_tags.positive_only = not below
        return tags

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Search:
        """Check y, take the spread of x, fit the constant model, build (4) there."""
        if data.source.many_targets:
            must = "y must be one column"
            raise DataError(sentence(self, must, "a matrix", "Fit one model for each."))
        model, d = self._model(), data.source.n_features
        census = data.reduce(partial(take_census, model=model))
        mean = census.spread.mean if self.fit_intercept else np.zeros(d)
        theta = np.zeros(d + 1)
        if self.offset is not None:
            theta[self._column("offset")] = 1.0
        b0, null, weight = self._constant_model(data, model, census, theta[:-1])
        theta[-1] = b0 + theta[:-1] @ mean
        first = second_moments(census.spread, mean, np.array([weight]))[0]
        free, dependent, constant = self._free(first, mean)
        state = Search(
            census,
            mean,
            free,
            dependent,
            constant,
            np.zeros(0),
            first,
            lbfgs.begin(self._warm(theta, mean)),
            data.source.dtype,
            null,
            full=self.solver in ("irls", "newton-cholesky"),
        )
        return replace(state, P=self._inverse(first, free))

    def _model(self) -> Model:
        family = self._family()
        exposure = None if self.exposure is None else self._column("exposure")
        return Model(type(self).__name__, family, self._link(family), exposure)

    def _column(self, parameter: str) -> int:
        """Return the number of the column that a parameter names."""
        asked, names = getattr(self, parameter), getattr(self, "feature_names_in_", [])
        if isinstance(asked, str):
            found = np.flatnonzero(np.asarray(names, dtype=object) == asked)
            if len(found):
                return int(found[0])
        elif -self.n_features_in_ <= asked < self.n_features_in_:
            return int(asked) % self.n_features_in_
        must = f"{parameter} must be the name or the number of a column of X"
        raise ParameterError(sentence(self, must, repr(asked)))

    def _constant_model(
        self, data: Data, model: Model, census: Census, coef: Floats
    ) -> tuple[float, float, float]:
        """Return the intercept that fits best alone, its loss, its weight in (4).

        The loss is NaN where the first pass of the search will find it.
        """
        mean, n = census.sum_y / census.n, census.n
        if self.fit_intercept and not model.family.mean_exists(mean):
            must = f"the mean of y must be a mean of the {model.family.name} family"
            remedy = "The likelihood has no maximum: every row says the same."
            raise DataError(sentence(self, must, f"{mean:g}", remedy))
        b0 = float(model.link.of(np.array(mean))) if self.fit_intercept else 0.0
        moved = self.offset is not None or self.exposure is not None
        if not moved and not self.warm_start:
            eta = np.array([b0])
            with np.errstate(all="ignore"):
                mu = model.link.inverse(eta)
            at_mean = model.family.terms(mu, eta, model.link)
            if not np.isfinite(at_mean.loss[0]):
                self._refuse(b0)
            return b0, np.nan, float(at_mean.weight[0])
        at = partial(null_sums, model=model, coef=coef)
        s = data.reduce(partial(at, b0=b0))
        if not np.isfinite(s.loss):
            self._refuse(b0)
        if self.fit_intercept and moved:
            search = newton.begin(np.array([b0]))
            for _ in range(100):
                g, h = np.array([s.slope]) / n, np.array([[s.weight]]) / n
                search = newton.step(search, s.loss / n, g, h)
                if search.stalled or search.decrement <= 1e-15 * max(search.f, 1e-300):
                    break
                s = data.reduce(partial(at, b0=float(search.trial[0])))
            b0 = float(search.x[0])
        return b0, s.loss, s.weight / n

    def _refuse(self, b0: float) -> NoReturn:
        must = "the model that the search starts from must have means in range"
        came = f"eta = {b0:g} under link {self._model().link.name}"
        remedy = "Use link='log', or fit_intercept=True."
        raise DataError(sentence(self, must, came, remedy))

    def _free(self, H: Floats, mean: Floats) -> tuple[Vector, Any, Any]:
        """Tell which entries of theta move, and which columns cannot."""
        d = len(mean)
        free = np.ones(d + 1, dtype=bool)
        free[d] = self.fit_intercept
        for parameter in ("offset", "exposure"):
            if getattr(self, parameter) is not None:
                free[self._column(parameter)] = False
        moving = np.flatnonzero(free[:d])
        if self.alpha > 0 or not len(moving):
            return free, (), ()
        G = H[moving] if H.ndim == 1 else H[np.ix_(moving, moving)]
        found = diagnose(G, mean[moving] * np.sqrt(H[d] if H.ndim == 1 else H[d, d]))
        dependent = tuple(int(moving[j]) for j in found.dependent)
        constant = tuple(int(moving[j]) for j in found.constant)
        free[[*dependent, *constant]] = False
        return free, dependent, constant

    def _warm(self, theta: Floats, mean: Floats) -> Floats:
        """Start from the last fit, where asked and possible."""
        last = getattr(self, "coef_", np.zeros(0))
        if not self.warm_start or len(last) != len(mean):
            return theta
        return np.append(last, self.intercept_ + last @ mean).astype(np.float64)

    def _inverse(self, H: Floats, free: Vector) -> Floats:
        """Invert (4) over the entries that move."""
        ridge = np.full(len(free), float(self.alpha))
        ridge[-1] = 0.0
        if H.ndim == 1:
            return np.where(free, inverse(H + ridge), 0.0)
        P = np.zeros_like(H)
        at = np.ix_(free, free)
        P[at] = inverse((H + np.diag(ridge))[at])
        return P

    def statistics(self, chunk: Chunk, state: Search) -> Sums:
        """Sum loss and gradient over the chunk's rows, and (4) where asked."""
        b, b0 = state.theta(state.search.trial)
        about = state.mean if state.full else None
        diagonal = state.P.ndim == 1
        return sums(chunk, self._model(), b, b0, about, diagonal=diagonal)

    def update(self, s: Sums, state: Search) -> Search:
        """Add the penalty, let the search take its step, renew (4) if it was summed."""
        n, at = state.census.n, state.search.trial
        b = np.where(state.free[:-1], at[:-1], 0.0)
        if np.isnan(state.null):
            state = replace(state, null=s.loss)
        if state.search.g is None and not np.isfinite(s.loss):
            self._refuse(state.theta(at)[1])
        f = s.loss / n + 0.5 * self.alpha * float(b @ b)  # (2)
        G = (s.g - s.g0 * state.mean) / n + self.alpha * b  # (3)
        g = np.where(state.free, np.append(G, s.g0 / n), 0.0)
        renewed = state
        if s.H is not None and np.isfinite(f):
            renewed = replace(state, P=self._inverse(s.H / n, state.free), age=0)
        noise = NOISE[np.dtype(state.dtype).name]
        search = lbfgs.step(state.search, f, g, renewed.precondition, noise)
        if search.x is not at or search.stalled:
            return replace(state, search=search, age=state.age + 1)
        state = replace(renewed, H=s.H, pearson=s.pearson, age=renewed.age + 1)
        decrement = 0.5 * float(g @ state.precondition(g))  # (5)
        state = replace(state, search=search, decrement=decrement)
        return replace(state, full=self._full(state))

    def _full(self, state: Search) -> bool:
        """Say whether (4) is worth its price in the next pass."""
        if self.solver in ("irls", "newton-cholesky"):
            return True
        patience = min(max(5, len(state.mean) // 10), 40)
        return state.decrement <= NEAR * self.tol**2 or state.age > patience

    def objective(self, s: Sums, state: Search) -> float:
        """Return (2) where the search stands."""
        return state.search.f

    def stop(self, state: Search) -> StopReason | None:
        """Stop when gradient and decrement are small and (4) is known."""
        flat = state.search.gradient_norm() <= self.tol
        if flat and state.decrement <= self.tol**2 and state.H is not None:
            return StopReason.CONVERGED
        if not state.search.stalled:
            return None
        rounding = 4 * NOISE[np.dtype(state.dtype).name] * abs(state.search.f)
        close = state.decrement <= max(rounding, self.tol**2)
        return StopReason.CONVERGED if close else StopReason.STALLED

    def settle(self, data: Data, state: Search) -> Settled:
        """Sum (4) at the end if that is left to do; look whether there is a maximum."""
        if state.H is None and data.source.replayable:
            there = replace(state, full=True)
            there = replace(there, search=replace(there.search, trial=there.search.x))
            s = data.reduce(partial(self.statistics, state=there))
            P = self._inverse(s.H / state.census.n, state.free)
            state = replace(state, H=s.H, pearson=s.pearson, P=P)
            g = state.search.g
            decrement = 0.5 * float(g @ state.precondition(g))
            state = replace(state, decrement=decrement)
        if self.alpha == 0 and data.source.replayable:
            state = replace(state, endless=self._endless(data, state))
        return Settled(state)

    def _endless(self, data: Data, state: Search) -> Any:
        """Look for a direction in which the likelihood rises for ever."""
        family = self._family()
        if not family.known_dispersion or state.H is None or state.H.ndim == 1:
            return None
        weak = weakest(state.first, state.H / state.census.n, state.free)
        if weak is None:
            return None
        x = np.where(state.free, state.search.x, 0.0)
        for v in (x, weak, -weak):
            b, b0 = state.theta(v)
            if data.reduce(partial(certify, family=family, v=b, b0=b0)).holds:
                return v
        return None

    def account(self, state: Search, report: Report) -> None:
        """Report the deviance, the distance from optimal, and what has no answer."""
        model, n = self._model(), state.census.n
        report.optimality = Optimality(ESTIMATE, state.decrement)
        irls = self.solver in ("irls", "newton-cholesky")
        solver = "Fisher scoring" if irls else "L-BFGS from the Fisher information"
        deviance = 2 * n * self._mean_loss(state)
        report.facts |= {
            "family": f"{model.family.name}, {model.link.name} link",
            "solver": solver,
            "deviance": deviance,
            "null deviance": 2 * state.null,
            "gradient": state.search.gradient_norm(),
        }
        self._warn(state, report)

    def _warn(self, state: Search, report: Report) -> None:
        names = getattr(self, "feature_names_in_", None)

        def named(columns: Any) -> list[Any]:
            return [int(j) if names is None else str(names[j]) for j in columns]

        if state.constant or state.dependent:
            columns = named(sorted((*state.constant, *state.dependent)))
            report.facts["dependent"] = columns
            report.warnings.append(
                f"columns {columns} follow from the others or never change: their "
                "coefficients are not determined by the data. Drop them or use "
                "alpha > 0."
            )
        if state.endless is not None:
            size = np.abs(state.endless[:-1]) * np.sqrt(
                np.diagonal(state.first)[:-1] if state.first.ndim == 2 else state.first
            )
            columns = named(np.flatnonzero(size > 0.1 * size.max(initial=0.0))[:10])
            report.facts["separable"] = "yes"
            report.warnings.append(
                f"columns {columns} separate the rows: the likelihood has no maximum "
                "and the coefficients are only where the search stopped. Use alpha > 0."
            )

    def _mean_loss(self, state: Search) -> float:
        b = np.where(state.free[:-1], state.search.x[:-1], 0.0)
        return state.search.f - 0.5 * self.alpha * float(b @ b)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read; of the solutions, the shortest."""
        state: Search = fitted.state
        b, b0 = state.theta(state.search.x)
        N = null_space(state.first, state.free, state.dependent, state.constant)
        shorter = b - N @ (N.T @ b)
        b, b0 = shorter, b0 + float((b - shorter) @ state.mean)
        self.coef_ = b.astype(state.dtype)
        self.intercept_ = state.dtype.type(b0) if self.fit_intercept else 0.0
        self.n_iter_ = fitted.report.passes
        spread, n = state.census.spread, state.census.n
        held = np.zeros(len(b), dtype=bool)
        for parameter in ("offset", "exposure"):
            if getattr(self, parameter) is not None:
                held[self._column(parameter)] = True
        full = state.H is not None and state.H.ndim == 2
        self.sums_ = GLMSums(
            n,
            2 * n * self._mean_loss(state),
            2 * state.null,
            state.pearson,
            state.census.constant,
            float(self.alpha),
            state.mean,
            state.H if full else None,
            n * second_moments(spread, state.mean, np.ones(1))[0][:-1, :-1]
            if full
            else None,
            state.free,
            held,
            N,
            state.endless is not None,
        )

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return the mean of y for each row (1)."""
        X = self._query(X)
        model = self._model()
        eta = model.predictor(X, self.coef_, float(self.intercept_))
        mu = np.asarray(model.link.inverse(eta))
        if np.isnan(mu).any():
            row = int(np.argmax(np.isnan(mu)))
            must = f"every row must have a mean under link {model.link.name}"
            came = f"eta = {eta[row]:g} in row {row}"
            remedy = "Rows so far from the training data need link='log'."
            raise DataError(sentence(self, must, came, remedy))
        largest = np.finfo(X.dtype).max
        return np.clip(mu, -largest, largest).astype(X.dtype)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return D^2, the explained share of the deviance from the mean of y."""
        mu = self.predict(X).astype(np.float64)
        y = check_targets(self, y, len(mu), np.float64, many=False)
        w, family = full_weights(self, sample_weight, len(mu)), self._family()
        family.check(self, y)
        null = np.full(len(y), w @ y / w.sum())
        left, all_ = (w @ family.terms(y, m, Identity()).loss for m in (mu, null))
        return 1.0 - float(left) / float(all_) if all_ > 0 else float(left == 0)

    def summary(self, confidence: float = 0.95) -> Summary:
        """Return coefficients with standard errors, tests and measures of fit.

        Everything follows from sums kept by the fit: the data is not needed again.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.

        Returns
        -------
        Summary
        """
        check_is_fitted(self)
        return summarise_likelihood(self, self._model(), confidence)
