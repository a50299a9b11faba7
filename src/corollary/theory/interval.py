"""An interval for a score: two ends, how often they miss, and what they rest on.

    Pr[ low <= score <= high ] >= 1 - delta                                      (1)

*Exact* where (1) holds for every number of rows; *asymptotic* where it holds in the
limit of many rows, and is near for a few hundred.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Interval"]


@dataclass(frozen=True)
class Interval:
    """An interval that holds the score of a model on new data.

    Attributes
    ----------
    name : str
        What is estimated, and by which method.
    value : float
        The score on the rows at hand.
    low, high : float
        The ends.
    delta : float
        How often the interval may miss over draws of its rows.
    kind : {'exact', 'asymptotic'}
        Whether (1) holds for every number of rows or in the limit.
    assumptions : tuple of str
        What must hold, in words; each is a sentence of its own.
    reference : str
        Where it is proved.

    Examples
    --------
    >>> from corollary.theory import Interval
    >>> print(Interval("accuracy", 0.9, 0.85, 0.94, 0.05, "exact"))
    accuracy: 0.9 in [0.85, 0.94] with confidence 0.95 (exact)
    """

    name: str
    value: float
    low: float
    high: float
    delta: float
    kind: str
    assumptions: tuple[str, ...] = ()
    reference: str = ""

    @property
    def width(self) -> float:
        """The length of the interval."""
        return self.high - self.low

    def __contains__(self, score: float) -> bool:
        return self.low <= score <= self.high

    def __str__(self) -> str:
        ends = f"[{self.low:.4g}, {self.high:.4g}]"
        sure = f"with confidence {1 - self.delta:.6g}"
        return f"{self.name}: {self.value:.4g} in {ends} {sure} ({self.kind})"
