"""The convex problems of a machine for pairs of classes, one for each pair."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Matrix
from corollary.core.class_weights import stated_class_weights
from corollary.core.rows import dense
from corollary.kernels.kernel_problem import (
    kernel_problem,
    stated_kernel,
    support_rows,
)
from corollary.solvers.convex_problem import Box, Problems

__all__ = ["pair_problems"]


def pair_problems(
    machine: Any,
    X: Matrix,
    y: Any,
    price: Floats,
    box: Callable[[Floats, Floats, float], Box],
) -> Problems:
    """State the problem of every pair of classes.

    Parameters
    ----------
    machine : fitted machine
    X : array or CSR of shape (n, d)
    y : array of shape (n,)
        Labels.
    price : array of shape (n,)
        Of each row's slack, but for its class's weight.
    box : function of sides s, prices and sum |b|
        The box of two classes.
    """
    K, z = len(machine.classes_), np.searchsorted(machine.classes_, y)
    D = np.zeros((K - 1, len(z)))
    D[:, support_rows(machine, price)] = dense(machine.dual_coef_)
    kernel = stated_kernel(machine, X, price)
    totals = np.bincount(z, price, K).astype(float)
    price = price * stated_class_weights(machine, totals)[z]
    found: Problems = []
    for p, (a, c) in enumerate(itertools.combinations(range(K), 2)):
        rows = np.flatnonzero((z == a) | (z == c))
        b = np.where(z[rows] == a, D[c - 1, rows], D[a, rows])
        s = np.where(z[rows] == (c if K == 2 else a), 1.0, -1.0)
        part = box(s, price[rows], float(np.abs(b).sum()))
        rho = -float(np.ravel(machine.intercept_)[p])
        found.append(kernel_problem(machine, kernel, X, rows, part, b, rho=rho))
    return found
