"""Probabilities of classes from linear scores.

    two classes    P(y = 1 | x) = F(z), the inverse of the link, in logarithms   (1)
    K classes      P(y = k | x) = softmax(z)_k                                   (2)

(1) with the logit is (2) of the scores 0 and z.
"""

from __future__ import annotations

import numpy as np

from corollary.core.arrays import Floats
from corollary.objectives.links import LINKS, Link
from corollary.objectives.softmax import log_softmax, softmax

__all__ = ["log_probabilities", "probabilities"]


def probabilities(Z: Floats, link: Link = LINKS["logit"]) -> Floats:
    """Return P(class | x) of scores (n,) or (n, K), as (n, K).

    >>> probabilities(np.array([0.0, np.log(3.0)])).round(6).tolist()
    [[0.5, 0.5], [0.25, 0.75]]
    """
    if link == LINKS["logit"]:
        return softmax(logits(Z))
    return np.exp(log_probabilities(Z, link))


def log_probabilities(Z: Floats, link: Link = LINKS["logit"]) -> Floats:
    """Return log P(class | x) of scores (n,) or (n, K), as (n, K)."""
    if link == LINKS["logit"]:
        return log_softmax(logits(Z))
    logs = link.logs(Z.astype(np.float64))
    return np.column_stack([logs.rest, logs.mean]).astype(Z.dtype)


def logits(Z: Floats) -> Floats:
    """Return a score for each class; of two classes the first has 0."""
    return np.column_stack([np.zeros_like(Z), Z]) if Z.ndim == 1 else Z
