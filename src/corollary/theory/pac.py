"""Bounds for finitely many hypotheses, in any direction.

Also known as: PAC learning, probably approximately correct, sample complexity, finite
hypothesis class, Occam bound, sample size calculator.

A class C of k hypotheses, m rows drawn independently.  If some hypothesis makes no
error (*realizable*), one that errs with probability above epsilon looks perfect with
probability at most (1 - epsilon)^m <= exp(-epsilon m), so that all which look perfect
err at most epsilon, with probability 1 - delta, for

    m  >=  (1/epsilon) ln(k / delta)                                             (1)

If none does (*agnostic*), Hoeffding's inequality and the union bound give for all
hypotheses at once

    |empirical risk - risk| <= epsilon  for  m >= 1/(2 epsilon^2) ln(2 k / delta)    (2)

Then the hypothesis with the least empirical risk is within 2 epsilon of the best of the
class: its risk is at most Opt(C) + epsilon for

    m  >=  (2/epsilon^2) ln(2 k / delta)                                         (3)

The same holds for k settings that are scored on one validation set of m rows.

The oldest class: a conjunction of n variables holds each of them plain, negated, or not
at all, so that there are

    k = 3^n,   and one more that is always false                                 (4)

Notation: k = hypotheses; m rows; Opt(C) the least risk in the class.
Course: S0-52, S3-103, S4-54. References: Valiant (1984); Kearns and Vazirani (1994);
Blumer, Ehrenfeucht, Haussler, Warmuth (1987).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.theory.calculator import quantities, solve_tail, whole_numbers

__all__ = [
    "agnostic_bound",
    "conjunction_count",
    "realizable_bound",
    "uniform_deviation",
]

MOST_VARIABLES = 100_000  # 3^n has as many digits as half of it


def realizable_bound(
    *, m: Any = None, epsilon: Any = None, delta: Any = None, hypotheses: Any = None
) -> Any:
    """Relate rows and error of a hypothesis that makes no error on them (1).

    Give all but one: the one left out is returned.  Arrays broadcast.

    Parameters
    ----------
    m : int, optional
        Rows.
    epsilon : float in (0, 1), optional
        The error is at most this.
    delta : float in (0, 1), optional
        Probability that it is larger.
    hypotheses : int, optional
        Size of the class; one of them makes no error.

    Returns
    -------
    float, int or array

    Examples
    --------
    Conjunctions of 10 variables:

    >>> from corollary.theory import realizable_bound
    >>> realizable_bound(epsilon=0.1, delta=0.05, hypotheses=3**10)
    140
    >>> round(realizable_bound(m=140, delta=0.05, hypotheses=3**10), 4)
    0.0999
    """
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities("realizable_bound", given)
    return solve_tail(q, 1, lambda epsilon: epsilon, lambda exponent: exponent)


def agnostic_bound(
    *, m: Any = None, epsilon: Any = None, delta: Any = None, hypotheses: Any = None
) -> Any:
    """Relate rows and regret of the hypothesis with the least empirical risk (3).

    Give all but one: the one left out is returned.  Arrays broadcast.

    Parameters
    ----------
    m : int, optional
        Rows.
    epsilon : float in (0, 1), optional
        The risk is at most Opt(C) + epsilon.
    delta : float in (0, 1), optional
        Probability that it is larger.
    hypotheses : int, optional
        Size of the class.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import agnostic_bound
    >>> agnostic_bound(epsilon=0.1, delta=0.05, hypotheses=3**10)
    2936
    """
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities("agnostic_bound", given)
    return solve_tail(
        q,
        2,
        lambda epsilon: epsilon**2 / 2,  # (3): epsilon / 2 in (2)
        lambda exponent: np.sqrt(2 * exponent),
    )


def uniform_deviation(
    *, m: Any = None, epsilon: Any = None, delta: Any = None, hypotheses: Any = None
) -> Any:
    """Relate rows and the largest gap between empirical risk and risk in a class (2).

    Give all but one: the one left out is returned.  Arrays broadcast.

    Also known as: uniform deviation, uniform convergence of a finite class, price of
    trying k models on one validation set.

    Parameters
    ----------
    m : int, optional
        Rows.
    epsilon : float in (0, 1), optional
        The gap is at most this, for all hypotheses at once.
    delta : float in (0, 1), optional
        Probability that it is larger for some.
    hypotheses : int, optional
        Size of the class, or number of settings tried.

    Returns
    -------
    float, int or array

    Examples
    --------
    >>> from corollary.theory import uniform_deviation
    >>> uniform_deviation(epsilon=0.05, delta=0.05, hypotheses=10_000)
    2580
    >>> round(uniform_deviation(m=100, delta=0.05, hypotheses=10), 4)
    0.1731
    """
    given = {"m": m, "epsilon": epsilon, "delta": delta, "hypotheses": hypotheses}
    q = quantities("uniform_deviation", given)
    return solve_tail(
        q,
        2,
        lambda epsilon: 2 * epsilon**2,
        lambda exponent: np.sqrt(exponent / 2),
    )


def conjunction_count(n: int, *, always_false: bool = False) -> int:
    """Count the conjunctions of n variables (4).

    Parameters
    ----------
    n : int
    always_false : bool, default=False
        Count the conjunction that is never true as well.

    Returns
    -------
    int

    Examples
    --------
    >>> from corollary.theory import conjunction_count
    >>> conjunction_count(10), conjunction_count(10, always_false=True)
    (59049, 59050)
    """
    who = "conjunction_count"
    variables = whole_numbers(who, "n", n, low=0)
    if variables.ndim or variables > MOST_VARIABLES:
        must = f"n must be one number, at most {MOST_VARIABLES}"
        raise ParameterError(sentence(who, must, f"{n}"))
    return 3 ** int(variables) + int(bool(always_false))
