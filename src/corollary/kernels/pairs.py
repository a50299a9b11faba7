"""Sums over the features of a function of two rows, for all pairs of rows.

    distance  sum |x - z|          chi-square    sum (x - z)^2 / (x + z)
    harmonic  sum 2 x z / (x + z)  intersection  sum min(x, z)                       (1)

`loops/pair_sums.cpp` adds them up in register tiles, on both cores.
"""

from __future__ import annotations

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats, Matrix
from corollary.core.configuration import get_config
from corollary.core.rows import dense
from corollary.kernels.gram import panels_of

__all__ = ["TERMS", "pair_sums"]

TERMS = ("distance", "chi-square", "harmonic", "intersection")


def pair_sums(term: str, X: Matrix, Z: Matrix) -> Floats:
    """Return the sums (1) of all pairs, (n, m)."""
    X, Z = np.ascontiguousarray(dense(X)), dense(Z)
    out = np.empty((len(X), len(Z)), X.dtype)
    panels = panels_of(Z.astype(X.dtype, copy=False))
    loops.pair_sums(X, panels, TERMS.index(term), out, get_config().threads)
    return out
