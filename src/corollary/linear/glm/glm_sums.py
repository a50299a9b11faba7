"""What a generalised linear model sums over the rows.

With eta_n = x_n'b + b0 (+ offset), and x~ = (x - mean, 1):

    census     sum w, sum w y, what the likelihood takes from y alone, the spread of x
    each pass  half the deviance, its gradient sum w s x and sum w s             (1)
    at times   the Fisher information sum w h x~ x~', and Pearson's statistic    (2)

where s and h are slope and weight of `objectives/families.py`.  Directions in which the
likelihood rises for ever are certified by a last look at the rows (Correia, Guimaraes,
Zylkin 2019): v is one where no row objects to moving along it,

    y at the lower end of its range: x~'v <= 0,  at the upper end: >= 0,
    inside: = 0,   and some row gains                                            (3)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla
import scipy.sparse as sp

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.errors import DataError, sentence
from corollary.engine import Chunk, Moments, Statistics, Variances
from corollary.linear.logistic.logistic_sums import LARGE, SPARSE, curvature
from corollary.linear_algebra.decompositions import cho_factor, eigh
from corollary.objectives.families import Binomial, Family
from corollary.objectives.links import Link

__all__ = [
    "Census",
    "Certificate",
    "GLMSums",
    "Model",
    "NullSums",
    "Sums",
    "certify",
    "inverse",
    "null_space",
    "null_sums",
    "sums",
    "take_census",
    "weakest",
]

OBJECTION = 1e-7  # of the largest gain: what counts as none in (3)
SUSPECT = 1e-3  # of the information at the constant model: is there a maximum at all?
EPS = np.finfo(np.float64).eps


@dataclass(frozen=True)
class Model:
    """Family, link, and the column of X, if any, that is an exposure."""

    who: str
    family: Family
    link: Link
    exposure: int | None = None

    def predictor(self, X: Matrix, coef: Floats, b0: float) -> Floats:
        """Return eta of each row, in float64."""
        eta = np.asarray(X @ coef.astype(X.dtype), dtype=np.float64) + b0
        if self.exposure is not None:
            with np.errstate(divide="ignore", invalid="ignore"):
                eta += np.log(column(X, self.exposure))
        return eta


@dataclass(frozen=True)
class Census(Statistics):
    """What is known before the search."""

    n: float
    sum_y: float
    constant: float  # what the likelihood takes from y alone
    spread: Moments | Variances


@dataclass(frozen=True)
class Sums(Statistics):
    """What one chunk contributes to (1) and (2)."""

    loss: float
    g: Floats  # (d,)
    g0: float
    pearson: float = 0.0
    H: Any = None  # (d + 1, d + 1), or (d + 1,) for the diagonal


@dataclass(frozen=True)
class GLMSums:
    """The sums of the last pass, from which inference follows."""

    n: float
    deviance: float
    null_deviance: float
    pearson: float
    constant: float  # what the likelihood takes from y alone
    alpha: float
    mean: Floats  # (d,) taken out of x
    H: Any  # (d + 1, d + 1) sum w h x~ x~', None where d is too large for it
    gram: Any  # (d, d) sum w x x', about the means if there is an intercept
    free: Vector  # (d + 1,) which entries were estimated
    held: Vector  # (d,) columns that are an offset or an exposure
    null_space: Floats  # (d, r) what dependent columns leave undetermined
    endless: bool = False  # whether the likelihood has no maximum


@dataclass(frozen=True)
class NullSums(Statistics):
    """Loss, slope and weight of the model that has an intercept alone."""

    loss: float
    slope: float
    weight: float


@dataclass(frozen=True)
class Certificate(Statistics):
    """The strongest objection to a direction, and the largest gain along it (3)."""

    objection: float
    gain: float

    def __add__(self, other: Certificate) -> Certificate:
        return Certificate(
            max(self.objection, other.objection), max(self.gain, other.gain)
        )

    @property
    def holds(self) -> bool:
        """Whether the likelihood rises for ever along the direction."""
        return self.gain > 0 and self.objection <= OBJECTION * self.gain


def take_census(chunk: Chunk, model: Model) -> Census:
    """Check the response and the exposure, and take the spread of the features."""
    X, y, w = alive(chunk)
    model.family.check(model.who, y, chunk.first_row)
    if model.exposure is not None:
        exposure = column(X, model.exposure)
        if len(exposure) and not exposure.min() > 0:
            must = f"the exposure, column {model.exposure} of X, must be > 0"
            came = f"{exposure.min():g} in row {chunk.first_row + exposure.argmin()}"
            raise DataError(sentence(model.who, must, came, "Drop rows without it."))
    d = X.shape[1]
    wide = d * d > LARGE or (sp.issparse(X) and d > SPARSE)
    spread = Variances.of(X, w) if wide else Moments.of(X, w)
    ones = np.ones(len(y)) if w is None else w
    constant = model.family.constant(y, ones)
    return Census(float(ones.sum()), float(ones @ y), constant, spread)


def null_sums(chunk: Chunk, model: Model, coef: Floats, b0: float) -> NullSums:
    """Sum loss, slope and weight at an intercept."""
    X, y, w = alive(chunk)
    at = model.family.terms(y, model.predictor(X, coef, b0), model.link)
    ones = np.ones(len(y)) if w is None else w
    return NullSums(
        float(ones @ at.loss), float(ones @ at.slope), float(ones @ at.weight)
    )


def sums(
    chunk: Chunk,
    model: Model,
    coef: Floats,
    b0: float,
    about: Floats | None,
    *,
    diagonal: bool = False,
) -> Sums:
    """Sum (1), and (2) about the point `about` where one is given."""
    X, y, w = alive(chunk)
    at = model.family.terms(y, model.predictor(X, coef, b0), model.link)
    slope = at.slope if w is None else w * at.slope
    loss = float(at.loss.sum() if w is None else w @ at.loss)
    g = np.asarray(X.T @ slope.astype(X.dtype), dtype=np.float64)
    g0 = float(slope.sum())
    if about is None:
        return Sums(loss, g, g0)
    weight = at.weight if w is None else w * at.weight
    pearson = float(at.pearson.sum() if w is None else w @ at.pearson)
    h = weight.astype(X.dtype)[:, None]
    return Sums(loss, g, g0, pearson, curvature(X, h, about, diagonal=diagonal)[0])


def certify(chunk: Chunk, family: Family, v: Floats, b0: float) -> Certificate:
    """Look for objections to the direction (v, b0) (3)."""
    X, y, _ = alive(chunk)
    along = np.asarray(X @ v.astype(X.dtype), dtype=np.float64) + b0
    low, high = y == 0, (y == 1) & isinstance(family, Binomial)
    objection = np.where(low, along, np.where(high, -along, np.abs(along)))
    gain = np.where(low, -along, np.where(high, along, 0.0))
    return Certificate(float(objection.max(initial=0.0)), float(gain.max(initial=0.0)))


def alive(chunk: Chunk) -> tuple[Matrix, Floats, Vector | None]:
    """Return X, y in float64 and w of the rows that have a weight."""
    X, y, w = chunk.X, np.asarray(chunk.y, dtype=np.float64), chunk.w
    if w is None or w.all():
        return X, y, w
    keep = w > 0
    return X[keep], y[keep], w[keep]


def column(X: Matrix, j: int) -> Floats:
    """Return a column of dense or sparse rows, in float64."""
    values = X[:, [j]].toarray()[:, 0] if sp.issparse(X) else X[:, j]
    return np.asarray(values, dtype=np.float64)


def inverse(A: Floats) -> Floats:
    """Invert an information matrix, or its diagonal; never a direction of no length."""
    d2 = A if A.ndim == 1 else np.diagonal(A)
    scale = np.sqrt(np.where(d2 > 0, d2, 1.0))
    if A.ndim == 1:
        return np.where(d2 > 0, 1 / scale**2, 0.0)
    C = A / np.outer(scale, scale)
    try:
        factor = cho_factor(C, lower=True, check_finite=False)
        inner = sla.cho_solve(factor, np.eye(len(C)), check_finite=False)
    except np.linalg.LinAlgError:
        values, vectors = eigh(C)
        floor = 8 * len(C) * np.finfo(np.float64).eps * max(float(values[-1]), 1.0)
        inner = (vectors / np.maximum(values, floor)) @ vectors.T
    return inner / np.outer(scale, scale)


def weakest(first: Floats, H: Floats, free: Vector) -> Floats | None:
    """Return the direction that has lost most information since the constant model.

    None where none has lost enough for doubt that the likelihood has a maximum.
    """
    at = np.ix_(free, free)
    start: Any = first[at]
    scale = np.sqrt(np.maximum(np.diagonal(start), np.finfo(np.float64).tiny))
    values, V = eigh(start / np.outer(scale, scale))
    F = V / np.sqrt(np.maximum(values, 64 * EPS * len(V))) / scale[:, None]
    shares, directions = eigh(F.T @ H[at] @ F)
    if shares[0] > SUSPECT:
        return None
    v = np.zeros(len(free))
    v[free] = F @ directions[:, 0]
    return v


def null_space(
    first: Floats, free: Vector, dependent: tuple[int, ...], constant: tuple[int, ...]
) -> Floats:
    """Return an orthonormal basis of what dependent columns leave undetermined."""
    d = len(free) - 1
    if not dependent and not constant:
        return np.zeros((d, 0))
    taken, left = np.flatnonzero(free[:-1]), [*dependent, *constant]
    N = np.zeros((d, len(left)))
    N[left, np.arange(len(left))] = 1.0
    if dependent and first.ndim == 2:
        rest, G = np.array(dependent), np.asarray(first)[:-1, :-1]
        P: Any = inverse(G[np.ix_(taken, taken)])
        N[np.ix_(taken, np.arange(len(rest)))] = -P @ G[np.ix_(taken, rest)]
    N[np.abs(N) < 1e-9 * np.abs(N).max(axis=0)] = 0.0
    return np.linalg.qr(N)[0]
