"""An upper bound on a mean by betting against every larger value of it.

Also known as: hedged capital bound, bounded-mean confidence sequence, test martingale.

Someone claims that losses in [0, 1] have the mean m.  Start with a capital of 1 and bet
before each loss that it falls below m:

    K_t(m) = prod_{i <= t} (1 - lambda_i (x_i - m)),    0 <= lambda_i <= c < 1   (1)

with lambda_i a function of the losses before i.  Under the claim the capital is a fair
game, so it ever reaches 1/delta with probability at most delta (Ville).  The bound is
the largest m whose capital stays below:

    max {m: max_t K_t(m) < 1/delta}                                              (2)

K rises with m where the bets do not depend on it, so (2) is found by bisection.  Bets

    lambda_i = min(c, sqrt(2 ln(1/delta) / (n s^2_{i-1})))                       (3)

grow as the variance s^2 of the losses so far falls: rare or equal losses are bounded
better than by Hoeffding, and without the constants of Bernstein's bound.  The order of
the rows matters; it must not depend on the losses.

Notation: x = losses; m = risk; c = BOLDEST.
Reference: Waudby-Smith and Ramdas (2024).
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["betting_upper"]

BOLDEST = 0.9  # largest bet
HALVINGS = 45  # of the interval of the mean


def betting_upper(x: Floats, delta: float) -> float:
    """Return (2) of losses in [0, 1]; 1 where it says nothing.

    >>> round(betting_upper(np.zeros(100), 0.05), 3)  # exactly 0.0295
    0.034
    """
    bets, goal = bets_of(x, delta), -np.log(delta)

    def caught(m: float) -> bool:
        return float(np.cumsum(np.log1p(-bets * (x - m))).max()) >= goal  # (1)

    if not caught(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if caught(middle) else (middle, high)
    return high


def bets_of(x: Floats, delta: float) -> Floats:
    """Return (3) for every row from the rows before it."""
    n = len(x)
    t = np.arange(1, n + 1)
    means = (0.5 + np.cumsum(x)) / (t + 1)
    variances = (0.25 + np.cumsum((x - means) ** 2)) / (t + 1)
    before = np.concatenate([[0.25], variances[:-1]])
    return np.minimum(BOLDEST, np.sqrt(-2 * np.log(delta) / (n * before)))
