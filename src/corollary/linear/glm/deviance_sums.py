"""The sums of D^2: the deviance that a model leaves, and that of a constant.

    D^2 = 1 - sum_n w_n d(y_n, mu_n) / sum_n w_n d(y_n, mean)                     (1)

The unit deviance of every family is a Bregman divergence, so that for any constant m

    sum_n w_n d(y_n, m) = sum_n w_n d(y_n, mean) + W d(mean, m)                   (2)

and deviances of two sets of rows about their own means merge without loss of digits:

    total = total_a + total_b + W_a d(mean_a, mean) + W_b d(mean_b, mean)         (3)

For the Gaussian family this is how sums of squares about the mean merge.  A mean below
0 has no Tweedie law of negative power; the best constant is then the bound 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats
from corollary.engine import ScoreSums
from corollary.objectives.families import Family, Tweedie
from corollary.objectives.links import Identity

__all__ = ["DevianceSums"]


@dataclass(frozen=True)
class DevianceSums(ScoreSums):
    """Half the deviance of some rows from their predictions and from their mean."""

    family: Family
    left: float
    about_mean: float
    mean: float
    weight: float

    @classmethod
    def of(cls, family: Family, y: Floats, mu: Floats, w: Floats) -> DevianceSums:
        """Sum over rows y with means mu and weights w."""
        y, mu, w = y[w > 0], mu[w > 0], w[w > 0]
        left = float(w @ family.terms(y, mu, Identity()).loss)
        weight = float(w.sum())
        mean = float(w @ y) / weight
        about_mean = float(w @ half_deviance(family, y, mean))
        return cls(family, left, about_mean, mean, weight)

    def __add__(self, other: DevianceSums) -> DevianceSums:
        weight = self.weight + other.weight
        mean = self.mean + (other.mean - self.mean) * (other.weight / weight)
        moved = sum(
            one.weight * float(half_deviance(self.family, np.array(one.mean), mean))
            for one in (self, other)
        )
        about_mean = self.about_mean + other.about_mean + moved  # (3)
        return DevianceSums(
            self.family, self.left + other.left, about_mean, mean, weight
        )

    def score(self) -> float:
        """Return (1)."""
        if self.about_mean > 0:
            return 1.0 - self.left / self.about_mean
        return float(self.left == 0)


def half_deviance(family: Family, y: Floats, mean: float) -> Floats:
    """Return d(y, mean) / 2, which is 0 where y is the mean, also at a bound."""
    if isinstance(family, Tweedie) and family.power < 0:
        mean = max(mean, 0.0)
    with np.errstate(all="ignore"):
        half = 0.5 * family.unit_deviance(y, np.full(y.shape, mean))
    return np.where(y == mean, 0.0, half)
