"""A certificate of optimality for convex fits: primal, dual, gap and KKT residual.

Also known as: duality-gap certificate, KKT residual of a fit.

For a fitted linear model with a convex loss and penalty,

    P(w, b) = 1/N sum_i o_i L(y_i, w'x_i + b) + l1 ||w||_1 + l2/2 ||w||^2            (1)

the certificate is computed anew from the data and the coefficients alone, whatever
search found them: the dual bound of `objectives/duality.py`, the gap, and the largest
entry of the least subgradient.  P is never farther above its minimum than the gap.
Support vector machines, with a kernel or without, have P and D of
`diagnostics/machine_optimality.py`, in the units of their own objective.

    Ridge               squared loss/2, l2 = alpha/N  (P is the objective over 2 N)
    Lasso, ElasticNet   squared loss/2, l1 = alpha rho, l2 = alpha (1 - rho)
    LogisticRegression  logistic loss, l2 = (1 - rho)/(C N), l1 = rho/(C N)
    LinearSVC with l1   squared hinge, l1 = 1/(C N), intercept as a feature, P times C N

Course: S2-36. Reference: Boyd and Vandenberghe (2004), ch. 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, check_is_fitted

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.core.rows import dense
from corollary.core.sparse import canonical
from corollary.diagnostics.machine_optimality import MACHINES, prove
from corollary.objectives.duality import duality_gap
from corollary.objectives.loss import Loss
from corollary.objectives.losses import Logistic, Squared, SquaredHinge
from corollary.objectives.penalties import Penalty
from corollary.solvers.orthant_wise import least_subgradient

__all__ = ["OptimalityCertificate", "certify_optimality"]

WHO = "certify_optimality"


@dataclass(frozen=True)
class OptimalityCertificate:
    """What is proved of a fit: primal - minimum <= gap."""

    primal: float
    dual: float
    gap: float
    kkt_residual: float  # the worst violation of the optimality conditions

    def __str__(self) -> str:
        relative = self.gap / abs(self.primal) if self.primal else self.gap
        return (
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.3g} "
            f"({relative:.2g} relative), KKT residual {self.kkt_residual:.3g}"
        )


def certify_optimality(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> OptimalityCertificate:
    """Return primal, dual, gap and KKT residual of a fitted convex model on its data.

    Parameters
    ----------
    model : fitted machine, Ridge, Lasso, ElasticNet or LogisticRegression
        SVC, NuSVC, SquaredHingeSVC, SVR, NuSVR, KernelQuantileRegressor, KernelRidge,
        OneClassSVM, SVDD, LinearSVC (one class against the rest) and LinearSVR, of any
        number of classes; the others of one target, or of two classes.  Models of
        scikit-learn are taken alike.
    X, y : the data of the fit
        X is the kernel matrix of a model with kernel='precomputed'.
    sample_weight : array of shape (n,), optional
        Of the fit; for machines.

    Returns
    -------
    OptimalityCertificate

    Examples
    --------
    >>> import numpy as np
    import scipy.sparse as sp
    >>> from corollary import SVC, Ridge
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 3.0])
    >>> proof = certify_optimality(Ridge().fit(X, y), X, y)
    >>> bool(proof.gap < 1e-12), bool(proof.kkt_residual < 1e-12)
    (True, True)
    >>> proof = certify_optimality(SVC(kernel="linear").fit(X, y > 0), X, y > 0)
    >>> round(proof.primal, 6), round(proof.dual, 6)
    (1.5, 1.5)
    """
    check_is_fitted(model)
    X = canonical(WHO, X) if sp.issparse(X) else X
    X = check_array(X, accept_sparse="csr", dtype=np.float64)
    if is_machine(model):
        proof = prove(model, X, *targets(X, y, sample_weight))
        return OptimalityCertificate(
            proof.primal, proof.dual, proof.gap, proof.violation
        )
    if sample_weight is not None:
        must = "sample_weight must be None for linear models with these penalties"
        raise DataError(sentence(WHO, must, type(model).__name__))
    return of_linear(model, dense(X), np.asarray(y))


def is_machine(model: Any) -> bool:
    """Tell whether a model is a support vector machine with a known dual."""
    name = type(model).__name__
    if name == "LinearSVC":
        return bool(model.penalty == "l2" and model.multi_class == "ovr")
    return name in MACHINES and np.ndim(getattr(model, "intercept_", 0)) < 2


def targets(X: Matrix, y: Any, sample_weight: Any) -> tuple[Any, Floats]:
    """Return what the rows are to be, and their weights."""
    w = np.ones(X.shape[0]) if sample_weight is None else np.asarray(sample_weight)
    y = None if y is None else np.asarray(y)
    if w.shape != (X.shape[0],) or (y is not None and len(y) != len(w)):
        must = f"y and sample_weight must have one entry for each of {X.shape[0]} rows"
        came = f"shapes {None if y is None else y.shape} and {w.shape}"
        raise DataError(sentence(WHO, must, came))
    return y, w.astype(float)


def of_linear(model: Any, X: Floats, y: Any) -> OptimalityCertificate:
    """Certify a linear model with (1)."""
    loss, penalty, constant = terms(model, len(y))
    if loss.margin:
        y = np.where(y == model.classes_[1], 1.0, -1.0)
    else:
        y = y.astype(float)
    w = np.ravel(model.coef_).astype(float)
    b = float(np.ravel(model.intercept_)[0]) if model.fit_intercept else 0.0
    intercept, unit = bool(model.fit_intercept), 1.0
    if constant is not None:
        unit = float(model.C) * len(y)
    if constant is not None and intercept:
        column = np.full(len(X), constant)
        X, w = np.column_stack([X, column]), np.append(w, b / constant)
        b, intercept = 0.0, False
    found = duality_gap(loss, X, y, w, b, penalty=penalty, intercept=intercept)
    worst = residual(loss, penalty, X, y, w, b, intercept)
    return OptimalityCertificate(
        unit * found.primal, unit * found.dual, unit * found.gap, unit * worst
    )


def residual(
    loss: Loss, penalty: Penalty, X: Floats, y: Floats, w: Floats, b: float, free: bool
) -> float:
    """Return the largest entry of the least subgradient."""
    slope = loss.derivative(y, X @ w + b) / len(y)
    g = X.T @ slope + penalty.l2 * w
    worst = float(np.abs(least_subgradient(w, g, np.full(len(w), penalty.l1))).max())
    return max(worst, abs(float(slope.sum()))) if free else worst


def terms(model: Any, n: int) -> tuple[Loss, Penalty, float | None]:
    """Return the loss and the penalty of (1), and the constant feature if penalised."""
    name = type(model).__name__
    if name == "Ridge":
        return Squared(), strengths(0.0, float(model.alpha) / n), None
    if name in ("Lasso", "ElasticNet"):
        rho = 1.0 if name == "Lasso" else float(model.l1_ratio)
        alpha = float(model.alpha)
        return Squared(), strengths(alpha * rho, alpha * (1 - rho)), None
    if len(getattr(model, "classes_", ())) == 2:
        if name == "LogisticRegression":
            rho, C = float(model.l1_ratio or 0.0), float(model.C)
            return Logistic(), strengths(rho / (C * n), (1 - rho) / (C * n)), None
        if name == "LinearSVC" and model.penalty == "l1":
            penalty = strengths(1 / (float(model.C) * n), 0.0)
            return SquaredHinge(), penalty, float(model.intercept_scaling)
    must = "the model must be a Ridge, Lasso, ElasticNet, a LogisticRegression or l1 "
    must += "LinearSVC of two classes, or a support vector machine of one target"
    raise DataError(sentence(WHO, must, name))


def strengths(l1: float, l2: float) -> Penalty:
    """Return the penalty l1 ||w||_1 + l2/2 ||w||^2."""
    total = l1 + l2
    return Penalty(total, l1 / total) if total > 0 else Penalty()
