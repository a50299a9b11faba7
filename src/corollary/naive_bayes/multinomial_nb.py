"""Multinomial naive Bayes, in summation form.

Also known as: bag of words, the multinomial event model, the unigram model, text naive
Bayes.

A row counts how often each of d events came, a document how often each word.  Given the
class its events are independent draws from one distribution, so a word's probability
does not depend on its place:

    P(j | c)   = (N_cj + alpha) / (sum_i N_ci + d alpha)                         (1)
    log P(c,x) = log pi_c + sum_j x_j log P(j | c) + const                       (2)

With alpha = 1 this is (n_k + 1)/(n + |Vocabulary|): n positions in all texts of the
class, n_k of them taken by the word.  Where BernoulliNB asks whether a word is there,
this model asks how often, and words that are absent do not count against a class.
Weights of words (tf-idf) may stand for counts.

Notation: N (k, d) = feature_count_; log P(j | c) = feature_log_prob_; log pi =
class_log_prior_.
Course: S3-30, S4-42. References: McCallum and Nigam (1998); Mitchell (1997), ch. 6.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
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
from corollary.naive_bayes.naive_bayes import Joint, NaiveBayes, vetoed

__all__ = ["MultinomialNB"]


class MultinomialNB(CountsLearner, NaiveBayes):
    """Naive Bayes for counts, such as those of the words in a text.

    Parameters
    ----------
    alpha : float or array of shape (d,), default=1.0
        Pseudo-count of each event (1); 0 for maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Learn the class probabilities; False makes them equal.
    class_prior : array of shape (k,), optional
        Class probabilities, instead of learned ones.
    prior_alpha : float, default=0.0
        Pseudo-count of each class.

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_count_ : array of shape (k,)
        Weight of the rows in each class.
    class_log_prior_ : array of shape (k,)
        Logarithm of each class's probability.
    feature_count_ : array of shape (k, d)
        Sum of each feature in each class.
    feature_log_prob_ : array of shape (k, d)
        Logarithm of (1); minus infinity where alpha and the count are 0.
    n_features_in_ : int
    report_ : Report
        Its warnings name the zero counts that veto a class.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import MultinomialNB
    >>> X = np.array([[3, 0, 1], [2, 0, 0], [0, 2, 1], [0, 3, 0]])
    >>> model = MultinomialNB().fit(X, ["spam", "spam", "mail", "mail"])
    >>> model.predict([[1, 0, 0], [0, 1, 1]]).tolist()
    ['spam', 'mail']
    """

    shapes: ClassVar = {
        "classes_": "k",
        "class_log_prior_": "k",
        "feature_count_": "k d",
        "feature_log_prob_": "k d",
    }
    rules: ClassVar = COMMON_RULES
    one_table = True

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        prior_alpha: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
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
        S = s.N + self._smoothing(s.N.shape[1])
        return log_shares(S, S.sum(axis=1), S.shape[1])  # (1)

    def _set_counts(self, s: FeatureCounts, L: Floats) -> None:
        self.feature_count_, self.feature_log_prob_ = s.N, by_feature(L)

    def _event(self, s: FeatureCounts, j: int) -> str:
        return f"feature {j} in"

    # -- use -----------------------------------------------------------------------
    def _joint(self, X: Matrix) -> Joint:
        check_range(self, X, 0.0, np.inf)
        L, prior = self.feature_log_prob_, self.class_log_prior_
        zero = np.isneginf(L)
        if not zero.any():
            return Joint(linear_scores(X, L.T, prior))  # (2)
        total = (self.feature_count_ + self._smoothing(X.shape[1])).sum(axis=1)
        rest = -np.log(np.maximum(total, 1e-300))
        J = linear_scores(X, np.where(zero, rest[:, None], L).T, prior)
        V = linear_scores(X, zero.T.astype(np.float64), np.zeros(len(prior)))
        return vetoed(Joint(J, V), prior)


def by_feature(L: Floats) -> Floats:
    """Store a (k, d) array feature by feature, as scores of sparse rows read it.

    >>> by_feature(np.zeros((2, 3))).flags.f_contiguous
    True
    """
    return np.asfortranarray(L)
