"""Rows that a class of VC dimension d needs where one hypothesis is perfect.

Also known as: double sampling, ghost sample, realizable VC bound, sample complexity of
a VC class, rule of twenty rows for each dimension.

A hypothesis without an error on m rows errs more than epsilon on new ones with
probability at most (Blumer, Ehrenfeucht, Haussler, Warmuth)

    2 Pi(2 m) 2^(-epsilon m / 2)      for  m >= (8 / epsilon) ln 2               (1)

where Pi(2 m) is at most Phi_d(2 m), and this at most (2 e m / d)^d.  (1) rises with m
before it falls; the rows that suffice are those from its last crossing of delta on:

    m  =  O( (1/epsilon) ln(1/delta) + (d/epsilon) ln(1/epsilon) )               (2)

The second sample: of a mean of m p >= 8 ln 2 events half is missed with probability at
most 1/2 (Chernoff); and of 2 m rows with l errors among them the errors all fall into
one given half with probability C(m, l) / C(2 m, l) <= 2^-l.

No learner does with less than  (Ehrenfeucht, Haussler, Kearns, Valiant)

    max( (1 - epsilon)/epsilon ln(1/delta),  (d - 1)/(32 epsilon) )  rows        (3)

for epsilon <= 1/8, delta <= 1/100: the need is of order d / epsilon.  Where hypotheses
err, the gap is of order

    O( sqrt( (d/m) ln(m/d) + (1/m) ln(1/delta) ) )                               (4)

Practice: m of about 20 d is where more rows stop to pay much                    (5)
and d is about the number of parameters for most classes.

Notation: d the VC dimension; m rows; Pi the growth function, Phi_d of `sauer`.
Course: S0-59, S4-55. References: Blumer et al. (1989); Ehrenfeucht et al. (1989).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown
from corollary.theory.calculator import (
    ROUNDING,
    answer,
    check_shapes,
    in_interval,
    least_rows,
    least_whole,
    most_dimensions,
    quantities,
    whole_numbers,
)
from corollary.theory.growth_function import ln_phi, ln_power

__all__ = [
    "RowsRule",
    "rows_rule",
    "vc_gap_order",
    "vc_lower_bound",
    "vc_realizable",
    "vc_rows_order",
]

GROWTH: dict[str, Callable[[Any, Any], Floats]] = {"power": ln_power, "sauer": ln_phi}
LN2 = math.log(2)


def vc_realizable(
    *,
    m: Any = None,
    d: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    growth: str = "power",
) -> Any:
    """Relate rows, VC dimension and error of a hypothesis that fits them all (1).

    Give all but one: the one left out is returned.  Arrays broadcast.

    Parameters
    ----------
    m : int, optional
        Rows; the least from which on all suffice where asked for.
    d : int, optional
        VC dimension; the largest that the rows can bear where asked for, 0 for none.
    epsilon : float in (0, 1), optional
        The error is at most this.
    delta : float in (0, 1), optional
        Probability that it is larger.
    growth : {"power", "sauer"}
        Bound of the growth function: (2 e m / d)^d, or the sharper Phi_d(2 m).

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import vc_realizable
    >>> [vc_realizable(d=d, epsilon=0.1, delta=0.05) for d in (2, 3, 4, 11)]
    [526, 729, 931, 2346]
    >>> vc_realizable(d=3, epsilon=0.1, delta=0.05, growth="sauer")
    680
    """
    who = "vc_realizable"
    if growth not in GROWTH:
        must = f"growth must be one of {', '.join(GROWTH)}"
        raise ParameterError(sentence(who, must, shown(growth)))
    given = {"m": m, "d": d, "epsilon": epsilon, "delta": delta}
    q = quantities(who, given)
    shape = np.broadcast_shapes(*(x.shape for x in (q.m, q.d, q.epsilon, q.delta)))

    def labellings(rows: Floats, dimension: Floats) -> Floats:
        return LN2 + GROWTH[growth](dimension, 2 * rows)

    if q.asked == "epsilon":
        pieces = labellings(q.m, q.d) - np.log(q.delta)
        return answer(np.maximum(2 * pieces / LN2, 8 * LN2) / q.m)
    decay = q.epsilon * LN2 / 2
    if q.asked == "delta":
        exponent = labellings(q.m, q.d) - q.m * decay  # ln of (1)
        valid = q.m * q.epsilon >= 8 * LN2 * (1 - ROUNDING)
        return answer(np.where(valid, np.exp(np.minimum(exponent, 0.0)), 1.0))
    ln_delta, steeper = np.log(q.delta), decay * (1 + ROUNDING)
    if q.asked == "m":
        return least_rows(
            lambda rows: labellings(rows, q.d) - rows * steeper <= ln_delta,
            8 * LN2 / q.epsilon * (1 - ROUNDING),
            shape,
        )
    few = q.m * q.epsilon < 8 * LN2 * (1 - ROUNDING)
    return most_dimensions(
        lambda dimension: (
            (labellings(q.m, dimension) - q.m * steeper <= ln_delta) & ~few
        ),
        2 * q.m,
        shape,
    )


def vc_lower_bound(*, d: Any, epsilon: Any, delta: Any) -> Any:
    """Return the rows below which no learner learns every target of a class (3).

    Parameters
    ----------
    d : int >= 2
        VC dimension.
    epsilon : float in (0, 1/8]
    delta : float in (0, 1/100]

    Returns
    -------
    int or array

    Examples
    --------
    >>> from corollary.theory import vc_lower_bound
    >>> vc_lower_bound(d=1000, epsilon=0.1, delta=0.01)
    313
    """
    who = "vc_lower_bound"
    dimension = whole_numbers(who, "d", d, low=2)
    eps = in_interval(who, "epsilon", epsilon, 0.0, np.nextafter(1 / 8, 1))
    rate = in_interval(who, "delta", delta, 0.0, np.nextafter(1 / 100, 1))
    check_shapes(who, d=dimension, epsilon=eps, delta=rate)
    sure = (1 - eps) / eps * np.log(1 / rate)
    return least_whole(np.maximum(sure, (dimension - 1) / (32 * eps)))


def vc_rows_order(*, d: Any, epsilon: Any, delta: Any, constant: float = 1.0) -> Any:
    """Return the order of the rows that suffice (2): how they grow, not how many.

    Parameters
    ----------
    d : int
        VC dimension.
    epsilon, delta : float in (0, 1)
    constant : float, default=1
        In place of the unknown one.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import vc_rows_order
    >>> round(vc_rows_order(d=3, epsilon=0.1, delta=0.05), 1)
    99.0
    """
    who = "vc_rows_order"
    dimension = whole_numbers(who, "d", d)
    eps = in_interval(who, "epsilon", epsilon, 0.0, 1.0)
    rate = in_interval(who, "delta", delta, 0.0, 1.0)
    check_shapes(who, d=dimension, epsilon=eps, delta=rate)
    return answer(constant * (np.log(1 / rate) + dimension * np.log(1 / eps)) / eps)


def vc_gap_order(*, m: Any, d: Any, delta: Any, constant: float = 1.0) -> Any:
    """Return the order of the gap between risk and empirical risk (4).

    Parameters
    ----------
    m : int
        Rows, at least d.
    d : int
        VC dimension.
    delta : float in (0, 1)
    constant : float, default=1
        In place of the unknown one.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import vc_gap_order
    >>> round(vc_gap_order(m=1000, d=3, delta=0.05), 4)
    0.1429
    """
    who = "vc_gap_order"
    rows, dimension = whole_numbers(who, "m", m), whole_numbers(who, "d", d)
    rate = in_interval(who, "delta", delta, 0.0, 1.0)
    check_shapes(who, m=rows, d=dimension, delta=rate)
    ratio = np.maximum(rows / dimension, 1.0)
    return answer(constant * np.sqrt(np.log(ratio) / ratio - np.log(rate) / rows))


@dataclass(frozen=True)
class RowsRule:
    """Whether more rows are worth having, by the rule of thumb (5).

    Attributes
    ----------
    m, d : int
        Rows and VC dimension, or number of parameters.
    needed : int
        Rows that the rule asks for.
    """

    m: int
    d: int
    needed: int

    @property
    def enough(self) -> bool:
        """Whether there are as many as the rule asks for."""
        return self.m >= self.needed

    def __str__(self) -> str:
        have = f"{self.m} rows for dimension {self.d}, {self.m / self.d:.3g} for each"
        if self.enough:
            return f"{have}: enough by the rule of {self.needed // self.d}"
        return f"{have}: {self.needed - self.m} more are worth having"


def rows_rule(m: int, d: int, *, per_dimension: int = 20) -> RowsRule:
    """Tell by a rule of thumb whether more rows are worth having (5).

    Also known as: 20 d rule, rows for each parameter, is more data worth it.

    Parameters
    ----------
    m : int
        Rows.
    d : int
        VC dimension, or number of parameters.
    per_dimension : int, default=20
        Rows for each dimension.

    Returns
    -------
    RowsRule

    Examples
    --------
    >>> from corollary.theory import rows_rule
    >>> print(rows_rule(100, 11))
    100 rows for dimension 11, 9.09 for each: 120 more are worth having
    """
    who = "rows_rule"
    rows, dimension, factor = (
        whole_numbers(who, name, x)
        for name, x in (("m", m), ("d", d), ("per_dimension", per_dimension))
    )
    if rows.ndim or dimension.ndim or factor.ndim:
        must = "m, d and per_dimension must be single numbers"
        raise ParameterError(sentence(who, must, "an array"))
    return RowsRule(int(rows), int(dimension), int(dimension * factor))
