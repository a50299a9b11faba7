"""Proofs of optimality for support vector machines, from the model and its data alone.

Also known as: KKT audit of a support vector machine, primal-dual certificate.

Every machine of the textbook is one pair of problems.  With h = sum_i b_i k(., x_i),
h_i its value at row i, an offset rho and the conjugate losses

    l_i(u) = max over c in [lo_i, hi_i] of  u c - eps |c| - r_i c^2 / 2              (1)
    P(b, rho) = 1/2 b'K b - rho t + sum_i l_i(rho - q_i - h_i)                       (2)
    D(b) = -1/2 b'K b - q'b - sum_i (eps |b_i| + r_i b_i^2 / 2)                      (3)
           for lo <= b <= hi, sum_i b_i = t

P >= D for all pairs, so P - D, the gap, is at least the distance of either to its best
value.  The machines differ in what they put into (1):

    machine                  q      box                   t     (1) is then
    SVC, y = +-1             -y     0 <= y b <= C_i       0     C_i max(0, 1 - y g)
    NuSVC                    -y     C_i = w_i/r           0     the same
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

    epsilon (C nu W - sum_i |b_i|) >= 0                                              (4)

A stored b misses the box or the sum by rounding; D is taken at a point beside it that
does not.  Linear machines store w alone.  b_i is then where (1) has its maximum, and
for rows at a corner of their loss, where that is a range, the choice in the range whose
sum_i b_i x_i is nearest to w.

A row violates the optimality conditions by as much as (1) would still grow in c at b_i:

    max(0, u_i - s_i) if b_i < hi_i,   max(0, s_i - u_i) if b_i > lo_i               (5)

with u_i = rho - q_i - h_i and s_i the slope of eps|c| + r_i c^2/2 at b_i to that side:
for SVC  y g >= 1 where b_i = 0,  = 1 between the bounds,  <= 1 where |b_i| = C_i.

Course: S2-36, S0-26, S1-48, S4-49. References: Boyd and Vandenberghe (2004), ch. 5;
Schoelkopf and Smola (2002), ch. 7.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.optimize import lsq_linear

from corollary.core.arrays import Floats, Matrix
from corollary.core.class_weights import stated_class_weights
from corollary.core.rows import dense
from corollary.kernels import machine_kernel
from corollary.kernels.expansion import expansion
from corollary.kernels.expansion import square_norms as own
from corollary.kernels.gram import TileKernel
from corollary.svm.machine import capped

__all__ = ["MACHINES", "Proof", "prove", "stated_gamma"]

CLASSIFIERS = ("SVC", "NuSVC", "SquaredHingeSVC")
REGRESSORS = (
    "SVR",
    "NuSVR",
    "SquaredEpsilonSVR",
    "KernelQuantileRegressor",
    "KernelRidge",
)
ONE_CLASS = ("OneClassSVM", "SVDD")
LINEAR = ("LinearSVC", "LinearSVR")
MACHINES = (*CLASSIFIERS, *REGRESSORS, *ONE_CLASS, *LINEAR)
WIDTHS = (1e-12, 1e-9, 1e-7, 1e-5, 1e-3, 1e-1)  # how near to a corner a row is at it
NEAR = 16  # roundings by which a coefficient may miss its bound


@dataclass(frozen=True)
class Problem:
    """What a machine puts into (1), and how far t and rho are free."""

    q: Floats  # (n,)
    lo: Floats  # (n,)
    hi: Floats  # (n,)
    eps: float = 0.0
    r: Any = 0.0  # (n,) or 0
    t: float | None = 0.0  # None: there is no offset, and no sum is kept

    def best(self, u: Floats) -> Floats:
        """Return the c of (1)."""
        c = np.sign(u) * np.maximum(np.abs(u) - self.eps, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            c = np.where(c == 0, 0.0, c / self.r)
        return np.clip(c, self.lo, self.hi)

    def cost(self, c: Floats) -> Floats:
        """Return eps |c| + r c^2 / 2."""
        return self.eps * np.abs(c) + 0.5 * self.r * c * c

    def loss(self, u: Floats) -> Floats:
        """Return (1)."""
        c = self.best(u)
        return u * c - self.cost(c)

    def violation(self, b: Floats, u: Floats, unit: float) -> float:
        """Return the largest (5); a bound is met within some roundings."""
        with np.errstate(invalid="ignore"):
            near = NEAR * unit * np.abs(b)
            rises = (b < self.hi - near) * (u - self.r * b - self._side(b >= 0))
            falls = (b > self.lo + near) * (self.r * b + self._side(b > 0) - u)
        return float(np.maximum(rises, falls).max(initial=0.0))

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
class Proof:
    """Values (2) and (3), the largest (5); several machines add up."""

    primal: float
    dual: float
    violation: float

    @property
    def gap(self) -> float:
        """Return P - D."""
        return max(self.primal - self.dual, 0.0)

    def __add__(self, other: Proof) -> Proof:
        worst = max(self.violation, other.violation)
        return Proof(self.primal + other.primal, self.dual + other.dual, worst)


def prove(model: Any, X: Matrix, y: Any, w: Floats) -> Proof:
    """Return the proof of a machine whose name is in `MACHINES`.

    Parameters
    ----------
    model : fitted machine
    X : array or CSR of shape (n, d)
        float64; the kernel matrix of a machine that was given one.
    y : array of shape (n,) or None
    w : array of shape (n,)
        The rows' weights.

    Returns
    -------
    Proof
    """
    name = type(model).__name__
    model = as_stated(model, X, w)
    if name in LINEAR:
        parts = linear_machines(model, X, y, w)
    elif name in CLASSIFIERS:
        parts = pair_machines(model, X, y, w)
    else:
        parts = iter([single_machine(model, X, y, w)])
    total = next(parts)
    for part in parts:
        total = total + part
    return total


# -- classifiers ---------------------------------------------------------------------
def pair_machines(model: Any, X: Matrix, y: Any, w: Floats) -> Iterator[Proof]:
    """Prove the machine of every pair of classes."""
    K, z = len(model.classes_), np.searchsorted(model.classes_, y)
    D = np.zeros((K - 1, len(z)))
    D[:, model.support_] = dense(model.dual_coef_)
    w = w * stated_class_weights(model, np.bincount(z, w, K).astype(float))[z]
    for p, (a, c) in enumerate(itertools.combinations(range(K), 2)):
        rows = np.flatnonzero((z == a) | (z == c))
        b = np.where(z[rows] == a, D[c - 1, rows], D[a, rows])
        s = np.where(z[rows] == (c if K == 2 else a), 1.0, -1.0)
        problem = of_classes(model, s, w[rows], float(np.abs(b).sum()))
        rho = -float(np.ravel(model.intercept_)[p])
        yield machine(model, X, rows, problem, b, rho)


def of_classes(model: Any, s: Floats, w: Floats, mass: float) -> Problem:
    """Return the problem of two classes, s = +-1."""
    name = type(model).__name__
    if name == "NuSVC":
        price = w * mass / (float(model.nu) * w.sum())  # w_i / r
    else:
        price = capped(model.C) * w
    squared = name == "SquaredHingeSVC" or getattr(model, "loss", "") == "squared_hinge"
    top = unbounded(price) if squared else price
    lo, hi = np.where(s > 0, 0.0, -top), np.where(s > 0, top, 0.0)
    return Problem(-s, lo, hi, r=ridge(2 * price) if squared else 0.0)


def unbounded(price: Floats) -> Floats:
    """Return infinity, and 0 for rows that weigh nothing."""
    return np.where(price > 0, np.inf, 0.0)


def ridge(price: Floats) -> Floats:
    """Return 1 / price; where a row weighs nothing its box is 0, and any r will do."""
    return 1 / np.where(price > 0, price, 1.0)


# -- one expansion -------------------------------------------------------------------
def single_machine(model: Any, X: Matrix, y: Any, w: Floats) -> Proof:
    """Prove a machine for numbers, or of one class."""
    name, n = type(model).__name__, X.shape[0]
    b = np.zeros(n)
    found = np.ravel(dense(model.dual_coef_))
    heavy = np.flatnonzero(w) if len(found) < n else slice(None)
    b[getattr(model, "support_", heavy)] = found
    rho = -float(np.ravel(getattr(model, "intercept_", 0.0))[0])
    every = np.arange(n)
    if name == "SVDD":
        mass = float(model.nu) * w.sum()
        norm = float(b @ products(model, X, every, b[:, None])[:, 0])
        problem = Problem(-own(kernel_of(model, X), X), 0 * w, w / mass, t=1.0)
        return machine(model, X, every, problem, b, norm - float(model.radius2_), 2.0)
    if name == "OneClassSVM":
        problem = Problem(0 * w, 0 * w, w, t=float(model.nu) * w.sum())
        return machine(model, X, every, problem, b, rho)
    proof = machine(model, X, every, of_numbers(model, np.asarray(y, float), w), b, rho)
    if name != "NuSVR":
        return proof
    return with_width(model, X, y, w, b, proof)


def with_width(
    model: Any, X: Matrix, y: Any, w: Floats, b: Floats, proof: Proof
) -> Proof:
    """Turn the proof for a width that is given into one for a width that is found."""
    every, problem = np.arange(len(b)), of_numbers(model, np.asarray(y, float), w)
    epsilon, most = model.epsilon_, capped(model.C) * float(model.nu) * w.sum()
    mass, dual = float(np.abs(b).sum()), proof.dual
    if mass > most:  # then b is no point of the dual: shrink it
        b, mass = b * (most / mass), most
        dual = machine(model, X, every, problem, b, 0.0).dual
    spare = epsilon * (most - mass)  # (4)
    worst = max(proof.violation, spare / most)
    return Proof(proof.primal + epsilon * most, dual + epsilon * mass, worst)


def of_numbers(model: Any, y: Floats, w: Floats) -> Problem:
    """Return the problem of regression."""
    name = type(model).__name__
    if name == "KernelRidge":
        free, t = unbounded(w), 0.0 if getattr(model, "fit_intercept", False) else None
        return Problem(-y, -free, free, r=float(model.alpha) * ridge(w), t=t)
    price = capped(model.C) * w
    if name == "KernelQuantileRegressor":
        tau = float(model.quantile)
        return Problem(-y, (tau - 1) * price, tau * price)
    epsilon = float(model.epsilon_ if name == "NuSVR" else model.epsilon)
    if name == "SquaredEpsilonSVR" or getattr(model, "loss", "").startswith("squared"):
        free = unbounded(price)
        return Problem(-y, -free, free, epsilon, ridge(2 * price))
    return Problem(-y, -price, price, epsilon)


# -- linear machines -----------------------------------------------------------------
def linear_machines(model: Any, X: Matrix, y: Any, w: Floats) -> Iterator[Proof]:
    """Prove a machine that stores its weights alone, for every class."""
    B = float(model.intercept_scaling) if model.fit_intercept else 0.0
    W = np.atleast_2d(dense(model.coef_)).astype(float)
    offsets = np.ravel(model.intercept_).astype(float) if B else np.zeros(len(W))
    if type(model).__name__ == "LinearSVR":
        problems = [of_numbers(model, np.asarray(y, float), w)]
    else:
        problems = class_problems(model, y, w, len(W))
    if B:
        column = np.full((X.shape[0], 1), B)
        X = sp.hstack([X, column]).tocsr() if sp.issparse(X) else np.hstack([X, column])
        W = np.column_stack([W, offsets / B])
    for problem, weights in zip(problems, W, strict=True):
        yield linear_machine(replace(problem, t=None), X, weights)


def class_problems(model: Any, y: Any, w: Floats, machines: int) -> list[Problem]:
    """Return the problem of each class against the rest, whose own weight is 1."""
    z, K = np.searchsorted(model.classes_, y), len(model.classes_)
    factors = stated_class_weights(model, np.bincount(z, w, minlength=K).astype(float))
    if machines == 1:
        return [of_classes(model, np.where(z == 1, 1.0, -1.0), w * factors[z], 0.0)]
    found = []
    for k in range(K):
        own_rows = z == k
        price = w * np.where(own_rows, factors[k], 1.0)
        found.append(of_classes(model, np.where(own_rows, 1.0, -1.0), price, 0.0))
    return found


def linear_machine(problem: Problem, X: Matrix, weights: Floats) -> Proof:
    """Prove one vector of weights, with the best b that is found for it."""
    u = -problem.q - np.asarray(X @ weights)
    primal = 0.5 * float(weights @ weights) + float(problem.loss(u).sum())
    best = Proof(primal, -np.inf, np.inf)
    unit = float(np.finfo(float).eps)
    for width in WIDTHS:
        b = multipliers(problem, X, weights, u, width * (1 + np.abs(problem.q)))
        found = np.asarray(X.T @ b)
        value = -0.5 * float(found @ found) - float(problem.q @ b)
        value -= float(problem.cost(b).sum())
        if value > best.dual:
            worst = problem.violation(b, u, unit)
            apart = float(np.abs(found - weights).max(initial=0.0))
            best = Proof(primal, value, max(worst, apart))
        if np.any(problem.r):
            break  # (1) has no corner
    return best


def multipliers(
    problem: Problem, X: Matrix, weights: Floats, u: Floats, width: Floats
) -> Floats:
    """Return b from u, and at corners the b whose sum_i b_i x_i is nearest to w."""
    ends = np.sort([problem.best(u - width), problem.best(u + width)], axis=0)
    b = problem.best(u)
    free = np.flatnonzero(ends[0] < ends[1])
    if not len(free) or np.any(problem.r):
        return b
    b[free] = 0.0
    target = weights - np.asarray(X.T @ b)
    sides = (ends[0][free], ends[1][free])
    b[free] = lsq_linear(dense(X[free]).T, target, sides, tol=1e-14).x
    return np.clip(b, problem.lo, problem.hi)


# -- the values ----------------------------------------------------------------------
def machine(
    model: Any,
    X: Matrix,
    rows: Any,
    problem: Problem,
    b: Floats,
    rho: float,
    factor: float = 1.0,
) -> Proof:
    """Prove one expansion on some rows, whose kernel is a multiple of the model's."""
    inside = problem.feasible(b)
    H = factor * products(model, X, rows, np.column_stack([b, inside]))
    offset = 0.0 if problem.t is None else rho
    u = offset - problem.q - H[:, 0]
    primal = 0.5 * float(b @ H[:, 0]) + float(problem.loss(u).sum())
    primal -= offset * (problem.t or 0.0)  # (2)
    dual = -0.5 * float(inside @ H[:, 1]) - float(problem.q @ inside)
    dual -= float(problem.cost(inside).sum())  # (3)
    unit = float(np.finfo(dense(model.dual_coef_).dtype).eps)
    return Proof(primal, dual, problem.violation(b, u, unit))


def products(model: Any, X: Matrix, rows: Any, B: Floats) -> Floats:
    """Return K B on some rows."""
    used = np.flatnonzero(B.any(axis=1))
    if not len(used):
        return np.zeros(B.shape)
    kernel = kernel_of(model, X)
    if kernel is None:
        return np.asarray(X[np.ix_(rows, rows[used])], float) @ B[used]
    if isinstance(kernel, TileKernel):
        return expansion(kernel, X[rows], X[rows[used]], B[used])
    return dense(kernel(X[rows], X[rows[used]])).astype(float) @ B[used]


def as_stated(model: Any, X: Matrix, w: Floats) -> Any:
    """Return the model with the kernel that its parameters state now."""
    if not hasattr(model, "gamma_"):
        return model
    gamma = machine_kernel.stated_gamma(model, X, w)
    if np.isclose(gamma, model.gamma_, rtol=1e-6, atol=0.0):  # the same, rounded
        return model
    model = copy(model)
    model.gamma_ = gamma
    return model


def kernel_of(model: Any, X: Matrix) -> Any:
    """Return the kernel as a function, None where X is its matrix."""
    if model.kernel == "precomputed":
        return None
    gamma = stated_gamma(getattr(model, "gamma_", model.gamma), X)
    return machine_kernel.kernel_of(model, gamma).function


def stated_gamma(gamma: Any, X: Matrix) -> float:
    """Return the number that a gamma of scikit-learn is on some rows."""
    if gamma is not None and not isinstance(gamma, str):
        return float(gamma)
    spread = float(dense(X).var()) if gamma == "scale" else 1.0
    return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
