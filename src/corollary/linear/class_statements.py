"""The convex problems of linear classifiers, at the coefficients of a fit.

They fill the record (1) of `solvers/convex_problem.py`, with the sides -1 and +1:

    LogisticRegression  logistic loss, or softmax of K classes, l2 = (1 - rho)/(C N),
                        l1 = rho/(C N), neither where C is infinite; LIBLINEAR's
                        intercept is the penalised coefficient of a constant
    RidgeClassifier     squared loss/2, l2 = alpha/N, on the sides of each class
    LeastSquares..      the same on 0 and 1
    MSEProcedure        squared loss/2 on the sides times the margins, no penalty
    SGD                 its loss, l1 = alpha rho, l2 = alpha (1 - rho), with the number
                        of visits for N: weights of classes do not count as visits
    Perceptron          the criterion max(0, -u), and the same
    BatchPerceptron     the criterion, P times N; `KernelPerceptron` in the coordinates
                        k(., z_s) of the rows that it erred on

The criterion of a perceptron is 0 at w = 0, so its minimum is 0 and its gap the value,
which is 0 where the rows are separated.  One machine for each class is a problem for
each.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.class_weights import stated_class_weights
from corollary.core.errors import DataError, sentence
from corollary.engine import Chunk
from corollary.linear.convex_statements import (
    by_targets,
    deviance_problem,
    linear_problem,
)
from corollary.linear.online.visits import rows_to_visit
from corollary.objectives.families import Binomial
from corollary.objectives.links import LINKS, Link
from corollary.objectives.losses import LOSSES, Logistic, Squared
from corollary.objectives.losses import Perceptron as Criterion
from corollary.objectives.softmax import SoftmaxLoss
from corollary.solvers.convex_problem import (
    WHO,
    Problems,
    from_here,
    not_handled,
    refuse,
)

__all__ = [
    "batch_perceptron_problem",
    "codes_of",
    "indicator_problem",
    "logistic_problem",
    "margin_problem",
    "ridge_classifier_problem",
    "sgd_problem",
    "sides",
]

#: The parameters that are the numbers of losses.
NUMBERS = {
    "huber": "epsilon",
    "epsilon_insensitive": "epsilon",
    "squared_epsilon_insensitive": "epsilon",
    "quantile": "quantile",
}


def logistic_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of logistic regression, for `optimality_gap`."""
    name, K = type(model).__name__, len(model.classes_)
    refuse(model, "multi_class", getattr(model, "multi_class", "") == "ovr")
    constant = None
    if model.solver == "liblinear" and not from_here(model):
        if K > 2:
            text = f"solver='liblinear' of {name}, which"
            raise not_handled(f"scikit-learn's {text} fits each class by itself")
        constant = float(model.intercept_scaling)
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
        s = 2.0 * z - 1
        return linear_problem(model, X, s, o, Logistic(), l1, l2, constant=constant)
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
    """State the problems of ridge regression on classes, for `optimality_gap`.

    Several labels of a row are several targets -1 and +1.
    """
    refuse(model, "alpha", not model.alpha >= 0)
    if np.ndim(y) == 2:
        refuse(model, "class_weight", model.class_weight is not None)
        each = np.array([float(model.alpha) / float(sample_weight.sum())])
        return by_targets(model, X, 2.0 * y - 1.0, sample_weight, 0.0, each)
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    factors = stated_class_weights(model, np.bincount(z, sample_weight, K) + 0.0)
    o = sample_weight * factors[z]
    l2 = float(model.alpha) / float(o.sum())
    problems: Problems = []
    for row, k in enumerate([1] if K == 2 else range(K)):
        s = np.where(z == k, 1.0, -1.0)
        problems += linear_problem(model, X, s, o, Squared(), 0.0, l2, row=row)
    return problems


def indicator_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problems of least squares on one-hot targets, for `optimality_gap`."""
    B = (np.asarray(y)[:, None] == model.classes_).astype(float)
    l2 = np.array([float(model.alpha) / float(sample_weight.sum())])
    return by_targets(model, X, B, sample_weight, 0.0, l2)


def margin_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of least squares on margins, for `optimality_gap`."""
    rows = Chunk(X, np.searchsorted(model.classes_, y), sample_weight)
    t, b = model._targets(rows)
    return linear_problem(model, X, t * b, sample_weight, Squared(), 0.0, 0.0)


def batch_perceptron_problem(
    model: Any, X: Any, y: Any, sample_weight: Any
) -> Problems:
    """State the problem of the criterion, for `optimality_gap`."""
    s, N = np.where(y == model.classes_[1], 1.0, -1.0), float(sample_weight.sum())
    return linear_problem(model, X, s, sample_weight, Criterion(), 0.0, 0.0, scale=N)


def sgd_problem(model: Any, X: Any, y: Any, sample_weight: Any) -> Problems:
    """State the problem of stochastic gradient descent, for `optimality_gap`."""
    name = getattr(model, "loss", "perceptron")
    kind: Any = LOSSES.get(name)
    refuse(model, "loss", kind is None or not kind.convex)
    number = NUMBERS.get(name)
    loss = kind() if number is None else kind(float(getattr(model, number)))
    known = {None: 0.0, "l2": 0.0, "l1": 1.0, "elasticnet": float(model.l1_ratio or 0)}
    refuse(model, "penalty", model.penalty not in known)
    rho, n = known[model.penalty], visits_of(model, X, y, sample_weight)
    alpha = 0.0 if model.penalty is None else float(model.alpha)
    machines = [(y, sample_weight)]
    if hasattr(model, "classes_"):
        machines = sides(model, y, sample_weight)
    found: Problems = []
    for row, (goal, o) in enumerate(machines):
        scale = float(o.sum()) / n
        l1, l2 = (alpha * part / scale for part in (rho, 1 - rho))
        found += linear_problem(model, X, goal, o, loss, l1, l2, row=row, scale=scale)
    return found


def visits_of(model: Any, X: Matrix, y: Any, o: Floats) -> float:
    """Return the visits of an epoch; scikit-learn visits rows of any weight once."""
    if not from_here(model):
        return float(X.shape[0])
    codes = np.unique(y, return_inverse=True)[1]
    rows = rows_to_visit(Chunk(X, codes, o), shuffle=bool(model.shuffle), seed=0)
    times = rows.visits[1]
    return float(len(rows.which) if times is None else times[rows.which].sum())


def codes_of(model: Any, y: Any, o: Floats) -> tuple[Any, Floats]:
    """Return the codes of the classes, and the weights times the classes'."""
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    return z, heavy(o * stated_class_weights(model, np.bincount(z, o, K) + 0.0)[z])


def sides(model: Any, y: Any, o: Floats) -> list[tuple[Floats, Floats]]:
    """Return sides -1 and +1, and weights, of one machine or one for each class."""
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    factors: Floats = np.ones(K)
    if hasattr(model, "class_weight"):
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
