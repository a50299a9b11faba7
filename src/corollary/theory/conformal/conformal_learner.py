"""What conformal regressors and classifiers share: splits, folds, groups, shifts.

    split     fit on some rows, score the others: calibration rows               (1)
    folds     fit on all folds but one, score that one                           (2)
    prefit    score the rows that are given by a model that never saw them       (3)

Groups are calibrated one by one, so that the guarantee holds in each (Mondrian sets).
Under a covariate shift each score counts its likelihood ratio.
"""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from functools import partial
from typing import Any, Self

import numpy as np
import scipy.sparse as sp
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import (
    check_two_rows,
    check_weights,
    check_X,
    full_weights,
    names_checked,
)
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.memory import FEWER, check_memory
from corollary.core.parameters import Rule, boolean, real, seed, whole
from corollary.core.randomness import entropy
from corollary.core.roles import Estimator
from corollary.core.warn import warn
from corollary.engine import Data
from corollary.engine.gather import gather
from corollary.engine.meta import Inside, MetaLearner, is_read_by_members, texts_of
from corollary.engine.sources.opening import as_source, open_source
from corollary.theory.conformal.calibration import (
    Calibration,
    check_delta,
    check_scores,
)
from corollary.theory.conformal.coverage import Coverage, of_folds, of_scores
from corollary.theory.conformal.groups import check_groups, group_codes
from corollary.theory.conformal.likelihood_ratio import check_ratio
from corollary.theory.conformal.splitting import (
    Rows,
    as_copies,
    folds,
    given_folds,
    held_out,
)

__all__ = ["CONFORMAL_RULES", "ConformalLearner"]

CONFORMAL_RULES = {
    "delta": real(0, 1, ends="()"),
    "calibration_size": whole(1) | real(0, 1, ends="()"),
    "cv": whole(2)
    | Rule(
        "a splitter, or pairs of training and test rows",
        lambda value: hasattr(value, "split") or isinstance(value, list | tuple),
    ),
    "prefit": boolean,
    "random_state": seed,
}
ONE_SPLIT = ("split", "quantile")
ROW_BYTES = 60.0  # of a row's target, order and score


class ConformalLearner(MetaLearner, Estimator):
    """A model, and scores of rows that it never saw."""

    may_be_infinite = ("quantile_",)
    parts = {"estimator_": "predict", "estimators_": "predict"}  # noqa: RUF012
    estimator: Any
    method: str
    delta: float
    calibration_size: float
    cv: Any
    random_state: Any
    estimator_: Any
    estimators_: list[Any]
    calibrations_: list[Calibration]
    group_coverage_: dict[str, Coverage]
    groups_: Any
    scores_: Any
    folds_: Any
    ratio_: Any
    seed_: int

    @abstractmethod
    def _base(self) -> Any:
        """Return the model to clone."""

    @abstractmethod
    def _targets(self, y: Any, rows: int, *, known: bool) -> Vector:
        """Check y; take its classes, or hold it to those that are known."""

    @abstractmethod
    def _fitted(self, base: Any, rows: Rows) -> Any:
        """Fit a clone of a model to rows."""

    @abstractmethod
    def _fit_models(self, rows: Rows) -> None:
        """Set the models that are fitted to the training rows."""

    @abstractmethod
    def _take_models(self) -> None:
        """Set the models that were fitted before."""

    @abstractmethod
    def _fold_scores(self, model: Any, X: Any, y: Vector, number: int) -> Floats:
        """Return the scores of the rows of a fold by the model of the others."""

    @abstractmethod
    def _row_scores(self, X: Any, y: Vector) -> Floats:
        """Return the scores of calibration rows."""

    @abstractmethod
    def _cells(self, y: Vector) -> tuple[Vector, int]:
        """Return the cell of each row inside its group, and how many cells it has."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(self._base()).input_tags
        tags.input_tags.sparse = base.sparse
        tags.input_tags.allow_nan = base.allow_nan
        return tags

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the model inside takes sparse rows."""
        return bool(get_tags(self._base()).input_tags.sparse)

    def takes_missing(self) -> bool:
        """Tell whether the model inside takes missing values."""
        return bool(get_tags(self._base()).input_tags.allow_nan)

    # -- learning ------------------------------------------------------------------
    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Fit and score by (1) or (2); with `prefit`, score the rows given (3)."""
        if self.prefit:
            return self._calibrated(X, y, sample_weight, None, None)
        self.seed_ = entropy(self.random_state)
        by_folds = self.method not in ONE_SPLIT
        rows = self._opened(X, y, sample_weight)
        n = len(rows.y)
        copies = as_copies(self, rows.w, n, whole_only=by_folds)
        if by_folds:
            return self._by_folds(rows, copies)
        if copies is None:
            rows = rows.some(np.flatnonzero(rows.w))
        elif rows.w is not None:
            rows = rows._replace(w=None).some(copies)
        n = len(rows.y)
        check_two_rows(self, n)
        held = held_out(self, rows, self.calibration_size, self.seed_)
        self._fit_models(rows.some(np.setdiff1d(np.arange(n), held)))
        some = rows.some(held)
        with self._bare():
            scores = self._row_scores(some.X, some.y)
        self._calibrate(scores, some.y, some.w, None, None)
        return self._inside(n)

    def calibrate(
        self,
        X: Any,
        y: Any,
        *,
        groups: Any = None,
        ratio: Any = None,
        sample_weight: Any = None,
    ) -> Self:
        """Calibrate on other rows, which the model must not have been fitted to.

        Parameters
        ----------
        X : rows
        y : array of shape (n,)
        groups : array of shape (n,), optional
            The group of each row; each is calibrated by itself, and the guarantee holds
            in each.
        ratio : array of shape (n,) or function of rows, optional
            Likelihood ratio of new rows to these, for a covariate shift: see
            `likelihood_ratio`.  A function is kept for the new rows.
        sample_weight : array of shape (n,), optional
            How often each row counts.

        Returns
        -------
        self
        """
        work = partial(self._calibrated, X, y, sample_weight, groups, ratio)
        return self._fit_by(work)

    def _calibrated(
        self, X: Any, y: Any, sample_weight: Any, groups: Any, ratio: Any
    ) -> Inside:
        if self.method not in ONE_SPLIT:
            must = "a model that is fitted already needs method 'split' or 'quantile'"
            raise ParameterError(sentence(self, must, repr(self.method)))
        if self.prefit:
            self._take_models()
            self.seed_ = entropy(self.random_state)
        X = self._asked(X, "estimator_")
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if n < 1:
            raise DataError(sentence(self, "calibration needs at least 1 row", "none"))
        targets = self._targets(y, n, known=True)
        w = check_weights(self, sample_weight, n)
        with self._bare():
            scores = self._row_scores(X, targets)
            ratios = None if ratio is None else check_ratio(self, ratio, X, n)
        self._calibrate(scores, targets, w, check_groups(self, groups, n), ratios)
        self.ratio_ = ratio if callable(ratio) else None
        return self._inside(n)

    def _opened(self, X: Any, y: Any, sample_weight: Any) -> Rows:
        """Check rows, or read them from a source."""
        if as_source(X) is not None or hasattr(X, "__dask_graph__"):
            data = Data(self, open_source(self, X, y, sample_weight))
            try:
                rows = gather(data)
            finally:
                data.executor.close()
            check_copies(self, rows.X, copies=2)
            return Rows(rows.X, rows.y, rows.w)
        X = self._checked(X, reset=True)
        n = X.shape[0]
        check_copies(self, X, copies=1)
        w = check_weights(self, sample_weight, n)
        return Rows(X, self._targets(y, n, known=False), w)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Check rows of numbers; a foreign model gets texts and frames as they are."""
        texts = texts_of(X)
        if texts is not None:
            return texts
        if is_read_by_members(X) and not isinstance(self._base(), Estimator):
            validate_data(self, X, reset=reset, skip_check_array=True)
            return X
        return check_X(self, X, reset=reset, sparse=self.takes_sparse)

    def _by_folds(self, given: Rows, copies: Vector) -> Inside:
        """Score every row by the model of the other folds (2)."""
        rows = given._replace(w=None).some(copies)
        n, alone = len(copies), self.method == "jackknife+"
        check_two_rows(self, n)
        if alone or whole().holds(self.cv):
            fold = folds(rows, n if alone else int(self.cv), self.seed_)
        else:
            fold = given_folds(self, given, self.cv)[copies]
        scores: Floats = np.empty(n)
        models = []
        for number in range(int(fold.max()) + 1):
            inside, outside = np.flatnonzero(fold == number), fold != number
            model = self._fitted(self._base(), rows.some(np.flatnonzero(outside)))
            some = rows.some(inside)
            with self._bare():
                scores[inside] = self._fold_scores(model, some.X, some.y, number)
            models.append(model)
        check_scores(self, scores)
        self._fit_models(rows)
        self.estimators_ = models
        order = np.lexsort((scores, fold))
        self.scores_, self.folds_ = scores[order], fold[order]
        self.groups_ = self.ratio_ = None
        self.calibrations_, self.group_coverage_, self.shifted_ = [], {}, False
        self.quantile_ = np.array([Calibration.of(scores).threshold(self.delta)])
        around = self.method == "minmax"
        self.coverage_ = of_folds(n, len(models), self.delta, around_all=around)
        return self._inside(n)

    def _calibrate(
        self, scores: Floats, y: Vector, w: Any, groups: Any, ratios: Any
    ) -> None:
        """Sort the scores of each group, and of each cell in it."""
        s = check_scores(self, scores)
        weights = w
        if ratios is not None:
            weights = full_weights(self, w, len(s)) * ratios
            if not weights.any():
                must = "ratio must be above 0 in some row"
                raise DataError(sentence(self, must, "0 in each"))
        code, cells = self._cells(y)
        self.groups_, number = None, cells
        if groups is not None:
            self.groups_, own = np.unique(groups, return_inverse=True)
            code, number = own * cells + code, cells * len(self.groups_)
        order = np.argsort(code, kind="stable")
        ends = np.searchsorted(code[order], np.arange(1, number))
        self.calibrations_ = [
            Calibration.of(s[own], None if weights is None else weights[own])
            for own in np.split(order, ends)
        ]
        self.scores_ = self.folds_ = self.ratio_ = None
        self.shifted_ = ratios is not None
        self._state_coverage(cells)

    def _state_coverage(self, cells: int) -> None:
        """Set what is guaranteed, in all and in each group, by the smallest cells."""
        every = self.calibrations_
        self.quantile_ = np.array([one.threshold(self.delta) for one in every])
        each = [of_scores(one, self.delta, shifted=self.shifted_) for one in every]
        self.coverage_ = min(each, key=lambda one: one.rows)
        self.group_coverage_ = {}
        for g, name in enumerate([] if self.groups_ is None else self.groups_.tolist()):
            own = each[g * cells : (g + 1) * cells]
            self.group_coverage_[str(name)] = min(own, key=lambda one: one.rows)

    def _inside(self, rows: int) -> Inside:
        """Return the models, and what is known of the sets."""
        known, every = self.coverage_, self.calibrations_
        facts = {
            "estimator": type(self.estimator_).__name__,
            "n_calibration": sum(one.rows for one in every) if every else known.rows,
            "coverage_at_least": known.at_least,
            "coverage_at_most": known.at_most,
        }
        q = float(np.max(self.quantile_))
        if np.isfinite(q):
            facts["score_bound"] = q
        notes = []
        if known.everything:
            notes = [
                f"{known.rows} calibration rows are too few for delta = "
                f"{self.delta:g}: the set is everything."
            ]
            warn(f"{type(self).__name__}: {notes[0]}")
        others = [one for one in self.estimators_ if one is not self.estimator_]
        return Inside([self.estimator_, *others], rows, facts, notes)

    def _or_so_far(self, model: Any) -> contextlib.AbstractContextManager[Any]:
        """Go on after Ctrl-C with what the only model has learned so far."""
        return or_so_far(model) if self.method == "split" else contextlib.nullcontext()

    # -- use -----------------------------------------------------------------------
    def _asked(self, X: Any, learned: str = "coverage_") -> Any:
        """Check that the model is fitted, and the rows where it was fitted here."""
        check_is_fitted(self, learned)
        if not self.prefit:
            return self._checked(X, reset=False)
        return X if is_read_by_members(X) or hasattr(X, "shape") else np.asarray(X)

    def _bare(self) -> contextlib.AbstractContextManager[Any]:
        """Let models inside take arrays without names, where these were checked."""
        return contextlib.nullcontext() if self.prefit else names_checked()

    def _level(self, delta: Any) -> float:
        return float(self.delta) if delta is None else check_delta(self, delta)

    def _refuse_groups(self, groups: Any, ratio: Any) -> None:
        if groups is not None or ratio is not None:
            must = f"method {self.method!r} takes no groups and no ratio"
            came = "ratio" if groups is None else "groups"
            raise ParameterError(sentence(self, must, came, "Use method='split'."))

    def _thresholds(self, X: Any, n: int, delta: float, groups: Any, ratio: Any) -> Any:
        """Return q of each cell: (1, cells), or (n, cells) where rows differ."""
        every, known = self.calibrations_, self.groups_
        cells = len(every) // (1 if known is None else len(known))
        code = group_codes(self, known, groups, n)
        ratio = self.ratio_ if ratio is None else ratio
        if (ratio is not None) != self.shifted_:
            must = "ratio must be given for calibration rows and new rows alike"
            came = "none for new rows" if ratio is None else "it for new rows alone"
            raise DataError(sentence(self, must, came))
        if ratio is None:
            q = np.array([one.threshold(delta) for one in every]).reshape(-1, cells)
            return q if code is None else q[code]
        with self._bare():
            w = check_ratio(self, ratio, X, n)
        own = 0 if code is None else code * cells
        table = np.array([one.threshold(delta, w) for one in every])  # (all cells, n)
        rows = np.arange(n)
        return np.column_stack([table[own + c, rows] for c in range(cells)])


def check_copies(who: object, X: Any, copies: int) -> None:
    """Refuse rows whose copies, to fit and to score, exceed the memory limit."""
    parts = (X.data, X.indices) if sp.issparse(X) else (X,)
    size = sum(float(getattr(part, "nbytes", 0)) for part in parts)
    rows = int(X.shape[0])
    what = f"copies of {rows:,} rows"
    check_memory(who, copies * size + ROW_BYTES * rows, what, FEWER)
