"""The Bayes classifier: a density for each class, and Bayes' rule.

Also known as: generative classifier, plug-in rule, discriminant analysis by density
estimation, Parzen classifier (with kernel densities), mixture discriminant analysis,
Bayesian predictive classifier (with predictive densities).

One density is learned from the rows of each class, whatever its kind, and

    P(c | x) = p(x | c) pi_c / sum_l p(x | l) pi_l,   in logarithms              (1)

With the true densities no classifier has a smaller error.  A density that averages over
what is uncertain in its parameters, p(x | D_c) = integral p(x | t) p(t | D_c) dt  (2),
gives the Bayesian predictive classifier; it tends to the plug-in rule as rows come in.

Densities see the rows of one class at a time, which must fit in memory; `GaussianNB` is
the relative in summation form that needs no rows in memory.

Notation: pi = class_prior_; p(x | c) = exp densities_[c].score_samples(x).
Course: S1-1, S1-9, S3-5, S3-6. Reference: Duda, Hart, Stork (2001), ch. 2-4.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.base import clone

from corollary.core.arrays import Floats, Vector
from corollary.core.parameters import array_like, estimator, missing
from corollary.core.report import Report, StopReason
from corollary.core.roles import Classifier
from corollary.core.vectors import class_priors
from corollary.decisions.decision_rules import joint_log_probability
from corollary.decisions.probabilities import check_log_likelihood, check_offers
from corollary.density.parametric import ParametricDensity
from corollary.engine.meta import fit_with_weights
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.objectives.softmax import log_softmax

__all__ = ["BayesClassifier"]


class BayesClassifier(RowsLearner, Classifier):
    """Classify with a density of each class.

    Parameters
    ----------
    density : estimator with fit(X) and score_samples(X), optional
        Cloned and fitted for each class; `score_samples` returns the logarithm of a
        density, as scikit-learn's KernelDensity and GaussianMixture do.  By default
        `ParametricDensity()`, a normal distribution; a class whose rows are all alike
        then borrows the spread of all rows, and the report says so.
    priors : array of shape (k,), optional
        Class probabilities; by default the shares in the data.

    Attributes
    ----------
    classes_ : array of shape (k,)
    class_prior_ : array of shape (k,)
    densities_ : list of k estimators
        The density of each class.
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from sklearn.neighbors import KernelDensity
    >>> from corollary import BayesClassifier
    >>> X = [[0.0], [1.0], [5.0], [6.0], [2.0], [3.0]]
    >>> y = ["ends", "ends", "ends", "ends", "middle", "middle"]
    >>> model = BayesClassifier(KernelDensity(bandwidth=0.7)).fit(X, y)
    >>> model.predict([[0.5], [2.5], [5.5]]).tolist()
    ['ends', 'middle', 'ends']

    The Bayesian predictive classifier (2), for means that are uncertain and a variance
    of 1 that is known: a class of one row is believed less than one of three.

    >>> from corollary import ParametricDensity
    >>> from corollary.distributions import NormalMean
    >>> prior = NormalMean(mean=0.0, covariance=100.0, noise=1.0)
    >>> wary = BayesClassifier(ParametricDensity(prior=prior))
    >>> wary.fit([[0.0], [0.1], [-0.1], [4.0]], [0, 0, 0, 1])
    BayesClassifier(density=ParametricDensity(prior=NormalMean(...)))
    >>> [float(d.covariance_[0, 0].round(3)) for d in wary.densities_]
    [1.332, 1.99]
    """

    shapes: ClassVar = {"classes_": "k", "class_prior_": "k", "densities_": "k"}
    parts: ClassVar = {"densities_": "score_samples"}
    rules: ClassVar = {"density": missing | estimator, "priors": missing | array_like}

    def __init__(self, density: Any = None, *, priors: Any = None) -> None:
        self.density = density
        self.priors = priors

    # -- learning ------------------------------------------------------------------
    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the rows of one class at a time."""
        return rows * (8.0 * features + 20.0)

    def learn(self, rows: Chunk, report: Report) -> None:
        """Fit one density to the rows of each class."""
        density = ParametricDensity() if self.density is None else self.density
        for method in ("fit", "score_samples"):
            check_offers(density, method)
        X, codes, w = rows.X, rows.y, rows.w
        k = len(self.classes_)
        n = np.bincount(codes, w, k).astype(np.float64)
        self.class_prior_ = class_priors(self, self.priors, n)
        self.densities_, alike = [], []
        for c in range(k):
            own = codes == c
            X_c, weights = X[own], None if w is None else w[own]
            if self.density is None and not np.ptp(X_c, axis=0).any():
                alike.append(self.classes_[c])
                X_c, weights = around(X_c[0], X, w), w
            self.densities_.append(
                fit_with_weights(self, clone(density), X_c, sample_weight=weights)
            )
        self._account(report)
        report.warnings += [
            f"class {label}: its rows are all alike; it borrows the spread of all rows."
            for label in alike
        ]

    def _account(self, report: Report) -> None:
        inner = [getattr(d, "report_", None) for d in self.densities_]
        report.stop = StopReason.DELEGATED
        stops = [part.stop for part in inner if part is not None]
        if len(stops) == len(inner):
            done = (StopReason.CLOSED_FORM, StopReason.CONVERGED)
            report.stop = next((s for s in stops if s not in done), stops[0])
        report.facts["densities"] = type(self.densities_[0]).__name__
        for label, part in zip(self.classes_, inner, strict=True):
            if part is not None:
                report.warnings += [f"class {label}: {text}" for text in part.warnings]

    # -- use -----------------------------------------------------------------------
    def predict_joint_log_proba(self, X: Any) -> Floats:
        """Return log p(x | c) pi_c of each row and class, (n, k).

        A row that no class can have made has the prior of each class instead.
        """
        X = self._query(X)
        columns = [d.score_samples(X) for d in self.densities_]
        L = check_log_likelihood(self, np.column_stack(columns), len(self.classes_))
        return joint_log_probability(L, self.class_prior_)

    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(c | x) of each row and class (1), (n, k)."""
        return log_softmax(self.predict_joint_log_proba(X))

    def predict_proba(self, X: Any) -> Floats:
        """Return P(c | x) of each row and class (1), (n, k)."""
        return np.exp(self.predict_log_proba(X))

    def predict(self, X: Any) -> Vector:
        """Return the most probable class of each row."""
        joint = self.predict_joint_log_proba(X)
        return self.classes_[joint.argmax(axis=1)]


def around(point: Floats, X: Floats, w: Floats | None) -> Floats:
    """Move all rows so that their mean is a point."""
    return X - np.average(X, axis=0, weights=w) + point
