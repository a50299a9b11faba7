"""Thresholds and their costs, drawn.

Also known as: discrimination threshold, cost curve.

See `corollary.diagnostics.threshold_curve` for what it is.
"""

from __future__ import annotations

from typing import Any

from corollary.diagnostics.threshold_curve import threshold_curve
from corollary.plots.prediction_display import PredictionDisplay

__all__ = ["ThresholdDisplay"]


class ThresholdDisplay(PredictionDisplay):
    """Precision and recall at every threshold, and the cheapest one.

    Parameters
    ----------
    record : ThresholdCurve

    Attributes
    ----------
    record : ThresholdCurve
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import ThresholdDisplay
    >>> y, proba = [0, 1, 0, 1] * 20, [0.2, 0.9, 0.4, 0.7] * 20
    >>> shown = ThresholdDisplay.from_predictions(y, proba)
    >>> shown.ax_.get_xlabel()
    'threshold'
    >>> pyplot.close("all")
    """

    @staticmethod
    def measure(y_true: Any, answers: Any, **options: Any) -> Any:
        """Return `threshold_curve` of these answers."""
        return threshold_curve(y_true, answers, **options)
