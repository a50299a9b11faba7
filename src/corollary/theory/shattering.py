"""Shattering: which labellings of some points a class of rules can make.

Also known as: dichotomies, traces, projections of a class; Vapnik-Chervonenkis
dimension.

The dichotomies of points S = {x_1 .. x_m} under a class C are

    Pi_C(S) = { (h(x_1), ..., h(x_m)) : h in C }                                 (1)

or the subsets {x_i: h(x_i) = 1}.  S is shattered where |Pi_C(S)| = 2^m.  The VC
dimension is the size of the largest set that is shattered, infinite where there are
sets of every size.  So

    one shattered set of m points proves         VC >= m                         (2)
    one set of m points that is not shattered    proves nothing: three points on
    a line are not shattered by halfplanes, and others are

and VC < m needs a theorem on all sets of m points, such as Radon's, or a finite domain
all of whose sets are tried.  Every subset of a shattered set is shattered, so that the
search goes up from single points and grows only sets that are.

"Shattered" comes with the parameters of a rule for every labelling; "not shattered"
with a labelling that no rule has, and with the class's proof of that.

Notation: m points; K = |Pi_C(S)|.
Course: S0-54, S1-46, S3-104, S4-55. References: Vapnik and Chervonenkis (1971); Kearns
and Vazirani (1994), ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.randomness import generator
from corollary.theory.draws import seed_of
from corollary.theory.finite_class import FiniteClass
from corollary.theory.hypothesis_class import (
    HypothesisClass,
    Refutation,
    labels_of,
    repeated,
)

__all__ = [
    "Dichotomies",
    "SetSearch",
    "Shattering",
    "VCDimension",
    "as_class",
    "dichotomies",
    "find_shattered_set",
    "shatters",
    "vc_dimension",
]

MOST_POINTS = 16  # 2^16 labellings
MOST_SETS = 2_000_000  # subsets that are tried


@dataclass(frozen=True, eq=False)
class Dichotomies:
    """The labellings of some points that a class can make (1).

    Attributes
    ----------
    points : array
        As the class takes them.
    vectors : array of shape (K, m)
        The labellings, 0 and 1.
    parameters : tuple
        Of a rule for each of them.
    """

    points: Any
    vectors: Vector
    parameters: tuple[Any, ...]

    def __len__(self) -> int:
        return len(self.vectors)

    def __iter__(self) -> Iterator[tuple[int, ...]]:
        return (labels_of(labels) for labels in self.vectors)

    @property
    def subsets(self) -> frozenset[frozenset[int]]:
        """The sets of points that rules cut out, by number."""
        cut = (np.flatnonzero(labels) for labels in self.vectors)
        return frozenset(frozenset(labels_of(rows)) for rows in cut)

    @property
    def shattered(self) -> bool:
        """Whether every labelling is among them."""
        return len(self) == 2 ** self.vectors.shape[1]

    def __str__(self) -> str:
        m = self.vectors.shape[1]
        words = f"{len(self)} of {2**m} labellings of {m} points"
        return f"{words}: shattered" if self.shattered else words


@dataclass(frozen=True, eq=False)
class Shattering:
    """Whether a set is shattered, with what proves it.

    Attributes
    ----------
    shattered : bool
    points : array
    labels : tuple of tuple of int
        Where shattered: all labellings.
    witnesses : tuple
        Where shattered: the parameters of a rule for each labelling.
    refutation : Refutation or None
        Where not shattered: an impossible labelling and why.
    """

    shattered: bool
    points: Any
    labels: tuple[tuple[int, ...], ...] = ()
    witnesses: tuple[Any, ...] = ()
    refutation: Refutation | None = None

    def __bool__(self) -> bool:
        return self.shattered

    def __str__(self) -> str:
        m = len(self.points)
        if self.shattered:
            return f"shattered: all {2**m} labellings of {m} points, so VC >= {m}"
        return f"not shattered: {self.refutation}"


@dataclass(frozen=True)
class VCDimension:
    """The VC dimension of a class on a finite domain, found by trying all sets.

    Attributes
    ----------
    dimension : int
    points : tuple of int
        Numbers of the points of a largest shattered set.
    n_points : int
        The size of the domain.
    n_rules : int
        Distinct rules on the domain.
    exact : bool
        True where the domain is all there is: a table.  Otherwise the dimension of
        the class is at least this.
    """

    dimension: int
    points: tuple[int, ...]
    n_points: int
    n_rules: int
    exact: bool

    @property
    def size_bound(self) -> int:
        """The whole part of log2 of the number of rules, which is no less."""
        return self.n_rules.bit_length() - 1

    def __str__(self) -> str:
        which = ", ".join(map(str, self.points)) or "none"
        words = f"VC dimension {self.dimension} on {self.n_points} points: points "
        words += f"{which} are shattered; {self.n_rules} rules allow at most "
        words += f"{self.size_bound}"
        return words if self.exact else f"{words}; the class has this or more"


@dataclass(frozen=True)
class SetSearch:
    """A search among random sets of m points for one that is shattered.

    Attributes
    ----------
    size : int
        m.
    n_sets : int
        Sets that were tried.
    found : Shattering or None
        The first that is shattered.
    """

    size: int
    n_sets: int
    found: Shattering | None

    def __bool__(self) -> bool:
        return self.found is not None

    def __str__(self) -> str:
        if self.found is not None:
            return f"VC >= {self.size}: set {self.n_sets} of {self.size} is shattered"
        words = f"none of {self.n_sets} sets of {self.size} points is shattered"
        return f"{words}; this proves nothing of other sets"


def as_class(given: Any) -> HypothesisClass:
    """Return a class of rules: one of ours, or what a `FiniteClass` takes."""
    return given if isinstance(given, HypothesisClass) else FiniteClass(given)


def dichotomies(hypotheses: Any, points: Any) -> Dichotomies:
    """List the labellings of some points that a class can make.

    Parameters
    ----------
    hypotheses : HypothesisClass, table, or iterable of functions or classifiers
    points : array of shape (m, n), or columns of a table

    Returns
    -------
    Dichotomies

    Examples
    --------
    >>> from corollary.theory import Halfspaces, dichotomies
    >>> found = dichotomies(Halfspaces(2), [[0, 0], [1, 0], [0, 1], [1, 1]])
    >>> print(found)
    14 of 16 labellings of 4 points
    >>> (0, 1, 1, 0) in found, frozenset({1, 2}) in found.subsets
    (False, False)
    """
    cls = as_class(hypotheses)
    P = cls.points(points)
    found = cls.patterns(P)
    return Dichotomies(P, found.vectors, found.parameters)


def shatters(hypotheses: Any, points: Any) -> Shattering:
    """Tell whether a class shatters some points, with a proof either way.

    Parameters
    ----------
    hypotheses : HypothesisClass, table, or iterable of functions or classifiers
    points : array of shape (m, n), or columns of a table

    Returns
    -------
    Shattering

    Examples
    --------
    >>> from corollary.theory import Halfspaces, Intervals, shatters
    >>> print(shatters(Halfspaces(2), [[0, 0], [1, 0], [0, 1]]))
    shattered: all 8 labellings of 3 points, so VC >= 3
    >>> print(shatters(Intervals(), [3.1, 5.7, 9.0]))
    not shattered: +-+ is impossible: 2 runs of positives need 2 intervals, and the \
class has 1
    """
    cls = as_class(hypotheses)
    P = cls.points(points)
    proof = repeated(P) or cls.impossible(P)
    if proof is not None:
        return Shattering(False, P, refutation=proof)
    m = len(P)
    if m > MOST_POINTS:
        must = f"points must be at most {MOST_POINTS}, for 2^m labellings"
        raise DataError(sentence("shatters", must, f"{m}"))
    if isinstance(cls, FiniteClass):
        return _by_listing(cls, P)
    labels, witnesses = [], []
    for code in range(2**m):
        y = (code >> np.arange(m)[::-1]) & 1
        parameters = cls.construct(P, y)
        if parameters is None:
            return Shattering(False, P, refutation=cls.explain(P, y))
        labels.append(labels_of(y))
        witnesses.append(parameters)
    return Shattering(True, P, tuple(labels), tuple(witnesses))


def _by_listing(cls: FiniteClass, P: Any) -> Shattering:
    """Compare the labellings that there are with all."""
    found = cls.patterns(P)
    labels = [labels_of(row) for row in found.vectors]
    if len(labels) == 2 ** len(P):
        return Shattering(True, P, tuple(labels), found.parameters)
    there = set(labels)
    every = (
        labels_of((code >> np.arange(len(P))[::-1]) & 1) for code in range(2 ** len(P))
    )
    missing = next(one for one in every if one not in there)
    reason = f"none of the {cls.size} rules has these labels"
    return Shattering(False, P, refutation=Refutation(missing, reason))


def vc_dimension(hypotheses: Any, points: Any = None) -> VCDimension:
    """Find the VC dimension on a finite domain by trying all sets that could be.

    Parameters
    ----------
    hypotheses : HypothesisClass, table, or iterable of functions or classifiers
        Theorems about named classes are in their `vc_dimension` and `vc_catalogue`.
    points : array of shape (N, n), optional
        The domain; None for all columns of a table.

    Returns
    -------
    VCDimension

    Examples
    --------
    >>> from corollary.theory import Boxes, vc_dimension
    >>> found = vc_dimension([[1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])
    >>> found.dimension, found.points, found.size_bound
    (2, (0, 1), 2)
    >>> vc_dimension(Boxes(1), [[1.0], [2.0], [3.0]]).dimension
    2
    """
    who = "vc_dimension"
    cls = as_class(hypotheses)
    exact = points is None
    if exact:
        points = getattr(cls, "domain", None)
        if points is None:
            must = "points must be given for a class that is no table"
            raise ParameterError(sentence(who, must, "None"))
    H = dichotomies(cls, points).vectors  # (K, N)
    chosen = _largest(H)
    whole_domain = exact or cls.vc_dimension == len(chosen)
    return VCDimension(len(chosen), chosen, H.shape[1], len(H), whole_domain)


def _largest(H: Vector) -> tuple[int, ...]:
    """Return a largest shattered set of columns, growing shattered sets."""
    tried = 0
    best: tuple[int, ...] = ()
    level: list[tuple[int, ...]] = [()]
    while level and 2 ** (len(best) + 1) <= len(H):
        longer = []
        for base in level:
            for j in range(base[-1] + 1 if base else 0, H.shape[1]):
                columns = (*base, j)
                codes = H[:, columns] @ (1 << np.arange(len(columns)))
                if len(np.unique(codes)) == 2 ** len(columns):
                    longer.append(columns)
            tried += H.shape[1]
            if tried > MOST_SETS:
                must = f"at most {MOST_SETS} sets can be tried"
                raise DataError(sentence("vc_dimension", must, "more", "Fewer points."))
        level = longer
        best = level[0] if level else best
    return best


def find_shattered_set(
    hypotheses: Any,
    size: int,
    *,
    sampler: Callable[[int, np.random.Generator], Any] | None = None,
    n_sets: int = 100,
    random_state: Any = None,
) -> SetSearch:
    """Look among random sets of m points for one that a class shatters (2).

    Parameters
    ----------
    hypotheses : HypothesisClass, or iterable of functions or classifiers
    size : int
        m.
    sampler : function (m, rng) -> points, optional
        By default normal points of as many features as the class has.
    n_sets : int, default=100
        Sets to try at most.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    SetSearch

    Examples
    --------
    >>> from corollary.theory import Halfspaces, find_shattered_set
    >>> print(find_shattered_set(Halfspaces(3), 4, random_state=0))
    VC >= 4: set 1 of 4 is shattered
    """
    cls = as_class(hypotheses)
    for name, value in (("size", size), ("n_sets", n_sets)):
        if not whole(1).holds(value):
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence("find_shattered_set", must, f"{value!r}"))
    rng = generator(seed_of("find_shattered_set", random_state))
    draw = sampler or normal_points(cls)
    for tried in range(1, n_sets + 1):
        found = shatters(cls, draw(size, rng))
        if found:
            return SetSearch(size, tried, found)
    return SetSearch(size, n_sets, None)


def normal_points(cls: HypothesisClass) -> Callable[[int, np.random.Generator], Any]:
    """Return a sampler of normal points of as many features as a class has."""
    n = cls.n_features
    if n is None:
        must = "sampler must be given for a class of any number of features"
        raise ParameterError(sentence(cls, must, "None"))
    return lambda m, rng: rng.normal(size=(m, n))
