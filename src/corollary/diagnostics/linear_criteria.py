"""The 0-1 criterion and the perceptron criterion of any linear fit.

Also known as: number of errors, misclassified examples, perceptron criterion function,
J_p.

With the margin u_i of a row, y_i (w'x_i + b) for two classes (`model_scores`), the set
of rows on the wrong side is Y_M = {i : u_i <= 0}, and

    J_0 = |Y_M|                     the number of errors                         (1)
    J_p = sum_{i in Y_M} -u_i       the perceptron criterion                     (2)

(1) is what counts, but is constant between its steps: no gradient tells where to go.
(2) is >= 0, linear in (w, b) on each piece, and 0 where (1) is, so that descent can use
it; every row pulls by its distance from the plane times ||w||.  That scale is why J_p
of two fits compare only after division by ||w||,

    J_p / ||w|| = sum of the distances of the errors from the plane              (3)

Descent on (2) is `BatchPerceptron`.  A row on the plane itself counts as an error.

Notation: u = margin; Y_M = wrong; w, b = the plane.
Course: S3-110. Reference: Duda, Hart and Stork (2001), 5.4 to 5.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from corollary.core.arrays import Floats, Vector
from corollary.diagnostics.model_scores import plane_of, scored

__all__ = ["LinearCriteria", "linear_criteria"]


@dataclass(frozen=True, eq=False)
class LinearCriteria:
    """What a linear fit gets wrong, and by how much.

    Attributes
    ----------
    rows : int
    errors : int
        (1), rows on the plane included.
    on_plane : int
        Rows whose score is 0, or whose two largest scores are equal.
    perceptron : float
        (2).
    distance : float or None
        (3); None where the model has no single plane.
    margins : array of shape (n,)
        u_i.
    wrong : array of int
        Y_M, the numbers of the rows, the worst first.
    """

    rows: int
    errors: int
    on_plane: int
    perceptron: float
    distance: float | None
    margins: Floats
    wrong: Vector

    @property
    def error_rate(self) -> float:
        """The share of errors."""
        return self.errors / self.rows

    @property
    def separates(self) -> bool:
        """Whether every row is on its side: both criteria are 0."""
        return self.errors == 0

    def __str__(self) -> str:
        if self.separates:
            least = float(self.margins.min())
            return (
                f"0 of {self.rows:,} rows are on the wrong side: the 0-1 and the "
                f"perceptron criterion are 0, the least margin is {least:.4g}."
            )
        lines = [
            f"{self.errors:,} of {self.rows:,} rows ({self.error_rate:.2%}) are on the "
            "wrong side: the 0-1 criterion.",
            f"They miss it by {self.perceptron:.4g} in all: the perceptron criterion.",
        ]
        if self.distance is not None:
            each = self.distance / self.errors
            lines.append(f"They lie {each:.4g} beyond the plane on average.")
        if self.on_plane:
            lines.append(f"{self.on_plane} of them lie on the plane itself.")
        return "\n".join(lines)


def linear_criteria(model: Any, X: Any, y: Any) -> LinearCriteria:
    """Report the 0-1 and the perceptron criterion of a linear fit.

    Parameters
    ----------
    model : fitted classifier, or (w, b)
        One with `decision_function` or `predict_proba`, or the plane w'x + b = 0 of
        two classes.
    X : rows: array, sparse matrix, data frame or table
    y : array of shape (n,)
        Labels; the larger of two is the positive side.

    Returns
    -------
    LinearCriteria

    Examples
    --------
    >>> from corollary.diagnostics import linear_criteria
    >>> X = [[2.0, 0.0], [1.0, 1.0], [-1.0, 0.0], [3.0, 0.0]]
    >>> found = linear_criteria(([2.0, 0.0], 0.0), X, [1, 1, 0, 0])
    >>> found.errors, found.perceptron, found.distance
    (1, 6.0, 3.0)
    """
    u = scored("linear_criteria", model, X, y).margins
    wrong = np.flatnonzero(u <= 0)  # Y_M
    total = float(-u[wrong].sum()) + 0.0  # (2)
    plane = plane_of(model)
    distance = None if plane is None else total / plane.norm  # (3)
    order = wrong[np.argsort(u[wrong], kind="stable")]
    on_plane = int((u == 0).sum())
    return LinearCriteria(len(u), len(wrong), on_plane, total, distance, u, order)
