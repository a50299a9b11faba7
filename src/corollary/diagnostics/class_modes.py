"""Does a class lie in several pieces?  A warning before a linear machine is used.

Also known as: multimodal classes, unimodality test, Silverman's test, bump hunting.

The regions of a linear machine are convex, so it suits classes of one piece: unimodal
densities p(x | c).  Half of the rows of each class are cut in two by 2-means; the
others, which had no part in the choice, are projected on the axis u between the means,

    t_n = u'x_n,     f_h(t) = (1/n h) sum_n phi((t - t_n) / h)                       (1)

The estimate f_h has fewer modes the wider h is.  The critical width

    h* = least h for which f_h has one mode                                          (2)

is large where the rows are in two pieces.  How large it would be by chance is seen from
samples of f_h* itself, rescaled to the variance s^2 of the rows:

    t' = mean + (t_n + h* e - mean) / sqrt(1 + h*^2/s^2),   e normal, n at random    (3)
    p  = share of such samples whose own f_h* has more than one mode                 (4)

A small p says that one piece is not to be believed.  Classes are looked at along one
axis each: a large p is no proof of one piece.

Notation: phi the normal density; features are first divided by their spread.
Course: S3-53. Reference: Silverman (1981).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.clustering.k_means import KMeans
from corollary.core.arrays import Floats, Vector
from corollary.core.checks import encode_labels
from corollary.core.errors import ParameterError, sentence
from corollary.core.randomness import entropy, generator
from corollary.core.vectors import rows_of

__all__ = ["ClassModes", "class_modes"]

WHO = "class_modes"
FEWEST = 20  # rows of a class to say anything of
MOST = 2000  # rows of a class that are looked at
GRID = 512
VISIBLE = 1e-6  # of the highest mode
HALVINGS = 30


@dataclass(frozen=True)
class ClassModes:
    """How believable it is that each class is one piece.

    Attributes
    ----------
    classes : array of shape (K,)
    p_values : array of shape (K,)
        (4); 1 for classes of fewer than 20 rows.
    widths : array of shape (K,)
        h* (2), over the standard deviation of the projections.
    level : float
        Classes with a p-value of at most this are suspect.
    """

    classes: Vector
    p_values: Floats
    widths: Floats
    level: float

    @property
    def multimodal(self) -> list[Any]:
        """The classes that seem to lie in several pieces."""
        return np.asarray(self.classes)[self.p_values <= self.level].tolist()

    @property
    def warning(self) -> str:
        """What to know before a linear machine is used; empty where all is well."""
        if not self.multimodal:
            return ""
        named = ", ".join(map(repr, self.multimodal))
        return (
            f"rows of class {named} seem to lie in several pieces, which the convex "
            "regions of a linear machine cannot follow. Split such a class, or use "
            "nearest neighbours, a kernel machine or a density of each class."
        )

    def __str__(self) -> str:
        rows = zip(self.classes, self.p_values, self.widths, strict=True)
        lines = ["class       p        critical width"]
        lines += [f"{c!s:<11} {p:<8.3g} {h:.3g}" for c, p, h in rows]
        return "\n".join([*lines, self.warning or "no class seems to be in pieces"])


def class_modes(
    X: Any, y: Any, *, level: float = 0.01, samples: int = 199, random_state: Any = 0
) -> ClassModes:
    """Look for classes in several pieces, and warn of them.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
    level : float, default=0.01
        Largest p-value to warn of.
    samples : int, default=199
        Samples of (3) for each class.
    random_state : None, int or Generator

    Returns
    -------
    ClassModes
        A `UserWarning` names the classes that are suspect.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> X, y = rng.normal(size=(200, 2)), np.arange(200) % 2
    >>> class_modes(X, y).multimodal
    []
    """
    X = rows_of(WHO, X)
    labels, codes = encode_labels(KMeans(), y, len(X))
    if not (0 < level < 1 and samples >= 1 / level - 1):
        must = "level must be in (0, 1) and samples at least 1/level - 1"
        raise ParameterError(sentence(WHO, must, f"{level!r} and {samples!r}"))
    seed = entropy(random_state)
    found = np.array(
        [
            _silverman(X[codes == c], samples, generator(seed, c))
            for c in range(len(labels))
        ]
    )
    modes = ClassModes(labels, found[:, 0], found[:, 1], level)
    if modes.warning:
        warnings.warn(f"{WHO}: {modes.warning}", UserWarning, stacklevel=2)
    return modes


def _silverman(
    X: Floats, samples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Return (4) and h*/s of the rows of one class."""
    if len(X) > MOST:
        X = X[rng.choice(len(X), MOST, replace=False)]
    spread = X.std(axis=0)
    moving = spread > 1e-12 * np.abs(X).max(axis=0, initial=0.0)
    if len(X) < FEWEST or not moving.any():
        return 1.0, np.nan
    order = rng.permutation(len(X))
    t = _projected(X[order][:, moving] / spread[moving], int(rng.integers(2**31)))
    if not t.std() > 0:
        return 1.0, np.nan
    mean, s = float(t.mean()), float(t.std())
    h = _critical_width(t, s)
    shrink = np.sqrt(1 + (h / s) ** 2)
    several = 0
    for _ in range(samples):  # (3)
        drawn = rng.choice(t, len(t)) + h * rng.normal(size=len(t))
        several += _modes(mean + (drawn - mean) / shrink, h) > 1
    return (1 + several) / (1 + samples), h / s


def _projected(X: Floats, seed: int) -> Floats:
    """Return half of the rows along the axis that 2-means finds in the others."""
    first = X[: len(X) // 2]
    if len(np.unique(first, axis=0)) < 2:
        return np.zeros(1)
    mu = KMeans(2, n_init=5, random_state=seed).fit(first).cluster_centers_
    return X[len(X) // 2 :] @ (mu[1] - mu[0])


def _critical_width(t: Floats, s: float) -> float:
    """Return h* (2): modes never grow with h."""
    low, high = 1e-3 * s, 2 * s
    while _modes(t, high) > 1:
        high *= 2
    for _ in range(HALVINGS):
        middle = np.sqrt(low * high)
        low, high = (middle, high) if _modes(t, middle) > 1 else (low, middle)
    return float(high)


def _modes(t: Floats, h: float) -> int:
    """Count the modes of f_h on a grid, from rows shared out to its points."""
    grid = np.linspace(t.min() - 3 * h, t.max() + 3 * h, GRID)
    step = grid[1] - grid[0]
    place = (t - grid[0]) / step
    left = np.minimum(place.astype(int), GRID - 2)
    share = place - left
    mass = np.bincount(left, 1 - share, GRID) + np.bincount(left + 1, share, GRID)
    bump = np.exp(-0.5 * (np.arange(1 - GRID, GRID) * step / h) ** 2)
    f = np.convolve(mass, bump)[GRID - 1 : 2 * GRID - 1]  # (1)
    f = np.where(f > VISIBLE * f.max(), f, 0.0)
    turns = np.sign(np.diff(f))
    turns = turns[turns != 0]
    return int(((turns[:-1] > 0) & (turns[1:] < 0)).sum())
