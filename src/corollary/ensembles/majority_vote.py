"""The accuracy of a majority of independent voters.

Also known as: Condorcet's jury theorem, majority-vote calculator.

T voters, each right with probability p on its own, are right together with

    P(T, p) = sum_{k > T/2} C(T, k) p^k (1 - p)^{T-k}                            (1)

and a tie, for even T, is decided by a fair coin.  For p > 1/2 it rises to 1 with T, for
p < 1/2 it falls to 0.  Members of a bagging share their rows, so that (1) is above what
they reach.

Course: S2-47. References: Condorcet (1785); Breiman (1996).
"""

from __future__ import annotations

from scipy.stats import binom

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import real, whole

__all__ = ["majority_vote_accuracy"]


def majority_vote_accuracy(p: float, T: int) -> float:
    """Return the probability that a majority of T independent voters is right.

    Also known as: Condorcet's jury theorem.

    Parameters
    ----------
    p : float in [0, 1]
        Probability that one voter is right.
    T : int
        Voters, at least 1.

    Examples
    --------
    >>> from corollary.ensembles import majority_vote_accuracy
    >>> round(majority_vote_accuracy(0.6, 11), 5)
    0.7535
    >>> round(majority_vote_accuracy(0.6, 101), 5)
    0.9791
    """
    who = "majority_vote_accuracy"
    if not real(0, 1).holds(p):
        must = "p must be a number in [0, 1]"
        raise ParameterError(sentence(who, must, f"{p!r}"))
    if not whole(1).holds(T):
        must = "T must be a whole number >= 1"
        raise ParameterError(sentence(who, must, f"{T!r}"))
    T = int(T)
    tie = 0.0 if T % 2 else 0.5 * float(binom.pmf(T // 2, T, p))
    return float(binom.sf(T // 2, T, p)) + tie
