"""Posterior and predictive laws on a grid, for any model with few parameters.

Also known as: numerical Bayes, quadrature posterior.

On a grid of parameter values theta_g with quadrature weights v_g (trapezium rule)

    p(theta_g | X) = exp(l_g - max l) / sum_h v_h exp(l_h - max l)               (1)
    l_g            = sum_n w_n ln p(x_n | theta_g) + ln p(theta_g)               (2)
    p(x | X)       = sum_g v_g p(x | theta_g) p(theta_g | X)                     (3)

All in logarithms, so thousands of rows neither overflow nor underflow.  The cost is the
product of the axes: three parameters at most are sensible.  A likelihood that jumps, as
1/theta does at the largest x, needs an axis that begins at the jump.

Notation: theta (g, p) grid points; v (g,) weights.
Course: S3-24. References: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.core.vectors import numbers, rows_of
from corollary.objectives.softmax import log_sum_exp

__all__ = ["GridPosterior", "grid_posterior"]

LogDensity = Callable[[Any, Any], Any]  # (X (n, d), theta (p,)) -> (n,)


@readable
@dataclass(frozen=True, eq=False)
class GridPosterior:
    """The posterior (1) on a grid.

    Attributes
    ----------
    points : array of shape (g, p)
    density : array of shape (g,)
        p(theta | X) at each point; it integrates to 1.
    log_evidence : float
        ln p(X), where the prior is normalised.
    """

    logpdf: LogDensity
    axes: tuple[Floats, ...]
    points: Floats  # (g, p)
    weights: Floats  # (g,)
    density: Floats  # (g,)
    log_evidence: float

    @property
    def mode(self) -> Floats:
        """The most probable grid point."""
        return self.points[int(self.density.argmax())]

    @property
    def mean(self) -> Floats:
        """The posterior mean of the parameters."""
        return (self.weights * self.density) @ self.points

    @property
    def covariance(self) -> Floats:
        """The posterior covariance of the parameters."""
        Z = self.points - self.mean
        return (Z.T * (self.weights * self.density)) @ Z

    def marginal(self, axis: int) -> Floats:
        """Return the density of one parameter along its axis."""
        shape = tuple(len(a) for a in self.axes)
        mass = (self.weights * self.density).reshape(shape)
        others = tuple(j for j in range(len(shape)) if j != axis)
        return mass.sum(axis=others) / trapezium(self.axes[axis])

    def predictive(self, X: Any) -> Floats:
        """Return ln p(x | X) (3) of each row."""
        X = rows_of("GridPosterior", X)
        there = self.density > 0
        logs = [np.asarray(self.logpdf(X, theta)) for theta in self.points[there]]
        with np.errstate(divide="ignore"):
            mass = np.log(self.weights[there] * self.density[there])
        return log_sum_exp(np.stack(logs, axis=1) + mass)


def grid_posterior(
    logpdf: LogDensity,
    X: Any,
    axes: Sequence[Any],
    log_prior: Callable[[Any], float] | None = None,
    w: Any = None,
) -> GridPosterior:
    """Compute a posterior on a grid (1), (2).

    Parameters
    ----------
    logpdf : function (X, theta) -> array of shape (n,)
        Log density of each row given parameters, -inf outside the support.
    X : array of shape (n, d)
    axes : list of arrays
        Rising values of each parameter.
    log_prior : function theta -> float, optional
        Uniform over the grid by default.
    w : array of shape (n,), optional

    Returns
    -------
    GridPosterior

    Examples
    --------
    >>> import numpy as np
    >>> def uniform(X, theta):
    ...     inside = (X[:, 0] >= 0) & (X[:, 0] <= theta[0])
    ...     return np.where(inside, -np.log(theta[0]), -np.inf)
    >>> after = grid_posterior(uniform, [1.0, 2.0, 3.0], [np.linspace(3, 10, 2001)])
    >>> np.exp(after.predictive([1.0])).round(4).tolist()
    [0.2376]
    """
    who = "grid_posterior"
    X = rows_of(who, X)
    if not len(X):
        raise DataError(sentence(who, "X must have rows", "none"))
    weights = full_weights(who, w, len(X))
    grids = tuple(_axis(who, axis) for axis in axes)
    points = np.stack(
        [g.ravel() for g in np.meshgrid(*grids, indexing="ij")], axis=1
    )  # (g, p)
    v = trapezium(grids[0])
    for grid in grids[1:]:
        v = np.outer(v, trapezium(grid)).ravel()
    flat = -float(sum(np.log(g[-1] - g[0]) for g in grids))
    logs = np.empty(len(points))
    for g, theta in enumerate(points):
        rows = np.asarray(logpdf(X, theta))[weights > 0]
        prior = flat if log_prior is None else float(log_prior(theta))
        logs[g] = weights[weights > 0] @ rows + prior  # (2)
    if np.isnan(logs).any() or not (logs > -np.inf).any():
        must = "some grid point must make the data possible"
        came = "NaN" if np.isnan(logs).any() else "probability 0 everywhere"
        raise DataError(sentence(who, must, came, "Widen the axes."))
    top = logs.max()
    mass = float(v @ np.exp(logs - top))
    density = np.exp(logs - top) / mass
    return GridPosterior(logpdf, grids, points, v, density, float(top + np.log(mass)))


def trapezium(axis: Floats) -> Floats:
    """Return the weights of the trapezium rule.

    >>> trapezium(np.array([0.0, 1.0, 3.0])).tolist()
    [0.5, 1.5, 1.0]
    """
    half = np.diff(axis) / 2
    return np.append(half, 0.0) + np.insert(half, 0, 0.0)


def _axis(who: str, axis: Any) -> Floats:
    values = numbers(who, axis, "an axis", ParameterError)
    if values.ndim != 1 or len(values) < 2 or (np.diff(values) <= 0).any():
        must = "an axis must be two rising numbers or more"
        raise ParameterError(sentence(who, must, f"shape {values.shape}"))
    return values
