"""Margin bounds: confident right answers prove more than right answers.

Also known as: Koltchinskii-Panchenko bound, radius-margin bound, large-margin theory.

For f of a class F and rows with margins m_i = y_i f(x_i), let

    L(gamma) = (1/n) sum_i min(1, max(0, 1 - m_i / gamma)) <= share of m_i < gamma (1)

a loss that is 1/gamma-Lipschitz and no less than the error.  For a gamma fixed
beforehand, with probability 1 - delta, every f of F has

    risk <= L(gamma) + (2/gamma) R(F) + c(n, delta)                              (2)
    c = sqrt(ln(1/delta) / 2n) where R bounds the expected complexity, known before,
        3 sqrt(ln(2/delta) / 2n) where R is that of the rows at hand

A gamma that is chosen on the rows has its price.  Each gamma_k of a grid, fixed
beforehand, has a share p_k of delta, and the least bound over the grid holds:

    gamma_k = largest 2^{-k/2},  p_k = 1 / ((k+1)(k+2)),   k = 0, 1, ...         (3)

so that ln(1/p_k) is about 2 ln log2(largest/gamma).  Without a largest margin k runs
over all whole numbers, p_k proportional to 1/(|k|+1)^2, in units of f.

**Support vector machines.**  f / ||f|| is in the unit ball, whose complexity is at most
sqrt(tr K)/n; its margins are distances to the boundary.  The intercept is a weight of a
constant feature (`machine_norm.py`).  Where no row is longer than a known radius,
R <= radius / sqrt n beforehand, and (2) is the radius-margin bound: it depends on
(radius/gamma)^2 / n alone, not on the dimension.

**Boosting.**  A vote f = sum_t alpha_t g_t / sum_t |alpha_t| is in the convex hull of
the members' class, whose complexity is that of the class: no round adds to it.

Notation: m = margins; R = complexity.
Course: S2-25. References: Schapire, Freund, Bartlett and Lee (1998); Koltchinskii and
Panchenko (2002); Mohri, Rostamizadeh and Talwalkar (2018), ch. 5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.theory.bound import INDEPENDENT, Bound
from corollary.theory.machine_norm import machine_norm
from corollary.theory.rademacher import stump_complexity
from corollary.theory.rademacher_bound import deviation, stated_complexity
from corollary.theory.stated_numbers import confidence, number, signs, vector

__all__ = ["boosting_margin_bound", "margin_bound", "svm_margin_bound"]

STEPS = 120  # of the grid (3)
ALL_WHOLE = np.pi**2 / 3 - 1  # sum over whole k of 1/(|k|+1)^2
BY = "Koltchinskii and Panchenko (2002)"


def margin_bound(
    margins: Any,
    complexity: Any,
    delta: float = 0.05,
    *,
    gamma: float | None = None,
    largest: float | None = None,
    expected: bool = False,
) -> Bound:
    """Bound the error of sign f by the margins of f (2).

    Parameters
    ----------
    margins : array of shape (n,)
        y_i f(x_i) with y = -1, +1.
    complexity : Complexity or float
        R of the class that f was chosen from, or an upper bound on it.
    delta : float, default=0.05
        How often the bound may fail.
    gamma : float, optional
        A margin fixed before the rows were seen; the best of the grid (3) by default.
    largest : float, optional
        The largest margin that any f of the class can have, where it is known.
    expected : bool, default=False
        Whether a float bounds the expected complexity, known beforehand.

    Returns
    -------
    Bound

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import margin_bound
    >>> bound = margin_bound(np.full(10_000, 0.5), 0.02, gamma=0.5, expected=True)
    >>> round(bound.value, 4)  # 0 + 4 x 0.02 + sqrt(ln 20 / 20000)
    0.0922
    """
    who = "margin_bound"
    delta, m = confidence(who, delta), vector(who, margins, "margins")
    R, proved, rest = stated_complexity(who, complexity, len(m), delta, expected)
    words = [INDEPENDENT, "The class of functions was fixed before the rows were seen."]
    if gamma is not None:
        g = number(who, gamma, "gamma", 0, ends="(]")
        value = at_margin(m, g, R, rest, expected)
        words.append(f"The margin gamma = {g:g} was fixed before the rows were seen.")
    else:
        top = None if largest is None else number(who, largest, "largest", 0, ends="(]")
        grid, shares = margin_grid(top)
        used = grid > 2 * R  # smaller ones prove nothing
        terms = [
            at_margin(m, g, R, rest * p, expected)
            for g, p in zip(grid[used], shares[used], strict=True)
        ]
        value = min(terms, default=1.0)
        words.append("The margin is the best of a grid, and its price is paid.")
    value = min(float(value), 1.0)
    return Bound("margin bound", value, delta, tuple(words), BY, holds=proved)


def svm_margin_bound(
    model: Any,
    X: Any,
    y: Any,
    delta: float = 0.05,
    *,
    gamma: float | None = None,
    radius: float | None = None,
    intercept_scale: float = 1.0,
) -> Bound:
    """Bound the error of a support vector machine, or any linear classifier.

    Parameters
    ----------
    model : fitted classifier of two classes
        `SVC`, `LinearSVC` or any model with `coef_` and `intercept_`.
    X, y : rows and labels
        Those of the fit, or others; the kernel's matrix where it is precomputed.
    delta : float, default=0.05
        How often the bound may fail.
    gamma : float, optional
        A distance to the boundary fixed beforehand; the best of a grid by default.
    radius : float, optional
        A length sqrt k(x, x) that no row exceeds, known beforehand.  It makes the
        radius-margin bound.
    intercept_scale : float, default=1.0
        The constant feature whose weight is the intercept; not chosen on the rows.

    Returns
    -------
    Bound
        It is guidance where the kernel depends on the rows, as with gamma='scale'.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import SVC
    >>> from corollary.theory import svm_margin_bound
    >>> X = np.repeat([[-3.0], [3.0]], 2000, axis=0)
    >>> model = SVC(kernel="linear").fit(X, X[:, 0] > 0)
    >>> bound = svm_margin_bound(model, X, X[:, 0] > 0)
    >>> bound.holds, bound.vacuous
    (True, False)
    """
    who = "svm_margin_bound"
    delta = confidence(who, delta)
    s = number(who, intercept_scale, "intercept_scale", 0, ends="(]")
    if radius is not None:
        radius = number(who, radius, "radius", 0, ends="(]")
    found = machine_norm(who, model, X, s, radius)
    if found.norm <= 0:
        must = "the model must have weights other than 0"
        raise DataError(sentence(who, must, "a norm of 0"))
    classes = getattr(model, "classes_", None)
    f = np.asarray(model.decision_function(X), dtype=np.float64)
    margins = signs(who, y, classes) * f / found.norm
    known = found.known_radius
    R = found.radius / np.sqrt(len(margins)) if known else found.complexity
    largest = found.radius if known else None
    bound = margin_bound(
        margins, R, delta, gamma=gamma, largest=largest, expected=known
    )
    words = list(bound.assumptions)
    if known:
        words.append(f"No row is longer than {found.radius:g}, constant included.")
    name = "radius-margin bound" if known else "kernel margin bound"
    if not found.fixed:
        words.append("The kernel was chosen on the rows, which the proof leaves out.")
    return Bound(name, bound.value, delta, tuple(words), BY, holds=found.fixed)


def boosting_margin_bound(
    model: Any,
    X: Any,
    y: Any,
    delta: float = 0.05,
    *,
    complexity: Any = None,
    gamma: float | None = None,
    n_draws: int = 200,
    random_state: Any = None,
) -> Bound:
    """Bound the error of AdaBoost by the margins of its vote.

    Parameters
    ----------
    model : AdaBoostClassifier of two classes
        Whose members vote ('SAMME').
    X, y : rows and labels
        Those of the fit, or others.
    delta : float, default=0.05
        How often the bound may fail.
    complexity : Complexity or float, optional
        Of the members' class on the rows; computed where they are decision stumps.
    gamma : float, optional
        A margin in (0, 1] fixed beforehand; the best of a grid by default.
    n_draws : int, default=200
        Sign vectors for the complexity.
    random_state : int, RandomState, Generator or None
        Of the sign vectors.

    Returns
    -------
    Bound

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import AdaBoostClassifier
    >>> from corollary.theory import boosting_margin_bound
    >>> X = np.arange(4000.0)[:, None]
    >>> model = AdaBoostClassifier(n_estimators=5).fit(X, X[:, 0] > 2000)
    >>> bound = boosting_margin_bound(model, X, X[:, 0] > 2000, random_state=0)
    >>> bound.value < 0.3, bound.holds
    (True, True)
    """
    who = "boosting_margin_bound"
    delta = confidence(who, delta)
    votes = hasattr(model, "estimators_") and hasattr(model, "estimator_weights_")
    if not votes or len(model.classes_) != 2:
        must = "model must be a fitted vote of two classes"
        raise DataError(sentence(who, must, type(model).__name__))
    s = signs(who, y, model.classes_)
    if hasattr(model, "margins"):
        margins = model.margins(X, y).margins
    else:
        margins = s * vote(model, X)
    if complexity is None:
        if not all(map(is_stump, model.estimators_)):
            must = "complexity must be given where members are no decision stumps"
            remedy = "Use `oracle_complexity`, or a VC bound."
            raise DataError(sentence(who, must, "none", remedy))
        complexity = stump_complexity(X, n_draws=n_draws, random_state=random_state)
    found = margin_bound(margins, complexity, delta, gamma=gamma, largest=1.0)
    name, words = "boosting margin bound", found.assumptions
    return Bound(name, found.value, delta, words, BY, holds=found.holds)


# -- helpers ---------------------------------------------------------------------------
def at_margin(m: Floats, gamma: float, R: float, delta: float, expected: bool) -> float:
    """Return (2)."""
    loss = float(np.clip(1 - m / gamma, 0.0, 1.0).mean())  # (1)
    return loss + 2 / gamma * R + deviation(len(m), delta, expected)


def margin_grid(largest: float | None) -> tuple[Floats, Floats]:
    """Return the margins of the grid (3) and their shares of delta."""
    if largest is not None:
        k = np.arange(STEPS)
        return largest * 2.0 ** (-k / 2), 1 / ((k + 1.0) * (k + 2.0))
    k = np.arange(-STEPS, STEPS + 1)
    return 2.0 ** (-k / 2), 1 / (ALL_WHOLE * (np.abs(k) + 1.0) ** 2)


def vote(model: Any, X: Any) -> Floats:
    """Return sum_t alpha_t g_t(x) / sum_t |alpha_t| of members that answer classes."""
    X = np.asarray(X)
    alpha = np.ravel(model.estimator_weights_)[: len(model.estimators_)]
    f = np.zeros(len(X))
    for a, member in zip(alpha, model.estimators_, strict=True):
        f += a * np.where(member.predict(X) == model.classes_[1], 1.0, -1.0)
    return f / np.abs(alpha).sum()


def is_stump(member: Any) -> bool:
    """Tell whether a member asks at most one question."""
    if hasattr(member, "polarity_"):
        return True
    depth = getattr(member, "get_depth", None)
    return depth is not None and depth() <= 1
