"""Power transforms and the profile likelihood of their exponent, in summation form.

Also known as: Box-Cox profile likelihood, Yeo-Johnson profile likelihood.

Both transforms are one function of a logarithm s of the value,

    Box-Cox:      s = log x,                 v = (exp(lambda s) - 1) / lambda       (1)
    Yeo-Johnson:  s = sign(x) log(1 + |x|),  v = sign(s) (exp(k |s|) - 1) / k,
                  k = lambda where s >= 0,  2 - lambda where s < 0               (2)

and v = s where the divisor is 0.  If v is normal with a mean and a variance of its own,
the likelihood of lambda, maximised over these two, is up to a constant

    log L(lambda) = -(n/2) F(lambda),
    F(lambda) = log var v(lambda) - 2 (lambda - 1) mean(s)                       (3)

In (1), and in (2) where all values have one sign, a shift of s only multiplies v and
adds to it.  There |s| is taken from its mean, which makes the last term of (3) vanish,
and v is known up to a factor exp(m), whose logarithm is added to (3); so nothing
overflows, and no digit is lost where v is almost constant.

A pass adds up mean and variance of v for nine lambda of each column.  The first looks
at a coarse grid that holds 0, 1/2 and 1 and finds neighbours of the lowest F; each
further one interpolates F at Chebyshev nodes, takes the minimum of the polynomial, and
narrows the nodes by a factor of 16.  As F is smooth, two of these leave an error of
lambda below 1e-8.  The curvature at the minimum gives the interval

    lambda +- z / sqrt(n F''/2)                                                  (4)

and by (3) the likelihood that log (0), square root (1/2) or nothing (1) would lose.

Reference: Box and Cox (1964); Yeo and Johnson (2000).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.polynomial import chebyshev

from corollary.core.arrays import Floats, Vector
from corollary.engine import Chunk, Statistics
from corollary.engine.column_extremes import column_extremes
from corollary.engine.statistics import dense_blocks, fold
from corollary.preparation.column_statistics import Spread, weighing
from corollary.preparation.standard_scaler import constant_columns

__all__ = ["MOST_PASSES", "Profile", "logs", "power"]

GRID = np.array([-4.0, -2.0, -1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 5.0])
NODES = len(GRID)
WIDER = 4.0  # times as far where the lowest F is at an end of the grid
NARROWER = 16.0
LIMIT = 1000.0  # of lambda
TOLERANCE = 1e-8
NARROWEST = 1e-3  # half the width of nodes
MOST_PASSES = 40
OVERFLOW = 300.0  # exponents from which on v is divided by exp(m)
SMALL = 1e-3  # exponents of a standard deviation for which exp(x) - 1 loses digits
CLIP = 700.0  # exp of more overflows

T = -np.cos(np.pi * np.arange(NODES) / (NODES - 1))  # nodes on [-1, 1]
TO_COEFFICIENTS = np.linalg.inv(chebyshev.chebvander(T, NODES - 1))
FINE = np.linspace(-1, 1, 201)
FINE_VALUES = chebyshev.chebvander(FINE, NODES - 1)


def logs(X: Floats, signed: bool) -> Floats:
    """Return s of (1), or of (2) where `signed`, in float64."""
    X = X.astype(np.float64, copy=False)
    return np.copysign(np.log1p(np.abs(X)), X) if signed else np.log(X)


def power(s: Floats, lam: Any, signed: bool) -> Floats:
    """Return v of (1), or of (2) where `signed`, for an exponent of each column.

    >>> power(np.log(np.array([[4.0, 4.0]])), np.array([2.0, 0.0]), False).round(4)
    array([[7.5   , 1.3863]])
    """
    k = np.where(s >= 0, lam, 2 - lam) if signed else np.broadcast_to(lam, s.shape)
    a = np.abs(s) if signed else s
    safe = np.where(k == 0, 1.0, k)
    v = np.where(k == 0, a, np.expm1(np.minimum(k * a, CLIP)) / safe)
    return np.copysign(v, s) if signed else v


@dataclass(frozen=True)
class First(Statistics):
    """What the first pass contributes: moments of x and of s, and the range of s."""

    x: Spread
    s: Spread
    low: Floats  # (d,) inf where there is no value
    high: Floats  # (d,)

    @classmethod
    def of(cls, chunk: Chunk, signed: bool) -> First:
        """Take the moments of a chunk."""
        X, w = weighing(chunk.X, chunk.w)
        S = logs(X, signed)
        return cls(Spread.of(X, w), Spread.of(S, w), *column_extremes(S))

    def __add__(self, other: First) -> First:
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return First(self.x + other.x, self.s + other.s, low, high)


@dataclass(frozen=True)
class Profile:
    """The search for the exponents.

    Attributes
    ----------
    lam : array of shape (d,)
        lambda, the best exponent so far.
    mean, deviation : arrays of shape (d,)
        Mean and standard deviation of v at lambda; in (1) of x / exp(centre).  They
        take one more pass (`at_best`, `settled`).
    centre : array of shape (d,)
        Mean of |s| where all values have one sign, else 0.
    losses : array of shape (3, d)
        Log-likelihood that the exponents 0, 1/2 and 1 lose to lambda.
    error : array of shape (d,)
        Standard error of lambda (4), infinite where F is flat.
    """

    signed: bool
    active: Any = None  # (d,) whether lambda is still looked for
    nodes: Any = None  # (m, a) exponents to look at, of the active columns
    varies: Any = None  # (d,) whether the column does
    half: Any = None  # (d,) half the width of the nodes, 0 while they are a grid
    side: Any = None  # (d,) the sign of s, 1 where it does not matter, 0 for both
    centre: Any = None
    slope: Any = None  # (d,) mean(s) in (3)
    n: Any = None
    spread: Any = None  # (d,) standard deviation of s
    low: Any = None  # (d,) range of s, or of side s - centre
    high: Any = None
    lam: Any = None
    mean: Any = None
    deviation: Any = None
    F: Any = None  # (d,) at lambda
    at: Any = None  # (3, d) F at 0, 1/2 and 1
    curvature: Any = None  # (d,) F''

    @property
    def done(self) -> bool:
        """Whether every exponent is found."""
        return self.active is not None and not self.active.any()

    @property
    def losses(self) -> Floats:
        """Log-likelihood that 0, 1/2 and 1 lose."""
        return np.maximum(self.n / 2 * (self.at - self.F), 0.0)

    @property
    def error(self) -> Floats:
        """Standard error of lambda (4)."""
        information = self.n / 2 * self.curvature
        root = np.sqrt(np.where(information > 0, information, 1.0))
        return np.where(information > 0, 1 / root, np.inf)

    # -- a pass ----------------------------------------------------------------------
    def count(self, chunk: Chunk) -> First | Spread:
        """Return what one chunk contributes."""
        if self.active is None:
            return First.of(chunk, self.signed)
        X, w = weighing(chunk.X, chunk.w)
        blocks = dense_blocks(X[:, self.active], w, None)
        total = fold(self._moments(*block[:2]) for block in blocks)
        if total is None:
            zeros = np.zeros(self.nodes.shape)
            return Spread(zeros, zeros, zeros, zeros)
        return total

    def _moments(self, X: Floats, w: Vector | None) -> Spread:
        """Take the moments of v for every node, (m, a)."""
        S, side = logs(X, self.signed), self.side[self.active]
        one, m = side != 0, self._factors()
        fields = np.zeros((4, *self.nodes.shape))
        for columns, bend in ((one, self._one_sign), (~one, self._both_signs)):
            if not columns.any():
                continue
            own = S if columns.all() else np.ascontiguousarray(S[:, columns])
            for node, v in enumerate(bend(own, columns, m)):
                p = Spread.of(v, w)
                fields[:, node, columns] = p.n, p.mean, p.rest, p.M2
        return Spread(*fields)

    def _one_sign(self, S: Floats, columns: Vector, m: Floats) -> Iterator[Floats]:
        """Yield v exp(-m) up to a constant for each node, where s has one sign."""
        side, centre = (z[self.active][columns] for z in (self.side, self.centre))
        a = side * S - centre
        for lam, factor in zip(self.nodes, m[:, columns], strict=True):
            k, small = self._exponents(lam)[columns], self._small(lam)[columns]
            v = a * np.where(small, 0.0, k)
            v -= factor
            np.exp(v, out=v)
            v /= np.where(k == 0, 1.0, k)
            for j in np.flatnonzero(small):
                v[:, j] = power(a[:, j], k[j], False)
            yield v

    def _both_signs(self, S: Floats, columns: Vector, m: Floats) -> Iterator[Floats]:
        """Yield v exp(-m) for each node, where s has both signs."""
        a, above = np.abs(S), S >= 0
        spread = self.spread[self.active][columns]
        for lam, factor in zip(self.nodes[:, columns], m[:, columns], strict=True):
            k = np.where(above, lam, 2 - lam)
            v = k * a
            v -= factor
            np.exp(v, out=v)
            v -= np.exp(-factor)
            v /= np.where(k == 0, 1.0, k)
            for near, side in ((lam, above), (2 - lam, ~above)):
                for j in np.flatnonzero(np.abs(near) * spread < SMALL):
                    own = side[:, j]
                    exact = power(a[own, j], near[j], False)
                    v[own, j] = exact * np.exp(-factor[j])
            yield np.copysign(v, S, out=v)

    def _exponents(self, lam: Floats) -> Floats:
        """Return k of the columns whose values have one sign."""
        return np.where(self.side[self.active] < 0, 2 - lam, lam)

    def _small(self, lam: Floats) -> Vector:
        """Tell where s has one sign and exp(x) - 1 would lose digits."""
        exponent = np.abs(self._exponents(lam)) * self.spread[self.active]
        return (exponent < SMALL) & (self.side[self.active] != 0)

    def _factors(self) -> Floats:
        """Return m, (m, a): v is divided by exp(m)."""
        lam, low, high = self.nodes, self.low[self.active], self.high[self.active]
        k = self._exponents(lam)
        one = np.maximum(k * high, k * low)
        both = np.maximum(lam * high, (lam - 2) * low)
        mixed = np.where(both > OVERFLOW, both, 0.0)
        m = np.where(self.side[self.active] == 0, mixed, one)
        return np.where(self._small(lam), 0.0, m)

    # -- between passes --------------------------------------------------------------
    def updated(self, s: First | Spread) -> Profile:
        """Begin with the grid, or move the nodes to where F is lowest."""
        if isinstance(s, First):
            return self._begun(s)
        F = self._values(s)
        kept = "active half lam F at curvature".split()
        new = {name: getattr(self, name).copy() for name in kept}
        nodes = []
        for i, j in enumerate(np.flatnonzero(self.active).tolist()):
            own, f = self.nodes[:, i], F[:, i]
            move = around(own, f) if not self.half[j] else inside(own, f, self.half[j])
            if np.array_equal(own, GRID):
                new["at"][:, j] = f[[3, 4, 5]]
            new["half"][j], new["curvature"][j] = move.half, move.curvature
            if move.nodes is not None:
                nodes.append(move.nodes)
                continue
            new["active"][j], new["lam"][j] = False, move.best
            new["F"][j] = move.weights @ f
        return replace(self, nodes=np.array(nodes).T, **new)

    def at_best(self) -> Profile:
        """Look at the exponents that were found, and at no others."""
        return replace(self, active=self.varies, nodes=self.lam[self.varies][None])

    def settled(self, s: Any) -> Profile:
        """Know mean and deviation of v, from a pass with `at_best`."""
        mean, deviation = self.mean.copy(), self.deviation.copy()
        found = self.at_best()._true(s)
        mean[self.varies], deviation[self.varies] = found[0][0], found[1][0]
        return replace(self, mean=mean, deviation=deviation)

    def _true(self, s: Spread) -> tuple[Floats, Floats]:
        """Return mean and standard deviation of v itself at the nodes."""
        k, small = self._exponents(self.nodes), self._small(self.nodes)
        side, centre = self.side[self.active], self.centre[self.active]
        times = np.exp(np.minimum(self._factors(), CLIP))
        mean, deviation = (s.mean + s.rest) * times, np.sqrt(s.M2 / s.n) * times
        left_out = (side != 0) & ~small
        mean -= np.where(left_out, 1 / np.where(left_out, k, 1.0), 0.0)
        if not self.signed:
            return mean, deviation
        back = np.exp(np.minimum(k * centre, CLIP))  # s is no longer from its mean
        moved = back * mean + power(centre + 0 * k, k, False)
        mean = np.where(side == 0, mean, side * moved)
        return mean, np.where(side == 0, deviation, back * deviation)

    def _begun(self, s: First) -> Profile:
        d, there = len(s.low), s.low <= s.high
        low, high = np.where(there, s.low, 0.0), np.where(there, s.high, 0.0)
        active = there & ~constant_columns(s.x) & ~constant_columns(s.s)
        side = np.ones(d)
        if self.signed:
            side = np.where(low >= 0, 1.0, np.where(high <= 0, -1.0, 0.0))
        centre = side * s.s.mean
        ends = np.sort(np.where(side < 0, -1, 1) * np.array([low, high]), axis=0)
        return replace(
            self,
            active=active,
            varies=active,
            nodes=np.repeat(GRID[:, None], active.sum(), axis=1),
            half=np.zeros(d),
            side=side,
            centre=centre,
            slope=np.where(side == 0, s.s.mean, 0.0),
            n=np.asarray(s.s.n, dtype=np.float64),
            spread=np.sqrt(s.s.variance),
            low=ends[0] - centre,
            high=ends[1] - centre,
            lam=np.ones(d),
            mean=power(s.s.mean, 1.0, True) if self.signed else np.zeros(d),
            deviation=np.zeros(d),
            F=np.zeros(d),
            at=np.zeros((3, d)),
            curvature=np.zeros(d),
        )

    def _values(self, s: Spread) -> Floats:
        """Return F (3) at the nodes."""
        variance = np.maximum(s.M2 / s.n, np.finfo(np.float64).tiny)
        F = np.log(variance) + 2 * self._factors()
        return F - 2 * (self.nodes - 1) * self.slope[self.active]


class Move(NamedTuple):
    """Where the search in one column goes on, or ends, given values at the nodes."""

    nodes: Floats | None
    half: float = 0.0
    curvature: float = 0.0
    best: float = 0.0
    weights: Any = None  # (m,) of the values at the nodes in that at the best


def around(nodes: Floats, F: Floats) -> Move:
    """Go on between the neighbours of the lowest F on a grid, or on a wider grid."""
    k = int(np.argmin(F))
    if 0 < k < len(nodes) - 1:
        a, b = nodes[k - 1], nodes[k + 1]
        return Move((a + b) / 2 + (b - a) / 2 * T, (b - a) / 2)
    if abs(nodes[k]) >= LIMIT:
        return Move(None, best=nodes[k], weights=np.eye(NODES)[k])
    inner = nodes[1] if k == 0 else nodes[-2]
    far = float(np.clip(WIDER * nodes[k], -LIMIT, LIMIT))
    return Move(np.linspace(min(inner, far), max(inner, far), NODES))


def inside(nodes: Floats, F: Floats, half: float) -> Move:
    """Go on around the minimum of the interpolating polynomial; end where it is exact.

    The last coefficients of a smooth function's Chebyshev series tell the error of the
    series, and, over the curvature, that of its minimum.
    """
    c = TO_COEFFICIENTS @ F
    t, bend = lowest(c)
    best, curvature = nodes[NODES // 2] + half * t, bend / half**2
    if abs(t) > 1 - 1e-9:  # beyond the nodes
        return Move(best + half * T, half, curvature)
    error = half * NODES**2 * np.abs(c[-2:]).max() / max(bend, 1e-300)
    if error <= TOLERANCE * max(1.0, abs(best)) or half <= NARROWEST:
        at = chebyshev.chebvander(np.array([t]), NODES - 1)[0]
        return Move(None, half, curvature, best, at @ TO_COEFFICIENTS)
    narrow = max(half / NARROWER, NARROWEST)
    return Move(best + narrow * T, narrow, curvature)


def lowest(c: Floats) -> tuple[float, float]:
    """Return where a Chebyshev series on [-1, 1] is lowest, and its curvature there."""
    t = float(FINE[np.argmin(FINE_VALUES @ c)])
    first, second = chebyshev.chebder(c), chebyshev.chebder(c, 2)
    for _ in range(4):
        bend = float(chebyshev.chebval(t, second))
        if bend <= 0 or abs(t) == 1:
            break
        t = float(np.clip(t - chebyshev.chebval(t, first) / bend, -1, 1))
    return t, float(chebyshev.chebval(t, second))
