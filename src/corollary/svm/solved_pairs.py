"""What the machines of pairs found: the rows' roles, the layout, the report.

By its margin m_i = y_i g(x_i), g as in `pairs.py`, every row of a pair has a role

    outside        m_i > 1,  beta_i = 0          inside         0 <= m_i < 1
    on the margin  m_i = 1,  0 < |beta_i| < C_i  misclassified  m_i < 0          (1)

the sets O, M and I (inside or misclassified) of the textbook; max(0, 1 - m_i) is the
row's slack.  Where M is empty every b = -rho between two numbers is optimal, and the
middle is taken.

A support vector of class a has one coefficient in each of its K - 1 machines, laid out
as scikit-learn does: dual_coef_[b - 1] for a < b and dual_coef_[b] for b < a.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.records import changed
from corollary.core.report import Report
from corollary.kernels.dual_search import report_search
from corollary.kernels.machine_kernel import TrainingRows
from corollary.solvers import smo
from corollary.svm.machine import (
    check_published,
    keep_expansion,
    report_roles,
    report_support,
)

__all__ = ["ROLES", "SolvedPair", "publish_pairs", "report_pairs", "wide_enough"]

ROLES = ("outside", "margin", "inside", "misclassified")
LOST = 1e-3  # most that a score may lose to rounding in float32


@dataclass(frozen=True)
class SolvedPair:
    """One machine: everything of the rows of two classes."""

    rows: Vector  # (m,) their numbers
    s: Floats  # (m,) -1 and +1
    beta: Floats  # (m,)
    bound: Floats  # (m,) the largest |beta|
    h: Floats  # (m,) K beta
    ends: Floats  # (2,) every rho between them is optimal
    primal: float
    optimum: smo.Optimum

    @property
    def rho(self) -> float:
        """Return the middle of the offsets that are optimal."""
        return float(self.ends[0] + self.ends[1]) / 2

    @property
    def margins(self) -> Floats:
        """Return m of (1)."""
        return self.s * (self.h - self.rho)

    @property
    def norm(self) -> float:
        """Return ||w||^2."""
        return float(self.beta @ self.h)

    def roles(self) -> Vector:
        """Return what (1) says of each row, as a number in `ROLES`."""
        used = self.beta != 0
        roles = used.astype(np.int8)
        roles[used & (np.abs(self.beta) >= self.bound)] = 2
        roles[self.margins < 0] = 3
        return roles


def publish_pairs(machine: Any, data: TrainingRows, solved: list[SolvedPair]) -> None:
    """Sort what the pairs found by class, as scikit-learn lays it out."""
    K, y, dtype = len(machine.classes_), data.y, data.X.dtype
    coefficients = np.zeros((K - 1, data.n))
    for (a, b), one in zip(itertools.combinations(range(K), 2), solved, strict=True):
        of_a = y[one.rows] == a
        coefficients[b - 1, one.rows[of_a]] = one.beta[of_a]
        coefficients[a, one.rows[~of_a]] = one.beta[~of_a]
    used = np.flatnonzero(coefficients.any(axis=0))
    support = used[np.argsort(y[used], kind="stable")]
    keep_expansion(machine, data, support, coefficients[:, support])
    machine.n_support_ = np.bincount(y[support], minlength=K).astype(np.int32)
    ends = -np.array([one.ends[::-1] for one in solved])
    machine.intercept_interval_ = ends.astype(dtype)
    machine.intercept_ = (ends.sum(axis=1) / 2).astype(dtype)
    steps = [one.optimum.steps for one in solved]
    machine.n_iter_ = np.array(steps, dtype=np.int32)
    check_published(machine, data.X)
    if len(solved) == 1:
        one = solved[0]
        machine.roles_ = one.roles()
        machine.slack_ = np.maximum(0.0, 1 - one.margins).astype(dtype)
        machine.margin_ = float(1 / np.sqrt(one.norm)) if one.norm > 0 else np.inf


def report_pairs(
    machine: Any, solved: list[SolvedPair], rows: int, report: Report
) -> None:
    """Report the gap, the margin, and the roles (1) of the rows."""
    optima = [one.optimum for one in solved]
    report_search(optima, sum(one.primal for one in solved), report)
    report_support(machine, [(one.beta, one.bound) for one in solved], rows, report)
    if len(solved) > 1:
        roles = np.concatenate([one.roles() for one in solved])
        return report_roles(ROLES, roles, report)
    report_roles(ROLES, machine.roles_, report)
    report.facts["margin"] = machine.margin_
    if solved[0].ends[0] < solved[0].ends[1]:
        interval = machine.intercept_interval_[0].tolist()
        report.facts["intercept_interval"] = interval
    return None


def wide_enough(data: TrainingRows, solved: list[SolvedPair]) -> TrainingRows:
    """Return float32 rows in float64 where coefficients are too large for float32."""
    X = data.X
    if X.dtype == np.float64:
        return data
    large = max(float(np.linalg.norm(one.beta)) for one in solved)
    norms = np.abs(data.kernel.square_norms(X))
    lost = np.finfo(X.dtype).eps * large * float(norms.max())
    return changed(data, X=X.astype(np.float64)) if lost > LOST else data
