"""Bounds on the risk of kernel machines by the norm of their function.

Also known as: RKHS-norm bound, generalisation bound of the SVM and of SVR.

Functions of norm ||f|| <= c in the space of a kernel with k(x, x) <= kappa^2 stay below
c kappa, and their Rademacher complexity below c sqrt(tr K)/n.  A 1-Lipschitz loss that
is at most M + c kappa on them has, with probability 1 - delta, for all of them

    risk <= mean loss + 2 c sqrt(tr K)/n + 3 (M + c kappa) sqrt(ln(2/delta)/2n)  (1)

    hinge loss max(0, 1 - y f), no less than the error                 M = 1
    epsilon-insensitive loss max(0, |y - f| - epsilon), |y| <= B       M = B

The norm of a fitted machine is known only after the rows.  (1) holds at once for

    c_k = 2^{k/2},  with the share p_k of delta proportional to 1/(|k|+1)^2      (2)

for all whole k, and the least bound among the c_k that are no less than ||f|| is taken.
The intercept is a weight of a constant feature (`machine_norm.py`).

Notation: c = norm; kappa = radius; B = largest_y.
Course: S2-25. References: Bartlett and Mendelson (2002); Mohri, Rostamizadeh and
Talwalkar (2018), ch. 5 and 11.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.theory.bound import Bound
from corollary.theory.machine_norm import MachineNorm, machine_norm
from corollary.theory.margin import margin_grid
from corollary.theory.rademacher_bound import deviation
from corollary.theory.stated_numbers import confidence, number, signs, vector

__all__ = ["svm_norm_bound", "svr_norm_bound"]

BY = "Bartlett and Mendelson (2002)"


def svm_norm_bound(
    model: Any,
    X: Any,
    y: Any,
    delta: float = 0.05,
    *,
    norm: float | None = None,
    radius: float | None = None,
    intercept_scale: float = 1.0,
) -> Bound:
    """Bound the error of a support vector machine by its hinge loss and its norm (1).

    Parameters
    ----------
    model : fitted classifier of two classes
        `SVC`, `LinearSVC` or any model with `coef_` and `intercept_`.
    X, y : rows and labels
    delta : float, default=0.05
        How often the bound may fail.
    norm : float, optional
        c, fixed before the rows were seen; the grid (2) by default.
    radius : float, optional
        sqrt of the largest k(x, x); that of the kernel, or of the rows, by default.
    intercept_scale : float, default=1.0
        The constant feature whose weight is the intercept.

    Returns
    -------
    Bound

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> from corollary.theory import svm_norm_bound
    >>> X = np.repeat([[-1.0], [1.0]], 5000, axis=0)
    >>> model = SVC(kernel="linear").fit(X, X[:, 0] > 0)
    >>> round(svm_norm_bound(model, X, X[:, 0] > 0, norm=1.0, radius=1.0).value, 4)
    0.1266
    """
    who = "svm_norm_bound"
    found = read_machine(who, model, X, radius, intercept_scale)
    s = signs(who, y, getattr(model, "classes_", None))
    f = np.asarray(model.decision_function(X), dtype=np.float64)
    losses = np.maximum(0.0, 1 - s * f)
    bound = by_norm(who, losses, found, 1.0, delta, norm)
    return Bound("hinge-loss norm bound", *bound, BY, 1.0, found.fixed)


def svr_norm_bound(
    model: Any,
    X: Any,
    y: Any,
    delta: float = 0.05,
    *,
    epsilon: float | None = None,
    largest_y: float | None = None,
    norm: float | None = None,
    radius: float | None = None,
    intercept_scale: float = 1.0,
) -> Bound:
    """Bound the epsilon-insensitive risk of a support vector regressor (1).

    Parameters
    ----------
    model : fitted regressor
        `SVR`, `LinearSVR` or any model with `coef_` and `intercept_`.
    X, y : rows and targets
    delta : float, default=0.05
        How often the bound may fail.
    epsilon : float, optional
        Of the loss; that of the model, or 0, by default.
    largest_y : float, optional
        B, known beforehand; the largest size of y of the rows by default.
    norm, radius, intercept_scale
        As of `svm_norm_bound`.

    Returns
    -------
    Bound
        Its `largest` is the largest loss that a function of this norm can have.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVR
    >>> from corollary.theory import svr_norm_bound
    >>> x = np.linspace(-1, 1, 4000)[:, None]
    >>> model = SVR(kernel="linear", epsilon=0.1).fit(x, 0.5 * x[:, 0])
    >>> bound = svr_norm_bound(model, x, 0.5 * x[:, 0], largest_y=0.5, radius=1.0)
    >>> bound.vacuous, bound.holds
    (False, True)
    """
    who = "svr_norm_bound"
    y = vector(who, y, "y")
    eps = getattr(model, "epsilon", 0.0) if epsilon is None else epsilon
    eps = number(who, eps, "epsilon", 0)
    seen = float(np.abs(y).max())
    B = seen if largest_y is None else number(who, largest_y, "largest_y", 0)
    if seen > B:
        must = f"no |y| may be above largest_y = {B:g}"
        raise DataError(sentence(who, must, f"{seen:g}"))
    found = read_machine(who, model, X, radius, intercept_scale)
    f = vector(who, model.predict(X), "predictions", len(y))
    losses = np.maximum(0.0, np.abs(y - f) - eps)
    value, delta, words = by_norm(who, losses, found, B, delta, norm)
    words = (*words, f"No |y| is above {B:g}.")
    largest = B + found.radius * found.norm
    name = "epsilon-insensitive norm bound"
    return Bound(name, value, delta, words, BY, largest, found.fixed)


def read_machine(who: str, model: Any, X: Any, radius: Any, scale: Any) -> MachineNorm:
    """Check the options and read the norm of a machine."""
    s = number(who, scale, "intercept_scale", 0, ends="(]")
    if radius is not None:
        radius = number(who, radius, "radius", 0, ends="(]")
    return machine_norm(who, model, X, s, radius)


def by_norm(
    who: str, losses: Floats, found: MachineNorm, base: float, delta: Any, norm: Any
) -> tuple[float, float, tuple[str, ...]]:
    """Return (1), delta, and what it rests on."""
    delta, n = confidence(who, delta), len(losses)
    if norm is None:
        sizes, shares = margin_grid(None)
        grid = [
            pair for pair in zip(sizes, shares, strict=True) if pair[0] >= found.norm
        ]
        words = "The norm is one of a grid, and its price is paid."
    else:
        c = number(who, norm, "norm", 0, ends="(]")
        grid = [(c, 1.0)]
        words = f"The norm c = {c:g} was fixed before the rows were seen."
        if found.norm > c * (1 + 1e-6):
            must = f"the model's norm must be at most norm = {c:g}"
            raise DataError(sentence(who, must, f"{found.norm:g}, intercept included"))
    terms = [  # (1)
        2 * c * found.complexity
        + (base + c * found.radius) * deviation(n, share * delta, False)
        for c, share in grid
    ]
    value = float(losses.mean() + min(terms))
    kept = [
        "Rows are drawn independently from the data the model will meet.",
        "The space of functions was fixed before the rows were seen.",
        f"No row is longer than {found.radius:g}, constant included.",
        words,
    ]
    if not found.fixed:
        kept[1] = "The kernel was chosen on the rows, which the proof leaves out."
    return value, delta, tuple(kept)
