"""The four conditions of an optimum, and how far a point misses each.

Also known as: KKT conditions, conditions of Karush, Kuhn and Tucker.

A point x of the convex problem  min f(x)  subject to  g_i(x) <= 0,  h_j(x) = 0  is a
minimum if there are multipliers mu and lam with

    stationarity               grad f + sum mu_i grad g_i + sum lam_j grad h_j = 0   (1)
    primal feasibility         g_i <= 0,  h_j = 0                                    (2)
    dual feasibility           mu_i >= 0                                             (3)
    complementary slackness    mu_i g_i = 0: one of the two is 0                     (4)

A violation of (4) is measured by the one of the two that has to become 0 while the
other stays, not by their product: it has a unit, and no small factor hides it.

Course: S2-36. Reference: Boyd and Vandenberghe (2004), 5.5.
"""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import numpy as np

__all__ = ["Conditions", "largest"]


@dataclass(frozen=True)
class Conditions:
    """The largest violation of each condition, 0 where it holds by construction.

    Examples
    --------
    >>> first, second = Conditions(stationarity=0.5), Conditions(dual_feasibility=0.25)
    >>> (first | second).times(2.0)
    Conditions(stationarity=1.0, primal_feasibility=0.0, dual_feasibility=0.5, \
complementary_slackness=0.0)
    >>> (first | second).residual
    0.5
    """

    stationarity: float = 0.0
    primal_feasibility: float = 0.0
    dual_feasibility: float = 0.0
    complementary_slackness: float = 0.0

    @property
    def residual(self) -> float:
        """The largest of the four."""
        return max(astuple(self))

    def __or__(self, other: Conditions) -> Conditions:
        """Return the larger of each."""
        return Conditions(*map(max, astuple(self), astuple(other)))

    def times(self, scale: float) -> Conditions:
        """Return them in other units."""
        return Conditions(*(scale * each for each in astuple(self)))


def largest(violations: Any) -> float:
    """Return the largest entry, 0 where none is above it.

    >>> largest(np.array([-1.0, 0.5])), largest(np.array([-1.0])), largest(np.zeros(0))
    (0.5, 0.0, 0.0)
    """
    return float(np.max(violations, initial=0.0))
