"""From the class shares of leaves to answers, of one output or of several."""

from __future__ import annotations

from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.trees.label_weights import outputs

__all__ = ["log_shares", "shares_of", "winners"]


def winners(learner: Any, shares: Floats) -> Vector:
    """Return the classes of largest share, given shares (n, m, K); ties: the first."""
    best = shares.argmax(axis=2)  # (n, m)
    known = outputs(learner)
    if not isinstance(learner.classes_, list):
        return known[0][best[:, 0]]
    return np.column_stack([c[best[:, o]] for o, c in enumerate(known)])


def shares_of(learner: Any, shares: Floats) -> Any:
    """Return shares (n, m, K) as one array (n, K), or a list of such."""
    known = outputs(learner)
    tables = [shares[:, o, : len(c)] for o, c in enumerate(known)]
    return tables if isinstance(learner.classes_, list) else tables[0]


def log_shares(shares: Any) -> Any:
    """Return the logarithm of shares, -inf for 0."""
    with np.errstate(divide="ignore"):
        if isinstance(shares, list):
            return [np.log(each) for each in shares]
        return np.log(shares)
