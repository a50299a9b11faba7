"""Machines with one expansion: regression, and one class.

g(x) = sum_s b_s k(x, z_s) + intercept_                                      (1)
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import missing, real
from corollary.core.report import Report
from corollary.engine.sources.source import Chunk
from corollary.kernels.expansion import Kernel
from corollary.svm.machine import KernelMachine

__all__ = ["TUBE", "SingleMachine", "tell_roles"]

SAMPLE = 400  # rows that tell the likely outliers
TUBE = ("inside", "on", "outside")


class SingleMachine(KernelMachine):
    """A machine of one function (1)."""

    single_rules: ClassVar = {
        **KernelMachine.kernel_rules,
        "max_seconds": missing | real(0, ends="(]"),
    }
    shapes: ClassVar[Mapping[str, str]] = {
        "support_": "s",
        "support_vectors_": "s d|0 0|s",
        "n_support_": "1",
        "dual_coef_": "1 s",
        "intercept_": "1",
    }
    intercept_: Floats
    roles_: Vector
    nu: float

    def _publish(self, X: Matrix, b: Floats, intercept: float, steps: int) -> None:
        """Set what users read."""
        support = np.flatnonzero(b)
        self._keep(X, support, b[None, support])
        self.n_support_ = np.array([len(support)], dtype=np.int32)
        self.intercept_ = np.array([intercept], dtype=X.dtype)
        self.n_iter_ = int(steps)
        if not np.isfinite(intercept):
            must = "The dual coefficients or intercepts are not finite; X must be small"
            raise DataError(sentence(self, must, f"up to {np.abs(X).max():.3g}"))

    def _audit(self) -> None:
        """Refuse learned arrays that do not belong together."""
        self._audit_expansion()
        if int(self.n_support_[0]) != len(self.support_):
            must = "The internal representation was altered: n_support_ must be "
            must += f"{len(self.support_)}"
            raise DataError(sentence(self, must, f"{self.n_support_[0]}"))

    # -- machines of a share nu of the rows --------------------------------------------
    def _weighed(self, rows: Chunk) -> tuple[Matrix, Floats]:
        """Return the rows that weigh something, and their weights."""
        X, w = rows.X, rows.w
        if w is None:
            return X, np.ones(X.shape[0])
        keep = w > 0
        return X if keep.all() else X[keep], w[keep].astype(np.float64)

    def _by_depth(self, kernel: Kernel | None, X: Matrix) -> Vector:
        """Order the rows by their mean kernel with a sample, the least first."""
        n = X.shape[0]
        sample = np.arange(0, n, -(-n // SAMPLE))
        even = np.full(len(sample), 1 / len(sample))
        return np.argsort(
            self._kernel_sums(kernel, X, np.arange(n), sample, even), kind="stable"
        )

    def _tell_share(self, name: str, w: Floats, report: Report) -> None:
        """Report the property of nu; roles are 2 at the bound, 1 if free."""
        share = [float(w[self.roles_ >= r].sum() / w.sum()) for r in (2, 1)]
        text = f"{share[0]:.1%} {name} <= {self.nu:.1%} <= {share[1]:.1%} "
        report.facts["nu"] = text + "support vectors"

    @property
    def coef_(self) -> Any:
        """Return the weights of the features, of a linear machine."""
        self._only_linear()
        return self._published(self._coefficients() @ self.support_vectors_)

    def _scores(self, X: Any) -> Floats:
        """Return (1) of each row."""
        check_is_fitted(self)
        self._audit()
        return self._expand(X, self._coefficients().T)[:, 0] + self.intercept_[0]


def tell_roles(names: tuple[str, ...], roles: Vector, report: Report) -> None:
    """Report how many rows have each role."""
    counts = np.bincount(roles, minlength=len(names))
    words = (f"{n} {name}" for n, name in zip(counts, names, strict=True))
    report.facts["roles"] = ", ".join(words)
