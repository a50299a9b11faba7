"""What every loss of a score has: derivatives, a minimiser, a link, a conjugate.

A `ScoreLoss` is what a proof of optimality asks for: L(y, f) of a target and the score
of a row, or its K scores, with slope, curvature and conjugate.  A `Loss` is one of the
margin or of the residual; the equations (1), (2) and (3) are those of `losses.py`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.hooks import hook

__all__ = [
    "LinearLink",
    "Loss",
    "OfMargin",
    "OfResidual",
    "ScoreLoss",
    "require",
    "share_of",
    "within",
]

WIDTHS = (1e-3, 1e-2, 0.1, 0.5, 1.0)  # of corners that are passed smoothly


@dataclass(frozen=True)
class ScoreLoss(ABC):
    """A loss of targets y (n,) and scores f, (n,) or K of each row (n, K).

    The least loss of every row is 0.
    """

    convex: ClassVar[bool] = True

    @abstractmethod
    def value(self, y: Any, f: Any) -> Floats:
        """Return L(y, f), (n,)."""

    @abstractmethod
    def derivative(self, y: Any, f: Any) -> Floats:
        """Return dL/df, a subgradient at a corner, as many numbers as f has."""

    @abstractmethod
    def curvature(self, y: Any, f: Any) -> Floats:
        """Return d2L/df2, (n,) or (n, K, K)."""

    @abstractmethod
    def conjugate(self, y: Any, v: Any) -> Floats:
        """Return L*(y, v) = sup_f v'f - L(y, f), infinite outside its domain, (n,).

        Fenchel and Young: L(y, f) + L*(y, v) >= v'f, with equality where v = dL/df.
        """

    @hook
    def slopes(self, y: Any, f: Any) -> Floats:
        """Return slopes to try in the dual, a row for each choice."""
        return self.derivative(y, f)[None]


@dataclass(frozen=True)
class Loss(ScoreLoss):
    """A loss of a label or target y and a score f, both arrays or numbers."""

    margin: ClassVar[bool]  # of (1); otherwise of (2)

    # -- the mathematics: phi of u = y f, or rho of r = f - y ------------------------
    @abstractmethod
    def at(self, u: Floats) -> Floats:
        """Return phi(u) or rho(r)."""

    @abstractmethod
    def slope(self, u: Floats) -> Floats:
        """Return the derivative; at a corner the one from the side that is larger."""

    @abstractmethod
    def bend(self, u: Floats) -> Floats:
        """Return the second derivative, 0 at a corner."""

    @property
    @abstractmethod
    def lipschitz(self) -> float:
        """The Lipschitz constant of the derivative."""

    @abstractmethod
    def minimizer(self, eta: Any) -> Floats:
        """Return f*(eta) of (3)."""

    @abstractmethod
    def dual(self, s: Floats) -> Floats:
        """Return phi*(s) = sup_u s u - phi(u), infinite outside its domain."""

    def smoothed(self, u: Floats, width: float) -> Floats:
        """Return a slope that passes a corner over so many units; `slope` elsewhere.

        It is the slope of the Moreau envelope, a point of the domain of `dual`.
        """
        return self.slope(u)

    def probability(self, f: Any) -> Floats:
        """Return eta with f*(eta) = f, the inverse link."""
        must = "the population minimiser must be strictly increasing"
        remedy = "Use the logistic loss, or calibrate the scores."
        raise DataError(sentence(self, must, "one that has no inverse", remedy))

    # -- what follows ------------------------------------------------------------------
    def value(self, y: Any, f: Any) -> Floats:
        """Return L(y, f)."""
        return self.at(self._argument(y, f))

    def derivative(self, y: Any, f: Any) -> Floats:
        """Return dL/df, a subgradient at a corner."""
        slope = self.slope(self._argument(y, f))
        return np.asarray(y, float) * slope if self.margin else slope

    def slopes(self, y: Any, f: Any) -> Floats:
        """Return the slope, and where there are corners those that pass them."""
        u = self._argument(y, f)
        choices = [self.slope(u)]
        if not np.isfinite(self.lipschitz) and np.isfinite(choices[0]).all():
            choices += [self.smoothed(u, width) for width in WIDTHS]
        V = np.array(choices)
        return np.asarray(y, float) * V if self.margin else V

    def conjugate(self, y: Any, v: Any) -> Floats:
        """Return L*(y, v) = sup_f v f - L(y, f), infinite outside its domain."""
        y, v = np.asarray(y, float), np.asarray(v, float)
        return self.dual(y * v) if self.margin else v * y + self.dual(v)

    def curvature(self, y: Any, f: Any) -> Floats:
        """Return d2L/df2."""
        return self.bend(self._argument(y, f))

    def _argument(self, y: Any, f: Any) -> Floats:
        y, f = np.asarray(y, float), np.asarray(f, float)
        return y * f if self.margin else f - y

    @property
    def calibrated(self) -> bool:
        """Whether sign f*(eta) is Bayes' decision for every eta."""
        eta = np.array([1e-6, 0.2, 0.499, 0.501, 0.8, 1 - 1e-6])
        return bool((np.sign(self.minimizer(eta)) == np.sign(2 * eta - 1)).all())

    @property
    def invertible(self) -> bool:
        """Whether a score tells a probability."""
        inverse = type(self).probability is not Loss.probability
        return inverse and self.calibrated

    @property
    def bounds_zero_one(self) -> bool:
        """Whether L(y, f) >= 1[y f <= 0]: the risk then bounds the error rate."""
        u = np.concatenate([-np.geomspace(1e-9, 50, 200), [0.0]])
        return bool((self.value(1.0, u) >= 1.0).all())


class OfMargin(Loss):
    """A loss of u = y f."""

    margin = True


class OfResidual(Loss):
    """A loss of r = f - y."""

    margin = False


class LinearLink(Loss):
    """A minimiser that is linear in eta: f* = reach (2 eta - 1)."""

    @property
    def reach(self) -> float:
        """The score of a label that is certain."""
        return 1.0

    def minimizer(self, eta: Any) -> Floats:
        """Return reach (2 eta - 1)."""
        return self.reach * (2 * share_of(self, eta) - 1)

    def probability(self, f: Any) -> Floats:
        """Return (1 + f/reach)/2, within [0, 1]."""
        if self.reach == 0:
            return Loss.probability(self, f)
        return np.clip((1 + np.asarray(f, float) / self.reach) / 2, 0.0, 1.0)


def within(s: Floats, low: float, high: float, values: Floats) -> Floats:
    """Return values where s lies in [low, high], infinity elsewhere."""
    return np.where((s >= low) & (s <= high), values, np.inf)


def share_of(loss: Loss, eta: Any) -> Floats:
    """Check probabilities."""
    eta = np.asarray(eta, float)
    if not ((eta >= 0) & (eta <= 1)).all():
        must = "eta must be a probability"
        strange = eta[~((eta >= 0) & (eta <= 1))].ravel()[0]
        raise DataError(sentence(loss, must, f"{strange:g}"))
    return eta


def require(loss: Loss, name: str, value: float, holds: bool, words: str) -> None:
    """Check a parameter of a loss."""
    if not holds or not np.isfinite(value):
        raise ParameterError(sentence(loss, f"{name} must be {words}", f"{value!r}"))
