"""Models compared, drawn: a dot for each score, a whisker for its standard error.

Also known as: model comparison plot, dot and whisker plot.

Models whose whiskers overlap are not told apart by these rows.  A line marks the
baseline, which looks at no column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, sentence
from corollary.plots.display import Display

__all__ = ["ModelComparisonDisplay"]

WHO = "ModelComparisonDisplay"


class ModelComparisonDisplay(Display):
    """Scores of models with their standard errors, the best on top.

    Parameters
    ----------
    names : list of m str
    scores : array of shape (m,)
    standard_errors : array of shape (m,), optional
    greater_is_better : bool, default=True
    metric : str, default="score"
    baseline : str, optional
        The name of the model that the others are compared with.

    Attributes
    ----------
    order : array of int of shape (m,)
        The models from best to worst.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import ModelComparisonDisplay
    >>> shown = ModelComparisonDisplay(["tree", "ridge"], [0.7, 0.8], [0.02, 0.03])
    >>> [shown.names[i] for i in shown.plot().order]
    ['ridge', 'tree']
    >>> pyplot.close("all")
    """

    def __init__(
        self,
        names: Sequence[str],
        scores: Any,
        standard_errors: Any = None,
        *,
        greater_is_better: bool = True,
        metric: str = "score",
        baseline: str | None = None,
    ) -> None:
        self.names = [str(name) for name in names]
        m = len(self.names)
        self.scores = _numbers(scores, "scores", m)
        errors = np.zeros(m) if standard_errors is None else standard_errors
        self.standard_errors = np.abs(_numbers(errors, "standard_errors", m))
        self.greater_is_better = greater_is_better
        self.metric, self.baseline = metric, baseline
        if baseline is not None and baseline not in self.names:
            must = f"baseline must be one of the {m} names"
            raise DataError(sentence(WHO, must, repr(baseline)))
        sign = -1 if greater_is_better else 1
        self.order = np.argsort(sign * self.scores, kind="stable")

    @classmethod
    def from_findings(
        cls, findings: Mapping[str, Any], *, ax: Any = None
    ) -> ModelComparisonDisplay:
        """Draw the models of a run.

        Parameters
        ----------
        findings : dict
            As in report.json.
        ax : matplotlib axes, optional

        Returns
        -------
        ModelComparisonDisplay
        """
        models = [m for m in findings.get("models") or () if m.get("score") is not None]
        if not models:
            raise DataError(sentence(WHO, "findings must hold models", "none"))
        metric = findings.get("metric") or {}
        base = [m["name"] for m in models if m.get("family") == "baseline"]
        return cls(
            [m["name"] for m in models],
            [m["score"] for m in models],
            [m.get("standard_error") or 0.0 for m in models],
            greater_is_better=bool(metric.get("greater_is_better", True)),
            metric=str(metric.get("name") or "score"),
            baseline=base[0] if base else None,
        ).plot(ax)

    def draw(self, ax: Any) -> Any:
        """Draw dots and whiskers; return the axes."""
        import matplotlib.pyplot as plt

        m = len(self.names)
        if ax is None:
            ax = plt.subplots(figsize=(6.4, 1.2 + 0.34 * m))[1]
        at = np.arange(m)[::-1]  # the best on top
        scores, errors = self.scores[self.order], self.standard_errors[self.order]
        ax.errorbar(scores, at, xerr=errors, fmt="o", capsize=3)
        if self.baseline is not None:
            level = self.scores[self.names.index(self.baseline)]
            ax.axvline(level, linestyle=":", color="grey")
        ax.set_yticks(at, [self.names[i] for i in self.order])
        better = "higher" if self.greater_is_better else "lower"
        ax.set(xlabel=f"{self.metric}, {better} is better")
        return ax


def _numbers(values: Any, name: str, m: int) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        must = f"{name} must be numbers"
        raise DataError(sentence(WHO, must, "something else")) from None
    if array.shape != (m,) or not m or not np.isfinite(array).all():
        must = f"{name} must be a finite number for each of {m} models"
        raise DataError(sentence(WHO, must, f"shape {array.shape}"))
    return array
