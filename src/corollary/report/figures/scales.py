"""Scales: from a value to its place on an axis, and the round numbers to mark there.

    linear       s(v) = (v - low) / (high - low)                                 (1)
    logarithmic  s(v) = log(v / low) / log(high / low),  low > 0                 (2)

Marks of (1) are multiples of 1, 2 or 5 times a power of ten; of (2) they are 1, 2 or 5
times powers of ten.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from corollary.report.formats import MINUS

__all__ = ["Scale", "linear", "logarithmic"]


@dataclass(frozen=True)
class Scale:
    """An axis.

    Attributes
    ----------
    low, high : float
        The ends.
    style : str
        How marks are written: "number", "share" or "count".
    log : bool
        Whether the axis is (2).
    given : pairs of value and text
        Marks that are no round numbers, such as dates and names.
    """

    low: float
    high: float
    style: str = "number"
    log: bool = False
    given: tuple[tuple[float, str], ...] = ()

    def share(self, value: float) -> float:
        """Return the place of a value, 0 to 1; values outside are put on the edge."""
        value = min(max(value, self.low), self.high)
        if self.log:
            return math.log(value / self.low) / math.log(self.high / self.low)  # (2)
        return (value - self.low) / (self.high - self.low)  # (1)

    def marks(self, most: int = 5) -> list[float]:
        """Return at most so many round numbers between the ends."""
        return self._log_marks(most) if self.log else self._linear_marks(most)

    def label(self, value: float, step: float | None = None) -> str:
        """Return how a mark is written."""
        if self.style == "share":
            percent = 100 * value
            size = 100 * step if step else 1.0
            return f"{percent:.{_decimals(size)}f}%".replace("-", MINUS)
        for size, letter in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
            if abs(value) >= size:
                unit = 1e3 if letter == "k" else size
                return f"{value / unit:,.4g}{letter}".replace("-", MINUS)
        if value != 0 and max(abs(value), step or 0) < 1e-3:
            return f"{value:.0e}".replace("e-0", "e-").replace("-", MINUS)
        decimals = _decimals(step) if step else 0
        text = f"{value:,.{decimals}f}" if step else f"{value:,.4g}"
        return text.replace("-", MINUS) if float(text.replace(",", "")) else "0"

    def labels(self, most: int = 5) -> list[tuple[float, str]]:
        """Return marks with what is written at them."""
        if self.given:
            return list(self.given)
        marks = self.marks(most)
        step = None
        if not self.log and len(marks) > 1:
            step = marks[1] - marks[0]
        return [(mark, self.label(mark, step)) for mark in marks]

    def _linear_marks(self, most: int) -> list[float]:
        rough = (self.high - self.low) / max(most, 1)
        power = 10 ** math.floor(math.log10(rough))
        step = next(s * power for s in (1, 2, 5, 10) if s * power >= rough * 0.999)
        first = math.ceil(self.low / step - 1e-9)
        last = math.floor(self.high / step + 1e-9)
        return [k * step for k in range(first, last + 1)]

    def _log_marks(self, most: int) -> list[float]:
        low = math.floor(math.log10(self.low))
        high = math.ceil(math.log10(self.high))
        for leads in ((1, 2, 5), (1, 3), (1,)):
            all_of = [a * 10.0**k for k in range(low, high + 1) for a in leads]
            inside = [v for v in all_of if self.low * 0.999 <= v <= self.high * 1.001]
            if len(inside) <= most:
                break
        if len(inside) > most:
            inside = inside[:: -(-len(inside) // most)]
        return inside if len(inside) > 1 else [self.low, self.high]


def linear(
    values: Iterable[float],
    *,
    style: str = "number",
    margin: float = 0.06,
    floor: float | None = None,
    ceiling: float | None = None,
) -> Scale:
    """Return the axis for some values, with a margin that ends at floor and ceiling.

    >>> [text for _, text in linear([0, 10], margin=0).labels()]
    ['0', '2', '4', '6', '8', '10']
    """
    values = list(values)
    low, high = (min(values), max(values)) if values else (0.0, 1.0)
    room = (high - low) * margin
    if not high - low > 1e-9 * max(abs(low), abs(high)):  # one value
        room = abs(high) * 0.1 or 1.0
    bottom, top = low - room, high + room
    if floor is not None and low >= floor:
        bottom = max(bottom, floor)
    if ceiling is not None and high <= ceiling:
        top = min(top, ceiling)
    return Scale(bottom, top if top > bottom else bottom + 1.0, style)


def logarithmic(values: Iterable[float], style: str = "count") -> Scale:
    """Return a logarithmic axis; a linear one where a value is not above 0."""
    values = list(values)
    if not values or min(values) <= 0 or max(values) < 1.5 * min(values):
        return linear(values, style=style)
    return Scale(min(values), max(values), style, log=True)


def _decimals(step: float) -> int:
    """Return the decimals that tell marks of this step apart."""
    return max(0, -math.floor(math.log10(abs(step)) + 1e-9)) if step else 0
