"""Wavelets: orthonormal on the dyadic grid, vanishing moments, known values."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import LinearRegression, WaveletBasis
from corollary.core.errors import DataError, ParameterError
from corollary.preparation.wavelet_basis import daubechies_filter

FAMILIES = ["haar", "db2", "db3", "db5", "db8"]


def grid(L):
    return np.arange(2**L)[:, None] / 2**L


@pytest.mark.course("S3-87")
@pytest.mark.parametrize("wavelet", FAMILIES)
def test_the_basis_is_orthonormal_on_the_dyadic_grid(wavelet):
    L = 9
    model = WaveletBasis(wavelet, n_levels=5, low=0.0, high=1.0, resolution=L)
    H = model.fit_transform(grid(L))
    assert H.shape == (512, 32)
    np.testing.assert_allclose(H.T @ H / 512, np.eye(32), atol=1e-9)
    np.testing.assert_allclose(H[:, 1:].sum(axis=0), 0, atol=1e-7)


@pytest.mark.course("S3-87")
def test_as_many_levels_as_the_grid_has_reproduce_anything():
    y = np.random.default_rng(0).normal(size=64)
    x = grid(6)
    for wavelet in FAMILIES:
        basis = WaveletBasis(wavelet, n_levels=6, low=0.0, high=1.0, resolution=6)
        H = basis.fit_transform(x)
        np.testing.assert_allclose(H @ (H.T @ y) / 64, y, atol=1e-8)


@pytest.mark.course("S3-87")
def test_haar_is_the_textbooks():
    model = WaveletBasis("haar", n_levels=3, low=0.0, high=8.0).fit([[0.0], [8.0]])
    H = model.transform(np.arange(8)[:, None] + 0.5)
    r = np.sqrt(2)
    want = np.array(
        [
            [1, 1, 1, 1, 1, 1, 1, 1],
            [1, 1, 1, 1, -1, -1, -1, -1],
            [r, r, -r, -r, 0, 0, 0, 0],
            [0, 0, 0, 0, r, r, -r, -r],
            [2, -2, 0, 0, 0, 0, 0, 0],
            [0, 0, 2, -2, 0, 0, 0, 0],
            [0, 0, 0, 0, 2, -2, 0, 0],
            [0, 0, 0, 0, 0, 0, 2, -2],
        ]
    )
    np.testing.assert_allclose(H.T, want, atol=1e-12)
    names = model.get_feature_names_out()
    assert names[:3].tolist() == ["x0_scaling", "x0_wavelet_0_0", "x0_wavelet_1_0"]


@pytest.mark.parametrize("N", range(1, 9))
def test_filters_are_orthonormal_with_vanishing_moments(N):
    c = daubechies_filter(N)
    shifts = [c[: 2 * N - 2 * k] @ c[2 * k :] for k in range(N)]
    np.testing.assert_allclose(shifts, np.eye(1, N)[0], atol=1e-9)
    np.testing.assert_allclose(c.sum(), np.sqrt(2), rtol=1e-14)
    g = c[::-1] * (-1.0) ** np.arange(2 * N)
    m = np.arange(2 * N) / (2 * N)
    np.testing.assert_allclose([g @ m**p for p in range(N)], np.zeros(N), atol=1e-9)


def test_the_second_filter_is_daubechies():
    r = np.sqrt(3)
    want = np.array([1 + r, 3 + r, 3 - r, 1 - r]) / (4 * np.sqrt(2))
    np.testing.assert_allclose(daubechies_filter(2), want, rtol=1e-12)


@pytest.mark.course("S3-87")
def test_wavelets_ignore_polynomials_away_from_the_ends():
    L = 12
    H = WaveletBasis("db3", n_levels=6, low=0.0, high=1.0, resolution=L)
    H = H.fit_transform(grid(L))
    u = grid(L)[:, 0]
    inside = H[:, 32 + 4 : 64 - 6]  # the finest scale, none of these wrapped around
    size = np.abs(inside).T @ u**2
    assert (np.abs(inside.T @ (1 + u - 3 * u**2)) < 1e-8 * size).all()


def test_a_jump_needs_few_haar_wavelets():
    x = np.linspace(0, 1, 256, endpoint=False)[:, None]
    y = np.where(x[:, 0] < 0.25, 1.0, -2.0)
    basis = WaveletBasis(n_levels=4, low=0.0, high=1.0, include_bias=False)
    model = make_pipeline(basis, LinearRegression()).fit(x, y)
    np.testing.assert_allclose(model.predict(x), y, atol=1e-12)
    assert (np.abs(model[-1].coef_) > 1e-10).sum() == 2


def test_beyond_the_interval():
    x = np.array([[0.1], [0.9]])
    for mode, same in (("constant", [[0.0], [1.0]]), ("periodic", [[0.75], [0.5]])):
        model = WaveletBasis("db2", low=0.0, high=1.0, extrapolation=mode).fit(x)
        np.testing.assert_allclose(
            model.transform([[-0.25], [1.5]]), model.transform(same), atol=1e-12
        )
    model = WaveletBasis(low=0.0, high=1.0, extrapolation="error").fit(x)
    with pytest.raises(
        DataError, match="interval from 0 to 1; got 1\\.5 in row 0, column 0"
    ):
        model.transform([[1.5]])


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"wavelet": "db9"}, "wavelet must be one of"),
        ({"n_levels": 5, "resolution": 4}, "resolution must be at least n_levels = 5"),
        ({"low": 1.0, "high": 1.0}, "high must be above low = 1"),
        ({"n_levels": 0, "include_bias": False}, "no column left"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        WaveletBasis(**options).fit([[0.0], [1.0]])


def test_filters_of_other_orders_get_a_sentence():
    with pytest.raises(ParameterError, match="N must be a whole number from 1 to 8"):
        daubechies_filter(9)
