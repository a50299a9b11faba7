"""The power law of learning curves, and all laws that the measurements do not refute.

Also known as: learning curve extrapolation, inverse power law, scaling law.

The mean loss of a learner after m rows falls, in theory and in practice, like

    e(m) = a + b m^-c,      a >= floor, b >= 0, c in [1/8, 2]                    (1)

to a level a that no number of rows removes.  c is 1 where a model of few parameters is
right, 1/2 in the worst case of a bounded class, less where the model grows with the
rows.  Measured are means v_k after m_k rows.  They share rows, so they are correlated,
with covariance C.  For each c, a and b come from weighted least squares, linear in v,

    minimise  sum_k (v_k - a - b m_k^-c)^2 / C_kk,    (a, b) = B v               (2)
    covariance of (a, b)  =  B C B'                                              (3)

and the c whose (2) is least is chosen.  (Only the diagonal of C weighs: generalised
least squares with a C that was estimated is drawn below the measurements.)  How well a
c explains the shape of the curve is

    S(c) = min over a, b of  r' inv(C) r,     r_k = v_k - a - b m_k^-c           (4)

A law (a, b, c) is refuted if S(c) and its distance from (2) in the norm of (3) add up
to more than t^2 above the least sum, t a quantile of Student's law; t^2 is multiplied
by the mean square misfit of the best law where that exceeds 1.  The interval for e(m),
in the range of the sizes or far beyond it, reaches from the least to the largest value
of all laws that are left, as that of a profile likelihood.  It is found exactly, c by
c: an end is where an ellipse of (a, b) has a tangent, or meets an edge of (1).

Small samples may follow no law at all (with fewer rows than columns, say).  While (4)
is improbable for every c, the smallest size is left out.  Where a level is known that e
will hardly fall below, such as a training loss that rises, the law of (2) respects it;
the interval does not rely on it.

Notation: K = len(sizes); v = values; C = covariance; q exponents.
References: Cortes et al. (1994); Viering and Loog (2023).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.vectors import numbers

__all__ = ["Extrapolated", "PowerLaw", "fit_power_law"]

WHO = "fit_power_law"
EXPONENTS = np.geomspace(1 / 8, 2.0, 129)  # with 1/2 and 1
FEWEST = 4  # sizes that remain at least, where there are as many
IMPROBABLE = 0.05
ROUGH = 1e-3  # of the fall: no curve follows (1) more exactly
TINY = 1e-6  # of a value
LEAST = 1e-100  # standard deviation
FARTHEST = 1e15  # rows


class Extrapolated(NamedTuple):
    """A value, and the ends of its interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False)
class PowerLaw:
    """A law (1), and those that are not refuted.

    Attributes
    ----------
    a, b, c : float
        Of the law nearest to the measurements.
    level : float
        Confidence of the intervals.
    misfit : float
        Mean square misfit: about 1, or less, where the measurements follow the law.
    used : int
        Sizes that the law was fitted to, the largest ones.
    laws : Laws
        All that are not refuted.
    """

    a: float
    b: float
    c: float
    level: float
    misfit: float
    used: int
    laws: Laws

    def at(self, m: float) -> Extrapolated:
        """Return the mean loss after m rows, and its interval.

        Parameters
        ----------
        m : float

        Returns
        -------
        Extrapolated
        """
        m = _rows("m", m)
        return _between(self._value(m), *self.laws.ends(1.0, self.laws.power(m)))

    def fall(self, start: float, end: float) -> Extrapolated:
        """Return by how much the mean loss falls between two numbers of rows.

        The level a, and with it most of the noise, is not part of it.

        Parameters
        ----------
        start, end : float

        Returns
        -------
        Extrapolated
        """
        start, end = _rows("start", start), _rows("end", end)
        power = self.laws.power(start) - self.laws.power(end)
        value = self._value(start) - self._value(end)
        return _between(value, *self.laws.ends(0.0, power))

    def rows_for(self, loss: float) -> Extrapolated:
        """Return the rows after which a loss is reached, infinity where it is never.

        Parameters
        ----------
        loss : float

        Returns
        -------
        Extrapolated
        """
        if not real().holds(loss):
            must = "loss must be a number"
            raise ParameterError(sentence("rows_for", must, f"{loss!r}"))
        low, high = (lambda m, i=i: self.at(m)[i] for i in (1, 2))
        curves: tuple[Callable[[float], float], ...] = (self._value, low, high)
        return Extrapolated(*(_reached(curve, float(loss)) for curve in curves))

    def _value(self, m: float) -> float:
        return float(self.a + self.b * m**-self.c)

    def __str__(self) -> str:
        return f"{self.a:.4g} + {self.b:.4g} m^-{self.c:.3g}"


def fit_power_law(
    sizes: Any,
    values: Any,
    covariance: Any,
    *,
    floor: float = 0.0,
    likely_floor: float | None = None,
    level: float = 0.95,
    dof: float = np.inf,
) -> PowerLaw:
    """Fit a power law to mean losses after several numbers of rows (2).

    Parameters
    ----------
    sizes : array of shape (K,)
        Numbers of rows, rising, at least 3.
    values : array of shape (K,)
        Mean losses.
    covariance : array of shape (K, K) or (K,)
        Of the means, or their variances.
    floor : float, default=0.0
        What the loss cannot fall below; minus infinity if it can.
    likely_floor : float, optional
        What it will hardly fall below, for the law but not for the intervals.
    level : float in (0, 1), default=0.95
        Confidence of the intervals.
    dof : float, default=inf
        Degrees of freedom of the covariance, for the quantile t.

    Returns
    -------
    PowerLaw

    Examples
    --------
    >>> import numpy as np
    >>> m = np.array([10, 20, 40, 80, 160])
    >>> law = fit_power_law(m, 0.2 + 3 / m, np.full(5, 1e-6))
    >>> print(law)
    0.2 + 3 m^-1
    >>> [round(number, 3) for number in law.at(1600)]
    [0.202, 0.199, 0.205]
    >>> round(law.rows_for(0.21).value)
    300
    """
    m, v, C = _checked(sizes, values, covariance)
    for name, value, rule in (
        ("level", level, real(0, 1, ends="()")),
        ("floor", floor, real(high=float(v.min()))),
        ("likely_floor", floor if likely_floor is None else likely_floor, real()),
        ("dof", dof, real(1)),
    ):
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(WHO, must, f"{value!r}"))
    t = float(stats.t.ppf((1 + level) / 2, dof))
    likely = max(floor, min(floor if likely_floor is None else likely_floor, v.min()))
    first = 0
    while True:
        floors = (float(floor), float(likely))
        fits = _fits(m[first:], v[first:], C[first:, first:], *floors)
        K, least = len(m) - first, float(fits.S.min())
        probable = stats.chi2.sf(least, max(K - 3, 1)) > IMPROBABLE
        if probable or K <= FEWEST:
            break
        first += 1
    misfit = least / max(K - 3, 1)
    slack = fits.allowed.min() + max(1.0, misfit) * t * t - fits.S
    left, best = slack >= 0, int(fits.squares.argmin())
    a, b = fits.best[best]
    c, unit = float(EXPONENTS[best]), float(m[-1])
    ellipses = (fits.centres[left], fits.shapes[left], slack[left])
    laws = Laws(EXPONENTS[left], *ellipses, float(floor), unit)
    return PowerLaw(float(a), float(b) * unit**c, c, float(level), misfit, K, laws)


# -- laws ------------------------------------------------------------------------------
@dataclass(frozen=True, eq=False)
class Laws:
    """All laws that are not refuted: for each exponent an ellipse of (a, b).

    b is the fall at `unit` rows here: e(m) = a + b (m / unit)^-c.
    """

    exponents: Floats  # (q,)
    centres: Floats  # (q, 2)
    shapes: Floats  # (q, 2, 2) inverse of (3)
    slack: Floats  # (q,) the squared distance from the centre that is allowed
    floor: float
    unit: float

    def power(self, m: float) -> Floats:
        """Return (m / unit)^-c for each exponent."""
        return np.asarray((m / self.unit) ** -self.exponents)

    def ends(self, one: float, power: Floats) -> tuple[float, float]:
        """Return the least and the largest value of  one a + power b."""
        x = np.column_stack([np.full_like(power, one), power])  # (q, 2)
        tips = [self._tangents(x), self._crossings(0, self.floor)]
        tips += [self._crossings(1, 0.0), self._corner()]
        points = np.concatenate(tips, axis=1)  # (q, p, 2)
        tiny = 1e-9 * np.abs(self.centres).max()
        with np.errstate(invalid="ignore"):
            inside = (points[..., 0] >= self.floor - tiny) & (points[..., 1] >= -tiny)
        values = np.einsum("qpi,qi->qp", points, x)[inside]
        return float(values.min()), float(values.max())

    def _tangents(self, x: Floats) -> Floats:
        """Return where the ellipses reach farthest along x, both ways."""
        u = np.linalg.solve(self.shapes, x[:, :, None])[:, :, 0]
        long = np.einsum("qi,qi->q", x, u)
        length = np.sqrt(self.slack / np.where(long > 0, long, np.inf))[:, None]
        return np.stack([self.centres - length * u, self.centres + length * u], axis=1)

    def _crossings(self, axis: int, value: float) -> Floats:
        """Return where the ellipses meet the edge that fixes a or b, or NaN."""
        points = np.full((len(self.centres), 2, 2), np.nan)
        if not np.isfinite(value):
            return points
        other, d = 1 - axis, value - self.centres[:, axis]
        A, B = self.shapes[:, other, other], self.shapes[:, 0, 1] * d
        square = B**2 - A * (self.shapes[:, axis, axis] * d**2 - self.slack)
        half = np.sqrt(np.where(square >= 0, square, np.nan))
        points[:, :, axis] = value
        points[:, 0, other] = self.centres[:, other] + (-B - half) / A
        points[:, 1, other] = self.centres[:, other] + (-B + half) / A
        return points

    def _corner(self) -> Floats:
        """Return the corner of (1) where an ellipse contains it, or NaN."""
        corner = np.array([self.floor, 0.0])
        if not np.isfinite(self.floor):
            return np.full((len(self.centres), 1, 2), np.nan)
        d = corner - self.centres
        far = np.einsum("qi,qij,qj->q", d, self.shapes, d) > self.slack
        return np.where(far[:, None], np.nan, corner)[:, None]


class Fits(NamedTuple):
    """What (2) to (4) say of each exponent."""

    centres: Floats  # (q, 2) a and b of (2), whatever their signs
    shapes: Floats  # (q, 2, 2) inverse of (3)
    S: Floats  # (q,) of (4)
    allowed: Floats  # (q,) S and the distance from the centre to the nearest law of (1)
    best: Floats  # (q, 2) the a and b of (1) whose (2) is least
    squares: Floats  # (q,) their (2)


def _fits(m: Floats, v: Floats, C: Floats, floor: float, likely: float) -> Fits:
    """Solve (2) to (4) for every exponent."""
    F = np.ones((len(EXPONENTS), len(m), 2))
    F[:, :, 1] = (m / m[-1]) ** -EXPONENTS[:, None]
    weights = 1 / np.diag(C)
    A = np.einsum("qki,k,qkj->qij", F, weights, F)
    B = np.linalg.solve(A, (F * weights[:, None]).transpose(0, 2, 1))  # (q, 2, K)
    centres = B @ v  # (2)
    misses = v - np.einsum("qki,qi->qk", F, centres)
    best, squares = _nearest(centres, A, misses**2 @ weights, likely)
    sd = np.sqrt(np.diag(C))
    root = np.linalg.cholesky(C / np.outer(sd, sd))
    z, G = np.linalg.solve(root, v / sd), np.linalg.solve(root, F / sd[:, None])
    top = np.linalg.solve(
        np.einsum("qki,qkj->qij", G, G), np.einsum("qki,k->qi", G, z)[:, :, None]
    )
    S = ((z - (G @ top)[:, :, 0]) ** 2).sum(axis=1)  # (4)
    shapes = np.linalg.inv(B @ C @ B.transpose(0, 2, 1))  # (3)
    return Fits(
        centres, shapes, S, _nearest(centres, shapes, S, floor)[1], best, squares
    )


def _nearest(
    centres: Floats, shapes: Floats, least: Floats, floor: float
) -> tuple[Floats, Floats]:
    """Return the a >= floor and b >= 0 nearest to the centres, and what it costs."""
    options = [centres]
    for axis, edge in ((0, floor), (1, 0.0)):  # on an edge the other one is free
        other, low = 1 - axis, (0.0 if axis == 0 else floor)
        slope = shapes[:, 0, 1] / shapes[:, other, other]
        point = np.full_like(centres, edge)
        with np.errstate(invalid="ignore"):
            free = centres[:, other] - slope * (edge - centres[:, axis])
        point[:, other] = np.maximum(free, low)
        options.append(point)
    points = np.stack(options, axis=1)  # (q, 3, 2)
    d = points - centres[:, None]
    within = np.isfinite(d).all(axis=2)
    within &= (points[..., 0] >= floor) & (points[..., 1] >= 0)
    d = np.where(within[:, :, None], d, 0.0)
    cost = np.where(within, np.einsum("qpi,qij,qpj->qp", d, shapes, d), np.inf)
    rows, first = np.arange(len(cost)), cost.argmin(axis=1)
    return points[rows, first], least + cost[rows, first]


def _reached(curve: Callable[[float], float], loss: float) -> float:
    """Return where a falling curve reaches a loss."""
    low, high = 0.0, float(np.log(FARTHEST))
    if curve(1.0) <= loss:
        return 1.0
    if curve(FARTHEST) > loss:
        return np.inf
    while high - low > 1e-9 * high:
        middle = (low + high) / 2
        low, high = (low, middle) if curve(np.exp(middle)) <= loss else (middle, high)
    return float(np.exp(high))


def _between(value: float, low: float, high: float) -> Extrapolated:
    return Extrapolated(value, min(low, value), max(high, value))


def _rows(name: str, m: Any) -> float:
    if not real(0, ends="()").holds(m) or not np.isfinite(m):
        must = f"{name} must be a number of rows > 0"
        raise ParameterError(sentence("PowerLaw", must, f"{m!r}"))
    return float(m)


def _checked(sizes: Any, values: Any, covariance: Any) -> tuple[Floats, Floats, Floats]:
    """Return sizes, values and a covariance that has an inverse."""
    m, v = numbers(WHO, sizes, "sizes"), numbers(WHO, values, "values")
    C = numbers(WHO, covariance, "covariance")
    C = np.diag(C) if C.ndim == 1 else C
    K = len(m) if m.ndim == 1 else 0
    if K < 3 or v.shape != (K,) or C.shape != (K, K):
        must = "sizes, values and covariance must be of one length, 3 or more"
        raise DataError(sentence(WHO, must, f"{m.shape}, {v.shape} and {C.shape}"))
    if m[0] < 1 or (np.diff(m) <= 0).any():
        must = "sizes must be numbers of rows, rising"
        raise DataError(sentence(WHO, must, f"{m.tolist()}"[:60]))
    if (np.diag(C) < 0).any():
        raise DataError(sentence(WHO, "variances must be >= 0", f"{np.diag(C).min()}"))
    rough = ROUGH * (v - v.min()) + TINY * (np.abs(v) + float(np.abs(v).max()) * TINY)
    return m, v, (C + C.T) / 2 + np.diag(np.maximum(rough, LEAST) ** 2)
