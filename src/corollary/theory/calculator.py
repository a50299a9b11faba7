"""What the calculators of learning theory share: any direction, arrays, one sentence.

A calculator relates a few quantities: rows m, deviation epsilon, failure rate delta,
the number of hypotheses, a dimension d.  The one that is left out is the one that is
asked for.  Most inequalities have the form of Cramer and Chernoff,

    Pr[deviation >= epsilon]  <=  s k exp(-m rate(epsilon))                      (1)

for s sides and k hypotheses (union bound), so that a rate and its inverse are all that
they differ in:

    m        =  ln(s k / delta) / rate(epsilon)             rounded up           (2)
    epsilon  =  rate^-1( ln(s k / delta) / m )                                   (3)
    delta    =  s k exp(-m rate(epsilon))                   at most 1            (4)
    k        =  delta exp(m rate(epsilon)) / s              rounded down         (5)

Notation: ln_k, the logarithm of k, which may be as large as 3^1000.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import shown

__all__ = [
    "Quantities",
    "answer",
    "bisect",
    "check_shapes",
    "in_interval",
    "least_rows",
    "least_whole",
    "most_dimensions",
    "most_whole",
    "one_side_or_two",
    "quantities",
    "solve_tail",
    "whole_numbers",
]

ROUNDING = 1e-12  # relative: a number this close to a whole one is taken for it
SMALLEST, LARGEST = 1e-100, 1e100  # beyond them squares leave the range of floats
MOST_ROWS = 2.0**60  # where a search for rows ends
HALVINGS = 120

Rate = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Quantities:
    """The quantities that were given, as arrays, and the name of the one asked for."""

    asked: str
    m: Floats
    epsilon: Floats
    delta: Floats
    ln_k: Floats
    d: Floats


def quantities(
    who: str, given: Mapping[str, Any], largest: Any = 1.0, **defaults: Any
) -> Quantities:
    """Check the quantities that are given, and find the one that is asked for.

    Parameters
    ----------
    who : str
        The calculator, for its errors.
    given : mapping
        Of ``m``, ``epsilon``, ``delta``, ``hypotheses``, ``d``; None is left out.
    largest : float or array
        What epsilon must be below.
    **defaults
        Quantities that have a value where two are left out.

    Returns
    -------
    Quantities
    """
    absent = [name for name, value in given.items() if value is None]
    if len(absent) > 1:
        absent = [name for name in absent if name not in defaults]
    if len(absent) != 1:
        names = ", ".join(given)
        must = f"all of {names} but one must be given"
        have = [name for name, value in given.items() if value is not None]
        came = ", ".join(have) or "none"
        remedy = "Leave out the one that is asked for."
        raise ParameterError(sentence(who, must, came, remedy))
    asked = absent[0]
    full = {n: defaults.get(n) if v is None else v for n, v in given.items()}
    full[asked] = None
    checks: dict[str, Callable[[Any], Floats]] = {
        "m": lambda x: whole_numbers(who, "m", x),
        "epsilon": lambda x: in_interval(who, "epsilon", x, 0.0, largest),
        "delta": lambda x: in_interval(who, "delta", x, 0.0, 1.0),
        "hypotheses": lambda x: _logarithms(who, x),
        "d": lambda x: whole_numbers(who, "d", x),
    }
    found = {n: checks[n](v) for n, v in full.items() if v is not None}
    check_shapes(who, **found, limits=np.asarray(largest))
    empty = np.array(math.nan)
    found["ln_k"] = found.pop("hypotheses", np.array(0.0))
    order = ("m", "epsilon", "delta", "ln_k", "d")
    return Quantities(asked, *(found.get(name, empty) for name in order))


def solve_tail(q: Quantities, sides: int, rate: Rate, inverse: Rate) -> Any:
    """Return what is asked for from a bound of the form (1)."""
    ln_sk = math.log(sides) + q.ln_k
    with np.errstate(over="ignore", divide="ignore"):
        if q.asked == "epsilon":
            return answer(inverse((ln_sk - np.log(q.delta)) / q.m))  # (3)
        exponent = rate(q.epsilon)
        if q.asked == "m":
            return least_whole((ln_sk - np.log(q.delta)) / exponent)  # (2)
        if q.asked == "delta":
            return answer(np.exp(np.minimum(ln_sk - q.m * exponent, 0.0)))  # (4)
        return most_whole(q.delta * np.exp(q.m * exponent) / sides)  # (5)


# -- checks ----------------------------------------------------------------------------
def in_interval(
    who: str, name: str, x: Any, low: float = 0.0, high: Any = np.inf
) -> Floats:
    """Return numbers strictly between two ends, 0 or more the lower."""
    values = _numbers(who, name, x)
    bad = ~((values > low) & (values < high))
    if bad.any():
        limit = np.broadcast_to(high, bad.shape)[bad].flat[0]
        upper = f" and < {limit:g}" if np.isfinite(limit) else ""
        must = f"{name} must be > {low:g}{upper}"
        came = np.broadcast_to(values, bad.shape)[bad].flat[0]
        raise ParameterError(sentence(who, must, f"{came:g}"))
    if values.min() < SMALLEST or values.max() > LARGEST:
        must = f"{name} must be between {SMALLEST:g} and {LARGEST:g}"
        raise ParameterError(sentence(who, must, f"{values.min():g}"))
    return values


def whole_numbers(who: str, name: str, x: Any, low: int = 1) -> Floats:
    """Return whole numbers that are at least `low`, as float64."""
    values = _numbers(who, name, x)
    bad = ~((values >= low) & (values == np.floor(values)) & np.isfinite(values))
    if bad.any():
        must = f"{name} must be a whole number >= {low}"
        raise ParameterError(sentence(who, must, f"{values[bad].flat[0]:g}"))
    if values.max() > LARGEST:
        must = f"{name} must be at most {LARGEST:g}"
        raise ParameterError(sentence(who, must, f"{values.max():g}"))
    return values


def one_side_or_two(who: str, sides: Any) -> int:
    """Return the number of sides: 1, the mean is too large, or 2."""
    if isinstance(sides, bool) or sides not in (1, 2):
        raise ParameterError(sentence(who, "sides must be 1 or 2", shown(sides)))
    return int(sides)


def check_shapes(who: str, **arrays: Floats) -> None:
    """Refuse arrays that do not broadcast."""
    try:
        np.broadcast_shapes(*(x.shape for x in arrays.values()))
    except ValueError:
        must = "arrays must have shapes that broadcast"
        came = ", ".join(f"{name} {x.shape}" for name, x in arrays.items() if x.shape)
        raise ParameterError(sentence(who, must, came)) from None


def _numbers(who: str, name: str, x: Any) -> Floats:
    try:
        raw = np.asarray(x)
        if raw.dtype.kind not in "iufO" or raw.size == 0:
            raise TypeError
        return np.array(raw, dtype=np.float64)
    except (TypeError, ValueError):
        must = f"{name} must be a number"
        raise ParameterError(sentence(who, must, shown(x))) from None
    except OverflowError:
        must = f"{name} must be at most {LARGEST:g}"
        raise ParameterError(sentence(who, must, "more")) from None


def _logarithms(who: str, x: Any) -> Floats:
    """Return the logarithms of numbers of hypotheses; whole ones may be of any size."""
    if isinstance(x, int) and not isinstance(x, bool) and x >= 1:
        return np.array(math.log(x))
    return np.log(whole_numbers(who, "hypotheses", x))


# -- answers ---------------------------------------------------------------------------
def answer(x: Any) -> Any:
    """Return a float for a number, else the array."""
    return float(x) if np.ndim(x) == 0 else np.asarray(x)


def least_whole(x: Any) -> Any:
    """Return the least whole numbers that are >= x and >= 1."""
    x = np.asarray(x, dtype=np.float64)
    return _as_whole(np.maximum(np.ceil(x * (1 - ROUNDING)), 1.0))


def most_whole(x: Any) -> Any:
    """Return the greatest whole numbers that are <= x, for x >= 0."""
    x = np.asarray(x, dtype=np.float64)
    return _as_whole(np.floor(x * (1 + ROUNDING)))


def _as_whole(x: Floats) -> Any:
    """Return ints; what no int64 holds stays a float in arrays, infinity everywhere."""
    if np.ndim(x) == 0:
        return int(x) if np.isfinite(x) else math.inf
    return x.astype(np.int64) if (np.abs(x) < 2.0**63).all() else x


# -- searches --------------------------------------------------------------------------
def least_rows(holds: Callable[[Floats], Any], low: Any, shape: Any) -> Any:
    """Return the least whole numbers >= low from which on a condition holds.

    The condition holds for all numbers beyond the first for which it does; where it
    never does, the answer is infinity.
    """
    below = np.maximum(np.ceil(np.broadcast_to(low, shape).astype(np.float64)), 1.0) - 1
    above = below + 1
    while (open_ := ~np.asarray(holds(above)) & (above < MOST_ROWS)).any():
        below = np.where(open_, above, below)
        above = np.where(open_, 2 * above, above)
    for _ in range(64):
        if (above - below <= np.maximum(1.0, above * 2.0**-52)).all():
            break
        middle = np.floor((below + above) / 2)
        good = np.asarray(holds(middle))
        above, below = np.where(good, middle, above), np.where(good, below, middle)
    return _as_whole(np.where(above < MOST_ROWS, above, np.inf))


def most_dimensions(holds: Callable[[Floats], Any], high: Any, shape: Any) -> Any:
    """Return the greatest whole numbers below high for which a condition holds.

    The condition holds up to the answer, 0 where it never does, and not at high.
    """
    below, above = np.zeros(shape), np.ceil(np.broadcast_to(high, shape) + 0.0)
    while (above - below > np.maximum(1.0, above * 2.0**-52)).any():
        middle = np.floor((below + above) / 2)
        good = np.asarray(holds(np.maximum(middle, 1.0))) & (middle > below)
        below, above = np.where(good, middle, below), np.where(good, above, middle)
    return _as_whole(below)


def bisect(holds: Callable[[Floats], Any], low: Any, high: Any) -> Floats:
    """Return the end of where a condition holds, between low (it does) and high."""
    low, high = (x.astype(np.float64) for x in np.broadcast_arrays(low, high))
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        good = np.asarray(holds(middle))
        low, high = np.where(good, middle, low), np.where(good, high, middle)
    return low
