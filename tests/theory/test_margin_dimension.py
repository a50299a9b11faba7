"""Margins and effective dimensions."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize

from corollary import SVC, HardMarginSVC, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.theory import (
    compare_margin_dimensions,
    margin_dimension,
    margin_dimension_of,
)


@pytest.mark.course("S0-62")
def test_the_smaller_of_margin_and_features():
    assert margin_dimension(0.5, 2.0, 1000).value == 17
    assert margin_dimension(0.5, 2.0, 1000).limited_by == "margin"
    assert margin_dimension(0.5, 2.0, 10).value == 11
    assert margin_dimension(1e-9, 2.0, 10).value == 11  # n + 1 for small margins
    assert margin_dimension(1e-9, 2.0, 10).limited_by == "features"
    assert margin_dimension(0.3, 1.0).value == 1 + 12  # 11.1 rounded up
    assert margin_dimension(0.5, 2.0).holds
    data = margin_dimension(0.5, 2.0, from_data=True)
    assert not data.holds
    assert "guidance" in str(data)
    assert "PCA" in margin_dimension(0.01, 2.0, 10).advice
    assert "kernel" in margin_dimension(0.5, 2.0, 1000).advice


@pytest.mark.course("S0-62")
def test_a_simplex_is_shattered_with_the_margin_that_the_bound_allows():
    m = 4  # corners of a tetrahedron on the unit sphere
    P = np.eye(m) - 1 / m
    P /= np.linalg.norm(P[0])
    margins = []
    for signs in product((-1, 1), repeat=m):
        if len(set(signs)) == 2:
            machine = HardMarginSVC(kernel="linear").fit(P, signs)
            margins.append(1 / np.linalg.norm(machine.coef_))
    gamma = min(margins)
    assert gamma == pytest.approx(1 / np.sqrt(m - 1), rel=1e-4)
    assert margin_dimension(gamma * (1 + 1e-3), 1.0).value == m
    assert margin_dimension(gamma * (1 + 1e-3), 1.0).value >= m  # m points are


@pytest.mark.course("S0-62")
@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_two_points_have_their_radius_for_margin(kernel):
    X, y = np.array([[0.3, 1.0], [2.0, -1.0]]), [0, 1]
    machine = SVC(C=1e6, kernel=kernel, gamma=0.4, coef0=1.0, tol=1e-8).fit(X, y)
    found = margin_dimension_of(machine, X, y)
    assert found.ratio == pytest.approx(1.0, rel=1e-4)
    assert found.gamma == pytest.approx(found.radius, rel=1e-4)
    assert not found.holds
    assert found.margin_errors == 0


@pytest.mark.course("S0-62")
def test_margin_and_radius_against_another_search():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, 0.7, -0.7)
    machine = SVC(kernel="linear", C=1e4, tol=1e-6).fit(X, y)
    found = margin_dimension_of(machine, X, y)
    assert found.gamma == pytest.approx(1 / np.linalg.norm(machine.coef_), rel=1e-6)

    def radius2(centre):
        return ((X - centre) ** 2).sum(axis=1).max()

    best = minimize(radius2, X.mean(axis=0), method="Nelder-Mead", tol=1e-10)
    assert found.radius**2 == pytest.approx(best.fun, rel=1e-3)
    assert found.n_features == 3


@pytest.mark.course("S0-62")
def test_a_feature_map_that_hurts():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(80, 2))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y, 1.0, -1.0)
    kernels = {
        "line": {"kernel": "linear"},
        "wide": {"kernel": "rbf", "gamma": 0.05},
        "narrow": {"kernel": "rbf", "gamma": 100.0},
    }
    machines = {name: SVC(C=1e4, **k).fit(X, y) for name, k in kernels.items()}
    found = compare_margin_dimensions(machines, X, y)
    values = {n: d.value for n, d in zip(found.names, found.dimensions, strict=True)}
    assert values["narrow"] > 2 * values["wide"]  # it separates, and pays for it
    assert found.best == "line"
    assert "margin errors" in str(found)
    # features of pure noise: dropping them lowers the dimension
    noisy = np.hstack([X, rng.normal(size=(80, 30))])
    many = margin_dimension_of(SVC(kernel="linear", C=1e4).fit(noisy, y), noisy, y)
    few = margin_dimension_of(machines["line"], X, y)
    assert few.value < many.value


def test_bad_input():
    X, y = np.array([[0.0], [1.0], [2.0]]), [0, 1, 2]
    with pytest.raises(DataError, match="of two classes; got SVC"):
        margin_dimension_of(SVC().fit(X, y), X, y)
    with pytest.raises(DataError, match="of two classes; got Ridge"):
        margin_dimension_of(Ridge().fit(X, y), X, y)
    machine = SVC().fit(X[:2], y[:2])
    with pytest.raises(DataError, match="X must be rows and y their labels"):
        margin_dimension_of(machine, X, y[:2])
    for wrong in (0, -1.0, float("nan"), float("inf"), "x"):
        with pytest.raises(ParameterError, match="gamma must be a finite number > 0"):
            margin_dimension(wrong, 1.0)
        with pytest.raises(ParameterError, match="radius must be a finite number > 0"):
            margin_dimension(1.0, wrong)
    with pytest.raises(ParameterError, match="n_features must be None or a whole"):
        margin_dimension(1.0, 1.0, 0)
    with pytest.raises(ParameterError, match="machines must be a mapping"):
        compare_margin_dimensions([machine], X, y)
