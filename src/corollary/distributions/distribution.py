"""What a distribution, a family of them, and a conjugate prior can do.

A family is a set of densities p(x | theta).  All that it needs of the rows are sums,

    s = sum_n w_n t(x_n),   which add up over chunks                             (1)

(t is the sufficient statistic), and then

    mle(s)        = argmax_theta sum_n w_n ln p(x_n | theta)                     (2)
    posterior(s)  : p(theta | X) prop to p(X | theta) p(theta), a prior again    (3)
    map()         = argmax_theta p(theta | X)                                    (4)
    predictive()  : p(x | X) = integral p(x | theta) p(theta | X) dtheta         (5)

so that batches, streams and clusters end at the same law, and a posterior is the prior
of the next batch.  Outside its support a density is 0 and its logarithm -infinity.

    family = GaussianFamily("diagonal")
    law = family.mle(family.statistics(X) + family.statistics(more))
    law.logpdf(X), law.sample(10), law.entropy()

Each class of labelled rows is fitted from its own rows alone.

Also known as: sufficient statistics, exponential families, conjugate priors, class-wise
maximum likelihood.

Notation: X (n, d) rows; w (n,) weights; weight 2 counts a row twice, 0 removes it.
Course: S1-7. Reference: Duda, Hart, Stork (2001), ch. 3.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import check_weights, full_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.randomness import entropy as seed_of
from corollary.core.randomness import generator
from corollary.core.records import readable, stored
from corollary.core.vectors import rows_of
from corollary.engine.statistics import Statistics

__all__ = ["ClassFit", "Distribution", "Family", "Prior", "Sums", "fit_classes"]

L = TypeVar("L", bound="Distribution")
S = TypeVar("S", bound=Statistics)


class Distribution(ABC):
    """A law on rows of d numbers; an immutable value."""

    @property
    @abstractmethod
    def dimension(self) -> int:
        """The number d of columns."""

    @abstractmethod
    def logpdf(self, X: Any) -> Floats:
        """Return the log density (log probability, if discrete) of each row."""

    @abstractmethod
    def sample(self, n: int, random_state: Any = None) -> Floats:
        """Draw n rows, (n, d)."""

    @abstractmethod
    def entropy(self) -> float:
        """Return -E ln p(x), in nats."""

    @abstractmethod
    def moments(self) -> tuple[Floats, Floats]:
        """Return mean (d,) and covariance matrix (d, d) of the law."""

    def pdf(self, X: Any) -> Floats:
        """Return the density of each row."""
        return np.exp(self.logpdf(X))

    def _rows(self, X: Any) -> Floats:
        """Check rows for this law; (n, d)."""
        return rows_of(self, X, self.dimension)

    def _generator(self, n: Any, random_state: Any) -> np.random.Generator:
        """Check the number of draws and make a generator for them."""
        if not isinstance(n, int | np.integer) or isinstance(n, bool) or n < 1:
            must = "n must be a whole number >= 1"
            raise ParameterError(sentence(self, must, repr(n)))
        return generator(seed_of(random_state))


class Family(ABC, Generic[S, L]):
    """A set of laws, and how one of them is learned from sums."""

    def statistics(self, X: Any, w: Any = None) -> S:
        """Return the sums (1) of some rows; they add up.

        Parameters
        ----------
        X : array of shape (n, d), or (n,) for one column
        w : array of shape (n,), optional
            Weights >= 0.

        Returns
        -------
        Statistics
        """
        X = rows_of(self, X)
        if not len(X):
            raise DataError(sentence(self, "X must have rows", "none"))
        if not np.isfinite(X).all():
            raise DataError(sentence(self, "X must be finite", "infinity"))
        w = check_weights(self, w, len(X))
        if w is not None:
            X, w = X[w > 0], w[w > 0]
        return self.sums(X, np.ones(len(X)) if w is None else w)

    @abstractmethod
    def sums(self, X: Floats, w: Vector) -> S:
        """Return the sums (1) of rows that are checked, with weights > 0."""

    @abstractmethod
    def mle(self, s: S) -> L:
        """Return the law of maximum likelihood (2)."""

    @abstractmethod
    def loglikelihood(self, s: S, law: L) -> float:
        """Return sum_n w_n ln p(x_n) of the rows behind the sums."""

    @abstractmethod
    def n_parameters(self, law: L) -> int:
        """Count the numbers that were free to be fitted."""

    def law_of(self, posterior: Prior, estimate: str) -> Distribution:
        """Return the law of a row: at the mode ("map"), or averaged ("predictive")."""
        return posterior.map() if estimate == "map" else posterior.predictive()

    def fit(self, X: Any, w: Any = None) -> L:
        """Return the law of maximum likelihood for some rows."""
        return self.mle(self.statistics(X, w))


class Prior(ABC):
    """A law of parameters that stays in its family when data come."""

    @abstractmethod
    def posterior(self, s: Any) -> Self:
        """Return what the sums of some rows make of this prior (3)."""

    @abstractmethod
    def map(self) -> Distribution:
        """Return the law with the most probable parameters (4).

        Also known as: MAP estimate, posterior mode.
        """

    @abstractmethod
    def predictive(self) -> Distribution:
        """Return the law of the next row, with parameters averaged out (5)."""


@stored
@dataclass(frozen=True)
class Sums(Statistics):
    """Weight, sum of the rows, and sum of the parts of ln p without a parameter."""

    n: float
    total: Floats  # (d,)
    base: float = 0.0

    @classmethod
    def of(cls, X: Floats, w: Vector, base: Floats | float = 0.0) -> Sums:
        """Add up rows; `base` is ln h(x_n) of each."""
        return cls(float(w.sum()), w @ X, float(w @ np.broadcast_to(base, len(X))))


@readable
@dataclass(frozen=True, eq=False)
class ClassFit:
    """One law for each class, and the classes' shares."""

    classes: Vector  # (k,)
    priors: Floats  # (k,)
    laws: tuple[Any, ...]


def fit_classes(
    fit: Callable[[Any, Any], Any], X: Any, y: Any, w: Any = None
) -> ClassFit:
    """Fit a law to the rows of each class alone, and priors by their shares.

    Parameters
    ----------
    fit : function (X, w) -> law
        A family's `fit`, in closed form, or a search such as `numerical_mle`.
    X : array of shape (n, d)
    y : array of shape (n,)
    w : array of shape (n,), optional

    Returns
    -------
    ClassFit

    Examples
    --------
    >>> from corollary.distributions.gaussian import GaussianFamily
    >>> family = GaussianFamily()
    >>> found = fit_classes(family.fit, [0.0, 2.0, 5.0, 9.0], ["a", "a", "b", "b"])
    >>> found.priors.tolist(), [float(law.mean[0]) for law in found.laws]
    ([0.5, 0.5], [1.0, 7.0])
    """
    who = "fit_classes"
    X, y = rows_of(who, X), np.asarray(y)
    if y.shape != (len(X),):
        must = f"y must have one label for each of the {len(X)} rows"
        raise DataError(sentence(who, must, f"shape {y.shape}"))
    weights = full_weights(who, w, len(X))
    classes = np.unique(y[weights > 0])
    inside = [y == c for c in classes]
    shares = np.array([weights[rows].sum() for rows in inside])
    laws = tuple(fit(X[rows], weights[rows]) for rows in inside)
    return ClassFit(classes, shares / shares.sum(), laws)


def joined(logs: Floats) -> Floats:
    """Add up the columns' log densities; one that is impossible decides.

    >>> joined(np.array([[1.0, 2.0], [np.inf, -np.inf]])).tolist()
    [3.0, -inf]
    """
    impossible = np.isneginf(logs)
    total = np.where(impossible, 0.0, logs).sum(axis=1)
    return np.where(impossible.any(axis=1), -np.inf, total)


def set_fields(record: object, **values: Any) -> None:
    """Put checked values into a frozen record, while it is being made."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def sum_entropy(logs: Floats) -> float:
    """Return -sum p ln p from the ln p of all outcomes.

    >>> round(sum_entropy(np.log([0.5, 0.5])), 6)
    0.693147
    """
    there = np.isfinite(logs)
    return float(-(np.exp(logs[there]) * logs[there]).sum())


def require_rows(who: object, n: float) -> None:
    """Refuse to estimate from nothing."""
    if not n > 0:
        raise DataError(sentence(who, "an estimate needs at least one row", "none"))
