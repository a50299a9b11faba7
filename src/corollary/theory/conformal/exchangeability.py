"""A permutation test of exchangeability: whether new rows are like the old ones.

Also known as: two-sample permutation test, drift test, randomization test.

Under exchangeability every assignment of n + m scores to n old and m new rows is as
likely as the one that came.  With a statistic T of the one that came, and T_b of B that
are drawn at random,

    p = (1 + #{ b : T_b >= T }) / (1 + B),     Pr[ p <= delta ] <= delta         (1)

exactly, for any T, any law of the scores and any B.  T looks at ranks alone,

    rank-sum              | sum of the ranks of the new scores - its mean |      (2)
    kolmogorov-smirnov    sup_s | F_new(s) - F_old(s) |                          (3)

with equal scores sharing the mean of their ranks; (2) sees a shift, (3) any change.

Notation: n, m numbers of old and new scores; B = permutations; delta.
References: Phipson and Smyth (2010); Lehmann and Romano (2022), 17.2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import one_of, whole
from corollary.core.randomness import entropy, generator
from corollary.theory.conformal.calibration import check_delta, check_scores

__all__ = ["Exchangeability", "exchangeability_test"]

NUMBERS = 2**20  # of a block of permutations by scores


@dataclass(frozen=True)
class Exchangeability:
    """The verdict of a test of exchangeability.

    Attributes
    ----------
    test : str
        What was computed.
    refuted : bool
        Whether p_value <= delta.
    p_value : float
        At most delta with probability at most delta, where rows are exchangeable.
    delta : float
        How often the test may be wrong where they are.
    statistic : float
        T, or the largest value of a martingale.
    rows : int
        Scores in all.
    where : int or None
        The first row of a stream after which it was refuted.
    """

    test: str
    refuted: bool
    p_value: float
    delta: float
    statistic: float
    rows: int
    where: int | None = None

    @property
    def verdict(self) -> str:
        """'refuted' or 'not refuted'."""
        return "refuted" if self.refuted else "not refuted"

    def __str__(self) -> str:
        at = "" if self.where is None else f" at row {self.where}"
        return (
            f"exchangeability {self.verdict}{at}: p = {self.p_value:.4g}, "
            f"delta = {self.delta:g} ({self.test}, {self.rows} rows)"
        )


def exchangeability_test(
    scores: Any,
    new_scores: Any,
    *,
    statistic: str = "rank-sum",
    permutations: int = 999,
    delta: float = 0.05,
    random_state: Any = None,
) -> Exchangeability:
    """Test whether new scores are exchangeable with old ones, exactly (1).

    Parameters
    ----------
    scores : array of shape (n,)
        Such as those of calibration rows.
    new_scores : array of shape (m,)
        Such as those of test rows, by the same model.
    statistic : {'rank-sum', 'kolmogorov-smirnov'}, default='rank-sum'
        (2) or (3).
    permutations : int, default=999
        B.
    delta : float, default=0.05
        How often the test may refute what is true.
    random_state : int, Generator or None
        Seed of the permutations.

    Returns
    -------
    Exchangeability

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import exchangeability_test
    >>> rng = np.random.default_rng(0)
    >>> old, new = rng.normal(size=200), rng.normal(size=100)
    >>> exchangeability_test(old, new, random_state=0).verdict
    'not refuted'
    >>> print(exchangeability_test(old, new + 1, random_state=0))
    exchangeability refuted: p = 0.001, delta = 0.05 (rank-sum, 300 rows)
    """
    who = "exchangeability_test"
    known = one_of(*STATISTICS)
    if not known.holds(statistic):
        must = f"statistic must be {known.words}"
        raise ParameterError(sentence(who, must, f"{statistic!r}"))
    if not whole(1).holds(permutations):
        must = f"permutations must be {whole(1).words}"
        raise ParameterError(sentence(who, must, f"{permutations!r}"))
    delta = check_delta(who, delta)
    old = check_scores(who, scores)
    new = check_scores(who, new_scores, "new_scores")
    every, m = np.concatenate([new, old]), len(new)
    size = len(every)
    prepare, measure = STATISTICS[statistic]
    values = prepare(every)
    came = np.zeros((1, size), dtype=bool)
    came[0, :m] = True
    T = float(measure(values, came)[0])
    draw = generator(entropy(random_state), 0)
    least, beyond = T - 1e-9 * max(1.0, abs(T)), 0  # equal but for rounding
    step = max(1, NUMBERS // size)
    for start in range(0, permutations, step):
        keys = draw.random((min(step, permutations - start), size))
        edge = np.partition(keys, m - 1, axis=1)[:, m - 1 : m]
        beyond += int((measure(values, keys <= edge) >= least).sum())
    p = (1 + beyond) / (1 + permutations)  # (1)
    return Exchangeability(statistic, p <= delta, p, delta, T, size)


def centred_ranks(s: Floats) -> Floats:
    """Return ranks, equal scores sharing their mean, less the mean of all."""
    _, code, count = np.unique(s, return_inverse=True, return_counts=True)
    ends = np.cumsum(count)
    return (ends - (count - 1) / 2)[code] - (len(s) + 1) / 2


def rank_sums(ranks: Floats, chosen: Any) -> Floats:
    """Return (2) of each choice of new rows."""
    return np.abs(chosen @ ranks)


def distinct_codes(s: Floats) -> Any:
    """Return the order of scores, and where each of different ones ends."""
    order = np.argsort(s, kind="stable")
    s = s[order]
    return order, np.flatnonzero(np.append(s[1:] != s[:-1], True))


def distances(values: Any, chosen: Any) -> Floats:
    """Return (3) of each choice of new rows."""
    order, last = values
    new = np.cumsum(chosen[:, order], axis=1)[:, last]
    m, size = int(chosen[0].sum()), chosen.shape[1]
    below = last + 1
    return np.abs(new / m - (below - new) / (size - m)).max(axis=1)


STATISTICS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "rank-sum": (centred_ranks, rank_sums),
    "kolmogorov-smirnov": (distinct_codes, distances),
}
