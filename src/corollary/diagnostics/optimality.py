"""How far a convex fit is from its optimum: primal, dual, gap and KKT conditions.

Also known as: duality gap, KKT audit, primal-dual proof of optimality.

A convex model states its problem and the point that its fit found
(`solvers/convex_problem.py`, whose equation numbers these are).  The proof is computed
anew from that and the data alone, whatever search found the point: the value P, a lower
bound D on the minimum, and how far the optimality conditions are violated.  P is never
farther above its minimum than the gap P - D.

    Linear models.  `linear_proof.py` and `huber_proof.py` look for the best D by
    several ways.
    Machines.  A stored b misses the box or the sum by rounding; D is taken at a point
    beside it that does not.  Linear machines store w alone.  b_i is then where (2) has
    its maximum, and for rows at a corner of their loss, where that is a range, the
    choice in the range whose sum_i b_i x_i is nearest to w.
    Hard margins.  A hyperplane that misses a margin of 1 is no point of the problem,
    and is scaled until it misses none, so that P is never below the minimum; one that
    does not separate the rows is refused.  D is that of the best multiple of b.

The four conditions of `objectives/conditions.py` are measured by their largest
violations, and kkt_residual is the largest of them: 0 at the minimum.  Each is 0 where
it holds by construction.  For machines, with u_i = rho - q_i - h_i,

    stationarity             |sum_i b_i - t|;  |w - sum_i b_i x_i| of machines that
                             store w (0 of others, whose h is a sum over b);
                             |u_i - r_i b_i| where b_i has no bound: ridge           (6)
    primal feasibility       1 - y_i g_i > 0 of hard margins, which are y_i g_i >= 1;
                             slack variables are what rows miss: 0 with them         (7)
    dual feasibility         how far b_i is outside of lo_i .. hi_i, and with a width
                             sum_i |b_i| above C nu W                                (8)
    complementary slackness  how much (2) would still grow in c from b_i towards a
                             bound: for SVC  y g >= 1 where b_i = 0,  = 1 between the
                             bounds,  <= 1 where |b_i| = C_i;  (5) over C nu W       (9)

For linear models, g_j being the derivative of the loss and of l2 by w_j, v the slopes
of the loss, and with w >= 0 asked for mu_j = g_j + l1 its multiplier,

    stationarity             |g_j + l1 sign(w_j)| where w_j != 0, |g_j| without l1;
                             with w >= 0  -mu_j > 0 where w_j > 0, which is free to
                             grow; the derivative by the intercept; of a contest
                             |w - sum_i alpha_i x_i|; of Huber's regression the
                             whole gradient                                         (10)
    primal feasibility       with w >= 0  -w_j > 0, but such a model is refused     (11)
    dual feasibility         |g_j| - l1 > 0 where w_j = 0;  with w >= 0  -mu_j > 0  (12)
    complementary slackness  with w >= 0  mu_j > 0 where w_j > 0, which it presses to
                             a bound that it does not touch; with corners of the loss
                             how far v_i is from the slope of a row at no corner    (13)

Course: S2-36, S0-26, S1-48, S4-49. Reference: Boyd and Vandenberghe (2004), ch. 5.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import lsq_linear
from sklearn.utils.validation import check_array, check_is_fitted

from corollary.core.arrays import Floats, Matrix
from corollary.core.checks import (
    check_indicators,
    check_targets,
    encode_labels,
    full_weights,
)
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import check_parameters
from corollary.core.rows import dense
from corollary.core.sparse import canonical
from corollary.core.wording import one_sentence
from corollary.diagnostics.huber_proof import of_huber
from corollary.diagnostics.linear_proof import of_linear
from corollary.objectives.conditions import Conditions, largest
from corollary.solvers.convex_problem import (
    WHO,
    ConvexProblem,
    HuberStatement,
    KernelStatement,
    LinearStatement,
    MachineStatement,
    from_here,
    not_handled,
    owner_of,
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
    stationarity : float
        The largest derivative of the Lagrangian by what is free to move, (6) or (10):
        coefficients that are not 0, the intercept, w that is no sum of b_i x_i.
    primal_feasibility : float
        How far the model is from what the problem demands of it, (7): a margin of 1 of
        every row where there is no slack.  0 where nothing is demanded.
    dual_feasibility : float
        How far multipliers are out of their bounds, (8) or (12): b_i out of its box, a
        gradient above l1 at a coefficient that is 0.
    complementary_slackness : float
        How far a row or coefficient is from where its multiplier says it is, (9) or
        (13): off the margin with b_i between its bounds, above 0 though pressed to it.
    """

    primal: float
    dual: float
    gap: float
    stationarity: float
    primal_feasibility: float
    dual_feasibility: float
    complementary_slackness: float

    @property
    def kkt_residual(self) -> float:
        """The largest of the four violations."""
        return max(astuple(self)[3:])

    def __add__(self, other: OptimalityGap) -> OptimalityGap:
        own, others = astuple(self), astuple(other)
        sums = (a + b for a, b in zip(own[:3], others[:3], strict=True))
        return OptimalityGap(*sums, *map(max, own[3:], others[3:]))

    def __str__(self) -> str:
        relative = self.gap / abs(self.primal) if self.primal else self.gap
        names = (field.name.replace("_", " ") for field in fields(self)[3:])
        each = zip(names, astuple(self)[3:], strict=True)
        return (
            f"primal {self.primal:.6g}, dual {self.dual:.6g}, gap {self.gap:.3g} "
            f"({relative:.2g} relative), KKT residual {self.kkt_residual:.3g} "
            f"({', '.join(f'{name} {value:.3g}' for name, value in each)})"
        )


def optimality_gap(
    model: Any, X: Any, y: Any = None, sample_weight: Any = None
) -> OptimalityGap:
    """Return primal, dual, gap and KKT conditions of a fitted convex model on its data.

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
    if len(np.shape(y)) == 2 and np.shape(y)[1] > 1:  # several labels of a row
        if not getattr(owner_of(model), "takes_indicators", False):
            raise not_handled(f"several labels of {type(model).__name__}")
        return check_indicators(WHO, y, X.shape[0])
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


def proof_of(primal: float, dual: float, missed: Conditions) -> OptimalityGap:
    """Compose a proof."""
    return OptimalityGap(primal, dual, max(primal - dual, 0.0), *astuple(missed))


def of_kernel(p: KernelStatement) -> OptimalityGap:
    """Prove (3) with (4), and with (5) where the width was found."""
    box, b = p.box, p.b
    inside = box.feasible(b)
    H = p.times(np.column_stack([b, inside]))
    offset = 0.0 if box.t is None else p.rho
    u = offset - box.q - H[:, 0]
    missed = box.conditions(b, u, p.unit)
    if box.hard:
        return proof_of(*hard_values(p, u, inside, H), missed)
    primal = 0.5 * float(b @ H[:, 0]) + float(box.loss(u).sum())
    primal -= offset * (box.t or 0.0)  # (3)
    if p.width is None:
        dual, c = dual_value(p, inside, H[:, 1]), p.scale
        return proof_of(c * primal, c * dual, missed.times(c))
    mass = float(np.abs(b).sum())
    missed |= Conditions(dual_feasibility=max(mass - p.most, 0.0))
    if mass > p.most:  # then b is no point of the dual: shrink it
        shrunk = box.feasible(b * (p.most / mass))
        mass, dual = p.most, dual_value(p, shrunk, p.times(shrunk[:, None])[:, 0])
    else:
        dual = dual_value(p, inside, H[:, 1])
    spare = p.width * (p.most - mass)  # (5)
    missed |= Conditions(complementary_slackness=spare / p.most)
    return proof_of(primal + p.width * p.most, dual + p.width * mass, missed)


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
    best, missed = -np.inf, Conditions(np.inf)
    unit = float(np.finfo(float).eps)
    for width in WIDTHS:
        b = multipliers(p, u, width * (1 + np.abs(box.q)))
        found = np.asarray(p.X.T @ b)
        value = -0.5 * float(found @ found) - float(box.q @ b)
        value -= float(box.cost(b).sum())
        if value > best + 64 * unit * abs(primal):  # more than rounding makes of it
            apart = Conditions(largest(np.abs(found - w)))
            best, missed = value, apart | box.conditions(b, u, unit)
        if np.any(box.r):
            break  # (2) has no corner
    return proof_of(primal, best, missed)


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
