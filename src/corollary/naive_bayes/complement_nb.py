"""Complement naive Bayes, in summation form.

Also known as: CNB, TWCNB (with norm and tf-idf weights).

Each class is judged by the counts of all the others, which are more, and more alike in
number, than its own; that helps where classes differ much in size:

    P(j | not c) = (O_cj + alpha) / (sum_i O_ci + d alpha), O_c = sum_{b!=c} N_b (1)
    w_cj         = -log P(j | not c)                                             (2)
    score_c(x)   = sum_j x_j w_cj                                                (3)

A row goes to the class whose complement it fits least: the largest score.  With `norm`
the weights of a class are divided by their sum, so that long texts of one class do not
outweigh the rest.  The scores are no logarithms of probabilities: `predict_proba`
normalises them all the same, as scikit-learn does, and the class probabilities play
no role unless there is one class only.

Where alpha = 0 and an event came with class c alone, (1) is 0 and speaks for c beyond
all that is finite: among such classes the one with most such events wins.

Notation: N (k, d) = feature_count_; sum_c N_c = feature_all_; w (k, d) =
feature_log_prob_.
Course: S3-30. Reference: Rennie, Shih, Teevan and Karger (2003).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.parameters import boolean
from corollary.engine import Chunk
from corollary.naive_bayes.discrete import (
    COMMON_RULES,
    CountsLearner,
    FeatureCounts,
    LogTable,
    check_range,
    linear_scores,
    log_shares,
)
from corollary.naive_bayes.multinomial_nb import by_feature
from corollary.naive_bayes.naive_bayes import Joint, NaiveBayes

__all__ = ["ComplementNB"]


class ComplementNB(CountsLearner, NaiveBayes):
    """Naive Bayes for counts, where classes are of very different sizes.

    Parameters
    ----------
    alpha : float or array of shape (d,), default=1.0
        Pseudo-count of each event (1); 0 for maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Learn the class probabilities; they matter only where there is one class.
    class_prior : array of shape (k,), optional
        Class probabilities; not used by the scores.
    norm : bool, default=False
        Divide the weights of each class by their sum.
    prior_alpha : float, default=0.0
        Pseudo-count of each class.

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_count_ : array of shape (k,)
        Weight of the rows in each class.
    class_log_prior_ : array of shape (k,)
    feature_count_ : array of shape (k, d)
        Sum of each feature in each class.
    feature_all_ : array of shape (d,)
        Sum of each feature.
    feature_log_prob_ : array of shape (k, d)
        The weights (2), normed or not.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ComplementNB
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1]])
    >>> model = ComplementNB().fit(X, ["spam", "spam", "mail"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
    ['spam', 'mail']
    """

    shapes: ClassVar = {
        "classes_": "k",
        "class_log_prior_": "k",
        "feature_count_": "k d",
        "feature_all_": "d",
        "feature_log_prob_": "k d",
    }
    rules: ClassVar = {**COMMON_RULES, "norm": boolean}
    one_table = True

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        norm: bool = False,
        prior_alpha: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.norm = norm
        self.prior_alpha = prior_alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    # -- learning ------------------------------------------------------------------
    def statistics(self, chunk: Chunk, state: LogTable) -> FeatureCounts:
        """Count the events of each class in the chunk."""
        return self._counts(chunk, 0.0, np.inf)

    def _log_shares(self, s: FeatureCounts) -> Floats:
        others = np.maximum(s.N.sum(axis=0) - s.N, 0.0)
        S = others + self._smoothing(s.N.shape[1])
        return log_shares(S, S.sum(axis=1), S.shape[1])  # (1)

    def _set_counts(self, s: FeatureCounts, L: Floats) -> None:
        self.feature_count_, self.feature_all_ = s.N, s.N.sum(axis=0)
        self.feature_log_prob_ = by_feature(normed(L) if self.norm else -L)  # (2)

    def _event(self, s: FeatureCounts, j: int) -> str:
        return f"feature {j} outside of"

    # -- use -----------------------------------------------------------------------
    def _joint(self, X: Matrix) -> Joint:
        check_range(self, X, 0.0, np.inf)
        w = self.feature_log_prob_
        alone = len(self.classes_) == 1
        constant = self.class_log_prior_ if alone else np.zeros(len(w))
        beyond = np.isposinf(w)
        if not beyond.any():
            return Joint(linear_scores(X, w.T, constant))  # (3)
        J = linear_scores(X, np.where(beyond, 0.0, w).T, constant)
        V = -linear_scores(X, beyond.T.astype(np.float64), np.zeros(len(w)))
        return Joint(J, V)


def normed(L: Floats) -> Floats:
    """Divide each class's weights by their sum; where some are infinite they share it.

    >>> normed(np.array([[-1.5, -1.5], [-np.inf, 0.0]]))
    array([[0.5, 0.5],
           [1. , 0. ]])
    """
    infinite = np.isneginf(L)
    L = np.where(infinite.any(axis=1, keepdims=True), infinite, L)
    total = L.sum(axis=1, keepdims=True)
    return np.where(total == 0, 1 / L.shape[1], L / np.where(total == 0, 1.0, total))
