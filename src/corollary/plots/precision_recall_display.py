"""Precision over recall, drawn.

Also known as: precision-recall curve.

See `corollary.diagnostics.precision_recall_curve` for what it is.
"""

from __future__ import annotations

from typing import Any

from corollary.diagnostics.precision_recall_curve import precision_recall_curve
from corollary.plots.prediction_display import PredictionDisplay

__all__ = ["PrecisionRecallDisplay"]


class PrecisionRecallDisplay(PredictionDisplay):
    """Precision over recall, with the share of positive rows.

    Parameters
    ----------
    record : PrecisionRecallCurve

    Attributes
    ----------
    record : PrecisionRecallCurve
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import PrecisionRecallDisplay
    >>> y, scores = [0, 1, 0, 1], [0.2, 0.9, 0.4, 0.3]
    >>> shown = PrecisionRecallDisplay.from_predictions(y, scores)
    >>> shown.ax_.get_xlabel()
    'recall'
    >>> pyplot.close("all")
    """

    @staticmethod
    def measure(y_true: Any, answers: Any, **options: Any) -> Any:
        """Return `precision_recall_curve` of these answers."""
        return precision_recall_curve(y_true, answers, **options)
