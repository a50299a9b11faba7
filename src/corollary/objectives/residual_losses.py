"""Losses of the residual r = f - y; `losses.py` has the theory and the table."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.records import stored
from corollary.objectives.loss import LinearLink, OfResidual, require, share_of, within

__all__ = [
    "Absolute",
    "EpsilonInsensitive",
    "Huber",
    "Quantile",
    "Squared",
    "SquaredEpsilonInsensitive",
]


@dataclass(frozen=True)
class Squared(LinearLink, OfResidual):
    """r^2/2: the minimiser is the mean.

    >>> float(Squared().value(3.0, 1.0)), float(Squared().derivative(3.0, 1.0))
    (2.0, -2.0)
    """

    def at(self, u: Floats) -> Floats:
        """Return r^2/2."""
        return 0.5 * u**2

    def slope(self, u: Floats) -> Floats:
        """Return r."""
        return u

    def bend(self, u: Floats) -> Floats:
        """Return 1."""
        return np.ones_like(u)

    def dual(self, s: Floats) -> Floats:
        """Return s^2/2."""
        return 0.5 * s**2

    @property
    def lipschitz(self) -> float:
        """1."""
        return 1.0


@stored
@dataclass(frozen=True)
class Quantile(OfResidual):
    """q (y - f) where f is too low, (1 - q)(f - y) where too high: the q-quantile.

    >>> Quantile(0.9).value([1.0, 1.0], [0.0, 2.0]).round(3).tolist()
    [0.9, 0.1]
    """

    q: float = 0.5

    def __post_init__(self) -> None:
        require(self, "q", self.q, 0 < self.q < 1, "between 0 and 1")

    def at(self, u: Floats) -> Floats:
        """Return max(-q r, (1 - q) r)."""
        return np.maximum(-self.q * u, (1 - self.q) * u)

    def slope(self, u: Floats) -> Floats:
        """Return -q below 0, 1 - q above, 0 at the corner."""
        return np.where(u < 0, -self.q, np.where(u > 0, 1 - self.q, 0.0))

    def bend(self, u: Floats) -> Floats:
        """Return 0."""
        return np.zeros_like(u)

    def dual(self, s: Floats) -> Floats:
        """Return 0, s in [-q, 1 - q]."""
        return within(s, -self.q, 1 - self.q, np.zeros_like(s))

    def smoothed(self, u: Floats, width: float) -> Floats:
        """Rise from -q to 1 - q around the corner."""
        return np.clip(u / width, -self.q, 1 - self.q)

    @property
    def lipschitz(self) -> float:
        """None: the derivative jumps."""
        return float(np.inf)

    def minimizer(self, eta: Any) -> Floats:
        """Return the quantile of -1 and +1."""
        return np.sign(share_of(self, eta) - (1 - self.q))


class _Tube(OfResidual):
    """A loss that is 0 within epsilon of the target."""

    epsilon: float

    def __post_init__(self) -> None:
        require(self, "epsilon", self.epsilon, self.epsilon >= 0, ">= 0")

    def _beyond(self, u: Floats) -> Floats:
        return np.maximum(0.0, np.abs(u) - self.epsilon)

    @property
    def reach(self) -> float:
        """1 - epsilon; no label is worth a score where epsilon >= 1."""
        return max(0.0, 1 - self.epsilon)


class _Straight(_Tube):
    """max(0, abs(r) - epsilon)."""

    def at(self, u: Floats) -> Floats:
        """Return max(0, abs(r) - epsilon)."""
        return self._beyond(u)

    def slope(self, u: Floats) -> Floats:
        """Return the sign of r outside the tube."""
        return np.where(np.abs(u) > self.epsilon, np.sign(u), 0.0)

    def bend(self, u: Floats) -> Floats:
        """Return 0."""
        return np.zeros_like(u)

    def dual(self, s: Floats) -> Floats:
        """Return epsilon abs(s), s in [-1, 1]."""
        return within(s, -1.0, 1.0, self.epsilon * np.abs(s))

    def smoothed(self, u: Floats, width: float) -> Floats:
        """Rise from 0 to 1 over the width beyond the tube."""
        return np.sign(u) * np.minimum(self._beyond(u) / width, 1.0)

    @property
    def lipschitz(self) -> float:
        """None: the derivative jumps."""
        return float(np.inf)

    def minimizer(self, eta: Any) -> Floats:
        """Return the end of the tube on the side of Bayes' decision."""
        return self.reach * np.sign(2 * share_of(self, eta) - 1)


@stored
@dataclass(frozen=True)
class EpsilonInsensitive(_Straight):
    """max(0, abs(r) - epsilon), the loss of support vector regression.

    >>> EpsilonInsensitive(0.5).value(0.0, [0.4, -2.0]).tolist()
    [0.0, 1.5]
    """

    epsilon: float = 0.1


@dataclass(frozen=True)
class Absolute(_Straight):
    """abs(r): the minimiser is the median.

    >>> Absolute().value(1.0, [0.0, 3.0]).tolist()
    [1.0, 2.0]
    """

    epsilon: float = field(default=0.0, init=False, repr=False)


@stored
@dataclass(frozen=True)
class SquaredEpsilonInsensitive(_Tube, LinearLink):
    """max(0, abs(r) - epsilon)^2.

    >>> SquaredEpsilonInsensitive(0.5).value(0.0, [0.4, -2.0]).tolist()
    [0.0, 2.25]
    """

    epsilon: float = 0.1

    def at(self, u: Floats) -> Floats:
        """Return max(0, abs(r) - epsilon)^2."""
        return self._beyond(u) ** 2

    def slope(self, u: Floats) -> Floats:
        """Return 2 (abs(r) - epsilon) towards the tube."""
        return 2 * np.sign(u) * self._beyond(u)

    def bend(self, u: Floats) -> Floats:
        """Return 2 outside the tube."""
        return np.where(np.abs(u) > self.epsilon, 2.0, 0.0)

    def dual(self, s: Floats) -> Floats:
        """Return epsilon abs(s) + s^2/4."""
        return self.epsilon * np.abs(s) + s**2 / 4

    @property
    def lipschitz(self) -> float:
        """2."""
        return 2.0


@stored
@dataclass(frozen=True)
class Huber(OfResidual):
    """r^2/2 near the target, straight beyond delta: far rows pull no harder.

    >>> Huber(1.0).value(0.0, [0.5, 3.0]).tolist()
    [0.125, 2.5]
    """

    delta: float = 1.35

    def __post_init__(self) -> None:
        require(self, "delta", self.delta, self.delta > 0, "> 0")

    def at(self, u: Floats) -> Floats:
        """Return r^2/2 up to delta, delta abs(r) - delta^2/2 beyond."""
        near = np.minimum(np.abs(u), self.delta)
        return near * (np.abs(u) - 0.5 * near)

    def slope(self, u: Floats) -> Floats:
        """Return r, held within +-delta."""
        return np.clip(u, -self.delta, self.delta)

    def bend(self, u: Floats) -> Floats:
        """Return 1 up to delta."""
        return np.where(np.abs(u) <= self.delta, 1.0, 0.0)

    def dual(self, s: Floats) -> Floats:
        """Return s^2/2, s in [-delta, delta]."""
        return within(s, -self.delta, self.delta, 0.5 * s**2)

    @property
    def lipschitz(self) -> float:
        """1."""
        return 1.0

    def minimizer(self, eta: Any) -> Floats:
        """Return (4)."""
        eta = share_of(self, eta)
        side, more = np.sign(2 * eta - 1), np.maximum(eta, 1 - eta)
        far = 1 - self.delta * (1 - more) / more
        return side * np.where(2 * more <= self.delta, 2 * more - 1, far)

    def probability(self, f: Any) -> Floats:
        """Invert (4); 1/2 for the scores that it jumps over where delta < 1."""
        f = np.clip(np.asarray(f, float), -1.0, 1.0)
        size = np.abs(f)
        far = np.maximum(0.5, self.delta / (1 + self.delta - size))
        more = np.where(size <= self.delta - 1, (1 + size) / 2, far)
        return np.where(f >= 0, more, 1 - more)
