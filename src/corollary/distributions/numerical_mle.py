"""Maximum likelihood by search, for any density, with a look at the edges.

Also known as: numerical maximum likelihood, score equations, observed information.

    theta* = argmax  l(theta) = sum_n w_n ln p(x_n | theta)   over a box         (1)

Where the derivative (the score) vanishes, l may still not be largest: the point must
pass the second-order test, and the edges of the range must be looked at, since there
the maximum needs no zero score.  So the answer says which of three it is:

    interior   score = 0 and Hessian negative definite                           (2)
    boundary   at a bound, with the score pointing out of the range              (3)
    edge       where p drops to 0, as at the largest x of U[0, theta]            (4)

Several starts are searched with Nelder and Mead's simplex, which needs no derivative
and stands the -infinity of (4); an interior answer is polished with Newton steps.  The
inverse of the negative Hessian estimates the covariance of theta* in case (2)  (5).

Notation: theta (p,); score = gradient of l / n; information = -Hessian of l.
Course: S1-7, S3-20. References: Duda, Hart, Stork (2001), ch. 3; Nelder, Mead (1965).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.optimize import minimize

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.core.vectors import numbers, rows_of

__all__ = ["NumericalMLE", "numerical_mle", "score"]

LogDensity = Callable[[Any, Any], Any]  # (X (n, d), theta (p,)) -> (n,)
Objective = Callable[[Floats], float]


@readable
@dataclass(frozen=True, eq=False)
class NumericalMLE:
    """The maximum and what was checked there.

    Attributes
    ----------
    theta : array of shape (p,)
    loglikelihood : float
    kind : {"interior", "boundary", "edge", "unsettled"}
        (2), (3) or (4); "unsettled" passed none of the tests.
    score : array of shape (p,)
        Derivative of the mean log-likelihood; one-sided at a bound.
    information : array of shape (p, p) or None
        Negative Hessian of the log-likelihood, for an interior maximum.
    """

    theta: Floats  # (p,)
    loglikelihood: float
    kind: str
    score: Floats  # (p,)
    information: Any = None  # (p, p)

    @property
    def standard_errors(self) -> Floats:
        """Roots of the diagonal of (5); for an interior maximum only."""
        if self.information is None:
            must = "standard errors need an interior maximum"
            raise DataError(sentence(self, must, self.kind))
        return np.sqrt(np.diagonal(np.linalg.inv(self.information)))

    @property
    def verdict(self) -> str:
        """Say in one sentence what was found."""
        return {
            "interior": "the score vanishes and the second-order test holds",
            "boundary": "the maximum lies on the boundary of the range",
            "edge": "the maximum lies where the density drops to 0",
            "unsettled": "no test holds: try other starts or bounds",
        }[self.kind]


def numerical_mle(
    logpdf: LogDensity,
    X: Any,
    start: Any,
    bounds: Sequence[tuple[float | None, float | None]] | None = None,
    w: Any = None,
) -> NumericalMLE:
    """Maximise the likelihood of any density and check the answer.

    Parameters
    ----------
    logpdf : function (X, theta) -> array of shape (n,)
        Log density of each row, -inf outside the support.
    X : array of shape (n, d)
    start : array of shape (p,) or (s, p)
        One start or several; the likelihood must be positive at one of them.
    bounds : list of (low, high), optional
        The closed range of each parameter; None for an open end.
    w : array of shape (n,), optional

    Returns
    -------
    NumericalMLE

    Examples
    --------
    >>> import numpy as np
    >>> def exponential(X, theta):
    ...     return np.log(theta[0]) - theta[0] * X[:, 0]
    >>> fit = numerical_mle(exponential, [1.0, 2.0, 6.0], 1.0, [(1e-9, None)])
    >>> fit.theta.round(6).tolist(), fit.kind
    ([0.333333], 'interior')
    """
    who = "numerical_mle"
    X = rows_of(who, X)
    if not len(X):
        raise DataError(sentence(who, "X must have rows", "none"))
    weights = full_weights(who, w, len(X))
    starts = np.atleast_1d(numbers(who, start, "start"))
    starts = starts[None, :] if starts.ndim == 1 else starts
    low, high = _range(who, bounds, starts.shape[1])
    keep = weights > 0
    f = mean_loglikelihood(logpdf, X[keep], weights[keep], low, high)
    starts = np.clip(starts, low, high)
    good = [theta for theta in starts if np.isfinite(f(theta))]
    if not good:
        must = "start must make the data possible"
        raise DataError(sentence(who, must, "probability 0", "Start elsewhere."))
    found = [_climb(f, theta, low, high) for theta in good]
    theta = max([*found, *_ends(found, low, high)], key=f)
    return _judged(f, theta, low, high, float(weights.sum()))


def score(logpdf: LogDensity, X: Any, theta: Any, w: Any = None) -> Floats:
    """Return the derivative of the log-likelihood by central differences.

    Also known as: score function, gradient of the log-likelihood.

    Parameters
    ----------
    logpdf, X, w : as in `numerical_mle`
    theta : array of shape (p,)

    Returns
    -------
    array of shape (p,)

    Examples
    --------
    >>> import numpy as np
    >>> def normal(X, theta):  # mean and variance
    ...     return -0.5 * ((X[:, 0] - theta[0]) ** 2 / theta[1] + np.log(theta[1]))
    >>> bool((abs(score(normal, [1.0, 3.0], [2.0, 1.0])) < 1e-8).all())
    True
    """
    X = rows_of("score", X)
    weights = full_weights("score", w, len(X))
    theta = np.atleast_1d(numbers("score", theta, "theta"))
    f = mean_loglikelihood(logpdf, X[weights > 0], weights[weights > 0])
    return _slopes(f, theta, _steps(theta, 1e-5)) * float(weights.sum())


def mean_loglikelihood(
    logpdf: LogDensity, X: Floats, w: Vector, low: Any = -np.inf, high: Any = np.inf
) -> Objective:
    """Return l/n as a function of theta; out of range or NaN counts as impossible."""
    n = float(w.sum())

    def f(theta: Floats) -> float:
        if (theta < low).any() or (theta > high).any():
            return -np.inf
        with np.errstate(all="ignore"):
            value = float(w @ np.asarray(logpdf(X, theta), dtype=np.float64)) / n
        return value if value == value and value < np.inf else -np.inf

    return f


# -- the search --------------------------------------------------------------------
def _climb(f: Objective, theta: Floats, low: Floats, high: Floats) -> Floats:
    """Climb from a start: simplex, restarted until it stays, then Newton.

    The bounds are those of f: a simplex that is clipped to a box may collapse on it.
    """
    options = {"xatol": 1e-12, "fatol": 1e-14, "maxiter": 2000 * len(theta)}
    for _ in range(20):
        before = f(theta)
        result = minimize(
            lambda t: -max(f(t), -1e300),
            theta,
            method="Nelder-Mead",
            options=options,
        )
        if f(result.x) > before:
            theta = result.x
        if not f(theta) > before + 1e-13 * abs(before):
            break
    return _polished(f, theta, low, high)


def _polished(f: Objective, theta: Floats, low: Floats, high: Floats) -> Floats:
    """Take Newton steps while the score falls and nothing gets worse."""
    size = np.inf
    for _ in range(10):
        g, H = _derivatives(f, theta, low, high)
        if not np.isfinite(H).all() or np.linalg.eigvalsh(H)[-1] >= 0:
            return theta
        step = np.linalg.solve(H, g)
        candidate = theta - step
        smaller = float(np.abs(g) @ np.maximum(np.abs(theta), 1e-3))
        inside = ((candidate >= low) & (candidate <= high)).all()
        worse = f(candidate) < f(theta) - 1e-12 * (1 + abs(f(theta)))
        if smaller >= size or not inside or worse:
            return theta
        size, theta = smaller, candidate
    return theta


def _ends(found: list[Floats], low: Floats, high: Floats) -> list[Floats]:
    """Put each parameter of each answer on its finite bounds, as candidates."""
    ends = []
    for theta in found:
        for j in range(len(theta)):
            for bound in (low[j], high[j]):
                if np.isfinite(bound):
                    ends.append(np.where(np.arange(len(theta)) == j, bound, theta))
    return ends


# -- the verdict -------------------------------------------------------------------
def _judged(
    f: Objective, theta: Floats, low: Floats, high: Floats, n: float
) -> NumericalMLE:
    """Say which kind of maximum this is (2), (3), (4)."""
    h = _steps(theta, 1e-5, low, high)
    at_low, at_high = theta == low, theta == high
    steps, here = np.diag(h), f(theta)
    down = np.where(at_low, -np.inf, [f(theta - step) for step in steps])
    up = np.where(at_high, -np.inf, [f(theta + step) for step in steps])
    slopes = _slopes(f, theta, h)
    slopes = np.where(np.isneginf(down), (up - here) / h, slopes)
    slopes = np.where(np.isneginf(up), (here - down) / h, slopes)
    scale = np.maximum(np.abs(theta), 1e-3)
    flat = np.abs(slopes) * scale <= 1e-6 * (1 + abs(here))
    bound = (at_low & (slopes <= 0)) | (at_high & (slopes >= 0))
    cliff = (np.isneginf(down) & (slopes <= 0)) | (np.isneginf(up) & (slopes >= 0))
    if flat.all() and not (at_low | at_high).any():
        _, H = _derivatives(f, theta, low, high)
        if np.isfinite(H).all() and np.linalg.eigvalsh(H)[-1] < 0:
            return NumericalMLE(theta, here * n, "interior", slopes, -H * n)
    kind = "unsettled"
    if (flat | bound).all() and bound.any():
        kind = "boundary"
    elif (flat | bound | cliff).all() and cliff.any():
        kind = "edge"
    return NumericalMLE(theta, here * n, kind, slopes)


def _steps(
    theta: Floats, share: float, low: Any = -np.inf, high: Any = np.inf
) -> Floats:
    """Return steps for differences, twice which stay inside a range."""
    h = share * np.maximum(np.abs(theta), 1e-3)
    for room in (theta - low, high - theta):
        h = np.where(room > 0, np.minimum(h, room / 2), h)
    return h


def _slopes(f: Objective, theta: Floats, h: Floats) -> Floats:
    """Return the gradient by Richardson's central differences."""
    slopes = np.empty(len(theta))
    for j, e in enumerate(np.diag(h)):
        narrow = (f(theta + e) - f(theta - e)) / (2 * h[j])
        wide = (f(theta + 2 * e) - f(theta - 2 * e)) / (4 * h[j])
        slopes[j] = (4 * narrow - wide) / 3 if np.isfinite(wide) else narrow
    return slopes


def _derivatives(
    f: Objective, theta: Floats, low: Floats, high: Floats
) -> tuple[Floats, Floats]:
    """Return gradient and Hessian by differences."""
    p = len(theta)
    h = _steps(theta, 1e-4, low, high)
    E = np.diag(h)
    g = _slopes(f, theta, h)
    H = np.empty((p, p))
    with np.errstate(invalid="ignore"):
        for i in range(p):
            for j in range(i, p):
                a, b = E[i], E[j]
                corners = f(theta + a + b) - f(theta + a - b) - f(theta - a + b)
                H[i, j] = H[j, i] = (corners + f(theta - a - b)) / (4 * h[i] * h[j])
    return g, H


def _range(who: str, bounds: Any, p: int) -> tuple[Floats, Floats]:
    if bounds is None:
        return np.full(p, -np.inf), np.full(p, np.inf)
    low, high = np.array(list(bounds), dtype=np.float64).reshape(-1, 2).T  # None = NaN
    low = np.where(np.isnan(low), -np.inf, low)
    high = np.where(np.isnan(high), np.inf, high)
    if len(low) != p or not (low < high).all():
        must = f"bounds must be {p} pairs (low, high) with low < high"
        raise ParameterError(sentence(who, must, f"{list(bounds)}"))
    return low, high
