"""Margins: how far rows lie from a hyperplane, and on which side.

Also known as: functional margin, geometric margin, signed distance.

A hyperplane w'x + b = 0 and labels y_i in {-1, +1} give each row

    functional margin   y_i (w'x_i + b)                                          (1)
    geometric margin    y_i (w'x_i + b) / ||w||                                  (2)

(1) grows with the scale of (w, b); (2) does not: it is the distance of the row to the
hyperplane, negative on the wrong side.  The margin of a set is the smallest of its
rows'.  The point of the hyperplane nearest to x is

    x - (w'x + b) / ||w||^2 w                                                    (3)

Course: S4-43. Reference: Vapnik (1995), ch. 5.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable

__all__ = ["Margins", "margins", "nearest_point_on_plane"]


@readable
class Margins(NamedTuple):
    """Margins of each row, (1) and (2), and of the set."""

    functional: Floats  # (n,)
    geometric: Floats  # (n,)

    @property
    def smallest(self) -> float:
        """The geometric margin of the set."""
        return float(self.geometric.min())


def margins(w: Any, b: float, X: Any, y: Any) -> Margins:
    """Return the margins of rows under the hyperplane w'x + b = 0.

    Parameters
    ----------
    w : array of shape (d,)
    b : float
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels; the larger one is the positive side.

    Examples
    --------
    >>> from corollary.linear.margins import margins
    >>> found = margins([3.0, 4.0], -5.0, [[3.0, 4.0], [0.0, 0.0]], [1, -1])
    >>> found.functional.tolist(), found.geometric.tolist(), found.smallest
    ([20.0, 5.0], [4.0, 1.0], 1.0)
    """
    w, X, y = normal(w), np.asarray(X, dtype=np.float64), np.asarray(y)
    if X.ndim != 2 or X.shape[1] != len(w) or y.shape != X.shape[:1] or not len(X):
        must = f"X must be (n, {len(w)}) with one label for each row"
        raise DataError(sentence("margins", must, f"{X.shape} and {y.shape}"))
    labels = np.unique(y)
    if len(labels) > 2:
        must = "y must have two labels"
        raise DataError(sentence("margins", must, f"{len(labels)}"))
    positive = labels[-1] if len(labels) == 2 or labels[0] > 0 else None
    functional = np.where(y == positive, 1.0, -1.0) * (X @ w + b)  # (1)
    return Margins(functional, functional / np.linalg.norm(w))  # (2)


def nearest_point_on_plane(w: Any, b: float, X: Any) -> Floats:
    """Return the nearest point of the hyperplane to each row (3).

    >>> nearest_point_on_plane([0.0, 2.0], -2.0, [[5.0, 7.0]]).tolist()
    [[5.0, 1.0]]
    """
    w, X = normal(w), np.asarray(X, dtype=np.float64)
    return X - ((X @ w + b) / (w @ w))[:, None] * w


def normal(w: Any) -> Floats:
    """Check the vector that a hyperplane is perpendicular to."""
    w = np.asarray(w, dtype=np.float64)
    if w.ndim != 1 or not np.isfinite(w).all() or not w.any():
        must = "w must be a finite vector other than 0"
        raise ParameterError(sentence("margins", must, f"shape {w.shape}"))
    return w
