"""Losses of the margin u = y f; `losses.py` has the theory and the table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy.special import entr, expit, logit

from corollary.core.arrays import Floats
from corollary.core.records import stored
from corollary.objectives.loss import LinearLink, OfMargin, require, share_of, within

__all__ = [
    "Exponential",
    "Hinge",
    "Logistic",
    "ModifiedHuber",
    "Perceptron",
    "Sigmoid",
    "SquaredHinge",
]


@stored
@dataclass(frozen=True)
class Logistic(OfMargin):
    """log(1 + e^-u), in the units of a base: `Logistic(2)` lies above the 0-1 loss.

    Also known as: logistic loss, log loss, deviance.

    >>> Logistic().minimizer(0.75).round(6), Logistic().probability(0.0)
    (np.float64(1.098612), np.float64(0.5))
    """

    base: float = float(np.e)

    def __post_init__(self) -> None:
        require(self, "base", self.base, self.base > 1, "> 1")

    @property
    def _unit(self) -> float:
        return float(1 / np.log(self.base))

    def at(self, u: Floats) -> Floats:
        """Never overflows: log(1 + e^-u) = max(0, -u) + log(1 + e^-abs(u))."""
        return np.logaddexp(0.0, -u) * self._unit

    def slope(self, u: Floats) -> Floats:
        """Return -s(-u)."""
        return -expit(-u) * self._unit

    def bend(self, u: Floats) -> Floats:
        """Return s(u) s(-u)."""
        return expit(u) * expit(-u) * self._unit

    def dual(self, s: Floats) -> Floats:
        """Return the negative entropy of (-s, 1 + s), s in [-1, 0]."""
        p = np.clip(-s / self._unit, 0.0, 1.0)
        return within(s, -self._unit, 0.0, -self._unit * (entr(p) + entr(1 - p)))

    @property
    def lipschitz(self) -> float:
        """1/4, at u = 0."""
        return 0.25 * self._unit

    def minimizer(self, eta: Any) -> Floats:
        """Return the log odds."""
        return logit(share_of(self, eta))

    def probability(self, f: Any) -> Floats:
        """Return s(f)."""
        return expit(np.asarray(f, float))


@dataclass(frozen=True)
class Exponential(OfMargin):
    """e^-u, the loss of AdaBoost.

    >>> float(Exponential().value(1, 0.0)), Exponential().lipschitz
    (1.0, inf)
    """

    def at(self, u: Floats) -> Floats:
        """Return e^-u."""
        with np.errstate(over="ignore"):
            return np.exp(-u)

    def slope(self, u: Floats) -> Floats:
        """Return -e^-u."""
        return -self.at(u)

    def bend(self, u: Floats) -> Floats:
        """Return e^-u."""
        return self.at(u)

    def dual(self, s: Floats) -> Floats:
        """Return s - s log(-s), s <= 0."""
        return within(s, -np.inf, 0.0, s - entr(np.maximum(-s, 0.0)))

    @property
    def lipschitz(self) -> float:
        """None: the curvature has no bound."""
        return float(np.inf)

    def minimizer(self, eta: Any) -> Floats:
        """Return half the log odds."""
        return 0.5 * logit(share_of(self, eta))

    def probability(self, f: Any) -> Floats:
        """Return s(2 f)."""
        return expit(2 * np.asarray(f, float))


@dataclass(frozen=True)
class Sigmoid(OfMargin):
    """(1 + e^u)^-2 = s(-u)^2, the Brier score of s(f): bounded and not convex.

    Also known as: Savage loss, Brier score, Brier loss.

    >>> Sigmoid().convex, Sigmoid().calibrated, float(Sigmoid().value(1, 0.0))
    (False, True, 0.25)
    """

    convex = False

    def at(self, u: Floats) -> Floats:
        """Return s(-u)^2."""
        return expit(-u) ** 2

    def slope(self, u: Floats) -> Floats:
        """Return -2 s^2 (1 - s), s = s(-u)."""
        return -2 * expit(-u) ** 2 * expit(u)

    def bend(self, u: Floats) -> Floats:
        """Return 2 s^2 (1 - s)(2 - 3 s), s = s(-u)."""
        s = expit(-u)
        return 2 * s**2 * expit(u) * (2 - 3 * s)

    def dual(self, s: Floats) -> Floats:
        """Return 0 at 0: a bounded loss lies above no other line."""
        return within(s, 0.0, 0.0, np.zeros_like(s))

    @property
    def lipschitz(self) -> float:
        """The largest curvature, where 12 s^2 - 15 s + 4 = 0."""
        s = (15 - np.sqrt(33.0)) / 24
        return float(2 * s**2 * (1 - s) * (2 - 3 * s))

    def minimizer(self, eta: Any) -> Floats:
        """Return the log odds."""
        return logit(share_of(self, eta))

    def probability(self, f: Any) -> Floats:
        """Return s(f)."""
        return expit(np.asarray(f, float))


class _Kinked(OfMargin):
    """max(0, threshold - u)."""

    threshold: ClassVar[float]

    def at(self, u: Floats) -> Floats:
        """Return max(0, threshold - u)."""
        return np.maximum(0.0, self.threshold - u)

    def slope(self, u: Floats) -> Floats:
        """Return -1 up to the corner, which a margin at it still pays for."""
        return np.where(u <= self.threshold, -1.0, 0.0)

    def bend(self, u: Floats) -> Floats:
        """Return 0."""
        return np.zeros_like(u)

    def dual(self, s: Floats) -> Floats:
        """Return threshold s, s in [-1, 0]."""
        return within(s, -1.0, 0.0, self.threshold * s)

    def smoothed(self, u: Floats, width: float) -> Floats:
        """Rise from -1 to 0 over the width below the corner."""
        return np.clip((u - self.threshold) / width, -1.0, 0.0)

    @property
    def lipschitz(self) -> float:
        """None: the derivative jumps."""
        return float(np.inf)


@dataclass(frozen=True)
class Hinge(_Kinked):
    """max(0, 1 - u), the loss of the support vector machine.

    >>> Hinge().minimizer([0.2, 0.8]).tolist()
    [-1.0, 1.0]
    """

    threshold = 1.0

    def minimizer(self, eta: Any) -> Floats:
        """Return Bayes' decision."""
        return np.sign(2 * share_of(self, eta) - 1)


@dataclass(frozen=True)
class Perceptron(_Kinked):
    """max(0, -u): counts no margin, so a score of 0 is never worse than another.

    >>> Perceptron().calibrated
    False
    """

    threshold = 0.0

    def minimizer(self, eta: Any) -> Floats:
        """Return 0, whatever eta is."""
        return np.zeros_like(share_of(self, eta))


@dataclass(frozen=True)
class SquaredHinge(LinearLink, OfMargin):
    """max(0, 1 - u)^2.

    >>> float(SquaredHinge().probability(0.5))
    0.75
    """

    def at(self, u: Floats) -> Floats:
        """Return max(0, 1 - u)^2."""
        return np.maximum(0.0, 1 - u) ** 2

    def slope(self, u: Floats) -> Floats:
        """Return -2 max(0, 1 - u)."""
        return -2 * np.maximum(0.0, 1 - u)

    def bend(self, u: Floats) -> Floats:
        """Return 2 below 1."""
        return np.where(u < 1, 2.0, 0.0)

    def dual(self, s: Floats) -> Floats:
        """Return s + s^2/4, s <= 0."""
        return within(s, -np.inf, 0.0, s + s**2 / 4)

    @property
    def lipschitz(self) -> float:
        """2."""
        return 2.0


@dataclass(frozen=True)
class ModifiedHuber(LinearLink, OfMargin):
    """The squared hinge, straight below -1: gross errors cost in proportion.

    >>> ModifiedHuber().at(np.array([-3.0, -1.0, 0.0, 2.0])).tolist()
    [12.0, 4.0, 1.0, 0.0]
    """

    def at(self, u: Floats) -> Floats:
        """Return max(0, 1 - u)^2, or -4u below -1."""
        return np.where(u < -1, -4 * u, np.maximum(0.0, 1 - np.maximum(u, -1)) ** 2)

    def slope(self, u: Floats) -> Floats:
        """Return -2 max(0, 1 - u), at least -4."""
        return np.maximum(-4.0, -2 * np.maximum(0.0, 1 - u))

    def bend(self, u: Floats) -> Floats:
        """Return 2 between -1 and 1."""
        return np.where(np.abs(u) < 1, 2.0, 0.0)

    def dual(self, s: Floats) -> Floats:
        """Return s + s^2/4, s in [-4, 0]."""
        return within(s, -4.0, 0.0, s + s**2 / 4)

    @property
    def lipschitz(self) -> float:
        """2."""
        return 2.0
