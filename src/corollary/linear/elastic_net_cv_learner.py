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

import time
import warnings
from abc import abstractmethod
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.base import Regressor
from corollary.core.checks import (
    check_rows,
    check_targets,
    check_weights,
    check_X,
    present,
)
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import as_before
from corollary.core.magnitude import check_learned
from corollary.core.params import (
    anything,
    array_like,
    boolean,
    check_parameters,
    missing,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.report import Report, StopReason
from corollary.core.vectors import non_negative
from corollary.engine import ArraySource, Moments
from corollary.engine.statistics import fold
from corollary.linear.elastic_net_learner import account_for, by_gram
from corollary.linear.elastic_net_path import alpha_grid, design_of
from corollary.linear.folds import Folds, folds_of, rows_with_weight
from corollary.solvers.columns import Design, Grams, Rows
from corollary.solvers.coordinate_descent import Penalty, Point
from corollary.solvers.coordinate_descent import path as solved_path

__all__ = ["ElasticNetCVLearner"]


class ElasticNetCVLearner(Regressor):
    """Chooses the penalty of an elastic net; subclasses say which l1_ratios to try."""

    takes_sparse = True
    any_layout = True
    shapes: ClassVar = {"coef_": "d"}
    rules: ClassVar = {
        "eps": real(0, 1, ends="()"),
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
        """Set the attribute that tells the chosen share, where it was a choice."""

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the rows in columns, for each fold."""
        return rows * (64.0 * features + 50.0)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose the penalty by cross-validation and fit it to all rows.

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d)
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times, in the fits and in (1), and 0 removes it
            before the folds are made.  A row of weight w lies in one fold; copies of a
            row may lie in several, unless `cv` holds splits that keep them together.

        Returns
        -------
        self
        """
        check_parameters(self, self.rules)
        with as_before(self):
            self._learn(X, y, sample_weight)
        return self

    def predict(self, X: Any) -> Vector:
        """Return X b + b0."""
        X = self._query(X)
        return X @ self.coef_.astype(X.dtype) + np.asarray(self.intercept_, X.dtype)

    # -- parts of a fit ------------------------------------------------------------
    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        """Make the folds' paths, choose, and fit the choice."""
        begun = time.perf_counter()
        X, y, w, kept = self._rows(X, y, sample_weight)
        whole_design = design_of(X, y, w, intercept=self.fit_intercept)
        ratios = self._l1_ratios()
        grids = np.array([self._grid(whole_design, ratio) for ratio in ratios])
        folds = self._folds(X, y, kept)
        design = fold_design(X, y, w, folds, intercept=self.fit_intercept)
        short = 0
        mse = np.empty((len(ratios), grids.shape[1], len(folds)))
        for i, ratio in enumerate(ratios):
            points = list(solved_path(design, grids[i], self._penalty(ratio)))
            mse[i] = held_out_errors(X, y, w, folds, design, points)
            short += sum(
                p.stop is not StopReason.CONVERGED for ps in points for p in ps
            )
        mean = mse.mean(axis=2)
        best, at = np.unravel_index(np.argmin(mean), mean.shape)
        self._publish_ratio(float(ratios[best]))
        self.alpha_ = float(grids[best, at])
        self.alphas_ = grids[0] if len(ratios) == 1 else grids
        self.mse_path_ = mse[0] if len(ratios) == 1 else mse
        penalty = self._penalty(ratios[best])
        (point,) = next(solved_path(whole_design, np.array([self.alpha_]), penalty))
        self._publish(point, whole_design, X)
        self._account(point, short, X, time.perf_counter() - begun)
        check_learned(self)

    def _rows(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Matrix, Floats, Vector | None, Vector | None]:
        """Return the rows that weigh something, and which of all they are."""
        present(self, y)
        X = check_X(self, X, reset=True, sparse=True, min_rows=2)
        check_rows(self, X)
        y = check_targets(self, y, X.shape[0], X.dtype, many=False)
        w = check_weights(self, sample_weight, X.shape[0])
        kept = rows_with_weight(w)
        if w is None or kept is None:
            return X, y, w, None
        return X[kept], y[kept], w[kept], kept

    def _folds(self, X: Matrix, y: Floats, kept: Vector | None) -> Folds:
        """Make the folds; each must have something to learn from and to hold out."""
        folds = folds_of(self, self.cv, X, y, kept)
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
        return alpha_grid(self, design, l1_ratio, self.eps, count, positive)

    def _penalty(self, l1_ratio: float) -> Penalty:
        positive, tol = bool(self.positive), float(self.tol)
        return Penalty(float(l1_ratio), positive, tol, int(self.max_iter))

    def _publish(self, point: Point, design: Design, X: Matrix) -> None:
        self.coef_ = point.coef.astype(X.dtype)
        intercept = design.intercepts(point.coef[None]).astype(X.dtype)
        self.intercept_ = intercept[0] if self.fit_intercept else 0.0
        self.dual_gap_, self.n_iter_ = point.gap, point.epochs

    def _account(self, point: Point, short: int, X: Matrix, seconds: float) -> None:
        report = Report(type(self).__name__, StopReason.CONVERGED, 1)
        report.rows, report.reads, report.seconds = X.shape[0], 1, seconds
        report.objective, report.executor = [point.objective], "this process"
        report.source = ArraySource(X).described
        account_for((point,), report, X.dtype)
        if short:
            text = f"{short} fits of the folds' paths stopped before tol was met."
            report.warnings.append(f"{text} Raise max_iter, or loosen tol.")
            text = f"{type(self).__name__}: {report.warnings[-1]}"
            warnings.warn(text, ConvergenceWarning, stacklevel=3)
        self.report_ = report


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
