"""Bayes' rule on Gaussian classes: what all discriminants share.

A class c with prior pi_c and density N(m_c, Sigma_c) has the discriminant

    g_c(x) = log pi_c - 1/2 log |Sigma_c| - 1/2 (x - m_c)' Sigma_c^-1 (x - m_c)  (1)
           = x'A_c x + b_c'x + c_c,   A_c = -1/2 Sigma_c^-1,  b_c = Sigma_c^-1 m_c,
             c_c = log pi_c - 1/2 log |Sigma_c| - 1/2 m_c' Sigma_c^-1 m_c        (2)

Decide for the largest; P(c | x) = softmax_c g_c(x).  Any rising function of the g_c
gives the same decisions.

Course: S0-9, S1-30, S2-3, S3-18.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils.metaestimators import available_if

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.hooks import hook
from corollary.core.roles import Classifier
from corollary.discriminants.surfaces import Surface
from corollary.engine.blocks import fill_rows
from corollary.objectives.softmax import log_softmax, softmax

__all__ = [
    "GaussianRule",
    "Quadratic",
    "log_of",
    "quadratic_of",
    "quadratic_scores",
]


class Quadratic(NamedTuple):
    """One discriminant x'A x + b'x + c (2); A is None where it is common to all."""

    A: Floats | None
    b: Floats
    c: float


def has_densities(rule: GaussianRule) -> bool:
    """Tell whether a rule gives probabilities."""
    return rule._has_densities()


class GaussianRule(Classifier):
    """Decides by the largest of the classes' discriminants."""

    @abstractmethod
    def _scores(self, X: Matrix) -> Floats:
        """Return g_c(x) (1) of checked rows, (n, k), up to a term in x alone."""

    @abstractmethod
    def _quadratic(self, c: int) -> Quadratic:
        """Return the discriminant of class number c as (2)."""

    @hook
    def _has_densities(self) -> bool:
        """Tell whether the scores are logarithms of densities."""
        return True

    @hook
    def _decide(self, X: Matrix) -> Vector:
        """Return the number of the class of largest discriminant for checked rows."""
        return fill_rows(self._scores, X, len(self.classes_)).argmax(axis=1)

    def discriminants(self, X: Any) -> Floats:
        """Return g_c(x) (1) of each row and class, (n, k), up to a term in x alone."""
        X = self._query(X)
        return fill_rows(self._scores, X, len(self.classes_))

    @available_if(has_densities)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Return the discriminants (n, k); for two classes g_1 - g_0, (n,)."""
        g = self.discriminants(X)
        return g[:, 1] - g[:, 0] if g.shape[1] == 2 else g

    def predict(self, X: Any) -> Vector:
        """Return the class of largest discriminant."""
        best = self._decide(self._query(X))
        return self.classes_[best]

    @available_if(has_densities)  # type: ignore[untyped-decorator]
    def predict_proba(self, X: Any) -> Floats:
        """Return P(c | x) of each row and class, (n, k)."""
        X = self._query(X)
        k = len(self.classes_)
        return fill_rows(lambda rows: softmax(self._scores(rows)), X, k)

    @available_if(has_densities)  # type: ignore[untyped-decorator]
    def predict_log_proba(self, X: Any) -> Floats:
        """Return log P(c | x) of each row and class, (n, k)."""
        return log_softmax(self.discriminants(X))

    def boundary(self, first: Any = None, second: Any = None) -> Surface:
        """Return the surface on which two classes are equally probable.

        Parameters
        ----------
        first, second : labels, optional
            Two of `classes_`; may be left out where there are only two.  The surface
            is positive where `first` is the more probable, by default the second of
            the two classes, as in `decision_function`.

        Returns
        -------
        Surface
        """
        i, j = self._pair(first, second)
        (A, b, c), (B, e, f) = self._quadratic(i), self._quadratic(j)
        flat = np.zeros((len(b), len(b)))
        return Surface(flat if A is None or B is None else A - B, b - e, float(c - f))

    def _pair(self, first: Any, second: Any) -> tuple[int, int]:
        labels = self.classes_.tolist()
        if first is None and second is None and len(labels) == 2:
            return 1, 0
        for label in (first, second):
            if label not in labels:
                must = f"boundary needs two of the classes {labels[:10]}"
                raise ParameterError(sentence(self, must, repr(label)))
        return labels.index(first), labels.index(second)


def quadratic_scores(
    X: Matrix, means: Floats, whiten: Sequence[Floats], constants: Floats
) -> Floats:
    """Return constants_c - 1/2 ||W_c'(x - m_c)||^2, (n, k); W W' = Sigma^-1 in (1)."""
    g = np.empty((len(X), len(means)), dtype=X.dtype)
    for c, W in enumerate(whiten):
        Z = (X - means[c].astype(X.dtype)) @ W.astype(X.dtype)
        g[:, c] = constants[c] - 0.5 * np.einsum("ij,ij->i", Z, Z)
    return g


def quadratic_of(m: Floats, P: Floats, constant: float) -> Quadratic:
    """Expand constant - 1/2 (x - m)'P (x - m) into (2)."""
    return Quadratic(-0.5 * P, P @ m, float(constant - 0.5 * m @ P @ m))


def log_of(priors: Floats) -> Floats:
    """Return log priors; -inf for a class that is said to be impossible."""
    with np.errstate(divide="ignore"):
        return np.log(priors)
