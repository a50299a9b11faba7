"""What a generalised linear model sums over the rows beside its gradient.

    constant model   loss, slope and weight at an intercept alone                (1)
    at the end       the sums from which inference follows                       (2)

Directions in which the likelihood rises for ever are found by a last look at the rows
(Correia, Guimaraes, Zylkin 2019): v is one where no row objects to moving along it,

    y at the lower end of its range: x~'v <= 0,  at the upper end: >= 0,
    inside: = 0,   and some row gains                                            (3)

Loss, gradient and Fisher information are summed in `objectives/chunk_losses.py`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.linalg as sla

from corollary.core.arrays import Floats, Vector
from corollary.core.records import stored
from corollary.engine import Chunk, Statistics
from corollary.linear_algebra.decompositions import cho_factor, eigh
from corollary.objectives.chunk_losses import Deviance
from corollary.objectives.families import Binomial

__all__ = [
    "Along",
    "GLMSums",
    "NullSums",
    "inverse",
    "look_along",
    "null_space",
    "null_sums",
    "weakest",
]

OBJECTION = 1e-7  # of the largest gain: what counts as none in (3)
SUSPECT = 1e-3  # of the information at the constant model: is there a maximum at all?
EPS = np.finfo(np.float64).eps


@stored
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
class Along(Statistics):
    """The strongest objection to a direction, and the largest gain along it (3)."""

    objection: float
    gain: float

    def __add__(self, other: Along) -> Along:
        return Along(max(self.objection, other.objection), max(self.gain, other.gain))

    @property
    def endless(self) -> bool:
        """Whether the likelihood rises for ever along the direction."""
        return self.gain > 0 and self.objection <= OBJECTION * self.gain


def null_sums(chunk: Chunk, loss: Deviance, coef: Floats, b0: float) -> NullSums:
    """Sum loss, slope and weight at an intercept."""
    X, y, w = loss.rows(chunk)
    at = loss.family.terms(y, loss.predictor(X, coef, b0), loss.link)
    ones = np.ones(len(y)) if w is None else w
    return NullSums(
        float(ones @ at.loss), float(ones @ at.slope), float(ones @ at.weight)
    )


def look_along(chunk: Chunk, loss: Deviance, v: Floats, b0: float) -> Along:
    """Look for objections to the direction (v, b0) (3)."""
    X, y, _ = loss.rows(chunk)
    along = np.asarray(X @ v.astype(X.dtype), dtype=np.float64) + b0
    low, high = y == 0, (y == 1) & isinstance(loss.family, Binomial)
    objection = np.where(low, along, np.where(high, -along, np.abs(along)))
    gain = np.where(low, -along, np.where(high, along, 0.0))
    return Along(float(objection.max(initial=0.0)), float(gain.max(initial=0.0)))


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
