"""Rows of a kernel matrix for the solvers, computed as they are asked for.

    linear      u                                u = x'z                         (1)
    polynomial  (gamma u + coef0)^degree                                         (2)
    sigmoid     tanh(gamma u + coef0)                                            (3)
    gaussian    exp(-gamma ||x - z||^2)                                          (4)

These come from register tiles that take the kernel before anything is stored.  (4) does
not change when all points are shifted alike, so the points are centred first: less is
lost in ||x||^2 - 2 u + ||z||^2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Vector
from corollary.core.config import get_config

__all__ = ["KINDS", "TiledGram", "Tiles"]

KINDS = {"linear": 0, "poly": 1, "sigmoid": 2, "rbf": 3}


class Tiles:
    """Points packed as the columns of a kernel matrix."""

    def __init__(self, Z: Floats, kind: str, gamma: float, coef0: float, degree: int):
        self.kernel = (KINDS[kind], float(gamma), float(coef0), int(degree))
        self.n, d = Z.shape
        self.dtype = Z.dtype
        width = 64 // Z.itemsize
        padded = np.zeros((-(-self.n // width) * width, d), Z.dtype)
        padded[: self.n] = Z
        self.squares = np.einsum("ij,ij->i", padded, padded)
        panels = padded.reshape(-1, width, d).transpose(0, 2, 1)
        self.panels = np.ascontiguousarray(panels)

    def fill(self, X: Floats, out: Floats, slots: Vector) -> None:
        """Write k(X, Z) into out[slots]."""
        x2 = np.einsum("ij,ij->i", X, X)
        threads = get_config().threads
        loops.kernel_rows(
            X, x2, self.panels, self.squares, *self.kernel, out, slots, threads
        )


class TiledGram:
    """The kernel matrix of a set of points with itself."""

    def __init__(
        self,
        X: Floats,
        kind: str,
        gamma: float = 1.0,
        coef0: float = 0.0,
        degree: int = 3,
        dtype: Any = np.float32,
        columns: Vector | None = None,
    ) -> None:
        self._X, self._kernel = X, (kind, gamma, coef0, degree)
        self.dtype = np.dtype(dtype)
        centred = X - X.mean(axis=0, dtype=np.float64) if kind == "rbf" else X
        self._rows = np.ascontiguousarray(centred, dtype=dtype)
        Z = self._rows if columns is None else self._rows[columns]
        self._tiles = Tiles(Z, *self._kernel)
        self.n = len(Z)

    def fill(self, rows: Vector, out: Floats, slots: Vector) -> None:
        """Write K[rows, columns] into out[slots]."""
        self._tiles.fill(self._rows[rows], out, slots)

    def take(self, columns: Vector) -> TiledGram:
        """Return the matrix of some of the columns."""
        return TiledGram(self._X, *self._kernel, self.dtype, columns)

    def to(self, dtype: Any) -> TiledGram:
        """Return the same in another precision."""
        return TiledGram(self._X, *self._kernel, dtype)
