"""Bits that write down the labels of m points: a class that compresses can be learned.

Also known as: compression and learning, label compression, coding length of labels,
VC entropy bound.

Labels of m points take m bits.  Who knows that a class of VC dimension d made them
needs only the number of one labelling among all,

    bits(m) = log2 Pi(m)  <=  log2 Phi_d(m)  <=  d log2(e m / d)                 (1)

Up to m = d nothing is saved: any labels are possible, and the labels seen say nothing
of the next.  Beyond d the bits grow like d log2 m, a share of m that tends to 0: the
rest is predictable.  The new bits for one more label,

    bits(m) - bits(m - 1)                                                        (2)

fall from 1 towards d / (m ln 2).  Unions of any number of intervals, or of a sine,
never leave the first phase: they compress nothing and cannot be learned.

Notation: Pi the growth function; Phi_d of `sauer`.
Course: S0-58. Reference: Blumer, Ehrenfeucht, Haussler, Warmuth (1987), Occam's razor.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import numbers
from corollary.theory.calculator import whole_numbers
from corollary.theory.growth_function import ln_phi

__all__ = ["LabelBits", "label_bits"]


@dataclass(frozen=True)
class LabelBits:
    """Bits for the labels of m points, with a class and without.

    Attributes
    ----------
    m : array of int
        Points.
    bits : array
        log2 of the number of labellings (1).
    d : int or None
        VC dimension, where it was given.
    """

    m: Vector
    bits: Floats
    d: int | None = None

    @property
    def share(self) -> Floats:
        """Bits for each label: 1 where nothing is compressed, towards 0 beyond."""
        return self.bits / self.m

    @property
    def compresses(self) -> Vector:
        """Whether fewer bits than labels suffice."""
        return self.bits < self.m * (1 - 1e-12)

    def __str__(self) -> str:
        last = f"{self.bits[-1]:.4g} bits for {self.m[-1]} labels"
        if not self.compresses.any():
            return f"{last}: nothing is compressed"
        first = self.m[int(np.argmax(self.compresses))]
        return f"{last}; compression begins at {first} points"

    def plot(self, ax: Any = None) -> Any:
        """Draw the bits over the points, beside one bit a label; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.m, self.m, linestyle=":", color="grey", label="one bit a label")
        ax.plot(self.m, self.bits, label="with the class")
        if self.d is not None:
            ax.axvline(self.d, linestyle="--", color="grey", label=f"d = {self.d}")
        ax.set(xlabel="points m", ylabel="bits", title="bits to write the labels")
        ax.legend()
        return ax


def label_bits(
    m: Any, *, d: int | None = None, growth: Callable[[int], Any] | None = None
) -> LabelBits:
    """Measure how far a class compresses the labels of m points (1).

    Parameters
    ----------
    m : int or vector of int
        Points.
    d : int, optional
        VC dimension: the labellings are at most Phi_d(m).
    growth : function of m -> int, optional
        Number of labellings of m points, in place of `d`.

    Returns
    -------
    LabelBits

    Examples
    --------
    >>> from corollary.theory import half_space_dichotomies, label_bits
    >>> print(label_bits(range(1, 101), d=3))
    17.35 bits for 100 labels; compression begins at 4 points
    >>> found = label_bits([3, 4, 5], growth=lambda m: half_space_dichotomies(m, 2))
    >>> found.bits.round(3).tolist()
    [3.0, 3.807, 4.459]
    """
    who = "label_bits"
    points = np.atleast_1d(whole_numbers(who, "m", list(m) if _many(m) else m))
    if (d is None) == (growth is None) or points.ndim != 1:
        must = "m must be a vector, and either d or growth must be given"
        came = f"shape {points.shape}, d {shown(d)} and growth {shown(growth)}"
        raise ParameterError(sentence(who, must, came))
    if growth is None:
        dimension = whole_numbers(who, "d", d, low=0)
        bits = ln_phi(dimension, points) / math.log(2)
        return LabelBits(points.astype(np.int64), bits, int(dimension))
    counts = [growth(int(one)) for one in points]
    if not all(isinstance(c, int | float | np.number) and c >= 1 for c in counts):
        must = "growth must return numbers >= 1"
        raise DataError(sentence(who, must, shown(counts[0])))
    bits = numbers(who, [math.log2(c) for c in counts], "growth")
    return LabelBits(points.astype(np.int64), bits)


def _many(m: Any) -> bool:
    return hasattr(m, "__iter__") and not isinstance(m, str)
