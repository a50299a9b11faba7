"""The margin as projections on theta."""

import numpy as np
import pytest

from corollary import DataError, HardMarginSVC, LinearSVC, ParameterError
from corollary.diagnostics import margin_projections


def separable(seed=0, n=60, d=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    return rng.normal(size=(n, d)) + np.where(y == 1, 3.0, -3.0)[:, None], y


@pytest.mark.course("S4-91")
def test_scores_are_projections_times_the_norm():
    X, y = separable()
    model = HardMarginSVC(kernel="linear", tol=1e-9).fit(X, y)
    found = margin_projections(model, X, y)
    f = model.decision_function(X)
    theta = np.ravel(model.coef_)
    assert found.norm == pytest.approx(np.linalg.norm(theta))
    np.testing.assert_allclose((found.projections - found.offset) * found.norm, f)
    # p_i is the length of the projection of x_i on theta
    foot = np.outer(found.projections, theta / np.linalg.norm(theta))
    np.testing.assert_allclose((X - foot) @ theta, 0, atol=1e-9)
    # the constraints hold, and are tight: p = 1 / ||theta|| at the support vectors
    assert found.holds == 1
    assert found.products.min() == pytest.approx(1, abs=1e-6)
    assert found.margin == pytest.approx(1 / found.norm, rel=1e-6)
    assert found.needed_norm == pytest.approx(found.norm, rel=1e-6)
    assert found.margin == pytest.approx(model.margin_, rel=1e-6)


@pytest.mark.course("S4-91")
def test_no_other_direction_does_with_a_shorter_theta():
    X, y = separable(1)
    model = HardMarginSVC(kernel="linear", tol=1e-9).fit(X, y)
    least = margin_projections(model, X, y).norm
    rng = np.random.default_rng(2)
    needed = []
    for _ in range(300):
        u = np.ravel(model.coef_) / least + 0.5 * rng.normal(size=3)
        other = margin_projections(model, X, y, direction=u)
        needed.append(other.needed_norm)
        if np.isfinite(other.needed_norm):
            assert other.norm == pytest.approx(other.needed_norm)
            assert other.products.min() == pytest.approx(1)
    assert min(needed) >= least * (1 - 1e-9)
    assert np.isinf(needed).any()  # directions along which the classes overlap


def test_soft_margins_overlap_and_pictures():
    pytest.importorskip("matplotlib").use("Agg")
    rng = np.random.default_rng(3)
    y = rng.integers(2, size=80)
    X = rng.normal(size=(80, 2)) + y[:, None]
    found = margin_projections(LinearSVC().fit(X, y), X, y)
    assert found.holds < 1
    assert found.margin < 0
    assert np.isinf(found.needed_norm)
    assert "no norm suffices" in str(found)
    ax = found.plot()
    assert len(ax.collections) == 2
    assert "1 / ||theta||" in ax.get_xlabel()
    clear = margin_projections(
        ([1.0, 1.0], -1.0), X[[0]] * 0 + [[1, 1], [0, 0]], [1, 0]
    )
    assert "would do" in str(clear)


def test_errors():
    X, y = separable()
    with pytest.raises(ParameterError, match="must be linear"):
        margin_projections("svm", X, y)
    with pytest.raises(ParameterError, match="one number for each of 3"):
        margin_projections((np.ones(3), 0.0), X, y, direction=[1.0])
    with pytest.raises(DataError, match="two labels"):
        margin_projections((np.ones(3), 0.0), X, np.zeros(60))
