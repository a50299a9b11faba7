"""The classic pictures of Lagrangian duality, for one constraint g(x) <= 0.

Also known as: geometric picture of duality, supporting line, duality gap.

`plot_region` draws G = {(g(x), f(x))} over sampled points with the supporting line of a
multiplier mu: t + mu u = theta(mu).  Where the line meets u = 0 is the dual value; the
lowest point of G with u <= 0 is the primal value, and what is between is the gap.
`plot_dual` draws theta over mu, never above the primal value.

Course: S0-66.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from corollary.core.errors import DataError, sentence

__all__ = ["plot_dual", "plot_region"]


def values(f: Callable[[Any], Any], g: Callable[[Any], Any], points: Any) -> Any:
    """Return g and f of every point, and the least f of the feasible ones."""
    points = np.asarray(points, float)
    u = np.array([float(g(x)) for x in points])
    t = np.array([float(f(x)) for x in points])
    if not (u <= 0).any():
        must = "some point must be feasible, g(x) <= 0"
        raise DataError(sentence("plot_region", must, "none"))
    return u, t, float(t[u <= 0].min())


def plot_region(
    f: Callable[[Any], Any],
    g: Callable[[Any], Any],
    points: Any,
    mu: float,
    ax: Any = None,
) -> Any:
    """Draw G with the supporting line of mu; needs the extra ``corollary[plots]``.

    Parameters
    ----------
    f, g : functions of x -> float
    points : array of shape (k, d)
        Samples of x.
    mu : float
        A multiplier >= 0.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    import matplotlib.pyplot as plt

    u, t, primal = values(f, g, points)
    ax = ax if ax is not None else plt.subplots()[1]
    theta = float((t + mu * u).min())
    ax.plot(u, t, ".", label="(g, f)")
    ends = np.array([u.min(), u.max()])
    ax.plot(ends, theta - mu * ends, label="supporting line")
    ax.plot([0.0], [primal], "o", label="primal value")
    ax.plot([0.0], [theta], "s", label="dual value")
    ax.axvline(0.0, linewidth=0.5)
    ax.set_xlabel("g(x)")
    ax.set_ylabel("f(x)")
    ax.set_title(f"gap {primal - theta:.4g}")
    ax.legend()
    return ax


def plot_dual(
    f: Callable[[Any], Any],
    g: Callable[[Any], Any],
    points: Any,
    mus: Any,
    ax: Any = None,
) -> Any:
    """Draw theta over multipliers, with the primal value above it.

    Parameters
    ----------
    f, g : functions of x -> float
    points : array of shape (k, d)
    mus : array
        Multipliers >= 0.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    import matplotlib.pyplot as plt

    u, t, primal = values(f, g, points)
    ax = ax if ax is not None else plt.subplots()[1]
    theta = [float((t + mu * u).min()) for mu in np.asarray(mus, float)]
    ax.plot(mus, theta, label="dual function")
    ax.axhline(primal, linestyle="--", label="primal value")
    ax.set_xlabel("multiplier")
    ax.set_title(f"gap {primal - max(theta):.4g}")
    ax.legend()
    return ax
