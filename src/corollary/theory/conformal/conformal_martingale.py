"""A conformal test martingale: a bet that a stream is not exchangeable.

Also known as: exchangeability martingale, online change detection, betting on p-values,
plug-in martingale, power martingale, simple mixture martingale.

The conformal p-value of each score among those up to it, equal ones broken by a uniform
u_t,

    p_t = ( #{ i <= t : s_i > s_t } + u_t #{ i <= t : s_i = s_t } ) / t          (1)

is uniform and independent of the others where the stream is exchangeable (Vovk).  Then
no bet on them gains: with densities f_t on [0, 1] that know p_1 ... p_{t-1} alone,

    M_t = prod_{i <= t} f_i(p_i),    E[ M_t | past ] = M_{t-1},   M_0 = 1        (2)
    Pr[ sup_t M_t >= 1/delta ] <= delta                 (Ville's inequality)     (3)

so that a martingale that reaches 1/delta refutes exchangeability there and then, at any
time that one cares to look.  The bets are

    power      f(p) = epsilon p^(epsilon - 1), on small p: scores that grow      (4)
    mixture    the mean of the martingales (4) over epsilon in (0, 1)            (5)
    plug-in    f_t, a histogram of p_1 ... p_{t-1} with one count in each bin
               to begin with: on any change                                      (6)

Notation: s_t, score; p_t, p-value; M_t, martingale.
References: Ville (1939); Vovk, Gammerman and Shafer (2005), 7.1; Fedorova, Gammerman,
Nouretdinov and Vovk (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import one_of, real, whole
from corollary.core.randomness import entropy, generator
from corollary.theory.conformal.calibration import check_delta, check_scores
from corollary.theory.conformal.exchangeability import Exchangeability

__all__ = ["ConformalMartingale", "conformal_martingale", "conformal_p_values"]

EPSILONS = (
    np.arange(50) + 0.5
) / 50  # of the mixture (5): a mean of martingales is one
TINY = np.finfo(np.float64).tiny


@dataclass(frozen=True)
class ConformalMartingale:
    """A bet against exchangeability, and how it went.

    Attributes
    ----------
    verdict : Exchangeability
        Whether it is refuted, by what p-value, and where in the stream.
    log_martingale : array of shape (T,)
        ln M_t after each row.
    p_values : array of shape (T,)
        The conformal p-values (1).
    """

    verdict: Exchangeability
    log_martingale: Floats
    p_values: Floats

    def __str__(self) -> str:
        return str(self.verdict)

    def plot(self, ax: Any = None) -> Any:
        """Draw the martingale over the stream, and the line that refutes (3)."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.log_martingale / np.log(10))
        ax.axhline(-np.log10(self.verdict.delta), linestyle="--")
        ax.set_xlabel("row of the stream")
        ax.set_ylabel("log10 of the martingale")
        return ax


def conformal_martingale(
    scores: Any,
    *,
    method: str = "plug-in",
    delta: float = 0.01,
    epsilon: float = 0.5,
    bins: int = 10,
    random_state: Any = None,
) -> ConformalMartingale:
    """Bet against the exchangeability of a stream of scores.

    Parameters
    ----------
    scores : array of shape (T,)
        In the order of the stream; larger is stranger.
    method : {'plug-in', 'mixture', 'power'}, default='plug-in'
        How to bet: (6), (5) or (4).
    delta : float, default=0.01
        How often an exchangeable stream may be refuted, ever.
    epsilon : float, default=0.5
        Of (4), in (0, 1).
    bins : int, default=10
        Of (6).
    random_state : int, Generator or None
        Seed of u.

    Returns
    -------
    ConformalMartingale

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.theory import conformal_martingale
    >>> rng = np.random.default_rng(0)
    >>> calm = rng.normal(size=1000)
    >>> conformal_martingale(calm, random_state=0).verdict.verdict
    'not refuted'
    >>> moved = calm + 2 * (np.arange(1000) >= 500)
    >>> found = conformal_martingale(moved, random_state=0).verdict
    >>> found.verdict, 500 < found.where < 620
    ('refuted', True)
    """
    who = "conformal_martingale"
    for name, value, rule in (
        ("method", method, one_of("plug-in", "mixture", "power")),
        ("epsilon", epsilon, real(0, 1, ends="()")),
        ("bins", bins, whole(2)),
    ):
        if not rule.holds(value):
            must = f"{name} must be {rule.words}"
            raise ParameterError(sentence(who, must, f"{value!r}"))
    delta = check_delta(who, delta)
    s = check_scores(who, scores)
    p = conformal_p_values(s, random_state=random_state)
    if method == "plug-in":
        path = plug_in(p, bins)
    else:
        path = mixture(p, EPSILONS if method == "mixture" else np.array([epsilon]))
    reached = path >= -np.log(delta)
    where = int(reached.argmax()) if reached.any() else None
    top = max(0.0, float(path.max()))
    p_value, largest = float(np.exp(-top)), float(np.exp(min(top, 700.0)))
    refuted = where is not None
    found = Exchangeability(
        f"{method} martingale", refuted, p_value, delta, largest, len(s), where
    )
    return ConformalMartingale(found, path, p)


def conformal_p_values(scores: Any, *, random_state: Any = None) -> Floats:
    """Return the conformal p-value of each score among those up to it (1).

    Parameters
    ----------
    scores : array of shape (T,)
    random_state : int, Generator or None
        Seed of u.

    Returns
    -------
    array of shape (T,)
        Uniform and independent where the stream is exchangeable.

    Examples
    --------
    >>> from corollary.theory import conformal_p_values
    >>> p = conformal_p_values([1.0, 2.0, 3.0, 0.0], random_state=0)
    >>> bool(p[2] <= 1 / 3), bool(p[3] >= 3 / 4)
    (True, True)
    """
    s = check_scores("conformal_p_values", scores)
    u = generator(entropy(random_state), 0).random(len(s))
    below, equal = earlier(s)
    t = np.arange(1, len(s) + 1)
    above = t - 1 - below - equal
    return np.maximum((above + u * (equal + 1)) / t, TINY)


def earlier(s: Floats) -> tuple[Any, Any]:
    """Count the earlier scores below each, and those equal to it.

    Halves are merged from single scores up: at each width, the left halves of all
    blocks are sorted at once, and the right ones look themselves up.
    """
    n = len(s)
    rank = np.unique(s, return_inverse=True)[1].astype(np.int64)
    below, equal = np.zeros(n, np.int64), np.zeros(n, np.int64)
    place, width = np.arange(n), 1
    while width < n:
        block, half = place // (2 * width), (place // width) % 2
        key = block * n + rank
        left, right = np.sort(key[half == 0]), np.flatnonzero(half == 1)
        first = block[right] * width  # left halves before that of the block are full
        low = np.searchsorted(left, key[right], side="left")
        high = np.searchsorted(left, key[right], side="right")
        below[right] += low - first
        equal[right] += high - low
        width *= 2
    return below, equal


def mixture(p: Floats, epsilons: Floats) -> Floats:
    """Return the log of the mean of the martingales (4), (T,)."""
    t, logs = np.arange(1, len(p) + 1), np.cumsum(np.log(p))
    total = np.full(len(p), -np.inf)
    for e in epsilons:
        np.logaddexp(total, t * np.log(e) + (e - 1) * logs, out=total)
    return total - np.log(len(epsilons))


def plug_in(p: Floats, bins: int) -> Floats:
    """Return the log of the martingale (6), (T,)."""
    at = np.minimum((p * bins).astype(np.int64), bins - 1)
    t, order = np.arange(len(p)), np.argsort(at, kind="stable")
    seen = np.empty_like(t)  # p-values in the same bin so far
    seen[order] = t - np.searchsorted(at[order], at[order])
    return np.cumsum(np.log((1 + seen) * bins / (t + bins)))
