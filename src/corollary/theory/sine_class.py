"""Signs of sine waves: two parameters, infinite VC dimension.

Also known as: sign(sin(omega x + theta)), the one-parameter family that shatters.

A rule is sin(omega x + theta) > 0.  The points x_i = 10^-i are shattered, however many:
with labels t_i = +1 or -1, theta = 0 and

    omega = pi (1 + sum_i (1 - t_i)/2 10^i)                                      (1)

the product omega x_i is pi times an even number (t_i = 1) or an odd one (t_i = -1),
plus something between 0 and pi.  So a class with one parameter can have an infinite
dimension.  Yet not every set is shattered.  On three points with equal gaps h

    s(x + h) + s(x - h) = 2 cos(omega h) s(x)                                    (2)

so that +++-+ on equally spaced points asks for cos > 0 and cos < 0 at once: of the 32
labellings of 5 such points 28 are possible.

Points that are whole multiples a_i of a step h are decided exactly: only alpha =
omega h and theta modulo 2 pi matter, alpha in [0, pi] since (2 pi - alpha, pi - theta)
is the same rule, and the lines theta + a_i alpha = j pi cut that rectangle into cells
of equal labels, one of which has the labels or none.  Labels are realised strictly,
inside a cell.

Notation: alpha = omega h; a (m,) = points / h; t = labels as signs.
Course: S0-55, S1-46. References: Vapnik (1995); Burges (1998).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.theory.hypothesis_class import (
    HypothesisClass,
    Patterns,
    Refutation,
    labels_of,
)

__all__ = ["Sine", "Sines"]

MOST_DIGITS = 12  # of omega in (1) that float64 can carry
MOST_CROSSINGS = 200_000  # lines that meet, of points that are decided exactly
CLOSE = 1e-9  # relative, of points that are multiples of a step


class Sine(NamedTuple):
    """The rule sin(omega x + theta) > 0."""

    omega: float
    theta: float


@dataclass(frozen=True)
class Sines(HypothesisClass):
    """Signs of sine waves on the line; parameters are a `Sine`.

    Points must be powers 10^-i, i = 1 .. 12, or multiples of a common step.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import Sines, dichotomies
    >>> x, y = [0.1, 0.01, 0.001], [0, 1, 0]
    >>> wave = Sines().witness(x, y)
    >>> round(wave.omega / np.pi), Sines().predict(wave, x)
    (1011, array([0, 1, 0]))
    >>> len(dichotomies(Sines(), [1.0, 2.0, 3.0, 4.0, 5.0]))
    28
    >>> print(Sines().refutation([1.0, 2.0, 3.0, 4.0, 5.0], [1, 1, 1, 0, 1]))
    +++-+ is impossible: cos(omega h) must be above 0 by points 0, 1, 2 and below by \
2, 3, 4
    """

    n_features = 1

    def construct(self, P: Floats, y: Vector) -> Sine | None:
        """Compute omega by (1), or look through the cells."""
        wave = powers_of_ten(P[:, 0], y)
        if wave is not None and np.array_equal(self.classify(wave, P), y == 1):
            return wave
        if opposite_cosines(P[:, 0], y) is not None:
            return None
        for labels, wave in self._cells(P):
            if np.array_equal(labels, y):
                return wave
        return None

    def classify(self, parameters: Sine, P: Floats) -> Vector:
        """Tell where the wave is above 0."""
        return np.sin(parameters.omega * P[:, 0] + parameters.theta) > 0

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Show two triples that ask (2) for opposite cosines, or name the cells."""
        found = opposite_cosines(P[:, 0], y)
        if found is None:
            reason = "no cell of (omega, theta) has these labels"
            return Refutation(labels_of(y), reason, tuple(range(len(P))))
        above, below = found
        reason = (
            f"cos(omega h) must be above 0 by points {', '.join(map(str, above))} "
            f"and below by {', '.join(map(str, below))}"
        )
        return Refutation(labels_of(y), reason, tuple(sorted({*above, *below})))

    def shattered_points(self, m: int) -> Any:
        """Return 10^-1, ..., 10^-m."""
        return 10.0 ** -np.arange(1.0, m + 1)[:, None] if m <= MOST_DIGITS else None

    def dimension(self) -> float:
        """Return infinity."""
        return np.inf

    def patterns(self, P: Floats) -> Patterns:
        """List the labels of all cells; all there are for powers of ten."""
        x = P[:, 0]
        if powers_of_ten(x, np.zeros(len(x))) is not None:
            codes = np.arange(2 ** len(x))[:, None] >> np.arange(len(x)) & 1
            waves = tuple(powers_of_ten(x, code) for code in codes)
            return Patterns(codes, waves)
        found: dict[tuple[int, ...], Sine] = {}
        for labels, wave in self._cells(P):
            found.setdefault(labels_of(labels), wave)
        every = sorted(found)
        return Patterns(np.array(every), tuple(found[labels] for labels in every))

    def _cells(self, P: Floats) -> Iterator[tuple[Vector, Sine]]:
        """Visit a point inside each cell of (alpha, theta), alpha in [0, pi]."""
        a, h = multiples(self, P[:, 0])
        differences = {abs(int(p - q)) for p, q in combinations(a, 2)} - {0}
        meets = [np.arange(0, g + 1) / g for g in differences]
        alphas = np.unique(np.concatenate([[0.0, 1.0], *meets])) * np.pi
        for alpha in (alphas[:-1] + alphas[1:]) / 2:
            cuts = np.sort(
                np.concatenate([-a * alpha, -a * alpha + np.pi]) % (2 * np.pi)
            )
            thetas = (cuts + np.append(cuts[1:], cuts[0] + 2 * np.pi)) / 2
            for theta in thetas:
                labels = (np.sin(a * alpha + theta) > 0).astype(np.int64)
                yield labels, Sine(float(alpha / h), float(theta))


def powers_of_ten(x: Floats, y: Vector) -> Sine | None:
    """Return omega of (1) where the points are distinct powers 10^-i."""
    if x.min() <= 0 or x.max() > 0.5:
        return None
    i = np.rint(-np.log10(x))
    exact = np.allclose(x, 10.0**-i, rtol=CLOSE, atol=0)
    if not exact or i.max() > MOST_DIGITS or len(np.unique(i)) < len(i):
        return None
    return Sine(float(np.pi * (1 + ((1 - y) * 10.0**i).sum())), 0.0)


def multiples(who: object, x: Floats) -> tuple[Vector, float]:
    """Return whole numbers a and a step h with x = a h."""
    sizes = np.unique(np.abs(x[x != 0]))
    h = float(sizes[0]) if len(sizes) else 1.0
    for size in sizes[1:]:
        big, small = float(size), h
        while small > CLOSE * float(sizes[-1]):  # Euclid's algorithm, with rounding
            big, small = small, abs(big - round(big / small) * small)
        h = big
    a = np.rint(x / h)
    crossings = sum(abs(p - q) for p, q in combinations(a, 2))
    if crossings > MOST_CROSSINGS:
        must = "points must be 10^-i, or multiples of a step that is not too small"
        came = f"a step of {h:.3g} for points up to {np.abs(x).max():.3g}"
        raise DataError(sentence(who, must, came, "Use simpler points."))
    return a.astype(np.int64), h


def opposite_cosines(
    x: Floats, y: Vector
) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Find triples of one gap h whose labels ask for both signs of cos(omega h) (2)."""
    order = np.argsort(x, kind="stable")
    asked: dict[tuple[float, int], tuple[int, ...]] = {}
    for p, q, r in combinations(order.tolist(), 3):
        gap, other = float(x[q] - x[p]), float(x[r] - x[q])
        if y[p] != y[r] or abs(gap - other) > CLOSE * (gap + other):
            continue
        kind = 1 if y[p] == y[q] else -1  # the sign of the cosine
        for (h, before), triple in asked.items():
            if before == -kind and abs(h - gap) <= CLOSE * gap:
                return ((p, q, r), triple) if kind > 0 else (triple, (p, q, r))
        asked[(gap, kind)] = (p, q, r)
    return None
