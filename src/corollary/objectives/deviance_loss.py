"""Half the deviance of a family as a loss of the linear predictor, with its conjugate.

Also known as: negative log-likelihood of a generalised linear model.

    L(y, f) = d(y, mu)/2,   g(mu) = f + offset                                       (1)

for the families of `families.py` and the links of `links.py`.

Variance mu^p and the link f = mu^k, where k = 0 stands for the logarithm; with c = k,
or 1 where k = 0, and t = log(mu/y),

    L       = y^(2-p) (E(2-p) - E(1-p)),  E(q) = (e^(q t) - 1)/q or t for q = 0      (2)
    dL/df   = (mu^(2-k-p) - y mu^(1-k-p)) / c                                        (3)
    d2L/df2 = ((2-k-p) mu^(2-2k-p) + (k+p-1) y mu^(1-2k-p)) / c^2                    (4)

((2) loses no digit where mu is near y.)  As y >= 0 for p >= 1, L is convex where

    1 - p <= k <= 2 - p                                                              (5)

and near mu = 0 or mu = infinity otherwise not.  The lower end is the canonical link.
So the logarithm is convex for 1 <= p <= 2, the identity for p = 0 and p = 1 only, and
the reciprocal for 2 <= p <= 3.  For p = 0 negative y leave the identity alone.

Shares and outcomes 0 or 1 have L = -y log mu - (1 - y) log(1 - mu) less its least
value, convex where mu = F(f) and 1 - F are log-concave: for the logistic, the normal
and both Gumbel laws, but not for Cauchy's, whose tails are too heavy; and for mu = e^f
and mu = f^(1/k), 0 < k <= 1, on the f that have a mean.

The conjugate L*(y, v) = sup_f v f - L(y, f) has its supremum where dL/df = v:

    p = 0, identity   v y + v^2/2                                                    (6)
    k = 1 - p         at the mean y + c v, if it is > 0                              (7)
    k = 2 - p         at the mean y / (1 - c v), if it is > 0                        (8)
    y = 0             at the mean (c v)^(1/(2-k-p)), if it is > 0                    (9)
    logit             m log m + (1-m) log(1-m) - (the same of y),  m = y + v        (10)
    otherwise         at the root of dL/df = v, by halving: dL/df rises with f      (11)

so that for counts and the logarithm L* = m log m - m - y log y + y with m = y + v, and
for p = 2 and the logarithm L* = v + log y - (1 - v) log(y/(1 - v)).  Where no f has the
slope v, the supremum is at an end of the f that have a mean, and infinite unless that
end and L there are numbers.  An offset o adds -v o.

Notation: f = eta of `families.py`, without the offset.
Course: S2-36, S4-37. References: McCullagh and Nelder (1989), 2.2; Wedderburn (1976);
Rockafellar (1970), 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import expit, xlogy

from corollary.core.arrays import Floats
from corollary.objectives.families import Binomial, Family, Tweedie
from corollary.objectives.links import (
    CLogLog,
    Identity,
    Link,
    Log,
    Logit,
    LogLog,
    Power,
    Probit,
)
from corollary.objectives.loss import ScoreLoss

__all__ = ["DevianceLoss", "is_convex"]

FARTHEST = 20  # doublings of a bracket of (11)
HALVINGS = 90
STEEPEST = 1e12  # a slope next to a finite end of f that is not told from infinity


@dataclass(frozen=True)
class DevianceLoss(ScoreLoss):
    """The loss (1).

    Examples
    --------
    >>> counts = DevianceLoss(Tweedie(1.0), Log())
    >>> y, f = np.array([2.0]), np.log([3.0])
    >>> v = counts.derivative(y, f)
    >>> v.round(12).tolist(), counts.value(y, f).round(6).tolist()
    ([1.0], [0.18907])
    >>> bool(np.isclose(counts.value(y, f) + counts.conjugate(y, v), v * f)[0])
    True
    """

    family: Family
    link: Link
    offset: Any = 0.0  # (n,) or a number

    def value(self, y: Any, f: Any) -> Floats:
        """Return L, infinite where f belongs to no mean."""
        y, eta = np.asarray(y, float), np.asarray(f, float) + self.offset
        with np.errstate(all="ignore"):
            if isinstance(self.family, Binomial):
                return self.family.terms(y, eta, self.link).loss
            loss = self._half_deviance(y, eta)
        return np.where(np.isnan(loss), np.inf, np.maximum(loss, 0.0))

    def _half_deviance(self, y: Floats, eta: Floats) -> Floats:
        """Return (2), of an eta that may be far out."""
        p, k = self._exponents()
        if p == 0:
            return 0.5 * (y - self.link.inverse(eta)) ** 2
        log_mu = eta if k == 0 else np.log(np.where(eta > 0, eta, np.nan)) / k
        delta = log_mu - np.log(np.where(y > 0, y, 1.0))
        found = y ** (2 - p) * (ratio_gain(2 - p, delta) - ratio_gain(1 - p, delta))
        if p >= 2:
            return found
        return np.where(y > 0, found, np.exp((2 - p) * log_mu) / (2 - p))

    def derivative(self, y: Any, f: Any) -> Floats:
        """Return (3)."""
        y, eta = np.asarray(y, float), np.asarray(f, float) + self.offset
        return self._slope(y, eta)

    def _slope(self, y: Floats, eta: Floats) -> Floats:
        if isinstance(self.family, Binomial):
            return self.family.terms(y, eta, self.link).slope
        p, k = self._exponents()
        if p == 0 and k == 1:
            return eta - y
        with np.errstate(all="ignore"):
            first, second = self._power(eta, 2 - k - p), self._power(eta, 1 - k - p)
            return (first - np.where(y == 0, 0.0, y * second)) / (k or 1.0)

    def curvature(self, y: Any, f: Any) -> Floats:
        """Return (4); of shares the difference of slopes beside f, never below 0."""
        y, eta = np.asarray(y, float), np.asarray(f, float) + self.offset
        with np.errstate(all="ignore"):
            if isinstance(self.family, Binomial):
                terms = self.family.terms(y, eta, self.link)
                if isinstance(self.link, Logit):
                    return terms.weight
                width = 1e-6 * np.maximum(np.abs(eta), 1e-3)
                ends = [self._slope(y, eta + side * width) for side in (-1, 1)]
                bend = (ends[1] - ends[0]) / (2 * width)
                return np.where(np.isfinite(bend), np.maximum(bend, 0.0), terms.weight)
            p, k = self._exponents()
            if p == 0 and k == 1:
                return np.ones_like(eta)
            bend = (2 - k - p) * self._power(eta, 2 - 2 * k - p)
            if k + p != 1:
                bend = bend + (k + p - 1) * y * self._power(eta, 1 - 2 * k - p)
            return bend / (k or 1.0) ** 2

    def conjugate(self, y: Any, v: Any) -> Floats:
        """Return (6) to (11)."""
        y, v = np.asarray(y, float), np.asarray(v, float)
        with np.errstate(all="ignore"):
            found = np.where(v == 0, 0.0, self._supremum(y, v)) - v * self.offset
        return np.where(np.isnan(found), np.inf, found)

    def _supremum(self, y: Floats, v: Floats) -> Floats:
        if isinstance(self.family, Tweedie):
            return self._at_a_mean(y, v)
        if not isinstance(self.link, Logit):
            return self._by_halving(y, v)
        m, own = y + v, xlogy(y, y) + xlogy(1 - y, 1 - y)
        value = xlogy(m, m) + xlogy(1 - m, 1 - m) - own  # (10)
        return np.where((m >= 0) & (m <= 1), value, np.inf)

    def _at_a_mean(self, y: Floats, v: Floats) -> Floats:
        """Return (6) to (9), and (11) between them."""
        p, k = self._exponents()
        if p == 0:
            return v * y + 0.5 * v * v
        cv, lower, upper = (k or 1.0) * v, k == 1 - p, k == 2 - p
        if lower or upper:
            mu = y + cv if lower else y / (1 - cv)
        else:
            mu = np.where(y == 0, np.maximum(cv, 0.0) ** (1 / (2 - k - p)), np.nan)
        eta = self.link.of(np.where(mu > 0, mu, np.nan))
        value = v * eta - self._half_deviance(y, eta)
        found = np.where(mu > 0, value, np.inf)
        if upper and p > 2:  # L ends at f = 0 with a slope
            found = np.where(cv >= 1, -(y ** (2 - p)) / ((1 - p) * (2 - p)), found)
        if k > 0:  # and so where y = 0
            found = np.where((y == 0) & (v <= (1 / k if upper else 0.0)), 0.0, found)
        if lower or upper or not (y > 0).any():
            return found
        return np.where(y > 0, self._by_halving(np.maximum(y, 1e-300), v), found)

    def _by_halving(self, y: Floats, v: Floats) -> Floats:
        """Return (11), the root being searched for on a scale t that is a line."""
        eta, finite = self._scale()
        high = np.ones(np.broadcast(y, v).shape)
        low = -high
        for _ in range(FARTHEST):
            low = np.where(self._slope(y, eta(low)) > v, 2 * low, low)
            high = np.where(self._slope(y, eta(high)) < v, 2 * high, high)
        beyond = (self._slope(y, eta(low)) > v) & ~(finite[0] & (v > -STEEPEST))
        beyond |= (self._slope(y, eta(high)) < v) & ~(finite[1] & (v < STEEPEST))
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            below = self._slope(y, eta(middle)) < v
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        f = eta(0.5 * (low + high))
        value = v * f - DevianceLoss(self.family, self.link).value(y, f)
        return np.where(beyond | np.isinf(value), np.inf, value)

    def _scale(self) -> tuple[Any, tuple[bool, bool]]:
        """Return f as a rising function of t, and which of its ends are numbers."""
        if isinstance(self.family, Binomial):
            if isinstance(self.link, Log):
                return (lambda t: -np.exp(-np.clip(t, -700, 700))), (False, True)
            if isinstance(self.link, Identity | Power):
                least = -690 * exponent_of(self.link)
                return (lambda t: expit(np.clip(t, least, 36))), (True, True)
        if isinstance(self.link, Identity | Power):
            return (lambda t: np.exp(np.clip(t, -700, 700))), (True, False)
        return (lambda t: t), (False, False)

    def _exponents(self) -> tuple[float, float]:
        """Return p and k of (3)."""
        assert isinstance(self.family, Tweedie)
        return float(self.family.power), exponent_of(self.link)

    def _power(self, eta: Floats, q: float) -> Floats:
        """Return mu^q, 1 for q = 0, NaN where eta belongs to no mean."""
        k = exponent_of(self.link)
        if k == 0:
            return np.exp(q * eta)
        return np.where(eta > 0, eta, np.nan) ** (q / k)


def ratio_gain(q: float, t: Floats) -> Floats:
    """Return E(q) of (2)."""
    return t if q == 0 else np.expm1(q * t) / q


def exponent_of(link: Link) -> float:
    """Return k of f = mu^k, 0 for the logarithm."""
    if isinstance(link, Power):
        return float(link.exponent)
    return 1.0 if isinstance(link, Identity) else 0.0


def is_convex(family: Family, link: Link) -> bool:
    """Tell whether (1) is known to be convex.

    >>> is_convex(Tweedie(1.5), Log()), is_convex(Tweedie(1.5), Identity())
    (True, False)
    """
    if isinstance(family, Binomial):
        if isinstance(link, Logit | Probit | CLogLog | LogLog | Log):
            return True
        return isinstance(link, Identity | Power) and 0 < exponent_of(link) <= 1
    if not isinstance(family, Tweedie) or not isinstance(link, Identity | Log | Power):
        return False
    p, k = float(family.power), exponent_of(link)
    if p == 0:
        return isinstance(link, Identity)
    return p >= 1 and 1 - p <= k <= 2 - p
