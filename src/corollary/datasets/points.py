"""Small sets of points with a worked answer: discriminants, margins, density."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.datasets.records import Table

__all__ = [
    "fisher_points",
    "margin_points",
    "nonseparable_points",
    "parzen_points",
    "pca_points",
    "squared_error_points",
    "unscaled_points",
    "xor_points",
]

Points = Sequence[tuple[float, float]]


def _two_classes(
    name: str,
    about: str,
    first: Points,
    second: Points,
    labels: tuple[int, int] = (1, 2),
    **known: Any,
) -> Table:
    X = np.array([*first, *second], float)
    y = np.repeat(labels, [len(first), len(second)])
    return Table(name, about, ("x1", "x2"), X, y, target="class", known=known)


def fisher_points() -> Table:
    """Two elongated classes that only Fisher's direction separates.

    Returns
    -------
    Table
        Five and six points; `known` holds the within-class scatter and a vector along
        Fisher's direction.  The best threshold on the first principal component makes
        three errors.

    Examples
    --------
    >>> from corollary.datasets import fisher_points
    >>> table = fisher_points()
    >>> table.class_counts(), table.known["direction"]
    ({1: 5, 2: 6}, (-0.7936, 0.8899))
    """
    return _two_classes(
        "fisher_points",
        "Two classes whose spread hides the direction between them.",
        [(1, 2), (2, 3), (3, 3), (4, 5), (5, 5)],
        [(1, 0), (2, 1), (3, 1), (3, 2), (5, 3), (6, 5)],
        scatter=((82 / 3, 24), (24, 23.2)),
        direction=(-0.7936, 0.8899),
        pca_errors=3,
    )


def pca_points() -> Table:
    """Eight points near a line.

    Returns
    -------
    Table
        `known` holds the mean, the scatter matrix, its eigenvalues and the first
        eigenvector up to sign.

    Examples
    --------
    >>> from corollary.datasets import pca_points
    >>> table = pca_points()
    >>> table.X.mean(axis=0)
    array([4.625, 4.375])
    """
    X = [(1, 2), (2, 3), (3, 2), (4, 4), (5, 4), (6, 7), (7, 6), (9, 7)]
    return Table(
        "pca_points",
        "Points near a line, for a principal component by hand.",
        ("x1", "x2"),
        np.array(X, float),
        known={
            "mean": (4.625, 4.375),
            "scatter": ((49.875, 35.125), (35.125, 29.875)),
            "eigenvalues": (76.396, 3.354),
            "direction": (0.798, 0.603),
        },
    )


def margin_points() -> Table:
    """Six points with a hard-margin separator in fractions.

    Returns
    -------
    Table
        `known` holds the dual variables, ``w``, ``b`` and the full width of the band.

    Examples
    --------
    >>> from corollary.datasets import margin_points
    >>> table = margin_points()
    >>> alpha, w = table.known["alpha"], table.known["w"]
    >>> print((alpha * table.y) @ table.X - w < 1e-15)
    [ True  True]
    """
    return _two_classes(
        "margin_points",
        "Two separable classes, three support vectors.",
        [(1, 6), (1, 10), (4, 11)],
        [(5, 2), (7, 6), (10, 4)],
        labels=(1, -1),
        alpha=np.array([8, 0, 9, 0, 17, 0]) / 225,
        w=np.array([-1 / 3, 1 / 5]),
        b=2 / 15,
        margin=float(2 / np.hypot(1 / 3, 1 / 5)),
    )


def xor_points() -> Table:
    """Four corners of a square, opposite corners alike: no line separates them.

    Returns
    -------
    Table
        `known` holds the dual variable of every point for the hard-margin machine with
        kernel ``(1 + x.z)^2``.

    Examples
    --------
    >>> from corollary.datasets import xor_points
    >>> table = xor_points()
    >>> bool((table.y == -table.X[:, 0] * table.X[:, 1]).all())
    True
    """
    return _two_classes(
        "xor_points",
        "Exclusive or on the corners of a square.",
        [(-1, 1), (1, -1)],
        [(-1, -1), (1, 1)],
        labels=(1, -1),
        alpha=1 / 8,
    )


def nonseparable_points() -> Table:
    """Five points that no line separates, on which a perceptron never rests.

    Returns
    -------
    Table
        `known` holds the first weights (intercept first) of the single-sample rule
        with step 1 from (1, 1, 1), visiting the points in order.

    Examples
    --------
    >>> from corollary.datasets import nonseparable_points
    >>> nonseparable_points().known["weights"][1]
    (0, 0, -2)
    """
    return _two_classes(
        "nonseparable_points",
        "Two classes that no line separates.",
        [(2, 1), (4, 3), (3, 5)],
        [(1, 3), (5, 6)],
        weights=(
            (1, 1, 1),
            (0, 0, -2),
            (1, 2, -1),
            (0, 1, -4),
            (1, 3, -3),
            (2, 6, 2),
            (1, 5, -1),
            (0, 0, -7),
        ),
    )


def squared_error_points(far: bool = False) -> Table:
    """Four separable points; least squares separates them unless one lies far off.

    Parameters
    ----------
    far : bool
        Move the last point of class 2 away from the boundary, on its right side.

    Returns
    -------
    Table
        `known` holds the least-squares weights (intercept first) for targets +1, -1.

    Examples
    --------
    >>> from corollary.datasets import squared_error_points
    >>> squared_error_points(far=True).X[3]
    array([ 0., 10.])
    """
    return _two_classes(
        "squared_error_points",
        "Separable points on which least squares may still fail.",
        [(6, 9), (5, 7)],
        [(5, 9), (0, 10 if far else 4)],
        labels=(1, -1),
        a=(3.219, 0.153, -0.438) if far else (2.663, 1.045, -0.944),
    )


def parzen_points() -> Table:
    """Seven numbers in two heaps, for a window density by hand.

    Returns
    -------
    Table
        `known` holds the density at a few places for a box of width 3 (closed) and for
        a Gaussian of width 1.

    Examples
    --------
    >>> from corollary.datasets import parzen_points
    >>> parzen_points().X.ravel()
    array([ 2.,  3.,  4.,  8., 10., 11., 12.])
    """
    return Table(
        "parzen_points",
        "Seven numbers in two heaps.",
        ("x",),
        np.array([[2, 3, 4, 8, 10, 11, 12]], float).T,
        known={
            "box_3": {0: 0.0, 1: 1 / 21, 3: 3 / 21, 6: 0.0, 11: 3 / 21},
            "gaussian_1": {1: 0.04291, 3: 0.12613, 6: 0.01610, 11: 0.12676},
        },
    )


def unscaled_points(query: str = "stored") -> Table:
    """Two neighbours of a point, one feature a hundred times the other.

    Parameters
    ----------
    query : {"stored", "new"}
        The two labelled points, or the point to classify.

    Returns
    -------
    Table
        By plain distance the new point is nearer to class 2 (10.05 against 50),
        although the feature that carries the class says 1.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import unscaled_points
    >>> stored, new = unscaled_points(), unscaled_points("new")
    >>> print(np.linalg.norm(stored.X - new.X, axis=1).round(2))
    [50.   10.05]
    """
    name, about = "unscaled_points", "A feature on a large scale drowns the other."
    if query == "new":
        return Table(name, about, ("x1", "x2"), np.array([[1.0, 100.0]]), np.array([1]))
    if query != "stored":
        must = "query must be 'stored' or 'new'"
        raise ParameterError(sentence("unscaled_points", must, repr(query)))
    return _two_classes(name, about, [(1, 150)], [(2, 110)])
