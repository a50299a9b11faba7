"""Rademacher complexity: how well a class of functions follows pure noise.

Also known as: empirical Rademacher average, Massart's lemma, symmetrisation.

With signs sigma_i = -1, +1 drawn by coins,

    R(F) = E_sigma  sup_{f in F}  (1/n) sum_i sigma_i f(x_i)                     (1)

on the rows at hand; its mean over rows is the complexity of F.  A class that holds -f
with f has the same number with |sum| in place of sum.  The sup is found exactly for

    stumps        max over features and cuts of |sum_above - sum_below| / n, by sweeps
    kernel ball   ||w|| <= B:    (B/n) ||sum_i sigma_i phi(x_i)||                (2)
    linear balls  ||w||_2 <= B:  (B/n) ||X'sigma||_2;   ||w||_1:  (B/n) max |X'sigma|
    finite class  max over its members
    any class     whatever a learner fits to the signs: exact if it has least error

The mean over signs is exact over all 2^n of them for a few rows, else an average of T
draws.  Flipping sign i moves the sup by at most c_i, so (McDiarmid)

    R(F)  <=  average + sqrt(ln(1/delta) sum_i c_i^2 / (2 T))                    (3)

In closed form, for kernels (Khintchine below, Jensen above) and for M functions of norm
at most r (Massart):

    B sqrt(tr K) / (n sqrt 2) <= R <= B sqrt(tr K) / n;   R <= r sqrt(2 ln M) / n  (4)

`rademacher_bound.py` turns it into a bound on the risk.

Notation: T = n_draws; B = radius; phi'phi = K.
Course: S2-24. References: Bartlett and Mendelson (2002); Massart (2000).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import seed as seed_rule
from corollary.core.parameters import shown, whole
from corollary.core.randomness import entropy, generator
from corollary.core.vectors import rows_of
from corollary.theory.stated_numbers import (
    aligned,
    answer,
    chosen,
    confidence,
    counts,
    number,
)

__all__ = [
    "Complexity",
    "finite_complexity",
    "kernel_complexity",
    "linear_complexity",
    "massart",
    "oracle_complexity",
    "stump_complexity",
]

ALL_SIGNS = 14  # rows up to which every sign vector is tried
BLOCK = 2**21  # signs held at once
MOST_DRAWS = 10**7
LONGEST = 1e140  # value whose square, summed, is a number
Sup = Callable[[Floats], Floats]


@dataclass(frozen=True)
class Complexity:
    """The empirical Rademacher complexity (1) of a class on some rows.

    Attributes
    ----------
    name : str
        The class.
    value : float
        (1), or the average of draws.
    n : int
        Rows.
    draws : int
        Sign vectors drawn; 0 where all were tried.
    squares : float
        sum_i c_i^2 of (3).
    lower, upper : float
        Closed forms (4); 0 and infinity where there are none.
    proved : bool
        False where the sup was not found for certain.
    """

    name: str
    value: float
    n: int
    draws: int
    squares: float
    lower: float = 0.0
    upper: float = np.inf
    proved: bool = True

    def slack(self, delta: float = 0.05) -> float:
        """Return how far (1) may be above the average (3), with confidence 1 - delta.

        Parameters
        ----------
        delta : float, default=0.05

        Returns
        -------
        float
        """
        if not self.draws:
            return 0.0
        log = -np.log(confidence("slack", delta))
        return float(np.sqrt(log * self.squares / (2 * self.draws)))

    def above(self, delta: float = 0.05) -> float:
        """Return a number that (1) is at most, with confidence 1 - delta.

        Parameters
        ----------
        delta : float, default=0.05

        Returns
        -------
        float
        """
        return min(self.value + self.slack(delta), self.upper)

    def __str__(self) -> str:
        how = f"{self.draws} draws" if self.draws else "all signs"
        text = f"Rademacher complexity of {self.name} on {self.n} rows: "
        return text + f"{self.value:.4g} ({how})"


def stump_complexity(
    X: Any, *, n_draws: int = 200, random_state: Any = None
) -> Complexity:
    """Return the Rademacher complexity of decision stumps, constants among them.

    Parameters
    ----------
    X : array of shape (n, d)
    n_draws : int, default=200
        Sign vectors; up to 14 rows all are tried.
    random_state : int, RandomState, Generator or None

    Returns
    -------
    Complexity

    Examples
    --------
    >>> from corollary.theory import stump_complexity
    >>> print(stump_complexity([[1.0], [2.0], [3.0]]))
    Rademacher complexity of stumps on 3 rows: 0.8333 (all signs)
    """
    X = rows("stump_complexity", X)
    n = len(X)
    orders = np.argsort(X, axis=0, kind="stable")  # (n, d)
    cuts = [np.flatnonzero(np.diff(X[o, j])) for j, o in enumerate(orders.T)]

    def sup(signs: Floats) -> Floats:
        total = signs.sum(axis=1)
        best = np.abs(total)  # constants
        for order, cut in zip(orders.T, cuts, strict=True):
            if len(cut):
                below = np.cumsum(signs[:, order], axis=1)[:, cut]
                spread = np.abs(total[:, None] - 2 * below)
                best = np.maximum(best, spread.max(axis=1))
        return best / n

    return averaged("stumps", sup, n, 4 / n, n_draws, random_state)


def kernel_complexity(
    X: Any,
    radius: float = 1.0,
    *,
    kernel: Any = None,
    n_draws: int = 200,
    random_state: Any = None,
) -> Complexity:
    """Return the Rademacher complexity (2) of a ball in the space of a kernel.

    Parameters
    ----------
    X : array of shape (n, d), or the kernel's matrix (n, n) where `kernel` is None
    radius : float, default=1.0
        B, the largest norm.
    kernel : function of two sets of rows, optional
        Such as `corollary.kernels.Gaussian(sigma=1.0)`.
    n_draws : int, default=200
    random_state : int, RandomState, Generator or None

    Returns
    -------
    Complexity
        With both sides of (4).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import kernel_complexity
    >>> found = kernel_complexity(np.eye(4), radius=2.0)  # ||sum sigma phi|| = 2
    >>> found.value, found.upper, round(found.lower, 4)
    (1.0, 1.0, 0.7071)
    """
    who = "kernel_complexity"
    B = number(who, radius, "radius", 0)
    K = rows(who, X)
    if kernel is not None:
        K = np.asarray(kernel(K, K), dtype=np.float64)
    n = len(K)
    if K.shape != (n, n) or not np.allclose(K, K.T, atol=1e-8 * np.abs(K).max()):
        must = "the kernel's matrix must be square and symmetric"
        raise DataError(sentence(who, must, f"shape {K.shape}", "Give the kernel."))
    trace = float(np.trace(K))

    def sup(signs: Floats) -> Floats:
        squares = np.einsum("ti,ti->t", signs @ K, signs)
        return B / n * np.sqrt(np.maximum(squares, 0.0))

    upper = B * np.sqrt(max(trace, 0.0)) / n  # (4)
    closed = (upper / np.sqrt(2), upper)
    squares = 4 * B**2 * trace / n**2
    return averaged("kernel ball", sup, n, squares, n_draws, random_state, closed)


def linear_complexity(
    X: Any,
    radius: float = 1.0,
    *,
    norm: str = "l2",
    n_draws: int = 200,
    random_state: Any = None,
) -> Complexity:
    """Return the Rademacher complexity of linear functions of bounded weights.

    Parameters
    ----------
    X : array of shape (n, d)
    radius : float, default=1.0
        B, the largest norm of the weights.
    norm : {'l2', 'l1'}
    n_draws : int, default=200
    random_state : int, RandomState, Generator or None

    Returns
    -------
    Complexity

    Examples
    --------
    >>> from corollary.theory import linear_complexity
    >>> linear_complexity([[1.0], [1.0]], norm="l1").value  # 1 or 0, as signs agree
    0.5
    """
    who = "linear_complexity"
    B, X = number(who, radius, "radius", 0), rows(who, X)
    n, d = X.shape
    chosen(who, norm, "norm", ("l2", "l1"))

    def sup(signs: Floats) -> Floats:
        S = np.abs(signs @ X)
        return B / n * (S.max(axis=1) if norm == "l1" else np.sqrt((S**2).sum(axis=1)))

    if norm == "l2":
        total = float((X**2).sum())
        upper = B * np.sqrt(total) / n
        closed = (upper / np.sqrt(2), upper)
    else:
        total = float((np.abs(X).max(axis=1) ** 2).sum())
        longest = float(np.sqrt((X**2).sum(axis=0)).max())
        closed = (
            B * longest / (n * np.sqrt(2)),
            B * longest * massart_factor(2 * d) / n,
        )
    squares = 4 * B**2 * total / n**2
    return averaged(f"{norm} ball", sup, n, squares, n_draws, random_state, closed)


def finite_complexity(
    predictions: Any, *, n_draws: int = 200, random_state: Any = None
) -> Complexity:
    """Return the Rademacher complexity of a few functions.

    Parameters
    ----------
    predictions : array of shape (M, n)
        What each function says of each row.
    n_draws : int, default=200
    random_state : int, RandomState, Generator or None

    Returns
    -------
    Complexity
        Its `upper` is Massart's (4).

    Examples
    --------
    >>> from corollary.theory import finite_complexity
    >>> finite_complexity([[1, 1], [-1, -1]]).value
    0.5
    """
    F = rows("finite_complexity", predictions)
    M, n = F.shape
    squares = 4 * float((np.abs(F).max(axis=0) ** 2).sum()) / n**2
    upper = float(np.sqrt((F**2).sum(axis=1)).max()) * massart_factor(M) / n
    closed = (0.0, upper)

    def sup(signs: Floats) -> Floats:
        return np.asarray((signs @ F.T).max(axis=1) / n)

    return averaged("a finite class", sup, n, squares, n_draws, random_state, closed)


def oracle_complexity(
    estimator: Any,
    X: Any,
    *,
    exact: bool = False,
    n_draws: int = 20,
    random_state: Any = None,
) -> Complexity:
    """Return the Rademacher complexity of the classifiers that a learner chooses from.

    A clone is fitted to every sign vector; signs that all agree count as 1.

    Parameters
    ----------
    estimator : classifier
    X : array of shape (n, d)
    exact : bool, default=False
        Whether the learner is known to find the least error; otherwise the number may
        be too small, and proves nothing.
    n_draws : int, default=20
    random_state : int, RandomState, Generator or None

    Returns
    -------
    Complexity

    Examples
    --------
    >>> from corollary import DecisionStumpClassifier
    >>> from corollary.theory import oracle_complexity
    >>> X = [[1.0], [2.0], [3.0]]
    >>> round(oracle_complexity(DecisionStumpClassifier(), X, exact=True).value, 4)
    0.8333
    """
    from sklearn.base import clone

    who = "oracle_complexity"
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        must = "estimator must be a classifier"
        raise ParameterError(sentence(who, must, shown(estimator)))
    X = rows(who, X)

    def one(signs: Vector) -> float:
        if abs(signs.sum()) == len(signs):
            return 1.0
        target = signs.astype(int)
        said = clone(estimator).fit(X, target).predict(X)
        return float((target * np.asarray(said, dtype=float)).mean())

    def sup(signs: Floats) -> Floats:
        return np.array([one(s) for s in signs])

    n, name = len(X), type(estimator).__name__
    return averaged(name, sup, n, 4 / n, n_draws, random_state, proved=bool(exact))


def massart(n: Any, size: Any) -> Any:
    """Return Massart's bound sqrt(2 ln M / n) for M classifiers on n rows (4).

    Parameters
    ----------
    n : int or array
        Rows.
    size : int or array
        M, functions of values in [-1, 1], or their different behaviours on the rows.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import massart
    >>> round(massart(1000, 100), 4)
    0.096
    """
    who = "massart"
    rows, M = counts(who, n, "n", 1), counts(who, size, "size", 1)
    rows, M = aligned(who, n=rows, size=M)
    return answer(massart_factor(M) / np.sqrt(rows))


# -- helpers ---------------------------------------------------------------------------
def averaged(
    name: str,
    sup: Sup,
    n: int,
    squares: float,
    n_draws: int,
    random_state: Any,
    closed: tuple[float, float] = (0.0, np.inf),
    *,
    proved: bool = True,
) -> Complexity:
    """Average the sup over all sign vectors, or over draws."""
    if not whole(1, MOST_DRAWS).holds(n_draws) or not seed_rule.holds(random_state):
        must = f"n_draws must be in [1, {MOST_DRAWS}], and random_state a seed"
        came = f"{n_draws!r} and {random_state!r}"
        raise ParameterError(sentence("Rademacher complexity", must, came))
    draws = 0 if n <= ALL_SIGNS else int(n_draws)
    total, number_of = 0.0, 0
    for signs in sign_blocks(n, draws, random_state):
        total, number_of = total + float(sup(signs).sum()), number_of + len(signs)
    low, high = (float(end) for end in closed)
    return Complexity(
        name, total / number_of, n, draws, float(squares), low, high, proved
    )


def sign_blocks(n: int, draws: int, random_state: Any) -> Iterator[Floats]:
    """Yield blocks of sign vectors (t, n): all 2^n where draws is 0."""
    if not draws:
        bits = np.arange(2**n)[:, None] >> np.arange(n) & 1
        yield 2.0 * bits - 1.0
        return
    rng, step = generator(entropy(random_state)), max(1, BLOCK // n)
    for start in range(0, draws, step):
        size = (min(step, draws - start), n)
        yield 2.0 * rng.integers(0, 2, size) - 1.0


def massart_factor(M: Any) -> Any:
    """Return sqrt(2 ln M)."""
    return np.sqrt(2 * np.log(M))


def rows(who: str, X: Any) -> Floats:
    """Return rows, at least one of at least one column, all finite."""
    X = rows_of(who, X)
    if not X.size or not (np.abs(X) <= LONGEST).all():
        must = f"X must be rows of numbers up to {LONGEST:g}"
        raise DataError(sentence(who, must, f"shape {X.shape}"))
    return X
