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

import time
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import clone

from corollary.bayes.cost_sensitive import fit_with_weights
from corollary.bayes.decisions import joint_log_probability
from corollary.bayes.probabilities import check_log_likelihood, check_offers
from corollary.core.arrays import Floats, Vector
from corollary.core.base import Classifier
from corollary.core.checks import (
    check_rows,
    check_weights,
    check_X,
    column,
    encode_labels,
    matching,
    present,
)
from corollary.core.interrupt import as_before
from corollary.core.params import array_like, check_parameters, estimator, missing
from corollary.core.report import Report, StopReason
from corollary.core.vectors import class_priors
from corollary.density.parametric import ParametricDensity
from corollary.objectives.softmax import log_softmax

__all__ = ["BayesClassifier"]


class BayesClassifier(Classifier):
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

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Fit one density to the rows of each class.

        Parameters
        ----------
        X : array or data frame
        y : array of shape (n,)
        sample_weight : array of shape (n,), optional
            Weight w counts a row w times; passed on to the densities.

        Returns
        -------
        self
        """
        check_parameters(self, self.rules)
        with as_before(self):
            self._learn(X, y, sample_weight)
        return self

    def _learn(self, X: Any, y: Any, sample_weight: Any) -> None:
        began = time.perf_counter()
        density = ParametricDensity() if self.density is None else self.density
        for method in ("fit", "score_samples"):
            check_offers(density, method)
        X, codes, w = self._rows(X, y, sample_weight)
        k = len(self.classes_)
        n = np.bincount(codes, w, k).astype(np.float64)
        self.class_prior_ = class_priors(self, self.priors, n)
        self.densities_, alike = [], []
        for c in range(k):
            own = codes == c
            rows, weights = X[own], None if w is None else w[own]
            if self.density is None and not np.ptp(rows, axis=0).any():
                alike.append(self.classes_[c])
                rows, weights = around(rows[0], X, w), w
            self.densities_.append(
                fit_with_weights(self, clone(density), rows, sample_weight=weights)
            )
        self.report_ = self._account(X.shape[0], time.perf_counter() - began)
        self.report_.warnings += [
            f"class {label}: its rows are all alike; it borrows the spread of all rows."
            for label in alike
        ]

    def _rows(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[Floats, Vector, Floats | None]:
        """Check rows, labels and weights; rows of weight 0 are not there."""
        X = check_X(self, X, reset=True, sparse=False)
        check_rows(self, X)
        w = check_weights(self, sample_weight, len(X))
        if w is not None and not w.all():
            kept = w > 0
            y = matching(self, column(self, present(self, y)), len(X))
            X, y, w = X[kept], y[kept], w[kept]
        self.classes_, codes = encode_labels(self, y, len(X))
        return X, codes, w

    def _account(self, rows: int, seconds: float) -> Report:
        inner = [getattr(d, "report_", None) for d in self.densities_]
        stop = StopReason.DELEGATED
        stops = [report.stop for report in inner if report is not None]
        if len(stops) == len(inner):
            done = (StopReason.CLOSED_FORM, StopReason.CONVERGED)
            stop = next((s for s in stops if s not in done), stops[0])
        report = Report(type(self).__name__, stop, passes=1, reads=1, rows=rows)
        report.facts["densities"] = type(self.densities_[0]).__name__
        report.source, report.executor, report.seconds = "array", "serial", seconds
        for label, part in zip(self.classes_, inner, strict=True):
            if part is not None:
                report.warnings += [f"class {label}: {text}" for text in part.warnings]
        return report

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
