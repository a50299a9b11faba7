"""What many dimensions cost: lattices, balls, shells.

Also known as: curse of dimensionality, volume of a ball, concentration of volume.

Points of a lattice of mesh epsilon in the unit cube, the rows that fill it:

    ceil(1 / epsilon)^d                                                          (1)

The ball of diameter 1 inside the unit cube has the volume

    pi^(d/2) / (2^(d-1) d Gamma(d/2))       0.79, 0.52, ... 0.0025 at d = 10     (2)

so in many dimensions a cube is all corners.  Of a ball, or of any body that is scaled
about a point, the part farther than epsilon of its size from the surface has the share

    (1 - epsilon)^d                                                              (3)

and nearly all volume lies in a thin shell at the surface.

Notation: d dimensions.
Course: S2-79. References: Bellman (1961); Hastie, Tibshirani, Friedman (2009), 2.5.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy.special import gammaln

from corollary.core.errors import ParameterError, sentence
from corollary.theory.calculator import answer, check_shapes, in_interval, whole_numbers

__all__ = ["ball_in_cube", "lattice_points", "shell_share"]

MOST_DIGITS = 100_000


def lattice_points(epsilon: float, d: int) -> int:
    """Count the points of a lattice in the unit cube (1).

    Parameters
    ----------
    epsilon : float in (0, 1)
        Mesh.
    d : int
        Dimensions.

    Returns
    -------
    int
        Exact.

    Examples
    --------
    >>> from corollary.theory import lattice_points
    >>> lattice_points(0.01, 10) == 10**20
    True
    """
    who = "lattice_points"
    mesh = in_interval(who, "epsilon", epsilon, 0.0, 1.0)
    dimension = whole_numbers(who, "d", d)
    if mesh.ndim or dimension.ndim:
        must = "epsilon and d must be single numbers"
        raise ParameterError(sentence(who, must, "an array"))
    side = math.ceil(1 / float(mesh) * (1 - 1e-12))
    if math.log10(side) * float(dimension) > MOST_DIGITS:
        must = f"the count must have at most {MOST_DIGITS} digits"
        came = f"{math.log10(side) * float(dimension):.3g}"
        raise ParameterError(sentence(who, must, came))
    return side ** int(dimension)


def ball_in_cube(d: Any) -> Any:
    """Return the share of a cube that the largest ball inside it fills (2).

    Parameters
    ----------
    d : int or array
        Dimensions.

    Returns
    -------
    float or array

    Examples
    --------
    >>> from corollary.theory import ball_in_cube
    >>> ball_in_cube([2, 3, 10]).round(5).tolist()
    [0.7854, 0.5236, 0.00249]
    """
    n = whole_numbers("ball_in_cube", "d", d)
    logarithm = n / 2 * math.log(math.pi) - (n - 1) * math.log(2) - np.log(n)
    return answer(np.exp(logarithm - gammaln(n / 2)))


def shell_share(epsilon: Any, d: Any) -> Any:
    """Return the share of a ball's volume within epsilon of its surface, from (3).

    Parameters
    ----------
    epsilon : float in (0, 1) or array
        Thickness of the shell, for a ball of radius 1.
    d : int or array
        Dimensions.

    Returns
    -------
    float or array
        1 - (1 - epsilon)^d.

    Examples
    --------
    >>> from corollary.theory import shell_share
    >>> shell_share(0.01, [1, 10, 100, 1000]).round(4).tolist()
    [0.01, 0.0956, 0.634, 1.0]
    """
    who = "shell_share"
    thickness = in_interval(who, "epsilon", epsilon, 0.0, 1.0)
    n = whole_numbers(who, "d", d)
    check_shapes(who, epsilon=thickness, d=n)
    return answer(-np.expm1(n * np.log1p(-thickness)))
