"""Random Fourier features: means, bounds, rates, and the machines behind them."""

import numpy as np
import pytest
import scipy.sparse as sp

from corollary import SVC, LogisticRegression, RBFSampler
from corollary.core.errors import ParameterError
from corollary.datasets import two_moons
from corollary.kernels import Gaussian

RNG = np.random.default_rng(9)
X = RNG.normal(size=(80, 5))


def error(D, seed=0, **options):
    model = RBFSampler(gamma=0.2, n_components=D, random_state=seed, **options).fit(X)
    f = model.transform(X)
    return np.abs(f @ f.T - Gaussian.of_gamma(0.2)(X))


@pytest.mark.course("S1-52")
def test_the_features_are_the_textbooks():
    model = RBFSampler(gamma=0.3, n_components=7, random_state=1).fit(X)
    W, b = model.random_weights_, model.random_offset_
    assert W.shape == (5, 7)
    expected = np.sqrt(2 / 7) * np.cos(X @ W + b)
    np.testing.assert_allclose(model.transform(X), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        model.transform(sp.csr_array(X)), expected, rtol=1e-9, atol=1e-12
    )
    many = RBFSampler(gamma=0.3, n_components=50_000, random_state=0).fit(X)
    np.testing.assert_allclose(many.random_weights_.var(axis=1), 0.6, rtol=0.03)
    offsets = many.random_offset_
    assert 0 <= offsets.min() < offsets.max() <= 2 * np.pi
    evenly = np.linspace(0, 2 * np.pi, 50_000)  # uniform on the circle
    assert np.abs(np.sort(offsets) - evenly).max() < 0.06


@pytest.mark.course("S1-52")
def test_the_error_falls_like_one_over_the_root():
    few = np.mean([np.sqrt((error(20, seed) ** 2).mean()) for seed in range(6)])
    many = np.mean([np.sqrt((error(2000, seed) ** 2).mean()) for seed in range(6)])
    assert 8 < few / many < 12.5  # sqrt(100) = 10


@pytest.mark.course("S1-52")
def test_the_bound_holds_and_stands_in_the_report():
    D, pairs = 400, 80 * 81 / 2
    bound = np.sqrt(8 * np.log(2 * pairs / 0.05) / D)
    assert all(error(D, seed).max() <= bound for seed in range(40))
    report = RBFSampler(gamma=0.2, n_components=D, random_state=3).fit(X).report_
    np.testing.assert_allclose(report.optimality.value, error(D, 3).max(), rtol=1e-9)
    assert report.facts["error_bound"] == pytest.approx(bound)
    assert "largest error of the kernel on 80 rows" in str(report)


@pytest.mark.course("S1-52")
def test_a_linear_machine_comes_to_the_kernel_machine():
    M, y = two_moons(600, random_state=0)
    exact = SVC(gamma=2.0).fit(M[:300], y[:300]).score(M[300:], y[300:])
    scores = []
    for D in (2, 30, 500):
        f = RBFSampler(gamma=2.0, n_components=D, random_state=0).fit(M[:300])
        line = LogisticRegression(C=100.0).fit(f.transform(M[:300]), y[:300])
        scores.append(line.score(f.transform(M[300:]), y[300:]))
    assert scores[0] < scores[-1]
    assert scores[-1] > exact - 0.02


def test_orthogonal_directions_have_a_smaller_error():
    plain = np.mean([(error(50, s) ** 2).mean() for s in range(20)])
    better = np.mean([(error(50, s, orthogonal=True) ** 2).mean() for s in range(20)])
    assert better < 0.9 * plain
    model = RBFSampler(orthogonal=True, n_components=13, random_state=0).fit(X)
    W = model.random_weights_[:, :5]
    products = W.T @ W
    np.testing.assert_allclose(products - np.diag(np.diagonal(products)), 0, atol=1e-12)


def test_scale_is_the_variance_of_all_entries():
    shifted = X * [1, 2, 3, 4, 5] + [0, 5, 0, 0, 9]
    model = RBFSampler(gamma="scale", random_state=0).fit(shifted)
    np.testing.assert_allclose(model.gamma_, 1 / (5 * shifted.var()), rtol=1e-12)


def test_the_draws_do_not_depend_on_the_data():
    one = RBFSampler(random_state=4).fit(X)
    other = RBFSampler(random_state=4).fit(X[:7] * 3)
    np.testing.assert_array_equal(one.random_weights_, other.random_weights_)
    assert RBFSampler(gamma=0.0).fit(X).transform(X).std(axis=0).max() < 1e-12


def test_errors_are_sentences():
    with pytest.raises(ParameterError, match="RBFSampler: gamma must be 'scale' or a"):
        RBFSampler(gamma=-1.0).fit(X)
    with pytest.raises(
        ParameterError, match="n_components must be a whole number >= 1"
    ):
        RBFSampler(n_components=0).fit(X)
