"""Conformal classification: sets of classes that hold the truth as often as they say.

Also known as: conformal prediction sets, set-valued classification, adaptive prediction
sets, APS, regularized adaptive prediction sets, RAPS, least ambiguous sets, LAC,
confidence predictor, Mondrian conformal prediction.

With a score s(x, y) of every class (`class_scores.py`) and the conformal quantile q of
the scores of calibration rows,

    C(x) = { y : s(x, y) <= q },    Pr[ y in C(x) ] >= 1 - delta                 (1)

for any classifier and any law of the rows, over calibration rows and new row.  A row
that is hard has many classes in its set; one unlike all others perhaps none.  With a
quantile q_y for each class (`per_class`) the guarantee holds in every class:

    C(x) = { y : s(x, y) <= q_y },  Pr[ y in C(x) | y ] >= 1 - delta             (2)

With folds (`cv+`, `jackknife+`) every row is fitted and scored: y is in the set where

    #{ i : s_i < s_{-k(i)}(x, y) }  <  (1 - delta)(n + 1)                        (3)

with s_{-k(i)} by the model of all folds but that of row i, at a guarantee of about
1 - 2 delta.

It gathers the rows of a source in memory.

Notation: s, score; q = quantile_; delta; C(x), the set.
References: Vovk, Gammerman and Shafer (2005); Sadinle, Lei and Wasserman (2019);
Romano, Sesia and Candes (2020).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_two_classes, encode_labels
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import boolean, missing, one_of, real, whole
from corollary.core.parameters import estimator as an_estimator
from corollary.core.randomness import generator, row_keys
from corollary.core.roles import Classifier
from corollary.decisions.prior_classifier import PriorClassifier
from corollary.decisions.probabilities import check_offers
from corollary.engine.meta import fit_with_weights
from corollary.ensembles.members import class_probabilities
from corollary.theory.conformal.calibration import conformal_rank
from corollary.theory.conformal.class_scores import ClassScore
from corollary.theory.conformal.conformal_learner import (
    CONFORMAL_RULES,
    ONE_SPLIT,
    ConformalLearner,
)
from corollary.theory.conformal.splitting import Rows

__all__ = ["ConformalClassifier"]

NUMBERS = 2**16  # of a block of rows by classes: it stays in the cache


class ConformalClassifier(ConformalLearner, Classifier):
    """Sets of classes around any classifier, with a guarantee for any law of the rows.

    Parameters
    ----------
    estimator : classifier with predict_proba, optional
        By default `LogisticRegression()`.
    method : {'split', 'cv+', 'jackknife+'}, default='split'
        Whether rows are fitted or scored, or with folds both.
    conformity_score : {'lac', 'aps', 'raps'}, default='lac'
        Threshold on the probability, adaptive, or regularised adaptive sets.
    delta : float, default=0.1
        How often a set may miss.
    randomize : bool, default=False
        Whether 'aps' and 'raps' draw a number u for each row, for exact coverage.
    per_class : bool, default=False
        Whether each class has a threshold of its own (2); not with folds.
    size_penalty : float, default=0.01
        What 'raps' adds to the score for each class above `size_free`.
    size_free : int, default=1
        Classes that are free of it.
    calibration_size : float or int, default=0.25
        Share, or number, of the rows that 'split' scores.
    cv : int or splitter, default=5
        Folds of 'cv+'.
    prefit : bool, default=False
        Whether `estimator` is fitted already; all rows of `fit` are calibration rows.
    random_state : int, RandomState or None
        Seed of the split, and of u.

    Attributes
    ----------
    estimator_ : classifier
        The model that `predict` asks: fitted to the training rows, or with folds to
        all.
    estimators_ : list of classifiers
        Those of the folds.
    classes_ : array of shape (K,)
    quantile_ : array
        q of all rows, or of each group and class: may be infinite.
    coverage_ : Coverage
        What is guaranteed; with groups or classes, in the smallest one.
    group_coverage_ : dict of str to Coverage
        The same of each group.
    groups_ : array or None
        The groups that were calibrated.
    calibrations_ : list of Calibration
        The scores of calibration rows, of each group and class.
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
    >>> from corollary import ConformalClassifier
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(600, 1))
    >>> y = np.where(X[:, 0] + rng.normal(size=600) > 0, "high", "low")
    >>> model = ConformalClassifier(random_state=0).fit(X, y)
    >>> sets = model.predict_set([[-3.0], [0.0], [3.0]])
    >>> [model.classes_[row].tolist() for row in sets]
    [['low'], ['high', 'low'], ['high']]
    """

    some_classes = True
    shapes: ClassVar = {"classes_": "k"}
    rules: ClassVar = CONFORMAL_RULES | {
        "estimator": missing | an_estimator,
        "method": one_of("split", "cv+", "jackknife+"),
        "conformity_score": one_of("lac", "aps", "raps"),
        "randomize": boolean,
        "per_class": boolean,
        "size_penalty": real(0),
        "size_free": whole(0),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        method: str = "split",
        conformity_score: str = "lac",
        delta: float = 0.1,
        randomize: bool = False,
        per_class: bool = False,
        size_penalty: float = 0.01,
        size_free: int = 1,
        calibration_size: float = 0.25,
        cv: Any = 5,
        prefit: bool = False,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.method = method
        self.conformity_score = conformity_score
        self.delta = delta
        self.randomize = randomize
        self.per_class = per_class
        self.size_penalty = size_penalty
        self.size_free = size_free
        self.calibration_size = calibration_size
        self.cv = cv
        self.prefit = prefit
        self.random_state = random_state

    # -- learning ------------------------------------------------------------------
    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from corollary.linear.logistic.logistic_regression import LogisticRegression

        return LogisticRegression()

    def _targets(self, y: Any, rows: int, *, known: bool) -> Vector:
        found, codes = encode_labels(self, y, rows)
        if not known:
            self.classes_ = found
            check_two_classes(self)
            return codes.astype(np.int64)
        table = {label: code for code, label in enumerate(self.classes_.tolist())}
        strange = [label for label in found.tolist() if label not in table]
        if strange:
            must = f"y must be among the classes of the model, {self.classes_.tolist()}"
            raise DataError(sentence(self, must, f"{strange[0]!r}"))
        return np.array([table[label] for label in found.tolist()])[codes]

    def _fitted(self, base: Any, rows: Rows) -> Any:
        check_offers(base, "predict_proba", "Calibrate it, or use a probabilistic one.")
        y = self.classes_[rows.y]
        model = clone(base)
        if len(np.unique(rows.y)) < 2 and getattr(rows.X, "ndim", 1) == 2:
            model = PriorClassifier()  # the other classes are in no training row
        with self._or_so_far(model):
            fit_with_weights(self, model, rows.X, y, rows.w)
        return model

    def _fit_models(self, rows: Rows) -> None:
        if self.per_class and self.method != "split":
            must = "per_class needs method='split'"
            raise ParameterError(sentence(self, must, repr(self.method)))
        self.estimator_, self.estimators_ = self._fitted(self._base(), rows), []

    def _take_models(self) -> None:
        if self.estimator is None:
            must = "prefit needs a fitted estimator"
            raise ParameterError(sentence(self, must, "None"))
        check_offers(self.estimator, "predict_proba", "Use a probabilistic classifier.")
        check_is_fitted(self.estimator)
        self.estimator_, self.estimators_ = self.estimator, []
        self.classes_ = np.asarray(self.estimator.classes_)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self.estimator_, name):
                setattr(self, name, getattr(self.estimator_, name))

    def _scorer(self) -> ClassScore:
        return ClassScore(self.conformity_score, self.size_penalty, self.size_free)

    def _fold_scores(self, model: Any, X: Any, y: Vector, number: int) -> Floats:
        P = self._probabilities(model, X)
        return self._scorer().of_labels(P, y, self._drawn(len(y), number))

    def _row_scores(self, X: Any, y: Vector) -> Floats:
        P = self._probabilities(self.estimator_, X)
        return self._scorer().of_labels(P, y, self._drawn(len(y), 0))

    def _drawn(self, n: int, number: int) -> Any:
        """Draw u for calibration rows, each its own."""
        return generator(self.seed_, 1, number).random(n) if self._by_chance() else None

    def _by_chance(self) -> bool:
        return bool(self.randomize and self.conformity_score != "lac")

    def _cells(self, y: Vector) -> tuple[Vector, int]:
        if not self.per_class:
            return np.zeros(len(y), dtype=np.int64), 1
        return y, len(self.classes_)

    def _probabilities(self, model: Any, X: Any) -> Floats:
        """Return the probabilities of all classes; 0 for those a model never saw."""
        return class_probabilities(model, X, self.classes_)

    # -- use -----------------------------------------------------------------------
    @property
    def n_classes_(self) -> int:
        """Number of classes."""
        return len(self.classes_)

    def predict_proba(self, X: Any) -> Floats:
        """Return the probabilities of the model inside, (n, K)."""
        X = self._asked(X)
        with self._bare():
            return self._probabilities(self.estimator_, X)

    def predict(self, X: Any) -> Vector:
        """Return what the model inside predicts."""
        X = self._asked(X)
        with self._bare():
            return np.asarray(self.estimator_.predict(X))

    def predict_set(
        self,
        X: Any,
        delta: float | None = None,
        *,
        groups: Any = None,
        ratio: Any = None,
    ) -> Vector:
        """Return a set of classes for each row.

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
        array of bool of shape (n, K)
            Which of `classes_` are in the set; all where calibration rows are too few
            for delta.
        """
        X = self._asked(X)
        delta = self._level(delta)
        u = self._keyed(X) if self._by_chance() else None
        if self.method not in ONE_SPLIT:
            self._refuse_groups(groups, ratio)
            return self._counted_sets(X, delta, u)
        with self._bare():
            P = self._probabilities(self.estimator_, X)
        q = self._thresholds(X, len(P), delta, groups, ratio)
        return sets_of(self._scorer(), P, q, u)

    def _keyed(self, X: Any) -> Floats:
        """Draw u for new rows from their content, whatever chunk they come in."""
        n = X.shape[0] if hasattr(X, "shape") else len(X)
        if getattr(X, "ndim", 1) != 2 or getattr(X, "dtype", np.dtype("O")).kind != "f":
            return generator(self.seed_, 2).random(n)
        seed = int(generator(self.seed_, 2).integers(2**62))
        return (row_keys(X, seed) >> np.uint64(11)) * 2.0**-53

    def _counted_sets(self, X: Any, delta: float, u: Any) -> Vector:
        """Return the sets (3), fold by fold."""
        n, score = len(self.scores_), self._scorer()
        below: Any = 0
        for number, model in enumerate(self.estimators_):
            s = self.scores_[self.folds_ == number]
            with self._bare():
                P = self._probabilities(model, X)
            below = below + np.searchsorted(s, score.of_all(P, u), side="left")
        return np.asarray(below < conformal_rank(n, delta))


def sets_of(score: ClassScore, P: Floats, q: Floats, u: Any) -> Vector:
    """Return the sets (1) or (2), block by block; q has a row each, or one for all."""
    n, K = P.shape
    found = np.empty((n, K), dtype=bool)
    step = max(1, NUMBERS // K)
    for start in range(0, n, step):
        some = slice(start, start + step)
        bound = q if len(q) == 1 else q[some]
        own = None if u is None else u[some]
        if bound.shape[1] == 1:
            found[some] = score.sets(P[some], bound[:, 0], own)
        else:
            found[some] = score.of_all(P[some], own) <= bound
    return found
