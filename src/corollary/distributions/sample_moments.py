"""Mean, variance, covariance and correlation of rows, mergeable.

Also known as: sample mean, sample variance, covariance matrix, correlation matrix,
expectation, first and second moments.

Of rows x_i with weights w_i, or of the values of a random vector of probabilities w_i,

    n = sum_i w_i,   mean = sum_i w_i x_i / n                                    (1)
    covariance = sum_i w_i (x_i - mean)(x_i - mean)' / (n - ddof)                (2)

variance is the diagonal of (2), correlation (2) divided by the standard deviations.
Moments of two sets of rows merge into those of both (`engine.Moments`, which does the
sums), so chunks of any size give the same answer.

Course: S0-63. Reference: Chan, Golub, LeVeque (1979).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from corollary.core.arrays import Floats
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, sentence
from corollary.core.vectors import numbers, rows_of
from corollary.engine.statistics import Moments

__all__ = ["SecondMoments", "sample_moments"]


@dataclass(frozen=True, eq=False)
class SecondMoments:
    """Moments of some columns; ``a + b`` are those of the rows of both.

    Attributes
    ----------
    n : float
        Weight of the rows; 1 for the law of a random vector.
    mean : array of shape (d,)
    covariance : array of shape (d, d)
        (2).
    variance, correlation : arrays of shape (d,) and (d, d)
    names : tuple of str
    ddof : float
        What was taken off n in (2).
    """

    sums: Moments
    names: tuple[str, ...]
    ddof: float = 0.0

    @classmethod
    def of(cls, X: Any, w: Any, names: Any = None, ddof: float = 0.0) -> SecondMoments:
        """Take the moments of rows with weights."""
        names = names or (f"x{j}" for j in range(X.shape[1]))
        return cls(Moments.of(X, w), tuple(names), ddof)

    def __add__(self, other: SecondMoments) -> SecondMoments:
        if len(self.names) != len(other.names):
            must = f"both must have {len(self.names)} columns"
            raise DataError(sentence(self, must, f"{len(other.names)}"))
        return replace(self, sums=self.sums + other.sums)

    @property
    def n(self) -> float:
        """The weight of the rows."""
        return self.sums.n

    @property
    def mean(self) -> Floats:
        """The mean (1)."""
        return self.sums.mean

    @property
    def covariance(self) -> Floats:
        """The covariance (2)."""
        if self.n <= self.ddof:
            must = f"the weight of the rows must be above ddof = {self.ddof:g}"
            raise DataError(sentence(self, must, f"{self.n:g}", "Give more rows."))
        return self.sums.M2 / (self.n - self.ddof)

    @property
    def variance(self) -> Floats:
        """The variance of each column."""
        return np.diagonal(self.covariance).copy()

    @property
    def correlation(self) -> Floats:
        """The correlations, NaN with a constant column."""
        s = np.sqrt(self.variance)
        s[s == 0] = np.nan
        return self.covariance / np.outer(s, s)

    def __str__(self) -> str:
        rows = zip(self.names, self.mean, self.variance, strict=True)
        lines = [f"{name:<12} mean {m:.6g}, variance {v:.6g}" for name, m, v in rows]
        return "\n".join([*lines, f"of weight {self.n:g}"])


def sample_moments(
    X: Any, sample_weight: Any = None, *, ddof: float = 0.0
) -> SecondMoments:
    """Return mean, variance, covariance and correlation of the columns of X.

    Also known as: sample moments, sample mean, sample variance, sample covariance.

    Parameters
    ----------
    X : array of shape (n, d) or (n,), sparse matrix, or iterator of such arrays
        Chunks of an iterator are merged.
    sample_weight : array of shape (n,), optional
        Not with an iterator.
    ddof : float, default=0
        1 gives the unbiased covariance of unweighted rows.

    Returns
    -------
    SecondMoments

    Examples
    --------
    >>> from corollary.distributions import sample_moments
    >>> m = sample_moments([[1.0, 2.0], [3.0, 6.0]], ddof=1)
    >>> m.mean.tolist(), m.variance.tolist(), m.correlation[0].round(6).tolist()
    ([2.0, 4.0], [2.0, 8.0], [1.0, 1.0])
    >>> half = sample_moments(iter([[[1.0, 2.0]], [[3.0, 6.0]]]))
    >>> half.n, half.covariance.tolist()
    (2.0, [[1.0, 2.0], [2.0, 4.0]])
    """
    who = "sample_moments"
    ddof = float(numbers(who, ddof, "ddof"))
    if isinstance(X, Iterator):
        if sample_weight is not None:
            must = "sample_weight must not come with an iterator of chunks"
            raise DataError(sentence(who, must, "both"))
        total = None
        for chunk in X:
            found = sample_moments(chunk, ddof=ddof)
            total = found if total is None else total + found
        if total is None:
            raise DataError(sentence(who, "X must have at least one chunk", "none"))
        return total
    if sp.issparse(X):
        X = sp.csr_array(X)
        numbers(who, X.data, "X")
        X = X.astype(np.float64)
    else:
        X = rows_of(who, X)
    if not X.shape[0]:
        raise DataError(sentence(who, "X must have at least one row", "none"))
    weights = full_weights(who, sample_weight, X.shape[0])
    if not weights.any():
        raise DataError(sentence(who, "some weight must be above 0", "zeros"))
    return SecondMoments.of(X, weights, ddof=ddof)
