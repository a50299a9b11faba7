"""The common core of least-squares regressors, in summation form.

A fit walks at most two of three routes, each of them a sum over the rows:

    gram       one pass for the moments, Cholesky; left for the next route where the
               conditioning asks for more digits;
    qr         one pass for the triangle R, orthogonal decomposition;
    iterative  conjugate gradients, one pass a step: sparse data with many columns.

`LinearRegression` and `Ridge` differ in the penalty only.  Where that includes the
intercept it is the coefficient of a column of ones, and nothing is centred.  The
mathematics is in `solvers/normal_equations.py`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import DataError, sentence
from corollary.core.records import changed, stored
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor, total_weight
from corollary.engine import (
    Chunk,
    Data,
    Moments,
    Statistics,
    StreamingLearner,
    Triangle,
)
from corollary.linear.inference.summarize import summarize_least_squares
from corollary.linear.inference.summary import Summary
from corollary.solvers import conjugate_gradient as cg
from corollary.solvers.normal_equations import (
    Solution,
    from_moments,
    from_triangle,
    from_triangle_positive,
    with_ones,
)

__all__ = ["LeastSquares"]

MANY_COLUMNS = 3000  # sparse data with more columns goes the iterative route


@stored
@dataclass(frozen=True)
class Product(Statistics):
    """Sums for one step of conjugate gradients on the normal equations."""

    n: float
    xv: Floats  # (d, m) X'W v, with v = y in the first pass, X p afterwards
    sum_v: Floats  # (m,)
    sum_x: Floats | None = None  # (d,) in the first pass
    sum_x2: Floats | None = None  # (d,) in the first pass


@stored
@dataclass(frozen=True)
class Route:
    """The state: which way the fit goes, and what it has found."""

    kind: str  # "gram", "qr" or "iterative"
    d: int
    solution: Solution | None = None
    steps: Any = None  # cg.ConjugateGradientState
    mean_x: Any = None
    mean_y: Any = None
    n: float = 0.0
    dtype: Any = np.float64
    many: bool = False  # whether y came as a matrix
    wide: bool = False  # no more rows than columns

    @property
    def route(self) -> str:
        """The way that the solution came, where there is one."""
        return self.kind if self.solution is None else self.solution.route


class LeastSquares(StreamingLearner, Regressor):
    """Least squares with an optional ridge; subclasses say how much of it."""

    takes_sparse = True
    shapes: ClassVar = {"coef_": "d|m d", "intercept_": "|m"}
    fit_intercept: bool
    positive: bool
    tol: float
    penalize_intercept: bool = False

    @abstractmethod
    def _alpha(self, targets: int) -> Floats:
        """Return the ridge: one number, or one for each target."""

    @abstractmethod
    def _weights(self, d: int) -> Floats | None:
        """Return the weight of each squared coefficient in the penalty; None: all 1."""

    @property
    def _with_ones(self) -> bool:
        """Say whether the intercept is a coefficient like the others."""
        return self.fit_intercept and self.penalize_intercept

    @abstractmethod
    def _preferred_route(self) -> str | None:
        """Return the route that the parameters ask for, if they ask."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Route:
        """Choose the route by the shape of the data."""
        source, d = data.source, data.source.n_features
        wide = data.few_rows <= d
        route = self._preferred_route()
        if route is None:
            many = source.sparse and d > MANY_COLUMNS
            route = "iterative" if many else "qr" if wide else "gram"
        if data.once:  # the only route that one look at the rows suffices for
            route = "qr"
        needed = {"gram": 3 * d * d, "qr": 3 * d * min(d, data.few_rows)}
        check_memory(
            self,
            8.0 * needed.get(route, 8 * d),
            f"the {d} x {d} normal equations",
            "Use fewer columns, or Ridge(solver='sparse_cg').",
        )
        return Route(route, d, dtype=source.dtype, many=source.many_targets, wide=wide)

    def statistics(self, chunk: Chunk, state: Route) -> Statistics:
        """Sum what the route needs."""
        Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
        if state.kind == "gram":
            return Moments.of(chunk.X, chunk.w, Y)
        if state.kind == "qr":
            return Triangle.of(chunk.X, chunk.w, Y, ones=self.fit_intercept)
        return self._product(chunk, Y, state)

    def update(self, s: Any, state: Route) -> Route:
        """Solve, or choose the better conditioned route, or take one step."""
        if state.kind == "iterative":
            return self._step(s, state)
        d, n = state.d, s.n
        columns, centre = d + self._with_ones, self.fit_intercept != self._with_ones
        options: Any = {"intercept": centre, "p": self._every_weight(d)}
        if state.kind == "gram":
            alpha = self._alpha(len(s.mean) - d)
            again = state.solution is not None  # a stream goes on after a fit
            moments = with_ones(s) if self._with_ones else s
            solution = from_moments(moments, columns, alpha, force=again, **options)
            if solution is None:
                return changed(state, kind="qr", n=n)
        else:
            alpha = self._alpha(s.R.shape[1] - d - int(self.fit_intercept))
            solve: Any = from_triangle
            if self.positive:
                solve = partial(from_triangle_positive, free=int(self._with_ones))
            solution = solve(s, columns, alpha, **options)
        if self._with_ones:
            B = solution.coef
            solution = changed(solution, coef=B[:, 1:], intercept=B[:, 0])
        return changed(state, solution=solution, n=n)

    def _every_weight(self, d: int) -> Floats | None:
        """Return the weights of `_weights`, the intercept's first if it has one."""
        p = self._weights(d)
        return np.append(1.0, p) if p is not None and self._with_ones else p

    def objective(self, s: Any, state: Route) -> float:
        """Return the sum of squared residuals plus the ridge."""
        if state.solution is not None:
            coef, alpha = state.solution.coef, self._alpha(len(state.solution.coef))
            p = self._weights(state.d)
            penalty = (coef**2 * (1.0 if p is None else p)).sum(axis=1)
            penalty += state.solution.intercept**2 if self._with_ones else 0.0
            return float(state.solution.residual.sum() + (alpha * penalty).sum())
        return state.steps.residual() if state.steps is not None else np.inf

    def stop(self, state: Route) -> StopReason | None:
        """Stop when solved; the iterative route stops on its residual."""
        if state.kind != "iterative":
            return StopReason.CLOSED_FORM if state.solution is not None else None
        small = state.steps is not None and state.steps.residual() <= self.tol
        return StopReason.CONVERGED if small else None

    def max_passes(self) -> int:
        """Allow two passes in closed form, many for the iterative route."""
        return int(getattr(self, "max_iter", None) or 1000)

    def account(self, state: Route, report: Report) -> None:
        """Report route, rank, conditioning and the columns that others determine."""
        solution = state.solution
        report.facts["route"] = state.route
        if solution is None:
            residual = state.steps.residual() if state.steps is not None else np.inf
            report.optimality = Optimality("relative residual", residual)
            return
        report.objective = report.objective[-1:]
        report.optimality = Optimality("exact to rounding", 0.0)
        report.condition = solution.condition
        report.facts |= {"rank": int(solution.rank), "n_features": state.d}
        p = self._weights(state.d)
        free = p is not None and not p.all()
        ridged = self._alpha(len(solution.coef)).min() > 0 and not free
        if solution.dependent and not ridged:
            names = getattr(self, "feature_names_in_", None)
            columns = [
                j if names is None else str(names[j]) for j in solution.dependent
            ]
            report.facts["dependent_columns"] = columns
            report.warnings.append(
                f"columns {columns} follow from the others: their coefficients are "
                "not determined by the data. Drop them or use Ridge."
            )

    def _publish(self, state: Route) -> None:
        """Set coefficients in the shape of y."""
        coef, intercept = self.coefficients(state)
        if state.solution is not None:
            self.rank_, self.singular_ = state.solution.rank, state.solution.singular
        coef, intercept = coef.astype(state.dtype), intercept.astype(state.dtype)
        self.coef_ = coef if state.many else coef[0]
        self.intercept_ = intercept if state.many else intercept[0]
        if not self.fit_intercept:
            self.intercept_ = 0.0

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.T.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)

    def summary(
        self,
        confidence: float = 0.95,
        target: int = 0,
        *,
        errors: str = "classical",
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
    ) -> Summary:
        """Return coefficients with standard errors, t tests and measures of fit.

        Classical errors follow from sums kept by the fit, without the data.

        Parameters
        ----------
        confidence : float, default=0.95
            Of the intervals.
        target : int, default=0
            Which target, where there are several.
        errors : {'classical', 'HC0', 'HC1', 'HC2', 'HC3'}, default='classical'
            HC: standard errors that hold where the noise is not the same for every
            row; they need the rows of the fit once more.
        X, y, sample_weight : optional
            The rows, as in `fit`.

        Returns
        -------
        Summary

        Examples
        --------
        >>> from corollary import LinearRegression
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [1.0, 3.0, 4.0, 8.0]
        >>> table = LinearRegression().fit(X, y).summary()
        >>> table.names, table.standard_errors.round(4).tolist()
        (('intercept', 'x0'), [0.7937, 0.4243])
        >>> model = LinearRegression().fit(X, y)
        >>> model.summary(errors="HC3", X=X, y=y).standard_errors.round(4).tolist()
        [0.8578, 0.7778]
        """
        check_is_fitted(self)
        rows = (X, y, sample_weight)
        return summarize_least_squares(self, confidence, target, errors, rows)

    # -- the iterative route ---------------------------------------------------------
    def _product(self, chunk: Chunk, Y: Floats, state: Route) -> Product:
        X, w = chunk.X, chunk.w
        if self._with_ones:
            ones = np.ones((chunk.n, 1), X.dtype)
            X = sp.hstack([ones, X], "csr") if sp.issparse(X) else np.c_[ones, X]
        if state.steps is not None:
            V = X @ state.steps.p
            V = V if w is None else V * w[:, None]
            return Product(total_weight(w, chunk.n), np.asarray(X.T @ V), V.sum(axis=0))
        Y = Y.astype(np.float64)
        ones = np.ones(chunk.n) if w is None else w.astype(np.float64)
        X2 = X.multiply(X) if sp.issparse(X) else X * X
        return Product(
            total_weight(w, chunk.n),
            np.asarray(X.T @ (ones[:, None] * Y), dtype=np.float64),
            ones @ Y,
            np.asarray(ones @ X),
            np.asarray(ones @ X2),
        )

    def _step(self, s: Product, state: Route) -> Route:
        alpha = self._alpha(len(s.sum_v))
        centre = self.fit_intercept != self._with_ones
        p = self._every_weight(state.d)
        weights = np.ones(len(s.xv)) if p is None else p
        if state.steps is None:
            assert s.sum_x is not None  # the first pass
            assert s.sum_x2 is not None
            mean_x, mean_y = s.sum_x / s.n * centre, s.sum_v / s.n * centre
            c = s.xv - s.n * np.outer(mean_x, mean_y)
            # without enough of a ridge only plain steps lead to the shortest solution;
            # of few rows, plain steps stay in their span, which is all they need
            diagonal = s.sum_x2 - s.n * mean_x**2 + alpha.min() * weights
            enough = alpha.min() * weights.min() > 1e-8 * diagonal.max()
            plain = state.wide or not enough
            steps = cg.begin(c, np.ones(len(c)) if plain else diagonal)
            return changed(state, steps=steps, mean_x=mean_x, mean_y=mean_y, n=s.n)
        if not np.isclose(s.n, state.n):  # sums over other rows than the steps before
            must = "partial_fit must follow partial_fit or a fit in closed form"
            came = "a fit by conjugate gradients"
            raise DataError(sentence(self, must, came, "Begin with partial_fit."))
        # Xc'W Xc p = X'W X p - mean_x (sum W X p) [the means cancel the rest]
        Ap = s.xv - state.mean_x[:, None] * s.sum_v
        Ap += alpha * weights[:, None] * state.steps.p
        return changed(state, steps=cg.step(state.steps, Ap))

    def coefficients(self, state: Route) -> tuple[Floats, Floats]:
        """Return b (m, d) and b0 (m,) as they stand."""
        if state.solution is not None:
            return state.solution.coef, state.solution.intercept
        coef = state.steps.b.T
        if self._with_ones:
            return coef[:, 1:], coef[:, 0]
        return coef, state.mean_y - coef @ state.mean_x
