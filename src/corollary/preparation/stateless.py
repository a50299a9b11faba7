"""Transformers that learn nothing: each row is changed by itself.

`fit` only checks the parameters and remembers the columns; `transform` works without.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import OneToOneFeatureMixin

from corollary.core.arrays import Floats, Matrix, Vector
from corollary.core.report import Report
from corollary.core.roles import Transformer, total_weight
from corollary.engine import Chunk, Data, Fitted, Statistics, SummationLearner
from corollary.engine.executors.executor import side_by_side
from corollary.preparation.expansion import exact

__all__ = ["Stateless", "by_blocks"]

BLOCK = 2**20  # bytes that a thread works on at a time


@dataclass(frozen=True)
class Rows(Statistics):
    """How many rows there are."""

    n: float


class Stateless(SummationLearner, Transformer):
    """Changes each row by itself, into as many columns."""

    # -- learning ------------------------------------------------------------------
    def start(self, data: Data, seed: int) -> None:
        """Know nothing."""

    def statistics(self, chunk: Chunk, state: None) -> Rows:
        """Count the rows."""
        return Rows(total_weight(chunk.w, chunk.n))

    def update(self, s: Rows, state: None) -> None:
        """Learn nothing."""

    def account(self, state: None, report: Report) -> None:
        """Report that nothing is approximated."""
        exact(report)

    def publish(self, fitted: Fitted) -> None:
        """Set nothing: there is nothing to read."""

    # -- use -----------------------------------------------------------------------
    def get_feature_names_out(self, input_features: Any = None) -> Vector:
        """Name the columns of `transform`, which are those of the input.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the inputs; by default those seen in `fit`, or x0, x1, ...

        Returns
        -------
        array of str
        """
        return OneToOneFeatureMixin.get_feature_names_out(self, input_features)

    def _rows(self, X: Any) -> Matrix:
        """Check rows; without a fit they may have any number of columns."""
        return self._query(X, getattr(self, "n_features_in_", 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags


def by_blocks(
    function: Callable[[Floats, Floats], Any], X: Floats, out: Floats | None = None
) -> Floats:
    """Let a function write what it makes of rows, block by block, on all cores.

    It writes into a new array, or into `out`.

    >>> by_blocks(lambda rows, out: np.negative(rows, out=out), np.ones((1, 2)))
    array([[-1., -1.]])
    """
    out = np.empty_like(X) if out is None else out
    rows = max(1, BLOCK // max(1, X.itemsize * X.shape[1]))
    if len(X) <= rows:
        function(X, out)
    else:

        def work(a: int) -> None:
            function(X[a : a + rows], out[a : a + rows])

        side_by_side(work, range(0, len(X), rows))
    return out
