"""Halfspaces, and signs of polynomials: linear programmes and Radon partitions.

Also known as: linear threshold functions, perceptrons, hyperplanes; polynomial
threshold functions.

A rule is w'x + b > 0, without b where the class is homogeneous.  Labels are realised
strictly: no point lies on the hyperplane.  A linear programme decides: either it
finds w and b, or weights lambda >= 0, not all 0, with

    sum_i lambda_i t_i (x_i, 1) = 0,   t_i = +1 or -1 the label                  (1)

so that the convex hulls of both classes share a point, and no hyperplane can be
between (Gordan).  Any n + 2 points of R^n are affinely dependent: c_1 .. c_m, not all
0, have sum_i c_i (x_i, 1) = 0, and the points with c_i > 0 against the others make (1):

    conv{x_i: c_i > 0}  and  conv{x_i: c_i < 0}  meet   (Radon)                  (2)

Affinely independent points are shattered, since w'x_i + b = t_i has a solution.  The VC
dimension is n + 1; n for homogeneous rules.  Of m points in general position there are

    2 sum_{k=0}^{n} C(m - 1, k)                                                  (3)

labellings (Cover): 8, 14, 22 of 3, 4, 5 points of the plane.

The sign of a polynomial of degree p is a halfspace of the monomials; these are linearly
independent functions, so that the dimension is their number with the constant,
C(n + p, p), and the points of whole coordinates >= 0 with sum <= p are shattered.

Notation: w = coef; b = intercept; lambda = weights.
Course: S0-55, S1-46, S3-104, S3-105, S4-55. References: Cover (1965); Radon (1921);
Dudley (1978).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from math import comb
from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.records import readable
from corollary.core.vectors import numbers, rows_of
from corollary.linear.separability import Separability, separability
from corollary.theory.box_classes import check_features
from corollary.theory.hypothesis_class import (
    HypothesisClass,
    Refutation,
    labels_of,
    lattice,
)

__all__ = [
    "Halfspace",
    "Halfspaces",
    "Polynomials",
    "RadonPartition",
    "radon_partition",
]

ROUNDING = 1e-9  # below which a singular value, or a weight, counts as 0
HALF = 0.5  # of the margin that equations ask for
WIDE = 5000  # monomials of a polynomial at most


class Halfspace(NamedTuple):
    """The rule coef'x + intercept > 0."""

    coef: tuple[float, ...]
    intercept: float


@readable
@dataclass(frozen=True, eq=False)
class RadonPartition:
    """Two parts of some points whose convex hulls meet (2).

    Attributes
    ----------
    first, second : tuple of int
        Numbers of the points of either part; others are in neither.
    weights : array of shape (m,)
        >= 0, with sum 1 in each part.
    common_point : array of shape (n,)
        The mean of either part with these weights.
    """

    first: tuple[int, ...]
    second: tuple[int, ...]
    weights: Floats
    common_point: Floats


def radon_partition(points: Any) -> RadonPartition:
    """Split points into two parts whose convex hulls meet.

    Parameters
    ----------
    points : array of shape (m, n)
        n + 2 points or more, or fewer that are affinely dependent, such as three on a
        line.

    Returns
    -------
    RadonPartition

    Examples
    --------
    >>> from corollary.theory import radon_partition
    >>> found = radon_partition([[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    >>> sorted([found.first, found.second]), found.common_point.round(6).tolist()
    ([(0, 1), (2, 3)], [0.5, 0.5])
    """
    who = "radon_partition"
    P = rows_of(who, numbers(who, points, "points"))
    c = dependency(P, affine=True)
    if c is None:
        must = f"points must be {P.shape[1] + 2} or more, or affinely dependent"
        came = f"{len(P)} independent points"
        raise DataError(sentence(who, must, came))
    first, second = np.flatnonzero(c > 0), np.flatnonzero(c < 0)
    weights = np.abs(c) / c[first].sum()
    common = weights[first] @ P[first]
    return RadonPartition(labels_of(first), labels_of(second), weights, common)


def dependency(P: Floats, *, affine: bool) -> Floats | None:
    """Return c with sum_i c_i x_i = 0, and sum_i c_i = 0 where affine; None if only 0.

    Only the first points that are dependent take part, so that c has few entries.
    """
    centre = P.mean(axis=0) if affine else np.zeros(P.shape[1])
    size = np.abs(P - centre).max(axis=0)
    A = (P - centre) / np.where(size > 0, size, 1.0)
    A = np.hstack([A, np.ones((len(P), 1))]) if affine else A
    for m in range(1, min(len(P), A.shape[1] + 1) + 1):
        _, s, V = np.linalg.svd(A[:m].T, full_matrices=True)
        if len(s) < m or s[-1] <= ROUNDING * max(s[0], 1.0):
            c = np.zeros(len(P))
            c[:m] = np.where(np.abs(V[-1]) > ROUNDING, V[-1], 0.0)
            return c
    return None


@dataclass(frozen=True)
class Halfspaces(HypothesisClass):
    """Halfspaces w'x + b > 0 of R^n; parameters are a `Halfspace`.

    Parameters
    ----------
    n_features : int, default=2
    homogeneous : bool, default=False
        Whether every hyperplane passes through the origin.

    Examples
    --------
    >>> from corollary.theory import Halfspaces
    >>> square = [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    >>> Halfspaces(2).predict(Halfspaces(2).witness(square, [0, 1, 1, 1]), square)
    array([0, 1, 1, 1])
    >>> proof = Halfspaces(2).refutation(square, [1, 1, 0, 0])
    >>> print(proof)
    ++-- is impossible: both convex hulls hold the point [0.5 0.5]
    """

    n_features: int = 2
    homogeneous: bool = False

    def __post_init__(self) -> None:
        check_features(self, self.n_features)

    def construct(self, P: Floats, y: Vector) -> Halfspace | None:
        """Solve linear equations where points are few, else the linear programme."""
        if y.min() == y.max() and not self.homogeneous:
            return Halfspace((0.0,) * self.n_features, 1.0 if y[0] else -1.0)
        if len(P) <= self.dimension():
            t = np.where(y == 1, 1.0, -1.0)
            ones = np.full((len(P), 1), float(not self.homogeneous))
            w = np.linalg.lstsq(np.hstack([P, ones]), t, rcond=None)[0]
            if (t * (P @ w[:-1] + w[-1]) > HALF).all():
                return Halfspace(tuple(w[:-1].tolist()), float(w[-1]))
        found = self._decide(P, y)
        if not found.separable:
            return None
        return Halfspace(tuple(found.coef.tolist()), float(found.intercept))

    def classify(self, parameters: Halfspace, P: Floats) -> Vector:
        """Tell which points lie on the positive side."""
        return P @ np.array(parameters.coef) + parameters.intercept > 0

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Give the weights of (1)."""
        return self._proof(y, self._decide(P, y).weights, P)

    def impossible(self, P: Floats) -> Refutation | None:
        """Label by the signs of a dependency (2), unless it is one of rounding only."""
        c = dependency(P, affine=not self.homogeneous)
        if c is None:
            return None
        c = c if c.max() > 0 else -c
        y = (c > 0).astype(np.int64)
        if len(P) <= self.dimension() and self.construct(P, y) is not None:
            return None
        return self._proof(y, np.abs(c) / c[c > 0].sum(), P)

    def shattered_points(self, m: int) -> Any:
        """Return m of the points 0, e_1, ..., e_n, without 0 where homogeneous."""
        simplex = np.vstack([np.zeros(self.n_features), np.eye(self.n_features)])
        simplex = simplex[1:] if self.homogeneous else simplex
        return simplex[:m] if m <= len(simplex) else None

    def dimension(self) -> float:
        """Return n + 1, or n where homogeneous."""
        return int(self.n_features) + (not self.homogeneous)

    def _decide(self, P: Floats, y: Vector) -> Separability:
        with np.errstate(over="ignore"):  # of the margin of tiny points
            return self._programme(P, y)

    def _programme(self, P: Floats, y: Vector) -> Separability:
        if not self.homogeneous:
            return separability(P, y)
        if y.min() == y.max():  # -x with the other label asks the same of w
            P, y = np.vstack([P, -P[:1]]), np.append(y, 1 - y[0])
            found = separability(P, y, fit_intercept=False)
            weights = found.weights[:-1].copy()
            weights[0] += found.weights[-1]
            return replace(found, weights=weights)
        return separability(P, y, fit_intercept=False)

    def _proof(self, y: Vector, weights: Floats, P: Floats) -> Refutation:
        rows = np.flatnonzero(weights > ROUNDING)
        used = tuple(weights[rows].tolist())
        if self.homogeneous:
            reason = "a sum of t_i x_i with weights > 0 is 0"
            return Refutation(labels_of(y), reason, labels_of(rows), used)
        own = np.where(y == 1, weights, 0.0)
        common = own @ P
        point = np.array2string(common, precision=4)
        reason = f"both convex hulls hold the point {point}"
        place = tuple(common.tolist())
        return Refutation(labels_of(y), reason, labels_of(rows), used, place)


@dataclass(frozen=True)
class Polynomials(HypothesisClass):
    """Signs of polynomials of degree p in n variables; parameters are a `Halfspace`.

    Its coefficients are those of the monomials in the order of `monomials`.

    Parameters
    ----------
    degree : int, default=2
        p.
    n_features : int, default=1

    Examples
    --------
    >>> from corollary.theory import Polynomials
    >>> parabolas = Polynomials(degree=2, n_features=1)
    >>> x = [-1.0, 0.0, 1.0]
    >>> parabolas.predict(parabolas.witness(x, [1, 0, 1]), x)
    array([1, 0, 1])
    >>> parabolas.vc_dimension, Polynomials(2, 2).vc_dimension
    (3, 6)
    """

    degree: int = 2
    n_features: int = 1

    def __post_init__(self) -> None:
        check_features(self, self.n_features)
        if not whole(1).holds(self.degree):
            must = "degree must be a whole number >= 1"
            raise ParameterError(sentence(self, must, f"{self.degree!r}"))
        if self.dimension() > WIDE:
            must = f"a polynomial must have at most {WIDE} monomials"
            raise ParameterError(sentence(self, must, f"{self.dimension()}"))

    def construct(self, P: Floats, y: Vector) -> Halfspace | None:
        """Separate the monomials."""
        return self._halfspaces().construct(self.monomials(P), y)

    def classify(self, parameters: Halfspace, P: Floats) -> Vector:
        """Tell where the polynomial is above 0."""
        return self._halfspaces().classify(parameters, self.monomials(P))

    def explain(self, P: Floats, y: Vector) -> Refutation:
        """Give a point of both convex hulls of the monomials."""
        return self._halfspaces().explain(self.monomials(P), y)

    def impossible(self, P: Floats) -> Refutation | None:
        """Label by the signs of a dependency of the monomials."""
        return self._halfspaces().impossible(self.monomials(P))

    def shattered_points(self, m: int) -> Any:
        """Return m points of whole coordinates whose sum is at most p."""
        points = lattice(self.n_features, self.degree)
        return points[:m] if m <= len(points) else None

    def dimension(self) -> int:
        """Return C(n + p, p)."""
        return comb(self.n_features + self.degree, self.degree)

    def monomials(self, P: Floats) -> Floats:
        """Return the products of 1 to p coordinates of each point.

        Parameters
        ----------
        P : array of shape (m, n)

        Returns
        -------
        array of shape (m, C(n + p, p) - 1)
        """
        columns = [
            P[:, chosen].prod(axis=1)
            for k in range(1, self.degree + 1)
            for chosen in combinations_with_replacement(range(self.n_features), k)
        ]
        return np.column_stack(columns)

    def _halfspaces(self) -> Halfspaces:
        return Halfspaces(self.dimension() - 1)
