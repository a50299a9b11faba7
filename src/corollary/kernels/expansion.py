"""Sums over kernels: the expansion that a kernel machine is.

g_j(x) = sum_s B_sj k(x, z_s)                                                (1)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.configuration import get_config
from corollary.core.errors import DataError, sentence
from corollary.engine.blocks import row_products
from corollary.kernels.gram import TileKernel, moved, packed, small_as_dense

__all__ = ["Kernel", "checked", "expansion", "square_norms"]

FEW = 64  # rows at a time when a user's kernel is asked for k(x, x)
QUERY_BYTES = 2**22  # of kernel values, or of centred rows, at a time

Kernel = Callable[[Matrix, Matrix], Floats]


def checked(who: Any, K: Any, expected: tuple[int, int]) -> Floats:
    """Return a user's kernel matrix as an array; refuse one of another shape."""
    K = K.toarray() if sp.issparse(K) else np.asarray(K)
    if K.shape != expected:
        must = f"kernel must return a matrix of shape {expected}"
        raise DataError(sentence(who, must, f"{K.shape}"))
    return K


def expansion(kernel: TileKernel, X: Matrix, Z: Matrix, B: Floats) -> Floats:
    """Return k(X, Z) B, some rows at a time, in the precision of X."""
    X, Z = small_as_dense(X), small_as_dense(Z)
    n, dtype = X.shape[0], X.dtype
    if sp.issparse(X) or sp.issparse(Z):
        step = max(6, QUERY_BYTES // (dtype.itemsize * max(1, *Z.shape)))
        some = (kernel(X[a : a + step], Z) for a in range(0, n, step))
        sums = [row_products(K, B) for K in some]
        return np.concatenate(sums).astype(np.float64)
    step = max(6, QUERY_BYTES // (dtype.itemsize * max(1, X.shape[1])))
    centre, tiles = packed(kernel, Z, dtype)
    threads = get_config().threads
    if centre is None:
        return tiles.sums(moved(X, None, dtype), B, threads)
    some = (moved(X[a : a + step], centre, dtype) for a in range(0, n, step))
    return np.concatenate([tiles.sums(part, B, threads) for part in some])


def square_norms(kernel: Kernel | None, X: Matrix) -> Floats:
    """Return k(x, x) of each row; X is the matrix itself where it is precomputed."""
    if kernel is None:
        return np.diagonal(X).astype(np.float64)
    if isinstance(kernel, TileKernel):
        return kernel.diagonal(X).astype(np.float64)
    parts = [X[a : a + FEW] for a in range(0, X.shape[0], FEW)]
    return np.concatenate([np.diagonal(kernel(part, part)) for part in parts])
