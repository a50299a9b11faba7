"""The convex problems of linear models, at the coefficients of a fit.

`solvers/convex_problem.py` has the record (1) that these functions fill:

    LinearRegression    squared loss/2, no penalty
    Ridge               squared loss/2, l2 = alpha/N  (P is the objective over 2 N)
    RidgeClassifier     the same, of two classes on the targets -1 and +1
    Lasso, ElasticNet   squared loss/2, l1 = alpha rho, l2 = alpha (1 - rho)
    LogisticRegression  logistic loss, l2 = (1 - rho)/(C N), l1 = rho/(C N)
    QuantileRegressor   pinball loss, l1 = alpha
    SGD                 its loss, l1 = alpha rho, l2 = alpha (1 - rho)
    LinearSVC with l1   squared hinge, l1 = 1/(C N), intercept as a feature, P times C N

Models that choose alpha or C by folds are taken at their choice.  The functions take
Corollary's models, and scikit-learn's of the same name; a class holds its function as
the method `convex_problem`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.class_weights import stated_class_weights
from corollary.core.rows import dense
from corollary.objectives.links import LINKS
from corollary.objectives.loss import Loss
from corollary.objectives.losses import (
    LOSSES,
    Absolute,
    Logistic,
    Quantile,
    Squared,
    SquaredHinge,
)
from corollary.objectives.penalties import Penalty
from corollary.solvers.convex_problem import (
    Box,
    LinearStatement,
    MachineStatement,
    Problems,
    class_box,
    from_here,
    not_handled,
    refuse,
    tube_box,
)

__all__ = [
    "least_squares_problem",
    "linear_svc_problem",
    "linear_svr_problem",
    "logistic_problem",
    "quantile_problem",
    "ridge_classifier_problem",
    "ridge_problem",
    "sgd_problem",
    "sparse_problem",
]

HARD = 1e10  # stands for C = inf

#: The parameters that are the numbers of losses.
NUMBERS = {
    "huber": "epsilon",
    "epsilon_insensitive": "epsilon",
    "squared_epsilon_insensitive": "epsilon",
    "quantile": "quantile",
}


# -- numbers ---------------------------------------------------------------------------
def least_squares_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of least squares, for `optimality_gap`."""
    return linear_problem(model, X, y, sample_weight, Squared(), 0.0, 0.0)


def ridge_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of ridge regression, for `optimality_gap`."""
    alpha = getattr(model, "alpha_", getattr(model, "alpha", 0.0))
    if np.ndim(alpha) or not alpha > 0:
        refuse(model, "alpha")
    l2 = float(alpha) / float(sample_weight.sum())
    constant = 1.0 if getattr(model, "penalize_intercept", False) else None
    return linear_problem(
        model, X, y, sample_weight, Squared(), 0.0, l2, constant=constant
    )


def sparse_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of the lasso or the elastic net, for `optimality_gap`."""
    alpha = float(getattr(model, "alpha_", getattr(model, "alpha", 0.0)))
    if not alpha > 0:
        refuse(model, "alpha")
    rho = float(getattr(model, "l1_ratio_", getattr(model, "l1_ratio", 1.0)))
    l1, l2 = alpha * rho, alpha * (1 - rho)
    return linear_problem(model, X, y, sample_weight, Squared(), l1, l2)


def quantile_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a quantile or of the median, for `optimality_gap`."""
    q, l1 = getattr(model, "quantile", None), float(getattr(model, "alpha", 0.0))
    loss = Absolute() if q is None else Quantile(float(q))
    return linear_problem(model, X, y, sample_weight, loss, l1, 0.0)


# -- classes ---------------------------------------------------------------------------
def logistic_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of logistic regression of two classes, for `optimality_gap`."""
    name, link = type(model).__name__, getattr(model, "link", None)
    refuse(model, "link", link is not None and link not in ("logit", LINKS["logit"]))
    if model.solver == "liblinear" and model.fit_intercept and not from_here(model):
        text = f"solver='liblinear' of {name}, which penalises the intercept"
        raise not_handled(f"scikit-learn's {text}")
    C, rho = logistic_penalty(model)
    if not np.isfinite(C):
        raise not_handled(f"{name} without a penalty")
    s, o = sides(model, y, sample_weight)
    strength = 1 / (C * float(o.sum()))
    l1, l2 = rho * strength, (1 - rho) * strength
    return linear_problem(model, X, s, o, Logistic(), l1, l2)


def logistic_penalty(model: Any) -> tuple[float, float]:
    """Return C and the share of the L1 penalty, stated or chosen by folds."""
    chosen = hasattr(model, "C_")
    if not chosen and model.penalty is None:
        return np.inf, 0.0
    C = np.ravel(model.C_ if chosen else model.C)[0]
    rho = np.ravel(getattr(model, "l1_ratio_", 0.0) if chosen else model.l1_ratio)[0]
    share = {"l1": 1.0, "l2": 0.0}.get(getattr(model, "penalty", ""), float(rho or 0.0))
    return float(C), share


def ridge_classifier_problem(
    model: Any, X: Any, y: Any, sample_weight: Any
) -> Problems:
    """State the problem of ridge regression on two classes, for `optimality_gap`."""
    refuse(model, "alpha", not model.alpha > 0)
    s, o = sides(model, y, sample_weight)
    l2 = float(model.alpha) / float(o.sum())
    return linear_problem(model, X, s, o, Squared(), 0.0, l2)


def sgd_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of stochastic gradient descent, for `optimality_gap`."""
    kind: Any = LOSSES.get(model.loss)
    refuse(model, "loss", kind is None or not kind.convex)
    number = NUMBERS.get(model.loss)
    loss = kind() if number is None else kind(float(getattr(model, number)))
    known = {"l2": 0.0, "l1": 1.0, "elasticnet": float(model.l1_ratio or 0)}
    refuse(model, "penalty", model.penalty not in known)
    rho, alpha, o = known[model.penalty], float(model.alpha), sample_weight
    l1, l2 = alpha * rho, alpha * (1 - rho)
    y, o = sides(model, y, o) if hasattr(model, "classes_") else (y, o)
    return linear_problem(model, X, y, o, loss, l1, l2)


def sides(model: Any, y: Any, o: Floats) -> tuple[Floats, Floats]:
    """Return the sides -1 and +1 of two classes, and the weights times the classes'."""
    K = len(model.classes_)
    if K > 2:
        raise not_handled(f"{K} classes of {type(model).__name__}")
    z = (y == model.classes_[1]).astype(int)
    return 2.0 * z - 1, o * stated_class_weights(model, np.bincount(z, o, 2) + 0.0)[z]


# -- what they share -------------------------------------------------------------------
def linear_problem(
    model: Any,
    X: Matrix,
    y: Floats,
    o: Floats,
    loss: Loss,
    l1: float,
    l2: float,
    *,
    constant: float | None = None,
    scale: float = 1.0,
) -> Problems:
    """State (1) of one target.

    Parameters
    ----------
    model : fitted linear model
        With `coef_`, `intercept_` and `fit_intercept`.
    X, y, o : rows, targets or sides, weights
    loss : Loss
    l1, l2 : float
    constant : float, optional
        The constant feature, where the intercept is its penalised coefficient.
    scale : float
    """
    if np.ndim(model.coef_) > 1 and len(model.coef_) > 1:
        raise not_handled(f"several targets of {type(model).__name__}")
    refuse(model, "positive", bool(getattr(model, "positive", False)))
    w = np.ravel(dense(model.coef_)).astype(float)
    intercept = bool(model.fit_intercept)
    b = float(np.ravel(model.intercept_)[0]) if intercept else 0.0
    root = np.sqrt(penalty_weights(model, len(w)))
    X, w = dense(X) / root, w * root
    if constant is not None and intercept:
        X = np.column_stack([X, np.full(len(X), constant)])
        w, b, intercept = np.append(w, b / constant), 0.0, False
    penalty = Penalty(l1 + l2, l1 / (l1 + l2)) if l1 + l2 > 0 else Penalty()
    return [LinearStatement(loss, penalty, X, y, o, w, b, intercept, scale)]


def penalty_weights(model: Any, d: int) -> Floats:
    """Return the weight of each squared coefficient in the penalty."""
    stated = getattr(model, "penalty_weights", None)
    p = np.ones(d) if stated is None else np.asarray(stated, float)
    if p.shape != (d,) or not (p > 0).all():
        raise not_handled("penalty_weights that are not all > 0")
    return p


# -- linear machines -------------------------------------------------------------------
def linear_svc_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of each class against the rest, for `optimality_gap`."""
    refuse(model, "multi_class", model.multi_class == "crammer_singer")
    check_value(model, "loss", ("hinge", "squared_hinge"))
    check_value(model, "penalty", ("l1", "l2"))
    if model.penalty == "l1":
        s, o = sides(model, y, sample_weight)
        scale = float(model.C) * float(o.sum())
        more = {"constant": float(model.intercept_scaling), "scale": scale}
        return linear_problem(model, X, s, o, SquaredHinge(), 1 / scale, 0.0, **more)
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    factors = stated_class_weights(model, np.bincount(z, sample_weight, K) + 0.0)
    squared, C = model.loss == "squared_hinge", min(float(model.C), HARD)
    boxes = []
    for k in [1] if K == 2 else range(K):
        of = z == k
        others = factors[0] if K == 2 else 1.0  # the rest of several classes weighs 1
        price = C * sample_weight * np.where(of, factors[k], others)
        boxes.append(class_box(np.where(of, 1.0, -1.0), price, squared=squared))
    return machine_problems(model, X, boxes)


def linear_svr_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a linear machine for numbers, for `optimality_gap`."""
    losses = ("epsilon_insensitive", "squared_epsilon_insensitive")
    check_value(model, "loss", losses)
    price, squared = min(float(model.C), HARD) * sample_weight, model.loss == losses[1]
    box = tube_box(y, price, float(model.epsilon), squared=squared)
    return machine_problems(model, X, [box])


def check_value(model: Any, name: str, known: tuple[str, ...]) -> None:
    """Refuse a value that no fit takes: set_params of scikit-learn takes any."""
    value = getattr(model, name)
    if value not in known:
        raise not_handled(f"scikit-learn's {name}={value!r} of {type(model).__name__}")


def machine_problems(model: Any, X: Matrix, boxes: list[Box]) -> Problems:
    """State the problem of each vector of weights, the intercept among them."""
    B = float(model.intercept_scaling) if model.fit_intercept else 0.0
    W = np.atleast_2d(dense(model.coef_)).astype(float)
    if B:
        column = np.full((X.shape[0], 1), B)
        X = sp.hstack([X, column]).tocsr() if sp.issparse(X) else np.hstack([X, column])
        W = np.column_stack([W, np.ravel(model.intercept_).astype(float) / B])
    free = (Box(box.q, box.lo, box.hi, box.eps, box.r, None) for box in boxes)
    return [MachineStatement(box, X, w) for box, w in zip(free, W, strict=True)]
