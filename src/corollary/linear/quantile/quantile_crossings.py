"""Crossing quantiles: where models of several quantiles contradict each other.

Also known as: quantile crossing, monotone rearrangement.

Quantiles of one distribution rise with t.  Models fitted one by one need not:

    t < t'  and yet  f_t(x) > f_t'(x)   for some x                               (1)

Planes that are not parallel cross somewhere; it matters only where there are rows.
Sorting the predictions of a row removes every crossing and brings them no farther from
the true quantiles (Chernozhukov, Fernandez-Val, Galichon 2010).

Notation: t = quantile of a model; f_t = its prediction.
Course: S2-17. Reference: Koenker (2005), 2.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence

__all__ = ["Crossings", "quantile_crossings"]


@dataclass(frozen=True)
class Crossings:
    """Predicted quantiles of rows, and where they cross.

    Attributes
    ----------
    quantiles : array of shape (m,)
        Rising.
    predictions : array of shape (n, m)
    crossed : array of bool of shape (n,)
        Rows of which two predictions contradict each other (1).
    """

    quantiles: Floats
    predictions: Floats
    crossed: Vector

    @property
    def share(self) -> float:
        """Share of the rows that are crossed."""
        return float(self.crossed.mean())

    @property
    def rearranged(self) -> Floats:
        """The predictions of each row in rising order, (n, m)."""
        return np.sort(self.predictions, axis=1)

    def __str__(self) -> str:
        if not self.crossed.any():
            return f"no quantiles cross on these {len(self.crossed)} rows"
        return (
            f"quantiles cross on {int(self.crossed.sum())} of {len(self.crossed)} rows "
            f"({self.share:.1%}), first in row {int(self.crossed.argmax())}; use "
            "`rearranged`."
        )


def quantile_crossings(models: Sequence[Any], X: Any) -> Crossings:
    """Find the rows on which fitted quantile regressions contradict each other.

    Parameters
    ----------
    models : sequence of fitted QuantileRegressor
        Of different quantiles, in any order.
    X : array of shape (n, d)

    Returns
    -------
    Crossings

    Examples
    --------
    >>> from corollary import QuantileRegressor
    >>> X, y = [[0.0], [0.0], [1.0], [1.0]], [0.0, 4.0, 1.0, 2.0]
    >>> models = [
    ...     QuantileRegressor(quantile=t, alpha=0).fit(X, y) for t in (0.2, 0.8)
    ... ]
    >>> quantile_crossings(models, [[0.0], [3.0]]).crossed.tolist()
    [False, True]
    """
    quantiles = np.array([float(getattr(m, "quantile", np.nan)) for m in models])
    if len(quantiles) < 2 or len(np.unique(quantiles)) < len(quantiles):
        must = "models must be of two or more different quantiles"
        came = f"{quantiles.tolist()}"
        raise ParameterError(sentence("quantile_crossings", must, came))
    order = np.argsort(quantiles)
    F = np.column_stack([models[i].predict(X) for i in order])
    crossed: Vector = np.any(np.diff(F, axis=1) < 0, axis=1)
    return Crossings(quantiles[order], F, crossed)
