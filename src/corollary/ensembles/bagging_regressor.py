"""Bagging of any regressor.

Also known as: bootstrap aggregating, pasting, random subspaces, random patches.

Members are fitted on draws of the rows and perhaps of the features, and averaged:

    f(x) = (1/T) sum_t g_t(x)                                                    (1)

With members of variance s^2 and correlation r between two of them,

    Var f(x) = r s^2 + (1 - r) s^2 / T                                           (2)

so that the variance falls to what the members have in common, and the bias stays.

Out-of-bag scores and draws are those of `bagging.py`.

Notation: T = n_estimators.
Course: S2-47. References: Breiman (1996); Hastie, Tibshirani and Friedman (2009), 8.7.
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import r2_score

from corollary.core.arrays import Floats
from corollary.core.checks import check_targets
from corollary.core.roles import Regressor
from corollary.ensembles.bagging import BAGGING_RULES, Bagging, Bags, mean_out_of_bag
from corollary.ensembles.member_metadata import for_members

__all__ = ["BaggingRegressor"]


class BaggingRegressor(Bagging, Regressor):
    """Bagging of any regressor.

    Parameters
    ----------
    estimator : regressor, optional
        The base; by default `DecisionTreeRegressor()`.
    n_estimators : int, default=10
        Members T.
    max_samples : int, float or None, default=None
        Rows of a draw: a number, a share of the total weight, or as many as there are.
    max_features : int or float, default=1.0
        Features of a draw: a number, or a share.
    bootstrap : bool, default=True
        Whether rows are drawn with replacement.
    bootstrap_features : bool, default=False
        Whether features are.
    oob_score : bool, default=False
        Whether to score the rows by members that never saw them.
    warm_start : bool, default=False
        Whether to keep the members of the last fit and add those that are missing.
    n_jobs : int, optional
        Threads that fit members.
    random_state : int, RandomState or None
        Seed of the draws and of the members.
    verbose : int, default=0
        Kept for compatibility.

    Attributes
    ----------
    estimator_ : regressor
        The base.
    estimators_ : list of T regressors
    estimators_features_ : list of T arrays
        The features of each.
    estimators_samples_ : list of T arrays
        The rows drawn for each; not saved.
    oob_score_ : float
        R^2 of the out-of-bag predictions.
    oob_prediction_ : array of shape (n,) or (n, m)
        NaN for rows in every bag.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import BaggingRegressor, LinearRegression
    >>> X = np.arange(20.0)[:, None]
    >>> model = BaggingRegressor(LinearRegression(), oob_score=True, random_state=0)
    >>> model.fit(X, 3 * X[:, 0] + 1).predict([[100.0]]).round(6).tolist()
    [301.0]
    >>> round(model.oob_score_, 6)
    1.0
    """

    rules: ClassVar = BAGGING_RULES

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 10,
        *,
        max_samples: Any = None,
        max_features: Any = 1.0,
        bootstrap: bool = True,
        bootstrap_features: bool = False,
        oob_score: bool = False,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.max_samples = max_samples
        self.max_features = max_features
        self.bootstrap = bootstrap
        self.bootstrap_features = bootstrap_features
        self.oob_score = oob_score
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- learning ------------------------------------------------------------------
    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from corollary.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor()

    def _targets(self, y: Any, rows: int) -> Any:
        return check_targets(self, y, rows, np.float64, many=True)

    def _one_class(self, y: Any) -> Any:
        return None

    def _set_oob(self, bags: Bags) -> None:
        sums, times = np.zeros(bags.y.shape), np.zeros(len(bags.y))
        for unseen, answer in self._out_of_bag(bags, predictions):
            sums[unseen] += answer
            times[unseen] += 1
        found = self.oob_prediction_ = mean_out_of_bag(self, sums, times)
        some = times > 0
        w = None if bags.w is None else bags.w[some]
        self.oob_score_ = float(r2_score(bags.y[some], found[some], sample_weight=w))

    # -- use -----------------------------------------------------------------------
    def predict(self, X: Any, **params: Any) -> Floats:
        """Return the mean of the members' predictions (1)."""
        X = self._asked(X)
        more = for_members(self, self._base(), "predict", params)
        every = self._answers(X, partial(predictions, **more))
        return np.asarray(sum(every) / len(self.estimators_))


def predictions(member: Any, X: Any, **params: Any) -> Floats:
    """Return what a member predicts."""
    return np.asarray(member.predict(X, **params), dtype=np.float64)
