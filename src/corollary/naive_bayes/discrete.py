"""The core of naive Bayes with discrete features: counts, priors, smoothing.

Also known as: pseudo-counts, additive smoothing, Laplace and Lidstone smoothing.

Every discrete model of a class is a table of shares of counts.  With N_cj the weight of
value j in class c, n_c the weight of the class, and m values,

    P(j | c) = (N_cj + alpha) / (sum_i N_ci + m alpha)                           (1)
    P(c)     = (n_c + l) / (n + k l)                                             (2)

alpha = 1 is Laplace's rule, alpha < 1 Lidstone's, alpha = 0 maximum likelihood, where a
value that never came with a class has probability 0 and vetoes the class.  alpha is
also the parameter of a symmetric Dirichlet prior: (1) is the mean of the posterior.
After m successes in m trials the rule of succession gives (m + 1)/(m + 2).

Counts add up over chunks, so one pass over the rows is enough.

Notation: n (k,) = class_count_; N (k, d) = feature_count_; alpha, l = prior_alpha.
Course: S0-5, S3-28, S4-41. References: Laplace (1814); Mitchell (1997), ch. 6.
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary import loops
from corollary.core.arrays import Floats, Matrix
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, boolean, missing, real
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.rows import rows_loop
from corollary.core.vectors import class_priors
from corollary.engine import Chunk, Data, Fitted, Statistics, StreamingClassifier

__all__ = [
    "COMMON_RULES",
    "CountsLearner",
    "FeatureCounts",
    "LogTable",
    "check_range",
    "finite",
    "linear_scores",
    "log_shares",
    "mean_loss",
]

LEAST_ALPHA = 1e-10  # what force_alpha=False raises alpha to

COMMON_RULES = {
    "alpha": real(0) | array_like,
    "force_alpha": boolean,
    "fit_prior": boolean,
    "class_prior": missing | array_like,
    "prior_alpha": real(0),
}


@stored
@dataclass(frozen=True)
class FeatureCounts(Statistics):
    """Weight of each class, and sum of each feature in it."""

    n: Floats  # (k,)
    N: Floats  # (k, d)


@stored
@dataclass(frozen=True)
class LogTable:
    """The state: the logarithms of (1) and (2)."""

    log_prior: Any = None  # (k,)
    L: Any = None  # (k, values)
    J: Any = None  # (d,) values of each feature, where each has a table of its own


class CountsLearner(StreamingClassifier):
    """Learns the tables of a naive Bayes classifier from counts.

    `one_table` says that all features of a class share one distribution.
    """

    alpha: Any
    force_alpha: bool
    fit_prior: bool
    class_prior: Any
    prior_alpha: float
    takes_sparse: ClassVar[bool] = True
    one_table: ClassVar[bool] = False

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.poor_score = True  # on numbers, which are no counts
        return tags

    # -- what each event model writes ----------------------------------------------
    @abstractmethod
    def _log_shares(self, s: Any) -> Floats:
        """Return the logarithms of (1), (k, values)."""

    @abstractmethod
    def _set_counts(self, s: Any, L: Floats) -> None:
        """Set the attributes that hold counts and their logarithms."""

    @abstractmethod
    def _event(self, s: Any, j: int) -> str:
        """Name the event of column j of the shares, up to the name of a class."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> LogTable:
        """Check the parameters that depend on the data."""
        class_priors(self, self.class_prior, np.ones(len(self.classes_)))
        self._smoothing(data.source.n_features)
        return LogTable()

    def update(self, s: Any, state: LogTable) -> LogTable:
        """Turn counts into logarithms of shares (1), (2)."""
        L, J = self._log_shares(s), getattr(s, "J", None)
        return replace(state, log_prior=self._log_prior(s.n), L=L, J=J)

    def objective(self, s: Any, state: LogTable) -> float:
        """Return the negative log-likelihood per row, without the class part."""
        return mean_loss(s.n, s.N, state.L)

    def account(self, state: LogTable, report: Report) -> None:
        """Shares of counts are exact."""
        report.optimality = Optimality("exact to rounding", 0.0)
        k = len(state.log_prior)
        d = self.n_features_in_  # type: ignore[attr-defined]
        fixed = k * (1 if self.one_table else d)  # by sums of 1
        report.facts["n_parameters"] = state.L.size - fixed + k - 1
        if not self.force_alpha and np.min(self.alpha) < LEAST_ALPHA:
            text = f"alpha was raised to {LEAST_ALPHA:g}; force_alpha=True keeps it."
            report.warnings.append(text)
            warnings.warn(f"{report.learner}: {text}", UserWarning, stacklevel=7)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read; name the zero counts that veto a class."""
        state: LogTable = fitted.state
        self.class_count_ = fitted.statistics.n
        self.class_log_prior_ = state.log_prior
        self._set_counts(fitted.statistics, state.L)
        if finite(state.L) is not state.L:
            vetoes = np.argwhere(np.isneginf(state.L))
            c, j = vetoes[0]
            where = f"{self._event(fitted.statistics, int(j))} class"
            fitted.report.warnings.append(
                f"{len(vetoes)} counts are zero, first {where} "
                f"{self.classes_[c].item()!r}: with alpha = 0 each of them decides "
                "alone where a row belongs; use alpha > 0."
            )

    def sums_bytes(self, n_features: int) -> int:
        """Return the size of the table of counts."""
        return 8 * len(self.classes_) * n_features

    # -- parts of it ---------------------------------------------------------------
    def _smoothing(self, d: int) -> Floats:
        """Return alpha, one number or one for each of d features."""
        alpha = np.asarray(self.alpha, dtype=np.float64)
        if alpha.ndim and alpha.shape != (d,):
            must = f"alpha must be one number or one for each of the {d} features"
            raise ParameterError(sentence(self, must, f"shape {alpha.shape}"))
        if not (np.isfinite(alpha) & (alpha >= 0)).all():
            must = "every alpha must be a number >= 0"
            raise ParameterError(sentence(self, must, f"{alpha.min():g}"))
        return alpha if self.force_alpha else np.maximum(alpha, LEAST_ALPHA)

    def _log_prior(self, n: Floats) -> Floats:
        k = len(n)
        given = self.class_prior
        if given is not None:
            given = class_priors(self, given, n)
        elif not self.fit_prior:
            given = np.full(k, 1 / k)
        counts = n + self.prior_alpha if given is None else given
        with np.errstate(divide="ignore"):
            return np.log(counts) - np.log(counts.sum())  # (2)

    def _counts(self, chunk: Chunk, low: float, high: float) -> FeatureCounts:
        """Add up the features of each class; refuse what is not in [low, high]."""
        k, d = len(self.classes_), chunk.X.shape[1]
        n, N = np.zeros(k), np.zeros((k, d))
        loop = rows_loop(loops.class_counts, loops.class_counts_csr, chunk.X)
        least, most = loop(chunk.y, chunk.w, getattr(self, "binarize", None), n, N)
        if least < low or most > high:
            refuse(self, chunk.X, chunk.first_row, low, high)
        return FeatureCounts(n, N)


def mean_loss(n: Floats, N: Floats, L: Floats) -> float:
    """Return the negative log-likelihood per row of counts N under shares exp(L)."""
    return -float(np.vdot(N, finite(L)) / n.sum())


def check_range(who: object, X: Matrix, low: float, high: float) -> Matrix:
    """Return rows of which every entry is in [low, high]."""
    values = X.data if sp.issparse(X) else X
    above = np.isfinite(high) and values.max(initial=low) > high
    if above or values.min(initial=low) < low:
        refuse(who, X, 0, low, high)
    return X


def refuse(who: object, X: Matrix, first_row: int, low: float, high: float) -> None:
    """Raise for the first entry outside [low, high]."""
    values = X.data if sp.issparse(X) else X
    wrong = np.argwhere((values < low) | (values > high))[0]
    value = values[tuple(wrong)]
    row = (
        np.searchsorted(X.indptr, wrong[0], "right") - 1 if sp.issparse(X) else wrong[0]
    )
    must = "X must be >= 0" if np.isinf(high) else f"X must be in [{low:g}, {high:g}]"
    came = "Negative values in data" if value < low else "larger values"
    raise DataError(sentence(who, must, f"{came}, {value:g} in row {first_row + row}"))


def finite(L: Floats) -> Floats:
    """Return logarithms with 0 for log 0; the same array where there is none."""
    return np.where(np.isneginf(L), 0.0, L) if np.isneginf(L.min(initial=0.0)) else L


def log_shares(S: Floats, total: Floats, values: int) -> Floats:
    """Return log(S / total), row by row; a class without any count has equal shares.

    >>> np.exp(log_shares(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([4.0, 0.0]), 2))
    array([[0.25, 0.75],
           [0.5 , 0.5 ]])
    """
    total = total.reshape(len(S), -1)
    empty = total <= 0
    with np.errstate(divide="ignore"):
        L = np.log(S) - np.log(np.where(empty, 1.0, total))
    return np.where(empty, -np.log(values), L) if empty.any() else L


def linear_scores(
    X: Matrix, W: Floats, constant: Floats, above: float | None = None
) -> Floats:
    """Return X W + constant, (n, k), with X replaced by X > above where that is given.

    >>> linear_scores(np.array([[2.0, 0.0]]), np.array([[1.0], [5.0]]), np.zeros(1))
    array([[2.]])
    """
    W = np.ascontiguousarray(W)  # (d, k)
    constant = np.ascontiguousarray(np.broadcast_to(constant, W.shape[1:]))
    if not sp.issparse(X):
        rows = X if above is None else (X > above).astype(X.dtype)
        return rows @ W.astype(X.dtype, copy=False) + constant.astype(X.dtype)
    out = np.empty((X.shape[0], W.shape[1]), dtype=X.dtype)
    loop = rows_loop(None, loops.row_scores_csr, X)
    loop(above, W, constant, out, get_config().threads)
    return out
