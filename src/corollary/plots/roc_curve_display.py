"""The ROC curve, drawn.

Also known as: receiver operating characteristic.

See `corollary.diagnostics.roc_curve` for what it is.
"""

from __future__ import annotations

from typing import Any

from corollary.diagnostics.roc_curve import roc_curve
from corollary.plots.prediction_display import PredictionDisplay

__all__ = ["RocCurveDisplay"]


class RocCurveDisplay(PredictionDisplay):
    """The ROC curve of a score, with the interval of its area.

    Parameters
    ----------
    record : RocCurve

    Attributes
    ----------
    record : RocCurve
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import RocCurveDisplay
    >>> shown = RocCurveDisplay.from_predictions([0, 1, 0, 1], [0.2, 0.9, 0.4, 0.3])
    >>> shown.record.auc
    0.75
    >>> pyplot.close("all")
    """

    @staticmethod
    def measure(y_true: Any, answers: Any, **options: Any) -> Any:
        """Return `roc_curve` of these answers."""
        return roc_curve(y_true, answers, **options)
