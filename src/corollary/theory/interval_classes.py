"""Unions of intervals on the line.

Also known as: k-intervals, finite unions of intervals.

A rule is a union of at most k closed intervals; a point is inside where one of them
holds it.  Sorted, labels with r runs of positives are realised by r intervals, each
from the first to the last point of a run, and by no fewer, since one interval that
holds two runs holds the negatives between.  So

    labels are possible   <=>   runs of positives <= k                             (1)

2k points have at most k runs and are shattered; of 2k + 1 points the labelling
+ - + ... + has k + 1: the VC dimension is 2k (one interval: 2, by + - +).  The class of
all finite unions, `k=None`, shatters every set: its dimension is infinite.  One
interval labels m points in exactly 1 + m(m + 1)/2 ways.

Notation: k = n_intervals.
Course: S0-55, S3-105. References: Blumer, Ehrenfeucht, Haussler, Warmuth (1989).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import missing, whole
from corollary.theory.hypothesis_class import HypothesisClass, Refutation, labels_of

__all__ = ["Intervals"]

RULE = missing | whole(1)


@dataclass(frozen=True)
class Intervals(HypothesisClass):
    """Unions of at most k closed intervals; parameters are pairs (low, high).

    Parameters
    ----------
    n_intervals : int or None, default=1
        k; None for any finite number.

    Examples
    --------
    >>> from corollary.theory import Intervals
    >>> two = Intervals(n_intervals=2)
    >>> two.witness([1.0, 2.0, 3.0, 4.0], [1, 0, 1, 1])
    ((1.0, 1.0), (3.0, 4.0))
    >>> two.vc_dimension, Intervals(n_intervals=None).vc_dimension
    (4, inf)
    """

    n_intervals: int | None = 1
    n_features = 1

    def __post_init__(self) -> None:
        if not RULE.holds(self.n_intervals):
            must = "n_intervals must be None or a whole number >= 1"
            raise ParameterError(sentence(self, must, f"{self.n_intervals!r}"))

    def construct(self, P: Floats, y: Vector) -> Any:
        """Put an interval around each run of positives (1)."""
        x, starts, ends = runs(P, y)
        if self.n_intervals is not None and len(starts) > self.n_intervals:
            return None
        pairs = zip(starts, ends, strict=True)
        return tuple((float(x[a]), float(x[b])) for a, b in pairs)

    def classify(self, parameters: Any, P: Floats) -> Vector:
        """Tell which points lie in some interval."""
        inside = np.zeros(len(P), dtype=bool)
        for low, high in parameters:
            inside |= (P[:, 0] >= low) & (P[:, 0] <= high)
        return inside

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Show + - + ... +: k + 1 positives with a negative between each two."""
        order = np.argsort(P[:, 0], kind="stable")
        changes = np.flatnonzero(np.diff(y[order], prepend=0))
        rows = order[changes[: 2 * int(self.n_intervals or 0) + 1]]
        need = len(runs(P, y)[1])
        reason = (
            f"{need} runs of positives need {need} intervals, and the class has "
            f"{self.n_intervals}"
        )
        return Refutation(labels_of(y), reason, labels_of(rows))

    def impossible(self, P: Floats) -> Refutation | None:
        """Alternate over the first 2k + 1 points of the line."""
        if self.n_intervals is None or len(P) <= 2 * self.n_intervals:
            return None
        order = np.argsort(P[:, 0], kind="stable")
        y = np.zeros(len(P), dtype=np.int64)
        y[order[: 2 * self.n_intervals + 1 : 2]] = 1
        return self.explain(P, y)

    def shattered_points(self, m: int) -> Any:
        """Return 0, 1, ..., m - 1 where m <= 2k."""
        return np.arange(float(m))[:, None] if m <= self.dimension() else None

    def dimension(self) -> float:
        """Return 2k."""
        return np.inf if self.n_intervals is None else 2 * int(self.n_intervals)


def runs(P: Floats, y: Vector) -> tuple[Floats, Vector, Vector]:
    """Return sorted points and where runs of positives begin and end, inclusive.

    Copies of a point have one label here and stand side by side.
    """
    order = np.argsort(P[:, 0], kind="stable")
    edges = np.diff(y[order], prepend=0, append=0)
    starts, ends = np.flatnonzero(edges == 1), np.flatnonzero(edges == -1) - 1
    return P[order, 0], starts, ends
