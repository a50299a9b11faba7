"""The conformal quantile: how far the scores of rows that a model never saw reach.

Also known as: calibration quantile, inflated quantile, split conformal threshold.

A score s(x, y) says how badly y suits x.  Where the calibration rows and a new one are
exchangeable, the rank of the new score among all n + 1 is uniform, so that

    Pr[ s <= q ] >= 1 - delta,   q = s_(k),   k = ceil((n + 1)(1 - delta))       (1)

with s_(1) <= ... <= s_(n), and at most 1 - delta + 1/(n + 1) where no scores are equal.
Too few rows, k > n, give q = infinity: only the set of everything is sure to hold.

Under a shift of the rows, or with weights, each score counts w_i and the new one w:

    q(w) = min{ s_i : sum_{j: s_j <= s_i} w_j >= (1 - delta)(sum_j w_j + w) }    (2)

Weights that are likelihood ratios, dP_new(x) / dP(x), make (1) hold under P_new
(Tibshirani et al.); weights that count copies of a row are (1) for the copies, w = 1.
Where weights are no whole numbers, a new row counts as much as the old ones on average.

Notation: s = scores; n calibration rows; delta, how often the set may miss; w = weight.
References: Vovk, Gammerman and Shafer (2005); Tibshirani, Barber, Candes and Ramdas
(2019).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.checks import check_weights
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real
from corollary.core.records import stored

__all__ = [
    "Calibration",
    "check_delta",
    "check_scores",
    "conformal_quantile",
    "conformal_rank",
]

SLACK = 1e-12  # relative: delta = 0.1 means a tenth, not the double next to it


def conformal_rank(n: int, delta: float) -> int:
    """Return k of (1); n + 1 where n rows are too few.

    >>> conformal_rank(9, 0.1), conformal_rank(8, 0.1)
    (9, 9)
    """
    return n + 1 - int(np.floor((n + 1) * delta * (1 + SLACK)))


def conformal_quantile(scores: Any, delta: float = 0.1, *, weights: Any = None) -> Any:
    """Return the score that a new row stays below with probability 1 - delta.

    Parameters
    ----------
    scores : array of shape (n,)
        Of rows that the model was not fitted to; larger is stranger.
    delta : float, default=0.1
        How often the new score may lie above, in (0, 1).
    weights : array of shape (n,), optional
        How often each score counts (2).

    Returns
    -------
    float
        Infinity where the rows are too few for delta.

    Examples
    --------
    >>> from corollary.theory import conformal_quantile
    >>> conformal_quantile([3.0, 1.0, 2.0, 5.0, 4.0, 9.0, 7.0, 8.0, 6.0], delta=0.2)
    8.0
    >>> conformal_quantile([3.0, 1.0, 2.0], delta=0.2)
    inf
    """
    who = "conformal_quantile"
    delta = check_delta(who, delta)
    s = check_scores(who, scores)
    if weights is not None:
        w = check_weights(who, weights, len(s))
        return float(Calibration.of(s, w).threshold(delta))
    k = conformal_rank(len(s), delta)
    return float(np.partition(s, k - 1)[k - 1]) if k <= len(s) else np.inf


@stored
@dataclass(frozen=True)
class Calibration:
    """Scores of calibration rows, in order, and what they weigh."""

    scores: Floats  # (n,), rising
    sums: Any = None  # (n,) running sums of their weights; None where all weigh 1
    unit: float = 1.0  # weight of a new row

    @classmethod
    def of(cls, scores: Floats, weights: Any = None) -> Calibration:
        """Sort scores once, for any delta."""
        if weights is None:
            return cls(np.sort(scores))
        order = np.argsort(scores, kind="stable")
        copies = not len(weights) or (weights == np.floor(weights)).all()
        unit = 1.0 if copies else float(weights.mean())
        return cls(scores[order], np.cumsum(weights[order]), unit)

    @property
    def rows(self) -> int:
        """How many scores there are."""
        return len(self.scores)

    def threshold(self, delta: float, weight: Any = None) -> Any:
        """Return q of (1), or of (2) for each weight of a new row."""
        if self.sums is None:
            k = conformal_rank(self.rows, delta)
            return float(self.scores[k - 1]) if k <= self.rows else np.inf
        total = self.sums[-1] if self.rows else 0.0
        weight = self.unit if weight is None else weight
        asked = (1 - delta) * (total + np.asarray(weight)) * (1 - SLACK)
        at = np.searchsorted(self.sums, asked, side="left")
        found = np.append(self.scores, np.inf)[at]
        return found if np.ndim(weight) else float(found)

    def level(self, alpha: float) -> float:
        """Return the threshold of any level: all below 0, nothing from 1 on."""
        if alpha >= 1:
            return -np.inf
        return float(self.threshold(alpha)) if alpha > 0 else np.inf


def check_delta(who: Any, delta: Any) -> float:
    """Return how often a set may miss, a number in (0, 1)."""
    rule = real(0, 1, ends="()")
    if not rule.holds(delta):
        raise ParameterError(sentence(who, f"delta must be {rule.words}", f"{delta!r}"))
    return float(delta)


def check_scores(who: Any, scores: Any, name: str = "scores") -> Floats:
    """Return scores (n,) of at least one row, without NaN."""
    try:
        s = np.asarray(scores, dtype=np.float64)
    except (TypeError, ValueError):
        must = f"{name} must be numbers"
        raise DataError(sentence(who, must, f"{scores!r:.60}")) from None
    if s.ndim != 1 or not len(s):
        must = f"{name} must be one number for each of at least 1 row"
        raise DataError(sentence(who, must, f"shape {s.shape}"))
    if np.isnan(s).any():
        must = f"{name} must be numbers"
        came = f"NaN in row {int(np.isnan(s).argmax())}"
        raise DataError(sentence(who, must, came, "Look at what the model predicts."))
    return s
