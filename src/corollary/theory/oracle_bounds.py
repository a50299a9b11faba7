"""The textbook's guarantees for boosting, SVM, SVR and nearest neighbours, in numbers.

Also known as: oracle inequality, oracle bound, excess-risk bound.

With probability 1 - delta over n rows, ER the expected Rademacher complexity with an
absolute value, kappa^2 >= k(x, x), ||h|| <= c without intercept, |y| <= B:

    boosting   risk <= share of margins < gamma + (4/gamma) ER + sqrt(ln(1/delta)/2n)
               share <= ((1 - 4 gamma^2) ((1 + 2 gamma)/(1 - 2 gamma))^gamma)^{T/2}
               after T rounds of errors at most 1/2 - gamma                      (1)
    SVM        risk <= hinge loss + 4 c kappa / sqrt n
                       + (1 + c kappa) sqrt(ln(1/delta)/2n)                      (2)
    SVR        risk - best risk <= 8 c kappa / sqrt n + 8 B sqrt(2 ln 2 / n)
                       + 2 (B + c kappa) sqrt(ln(1/delta)/2n)                    (3)

(3) compares with the best function of the ball: an *oracle* bound, which can be
computed before any row is seen.  So can that of k nearest neighbours on [0, 1]^d,
k >= 10, where P(y = 1 | x) is L-Lipschitz, in expectation over the rows:

    k-NN       risk <= (1 + sqrt(8/k)) Bayes risk
                       + (6 L sqrt d + k) n^{-1/(d+1)}                           (4)

which `neighbor_excess` solves for the rows: the curse of dimension.
`margin.py` has sharper constants and pays for a gamma that is chosen on the rows; (1)
does not.

Notation: T = rounds; c = norm; kappa = radius; L = lipschitz.
Course: S2-25. References: Schapire, Freund, Bartlett and Lee (1998); Shalev-Shwartz and
Ben-David (2014), ch. 19.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.nearest_neighbor_bounds import neighbor_risk
from corollary.theory.stated_numbers import confidence, count, number

__all__ = [
    "boosting_oracle_bound",
    "knn_oracle_bound",
    "svm_oracle_bound",
    "svr_oracle_bound",
]


def boosting_oracle_bound(
    n: int,
    gamma: float,
    complexity: float,
    delta: float = 0.05,
    *,
    share: float | None = None,
    rounds: int | None = None,
) -> Bound:
    """Return the guarantee of AdaBoost (1).

    Parameters
    ----------
    n : int
        Rows.
    gamma : float
        Margin fixed beforehand; below 1/2 where `rounds` is given.
    complexity : float
        Expected Rademacher complexity of the members' class.
    delta : float, default=0.05
    share : float, optional
        Of the training rows whose margin is below gamma.
    rounds : int, optional
        T, where every weighted error is at most 1/2 - gamma, in place of `share`.

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import boosting_oracle_bound
    >>> bound = boosting_oracle_bound(10**6, 0.25, 0.002, rounds=1000)
    >>> round(bound.value, 4)  # 0.98706^500 + 16 x 0.002 + 0.0012
    0.0347
    """
    who = "boosting_oracle_bound"
    rows, delta = stated_rows(who, n), confidence(who, delta)
    if (share is None) == (rounds is None):
        must = "one of share and rounds must be given"
        raise ParameterError(
            sentence(who, must, "neither" if share is None else "both")
        )
    g = number(who, gamma, "gamma", 0, 1 if rounds is None else 0.5, ends="()")
    R = number(who, complexity, "complexity", 0)
    words = [INDEPENDENT, f"The margin gamma = {g:g} was fixed before the rows."]
    if rounds is None:
        below = number(who, share, "share", 0, 1)
    else:
        T = count(who, rounds, "rounds", 1)
        base = (1 - 4 * g**2) * ((1 + 2 * g) / (1 - 2 * g)) ** g
        below = base ** (T / 2)
        words.append(f"Every round has a weighted error of at most {0.5 - g:g}.")
    value = below + 4 / g * R + tail(rows, delta)
    by = "Schapire, Freund, Bartlett and Lee (1998)"
    return Bound("boosting bound", value, delta, tuple(words), by)


def svm_oracle_bound(
    n: int, hinge: float, norm: float, radius: float = 1.0, delta: float = 0.05
) -> Bound:
    """Return the guarantee of the support vector machine without intercept (2).

    Parameters
    ----------
    n : int
        Rows.
    hinge : float
        Mean hinge loss on them.
    norm : float
        c, the largest norm, fixed beforehand.
    radius : float, default=1.0
        kappa.
    delta : float, default=0.05

    Returns
    -------
    Bound

    Examples
    --------
    >>> from corollary.theory import svm_oracle_bound
    >>> round(svm_oracle_bound(10_000, 0.1, 2.0).value, 4)  # 0.1 + 0.08 + 3 x 0.0122
    0.2167
    """
    who = "svm_oracle_bound"
    rows, delta = stated_rows(who, n), confidence(who, delta)
    reach = number(who, norm, "norm", 0) * number(who, radius, "radius", 0)
    loss = number(who, hinge, "hinge", 0)
    value = loss + 4 * reach / np.sqrt(rows) + (1 + reach) * tail(rows, delta)
    words = (
        INDEPENDENT,
        f"The machine minimises the hinge loss among norms up to {norm:g}.",
        f"It has no intercept, and no row is longer than {radius:g}.",
    )
    by = "Bartlett and Mendelson (2002)"
    return Bound("SVM bound", float(value), delta, words, by)


def svr_oracle_bound(
    n: int, norm: float, largest_y: float, radius: float = 1.0, delta: float = 0.05
) -> Bound:
    """Return how far SVR may be above the best function of its ball (3).

    Parameters
    ----------
    n : int
        Rows.
    norm : float
        c, the largest norm, fixed beforehand.
    largest_y : float
        B.
    radius : float, default=1.0
        kappa.
    delta : float, default=0.05

    Returns
    -------
    Bound
        On the *excess* risk.

    Examples
    --------
    >>> from corollary.theory import svr_oracle_bound
    >>> round(svr_oracle_bound(10_000, 2.0, 1.0).value, 4)
    0.3276
    """
    who = "svr_oracle_bound"
    rows, delta = stated_rows(who, n), confidence(who, delta)
    reach = number(who, norm, "norm", 0) * number(who, radius, "radius", 0)
    B = number(who, largest_y, "largest_y", 0)
    value = 8 * reach / np.sqrt(rows) + 8 * B * np.sqrt(2 * np.log(2) / rows)
    value += 2 * (B + reach) * tail(rows, delta)
    words = (
        INDEPENDENT,
        f"The machine minimises the loss among norms up to {norm:g}; no intercept.",
        f"No |y| is above {B:g}, and no row is longer than {radius:g}.",
        "The number bounds the excess over the best function of the ball.",
    )
    by = "Bartlett and Mendelson (2002)"
    return Bound("SVR excess bound", float(value), delta, words, by, B + reach)


def knn_oracle_bound(
    n: Any, d: int, k: int, lipschitz: float, bayes_risk: float = 0.0
) -> Bound:
    """Return the guarantee of k nearest neighbours (4).

    Parameters
    ----------
    n : int
        Rows.
    d : int
        Features, in [0, 1].
    k : int
        Neighbours, at least 10.
    lipschitz : float
        L of P(y = 1 | x).
    bayes_risk : float, default=0.0
        The least error that any classifier has.

    Returns
    -------
    Bound
        On the expected risk: there is no delta, which is 0.

    Examples
    --------
    >>> from corollary.theory import knn_oracle_bound
    >>> round(knn_oracle_bound(10**9, 2, 10, 1.0, 0.1).value, 4)
    0.2079
    """
    who = "knn_oracle_bound"
    rows = int(stated_rows(who, n))
    value = neighbor_risk(n=rows, d=d, k=k, bayes_error=bayes_risk, lipschitz=lipschitz)
    words = (
        INDEPENDENT,
        "Features lie in [0, 1], and there are two classes.",
        f"P(y = 1 | x) changes by at most {lipschitz:g} times the distance.",
        "The number bounds the mean of the risk over draws of the rows.",
    )
    by = "Shalev-Shwartz and Ben-David (2014), theorem 19.5"
    return Bound("k-NN bound on the expected risk", float(value), 0.0, words, by)


def stated_rows(who: str, n: Any) -> float:
    """Return the number of rows."""
    return count(who, n, "n", 1)


def tail(n: float, delta: float) -> float:
    """Return sqrt(ln(1/delta) / 2n)."""
    return float(np.sqrt(-np.log(delta) / (2 * n)))
