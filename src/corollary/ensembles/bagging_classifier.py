"""Bagging of any classifier.

Also known as: bootstrap aggregating, pasting, random subspaces, random patches.

Members are fitted on draws of the rows and perhaps of the features; their probabilities
are averaged, or where a member has none, its vote counts 1:

    P(c | x) = (1/T) sum_t P_t(c | x),    class(x) = argmax_c P(c | x)           (1)

Averaging leaves the bias of a member as it is and lowers the variance, the more so the
less the members agree: it helps deep trees, and hardly a linear machine.  Were T voters
of accuracy p independent, `majority_vote_accuracy` would be theirs; bootstraps of the
same rows are not independent, and gain less.

Out-of-bag scores and draws are those of `bagging.py`.

Notation: T = n_estimators.
Course: S2-47. References: Breiman (1996, 1999); Ho (1998); Louppe and Geurts (2012).
"""

from __future__ import annotations

from functools import partial
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.metaestimators import available_if

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import encode_labels
from corollary.core.roles import Classifier
from corollary.decisions.prior_classifier import PriorClassifier
from corollary.ensembles.bagging import BAGGING_RULES, Bagging, Bags, mean_out_of_bag
from corollary.ensembles.member_metadata import for_members

__all__ = ["BaggingClassifier"]


def base_decides(model: Any) -> bool:
    """Tell whether the members, or the base, have a decision function."""
    fitted = getattr(model, "estimators_", None) or [model._base()]
    return all(hasattr(one, "decision_function") for one in fitted)


class BaggingClassifier(Bagging, Classifier):
    """Bagging of any classifier.

    Parameters
    ----------
    estimator : classifier, optional
        The base; by default `DecisionTreeClassifier()`.
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
    estimator_ : classifier
        The base.
    estimators_ : list of T classifiers
        Of codes 0, 1, ... of the classes.
    estimators_features_ : list of T arrays
        The features of each.
    estimators_samples_ : list of T arrays
        The rows drawn for each; not saved.
    classes_ : array of shape (C,)
    n_classes_ : int
    oob_score_ : float
        Accuracy of the out-of-bag predictions.
    oob_decision_function_ : array of shape (n, C)
        Their probabilities; NaN for rows in every bag.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import BaggingClassifier, GaussianNB
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]] * 5
    >>> y = ["low", "low", "low", "high", "high", "high"] * 5
    >>> model = BaggingClassifier(GaussianNB(), oob_score=True, random_state=0)
    >>> model.fit(X, y).predict([[1.5], [9.0]]).tolist(), model.oob_score_
    (['low', 'high'], 1.0)
    """

    shapes: ClassVar = {"classes_": "k"}
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
        from corollary.trees.decision_tree_classifier import DecisionTreeClassifier

        return DecisionTreeClassifier()

    def _targets(self, y: Any, rows: int) -> Vector:
        self.classes_, codes = encode_labels(self, y, rows)
        return codes.astype(np.int64)

    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def _one_class(self, y: Any) -> Any:
        return PriorClassifier() if len(np.unique(y)) == 1 else None

    def _set_oob(self, bags: Bags) -> None:
        n, C = len(bags.y), self.n_classes_
        P, times = np.zeros((n, C)), np.zeros(n)
        for unseen, answer in self._out_of_bag(bags, self._probabilities):
            P[unseen] += answer
            times[unseen] += 1
        self.oob_decision_function_ = mean_out_of_bag(self, P, times)
        right = P.argmax(axis=1) == bags.y
        weights = None if bags.w is None else bags.w
        self.oob_score_ = float(np.average(right, weights=weights))

    def _probabilities(self, member: Any, X: Any, **params: Any) -> Floats:
        """Return what a member says of all classes; a vote counts 1."""
        if not hasattr(member, "predict_proba"):
            codes = np.asarray(member.predict(X, **params), dtype=int)
            return np.eye(self.n_classes_)[codes]
        P = np.asarray(member.predict_proba(X, **params), dtype=np.float64)
        known = np.asarray(member.classes_, dtype=int)
        if len(known) == self.n_classes_:
            return P
        full = np.zeros((len(P), self.n_classes_))
        full[:, known] = P
        return full

    # -- use -----------------------------------------------------------------------
    def predict_proba(self, X: Any, **params: Any) -> Floats:
        """Return the mean probabilities of the members (1), (n, C)."""
        return self._mean_probabilities(X, "predict_proba", params)

    def predict_log_proba(self, X: Any, **params: Any) -> Floats:
        """Return the logarithms of `predict_proba`."""
        P = self._mean_probabilities(X, "predict_log_proba", params)
        with np.errstate(divide="ignore"):
            return np.log(P)

    @available_if(base_decides)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any, **params: Any) -> Floats:
        """Return the mean of the members' decision functions."""
        X = self._asked(X)
        more = for_members(self, self._base(), "decision_function", params)
        every = self._answers(
            X, lambda member, own: member.decision_function(own, **more)
        )
        return sum(every) / len(self.estimators_)

    def predict(self, X: Any, **params: Any) -> Vector:
        """Return the most probable class (1)."""
        P = self._mean_probabilities(X, "predict", params)
        return self.classes_[P.argmax(axis=1)]

    def _mean_probabilities(self, X: Any, caller: str, params: dict[str, Any]) -> Any:
        """Return (1), handing on to the members what the caller was given for them."""
        X = self._asked(X)
        more = for_members(self, self._base(), caller, params)
        P = np.zeros((X.shape[0], self.n_classes_))
        for answer in self._answers(X, partial(self._probabilities, **more)):
            P += answer
        return P / len(self.estimators_)
