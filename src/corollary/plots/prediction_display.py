"""Displays of answers: what a model says of rows against what is true of them.

The measure is a function of `corollary.diagnostics`; here it is joined with the way a
model is asked, by ``predict_proba``, ``decision_function`` or ``predict``.  The rows
should be new to the model.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, ClassVar, TypeVar

from sklearn.utils.validation import check_is_fitted

from corollary.decisions.probabilities import check_offers
from corollary.plots.display import RecordDisplay

__all__ = ["PredictionDisplay"]

Self = TypeVar("Self", bound="PredictionDisplay")


class PredictionDisplay(RecordDisplay):
    """A picture of answers and truths."""

    #: How the model is asked: the first of these methods that it offers.
    asked_by: ClassVar[tuple[str, ...]] = ("predict_proba", "decision_function")

    @staticmethod
    @abstractmethod
    def measure(y_true: Any, answers: Any, **options: Any) -> Any:
        """Return the record of these answers."""

    @classmethod
    def from_predictions(
        cls: type[Self], y_true: Any, y_pred: Any, *, ax: Any = None, **options: Any
    ) -> Self:
        """Measure answers and draw.

        Parameters
        ----------
        y_true : array of shape (n,)
        y_pred : array of shape (n,) or (n, k)
            What the model says of the same rows: scores, probabilities or labels.
        ax : matplotlib axes, optional
        **options
            Further parameters of the measure.

        Returns
        -------
        display
        """
        return cls(cls.measure(y_true, y_pred, **options)).plot(ax)

    @classmethod
    def from_estimator(
        cls: type[Self],
        estimator: Any,
        X: Any,
        y: Any,
        *,
        ax: Any = None,
        **options: Any,
    ) -> Self:
        """Ask a fitted model about rows, measure its answers and draw.

        Parameters
        ----------
        estimator : fitted model or pipeline
        X : array or table of shape (n, d)
        y : array of shape (n,)
        ax : matplotlib axes, optional
        **options
            Further parameters of the measure.

        Returns
        -------
        display
        """
        method = next((m for m in cls.asked_by if hasattr(estimator, m)), "")
        check_offers(estimator, method or cls.asked_by[0])
        check_is_fitted(estimator)
        answers = getattr(estimator, method)(X)
        return cls.from_predictions(y, answers, ax=ax, **options)
