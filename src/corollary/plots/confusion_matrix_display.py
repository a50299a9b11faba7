"""The confusion matrix, drawn.

Also known as: error matrix, contingency table.

See `corollary.diagnostics.confusion` for what it is.
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.diagnostics.confusion import confusion
from corollary.plots.prediction_display import PredictionDisplay

__all__ = ["ConfusionMatrixDisplay"]


class ConfusionMatrixDisplay(PredictionDisplay):
    """Which classes are taken for which.

    Parameters
    ----------
    record : Confusion

    Attributes
    ----------
    record : Confusion
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import ConfusionMatrixDisplay
    >>> shown = ConfusionMatrixDisplay.from_predictions([0, 1, 1], [0, 1, 0])
    >>> shown.record.matrix.tolist()
    [[1.0, 0.0], [1.0, 1.0]]
    >>> pyplot.close("all")
    """

    asked_by: ClassVar[tuple[str, ...]] = ("predict",)

    @staticmethod
    def measure(y_true: Any, answers: Any, **options: Any) -> Any:
        """Return `confusion` of these answers."""
        return confusion(y_true, answers, **options)
