"""Decision regions: a picture of what a classifier decides everywhere in the plane.

Also known as: decision boundary plot, decision surface.

Every classifier is a score g_i for each class and a maximum,

    decide i  where  g_i(x) = max_j g_j(x)                                       (1)

so it cuts the plane into regions.  They are found by asking the model at every point of
a grid; columns that are not drawn are held fixed.

Course: S3-13. Reference: Duda, Hart, Stork (2001), 2.4.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.records import readable
from corollary.decisions.probabilities import check_offers

__all__ = ["DecisionRegions", "decision_regions"]


@readable
@dataclass(frozen=True)
class DecisionRegions:
    """The regions on a grid, and the rows to draw over them.

    Attributes
    ----------
    x, y : arrays of shape (p,), (q,)
        Coordinates of the grid.
    codes : array of int of shape (q, p)
        Number of the decision at each point, among `labels`.
    labels : array of shape (k,)
        What the model may decide.
    points, point_codes : arrays or None
        Rows to draw, and the number of the label of each.
    names : pair of str
        Names of the two columns.
    """

    x: Floats
    y: Floats
    codes: Vector
    labels: Vector
    names: tuple[str, str]
    title: str
    points: Any = None
    point_codes: Any = None

    def shares(self) -> Floats:
        """Return the share of the drawn area that each label has, (k,)."""
        return np.bincount(self.codes.ravel(), minlength=len(self.labels)) / (
            self.codes.size
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw; return the axes.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt
        from matplotlib.colors import ListedColormap
        from matplotlib.patches import Patch

        ax = ax if ax is not None else plt.subplots()[1]
        k = len(self.labels)
        colours = [plt.get_cmap("tab10" if k <= 10 else "turbo")(v) for v in _spread(k)]
        ax.pcolormesh(
            self.x,
            self.y,
            self.codes,
            cmap=ListedColormap(colours),
            vmin=-0.5,
            vmax=k - 0.5,
            alpha=0.35,
            shading="nearest",
            rasterized=True,
        )
        if self.points is not None:
            drawn = [colours[c] for c in self.point_codes]
            ax.scatter(
                *self.points.T, c=drawn, s=18, edgecolors="black", linewidths=0.4
            )
        keys = [
            Patch(color=colour, label=str(label))
            for colour, label in zip(colours, self.labels, strict=True)
        ]
        ax.legend(handles=keys)
        ax.set(xlabel=self.names[0], ylabel=self.names[1], title=self.title)
        return ax


def decision_regions(
    model: Any,
    X: Any,
    y: Any = None,
    *,
    columns: tuple[int, int] = (0, 1),
    fixed: Any = None,
    span: Any = None,
    resolution: int = 200,
) -> DecisionRegions:
    """Return the decision regions of a fitted classifier, ready to `plot`.

    Parameters
    ----------
    model : fitted classifier or DiscriminantFunctions
    X : array or data frame of shape (n, d)
        Rows that say where to look; drawn where y is given.
    y : array of shape (n,), optional
        Their classes.
    columns : pair of int
        The two columns to draw.
    fixed : array of shape (d,), optional
        Values of the other columns; by default their medians.
    span : two pairs of float, optional
        What to draw; by default the range of X and a tenth more.
    resolution : int
        Points of the grid along each axis.

    Returns
    -------
    DecisionRegions

    Examples
    --------
    >>> from corollary import GaussianNB, datasets
    >>> from corollary.plots.decision_regions import decision_regions
    >>> X, y = datasets.two_moons(100)
    >>> regions = decision_regions(GaussianNB().fit(X, y), X, y)
    >>> regions.codes.shape, regions.labels.tolist()
    ((200, 200), [0, 1])
    """
    check_offers(model, "predict")
    if hasattr(model, "fit"):  # given discriminant functions learn nothing
        check_is_fitted(model)
    table = np.asarray(X, dtype=np.float64)
    a, b = _columns(table, columns)
    fixed = np.median(table, axis=0) if fixed is None else np.asarray(fixed, float)
    if fixed.shape != (table.shape[1],):
        must = f"fixed must hold a value for each of {table.shape[1]} columns"
        raise ParameterError(sentence("decision_regions", must, f"shape {fixed.shape}"))
    if resolution < 2:
        must = "resolution must be at least 2"
        raise ParameterError(sentence("decision_regions", must, f"{resolution}"))
    low, high = _frame(table[:, [a, b]], span)
    x, z = (np.linspace(low[i], high[i], resolution) for i in (0, 1))
    grid = np.tile(fixed, (resolution**2, 1))
    grid[:, a], grid[:, b] = np.tile(x, resolution), np.repeat(z, resolution)
    labels = getattr(model, "actions_", model.classes_)
    names = _names(X, a, b)
    decided = model.predict(_like(X, grid))
    codes = _codes(decided, labels).reshape(resolution, resolution)
    regions = DecisionRegions(x, z, codes, labels, names, type(model).__name__)
    if y is None:
        return regions
    known = np.asarray(y)
    if len(known) != len(table):
        must = f"y must have as many rows as X = {len(table)}"
        raise DataError(sentence("decision_regions", must, f"{len(known)}"))
    everything = np.array([*labels, *(v for v in np.unique(known) if v not in labels)])
    return replace(
        regions,
        labels=everything,
        points=table[:, [a, b]],
        point_codes=_codes(known, everything),
    )


def _columns(table: Floats, columns: tuple[int, int]) -> tuple[int, int]:
    if table.ndim != 2 or table.shape[1] < 2 or not len(table):
        must = "X must have rows and at least two columns"
        raise DataError(sentence("decision_regions", must, f"shape {table.shape}"))
    d = table.shape[1]
    a, b = columns
    if not (0 <= a < d and 0 <= b < d and a != b):
        must = f"columns must be two different numbers between 0 and {d - 1}"
        raise ParameterError(sentence("decision_regions", must, f"{columns}"))
    return a, b


def _frame(points: Floats, span: Any) -> tuple[Floats, Floats]:
    """Return the lower left and the upper right corner of the picture."""
    if span is None:
        low, high = points.min(axis=0), points.max(axis=0)
        margin = np.where(high > low, 0.1 * (high - low), 1.0)
        return low - margin, high + margin
    box = np.asarray(span, dtype=np.float64)
    if (
        box.shape != (2, 2)
        or not np.isfinite(box).all()
        or (box[:, 0] >= box[:, 1]).any()
    ):
        must = "span must be two pairs of finite numbers, the smaller first"
        raise ParameterError(sentence("decision_regions", must, f"{span}"))
    return box[:, 0], box[:, 1]


def _names(X: Any, a: int, b: int) -> tuple[str, str]:
    named = getattr(X, "columns", None)
    if named is None:
        return f"column {a}", f"column {b}"
    return str(named[a]), str(named[b])


def _like(X: Any, grid: Floats) -> Any:
    """Return the grid as a data frame where X is one, so that names match."""
    if hasattr(X, "columns") and hasattr(X, "iloc"):
        return type(X)(grid, columns=X.columns)
    return grid


def _codes(values: Vector, labels: Vector) -> Vector:
    table = {label: code for code, label in enumerate(np.asarray(labels).tolist())}
    return np.array([table[value] for value in np.asarray(values).tolist()])


def _spread(k: int) -> list[Any]:
    """Return what a colour map is asked for: a number of a list, or a share."""
    return list(range(k)) if k <= 10 else [i / (k - 1) for i in range(k)]
