"""A bound on the norm or a penalty on it: the same fit by two numbers.

Also known as: Ivanov and Tikhonov regularisation, constrained and penalised forms.

    Ivanov     min risk(w)  subject to  ||w|| <= c                                   (1)
    Tikhonov   min risk(w) + lam/2 ||w||^2                                           (2)

The minimiser w(lam) of (2) solves (1) with c = ||w(lam)||, and lam is, up to a factor,
the multiplier of the bound.  ||w(lam)|| falls as lam grows, so that every c below the
norm without a penalty has a lam, found by halving; above it the bound does nothing.

Course: S2-39. Reference: Vapnik (1998), appendix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence

__all__ = ["lambda_of_norm", "norm_of_lambda"]

BISECTIONS = 200  # of the ratio of any two floats, down to neighbours

Fit = Callable[[float], Any]


def norm_of_lambda(fit: Fit, lam: float) -> float:
    """Return c = ||w(lam)||.

    Parameters
    ----------
    fit : function of lam -> w
        The minimiser of (2), such as ``lambda lam: Ridge(alpha=lam).fit(X, y).coef_``.
    lam : float

    Examples
    --------
    >>> norm_of_lambda(lambda lam: [1.0 / (1.0 + lam)], 3.0)
    0.25
    """
    if not lam > 0:
        must = "lam must be a number > 0"
        raise ParameterError(sentence("norm_of_lambda", must, f"{lam!r}"))
    return float(np.linalg.norm(np.ravel(fit(lam))))


def lambda_of_norm(
    fit: Fit, c: float, *, low: float = 1e-10, high: float = 1e10, tol: float = 1e-10
) -> float:
    """Return lam with ||w(lam)|| = c, 0 where the bound does nothing.

    Parameters
    ----------
    fit : function of lam -> w
    c : float
        The bound.
    low, high : float
        Between which lam is looked for.
    tol : float
        Relative accuracy of lam.

    Examples
    --------
    >>> round(lambda_of_norm(lambda lam: [1.0 / (1.0 + lam)], 0.25), 6)
    3.0
    >>> lambda_of_norm(lambda lam: [1.0 / (1.0 + lam)], 2.0)
    0.0
    """
    if not c > 0:
        must = "c must be a number > 0"
        raise ParameterError(sentence("lambda_of_norm", must, f"{c!r}"))
    if norm_of_lambda(fit, low) <= c:
        return 0.0
    if norm_of_lambda(fit, high) > c:
        must = f"c must be at least the norm at lam = {high:g}"
        raise ParameterError(sentence("lambda_of_norm", must, f"{c:g}", "Raise high."))
    for _ in range(BISECTIONS):
        middle = float(np.sqrt(low) * np.sqrt(high))
        if high <= low * (1 + tol) or not low < middle < high:
            break
        low, high = (middle, high) if norm_of_lambda(fit, middle) > c else (low, middle)
    return float(np.sqrt(low) * np.sqrt(high))
