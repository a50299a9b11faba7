"""How far a contest of K classes is from its optimum, by an ascent of the dual.

The loss is a hinge of K scores (`objectives/multiclass_hinge.py`).  A point of the dual
is v = -alpha/C of `svm/crammer_singer.py`, whose ascent is begun at the model.  Rows
that stay open are settled by a quadratic programme.

Course: S2-36. Reference: Crammer and Singer (2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.rows import dense
from corollary.engine import Chunk
from corollary.objectives.conditions import Conditions, largest
from corollary.objectives.multiclass_hinge import MulticlassHinge
from corollary.solvers.convex_problem import WHO, LinearStatement
from corollary.solvers.quadratic_programming import solve_qp
from corollary.svm.crammer_singer import Machine, ascend, machine_of

__all__ = ["CLOSED", "CORNER", "EPS", "NOISE", "WORK", "of_contest"]

CORNER = 1e-8  # how near to a corner a score is at it, as a share
CLOSED = 1e-10  # share of P below which a gap is closed
EPS = float(np.finfo(np.float64).eps)
NOISE = 16 * EPS  # what rounding may make of the sums of P and D
WORK = 2e11  # multiplications of a search
ROUNDS = 100  # of the ascent of a contest, between two looks at the rows that are open
TURNS = (3, 50)  # of both, at least and at most
NEAR = 1e-3  # share of a gap that more of them are worth
OPEN = 300  # unknowns of a quadratic programme


def of_contest(p: LinearStatement) -> tuple[float, Conditions]:
    """Return D and the conditions of a hinge of K scores, whose prices are o.

    Stationarity is W = sum_i alpha_i x_i', slackness a sum of L + L* - v'f = 0 for each
    row; v is in its domain.
    """
    assert isinstance(p.loss, MulticlassHinge)
    K, form = len(p.w), "weston_watkins" if p.loss.form == "sum" else "crammer_singer"
    machine = machine_of(WHO, Chunk(p.X, p.y, p.o), np.ones(K), form, 0.0, 0)
    f = p.scores()
    machine.alpha[:] = -machine.C[:, None] * p.loss.derivative(p.y, f)
    entries = p.X.nnz if hasattr(p.X, "nnz") else p.X.size
    dual, turns = 0.0, int(np.clip(WORK / (50 * ROUNDS * K * max(entries, 1)), *TURNS))
    primal = p.scale * p.value()
    for turn in range(turns):
        enough = max(NEAR * (primal - dual), CLOSED * primal)
        ascend(machine, ROUNDS, enough / primal, turn)
        machine.alpha[:] = within_bounds(machine.alpha, p.y, machine.C, p.loss)
        P, D, _ = machine.look()
        dual = max(dual, D)
        if P - D <= max(NEAR * (primal - dual), CLOSED * primal):
            break
        settle_rows(machine, p.loss)
    heavy = machine.C > 0
    v = -machine.alpha[heavy] / machine.C[heavy, None]
    y, f = np.asarray(p.y)[heavy], f[heavy]
    rows = p.loss.value(y, f) + p.loss.conjugate(y, v) - (v * f).sum(axis=1)
    apart = largest(np.abs(p.w - machine.W))
    missed = Conditions(apart, complementary_slackness=largest(rows))
    return max(dual - NOISE * primal, 0.0), missed


def settle_rows(machine: Machine, loss: MulticlassHinge) -> None:
    """Solve for the rows whose alpha is not where their scores alone put it.

    They are few near the optimum, and a quadratic programme gives what the ascent comes
    to slowly.
    """
    X, y, C, K = machine.rows.X, machine.rows.y, machine.C, len(machine.W)
    machine.look()
    scores = np.asarray(X @ machine.W.T)
    apart = np.abs(machine.alpha + C[:, None] * loss.derivative(y, scores)).max(axis=1)
    open_ = np.flatnonzero(apart > CORNER * C)
    m = len(open_)
    if not 0 < m * K <= OPEN:
        return
    Z, own = dense(X[open_]), np.arange(K) == y[open_][:, None]
    q = scores[open_] - Z @ (Z.T @ machine.alpha[open_]) + ~own
    high = np.where(own, C[open_][:, None], 0.0).ravel()
    G, h = np.eye(m * K), high
    if loss.form == "sum":
        rest = np.flatnonzero(~own)
        G, h = G[rest], h[rest]
        G, h = np.vstack([G, -G]), np.append(h, np.repeat(C[open_], K)[rest])
    P, A = np.kron(Z @ Z.T, np.eye(K)), np.kron(np.eye(m), np.ones(K))
    found = solve_qp(P, q.ravel(), A, np.zeros(m), G, h)
    alpha = found.x.reshape(m, K)
    machine.alpha[open_] = within_bounds(alpha, y[open_], C[open_], loss)


def within_bounds(alpha: Floats, y: Any, C: Floats, loss: MulticlassHinge) -> Floats:
    """Return dual variables beside alpha that meet their bounds to the last digit."""
    own = np.arange(alpha.shape[1]) == np.asarray(y)[:, None]
    others = np.where(own, 0.0, np.minimum(alpha, 0.0))
    if loss.form == "sum":
        others = np.maximum(others, -C[:, None])
    else:
        mass = np.maximum(-others.sum(axis=1), np.finfo(float).tiny)
        others *= np.minimum(C / mass, 1.0)[:, None]
    return others - own * others.sum(axis=1)[:, None]
