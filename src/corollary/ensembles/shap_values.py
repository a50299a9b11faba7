"""Shapley values as a record: read, printed and drawn.

Also known as: attributions, explanation, waterfall and summary plot.

    answer = base + sum_i phi_i                                                      (1)

for each row and output; the importance of a feature is its mean |phi| over the rows.

Notation: phi = values.
Reference: Lundberg et al. (2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import ParameterError, sentence

__all__ = ["ShapValues"]


@dataclass(frozen=True, eq=False)
class ShapValues:
    """Shapley values of the features, for each row.

    Attributes
    ----------
    values : array of shape (n, d), or (n, d, K) for several outputs
        What each feature adds to the answer (1).
    base : array of shape (K,)
        The answer where no feature is known.
    names : tuple of d names
        Of the features.
    outputs : tuple of K names
        Of the outputs: classes, or empty.
    interactions : array of shape (n, d, d) or (n, d, d, K), or None
        What pairs of features add; each row of it sums to the value of a feature.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from corollary import HistGradientBoostingRegressor
    >>> from corollary.ensembles import tree_shap
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = HistGradientBoostingRegressor().fit(X, y)
    >>> found = tree_shap(model, X)
    >>> print(found)  # doctest: +ELLIPSIS
    Shapley values of 150 rows, base 1
    feature             mean absolute value
    petal length (cm)   ...
    >>> bool(abs(found.answers - model.predict(X)).max() < 1e-9)
    True
    """

    values: Floats
    base: Floats
    names: tuple[str, ...]
    outputs: tuple[str, ...] = ("",)
    interactions: Floats | None = None

    @property
    def answers(self) -> Floats:
        """The answer of the model for each row (1), (n,) or (n, K)."""
        sums = self.values.sum(axis=1)
        return sums + (self.base[0] if self.values.ndim == 2 else self.base)

    @property
    def importances(self) -> Floats:
        """The mean absolute value of each feature, (d,); summed over the outputs."""
        if not len(self.values):
            return np.zeros(len(self.names))
        means = np.abs(self.values).mean(axis=0)
        return means if means.ndim == 1 else means.sum(axis=1)

    def __str__(self) -> str:
        base = ", ".join(f"{each:.4g}" for each in self.base)
        head = f"Shapley values of {len(self.values)} rows, base {base}"
        order, means = largest(self.importances, len(self.names)), self.importances
        width = max(map(len, ("feature", *map(one_line, self.names)))) + 2
        lines = [f"{one_line(self.names[j]):<{width}} {means[j]:.4g}" for j in order]
        return "\n".join([head, f"{'feature':<{width}} mean absolute value", *lines])

    def plot(
        self,
        row: int | None = None,
        *,
        output: int = -1,
        most: int = 10,
        ax: Any = None,
    ) -> Any:
        """Draw the importances, or what made the answer for one row.

        Parameters
        ----------
        row : int, optional
            The row to draw; None draws the mean absolute value over all rows.
        output : int, default=-1
            Which of several outputs to draw for a row.
        most : int, default=10
            Features to draw at most, the largest; the others are joined for a row.
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        self._check_asked(row, output, most)
        ax = ax if ax is not None else plt.subplots()[1]
        if row is not None:
            return self._plot_row(row, output, most, ax)
        means = self.importances
        order = largest(means, most)
        ax.barh(np.arange(len(order)), means[order])
        ax.set_yticks(np.arange(len(order)), [shown(self.names[j]) for j in order])
        ax.invert_yaxis()
        ax.set(xlabel="mean |Shapley value|")
        return ax

    def _plot_row(self, row: int, output: int, most: int, ax: Any) -> Any:
        """Draw bars that lead from the base to the answer for a row."""
        several = self.values.ndim == 3
        phi = self.values[row, :, output] if several else self.values[row]
        order = largest(np.abs(phi), most)
        steps = phi[order].tolist()
        labels = [shown(self.names[j]) for j in order]
        if len(order) < len(phi):
            steps.append(float(phi.sum() - phi[order].sum()))
            labels.append(f"{len(phi) - len(order)} others")
        base = float(self.base[output])
        starts = base + np.cumsum([0.0, *steps[:-1]])
        colors = ["tab:red" if step < 0 else "tab:blue" for step in steps]
        ax.barh(np.arange(len(steps)), steps, left=starts, color=colors)
        ax.axvline(base, linestyle=":", color="grey")
        ax.set_yticks(np.arange(len(steps)), labels)
        ax.invert_yaxis()
        name = shown(self.outputs[output])
        answer = f"base {base:.4g}, answer {base + phi.sum():.4g}"
        ax.set(xlabel="answer", title=f"{name}: {answer}" if name else answer)
        return ax

    def _check_asked(self, row: int | None, output: int, most: int) -> None:
        who, (n, K) = "ShapValues.plot", (len(self.values), len(self.base))
        if row is not None and not -n <= row < n:
            raise ParameterError(sentence(who, f"row must be below {n}", f"{row}"))
        if not -K <= output < K:
            raise ParameterError(
                sentence(who, f"output must be below {K}", f"{output}")
            )
        if most < 1:
            raise ParameterError(sentence(who, "most must be at least 1", f"{most}"))


def largest(sizes: Floats, most: int) -> Vector:
    """Return the places of the largest, in falling order; ties: the first."""
    return np.argsort(-sizes, kind="stable")[:most]


def one_line(name: str) -> str:
    """Return a name without line breaks."""
    return " ".join(name.split())


def shown(name: str) -> str:
    """Return a name that matplotlib draws as it stands: a dollar opens no formula."""
    return one_line(name).replace("$", r"\$")
