"""The convex problem of a fitted kernel machine: its dual, and the point found.

`solvers/convex_problem.py` has the equations.  The functions here take Corollary's
machines, and scikit-learn's of the same name: what they use both publish.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.rows import dense
from corollary.kernels.machine_kernel import MachineKernel, kernel_of, stated_gamma
from corollary.solvers.convex_problem import (
    Box,
    KernelStatement,
    from_here,
    not_handled,
    refuse,
)

__all__ = ["expansion_problem", "kernel_problem", "stated_kernel", "support_rows"]


def stated_kernel(machine: Any, X: Matrix, w: Floats) -> MachineKernel:
    """Return the kernel that a machine's parameters state now."""
    kernel = machine.kernel
    refuse(machine, "kernel", kernel == "sigmoid")  # whose matrices may be indefinite
    if not from_here(machine):
        known = ("linear", "poly", "rbf", "precomputed")
        if not callable(kernel) and kernel not in known:
            name = type(machine).__name__
            raise not_handled(f"scikit-learn's kernel={kernel!r} of {name}")
        return kernel_of(machine, stated_gamma(machine, X, None))
    gamma = stated_gamma(machine, X, w)
    same = np.isclose(gamma, machine.gamma_, rtol=1e-6, atol=0.0)  # but for rounding
    return kernel_of(machine, machine.gamma_ if same else gamma)


def support_rows(machine: Any, w: Floats) -> Vector:
    """Return the rows of the coefficients; LIBSVM counts no row of weight 0."""
    if not hasattr(machine, "support_"):
        every = len(dense(machine.dual_coef_)) == len(w)
        return np.arange(len(w)) if every else np.flatnonzero(w)
    support = np.asarray(machine.support_)
    return support if from_here(machine) else np.flatnonzero(w)[support]


def expansion_problem(
    machine: Any, X: Matrix, w: Floats, box: Box, **more: Any
) -> KernelStatement:
    """State the problem of a machine with one expansion."""
    b = np.zeros(X.shape[0])
    b[support_rows(machine, w)] = np.ravel(dense(machine.dual_coef_))
    rho = -float(np.ravel(getattr(machine, "intercept_", 0.0))[0])
    kernel, every = stated_kernel(machine, X, w), np.arange(X.shape[0])
    return kernel_problem(machine, kernel, X, every, box, b, **{"rho": rho, **more})


def kernel_problem(
    machine: Any,
    kernel: MachineKernel,
    X: Matrix,
    rows: Vector,
    box: Box,
    b: Floats,
    *,
    rho: float,
    factor: float = 1.0,
    width: float | None = None,
    most: float = 0.0,
    scale: float = 1.0,
) -> KernelStatement:
    """State the problem of one expansion on some rows, K = factor times k."""

    def times(B: Floats) -> Floats:
        used = np.flatnonzero(B.any(axis=1))
        if not len(used):
            return np.zeros(B.shape)
        Z, given = rows[used], kernel.function is None
        some = X[np.ix_(rows, Z)] if given else X[rows]
        return factor * kernel.sums(some, X[Z], B[used])

    unit = float(np.finfo(dense(machine.dual_coef_).dtype).eps)
    return KernelStatement(box, b, rho, times, unit, width, most, scale)
