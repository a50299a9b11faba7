"""Sines and cosines: orthogonality, the discrete Fourier transform, bad parameters."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import FourierBasis, LinearRegression
from corollary.core.errors import ParameterError

RNG = np.random.default_rng(0)


@pytest.mark.course("S3-87")
def test_columns_are_orthogonal_on_an_even_grid():
    N, K = 15, 7
    x = 3.0 * np.arange(N)[:, None] / N - 10
    H = FourierBasis(K, period=3.0, include_bias=True).fit_transform(x)
    G = H.T @ H
    np.testing.assert_allclose(G, np.diag([N] + [N / 2] * (2 * K)), atol=1e-11)


@pytest.mark.course("S3-87")
def test_least_squares_gives_the_discrete_fourier_transform():
    N, K = 31, 4
    x, y = np.arange(N)[:, None] / N, RNG.normal(size=N)
    model = make_pipeline(FourierBasis(K, period=1.0), LinearRegression()).fit(x, y)
    c = np.fft.rfft(y) / N
    want = np.column_stack([2 * c.real, -2 * c.imag])[1 : K + 1].ravel()
    np.testing.assert_allclose(model[-1].coef_, want, atol=1e-12)
    np.testing.assert_allclose(model[-1].intercept_, y.mean(), rtol=1e-11)


def test_the_range_is_the_period_by_default():
    X = RNG.normal([100.0, 0.0], size=(50, 2))
    model = FourierBasis(2).fit(X)
    np.testing.assert_allclose(model.period_, np.ptp(X, axis=0))
    low, high = X.min(axis=0, keepdims=True), X.max(axis=0, keepdims=True)
    np.testing.assert_allclose(model.transform(low), model.transform(high), atol=1e-12)
    names = ["x0_cos_1", "x0_sin_1", "x0_cos_2", "x0_sin_2", "x1_cos_1"]
    assert model.get_feature_names_out()[:5].tolist() == names


def test_whole_periods_change_nothing():
    X = RNG.random((20, 2))
    model = FourierBasis(3, period=[1.0, 0.5]).fit(X)
    np.testing.assert_allclose(
        model.transform(X + 2**20), model.transform(X), atol=1e-8
    )


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"n_harmonics": 0}, "n_harmonics must be a whole number >= 1"),
        ({"period": 0.0}, "period must be"),
        ({"period": [1.0, -1.0]}, "period must be > 0"),
        ({"period": [1.0, 1.0, 1.0]}, "one for each of the 2 inputs"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        FourierBasis(**options).fit(np.ones((3, 2)))
