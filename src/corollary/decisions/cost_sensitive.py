"""Cost-sensitive classification: any probabilistic classifier, with costs and refusal.

Also known as: minimum-risk classifier, cost-sensitive learning, abstaining classifier,
classification with a reject option, prior correction.
Related words: loss matrix, cost matrix.

A classifier gives P(j | x); a loss Lambda_ij says what action i costs when the truth is
class j.  The decision is a layer of its own on top,

    a(x) = argmin_i R(i | x),   R(i | x) = sum_j Lambda_ij P'(j | x)             (1)
    P'(j | x) prop. to P(j | x) pi'_j / pi_j                                     (2)

with a refusal as one more action of constant cost r.  Costs, refusal and priors can be
changed after training: nothing is learned again.  It fits on whatever its estimator
fits on.

Notation: Lambda (a, k) = loss_; pi = training_priors_; pi' = priors.
Course: S3-7, S3-8, S3-12, S1-5, S0-3. References: Elkan (2001); Chow (1970).
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.interrupt import or_so_far
from corollary.core.parameters import (
    anything,
    array_like,
    boolean,
    check_parameters,
    missing,
)
from corollary.core.parameters import estimator as an_estimator
from corollary.core.roles import Classifier
from corollary.core.vectors import class_priors
from corollary.decisions.decision_rules import (
    cheapest,
    prior_ratio,
    reweighed,
    with_reject,
)
from corollary.decisions.probabilities import (
    check_distribution,
    check_loss,
    check_offers,
    check_reject_cost,
    posterior_of,
)
from corollary.engine.meta import Inside, MetaLearner, fit_with_weights
from corollary.naive_bayes.gaussian_nb import GaussianNB

__all__ = ["CostSensitiveClassifier"]

DECISION = ("n_actions", "reject_cost", "priors_changed")  # facts of the decision
LAYER = ("loss", "reject_cost", "reject_label", "priors")  # changed without training


class CostSensitiveClassifier(MetaLearner, Classifier):
    """Act at least expected cost on the probabilities of any classifier.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        Cloned and fitted, or used as it is with `prefit`; by default `GaussianNB()`.
    loss : array of shape (a, k), or dict, optional
        Cost of each action under each class, columns in the order of `classes_`.  A
        dict names the actions: ``{"treat": {"ill": 0, "healthy": 1}, ...}``, or has
        lists as values.  An array with k rows has the classes as actions, any other the
        numbers 0 to a - 1.  By default 0/1.
    reject_cost : float, optional
        Cost of refusing to decide; by default the model never refuses.
    reject_label : str or int, optional
        What `predict` returns for a refusal: by default "reject" where actions are
        strings, -1 where they are numbers.
    priors : array of shape (k,), optional
        Class probabilities where the model will be used; by default those it was
        trained with.
    prefit : bool, default=False
        Whether `estimator` is fitted already; `fit` then only adds the decision.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : array of shape (k,)
    actions_ : array of shape (a,)
        What `predict` may return, the refusal last.
    loss_ : array of shape (a, k)
        Cost of each action under each class, the refusal last.
    training_priors_ : array of shape (k,) or None
        The estimator's `class_prior_`, or the shares in y.
    prior_ratio_ : array of shape (k,)
        New priors over those of training (2).
    n_features_in_ : int
    report_ : Report
        That of the estimator, where it keeps one, with the costs added.

    Examples
    --------
    >>> from corollary import CostSensitiveClassifier
    >>> X = [[-2.0], [-1.0], [0.0], [0.5], [1.5], [2.5]]
    >>> y = ["healthy", "healthy", "healthy", "ill", "ill", "ill"]
    >>> loss = {"treat": {"ill": 0, "healthy": 1}, "wait": {"ill": 9, "healthy": 0}}
    >>> model = CostSensitiveClassifier(loss=loss, reject_cost=0.4).fit(X, y)
    >>> model.predict([[-2.0], [-0.4], [2.0]]).tolist()
    ['wait', 'reject', 'treat']
    """

    shapes: ClassVar = {
        "classes_": "k",
        "loss_": "a k",
        "actions_": "a",
        "prior_ratio_": "k",
    }
    parts: ClassVar = {"estimator_": "predict_proba"}
    rules: ClassVar = {
        "estimator": missing | an_estimator,
        "loss": anything,
        "reject_cost": anything,
        "reject_label": anything,
        "priors": missing | array_like,
        "prefit": boolean,
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        loss: Any = None,
        reject_cost: float | None = None,
        reject_label: Any = None,
        priors: Any = None,
        prefit: bool = False,
    ) -> None:
        self.estimator = estimator
        self.loss = loss
        self.reject_cost = reject_cost
        self.reject_label = reject_label
        self.priors = priors
        self.prefit = prefit

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = get_tags(self._chosen()).input_tags.sparse
        return tags

    # -- learning ------------------------------------------------------------------
    def delegate(self, X: Any, y: Any, sample_weight: Any) -> Inside:
        """Fit the estimator and add the decision.

        With `prefit` y only gives the priors of training, where the estimator does not.
        """
        remedy = "Calibrate it, or use a probabilistic classifier."
        check_offers(self._chosen(), "predict_proba", remedy)
        if self.prefit:
            if self.estimator is None:
                must = "prefit needs a fitted estimator"
                raise ParameterError(sentence(self, must, "None"))
            check_is_fitted(self.estimator)
            self.estimator_ = self.estimator
        else:
            self.estimator_ = clone(self._chosen())
            with or_so_far(self.estimator_):
                fit_with_weights(self, self.estimator_, X, y, sample_weight)
        self.classes_ = self.estimator_.classes_
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))
        self.training_priors_ = self._shares(y, sample_weight)
        self._decide()
        known = y is None or hasattr(self.estimator_, "report_")
        rows = None if known else len(np.asarray(y))
        return Inside([self.estimator_], rows, self._facts())

    def revised(self, **parameters: Any) -> Self:
        """Return this model with other costs or priors, without training again.

        Parameters
        ----------
        **parameters
            loss, reject_cost, reject_label or priors.

        Returns
        -------
        CostSensitiveClassifier
            It shares the fitted estimator with this one.
        """
        check_is_fitted(self)
        strange = [name for name in parameters if name not in LAYER]
        if strange:
            must = f"only {', '.join(LAYER)} can be revised without training"
            raise ParameterError(sentence(self, must, strange[0]))
        other = copy.copy(self)
        other.set_params(**parameters)
        check_parameters(other, other.rules)
        other._decide()
        kept = {k: v for k, v in self.report_.facts.items() if k not in DECISION}
        other.report_ = replace(self.report_, facts=kept | other._facts())
        return other

    def _chosen(self) -> Any:
        return GaussianNB() if self.estimator is None else self.estimator

    def _decide(self) -> None:
        """Set the decision layer: actions, losses, priors."""
        actions, loss = self._stated_loss()
        r = check_reject_cost(self, self.reject_cost)
        self.loss_ = with_reject(loss, r)
        self.actions_ = actions if r is None else self._with_refusal(actions)
        self.prior_ratio_ = self._ratio()

    def _facts(self) -> dict[str, Any]:
        """Return what the report says of the decision."""
        r = self.reject_cost
        stated = {
            "n_actions": len(self.actions_) - (r is not None),
            "reject_cost": None if r is None else float(r),
            "priors_changed": True if self.priors is not None else None,
        }
        facts = {name: value for name, value in stated.items() if value is not None}
        return {"estimator": type(self.estimator_).__name__} | facts

    def _stated_loss(self) -> tuple[Vector, Floats]:
        """Return the actions and what each costs under each class."""
        k = len(self.classes_)
        if not isinstance(self.loss, Mapping):
            loss = check_loss(self, self.loss, k)
            actions = self.classes_ if len(loss) == k else np.arange(len(loss))
            return actions, loss
        rows = [self._stated_row(name, costs) for name, costs in self.loss.items()]
        return labels(self.loss), check_loss(self, rows, k)

    def _stated_row(self, action: Any, costs: Any) -> list[Any]:
        known = self.classes_.tolist()
        if not isinstance(costs, Mapping):
            if np.shape(costs) != (len(known),):
                must = f"loss[{action!r}] must hold a cost for each of {known}"
                raise ParameterError(sentence(self, must, f"{costs!r:.60}"))
            return list(costs)
        if set(costs) != set(known):
            must = f"loss[{action!r}] must name the classes {known}"
            raise ParameterError(sentence(self, must, f"{list(costs)}"))
        return [costs[label] for label in known]

    def _with_refusal(self, actions: Vector) -> Vector:
        numbers = actions.dtype.kind in "iuf"
        label = self.reject_label
        if label is None:
            label = -1 if numbers else "reject"
        if label in actions.tolist():
            must = "reject_label must not be an action"
            remedy = "Give another reject_label."
            raise ParameterError(sentence(self, must, f"{label!r}", remedy))
        return labels([*actions.tolist(), label])

    def _ratio(self) -> Floats:
        k = len(self.classes_)
        if self.priors is None:
            return np.ones(k)
        new = class_priors(self, self.priors, np.ones(k))
        if self.training_priors_ is None:
            must = "priors can be changed only where those of training are known"
            came = "an estimator without class_prior_, and no y"
            raise DataError(sentence(self, must, came, "Pass y to fit."))
        old = check_distribution(self, self.training_priors_, k, "training_priors_")
        return prior_ratio(old, new)

    def _shares(self, y: Any, sample_weight: Any) -> Floats | None:
        """Return the priors of the training, where they are known."""
        known = getattr(self.estimator_, "class_prior_", None)
        if known is not None:
            return np.asarray(known, dtype=np.float64)
        if y is None:
            return None
        y = np.asarray(y).reshape(-1)
        w = check_weights(self, sample_weight, len(y))
        n = [np.sum(y == c) if w is None else w[y == c].sum() for c in self.classes_]
        return np.asarray(n, dtype=np.float64) / np.sum(n)

    # -- use -----------------------------------------------------------------------
    def predict_proba(self, X: Any) -> Floats:
        """Return P(class | x) under the stated priors (2), (n, k)."""
        check_is_fitted(self)
        P = posterior_of(self.estimator_, X)
        return reweighed(P, self.prior_ratio_) if self.priors is not None else P

    def risk(self, X: Any) -> Floats:
        """Return the expected cost of each of `actions_` for each row (1), (n, a)."""
        return self.predict_proba(X) @ self.loss_.T

    def predict(self, X: Any) -> Vector:
        """Return the action of least expected cost for each row."""
        risk = self.risk(X)
        return self.actions_[cheapest(risk)]

    def cost(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the mean cost of the actions taken on rows whose class is known.

        Parameters
        ----------
        X : rows
        y : array of shape (n,)
            Their classes.
        sample_weight : array of shape (n,), optional

        Returns
        -------
        float
        """
        taken = cheapest(self.risk(X))
        y = np.asarray(y).reshape(-1)
        if len(y) != len(taken):
            must = f"y must have as many rows as X = {len(taken)}"
            raise DataError(sentence(self, must, f"{len(y)}"))
        table = {label: code for code, label in enumerate(self.classes_.tolist())}
        strange = [label for label in y.tolist() if label not in table]
        if strange:
            must = f"y must be among the classes {self.classes_.tolist()}"
            raise DataError(sentence(self, must, f"{strange[0]!r}"))
        truth = [table[label] for label in y.tolist()]
        w = check_weights(self, sample_weight, len(y))
        return float(np.average(self.loss_[taken, truth], weights=w))


def labels(values: Iterable[Any]) -> Vector:
    """Return labels as an array; of objects where they are of several kinds."""
    values = list(values)
    kinds = {type(value) for value in values}
    if len(kinds) == 1 and kinds <= {str, int, float}:
        return np.array(values)
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array
