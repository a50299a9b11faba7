"""Noise, bias and variance of a learner where the truth is known, over many samples.

Also known as: bias-variance-noise simulator.

Samples of a fixed size are drawn from a known law, a learner is fitted to each, and at
some points, or on average over rows, its predictions g give

    squared loss   noise, (mean g - f)^2, variance of g                          (1)
    0-1 loss       c1 N, B, c2 V of `bias_variance`                              (2)

Beside them stands the loss against new labels at the points, which were drawn after the
fit: the parts must add up to it, to within its standard error.

Notation: f, or the probabilities of labels = target; g predicted.
Course: S3-96. References: Geman, Bienenstock, Doursat (1992); Domingos (2000).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown, whole
from corollary.core.randomness import generator
from corollary.core.vectors import numbers, rows_of
from corollary.diagnostics.bias_variance import BiasVariance, label_parts
from corollary.theory.bias_variance import predictor_decomposition
from corollary.theory.draws import seed_of
from corollary.theory.learner_functions import as_function

__all__ = ["simulated_bias_variance"]


def simulated_bias_variance(
    learner: Any,
    rows: Any,
    target: Callable[[Any], Any],
    *,
    loss: str = "squared",
    noise: Any = 1.0,
    points: Any = None,
    n_train: int = 50,
    n_draws: int = 200,
    random_state: Any = None,
) -> BiasVariance:
    """Draw many samples from a known truth; measure noise, bias and variance.

    Parameters
    ----------
    learner : estimator, or function (X, y, X_new) -> predictions
    rows : function (n, rng) -> X, or array of shape (n, d)
        A sampler of rows, or rows that are the same in every sample.
    target : function of rows
        f for squared loss; for 0-1 loss the probabilities of the labels 0 ... K - 1 of
        shape (n, K), or of label 1 of shape (n,).
    loss : {'squared', 'error'}, default='squared'
    noise : float, or function (X, rng) -> numbers, default=1.0
        Standard deviation of normal noise, or a sampler; of squared loss only.
    points : array of shape (k, d), optional
        Where to predict; by default the fixed rows, or `n_train` rows drawn once.
    n_train : int, default=50
        Rows of a sample, where they are drawn.
    n_draws : int, default=200
        Samples.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    BiasVariance

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import LinearRegression
    >>> from corollary.diagnostics import simulated_bias_variance
    >>> def uniform(n, rng):
    ...     return rng.uniform(-1, 1, size=(n, 1))
    >>> found = simulated_bias_variance(
    ...     LinearRegression(), uniform, lambda X: X[:, 0] ** 2, noise=0.1,
    ...     points=np.linspace(-1, 1, 41)[:, None], random_state=0,
    ... )
    >>> found.largest  # a line on a parabola
    'bias'
    """
    who = "simulated_bias_variance"
    if loss not in ("squared", "error"):
        must = "loss must be 'squared' or 'error'"
        raise ParameterError(sentence(who, must, shown(loss)))
    if loss == "squared":
        found = predictor_decomposition(
            learner,
            rows,
            target,
            noise=noise,
            points=points,
            n_train=n_train,
            n_draws=n_draws,
            random_state=random_state,
        )
        parts = (found.noise, found.squared_bias, found.variance, found.mse)
        se = float(np.sqrt((found.mse_error**2).mean() / len(found.mse)))
        return BiasVariance(loss, *parts, se, found.variance, int(n_draws), True)
    for name, value, low in (("n_train", n_train, 1), ("n_draws", n_draws, 2)):
        if not whole(low).holds(value):
            must = f"{name} must be a whole number >= {low}"
            raise ParameterError(sentence(who, must, shown(value)))
    if not callable(target) or not (callable(learner) or hasattr(learner, "fit")):
        must = "learner must be a classifier or a function, target a function of rows"
        came = f"{type(learner).__name__} and {type(target).__name__}"
        raise ParameterError(sentence(who, must, came))
    return _simulated_labels(
        who, learner, rows, target, points, int(n_train), int(n_draws), random_state
    )


def _simulated_labels(
    who: str,
    learner: Any,
    rows: Any,
    target: Any,
    points: Any,
    n_train: int,
    n_draws: int,
    random_state: Any,
) -> BiasVariance:
    """Measure (2) over samples of a known law."""
    seed, learn = seed_of(who, random_state), as_function(learner)
    fixed = None if callable(rows) else rows_of(who, numbers(who, rows, "rows"))
    draw = rows if fixed is None else lambda n, rng: fixed
    at = draw(n_train, generator(seed)) if points is None else points
    P_points = rows_of(who, numbers(who, at, "points"))
    p = _law(who, target, P_points)  # (k, K)
    K = p.shape[1]
    votes, wrong = np.zeros_like(p), np.zeros((n_draws, len(p)))
    every = np.arange(len(p))
    for r in range(n_draws):
        rng = generator(seed, r + 1)
        X = rows_of(who, draw(n_train, rng))
        y = _drawn(_law(who, target, X), rng)
        g = np.asarray(learn(X.copy(), y, P_points))
        if g.shape != every.shape or not np.isin(g, np.arange(K)).all():
            must = f"learner must return labels 0 to {K - 1} for {len(p)} points"
            raise DataError(sentence(who, must, shown(g[:5].tolist())))
        votes[every, g.astype(np.int64)] += 1
        wrong[r] = g != _drawn(p, rng)
    q = votes / n_draws
    noise, bias, variance, spread = label_parts(p, q)
    se = float(wrong.std(axis=0, ddof=1).mean() / np.sqrt(wrong.size))
    return BiasVariance(
        "error", noise, bias, variance, wrong.mean(axis=0), se, spread, n_draws, True
    )


def _law(who: str, target: Any, X: Floats) -> Floats:
    """Return probabilities of the labels, (n, K)."""
    p = numbers(who, target(X), "target")
    p = np.column_stack([1 - p, p]) if p.ndim == 1 else p
    bad = p.ndim != 2 or len(p) != len(X) or p.min() < -1e-12
    if bad or not np.allclose(p.sum(axis=1), 1):
        must = f"target must return probabilities for {len(X)} rows"
        raise DataError(sentence(who, must, f"shape {p.shape}"))
    return p


def _drawn(p: Floats, rng: np.random.Generator) -> Vector:
    """Draw a label for each row."""
    above = rng.random(len(p))[:, None] > np.cumsum(p, axis=1)[:, :-1]
    return np.asarray(above.sum(axis=1))
