"""Effects of columns, drawn: what a model says as one of them changes.

Also known as: partial dependence plot, shape plot.

A column of numbers is a line with its band, a column of categories a dot with a whisker
for each; every column has its own axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corollary.core.errors import DataError, sentence
from corollary.diagnostics.partial_effects import partial_effects
from corollary.plots.display import Display

__all__ = ["EffectsDisplay"]

WHO = "EffectsDisplay"
ACROSS = 3  # axes side by side


class EffectsDisplay(Display):
    """The effects of several columns, side by side.

    Parameters
    ----------
    effects : list of dict
        Each with column, kind (number, date or category), grid, effect and, where
        known, low and high; as in the findings of a run.

    Attributes
    ----------
    axes_ : array of matplotlib axes
        One for each column.
    ax_, figure_ : matplotlib axes and figure
        The first of the axes, and what holds them.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import EffectsDisplay
    >>> age = {"column": "age", "kind": "number", "grid": [1, 2], "effect": [0.0, 0.5]}
    >>> EffectsDisplay([age]).plot().ax_.get_xlabel()
    'age'
    >>> pyplot.close("all")
    """

    axes_: Any

    def __init__(self, effects: Sequence[Mapping[str, Any]]) -> None:
        self.effects = [one for one in effects if len(one.get("grid") or ())]
        if not self.effects:
            raise DataError(sentence(WHO, "effects must not be empty", "none"))
        for one in self.effects:
            if len(one["grid"]) != len(one.get("effect") or ()):
                must = f"{one.get('column')} must have an effect for each of its grid"
                came = f"{len(one['grid'])} and {len(one.get('effect') or ())}"
                raise DataError(sentence(WHO, must, came))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        features: Any = None,
        *,
        ax: Any = None,
        **options: Any,
    ) -> EffectsDisplay:
        """Ask a fitted model as columns change, and draw.

        Parameters
        ----------
        estimator : fitted model or pipeline
        X : array or table of shape (n, d)
        features : list of str or int, optional
            Columns, by default all.
        ax : array of matplotlib axes, optional
            One for each column.
        **options
            Further parameters of `corollary.diagnostics.partial_effects`.

        Returns
        -------
        EffectsDisplay
        """
        found = partial_effects(estimator, X, features, **options)
        return cls(found.to_findings()).plot(ax)

    @classmethod
    def from_findings(
        cls, findings: Mapping[str, Any], *, ax: Any = None
    ) -> EffectsDisplay:
        """Draw the effects of a run.

        Parameters
        ----------
        findings : dict
            As in report.json.
        ax : array of matplotlib axes, optional
            One for each column.

        Returns
        -------
        EffectsDisplay
        """
        return cls(findings.get("effects") or ()).plot(ax)

    def draw(self, ax: Any) -> Any:
        """Draw each column on its own axes; return the first."""
        self.axes_ = self._axes(ax)
        for one, place in zip(self.effects, self.axes_, strict=True):
            draw = _categories if one.get("kind") == "category" else _numbers
            draw(one, place)
        return self.axes_[0]

    def _axes(self, ax: Any) -> Any:
        import matplotlib.pyplot as plt

        m = len(self.effects)
        if ax is None:
            across = min(ACROSS, m)
            down = -(-m // across)
            size = (3.6 * across, 2.8 * down)
            options = {"squeeze": False, "layout": "constrained"}
            ax = plt.subplots(down, across, figsize=size, **options)[1]
            for empty in ax.ravel()[m:]:
                empty.set_visible(False)
            return ax.ravel()[:m]
        given = np.atleast_1d(np.asarray(ax, dtype=object)).ravel()
        if len(given) != m:
            must = f"ax must hold axes for each of {m} columns"
            raise DataError(sentence(WHO, must, f"{len(given)}"))
        return given


def _numbers(one: Mapping[str, Any], ax: Any) -> None:
    dates = one.get("kind") == "date"
    grid = np.asarray(one["grid"], dtype="datetime64[us]" if dates else np.float64)
    ax.plot(grid, np.asarray(one["effect"], dtype=np.float64))
    if one.get("low") and one.get("high"):
        low, high = (np.asarray(one[end], dtype=np.float64) for end in ("low", "high"))
        ax.fill_between(grid, low, high, alpha=0.2)
    ax.set(xlabel=str(one.get("column")), ylabel="effect")


def _categories(one: Mapping[str, Any], ax: Any) -> None:
    effect = np.asarray(one["effect"], dtype=np.float64)
    at = np.arange(len(effect))[::-1]
    reach = None
    if one.get("low") and one.get("high"):
        low, high = (np.asarray(one[end], dtype=np.float64) for end in ("low", "high"))
        reach = np.maximum([effect - low, high - effect], 0.0)
    ax.errorbar(effect, at, xerr=reach, fmt="o")
    ax.set_yticks(at, [str(value) for value in one["grid"]])
    ax.set(xlabel=f"effect of {one.get('column')}")
