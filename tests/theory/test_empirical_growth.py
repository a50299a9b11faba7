"""The growth function, counted on sets that are drawn."""

from math import comb

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.theory import Boxes, Halfspaces, Intervals, Sines, empirical_growth


def phi(d, m):
    """Sauer's bound by its recurrence."""
    return 1 if d == 0 or m == 0 else phi(d, m - 1) + phi(d - 1, m - 1)


@pytest.mark.course("S3-104")
def test_halfplanes_grow_by_8_14_22():
    found = empirical_growth(Halfspaces(2), [3, 4, 5], n_sets=3, random_state=0)
    assert found.counts == found.least == (8, 14, 22)
    assert found.shattered_up_to == 3
    assert found.bounds == (8, 15, 26)


@pytest.mark.course("S3-104")
def test_one_interval_grows_exactly_as_sauers_bound():
    found = empirical_growth(Intervals(), range(1, 11), n_sets=1, random_state=0)
    assert found.counts == tuple(1 + m * (m + 1) // 2 for m in range(1, 11))
    assert found.bounds == found.counts == tuple(phi(2, m) for m in range(1, 11))


def test_no_count_is_above_the_bound_or_falls():
    found = empirical_growth(Boxes(2), range(1, 9), n_sets=5, random_state=0)
    assert all(a <= b for a, b in zip(found.counts, found.bounds, strict=True))
    assert all(a <= b for a, b in zip(found.least, found.counts, strict=True))
    assert list(found.counts) == sorted(found.counts)
    assert found.bounds[-1] == sum(comb(8, i) for i in range(5))


def test_a_class_of_infinite_dimension_and_a_table():
    found = empirical_growth(
        Sines(), [3, 4], sampler=lambda m, rng: 10.0 ** -np.arange(1, m + 1)
    )
    assert found.counts == found.bounds == (8, 16)
    table = np.array([[1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 0]])
    grown = empirical_growth(table, [1, 2, 3], n_sets=20, random_state=0)
    assert grown.counts == (2, 4, 4)
    assert grown.bounds == (2, 4, 8)  # no dimension is known before it is searched


def test_the_plot_shows_three_curves():
    import matplotlib

    matplotlib.use("Agg")
    found = empirical_growth(Intervals(), [1, 2, 3, 4], n_sets=1)
    ax = found.plot()
    assert ax.lines[0].get_ydata().tolist() == np.log2(found.counts).tolist()
    assert ax.lines[2].get_ydata().tolist() == [1, 2, 3, 4]
    assert "shattered sets were met up to m = 2" in str(found)


@pytest.mark.parametrize(
    "bad", [{"sizes": []}, {"sizes": [0]}, {"sizes": 3}, {"n_sets": 0}]
)
def test_bad_sizes_are_told(bad):
    with pytest.raises(ParameterError, match=r"empirical_growth: (sizes|n_sets) must"):
        empirical_growth(Intervals(), **bad)
    with pytest.raises(ParameterError, match="at most the 2 columns"):
        empirical_growth([[0, 1]], [3])
