"""Kernel machines with squared losses and no intercept, by descent on the dual.

Also known as: L2-SVM, squared hinge machine, squared epsilon-insensitive SVR.

With h in the space of a kernel, K its matrix and lam > 0, minimise

    lam/2 ||h||^2 + 1/2 sum_i xi_i^2                                                 (1)
    classes   xi_i = max(0, 1 - y_i h(x_i)),  y = +-1                                (2)
    numbers   xi_i = max(0, |y_i - h(x_i)| - eps)                                    (3)

h = 1/lam sum_i b_i k(., x_i), and the duals are, with alpha_i = y_i b_i for classes,

    min 1/(2 lam) alpha'(Q + lam I) alpha - sum alpha,  alpha >= 0,  Q = (y_i y_j K) (4)
    min 1/2 b'(K/lam + I) b - y'b + eps sum |b_i|                                    (5)

Both are strictly convex and have no equality, so that one coordinate moves at a time:

    alpha_i <- max(0, (lam - sum_{j != i} (Q + lam I)_ij alpha_j)/(Q_ii + lam))      (6)

and the search stops when primal minus dual, which bounds the distance to the optimum,
is small.  At the optimum alpha_i = xi_i, or |b_i| = xi_i: rows with y h > 1, or inside
the tube, have none.  With eps = 0, (5) is kernel ridge regression, b = lam (K + lam
I)^-1 y.

`SquaredHingeSVC` and `SquaredEpsilonSVR` have an intercept, and no whole matrix.

Notation: b = beta (n,); f = K b / lam = h at the rows.
Course: S2-43, S2-44. Reference: Hsieh et al. (2008).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary import loops
from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable

__all__ = [
    "SquaredMachine",
    "squared_epsilon_svr",
    "squared_gap",
    "squared_hinge_svm",
]

ROUNDS = 10  # between two looks at the gap


@readable
@dataclass(frozen=True)
class SquaredMachine:
    """The expansion h = 1/lam sum_i beta_i k(., x_i) with its proof.

    Attributes
    ----------
    beta : array of shape (n,)
    fitted : array of shape (n,)
        h at the rows.
    slack : array of shape (n,)
        xi of (2) or (3).
    primal, dual, gap : float
    trace : array
        The dual's value after some rounds, never falling.
    rounds : int
    """

    beta: Floats
    fitted: Floats
    slack: Floats
    primal: float
    dual: float
    gap: float
    trace: Floats
    rounds: int
    lam: float

    def decision(self, K: Any) -> Floats:
        """Return h of new rows, given their kernel with the rows of the fit."""
        return np.asarray(K, float) @ self.beta / self.lam


def squared_hinge_svm(
    K: Any, y: Any, lam: float = 1.0, *, tol: float = 1e-10, max_rounds: int = 100_000
) -> SquaredMachine:
    """Minimise (1) with (2) by coordinate descent (6), until the gap is closed.

    Parameters
    ----------
    K : array of shape (n, n)
        A kernel matrix.
    y : array of shape (n,)
        Labels -1 and +1.
    lam : float
    tol : float
        Largest gap, relative to the primal.
    max_rounds : int

    Examples
    --------
    >>> found = squared_hinge_svm([[1.0, 0.0], [0.0, 1.0]], [1.0, -1.0])
    >>> found.beta.tolist(), found.slack.tolist(), round(found.gap, 12)
    ([0.5, -0.5], [0.5, 0.5], 0.0)
    """
    K, y = checked("squared_hinge_svm", K, y, lam)
    if (np.abs(y) != 1).any():
        must = "y must hold labels -1 and +1"
        raise DataError(
            sentence("squared_hinge_svm", must, f"{y[np.abs(y) != 1][0]:g}")
        )
    lo, hi = np.where(y > 0, 0.0, -np.inf), np.where(y > 0, np.inf, 0.0)
    return descended(K, y, lo, hi, 0.0, lam, tol, max_rounds, classes=True)


def squared_epsilon_svr(
    K: Any,
    y: Any,
    lam: float = 1.0,
    epsilon: float = 0.1,
    *,
    tol: float = 1e-10,
    max_rounds: int = 100_000,
) -> SquaredMachine:
    """Minimise (1) with (3) by coordinate descent on (5).

    Parameters
    ----------
    K : array of shape (n, n)
    y : array of shape (n,)
    lam, epsilon : float
    tol : float
        Largest gap, relative to the primal.
    max_rounds : int

    Examples
    --------
    >>> found = squared_epsilon_svr([[1.0]], [3.0], 1.0, 1.0)
    >>> found.beta.tolist(), found.fitted.tolist()
    ([1.0], [1.0])
    """
    K, y = checked("squared_epsilon_svr", K, y, lam)
    if not 0 <= epsilon < np.inf:
        must = "epsilon must be a number >= 0"
        raise ParameterError(sentence("squared_epsilon_svr", must, f"{epsilon!r}"))
    free = np.full(len(y), np.inf)
    return descended(K, y, -free, free, epsilon, lam, tol, max_rounds, classes=False)


def squared_gap(
    price: Floats, b: Floats, slack: Floats, lost: Floats, rounding: float
) -> float:
    """Return primal minus dual of a machine with an intercept and squared losses.

    price xi^2 + |b|(|b|/(4 price) - xi) is a square, and no digit cancels:

        sum_i price_i (xi_i - |b_i|/(2 price_i))^2 + lost_i,
        lost_i = |b_i| xi_i minus what b_i takes from the residual, >= 0

    for all scores within a rounding error.
    """
    some = price > 0
    price, b, slack = price[some], np.abs(b[some]), slack[some]
    away = np.abs(slack - b / (2 * price)) + rounding
    doubtful = b[slack <= rounding].sum()
    return float(price @ away**2 + lost.sum() + rounding * doubtful)


def descended(
    K: Floats,
    y: Any,
    lo: Any,
    hi: Any,
    eps: float,
    lam: float,
    tol: float,
    max_rounds: int,
    *,
    classes: bool,
) -> SquaredMachine:
    """Move one coordinate at a time until the gap is closed."""
    n = len(y)
    S, one, beta, f = (
        np.ascontiguousarray(K / lam),
        np.ones(n),
        np.zeros(n),
        np.zeros(n),
    )
    trace: list[float] = []
    rounds, primal, dual, slack = 0, np.inf, 0.0, np.zeros(n)
    while rounds < max_rounds:
        some = min(ROUNDS, max_rounds - rounds)
        used, worst = loops.box_rounds(S, y, lo, hi, one, eps, some, 0.0, beta, f)
        rounds += used
        f = S @ beta
        slack = np.maximum(0.0, 1 - y * f if classes else np.abs(y - f) - eps)
        half = 0.5 * float(beta @ f)  # lam/2 ||h||^2
        primal = half + 0.5 * float(slack @ slack)
        dual = float(y @ beta) - eps * float(np.abs(beta).sum()) - half
        dual -= 0.5 * float(beta @ beta)
        trace.append(dual)
        if primal - dual <= tol * max(primal, 1e-300) or worst == 0:
            break
    gap = max(primal - dual, 0.0)
    return SquaredMachine(
        beta, f, slack, primal, dual, gap, np.array(trace), rounds, lam
    )


def checked(who: str, K: Any, y: Any, lam: float) -> tuple[Floats, Floats]:
    """Check the matrix, the targets and lam."""
    K, y = np.asarray(K, float), np.asarray(y, float)
    if y.ndim != 1 or K.shape != (len(y), len(y)) or not np.allclose(K, K.T):
        must = f"K must be symmetric, with as many rows as y = {y.size}"
        raise DataError(sentence(who, must, f"shape {K.shape}"))
    if not (np.isfinite(K).all() and np.isfinite(y).all()):
        raise DataError(sentence(who, "K and y must be finite", "NaN or infinity"))
    if not (np.isfinite(lam) and lam > 0):
        raise ParameterError(sentence(who, "lam must be a number > 0", f"{lam!r}"))
    return K, y
