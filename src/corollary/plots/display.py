"""Displays: pictures with scikit-learn's manners.

Also known as: Display objects.

A display is made by a class method, ``from_estimator`` or ``from_predictions``, which
measures and draws at once; ``plot(ax=...)`` draws again, elsewhere.  What was measured
stays in ``record``, where it can be read and printed; ``ax_`` and ``figure_`` are what
matplotlib has made.  It is loaded when something is drawn, not before.

Reference: Buitinck et al. (2013), API design for machine learning software.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, TypeVar

__all__ = ["Display", "RecordDisplay"]

Self = TypeVar("Self", bound="Display")


class Display(ABC):
    """A picture that can be drawn again.

    Attributes
    ----------
    ax_ : matplotlib axes
        Where it was drawn last.
    figure_ : matplotlib figure
        That holds them.
    """

    ax_: Any
    figure_: Any

    @abstractmethod
    def draw(self, ax: Any) -> Any:
        """Draw on axes, or on new ones where there are none; return them."""

    def plot(self: Self, ax: Any = None) -> Self:
        """Draw.

        Parameters
        ----------
        ax : matplotlib axes, optional
            By default those of a new figure.

        Returns
        -------
        the display, with `ax_` and `figure_`
        """
        self.ax_ = self.draw(ax)
        self.figure_ = self.ax_.figure
        return self


class RecordDisplay(Display):
    """A picture of a record that knows how it is drawn.

    Parameters
    ----------
    record : record of `corollary.diagnostics`
        With a method `plot`.
    """

    def __init__(self, record: Any) -> None:
        self.record = record

    def __repr__(self) -> str:
        return f"{type(self).__name__}({type(self.record).__name__})"

    def draw(self, ax: Any) -> Any:
        """Draw the record; return the axes."""
        return self.record.plot(ax)
