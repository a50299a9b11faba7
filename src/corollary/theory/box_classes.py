"""Boxes with sides along the axes, and cuts along one axis.

Also known as: axis-aligned rectangles, hyper-rectangles; decision stumps, axis-parallel
cuts.

A box holds x where low_j <= x_j <= high_j for all j; the empty set is a box.  The
smallest box around the positives is inside every box that holds them, so

    labels are possible   <=>   that box holds no negative                           (1)

The 2n points +-e_j are shattered.  Of any 2n + 1 points take, for each coordinate, one
with the least and one with the largest value: these 2n at most span a box that holds
all points, so labelling them + and another point - is impossible.  The VC dimension is
2n; of rectangles in the plane 4.

A cut (stump) asks one coordinate, x_j > t, and may answer either way.  Labels are
possible where on some coordinate all positives lie on one side of all negatives.  The
sets of size floor(d/2) that cuts on one coordinate can make of d points are two, a
beginning and an end of their order.  To make all of them on n coordinates

    C(d, floor(d/2)) <= 2n                                                           (2)

must hold, which bounds the VC dimension.  The largest d of (2) is the dimension for
every n (Leboeuf, LeBlanc, Marchand); points that are shattered are given here for
n = 1 (d = 2), n = 2 (d = 3) and n = 3 (d = 4).

Notation: n = n_features; j = feature; t = threshold.
Course: S0-55, S3-105. References: Blumer, Ehrenfeucht, Haussler, Warmuth (1989);
Leboeuf, LeBlanc, Marchand (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import whole
from corollary.theory.hypothesis_class import HypothesisClass, Refutation, labels_of

__all__ = ["Box", "Boxes", "Cut", "Stumps"]

#: Points that cuts on 1, 2 and 3 coordinates shatter: their ranks on each.
CUT_POINTS = {
    1: [[0, 1]],
    2: [[0, 1, 2], [1, 0, 2]],
    3: [[0, 1, 2, 3], [3, 0, 1, 2], [1, 3, 0, 2]],
}


class Box(NamedTuple):
    """A box; low above high where it is empty."""

    low: tuple[float, ...]
    high: tuple[float, ...]


class Cut(NamedTuple):
    """The rule x_j > t, or x_j <= t where the polarity is -1."""

    feature: int
    threshold: float
    polarity: int


def check_features(who: object, n: Any) -> None:
    """Refuse a number of coordinates that is none."""
    if not whole(1).holds(n):
        must = "n_features must be a whole number >= 1"
        raise ParameterError(sentence(who, must, f"{n!r}"))


@dataclass(frozen=True)
class Boxes(HypothesisClass):
    """Boxes in n dimensions; parameters are a `Box`.

    Parameters
    ----------
    n_features : int, default=2

    Examples
    --------
    >>> from corollary.theory import Boxes
    >>> cross = [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]]
    >>> Boxes(2).witness(cross, [1, 0, 1, 0])
    Box(low=(0.0, 0.0), high=(1.0, 1.0))
    >>> print(Boxes(2).refutation(cross + [[0.0, 0.0]], [1, 1, 1, 1, 0]))
    ++++- is impossible: point 4 lies in the smallest box around the positives
    """

    n_features: int = 2

    def __post_init__(self) -> None:
        check_features(self, self.n_features)

    def construct(self, P: Floats, y: Vector) -> Box | None:
        """Take the smallest box around the positives (1)."""
        box = around(P[y == 1])
        return None if self.classify(box, P[y == 0]).any() else box

    def classify(self, parameters: Box, P: Floats) -> Vector:
        """Tell which points the box holds."""
        low, high = np.array(parameters.low), np.array(parameters.high)
        return np.asarray(((P >= low) & (P <= high)).all(axis=1))

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Name a negative inside, and the positives on the faces around it."""
        box = around(P[y == 1])
        i = int(np.flatnonzero((y == 0) & self.classify(box, P))[0])
        positives = np.flatnonzero(y == 1)
        reason = f"point {i} lies in the smallest box around the positives"
        rows = (i, *labels_of(positives[extremes(P[positives])]))
        return Refutation(labels_of(y), reason, rows)

    def impossible(self, P: Floats) -> Refutation | None:
        """Label the extreme points + and another one -."""
        ends = extremes(P)
        inside = np.setdiff1d(np.arange(len(P)), ends)
        if not len(inside):
            return None
        y = np.zeros(len(P), dtype=np.int64)
        y[ends] = 1
        return self.explain(P, y)

    def shattered_points(self, m: int) -> Any:
        """Return m of the points +-e_j."""
        cross = np.vstack([np.eye(self.n_features), -np.eye(self.n_features)])
        return cross[:m] if m <= len(cross) else None

    def dimension(self) -> float:
        """Return 2n."""
        return 2 * int(self.n_features)


@dataclass(frozen=True)
class Stumps(HypothesisClass):
    """Cuts along one of n axes, answering either way; parameters are a `Cut`.

    Parameters
    ----------
    n_features : int, default=1

    Examples
    --------
    >>> from corollary.theory import Stumps
    >>> Stumps(2).witness([[0.0, 5.0], [1.0, 3.0], [2.0, 4.0]], [1, 0, 1])
    Cut(feature=1, threshold=3.5, polarity=1)
    >>> [Stumps(n).vc_dimension for n in (1, 2, 3)]
    [2, 3, 4]
    """

    n_features: int = 1

    def __post_init__(self) -> None:
        check_features(self, self.n_features)

    def construct(self, P: Floats, y: Vector) -> Cut | None:
        """Find an axis on which the positives lie on one side."""
        if y.min() == y.max():
            return Cut(0, -np.inf, 1 if y[0] else -1)
        for j in range(self.n_features):
            for polarity in (1, -1):
                above, below = P[y == 1, j], P[y == 0, j]
                if polarity < 0:
                    above, below = below, above
                low, high = float(below.max()), float(above.min())
                if low < high:
                    middle = low + (high - low) / 2
                    return Cut(j, middle if middle < high else low, polarity)
        return None

    def classify(self, parameters: Cut, P: Floats) -> Vector:
        """Tell which points are on the positive side."""
        above = P[:, parameters.feature] > parameters.threshold
        return above if parameters.polarity > 0 else ~above

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Say that every axis mixes the labels."""
        reason = "on no axis do all positives lie on one side of all negatives"
        return Refutation(labels_of(y), reason, tuple(range(len(P))))

    def shattered_points(self, m: int) -> Any:
        """Return the first m points of a set known by heart, of up to 3 axes."""
        orders = CUT_POINTS[min(self.n_features, 3)]
        if m > len(orders[0]):
            return None
        P = np.zeros((m, self.n_features))
        for j, order in enumerate(orders):
            P[:, j] = np.argsort(order)[:m]
        return P

    def dimension(self) -> float:
        """Return the largest d of (2)."""
        d = 1
        while comb(d + 1, (d + 1) // 2) <= 2 * self.n_features:
            d += 1
        return d


def around(P: Floats) -> Box:
    """Return the smallest box around points, an empty one around none."""
    if not len(P):
        n = P.shape[1]
        return Box((np.inf,) * n, (-np.inf,) * n)
    return Box(tuple(P.min(axis=0).tolist()), tuple(P.max(axis=0).tolist()))


def extremes(P: Floats) -> Vector:
    """Return the points of least and of largest value on each axis, one of each."""
    return np.unique(np.concatenate([P.argmin(axis=0), P.argmax(axis=0)]))
