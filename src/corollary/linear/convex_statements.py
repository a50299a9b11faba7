"""The convex problems of linear models, at the coefficients of a fit.

`solvers/convex_problem.py` has the record (1) that these functions fill:

    LinearRegression    squared loss/2, no penalty
    Ridge               squared loss/2, l2 = alpha/N  (P is the objective over 2 N)
    RidgeClassifier     the same, on the targets -1 and +1 of each class
    Lasso, ElasticNet   squared loss/2, l1 = alpha rho, l2 = alpha (1 - rho)
    LogisticRegression  logistic loss, or softmax of K classes, l2 = (1 - rho)/(C N),
                        l1 = rho/(C N), neither where C is infinite
    PoissonRegressor..  half the deviance of a family, l2 = alpha; columns that are an
                        offset or an exposure are no features
    QuantileRegressor   pinball loss, l1 = alpha
    SGD                 its loss, l1 = alpha rho, l2 = alpha (1 - rho), with the number
                        of visits for N: weights of classes do not count as visits
    LinearSVC with l1   squared hinge, l1 = 1/(C N), intercept as a feature, P times C N
    CrammerSinger..     hinge of K scores, l2 = 1/(C N), and the same

Models that choose alpha or C by folds are taken at their choice; one machine for each
class is a problem for each.  The functions take Corollary's models, and scikit-learn's
of the same name; a class holds its function as the method `convex_problem`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.class_weights import stated_class_weights
from corollary.core.errors import DataError, sentence
from corollary.core.rows import dense
from corollary.engine import Chunk
from corollary.linear.online.visits import rows_to_visit
from corollary.objectives.deviance_loss import DevianceLoss, is_convex
from corollary.objectives.families import Binomial, Family
from corollary.objectives.links import LINKS, Link
from corollary.objectives.loss import ScoreLoss
from corollary.objectives.losses import (
    LOSSES,
    Absolute,
    Logistic,
    Quantile,
    Squared,
    SquaredHinge,
)
from corollary.objectives.multiclass_hinge import MulticlassHinge
from corollary.objectives.penalties import Penalty
from corollary.objectives.softmax import SoftmaxLoss
from corollary.solvers.convex_problem import (
    WHO,
    Box,
    LinearStatement,
    MachineStatement,
    Problems,
    class_box,
    from_here,
    not_handled,
    owner_of,
    refuse,
    tube_box,
)

__all__ = [
    "contest_problem",
    "glm_problem",
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


# -- classes ---------------------------------------------------------------------------
def logistic_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of logistic regression, for `optimality_gap`."""
    name, K = type(model).__name__, len(model.classes_)
    refuse(model, "multi_class", getattr(model, "multi_class", "") == "ovr")
    if model.solver == "liblinear" and not from_here(model):
        text = f"solver='liblinear' of {name}, which"
        if model.fit_intercept:
            raise not_handled(f"scikit-learn's {text} penalises the intercept")
        if K > 2:
            raise not_handled(f"scikit-learn's {text} fits each class by itself")
    C, rho = logistic_penalty(model)
    z, o = codes_of(model, y, sample_weight)
    strength = 1 / (C * float(o.sum())) if np.isfinite(C) else 0.0
    link = getattr(model, "link", "logit")
    link = link if isinstance(link, Link) else LINKS[link]
    if link != LINKS["logit"]:
        family = Binomial(shares=False)
        return deviance_problem(model, X, z + 0.0, o, family, link, strength)
    l1, l2 = rho * strength, (1 - rho) * strength
    if K == 2:
        return linear_problem(model, X, 2.0 * z - 1, o, Logistic(), l1, l2)
    return linear_problem(model, X, z, o, SoftmaxLoss(), l1, l2, row=None)


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
    """State the problems of ridge regression on classes, for `optimality_gap`."""
    refuse(model, "alpha", not model.alpha > 0)
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    factors = stated_class_weights(model, np.bincount(z, sample_weight, K) + 0.0)
    o = sample_weight * factors[z]
    l2 = float(model.alpha) / float(o.sum())
    problems: Problems = []
    for row, k in enumerate([1] if K == 2 else range(K)):
        s = np.where(z == k, 1.0, -1.0)
        problems += linear_problem(model, X, s, o, Squared(), 0.0, l2, row=row)
    return problems


def sgd_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of stochastic gradient descent, for `optimality_gap`."""
    kind: Any = LOSSES.get(model.loss)
    refuse(model, "loss", kind is None or not kind.convex)
    number = NUMBERS.get(model.loss)
    loss = kind() if number is None else kind(float(getattr(model, number)))
    known = {"l2": 0.0, "l1": 1.0, "elasticnet": float(model.l1_ratio or 0)}
    refuse(model, "penalty", model.penalty not in known)
    rho, n = known[model.penalty], visits_of(model, X, y, sample_weight)
    machines = [(y, sample_weight)]
    if hasattr(model, "classes_"):
        machines = sides(model, y, sample_weight)
    found: Problems = []
    for row, (goal, o) in enumerate(machines):
        scale = float(o.sum()) / n
        l1, l2 = (float(model.alpha) * part / scale for part in (rho, 1 - rho))
        found += linear_problem(model, X, goal, o, loss, l1, l2, row=row, scale=scale)
    return found


def visits_of(model: Any, X: Matrix, y: Any, o: Floats) -> float:
    """Return the visits of an epoch; scikit-learn visits rows of any weight once."""
    if not from_here(model):
        return float(X.shape[0])
    codes = np.unique(y, return_inverse=True)[1]
    rows = rows_to_visit(Chunk(X, codes, o), shuffle=bool(model.shuffle), seed=0)
    times = rows.visits()[1]
    return float(len(rows.which) if times is None else times[rows.which].sum())


def codes_of(model: Any, y: Any, o: Floats) -> tuple[Any, Floats]:
    """Return the codes of the classes, and the weights times the classes'."""
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    return z, heavy(o * stated_class_weights(model, np.bincount(z, o, K) + 0.0)[z])


def sides(model: Any, y: Any, o: Floats) -> list[tuple[Floats, Floats]]:
    """Return sides -1 and +1, and weights, of one machine or one for each class."""
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    factors = stated_class_weights(model, np.bincount(z, o, K) + 0.0)
    found = []
    for k in [1] if K == 2 else range(K):
        others = factors[0] if K == 2 else 1.0  # the rest of several classes weighs 1
        of = z == k
        weights = heavy(o * np.where(of, factors[k], others))
        found.append((np.where(of, 1.0, -1.0), weights))
    return found


def heavy(o: Floats) -> Floats:
    """Refuse weights of classes that leave no row."""
    if not o.any():
        must = "class_weight must be above 0 for some row"
        raise DataError(sentence(WHO, must, "zero for every row"))
    return o


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
    refuse(model, "positive", bool(getattr(model, "positive", False)))
    W, intercept = np.atleast_2d(dense(model.coef_)).astype(float), model.fit_intercept
    b = np.broadcast_to(np.ravel(model.intercept_).astype(float), W.shape[:1])
    b = b if intercept else np.zeros(len(W))
    if len(W) > 1 and not hasattr(model, "classes_"):
        raise not_handled(f"several targets of {type(model).__name__}")
    root = np.sqrt(penalty_weights(model, W.shape[1]))
    if (root != 1).any():
        X, W = dense(X) / root, W * root
    if constant is not None and intercept:
        X, W = with_constant(X, constant), np.column_stack([W, b / constant])
        b, intercept = np.zeros(len(W)), False
    penalty = Penalty(l1 + l2, l1 / (l1 + l2)) if l1 + l2 > 0 else Penalty()
    w: Any = W if row is None else W[row]
    c: Any = b if row is None else float(b[row])
    return [LinearStatement(loss, penalty, X, y, o, w, c, bool(intercept), scale)]


def with_constant(X: Matrix, constant: float) -> Matrix:
    """Append a column of one number."""
    column = np.full((X.shape[0], 1), constant)
    return sp.hstack([X, column]).tocsr() if sp.issparse(X) else np.hstack([X, column])


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
    if model.multi_class == "crammer_singer":
        return contest_problem(model, X, y, sample_weight)
    check_value(model, "loss", ("hinge", "squared_hinge"))
    check_value(model, "penalty", ("l1", "l2"))
    C, squared = min(float(model.C), HARD), model.loss == "squared_hinge"
    machines = sides(model, y, sample_weight)
    if model.penalty == "l2":
        boxes = [class_box(s, C * o, squared=squared) for s, o in machines]
        return machine_problems(model, X, boxes)
    found: Problems = []
    for row, (s, o) in enumerate(machines):
        scale = C * float(o.sum())
        more = {"constant": float(model.intercept_scaling), "scale": scale}
        loss, l1 = SquaredHinge(), 1 / scale
        found += linear_problem(model, X, s, o, loss, l1, 0.0, row=row, **more)
    return found


def contest_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of a contest of the classes, for `optimality_gap`.

    Of two classes a model stores w_1 - w_0, of which each has half.
    """
    refuse(model, "C", not np.isfinite(model.C))
    z, o = codes_of(model, y, float(model.C) * sample_weight)
    summed = getattr(model, "loss", "") == "weston_watkins"
    loss = MulticlassHinge("sum" if summed else "largest")
    N, constant = float(o.sum()), float(model.intercept_scaling)
    [p] = linear_problem(
        model, X, z, o, loss, 0.0, 1 / N, row=None, constant=constant, scale=N
    )
    assert isinstance(p, LinearStatement)
    W = np.vstack([-p.w, p.w]) / 2 if len(model.classes_) == 2 else p.w
    return [replace(p, w=W, b=np.zeros(len(W)))]


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
        X = with_constant(X, B)
        W = np.column_stack([W, np.ravel(model.intercept_).astype(float) / B])
    free = (Box(box.q, box.lo, box.hi, box.eps, box.r, None) for box in boxes)
    return [MachineStatement(box, X, w) for box, w in zip(free, W, strict=True)]
