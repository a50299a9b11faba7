"""Rows, dense or CSR: how a compiled loop is called on either."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix

__all__ = ["dense", "rows_loop"]


def rows_loop(dense_loop: Any, csr_loop: Any, X: Matrix) -> Any:
    """Bind the rows to the loop for their kind."""
    if sp.issparse(X):
        return partial(
            csr_loop, X.data, X.indices.astype(np.int32, copy=False), X.indptr
        )
    return partial(dense_loop, X)


def dense(X: Matrix) -> Floats:
    """Return plain rows."""
    return X.toarray() if sp.issparse(X) else X
