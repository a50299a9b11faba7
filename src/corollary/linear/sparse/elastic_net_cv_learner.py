"""The common core of `LassoCV` and `ElasticNetCV`: penalties by cross-validation.

For every fold k the path is computed without the rows of fold k, and its mean squared
error on them is

    E_k(alpha) = sum_{n in k} w_n (y_n - x_n' b_k(alpha) - b0_k(alpha))^2 / sum w_n  (1)

The alpha (and l1_ratio) with the least mean of (1) over the folds is taken, and fitted
to all rows.  The folds walk down the path side by side: a fold is the same rows with
other weights, 0 for those held out, so that one product with X serves all folds; where
a Gram matrix pays, each fold's is the sum of the moments of the other folds.

The rows are held in memory: to hold some out is to know them one by one.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import (
    check_two_rows,
)
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import (
    anything,
    array_like,
    boolean,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.core.vectors import non_negative
from corollary.engine import Moments
from corollary.engine.choosing_learner import ChoosingLearner
from corollary.engine.sources.source import Chunk
from corollary.engine.statistics import fold
from corollary.linear.folds import (
    Folds,
    folds_of,
    warn_of_short_folds,
)
from corollary.linear.sparse.design_learner import by_gram
from corollary.linear.sparse.elastic_net_fit import account_for
from corollary.linear.sparse.elastic_net_path import design_of, falling_alphas
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import Point
from corollary.solvers.coordinate_descent import path as solved_path
from corollary.solvers.design import Design, Grams, Rows

__all__ = ["ElasticNetCVLearner"]


class ElasticNetCVLearner(ChoosingLearner, SingleRegressor):
    """Chooses the penalty of an elastic net; subclasses say which l1_ratios to try."""

    takes_sparse = True
    any_layout = True
    shapes: ClassVar = {"coef_": "d"}
    rules: ClassVar = {
        "eps": real(0, 1, ends="(]"),
        "alphas": whole(1) | array_like,
        "fit_intercept": boolean,
        "precompute": one_of("auto") | boolean | array_like,
        "max_iter": whole(1),
        "tol": real(0),
        "copy_X": boolean,
        "cv": anything,
        "verbose": boolean | whole(0),
        "n_jobs": missing | whole(),
        "positive": boolean,
        "random_state": seed,
        "selection": one_of("cyclic", "random"),
    }
    eps: float
    alphas: Any
    fit_intercept: bool
    max_iter: int
    tol: float
    cv: Any
    positive: bool

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = False
        return tags

    @abstractmethod
    def _l1_ratios(self) -> Floats:
        """Return the shares of the L1 penalty to try."""

    @abstractmethod
    def _publish_ratio(self, l1_ratio: float) -> None:
        """Set the attribute of the chosen share, where it was a choice."""

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the rows in columns, for each fold."""
        return rows * (64.0 * features + 50.0)

    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)

    # -- parts of a fit ------------------------------------------------------------
    def choose(self, rows: Chunk, report: Report, routed: dict[str, Any]) -> None:
        """Make the folds' paths, choose, and fit the choice."""
        check_two_rows(self, rows.n)
        X, y, w = rows.X, rows.y, rows.w
        whole_design = design_of(X, y, w, intercept=self.fit_intercept)
        ratios = self._l1_ratios()
        grids = np.array([self._grid(whole_design, ratio) for ratio in ratios])
        folds = self._folds(X, y, rows.kept, routed)
        design = fold_design(X, y, w, folds, intercept=self.fit_intercept)
        short = 0
        mse = np.empty((len(ratios), grids.shape[1], len(folds)))
        for i, ratio in enumerate(ratios):
            points = list(self._solved(design, grids[i], ratio))
            mse[i] = held_out_errors(X, y, w, folds, design, points)
            short += sum(
                p.stop is not StopReason.CONVERGED for ps in points for p in ps
            )
        mean = mse.mean(axis=2)
        best, at = np.unravel_index(np.argmin(mean), mean.shape)
        self._publish_ratio(float(ratios[best]))
        self.alpha_ = float(grids[best, at])
        alike = len(ratios) == 1 or np.ndim(self.alphas)
        self.alphas_ = grids[0] if alike else grids
        self.mse_path_ = mse[0] if len(ratios) == 1 else mse
        chosen = np.array([self.alpha_])
        (point,) = next(self._solved(whole_design, chosen, ratios[best]))
        self._publish(point, whole_design, X)
        self._account(point, short, X, report)

    def _folds(
        self, X: Matrix, y: Floats, kept: Vector | None, routed: dict[str, Any]
    ) -> Folds:
        """Make the folds; each must have something to learn from and to hold out."""
        folds = folds_of(self, self.cv, X, y, kept, routed=routed)
        for k, rows in enumerate(folds):
            if kept is not None and not all(len(some) for some in rows):
                must = f"fold {k} must have weight on rows to train on and to hold out"
                raise DataError(sentence(self, must, "only weights 0 in one of them"))
        return folds

    def _grid(self, design: Design, l1_ratio: float) -> Floats:
        if np.ndim(self.alphas):
            grid = non_negative(self, self.alphas, "alphas", ParameterError).ravel()
            if not len(grid):
                must = "alphas must hold at least one penalty"
                raise ParameterError(sentence(self, must, "none"))
            return np.sort(grid)[::-1]
        count, positive = int(self.alphas), bool(self.positive)
        return falling_alphas(self, design, l1_ratio, self.eps, count, positive)

    def _solved(
        self, design: Design, alphas: Floats, l1_ratio: float
    ) -> Iterator[list[Point]]:
        """Solve every problem with each alpha in turn."""
        penalties = (
            Penalty(float(a), float(l1_ratio), bool(self.positive)) for a in alphas
        )
        how: Any = {"tol": float(self.tol), "max_iter": int(self.max_iter)}
        return solved_path(design, penalties, **how)

    def _publish(self, point: Point, design: Design, X: Matrix) -> None:
        self.coef_ = point.coef.astype(X.dtype)
        intercept = design.intercepts(point.coef[None]).astype(X.dtype)
        self.intercept_ = intercept[0] if self.fit_intercept else 0.0
        self.dual_gap_, self.n_iter_ = point.gap, point.epochs

    def _account(self, point: Point, short: int, X: Matrix, report: Report) -> None:
        report.stop, report.objective = StopReason.CONVERGED, [point.objective]
        account_for((point,), report, X.dtype)
        warn_of_short_folds(short, report)


def fold_design(
    X: Matrix, y: Floats, w: Vector | None, folds: Folds, *, intercept: bool
) -> Design:
    """Return one problem for each fold, on the rows that it does not hold out."""
    n, d = X.shape
    if by_gram(n, d):
        return Grams(train_moments(X, y, w, folds), d, intercept=intercept)
    W = np.zeros((n, len(folds)))
    for k, (train, _) in enumerate(folds):
        np.add.at(W[:, k], train, 1.0 if w is None else w[train])
    Y = np.repeat(y[:, None].astype(np.float64), len(folds), axis=1)
    return Rows(X, Y, W, intercept=intercept)


def train_moments(
    X: Matrix, y: Floats, w: Vector | None, folds: Folds
) -> list[Moments]:
    """Return the moments of the rows that each fold trains on.

    Where the folds part the rows, as k-fold ones do, every row is looked at once.
    """
    Y = y if y.ndim == 2 else y[:, None]

    def of(rows: Vector) -> Moments:
        return Moments.of(X[rows], None if w is None else w[rows], Y[rows])

    times = np.bincount(np.concatenate([test for _, test in folds]), minlength=len(y))
    parted = (times == 1).all() and all(len(a) + len(b) == len(y) for a, b in folds)
    if not parted:
        return [of(train) for train, _ in folds]
    held_out = [of(test) for _, test in folds]
    sums = [
        fold(m for j, m in enumerate(held_out) if j != k) for k in range(len(folds))
    ]
    return [m for m in sums if m is not None]


def held_out_errors(
    X: Matrix,
    y: Floats,
    w: Vector | None,
    folds: Folds,
    design: Design,
    points: list[list[Point]],
) -> Floats:
    """Return (1) for every alpha and fold, (a, k)."""
    errors = np.empty((len(points), len(folds)))
    for k, (_, test) in enumerate(folds):
        B = np.array([solved[k].coef for solved in points])  # (a, d)
        intercepts = design.mean_y[k] - B @ design.mean_x[:, k]
        residual = y[test][:, None] - X[test] @ B.T.astype(X.dtype) - intercepts
        weights = None if w is None else w[test]
        errors[:, k] = np.average(residual**2, axis=0, weights=weights)
    return errors
