"""AdaBoost for regression: AdaBoost.R2, over any learner.

Also known as: AdaBoost.R2, Drucker's boosting of regressors.

Round t fits a member g_t under weights D_t and measures how far off each row is:

    e_i   = |y_i - g_t(x_i)| / max_j |y_j - g_t(x_j)|                            (1)
    L_i   = e_i,  e_i^2  or  1 - exp(-e_i)     (linear, square, exponential)     (2)
    eps_t = sum_i D_t(i) L_i,    beta_t = eps_t / (1 - eps_t)                    (3)
    D_{t+1}(i) = D_t(i) beta_t^{1 - L_i} / its sum                               (4)

A row that is met well loses weight.  The answer is the median of the members' under the
weights a_t = log(1 / beta_t):

    f(x) = min { v:  sum_{t: g_t(x) <= v} a_t >= 1/2 sum_t a_t }                 (5)

Boosting ends after a member without any error, which then decides alone, and before one
with eps >= 1/2.  It is a rule of thumb, and minimises no loss: `GradientBoosting
Regressor` does.  All rows are used at once, round after round.  The base is given D
where it takes weights, and otherwise rows drawn by D.

Notation: eps = estimator_errors_; a = estimator_weights_.
Course: S3-83. References: Drucker (1997); Freund and Schapire (1997).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.metrics import r2_score
from sklearn.utils import get_tags

from corollary.core.arrays import Floats
from corollary.core.checks import names_checked
from corollary.core.parameters import estimator as an_estimator
from corollary.core.parameters import missing, one_of, real, seed, whole
from corollary.core.randomness import entropy
from corollary.core.report import Report, StopReason
from corollary.core.roles import SingleRegressor
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.ensembles.members import (
    Learn,
    as_given,
    importances_of,
    learning_as_given,
)
from corollary.ensembles.weak_learners import Members

__all__ = ["AdaBoostRegressor"]

BLOCK = 2**22  # answers of members that are sorted at once


class Round(NamedTuple):
    """A member that is kept."""

    member: Any
    error: float  # eps of (3)
    weight: float  # a of (5)


class AdaBoostRegressor(RowsLearner, SingleRegressor):
    """AdaBoost.R2 over any regressor.

    Parameters
    ----------
    estimator : regressor, optional
        The base; by default `DecisionTreeRegressor(max_depth=3)`.
    n_estimators : int, default=50
        Most rounds.
    learning_rate : float, default=1.0
        Factor of the weights a, and power of the updates (4).
    loss : {'linear', 'square', 'exponential'}, default='linear'
        L of (2).
    random_state : int, RandomState or None
        Seed of the members and of drawn rows.

    Attributes
    ----------
    estimator_ : regressor
        The base.
    estimators_ : list of regressors
    estimator_weights_ : array of shape (t,)
        a of (5), times the learning rate.
    estimator_errors_ : array of shape (t,)
        eps of (3).
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import AdaBoostRegressor, LinearRegression
    >>> X = np.arange(10.0)[:, None]
    >>> model = AdaBoostRegressor(LinearRegression(), random_state=0)
    >>> model.fit(X, 2 * X[:, 0]).predict([[20.0]]).round(6).tolist()
    [40.0]
    """

    shapes: ClassVar = {"estimator_weights_": "t", "estimator_errors_": "t"}
    parts: ClassVar = {"estimators_": "predict"}
    rules: ClassVar = {
        "estimator": missing | an_estimator,
        "n_estimators": whole(1),
        "learning_rate": real(0, ends="(]"),
        "loss": one_of("linear", "square", "exponential"),
        "random_state": seed,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        loss: str = "linear",
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.loss = loss
        self.random_state = random_state

    @property
    def takes_sparse(self) -> bool:  # type: ignore[override]
        """Whether the base takes sparse rows."""
        return bool(get_tags(self._base()).input_tags.sparse)

    def takes_missing(self) -> bool:
        """Tell whether the base takes missing values."""
        return bool(get_tags(self._base()).input_tags.allow_nan)

    # -- learning ------------------------------------------------------------------
    def learning_from(self, X: Any) -> Learn:
        """Give members sparse rows in the class of X, CSR or CSC."""
        return learning_as_given(self.learn, X)

    def learn(self, rows: Chunk, report: Report) -> None:
        """Make the rounds (1) to (4)."""
        self.estimator_ = self._base()
        w = np.ones(rows.n) if rows.w is None else rows.w
        y, total = rows.y.astype(np.float64), float(w.sum())
        weak = Members(rows.X, y, total, self.estimator_, entropy(self.random_state))
        D = w / total
        rounds: list[Round] = []
        ended = "n_estimators"
        report.stop = StopReason.CONVERGED
        try:
            for number in range(self.n_estimators):
                member, answers = next(weak.attempts(D, number))
                losses = self._losses(np.abs(answers - y))
                eps = float(np.sum(D * losses))
                if eps <= 0 or eps >= 0.5:
                    perfect = eps <= 0
                    ended = "a member without errors" if perfect else "an error of 1/2"
                    if perfect or not rounds:
                        alone = 1.0 + sum(each.weight for each in rounds)
                        rounds = [*rounds, Round(member, eps, alone)]
                    break
                beta = eps / (1 - eps)
                E = D * beta ** ((1 - losses) * self.learning_rate)  # (4)
                one = Round(member, eps, self.learning_rate * float(-np.log(beta)))
                D, rounds = E / E.sum(), [*rounds, one]
        except KeyboardInterrupt:
            if not rounds:
                raise
            report.stop = StopReason.INTERRUPTED
        self.estimators_ = [each.member for each in rounds]
        self.estimator_errors_ = np.array([each.error for each in rounds])
        self.estimator_weights_ = np.array([each.weight for each in rounds])
        report.passes = len(rounds)
        report.facts["estimator"] = type(self.estimator_).__name__
        report.facts["n_members"] = len(rounds)
        report.facts["ended_by"] = ended

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from corollary.trees.decision_tree_regressor import DecisionTreeRegressor

        return DecisionTreeRegressor(max_depth=3)

    def _losses(self, off: Floats) -> Floats:
        """Return (2) of absolute errors."""
        e = off / max(float(off.max()), np.finfo(np.float64).tiny)
        if self.loss == "square":
            return e**2
        return e if self.loss == "linear" else 1.0 - np.exp(-e)

    # -- use -----------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _asked(self, X: Any) -> Any:
        return as_given(self._query(X), X)

    def predict(self, X: Any) -> Floats:
        """Return the weighted median (5) of the members' predictions."""
        return self._median(self._asked(X), len(self.estimators_))

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """Yield `predict` after each round."""
        X = self._asked(X)
        for rounds in range(1, len(self.estimators_) + 1):
            yield self._median(X, rounds)

    def staged_score(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Iterator[float]:
        """Yield R^2 after each round."""
        for answers in self.staged_predict(X):
            yield float(r2_score(y, answers, sample_weight=sample_weight))

    def _median(self, X: Any, rounds: int) -> Floats:
        n, a = X.shape[0], self.estimator_weights_[:rounds]
        found = np.empty(n)
        size = max(1, BLOCK // rounds)
        for begin in range(0, n, size):
            some = X[begin : begin + size]
            with names_checked():
                each = [one.predict(some) for one in self.estimators_[:rounds]]
            found[begin : begin + size] = weighted_medians(np.column_stack(each), a)
        return found

    @property
    def feature_importances_(self) -> Floats:
        """Mean of the members' importances, weighted by a."""
        return importances_of(self, self.estimators_, self.estimator_weights_)


def weighted_medians(P: Floats, a: Floats) -> Floats:
    """Return the weighted median of each row, (5).

    >>> weighted_medians(np.array([[1.0, 5.0, 3.0]]), np.array([1.0, 3.0, 1.0]))
    array([5.])
    """
    order = np.argsort(P, axis=1)
    sums = np.cumsum(a[order], axis=1)
    at = (sums >= 0.5 * sums[:, -1:]).argmax(axis=1)
    rows = np.arange(len(P))
    return P[rows, order[rows, at]]
