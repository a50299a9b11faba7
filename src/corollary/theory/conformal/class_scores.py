"""How badly a class suits a row, by the probabilities of a classifier.

With p_c the probability of class c at x, and r(y) the number of classes whose
probability is at least p_y,

    threshold (LAC):   s(x, y) = 1 - p_y                                         (1)
    adaptive (APS):    s(x, y) = sum_{c: p_c >= p_y} p_c - (1 - u) p_y           (2)
    regularised:       (2) + penalty * max(0, r(y) - free)                       (3)

A set is { y : s(x, y) <= q }.  (1) gives the smallest sets on average, (2) sets that
grow where the row is hard, (3) the same without their long tails.  With u uniform in
[0, 1], one for each row, (2) makes coverage exact; u = 1 is the same without chance,
and sets a little larger.

(2) and (3) rise as p_y falls.  So one sort of a row's probabilities gives all of its
scores, and the set is cut off by a probability: with p_(1) >= ... >= p_(K), it is

    { y : p_y > p_(m+1) },   m = number of scores in that order that are <= q    (4)

Notation: P (n, K), probabilities; u (n,); q, threshold, or one for each row.
References: Sadinle, Lei and Wasserman (2019); Romano, Sesia and Candes (2020);
Angelopoulos, Bates, Malik and Jordan (2021).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector

__all__ = ["ClassScore"]


@dataclass(frozen=True)
class ClassScore:
    """One of the scores (1) to (3)."""

    kind: str  # "lac", "aps", "raps"
    penalty: float = 0.0  # of (3)
    free: int = 0  # ranks without a penalty

    def of_labels(self, P: Floats, codes: Vector, u: Any = None) -> Floats:
        """Return the score of each row's own class, (n,)."""
        rows = np.arange(len(P))
        own = P[rows, codes]
        if self.kind == "lac":
            return 1 - own
        p = _falling(P)
        last = (P >= own[:, None]).sum(axis=1) - 1
        return self._in_order(p, u)[rows, last]

    def of_all(self, P: Floats, u: Any = None) -> Floats:
        """Return the score of every class, (n, K)."""
        if self.kind == "lac":
            return 1 - P
        order = np.argsort(-P, axis=1)
        p = np.take_along_axis(P, order, axis=1)
        s = self._in_order(p, u)
        for j in range(P.shape[1] - 2, -1, -1):  # equal ones score as their last
            np.copyto(s[:, j], s[:, j + 1], where=p[:, j] == p[:, j + 1])
        found = np.empty_like(s)
        np.put_along_axis(found, order, s, axis=1)
        return found

    def sets(self, P: Floats, q: Any, u: Any = None) -> Vector:
        """Return which classes score at most q, a number or (n, 1), by (4)."""
        if self.kind == "lac":
            return 1 - P <= q
        p = _falling(P)
        m = (self._in_order(p, u) <= q).sum(axis=1)
        ends = np.column_stack([p, np.full(len(p), -np.inf)])
        return P > ends[np.arange(len(p)), m][:, None]

    def _in_order(self, p: Floats, u: Any) -> Floats:
        """Return (2) or (3) of classes in the order of falling probabilities."""
        s = np.cumsum(p, axis=1)
        if u is not None:
            s -= (1 - u)[:, None] * p
        if self.kind == "raps":
            ranks = np.arange(1, p.shape[1] + 1)
            s += self.penalty * np.maximum(0, ranks - self.free)
        return s


def _falling(P: Floats) -> Floats:
    return np.sort(P, axis=1)[:, ::-1]
