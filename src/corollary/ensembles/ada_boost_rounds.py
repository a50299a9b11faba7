"""Rounds of AdaBoost: a member, its votes, and the weights of the rows after it.

The equation numbers are those of `ada_boost_classifier.py`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats, Vector

__all__ = ["Round", "Turn", "log_leads", "updated", "votes_of"]

LARGEST = 700.0  # logarithm of a number that is one
LEAST = 1e-15  # probability that a member may give a class, in (9)


class Round(NamedTuple):
    """A member that is kept."""

    member: Any
    error: float  # (1)
    weight: float  # a of (8)
    Z: float = 1.0


class Turn(NamedTuple):
    """What a round does to the rows."""

    kept: Round
    gains: Floats  # (n,) y~'h / C of the member's scores h
    votes: Floats  # (n, C) h, or (n,) a y g for two classes that vote


def updated(D: Floats, gains: Floats) -> tuple[Floats, float]:
    """Return D of the next round and Z (3), for gains of any size."""
    least = float(gains.min())
    E = D * np.exp(least - gains)
    total = float(E.sum())
    if total == 0:  # rows without weight alone are wrong, and the others vanish
        return D, np.inf
    log_Z = np.log(total) - least
    return E / total, float(np.exp(log_Z)) if log_Z < LARGEST else np.inf


def votes_of(codes: Vector, wrong: Vector, a: float, C: int) -> Floats:
    """Return a y g for two classes, (n,); else what each class is given, (n, C)."""
    if C <= 2:
        return np.where(wrong, -a, a)
    F = np.zeros((len(codes), C))
    F[np.arange(len(codes)), codes] = a
    return F


def log_leads(P: Floats) -> Floats:
    """Return h of (9)."""
    logs = np.log(np.maximum(P, LEAST))
    C = P.shape[1]
    return (C - 1) * (logs - logs.mean(axis=1, keepdims=True))
