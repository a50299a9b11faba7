"""The margin as projections: p times the norm of theta.

Also known as: large-margin intuition, projection view of the margin, why a support
vector machine finds a large margin.

Let p_i = theta'x_i / ||theta|| be the (signed) length of the projection of x_i on
theta, and p_0 = -b / ||theta|| that of the plane theta'x + b = 0.  Then

    theta'x_i + b = (p_i - p_0) ||theta||                                        (1)

and what a hard-margin machine asks of every row, y_i (theta'x_i + b) >= 1, is

    y_i (p_i - p_0) >= 1 / ||theta||                                             (2)

A direction along which some p_i is small needs a long theta; the shortest theta is the
one whose least y_i (p_i - p_0) is largest.  So minimising ||theta||^2 maximises the
margin.  For a direction u, the plane midway between the classes is best, and

    M(u) = (min_{y_i = +1} p_i - max_{y_i = -1} p_i) / 2,   needed norm = 1 / M(u)   (3)

which no direction makes smaller than the machine's own.  Where M(u) <= 0 no length
suffices: u does not separate the classes.

Notation: theta, b = coef_, intercept_; p = projections; M = margin.
Course: S4-91. Reference: Vapnik (1995), ch. 5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import shown
from corollary.core.vectors import rows_of
from corollary.diagnostics.model_scores import Plane, plane_of
from corollary.diagnostics.outcomes import labels_of
from corollary.linear.margins import normal

__all__ = ["MarginProjections", "margin_projections"]

WHO = "margin_projections"


@dataclass(frozen=True, eq=False)
class MarginProjections:
    """Projections of rows on the normal of a plane.

    Attributes
    ----------
    projections : array of shape (n,)
        p_i.
    signs : array of shape (n,)
        y_i, -1 or +1.
    norm : float
        ||theta||.
    offset : float
        p_0, where the plane stands.
    products : array of shape (n,)
        y_i (p_i - p_0) ||theta||, to be >= 1: (1), (2).
    margin : float
        The least distance y_i (p_i - p_0) of a row from the plane.
    best_margin : float
        M of (3), of the plane midway along this direction.
    """

    projections: Floats
    signs: Floats
    norm: float
    offset: float
    products: Floats
    margin: float
    best_margin: float

    @property
    def needed_norm(self) -> float:
        """The least ||theta|| along this direction, (3); infinite if it fails."""
        return 1 / self.best_margin if self.best_margin > 0 else float("inf")

    @property
    def holds(self) -> float:
        """The share of the rows whose constraint (2) holds, up to rounding."""
        return float((self.products >= 1 - 1e-6).mean())

    def __str__(self) -> str:
        lines = [
            f"||theta|| = {self.norm:.4g}; the rows' projections lie "
            f"{self.margin:.4g} from the plane at least.",
            f"p ||theta|| >= 1 holds for {self.holds:.1%} of the rows.",
        ]
        if np.isinf(self.needed_norm):
            lines.append("Along this direction the classes overlap: no norm suffices.")
        else:
            lines.append(
                f"Along this direction a norm of {self.needed_norm:.4g} would do: "
                f"1 / {self.best_margin:.4g}, the largest margin there."
            )
        return "\n".join(lines)

    def plot(self, ax: Any = None) -> Any:
        """Draw the projections of both classes along theta, the plane and the margin.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        p = self.projections - self.offset
        for sign, color in ((-1.0, "C0"), (1.0, "C1")):
            mine = p[self.signs == sign]
            ax.scatter(mine, np.full(len(mine), sign), color=color, s=12, alpha=0.6)
            ax.axvline(sign / self.norm, color=color, linestyle=":")
        ax.axvline(0.0, color="black")
        ax.set_yticks([-1, 1], ["y = -1", "y = +1"])
        ax.set_ylim(-2, 2)
        ax.set_xlabel("projection on theta, from the plane; dotted: 1 / ||theta||")
        ax.set_title(f"p * ||theta|| >= 1 for {self.holds:.0%} of the rows")
        return ax


def margin_projections(
    model: Any, X: Any, y: Any, *, direction: Any = None
) -> MarginProjections:
    """Return the projections of rows on a linear model's theta, and the norm they ask.

    Parameters
    ----------
    model : fitted linear classifier of two classes, or (theta, b)
    X : array of shape (n, d)
    y : array of shape (n,)
        Two labels; the larger is +1.
    direction : array of shape (d,), optional
        Look along this direction instead of theta: what norm would it need?

    Returns
    -------
    MarginProjections

    Examples
    --------
    >>> from corollary import HardMarginSVC
    >>> from corollary.diagnostics import margin_projections
    >>> X, y = [[2.0, 1.0], [2.0, -1.0], [-2.0, 1.0], [-2.0, -1.0]], [1, 1, 0, 0]
    >>> found = margin_projections(HardMarginSVC(kernel="linear").fit(X, y), X, y)
    >>> round(found.margin, 4), round(found.norm, 4), round(found.needed_norm, 4)
    (2.0, 0.5, 0.5)
    >>> across = margin_projections(([1.0, 0.0], 0.0), X, y, direction=[3.0, 1.0])
    >>> round(across.needed_norm, 4)  # a worse direction needs a longer theta
    0.6325
    """
    plane = plane_of(model)
    if plane is None:
        must = "model must be linear, of two classes: coef_ one row, or (theta, b)"
        raise ParameterError(sentence(WHO, must, shown(model)))
    X = rows_of(WHO, X, len(plane.w))
    classes, codes = labels_of(WHO, y)
    if len(classes) != 2 or len(codes) != len(X):
        must = "y must hold two labels, one for each row"
        raise DataError(
            sentence(WHO, must, f"{len(classes)} labels, {len(codes)} rows")
        )
    signs = np.where(codes == 1, 1.0, -1.0)
    if direction is not None:
        plane = _along(normal(direction), X, signs)
    p = X @ plane.w / plane.norm
    p_0 = -plane.b / plane.norm
    distances = signs * (p - p_0)
    best = (p[signs > 0].min() - p[signs < 0].max()) / 2  # (3)
    return MarginProjections(
        p,
        signs,
        plane.norm,
        p_0,
        distances * plane.norm,
        float(distances.min()),
        float(best),
    )


def _along(u: Floats, X: Floats, signs: Floats) -> Plane:
    """Return the shortest plane along a direction that keeps (2), if one does."""
    if len(u) != X.shape[1]:
        must = f"direction must have one number for each of {X.shape[1]} columns"
        raise ParameterError(sentence(WHO, must, f"{len(u)}"))
    u = u / np.linalg.norm(u)
    p = X @ u
    low, high = p[signs < 0].max(), p[signs > 0].min()
    norm = 2 / (high - low) if high > low else 1.0
    return Plane(norm * u, float(-norm * (low + high) / 2))
