"""Conformal regression: intervals that hold the truth as often as they say.

Also known as: split conformal prediction, inductive conformal prediction, jackknife+,
CV+, cross-conformal prediction, conformalized quantile regression, CQR.

Around any regressor f, with scores of rows that it was not fitted to,

    split      s = |y - f(x)|                 C(x) = [ f(x) - q,  f(x) + q ]     (1)
    quantile   s = max(f_lo(x) - y, y - f_hi(x))
                                              C(x) = [ f_lo(x) - q, f_hi(x) + q ] (2)

where q is the conformal quantile of the scores (`calibration.py`).  Whatever the model
and whatever the law of the rows, as long as these are exchangeable,

    Pr[ y in C(x) ] >= 1 - delta                                                 (3)

over calibration rows and new row.  (1) is as wide everywhere; (2) adapts to rows whose
y scatters more.  Where q of (2) is so far below 0 that the ends cross, nothing is in
between.  The intervals of `cv+`, `jackknife+`, `cross` and `minmax` use every row both
to fit and to score (`fold_intervals.py`), at a guarantee of about 1 - 2 delta.

It gathers the rows of a source in memory.

Notation: f, the model; s, score; q = quantile_; delta; C(x), the interval.
References: Papadopoulos et al. (2002); Lei et al. (2018); Romano, Patterson and Candes
(2019); Barber, Candes, Ramdas and Tibshirani (2021).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_targets
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import Rule, missing, one_of
from corollary.core.parameters import estimator as an_estimator
from corollary.core.roles import SingleRegressor
from corollary.engine.meta import fit_with_weights
from corollary.theory.conformal.conformal_learner import (
    CONFORMAL_RULES,
    ONE_SPLIT,
    ConformalLearner,
)
from corollary.theory.conformal.fold_intervals import fold_intervals
from corollary.theory.conformal.splitting import Rows

__all__ = ["ConformalRegressor"]

SEVERAL = Rule(
    "two or three quantile regressors (lower, upper, middle)",
    lambda value: (
        isinstance(value, list | tuple)
        and len(value) in (2, 3)
        and all(an_estimator.holds(one) for one in value)
    ),
)


class ConformalRegressor(ConformalLearner, SingleRegressor):
    """Intervals around any regressor, with a guarantee for any law of the rows.

    Parameters
    ----------
    estimator : regressor, or two or three of them, optional
        By default `LinearRegression()`.  With 'quantile', a quantile regressor that is
        fitted for delta/2, 1 - delta/2 and 1/2; by default `QuantileRegressor`; or the
        regressors of the lower end, of the upper end and perhaps of the middle.
    method : {'split', 'quantile', 'cv+', 'jackknife+', 'cross', 'minmax'}
        By default 'split'.
    delta : float, default=0.1
        How often an interval may miss.
    calibration_size : float or int, default=0.25
        Share, or number, of the rows that 'split' and 'quantile' score.
    cv : int or splitter, default=5
        Folds of 'cv+', 'cross' and 'minmax'.
    prefit : bool, default=False
        Whether `estimator` is fitted already; all rows of `fit` are calibration rows.
    random_state : int, RandomState or None
        Seed of the split.

    Attributes
    ----------
    estimator_ : regressor
        The model that `predict` asks: fitted to the training rows, or with folds to
        all; of a pair of quantile regressors, the lower one.
    estimators_ : list of regressors
        Those of the folds, or of the lower and the upper end.
    quantile_ : array
        q of all rows, or of each group: may be infinite.
    coverage_ : Coverage
        What is guaranteed; with groups, in the smallest one.
    group_coverage_ : dict of str to Coverage
        The same of each group.
    groups_ : array or None
        The groups that were calibrated.
    calibrations_ : list of Calibration
        The scores of calibration rows, of each group.
    shifted_ : bool
        Whether these count their likelihood ratio.
    ratio_ : function or None
        The likelihood ratio, where it came as a function.
    scores_, folds_ : arrays of shape (n,), or None
        With folds, the score and the fold of every row.
    seed_ : int
        Of the draws.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ConformalRegressor
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(400, 1))
    >>> y = X[:, 0] + rng.normal(size=400)
    >>> model = ConformalRegressor(delta=0.1, random_state=0).fit(X, y)
    >>> print(model.coverage_)
    coverage >= 0.9 and <= 0.9099 (100 calibration rows, delta = 0.1)
    >>> model.predict_interval([[0.0], [2.0]]).round(1).tolist()
    [[-1.4, 1.4], [0.8, 3.6]]
    """

    rules: ClassVar = CONFORMAL_RULES | {
        "estimator": missing | an_estimator | SEVERAL,
        "method": one_of("split", "quantile", "cv+", "jackknife+", "cross", "minmax"),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "split",
        delta: float = 0.1,
        calibration_size: float = 0.25,
        cv: Any = 5,
        prefit: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.delta = delta
        self.calibration_size = calibration_size
        self.cv = cv
        self.prefit = prefit
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def _base(self) -> Any:
        if isinstance(self.estimator, list | tuple) and self.estimator:
            return self.estimator[0]
        if self.estimator is not None:
            return self.estimator
        if self.method == "quantile":
            from corollary.linear.quantile.quantile_regressor import QuantileRegressor

            return QuantileRegressor(alpha=0.0)
        from corollary.linear.least_squares.linear_regression import LinearRegression

        return LinearRegression()

    def _targets(self, y: Any, rows: int, *, known: bool) -> Vector:
        return check_targets(self, y, rows, np.float64, many=False)

    def _fitted(self, base: Any, rows: Rows) -> Any:
        model = clone(base)
        with self._or_so_far(model):
            fit_with_weights(self, model, rows.X, rows.y, rows.w)
        return model

    def _fit_models(self, rows: Rows) -> None:
        several = isinstance(self.estimator, list | tuple)
        if self.method != "quantile":
            if several:
                must = "several estimators need method='quantile'"
                raise ParameterError(sentence(self, must, repr(self.method)))
            self.estimator_, self.estimators_ = self._fitted(self._base(), rows), []
            return
        if several:
            bases = list(self.estimator)
        else:
            taus = (self.delta / 2, 1 - self.delta / 2, 0.5)
            bases = [at_quantile(self, self._base(), tau) for tau in taus]
        self._set_ends([self._fitted(base, rows) for base in bases])

    def _take_models(self) -> None:
        several = isinstance(self.estimator, list | tuple)
        if self.estimator is None or several != (self.method == "quantile"):
            must = "prefit needs a fitted estimator, and two or three for 'quantile'"
            came = f"{self.estimator!r:.60} for {self.method!r}"
            raise ParameterError(sentence(self, must, came))
        for one in self.estimator if several else [self.estimator]:
            check_is_fitted(one)
        if several:
            self._set_ends(list(self.estimator))
        else:
            self.estimator_, self.estimators_ = self.estimator, []
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _set_ends(self, models: list[Any]) -> None:
        """Keep lower and upper model, and the middle one where there is one."""
        self.estimators_ = models[:2]
        self.estimator_ = models[2] if len(models) > 2 else models[0]

    def _fold_scores(self, model: Any, X: Any, y: Vector, number: int) -> Floats:
        return np.abs(y - points(model, X))

    def _row_scores(self, X: Any, y: Vector) -> Floats:
        lower, upper = self._ends(X)
        if self.method == "split":
            return np.abs(y - lower)
        return np.maximum(lower - y, y - upper)

    def _cells(self, y: Vector) -> tuple[Vector, int]:
        return np.zeros(len(y), dtype=np.int64), 1

    # -- use -----------------------------------------------------------------------
    def _ends(self, X: Any) -> tuple[Floats, Floats]:
        """Return what (1) or (2) widens by q."""
        if self.method == "split":
            f = points(self.estimator_, X)
            return f, f
        lower, upper = (points(model, X) for model in self.estimators_)
        return lower, upper

    def predict(self, X: Any) -> Floats:
        """Return what the model inside predicts; the middle of a pair of quantiles.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of shape (n,)
        """
        X = self._asked(X)
        with self._bare():
            if self.method == "quantile" and self.estimator_ is self.estimators_[0]:
                lower, upper = self._ends(X)
                return (lower + upper) / 2
            return points(self.estimator_, X)

    def predict_interval(
        self,
        X: Any,
        delta: float | None = None,
        *,
        groups: Any = None,
        ratio: Any = None,
    ) -> Floats:
        """Return an interval for each row.

        Parameters
        ----------
        X : rows
        delta : float, optional
            How often it may miss; by default that of the model.
        groups : array of shape (n,), optional
            The group of each row, where groups were calibrated.
        ratio : array of shape (n,) or function of rows, optional
            Their likelihood ratios, where calibration rows had them; by default the
            function given then.

        Returns
        -------
        array of shape (n, 2)
            Both ends; infinite where calibration rows are too few for delta.
        """
        X = self._asked(X)
        delta = self._level(delta)
        with self._bare():
            if self.method not in ONE_SPLIT:
                self._refuse_groups(groups, ratio)
                F = np.column_stack([points(one, X) for one in self.estimators_])
                return fold_intervals(self.method, F, self.scores_, self.folds_, delta)
            lower, upper = self._ends(X)
        q = self._thresholds(X, len(lower), delta, groups, ratio)[:, 0]
        ends: Floats = np.empty((2, len(lower)))
        np.subtract(lower, q, out=ends[0])
        np.add(upper, q, out=ends[1])
        return ends.T


def points(model: Any, X: Any) -> Floats:
    """Return what a model predicts, one number for each row."""
    f = np.asarray(model.predict(X), dtype=np.float64)
    if f.ndim == 2 and f.shape[1] == 1:
        f = f[:, 0]
    if f.ndim != 1:
        must = "the estimator must predict one number for each row"
        raise DataError(sentence(model, must, f"shape {f.shape}"))
    return f


def at_quantile(who: Any, base: Any, tau: float) -> Any:
    """Return a clone of a quantile regressor that is to learn the quantile tau."""
    known = base.get_params(deep=True)
    names = [n for n in known if n == "quantile" or n.endswith("__quantile")]
    if not names:  # scikit-learn's and LightGBM's boosting call it alpha
        loss = [n for n, value in known.items() if value == "quantile"]
        names = [n.rpartition("__")[0] + "__alpha" for n in loss if "__" in n]
        names += ["alpha" for n in loss if "__" not in n]
    names = [n for n in names if n in known]
    if len(names) != 1:
        must = "method 'quantile' needs a regressor with a parameter for its quantile"
        came = f"a {type(base).__name__}"
        remedy = "Give the regressors of both ends instead."
        raise ParameterError(sentence(who, must, came, remedy))
    return clone(base).set_params(**{names[0]: tau})
