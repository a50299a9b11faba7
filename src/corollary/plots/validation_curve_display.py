"""The complexity curve, drawn.

Also known as: validation curve, underfitting and overfitting.

See `corollary.diagnostics.complexity_sweep` for what it is, and
`corollary.diagnostics.penalty_curve` for the curve over a penalty, which is drawn with
its objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from corollary.diagnostics.complexity_sweep import complexity_sweep
from corollary.diagnostics.penalty_curve import penalty_curve
from corollary.plots.display import RecordDisplay

__all__ = ["ValidationCurveDisplay"]


class ValidationCurveDisplay(RecordDisplay):
    """Training and validation loss over a parameter.

    Parameters
    ----------
    record : ComplexitySweep or PenaltyCurve

    Attributes
    ----------
    record : ComplexitySweep or PenaltyCurve
        What was measured.
    ax_, figure_ : matplotlib axes and figure

    Examples
    --------
    >>> import matplotlib, numpy as np
    >>> matplotlib.use("Agg")
    >>> from matplotlib import pyplot
    >>> from corollary import Ridge
    >>> from corollary.plots import ValidationCurveDisplay
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 5))
    >>> y = X[:, 0] + rng.normal(size=60)
    >>> values = {"param_name": "alpha", "param_range": [1e6, 1.0]}
    >>> shown = ValidationCurveDisplay.from_estimator(Ridge(), X, y, **values)
    >>> shown.record.best
    1.0
    >>> pyplot.close("all")
    """

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: Any,
        *,
        param_name: str,
        param_range: Sequence[Any],
        penalty: bool = False,
        ax: Any = None,
        **options: Any,
    ) -> ValidationCurveDisplay:
        """Fit a model for each value of a parameter, and draw.

        Parameters
        ----------
        estimator : estimator or pipeline
            Cloned for every fit.
        X : array or table of shape (n, d)
        y : array of shape (n,)
        param_name : str
        param_range : sequence
            From simple to complex.
        penalty : bool, default=False
            Whether the parameter is the strength of a penalty.
        ax : matplotlib axes, optional
        **options
            Further parameters of `complexity_sweep`, or of `penalty_curve`.

        Returns
        -------
        ValidationCurveDisplay
        """
        measure = penalty_curve if penalty else complexity_sweep
        record = measure(estimator, X, y, param_name, param_range, **options)
        return cls(record).plot(ax)
