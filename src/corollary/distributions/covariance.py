"""Whether a matrix is a covariance, and which features make it singular.

Also known as: rank diagnosis, collinearity of features, degenerate covariance.

A covariance is symmetric and positive semi-definite; a density needs it definite.  With
the features scaled to variance 1, the pivoted Cholesky decomposition takes one feature
after another, always the one with the largest variance that those taken do not explain:

    v_j = S_jj - S_jT S_TT^-1 S_Tj,   T = features taken so far                  (1)

It ends at the rank r, when all v_j are 0: what is left is determined by T.  Features of
variance 0 are constant.  From n <= d rows about their mean the rank is n - 1.

Course: S2-2, S3-17. Reference: Golub and Van Loan (2013), sec. 4.2.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.vectors import numbers

__all__ = ["Singularity", "checked_covariance", "diagnose", "refuse_singular"]

EPS = float(np.finfo(np.float64).eps)
CUT = 64 * EPS  # of a feature's variance, for each feature: what rounding may leave
PLAIN = 1e-6  # of a feature's variance that others leave: surely more than rounding


@dataclass(frozen=True)
class Singularity:
    """Rank of a covariance and the features that lower it."""

    rank: int
    dimension: int
    constant: tuple[int, ...]
    dependent: tuple[int, ...]  # each is a linear function of features not listed

    @property
    def singular(self) -> bool:
        """Whether there is no density."""
        return self.rank < self.dimension

    def blame(self, names: Sequence[str] | None = None) -> str:
        """Name the features that lower the rank."""
        said = []
        if self.constant:
            said.append(f"constant features {_listed(self.constant, names)}")
        if self.dependent:
            listed = _listed(self.dependent, names)
            said.append(f"features {listed} that others determine")
        return " and ".join(said) or "too little variance"

    def __str__(self) -> str:
        if not self.singular:
            return f"full rank {self.rank}"
        return f"rank {self.rank} of {self.dimension}, with {self.blame()}"


def diagnose(covariance: Any, mean: Any = 0.0) -> Singularity:
    """Find the rank of a covariance and the features to blame (1).

    Also known as: singular covariance, degenerate covariance.

    Parameters
    ----------
    covariance : array of shape (d, d) or (d,)
    mean : array of shape (d,), optional
        A spread of no more than rounding about the mean counts as constant.

    Returns
    -------
    Singularity

    Examples
    --------
    >>> print(diagnose([[1.0, 2.0, 0.0], [2.0, 4.0, 0.0], [0.0, 0.0, 0.0]]))
    rank 1 of 3, with constant features [2] and features [1] that others determine
    """
    S = np.atleast_1d(numbers("diagnose", covariance, "covariance"))
    variances = np.diagonal(S) if S.ndim == 2 else S
    noise = (16 * EPS * np.abs(np.broadcast_to(mean, variances.shape))) ** 2
    still = variances <= noise
    d, constant = len(variances), tuple(np.flatnonzero(still).tolist())
    if S.ndim < 2:
        return Singularity(d - len(constant), d, constant, ())
    moving = np.flatnonzero(~still)
    scale = np.sqrt(variances[moving])
    C = S[np.ix_(moving, moving)] / np.outer(scale, scale)
    left = moving[_untaken(C)] if len(moving) else moving
    dependent = tuple(sorted(left.tolist()))
    return Singularity(d - len(constant) - len(dependent), d, constant, dependent)


def _untaken(C: Floats) -> Vector:
    """Return the features that a pivoted Cholesky of a correlation leaves."""
    d = len(C)
    if _plainly_regular(C):
        return np.arange(0)
    v, L = np.diagonal(C).copy(), np.zeros((d, d))  # L transposed: rows are columns
    free = np.ones(d, dtype=bool)
    for k in range(d):
        j = int(np.argmax(np.where(free, v, -np.inf)))
        if v[j] <= CUT * d:
            break
        free[j] = False
        L[k] = (C[j] - L[:k, j] @ L[:k]) / np.sqrt(v[j])
        v = v - L[k] ** 2  # (1)
    return np.flatnonzero(free)


def _plainly_regular(C: Floats) -> bool:
    """Tell from a Cholesky without pivots, which is fast, that nothing is left."""
    try:
        L = np.linalg.cholesky(C)
    except np.linalg.LinAlgError:
        return False
    return bool((np.diagonal(L) ** 2 > PLAIN).all())


def refuse_singular(who: object, S: Floats, mean: Floats, n: float) -> None:
    """Raise for an estimated covariance without a density, naming the features."""
    found = diagnose(S, mean)
    if not found.singular:
        return
    if n <= (found.dimension if S.ndim == 2 else 1):
        must = f"a covariance of {found.dimension} features needs more rows than that"
        remedy = "Use more rows, covariance='diagonal', or shrinkage > 0."
        raise DataError(sentence(who, must, f"n_samples = {n:g} ({found})", remedy))
    must = "the covariance must have full rank"
    remedy = "Drop them, use covariance='diagonal', or shrinkage > 0."
    raise DataError(sentence(who, must, f"{found}", remedy))


def checked_covariance(who: object, S: Any, d: int) -> Floats:
    """Return a covariance of shape (), (d,) or (d, d) that is positive definite."""
    S = numbers(who, S, "covariance")
    if S.shape not in ((), (d,), (d, d)):
        must = f"covariance must be a number, {d} variances or a {d} x {d} matrix"
        raise ParameterError(sentence(who, must, f"shape {S.shape}"))
    if S.ndim < 2:
        if S.min() <= 0:
            must = "variances must be > 0"
            raise ParameterError(sentence(who, must, f"{S.min():g}"))
        return S
    gap = np.abs(S - S.T)
    if gap.max() > 1e-8 * np.abs(S).max():
        i, j = np.unravel_index(int(gap.argmax()), S.shape)
        came = f"{S[i, j]:g} at ({i}, {j}) and {S[j, i]:g} at ({j}, {i})"
        raise ParameterError(sentence(who, "covariance must be symmetric", came))
    S = (S + S.T) / 2
    try:
        np.linalg.cholesky(S)
    except np.linalg.LinAlgError:
        least = np.linalg.eigvalsh(S)[0]
        must = "covariance must be positive definite"
        if least < -1e-8 * np.abs(S).max():
            came = f"an eigenvalue {least:.3g}"
        else:
            came = f"{diagnose(S)}"
        raise ParameterError(sentence(who, must, came)) from None
    return S


def _listed(features: tuple[int, ...], names: Sequence[str] | None = None) -> str:
    shown = [j if names is None else names[j] for j in features[:10]]
    return f"{shown}" if len(features) <= 10 else f"{shown} and more"
