"""Quadratic discriminant analysis, in summation form.

Also known as: QDA, the Gaussian Bayes classifier, Gaussian discriminant analysis with a
covariance of its own for each class.

Classes are Gaussians N(m_c, Sigma_c) with priors pi_c.  By Bayes' rule decide for the
largest of

    g_c(x) = log pi_c - 1/2 log |Sigma_c| - 1/2 (x - m_c)' Sigma_c^-1 (x - m_c)  (1)

Boundaries are conics.  Maximum likelihood needs one pass over the rows:

    m_c = mean of class c,   Sigma_c = 1/n_c sum_{i in c} (x_i - m_c)(x_i - m_c)'
                                     = R_c diag(s_c) R_c'                        (2)

and with W_c = R_c diag(s_c)^-1/2 the quadratic form in (1) is ||W_c'(x - m_c)||^2.
Equal Sigma_c give the linear rule of LDA, diagonal ones Gaussian naive Bayes.

Notation: m = means_; pi = priors_; R = rotations_; s = scalings_.
Course: S0-9, S2-3, S2-5, S3-18, S4-39. Reference: Hastie, Tibshirani, Friedman (2009),
ch. 4.3.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.core.params import (
    anything,
    array_like,
    boolean,
    missing,
    one_of,
    real,
)
from corollary.core.report import Optimality, Report, StopReason
from corollary.core.vectors import class_priors
from corollary.discriminants.covariances import (
    SHRINKAGE,
    check_classes,
    class_covariances,
    estimated,
    floored,
    fourth_moments,
    singular_classes,
)
from corollary.discriminants.gaussian_rule import (
    GaussianRule,
    Quadratic,
    log_of,
    quadratic_of,
    quadratic_scores,
)
from corollary.discriminants.shrinkage import FourthMoments
from corollary.engine import Chunk, Data, Fitted, StreamingClassifier
from corollary.engine.classes import ClassScatters

__all__ = ["QuadraticDiscriminantAnalysis"]


@dataclass(frozen=True)
class Quadrics:
    """The state: scatters while a second pass is due, then the parameters of (1)."""

    k: int
    d: int
    dtype: Any
    given: Any = None  # (k + 1, d, d) covariances by an estimator of the user's
    once: bool = False  # a stream: rows of a class may still come
    scatter: Any = None
    n: Any = None  # (k,)
    means: Any = None  # (k, d)
    priors: Any = None  # (k,)
    Sigma: Any = None  # (k, d, d)
    s: Any = None  # (k, d) eigenvalues, falling
    R: Any = None  # (k, d, d) eigenvectors in columns


class QuadraticDiscriminantAnalysis(StreamingClassifier, GaussianRule):
    """Quadratic discriminant analysis.

    Parameters
    ----------
    solver : {'svd', 'eigen'}, default='svd'
        Both decompose the same covariances (2); `reg_param` is for 'svd', shrinkage
        for either.
    shrinkage : 'auto', float in [0, 1] or None
        Shrink each covariance: by Ledoit and Wolf's amount (a second pass), by the
        share given, or not at all.
    priors : array of shape (k,), optional
        Class probabilities; by default the shares in the data.
    reg_param : float in [0, 1], default=0.0
        Replace every eigenvalue s by (1 - reg_param) s + reg_param.
    store_covariance : bool, default=False
        Keep `covariance_`.
    tol : float, default=1e-4
        Kept for compatibility.  A direction without variance is given 1e-9 times the
        largest variance of a feature, and the report names the guilty features.
    covariance_estimator : estimator, optional
        Anything with ``fit`` and ``covariance_``, for data in memory.

    Attributes
    ----------
    classes_ : array of shape (k,)
    means_ : array of shape (k, d)
    priors_ : array of shape (k,)
    covariance_ : list of k arrays of shape (d, d)
        Only where `store_covariance` asks for it.
    rotations_ : list of k arrays of shape (d, d)
        Eigenvectors of each covariance, in columns.
    scalings_ : list of k arrays of shape (d,)
        Eigenvalues of each covariance, falling.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import QuadraticDiscriminantAnalysis
    >>> X = np.array([[-1.0, -1], [-2, -1], [-3, -2], [1, 1], [2, 1], [3, 2]])
    >>> model = QuadraticDiscriminantAnalysis().fit(X, [1, 1, 1, 2, 2, 2])
    >>> model.predict([[-0.8, -1.0]]).tolist()
    [1]
    """

    shapes: ClassVar = {
        "classes_": "k",
        "priors_": "k",
        "means_": "k d",
        "rotations_": "k d d",
        "scalings_": "k d",
    }
    rules: ClassVar = {
        "solver": one_of("svd", "eigen"),
        "shrinkage": SHRINKAGE,
        "priors": missing | array_like,
        "reg_param": real(0, 1),
        "store_covariance": boolean,
        "tol": real(0),
        "covariance_estimator": anything,
    }

    def __init__(
        self,
        *,
        solver: str = "svd",
        shrinkage: Any = None,
        priors: Any = None,
        reg_param: float = 0.0,
        store_covariance: bool = False,
        tol: float = 1e-4,
        covariance_estimator: Any = None,
    ) -> None:
        self.solver = solver
        self.shrinkage = shrinkage
        self.priors = priors
        self.reg_param = reg_param
        self.store_covariance = store_covariance
        self.tol = tol
        self.covariance_estimator = covariance_estimator

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Quadrics:
        """Check what was asked for; nothing else is needed."""
        k = len(self.classes_)
        check_classes(self, data, matrices=k)
        given = None
        if self.covariance_estimator is not None:
            given = estimated(self, data, self.covariance_estimator)
        elif self.shrinkage == "auto" and data.once:
            must = "shrinkage='auto' needs a second pass over the data"
            raise DataError(sentence(self, must, "a stream", "Give a number instead."))
        source = data.source
        return Quadrics(k, source.n_features, source.dtype, given, data.once)

    def statistics(self, chunk: Chunk, state: Quadrics) -> Any:
        """Take the chunk's scatters, then what shrinkage 'auto' needs besides."""
        if state.scatter is not None:
            return fourth_moments(chunk, state.scatter)
        return ClassScatters.of(chunk.X, chunk.y, chunk.w, state.k)

    def update(self, s: Any, state: Quadrics) -> Quadrics:
        """Decompose the covariances (2), or ask for the second pass."""
        if isinstance(s, FourthMoments):
            return self._solved(state.scatter, replace(state, scatter=None), s.q)
        if self.shrinkage == "auto":
            return replace(state, scatter=s)
        return self._solved(s, state, None)

    def _solved(
        self, scatter: ClassScatters, state: Quadrics, q: Floats | None
    ) -> Quadrics:
        few = (scatter.n <= 1) & ~scatter.S.any(axis=(1, 2))
        if few.any() and not state.once:
            label = self.classes_.tolist()[few.argmax()]
            must = "every class must have at least 2 rows for its covariance"
            came = f"y has only {scatter.n[few][0]:g} sample in class {label!r}"
            raise DataError(sentence(self, must, came))
        if state.given is None:
            Sigma = class_covariances(scatter, self.shrinkage, q)
        else:
            Sigma = state.given[:-1]
        s, R = floored(Sigma, scatter)
        if self.solver == "svd":
            s = (1 - self.reg_param) * s + self.reg_param
        return replace(
            state,
            n=scatter.n,
            means=scatter.mean,
            priors=class_priors(self, self.priors, scatter.n),
            Sigma=Sigma,
            s=s,
            R=R,
        )

    def stop(self, state: Quadrics) -> StopReason | None:
        """Stop once there is a rule."""
        return StopReason.CLOSED_FORM if state.s is not None else None

    def max_passes(self) -> int:
        """Allow a second pass for shrinkage 'auto'."""
        return 2

    def account(self, state: Quadrics, report: Report) -> None:
        """Report the conditioning, and too many parameters for the rows."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        k, d = state.k, state.d
        own = d + d * (d + 1) // 2
        report.facts["parameters"] = k * own + k - 1
        report.condition = float((state.s[:, 0] / state.s[:, -1]).max())
        if not self.reg_param:
            singular_classes(self, state.Sigma, state.s, report)
        few = state.n < d * d
        if few.any() and self.shrinkage is None and not self.reg_param:
            label = self.classes_.tolist()[state.n.argmin()]
            report.warnings.append(
                f"class {label!r} has {state.n.min():g} rows for the {own} parameters "
                "of its Gaussian. Linear discriminant analysis or shrinkage may do "
                "better."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Quadrics = fitted.state
        self.means_, self.priors_ = state.means.astype(state.dtype), state.priors
        self.scalings_ = list(state.s.astype(state.dtype))
        self.rotations_ = list(state.R.astype(state.dtype))
        if self.store_covariance:
            Sigma = (state.R * state.s[:, None, :]) @ state.R.transpose(0, 2, 1)
            self.covariance_ = list(Sigma.astype(state.dtype))

    # -- use -----------------------------------------------------------------------
    def _scores(self, X: Matrix) -> Floats:
        s = np.stack(self.scalings_)
        W = np.stack(self.rotations_) / np.sqrt(s)[:, None, :]
        return quadratic_scores(X, self.means_, list(W), self._constants())

    def _quadratic(self, c: int) -> Quadratic:
        R, s = self.rotations_[c], self.scalings_[c]
        return quadratic_of(self.means_[c], (R / s) @ R.T, self._constants()[c])

    def _constants(self) -> Floats:
        log_det = np.log(np.stack(self.scalings_)).sum(axis=1)
        return log_of(self.priors_) - 0.5 * log_det
