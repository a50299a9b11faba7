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

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_array, check_is_fitted

from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import (
    check_targets,
    encode_labels,
    full_weights,
)
from corollary.core.class_weights import stated_class_weights
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import check_parameters
from corollary.core.rows import dense
from corollary.core.sparse import canonical
from corollary.core.wording import one_sentence
from corollary.diagnostics.machine_optimality import MACHINES, prove, stated_gamma
from corollary.objectives.duality import duality_gap
from corollary.objectives.links import LINKS
from corollary.objectives.loss import Loss
from corollary.objectives.losses import Logistic, Squared, SquaredHinge
from corollary.objectives.penalties import Penalty
from corollary.solvers.orthant_wise import least_subgradient

__all__ = ["OptimalityCertificate", "certify_optimality"]

WHO = "certify_optimality"
KERNELS = ("linear", "poly", "rbf", "precomputed")  # of all that scikit-learn names
LINEAR_MODELS = ("Ridge", "Lasso", "ElasticNet", "LogisticRegression")

#: Values of parameters, of whatever model, that are handled where not all are.
HANDLED: dict[str, Callable[[Any], bool]] = {
    "positive": lambda value: not value,
    "link": lambda value: value in ("logit", LINKS["logit"]),
    "multi_class": lambda value: value != "crammer_singer",
    "alpha": lambda value: np.ndim(value) == 0 and value > 0,
    "kernel": lambda value: value != "sigmoid",  # whose matrices may be indefinite
}

#: The losses that a class has; set_params takes any.
LOSSES = {
    "LinearSVC": ("hinge", "squared_hinge"),
    "LinearSVR": ("epsilon_insensitive", "squared_epsilon_insensitive"),
}


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
        Its parameters as they are now state the problem; a value whose problem is not
        known here is refused by name.  SVC, NuSVC, SquaredHingeSVC, SVR, NuSVR,
        SquaredEpsilonSVR, KernelQuantileRegressor, KernelRidge, OneClassSVM, SVDD,
        LinearSVC (one class against the rest) and LinearSVR, of any number of
        classes; the others of one target, or of two classes.  Models of
        scikit-learn are taken alike.
    X, y : the data of the fit
        X is the kernel matrix of a model with kernel='precomputed'.
    sample_weight : array of shape (n,), optional
        Of the fit.

    Returns
    -------
    OptimalityCertificate

    Examples
    --------
    >>> import numpy as np
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
    with one_sentence(WHO, "X"):
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
    refuse_unhandled(model)
    columns = getattr(model, "n_features_in_", X.shape[1])
    if X.shape[1] != columns:
        must = f"X must have the {columns} columns of the fit"
        raise DataError(sentence(WHO, must, f"{X.shape[1]}"))
    y, w = targets(model, X, y), full_weights(WHO, sample_weight, X.shape[0])
    if not is_own(model) and hasattr(model, "support_"):
        model, X, y, w = weighted_rows(model, X, y, w)
    if is_machine(model):
        proof = prove(model, X, y, w)
        return OptimalityCertificate(
            proof.primal, proof.dual, proof.gap, proof.violation
        )
    return of_linear(model, dense(X), y, w)


def is_machine(model: Any) -> bool:
    """Tell whether a model is a support vector machine with a known dual."""
    name = type(model).__name__
    return name in MACHINES and not (name == "LinearSVC" and model.penalty == "l1")


def is_own(model: Any) -> bool:
    """Tell whether a model is Corollary's."""
    return type(model).__module__.startswith("corollary")


def weighted_rows(model: Any, X: Matrix, y: Any, w: Floats) -> tuple[Any, ...]:
    """Return model and rows without weight 0; LIBSVM counts no others in `support_`.

    The width of the kernel is still that of all rows.
    """
    keep = np.flatnonzero(w)
    if model.kernel == "precomputed":
        X = X[np.ix_(keep, keep)]
    else:
        model = copy(model)
        model.gamma = stated_gamma(model.gamma, X)
        X = X[keep]
    return model, X, None if y is None else y[keep], w[keep]


def refuse_unhandled(model: Any) -> None:
    """Refuse a model, or a value of its parameters, whose problem is not known here."""
    name, K = type(model).__name__, len(getattr(model, "classes_", ()))
    if name not in (*MACHINES, *LINEAR_MODELS):
        must = f"the model must be a {', '.join((*LINEAR_MODELS, *MACHINES))}"
        raise DataError(sentence(WHO, must, name))
    for parameter, handled in HANDLED.items():
        value = getattr(model, parameter, None)
        if value is not None and not handled(value):
            raise DataError(f"{WHO} does not handle {parameter}={value!r} of {name}.")
    if is_own(model):
        check_parameters(model, model.rules)
    refuse_theirs(model)
    if name == "LogisticRegression":
        if not np.isfinite(penalty_of(model)[0]):
            raise DataError(f"{WHO} does not handle {name} without a penalty.")
    if (name == "LogisticRegression" or not is_machine(model)) and K > 2:
        raise DataError(f"{WHO} does not handle {K} classes of {name}.")
    if np.ndim(getattr(model, "dual_coef_", 0)) == 2 and name == "KernelRidge":
        raise DataError(f"{WHO} does not handle several targets of {name}.")
    if np.ndim(model.coef_ if name in ("Ridge", "Lasso", "ElasticNet") else 0) > 1:
        raise DataError(f"{WHO} does not handle several targets of {name}.")


def refuse_theirs(model: Any) -> None:
    """Refuse what scikit-learn's classes do otherwise, or do not publish."""
    if is_own(model):
        return
    name, text = type(model).__name__, ""
    if name == "LogisticRegression":
        if model.solver == "liblinear" and model.fit_intercept:
            text = f"solver='liblinear' of {name}, which penalises the intercept"
    elif name == "NuSVR":
        text = f"{name}, which does not publish the width of its tube"
    elif name == "NuSVC" and model.class_weight is not None:
        text = f"class_weight of {name}, which does not count it"
    elif name in LOSSES and model.loss not in LOSSES[name]:
        text = f"loss={model.loss!r} of {name}"
    elif name == "LinearSVC" and model.penalty not in ("l1", "l2"):
        text = f"penalty={model.penalty!r} of {name}"
    elif name == "KernelRidge" and model.kernel not in KERNELS:
        text = f"kernel={model.kernel!r} of {name}"
    if text:
        raise DataError(f"{WHO} does not handle scikit-learn's {text}.")


def targets(model: Any, X: Matrix, y: Any) -> Any:
    """Return what the rows are to be: labels of the fit, finite numbers, or nothing."""
    if not hasattr(model, "classes_"):
        one_class = type(model).__name__ in ("OneClassSVM", "SVDD")
        return (
            None if one_class else check_targets(WHO, y, X.shape[0], float, many=False)
        )
    labels, codes = encode_labels(WHO, y, X.shape[0])
    strange = labels[~np.isin(labels, model.classes_)]
    if len(strange):
        must = f"y must have labels of the fit, among {model.classes_.tolist()}"
        raise DataError(sentence(WHO, must, f"{strange[0]!r}"))
    return labels[codes]


def of_linear(model: Any, X: Floats, y: Any, o: Floats) -> OptimalityCertificate:
    """Certify a linear model with (1)."""
    if hasattr(model, "classes_"):
        z = (y == model.classes_[1]).astype(int)
        o = o * stated_class_weights(model, np.bincount(z, o, 2).astype(float))[z]
        y = 2.0 * z - 1
    N = float(o.sum())
    loss, penalty, constant = terms(model, N)
    w = np.ravel(dense(model.coef_)).astype(float)
    intercept, unit = bool(model.fit_intercept), 1.0
    b = float(np.ravel(model.intercept_)[0]) if intercept else 0.0
    if type(model).__name__ == "LinearSVC":
        unit = float(model.C) * N
    root = np.sqrt(penalty_weights(model, len(w)))
    X, w = X / root, w * root
    if constant is not None and intercept:
        column = np.full(len(X), constant)
        X, w = np.column_stack([X, column]), np.append(w, b / constant)
        b, intercept = 0.0, False
    found = duality_gap(
        loss, X, y, w, b, penalty=penalty, intercept=intercept, sample_weight=o
    )
    worst = residual(loss, penalty, X, y, o / N, w, b, intercept)
    return OptimalityCertificate(
        unit * found.primal, unit * found.dual, unit * found.gap, unit * worst
    )


def penalty_weights(model: Any, d: int) -> Floats:
    """Return the weight of each squared coefficient in the penalty."""
    stated = getattr(model, "penalty_weights", None)
    p = np.ones(d) if stated is None else np.asarray(stated, float)
    if p.shape != (d,) or not (p > 0).all():
        raise DataError(f"{WHO} does not handle penalty_weights that are not all > 0.")
    return p


def residual(
    loss: Loss,
    penalty: Penalty,
    X: Floats,
    y: Floats,
    share: Floats,
    w: Floats,
    b: float,
    free: bool,
) -> float:
    """Return the largest entry of the least subgradient."""
    slope = share * loss.derivative(y, X @ w + b)
    g = X.T @ slope + penalty.l2 * w
    worst = float(np.abs(least_subgradient(w, g, np.full(len(w), penalty.l1))).max())
    return max(worst, abs(float(slope.sum()))) if free else worst


def terms(model: Any, N: float) -> tuple[Loss, Penalty, float | None]:
    """Return the loss and the penalty of (1), and the constant feature if penalised."""
    name = type(model).__name__
    if name == "Ridge":
        constant = 1.0 if getattr(model, "penalize_intercept", False) else None
        return Squared(), strengths(0.0, float(model.alpha) / N), constant
    if name in ("Lasso", "ElasticNet"):
        rho = 1.0 if name == "Lasso" else float(model.l1_ratio)
        alpha = float(model.alpha)
        return Squared(), strengths(alpha * rho, alpha * (1 - rho)), None
    if name == "LogisticRegression":
        C, rho = penalty_of(model)
        return Logistic(), strengths(rho / (C * N), (1 - rho) / (C * N)), None
    penalty = strengths(1 / (float(model.C) * N), 0.0)
    return SquaredHinge(), penalty, float(model.intercept_scaling)


def penalty_of(model: Any) -> tuple[float, float]:
    """Return C and the share of the L1 penalty that a logistic regression states."""
    if model.penalty is None:
        return np.inf, 0.0
    share = float(model.l1_ratio or 0.0)
    return float(model.C), {"l1": 1.0, "l2": 0.0}.get(model.penalty, share)


def strengths(l1: float, l2: float) -> Penalty:
    """Return the penalty l1 ||w||_1 + l2/2 ||w||^2."""
    total = l1 + l2
    return Penalty(total, l1 / total) if total > 0 else Penalty()
