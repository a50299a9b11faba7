"""Which pairs of features interact: a test of every pair, by cuts into quadrants.

Also known as: FAST interaction detection, pairwise interaction screening.

Two cuts, one of each feature, make four cells with sums G of gradients and h of
hessians.  Beyond the effects of the rows and columns, one number is left to fit, and
the fall of the loss's quadratic model by it is

    Q = (G_11/h_11 - G_12/h_12 - G_21/h_21 + G_22/h_22)^2
        / (1/h_11 + 1/h_12 + 1/h_21 + 1/h_22)                                        (1)

the largest over all cuts.  Without an interaction, Q over the residual variance

    sigma^2 = (sum g^2 / h) / n                                                      (2)

has about the chi-squared distribution with one degree of freedom; a pair is said to
interact where it exceeds what all pairs and cuts together exceed by chance once in a
hundred times (Bonferroni).

Notation: g, h = gradient and hessian of a row.
Reference: Lou, Caruana, Gehrke and Hooker (2013).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
from scipy.stats import chi2

from corollary.core.arrays import Floats, Vector
from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import Gradients

__all__ = ["interacting_pairs"]

CELLS = 16  # of a feature
CHANCE = 0.01


def interacting_pairs(
    bins: Bins, columns: Vector, gradients: list[Gradients], least: int, most: int
) -> list[tuple[int, int]]:
    """Return the pairs that interact, the strongest first, at most so many."""
    d = len(columns)
    coarse = [coarsened(x, int(k)) for x, k in zip(columns, bins.counts, strict=True)]
    pairs = list(combinations(range(d), 2))
    if not pairs or most == 0:
        return []
    found = np.zeros(len(pairs))
    for each in gradients:
        g, h = decoded(each)
        variance = float((g[h > 0] ** 2 / h[h > 0]).mean()) if (h > 0).any() else 0.0
        if variance == 0:
            continue
        for p, (i, j) in enumerate(pairs):
            Q = largest_contrast(coarse[i], coarse[j], g, h, least)
            found[p] = max(found[p], Q / variance)
    tests = len(pairs) * (CELLS - 1) ** 2 * len(gradients)
    order = np.argsort(-found, kind="stable")[:most]
    enough = float(chi2.isf(CHANCE / tests, 1))
    return [pairs[p] for p in order if found[p] > enough]


def coarsened(codes: Vector, bins: int) -> Vector:
    """Return at most CELLS cells of about as many rows, missing values in the last."""
    rows = np.bincount(codes, minlength=bins + 1)
    before = np.cumsum(rows) - rows
    cell = np.minimum(before * CELLS // max(1, len(codes)), CELLS - 1)
    return cell.astype(np.int64)[codes]


def decoded(gradients: Gradients) -> tuple[Floats, Floats]:
    """Return gradients and hessians as numbers."""
    unit_g, unit_h, *_ = gradients.fields
    if gradients.constant:
        return unit_g * gradients.g, np.ones(len(gradients.g))
    if gradients.h is not None:
        return unit_g * gradients.g, unit_h * gradients.h
    return unit_g * (gradients.g >> 16), unit_h * (gradients.g & 0xFFFF)


def largest_contrast(a: Vector, b: Vector, g: Floats, h: Floats, least: int) -> float:
    """Return the largest Q (1) over all cuts that leave enough rows in each cell."""
    at = a * CELLS + b
    sums = [np.bincount(at, of, CELLS**2) for of in (g, h, None)]
    G, H, n = (quadrants(s.reshape(CELLS, CELLS)) for s in sums)
    good = (n.min(axis=0) >= least) & (H.min(axis=0) > 0)
    if not good.any():
        return 0.0
    G, H = G[:, good], H[:, good]
    signs = np.array([1.0, -1.0, -1.0, 1.0])[:, None]
    Q = (signs * G / H).sum(axis=0) ** 2 / (1 / H).sum(axis=0)
    return float(Q.max())


def quadrants(cells: Any) -> Floats:
    """Return the sums of the four sides of every pair of cuts, (4, cuts, cuts)."""
    low = cells.cumsum(axis=0).cumsum(axis=1)
    corner = low[:-1, :-1]
    rows, columns = low[:-1, -1:], low[-1:, :-1]
    rest = low[-1, -1] - rows - columns + corner
    return np.stack([corner, rows - corner, columns - corner, rest])
