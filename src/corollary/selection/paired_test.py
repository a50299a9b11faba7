"""What a test between two models says: one is better, or it may be chance.

The null hypothesis is that both have the same expected loss.  A small p-value speaks
against it; a large one does not speak for it, and with few rows says nothing at all:
read the interval.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PairedTest"]


@dataclass(frozen=True)
class PairedTest:
    """A test between two models on the same rows.

    Attributes
    ----------
    name : str
    statistic : float
    p_value : float
        Probability of a difference as large if the models were equal, two-sided.
    difference : float
        Mean loss of the first model less that of the second.
    low, high : float
        Interval of the difference at confidence `confidence`; NaN where the test has
        none.
    confidence : float
    freedom : tuple of float
        Degrees of freedom of the statistic, if it has any.
    """

    name: str
    statistic: float
    p_value: float
    difference: float
    low: float = float("nan")
    high: float = float("nan")
    confidence: float = 0.95
    freedom: tuple[float, ...] = ()

    @property
    def verdict(self) -> str:
        """In one sentence, at the test's confidence."""
        if self.p_value >= 1 - self.confidence:
            return "no difference beyond chance was found"
        return f"the {'second' if self.difference > 0 else 'first'} model is better"

    def __str__(self) -> str:
        text = f"{self.name}: {self.verdict}; p = {self.p_value:.3g}, loss of the first"
        text += f" less the second {self.difference:.4g}"
        if self.low == self.low:
            text += f" in [{self.low:.4g}, {self.high:.4g}]"
        return text
