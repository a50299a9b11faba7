"""Bounds for models that few rows, or few bits, determine.

Also known as: sample compression scheme, Littlestone-Warmuth bound, Floyd-Warmuth
bound, Occam's razor bound.

A model that can be built again from k of its n training rows has the other n - k as a
test set, if only it had been known which k.  A union over everything that could have
been told pays for it.  With a message that has probability pi beforehand and e errors
on the other rows, with probability 1 - delta,

    risk <= max {p: B(e; n-k, p) >= pi delta}                                    (1)
    pi = 1 / ((n+1) C(n, k)) for a set of k rows;  times 2^{-b} for b bits more

B the binomial tail, so nothing is lost but the union (Langford).  Without errors (1) is
at most (ln(1/pi) + ln(1/delta)) / (n - k).

    support vectors   the machine is determined by them, and every other row is right
    perceptron        by its mistakes: M of n P visits in P passes, pi = 1/C(nP, M) ...
    bits              a model of L bits has pi = 2^{-L} and k = 0; as Hoeffding's bound
                      risk <= e/n + sqrt((L ln 2 + ln(1/delta)) / 2n)            (2)

`tree_bound.py` sends trees, `leave_one_out.py` counts what leaving out one row changes.

Notation: k = size; e = errors; b, L = bits.
References: Littlestone and Warmuth (1986); Floyd and Warmuth (1995); Langford (2005);
Blumer, Ehrenfeucht, Haussler and Warmuth (1987).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import betaln

from corollary.core.errors import DataError, sentence
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.clopper_pearson import upper_risk
from corollary.theory.kl_inverse import farthest_above
from corollary.theory.machine_norm import fixed_space
from corollary.theory.stated_numbers import chosen, confidence, count, number

__all__ = [
    "compression_bound",
    "occam_bound",
    "perceptron_bound",
    "support_vector_bound",
]

TINY = -690.0  # ln of the least delta that a binomial tail is inverted at


def compression_bound(
    n: int, size: int, errors: int = 0, delta: float = 0.05, *, bits: float = 0.0
) -> Bound:
    """Bound the risk of a model that some of its training rows determine (1).

    Parameters
    ----------
    n : int
        Training rows.
    size : int
        k, rows that the model can be built from, in any order.
    errors : int, default=0
        Among the other n - k rows.
    delta : float, default=0.05
        How often the bound may fail.
    bits : float, default=0.0
        Length of what must be told beside the rows.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import compression_bound
    >>> round(compression_bound(1000, 10).value, 4)
    0.0624
    """
    who = "compression_bound"
    delta, more = confidence(who, delta), number(who, bits, "bits", 0)
    rows, k, e = (
        count(who, value, name, least)
        for value, name, least in (
            (n, "n", 1),
            (size, "size", 0),
            (errors, "errors", 0),
        )
    )
    if k > rows or e > rows - k:
        must = "size must be at most n, and errors at most n - size"
        raise DataError(sentence(who, must, f"size {k:g}, errors {e:g}, n {rows:g}"))
    log = -log_choose(rows, k) - np.log(rows + 1) - more * np.log(2) + np.log(delta)
    words = (
        INDEPENDENT,
        f"The model can be built again from {k:g} of its rows, whatever their order.",
    )
    by = "Floyd and Warmuth (1995); Langford (2005)"
    name = "sample-compression bound"
    return Bound(name, tail_inverse(rows - k, e, log), delta, words, by)


def support_vector_bound(
    model: Any, X: Any, y: Any, delta: float = 0.05, *, bits: float = 0.0
) -> Bound:
    """Bound the error of a support vector classifier by its support vectors (1).

    Parameters
    ----------
    model : SVC
        Fitted on X and y, without weights.
    X, y : rows and labels
        Those of the fit.
    delta : float, default=0.05
        How often the bound may fail.
    bits : float, default=0.0
        log2 of the number of machines that were tried, for a choice of C and kernel.

    Returns
    -------
    Bound
        It is guidance where the kernel or the class weights depend on all rows.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> from corollary.theory import support_vector_bound
    >>> X = np.linspace(-1, 1, 1000)[:, None]
    >>> model = SVC(kernel="linear", C=1e6).fit(X, X[:, 0] > 0)
    >>> print(support_vector_bound(model, X, X[:, 0] > 0))
    support-vector compression bound: risk <= 0.02281 with confidence 0.95
    """
    who = "support_vector_bound"
    if not hasattr(model, "support_") or not hasattr(model, "classes_"):
        must = "model must be a fitted support vector classifier"
        raise DataError(sentence(who, must, type(model).__name__))
    y = np.asarray(y)
    n, support = len(y), np.asarray(model.support_)
    if len(support) and support.max() >= n:
        must = "X and y must be the rows of the fit"
        raise DataError(sentence(who, must, f"{n} rows"))
    wrong = np.asarray(model.predict(X)) != y
    wrong[support] = False
    found = compression_bound(n, len(support), int(wrong.sum()), delta, bits=bits)
    whole = getattr(model, "class_weight", None) == "balanced" or hasattr(model, "nu")
    fixed = (model.kernel == "linear" or fixed_space(model, model.kernel)) and not whole
    words = [
        *found.assumptions,
        "The machine is solved to the end; rows have weight 1.",
    ]
    if not fixed:
        words.append("The machine depends on all rows, which the proof leaves out.")
    name = "support-vector compression bound"
    return Bound(
        name, found.value, found.delta, tuple(words), found.reference, holds=fixed
    )


def perceptron_bound(
    n: int, mistakes: int, errors: int = 0, delta: float = 0.05, *, passes: int = 1
) -> Bound:
    """Bound the risk of a perceptron by the mistakes that made its weights (1).

    Parameters
    ----------
    n : int
        Training rows.
    mistakes : int
        M, in all passes.
    errors : int, default=0
        Training rows that the last weights get wrong.
    delta : float, default=0.05
        How often the bound may fail.
    passes : int, default=1
        P, over rows in an order that does not depend on them.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import perceptron_bound
    >>> round(perceptron_bound(10_000, 20, passes=3).value, 4)
    0.0178
    """
    who = "perceptron_bound"
    delta = confidence(who, delta)
    rows, M, e, P = (
        count(who, value, name, least)
        for value, name, least in (
            (n, "n", 1),
            (mistakes, "mistakes", 0),
            (errors, "errors", 0),
            (passes, "passes", 1),
        )
    )
    if M > rows * P or e > rows:
        must = "mistakes must be at most n times passes, and errors at most n"
        raise DataError(sentence(who, must, f"{M:g} and {e:g}"))
    rest = max(rows - M, 0.0)
    log = np.log(delta) - log_choose(rows * P, M) - np.log(rows * P + 1)
    log -= np.log(P * (P + 1))
    words = (
        INDEPENDENT,
        "Rows were visited in an order that does not depend on them.",
        "The weights are the sum of the rows that were mistakes, from 0.",
    )
    value = tail_inverse(rest, min(e, rest), log)
    by = "Floyd and Warmuth (1995)"
    return Bound("perceptron compression bound", value, delta, words, by)


def occam_bound(
    n: int, errors: int, bits: float, delta: float = 0.05, *, method: str = "exact"
) -> Bound:
    """Bound the risk of a model by the length of its description.

    Parameters
    ----------
    n : int
        Training rows.
    errors : int
        Among them.
    bits : float
        L, of a prefix code that was fixed before the rows were seen.
    delta : float, default=0.05
        How often the bound may fail.
    method : {'exact', 'hoeffding'}
        (1), or the looser (2) of the textbooks.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import occam_bound
    >>> round(occam_bound(1000, 50, 20, method="hoeffding").value, 4)
    0.1418
    >>> round(occam_bound(1000, 50, 20).value, 4)
    0.0963
    """
    who = "occam_bound"
    delta, L = confidence(who, delta), number(who, bits, "bits", 0)
    rows, e = count(who, n, "n", 1), count(who, errors, "errors")
    if e > rows:
        must = "errors must be at most n"
        raise DataError(sentence(who, must, f"{errors!r} of {n!r}"))
    log = np.log(delta) - L * np.log(2)
    chosen(who, method, "method", ("exact", "hoeffding"))
    if method == "exact":
        value = tail_inverse(rows, e, log)
    else:
        value = float(e / rows + np.sqrt(-log / (2 * rows)))  # (2)
    words = (INDEPENDENT, "The code of models was fixed before the rows were seen.")
    by = "Blumer, Ehrenfeucht, Haussler and Warmuth (1987)"
    return Bound("Occam bound", value, delta, words, by)


def tail_inverse(n: float, e: float, log_delta: float) -> float:
    """Return the largest p with B(e; n, p) >= delta; by (2) of `kl_inverse` below TINY.

    >>> round(tail_inverse(100, 0, np.log(0.05)), 4)
    0.0295
    """
    if e >= n:
        return 1.0
    if log_delta > TINY:
        return float(upper_risk(n, e, np.exp(log_delta)))
    return float(farthest_above(np.asarray(e / n), np.asarray(-log_delta / n)))


def log_choose(n: float, k: float) -> float:
    """Return ln C(n, k).

    >>> round(float(np.exp(log_choose(5, 2))), 6)
    10.0
    """
    return float(-np.log(n + 1) - betaln(n - k + 1, k + 1))
