"""The convex problem of a fitted model, stated with the point that the fit has found.

A model says what it minimises and where it ended, by its method `convex_problem`;
`diagnostics/optimality.py` proves from that alone how far the point is from the
minimum.  Statements are of three kinds.

Linear models.  With a convex loss, weights o_i of sum N and a scale c,

    P(w, b) = c [1/N sum_i o_i L(y_i, w'x_i + b) + l1 ||w||_1 + l2/2 ||w||^2]        (1)

    loss L                                        models
    of `losses.py`: squares, logistic, pinball..  least squares, lasso, two classes
    half a deviance, `deviance_loss.py`           generalised linear models
    squares of K scores W x + b                   the lasso of targets together
    softmax of K scores, `softmax.py`             K classes
    the same, with features f(x, k): sum_j w_j f_j(x, k)    maximum entropy
    hinge of K scores, `multiclass_hinge.py`      contests of K classes

where the penalty may ask for w >= 0, or take the lengths of the columns of W for |w_j|.

Huber's regression has a scale sigma among its unknowns; its objective is (1) of
`linear/robust/huber_regressor.py`.

Machines.  With h = sum_i b_i k(., x_i), h_i its value at row i, an offset rho and the
conjugate losses

    l_i(u) = max over c in [lo_i, hi_i] of  u c - eps |c| - r_i c^2 / 2              (2)
    P(b, rho) = 1/2 b'K b - rho t + sum_i l_i(rho - q_i - h_i)                       (3)
    D(b) = -1/2 b'K b - q'b - sum_i (eps |b_i| + r_i b_i^2 / 2)                      (4)
           for lo <= b <= hi, sum_i b_i = t

P >= D for all pairs, so P - D, the gap, is at least the distance of either to its best
value.  The machines differ in what they put into (2):

    machine                  q      box                   t     (2) is then
    SVC, y = +-1             -y     0 <= y b <= C_i       0     C_i max(0, 1 - y g)
    NuSVC                    -y     C_i = w_i/r           0     the same
    HardMarginSVC            -y     C_i infinite          0     y g >= 1
    SquaredHingeSVC          -y     0 <= y b              0     C_i max(0, 1 - y g)^2
    SVR, NuSVR               -y     |b| <= C_i            0     C_i (|y - g| - eps)_+
    SquaredEpsilonSVR        -y     none                  0     C_i (|y - g| - eps)_+^2
    KernelQuantileRegressor  -y     C_i (tau - 1) .. C_i tau  0  C_i pinball(y - g)
    KernelRidge              -y     none                  0     C_i (y - g)^2 / 2
    OneClassSVM              0      0 <= b <= w_i         nu W  w_i max(0, rho - h)
    SVDD, with 2 K for K     -K_ii  0 <= b <= w_i/(nu W)  1     the same of distances
    LinearSVC, LinearSVR     as SVC or SVR, K = X X' + B^2, without rho and t

where g = h - rho, C_i = C times the row's and its class's weight, r_i = 1/(2 C_i) for
squared slack and 1/C_i = alpha/w_i for ridge regression.  NuSVC has r = nu W/sum |b|,
W = sum_i w_i.  NuSVR's width epsilon is a variable, which adds to the gap

    epsilon (C nu W - sum_i |b_i|) >= 0                                              (5)

Course: S2-36. References: Boyd and Vandenberghe (2004), ch. 5; Schoelkopf and Smola
(2002), ch. 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError
from corollary.core.memory import check_memory
from corollary.core.rows import dense
from corollary.objectives.conditions import Conditions, largest
from corollary.objectives.loss import ScoreLoss
from corollary.objectives.penalties import Penalty

__all__ = [
    "Box",
    "ConvexProblem",
    "HuberStatement",
    "KernelStatement",
    "LinearStatement",
    "MachineStatement",
    "Problems",
    "class_box",
    "from_here",
    "full_rows",
    "not_handled",
    "owner_of",
    "refuse",
    "statement_of",
    "tube_box",
    "unbounded",
]

NEAR = 16  # roundings by which a coefficient may miss its bound
WHO = "optimality_gap"


@dataclass(frozen=True)
class LinearStatement:
    """Problem (1) of a linear model, and its point (w, b)."""

    loss: ScoreLoss
    penalty: Penalty
    X: Matrix  # (n, d), or (n, K, d) where every class has features of its own
    y: Any  # (n,) numbers, -1 and +1 for losses of the margin, or codes of classes
    o: Floats  # (n,)
    w: Floats  # (d,), or (K, d) for K scores of the same features
    b: Any = 0.0  # or (K,)
    intercept: bool = False  # whether b is free
    scale: float = 1.0  # c
    total: float = 0.0  # N, where it is not the sum of o

    @property
    def N(self) -> float:
        """What the sum of the losses is divided by."""
        return self.total or float(self.o.sum())

    def scores(self) -> Floats:
        """Return the scores of each row, (n,) or (n, K)."""
        return np.asarray(self.X @ self.w.T) + self.b

    def totals(self, v: Floats) -> Floats:
        """Return sum_i o_i v_i x_i / N in the shape of w, for v like the scores."""
        v = self.weighted(v)
        if self.X.ndim == 3:
            return np.einsum("nk,nkd->d", v, self.X)
        return np.asarray(self.X.T @ v).T

    def weighted(self, v: Floats) -> Floats:
        """Multiply rows by o_i / N."""
        share = self.o / self.N
        return share.reshape(-1, *[1] * (v.ndim - 1)) * v

    def value(self) -> float:
        """Return P / c."""
        losses = self.loss.value(self.y, self.scores())
        return float(self.weighted(losses).sum()) + self.penalty.value(self.w.T)


@dataclass(frozen=True)
class HuberStatement:
    """The problem of Huber's regression, and its point (w, b, sigma)."""

    X: Matrix  # (n, d)
    y: Floats  # (n,)
    o: Floats  # (n,)
    w: Floats  # (d,)
    b: float
    sigma: float
    epsilon: float
    alpha: float
    intercept: bool = False  # whether b is free


@dataclass(frozen=True)
class Box:
    """What a machine puts into (2), and how far t and rho are free."""

    q: Floats  # (n,)
    lo: Floats  # (n,)
    hi: Floats  # (n,)
    eps: float = 0.0
    r: Any = 0.0  # (n,) or 0
    t: float | None = 0.0  # None: there is no offset, and no sum is kept

    @property
    def hard(self) -> bool:
        """Whether (2) is infinite wherever it is not 0."""
        return bool(np.isinf(self.hi - self.lo).any() and not np.any(self.r))

    def best(self, u: Floats) -> Floats:
        """Return the c of (2)."""
        c = np.sign(u) * np.maximum(np.abs(u) - self.eps, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            c = np.where(c == 0, 0.0, c / self.r)
        return np.clip(c, self.lo, self.hi)

    def cost(self, c: Floats) -> Floats:
        """Return eps |c| + r c^2 / 2."""
        return self.eps * np.abs(c) + 0.5 * self.r * c * c

    def loss(self, u: Floats) -> Floats:
        """Return (2)."""
        c = self.best(u)
        return u * c - self.cost(c)

    def conditions(self, b: Floats, u: Floats, unit: float) -> Conditions:
        """Return how far b is from box and sum, and from where (2) has its maximum.

        The last is by how much (2) would still grow in c at b.  Towards infinity that
        is a margin that the row misses; where nothing bounds c, (2) is smooth and has
        its maximum where its derivative is 0.  A bound is met within some roundings.
        """
        near, rigid = NEAR * unit * np.abs(b), np.equal(self.r, 0.0)
        rises = (b < self.hi - near) * (u - self.r * b - self._side(b >= 0))
        falls = (b > self.lo + near) * (self.r * b + self._side(b > 0) - u)
        up, down = np.isinf(self.hi), np.isinf(self.lo)
        smooth = up & down & ~rigid & (self.eps == 0)
        missed = np.maximum(rises * (up & rigid), falls * (down & rigid))
        rises, falls = rises * ~(up & rigid), falls * ~(down & rigid)
        open_ = np.maximum(rises, falls)
        unbalanced = 0.0 if self.t is None else abs(float(b.sum()) - self.t)
        return Conditions(
            max(unbalanced, largest(open_ * smooth)),
            largest(missed),
            largest(np.maximum(self.lo - b, b - self.hi)),
            largest(open_ * ~smooth),
        )

    def _side(self, above: Any) -> Floats:
        return np.where(above, self.eps, -self.eps)

    def feasible(self, b: Floats) -> Floats:
        """Return a point of the box, and of the sum, beside b."""
        b = np.clip(b, self.lo, self.hi)
        if self.t is None:
            return b
        missing = self.t - float(b.sum())
        room = self.hi - b if missing > 0 else b - self.lo
        room = np.where(np.isfinite(room), room, np.abs(b))
        used = np.where(b != 0, room, 0.0)
        room = used if used.sum() >= abs(missing) else room
        total = float(room.sum())
        return b + missing * (room / total) if total > 0 else b


@dataclass(frozen=True)
class KernelStatement:
    """Problem (3) of one expansion, and its point (b, rho)."""

    box: Box
    b: Floats  # (n,)
    rho: float
    times: Callable[[Floats], Floats]  # B (n, m) -> K B
    unit: float  # the rounding unit of b
    width: float | None = None  # epsilon of (5), where it was found
    most: float = 0.0  # C nu W of (5)
    scale: float = 1.0  # of the values, in the units of the model


@dataclass(frozen=True)
class MachineStatement:
    """Problem (3) of a machine that stores w = sum_i b_i x_i alone."""

    box: Box
    X: Matrix  # (n, d)
    w: Floats  # (d,)


ConvexProblem = LinearStatement | HuberStatement | KernelStatement | MachineStatement
Problems = list[ConvexProblem]  # whose values add up


def class_box(s: Floats, price: Floats, *, squared: bool = False) -> Box:
    """Return the box of two classes, s = +-1."""
    top = unbounded(price) if squared else price
    lo, hi = np.where(s > 0, 0.0, -top), np.where(s > 0, top, 0.0)
    return Box(-s, lo, hi, r=inverse(2 * price) if squared else 0.0)


def tube_box(y: Floats, price: Floats, epsilon: float, *, squared: bool = False) -> Box:
    """Return the box of numbers that may miss by epsilon."""
    top = unbounded(price) if squared else price
    return Box(-y, -top, top, epsilon, inverse(2 * price) if squared else 0.0)


def unbounded(price: Floats) -> Floats:
    """Return infinity, and 0 for rows that weigh nothing."""
    return np.where(price > 0, np.inf, 0.0)


def inverse(price: Floats) -> Floats:
    """Return 1 / price; where a row weighs nothing its box is 0, and any r will do."""
    return 1 / np.where(price > 0, price, 1.0)


def full_rows(X: Matrix) -> Floats:
    """Return plain rows, for a proof that needs them, where they fit in memory."""
    if sp.issparse(X):
        what = f"{X.shape[0]:,} sparse rows of {X.shape[1]:,} columns, written in full,"
        check_memory(WHO, 8.0 * X.shape[0] * X.shape[1], what, "Give fewer of them.")
    return dense(X)


# -- refusals --------------------------------------------------------------------------
def from_here(model: Any) -> bool:
    """Tell whether a model is Corollary's; scikit-learn's may do otherwise."""
    return type(model).__module__.startswith("corollary")


def owner_of(model: Any) -> Any:
    """Return a model's class, or ours of the same name, None where there is none."""
    import corollary

    name = type(model).__name__
    return type(model) if from_here(model) else getattr(corollary, name, None)


def statement_of(model: Any) -> Callable[..., Problems]:
    """Return what states a model's problem: of its class, or ours of that name."""
    owner = owner_of(model)
    state: Any = getattr(owner, "convex_problem", None)
    if state is None:
        why = getattr(owner, "no_convex_problem", "which states no convex problem")
        raise not_handled(f"{type(model).__name__}, {why}")
    return state


def not_handled(what: str) -> DataError:
    """Compose the refusal of a problem that is not known."""
    return DataError(f"{WHO} does not handle {what}.")


def refuse(model: Any, parameter: str, wrong: bool = True) -> None:
    """Refuse the value of a parameter, by name."""
    if wrong:
        value = getattr(model, parameter, None)
        raise not_handled(f"{parameter}={value!r} of {type(model).__name__}")
