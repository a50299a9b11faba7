"""Ridge regression for all penalties at once, with its leave-one-out errors.

Also known as: regularisation path of ridge regression, ridge trace, effective degrees
of freedom, generalised cross-validation, GCV, PRESS, predicted residual sum of squares.

In the principal axes v_j of the centred X, with singular values d_j, a ridge shrinks
the coefficients of least squares one by one,

    v_j' b(alpha) = d_j^2 / (d_j^2 + alpha)  v_j' b_LS                           (1)

so that one decomposition serves every alpha.  The fit uses, besides its intercept, the
effective degrees of freedom

    df(alpha) = sum_j d_j^2 / (d_j^2 + alpha) = tr Xc (Xc'Xc + alpha I)^-1 Xc'   (2)

which fall from the rank of X at alpha = 0 to 0.  Predictions are linear in y, y^ = H y,
and leaving row n out changes its residual e_n by a factor that follows from H (Sherman
and Morrison), so that the error of n fits comes from one:

    y_n - y^_n(fit without n) = e_n / (1 - h_n),                                 (3)
    h_n = w_n (1/N + sum_j (v_j' xc_n)^2 / (d_j^2 + alpha))                      (4)

Replacing every h_n by their mean gives generalised cross-validation

    GCV(alpha) = (RSS/N) / (1 - (df + 1)/N)^2                                    (5)

(without the 1 where there is no intercept).  With as many parameters as rows both e_n
and 1 - h_n vanish with alpha; with u_n = v_j' xc_n / d_j their quotient is, without any
difference of large numbers, also for alpha = 0,

    (3) = (sum_j u_nj z_j / (d_j^2 + alpha)) / (sum_j u_nj^2 / (d_j^2 + alpha))  (6)

(1), (2) and (5) need one pass for the moments, (3) one more over the rows in chunks.
A row of weight w leaves as a whole.

Notation: N = sum_n w_n; z_j = u_j' yc; (3) is averaged with weights w_n.
Course: S3-90, S3-99. References: Golub, Heath and Wahba (1979); Allen (1974).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import array_like, boolean, one_of, real
from corollary.core.records import readable, stored
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor, total_weight
from corollary.core.vectors import non_negative
from corollary.engine import (
    Chunk,
    Data,
    Fitted,
    Moments,
    Settled,
    Statistics,
    SummationLearner,
    Triangle,
)
from corollary.engine.gather import gather
from corollary.linear.least_squares.principal_axes import PrincipalAxes, RowSpan

__all__ = ["RidgePath", "RidgePathLearner", "ridge_path"]


@readable
@stored
@dataclass(frozen=True)
class RidgePath:
    """Ridge regression at many penalties.

    Attributes
    ----------
    alphas : array of shape (a,)
    coefs : array of shape (a, d) or (a, m, d)
    intercepts : array of shape (a,) or (a, m)
    df : array of shape (a,)
        Effective degrees of freedom (2), without the intercept.
    residuals : array of shape (a,) or (a, m)
        Sums of squared residuals.
    gcv : array of shape (a,) or (a, m)
        Generalised cross-validation (5).
    loo : array of shape (a,) or (a, m), or None
        Mean squared leave-one-out error, from (3).
    """

    alphas: Floats
    coefs: Floats
    intercepts: Floats
    df: Floats
    residuals: Floats
    gcv: Floats
    loo: Floats | None = None

    def best(self, criterion: str = "loo") -> float:
        """Return the alpha of the least error, added up over the targets.

        Parameters
        ----------
        criterion : {'loo', 'gcv'}, default='loo'
        """
        rule = one_of("loo", "gcv")
        if not rule.holds(criterion):
            must = f"criterion must be {rule.words}"
            raise ParameterError(sentence("RidgePath.best", must, repr(criterion)))
        error = getattr(self, criterion)
        if error is None:
            must = "the path must have leave-one-out errors"
            remedy = "Use ridge_path(..., leave_one_out=True) or criterion='gcv'."
            raise ParameterError(sentence("RidgePath.best", must, "none", remedy))
        return float(self.alphas[np.argmin(error.reshape(len(error), -1).sum(axis=1))])

    def plot(self, ax: Any = None) -> Any:
        """Draw the coefficients over df; needs the extra ``corollary[plots]``."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.df, self.coefs.reshape(len(self.df), -1))
        ax.set_xlabel("effective degrees of freedom")
        ax.set_ylabel("coefficients")
        return ax


def ridge_path(
    X: Any,
    y: Any = None,
    alphas: Any = None,
    *,
    sample_weight: Any = None,
    fit_intercept: bool = True,
    penalize_intercept: bool = False,
    leave_one_out: bool = True,
) -> RidgePath:
    """Fit ridge regression at many penalties from one decomposition.

    Parameters
    ----------
    X, y, sample_weight
        As in `RidgeCV.fit`; any data that can be read twice.
    alphas : array, optional
        Penalties >= 0; by default 10^-3, 10^-2.5, ..., 10^6.
    fit_intercept : bool, default=True
    penalize_intercept : bool, default=False
        Whether the penalty includes the intercept, as in `Ridge`.
    leave_one_out : bool, default=True
        Whether to make one more pass for (3); without it one pass does in most cases.

    Returns
    -------
    RidgePath

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.linear.least_squares.ridge_path import ridge_path
    >>> X, y = np.eye(3) - 1 / 3, np.array([-1.0, 0.0, 1.0])
    >>> path = ridge_path(X, y, alphas=[0.0, 1.0, 3.0], fit_intercept=False)
    >>> path.df.round(4).tolist()
    [2.0, 1.0, 0.5]
    """
    grid = np.logspace(-3, 6, 19) if alphas is None else alphas
    learner = PathLearner(
        grid,
        fit_intercept=fit_intercept,
        penalize_intercept=penalize_intercept,
        leave_one_out=leave_one_out,
    )
    return learner.fit(X, y, sample_weight).path_


@dataclass(frozen=True)
class HeldOut(Statistics):
    """Sums of squared leave-one-out errors, for every alpha and target."""

    n: float
    squares: Floats  # (a, m)


def held_out(
    chunk: Chunk, axes: PrincipalAxes, alphas: Floats, intercept: bool, full: bool
) -> HeldOut:
    """Sum the squares of (3) over a chunk, with weights."""
    E = left_out(chunk, axes, alphas, intercept, full)
    w = np.ones(chunk.n) if chunk.w is None else chunk.w
    squares = np.einsum("n,nma->am", w, E**2)
    return HeldOut(total_weight(chunk.w, chunk.n), squares)


def left_out(
    chunk: Chunk, axes: PrincipalAxes, alphas: Floats, intercept: bool, full: bool
) -> Floats:
    """Return (3) for the rows of a chunk, (n, m, a).

    `full` says that the axes and the mean span all of y, so that (6) is to be used.
    """
    P, Y = along(chunk, axes)
    D = 1 / (axes.s[:, None] ** 2 + alphas)  # (r, a)
    w = np.ones(chunk.n) if chunk.w is None else chunk.w.astype(np.float64)
    if full:
        U = P / axes.s
        E = np.stack([U @ (D * z[:, None]) for z in axes.Z.T], axis=1)
        return E / (w[:, None] * (U**2 @ D))[:, None, :]  # (6)
    fits = [P @ (D * (axes.s * z)[:, None]) for z in axes.Z.T]
    E = Y[:, :, None] - np.stack(fits, axis=1)
    own = 1 / axes.n if intercept and not axes.ones else 0.0
    stay = 1 - w[:, None] * (own + P**2 @ D)  # 1 - h_n (4)
    with np.errstate(divide="ignore", invalid="ignore"):
        return E / stay[:, None, :]


def along(chunk: Chunk, axes: PrincipalAxes) -> tuple[Floats, Floats]:
    """Return the rows' parts along the axes (n, r), and y without its mean (n, m).

    Axes that are made of rows are those of this chunk, which holds all of them.
    """
    Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
    if isinstance(axes.V, RowSpan):
        return axes.V.parts, Y - axes.mean_y
    W = axes.V[:, 1:] if axes.ones else axes.V
    if sp.issparse(chunk.X):
        P = np.asarray(chunk.X @ W.T) - W @ axes.mean_x
    else:
        P = (chunk.X.astype(np.float64) - axes.mean_x) @ W.T
    return P + (axes.V[:, 0] if axes.ones else 0.0), Y - axes.mean_y


def axes_of_rows(rows: Chunk, *, intercept: bool, alpha: float) -> PrincipalAxes:
    """Decompose few rows: by their products where that keeps the digits."""
    Y = rows.y if rows.y.ndim == 2 else rows.y[:, None]
    options: Any = {"intercept": intercept}
    axes = PrincipalAxes.of_rows(rows.X, Y, rows.w, alpha=alpha, **options)
    if axes is not None:
        return axes
    R = Triangle.of(rows.X, rows.w, Y, ones=intercept)
    return PrincipalAxes.of(R, rows.X.shape[1], **options)


def path_of(
    axes: PrincipalAxes,
    alphas: Floats,
    *,
    intercept: bool,
    many: bool,
    dtype: Any,
    loo: Vector | None = None,
) -> RidgePath:
    """Solve (1) for every alpha."""
    f = axes.ridge(alphas)
    coefs, intercepts = axes.coefficients(f)
    df, residuals = axes.degrees_of_freedom(f), axes.residuals(f)
    used = df + (intercept and not axes.ones)
    with np.errstate(divide="ignore", invalid="ignore"):
        gcv = residuals / axes.n / (1 - used / axes.n)[:, None] ** 2  # (5)
    if not intercept:
        intercepts = np.zeros_like(intercepts)
    coefs, intercepts = coefs.astype(dtype), intercepts.astype(dtype)
    if not many:
        coefs, intercepts = coefs[:, 0], intercepts[:, 0]
        residuals, gcv = residuals[:, 0], gcv[:, 0]
        loo = None if loo is None else loo[:, 0]
    return RidgePath(alphas, coefs, intercepts, df, residuals, gcv, loo)


@dataclass(frozen=True)
class Trail:
    """The state: the route to the axes, the axes, and the path along alpha."""

    route: str  # "gram", "qr" or "rows"
    d: int
    dtype: Any
    many: bool
    alphas: Floats  # (a,)
    axes: PrincipalAxes | None = None
    path: RidgePath | None = None
    scores: Any = None  # (a, m) or (a, 1), where there is a choice to make
    results: Any = None  # (n, a) or (n, m, a) of rows left out, where asked for


class RidgePathLearner(SummationLearner, Regressor):
    """Ridge regression at many penalties; subclasses say what to do with the rows."""

    takes_sparse = True
    alphas: Any
    fit_intercept: bool
    penalize_intercept: bool = False

    # -- learning ------------------------------------------------------------------
    def _grid(self) -> Floats:
        grid = non_negative(self, self.alphas, "alphas", ParameterError).ravel()
        if not len(grid):
            raise ParameterError(
                sentence(self, "alphas must hold at least one penalty", "none")
            )
        return grid

    @property
    def _ones(self) -> bool:
        return self.fit_intercept and self.penalize_intercept

    def _begin(self, data: Data, alphas: Floats) -> Trail:
        """Choose the route by the shape of the data."""
        source, d = data.source, data.source.n_features
        wide, few = data.few_rows <= d, min(d, data.few_rows)
        route = "qr" if wide or data.once else "gram"
        if wide and not data.once and not self._ones:
            route = "rows"
        check_memory(
            self,
            24.0 * few * (few if route == "rows" and source.sparse else d),
            f"the decomposition of {d} columns",
            "Use fewer columns, or Ridge(solver='sparse_cg').",
        )
        return Trail(route, d, source.dtype, source.many_targets, alphas)

    def statistics(self, chunk: Chunk, state: Trail) -> Statistics:
        """Sum what the decomposition needs, in double precision."""
        if state.route == "rows":
            return Statistics()
        Y = chunk.y if chunk.y.ndim == 2 else chunk.y[:, None]
        if state.route == "gram":
            return Moments.of(chunk.X.astype(np.float64, copy=False), chunk.w, Y)
        return Triangle.of(chunk.X, chunk.w, Y, ones=self.fit_intercept)

    def update(self, s: Any, state: Trail) -> Trail:
        """Decompose; by the triangle where the moments lost too many digits.

        The route of rows waits for `settle`.
        """
        if state.route == "rows":
            return state
        intercept, ones, least = self.fit_intercept, self._ones, state.alphas.min()
        axes = PrincipalAxes.of(s, state.d, intercept=intercept, ones=ones)
        if state.route == "gram" and not axes.good(s, float(least)):
            return replace(state, route="qr")
        return self._followed(axes, state)

    def _followed(self, axes: PrincipalAxes, state: Trail) -> Trail:
        """Follow the path along alpha."""
        found = path_of(
            axes,
            state.alphas,
            intercept=self.fit_intercept,
            many=state.many,
            dtype=state.dtype,
        )
        return replace(state, axes=axes, path=found)

    def _gathered(self, data: Data, state: Trail) -> tuple[Trail, Chunk | None]:
        """Read few rows, decompose them, and return them for another look."""
        if state.route != "rows":
            return state, None
        rows, least = gather(data), float(state.alphas.min())
        axes = axes_of_rows(rows, intercept=self.fit_intercept, alpha=least)
        return self._followed(axes, state), rows

    def publishable(self, state: Trail) -> bool:
        """Tell whether there is a path."""
        return state.path is not None

    def stop(self, state: Trail) -> StopReason | None:
        """Stop when decomposed."""
        done = state.axes is not None or state.route == "rows"
        return StopReason.CLOSED_FORM if done else None

    def max_passes(self) -> int:
        """Allow a second pass for the triangle."""
        return 2

    def _of_rows(self, data: Data, state: Trail) -> dict[str, Any]:
        """Return what `left_out` needs besides a chunk."""
        assert state.axes is not None  # update has been there
        used = len(state.axes.s) + (self.fit_intercept and not self._ones)
        return {
            "axes": state.axes,
            "alphas": state.alphas,
            "intercept": self.fit_intercept,
            "full": used >= data.n_rows,
        }

    def account(self, state: Trail, report: Report) -> None:
        """Report the conditioning at the least alpha, and the choice."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        report.facts["route"] = state.route
        grid = state.alphas
        if state.axes is not None and len(state.axes.s):
            low = state.axes.smallest + grid.min()
            high = state.axes.s[0] ** 2 + grid.min()
            report.condition = float(high / low) if low > 0 else np.inf
        if state.scores is None:
            return
        chosen = grid[np.argmax(state.scores, axis=0)]
        one = len(chosen) == 1
        report.facts["chosen_alpha"] = float(chosen[0]) if one else chosen.tolist()
        if one and len(grid) > 1 and chosen[0] in (grid.min(), grid.max()):
            end = "smallest" if chosen[0] == grid.min() else "largest"
            report.facts["choice_at_end"] = end


class PathLearner(RidgePathLearner):
    """Ridge regression at many penalties, with leave-one-out errors or without."""

    rules: ClassVar[Any] = {
        "alphas": array_like | real(0),
        "fit_intercept": boolean,
        "penalize_intercept": boolean,
        "leave_one_out": boolean,
    }

    def __init__(
        self,
        alphas: Any = (0.1, 1.0, 10.0),
        *,
        fit_intercept: bool = True,
        penalize_intercept: bool = False,
        leave_one_out: bool = True,
    ) -> None:
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.penalize_intercept = penalize_intercept
        self.leave_one_out = leave_one_out

    def start(self, data: Data, seed: int) -> Trail:
        """Check the penalties and choose the route."""
        return self._begin(data, self._grid())

    def settle(self, data: Data, state: Trail) -> Settled:
        """Make one more pass for the leave-one-out errors."""
        state, rows = self._gathered(data, state)
        if not self.leave_one_out or state.path is None:
            return Settled(state)
        options = self._of_rows(data, state)
        if rows is None:
            total = data.reduce(partial(held_out, **options))
        else:
            total = held_out(rows, **options)
        loo = total.squares / total.n  # (a, m)
        known = loo if state.many else loo[:, 0]
        return Settled(replace(state, path=replace(state.path, loo=known)))

    def publish(self, fitted: Fitted) -> None:
        """Set the path."""
        self.path_ = fitted.state.path
