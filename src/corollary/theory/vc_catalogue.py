"""A catalogue of VC dimensions, each with its proof.

Also known as: table of VC dimensions, capacity of named classes.

    VC(C) = d   <=>   some set of d points is shattered, and no set of d + 1 is      (1)

The first half is proved here by a set and the parameters of a rule for every labelling;
the second by the theorem that the entry names, whose certificate is computed for sets
that are drawn: a Radon partition, a point inside a box, + - + on the line.  Classes of
infinite dimension shatter sets of every size; some are shown.

Where a class has an infinite domain, sets that are drawn are examples of the second
half, not a proof; the theorem is.  Yes-no features are a finite domain, and all its
sets are tried.

Course: S3-105, S0-55. References: Kearns and Vazirani (1994), ch. 3; Dudley (1978).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from corollary.core.randomness import generator
from corollary.theory.boolean_classes import Conjunctions
from corollary.theory.box_classes import Boxes, Stumps
from corollary.theory.draws import seed_of
from corollary.theory.halfspaces import Halfspaces, Polynomials
from corollary.theory.hypothesis_class import HypothesisClass
from corollary.theory.interval_classes import Intervals
from corollary.theory.shattering import Shattering, shatters, vc_dimension
from corollary.theory.sine_class import Sines

__all__ = ["VCCatalogue", "VCEntry", "vc_catalogue"]

BLUMER = "Blumer, Ehrenfeucht, Haussler, Warmuth (1989)"
SHOWN = 6  # points of a shattered set of an infinite dimension
DRAWN = 3  # sets of d + 1 points


@dataclass(frozen=True, eq=False)
class VCEntry:
    """A class, its VC dimension, and what proves it.

    Attributes
    ----------
    name : str
    formula : str
        The dimension in general.
    example : HypothesisClass
        A member of the family.
    dimension : float
        Of the example.
    upper_bound : str
        Why no larger set is shattered.
    source : str
    shattered : Shattering
        A shattered set of that size, with all witnesses; of 6 points where the
        dimension is infinite.
    larger : tuple of Shattering
        Sets of one more point, none shattered; empty where the dimension is infinite
        or all sets of a finite domain were tried.
    """

    name: str
    formula: str
    example: HypothesisClass
    dimension: float
    upper_bound: str
    source: str
    shattered: Shattering
    larger: tuple[Shattering, ...]

    @property
    def holds(self) -> bool:
        """Whether every check agrees with the formula."""
        return bool(self.shattered) and not any(self.larger)

    def __str__(self) -> str:
        return f"{self.name}: {self.formula} ({self.source})"


@dataclass(frozen=True, eq=False)
class VCCatalogue:
    """The entries, by name."""

    entries: tuple[VCEntry, ...]

    def __iter__(self) -> Iterator[VCEntry]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __getitem__(self, name: str) -> VCEntry:
        return {entry.name: entry for entry in self.entries}[name]

    def __str__(self) -> str:
        wide = max(len(entry.name) for entry in self.entries)
        return "\n".join(
            f"{entry.name:<{wide}}  {entry.formula:<34}  {entry.source}"
            for entry in self.entries
        )


#: Name, dimension in general, an example, why not more, where it is proved.
KNOWN: tuple[tuple[str, str, HypothesisClass, str, str], ...] = (
    ("intervals", "2", Intervals(), "+ - + needs two intervals", BLUMER),
    (
        "k intervals",
        "2k",
        Intervals(3),
        "k + 1 positives with negatives between need k + 1 intervals",
        BLUMER,
    ),
    ("finite unions of intervals", "infinite", Intervals(None), "none", BLUMER),
    (
        "rectangles in the plane",
        "4",
        Boxes(2),
        "a point that is no extreme lies in the box of the extremes",
        BLUMER,
    ),
    (
        "boxes in n dimensions",
        "2n",
        Boxes(3),
        "a point that is no extreme lies in the box of the extremes",
        BLUMER,
    ),
    (
        "decision stumps on n features",
        "largest d: C(d, floor(d/2)) <= 2n",
        Stumps(2),
        "each feature makes two of the sets of half the points",
        "Leboeuf, LeBlanc, Marchand (2020)",
    ),
    ("halfplanes", "3", Halfspaces(2), "Radon's theorem", "Dudley (1978)"),
    (
        "halfspaces in n dimensions",
        "n + 1",
        Halfspaces(4),
        "Radon's theorem",
        "Dudley (1978)",
    ),
    (
        "halfspaces through the origin",
        "n",
        Halfspaces(3, homogeneous=True),
        "n + 1 vectors are linearly dependent",
        "Dudley (1978)",
    ),
    (
        "polynomials of degree p in n variables",
        "C(n + p, p)",
        Polynomials(2, 2),
        "more points have dependent monomials",
        "Dudley (1978)",
    ),
    ("sine waves", "infinite", Sines(), "none", "Vapnik (1995)"),
    (
        "conjunctions of n literals",
        "n, for n >= 2",
        Conjunctions(3),
        "all sets of the 2^n points are tried",
        "Natschlaeger and Schmitt (1996)",
    ),
    (
        "monotone conjunctions",
        "n",
        Conjunctions(3, monotone=True),
        "there are 2^n rules",
        "Valiant (1984)",
    ),
)


def vc_catalogue(random_state: Any = 0) -> VCCatalogue:
    """Return the VC dimensions of named classes, each checked as far as can be.

    Parameters
    ----------
    random_state : None, int, RandomState or Generator, default=0
        Draws the sets that are too large to be shattered.

    Returns
    -------
    VCCatalogue

    Examples
    --------
    >>> from corollary.theory import vc_catalogue
    >>> entry = vc_catalogue()["halfplanes"]
    >>> print(entry)
    halfplanes: 3 (Dudley (1978))
    >>> entry.dimension, entry.holds, len(entry.shattered.witnesses)
    (3, True, 8)
    """
    seed = seed_of("vc_catalogue", random_state)
    entries = []
    for number, (name, formula, example, bound, source) in enumerate(KNOWN):
        d = float(example.dimension() or 0)
        rng = generator(seed, number)
        d = d if np.isinf(d) else int(d)
        size = SHOWN if np.isinf(d) else int(d)
        shown = shatters(example, example.shattered_points(size))
        larger = _larger(example, d, rng)
        entries.append(VCEntry(name, formula, example, d, bound, source, shown, larger))
    return VCCatalogue(tuple(entries))


def _larger(
    example: HypothesisClass, d: float, rng: np.random.Generator
) -> tuple[Shattering, ...]:
    """Return sets of d + 1 points, none of which should be shattered."""
    if np.isinf(d):
        return ()
    n, m = int(example.n_features or 1), int(d) + 1
    if isinstance(example, Conjunctions):
        domain = np.array(list(product((0.0, 1.0), repeat=n)))
        found = vc_dimension(example, domain)
        if found.dimension > d:
            return (shatters(example, domain[list(found.points)]),)
        return ()
    return tuple(shatters(example, rng.normal(size=(m, n))) for _ in range(DRAWN))
