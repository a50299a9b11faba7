"""The growth function of a class, measured on sets of points.

Also known as: shatter function, shattering coefficient.

The growth function is the largest number of labellings that m points can have,

    Pi(m) = max_{|S| = m} |Pi_C(S)|                                              (1)

The labellings of a set are counted exactly.  The maximum over the sets that were drawn
is a lower bound on Pi(m), and often Pi(m) itself: points in general position have
equally many labellings under halfspaces, and any m points under intervals.  With VC
dimension d, Sauer's lemma bounds it from above,

    Pi(m) <= Phi_d(m) = sum_{i <= d} C(m, i)                                     (2)

which is 2^m up to m = d and a polynomial of degree d beyond: log2 Pi(m) leaves the line
m there.

Notation: counts, the largest |Pi_C(S)| of the sets of each size.
Course: S3-104. References: Sauer (1972); Vapnik and Chervonenkis (1971).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import comb

from corollary.core.errors import ParameterError, sentence
from corollary.core.parameters import whole
from corollary.core.randomness import generator
from corollary.theory.draws import seed_of
from corollary.theory.shattering import as_class, dichotomies, normal_points

__all__ = ["EmpiricalGrowth", "empirical_growth"]

SMALL = tuple(range(1, 7))


@dataclass(frozen=True)
class EmpiricalGrowth:
    """Numbers of labellings of sets of points, by their size.

    Attributes
    ----------
    sizes : tuple of int
        m.
    counts : tuple of int
        The most labellings of any set that was drawn: at most Pi(m).
    least : tuple of int
        The fewest.
    bounds : tuple of float
        (2), or 2^m where no VC dimension is known.
    vc_dimension : float or None
        Of a theorem on the class.
    shattered_up_to : int
        The largest size of which a shattered set was met: the dimension is no less.
    """

    sizes: tuple[int, ...]
    counts: tuple[int, ...]
    least: tuple[int, ...]
    bounds: tuple[float, ...]
    vc_dimension: float | None
    shattered_up_to: int

    def __str__(self) -> str:
        lines = [f"{'m':>4} {'labellings':>12} {'fewest':>8} {'bound':>10} {'2^m':>10}"]
        rows = zip(self.sizes, self.counts, self.least, self.bounds, strict=True)
        for m, count, few, bound in rows:
            lines.append(f"{m:>4} {count:>12} {few:>8} {bound:>10.6g} {2**m:>10}")
        lines.append(f"shattered sets were met up to m = {self.shattered_up_to}")
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw log2 of the counts against m, below m itself and Sauer's bound.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        ax.plot(self.sizes, np.log2(self.counts), "o-", label="measured")
        ax.plot(self.sizes, np.log2(self.bounds), "--", label="Sauer's bound")
        ax.plot(self.sizes, self.sizes, ":", label="all labellings")
        ax.set_xlabel("points m")
        ax.set_ylabel("log2 of the labellings")
        ax.legend()
        return ax


def empirical_growth(
    hypotheses: Any,
    sizes: Sequence[int] = SMALL,
    *,
    sampler: Callable[[int, np.random.Generator], Any] | None = None,
    n_sets: int = 5,
    random_state: Any = None,
) -> EmpiricalGrowth:
    """Count the labellings of random sets of points under a class.

    Parameters
    ----------
    hypotheses : HypothesisClass, table, or iterable of functions or classifiers
    sizes : sequence of int, default=1 to 6
        m.
    sampler : function (m, rng) -> points, optional
        By default normal points, or distinct columns of a table.
    n_sets : int, default=5
        Sets of each size.
    random_state : None, int, RandomState or Generator

    Returns
    -------
    EmpiricalGrowth

    Examples
    --------
    >>> from corollary.theory import Halfspaces, empirical_growth
    >>> found = empirical_growth(Halfspaces(2), [3, 4, 5], n_sets=2, random_state=0)
    >>> found.counts, found.shattered_up_to
    ((8, 14, 22), 3)
    """
    who = "empirical_growth"
    given = sizes if isinstance(sizes, Sequence | np.ndarray) else ()
    if not len(given) or not all(whole(1).holds(m) for m in given):
        must = "sizes must be one or more whole numbers >= 1"
        raise ParameterError(sentence(who, must, f"{sizes!r}"))
    if not whole(1).holds(n_sets):
        must = "n_sets must be a whole number >= 1"
        raise ParameterError(sentence(who, must, f"{n_sets!r}"))
    cls = as_class(hypotheses)
    draw = sampler or _sampler(cls, max(given))
    seed, d = seed_of(who, random_state), cls.vc_dimension
    counts, least, upto = [], [], 0
    for m in given:
        rng = generator(seed, int(m))
        found = [len(dichotomies(cls, draw(int(m), rng))) for _ in range(n_sets)]
        counts.append(max(found))
        least.append(min(found))
        upto = max(upto, int(m)) if max(found) == 2**m else upto
    bounds = tuple(phi(int(m), d) for m in given)
    sizes = tuple(int(m) for m in given)
    return EmpiricalGrowth(sizes, tuple(counts), tuple(least), bounds, d, upto)


def _sampler(cls: Any, most: int) -> Callable[[int, np.random.Generator], Any]:
    domain = getattr(cls, "domain", None)
    if domain is None:
        return normal_points(cls)
    if most > len(domain):
        must = f"sizes must be at most the {len(domain)} columns of the table"
        raise ParameterError(sentence("empirical_growth", must, f"{most}"))
    return lambda m, rng: rng.choice(domain, m, replace=False)


def phi(m: int, d: float | None) -> float:
    """Return (2), 2^m where d is not known or infinite."""
    if d is None or d >= m:
        return float(2**m)
    return float(comb(m, np.arange(int(d) + 1), exact=False).sum())
