"""Gaussian naive Bayes, in summation form.

Also known as: naive Bayes for numeric features, the diagonal quadratic discriminant.

Given its class the features of a row are independent Gaussians, so Bayes' rule reads

    log P(c | x) = log pi_c
                   - 1/2 sum_j [log 2 pi s_cj + (x_j - m_cj)^2 / s_cj] + const   (1)

Maximum likelihood, with weights w_n and one pass over the rows:

    pi_c = n_c / n,   m_cj = weighted mean of x_j in class c                     (2)
    s_cj = weighted mean of (x_j - m_cj)^2 in class c  (1/n_c, not 1/(n_c - 1))  (3)

A feature that is constant in a class would make s = 0, so every s_cj is raised by
var_smoothing times the largest variance of a feature over all rows.

Notation: m (k, d) = theta_; s (k, d) = var_; pi (k,) = class_prior_; n_c =
class_count_.
Course: S3-29, S3-75. Reference: Duda, Hart, Stork (2001), ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.configuration import get_config
from corollary.core.parameters import array_like, missing, real
from corollary.core.records import stored
from corollary.core.report import Optimality, Report
from corollary.core.vectors import class_priors
from corollary.engine import Chunk, Data, Fitted, StreamingClassifier
from corollary.engine.classes import ClassMoments
from corollary.naive_bayes.naive_bayes import Joint, NaiveBayes

__all__ = ["GaussianNB", "gaussian_scores"]


@stored
@dataclass(frozen=True)
class Gaussians:
    """The state: the parameters of (1)."""

    k: int
    d: int
    n: Any = None
    prior: Any = None
    m: Any = None
    s: Any = None
    epsilon: float = 0.0


class GaussianNB(StreamingClassifier, NaiveBayes):
    """Naive Bayes with Gaussian features.

    Parameters
    ----------
    priors : array of shape (k,), optional
        Class probabilities; by default the shares in the data (2).
    var_smoothing : float, default=1e-9
        Share of the largest variance that is added to every variance.

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_count_ : array of shape (k,)
        Weight of the rows in each class.
    class_prior_ : array of shape (k,)
    theta_ : array of shape (k, d)
        Mean of each feature in each class.
    var_ : array of shape (k, d)
        Variance of each feature in each class, with the smoothing.
    epsilon_ : float
        The amount added to every variance.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import GaussianNB
    >>> X = np.array([[-2.0], [-1], [1], [2]])
    >>> model = GaussianNB().fit(X, ["low", "low", "high", "high"])
    >>> model.predict([[-0.5], [3.0]]).tolist()
    ['low', 'high']
    """

    shapes: ClassVar = {
        "classes_": "k",
        "class_prior_": "k",
        "theta_": "k d",
        "var_": "k d",
    }
    rules: ClassVar = {"priors": missing | array_like, "var_smoothing": real(0)}

    def __init__(self, *, priors: Any = None, var_smoothing: float = 1e-9) -> None:
        self.priors = priors
        self.var_smoothing = var_smoothing

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> Gaussians:
        """Check the priors; nothing else is needed."""
        k = len(self.classes_)
        class_priors(self, self.priors, np.ones(k))
        return Gaussians(k, data.source.n_features)

    def statistics(self, chunk: Chunk, state: Gaussians) -> ClassMoments:
        """Take the moments of each class in the chunk."""
        return ClassMoments.of(chunk.X, chunk.y, chunk.w, len(self.classes_))

    def update(self, s: ClassMoments, state: Gaussians) -> Gaussians:
        """Turn moments into maximum-likelihood parameters (2), (3)."""
        epsilon = self.var_smoothing * float(s.variances().max())
        variance = s.M2 / np.where(s.n > 0, s.n, 1.0)[:, None] + epsilon
        prior = class_priors(self, self.priors, s.n)
        return replace(state, n=s.n, prior=prior, m=s.mean, s=variance, epsilon=epsilon)

    def objective(self, s: ClassMoments, state: Gaussians) -> float:
        """Return the negative log-likelihood per row, without the class part."""
        positive = state.s > 0
        terms = np.log(2 * np.pi * np.where(positive, state.s, 1.0))
        terms = (
            terms
            + s.M2 / np.where(positive, state.s, 1.0) / np.maximum(s.n, 1)[:, None]
        )
        return float(0.5 * (s.n @ terms.sum(axis=1)) / s.n.sum())

    def account(self, state: Gaussians, report: Report) -> None:
        """Maximum likelihood is exact here; name features that never vary."""
        report.optimality = Optimality("exact to rounding", 0.0)
        report.facts["n_parameters"] = 2 * state.k * state.d + state.k - 1
        still = np.flatnonzero((state.s <= state.epsilon).any(axis=0))
        if len(still):
            report.warnings.append(
                f"features {still[:10].tolist()} do not vary within some class; only "
                "var_smoothing keeps their variance above 0."
            )

    def publish(self, fitted: Fitted) -> None:
        """Set what users read."""
        state: Gaussians = fitted.state
        self.class_count_, self.class_prior_ = state.n, state.prior
        self.theta_, self.var_, self.epsilon_ = state.m, state.s, state.epsilon

    # -- use -----------------------------------------------------------------------
    def _joint(self, X: Matrix) -> Joint:
        with np.errstate(divide="ignore"):
            log_prior = np.log(self.class_prior_)
        return Joint(gaussian_scores(X, self.theta_, self.var_, log_prior))


def gaussian_scores(X: Floats, m: Vector, s: Vector, log_prior: Floats) -> Floats:
    """Return (1) without its last constant, (n, k); no variance counts as exactly 0."""
    s = np.maximum(s, 4 * np.finfo(X.dtype).tiny)
    constant = log_prior - 0.5 * np.log(2 * np.pi * s).sum(axis=1)
    out = np.empty((X.shape[0], len(m)), dtype=X.dtype)
    loops.joint_log_likelihood(X, m, 1 / s, constant, out, get_config().threads)
    return out
