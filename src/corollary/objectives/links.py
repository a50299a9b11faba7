"""Links: how the mean of a response hangs on a linear predictor.

Also known as: link functions, inverse link, mean function.

A generalised linear model says  g(mu) = eta = x'b + b0.  A link g is increasing or
decreasing on the means it allows, so that mu = g^-1(eta):

    identity    eta = mu                     log        eta = log mu             (1)
    logit       eta = log mu/(1 - mu)        probit     eta = Phi^-1(mu)         (2)
    cloglog     eta = log(-log(1 - mu))      reciprocal eta = 1/mu               (3)
    loglog      eta = -log(-log mu)          cauchit    eta = tan(pi (mu - 1/2)) (4)
    power k     eta = mu^k,  mu > 0                                              (5)

(2) to (4) but the reciprocal are the quantiles of a law with distribution function F,
so that mu = F(eta) = P(noise <= eta): the logistic, normal, Gumbel (of minima for
cloglog, of maxima for loglog) and Cauchy laws.

The canonical link of a family makes eta its natural parameter.  For means in (0, 1) the
tails matter: log mu, log(1 - mu) and log dmu/deta are computed each on their own, so
that a probability of 1e-300 still has a logarithm.

Notation: mu = mean; eta = linear predictor.
Course: S4-37, S2-15. Reference: McCullagh and Nelder (1989), 2.2.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit, log_expit, log_ndtr, logit, ndtr, ndtri

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.records import stored

__all__ = [
    "LINKS",
    "SHARES",
    "CLogLog",
    "Cauchit",
    "Identity",
    "Link",
    "Log",
    "LogLog",
    "Logit",
    "Logs",
    "Power",
    "Probit",
    "link_named",
]

LOWEST, HIGHEST = -700.0, 700.0  # where e^eta is a normal number
HALF_LOG_2PI = 0.5 * np.log(2 * np.pi)


class Logs(NamedTuple):
    """Logarithms for a mean in (0, 1)."""

    mean: Floats  # log mu
    rest: Floats  # log(1 - mu)
    slope: Floats  # log |dmu/deta|


class Link(ABC):
    """A function g of the mean, its inverse and the slope of the inverse."""

    name: str

    @abstractmethod
    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""

    @abstractmethod
    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta), NaN where eta belongs to no mean."""

    @abstractmethod
    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""

    def logs(self, eta: Floats) -> Logs:
        """Return the logarithms for a mean in (0, 1), NaN outside of it."""
        mu = self.inverse(eta)
        inside = np.where((mu > 0) & (mu < 1), mu, np.nan)
        slope = np.log(np.abs(self.derivative(eta)))
        return Logs(np.log(inside), np.log1p(-inside), slope)


@dataclass(frozen=True)
class Identity(Link):
    """The mean itself (1)."""

    name = "identity"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return mu

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta)."""
        return eta

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return np.ones_like(eta)


@dataclass(frozen=True)
class Log(Link):
    """The logarithm (1): effects multiply.

    >>> Log().inverse(np.array([0.0])).tolist()
    [1.0]
    """

    name = "log"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return np.log(mu)

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta), never 0 and never infinite."""
        return np.exp(np.clip(eta, LOWEST, HIGHEST))

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return self.inverse(eta)

    def logs(self, eta: Floats) -> Logs:
        """Return log mu, log(1 - mu) and log dmu/deta, exact in both tails."""
        below = np.where(np.asarray(eta) < 0, eta, np.nan)
        return Logs(below, np.log(-np.expm1(below)), below)


@stored
@dataclass(frozen=True)
class Logit(Link):
    """The logarithm of the odds (2).

    >>> Logit().logs(np.array([-800.0])).mean.tolist()
    [-800.0]
    """

    name = "logit"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return logit(mu)

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta)."""
        return expit(eta)

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return expit(eta) * expit(-eta)

    def logs(self, eta: Floats) -> Logs:
        """Return log mu, log(1 - mu) and log dmu/deta, exact in both tails."""
        mean, rest = log_expit(eta), log_expit(-eta)
        return Logs(mean, rest, mean + rest)


@stored
@dataclass(frozen=True)
class Probit(Link):
    """The quantile of the standard normal law (2)."""

    name = "probit"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return ndtri(mu)

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta)."""
        return ndtr(eta)

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return np.exp(-0.5 * eta * eta - HALF_LOG_2PI)

    def logs(self, eta: Floats) -> Logs:
        """Return log mu, log(1 - mu) and log dmu/deta, exact in both tails."""
        slope = -0.5 * eta * eta - HALF_LOG_2PI
        return Logs(log_ndtr(eta), log_ndtr(-eta), slope)


@stored
@dataclass(frozen=True)
class CLogLog(Link):
    """The complementary log-log (3): time to a first event, in intervals."""

    name = "cloglog"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return np.log(-np.log1p(-mu))

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta)."""
        return -np.expm1(-np.exp(np.clip(eta, LOWEST, HIGHEST)))

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return np.exp(self.logs(eta).slope)

    def logs(self, eta: Floats) -> Logs:
        """Return log mu, log(1 - mu) and log dmu/deta, exact in both tails."""
        hazard = np.exp(np.clip(eta, LOWEST, HIGHEST))
        mean = np.where(eta < -37, eta, np.log(-np.expm1(-hazard)))
        return Logs(mean, -hazard, eta - hazard)


@stored
@dataclass(frozen=True)
class LogLog(Link):
    """The log-log (4), the mirror image of the complementary one.

    >>> LogLog().inverse(np.array([0.0])).round(6).tolist()  # exp(-1)
    [0.367879]
    """

    name = "loglog"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return -np.log(-np.log(mu))

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta)."""
        return np.exp(-np.exp(np.clip(-eta, LOWEST, HIGHEST)))

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return np.exp(self.logs(eta).slope)

    def logs(self, eta: Floats) -> Logs:
        """Return log mu, log(1 - mu) and log dmu/deta, exact in both tails."""
        mirrored = CLogLog().logs(-np.asarray(eta))
        return Logs(mirrored.rest, mirrored.mean, mirrored.slope)


@stored
@dataclass(frozen=True)
class Cauchit(Link):
    """The quantile of the Cauchy law (4): tails so heavy that no row is impossible.

    >>> Cauchit().inverse(np.array([1.0])).round(6).tolist()
    [0.75]
    """

    name = "cauchit"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        mu = np.asarray(mu)
        near_0 = np.pi * np.minimum(mu, 0.25)
        return np.where(mu < 0.25, -1 / np.tan(near_0), np.tan(np.pi * (mu - 0.5)))

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta)."""
        return np.arctan2(1.0, -np.asarray(eta)) / np.pi

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        return 1 / (np.pi * (1 + np.asarray(eta) ** 2))

    def logs(self, eta: Floats) -> Logs:
        """Return log mu, log(1 - mu) and log dmu/deta, exact in both tails."""
        mean, rest = np.log(self.inverse(eta)), np.log(self.inverse(-np.asarray(eta)))
        return Logs(mean, rest, -np.log(np.pi) - 2 * np.log(np.hypot(1.0, eta)))


@dataclass(frozen=True)
class Power(Link):
    """A power of a positive mean (5); -1 is the reciprocal.

    >>> Power(-1.0).inverse(np.array([4.0])).tolist()
    [0.25]
    """

    exponent: float

    @property
    def name(self) -> str:  # type: ignore[override]
        """The link's name with its exponent."""
        return "reciprocal" if self.exponent == -1 else f"power {self.exponent:g}"

    def of(self, mu: Floats) -> Floats:
        """Return eta = g(mu)."""
        return mu**self.exponent

    def inverse(self, eta: Floats) -> Floats:
        """Return mu = g^-1(eta), NaN where eta <= 0."""
        return np.where(eta > 0, eta, np.nan) ** (1 / self.exponent)

    def derivative(self, eta: Floats) -> Floats:
        """Return dmu/deta."""
        k = 1 / self.exponent
        return k * np.where(eta > 0, eta, np.nan) ** (k - 1)


LINKS: dict[str, Link] = {
    "identity": Identity(),
    "log": Log(),
    "logit": Logit(),
    "probit": Probit(),
    "cloglog": CLogLog(),
    "loglog": LogLog(),
    "cauchit": Cauchit(),
    "reciprocal": Power(-1.0),
}

#: Links of a mean in (0, 1): the quantiles of a law.
SHARES = ("logit", "probit", "cloglog", "loglog", "cauchit")


def link_named(who: object, name: str | float) -> Link:
    """Return a link by its name, or the power link of an exponent.

    >>> link_named("GLM", "logit").name, link_named("GLM", 0.5).name
    ('logit', 'power 0.5')
    """
    if isinstance(name, str):
        return LINKS[name]
    if name == 0:
        must = "the exponent of a power link must not be 0"
        raise ParameterError(sentence(who, must, "0", "Use link='log'."))
    return Identity() if name == 1 else Power(float(name))
