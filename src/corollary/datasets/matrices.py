"""Small matrices that show one thing: lost digits, shattered sets."""

from __future__ import annotations

import numpy as np

__all__ = ["concepts", "lauchli"]


def lauchli(n: int = 3, epsilon: float = 1e-9) -> np.ndarray:
    """Make Lauchli's matrix ``[1 | epsilon I]``, whose Gram matrix loses its rank.

    In exact arithmetic ``X X'`` has eigenvalues ``n + epsilon^2`` once and
    ``epsilon^2`` otherwise; formed in floating point with ``epsilon^2`` below the
    rounding unit it is the matrix of ones, of rank 1.  Singular values of X itself
    keep their digits.

    Parameters
    ----------
    n : int
        Number of rows; there are n + 1 columns.
    epsilon : float
        The small entry.

    Returns
    -------
    ndarray of shape (n, n + 1)

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import lauchli
    >>> X = lauchli()
    >>> int(np.linalg.matrix_rank(X @ X.T)), int(np.linalg.matrix_rank(X))
    (1, 3)
    """
    return np.hstack([np.ones((n, 1)), epsilon * np.eye(n)])


def concepts() -> np.ndarray:
    """Tabulate four concepts on three points, one concept a row.

    The first point with either other one is shattered, the last two together are not,
    so the Vapnik-Chervonenkis dimension is 2.

    Returns
    -------
    ndarray of int, shape (4, 3)

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import concepts
    >>> len(np.unique(concepts()[:, [0, 2]], axis=0)), len(np.unique(concepts()[:, 1:]))
    (4, 2)
    """
    return np.array([[1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])
