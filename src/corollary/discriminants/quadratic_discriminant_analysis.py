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

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import (
    anything,
    array_like,
    boolean,
    missing,
    one_of,
    real,
)
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.vectors import class_priors
from corollary.discriminants.covariances import (
    SHRINKAGE,
    class_covariances,
    floored,
    singular_classes,
)
from corollary.discriminants.gaussian_rule import (
    GaussianRule,
    Quadratic,
    log_of,
    quadratic_of,
    quadratic_scores,
)
from corollary.discriminants.scatter_learner import Scattered, ScatterLearner
from corollary.engine import Fitted

__all__ = ["QuadraticDiscriminantAnalysis"]


@stored
@dataclass(frozen=True)
class Quadrics:
    """The parameters of (1), with their decomposition (2)."""

    n: Floats  # (k,)
    means: Floats  # (k, d)
    priors: Floats  # (k,)
    Sigma: Floats  # (k, d, d)
    s: Floats  # (k, d) eigenvalues, falling; those that vanish raised
    R: Floats  # (k, d, d) eigenvectors in columns
    raised: Floats  # (k, d) by how much eigenvalues were raised


class QuadraticDiscriminantAnalysis(ScatterLearner, GaussianRule):
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
    def _by_class(self) -> bool:
        return True

    def _rule(self, scatter: Any, state: Scattered, q: Floats | None) -> Quadrics:
        """Decompose the covariances (2)."""
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
        rank_known = self.shrinkage if state.given is None else "auto"
        s, R, raised = floored(Sigma, scatter, rank_known)
        if self.solver == "svd":
            s = (1 - self.reg_param) * s + self.reg_param
        if not s[:, -1].all():
            must = "some feature must vary"
            raise DataError(sentence(self, must, "rows that are all alike"))
        priors = class_priors(self, self.priors, scatter.n)
        return Quadrics(scatter.n, scatter.mean, priors, Sigma, s, R, raised)

    def account(self, state: Scattered, report: Report) -> None:
        """Report the conditioning, and too many parameters for the rows."""
        rule: Quadrics = state.rule
        report.optimality = Optimality("exact to rounding", 0.0)
        report.objective = []
        k, d = state.k, state.d
        own = d + d * (d + 1) // 2
        report.facts["n_parameters"] = k * own + k - 1
        report.condition = float((rule.s[:, 0] / rule.s[:, -1]).max())
        if not self.reg_param:
            singular_classes(self, rule.Sigma, rule.s, rule.raised, report)
        few = rule.n < d * d
        if few.any() and self.shrinkage is None and not self.reg_param:
            label = self.classes_.tolist()[rule.n.argmin()]
            report.warnings.append(
                f"class {label!r} has {rule.n.min():g} rows for the {own} parameters "
                "of its Gaussian. Linear discriminant analysis or shrinkage may do "
                "better."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        rule, dtype = fitted.state.rule, fitted.state.dtype
        self.means_, self.priors_ = rule.means.astype(dtype), rule.priors
        self.scalings_ = list(rule.s.astype(dtype))
        self.rotations_ = list(rule.R.astype(dtype))
        if self.store_covariance:
            Sigma = (rule.R * rule.s[:, None, :]) @ rule.R.transpose(0, 2, 1)
            self.covariance_ = list(Sigma.astype(dtype))

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
