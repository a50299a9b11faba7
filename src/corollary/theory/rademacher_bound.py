"""Bounds on the risk of a class by its Rademacher complexity.

Also known as: Rademacher generalisation bound, data-dependent uniform convergence.

With R(F) of `rademacher.py`, for losses in [0, 1] that are L-Lipschitz in f, with
probability 1 - delta for every f

    risk <= mean loss + 2 L E R(F) + sqrt(ln(1/delta) / 2n)                      (1)
    risk <= mean loss + 2 L R(F) + 3 sqrt(ln(2/delta) / 2n)                      (2)

E R of (1) is known for closed forms that hold for all rows; R of (2) is the one of the
rows at hand, and pays for it.  The error of f = -1, +1 has L = 1/2.

Course: S2-24. Reference: Bartlett and Mendelson (2002).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.errors import DataError, sentence
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.rademacher import Complexity
from corollary.theory.stated_numbers import confidence, count, number

__all__ = ["deviation", "rademacher_bound", "stated_complexity"]


def rademacher_bound(
    loss: float,
    complexity: Any,
    n: int,
    delta: float = 0.05,
    *,
    lipschitz: float = 0.5,
    expected: bool = False,
    largest: float = 1.0,
) -> Bound:
    """Bound the risk of any function of a class by its training loss (1), (2).

    Parameters
    ----------
    loss : float
        Mean loss on the n rows.
    complexity : Complexity or float
        Of the class on the same rows; a float is an upper bound on R.
    n : int
        Rows.
    delta : float, default=0.05
        How often the bound may fail; a tenth of it goes to the draws of signs.
    lipschitz : float, default=0.5
        Of the loss as a function of f; 1/2 for the error of classifiers -1, +1.
    expected : bool, default=False
        Whether a float bounds the mean of R over rows, known beforehand: (1).
    largest : float, default=1.0
        The largest loss.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import massart, rademacher_bound
    >>> bound = rademacher_bound(0.1, massart(1000, 100), 1000, expected=True)
    >>> round(bound.value, 4)  # 0.1 + 0.096 + 0.0387
    0.2347
    """
    who = "rademacher_bound"
    delta, top = confidence(who, delta), number(who, largest, "largest", 0, ends="(]")
    mean = number(who, loss, "loss", 0, top)
    L = number(who, lipschitz, "lipschitz", 0)
    n = int(count(who, n, "n", 1))
    R, proved, delta_rest = stated_complexity(who, complexity, n, delta, expected)
    value = mean + 2 * L * R + top * deviation(n, delta_rest, expected)
    words = (
        INDEPENDENT,
        "The class was fixed before the rows were seen.",
        f"No loss is above {top:g}.",
    )
    name, by = "Rademacher bound", "Bartlett and Mendelson (2002)"
    return Bound(name, value, delta, words, by, top, proved)


# -- helpers ---------------------------------------------------------------------------
def stated_complexity(
    who: str, complexity: Any, n: int, delta: float, expected: bool
) -> tuple[float, bool, float]:
    """Return an upper bound on R, whether it is proved, and what is left of delta."""
    if not isinstance(complexity, Complexity):
        return number(who, complexity, "complexity", 0), True, delta
    if expected:
        must = "an expected complexity must be a number known before the rows"
        raise DataError(sentence(who, must, "that of the rows at hand"))
    if complexity.n != n:
        must = f"complexity must be that of the {n} rows"
        raise DataError(sentence(who, must, f"{complexity.n} rows"))
    if not complexity.draws:
        return complexity.above(), complexity.proved, delta
    return complexity.above(delta / 10), complexity.proved, 0.9 * delta


def deviation(n: int, delta: float, expected: bool) -> float:
    """Return the last term of (1), or of (2)."""
    if expected:
        return float(np.sqrt(-np.log(delta) / (2 * n)))
    return float(3 * np.sqrt(np.log(2 / delta) / (2 * n)))
