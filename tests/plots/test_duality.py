"""The pictures of duality carry the numbers that they show."""

import matplotlib
import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.plots.duality import plot_dual, plot_region

matplotlib.use("Agg")


def drawn(ax):
    return {line.get_label(): line for line in ax.get_lines()}


@pytest.mark.course("S0-66")
def test_a_convex_problem_has_no_gap_and_another_has():
    points = np.linspace(-1, 3, 4001)[:, None]
    f, g = (lambda x: x[0] ** 2), (lambda x: 1 - x[0])
    lines = drawn(plot_region(f, g, points, 2.0))
    assert lines["primal value"].get_ydata()[0] == pytest.approx(1.0)
    assert lines["dual value"].get_ydata()[0] == pytest.approx(1.0)
    u, t = lines["(g, f)"].get_data()
    on, height = lines["supporting line"].get_data()
    assert (t >= np.interp(u, on[::1], height) - 1e-12).all()  # it supports G
    ax = plot_dual(f, g, points, np.linspace(0, 4, 41))
    theta = drawn(ax)["dual function"].get_ydata()
    np.testing.assert_allclose(theta.max(), 1.0, atol=1e-6)
    # min -x^2 on [0, 2] with x <= 1: p* = -1, d* = max_mu min(-mu, mu - 4) = -2
    points = np.linspace(0, 2, 401)[:, None]
    ax = plot_dual(lambda x: -(x[0] ** 2), lambda x: x[0] - 1, points, [0, 1, 2, 3])
    assert ax.get_title() == "gap 1"
    with pytest.raises(DataError, match="some point must be feasible"):
        plot_region(f, lambda x: 1.0, points, 1.0)
