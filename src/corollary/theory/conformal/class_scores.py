"""How badly a class suits a row, by the probabilities of a classifier.

With p_c the probability of class c at x, and r(y) the number of classes whose
probability is at least p_y,

    threshold (LAC):   s(x, y) = 1 - p_y                                         (1)
    adaptive (APS):    s(x, y) = sum_{c: p_c >= p_y} p_c - p_y + u p_y           (2)
    regularised:       (2) + penalty * max(0, r(y) - free)                       (3)

A set is { y : s(x, y) <= q }.  (1) gives the smallest sets on average, (2) sets that
grow where the row is hard, (3) the same without their long tails.  Without chance, u is
0: (2) is the probability of the classes that are likelier than y, which is 0 for the
likeliest, so that no set is empty.  With u uniform in [0, 1], one for each row, no
scores are equal, and coverage is exact given the probabilities.

(2) and (3) rise as p_y falls.  So one sort of a row's probabilities gives all of its
scores s_(1) <= ... <= s_(K), and the set is cut off by the first probability whose
score is too large:

    C = { y : p_y > max{ p_(j) : s_(j) > q } },   p_(1) >= ... >= p_(K)          (4)

A few classes are sorted by a network of comparisons between columns, each over a whole
block of rows at once: the branches of a sort cost more than the comparisons saved.

Notation: P (n, K), probabilities; u (n,); q, threshold, or one for each row.
References: Sadinle, Lei and Wasserman (2019); Romano, Sesia and Candes (2020);
Angelopoulos, Bates, Malik and Jordan (2021).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector

__all__ = ["ClassScore"]

FEW = 32  # classes that a network sorts


@dataclass(frozen=True)
class ClassScore:
    """One of the scores (1) to (3)."""

    kind: str  # "lac", "aps", "raps"
    penalty: float = 0.0  # of (3)
    free: int = 0  # ranks without a penalty

    def of_labels(self, P: Floats, codes: Vector, u: Any = None) -> Floats:
        """Return the score of each row's own class, (n,)."""
        own = P[np.arange(len(P)), codes]
        if self.kind == "lac":
            return 1 - own
        found = np.empty(len(P))
        for p, s in self._in_order(P, u):  # equal ones score as their last
            np.copyto(found, s, where=p >= own)
        return found

    def of_all(self, P: Floats, u: Any = None) -> Floats:
        """Return the score of every class, (n, K)."""
        if self.kind == "lac":
            return 1 - P
        order = np.argsort(-P, axis=1)
        p, s = (
            np.column_stack(each) for each in zip(*self._in_order(P, u), strict=True)
        )
        for j in range(P.shape[1] - 2, -1, -1):  # equal ones score as their last
            np.copyto(s[:, j], s[:, j + 1], where=p[:, j] == p[:, j + 1])
        found = np.empty_like(s)
        np.put_along_axis(found, order, s, axis=1)
        return found

    def sets(self, P: Floats, q: Any, u: Any = None) -> Vector:
        """Return which classes score at most q, a number or (n,), by (4)."""
        if self.kind == "lac":
            return 1 - P <= np.reshape(q, (-1, 1))
        cut = np.full(len(P), -np.inf)
        for p, s in self._in_order(P, u):
            np.maximum(cut, np.where(s > q, p, -np.inf), out=cut)
        return P > cut[:, None]

    def _in_order(self, P: Floats, u: Any) -> Iterator[tuple[Floats, Floats]]:
        """Yield each rank's probability and score (2) or (3), of all rows at once."""
        total = np.zeros(len(P))
        for rank, p in enumerate(falling(P), start=1):
            s = total if u is None else total + u * p
            total = total + p
            over = self.penalty * max(0, rank - self.free)
            yield p, s + over if self.kind == "raps" else s


def falling(P: Floats) -> list[Floats]:
    """Return each row's probabilities from large to small, as K columns.

    >>> [column.tolist() for column in falling(np.array([[0.2, 0.5, 0.3]]))]
    [[0.5], [0.3], [0.2]]
    """
    n, K = P.shape
    if K > FEW:
        return list(np.ascontiguousarray(np.sort(P, axis=1).T)[::-1])
    columns, spare = list(P.T.copy()), np.empty(n)
    for i, j in network(K):
        a, b = columns[i], columns[j]
        np.minimum(a, b, out=spare)
        np.maximum(a, b, out=a)
        columns[j], spare = spare, b
    return columns


@cache
def network(K: int) -> tuple[tuple[int, int], ...]:
    """Return the comparisons of Batcher's merge exchange sort (Knuth, 5.2.2 M).

    >>> network(3)
    ((0, 2), (0, 1), (1, 2))
    """
    pairs = []
    top = p = 1 << max(0, (K - 1).bit_length() - 1)
    while p > 0:
        q, r, d = top, 0, p
        while True:
            pairs += [(i, i + d) for i in range(K - d) if i & p == r]
            if q == p:
                break
            q, r, d = q // 2, p, q - p
        p //= 2
    return tuple(pairs)
