"""The convex problems of linear models, at the coefficients of a fit.

`solvers/convex_problem.py` has the record (1) that these functions fill:

    LinearRegression    squared loss/2, no penalty
    Ridge               squared loss/2, l2 = alpha/N  (P is the objective over 2 N)
    Lasso, ElasticNet   squared loss/2, l1 = alpha rho, l2 = alpha (1 - rho)
    MultiTaskLasso..    the same, with the lengths of the rows of coefficients in l1
    PoissonRegressor..  half the deviance of a family, l2 = alpha; columns that are an
                        offset or an exposure are no features
    QuantileRegressor   pinball loss, l1 = alpha
    HuberRegressor      its own problem, with the scale of the noise among the unknowns

`class_statements.py` has those of classifiers, `machine_statements.py` those of linear
machines.  Models that choose alpha or C by folds are taken at their choice; several
targets are a problem for each.  With positive=True the penalty asks for w >= 0; an
intercept that is penalised may then be of either sign, and is the difference of two
coefficients.  Squared coefficients that the penalty leaves out are free, and the others
are rows sqrt(l2 N p_j) e_j with the target 0.

The functions take Corollary's models, and scikit-learn's of the same name; a class
holds its function as the method `convex_problem`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.core.rows import dense
from corollary.objectives.deviance_loss import DevianceLoss, is_convex
from corollary.objectives.families import Family
from corollary.objectives.links import Link
from corollary.objectives.loss import ScoreLoss
from corollary.objectives.losses import Absolute, Quantile, Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.convex_problem import (
    WHO,
    HuberStatement,
    LinearStatement,
    Problems,
    not_handled,
    owner_of,
    refuse,
)

__all__ = [
    "by_targets",
    "deviance_problem",
    "glm_problem",
    "huber_problem",
    "joint_problem",
    "least_squares_problem",
    "linear_problem",
    "quantile_problem",
    "ridge_problem",
    "sparse_problem",
    "with_constant",
]


# -- numbers ---------------------------------------------------------------------------
def least_squares_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of least squares, for `optimality_gap`."""
    return by_targets(model, X, y, sample_weight, 0.0, np.zeros(1))


def ridge_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of ridge regression, for `optimality_gap`."""
    alpha = np.ravel(getattr(model, "alpha_", getattr(model, "alpha", 0.0)))
    refuse(model, "alpha", not (alpha.astype(float) >= 0).all())
    constant = 1.0 if getattr(model, "penalize_intercept", False) else None
    l2 = alpha.astype(float) / float(sample_weight.sum())
    return by_targets(model, X, y, sample_weight, 0.0, l2, constant)


def by_targets(
    model: Any,
    X: Any,
    y: Any,
    o: Floats,
    l1: float,
    l2: Floats,
    constant: float | None = None,
) -> Problems:
    """State a problem of least squares for each target."""
    Y = columns_of(model, y)
    options: Any = {"constant": constant}
    problems: Problems = []
    for k, each in enumerate(np.broadcast_to(l2, Y.shape[1])):
        part = (Y[:, k], o, Squared(), l1, float(each))
        problems += linear_problem(model, X, *part, row=k, **options)
    return problems


def columns_of(model: Any, y: Any) -> Floats:
    """Return the targets as columns, as many as the model has."""
    Y = np.asarray(y)
    Y = Y if Y.ndim == 2 else Y[:, None]
    rows = np.shape(np.atleast_2d(dense(model.coef_)))[0]
    if rows != Y.shape[1]:
        must = f"y must have the {rows} targets of the fit"
        raise DataError(sentence(WHO, must, f"{Y.shape[1]}"))
    return Y


def sparse_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of the lasso or the elastic net, for `optimality_gap`."""
    l1, l2 = net_of(model)
    return by_targets(model, X, y, sample_weight, l1, np.array([l2]))


def joint_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of targets that share their features, for `optimality_gap`."""
    l1, l2 = net_of(model)
    if l1 == 0:
        return by_targets(model, X, y, sample_weight, l1, np.array([l2]))
    Y, W = columns_of(model, y), np.atleast_2d(dense(model.coef_)).astype(float)
    b = np.broadcast_to(np.ravel(model.intercept_).astype(float), len(W))
    penalty = replace(penalty_of(l1, l2), blocks=True)
    rows, free = (X, Y, sample_weight), bool(model.fit_intercept)
    return [LinearStatement(Squared(), penalty, *rows, W, b * free, free)]


def net_of(model: Any) -> tuple[float, float]:
    """Return l1 and l2 of an elastic net."""
    alpha = float(getattr(model, "alpha_", getattr(model, "alpha", 0.0)))
    refuse(model, "alpha", not alpha >= 0)
    rho = float(getattr(model, "l1_ratio_", getattr(model, "l1_ratio", 1.0)))
    return alpha * rho, alpha * (1 - rho)


def penalty_of(l1: float, l2: float) -> Penalty:
    """Return the penalty of these strengths."""
    return Penalty(l1 + l2, l1 / (l1 + l2)) if l1 + l2 > 0 else Penalty()


def huber_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of Huber's regression with its scale, for `optimality_gap`."""
    w, free = np.ravel(dense(model.coef_)).astype(float), bool(model.fit_intercept)
    b = float(np.ravel(model.intercept_)[0]) if free else 0.0
    numbers = float(model.scale_), float(model.epsilon), float(model.alpha)
    return [HuberStatement(X, y, sample_weight, w, b, *numbers, intercept=free)]


def quantile_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a quantile or of the median, for `optimality_gap`."""
    q, l1 = getattr(model, "quantile", None), float(getattr(model, "alpha", 0.0))
    loss = Absolute() if q is None else Quantile(float(q))
    return linear_problem(model, X, y, sample_weight, loss, l1, 0.0)


def glm_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a generalised linear model, for `optimality_gap`."""
    owner, columns = owner_of(model), np.arange(X.shape[1])
    family = owner._family(model)
    link = owner._link(model, family)
    held: list[int] = []
    offset = np.zeros(X.shape[0])
    if getattr(model, "offset", None) is not None:
        held.append(model._column("offset"))
        offset += dense(X[:, held]).ravel()
    if getattr(model, "exposure", None) is not None:
        held.append(model._column("exposure"))
        offset += np.log(exposures(dense(X[:, held[-1:]]).ravel()))
    alpha, free = float(model.alpha), np.setdiff1d(columns, held)
    return deviance_problem(
        model, X[:, free], y, sample_weight, family, link, alpha, offset, free
    )


def exposures(column: Floats) -> Floats:
    """Refuse exposures that have no logarithm."""
    if not column.min(initial=1.0) > 0:
        must = "the exposure must be > 0"
        raise DataError(sentence(WHO, must, f"{column.min():g}"))
    return column


def deviance_problem(
    model: Any,
    X: Matrix,
    y: Floats,
    o: Floats,
    family: Family,
    link: Link,
    alpha: float,
    offset: Any = 0.0,
    columns: Any = slice(None),
) -> Problems:
    """State (1) of half the deviance of a family, with an L2 penalty."""
    if not is_convex(family, link):
        kind = f"{type(model).__name__} with the {family.name} family"
        why = "whose problem is not known to be convex"
        raise not_handled(f"{kind} and link {link.name}, {why}")
    keep = o > 0
    family.check(WHO, y[keep])
    offset = np.broadcast_to(offset, y.shape)[keep]
    intercept = bool(model.fit_intercept)
    w = np.ravel(dense(model.coef_)).astype(float)[columns]
    b = float(np.ravel(model.intercept_)[0]) if intercept else 0.0
    loss = DevianceLoss(family, link, offset)
    rows = X[keep], y[keep], o[keep]
    return [LinearStatement(loss, Penalty(alpha), *rows, w, b, intercept)]


# -- what they share -------------------------------------------------------------------
def linear_problem(
    model: Any,
    X: Matrix,
    y: Any,
    o: Floats,
    loss: ScoreLoss,
    l1: float,
    l2: float,
    *,
    row: int | None = 0,
    constant: float | None = None,
    scale: float = 1.0,
) -> Problems:
    """State (1).

    Parameters
    ----------
    model : fitted linear model
        With `coef_`, `intercept_` and `fit_intercept`.
    X, y, o : rows, targets, sides or codes, weights
    loss : ScoreLoss
    l1, l2 : float
    row : int or None, default=0
        Of `coef_`; None for all, which are then the weights of as many scores.
    constant : float, optional
        The constant feature, where the intercept is its penalised coefficient.
    scale : float
    """
    W, intercept = np.atleast_2d(dense(model.coef_)).astype(float), model.fit_intercept
    b = np.broadcast_to(np.ravel(model.intercept_).astype(float), W.shape[:1])
    positive = bool(getattr(model, "positive", False))
    if positive and W.min(initial=0.0) < 0:
        must = f"coef_ must be >= 0 for positive=True of {type(model).__name__}"
        raise DataError(sentence(WHO, must, f"{W.min():g}"))
    W, b = (W, b) if row is None else (W[[row]], b[[row]])
    b = b if intercept else np.zeros(len(W))
    p, total = penalty_weights(model, W.shape[1]), float(o.sum())
    if intercept and (constant is not None or not p.all()):
        B, signs = constant or 1.0, [1, -1] if positive else [1]
        parts = [np.maximum(s * b, 0.0) if positive else b for s in signs]
        X, W = with_constant(X, B, *signs), np.column_stack([W, *parts / np.array(B)])
        p = np.append(p, [float(constant is not None)] * len(signs))
        b, intercept = np.zeros(len(W)), False
    if not p.all():
        X = np.vstack([dense(X), np.diag(np.sqrt(l2 * total * p))])
        y, o = np.append(y, 0.0 * p), np.append(o, np.ones(len(p)))
        l2 = 0.0
    elif (p != 1).any():
        X, W = dense(X) / np.sqrt(p), W * np.sqrt(p)
    penalty = replace(penalty_of(l1, l2), positive=positive)
    w: Any = W if row is None else W[0]
    c: Any = b if row is None else float(b[0])
    point = w, c, bool(intercept)
    return [LinearStatement(loss, penalty, X, y, o, *point, scale, total)]


def with_constant(X: Matrix, constant: float, *signs: int) -> Matrix:
    """Append columns of one number, by default one of them."""
    columns = np.full((X.shape[0], 1), constant) * (signs or (1,))
    if sp.issparse(X):
        return sp.hstack([X, columns]).tocsr()
    return np.hstack([X, columns])


def penalty_weights(model: Any, d: int) -> Floats:
    """Return the weight of each squared coefficient in the penalty."""
    stated = getattr(model, "penalty_weights", None)
    p = np.ones(d) if stated is None else np.asarray(stated, float)
    if p.shape != (d,) or not (p >= 0).all():
        raise not_handled("penalty_weights that are not all >= 0, one for each column")
    return p
