import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import DataError, ParameterError
from corollary.linear.margins import margins, nearest_point_on_plane


def make(seed=0, n=40, d=3):
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=d),
        rng.normal(),
        rng.normal(size=(n, d)),
        rng.integers(2, size=n),
    )


@pytest.mark.course("S4-43")
def test_geometric_margin_is_the_distance_with_a_sign():
    w, b, X, y = make()
    found = margins(w, b, X, y)
    nearest = nearest_point_on_plane(w, b, X)
    np.testing.assert_allclose(nearest @ w + b, 0, atol=1e-12)  # on the plane
    distance = np.linalg.norm(X - nearest, axis=1)
    np.testing.assert_allclose(np.abs(found.geometric), distance)
    right = (X @ w + b > 0) == (y == 1)
    np.testing.assert_array_equal(found.geometric > 0, right)
    assert found.smallest == found.geometric.min()
    # no other point of the plane is nearer
    rng = np.random.default_rng(1)
    for _ in range(20):
        step = rng.normal(size=3)
        step -= step @ w / (w @ w) * w
        assert (np.linalg.norm(X - nearest - step, axis=1) > distance).all()


@pytest.mark.course("S4-43")
@given(st.floats(1e-3, 1e3))
def test_scaling_changes_the_functional_margin_only(scale):
    w, b, X, y = make()
    one, other = margins(w, b, X, y), margins(scale * w, scale * b, X, y)
    np.testing.assert_allclose(other.functional, scale * one.functional, rtol=1e-9)
    np.testing.assert_allclose(other.geometric, one.geometric, rtol=1e-9, atol=1e-12)


def test_bad_input():
    w, b, X, y = make()
    with pytest.raises(ParameterError, match="a finite vector other than 0"):
        margins(np.zeros(3), b, X, y)
    with pytest.raises(DataError, match=r"X must be \(n, 3\)"):
        margins(w, b, X[:, :2], y)
    with pytest.raises(DataError, match="y must have two labels; got 3"):
        margins(w, b, X, np.arange(len(X)) % 3)
