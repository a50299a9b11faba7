"""Errors of a regression, drawn: truth, or what is left of it, over predictions.

Also known as: residual plot, actual against predicted.

With predictions p and truths y, the points are (p, y), which a good model puts near the
line y = p, or (p, y - p), in which a good model leaves no pattern.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.decisions.probabilities import check_offers
from corollary.plots.display import Display

__all__ = ["PredictionErrorDisplay"]

KINDS = ("residual_vs_predicted", "actual_vs_predicted")


class PredictionErrorDisplay(Display):
    """Truths or errors over predictions.

    Parameters
    ----------
    y_true, y_pred : arrays of shape (n,)
    kind : {'residual_vs_predicted', 'actual_vs_predicted'}

    Attributes
    ----------
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary.plots import PredictionErrorDisplay
    >>> shown = PredictionErrorDisplay.from_predictions([1.0, 2.0], [1.5, 1.5])
    >>> shown.residuals.tolist()
    [-0.5, 0.5]
    >>> pyplot.close("all")
    """

    def __init__(self, y_true: Any, y_pred: Any, kind: str = KINDS[0]) -> None:
        self.y_true, self.y_pred = _pairs(y_true, y_pred)
        if kind not in KINDS:
            must = f"kind must be one of {', '.join(KINDS)}"
            raise ParameterError(sentence(self, must, repr(kind)))
        self.kind = kind

    @property
    def residuals(self) -> Floats:
        """Truth less prediction, (n,)."""
        return self.y_true - self.y_pred

    @classmethod
    def from_predictions(
        cls, y_true: Any, y_pred: Any, *, kind: str = KINDS[0], ax: Any = None
    ) -> PredictionErrorDisplay:
        """Draw predictions.

        Parameters
        ----------
        y_true, y_pred : arrays of shape (n,)
        kind : {'residual_vs_predicted', 'actual_vs_predicted'}
        ax : matplotlib axes, optional

        Returns
        -------
        PredictionErrorDisplay
        """
        return cls(y_true, y_pred, kind).plot(ax)

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, kind: str = KINDS[0], ax: Any = None
    ) -> PredictionErrorDisplay:
        """Ask a fitted model about rows, and draw.

        Parameters
        ----------
        estimator : fitted model or pipeline
        X : array or table of shape (n, d)
        y : array of shape (n,)
        kind : {'residual_vs_predicted', 'actual_vs_predicted'}
        ax : matplotlib axes, optional

        Returns
        -------
        PredictionErrorDisplay
        """
        check_offers(estimator, "predict")
        check_is_fitted(estimator)
        return cls.from_predictions(y, estimator.predict(X), kind=kind, ax=ax)

    def draw(self, ax: Any) -> Any:
        """Draw the points and the line of no error; return the axes."""
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        if self.kind == "actual_vs_predicted":
            ends = [min(self.y_true.min(), self.y_pred.min())]
            ends.append(max(self.y_true.max(), self.y_pred.max()))
            ax.plot(ends, ends, linestyle=":", color="grey")
            heights, name = self.y_true, "actual"
        else:
            ax.axhline(0.0, linestyle=":", color="grey")
            heights, name = self.residuals, "actual less predicted"
        ax.scatter(self.y_pred, heights, s=14, alpha=0.5)
        error = float(np.sqrt(np.mean(self.residuals**2)))
        ax.set(xlabel="predicted", ylabel=name, title=f"root mean square {error:.4g}")
        return ax


def _pairs(y_true: Any, y_pred: Any) -> tuple[Floats, Floats]:
    who = "PredictionErrorDisplay"
    try:
        actual, predicted = (np.asarray(v, dtype=np.float64) for v in (y_true, y_pred))
    except (TypeError, ValueError):
        must = "y_true and y_pred must be numbers"
        raise DataError(sentence(who, must, "something else")) from None
    if actual.ndim != 1 or actual.shape != predicted.shape or not len(actual):
        must = "y_true and y_pred must be lists of the same length"
        came = f"shapes {actual.shape} and {predicted.shape}"
        raise DataError(sentence(who, must, came))
    if not (np.isfinite(actual).all() and np.isfinite(predicted).all()):
        raise DataError(sentence(who, "numbers must be finite", "NaN or infinity"))
    return actual, predicted
