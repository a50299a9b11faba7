"""Right and wrong answers at every threshold of a score, by one sort.

Rows with a score of at least t are said to be positive.  Between two scores that occur
nothing changes, so the distinct scores, and infinity, are all the thresholds there are:

    TP(t) = sum_{positive rows} w 1[s >= t],    FP(t) = sum_{others} w 1[s >= t]  (1)

Both fall as t rises.

Notation: s = scores; w = weights; t = thresholds, rising, infinity last.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.checks import full_weights
from corollary.core.errors import DataError, sentence
from corollary.diagnostics.outcomes import positive_rows, scores_of

__all__ = ["Counts", "threshold_counts"]


@dataclass(frozen=True)
class Counts:
    """What (1) gives, and what it was made from."""

    label: Any  # the positive one
    thresholds: Floats  # (g + 1,) rising, infinity last
    tp: Floats  # (g + 1,)
    fp: Floats  # (g + 1,)
    positive: Vector  # (n,) which rows are
    scores: Floats  # (n,)
    weights: Floats  # (n,)

    @property
    def P(self) -> float:
        """Weight of the positive rows."""
        return float(self.tp[0])

    @property
    def N(self) -> float:
        """Weight of the other rows."""
        return float(self.fp[0])


def threshold_counts(
    who: str, y: Any, scores: Any, positive: Any, sample_weight: Any
) -> Counts:
    """Check labels, scores and weights; return (1)."""
    hit, label = positive_rows(who, y, positive)
    s = scores_of(who, scores, y, label, len(hit))
    w = full_weights(who, sample_weight, len(hit))
    if not w[hit].any() or not w[~hit].any():
        must = "sample_weight must be above 0 for positive and for other rows"
        raise DataError(sentence(who, must, "0 for all of one kind"))
    order = np.argsort(s)
    s_up, hit_up, w_up = s[order], hit[order], w[order]
    starts = np.flatnonzero(np.concatenate([[True], s_up[1:] != s_up[:-1]]))
    up = np.where(hit_up, w_up, 0.0)
    tp, fp = (at_least(v, starts) for v in (up, w_up - up))  # (1)
    thresholds = np.append(s_up[starts], np.inf)
    return Counts(label, thresholds, tp, fp, hit, s, w)


def at_least(w: Floats, starts: Vector) -> Floats:
    """Sum weights from each start to the end, and from the end: nothing."""
    total = np.cumsum(w[::-1])[::-1]
    return np.append(total[starts], 0.0)
