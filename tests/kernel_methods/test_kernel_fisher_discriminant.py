"""Fisher's discriminant in feature space: the course's system, explicit maps, laws."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics.pairwise import rbf_kernel

from corollary import FisherDiscriminant, KernelFisherDiscriminant, load, save
from corollary.core.errors import DataError, ParameterError


def classes(seed=0, n=90, d=2, K=3):
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    y[:K] = np.arange(K)
    return rng.normal(size=(n, d)) + 1.5 * rng.normal(size=(K, d))[y], y


def phi(X):
    """Map rows so that (x'z + 1)^2 is an inner product."""
    a, b = X.T
    r = np.sqrt(2)
    return np.stack([a**2, b**2, r * a * b, r * a, r * b, np.ones(len(X))], axis=1)


def upright(T):
    """Take away the sign and the length of each column."""
    T = T - T.mean(axis=0)
    T = T / np.linalg.norm(T, axis=0)
    return T * np.sign(T[np.abs(T).argmax(axis=0), np.arange(T.shape[1])])


@pytest.mark.course("S2-12")
def test_it_solves_the_courses_system():
    X, y = classes(1, n=30, K=2)
    K, n, ridge = rbf_kernel(X, gamma=2.0), 30, 0.05
    N, trace, nu = np.zeros((n, n)), 0.0, []
    for c in (0, 1):
        own = K[:, y == c]
        m = own.shape[1]
        H = np.eye(m) - 1 / m
        np.testing.assert_allclose(H @ H, H, atol=1e-12)  # idempotent
        N += m / n * (own @ H @ own.T) / m  # with the 1/n_c
        trace += m / n * np.trace(H @ K[np.ix_(y == c, y == c)] @ H) / m
        nu.append(own.mean(axis=1))
    assert np.linalg.matrix_rank(N) <= n - 2  # why a ridge is compulsory
    a = np.linalg.solve(N + ridge * trace * K, nu[1] - nu[0])
    model = KernelFisherDiscriminant(ridge, gamma=2.0).fit(X, y)
    query, _ = classes(2, K=2)
    h = rbf_kernel(query, X, gamma=2.0) @ a
    np.testing.assert_allclose(
        upright(model.transform(query)), upright(h[:, None]), atol=1e-9
    )
    v = model.dual_coef_[:, 0]
    unit = v @ (N + ridge * trace * K) @ v
    assert unit == pytest.approx(1, rel=1e-8)
    between = np.mean(y) * (1 - np.mean(y)) * (v @ (nu[1] - nu[0])) ** 2
    assert model.criterion_[0] == pytest.approx(between / unit, rel=1e-8)
    centre = (nu[0] + nu[1]) / 2
    assert model.intercept_[0] == pytest.approx(-v @ centre, rel=1e-8)


@pytest.mark.course("S2-12", "S4-47")
@pytest.mark.parametrize("K", [2, 3, 4])
@pytest.mark.parametrize("weighting", ["rows", "classes"])
@pytest.mark.parametrize("ridge", [0.0, 0.1])
def test_it_is_fisher_discriminant_on_the_explicit_map(K, weighting, ridge):
    X, y = classes(3, K=K)
    query, _ = classes(4, K=K)
    w = np.random.default_rng(5).integers(1, 4, len(y)).astype(float)
    pairs = [
        ({"kernel": "linear"}, lambda Z: Z, 2),
        ({"kernel": "poly", "degree": 2, "gamma": 1}, phi, 6),
    ]
    for options, map_, d in pairs:
        q = min(K - 1, d)
        kernel = KernelFisherDiscriminant(
            ridge, n_components=q, weighting=weighting, **options
        )
        linear = FisherDiscriminant(
            q, weighting=weighting, shrinkage=d * ridge / (1 + d * ridge)
        )
        kernel.fit(X, y, w)
        linear.fit(map_(X), y, w)
        np.testing.assert_allclose(
            upright(kernel.transform(query)),
            upright(linear.transform(map_(query))),
            atol=1e-6,
        )
        np.testing.assert_array_equal(
            kernel.predict(query), linear.predict(map_(query))
        )
        scale = 1 + d * ridge
        np.testing.assert_allclose(kernel.criterion_ * scale, linear.criterion_, 1e-6)


@pytest.mark.course("S2-12")
def test_no_direction_has_a_larger_criterion():
    X, y = classes(6, K=3)
    K = rbf_kernel(X, gamma=0.5)
    model = KernelFisherDiscriminant(0.01, gamma=0.5).fit(X, y)
    shares = np.bincount(y) / len(y)
    means = np.stack([K[:, y == c].mean(axis=1) for c in range(3)])
    N = sum(s * np.cov(K[:, y == c], bias=True) for c, s in enumerate(shares))
    away = means - shares @ means
    B = (shares[:, None] * away).T @ away
    trace = sum(
        s * (1 - K[np.ix_(y == c, y == c)].mean()) for c, s in enumerate(shares)
    )
    ridged = N + 0.01 * trace * K

    def J(a):
        return (a @ B @ a) / (a @ ridged @ a)

    for q in range(2):
        assert J(model.dual_coef_[:, q]) == pytest.approx(model.criterion_[q], rel=1e-7)
    rng = np.random.default_rng(7)
    best = model.dual_coef_[:, 0]
    for _ in range(200):
        assert J(rng.normal(size=90)) <= model.criterion_[0]
        near = best + 0.01 * np.abs(best).max() * rng.normal(size=90)
        assert J(near) <= model.criterion_[0] * (1 + 1e-9)
    cross = model.dual_coef_.T @ ridged @ model.dual_coef_
    np.testing.assert_allclose(cross, np.eye(2), atol=1e-7)


def test_it_tells_rings_apart():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 2))
    y = np.digitize((X**2).sum(axis=1), [0.8, 2.5])
    model = KernelFisherDiscriminant().fit(X[:100], y[:100])
    linear = FisherDiscriminant().fit(X[:100], y[:100])
    assert linear.score(X[100:], y[100:]) < 0.6
    assert model.score(X[100:], y[100:]) > 0.85
    assert model.transform(X).shape == (200, 2)


def test_the_intercept_of_fewest_errors_has_no_more_than_the_centres():
    X, y = classes(9, K=2)
    errors = KernelFisherDiscriminant(intercept="errors").fit(X, y).score(X, y)
    assert errors >= KernelFisherDiscriminant().fit(X, y).score(X, y)


def test_without_a_ridge_it_says_what_is_lost():
    X, y = classes(10, n=40)
    model = KernelFisherDiscriminant(0.0, gamma=3.0).fit(X, y)
    assert "Use ridge > 0" in model.report_.warnings[0]
    assert not KernelFisherDiscriminant(gamma=3.0).fit(X, y).report_.warnings


@given(seed=st.integers(0, 1000), K=st.sampled_from([2, 3]))
@settings(max_examples=15, deadline=None)
def test_a_weight_is_a_repetition_and_0_a_removal(seed, K):
    X, y = classes(seed, 40, K=K)
    times = np.random.default_rng(seed).integers(0, 4, 40)
    times[: 2 * K] = 1
    options = {"ridge": 0.1, "gamma": 0.5}
    weighted = KernelFisherDiscriminant(**options).fit(X, y, times)
    repeated = KernelFisherDiscriminant(**options)
    repeated.fit(np.repeat(X, times, axis=0), np.repeat(y, times))
    np.testing.assert_allclose(
        weighted.decision_function(X), repeated.decision_function(X), atol=1e-6
    )
    matrix = KernelFisherDiscriminant(0.1, kernel="precomputed")
    G = rbf_kernel(X, gamma=0.5)
    again = matrix.fit(G, y, times).decision_function(G)
    np.testing.assert_allclose(again, weighted.decision_function(X), atol=1e-6)


def test_a_saved_model_predicts_the_same(tmp_path):
    X, y = classes(11)
    model = KernelFisherDiscriminant().fit(X, y)
    save(model, tmp_path / "model")
    again = load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(X), model.transform(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"ridge": -1}, "ridge must be a number >= 0"),
        ({"n_components": 3}, "n_components must be at most K - 1 = 2; got 3"),
        ({"intercept": "errors"}, "needs two classes; got 3 classes"),
        ({"kernel": "precomputed"}, "square matrix"),
    ],
)
def test_bad_input_is_one_sentence(options, words):
    X, y = classes(12)
    with pytest.raises((ParameterError, DataError)) as caught:
        KernelFisherDiscriminant(**options).fit(X, y)
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_bad_classes_are_one_sentence():
    X, y = classes(13)
    with pytest.raises(DataError, match="greater than one"):
        KernelFisherDiscriminant().fit(X, 0 * y)
    with pytest.raises(DataError, match="classes of equal rows"):
        KernelFisherDiscriminant().fit(np.eye(3)[y], y)
