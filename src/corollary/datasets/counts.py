"""Small tables of counts and of probabilities: fish, body mass, coins, a die."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.datasets.records import Counts, Table

__all__ = ["body_mass", "coins", "die", "fish"]


def fish(feature: str = "length") -> Counts:
    """Sea bass and salmon on a conveyor, counted by length or by lightness.

    Parameters
    ----------
    feature : {"length", "lightness"}
        What was measured; the two counts are of different catches.

    Returns
    -------
    Counts
        `known` holds the thresholds with fewest errors (below: salmon), as an open
        interval, and the number of fish on the wrong side.

    Examples
    --------
    >>> from corollary.datasets import fish
    >>> catch = fish("length")
    >>> int(catch.counts.sum()), catch.known["errors"]
    (50, 10)
    """
    about = "Tell salmon from sea bass by {}."
    if feature == "length":
        values, bass, salmon = (
            [2, 4, 8, 10, 12, 14],
            [0, 1, 3, 8, 10, 5],
            [2, 5, 10, 5, 1, 0],
        )
        known: dict[str, Any] = {"threshold": (8, 10), "errors": 10}
    elif feature == "lightness":
        values, bass, salmon = [1, 2, 3, 4, 5], [0, 1, 2, 10, 12], [6, 10, 6, 1, 0]
        known = {"threshold": (3, 4), "errors": 4}
    else:
        must = "feature must be 'length' or 'lightness'"
        raise ParameterError(sentence("fish", must, repr(feature)))
    return Counts(
        name="fish",
        about=about.format(feature),
        classes=("bass", "salmon"),
        values=np.array(values, float),
        counts=np.array([bass, salmon]),
        variable=feature,
        known=known,
    )


def body_mass() -> Counts:
    """Count 22 people over five levels of body mass and two states of weight.

    Returns
    -------
    Counts
        `known` holds the prior, the posterior of "over" at each level, and the error
        of the best rule.

    Examples
    --------
    >>> from corollary.datasets import body_mass
    >>> table = body_mass()
    >>> joint = table.counts / table.counts.sum()
    >>> print(joint[:, 2] / joint[:, 2].sum())  # weight states at the third level
    [0.57142857 0.42857143]
    """
    return Counts(
        name="body_mass",
        about="Joint counts of a measurement and of a hidden state.",
        classes=("over", "normal"),
        values=np.arange(1, 6),
        counts=np.array([[2, 5, 4, 2, 1], [0, 0, 3, 3, 2]]),
        variable="level",
        known={
            "prior": (14 / 22, 8 / 22),
            "posterior_over": (1.0, 1.0, 4 / 7, 2 / 5, 1 / 3),
            "bayes_error": 6 / 22,
        },
    )


def coins(
    n_samples: int | None = None,
    weight: float = 0.3,
    heads: tuple[float, float] = (0.8, 0.4),
    tosses: int = 3,
    random_state: Any = 0,
) -> Table:
    """Tosses of one of two coins, and nobody noted which coin it was.

    A coin is drawn (the first with probability `weight`) and tossed `tosses` times;
    0 stands for head and 1 for tail.  The courses give the model and no data: the
    numbers here are ours.

    Parameters
    ----------
    n_samples : int or None
        Number of draws.  None gives instead every outcome once, weighted by its exact
        probability, so that expectation maximisation must stay at the truth.
    weight : float
        Probability of the first coin.
    heads : pair of float
        Probability of head of either coin.
    tosses : int
        Tosses of each drawn coin; three identify the mixture, two do not.
    random_state : None, int or Generator
        Seed of the draws.

    Returns
    -------
    Table
        y is the hidden coin (0 or 1) of each draw, None for the exact table.

    Examples
    --------
    >>> from corollary.datasets import coins
    >>> exact = coins()
    >>> exact.X.shape, round(float(exact.weight[0]), 4)  # three heads
    ((8, 3), 0.1984)
    """
    p = np.array(heads)
    share = np.array([weight, 1 - weight])
    columns = tuple(f"toss {t + 1}" for t in range(tosses))
    about = "Triplets of tosses by one of two coins, the coin hidden."
    known = {"weight": weight, "heads": heads}
    if n_samples is None:
        X = np.array(list(product([0, 1], repeat=tosses)))
        n_heads = tosses - X.sum(axis=1)
        mass = p ** n_heads[:, None] * (1 - p) ** (tosses - n_heads)[:, None] @ share
        return Table("coins", about, columns, X, weight=mass, known=known)
    rng = np.random.default_rng(random_state)
    y = (rng.random(n_samples) >= weight).astype(int)
    X = (rng.random((n_samples, tosses)) >= p[y][:, None]).astype(int)
    return Table("coins", about, columns, X, y, target="coin", known=known)


def die() -> Table:
    """Build the six faces of a die whose long-run mean is said to be 4.2.

    Returns
    -------
    Table
        X holds the faces; `known` the mean, and the distribution of largest entropy
        with that mean: ``p_i`` proportional to ``exp(mu i)``.

    Examples
    --------
    >>> from corollary.datasets import die
    >>> table = die()
    >>> table.X.ravel(), table.known["mean"]
    (array([1, 2, 3, 4, 5, 6]), 4.2)
    """
    return Table(
        name="die",
        about="A die of which only the mean is known.",
        columns=("face",),
        X=np.arange(1, 7)[:, None],
        known={
            "mean": 4.2,
            "mu": 0.249045,
            "p": (0.08183, 0.10497, 0.13465, 0.17273, 0.22158, 0.28424),
            "entropy": 1.70621,
        },
    )
