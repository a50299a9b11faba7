"""Calibration, drawn.

Also known as: reliability diagram.

See `corollary.diagnostics.calibration_curve` for what it is.
"""

from __future__ import annotations

from typing import Any, ClassVar

from corollary.diagnostics.calibration_curve import calibration_curve
from corollary.plots.prediction_display import PredictionDisplay

__all__ = ["CalibrationDisplay"]


class CalibrationDisplay(PredictionDisplay):
    """How often what was promised came true.

    Parameters
    ----------
    record : Calibration

    Attributes
    ----------
    record : Calibration
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import CalibrationDisplay
    >>> y, proba = [0, 1, 0, 1] * 20, [0.2, 0.9, 0.4, 0.7] * 20
    >>> shown = CalibrationDisplay.from_predictions(y, proba)
    >>> shown.ax_.get_ylabel()
    'share that came true'
    >>> pyplot.close("all")
    """

    asked_by: ClassVar[tuple[str, ...]] = ("predict_proba",)

    @staticmethod
    def measure(y_true: Any, answers: Any, **options: Any) -> Any:
        """Return `calibration_curve` of these answers."""
        return calibration_curve(y_true, answers, **options)
