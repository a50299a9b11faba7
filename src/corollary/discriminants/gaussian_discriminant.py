"""Gaussian discriminant analysis: the ladder of covariances, in summation form.

Also known as: GDA, the Gaussian Bayes classifier, generative Gaussian classifier.
Related words: discriminant function.

Bayes' rule on classes N(m_c, Sigma_c) with priors pi_c decides for the largest of

    g_c(x) = log pi_c - 1/2 log |Sigma_c| - 1/2 (x - m_c)' Sigma_c^-1 (x - m_c)  (1)

From the strongest assumption to the weakest, with S_c the scatter of class c about its
mean and S_W = sum_c S_c:

    covariance   Sigma_c                    boundary    parameters of Sigma
    spherical    tr(S_W) / (n d) I          line, perpendicular to m_1 - m_0   1
    tied         S_W / n                    line        d (d + 1)/2
    diagonal     diag(S_c) / n_c            conic       k d
    full         S_c / n_c                  conic       k d (d + 1)/2            (2)

With equal priors the first decides for the nearest mean, the second for the nearest in
Mahalanobis' distance, r^2 = (x - m_c)' Sigma^-1 (x - m_c).  `unbiased` divides by
n - k and n_c - 1 instead.  The tied rule is linear discriminant analysis, the diagonal
one Gaussian naive Bayes, the full one quadratic discriminant analysis.  For two classes
the tied posterior is logistic in x: `logistic()` gives its coefficients,

    theta = Sigma^-1 (m_1 - m_0),
    theta_0 = 1/2 (m_0'Sigma^-1 m_0 - m_1'Sigma^-1 m_1) + log(pi_1 / pi_0)       (3)

Notation: m = means_; pi = priors_; Sigma = covariance_.
Course: S0-9, S1-30, S2-3, S2-4, S3-18, S3-19, S4-39, S4-40.
Reference: Duda, Hart, Stork (2001), ch. 2.6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import array_like, boolean, missing, one_of, real
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.vectors import class_priors
from corollary.discriminants.covariances import (
    check_classes,
    floored,
    recomposed,
    singular_classes,
)
from corollary.discriminants.gaussian_rule import (
    GaussianRule,
    Quadratic,
    log_of,
    quadratic_of,
    quadratic_scores,
)
from corollary.discriminants.shrinkage import shrunk
from corollary.engine import Chunk, Data, Fitted, StreamingClassifier
from corollary.engine.classes import ClassScatters, WithinScatter

__all__ = ["GaussianDiscriminant"]

SHARED = ("spherical", "tied")


@stored
@dataclass(frozen=True)
class Ladder:
    """The state: the parameters of (1)."""

    k: int
    d: int
    dtype: Any
    n: Any = None  # (k,)
    means: Any = None  # (k, d)
    priors: Any = None  # (k,)
    Sigma: Any = None  # (1 or k, d, d)
    s: Any = None  # (1 or k, d) eigenvalues, those that vanish raised
    R: Any = None  # (1 or k, d, d) eigenvectors in columns
    raised: Any = None  # (1 or k, d) by how much eigenvalues were raised


class GaussianDiscriminant(StreamingClassifier, GaussianRule):
    """Gaussian classes, with as much freedom in their covariances as asked for.

    Parameters
    ----------
    covariance : {'full', 'tied', 'diagonal', 'spherical'}, default='full'
        The rung of the ladder (2).
    priors : array of shape (k,), 'uniform' or None
        Class probabilities; 'uniform' ignores the shares in the data, None takes them.
    unbiased : bool, default=False
        Divide scatters by n - k or n_c - 1 instead of n or n_c.
    shrinkage : float in [0, 1], default=0.0
        Mix every covariance with a sphere of the same total variance.

    Attributes
    ----------
    classes_ : array of shape (k,)
    means_ : array of shape (k, d)
    priors_ : array of shape (k,)
    covariance_ : array
        Sigma: (d, d) for 'spherical' and 'tied', else (k, d, d).  A direction without
        variance is given 1e-9 times the largest variance of a feature, and the report
        names the guilty features.
    scalings_ : array of shape (1 or k, d)
        Eigenvalues of Sigma, falling.
    rotations_ : array of shape (1 or k, d, d)
        Eigenvectors of Sigma, in columns.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GaussianDiscriminant
    >>> X = np.array([[0.0, 0], [2, 0], [0, 2], [2, 2], [6, 6], [8, 6], [6, 8], [8, 8]])
    >>> model = GaussianDiscriminant(covariance="spherical").fit(X, [0] * 4 + [1] * 4)
    >>> model.boundary().equation()
    '6 x1 + 6 x2 - 48 = 0'
    """

    shapes: ClassVar = {
        "classes_": "k",
        "priors_": "k",
        "means_": "k d",
        "covariance_": "d d|k d d",
        "scalings_": "1 d|k d",
        "rotations_": "1 d d|k d d",
    }
    rules: ClassVar = {
        "covariance": one_of("full", "tied", "diagonal", "spherical"),
        "priors": missing | one_of("uniform") | array_like,
        "unbiased": boolean,
        "shrinkage": real(0, 1),
    }

    def __init__(
        self,
        covariance: str = "full",
        *,
        priors: Any = None,
        unbiased: bool = False,
        shrinkage: float = 0.0,
    ) -> None:
        self.covariance = covariance
        self.priors = priors
        self.unbiased = unbiased
        self.shrinkage = shrinkage

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Ladder:
        """Check the classes; nothing else is needed."""
        k = len(self.classes_)
        check_classes(self, data, matrices=1 if self.covariance in SHARED else k)
        return Ladder(k, data.source.n_features, data.source.dtype)

    def statistics(self, chunk: Chunk, state: Ladder) -> WithinScatter | ClassScatters:
        """Take the chunk's scatter, within all classes or of each."""
        kind = WithinScatter if self.covariance in SHARED else ClassScatters
        return kind.of(chunk.X, chunk.y, chunk.w, state.k)

    def update(self, s: Any, state: Ladder) -> Ladder:
        """Turn scatter into covariances (2)."""
        k, d = state.k, state.d
        shared = self.covariance in SHARED
        rows = np.array([s.n.sum()]) if shared else s.n
        freedom = rows - (k if shared else 1) * self.unbiased
        if (freedom <= 0).any() and self.unbiased:
            c = int(np.argmin(freedom))
            where = "in all" if shared else f"in class {self.classes_.tolist()[c]!r}"
            must = "unbiased=True needs more rows than means"
            raise DataError(sentence(self, must, f"{rows[c]:g} rows {where}"))
        Sigma = s.S.reshape(-1, d, d) / np.where(freedom > 0, freedom, 1)[:, None, None]
        if self.covariance == "spherical":
            Sigma = np.trace(Sigma[0]) / d * np.eye(d)[None]
        elif self.covariance == "diagonal":
            Sigma = Sigma * np.eye(d)
        Sigma = np.stack([shrunk(S, self.shrinkage) for S in Sigma])
        values, R, raised = floored(Sigma, s, self.shrinkage)
        if not values[:, -1].all():
            must = "some feature must vary"
            raise DataError(sentence(self, must, "rows that are all alike"))
        priors = class_priors(self, self._given(k), s.n)
        return replace(
            state,
            n=s.n,
            means=s.mean,
            priors=priors,
            Sigma=Sigma,
            s=values,
            R=R,
            raised=raised,
        )

    def _given(self, k: int) -> Any:
        uniform = isinstance(self.priors, str)
        return np.full(k, 1 / k) if uniform else self.priors

    def account(self, state: Ladder, report: Report) -> None:
        """Report parameters and conditioning."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        k, d = state.k, state.d
        own = {
            "spherical": 1,
            "tied": d * (d + 1) // 2,
            "diagonal": k * d,
            "full": k * d * (d + 1) // 2,
        }
        report.facts["n_parameters"] = k - 1 + k * d + own[self.covariance]
        report.condition = float((state.s[:, 0] / state.s[:, -1]).max())
        singular_classes(self, state.Sigma, state.s, state.raised, report)

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Ladder = fitted.state
        self.means_, self.priors_ = state.means.astype(state.dtype), state.priors
        self.scalings_ = state.s.astype(state.dtype)
        self.rotations_ = np.ascontiguousarray(state.R, dtype=state.dtype)
        parts = zip(state.Sigma, state.R, state.raised, strict=True)
        Sigma = np.stack([recomposed(*part) for part in parts])
        shared = self.covariance in SHARED
        self.covariance_ = (Sigma[0] if shared else Sigma).astype(state.dtype)

    # -- use -----------------------------------------------------------------------
    def mahalanobis(self, X: Any) -> Floats:
        """Return the squared distance r^2 of each row to each class, (n, k)."""
        X = self._query(X)
        zero = np.zeros(len(self.classes_))
        return -2 * quadratic_scores(X, self.means_, self._whiten(), zero)

    def logistic(self) -> tuple[Floats, float]:
        """Return theta and theta_0 (3) of the posterior of two classes.

        P(second class | x) = 1 / (1 + exp(-(theta'x + theta_0))).
        """
        if len(self.classes_) != 2 or self.covariance not in SHARED:
            must = "a logistic posterior needs two classes and a shared covariance"
            came = f"{len(self.classes_)} classes and covariance={self.covariance!r}"
            raise ParameterError(sentence(self, must, came))
        surface = self.boundary()
        return surface.b, surface.c

    def _scores(self, X: Matrix) -> Floats:
        return quadratic_scores(X, self.means_, self._whiten(), self._constants())

    def _quadratic(self, c: int) -> Quadratic:
        W = self._whiten()[c]
        g = quadratic_of(self.means_[c], W @ W.T, self._constants()[c])
        return g._replace(A=None) if self.covariance in SHARED else g

    def _whiten(self) -> list[Floats]:
        """Return W with W W' = Sigma^-1 for each class."""
        W = self.rotations_ / np.sqrt(self.scalings_)[:, None, :]
        return list(W) * (len(self.classes_) // len(W))

    def _constants(self) -> Floats:
        return log_of(self.priors_) - 0.5 * np.log(self.scalings_).sum(axis=1)
