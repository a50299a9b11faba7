"""The lasso as a bound on the sum of the absolute coefficients.

Also known as: constrained lasso, the lasso in its first form.

Minimise  (1/2N) sum_n w_n (y_n - x_n' b - b0)^2   subject to   ||b||_1 <= t      (1)

has the solutions of the penalised lasso: the b(alpha) with ||b(alpha)||_1 = t solves
(1), and t0 = ||b_LS||_1 or more leaves least squares as it is.  t falls as alpha grows,
in straight pieces, each with one support A and signs s:

    b_A = G_AA^{-1} (c_A - N alpha s),     t = s'b_A

so   alpha = (s'G_AA^{-1} c_A - t) / (N s'G_AA^{-1} s)                            (2)

is exact once the piece is known.  It is found by Newton's method, which takes (2) for
the piece it stands on, kept inside a bracket that only shrinks.

Notation: G = Xc'W Xc, c = Xc'W yc; N the total weight.
Course: S3-91. References: Tibshirani (1996); Osborne, Presnell and Turlach (2000).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.linalg import lstsq

from corollary.core.arrays import Floats
from corollary.core.vectors import non_negative
from corollary.linear.sparse.elastic_net_path import checked, design_of
from corollary.objectives.penalties import Penalty
from corollary.solvers.coordinate_descent import path as solved_path
from corollary.solvers.design import Design

__all__ = ["alpha_of_bound", "bound_of_alpha"]

TIGHT: Any = {"tol": 1e-15, "max_iter": 100_000}
STEPS = 200  # of Newton's method; a bracket halves below rounding in fewer


def bound_of_alpha(
    X: Any,
    y: Any,
    alpha: float,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
) -> float:
    """Return t = ||b(alpha)||_1, the bound that does what the penalty alpha does.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
    alpha : float
        The penalty of `Lasso`; 0 gives t0, that of least squares.
    fit_intercept : bool, default=True
    sample_weight : array of shape (n,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.linear.sparse.lasso_bound import bound_of_alpha
    >>> X, y = [[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0]
    >>> round(bound_of_alpha(X, y, 0.25, fit_intercept=False), 9)
    2.0
    """
    who = "bound_of_alpha"
    a = float(non_negative(who, alpha, "alpha"))
    design = design_of(*checked(who, X, y, sample_weight), intercept=fit_intercept)
    return float(np.abs(solution(design, a)).sum())


def alpha_of_bound(
    X: Any,
    y: Any,
    t: float,
    *,
    fit_intercept: bool = True,
    sample_weight: Any = None,
) -> float:
    """Return the penalty alpha whose solution has ||b||_1 = t, by (2).

    Parameters
    ----------
    X : array or sparse matrix of shape (n, d)
    y : array of shape (n,)
    t : float
        The bound; from t0 = ||b_LS||_1 on the answer is 0, and t = 0 gives alpha_max.
    fit_intercept : bool, default=True
    sample_weight : array of shape (n,), optional

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary.linear.sparse.lasso_bound import alpha_of_bound
    >>> X, y = [[1.0, 0.0], [0.0, 1.0]], [2.0, 1.0]
    >>> round(alpha_of_bound(X, y, 2.0, fit_intercept=False), 9)
    0.25
    """
    who = "alpha_of_bound"
    bound = float(non_negative(who, t, "t"))
    design = design_of(*checked(who, X, y, sample_weight), intercept=fit_intercept)
    low, high = 0.0, float(np.abs(design.c).max(initial=0.0) / design.n[0])
    if bound == 0 or high == 0:
        return high
    if np.abs(solution(design, 0.0)).sum() <= bound:
        return 0.0
    alpha = high / 2
    for _ in range(STEPS):
        b = solution(design, alpha)
        low, high = (alpha, high) if np.abs(b).sum() > bound else (low, alpha)
        step = on_piece(design, b, bound)
        if abs(step - alpha) <= 4 * np.finfo(float).eps * alpha:
            return step
        alpha = step if low < step < high else (low + high) / 2
        if not low < alpha < high:
            break
    return alpha


def solution(design: Design, alpha: float) -> Floats:
    """Return b(alpha)."""
    return next(solved_path(design, [Penalty(alpha, 1.0)], **TIGHT))[0].coef


def on_piece(design: Design, b: Floats, t: float) -> float:
    """Return (2) for the support and the signs of b; 0 where b = 0."""
    A = np.flatnonzero(b)
    if not len(A):
        return 0.0
    signs = np.sign(b[A])
    G = design.gram(0, A[:0], A)
    u, v = lstsq(G, np.column_stack([design.c[A, 0], signs]))[0].T
    slope = float(signs @ v)
    return (float(signs @ u) - t) / (float(design.n[0]) * slope) if slope > 0 else 0.0
