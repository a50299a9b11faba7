"""Bias, variance and noise of a predictor, point by point.

Also known as: bias-variance decomposition, expected prediction error.

Rows have y = f(x) + e with E e = 0.  A learner fits a sample and predicts g(x); over
samples, and over a new y at x that is independent of them,

    E (y - g(x))^2 = Var(e) + (E g(x) - f(x))^2 + Var g(x)                       (1)
    mse            = noise  + bias^2            + variance

The new y must not be one the learner has seen.  On the training labels themselves

    E (y_i - g(x_i))^2 = noise + bias^2 + variance - 2 Cov(e_i, g(x_i))          (2)

which is 2 sigma^2 h_ii less for a linear smoother g = H y, the optimism of the training
error.  For a smoother on fixed rows all terms are known:

    bias = H f - f,    variance = sigma^2 diag(H H'),    Cov = sigma^2 diag(H)   (3)

On the draws of a simulation mean (g - f)^2 = bias^2 + variance holds to rounding, with
1/R in the variance; (1) holds up to the scatter of the new y, whose standard error is
told.

Notation: R = n_draws; e noise of standard deviation sigma; H (k, n) = smoother.
Course: S1-39. References: Geman, Bienenstock, Doursat (1992); Hastie, Tibshirani,
Friedman (2009), 7.3.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, whole
from corollary.core.randomness import generator
from corollary.core.vectors import numbers, rows_of
from corollary.theory.draws import seed_of
from corollary.theory.learner_functions import as_function

__all__ = [
    "PredictorDecomposition",
    "predictor_decomposition",
    "smoother_decomposition",
]

WHO = "predictor_decomposition"


@dataclass(frozen=True, eq=False)
class PredictorDecomposition:
    """Bias, variance and noise at some points, and their means over the points.

    Attributes
    ----------
    points : array of shape (k, d)
    bias : array of shape (k,)
        E g(x) - f(x).
    variance, noise : arrays of shape (k,)
    mse : array of shape (k,)
        Error against new labels, as measured; the sum of (1) where it was computed.
    mse_error : array of shape (k,)
        Its standard error.
    covariance : array of shape (k,) or None
        Cov(e, g(x)) at points that are training rows, where the rows are fixed.
    training_mse : array of shape (k,) or None
        Error against the training labels there (2).
    n_draws : int
        Samples; 0 where it was computed by (3).
    """

    points: Floats
    bias: Floats
    variance: Floats
    noise: Floats
    mse: Floats
    mse_error: Floats
    covariance: Floats | None
    training_mse: Floats | None
    n_draws: int

    @property
    def squared_bias(self) -> Floats:
        """The squared bias at each point."""
        return self.bias**2

    @property
    def total(self) -> Floats:
        """The right side of (1) at each point."""
        return self.noise + self.squared_bias + self.variance

    @property
    def mean_squared_bias(self) -> float:
        """The squared bias, on average over the points."""
        return float(self.squared_bias.mean())

    @property
    def mean_variance(self) -> float:
        """Variance, on average over the points."""
        return float(self.variance.mean())

    @property
    def mean_noise(self) -> float:
        """Noise, on average over the points."""
        return float(self.noise.mean())

    @property
    def mean_mse(self) -> float:
        """Error, on average over the points."""
        return float(self.mse.mean())

    def __str__(self) -> str:
        parts = [
            ("noise", self.mean_noise),
            ("bias^2", self.mean_squared_bias),
            ("variance", self.mean_variance),
            ("their sum", float(self.total.mean())),
            ("mse", self.mean_mse),
        ]
        how = f"{self.n_draws} samples" if self.n_draws else "in closed form"
        lines = [f"over {len(self.points)} points, {how}"]
        lines += [f"  {name:<10} {value:.6g}" for name, value in parts]
        if self.training_mse is not None:
            value = float(self.training_mse.mean())
            lines.append(f"  {'on training labels':<10} {value:.6g}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the parts, stacked, over the first feature, below the measured error.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        order = np.argsort(self.points[:, 0], kind="stable")
        x = self.points[order, 0]
        parts = (self.noise[order], self.squared_bias[order], self.variance[order])
        ax.stackplot(x, *parts, labels=("noise", "bias^2", "variance"), alpha=0.6)
        ax.plot(x, self.mse[order], "k.", label="mse")
        ax.set_xlabel("x")
        ax.legend()
        return ax


def predictor_decomposition(
    learner: Any,
    rows: Any,
    target: Callable[[Any], Any],
    *,
    noise: Any = 1.0,
    points: Any = None,
    n_train: int = 50,
    n_draws: int = 500,
    random_state: Any = None,
) -> PredictorDecomposition:
    """Measure bias, variance and noise of a learner over training sets (1).

    Parameters
    ----------
    learner : regressor, or function (X, y, X_new) -> numbers
    rows : function (n, rng) -> X, or array of shape (n, d)
        A sampler of training rows, or rows that are the same in every sample.
    target : function X -> f(X)
    noise : float, or function (X, rng) -> numbers, default=1.0
        Standard deviation of normal noise, or a sampler of it with mean 0.
    points : array of shape (k, d), optional
        Where to predict; by default the fixed rows, or `n_train` rows drawn once.
    n_train : int, default=50
        Rows of a sample, where they are drawn.
    n_draws : int, default=500
        Samples.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    PredictorDecomposition

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.theory import predictor_decomposition
    >>> found = predictor_decomposition(
    ...     LinearRegression(), np.linspace(-1, 1, 20)[:, None],
    ...     lambda X: X[:, 0] ** 2, noise=0.5, random_state=0,
    ... )
    >>> bool((abs(found.mse - found.total) < 5 * found.mse_error).all())
    True
    """
    for name, value, low in (("n_train", n_train, 1), ("n_draws", n_draws, 2)):
        if not whole(low).holds(value):
            must = f"{name} must be a whole number >= {low}"
            raise ParameterError(sentence(WHO, must, f"{value!r}"))
    if not callable(target) or not (callable(learner) or hasattr(learner, "fit")):
        must = "learner must be a regressor or a function, target a function of rows"
        came = f"{type(learner).__name__} and {type(target).__name__}"
        raise ParameterError(sentence(WHO, must, came))
    scatter = _scatter(noise)
    seed, learn = seed_of(WHO, random_state), as_function(learner)
    fixed = None if callable(rows) else rows_of(WHO, numbers(WHO, rows, "rows"))
    if points is not None:
        P = rows_of(WHO, numbers(WHO, points, "points"))
    else:
        P = fixed if fixed is not None else rows_of(WHO, rows(n_train, generator(seed)))
    at_rows = fixed is not None and points is None
    f = _values(target, P)
    G, E, own = (np.empty((n_draws, len(P))) for _ in range(3))
    for r in range(n_draws):
        rng = generator(seed, r + 1)
        X = fixed if fixed is not None else rows_of(WHO, rows(n_train, rng))
        e = scatter(X, rng)
        G[r] = _predictions(learn(X.copy(), _values(target, X) + e, P), len(P))
        E[r] = scatter(P, rng)  # of new labels
        own[r] = e if at_rows else 0.0
    bias, variance = G.mean(axis=0) - f, G.var(axis=0)
    level = np.full(len(P), float(noise) ** 2) if real().holds(noise) else E.var(axis=0)
    squares = (f + E - G) ** 2
    error = squares.std(axis=0, ddof=1) / np.sqrt(n_draws)
    cross = (own * (G - f)).mean(axis=0) if at_rows else None
    training = ((f + own - G) ** 2).mean(axis=0) if at_rows else None
    mse = squares.mean(axis=0)
    return PredictorDecomposition(
        P, bias, variance, level, mse, error, cross, training, int(n_draws)
    )


def smoother_decomposition(
    smoother: Any, target: Any, *, noise: float = 1.0, target_at_points: Any = None
) -> PredictorDecomposition:
    """Compute bias, variance and noise of a linear smoother (3).

    Parameters
    ----------
    smoother : array of shape (k, n)
        H: the prediction at point j is sum_i H_ji y_i.
    target : array of shape (n,)
        f at the training rows.
    noise : float, default=1.0
        Standard deviation of the noise.
    target_at_points : array of shape (k,), optional
        f at the points; by default these are the training rows.

    Returns
    -------
    PredictorDecomposition
        Its points are numbered.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import smoother_decomposition
    >>> mean = np.full((4, 4), 0.25)
    >>> found = smoother_decomposition(mean, [0.0, 0.0, 0.0, 4.0], noise=2.0)
    >>> found.bias.tolist(), found.variance.tolist()
    ([1.0, 1.0, 1.0, -3.0], [1.0, 1.0, 1.0, 1.0])
    >>> (found.training_mse - found.total).tolist()
    [-2.0, -2.0, -2.0, -2.0]
    """
    who = "smoother_decomposition"
    H = numbers(who, smoother, "smoother")
    f = numbers(who, target, "target")
    same = target_at_points is None
    at = f if same else numbers(who, target_at_points, "target_at_points")
    if H.ndim != 2 or f.shape != H.shape[1:] or at.shape != H.shape[:1]:
        must = "smoother must be (k, n) with n targets, and k of them at the points"
        raise DataError(sentence(who, must, f"{H.shape}, {f.shape} and {at.shape}"))
    if not real(0).holds(noise):
        must = "noise must be a number >= 0"
        raise ParameterError(sentence(who, must, f"{noise!r}"))
    s2, k = float(noise) ** 2, len(H)
    bias, variance = H @ f - at, s2 * (H**2).sum(axis=1)  # (3)
    total = s2 + bias**2 + variance
    cross = s2 * np.diagonal(H).copy() if same else None
    training = total - 2 * cross if cross is not None else None  # (2)
    level, none = np.full(k, s2), np.zeros(k)
    P = np.arange(float(k))[:, None]
    return PredictorDecomposition(
        P, bias, variance, level, total, none, cross, training, 0
    )


def _scatter(noise: Any) -> Callable[[Floats, np.random.Generator], Floats]:
    """Return a sampler of the noise at rows."""
    if not callable(noise):
        if not real(0).holds(noise) or not np.isfinite(noise):
            must = "noise must be a number >= 0 or a function (X, rng) -> numbers"
            raise ParameterError(sentence(WHO, must, f"{noise!r}"))
        return lambda X, rng: float(noise) * rng.normal(size=len(X))
    return lambda X, rng: _predictions(noise(X, rng), len(X))


def _values(target: Callable[[Any], Any], X: Floats) -> Floats:
    return _predictions(target(X), len(X))


def _predictions(given: Any, n: int) -> Floats:
    """Return n finite numbers, or say what came."""
    found = numbers(WHO, given, "learner, target and noise")
    if found.shape != (n,):
        must = f"learner, target and noise must return {n} numbers for {n} rows"
        raise DataError(sentence(WHO, must, f"shape {found.shape}"))
    return found
