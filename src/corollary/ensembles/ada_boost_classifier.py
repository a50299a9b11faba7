"""AdaBoost: weak classifiers that outvote their errors, over any learner.

Also known as: adaptive boosting, discrete AdaBoost, SAMME, SAMME.R, real AdaBoost.

Rows carry weights D_1 = w / sum w.  Round t fits a member g_t to them and, for two
classes y = -1, +1, gives it alpha_t votes:

    eps_t     = sum_i D_t(i) 1[g_t(x_i) != y_i]                                  (1)
    alpha_t   = 1/2 log((1 - eps_t) / eps_t)                                     (2)
    D_{t+1}(i) = D_t(i) exp(-alpha_t y_i g_t(x_i)) / Z_t                         (3)
    f_T       = sum_t alpha_t g_t,   class(x) = sign f_T(x)                      (4)

Z_t = 2 sqrt(eps_t (1 - eps_t)) makes D_{t+1} sum to 1.  Then, exactly,

    prod_t Z_t = sum_i D_1(i) exp(-y_i f_T(x_i)),   the exponential risk         (5)
    sum_i D_{t+1}(i) 1[g_t(x_i) != y_i] = 1/2                                    (6)

so that no member comes twice in a row, and each round is a step of coordinate descent
on (5).  Since 1[y f <= 0] <= exp(-y f), with gamma_t = 1/2 - eps_t,

    training error <= prod_t Z_t <= exp(-2 sum_t gamma_t^2)                      (7)

The report traces (5) and states (7); `margins` and `boosting_bounds` say more.

Several classes (SAMME): code the class c as 1 in place c and -1/(C-1) elsewhere, y~ and
g(x) alike, and take sum_i D_1(i) exp(-y~_i' f(x_i) / C) for (5).  Its minimiser is

    a_t = log((1 - eps_t) / eps_t) + log(C - 1),  f_T = (C-1)^2/C sum_t a_t g_t  (8)

which for C = 2 is (2) with a = 2 alpha; `estimator_weights_` holds a, times the
learning rate.  (7) needs C = 2.  SAMME.R lets members give probabilities p instead:

    h_t(x) = (C - 1) (log p(x) - mean_c log p_c(x)),     f_T = sum_t h_t         (9)

with the same loss.  A member that makes no error decides alone: it is given one vote
more than all before, and boosting ends.  One that is no better than chance, eps >= 1 -
1/C, is left out, and boosting ends.  Rows that are hard in every round, such as wrong
labels, end up with most of the weight and lead the rest astray: `hardest_rows` lists
them, and the report warns.

All rows are used at once, round after round.  The base is any classifier: it is given
D where it takes weights, and otherwise rows drawn by D.  The default, a decision stump,
sorts the columns once.

Notation: eps = estimator_errors_; a = estimator_weights_; Z = normalizers_; D after the
last round = row_weights_.
Course: S2-21, S2-22, S2-23, S3-83, S3-84, S3-85, S3-86. References: Freund and Schapire
(1997); Schapire and Singer (1999); Zhu, Zou, Rosset and Hastie (2009).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from sklearn.metrics import accuracy_score
from sklearn.utils import get_tags

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import encode_labels, full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import estimator as an_estimator
from corollary.core.parameters import missing, one_of, real, seed, whole
from corollary.core.randomness import entropy
from corollary.core.report import Report, StopReason
from corollary.core.roles import Classifier
from corollary.core.warn import warn
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.ensembles.ada_boost_report import report_rounds
from corollary.ensembles.ada_boost_rounds import Round, member_votes, next_turn, updated
from corollary.ensembles.hardest_rows import HardestRows
from corollary.ensembles.margin_distribution import MarginDistribution, vote_margins
from corollary.ensembles.members import (
    Learn,
    as_given,
    importances_of,
    learning_as_given,
)
from corollary.ensembles.weak_learners import weak_classifier
from corollary.objectives.softmax import softmax

__all__ = ["AdaBoostClassifier"]

DECIDES = "a member without errors"
CHANCE = "no member better than chance"
BEYOND = "weights too large for numbers"


class AdaBoostClassifier(RowsLearner, Classifier):
    """AdaBoost over any classifier.

    Parameters
    ----------
    estimator : classifier, optional
        The base; by default `DecisionStumpClassifier()`.  It is given weights that sum
        to those of the rows, or where it takes none, rows drawn by them.
    n_estimators : int, default=50
        Most rounds T.
    learning_rate : float, default=1.0
        Factor of the votes (8); 1 minimises the loss in each round.
    random_state : int, RandomState or None
        Seed of the members and of drawn rows.
    algorithm : {'SAMME', 'SAMME.R'}, default='SAMME'
        Whether members vote, or give probabilities (9).

    Attributes
    ----------
    estimator_ : classifier
        The base.
    estimators_ : list of classifiers
    estimator_weights_ : array of shape (t,)
        a of (8) times the learning rate: 2 alpha of (2) for two classes.
    estimator_errors_ : array of shape (t,)
        eps of (1).
    normalizers_ : array of shape (t,)
        Z; their running products are the objective of the report.
    row_weights_ : array of shape (n,)
        D after the last round, 0 for rows of weight 0; not saved.
    classes_ : array of shape (C,)
    n_classes_ : int
    n_features_in_ : int
    report_ : Report
        With the training error and its bounds (7).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import AdaBoostClassifier
    >>> X = np.arange(6.0)[:, None]
    >>> model = AdaBoostClassifier(n_estimators=3).fit(X, [0, 0, 1, 1, 0, 0])
    >>> model.score(X, [0, 0, 1, 1, 0, 0])
    1.0
    >>> (model.estimator_weights_ / 2).round(4).tolist()  # alpha
    [0.3466, 0.5493, 0.8047]
    """

    theory = ("vote",)
    shapes: ClassVar = {
        "classes_": "k",
        "estimator_weights_": "t",
        "estimator_errors_": "t",
        "normalizers_": "t",
    }
    parts: ClassVar = {"estimators_": "predict"}
    some_classes = True
    of_rows = ("row_weights_",)
    rules: ClassVar = {
        "estimator": missing | an_estimator,
        "n_estimators": whole(1),
        "learning_rate": real(0, ends="(]"),
        "random_state": seed,
        "algorithm": one_of("SAMME", "SAMME.R"),
    }

    def __init__(
        self,
        estimator: Any = None,
        *,
        n_estimators: int = 50,
        learning_rate: float = 1.0,
        random_state: Any = None,
        algorithm: str = "SAMME",
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.random_state = random_state
        self.algorithm = algorithm

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
        """Make the rounds (1) to (3)."""
        self.estimator_, self.n_classes_ = self._base(), len(self.classes_)
        if self.algorithm == "SAMME.R" and not hasattr(
            self.estimator_, "predict_proba"
        ):
            must = "algorithm='SAMME.R' needs an estimator that gives probabilities"
            came = f"a {type(self.estimator_).__name__}"
            raise ParameterError(sentence(self, must, came, "Use 'SAMME'."))
        w = np.ones(rows.n) if rows.w is None else rows.w
        draw, total = entropy(self.random_state), float(w.sum())
        weak = weak_classifier(self.estimator_, rows, self.classes_, total, draw)
        D: Floats = w / total
        scores: Floats = np.zeros(())
        rounds: list[Round] = []
        ended = "n_estimators"
        report.stop = StopReason.CONVERGED
        try:
            while len(rounds) < self.n_estimators and ended != DECIDES:
                turn = next_turn(self, weak, D, rounds)
                if turn is None:
                    ended = CHANCE
                    break
                ended = DECIDES if turn.kept.error <= 0 else ended
                E, Z = updated(D, turn.gains)
                if rounds and not np.isfinite(Z):
                    ended = BEYOND
                    break
                kept = turn.kept._replace(Z=Z)
                D, scores, rounds = E, scores + turn.votes, [*rounds, kept]
        except KeyboardInterrupt:
            if not rounds:
                raise
            report.stop = StopReason.INTERRUPTED
        if ended == BEYOND:
            remedy = "Use a learning_rate of at most 1."
            warn(f"AdaBoostClassifier: boosting ended early, {BEYOND}. {remedy}")
        self._publish(rounds, D, rows.kept)
        report_rounds(self, report, rows.y, w, scores, ended)

    def _base(self) -> Any:
        if self.estimator is not None:
            return self.estimator
        from corollary.trees.decision_stump import DecisionStumpClassifier

        return DecisionStumpClassifier()

    def _publish(self, rounds: list[Round], D: Floats, kept: Vector | None) -> None:
        """Set what users read."""
        self.estimators_ = [each.member for each in rounds]
        self.estimator_weights_ = np.array([each.weight for each in rounds])
        self.estimator_errors_ = np.array([each.error for each in rounds])
        self.normalizers_ = np.array([each.Z for each in rounds])
        self.row_weights_ = D
        if kept is not None:
            self.row_weights_ = np.zeros(len(kept))
            self.row_weights_[kept] = D

    # -- use -----------------------------------------------------------------------
    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, index: Any) -> Any:
        return self.estimators_[index]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def _asked(self, X: Any) -> Any:
        return as_given(self._query(X), X)

    def decision_function(self, X: Any) -> Floats:
        """Return the scores of the classes over the sum of the votes, (n, C).

        For two classes the second's less the first's, (n,): twice f_T / sum alpha.
        """
        return self._scores(self._asked(X), len(self.estimators_))

    def staged_decision_function(self, X: Any) -> Iterator[Floats]:
        """Yield `decision_function` after each round."""
        X = self._asked(X)
        F: Any = 0.0
        for t in range(len(self.estimators_)):
            F = F + member_votes(self, t, X)
            yield self._normalized(F, t + 1)

    def _scores(self, X: Any, rounds: int) -> Floats:
        F: Any = 0.0
        for t in range(rounds):
            F = F + member_votes(self, t, X)
        return self._normalized(F, rounds)

    def _normalized(self, F: Floats, rounds: int) -> Floats:
        F = F / self.estimator_weights_[:rounds].sum()
        return F[:, 1] - F[:, 0] if self.n_classes_ == 2 else F

    def predict(self, X: Any) -> Vector:
        """Return the class of most votes (4)."""
        return self._winners(self.decision_function(X))

    def staged_predict(self, X: Any) -> Iterator[Vector]:
        """Yield `predict` after each round."""
        for F in self.staged_decision_function(X):
            yield self._winners(F)

    def _winners(self, F: Floats) -> Vector:
        codes = (F > 0).astype(np.intp) if F.ndim == 1 else F.argmax(axis=1)
        return self.classes_[codes]

    def predict_proba(self, X: Any) -> Floats:
        """Return softmax of the scores / (C - 1), which ranks but is not calibrated."""
        return self._shares(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Floats:
        """Return the logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def staged_predict_proba(self, X: Any) -> Iterator[Floats]:
        """Yield `predict_proba` after each round."""
        for F in self.staged_decision_function(X):
            yield self._shares(F)

    def _shares(self, F: Floats) -> Floats:
        if F.ndim == 1:
            return softmax(np.column_stack([-F, F]) / 2)
        return softmax(F / max(self.n_classes_ - 1, 1))

    def staged_score(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Iterator[float]:
        """Yield the accuracy after each round."""
        for answers in self.staged_predict(X):
            yield float(accuracy_score(y, answers, sample_weight=sample_weight))

    @property
    def feature_importances_(self) -> Floats:
        """Mean of the members' importances, weighted by their votes."""
        return importances_of(self, self.estimators_, self.estimator_weights_)

    # -- what boosting knows -------------------------------------------------------
    def margins(
        self, X: Any, y: Any, sample_weight: Any = None, *, rounds: int | None = None
    ) -> MarginDistribution:
        """Return the margins y f(x) / sum alpha of rows, in [-1, 1].

        For several classes: the share of the votes for y less the largest other one.

        Parameters
        ----------
        X : rows
        y : labels
        sample_weight : array of shape (n,), optional
        rounds : int, optional
            Members that vote, the first ones; all by default.

        Returns
        -------
        MarginDistribution
        """
        if self.algorithm != "SAMME" or self.n_classes_ < 2:
            must = "margins need members that vote, algorithm='SAMME', on 2 classes"
            came = f"{self.algorithm!r} and {self.n_classes_}"
            raise DataError(sentence(self, must, came))
        X, codes, w = self._judged(X, y, sample_weight)
        T = len(self.estimators_) if rounds is None else rounds
        if not whole(1, len(self.estimators_)).holds(T):
            must = f"rounds must be a whole number in [1, {len(self.estimators_)}]"
            raise ParameterError(sentence(self, must, f"{rounds!r}"))
        C, F = self.n_classes_, self._scores(X, T)
        if C == 2:
            values = np.where(codes == 1, F, -F) / 2
        else:
            values = vote_margins(F, codes) * (C - 1) / C
        Z, a = self.normalizers_[:T], self.estimator_weights_[:T]
        return MarginDistribution(values, w / w.sum(), Z if C == 2 else None, a / 2)

    def staged_weights(
        self, X: Any, y: Any, sample_weight: Any = None
    ) -> Iterator[Floats]:
        """Yield the weights D_1, D_2, ... of rows: before each round, after the last.

        Parameters
        ----------
        X : rows
            For the training rows these are the weights that the members were given.
        y : labels
        sample_weight : array of shape (n,), optional
        """
        X, codes, w = self._judged(X, y, sample_weight)
        D, rows = w / w.sum(), np.arange(len(w))
        yield D
        C = self.n_classes_
        scale = 1.0 if self.algorithm == "SAMME.R" else (C - 1) ** 2 / C
        for t in range(len(self.estimators_)):
            h = scale * member_votes(self, t, X)
            D, _ = updated(D, h[rows, codes] / max(C - 1, 1))
            yield D

    def _judged(self, X: Any, y: Any, w: Any) -> tuple[Any, Vector, Floats]:
        """Check rows, labels that the model knows, and weights."""
        X = self._asked(X)
        found, codes = encode_labels(self, y, X.shape[0])
        strange = [c for c in found.tolist() if c not in self.classes_.tolist()]
        if strange:
            must = f"y must hold labels among {self.classes_.tolist()}"
            raise DataError(sentence(self, must, f"{strange[0]!r}"))
        codes = np.searchsorted(self.classes_, found)[codes]
        return X, codes, full_weights(self, w, X.shape[0])

    def hardest_rows(self, most: int = 10) -> HardestRows:
        """Return the training rows of the largest weight: outliers, wrong labels.

        Parameters
        ----------
        most : int, default=10
            How many.

        Returns
        -------
        HardestRows
        """
        if not hasattr(self, "row_weights_"):
            must = "hardest_rows needs the model that was fitted"
            raise DataError(sentence(self, must, "one from a file, without its rows"))
        D = self.row_weights_
        order = np.argsort(-D, kind="stable")[:most]
        return HardestRows(order, D[order], 1.0 / np.count_nonzero(D))
