"""A bound on the error of a model: a number, and everything it rests on.

    Pr[ risk(h) <= value ] >= 1 - delta                                          (1)

over the draw of the rows that the bound was computed from.  The number means nothing
without what was assumed, so the two are never parted.  A bound at or above the largest
loss there is says nothing: it is *vacuous*.

Notation: value, the right side of (1); delta, how often it may fail.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["INDEPENDENT", "Bound"]

#: What almost every bound assumes.
INDEPENDENT = "Rows are drawn independently from the data the model will meet."


@dataclass(frozen=True)
class Bound:
    """An upper bound on the risk of one model.

    Attributes
    ----------
    name : str
        What it is called in the literature.
    value : float
        The risk is at most this, with probability at least 1 - delta.
    delta : float
        How often the bound may fail over draws of its rows.
    assumptions : tuple of str
        What must hold, in words; each is a sentence of its own.
    reference : str
        Where it is proved.
    largest : float
        The largest value that the loss can take: 1 for errors.
    holds : bool
        False where the bound was asked for under conditions that its proof does not
        cover, such as a margin chosen on the same rows; it is guidance then.

    Examples
    --------
    >>> from corollary.theory import Bound
    >>> bound = Bound("Hoeffding", 0.137, 0.05, ("Rows are drawn independently.",))
    >>> print(bound)
    Hoeffding: risk <= 0.137 with confidence 0.95
    >>> bound.vacuous
    False
    """

    name: str
    value: float
    delta: float
    assumptions: tuple[str, ...]
    reference: str = ""
    largest: float = 1.0
    holds: bool = True

    @property
    def vacuous(self) -> bool:
        """Whether the bound says nothing: no loss is larger."""
        return not self.value < self.largest

    def __str__(self) -> str:
        words = f"{self.name}: risk <= {self.value:.4g} with confidence "
        words += f"{1 - self.delta:.6g}"
        if self.vacuous:
            words += " (vacuous)"
        return words if self.holds else f"{words} (guidance, not proved here)"
