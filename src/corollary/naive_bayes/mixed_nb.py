"""Bayes' rule on rows of numbers and categories together, in summation form.

Also known as: mixed naive Bayes, Gaussian-Bernoulli classifier, the location model with
independent parts.

A row x = (u, v) has g numbers u and m answers v.  Given the class c, u is Gaussian with
mean mu_c and covariance S_c (full or diagonal), and independent of v, whose answers are
independent of each other:

    log P(c, x) = log pi_c - 1/2 [log |2 pi S_c| + (u - mu_c)' S_c^-1 (u - mu_c)]
                  + sum_j log P(v_j | c)                                         (1)

Between two classes the rule is quadratic in u and linear in v: `mixed_rule.py` has it,
and its error.

Maximum likelihood: means, 1/n_c covariances, shares of answers (smoothed by alpha).  To
S_c is added var_smoothing times the largest variance of a column over all rows.

Notation: mu (k, g) = theta_; S (k, g, g) or its diagonals (k, g) = covariance_;
log P(v_j | c) = feature_log_prob_[j]; pi = class_prior_.
Course: S2-9. References: Olkin and Tate (1961); Duda, Hart, Stork (2001), ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.linalg as sla

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, missing, one_of, real, whole
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.vectors import class_priors
from corollary.engine import Chunk, Data, Fitted, Statistics, StreamingClassifier
from corollary.engine.classes import ClassMoments, ClassScatters
from corollary.naive_bayes.categorical_nb import refuse_unseen
from corollary.naive_bayes.categories import (
    CategoryCounts,
    as_codes,
    category_scores,
    count_categories,
    least_categories,
    log_tables,
    split,
)
from corollary.naive_bayes.discrete import finite
from corollary.naive_bayes.gaussian_nb import gaussian_scores
from corollary.naive_bayes.mixed_rule import MixedRule
from corollary.naive_bayes.naive_bayes import Joint, NaiveBayes, vetoed

__all__ = ["MixedNB"]


@stored
@dataclass(frozen=True)
class MixedSums(Statistics):
    """What a chunk says of the numbers and of the answers."""

    numbers: ClassScatters | ClassMoments
    answers: CategoryCounts


@stored
@dataclass(frozen=True)
class MixedModel:
    """The state: the columns of each kind, and the parameters of (1)."""

    numeric: Vector  # (g,)
    discrete: Vector  # (m,)
    prior: Any = None  # (k,)
    S: Any = None  # (k, g, g) or (k, g)
    L: Any = None  # (k, sum J)
    J: Any = None  # (m,)
    epsilon: float = 0.0


class MixedNB(StreamingClassifier, NaiveBayes):
    """Bayes' rule on Gaussian, yes-no and categorical columns together.

    Parameters
    ----------
    categorical : list of columns, optional
        Numbers or names of the columns that hold categories 0, 1, ...
    binary : list of columns, optional
        Numbers or names of the columns that hold 0 or 1.
    covariance : {"full", "diag"}, default="full"
        Covariance of the other columns within a class; "diag" makes them independent.
    priors : array of shape (k,), optional
        Class probabilities; by default the shares in the data.
    alpha : float, default=1.0
        Pseudo-count of each category and of each answer.
    min_categories : int or array, optional
        As in `CategoricalNB`, for the categorical columns in order.
    var_smoothing : float, default=1e-9
        Share of the largest variance that is added to every variance.

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_count_, class_prior_ : arrays of shape (k,)
    numeric_columns_, discrete_columns_ : arrays
        Which columns are Gaussian, and which are binary or categorical.
    theta_ : array of shape (k, g)
        Mean of each numeric column in each class.
    covariance_ : array of shape (k, g, g) or (k, g)
        Covariance of the numeric columns in each class, with the smoothing.
    epsilon_ : float
        The amount added to every variance.
    category_count_, feature_log_prob_ : lists of arrays of shape (k, J_j)
        For each discrete column, as in `CategoricalNB`.
    n_categories_ : array
        Number of categories of each discrete column.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import MixedNB
    >>> X = np.array([[0.1, 1], [0.4, 1], [0.2, 0], [1.9, 0], [2.2, 0], [2.0, 1]])
    >>> model = MixedNB(binary=[1]).fit(X, [0, 0, 0, 1, 1, 1])
    >>> model.predict([[0.3, 1], [2.1, 0]]).tolist()
    [0, 1]
    >>> model.rule().beta.round(4).tolist()  # a yes speaks for class 0
    [-0.8109]
    """

    shapes: ClassVar = {
        "classes_": "k",
        "class_count_": "k",
        "class_prior_": "k",
        "numeric_columns_": "g",
        "discrete_columns_": "m",
        "theta_": "k g",
        "covariance_": "k g g|k g",
        "n_categories_": "m",
    }
    rules: ClassVar = {
        "categorical": missing | array_like,
        "binary": missing | array_like,
        "covariance": one_of("full", "diag"),
        "priors": missing | array_like,
        "alpha": real(0),
        "min_categories": missing | whole(1) | array_like,
        "var_smoothing": real(0),
    }

    def __init__(
        self,
        *,
        categorical: Any = None,
        binary: Any = None,
        covariance: str = "full",
        priors: Any = None,
        alpha: float = 1.0,
        min_categories: Any = None,
        var_smoothing: float = 1e-9,
    ) -> None:
        self.categorical = categorical
        self.binary = binary
        self.covariance = covariance
        self.priors = priors
        self.alpha = alpha
        self.min_categories = min_categories
        self.var_smoothing = var_smoothing

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> MixedModel:
        """Tell the columns apart; check the priors."""
        class_priors(self, self.priors, np.ones(len(self.classes_)))
        d = data.source.n_features
        names = data.source.names
        categorical = self._columns("categorical", d, names)
        binary = self._columns("binary", d, names)
        both = np.intersect1d(categorical, binary)
        if len(both):
            must = "a column must be categorical or binary"
            raise ParameterError(sentence(self, must, f"column {both[0]} as both"))
        least_categories(self, self.min_categories, len(categorical))
        discrete = np.union1d(categorical, binary).astype(np.int64)
        return MixedModel(np.setdiff1d(np.arange(d), discrete), discrete)

    def statistics(self, chunk: Chunk, state: MixedModel) -> MixedSums:
        """Take the moments and counts of each class in the chunk."""
        k = len(self.classes_)
        codes = as_codes(self, chunk.X, state.discrete, chunk.first_row)
        least = self._least(state.discrete)
        self._check_binary(codes.codes, state.discrete, chunk.first_row)
        answers = count_categories(codes, chunk, k, least)
        U = np.ascontiguousarray(chunk.X[:, state.numeric])
        kind = ClassScatters if self.covariance == "full" else ClassMoments
        return MixedSums(kind.of(U, chunk.y, chunk.w, k), answers)

    def update(self, s: MixedSums, state: MixedModel) -> MixedModel:
        """Turn sums into maximum-likelihood parameters."""
        moments = s.numbers
        epsilon = self.var_smoothing * float(moments.variances().max(initial=0.0))
        n = np.where(moments.n > 0, moments.n, 1.0)
        if isinstance(moments, ClassMoments):
            S = moments.M2 / n[:, None] + epsilon
        else:
            S = moments.S / n[:, None, None] + epsilon * np.eye(len(state.numeric))
        S = np.where(S.any(axis=tuple(range(1, S.ndim)), keepdims=True), S, unit(S))
        prior = class_priors(self, self.priors, moments.n)
        L = log_tables(s.answers, self.alpha)
        J = s.answers.J
        return replace(state, prior=prior, S=S, L=L, J=J, epsilon=epsilon)

    def objective(self, s: MixedSums, state: MixedModel) -> float:
        """Return the negative log-likelihood per row, without the class part."""
        numbers, g = s.numbers, len(state.numeric)
        total = -np.vdot(s.answers.widened(state.J), finite(state.L))
        diagonal = isinstance(numbers, ClassMoments)
        scatters = numbers.M2 if isinstance(numbers, ClassMoments) else numbers.S
        for n, M2, S in zip(numbers.n, scatters, state.S, strict=True):
            if diagonal:
                M2, S = np.diag(M2), np.diag(np.maximum(S, 1e-300))
            log_det = np.linalg.slogdet(S)[1] + g * np.log(2 * np.pi)
            total += 0.5 * (n * log_det + np.trace(np.linalg.pinv(S) @ M2))
        return float(total / numbers.n.sum())

    def account(self, state: MixedModel, report: Report) -> None:
        """Maximum likelihood is exact here; name what is only held up by smoothing."""
        report.optimality = Optimality("exact to rounding", 0.0)
        g, k = len(state.numeric), len(state.prior)
        free = g + (g * (g + 1) // 2 if self.covariance == "full" else g)
        answers = state.L.shape[1] - len(state.discrete)
        report.facts["n_parameters"] = k * (free + answers) + k - 1
        if g and self.covariance == "full" and np.linalg.eigvalsh(state.S).min() <= 0:
            report.warnings.append(
                "the covariance of some class is singular: the model cannot predict; "
                "raise var_smoothing, or use covariance='diag'."
            )
        if np.isneginf(state.L).any():
            report.warnings.append(
                f"{int(np.isneginf(state.L).sum())} zero counts veto a class: a row "
                "with such a value cannot be in the class; use alpha > 0."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state, s = fitted.state, fitted.statistics
        self.numeric_columns_, self.discrete_columns_ = state.numeric, state.discrete
        self.class_count_, self.class_prior_ = s.numbers.n, state.prior
        self.theta_, self.covariance_ = s.numbers.mean, state.S
        self.epsilon_, self.n_categories_ = state.epsilon, s.answers.J
        self.category_count_ = split(s.answers.N, s.answers.J)
        self.feature_log_prob_ = split(state.L, s.answers.J)

    # -- use -----------------------------------------------------------------------
    def _joint(self, X: Matrix) -> Joint:
        with np.errstate(divide="ignore"):
            prior = np.log(self.class_prior_)
        J, V = np.broadcast_to(prior, (len(X), len(prior))), None
        if len(self.discrete_columns_):
            codes = as_codes(self, X, self.discrete_columns_).codes
            self._check_binary(codes, self.discrete_columns_)
            if self.min_categories is not None:
                refuse_unseen(self, codes, self.discrete_columns_, self.n_categories_)
            n, tables = self.class_count_, self.feature_log_prob_
            J, V = category_scores(codes, tables, n, self.alpha, prior)
        if len(self.numeric_columns_):
            U = np.ascontiguousarray(X[:, self.numeric_columns_])
            J = J + self._gaussian(U)  # (1)
        return vetoed(Joint(J.astype(X.dtype, copy=False), V), prior)

    def _gaussian(self, U: Floats) -> Floats:
        """Return the Gaussian part of (1)."""
        if self.covariance_.ndim == 2:
            nothing = np.zeros(len(self.theta_))
            return gaussian_scores(U, self.theta_, self.covariance_, nothing)
        out = np.empty((len(U), len(self.theta_)))
        for c, (mu, S) in enumerate(zip(self.theta_, self.covariance_, strict=True)):
            R = self._triangle(c, S)
            t = sla.solve_triangular(R, (U - mu).T, lower=True, check_finite=False)
            log_det = 2 * np.log(np.diagonal(R)).sum() + len(mu) * np.log(2 * np.pi)
            out[:, c] = -0.5 * ((t**2).sum(axis=0) + log_det)
        return out

    def rule(self) -> MixedRule:
        """Return the quadratic rule of a model with two classes.

        Returns
        -------
        MixedRule
            Positive scores speak for ``classes_[1]``.
        """
        if len(self.classes_) != 2:
            must = "the quadratic rule must be between two classes"
            raise DataError(sentence(self, must, f"{len(self.classes_)}"))
        S = self.covariance_
        S = S if S.ndim == 3 else np.array([np.diag(s) for s in S])
        R = [self._triangle(c, S[c]) for c in (0, 1)]
        P = [sla.cho_solve((r, True), np.eye(len(r))) for r in R]  # S_c^-1
        mu, log_prior = self.theta_, np.log(self.class_prior_)
        tables = [table[1] - table[0] for table in self.feature_log_prob_]
        log_det = [2 * np.log(np.diagonal(r)).sum() for r in R]
        b = log_prior[1] - log_prior[0] + 0.5 * (log_det[0] - log_det[1])
        b += 0.5 * (mu[0] @ P[0] @ mu[0] - mu[1] @ P[1] @ mu[1])
        return MixedRule(
            self.numeric_columns_,
            self.discrete_columns_,
            P[0] - P[1],
            P[1] @ mu[1] - P[0] @ mu[0],
            tuple(table - table[0] for table in tables),
            float(b + sum(table[0] for table in tables)),
        )

    # -- parts of it ---------------------------------------------------------------
    def _columns(self, which: str, d: int, names: Any) -> Vector:
        """Return the columns that a parameter names, as sorted numbers."""
        given = getattr(self, which)
        if given is None or not len(given):
            return np.zeros(0, dtype=np.int64)
        known = {} if names is None else {name: j for j, name in enumerate(names)}
        found = np.array([known.get(c, -1) if isinstance(c, str) else c for c in given])
        integral = found.dtype.kind in "iu" and found.ndim == 1
        if not integral or found.min() < 0 or found.max() >= d:
            must = f"{which} must name columns, or number them in [0, {d})"
            raise ParameterError(sentence(self, must, repr(given)[:60]))
        return np.unique(found).astype(np.int64)

    def _binary(self, discrete: Vector) -> Vector:
        """Tell which of the discrete columns are binary."""
        names = getattr(self, "feature_names_in_", None)
        binary = self._columns("binary", self.n_features_in_, names)
        return np.isin(discrete, binary)

    def _least(self, discrete: Vector) -> Vector:
        binary = self._binary(discrete)
        least = np.full(len(discrete), 2, dtype=np.int64)
        least[~binary] = least_categories(self, self.min_categories, (~binary).sum())
        return least

    def _check_binary(self, codes: Vector, columns: Vector, first_row: int = 0) -> None:
        wrong = (codes > 1) & self._binary(columns)
        if wrong.any():
            row, j = np.argwhere(wrong)[0]
            must = f"binary column {columns[j]} must hold 0 or 1"
            came = f"{codes[row, j]} in row {first_row + row}"
            raise DataError(sentence(self, must, came))

    def _triangle(self, c: int, S: Floats) -> Floats:
        """Return the Cholesky factor of a covariance."""
        try:
            return np.linalg.cholesky(S)
        except np.linalg.LinAlgError:
            label = self.classes_[c].item()
            must = f"the covariance of class {label!r} must be positive definite"
            came = f"rank {np.linalg.matrix_rank(S)} of {len(S)}"
            remedy = "Raise var_smoothing, or use covariance='diag'."
            raise DataError(sentence(self, must, came, remedy)) from None


def unit(S: Floats) -> Floats:
    """Return unit variances in the shape of S: those of a class without any spread."""
    one = np.ones(S.shape[1]) if S.ndim == 2 else np.eye(S.shape[1])
    return np.broadcast_to(one, S.shape)
