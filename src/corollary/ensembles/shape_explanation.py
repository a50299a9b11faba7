"""The shapes of an additive model as a record: read, printed and drawn.

Also known as: partial effects, component functions, glass-box explanation.

Notation: m terms, features first, then pairs; K outputs.
Reference: Lou, Caruana and Gehrke (2012).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence
from corollary.ensembles.shap_values import largest, one_line, shown
from corollary.ensembles.shape_functions import ShapeFunctions
from corollary.trees.bins import Bins

__all__ = ["ShapeExplanation", "shapes_of"]


@dataclass(frozen=True, eq=False)
class ShapeExplanation:
    """Shapes of features and pairs, and their importances.

    Attributes
    ----------
    names : tuple of m names
        Of the terms: a feature, or two joined by ' x '.
    features : tuple of m tuples
        The numbers of the features of each term.
    intercept : array of shape (K,)
    tables : tuple of m arrays
        The scores of a term: (bins, K), or (bins_i, bins_j, K); the last bin of a
        feature is that of its missing values.
    grids : tuple of d arrays
        The edges between the bins of each feature, or its categories.
    categorical : array of shape (d,)
        Whether a grid holds categories.
    importances : array of shape (m,)
        The mean absolute score of each term over the training rows.
    outputs : tuple of K names
    contributions : array of shape (n, m, K), or None
        What each term adds to the score of the rows asked for.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary import ExplainableBoostingRegressor
    >>> X = np.random.default_rng(0).normal(size=(300, 2))
    >>> model = ExplainableBoostingRegressor().fit(X, np.sin(X[:, 0]))
    >>> found = model.explain(X[:1])
    >>> found.names
    ('x0', 'x1')
    >>> score = found.intercept + found.contributions.sum(axis=1)
    >>> bool(abs(score - model.predict(X[:1])).max() < 1e-12)
    True
    """

    names: tuple[str, ...]
    features: tuple[tuple[int, ...], ...]
    intercept: Floats
    tables: tuple[Floats, ...]
    grids: tuple[Floats, ...]
    categorical: Vector
    importances: Floats
    outputs: tuple[str, ...]
    contributions: Floats | None = None

    def __str__(self) -> str:
        base = ", ".join(f"{each:.4g}" for each in self.intercept)
        names = [one_line(name) for name in self.names]
        width = max(map(len, ("term", *names))) + 2
        order = largest(self.importances, len(names))
        lines = [f"{names[m]:<{width}} {self.importances[m]:.4g}" for m in order]
        head = f"{len(names)} shapes, intercept {base}"
        return "\n".join([head, f"{'term':<{width}} mean absolute score", *lines])

    def plot(
        self, term: int | str | None = None, *, output: int = -1, ax: Any = None
    ) -> Any:
        """Draw the shape of a term, or the importances of all.

        Parameters
        ----------
        term : int or str, optional
            A term by its number or name; None draws the importances.
        output : int, default=-1
            Which of several outputs to draw.
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        m = None if term is None else self._number(term)
        K = len(self.intercept)
        if not -K <= output < K:
            must = f"output must be below {K}"
            raise ParameterError(sentence("ShapeExplanation.plot", must, f"{output}"))
        ax = ax if ax is not None else plt.subplots()[1]
        if m is None:
            return self._plot_importances(ax)
        table = self.tables[m][..., output]
        draw = self._plot_pair if table.ndim == 2 else self._plot_alone
        draw(self.features[m], table, ax)
        name = shown(self.names[m])
        of = shown(self.outputs[output])
        ax.set_title(f"{name}, {of}" if of else name)
        return ax

    def _number(self, term: int | str) -> int:
        names = list(self.names)
        if isinstance(term, str) and term in names:
            return names.index(term)
        if not isinstance(term, str) and -len(names) <= term < len(names):
            return term
        must = f"term must be a name or a number below {len(names)}"
        raise ParameterError(sentence("ShapeExplanation.plot", must, repr(term)))

    def _plot_importances(self, ax: Any) -> Any:
        order = largest(self.importances, 20)
        at = np.arange(len(order))
        ax.barh(at, self.importances[order])
        ax.set_yticks(at, [shown(self.names[m]) for m in order])
        ax.invert_yaxis()
        ax.set(xlabel="mean absolute score")
        return ax

    def _plot_alone(self, features: tuple[int, ...], table: Floats, ax: Any) -> None:
        """Draw steps over the edges, or bars over the categories."""
        [f] = features
        grid = self.grids[f]
        if self.categorical[f]:
            at = np.arange(len(grid))
            ax.bar(at, table[: len(grid)])
            ax.set_xticks(at, [f"{each:g}" for each in grid])
        else:
            ax.stairs(table[:-1], with_ends(grid), baseline=None)
        ax.axhline(0, linestyle=":", color="grey")
        ax.set(xlabel=shown(self.names[f]), ylabel="score")

    def _plot_pair(self, features: tuple[int, ...], table: Floats, ax: Any) -> None:
        """Draw a heat map over the edges of both features."""
        i, j = features
        x, y = (with_ends(self._edges(f)) for f in (i, j))
        most = float(np.abs(table).max()) or 1.0
        found = table[:-1, :-1].T
        drawn = ax.pcolormesh(x, y, found, cmap="RdBu_r", vmin=-most, vmax=most)
        ax.figure.colorbar(drawn, ax=ax, label="score")
        ax.set(xlabel=shown(self.names[i]), ylabel=shown(self.names[j]))

    def _edges(self, f: int) -> Floats:
        grid = self.grids[f]
        return np.arange(max(1, len(grid)) - 1) + 0.5 if self.categorical[f] else grid


def with_ends(edges: Floats) -> Floats:
    """Return edges with an end on either side, as far out as the edges are apart."""
    if not len(edges):
        return np.array([-0.5, 0.5])
    room = float(edges[-1] - edges[0]) / max(1, len(edges) - 1) or 1.0
    return np.concatenate([[edges[0] - room], edges, [edges[-1] + room]])


def shapes_of(
    shapes: ShapeFunctions,
    categories: tuple[Vector, ...],
    names: Any,
    outputs: tuple[str, ...],
    contributions: Floats | None,
) -> ShapeExplanation:
    """Return the record of fitted shapes."""
    d = len(shapes.bins.counts)
    known = [f"x{j}" for j in range(d)] if names is None else [str(n) for n in names]
    terms = tuple(shapes.features(m) for m in range(len(shapes.terms)))
    return ShapeExplanation(
        tuple(" x ".join(known[f] for f in term) for term in terms),
        terms,
        shapes.intercept,
        tuple(shapes.shape(m) for m in range(len(terms))),
        grids_of(shapes.bins, categories),
        shapes.bins.categorical,
        shapes.importances,
        outputs,
        contributions,
    )


def grids_of(bins: Bins, categories: tuple[Vector, ...]) -> tuple[Vector, ...]:
    """Return the edges between the bins of each feature, or its categories."""
    parts = zip(bins.edges, bins.counts, bins.categorical, categories, strict=True)
    return tuple(
        values if category else edges[: count - 1]
        for edges, count, category, values in parts
    )
