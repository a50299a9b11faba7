"""Nine rules of what a quantile is, by the names that NumPy gives them.

The q-quantile of n values lies between the values of rank j and j + 1,

    (1 - part) x_(j) + part x_(j+1)                                              (1)

and the rules differ in j and part, as functions of q and n.

Reference: Hyndman and Fan (1996).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from corollary.core.arrays import Floats

__all__ = ["METHODS", "TIE", "Rule", "linear", "whole_part"]

TIE = 1e-9  # share of a row by which a sum of weights may miss a rank
ROUNDING = 4 * float(np.finfo(np.float64).eps)  # of a rank, relative to n
Rule = Callable[[Floats, Floats], tuple[Floats, Floats]]


def whole_part(h: Floats) -> tuple[Floats, Floats]:
    """Return the floor of h and what is above it, 0 where only rounding is."""
    near = np.rint(h)
    h = np.where(np.abs(h - near) <= TIE, near, h)
    j = np.floor(h)
    return j, h - j


def continuous(alpha: float, beta: float) -> Rule:
    """Return the rule h = n q + alpha + q (1 - alpha - beta) - 1 with part h - j."""

    def rule(q: Floats, n: Floats) -> tuple[Floats, Floats]:
        h = n * q + (alpha + q * (1 - alpha - beta)) - 1
        j = np.floor(h)
        return j, h - j

    return rule


def linear(q: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Return j and the part of h = q (n - 1), which is a rank up to rounding."""
    h = q * (n - 1)
    near = np.rint(h)
    h = np.where(np.abs(h - near) <= ROUNDING * n, near, h)
    j = np.floor(h)
    return j, h - j


def inverted_cdf(q: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Take the smallest v with C(v) >= n q."""
    j, part = whole_part(n * q - 1)
    return j, (part > 0).astype(float)


def averaged_inverted_cdf(q: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Take the same, or the mean of it and the next value where C(v) = n q."""
    j, part = whole_part(n * q - 1)
    return j, np.where(part > 0, 1.0, 0.5)


def closest_observation(q: Floats, n: Floats) -> tuple[Floats, Floats]:
    """Take the value whose rank is nearest to n q; of two, that of even rank."""
    j, part = whole_part(n * q - 1.5)
    return j, 1.0 - ((part == 0) & (j % 2 == 1))


#: h and the weight of x_(j+1), by the names that NumPy gives them.
METHODS: dict[str, Rule] = {
    "linear": linear,
    "inverted_cdf": inverted_cdf,
    "averaged_inverted_cdf": averaged_inverted_cdf,
    "closest_observation": closest_observation,
    "interpolated_inverted_cdf": continuous(0, 1),
    "hazen": continuous(0.5, 0.5),
    "weibull": continuous(0, 0),
    "median_unbiased": continuous(1 / 3, 1 / 3),
    "normal_unbiased": continuous(3 / 8, 3 / 8),
}


# -- statistics ------------------------------------------------------------------------
