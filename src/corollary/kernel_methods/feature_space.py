"""Linear methods in a kernel's feature space: the rows they keep, and their expansions.

By the representer theorem what a penalised linear method finds in the space of phi,
k(x, z) = <phi(x), phi(z)>, lies in the span of the rows,

    h(x) = sum_i a_i k(x, x_i)                                                   (1)

so that the method needs no more than the matrix K_ij = k(x_i, x_j).  All n rows are
kept for prediction, and there is no summation form: a linear method on random Fourier
features or on Nystrom's is the relative that has.  `kernels/machine_kernel.py` has the
kernels by name.

References: Scholkopf, Herbrich and Smola (2001); Shawe-Taylor and Cristianini (2004).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.engine.blocks import row_products
from corollary.engine.executors.executor import single_threaded_blas
from corollary.engine.rows_learner import RowsLearner
from corollary.engine.sources.source import Chunk
from corollary.kernels.expansion import expansion
from corollary.kernels.gram import TileKernel, blocks
from corollary.kernels.machine_kernel import (
    TrainingRows,
    kernel_of,
    kernel_tags,
    training_rows,
)

__all__ = ["FeatureSpaceLearner", "expanded", "keep_rows", "kept_rows"]

FEW_COLUMNS = 8  # that are summed tile by tile, without a product
BLOCK_BYTES = 2**24  # of kernel values at a time, of kernels without tiles


class FeatureSpaceLearner(RowsLearner):
    """A linear method in feature space; keeps all rows as `X_fit_`."""

    takes_sparse = True
    keeps_rows = True
    kernel: Any
    X_fit_: Any
    rows_: Vector  # numbers of the columns that count, of a given matrix
    dual_coef_: Any
    gamma_: float

    def __sklearn_tags__(self) -> Any:
        return kernel_tags(self, super().__sklearn_tags__())  # type: ignore[misc]


def kept_rows(machine: Any, rows: Chunk) -> TrainingRows:
    """Read the kernel, and keep all rows; of a given matrix their numbers."""
    data = training_rows(machine, rows)
    keep_rows(machine, data, np.arange(data.n))
    return data


def keep_rows(machine: Any, data: TrainingRows, rows: Vector) -> None:
    """Keep some rows; of a given matrix their numbers among all."""
    given = data.kernel.function is None
    if given:
        machine.rows_ = data.numbers(rows)
    every = len(rows) == data.n
    X = data.X if every else data.X[rows]
    machine.X_fit_ = np.empty((0, 0), data.X.dtype) if given else X


def expanded(machine: Any, X: Any, *, transposed: bool = False) -> Floats:
    """Return (1) for one or several columns of coefficients, as precise as X."""
    check_is_fitted(machine)
    X, A = machine._query(X), machine.dual_coef_
    A = A.T if transposed else A
    B = (A if A.ndim == 2 else A[:, None]).astype(X.dtype)
    tile = kernel_of(machine, machine.gamma_).function
    if isinstance(tile, TileKernel) and B.shape[1] <= FEW_COLUMNS:
        sums = expansion(tile, X, machine.X_fit_, B).astype(X.dtype)
    else:
        parts = kernel_blocks(machine, X)
        sums = np.concatenate([row_products(K, B.astype(K.dtype)) for K in parts])
    return sums.reshape(len(sums), *A.shape[1:])


def kernel_blocks(machine: Any, X: Matrix) -> Iterator[Floats]:
    """Yield the kernel of some rows at a time with all that were kept."""
    kernel, Z = kernel_of(machine, machine.gamma_).function, machine.X_fit_
    if kernel is None:
        yield np.asarray(X[:, machine.rows_])
        return
    if isinstance(kernel, TileKernel):
        yield from blocks(kernel, X, Z)
        return
    step = max(1, BLOCK_BYTES // (8 * Z.shape[0]))
    for a in range(0, X.shape[0], step):
        with single_threaded_blas():
            K = kernel(X[a : a + step], Z)
        yield K
