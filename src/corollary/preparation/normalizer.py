"""Scaling of rows to norm 1.

Also known as: normalisation, unit norm, unit length, row scaling, projection on the
sphere.

    z_i = x_i / ||x_i||,   ||x|| = sum_j |x_j|,  sqrt(sum_j x_j^2) or max_j |x_j|    (1)

and a row of zeros stays.  The product of two rows of Euclidean norm 1 is their cosine.
Each row is scaled by itself: nothing is learned.  Squares that would vanish are made of
x / max |x|.

Notation: ||.|| = norm.
Reference: Salton, Wong, Yang (1975).
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.parameters import boolean, one_of
from corollary.preparation.stateless import Stateless, by_blocks

__all__ = ["Normalizer"]


class Normalizer(Stateless):
    """Scale each row to norm 1.

    Parameters
    ----------
    norm : {'l1', 'l2', 'max'}, default='l2'
        Sum of sizes, Euclidean norm, or largest size.
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats.

    Attributes
    ----------
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import Normalizer
    >>> Normalizer().transform([[3.0, 4.0], [0.0, 0.0]]).tolist()
    [[0.6, 0.8], [0.0, 0.0]]
    """

    takes_sparse = True
    rules: ClassVar = {"norm": one_of("l1", "l2", "max"), "copy": boolean}

    def __init__(self, norm: str = "l2", *, copy: bool = True) -> None:
        self.norm = norm
        self.copy = copy

    def transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Scale rows (1).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source
        copy : bool, optional
            Instead of the parameter of that name.

        Returns
        -------
        array or CSR matrix of shape (n, d)
            In the precision of X.
        """
        X = self._rows(X)
        copy = self.copy if copy is None else copy
        if sp.issparse(X):
            return scaled_rows(X, self.norm)

        def scale(rows: Floats, out: Floats) -> None:
            sizes = norms(rows, self.norm)
            np.divide(rows, np.where(sizes > 0, sizes, 1)[:, None], out=out)

        return by_blocks(scale, X, None if copy or not X.flags.writeable else X)


def norms(X: Floats, norm: str) -> Floats:
    """Return the norm of each row.

    >>> norms(np.array([[3.0, -4.0], [3e-200, 4e-200]]), "l2").tolist()
    [5.0, 5e-200]
    """
    if norm == "l1":
        return np.abs(X).sum(axis=1)
    if norm == "max":
        return np.maximum(X.max(axis=1), -X.min(axis=1))
    sizes = np.sqrt(np.einsum("ij,ij->i", X, X))
    small = np.flatnonzero(sizes < np.sqrt(np.finfo(X.dtype).tiny) * 1e8)
    if len(small):
        largest = norms(X[small], "max")
        unit = np.where(largest > 0, largest, 1)
        part = X[small] / unit[:, None]
        sizes[small] = np.sqrt(np.einsum("ij,ij->i", part, part)) * largest
    return sizes


def scaled_rows(X: Any, norm: str) -> Any:
    """Scale sparse rows."""
    counts = np.diff(X.indptr)
    rows = np.repeat(np.arange(X.shape[0]), counts)
    largest = np.zeros(X.shape[0], X.dtype)
    np.maximum.at(largest, rows, np.abs(X.data))
    unit = np.where(largest > 0, largest, 1)[rows]
    part = X.data / unit
    if norm != "max":
        powers = np.abs(part) if norm == "l1" else part * part
        sums = np.bincount(rows, powers, minlength=X.shape[0])[rows]
        sums[sums == 0] = 1
        part /= (sums if norm == "l1" else np.sqrt(sums)).astype(X.dtype)
    out = X.copy()
    out.data = part
    return out
