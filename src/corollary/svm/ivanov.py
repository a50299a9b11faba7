"""A bound on the norm or a penalty on it: the same fit by two numbers.

Also known as: Ivanov and Tikhonov regularisation, constrained and penalised forms.

    Ivanov     min risk(h)  subject to  ||h|| <= c                                   (1)
    Tikhonov   min risk(h) + lam/2 ||h||^2                                           (2)

The minimiser h(lam) of (2) solves (1) with c = ||h(lam)||, and lam is, up to a factor,
the multiplier of the bound.  ||h(lam)|| falls as lam grows, so that every c below the
norm without a penalty has a lam, found by halving; above it the bound does nothing.

The norm is that of the space which h is penalised in.  A linear model has ||h|| =
||w||, but a kernel machine h = sum_i a_i k(., x_i) + b has

    ||h||^2 = a'K a,     K_ij = k(x_i, x_j)                                          (3)

which is not the length of a.

Course: S2-39. Reference: Vapnik (1998), appendix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.errors import DataError, ParameterError, sentence
from corollary.kernels.machine_kernel import kernel_of
from corollary.kernels.rkhs import RKHSFunction

__all__ = ["function_norm", "lambda_of_norm", "norm_of_lambda"]

BISECTIONS = 200  # of the ratio of any two floats, down to neighbours

Fit = Callable[[float], Any]


def function_norm(h: Any) -> float:
    """Return ||h|| in the space that h is penalised in.

    Also known as: RKHS norm, norm of a hypothesis.

    Parameters
    ----------
    h : fitted model, RKHSFunction or array
        (3) of a machine with one function and of an `RKHSFunction`, the length of the
        coefficients of a linear model and of an array.

    Returns
    -------
    float

    Examples
    --------
    >>> from corollary import KernelRidge
    >>> model = KernelRidge(alpha=1.0, kernel="linear").fit([[3.0], [4.0]], [3.0, 4.0])
    >>> round(function_norm(model), 6)  # h(x) = 25/26 x
    0.961538
    >>> function_norm([3.0, 4.0])
    5.0
    """
    if isinstance(h, RKHSFunction):
        return h.norm()
    if hasattr(h, "dual_coef_"):
        return _machine_norm(h)
    w = np.asarray(getattr(h, "coef_", h))
    if w.dtype.kind not in "iuf":
        must = "h must be a fitted linear model or kernel machine, or coefficients"
        raise DataError(sentence("function_norm", must, f"a {type(h).__name__}"))
    return float(np.linalg.norm(np.ravel(w)))


def norm_of_lambda(fit: Fit, lam: float) -> float:
    """Return c = ||h(lam)||.

    Parameters
    ----------
    fit : function of lam -> h
        The minimiser of (2), as `function_norm` takes it, such as
        ``lambda lam: KernelRidge(alpha=lam).fit(X, y)``.
    lam : float

    Examples
    --------
    >>> norm_of_lambda(lambda lam: [1.0 / (1.0 + lam)], 3.0)
    0.25
    """
    if not lam > 0:
        must = "lam must be a number > 0"
        raise ParameterError(sentence("norm_of_lambda", must, f"{lam!r}"))
    return function_norm(fit(lam))


def lambda_of_norm(
    fit: Fit, c: float, *, low: float = 1e-10, high: float = 1e10, tol: float = 1e-10
) -> float:
    """Return lam with ||h(lam)|| = c, 0 where the bound does nothing.

    Parameters
    ----------
    fit : function of lam -> h
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


def _machine_norm(machine: Any) -> float:
    """Return (3) of a fitted kernel machine."""
    who, a = "function_norm", machine.dual_coef_
    a = np.asarray(a.toarray() if sp.issparse(a) else a, dtype=np.float64)
    if machine.kernel == "precomputed":
        remedy = "Pass an RKHSFunction with the kernel Precomputed(K)."
        must = "the machine must know its kernel"
        raise DataError(sentence(who, must, "kernel='precomputed'", remedy))
    Z = machine.support_vectors_ if hasattr(machine, "support_") else machine.X_fit_
    if a.size != Z.shape[0]:
        must = "the machine must be one function, not one for each class or target"
        raise DataError(sentence(who, must, f"coefficients of shape {a.shape}"))
    a = a.reshape(-1, 1)
    values = kernel_of(machine, machine.gamma_).sums(Z, Z, a)
    return float(np.sqrt(max(0.0, float((a * values).sum()))))
