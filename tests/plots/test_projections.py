"""The picture of classes along an axis carries the numbers that it shows."""

import matplotlib
import numpy as np
import pytest

from corollary.core.errors import DataError
from corollary.plots import class_projection

matplotlib.use("Agg")


@pytest.mark.course("S0-38")
def test_the_histograms_hold_every_row_and_the_title_both_numbers():
    rng = np.random.default_rng(0)
    y = np.repeat(["a", "b"], [30, 50])
    X = rng.normal(size=(80, 2)) + np.outer(y == "b", [0.0, 1.0])
    seen = class_projection(X, y, [0.0, -2.0])
    np.testing.assert_allclose(seen.z, -X[:, 1])
    gap = X[y == "b", 1].mean() - X[y == "a", 1].mean()
    np.testing.assert_allclose(seen.distance, gap)
    wrong = [
        min(((X[:, 1] > t) != (y == "b")).mean(), ((X[:, 1] > t) == (y == "b")).mean())
        for t in [-9.0, *X[:, 1]]
    ]
    np.testing.assert_allclose(seen.overlap, min(wrong))
    ax = seen.plot()
    counts = [sum(bar.get_height() for bar in bars) for bars in ax.containers]
    assert counts == [30, 50]
    assert ax.get_title() == str(seen)
    assert f"{min(wrong):.1%}" in ax.get_title()


@pytest.mark.parametrize(
    ("y", "v", "message"),
    [
        ([0, 1, 2], [1.0, 0.0], "two labels"),
        ([0, 1, 1], [0.0, 0.0], "not 0"),
        ([0, 1], [1.0, 0.0], "shapes"),
    ],
)
def test_what_cannot_be_drawn_is_refused(y, v, message):
    with pytest.raises(DataError, match=message):
        class_projection(np.eye(3)[:, :2], y, v)
