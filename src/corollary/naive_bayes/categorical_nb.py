"""Categorical naive Bayes, in summation form.

Also known as: naive Bayes for nominal attributes, discrete naive Bayes, the factored
model P(H) prod_i P(X_i | H).

Every feature is one of a few categories, 0 ... J_j - 1, with a table for each class:

    P(x_j = v | c) = (N_cjv + alpha) / (n_c + J_j alpha)                         (1)
    P(c)           = (n_c + l) / (n + k l)                                       (2)
    log P(c, x)    = log P(c) + sum_j log P(x_j | c)                             (3)

alpha = l = 1 is Laplace smoothing, alpha = l = 0 maximum likelihood.  A model of the
full joint table has prod_j J_j - 1 numbers for each class, this one sum_j (J_j - 1).

A category that is met for the first time in prediction has the probability that (1)
gives to a count of zero, alpha/(n_c + J_j alpha); where `min_categories` says how many
categories there are, a category beyond n_categories_ is an error.

Numbers that are not whole lose their fraction, as in scikit-learn, and the report says
so.

Notation: N (k, J_j) = category_count_[j]; n = class_count_; J = n_categories_;
log P(x_j | c) = feature_log_prob_[j]; l = prior_alpha.
Course: S0-5, S3-28, S4-41. Reference: Mitchell (1997), ch. 6.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import array_like, missing, real, whole
from corollary.engine import Chunk
from corollary.naive_bayes.categories import (
    CategoryCounts,
    as_codes,
    category_scores,
    count_categories,
    least_categories,
    log_tables,
    split,
)
from corollary.naive_bayes.discrete import (
    COMMON_RULES,
    CountsLearner,
    LogTable,
    mean_loss,
)
from corollary.naive_bayes.naive_bayes import Joint, NaiveBayes, vetoed

__all__ = ["CategoricalNB", "refuse_unseen"]


class CategoricalNB(CountsLearner, NaiveBayes):
    """Naive Bayes for categories, coded as whole numbers from 0.

    Parameters
    ----------
    alpha : float, default=1.0
        Pseudo-count of each category (1); 0 for maximum likelihood.
    force_alpha : bool, default=True
        False raises an alpha below 1e-10 to that.
    fit_prior : bool, default=True
        Learn the class probabilities; False makes them equal.
    class_prior : array of shape (k,), optional
        Class probabilities, instead of learned ones.
    min_categories : int or array of shape (d,), optional
        How many categories there are at least; then a larger category in prediction is
        an error, and not merely improbable.
    prior_alpha : float, default=0.0
        Pseudo-count of each class (2).

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_count_ : array of shape (k,)
        Weight of the rows in each class.
    class_log_prior_ : array of shape (k,)
        Logarithm of (2).
    category_count_ : list of d arrays of shape (k, J_j)
        Weight of each category in each class.
    feature_log_prob_ : list of d arrays of shape (k, J_j)
        Logarithm of (1); minus infinity where alpha and the count are 0.
    n_categories_ : array of shape (d,)
        Number of categories of each feature.
    n_features_in_ : int
    report_ : Report
        Its warnings name the zero counts that veto a class.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import CategoricalNB
    >>> X = np.array([[0, 2], [1, 2], [1, 0], [1, 1]])
    >>> model = CategoricalNB().fit(X, ["no", "no", "yes", "yes"])
    >>> model.n_categories_.tolist()
    [2, 3]
    >>> model.predict([[1, 2], [1, 0]]).tolist()
    ['no', 'yes']
    """

    takes_sparse = False
    shapes: ClassVar = {
        "classes_": "k",
        "class_count_": "k",
        "class_log_prior_": "k",
        "n_categories_": "d",
    }
    rules: ClassVar = {
        **COMMON_RULES,
        "alpha": real(0),
        "min_categories": missing | whole(1) | array_like,
    }

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        force_alpha: bool = True,
        fit_prior: bool = True,
        class_prior: Any = None,
        min_categories: Any = None,
        prior_alpha: float = 0.0,
    ) -> None:
        self.alpha = alpha
        self.force_alpha = force_alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories
        self.prior_alpha = prior_alpha

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags

    # -- learning ------------------------------------------------------------------
    def statistics(self, chunk: Chunk, state: LogTable) -> CategoryCounts:
        """Count the categories of each class in the chunk."""
        d = chunk.X.shape[1]
        columns = np.arange(d)
        codes = as_codes(self, chunk.X, columns, chunk.first_row, strict=False)
        least = least_categories(self, self.min_categories, d)
        return count_categories(codes, chunk, len(self.classes_), least)

    def objective(self, s: CategoryCounts, state: LogTable) -> float:
        """Return the negative log-likelihood per row, without the class part."""
        return mean_loss(s.n, s.widened(state.J), state.L)

    def _log_shares(self, s: CategoryCounts) -> Floats:
        return log_tables(s, float(self._smoothing(len(s.J))))  # (1)

    def _set_counts(self, s: CategoryCounts, L: Floats) -> None:
        self.n_categories_ = s.J
        if s.cut:
            self.report_.warnings.append(
                f"{s.cut} categories were no whole numbers and lost their fraction; "
                "encode them with OrdinalEncoder."
            )
        self.category_count_ = split(s.N, s.J)
        self.feature_log_prob_ = split(L, s.J)

    def _event(self, s: CategoryCounts, j: int) -> str:
        feature = int(np.searchsorted(np.cumsum(s.J), j, side="right"))
        return f"category {j - int(s.J[:feature].sum())} of feature {feature} in"

    # -- use -----------------------------------------------------------------------
    def _joint(self, X: Matrix) -> Joint:
        d = X.shape[1]
        codes = as_codes(self, X, np.arange(d), strict=False).codes
        if self.min_categories is not None:
            refuse_unseen(self, codes, np.arange(d), self.n_categories_)
        alpha, prior = float(self._smoothing(d)), self.class_log_prior_
        tables = self.feature_log_prob_
        joint = category_scores(codes, tables, self.class_count_, alpha, prior)  # (3)
        J = joint.J.astype(X.dtype, copy=False)
        return vetoed(joint._replace(J=J), prior)


def refuse_unseen(who: object, codes: Vector, columns: Vector, J: Vector) -> None:
    """Raise for the first category that is not below J."""
    if (codes < J).all():
        return
    row, j = np.argwhere(codes >= J)[0]
    must = f"categories of column {columns[j]} must be below {J[j]}"
    remedy = "Raise min_categories, or leave it out to allow unseen categories."
    raise DataError(sentence(who, must, f"{codes[row, j]} in row {row}", remedy))
