"""A certificate of optimality for convex fits: primal, dual, gap and KKT residual.

Also known as: duality-gap certificate, KKT residual of a fit.

For a fitted linear model with a convex loss and penalty,

    P(w, b) = 1/N sum_i o_i L(y_i, w'x_i + b) + l1 ||w||_1 + l2/2 ||w||^2            (1)

the certificate is computed anew from the data and the coefficients alone, whatever
search found them: the dual bound of `objectives/duality.py`, the gap, and the largest
entry of the least subgradient.  P is never farther above its minimum than the gap.

    Ridge               squared loss/2, l2 = alpha/N  (P is the objective over 2 N)
    Lasso, ElasticNet   squared loss/2, l1 = alpha rho, l2 = alpha (1 - rho)
    LogisticRegression  logistic loss, l2 = (1 - rho)/(C N), l1 = rho/(C N)
    LinearSVC           hinge or squared hinge, l2 = 1/(C N), intercept as a feature

Course: S2-36. Reference: Boyd and Vandenberghe (2004), ch. 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.objectives.duality import duality_gap
from corollary.objectives.loss import Loss
from corollary.objectives.losses import Hinge, Logistic, Squared, SquaredHinge
from corollary.objectives.penalties import Penalty
from corollary.solvers.orthant_wise import least_subgradient

__all__ = ["OptimalityCertificate", "certify_optimality"]


@dataclass(frozen=True)
class OptimalityCertificate:
    """What is proved of a fit: primal - minimum <= gap."""

    primal: float
    dual: float
    gap: float
    kkt_residual: float  # largest entry of the least subgradient; NaN at a corner

    def __str__(self) -> str:
        relative = self.gap / abs(self.primal) if self.primal else self.gap
        return (
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.3g} "
            f"({relative:.2g} relative), KKT residual {self.kkt_residual:.3g}"
        )


def certify_optimality(model: Any, X: Any, y: Any) -> OptimalityCertificate:
    """Return primal, dual, gap and KKT residual of a fitted convex model on its data.

    Parameters
    ----------
    model : fitted Ridge, Lasso, ElasticNet, LogisticRegression or LinearSVC
        Of one target, or of two classes.
    X, y : the data of the fit

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import Ridge
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 3.0])
    >>> proof = certify_optimality(Ridge().fit(X, y), X, y)
    >>> bool(proof.gap < 1e-12), bool(proof.kkt_residual < 1e-12)
    (True, True)
    """
    check_is_fitted(model)
    X, y = np.asarray(X, float), np.asarray(y)
    loss, penalty, constant = terms(model, len(y))
    if loss.margin:
        y = np.where(y == model.classes_[1], 1.0, -1.0)
    else:
        y = y.astype(float)
    w = np.ravel(model.coef_).astype(float)
    b = float(np.ravel(model.intercept_)[0]) if model.fit_intercept else 0.0
    intercept = bool(model.fit_intercept)
    if constant is not None and intercept:
        X, w = (
            np.column_stack([X, np.full(len(X), constant)]),
            np.append(w, b / constant),
        )
        b, intercept = 0.0, False
    found = duality_gap(loss, X, y, w, b, penalty=penalty, intercept=intercept)
    return OptimalityCertificate(
        found.primal,
        found.dual,
        found.gap,
        residual(loss, penalty, X, y, w, b, intercept),
    )


def residual(
    loss: Loss, penalty: Penalty, X: Floats, y: Floats, w: Floats, b: float, free: bool
) -> float:
    """Return the largest entry of the least subgradient, NaN for a cornered loss."""
    if not np.isfinite(loss.lipschitz):
        return float("nan")
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
        if name == "LinearSVC":
            strength = 1 / (float(model.C) * n)
            l1 = model.penalty == "l1"
            penalty = strengths(strength, 0.0) if l1 else strengths(0.0, strength)
            loss: Loss = Hinge() if model.loss == "hinge" else SquaredHinge()
            return loss, penalty, float(model.intercept_scaling)
    must = "the model must be a Ridge, Lasso, ElasticNet, or a LogisticRegression or "
    raise DataError(
        sentence("certify_optimality", f"{must}LinearSVC of two classes", name)
    )


def strengths(l1: float, l2: float) -> Penalty:
    """Return the penalty l1 ||w||_1 + l2/2 ||w||^2."""
    total = l1 + l2
    return Penalty(total, l1 / total) if total > 0 else Penalty()
