"""Linear classification of several classes with one hinge loss, solved to a gap.

Also known as: multiclass SVM, Crammer and Singer's machine, Weston and Watkins'
machine, single-machine multiclass.

With scores s = W x (and a constant feature for the intercept) minimise

    P(W) = 1/2 ||W||^2 + sum_i C_i L(s_i, y_i),   C_i = C w_i                        (1)
    L = max_k [e_k + s_k - s_y]            e_k = 1[k != y]      ('crammer_singer')   (2)
    L = sum_{k != y} max(0, 1 + s_k - s_y)                      ('weston_watkins')   (3)

Every row has dual variables alpha_i in R^K with sum 0, and W = sum_i alpha_i x_i'.  The
dual, of which every value bounds P from below, is

    D(alpha) = -1/2 ||W||^2 - sum_ik e_ik alpha_ik                                   (4)
    (2): alpha_ik <= C_i 1[k = y_i]        (3): -C_i <= alpha_ik <= 0 for k != y_i   (5)

It rises row by row, the rows in a new order in every round.  With A = ||x_i||^2 and B_k
= s_k + e_k - A alpha_ik the best alpha_i under (2) is

    alpha_ik = min(C_i 1[k = y_i], (beta - B_k)/A),                                  (6)
    beta the mean of the r largest D_k = B_k + A C_i 1[k = y_i], less A C_i / r      (7)

with the r at which the next D_k is no longer above beta.  Under (3) each pair (y, k)
moves by itself, within its bounds, by

    (1 - s_y + s_k) / (2 A)                                                          (8)

Rows with alpha_i = 0 whose margins hold are passed over until the next look at the gap,
which takes the scores of all rows.

P - D is the gap: the fit ends where it is at most tol P, and P is then at most tol of
itself above its minimum; W is within sqrt(2 (P - D)) of the best.  For two classes both
losses are the hinge, and w_1 - w_0 is the binary machine with 2 C; one machine for each
class against the rest solves another problem, whose classes do not compete.

It has no summation form: the rows are kept in memory with K numbers each.
`SGDClassifier(loss='hinge')` takes a stream of any size, one class against the rest.

The intercept is the weight of a constant feature, `intercept_scaling`, and penalised
like the others; a larger constant penalises it less.

Notation: W (K, d) = coef_ ((1, d) for two classes: w_1 - w_0); w_i = sample weights.
Course: S3-70. References: Crammer and Singer (2001); Weston and Watkins (1999); Keerthi
et al. (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.extmath import row_norms

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_memory, check_two_classes
from corollary.core.class_weights import class_weight_rule, stated_class_weights
from corollary.core.parameters import (
    boolean,
    one_of,
    real,
    seed,
    whole,
)
from corollary.core.randomness import entropy
from corollary.core.report import Optimality, Report, StopReason, stored_gap
from corollary.core.rows import rows_loop
from corollary.engine import Chunk
from corollary.engine.rows_learner import RowsLearner
from corollary.linear.linear_classifier import LinearClassifier
from corollary.linear.machine_statements import contest_problem
from corollary.linear.online.visits import VisitedRows, rows_to_visit
from corollary.objectives.multiclass_hinge import multiclass_hinge

__all__ = [
    "Contest",
    "CrammerSingerClassifier",
    "Machine",
    "account",
    "ascend",
    "contest",
    "machine_of",
]

ROUNDS = 10  # at most, from one look at the gap to the next


@dataclass(frozen=True)
class Contest:
    """Where a contest of the classes ended."""

    W: Floats  # (K, d), or (1, d) for two classes
    b: Floats  # (K,) or (1,)
    support: Vector  # rows with alpha_i not 0
    gap: float
    rounds: int
    stop: StopReason
    objective: tuple[float, ...]  # P after each look
    dtype: Any


@dataclass(frozen=True)
class Machine:
    """The problem, and the dual and primal variables that the loop changes."""

    rows: VisitedRows
    C: Floats  # (n,)
    squares: Floats  # (n,)
    constant: float
    sum: bool
    alpha: Floats  # (n, K)
    W: Floats  # (K, d)
    b: Floats  # (K,)

    def round(self, order: Vector) -> None:
        """Visit the rows, (6) or (8)."""
        X, y = self.rows.X, self.rows.y
        rows_loop(loops.hinge_round, loops.hinge_round_csr, X)(
            y,
            order.astype(np.int64, copy=False),
            self.C,
            self.squares,
            self.sum,
            self.constant,
            self.alpha,
            self.W,
            self.b,
        )

    def look(self) -> tuple[float, float, Vector]:
        """Return P, D and which rows are at rest, with W summed anew.

        A row rests where it costs nothing and pulls at nothing: (6) and (8) leave it
        alone until other rows have moved W towards it.
        """
        X, which, y = self.rows.X, self.rows.which, self.rows.y
        self.W[:] = np.asarray((X.T @ self.alpha).T)
        self.b[:] = self.constant * self.alpha.sum(axis=0)
        S = np.asarray(X @ self.W.T)[which] + self.constant * self.b
        form = "sum" if self.sum else "largest"
        losses = multiclass_hinge(S, y[which], form=form)
        half = 0.5 * float((self.W**2).sum() + self.b @ self.b)
        P = half + float(self.C[which] @ losses)  # (1)
        others = self.alpha.sum() - self.alpha[np.arange(len(y)), y].sum()
        at_rest = np.ones(len(y), dtype=bool)
        at_rest[which] = (losses == 0) & ~self.alpha[which].any(axis=1)
        return P, -half - float(others), at_rest  # (4)


class CrammerSingerClassifier(RowsLearner, LinearClassifier):
    """One linear machine for all classes, with the hinge loss of their contest.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violation; the larger, the less is the penalty worth.
    loss : {'crammer_singer', 'weston_watkins'}
        The largest violation (2) or the sum of them (3).
    tol : float, default=1e-4
        Stop when the gap is at most this share of P.
    fit_intercept : bool, default=True
        Whether there is a constant feature.
    intercept_scaling : float, default=1.0
        The constant feature.
    class_weight : dict, 'balanced' or None
        Weight of each class; 'balanced' gives all classes the same total.
    max_iter : int, default=1000
        Rounds over the rows.
    random_state : int, RandomState or None, default=0
        Seed of the orders.

    Attributes
    ----------
    classes_ : array of shape (K,)
    coef_ : array of shape (K, d), or (1, d) for two classes
    intercept_ : array of shape (K,) or (1,)
    n_iter_ : int
        Rounds.
    support_ : array
        Rows with alpha_i not 0: the others could be left out.
    n_features_in_ : int
    report_ : Report
        With the gap.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import CrammerSingerClassifier
    >>> X = np.array([[0.0, 2.0], [0, 3], [2, -1], [3, -1], [-2, -1], [-3, -2]])
    >>> model = CrammerSingerClassifier().fit(X, [0, 0, 1, 1, 2, 2])
    >>> model.predict([[0.0, 9.0], [9.0, 0.0], [-9.0, 0.0]]).tolist()
    [0, 1, 2]
    """

    takes_sparse = True
    shapes: ClassVar = {"classes_": "K", "coef_": "m d", "intercept_": "m"}
    rules: ClassVar = {
        "C": real(0, ends="(]"),
        "loss": one_of("crammer_singer", "weston_watkins"),
        "tol": real(0, ends="(]"),
        "fit_intercept": boolean,
        "intercept_scaling": real(0, ends="(]"),
        "class_weight": class_weight_rule,
        "max_iter": whole(1),
        "random_state": seed,
    }

    convex_problem = contest_problem

    def __init__(
        self,
        *,
        C: float = 1.0,
        loss: str = "crammer_singer",
        tol: float = 1e-4,
        fit_intercept: bool = True,
        intercept_scaling: float = 1.0,
        class_weight: Any = None,
        max_iter: int = 1000,
        random_state: Any = 0,
    ) -> None:
        self.C = C
        self.loss = loss
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.random_state = random_state

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the dual variables, and a copy of the rows."""
        return rows * (
            8.0 * features + 8.0 * len(getattr(self, "classes_", [])) + 100.0
        )

    # -- learning ------------------------------------------------------------------
    def learn(self, rows: Chunk, report: Report) -> None:
        """Raise (4) until the gap is closed."""
        check_two_classes(self)
        constant = float(self.intercept_scaling) if self.fit_intercept else 0.0
        draw = entropy(self.random_state)
        end = contest(self, rows, self.loss, constant, int(self.max_iter), draw)
        account(end, report)
        self.coef_, self.intercept_ = end.W.astype(end.dtype), end.b.astype(end.dtype)
        self.n_iter_, self.support_ = end.rounds, end.support


def contest(
    learner: Any, chunk: Chunk, loss: str, constant: float, max_iter: int, draw: int
) -> Contest:
    """Raise (4) until the gap is closed; the learner has C, tol and class_weight."""
    K, dtype = len(learner.classes_), chunk.X.dtype
    totals = np.bincount(chunk.y, chunk.w, minlength=K).astype(np.float64)
    prices = learner.C * stated_class_weights(learner, totals)
    machine = machine_of(learner, chunk, prices, loss, constant, draw)
    trace, gap, rounds = ascend(machine, max_iter, learner.tol, draw)
    P, W, b = trace[-1], machine.W, machine.b * constant
    closed = gap <= learner.tol * P
    stop = StopReason.CONVERGED if closed else StopReason.MAX_PASSES
    if K == 2:
        W, b = W[1:] - W[:1], b[1:] - b[:1]
    support = np.flatnonzero((machine.alpha != 0).any(axis=1))
    gap = stored_gap(max(gap, 0.0), P, dtype)
    return Contest(W, b, support, gap, rounds, stop, tuple(trace), dtype)


def ascend(
    machine: Machine, max_iter: int, tol: float, draw: int
) -> tuple[list[float], float, int]:
    """Raise (4) from where it is; return P after each look, P - D and the rounds."""
    rounds, pause = 0, 1
    trace: list[float] = []
    P, D, at_rest = machine.look()
    while rounds < max_iter:
        for _ in range(min(pause, max_iter - rounds)):
            order = machine.rows.order(draw, rounds)
            machine.round(order[~at_rest[order]])
            rounds += 1
        pause = min(2 * pause, ROUNDS)
        P, D, at_rest = machine.look()
        trace.append(P)
        if P - D <= tol * P:
            break
    return trace, P - D, rounds


def account(end: Contest, report: Report) -> None:
    """Report how a contest ended."""
    P = end.objective[-1] if end.objective else 0.0
    relative = end.gap / P if P > 0 else 0.0
    report.stop, report.passes = end.stop, end.rounds
    report.objective = list(end.objective)
    report.optimality = Optimality("duality gap", end.gap, relative)
    report.facts["n_support_rows"] = len(end.support)


def machine_of(
    who: Any, chunk: Chunk, prices: Floats, loss: str, constant: float, draw: int
) -> Machine:
    """Set up the problem with a price C of each class, rows in their own order."""
    rows = rows_to_visit(chunk, shuffle=True, seed=draw)
    n, K, d = chunk.n, len(prices), chunk.X.shape[1]
    what, remedy = "the dual variables of all rows", "Use SGDClassifier."
    check_memory(who, 8.0 * n * K, what, remedy)
    C = np.zeros(n)
    C[rows.which] = rows.weights()
    codes = np.ascontiguousarray(chunk.y, dtype=np.int32)
    C *= prices[codes]
    X, summed = chunk.X, loss == "weston_watkins"
    squares = row_norms(X.astype(np.float64), squared=True) + constant**2
    alpha = np.zeros((n, K))
    for i in np.flatnonzero(squares <= 0):  # rows of zeros move nothing: they cost C
        others = [k for k in range(K) if k != codes[i]]
        others = others if summed else others[:1]
        alpha[i, others] = -C[i]
        alpha[i, codes[i]] = C[i] * len(others)
    rows = VisitedRows(X, codes, rows.which, rows.weight, True, rows.first_row)
    W, b = np.zeros((K, d)), np.zeros(K)
    return Machine(rows, C, squares, constant, summed, alpha, W, b)
