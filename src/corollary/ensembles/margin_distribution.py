"""Margins of a vote, their distribution, and the bounds of AdaBoost on them.

Also known as: margin theory of boosting, training-error bound of AdaBoost.

With alpha_t votes for member g_t and f = sum_t alpha_t g_t, a row's margin is

    m_i = y_i f(x_i) / sum_t alpha_t  in [-1, 1]                                 (1)

above 0 where the vote is right.  AdaBoost goes on raising margins after the training
error is 0.  For every theta, since 1[m <= theta] <= exp(theta sum alpha - y f),

    share of m_i <= theta   <=  prod_t Z_t exp(theta alpha_t)                    (2)
                             =  2^T prod_t sqrt(eps_t^{1-theta} (1-eps_t)^{1+theta})

the second line for the votes alpha_t = 1/2 log((1-eps_t)/eps_t); theta = 0 bounds the
training error, by prod_t Z_t = prod_t 2 sqrt(eps_t (1-eps_t)) <= exp(-2 sum gamma_t^2)
with gamma_t = 1/2 - eps_t.  Where every gamma_t >= gamma and theta <= 2 gamma,

    (2)  <=  [(1 - 2 gamma)^{1-theta} (1 + 2 gamma)^{1+theta}]^{T/2}             (3)

whose bracket is below 1 at theta = gamma: all margins exceed gamma in the end.

Notation: eps = errors; gamma = edges; Z = normalizers.
Course: S2-23, S3-84, S3-85. References: Schapire, Freund, Bartlett and Lee (1998).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.records import readable
from corollary.core.vectors import numbers

__all__ = ["BoostingBounds", "MarginDistribution", "boosting_bounds", "vote_margins"]


@readable
@dataclass(frozen=True)
class MarginDistribution:
    """The margins (1) of some rows.

    Attributes
    ----------
    margins : array of shape (n,)
    weights : array of shape (n,)
        They sum to 1.
    normalizers : array of shape (T,), optional
        Z_t of the rounds; None where there are more than two classes.
    votes : array of shape (T,)
        alpha_t.
    """

    margins: Floats
    weights: Floats
    normalizers: Any
    votes: Floats

    @property
    def least(self) -> float:
        """The least margin."""
        return float(self.margins.min())

    def share_below(self, theta: float) -> float:
        """Return the share of the rows whose margin is at most theta."""
        return float(self.weights[self.margins <= theta].sum())

    def bound(self, theta: float) -> float:
        """Return (2), which holds for the rows that were boosted."""
        if self.normalizers is None:
            must = "bounds on margins need two classes"
            raise DataError(sentence(self, must, "more"))
        logs = np.log(np.maximum(self.normalizers, 1e-300)) + theta * self.votes
        return float(np.exp(logs.sum()))

    def plot(self, ax: Any = None) -> Any:
        """Draw the share of the rows up to each margin.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        order = np.argsort(self.margins)
        at = np.concatenate([[-1.0], self.margins[order], [1.0]])
        share = np.concatenate([[0.0], np.cumsum(self.weights[order]), [1.0]])
        rounds = len(self.votes)
        ax.step(at, share, where="post", label=f"{rounds} rounds")
        ax.set_xlabel("margin")
        ax.set_ylabel("share of the rows at or below")
        return ax


@readable
@dataclass(frozen=True)
class BoostingBounds:
    """What the weighted errors of the rounds say of training error and margins.

    Attributes
    ----------
    errors : array of shape (T,)
    training : float
        prod_t Z_t, no less than the training error.
    exponential : float
        exp(-2 sum gamma_t^2), no less than `training`.
    theta : float
    margin : float
        (2): no less than the share of training rows of margin at most theta.
    uniform : float
        (3) with the least gamma_t, no less than `margin`; 1 where it says nothing.
    """

    errors: Floats
    training: float
    exponential: float
    theta: float
    margin: float
    uniform: float


def boosting_bounds(errors: Any, theta: float = 0.0) -> BoostingBounds:
    """Bound training error and margins of AdaBoost by the errors of its rounds.

    Parameters
    ----------
    errors : array of shape (T,) or AdaBoostClassifier of two classes
        eps_t, each below 1/2, of members with votes 1/2 log((1-eps)/eps).
    theta : float in [0, 1], default=0.0
        The margin to bound.

    Returns
    -------
    BoostingBounds

    Examples
    --------
    >>> from corollary.ensembles import boosting_bounds
    >>> bounds = boosting_bounds([3 / 10, 3 / 14, 3 / 22])
    >>> round(bounds.training, 4), round(bounds.exponential, 4)
    (0.5162, 0.6019)
    """
    who = "boosting_bounds"
    if hasattr(errors, "estimator_errors_"):
        exact = errors.learning_rate == 1 and errors.algorithm == "SAMME"
        if errors.n_classes_ != 2 or not exact:
            must = "the model must have two classes, learning_rate=1 and 'SAMME'"
            came = f"{errors.n_classes_} classes, learning_rate={errors.learning_rate}"
            raise DataError(sentence(who, must, f"{came}, {errors.algorithm!r}"))
        errors = errors.estimator_errors_
    eps = numbers(who, errors, "errors")
    if eps.ndim != 1 or not len(eps) or not ((eps >= 0) & (eps < 0.5)).all():
        must = "errors must be a vector of numbers in [0, 1/2)"
        raise DataError(sentence(who, must, f"shape {eps.shape}"))
    if not real(0, 1).holds(theta):
        must = "theta must be a number in [0, 1]"
        raise ParameterError(sentence(who, must, f"{theta!r}"))
    edges, T = 0.5 - eps, len(eps)
    margin = 2.0**T * np.prod(np.sqrt(eps ** (1 - theta) * (1 - eps) ** (1 + theta)))
    g = float(edges.min())
    base = (1 - 2 * g) ** (1 - theta) * (1 + 2 * g) ** (1 + theta)
    return BoostingBounds(
        eps,
        float(np.prod(2 * np.sqrt(eps * (1 - eps)))),
        float(np.exp(-2 * np.sum(edges**2))),
        float(theta),
        float(margin),
        float(base ** (T / 2)) if theta <= 2 * g else 1.0,
    )


def vote_margins(F: Floats, codes: Vector) -> Floats:
    """Return the lead of each row's own class over the best other one, (n,).

    >>> vote_margins(np.array([[3.0, 1.0, 2.0], [0.0, 2.0, 1.0]]), np.array([0, 2]))
    array([ 1., -1.])
    """
    rows = np.arange(len(F))
    own = F[rows, codes]
    others = F.copy()
    others[rows, codes] = -np.inf
    return own - others.max(axis=1)
