"""Penalties on the weights of a linear model: l2, l1, elastic net, none.

Also known as: regulariser, weight decay, shrinkage, soft thresholding.

    R(w) = alpha [ rho ||w||_1 + (1 - rho)/2 ||w||^2 ]                               (1)

rho = 0 is the l2 penalty (ridge), rho = 1 the l1 penalty (lasso), alpha = 0 none.  R is
convex; its smooth part has the gradient alpha (1 - rho) w, and its proximal map, which
serves every step that cannot differentiate |w_j|, is soft thresholding with shrinkage:

    prox_{t R}(v) = argmin_w ||w - v||^2/2 + t R(w)
                  = sign(v) max(0, |v| - t alpha rho) / (1 + t alpha (1 - rho))      (2)

Entries with |v_j| <= t alpha rho become exactly 0, which is why l1 selects features.

At a minimum of f + R the least subgradient is 0; with g = f' + alpha (1 - rho) w it is

    g_j + l1 sign(w_j),   or  sign(g_j) (|g_j| - l1)_+  where w_j = 0                (3)

The conjugate R*(s) = max_w s'w - R(w) serves the duality gap:

    R*(s) = sum_j (|s_j| - l1)_+^2 / (2 l2),  or 0 for |s_j| <= l1 where l2 = 0      (4)
    R(w) + R*(s) - s'w >= 0,  a sum of terms >= 0 (Fenchel and Young)                (5)

With w >= 0 required, |s_j| becomes s_j in (4), and |g_j| becomes -g_j in (3).  Where w
is a matrix whose rows are blocks (several targets that share their features), |w_j| is
the length of row j and sign(w_j) its direction, so that whole rows become 0: the group
lasso.

Every entry of (3) is the violation of one of the conditions of `conditions.py`.  With
mu_j = g_j + l1, the multiplier of w_j >= 0 where that is required,

                              any w                            w >= 0                (6)
    stationarity              w_j != 0, and l1 = 0             w_j > 0, mu_j < 0
    primal feasibility        -                                -w_j
    dual feasibility          w_j = 0:  |g_j| - l1             w_j = 0:  -mu_j
    complementary slackness   -                                w_j > 0:  mu_j > 0

A w_j > 0 with mu_j < 0 is free to grow; mu_j > 0 presses it to a bound that it does not
touch.

Notation: alpha = strength; rho = l1_ratio; l1 = alpha rho; l2 = alpha (1 - rho).
Course: S2-17. References: Zou and Hastie (2005); Yuan and Lin (2006).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.objectives.conditions import Conditions, largest

__all__ = ["Penalty", "least_subgradient", "penalty_named"]


@dataclass(frozen=True)
class Penalty:
    """R of (1).

    Parameters
    ----------
    strength : float
        alpha >= 0.
    l1_ratio : float
        rho in [0, 1].
    positive : bool, default=False
        Whether w >= 0 is required.
    blocks : bool, default=False
        Whether w is a matrix whose rows are blocks.

    Examples
    --------
    >>> import numpy as np
    >>> lasso = Penalty(1.0, l1_ratio=1.0)
    >>> lasso.value(np.array([3.0, -4.0])), lasso.prox(np.array([3.0, -0.5]), 1.0)
    (7.0, array([ 2., -0.]))
    """

    strength: float = 0.0
    l1_ratio: float = 0.0
    positive: bool = field(default=False, repr=False)
    blocks: bool = field(default=False, repr=False)
    l1: float = field(init=False, repr=False)
    l2: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        if not 0 <= self.strength < np.inf:
            must = "strength must be a finite number >= 0"
            raise ParameterError(sentence(self, must, f"{self.strength!r}"))
        if not 0 <= self.l1_ratio <= 1:
            must = "l1_ratio must be in [0, 1]"
            raise ParameterError(sentence(self, must, f"{self.l1_ratio!r}"))
        object.__setattr__(self, "l1", self.strength * self.l1_ratio)
        object.__setattr__(self, "l2", self.strength * (1 - self.l1_ratio))

    def value(self, w: Any) -> float:
        """Return R(w)."""
        w, l1, l2 = np.asarray(w, float), self.l1, self.l2
        value = float(l1 * self.lengths(w).sum()) if l1 else 0.0
        return value + 0.5 * l2 * float(np.vdot(w, w)) if l2 else value

    def lengths(self, w: Floats) -> Floats:
        """Return ``|w_j|`` of every entry, or of every row that is a block.

        >>> Penalty(1.0, 1.0, blocks=True).lengths(np.array([[3.0, 4.0], [0.0, 0.0]]))
        array([5., 0.])
        """
        return np.sqrt(np.einsum("ij,ij->i", w, w)) if self.blocks else np.abs(w)

    def directions(self, w: Floats) -> Floats:
        """Return sign(w_j), 0 where w_j = 0."""
        if not self.blocks:
            return np.sign(w)
        lengths = self.lengths(w)
        return w / np.where(lengths > 0, lengths, 1.0)[:, None]

    def gradient(self, w: Any) -> Floats:
        """Return the subgradient of least norm at 0 entries: alpha (rho sign(w) + ...).

        >>> Penalty(2.0, 0.5).gradient([1.0, 0.0]).tolist()
        [2.0, 0.0]
        """
        w = np.asarray(w, float)
        return self.l1 * self.directions(w) + self.l2 * w

    def prox(self, v: Any, step: float) -> Floats:
        """Return (2)."""
        v = np.asarray(v, float)
        left = np.maximum(0.0, self.size(v) - step * self.l1)
        soft = self.directions(v) * (left[:, None] if self.blocks else left)
        return soft / (1 + step * self.l2)

    def times(self, n: float) -> Penalty:
        """Return n R, the penalty beside a sum of n losses."""
        return replace(self, strength=n * self.strength)

    def size(self, s: Floats) -> Floats:
        """Return what (4) compares with l1: ``|s|``, or s where w >= 0."""
        return s if self.positive else self.lengths(s)

    def products(self, a: Floats, b: Floats) -> Floats:
        """Return a_j b_j of every entry, or of every row that is a block."""
        return np.einsum("ij,ij->i", a, b) if self.blocks else a * b

    def young(self, w: Floats, s: Floats) -> float:
        """Return (5); where l2 = 0, s must be within the bounds of (4)."""
        w, s = (w, s) if self.blocks else (w.ravel(), s.ravel())
        on = self.support(w)
        w_on, s_on = w[on], s[on]
        terms = self.l1 * self.lengths(w_on) - self.products(w_on, s_on)
        if self.l2 == 0:
            return float(np.maximum(terms, 0.0).sum())
        over = np.maximum(self.size(s) - self.l1, 0.0)
        terms += self.l2 / 2 * self.products(w_on, w_on) + over[on] ** 2 / (2 * self.l2)
        over[on] = 0.0
        return float(np.maximum(terms, 0.0).sum() + over @ over / (2 * self.l2))

    def violation(self, w: Floats, g: Floats) -> float:
        """Return the largest entry of (3), how far w is from optimal conditions."""
        return self.conditions(w, g).residual

    def conditions(self, w: Floats, g: Floats) -> Conditions:
        """Return (6), how far w misses each condition."""
        if self.positive:
            mu, up = g + self.l1, w > 0
            free, pressed = largest(-mu[up]), largest(mu[up])
            return Conditions(free, largest(-w), largest(-mu[~up]), pressed)
        on = self.support(w)
        at_zero = self.lengths(g) - self.l1
        at_zero[on] = 0.0
        free = largest(self.lengths(g[on] + self.l1 * self.directions(w[on])))
        if self.l1 > 0:
            return Conditions(free, dual_feasibility=largest(at_zero))
        return Conditions(max(free, largest(at_zero)))

    def support(self, w: Floats) -> Vector:
        """Return which entries, or rows, are not 0."""
        there: Any = w.any(axis=1) if self.blocks else w.reshape(-1)
        return np.asarray(there.nonzero()[0])


def least_subgradient(w: Floats, g: Floats, l1: Any) -> Floats:
    """Return (3); l1 may differ between entries, and is 0 for an intercept.

    >>> least_subgradient(np.array([2.0, 0.0]), np.array([0.5, -3.0]), 1.0).tolist()
    [1.5, -2.0]
    """
    at_zero = np.sign(g) * np.maximum(np.abs(g) - l1, 0.0)
    return np.where(w == 0, at_zero, g + l1 * np.sign(w))


def penalty_named(
    name: str | None, alpha: float, l1_ratio: float | None = 0.15, who: object = None
) -> Penalty:
    """Return the penalty that linear models call by this name.

    Parameters
    ----------
    name : {'l2', 'l1', 'elasticnet', None}
    alpha : float
        Strength.
    l1_ratio : float or None, default=0.15
        Share of l1, for 'elasticnet', which needs it.
    who : object, optional
        Who asks, for the words of an error.

    Examples
    --------
    >>> penalty_named("l1", 0.1)
    Penalty(strength=0.1, l1_ratio=1.0)
    """
    who = "penalty_named" if who is None else who
    if name == "elasticnet" and l1_ratio is None:
        must = "l1_ratio must be a number in [0, 1] where penalty is 'elasticnet'"
        raise ParameterError(sentence(who, must, "None"))
    if name is None:
        return Penalty(0.0)
    shares: dict[str, Any] = {"l2": 0.0, "l1": 1.0, "elasticnet": l1_ratio}
    if name not in shares:
        must = "name must be 'l2', 'l1', 'elasticnet' or None"
        raise ParameterError(sentence(who, must, repr(name)))
    return Penalty(alpha, shares[name])
