"""Bernoulli naive Bayes, in summation form.

Also known as: the multivariate Bernoulli event model, binary independence model, naive
Bayes for yes-no features.

Each of d features is there or not, independently given the class.  The absence of a
feature speaks too, which the multinomial model does not hear:

    p_cj       = (N_cj + alpha) / (n_c + 2 alpha)                                (1)
    log P(c,x) = log pi_c + sum_j [x_j log p_cj + (1 - x_j) log(1 - p_cj)]       (2)

(2) is linear in x: its weights are log p_cj - log(1 - p_cj), and the constant is
log pi_c + sum_j log(1 - p_cj), so that sparse rows cost only what they hold.

Notation: N (k, d) = feature_count_ (weight of the rows of class c that have feature j);
n = class_count_; log p = feature_log_prob_; log(1 - p) = absence_log_prob_.
Course: S3-28, S4-41, S4-42. References: McCallum and Nigam (1998); Mitchell (1997),
ch. 6.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.parameters import missing, real
from corollary.engine import Chunk
from corollary.naive_bayes.discrete import (
    COMMON_RULES,
    CountsLearner,
    FeatureCounts,
    LogTable,
    check_range,
    linear_scores,
    log_shares,
    mean_loss,
)
from corollary.naive_bayes.multinomial_nb import by_feature
from corollary.naive_bayes.naive_bayes import Joint, NaiveBayes, vetoed

__all__ = ["BernoulliNB"]


class BernoulliNB(CountsLearner, NaiveBayes):
    """Naive Bayes for features that are there or not.

    Parameters
    ----------
    alpha : float or array of shape (d,), default=1.0
        Pseudo-count of presence and of absence (1); 0 for maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    binarize : float or None, default=0.0
        A feature is there where its value is above this; None takes the values as they
        are, which must then be in [0, 1].
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
        Weight of the rows of each class that have each feature.
    feature_log_prob_ : array of shape (k, d)
        Logarithm of (1); minus infinity where alpha and the count are 0.
    absence_log_prob_ : array of shape (k, d)
        Logarithm of one minus (1).
    n_features_in_ : int
    report_ : Report
        Its warnings name the zero counts that veto a class.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import BernoulliNB
    >>> X = np.array([[1, 0, 1], [1, 1, 0], [0, 0, 1], [0, 1, 1]])
    >>> model = BernoulliNB().fit(X, ["yes", "yes", "no", "no"])
    >>> np.exp(model.feature_log_prob_).round(9).tolist()  # no, yes
    [[0.25, 0.5, 0.75], [0.75, 0.5, 0.5]]
    >>> model.predict([[1, 0, 0]]).tolist()
    ['yes']
    """

    shapes: ClassVar = {
        "classes_": "k",
        "class_log_prior_": "k",
        "class_count_": "k",
        "feature_count_": "k d",
        "feature_log_prob_": "k d",
        "absence_log_prob_": "k d",
    }
    rules: ClassVar = {**COMMON_RULES, "binarize": missing | real(0)}

    def __init__(
        self,
        *,
        alpha: Any = 1.0,
        force_alpha: bool = True,
        binarize: float | None = 0.0,
        fit_prior: bool = True,
        class_prior: Any = None,
        prior_alpha: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.prior_alpha = prior_alpha

    # -- learning ------------------------------------------------------------------
    def statistics(self, chunk: Chunk, state: LogTable) -> FeatureCounts:
        """Count the rows of each class that have each feature."""
        limits = (-np.inf, np.inf) if self.binarize is not None else (0.0, 1.0)
        return self._counts(chunk, *limits)

    def _log_shares(self, s: FeatureCounts) -> Floats:
        """Return log p and log(1 - p) side by side, (k, 2 d)."""
        alpha = self._smoothing(s.N.shape[1])
        absent = np.maximum(s.n[:, None] - s.N, 0.0)
        total = np.broadcast_to(s.n[:, None] + 2 * alpha, s.N.shape)
        both = [log_shares(S + alpha, total, 2) for S in (s.N, absent)]  # (1)
        return np.hstack(both)

    def objective(self, s: FeatureCounts, state: LogTable) -> float:
        """Return the negative log-likelihood per row, without the class part."""
        return mean_loss(s.n, np.hstack([s.N, s.n[:, None] - s.N]), state.L)

    def _set_counts(self, s: FeatureCounts, L: Floats) -> None:
        d = s.N.shape[1]
        self.feature_count_ = s.N
        self.feature_log_prob_ = by_feature(L[:, :d])
        self.absence_log_prob_ = by_feature(L[:, d:])

    def _event(self, s: FeatureCounts, j: int) -> str:
        d = s.N.shape[1]
        return f"{'presence' if j < d else 'absence'} of feature {j % d} in"

    # -- use -----------------------------------------------------------------------
    def _joint(self, X: Matrix) -> Joint:
        if self.binarize is None:
            check_range(self, X, 0.0, 1.0)
        there, absent = self.feature_log_prob_, self.absence_log_prob_
        prior = self.class_log_prior_
        never, always = np.isneginf(there), np.isneginf(absent)
        zeros = bool(never.any() or always.any())
        if zeros:
            rest = -np.log(np.maximum(self.class_count_, 1e-300))[:, None]
            there = np.where(never, rest, there)
            absent = np.where(always, rest, absent)
        constant = prior + absent.sum(axis=1)
        J = linear_scores(X, (there - absent).T, constant, self.binarize)  # (2)
        if not zeros:
            return Joint(J)
        change = never.astype(np.float64) - always
        V = linear_scores(X, change.T, always.sum(axis=1), self.binarize)
        return vetoed(Joint(J, V), prior)
