"""No free lunch: no learner beats another on all problems at once.

Also known as: Wolpert's theorem, the conservation of generalisation; the lower bound on
learning a class of large VC dimension.

Enumeration.  On a finite set of N points let every function f: x -> 0, 1 be equally
likely, and let a learner see f on the training points.  Off these, the values of f are
fair coins whatever the learner saw, so any learner has

    E_f [off-training error] = 1/2                                               (1)

The average must be uniform over all f, and errors are counted off the training points;
a prior on f, such as one that likes smooth functions, makes learners differ.  With 6
points, 3 of them for training, every learner makes 1.5 errors of 3 on average.

Construction.  A class that shatters 2m points has every f on them.  Draw m of them with
replacement, uniformly, with labels of a coin-flip target.  A point is unseen with
probability (1 - 1/2m)^m, and then half of the guesses are wrong; a seen point may be
right.  So every learner has

    E err >= (1/2) (1 - 1/2m)^m,                                                 (2)

with equality where it repeats what it has seen: 1/4 for m = 1, 0.2994 for m = 10, and
1/(2 sqrt(e)) = 0.3033 in the limit.  Some target is as bad as the mean.  If err <= eps
failed with probability at most delta, E err would be at most eps + delta (1 - eps); so
eps = delta = 0.1, which allow 0.19, cannot be had from half as many examples as points
are shattered.

Notation: N = n_points; m the training points.
Course: S0-56, S1-40. References: Wolpert (1996); Ehrenfeucht, Haussler, Kearns, Valiant
(1989).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.randomness import generator
from corollary.core.records import readable
from corollary.core.vectors import numbers, probabilities, rows_of
from corollary.theory.draws import seed_of
from corollary.theory.learner_functions import answer, named_learners

__all__ = [
    "NoFreeLunch",
    "ShatteredError",
    "no_free_lunch",
    "shattered_error",
    "shattered_points_experiment",
]

MOST_POINTS = 16  # of 2^N functions
MOST_SAMPLES = 300_000  # samples that are enumerated
EPSILON = 0.1


@dataclass(frozen=True, eq=False)
class NoFreeLunch:
    """Mean errors of learners over all functions on a few points.

    Attributes
    ----------
    learners : tuple of str
    errors : array of shape (L,)
        Mean share of wrong labels off the training points (1).
    n_wrong : array of shape (L,)
        The same as a number of points.
    best, worst : arrays of shape (L,)
        Over the functions.
    n_functions, n_train, n_test : int
    uniform : bool
        Whether all functions weigh the same.
    """

    learners: tuple[str, ...]
    errors: Floats
    n_wrong: Floats
    best: Floats
    worst: Floats
    n_functions: int
    n_train: int
    n_test: int
    uniform: bool

    @property
    def all_equal(self) -> bool:
        """Whether no learner is better than another on average."""
        return bool(np.ptp(self.errors) <= 1e-12)

    def __str__(self) -> str:
        wide = max(map(len, self.learners))
        lines = [
            f"{self.n_functions} functions, {self.n_train} points for training, "
            f"{self.n_test} off training"
        ]
        rows = zip(self.learners, self.n_wrong, self.best, self.worst, strict=True)
        for name, mean, low, high in rows:
            many = f"{mean:.4g} wrong of {self.n_test} on average"
            lines.append(f"  {name:<{wide}}  {many}, from {low:.0%} to {high:.0%}")
        if self.all_equal and self.uniform:
            lines.append("no learner is better than another on average")
        return "\n".join(lines)


def no_free_lunch(
    learners: Any,
    points: Any = 6,
    *,
    train: Any = 3,
    weights: Any = None,
    distribution: Any = None,
) -> NoFreeLunch:
    """Average the off-training error of learners over all functions of a few points.

    Parameters
    ----------
    learners : learner, sequence of them, or dict of them by name
        A classifier with `fit` and `predict`, which is cloned; or a function
        ``(X, y, X_new) -> labels``.  A classifier that refuses rows of one class
        repeats that class.
    points : int or array of shape (N, d), default=6
        The domain; of a number, the points 0 to N - 1 on a line.
    train : int or sequence of int, default=3
        How many of the first points are for training, or which.
    weights : array of shape (2^N,), optional
        A prior on the functions; the labels of function i are the binary digits of i,
        those of point 0 first.  Uniform by default.
    distribution : array of shape (N,), optional
        Probabilities of the points, by which errors off training are weighed.

    Returns
    -------
    NoFreeLunch

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import DecisionStumpClassifier
    >>> from corollary.theory import no_free_lunch
    >>> def parity(X, y, X_new):
    ...     return np.full(len(X_new), y.sum() % 2)
    >>> print(no_free_lunch({"stump": DecisionStumpClassifier(), "parity": parity}))
    64 functions, 3 points for training, 3 off training
      stump   1.5 wrong of 3 on average, from 0% to 100%
      parity  1.5 wrong of 3 on average, from 0% to 100%
    no learner is better than another on average
    """
    who = "no_free_lunch"
    X = _domain(who, points)
    N = len(X)
    seen = _training(who, train, N)
    unseen = np.setdiff1d(np.arange(N), seen)
    named = named_learners(who, learners)
    F = np.array(list(product((0, 1), repeat=N)))  # (2^N, N) all functions
    prior: Floats = np.ones(len(F))
    if weights is not None:
        prior = probabilities(who, weights, "weights", len(F))
    share: Floats = np.ones(len(unseen))
    if distribution is not None:
        p = probabilities(who, distribution, "distribution", N)[unseen]
        if p.sum() <= 0:
            must = "distribution must put weight on points off training"
            raise ParameterError(sentence(who, must, "0"))
        share = p / p.mean()
    rows = []
    for name, learn in named.items():
        guess = {
            tuple(y): answer(name, learn, X[seen], np.array(y), X[unseen])
            for y in product((0, 1), repeat=len(seen))
        }
        guesses = np.array([guess[tuple(f[seen])] for f in F])
        rows.append((guesses != F[:, unseen]) @ share)
    E = np.array(rows)  # (L, 2^N) wrong labels
    wrong = E @ prior / prior.sum()
    there = prior > 0
    return NoFreeLunch(
        tuple(named),
        wrong / len(unseen),
        wrong,
        E[:, there].min(axis=1) / len(unseen),
        E[:, there].max(axis=1) / len(unseen),
        len(F),
        len(seen),
        len(unseen),
        weights is None,
    )


def _domain(who: str, points: Any) -> Floats:
    if whole(2, MOST_POINTS).holds(points):
        return np.arange(float(points))[:, None]
    must = f"points must be 2 to {MOST_POINTS}, as a number or as rows"
    if np.ndim(points) == 0:
        raise ParameterError(sentence(who, must, f"{points!r}"))
    X = rows_of(who, numbers(who, points, "points"))
    if not 2 <= len(X) <= MOST_POINTS:
        raise ParameterError(sentence(who, must, f"{len(X)}"))
    return X


def _training(who: str, train: Any, N: int) -> Vector:
    """Return the numbers of the training points."""
    must = f"train must leave some of the {N} points out, and hold others once"
    if whole(1, N - 1).holds(train):
        return np.arange(int(train))
    rows = np.asarray(train)
    fine = rows.ndim == 1 and rows.dtype.kind in "iu" and 0 < len(set(rows)) < N
    if not fine or len(set(rows)) < len(rows) or not (0 <= rows).all():
        raise ParameterError(sentence(who, must, f"{train!r}"))
    if rows.max() >= N:
        raise ParameterError(sentence(who, must, f"{train!r}"))
    return np.sort(rows)


# -- the construction ------------------------------------------------------------------
@readable
@dataclass(frozen=True)
class ShatteredError:
    """The error of a learner on coin-flip targets of 2m shattered points.

    Attributes
    ----------
    m : int
    mean_error : float
        Over targets and samples.
    standard_error : float
        0 where all of them were enumerated.
    lower_bound : float
        (2), which no learner is below.
    n_draws : int
        Targets and samples that were drawn or enumerated.
    exact : bool
        Whether all were enumerated.
    failure_rate : float
        Share of them with an error above 0.1.
    allowed : float
        0.19, the most that the mean error of a learner could be whose error exceeds
        0.1 with probability at most 0.1.
    """

    m: int
    mean_error: float
    standard_error: float
    lower_bound: float
    n_draws: int
    exact: bool
    failure_rate: float
    allowed: float = EPSILON + EPSILON * (1 - EPSILON)


def shattered_error(m: Any) -> Any:
    """Return (2), the least mean error from m examples on 2m shattered points.

    Parameters
    ----------
    m : int or array of int
        Examples.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import shattered_error
    >>> [round(shattered_error(m), 4) for m in (1, 10, 10**6)]
    [0.25, 0.2994, 0.3033]
    """
    who = "shattered_error"
    value = numbers(who, m, "m", ParameterError)
    if not value.size or (value < 1).any() or (value != np.floor(value)).any():
        raise ParameterError(sentence(who, "m must be whole numbers >= 1", f"{m!r}"))
    found = 0.5 * np.exp(value * np.log1p(-1 / (2 * value)))  # (2)
    return float(found) if found.ndim == 0 else found


def shattered_points_experiment(
    learner: Any,
    m: int,
    *,
    points: Any = None,
    n_draws: int = 1000,
    enumerate_all: bool = False,
    random_state: Any = None,
) -> ShatteredError:
    """Let a learner meet coin-flip targets on 2m points that a class shatters.

    Parameters
    ----------
    learner : classifier, or function (X, y, X_new) -> labels
    m : int
        Examples, drawn with replacement from 2m points.
    points : array of shape (2m, d), optional
        Points that the learner's class shatters; 0 to 2m - 1 on a line by default.
    n_draws : int, default=1000
        Targets and samples.
    enumerate_all : bool, default=False
        Go through all (2m)^m samples and the labels of what they hold: exact, for m up
        to 4.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    ShatteredError

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import shattered_points_experiment
    >>> def always_yes(X, y, X_new):
    ...     return np.ones(len(X_new))
    >>> found = shattered_points_experiment(always_yes, 2, enumerate_all=True)
    >>> found.mean_error, round(found.lower_bound, 6)
    (0.5, 0.28125)
    """
    who = "shattered_points_experiment"
    for name, value in (("m", m), ("n_draws", n_draws)):
        if not whole(1).holds(value):
            must = f"{name} must be a whole number >= 1"
            raise ParameterError(sentence(who, must, f"{value!r}"))
    N = 2 * int(m)
    X = np.arange(float(N))[:, None] if points is None else _points(who, points, N)
    [(name, learn)] = named_learners(who, [learner]).items()
    if enumerate_all:
        if N**m * 2**m > MOST_SAMPLES:
            must = "m must be at most 4 for all samples to be enumerated"
            raise ParameterError(sentence(who, must, f"{m}", "Draw them."))
        means, tails = _enumerated(name, learn, X, int(m))
        exact, spread = True, 0.0
    else:
        means, tails = _drawn(name, learn, X, int(m), int(n_draws), random_state)
        exact = False
        spread = float(np.std(means) / np.sqrt(len(means)))
    return ShatteredError(
        int(m),
        float(np.mean(means)),
        spread,
        shattered_error(m),
        len(means),
        exact,
        float(np.mean(tails)),
    )


def _points(who: str, points: Any, N: int) -> Floats:
    X = rows_of(who, numbers(who, points, "points"))
    if len(np.unique(X, axis=0)) != N or len(X) != N:
        must = f"points must be 2m = {N} distinct rows"
        raise DataError(sentence(who, must, f"{len(X)}"))
    return X


def _drawn(
    name: str, learn: Any, X: Floats, m: int, n_draws: int, random_state: Any
) -> tuple[Sequence[float], Sequence[bool]]:
    rng = generator(seed_of("shattered_points_experiment", random_state))
    means = []
    for _ in range(n_draws):
        f = rng.integers(2, size=len(X))
        rows = rng.integers(len(X), size=m)
        guess = answer(name, learn, X[rows], f[rows], X)
        means.append(float((guess != f).mean()))
    return means, [error > EPSILON for error in means]


def _enumerated(
    name: str, learn: Any, X: Floats, m: int
) -> tuple[Sequence[float], Sequence[float]]:
    """Return mean error and failure rate given each sample and its labels.

    Samples with fewer distinct points have fewer labels; each is counted 2^repeats
    times, so that all weigh the same.
    """
    means, tails = [], []
    for rows in product(range(len(X)), repeat=m):
        distinct = sorted(set(rows))
        unseen = np.setdiff1d(np.arange(len(X)), distinct)
        rest = np.array(list(product((0, 1), repeat=len(unseen))))
        for labels in product((0, 1), repeat=len(distinct)):
            f = np.zeros(len(X), dtype=np.int64)
            f[distinct] = labels
            guess = answer(name, learn, X[list(rows)], f[list(rows)], X)
            wrong = (guess[distinct] != f[distinct]).sum()
            wrong = (wrong + (guess[unseen] != rest).sum(axis=1)) / len(X)
            again = 2 ** (m - len(distinct))
            means += [float(wrong.mean())] * again
            tails += [float((wrong > EPSILON).mean())] * again
    return means, tails
