"""Multinomial logistic regression with a reference class: C - 1 logits.

Also known as: baseline-category logit model, reference coding, identifiable softmax,
log-odds against a reference class.

One class r has the score 0, the others a logit each,

    ln P(k | x) / P(r | x) = w_k'x + b_k,   k != r                               (1)
    P(k | x) = e^{f_k} / (1 + sum_{j != r} e^{f_j}),   f_r = 0                   (2)

Softmax with C score functions is the same model with one function too many: adding the
same (v, c) to every (w_k, b_k) changes no probability.  The conversions are

    to r:      w_k - w_r,  b_k - b_r                                             (3)
    from r:    w_k - mean_j w_j,  b_k - mean_j b_j,  with w_r = 0, b_r = 0       (4)

and (4) gives the C functions that sum to 0.  For C = 2 and the first class as r, (1) is
binary logistic regression.  Maximum likelihood is the same in either form and for every
r.  An L2 penalty is not: minimise

    F = 1/n sum_n w_n [-log P(y_n | x_n)] + 1/(2 C n) sum_{k != r} ||w_k||^2     (5)

which depends on r, whereas that of C functions treats all classes alike, and its
minimum has sum_k w_k = 0, (4).

Notation: w = coef (C - 1, d); b = intercept (C - 1,); r = reference.
Course: S2-14. Reference: Agresti (2013), ch. 8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_finite, encode_labels, full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.linear.linear_machine import LinearMachine, machine_of
from corollary.objectives.class_losses import one_hot
from corollary.objectives.softmax import log_softmax, softmax
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import Problem

__all__ = ["ReferenceLogits", "fit_reference_logits", "reference_logits"]


@readable
@dataclass(frozen=True, eq=False)
class ReferenceLogits:
    """C - 1 logits against a reference class (1).

    Attributes
    ----------
    coef : array of shape (C - 1, d)
    intercept : array of shape (C - 1,)
    classes : array of shape (C,)
        All classes; those but the reference have a logit each, in this order.
    reference : object
        The class r.
    """

    coef: Floats
    intercept: Floats
    classes: Vector
    reference: Any

    @property
    def position(self) -> int:
        """The number of the reference among the classes."""
        return place(self, self.classes, self.reference)

    def scores(self, X: Any) -> Floats:
        """Return f of (2), (n, C), 0 for the reference."""
        return self._all().scores(X)

    def predict_proba(self, X: Any) -> Floats:
        """Return P(k | x) (2), (n, C)."""
        return softmax(self.scores(X))

    def against(self, reference: Any) -> ReferenceLogits:
        """Return the same model against another class (3)."""
        return _reduced(self._all(), reference)

    def symmetric(self) -> LinearMachine:
        """Return C score functions that sum to 0 (4)."""
        full = self._all()
        W, b = full.coef, full.intercept
        return LinearMachine(W - W.mean(axis=0), b - b.mean(), self.classes)

    def _all(self) -> LinearMachine:
        r = self.position
        W, b = np.insert(self.coef, r, 0.0, axis=0), np.insert(self.intercept, r, 0.0)
        return LinearMachine(W, b, self.classes)


def reference_logits(model: Any, reference: Any = None) -> ReferenceLogits:
    """Return the C - 1 logits of a fitted softmax model (3).

    Also known as: conversion of softmax coefficients to log-odds.

    Parameters
    ----------
    model : fitted estimator with ``coef_``, ``intercept_`` and ``classes_``
        Such as `LogisticRegression`, whose scores are those of a softmax.
    reference : a class, optional
        By default the last one.

    Returns
    -------
    ReferenceLogits

    Examples
    --------
    >>> from corollary import LogisticRegression
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [4.0], [1.5]], [0, 0, 1, 1, 2, 2]
    >>> model = LogisticRegression().fit(X, y)
    >>> logits = reference_logits(model, reference=0)
    >>> logits.coef.shape
    (2, 1)
    >>> bool(abs(logits.predict_proba(X) - model.predict_proba(X)).max() < 1e-12)
    True
    """
    machine = machine_of(model)
    last = model.classes_[-1]
    return _reduced(machine, last if reference is None else reference)


def fit_reference_logits(
    X: Any,
    y: Any,
    *,
    reference: Any = None,
    C: float = np.inf,
    sample_weight: Any = None,
    tol: float = 1e-8,
) -> ReferenceLogits:
    """Fit C - 1 logits, with an L2 penalty on them if wanted (5).

    All rows are used at once; `LogisticRegression` takes data of any size, and without
    a penalty `reference_logits` of it is the same model.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    reference : a class, optional
        By default the last one.
    C : float, default=inf
        Inverse strength of the penalty; infinity is maximum likelihood.
    sample_weight : array of shape (n,), optional
    tol : float, default=1e-8
        Of the gradient of (5).

    Returns
    -------
    ReferenceLogits

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0], [1.0], [2.0]], [0, 0, 1, 1, 1, 0]
    >>> found = fit_reference_logits(X, y, reference=0)
    >>> found.coef.round(3).tolist(), found.intercept.round(3).tolist()
    ([[1.386]], [-2.079])
    """
    who = "fit_reference_logits"
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or not X.size:
        raise DataError(sentence(who, "X must be (n, d)", f"shape {X.shape}"))
    if not C > 0:
        raise ParameterError(sentence(who, "C must be > 0", f"{C}"))
    check_finite(who, X)
    w = full_weights(who, sample_weight, len(X))
    classes, codes = encode_labels(who, y, len(X))
    if len(classes) < 2:
        raise DataError(sentence(who, "y must have two classes or more", "1"))
    r = place(who, classes, classes[-1] if reference is None else reference)
    T, n, (k, d) = one_hot(codes, len(classes)), w.sum(), (len(classes) - 1, X.shape[1])

    def split(theta: Floats) -> tuple[Floats, Floats]:
        W = theta.reshape(k, d + 1)
        Z = np.insert(X @ W[:, :d].T + W[:, d], r, 0.0, axis=1)
        return W, Z

    def value(theta: Floats) -> float:
        W, Z = split(theta)
        loss = -(w @ log_softmax(Z)[np.arange(len(X)), codes]) / n
        return float(loss + (W[:, :d] ** 2).sum() / (2 * C * n))

    def gradient(theta: Floats) -> Floats:
        W, Z = split(theta)
        G = np.delete((softmax(Z) - T) * w[:, None], r, axis=1).T / n
        slope = np.column_stack([G @ X, G.sum(axis=1)])
        slope[:, :d] += W[:, :d] / (C * n)
        return slope.ravel()

    problem = Problem(k * (d + 1), value, gradient, name=who)
    W = minimize(problem, "lbfgs", tol=tol, max_iter=10_000).x.reshape(k, d + 1)
    return ReferenceLogits(W[:, :d].copy(), W[:, d].copy(), classes, classes[r])


def place(who: Any, classes: Vector, reference: Any) -> int:
    """Return the number of a class."""
    found = np.flatnonzero(np.asarray(classes) == reference)
    if not len(found):
        must = f"reference must be one of {', '.join(map(str, classes[:10]))}"
        raise ParameterError(sentence(who, must, repr(reference)))
    return int(found[0])


def _reduced(machine: LinearMachine, reference: Any) -> ReferenceLogits:
    r = place("reference_logits", machine.classes, reference)
    W, b = machine.coef - machine.coef[r], machine.intercept - machine.intercept[r]
    W, b = np.delete(W, r, axis=0), np.delete(b, r)  # (3)
    return ReferenceLogits(W, b, machine.classes, machine.classes[r])
