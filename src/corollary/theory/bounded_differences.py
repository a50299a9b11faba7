"""Functions of many rows that no single row can change much: McDiarmid and Azuma.

Also known as: bounded differences inequality, method of bounded differences, martingale
inequality, Hoeffding-Azuma inequality.

If f(x_1, ..., x_m) changes by at most c_i where x_i alone is replaced, and rows are
independent,

    Pr[ f - E f >= epsilon ]  <=  exp(-2 epsilon^2 / sum_i c_i^2)                (1)

and if S_0, S_1, ..., S_m is a martingale with |S_i - S_{i-1}| <= c_i, whose steps may
depend on each other,

    Pr[ S_m - S_0 >= epsilon ]  <=  exp(-epsilon^2 / (2 sum_i c_i^2))            (2)

A mean of m terms has c_i = c / m, so that sum_i c_i^2 = c^2 / m: with c = b - a (1) is
Hoeffding's inequality.  For (1) f may be anything: a largest deviation over a class, a
leave-one-out error, a norm.

Notation: c = change, step; k hypotheses; epsilon, delta, m as in `hoeffding`.
Course: S0-53. References: McDiarmid (1989); Azuma (1967).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.vectors import non_negative
from corollary.theory.calculator import (
    in_interval,
    one_side_or_two,
    quantities,
    solve_tail,
)

__all__ = ["azuma", "mcdiarmid"]


def mcdiarmid(
    *,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    change: Any = 1.0,
    changes: Any = None,
    sides: int = 2,
) -> Any:
    """Relate rows, deviation and failure rate by bounded differences (1).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Parameters
    ----------
    m : int, optional
        Rows.
    epsilon : float > 0, optional
        Deviation of the function from its expectation.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Functions at once, by the union bound.
    change : float, default=1
        One row changes the function by at most change / m, as it changes a mean.
    changes : array of shape (m,), optional
        The most that each row changes the function, in place of `m` and `change`.
    sides : {2, 1}
        Deviations to both sides, or to one.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import mcdiarmid
    >>> mcdiarmid(epsilon=0.1, delta=0.05)  # as Hoeffding
    185
    >>> round(mcdiarmid(changes=[0.01] * 50 + [0.02] * 50, delta=0.05), 4)
    0.2147
    """
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    return _solve("mcdiarmid", given, change, changes, sides, 2.0)


def azuma(
    *,
    m: Any = None,
    epsilon: Any = None,
    delta: Any = None,
    hypotheses: Any = None,
    step: Any = 1.0,
    steps: Any = None,
    sides: int = 2,
) -> Any:
    """Relate steps, deviation and failure rate of a martingale (2).

    Give all but one of `m`, `epsilon`, `delta` and `hypotheses`: the one left out is
    returned.  With two left out, `hypotheses` is 1.  Arrays broadcast.

    Parameters
    ----------
    m : int, optional
        Steps.
    epsilon : float > 0, optional
        Deviation of the mean step (S_m - S_0) / m; of S_m - S_0 with `steps`.
    delta : float in (0, 1), optional
        Probability of a larger deviation.
    hypotheses : int, optional
        Martingales at once, by the union bound.
    step : float, default=1
        The largest size of a step.
    steps : array of shape (m,), optional
        The largest size of each step, in place of `m` and `step`.
    sides : {2, 1}
        Deviations to both sides, or to one.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import azuma
    >>> azuma(epsilon=0.1, delta=0.05)
    738
    >>> round(azuma(steps=[1.0] * 100, epsilon=30.0), 4)
    0.0222
    """
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    return _solve("azuma", given, step, steps, sides, 0.5)


def _solve(
    who: str, given: Mapping[str, Any], one: Any, each: Any, sides: int, factor: float
) -> Any:
    """Solve exp(-factor epsilon^2 / sum_i c_i^2), c_i = c / m or given one by one."""
    sides = one_side_or_two(who, sides)
    name = {"mcdiarmid": "change", "azuma": "step"}[who]
    if each is None:
        square: Any = in_interval(who, name, one) ** 2
    else:
        c = non_negative(who, each, f"{name}s", ParameterError)
        if c.ndim != 1 or not c.any() or given["m"] is not None:
            must = f"{name}s must be a vector with some number > 0, in place of m"
            came = f"shape {c.shape}{'' if given['m'] is None else ' and m'}"
            raise ParameterError(sentence(who, must, came))
        given = {**given, "m": len(c)}
        square = len(c) * np.sum(c**2)
    q = quantities(who, given, np.full_like(square, np.inf), hypotheses=1)
    return solve_tail(
        q,
        sides,
        lambda deviation: factor * deviation**2 / square,  # (1), (2)
        lambda exponent: np.sqrt(exponent * square / factor),
    )
