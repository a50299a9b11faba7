"""Landmark features: numbers, coverage, and what they are not."""

import numpy as np
import pytest

from corollary import LandmarkFeatures, LogisticRegression, Ridge
from corollary.core.errors import ParameterError
from corollary.datasets import two_moons
from corollary.kernels import Gaussian

RNG = np.random.default_rng(12)
X = RNG.normal(size=(50, 2))


@pytest.mark.course("S4-13")
def test_a_feature_is_1_at_its_landmark_and_falls_with_the_distance():
    L = [[3.0, 2.0]]
    points = np.array([[3.0, 2.0], [3.0, 3.0], [3.0, 4.0], [300.0, 2.0]])
    values = {}
    for sigma in (0.5, 1.0, 3.0):
        model = LandmarkFeatures(L, sigma=sigma).fit(X)
        values[sigma] = model.transform(points)[:, 0]
        squared = np.array([0.0, 1.0, 4.0, 297.0**2])
        np.testing.assert_allclose(values[sigma], np.exp(-squared / (2 * sigma**2)))
        assert values[sigma][0] == 1
        assert values[sigma][-1] == 0
    assert values[0.5][1] < values[1.0][1] < values[3.0][1]  # a larger one falls slower


@pytest.mark.course("S4-13")
def test_the_training_rows_are_the_landmarks():
    model = LandmarkFeatures(sigma=0.8, random_state=0).fit(np.vstack([X, X[:5]]))
    assert sorted(map(tuple, model.landmarks_)) == sorted(map(tuple, X))
    F = model.transform(X)
    np.testing.assert_allclose(F, Gaussian(0.8)(X, model.landmarks_), rtol=1e-12)
    np.testing.assert_allclose(F.max(axis=1), 1.0)
    biased = LandmarkFeatures(sigma=0.8, include_bias=True, random_state=0).fit(X)
    np.testing.assert_array_equal(biased.transform(X)[:, 0], 1.0)
    assert biased.transform(X).shape == (50, 51)
    assert len(biased.get_feature_names_out()) == 51
    few = LandmarkFeatures(n_landmarks=7, random_state=0).fit(X)
    assert few.landmarks_.shape == (7, 2)


@pytest.mark.course("S4-13")
def test_a_plain_penalty_is_not_the_kernel_machine():
    """||theta||^2 on f differs from theta'K theta, which is kernel ridge."""
    y, k = np.sin(2 * X[:, 0]), Gaussian(1.0)
    model = LandmarkFeatures(sigma=1.0, random_state=0).fit(X)
    F = model.transform(X)
    plain = Ridge(alpha=0.5, fit_intercept=False).fit(F, y)
    K = k(model.landmarks_)
    theta = np.linalg.solve(F.T @ F + 0.5 * K + 1e-10 * np.eye(50), F.T @ y)
    alpha = np.linalg.solve(k(X) + 0.5 * np.eye(50), y)
    kernel_ridge = k(X) @ alpha
    np.testing.assert_allclose(F @ theta, kernel_ridge, atol=1e-4)
    assert np.abs(plain.predict(F) - kernel_ridge).max() > 0.01


@pytest.mark.course("S4-13")
def test_few_centres_separate_what_no_line_does():
    M, y = two_moons(500, random_state=1)
    model = LandmarkFeatures("k-means", n_landmarks=25, sigma=0.6, random_state=0).fit(
        M
    )
    assert model.landmarks_.shape == (25, 2)
    F = model.transform(M)
    lifted = LogisticRegression(C=100.0).fit(F, y).score(F, y)
    assert lifted > LogisticRegression().fit(M, y).score(M, y) + 0.05


def test_rows_far_from_all_landmarks_are_told():
    report = LandmarkFeatures([[100.0, 100.0]]).fit(X).report_
    assert "far from every landmark" in str(report)
    with pytest.raises(ParameterError, match=r"landmarks must have shape \(m, 2\)"):
        LandmarkFeatures([[1.0, 2.0, 3.0]]).fit(X)
    with pytest.raises(ParameterError, match=r"must have shape \(3, 2\); got \(1, 2\)"):
        LandmarkFeatures([[1.0, 2.0]], n_landmarks=3).fit(X)
    with pytest.raises(ParameterError, match="sigma must be a number"):
        LandmarkFeatures(sigma=0.0).fit(X)
