"""Tables of joint probabilities of any order: marginals, conditionals, independence.

Also known as: contingency table, joint probability table, cross tabulation, Bayes
inversion, independence test, rank-one factoring.

    P(a, b, ...)   = count(a, b, ...) / n                                        (1)
    P(a)           = sum over the others of P                                    (2)
    P(a | b)       = P(a, b) / P(b)     where P(b) > 0, undefined elsewhere      (3)
    P(b | a)       = P(a | b) P(b) / P(a)               (Bayes)                  (4)

A and B are independent where P(a, b) = P(a) P(b): the table is an outer product, of
rank one.  Given H they are where each slice P(., . | h) is.  The nearest independent
table Q, in the sense of D(P || Q), is the product of the marginals; D is then the
mutual information I, and from n rows of an independent law 2 n I is about chi-squared
with (k - 1)(r - 1) degrees of freedom for each slice (the G test)  (5).

Where the levels are numbers the table has moments (`moments`):

    E a = sum a P(a),   cov(a, b) = sum (a - E a)(b - E b) P(a, b)               (9)

Free parameters of tables of k_1, ..., k_m levels:

    full             prod k_i - 1                                                (6)
    independent      sum (k_i - 1)                                               (7)
    given H          s sum (k_i - 1) + (s - 1),  H of s levels has a law too     (8)

Notation: P an array with one axis a variable; names and levels say which.
Course: S0-1, S0-4, S0-63. References: Duda, Hart, Stork (2001), ch. 2; Agresti (2013).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from scipy.special import chdtrc

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.core.vectors import numbers, probabilities, whole
from corollary.distributions.distribution import set_fields
from corollary.distributions.sample_moments import SecondMoments
from corollary.information import entropy, relative_entropy

__all__ = [
    "ConditionalTable",
    "Independence",
    "JointTable",
    "bayes_inversion",
    "count_parameters",
]

Names = str | Sequence[str]


@dataclass(frozen=True, eq=False)
class JointTable:
    """Joint probabilities of categorical variables.

    Parameters
    ----------
    P : array with one axis a variable
        Probabilities that add up to 1.
    names : tuple of str, optional
        "x0", "x1", ... by default.
    levels : tuple of arrays, optional
        The values along each axis; 0, 1, ... by default.
    n : float, optional
        The number of rows behind the table, for tests of independence.

    Examples
    --------
    >>> counts = [[2, 5, 4, 2, 1], [0, 0, 3, 3, 2]]
    >>> table = JointTable.from_counts(counts, names=("h", "x"))
    >>> table.marginal("h").P.round(4).tolist()
    [0.6364, 0.3636]
    >>> table.conditional("h", given="x").at(x=2).round(4).tolist()
    [0.5714, 0.4286]
    """

    P: Any
    names: Any = None
    levels: Any = None
    n: float | None = None

    def __post_init__(self) -> None:
        P = np.atleast_1d(probabilities(self, self.P, "P"))
        names = tuple(
            (f"x{j}" for j in range(P.ndim)) if self.names is None else self.names
        )
        if len(names) != P.ndim or len(set(names)) != P.ndim:
            must = f"names must be {P.ndim} different words, one for each axis"
            raise ParameterError(sentence(self, must, f"{names}"))
        levels = self.levels
        if levels is None:
            levels = [np.arange(k) for k in P.shape]
        levels = tuple(np.asarray(level) for level in levels)
        if tuple(len(level) for level in levels) != P.shape:
            must = f"levels must have the lengths {P.shape}"
            came = f"{tuple(len(level) for level in levels)}"
            raise ParameterError(sentence(self, must, came))
        set_fields(self, P=P, names=names, levels=levels)

    # -- making one ----------------------------------------------------------------
    @classmethod
    def from_counts(
        cls, counts: Any, names: Any = None, levels: Any = None
    ) -> JointTable:
        """Make a table from counts (1), whole numbers >= 0."""
        counts = whole(cls.__name__, counts, "counts")
        n = float(counts.sum())
        if n == 0:
            raise DataError(sentence(cls.__name__, "some count must be > 0", "zeros"))
        return cls(counts / n, names, levels, n)

    @classmethod
    def from_columns(
        cls, columns: Sequence[Any], names: Any = None, w: Any = None
    ) -> JointTable:
        """Count rows of categorical columns of any kind, with weights."""
        who = cls.__name__
        arrays = [np.asarray(column) for column in columns]
        if not arrays or not len(arrays[0]) or len({len(a) for a in arrays}) > 1:
            must = "columns must be of one length, 1 or more"
            raise DataError(sentence(who, must, f"{[len(a) for a in arrays]}"))
        weights = full_weights(who, w, len(arrays[0]))
        keep = weights > 0
        coded = [np.unique(a[keep], return_inverse=True) for a in arrays]
        shape = tuple(len(level) for level, _ in coded)
        cells = np.ravel_multi_index([codes for _, codes in coded], shape)
        counts = np.bincount(cells, weights[keep], math.prod(shape)).reshape(shape)
        n = float(counts.sum())
        return cls(counts / n, names, [level for level, _ in coded], n)

    # -- reading it ----------------------------------------------------------------
    def marginal(self, *names: str) -> JointTable:
        """Return the table of some variables (2), in the order given."""
        axes = self._axes(names)
        rest = tuple(j for j in range(self.P.ndim) if j not in axes)
        P = self.P.sum(axis=rest)
        order = np.argsort(np.argsort(axes))
        P = np.transpose(P, order) if len(axes) > 1 else P
        return JointTable(P, names, [self.levels[j] for j in axes], self.n)

    def conditional(self, names: Names, given: Names) -> ConditionalTable:
        """Return P(names | given) (3); where P(given) = 0 it is marked undefined."""
        left, right = _tuple(names), _tuple(given)
        joint = self.marginal(*left, *right)
        inner = tuple(range(len(left)))
        evidence = joint.P.sum(axis=inner)
        undefined = evidence == 0
        P = joint.P / np.where(undefined, 1.0, evidence)
        return ConditionalTable(P, left, right, joint.levels, undefined)

    def at(self, **values: Any) -> float:
        """Return the probability of one cell, or of the cells that match."""
        where: list[Any] = [slice(None)] * self.P.ndim
        for name, value in values.items():
            axis = self._axes((name,))[0]
            where[axis] = _position(self, name, self.levels[axis], value)
        return float(self.P[tuple(where)].sum())

    def entropy(self) -> float:
        """Return the joint entropy, in nats."""
        return entropy(self.P)

    def moments(self) -> SecondMoments:
        """Return means, variances and covariances of the variables (9).

        Also known as: expectation, expected value, variance of a random variable,
        covariance of a joint table.
        The levels must be numbers.

        >>> dice = JointTable(np.full((6, 6), 1 / 36), levels=[range(1, 7)] * 2)
        >>> dice.moments().mean.tolist(), dice.moments().variance.round(4).tolist()
        ([3.5, 3.5], [2.9167, 2.9167])
        """
        values = [numbers(self, level, "levels") for level in self.levels]
        rows = np.stack(np.meshgrid(*values, indexing="ij"), axis=-1)
        rows = rows.reshape(-1, self.P.ndim)
        return SecondMoments.of(rows, self.P.ravel(), names=self.names)

    # -- independence --------------------------------------------------------------
    def independent(self, given: str | None = None) -> JointTable:
        """Return the nearest independent table, also given one variable.

        It is the product of the marginals, P(h) prod P(x_i | h) where h is given, and
        minimises D(P || Q) over all such Q.
        """
        if given is None:
            factors = self.factors()
            Q = reduce(np.multiply.outer, factors)
            return JointTable(Q, self.names, self.levels, self.n)
        h = self._axes((given,))[0]
        moved = np.moveaxis(self.P, h, 0)
        slices = np.zeros_like(moved)
        for s, part in enumerate(moved):
            if part.sum() > 0:
                inner = JointTable(part / part.sum())
                slices[s] = part.sum() * inner.independent().P
        return JointTable(np.moveaxis(slices, 0, h), self.names, self.levels, self.n)

    def factors(self) -> list[Floats]:
        """Return the marginals, whose outer product is the rank-one table."""
        axes = range(self.P.ndim)
        return [self.P.sum(axis=tuple(i for i in axes if i != j)) for j in axes]

    def independence(self, given: str | None = None) -> Independence:
        """Test whether all variables are independent, also given one of them (5)."""
        Q = self.independent(given).P
        shape = list(self.P.shape)
        slices = shape.pop(self._axes((given,))[0]) if given is not None else 1
        free = slices * (math.prod(shape) - 1 - sum(k - 1 for k in shape))
        information = relative_entropy(self.P, Q)
        p_value = None
        if self.n is not None:
            p_value = float(chdtrc(free, 2 * self.n * information)) if free else 1.0
        gap = float(np.abs(self.P - Q).max())
        return Independence(gap, information, free, p_value)

    def _axes(self, names: Sequence[str]) -> tuple[int, ...]:
        for name in names:
            if name not in self.names:
                must = f"a variable must be one of {', '.join(self.names)}"
                raise ParameterError(sentence(self, must, repr(name)))
        if not names or len(set(names)) < len(names):
            must = "variables must be named once each"
            raise ParameterError(sentence(self, must, f"{tuple(names)}"))
        return tuple(self.names.index(name) for name in names)


@dataclass(frozen=True, eq=False)
class ConditionalTable:
    """P(names | given): the axes of `names` first, then those of `given`.

    `undefined` has the shape of the given variables; its columns are 0 in P, since
    nothing can be said where the condition never holds.
    """

    P: Floats
    names: tuple[str, ...]
    given: tuple[str, ...]
    levels: tuple[Vector, ...]
    undefined: Any

    def at(self, **values: Any) -> Floats:
        """Return the law of `names` under given values of every condition."""
        if set(values) != set(self.given):
            must = f"values must be given for {', '.join(self.given)}"
            raise ParameterError(sentence(self, must, f"{', '.join(values)}"))
        known = dict(zip((*self.names, *self.given), self.levels, strict=True))
        where = tuple(_position(self, g, known[g], values[g]) for g in self.given)
        if self.undefined[where]:
            shown = ", ".join(f"{g} = {values[g]}" for g in self.given)
            must = "the condition must have a probability > 0"
            raise DataError(sentence(self, must, f"0 for {shown}"))
        at: Any = (..., *where)
        return self.P[at]

    def undefined_at(self) -> list[Mapping[str, Any]]:
        """List the conditions of probability 0, where the law is undefined."""
        levels = self.levels[len(self.names) :]
        return [
            {
                g: levels[i][j]
                for i, (g, j) in enumerate(zip(self.given, w, strict=True))
            }
            for w in np.argwhere(self.undefined)
        ]


@dataclass(frozen=True)
class Independence:
    """How far a table is from independence.

    Attributes
    ----------
    gap : float
        Largest |P - Q| of a cell, Q the nearest independent table.
    information : float
        D(P || Q) in nats; 0 only for independence.
    degrees : int
        Degrees of freedom of the G test.
    p_value : float or None
        Probability of so much information by chance; None without counts.
    """

    gap: float
    information: float
    degrees: int
    p_value: float | None

    @property
    def exact(self) -> bool:
        """Whether the table itself is independent, to rounding."""
        return self.gap <= 1e-10

    def rejected(self, level: float = 0.05) -> bool:
        """Tell whether the rows speak against independence at a level."""
        if self.p_value is None:
            must = "a test needs a table made from counts"
            raise DataError(sentence(self, must, "probabilities"))
        return self.p_value < level


@readable
class Inversion(NamedTuple):
    """What `bayes_inversion` finds."""

    posterior: Floats  # (k, r) P(h | x)
    evidence: Floats  # (r,) P(x)


@readable
class ParameterCount(NamedTuple):
    """Free parameters of a table, and of one that is made of smaller ones."""

    full: int  # (6)
    factored: int  # (7), or (8) where a variable is given


def bayes_inversion(likelihood: Any, prior: Any) -> Inversion:
    """Return P(h | x) and P(x) from P(x | h) and P(h) (4).

    Parameters
    ----------
    likelihood : array of shape (k, r)
        Row h holds P(x | h), which adds up to 1.
    prior : array of shape (k,)

    Returns
    -------
    Inversion
        A tuple of `posterior` (k, r), whose column x holds P(h | x), zeros where P(x) =
        0, since it is undefined there; and `evidence` (r,).

    Examples
    --------
    >>> kit = [[0.98, 0.02], [0.03, 0.97]]  # P(+), P(-) of the sick and of the healthy
    >>> posterior, evidence = bayes_inversion(kit, [0.01, 0.99])
    >>> round(float(posterior[0, 0]), 4)  # cancer, after a positive test
    0.2481
    """
    who = "bayes_inversion"
    prior = np.atleast_1d(probabilities(who, prior, "prior"))
    rows = [probabilities(who, row, "a row of likelihood") for row in likelihood]
    if len(rows) != len(prior):
        must = f"likelihood must have {len(prior)} rows, one for each prior"
        raise DataError(sentence(who, must, f"{len(rows)}"))
    joint = np.stack(rows) * prior[:, None]
    evidence = joint.sum(axis=0)
    return Inversion(joint / np.where(evidence > 0, evidence, 1.0), evidence)


def count_parameters(levels: Sequence[int], given: int | None = None) -> ParameterCount:
    """Count free parameters of a table: full (6), independent (7) or given H (8).

    Parameters
    ----------
    levels : list of int
        Levels of each variable.
    given : int, optional
        Levels of a variable H that makes the others independent.

    Returns
    -------
    ParameterCount
        `full`, and `factored`: where the variables are independent, or are so given H.

    Examples
    --------
    >>> count_parameters([2] * 10)
    ParameterCount(full=1023, factored=10)
    >>> count_parameters([3, 4], given=2)  # 2 (3 + 4 - 2) + (2 - 1)
    ParameterCount(full=23, factored=11)
    """
    sizes = [*levels, *([] if given is None else [given])]
    if not levels or any(int(k) != k or k < 1 for k in sizes):
        must = "levels must be whole numbers >= 1"
        raise ParameterError(sentence("count_parameters", must, f"{sizes}"))
    full = math.prod(int(k) for k in sizes) - 1
    alone = sum(int(k) - 1 for k in levels)
    if given is None:
        return ParameterCount(full, alone)
    return ParameterCount(full, int(given) * alone + int(given) - 1)


def _tuple(names: Names) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _position(who: object, name: str, levels: Vector, value: Any) -> int:
    found = np.flatnonzero(levels == value)
    if not len(found):
        shown = ", ".join(map(str, levels[:10]))
        must = f"{name} must be one of {shown}"
        raise ParameterError(sentence(who, must, repr(value)))
    return int(found[0])
