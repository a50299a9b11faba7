"""Machines with one expansion: regression, and one class.

g(x) = sum_s b_s k(x, z_s) + intercept_                                      (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.report import Report
from corollary.engine.rows_learner import RowsLearner
from corollary.kernels.dual_search import report_search
from corollary.kernels.machine_kernel import TrainingRows, kernel_tags, warn_of_kernel
from corollary.solvers import smo
from corollary.svm.machine import (
    audit_expansion,
    check_published,
    dense_coefficients,
    expand,
    keep_expansion,
    linear_weights,
    query_rows,
    report_support,
)

__all__ = [
    "TUBE",
    "SingleMachine",
    "publish_expansion",
    "report_expansion",
    "report_share",
    "rows_by_depth",
    "scores",
]

SAMPLE = 400  # rows that show the likely outliers
TUBE = ("inside", "on", "outside")


class SingleMachine(RowsLearner):
    """A machine of one function (1)."""

    takes_sparse = True
    keeps_rows = True
    shapes: ClassVar[Mapping[str, str]] = {
        "support_": "s",
        "support_vectors_": "s d|0 0|s",
        "n_support_": "1",
        "dual_coef_": "1 s",
        "intercept_": "1",
    }
    kernel: Any
    support_: Vector
    n_support_: Vector
    intercept_: Floats

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(self, super().__sklearn_tags__())  # type: ignore[misc]

    @property
    def takes_objects(self) -> bool:
        """Whether rows may be texts and the like: where the kernel is a function."""
        return callable(self.kernel)

    def working_bytes(self, rows: int, features: int) -> float:
        """Estimate the variables of the machine at work, and copies of the rows."""
        return rows * (8.0 * features + 400.0)

    @property
    def coef_(self) -> Any:
        """Return the weights of the features, of a linear machine."""
        return linear_weights(self, dense_coefficients(self))

    def _audit(self) -> None:
        """Refuse learned arrays that do not belong together."""
        audit_expansion(self)
        if int(self.n_support_[0]) != len(self.support_):
            must = "The internal representation was altered: n_support_ must be "
            must += f"{len(self.support_)}"
            raise DataError(sentence(self, must, f"{self.n_support_[0]}"))


def publish_expansion(
    machine: Any, data: TrainingRows, b: Floats, intercept: float, steps: int
) -> None:
    """Set what users read."""
    support = np.flatnonzero(b)
    keep_expansion(machine, data, support, b[None, support])
    machine.n_support_ = np.array([len(support)], dtype=np.int32)
    machine.intercept_ = np.array([intercept], dtype=data.X.dtype)
    machine.n_iter_ = int(steps)
    check_published(machine, data.X)


def report_expansion(
    machine: Any,
    data: TrainingRows,
    o: smo.Optimum,
    primal: float,
    b: Floats,
    bound: Floats,
    report: Report,
) -> None:
    """Report the gap, the support vectors, and what is odd about the kernel."""
    report_search([o], float(primal), report)
    report_support(machine, [(b, bound)], data.n, report)
    warn_of_kernel(data, report)


def scores(machine: Any, X: Any) -> Floats:
    """Return (1) of each row."""
    check_is_fitted(machine)
    machine._audit()
    sums = expand(machine, query_rows(machine, X), dense_coefficients(machine).T)
    return sums[:, 0] + machine.intercept_[0]


# -- machines of a share nu of the rows ----------------------------------------------
def rows_by_depth(data: TrainingRows) -> Vector:
    """Order the rows by their mean kernel with a sample, the least first."""
    sample = np.arange(0, data.n, -(-data.n // SAMPLE))
    even = np.full(len(sample), 1 / len(sample))
    return np.argsort(data.sums(np.arange(data.n), sample, even), kind="stable")


def report_share(nu: float, w: Floats, roles: Vector, report: Report) -> None:
    """Report the property of nu; roles are 2 at the bound, 1 if free, 0 elsewhere."""
    report.facts["nu"] = nu
    for name, least in (("share_at_bound", 2), ("share_support", 1)):
        report.facts[name] = float(w[roles >= least].sum() / w.sum())
