"""RANSAC: fit a few rows drawn at random, and keep what most others agree with.

Also known as: random sample consensus, hypothesise and test, consensus set.

Repeat: draw k rows, fit the model to them, and count the rows that it predicts well,

    I = {n : loss(y_n, f(x_n)) <= threshold}                                        (1)

The largest such set wins (of equals the one with the better score), and the model is
fitted once more to all of its rows.  Where a share q of the rows follows one model,
a draw of k of them is clean with probability q^k, so that after

    log(1 - p) / log(1 - q^k)                                                       (2)

draws one was clean with probability p = stop_probability; q is taken from the best set
so far, and the draws end at (2), or at max_trials.  Rows outside the set have no say at
all, however many they are and wherever they lie, in x too.

A weight w counts a row w times: it is drawn so much more often and counts as much in
(1).  Rows that are equal are one row, where the estimator takes weights.

Any estimator may be inside.  Least squares is solved for many draws at once
(`subset_fits.py`); others are fitted one draw after the other.  It needs all rows at
once.

Notation: k = min_samples; I = inlier_mask_.
References: Fischler and Bolles (1981); Choi, Kim and Yu (2009).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
import sklearn.linear_model
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.checks import check_X, names_checked
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import estimator as an_estimator
from corollary.core.parameters import function, missing, one_of, real, seed, whole
from corollary.core.randomness import entropy, generator
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.roles import Regressor
from corollary.engine.fit import inside_another_fit
from corollary.engine.meta import fit_with_weights
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.linear.least_squares.linear_regression import LinearRegression
from corollary.linear.online.visits import rows_to_visit
from corollary.linear.robust.subset_fits import drawn_subsets, subset_solutions
from corollary.solvers.spatial_median import weighted_median

__all__ = ["RANSACRegressor"]

STACK = 16  # draws that are solved at once
EPS = float(np.finfo(np.float64).eps)


class Trial(NamedTuple):
    """A model fitted to a draw: what it predicts for all rows, and its score."""

    predict: Callable[[Matrix], Floats]
    score: Callable[[Matrix, Floats, Floats], float]


@dataclass(frozen=True)
class Rows:
    """Distinct rows in the order of their content, and how often each counts."""

    X: Matrix
    y: Floats
    w: Floats  # (n,)
    repeated: bool  # whether some count other than once

    @property
    def n(self) -> float:
        """The weight of all rows."""
        return float(self.w.sum())


class EndOfDraws(NamedTuple):
    """Why no further draw is made."""

    reason: StopReason
    rule: str = "interrupt"  # the parameter that ended the draws
    remedy: str = ""


@dataclass(frozen=True)
class Consensus:
    """The best set so far."""

    trial: Trial | None = None
    count: float = 1.0  # the least that a set must weigh
    score: float = -np.inf
    draws: float = np.inf  # that (2) asks for
    ended: EndOfDraws | None = None


class RANSACRegressor(RowsLearner, Regressor):
    """A regressor fitted to the rows that agree with each other.

    Parameters
    ----------
    estimator : regressor, optional
        Any with `fit`, `predict` and `score`; by default `LinearRegression()`.
    min_samples : int or float, optional
        Rows of a draw, k, or their share of all; needed for other estimators than
        least squares, where it is one more than there are columns.
    residual_threshold : float, optional
        Of (1); by default the median absolute deviation of y from its median, or the
        rounding of y where that is 0.
    is_data_valid : function, optional
        ``is_data_valid(X, y)`` of a draw; where it is False the draw is skipped.
    is_model_valid : function, optional
        ``is_model_valid(estimator, X, y)``, likewise.
    max_trials : int or float, default=100
        Draws; inf for as many as (2) asks for.
    max_skips : int or float, default=inf
        Skipped draws at which to stop.
    stop_n_inliers : int or float, default=inf
        Stop once a set is so large.
    stop_score : float, default=inf
        Stop once the score of a set is so good.
    stop_probability : float, default=0.99
        p of (2).
    loss : {'absolute_error', 'squared_error'} or function
        ``loss(y_true, y_pred)`` of each row; of several targets the sum over them.
    random_state : int, RandomState or None
        Seed of the draws.

    Attributes
    ----------
    estimator_ : estimator
        Fitted to all rows of the best set.
    inlier_mask_ : array of bool of shape (n,)
        The best set.
    n_trials_ : int
        Draws that were made.
    n_skips_no_inliers_, n_skips_invalid_data_, n_skips_invalid_model_ : int
        Draws that were skipped because their set was smaller than the best, by
        `is_data_valid`, by `is_model_valid`.
    n_features_in_ : int
    report_ : Report
        With the rule that ended the draws, and the probability (2) that one of them was
        clean.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import RANSACRegressor
    >>> X = np.arange(20.0)[:, None]
    >>> y = 2 * X[:, 0] + 1
    >>> y[12:17] = 100.0
    >>> model = RANSACRegressor(residual_threshold=1.0, random_state=0).fit(X, y)
    >>> model.estimator_.coef_.round(6).tolist(), int(model.inlier_mask_.sum())
    ([2.0], 15)
    """

    takes_sparse = True
    parts: ClassVar = {"estimator_": "predict"}
    rules: ClassVar = {
        "estimator": missing | an_estimator,
        "min_samples": missing | whole(1) | real(0, 1),
        "residual_threshold": missing | real(0),
        "is_data_valid": missing | function,
        "is_model_valid": missing | function,
        "max_trials": real(0),
        "max_skips": real(0),
        "stop_n_inliers": real(0),
        "stop_score": real(),
        "stop_probability": real(0, 1),
        "loss": one_of("absolute_error", "squared_error") | function,
        "random_state": seed,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        min_samples: float | None = None,
        residual_threshold: float | None = None,
        is_data_valid: Any = None,
        is_model_valid: Any = None,
        max_trials: float = 100,
        max_skips: float = np.inf,
        stop_n_inliers: float = np.inf,
        stop_score: float = np.inf,
        stop_probability: float = 0.99,
        loss: Any = "absolute_error",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.min_samples = min_samples
        self.residual_threshold = residual_threshold
        self.is_data_valid = is_data_valid
        self.is_model_valid = is_model_valid
        self.max_trials = max_trials
        self.max_skips = max_skips
        self.stop_n_inliers = stop_n_inliers
        self.stop_score = stop_score
        self.stop_probability = stop_probability
        self.loss = loss
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._base()).input_tags.sparse
        return tags

    def _base(self) -> Any:
        return LinearRegression() if self.estimator is None else self.estimator

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Draw, count, and fit the best set."""
        distinct = self._distinct(rows)
        k = self._size(distinct)
        threshold = self._threshold(distinct)
        best = self._search(distinct, k, threshold)
        assert best.trial is not None  # or the search has raised
        residuals = self._residuals(rows.y, best.trial.predict(rows.X))
        mask = residuals <= threshold
        model = clone(self._base())
        weights = None if rows.w is None else rows.w[mask]
        fit_with_weights(self, model, rows.X[mask], rows.y[mask], weights)
        self.estimator_, self.inlier_mask_ = model, mask
        if rows.kept is not None:
            self.inlier_mask_ = np.zeros(len(rows.kept), dtype=bool)
            self.inlier_mask_[rows.kept] = mask
        self._account(best, (best.count / distinct.n) ** k, report)
        report.facts |= {"n_inliers": int(mask.sum()), "n_rows": rows.n}
        report.facts["threshold"] = threshold

    def _distinct(self, rows: Chunk) -> Rows:
        """Put the rows in the order of their content; equal ones become one."""
        base = self._base()
        weighs = has_fit_parameter(base, "sample_weight")
        if rows.w is not None and not weighs:
            must = "sample_weight needs an estimator that takes it"
            came = f"{type(base).__name__}, which does not support sample_weight"
            raise ParameterError(sentence(self, must, came))
        visited = rows_to_visit(rows, shuffle=True, seed=0)
        which, w = visited.which, visited.weights()
        if not weighs:
            which, w = np.arange(rows.n), np.ones(rows.n)
        return Rows(rows.X[which], rows.y[which], w, bool((w != 1).any()))

    def _size(self, rows: Rows) -> int:
        """Return the rows of a draw."""
        n, d, asked = len(rows.w), rows.X.shape[1], self.min_samples
        if asked is None:
            if not is_least_squares(self._base()):
                must = (
                    "min_samples must be given for other estimators than least squares"
                )
                raise ParameterError(sentence(self, must, type(self._base()).__name__))
            k = d + 1
        elif 0 < asked < 1:
            k = int(np.ceil(asked * n))
        else:
            k = int(asked)
        if not 1 <= k <= n:
            must = f"min_samples must be from 1 to n_samples = {n}"
            remedy = "Use fewer columns, or more rows."
            raise ParameterError(sentence(self, must, f"{k}", remedy))
        return k

    def _threshold(self, rows: Rows) -> float:
        """Return the bound of (1)."""
        if self.residual_threshold is not None:
            return float(self.residual_threshold)
        y = rows.y.astype(np.float64)
        flat = y.ravel()
        w = np.repeat(rows.w, y.shape[1]) if y.ndim == 2 else rows.w
        centre = weighted_median(flat, w)
        rounding = 8 * float(np.finfo(rows.X.dtype).eps * np.abs(flat).max())
        return max(rounding, weighted_median(np.abs(flat - centre), w))

    def _residuals(self, y: Floats, predicted: Floats) -> Floats:
        """Return the loss of each row."""
        if callable(self.loss):
            return np.asarray(self.loss(y, predicted))
        off = np.abs(y - predicted)
        off = off if self.loss == "absolute_error" else off**2
        return off.sum(axis=1) if off.ndim == 2 else off

    def _search(self, rows: Rows, k: int, threshold: float) -> Consensus:
        """Draw until (2) or another rule ends it; return the best set."""
        self.n_trials_ = self.n_skips_no_inliers_ = 0
        self.n_skips_invalid_data_ = self.n_skips_invalid_model_ = 0
        best, trials = Consensus(), self._trials(rows, k)
        try:
            while (ended := self._end_of_draws(best)) is None:
                self.n_trials_ += 1
                best = self._better(best, next(trials), rows, k, threshold)
        except KeyboardInterrupt:
            if best.trial is None:
                raise
            ended = EndOfDraws(StopReason.INTERRUPTED)
        if best.trial is None:
            raise self._no_consensus()
        return replace(best, ended=ended)

    def _end_of_draws(self, best: Consensus) -> EndOfDraws | None:
        """Say why no further draw is made, or None."""
        if best.count >= self.stop_n_inliers and best.trial is not None:
            return EndOfDraws(StopReason.CONVERGED, "stop_n_inliers")
        if best.score >= self.stop_score:
            return EndOfDraws(StopReason.CONVERGED, "stop_score")
        if self.n_trials_ >= best.draws:
            return EndOfDraws(StopReason.CONVERGED, "stop_probability")
        if self.n_trials_ >= self.max_trials:
            remedy = "Raise max_trials, or lower min_samples."
            return EndOfDraws(StopReason.MAX_PASSES, "max_trials", remedy)
        if self._skips() > self.max_skips:
            remedy = "More draws were skipped than max_skips allows. Raise it."
            return EndOfDraws(StopReason.MAX_PASSES, "max_skips", remedy)
        return None

    def _better(
        self, best: Consensus, trial: Trial | None, rows: Rows, k: int, threshold: float
    ) -> Consensus:
        """Return the better one of the best set and that of a draw (1)."""
        if trial is None:
            return best
        with names_checked():
            inside = self._residuals(rows.y, trial.predict(rows.X)) <= threshold
        count = float(rows.w[inside].sum())
        if count < best.count:
            self.n_skips_no_inliers_ += 1
            return best
        score = trial.score(rows.X[inside], rows.y[inside], rows.w[inside])
        if best.trial is not None and count == best.count and score < best.score:
            return best
        draws = draws_needed(count / rows.n, k, float(self.stop_probability))
        return Consensus(trial, count, score, draws)

    def _skips(self) -> int:
        return (
            self.n_skips_no_inliers_
            + self.n_skips_invalid_data_
            + self.n_skips_invalid_model_
        )

    def _no_consensus(self) -> DataError:
        counts = (
            f"{self.n_skips_invalid_data_} draws refused by is_data_valid, "
            f"{self.n_skips_invalid_model_} by is_model_valid, and "
            f"{self.n_skips_no_inliers_} without a row within the threshold"
        )
        must = f"a draw out of {self.n_trials_} must have a consensus"
        remedy = "Raise residual_threshold, max_trials or max_skips."
        return DataError(sentence(self, must, counts, remedy))

    def _trials(self, rows: Rows, k: int) -> Iterator[Trial | None]:
        """Yield the model of each draw, None for a draw that is skipped."""
        draw, base = generator(entropy(self.random_state)), self._base()
        if "random_state" in base.get_params():
            base = clone(base).set_params(random_state=int(draw.integers(2**31)))
        checks = self.is_data_valid is not None or self.is_model_valid is not None
        stacked = is_least_squares(base) and not checks and not sp.issparse(rows.X)
        stacked = stacked and not (rows.repeated and k > rows.X.shape[1] + 1)
        while True:
            subsets = drawn_subsets(draw, STACK, k, rows.w)
            if stacked:
                yield from linear_trials(rows, subsets, bool(base.fit_intercept))
            else:
                yield from (self._trial(rows, base, subset) for subset in subsets)

    def _trial(self, rows: Rows, base: Any, subset: Vector) -> Trial | None:
        """Fit an estimator to one draw, unless a check of the user's refuses it."""
        X, y, w = rows.X[subset], rows.y[subset], rows.w[subset]
        if self.is_data_valid is not None and not self.is_data_valid(X, y):
            self.n_skips_invalid_data_ += 1
            return None
        model, weights = clone(base), w if rows.repeated else None
        with inside_another_fit():
            fit_with_weights(self, model, X, y, weights)
        if self.is_model_valid is not None and not self.is_model_valid(model, X, y):
            self.n_skips_invalid_model_ += 1
            return None

        def score(X: Matrix, y: Floats, w: Floats) -> float:
            more = {"sample_weight": w} if rows.repeated else {}
            return float(model.score(X, y, **more))

        return Trial(model.predict, score)

    def _account(self, best: Consensus, clean: float, report: Report) -> None:
        """Report why the draws ended, and how likely it is that one was clean."""
        report.warnings += getattr(self.estimator_, "report_", report).warnings
        if best.ended is not None:
            report.stop, report.remedy = best.ended.reason, best.ended.remedy
            report.facts["stop_rule"] = best.ended.rule
        report.passes = self.n_trials_
        missed = (1 - clean) ** self.n_trials_
        kind = "the probability that no draw was clean is"
        report.optimality = Optimality(kind, missed)
        report.facts["clean_draw"] = 1 - missed
        report.facts["n_trials"] = self.n_trials_
        report.facts["estimator"] = type(self.estimator_).__name__

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any) -> Floats:
        """Return what the estimator predicts."""
        X = self._checked(X)
        return self.estimator_.predict(X)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of the estimator.

        Parameters
        ----------
        X : array of shape (n, d)
        y : array of shape (n,) or (n, m)
        sample_weight : array of shape (n,), optional
        """
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        X = self._checked(X)
        return float(self.estimator_.score(X, y, **given))

    def _checked(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return check_X(self, X, reset=False, sparse=True)


def is_least_squares(model: Any) -> bool:
    """Tell whether a model is plain least squares, ours or scikit-learn's."""
    kinds = (LinearRegression, sklearn.linear_model.LinearRegression)
    return type(model) in kinds and not model.positive


def linear_trials(rows: Rows, subsets: Vector, intercept: bool) -> Iterator[Trial]:
    """Yield the line of each draw, solved together."""
    X, y = rows.X.astype(np.float64, copy=False), rows.y.astype(np.float64, copy=False)
    for b in subset_solutions(X, y, subsets, intercept=intercept):

        def predict(X: Matrix, b: Floats = b) -> Floats:
            return X @ b[1:] + b[0] if intercept else X @ b

        def score(X: Matrix, y: Floats, w: Floats, b: Floats = b) -> float:
            predicted = X @ b[1:] + b[0] if intercept else X @ b
            return explained(y, predicted, w)

        yield Trial(predict, score)


def explained(y: Floats, predicted: Floats, w: Floats) -> float:
    """Return R^2, the mean of several targets', as scikit-learn defines it."""
    Y, P = (a if a.ndim == 2 else a[:, None] for a in (y, predicted))
    left = w @ (Y - P) ** 2
    total = w @ (Y - w @ Y / w.sum()) ** 2
    exact = np.where(left == 0, 1.0, 0.0)
    ratio = np.divide(left, total, out=1 - exact, where=total > 0)
    return float(np.mean(1 - ratio)) if len(Y) > 1 else float("nan")


def draws_needed(share: float, k: int, probability: float) -> float:
    """Return (2), rounded up.

    >>> draws_needed(0.7, 2, 0.99), draws_needed(0.5, 8, 0.99)
    (7.0, 1177.0)
    """
    missed, soiled = max(EPS, 1 - probability), max(EPS, 1 - share**k)
    if missed == 1:
        return 0.0
    if soiled == 1:
        return np.inf
    return float(abs(np.ceil(np.log(missed) / np.log(soiled))))
