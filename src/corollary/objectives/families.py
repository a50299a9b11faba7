"""Families: how a response scatters about its mean.

Also known as: exponential dispersion models, error distributions, variance functions.

A family says the variance of a response of mean mu and dispersion phi, Var y = phi
V(mu), and measures the fit of a mean by the unit deviance

    d(y, mu) = 2 int_mu^y (y - t)/V(t) dt  >= 0                                  (1)

which is 2 phi times the log-likelihood that mu loses to a mean of y itself:

    log p(y | mu, phi) = log p(y | y, phi) - d(y, mu) / (2 phi)                  (2)

    V(mu)        name                  y           d(y, mu) / 2
    1            Gaussian              any         (y - mu)^2 / 2                (3)
    mu           Poisson               >= 0        y log y/mu - y + mu           (4)
    mu^2         gamma                 > 0         y/mu - 1 - log y/mu           (5)
    mu^3         inverse Gaussian      > 0         (y - mu)^2 / (2 y mu^2)       (6)
    mu^p         Tweedie: 1 < p < 2 >= 0, p > 2 > 0, p < 0 any, mu > 0           (7)
    mu(1 - mu)   Bernoulli 0 or 1, binomial: a share in [0, 1]
                          y log y/mu + (1 - y) log (1 - y)/(1 - mu)              (8)

For a share the weight of a row is its number of trials.  No law has 0 < p < 1.

With mu = g^-1(eta), mu' = dmu/deta, what a search for eta needs of (1) is

    slope   d/deta  d/2 = -(y - mu) mu'/V(mu)                                    (9)
    weight  E d2/deta2 d/2 = mu'^2/V(mu),  the Fisher information               (10)

and (9) is just mu - y for the canonical link, in every family.

Course: S4-37. References: McCullagh and Nelder (1989); Jorgensen (1997).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln, xlogy

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.objectives.links import Identity, Link, Log, Logit, Power

__all__ = ["FAMILIES", "Binomial", "Family", "Terms", "Tweedie", "family_named"]

POWERS = {"gaussian": 0.0, "poisson": 1.0, "gamma": 2.0, "inverse_gaussian": 3.0}
FAMILIES = (*POWERS, "bernoulli", "binomial", "tweedie")


class Terms(NamedTuple):
    """What each row says of its eta."""

    loss: Floats  # (1) / 2, inf where eta belongs to no mean
    slope: Floats  # (9)
    weight: Floats  # (10)
    pearson: Floats  # (y - mu)^2 / V(mu)


class Family(ABC):
    """A variance function with its deviance, its range and, if it has one, its law."""

    name: str
    known_dispersion: bool  # whether phi is 1

    @abstractmethod
    def variance(self, mu: Floats) -> Floats:
        """Return V(mu)."""

    @abstractmethod
    def unit_deviance(self, y: Floats, mu: Floats) -> Floats:
        """Return d(y, mu) (1)."""

    @abstractmethod
    def terms(self, y: Floats, eta: Floats, link: Link) -> Terms:
        """Return loss, slope and weight of each row, given its linear predictor."""

    @abstractmethod
    def canonical(self) -> Link:
        """Return the link that makes eta the natural parameter."""

    @abstractmethod
    def inside(self, y: Floats) -> Vector:
        """Say which values the response can have."""

    @property
    @abstractmethod
    def range(self) -> str:
        """Words for the values that the response can have."""

    @abstractmethod
    def mean_exists(self, mean: float) -> bool:
        """Say whether a constant model with this mean of y has a finite eta."""

    @abstractmethod
    def constant(self, y: Floats, w: Floats) -> float:
        """Sum what log p(y | y, phi) takes from each row."""

    @abstractmethod
    def log_likelihood(
        self, deviance: float, phi: float, n: float, constant: float
    ) -> float | None:
        """Return the sum of (2); None where the law has no closed form."""

    def check(self, who: object, y: Floats, first_row: int = 0) -> None:
        """Refuse a response outside the family's range."""
        inside = self.inside(y)
        if inside.all():
            return
        row = int(np.argmin(inside))
        must = f"y must be {self.range} for the {self.name} family"
        came = f"{y[row]:g} in row {first_row + row}"
        remedy = "Correct these rows or choose another family."
        raise DataError(sentence(who, must, came, remedy))


@dataclass(frozen=True)
class Tweedie(Family):
    """Variance mu^p: Gaussian, Poisson, gamma, inverse Gaussian and between (3)-(7).

    Parameters
    ----------
    power : float
        p, at most 0 or at least 1.

    Examples
    --------
    >>> poisson = Tweedie(1.0)
    >>> poisson.unit_deviance(np.array([0.0, 2.0]), np.array([1.5, 2.0])).tolist()
    [3.0, 0.0]
    """

    power: float

    @property
    def name(self) -> str:  # type: ignore[override]
        """The law's own name where it has one."""
        named = {power: name.replace("_", " ") for name, power in POWERS.items()}
        return named.get(self.power, f"Tweedie (power {self.power:g})")

    @property
    def known_dispersion(self) -> bool:  # type: ignore[override]
        """Whether phi is 1."""
        return self.power == 1

    def variance(self, mu: Floats) -> Floats:
        """Return mu^p."""
        return mu**self.power

    def unit_deviance(self, y: Floats, mu: Floats) -> Floats:
        """Return d(y, mu), (3) to (7)."""
        p = self.power
        if p == 0:
            return (y - mu) ** 2
        if p == 1:
            return 2 * (xlogy(y, y / mu) - y + mu)
        if p == 2:
            return 2 * (y / mu - 1 - np.log(y / mu))
        if p == 3:
            return (y - mu) ** 2 / (y * mu**2)
        saturated = np.maximum(y, 0.0) ** (2 - p) / ((1 - p) * (2 - p))
        return 2 * (saturated - y * mu ** (1 - p) / (1 - p) + mu ** (2 - p) / (2 - p))

    def terms(self, y: Floats, eta: Floats, link: Link) -> Terms:
        """Return loss, slope (9) and weight (10)."""
        p = self.power
        with np.errstate(all="ignore"):
            mu = link.inverse(eta)
            if isinstance(link, Log):  # mu' = mu, and mu^p may overflow
                slope = ratio = np.ones_like(mu) if p == 1 else mu ** (1 - p)
                weight = mu * ratio
            else:
                slope = link.derivative(eta)
                ratio = slope if p == 0 else slope / mu**p
                weight = slope * ratio
            loss = 0.5 * self.unit_deviance(y, mu)
            bad = ~np.isfinite(loss) if p == 0 else ~(np.isfinite(loss) & (mu > 0))
            pearson = (y - mu) ** 2 if p == 0 else (y - mu) ** 2 / mu**p
            loss, weight = np.where(bad, np.inf, loss), np.where(bad, 0.0, weight)
            return Terms(loss, (mu - y) * ratio, weight, pearson)

    def canonical(self) -> Link:
        """Return eta = mu^(1 - p), or log mu."""
        if self.power == 1:
            return Log()
        return Identity() if self.power == 0 else Power(1 - self.power)

    def inside(self, y: Floats) -> Vector:
        """Say which values the response can have."""
        if self.power <= 0:
            return np.isfinite(y)
        return (y >= 0 if self.power < 2 else y > 0) & np.isfinite(y)

    @property
    def range(self) -> str:
        """Words for the values that the response can have."""
        return "finite" if self.power <= 0 else ">= 0" if self.power < 2 else "> 0"

    def mean_exists(self, mean: float) -> bool:
        """Say whether the mean is one of the law's."""
        return self.power == 0 or mean > 0

    def constant(self, y: Floats, w: Floats) -> float:
        """Sum what log p(y | y, phi) takes from each row."""
        if self.power == 1:
            return float(w @ (xlogy(y, y) - y - gammaln(y + 1)))
        factor = {2.0: -1.0, 3.0: -1.5}.get(self.power)
        return 0.0 if factor is None else factor * float(w @ np.log(y))

    def log_likelihood(
        self, deviance: float, phi: float, n: float, constant: float
    ) -> float | None:
        """Return the sum of (2), for the Gaussian at its own best phi."""
        with np.errstate(divide="ignore"):
            if self.power == 0:
                return float(-0.5 * n * (np.log(2 * np.pi * deviance / n) + 1))
            if self.power == 1:
                return constant - 0.5 * deviance
            if self.power == 2:
                each = -1 / phi - np.log(phi) / phi - gammaln(1 / phi)
            elif self.power == 3:
                each = -0.5 * np.log(2 * np.pi * phi)
            else:
                return None
            return float(n * each + constant - 0.5 * deviance / phi)


@dataclass(frozen=True)
class Binomial(Family):
    """Shares of successes (8); with y of 0 and 1 only, the Bernoulli law.

    Examples
    --------
    >>> Binomial(shares=False).inside(np.array([0.0, 0.5, 1.0])).tolist()
    [True, False, True]
    """

    shares: bool = True
    known_dispersion = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """Binomial or Bernoulli."""
        return "binomial" if self.shares else "bernoulli"

    def variance(self, mu: Floats) -> Floats:
        """Return mu (1 - mu)."""
        return mu * (1 - mu)

    def unit_deviance(self, y: Floats, mu: Floats) -> Floats:
        """Return d(y, mu) (8)."""
        return 2 * (xlogy(y, y / mu) + xlogy(1 - y, (1 - y) / (1 - mu)))

    def terms(self, y: Floats, eta: Floats, link: Link) -> Terms:
        """Return loss, slope (9) and weight (10), in log space."""
        with np.errstate(all="ignore"):
            mean, rest, slope = link.logs(eta)
            own = xlogy(y, y) + xlogy(1 - y, 1 - y)
            loss = own - _times(y, mean) - _times(1 - y, rest)
            sign = -1.0 if isinstance(link, Power) and link.exponent < 0 else 1.0
            pull = _times(1 - y, np.exp(slope - rest)) - _times(y, np.exp(slope - mean))
            weight = np.exp(2 * slope - mean - rest)
            pearson = (y - np.exp(mean)) ** 2 * np.exp(-mean - rest)
            loss = np.where(np.isfinite(loss), np.maximum(loss, 0.0), np.inf)
        return Terms(loss, sign * pull, weight, pearson)

    def canonical(self) -> Link:
        """Return the logit."""
        return Logit()

    def inside(self, y: Floats) -> Vector:
        """Say which values the response can have."""
        return (y >= 0) & (y <= 1) if self.shares else (y == 0) | (y == 1)

    @property
    def range(self) -> str:
        """Words for the values that the response can have."""
        return "a share in [0, 1]" if self.shares else "0 or 1"

    def mean_exists(self, mean: float) -> bool:
        """Say whether both outcomes occurred."""
        return 0 < mean < 1

    def constant(self, y: Floats, w: Floats) -> float:
        """Sum what log p(y | y) takes from each row, of w trials if y is a share."""
        if not self.shares:
            return 0.0
        ways = gammaln(w + 1) - gammaln(w * y + 1) - gammaln(w * (1 - y) + 1)
        return float(w @ (xlogy(y, y) + xlogy(1 - y, 1 - y)) + ways.sum())

    def log_likelihood(
        self, deviance: float, phi: float, n: float, constant: float
    ) -> float | None:
        """Return the sum of (2)."""
        return constant - 0.5 * deviance


def family_named(who: object, name: str, power: float = 0.0) -> Family:
    """Return a family by its name; `power` is for 'tweedie' alone.

    >>> family_named("GLM", "gamma").range
    '> 0'
    """
    if name in ("bernoulli", "binomial"):
        return Binomial(shares=name == "binomial")
    power = float(POWERS.get(name, power))
    if 0 < power < 1:
        must = "power must be at most 0 or at least 1: no law has a power between"
        raise ParameterError(sentence(who, must, f"{power:g}"))
    return Tweedie(power)


def _times(a: Floats, b: Floats) -> Floats:
    """Multiply, with 0 times anything 0."""
    return np.where(a == 0, 0.0, a * b)
