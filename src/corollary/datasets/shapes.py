"""Shapes to cluster, to separate and to unroll, drawn from a seed.

A shape comes as ``X, y``, blobs with their centres, a roll with its flat coordinates.
`random_state` is a seed, a NumPy generator or None, as in scikit-learn; the same seed
gives the same data.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from corollary.core.records import readable

__all__ = [
    "Blobs",
    "Points",
    "Roll",
    "blobs",
    "rings",
    "spirals",
    "stretched_blobs",
    "swiss_roll",
    "two_moons",
    "xor_cloud",
]


@readable
class Points(NamedTuple):
    """Points (n, d), and the group of each."""

    X: np.ndarray
    y: np.ndarray


@readable
class Blobs(NamedTuple):
    """Points, the blob of each, and the centres (k, d) of the blobs."""

    X: np.ndarray
    y: np.ndarray
    centers: np.ndarray


@readable
class Roll(NamedTuple):
    """Points (n, 3) of a roll, and their angle t and height h in the flat sheet."""

    X: np.ndarray
    t: np.ndarray
    h: np.ndarray


def two_moons(
    n_samples: int = 200, noise: float = 0.1, random_state: Any = 0
) -> Points:
    """Draw two half circles, each reaching into the other.

    Parameters
    ----------
    n_samples : int
        Number of points, half to each moon.
    noise : float
        Standard deviation of what is added to either coordinate.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Moon of each point, 0 or 1.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import two_moons
    >>> X, y = two_moons(100, noise=0)
    >>> print(np.allclose(np.hypot(*X[y == 0].T), 1))
    True
    """
    rng = np.random.default_rng(random_state)
    y = np.arange(n_samples) % 2
    t = np.pi * rng.random(n_samples)
    upper = np.column_stack([np.cos(t), np.sin(t)])
    X = np.where(y[:, None] == 0, upper, [1.0, 0.5] - upper)
    return Points(X + noise * rng.standard_normal(X.shape), y)


def rings(
    n_samples: int = 300,
    radii: Sequence[float] = (1.0, 2.0, 3.0),
    noise: float = 0.1,
    random_state: Any = 0,
) -> Points:
    """Draw concentric circles, as many points on each.

    Parameters
    ----------
    n_samples : int
        Number of points.
    radii : sequence of float
        Radius of each circle.
    noise : float
        Standard deviation of what is added to either coordinate.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Ring of each point.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import rings
    >>> X, y = rings(6, noise=0)
    >>> print(np.hypot(*X.T).round(12))
    [1. 2. 3. 1. 2. 3.]
    """
    rng = np.random.default_rng(random_state)
    y = np.arange(n_samples) % len(radii)
    t = 2 * np.pi * rng.random(n_samples)
    X = np.take(radii, y)[:, None] * np.column_stack([np.cos(t), np.sin(t)])
    return Points(X + noise * rng.standard_normal(X.shape), y)


def spirals(
    n_samples: int = 200,
    arms: int = 2,
    turns: float = 1.5,
    noise: float = 0.02,
    random_state: Any = 0,
) -> Points:
    """Draw interleaved spirals that start near the origin and end at radius 1.

    Parameters
    ----------
    n_samples : int
        Number of points.
    arms : int
        Number of spirals, each turned against the one before.
    turns : float
        How often an arm goes round.
    noise : float
        Standard deviation of what is added to either coordinate.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Arm of each point.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import spirals
    >>> X, y = spirals(300, arms=3)
    >>> print(np.bincount(y))
    [100 100 100]
    """
    rng = np.random.default_rng(random_state)
    y = np.arange(n_samples) % arms
    r = np.sqrt(rng.uniform(0.01, 1.0, n_samples))  # even along the arm
    t = 2 * np.pi * (turns * r + y / arms)
    X = r[:, None] * np.column_stack([np.cos(t), np.sin(t)])
    return Points(X + noise * rng.standard_normal(X.shape), y)


def swiss_roll(n_samples: int = 500, noise: float = 0.0, random_state: Any = 0) -> Roll:
    """Roll up a sheet in three dimensions.

    Parameters
    ----------
    n_samples : int
        Number of points.
    noise : float
        Standard deviation of what is added to each coordinate.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    Roll
        The points ``(t cos t, h, t sin t)`` with ``1.5 pi <= t <= 4.5 pi`` and
        ``0 <= h <= 20``, and t and h themselves.

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import swiss_roll
    >>> roll = swiss_roll(50)
    >>> print(np.allclose(np.hypot(roll.X[:, 0], roll.X[:, 2]), roll.t))
    True
    """
    rng = np.random.default_rng(random_state)
    t = 1.5 * np.pi * (1 + 2 * rng.random(n_samples))
    h = 20 * rng.random(n_samples)
    X = np.column_stack([t * np.cos(t), h, t * np.sin(t)])
    return Roll(X + noise * rng.standard_normal(X.shape), t, h)


def blobs(
    n_samples: int = 300,
    n_features: int = 2,
    n_clusters: int = 3,
    std: float = 1.0,
    box: float = 10.0,
    random_state: Any = 0,
) -> Blobs:
    """Draw round Gaussian clusters around centres spread evenly in a box.

    Parameters
    ----------
    n_samples, n_features, n_clusters : int
        Number of points, coordinates and clusters; every point draws its cluster.
    std : float
        Standard deviation of each cluster in each coordinate.
    box : float
        Centres lie in ``[-box, box]`` in each coordinate.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    Blobs

    Examples
    --------
    >>> from corollary.datasets import blobs
    >>> X, y, centers = blobs(100, 5, 4)
    >>> X.shape, centers.shape, y.max() < 4
    ((100, 5), (4, 5), np.True_)
    """
    rng = np.random.default_rng(random_state)
    centers = rng.uniform(-box, box, (n_clusters, n_features))
    y = rng.integers(0, n_clusters, n_samples)
    return Blobs(
        centers[y] + std * rng.standard_normal((n_samples, n_features)), y, centers
    )


def stretched_blobs(
    n_samples: int = 300, ratio: float = 8.0, random_state: Any = 0
) -> Blobs:
    """Draw three long parallel clusters in the plane, which k-means cuts across.

    Parameters
    ----------
    n_samples : int
        Number of points.
    ratio : float
        Length of a cluster over its width (standard deviations).
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    Blobs
        Centres lie four widths apart, across the long direction (1, 1).

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.datasets import stretched_blobs
    >>> X, y, centers = stretched_blobs()
    >>> print(np.linalg.norm(np.diff(centers, axis=0), axis=1))
    [4. 4.]
    """
    rng = np.random.default_rng(random_state)
    turn = np.array([[1, 1], [-1, 1]]) / np.sqrt(2)  # rows: along, across
    centers = np.array([[0, -4], [0, 0], [0, 4]]) @ turn
    y = rng.integers(0, 3, n_samples)
    spread = rng.standard_normal((n_samples, 2)) * [ratio, 1.0]
    return Blobs(centers[y] + spread @ turn, y, centers)


def xor_cloud(
    n_samples: int = 200, noise: float = 0.25, random_state: Any = 0
) -> Points:
    """Draw four Gaussian heaps at the corners of a square, opposite corners alike.

    Parameters
    ----------
    n_samples : int
        Number of points, a quarter to each corner (-1, -1), (-1, 1), (1, -1), (1, 1).
    noise : float
        Standard deviation of a heap in either coordinate.
    random_state : None, int or Generator
        Seed.

    Returns
    -------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        1 where the signs of the corner differ, else 0.

    Examples
    --------
    >>> from corollary.datasets import xor_cloud
    >>> X, y = xor_cloud(4, noise=0)
    >>> X.astype(int).tolist(), y.tolist()
    ([[-1, -1], [-1, 1], [1, -1], [1, 1]], [0, 1, 1, 0])
    """
    rng = np.random.default_rng(random_state)
    corner = np.arange(n_samples) % 4
    high = np.column_stack([corner // 2, corner % 2])
    X = 2.0 * high - 1 + noise * rng.standard_normal((n_samples, 2))
    return Points(X, high[:, 0] ^ high[:, 1])
