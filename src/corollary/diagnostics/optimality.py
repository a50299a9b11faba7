"""How far a convex fit is from its optimum: primal, dual, gap and KKT residual.

Also known as: duality gap, KKT audit, primal-dual proof of optimality.

A convex model states its problem and the point that its fit found
(`solvers/convex_problem.py`, whose equation numbers these are).  The proof is computed
anew from that and the data alone, whatever search found the point: the value P, a lower
bound D on the minimum, and how far the optimality conditions are violated.  P is never
farther above its minimum than the gap P - D.

    Linear models.  `linear_proof.py` and `huber_proof.py` look for the best D by
    several ways, and the residual is the largest entry of the least subgradient of P.
    Machines.  A stored b misses the box or the sum by rounding; D is taken at a point
    beside it that does not.  Linear machines store w alone.  b_i is then where (2) has
    its maximum, and for rows at a corner of their loss, where that is a range, the
    choice in the range whose sum_i b_i x_i is nearest to w.  A row violates the
    conditions by as much as (2) would still grow in c at b_i: for SVC  y g >= 1 where
    b_i = 0,  = 1 between the bounds,  <= 1 where |b_i| = C_i.
    Hard margins.  A hyperplane that misses a margin of 1 is no point of the problem,
    and is scaled until it misses none, so that P is never below the minimum; one that
    does not separate the rows is refused.  D is that of the best multiple of b.

Course: S2-36, S0-26, S1-48, S4-49. Reference: Boyd and Vandenberghe (2004), ch. 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import lsq_linear
from sklearn.utils.validation import check_array, check_is_fitted

from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import check_targets, encode_labels, full_weights
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import check_parameters
from corollary.core.rows import dense
from corollary.core.sparse import canonical
from corollary.core.wording import one_sentence
from corollary.diagnostics.huber_proof import of_huber
from corollary.diagnostics.linear_proof import of_linear
from corollary.solvers.convex_problem import (
    WHO,
    ConvexProblem,
    HuberStatement,
    KernelStatement,
    LinearStatement,
    MachineStatement,
    from_here,
    not_handled,
    statement_of,
)

__all__ = ["OptimalityGap", "optimality_gap", "prove"]

WIDTHS = (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1)  # how near to a corner a row is at it


@dataclass(frozen=True)
class OptimalityGap:
    """What is proved of a fit: primal - minimum <= gap.

    Attributes
    ----------
    primal, dual : float
        P and a bound on its minimum.
    gap : float
        P - D.
    kkt_residual : float
        The worst violation of the optimality conditions.
    """

    primal: float
    dual: float
    gap: float
    kkt_residual: float

    def __add__(self, other: OptimalityGap) -> OptimalityGap:
        return OptimalityGap(
            self.primal + other.primal,
            self.dual + other.dual,
            self.gap + other.gap,
            max(self.kkt_residual, other.kkt_residual),
        )

    def __str__(self) -> str:
        relative = self.gap / abs(self.primal) if self.primal else self.gap
        return (
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.3g} "
            f"({relative:.2g} relative), KKT residual {self.kkt_residual:.3g}"
        )


def optimality_gap(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> OptimalityGap:
    """Return primal, dual, gap and KKT residual of a fitted convex model on its data.

    Parameters
    ----------
    model : fitted model that states its convex problem
        Support vector machines with soft or hard margins, kernel methods, linear models
        with convex losses, also with coefficients >= 0 or with columns that targets
        share, generalised linear models whose link keeps the problem convex, softmax
        and hinges of several classes, and perceptrons by their criterion; models of
        scikit-learn are taken like ours of the same name.  The parameters as they are
        now state the problem; a value whose problem is not known is refused by name,
        and so is a learner that minimises no convex objective.
    X, y : the data of the fit
        X is the kernel matrix of a model with kernel='precomputed'.
    sample_weight : array of shape (n,), optional
        Of the fit.

    Returns
    -------
    OptimalityGap

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC, Ridge
    >>> from corollary.diagnostics import optimality_gap
    >>> X, y = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 3.0])
    >>> proof = optimality_gap(Ridge().fit(X, y), X, y)
    >>> bool(proof.gap < 1e-12), bool(proof.kkt_residual < 1e-12)
    (True, True)
    >>> proof = optimality_gap(SVC(kernel="linear").fit(X, y > 0), X, y > 0)
    >>> round(proof.primal, 6), round(proof.dual, 6)
    (1.5, 1.5)
    """
    check_is_fitted(model)
    state = statement_of(model)
    X = canonical(WHO, X) if sp.issparse(X) else X
    with one_sentence(WHO, "X"):
        X = check_array(X, accept_sparse="csr", dtype=np.float64)
    if from_here(model):
        check_parameters(model, model.rules)
    columns = getattr(model, "n_features_in_", X.shape[1])
    if X.shape[1] != columns:
        must = f"X must have the {columns} columns of the fit"
        raise DataError(sentence(WHO, must, f"{X.shape[1]}"))
    y, w = targets(model, X, y), full_weights(WHO, sample_weight, X.shape[0])
    proofs = [prove(problem) for problem in state(model, X, y, w)]
    return sum(proofs[1:], proofs[0])


def targets(model: Any, X: Matrix, y: Any) -> Any:
    """Return what the rows are to be: labels of the fit, finite numbers, or nothing."""
    if not hasattr(model, "classes_"):
        if hasattr(model, "offset_"):  # of one class
            return None
        several = np.shape(getattr(model, "dual_coef_", 0))  # of `KernelRidge`
        many = len(several) == 2 and several[0] > 1
        many |= np.ndim(getattr(model, "coef_", 0)) == 2
        if np.ndim(y) > 1 and np.shape(y)[1] > 1 and not many:
            raise not_handled(f"several targets of {type(model).__name__}")
        return check_targets(WHO, y, X.shape[0], float, many=many)
    labels, codes = encode_labels(WHO, y, X.shape[0])
    strange = labels[~np.isin(labels, model.classes_)]
    if len(strange):
        must = f"y must have labels of the fit, among {model.classes_.tolist()}"
        raise DataError(sentence(WHO, must, f"{strange[0]!r}"))
    return labels[codes]


# -- the proofs ------------------------------------------------------------------------
def prove(problem: ConvexProblem) -> OptimalityGap:
    """Return the proof of one problem at its point."""
    if isinstance(problem, LinearStatement):
        return proof_of(*of_linear(problem))
    if isinstance(problem, HuberStatement):
        return proof_of(*of_huber(problem))
    if isinstance(problem, KernelStatement):
        return of_kernel(problem)
    return of_machine(problem)


def proof_of(primal: float, dual: float, residual: float) -> OptimalityGap:
    """Compose a proof."""
    return OptimalityGap(primal, dual, max(primal - dual, 0.0), residual)


def of_kernel(p: KernelStatement) -> OptimalityGap:
    """Prove (3) with (4), and with (5) where the width was found."""
    box, b = p.box, p.b
    inside = box.feasible(b)
    H = p.times(np.column_stack([b, inside]))
    offset = 0.0 if box.t is None else p.rho
    u = offset - box.q - H[:, 0]
    residual = box.violation(b, u, p.unit)
    if box.hard:
        return proof_of(*hard_values(p, u, inside, H), residual)
    primal = 0.5 * float(b @ H[:, 0]) + float(box.loss(u).sum())
    primal -= offset * (box.t or 0.0)  # (3)
    if p.width is None:
        dual, c = dual_value(p, inside, H[:, 1]), p.scale
        return proof_of(c * primal, c * dual, c * residual)
    mass = float(np.abs(b).sum())
    if mass > p.most:  # then b is no point of the dual: shrink it
        shrunk = box.feasible(b * (p.most / mass))
        mass, dual = p.most, dual_value(p, shrunk, p.times(shrunk[:, None])[:, 0])
    else:
        dual = dual_value(p, inside, H[:, 1])
    spare = p.width * (p.most - mass)  # (5)
    more, residual = p.width * p.most, max(residual, spare / p.most)
    return proof_of(primal + more, dual + p.width * mass, residual)


def hard_values(
    p: KernelStatement, u: Floats, b: Floats, H: Floats
) -> tuple[float, float]:
    """Return P where no row misses its margin of 1, and D at the best multiple of b.

    A hyperplane that misses one is scaled until it does not.
    """
    s, rows = -p.box.q, p.box.hi > p.box.lo
    least = float((1 - s * u)[rows].min(initial=np.inf))
    if not least > 0:
        must = "the hyperplane of a hard margin must separate the classes"
        why = "Nothing else is a point of the problem: use SVC, which allows slack."
        raise DataError(sentence(WHO, must, f"a margin of {least:g} for some row", why))
    primal = 0.5 * float(p.b @ H[:, 0]) / min(least, 1.0) ** 2
    mass, square = float(s @ b), float(b @ H[:, 1])
    return primal, mass**2 / (2 * square) if square > 0 else 0.0


def dual_value(p: KernelStatement, b: Floats, Kb: Floats) -> float:
    """Return (4)."""
    value = -0.5 * float(b @ Kb) - float(p.box.q @ b)
    return value - float(p.box.cost(b).sum())


def of_machine(p: MachineStatement) -> OptimalityGap:
    """Prove one vector of weights, with the best b that is found for it."""
    box, w = p.box, p.w
    u = -box.q - np.asarray(p.X @ w)
    primal = 0.5 * float(w @ w) + float(box.loss(u).sum())
    best, residual = -np.inf, np.inf
    unit = float(np.finfo(float).eps)
    for width in WIDTHS:
        b = multipliers(p, u, width * (1 + np.abs(box.q)))
        found = np.asarray(p.X.T @ b)
        value = -0.5 * float(found @ found) - float(box.q @ b)
        value -= float(box.cost(b).sum())
        if value > best + 64 * unit * abs(primal):  # more than rounding makes of it
            apart = float(np.abs(found - w).max(initial=0.0))
            best, residual = value, max(box.violation(b, u, unit), apart)
        if np.any(box.r):
            break  # (2) has no corner
    return proof_of(primal, best, residual)


def multipliers(p: MachineStatement, u: Floats, width: Floats) -> Floats:
    """Return b from u, and at corners the b whose sum_i b_i x_i is nearest to w."""
    box = p.box
    ends = np.sort([box.best(u - width), box.best(u + width)], axis=0)
    b = box.best(u)
    free = np.flatnonzero(ends[0] < ends[1])
    if not len(free) or np.any(box.r):
        return b
    b[free] = 0.0
    target = p.w - np.asarray(p.X.T @ b)
    sides = (ends[0][free], ends[1][free])
    b[free] = lsq_linear(dense(p.X[free]).T, target, sides, tol=1e-14).x
    return np.clip(b, box.lo, box.hi)
