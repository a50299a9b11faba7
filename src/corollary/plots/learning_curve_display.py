"""The learning curve, drawn.

Also known as: training set size curve.

See `corollary.diagnostics.learning_curve` for what it is.
"""

from __future__ import annotations

from typing import Any

from corollary.diagnostics.learning_curve import learning_curve
from corollary.plots.display import RecordDisplay

__all__ = ["LearningCurveDisplay"]


class LearningCurveDisplay(RecordDisplay):
    """Training and validation loss over the number of rows, and what lies beyond.

    Parameters
    ----------
    record : LearningCurve

    Attributes
    ----------
    record : LearningCurve
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib, numpy as np
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary import Ridge
    >>> from corollary.plots import LearningCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(120, 3))
    >>> y = X[:, 0] + rng.normal(size=120)
    >>> shown = LearningCurveDisplay.from_estimator(Ridge(), X, y)
    >>> len(shown.record.sizes) > 2
    True
    >>> pyplot.close("all")
    """

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: Any = None, **options: Any
    ) -> LearningCurveDisplay:
        """Fit a model to more and more rows, and draw.

        Parameters
        ----------
        estimator : estimator or pipeline
            Cloned for every fit.
        X : array or table of shape (n, d)
        y : array of shape (n,)
        ax : matplotlib axes, optional
        **options
            Further parameters of `corollary.diagnostics.learning_curve`.

        Returns
        -------
        LearningCurveDisplay
        """
        return cls(learning_curve(estimator, X, y, **options)).plot(ax)
