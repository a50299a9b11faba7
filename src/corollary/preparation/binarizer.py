"""Thresholding: each entry becomes 0 or 1.

Also known as: binarisation, indicator features, step function.

    z_ij = 1 where x_ij > t,  else 0                                             (1)

Each entry is changed by itself: nothing is learned.  What a sparse row does not store
is 0 and stays 0, so that it needs t >= 0.

Notation: t = threshold.
Reference: Bishop (2006), 4.3.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix
from corollary.core.errors import DataError, sentence
from corollary.core.parameters import boolean, real
from corollary.preparation.stateless import Stateless, by_blocks

__all__ = ["Binarizer"]


class Binarizer(Stateless):
    """Set entries above a threshold to 1, the others to 0.

    Parameters
    ----------
    threshold : float, default=0.0
        t; not below 0 for sparse rows.
    copy : bool, default=True
        False lets `transform` write into X where X is an array of floats.

    Attributes
    ----------
    n_features_in_ : int
    report_ : Report

    Examples
    --------
    >>> from corollary import Binarizer
    >>> Binarizer(threshold=1.0).transform([[0.5, 1.0, 1.5]]).tolist()
    [[0.0, 0.0, 1.0]]
    """

    takes_sparse = True
    rules: ClassVar = {"threshold": real(), "copy": boolean}

    def __init__(self, *, threshold: float = 0.0, copy: bool = True) -> None:
        self.threshold = threshold
        self.copy = copy

    def transform(self, X: Any, copy: bool | None = None) -> Matrix:
        """Threshold entries (1).

        Parameters
        ----------
        X : array or sparse matrix of shape (n, d), or Source
        copy : bool, optional
            Instead of the parameter of that name.

        Returns
        -------
        array or sparse matrix of shape (n, d)
            In the precision of X; columns of a sparse matrix stay columns (CSC).
        """
        columns = getattr(X, "format", "") == "csc"
        X = self._rows(X)
        copy = self.copy if copy is None else copy
        if sp.issparse(X):
            return self._sparse(X, columns)

        def step(rows: Floats, out: Floats) -> None:
            np.copyto(out, rows > self.threshold)

        return by_blocks(step, X, None if copy or not X.flags.writeable else X)

    def _sparse(self, X: Any, columns: bool) -> Any:
        if self.threshold < 0:
            must = "threshold must be >= 0 for sparse rows: what they do not store is 0"
            raise DataError(sentence(self, must, f"{self.threshold:g}"))
        out = X.copy()
        out.data = (X.data > self.threshold).astype(X.dtype)
        out.eliminate_zeros()
        return out.tocsc() if columns else out
