"""Classes as they look from a direction: histograms of projected rows.

Also known as: projected classes, overlap along an axis, one-dimensional projection.

Rows are projected on v, z = v'x / ||v||.  The picture shows one histogram a class, and
two numbers: how far apart the projected means are, and the share of rows on the wrong
side of the best threshold.  The axis of the largest distance,

    argmax_v |v'(m_1 - m_0)| / ||v||  =  m_1 - m_0                               (1)

may mix the classes where another, such as Fisher's, keeps them apart: the spread along
v counts as much as the distance.

Course: S0-38. Reference: Duda, Hart, Stork (2001), ch. 3.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, sentence
from corollary.discriminants.intercept import best_intercept

__all__ = ["ClassProjection", "class_projection"]


@dataclass(frozen=True)
class ClassProjection:
    """Two classes seen along a direction.

    Attributes
    ----------
    z : array of shape (n,)
        Projected rows.
    y : array of shape (n,)
        Their labels.
    labels : array of shape (2,)
    distance : float
        Between the projected means.
    overlap : float
        Share of rows on the wrong side of the best threshold, either way round.
    """

    z: Floats
    y: Vector
    labels: Vector
    distance: float
    overlap: float

    def __str__(self) -> str:
        return f"means {self.distance:.3g} apart, overlap {self.overlap:.1%}"

    def plot(self, ax: Any = None) -> Any:
        """Draw a histogram of each class; needs the extra ``corollary[plots]``.

        Parameters
        ----------
        ax : matplotlib Axes, optional

        Returns
        -------
        matplotlib Axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        bins = np.histogram_bin_edges(self.z, bins=30)
        for label in self.labels:
            ax.hist(self.z[self.y == label], bins, alpha=0.5, label=str(label))
        ax.set_xlabel("projected row")
        ax.set_title(str(self))
        ax.legend()
        return ax


def class_projection(X: Any, y: Any, direction: Any) -> ClassProjection:
    """Project two classes on a direction and say how much they overlap there.

    Parameters
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels.
    direction : array of shape (d,)
        Of any length but 0.

    Returns
    -------
    ClassProjection

    Examples
    --------
    The means differ most along the first axis, the classes along the second.

    >>> from corollary.plots import class_projection
    >>> X = [[0.0, 0], [9, 0], [3, 1], [12, 1]]
    >>> print(class_projection(X, [0, 0, 1, 1], [1.0, 0.0]))
    means 3 apart, overlap 25.0%
    >>> print(class_projection(X, [0, 0, 1, 1], [0.0, 1.0]))
    means 1 apart, overlap 0.0%
    """
    X, y, v = np.asarray(X, float), np.asarray(y), np.asarray(direction, float)
    who, labels = "class_projection", np.unique(y)
    if X.ndim != 2 or y.shape != X.shape[:1] or v.shape != X.shape[1:]:
        must = "X, y and direction must have shapes (n, d), (n,) and (d,)"
        raise DataError(sentence(who, must, f"{X.shape}, {y.shape} and {v.shape}"))
    if len(labels) != 2:
        raise DataError(sentence(who, "y must have two labels", f"{len(labels)}"))
    length = float(np.linalg.norm(v))
    if not (0 < length < np.inf):
        must = "direction must be finite and not 0"
        raise DataError(sentence(who, must, f"length {length:g}"))
    z = X @ (v / length)
    first, second = (float(z[y == label].mean()) for label in labels)
    overlap = min(best_intercept(sign * z, y).error for sign in (1, -1))
    return ClassProjection(z, y, labels, abs(second - first), overlap)
