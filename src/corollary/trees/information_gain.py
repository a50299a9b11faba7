"""Entropy, information gain and gain ratio of many splits at once, from counts.

Also known as: entropy impurity, mutual information of attribute and class, the criteria
of ID3 and C4.5.

At a node with weight N_c of class c, and N_vc of it with value v of an attribute,

    H(N)    = - sum_c (N_c/N) log2 (N_c/N)                                       (1)
    gain    = H(N) - sum_v (N_v/N) H(N_v)                                        (2)
    split   = - sum_v (N_v/N) log2 (N_v/N)                                       (3)
    ratio   = gain / split                                                       (4)

in bits: 0 for a pure node, 1 for two equal classes.  (2) is never negative; it favours
attributes of many values, which (4) corrects.  With f(x) = x log2 x the sums are

    N gain  = f(N) - sum_c f(N_c) - sum_v f(N_v) + sum_vc f(N_vc)                (5)

A continuous attribute has ordered bins and splits in two, at the cut of the largest
gain; its missing values, which stand in the last bin, make a third branch.  An
attribute splits a node if at least two of its branches have rows.

Notation: N (S, k, D): S nodes, k classes, the values of all attributes side by side.
Course: S3-76, S3-77. References: Quinlan (1986); Quinlan (1993), ch. 2.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from corollary.core.arrays import Floats, Vector

__all__ = ["Criteria", "bits", "chosen_attributes", "criteria", "node_entropy"]

SLACK = 1e-10  # bits below which two gains are equal


@dataclass(frozen=True)
class Criteria:
    """Gain (2) and ratio (4) of every attribute at every node; NaN where none splits.

    `cut` is the last bin of the low side of a continuous attribute, -1 for others.
    """

    gain: Floats  # (S, d)
    ratio: Floats  # (S, d)
    cut: Vector  # (S, d)


def bits(x: Floats) -> Floats:
    """Return x log2 x with 0 log2 0 = 0.

    >>> bits(np.array([0.0, 0.5, 2.0])).tolist()
    [0.0, -0.5, 2.0]
    """
    return x * np.log2(np.where(x > 0, x, 1.0))


def node_entropy(N: Floats) -> Floats:
    """Return (1) of the counts in the last axis.

    >>> node_entropy(np.array([[5.0, 5.0], [3.0, 0.0]])).tolist()
    [1.0, 0.0]
    """
    total = N.sum(axis=-1, keepdims=True)
    return np.abs(bits(N / np.where(total > 0, total, 1.0)).sum(axis=-1))


def criteria(N: Floats, starts: Vector, continuous: Vector) -> Criteria:
    """Return the criteria of every attribute at every node.

    Parameters
    ----------
    N : array of shape (S, k, D)
        Weight of each class at each value of each attribute.
    starts : array of shape (d,)
        Where the values of each attribute begin among the D.
    continuous : array of shape (d,) of bool

    Returns
    -------
    Criteria
    """
    S, d = len(N), len(starts)
    first = slice(starts[0], starts[1] if d > 1 else None)
    classes = N[:, :, first].sum(axis=2)  # (S, k)
    total = classes.sum(axis=1)[:, None]
    whole = bits(total) - bits(classes).sum(axis=1)[:, None]  # (S, 1)
    values = N.sum(axis=1)  # (S, D)
    f_values = np.add.reduceat(bits(values), starts, axis=1)
    f_cells = np.add.reduceat(bits(N).sum(axis=1), starts, axis=1)
    branches = np.add.reduceat((values > 0).astype(int), starts, axis=1)
    gain, split = whole - f_values + f_cells, bits(total) - f_values  # (5), (3)
    cut = np.full((S, d), -1)
    ends = np.append(starts[1:], N.shape[2])
    for j in np.flatnonzero(continuous):
        table = N[:, :, starts[j] : ends[j]]
        lost, split_j, cut[:, j] = best_cuts(table)
        gain[:, j], split[:, j] = whole[:, 0] - lost, bits(total)[:, 0] - split_j
        branches[:, j] = np.where(np.isfinite(lost), 2, 0)
    splits = branches >= 2
    safe = np.where(total > 0, total, 1.0)
    gain = np.where(splits, np.maximum(gain / safe, 0.0), np.nan)
    split = np.where(splits, split / safe, 1.0)
    return Criteria(gain, gain / np.maximum(split, 1e-300), cut)  # (4)


def best_cuts(N: Floats) -> tuple[Floats, Floats, Vector]:
    """Find the best cut of one continuous attribute at each node.

    Parameters
    ----------
    N : array of shape (S, k, B + 1)
        Counts in B ordered bins, and of missing values.

    Returns
    -------
    lost, split, cut : arrays of shape (S,)
        The least sum_v N_v H(N_v), infinite where nothing can be split; sum_v f(N_v);
        and the last bin of the low side.  B - 1 cuts only the missing values off.
    """
    missing = N[:, :, -1]
    low = np.cumsum(N[:, :, :-1], axis=2)  # (S, k, B)
    high = np.zeros_like(low)
    high[:, :, :-1] = np.cumsum(N[:, :, -2:0:-1], axis=2)[:, :, ::-1]
    sides = low.sum(axis=1), high.sum(axis=1), missing.sum(axis=1)  # (S, B) x 2, (S,)
    lost = (
        sum(
            bits(n) - bits(part).sum(axis=1)
            for n, part in zip(sides[:2], (low, high), strict=True)
        )
        + (bits(sides[2]) - bits(missing).sum(axis=1))[:, None]
    )
    there = N[:, :, :-1].sum(axis=1) > 0  # cuts that follow an empty bin repeat others
    others = (sides[1] > 0).astype(int) + (sides[2] > 0)[:, None]
    lost = np.where(there & (others > 0), lost, np.inf)
    slack = SLACK * np.maximum(sides[0][:, -1:], 1e-300)
    equal = lost <= lost.min(axis=1, keepdims=True) + slack
    two = equal & (sides[1] == 0)  # known or missing: two branches are simpler
    cut = np.where(two.any(axis=1), two.argmax(axis=1), equal.argmax(axis=1))
    at = np.arange(len(N)), cut
    split = bits(sides[0][at]) + bits(sides[1][at]) + bits(sides[2])
    return lost[at], split, cut


def chosen_attributes(found: Criteria, criterion: str) -> Vector:
    """Return the attribute that each node splits on, the first of equals; -1 for none.

    By 'gain' the largest (2); by 'gain_ratio' the largest (4) among the attributes
    whose gain is at least the mean (Quinlan 1993).
    """
    none = np.isnan(found.gain).all(axis=1)
    gain = np.where(np.isnan(found.gain), -np.inf, found.gain)
    score = gain
    if criterion == "gain_ratio":
        there = np.isfinite(gain)
        mean = np.where(there, gain, 0.0).sum(axis=1) / np.maximum(there.sum(axis=1), 1)
        enough = there & (gain >= mean[:, None] - SLACK)
        score = np.where(enough, found.ratio, -np.inf)
    best = score.max(axis=1, keepdims=True)
    return np.where(none, -1, (score >= best - SLACK).argmax(axis=1))
