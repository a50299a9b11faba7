"""Nystrom's method: exact cases, residuals, landmarks, and the machines behind it."""

import numpy as np
import pytest
from sklearn.kernel_approximation import Nystroem as Theirs
from sklearn.metrics.pairwise import polynomial_kernel

import corollary
from corollary import SVC, Nystroem, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.kernels import ChiSquare, Gaussian, Linear, Polynomial
from corollary.preparation.landmarks import leverage_scores

RNG = np.random.default_rng(10)
X = np.abs(RNG.normal(size=(90, 4)))
NEW = np.abs(RNG.normal(size=(15, 4)))
HOW = ["uniform", "k-means", "leverage"]


def products(model, A, B):
    return model.transform(A) @ model.transform(B).T


@pytest.mark.course("S3-69")
@pytest.mark.parametrize("landmarks", HOW)
def test_all_rows_as_landmarks_are_exact(landmarks):
    model = Nystroem(gamma=0.3, n_components=90, landmarks=landmarks, random_state=0)
    model.fit(X)
    K = Gaussian.of_gamma(0.3)
    np.testing.assert_allclose(products(model, X, X), K(X), atol=1e-7)
    np.testing.assert_allclose(products(model, NEW, X), K(NEW, X), atol=1e-6)
    assert model.report_.optimality.value < 1e-9


@pytest.mark.course("S3-69")
@pytest.mark.parametrize("landmarks", HOW)
def test_the_features_are_the_projection_on_the_landmarks(landmarks):
    model = Nystroem(gamma=0.3, n_components=12, landmarks=landmarks, random_state=0)
    model.fit(X)
    k, Z = Gaussian.of_gamma(0.3), model.components_
    expected = k(NEW, Z) @ np.linalg.solve(k(Z), k(Z, X))
    np.testing.assert_allclose(products(model, NEW, X), expected, rtol=1e-7, atol=1e-9)
    E = k(X) - products(model, X, X)
    assert np.linalg.eigvalsh(E)[0] > -1e-9
    share = np.trace(E) / 90  # the residual is that of the report: 90 rows are judged
    np.testing.assert_allclose(model.report_.optimality.value, share, rtol=1e-6)
    if landmarks != "k-means":
        assert all((X == z).all(axis=1).any() for z in Z)


@pytest.mark.course("S3-69")
@pytest.mark.parametrize(
    ("options", "kernel"),
    [
        ({"kernel": "linear"}, Linear()),
        ({"kernel": "poly", "degree": 2, "coef0": 0.5}, Polynomial(2, 0.5, 0.25)),
        ({"kernel": "chi2", "gamma": 0.5}, ChiSquare(0.5)),
        ({"kernel": "chi2"}, ChiSquare(1.0)),
        ({"kernel": "rbf"}, Gaussian.of_gamma(0.25)),
        ({"kernel": Gaussian(2.0) + Linear()}, Gaussian(2.0) + Linear()),
    ],
)
def test_every_kernel(options, kernel):
    model = Nystroem(n_components=90, random_state=0, **options).fit(X)
    np.testing.assert_allclose(products(model, X, X), kernel(X), rtol=1e-6, atol=1e-7)


def test_scikit_learns_kernels_have_its_defaults():
    names = ("rbf", "poly", "polynomial", "laplacian", "chi2", "linear", "cosine")
    for name in names:
        mine = Nystroem(name, n_components=30, random_state=0).fit(X[:30])
        yours = Theirs(name, n_components=30, random_state=0).fit(X[:30])
        np.testing.assert_allclose(
            products(mine, NEW, X), products(yours, NEW, X), rtol=1e-4, atol=1e-4
        )


@pytest.mark.course("S3-69", "S4-13")
def test_a_linear_machine_on_all_landmarks_is_the_kernel_machine():
    y = np.sin(3 * X[:, 0]) + X[:, 1]
    k = Gaussian.of_gamma(0.3)
    model = Nystroem(gamma=0.3, n_components=90, random_state=0).fit(X)
    line = Ridge(alpha=0.1, fit_intercept=False).fit(model.transform(X), y)
    alpha = np.linalg.solve(k(X) + 0.1 * np.eye(90), y)  # theta'K theta
    np.testing.assert_allclose(
        line.predict(model.transform(NEW)), k(NEW, X) @ alpha, atol=1e-5
    )
    labels = (y > 1).astype(int)
    trick = SVC(kernel=k, C=2.0, tol=1e-8).fit(X, labels)
    plain = SVC(kernel="linear", C=2.0, tol=1e-8).fit(model.transform(X), labels)
    np.testing.assert_allclose(
        trick.decision_function(NEW),
        plain.decision_function(model.transform(NEW)),
        atol=1e-4,
    )


@pytest.mark.course("S3-69")
def test_better_landmarks_lose_less():
    crowd = np.vstack([RNG.normal(size=(400, 2)) * 0.05, RNG.normal(size=(40, 2)) * 4])
    lost = {}
    for how in HOW:
        left = []
        for seed in range(4):
            model = Nystroem(
                gamma=0.5, n_components=30, landmarks=how, random_state=seed
            ).fit(crowd)
            f = model.transform(crowd)
            left.append(440 - (f**2).sum())
        lost[how] = np.mean(left)
    assert lost["leverage"] < 0.7 * lost["uniform"]
    assert lost["k-means"] < 0.7 * lost["uniform"]


def test_leverage_adds_up_to_the_dimension():
    K = Gaussian(1.0)(X)
    for m in (1, 5, 30):
        scores = leverage_scores(K, m)
        np.testing.assert_allclose(scores.sum(), m, rtol=1e-6)
        assert ((scores > 0) & (scores <= 1 + 1e-9)).all()


def test_more_landmarks_than_rows_is_told():
    with pytest.warns(UserWarning, match="n_components = 100 is more than the 20"):
        model = Nystroem(random_state=0).fit(np.vstack([X[:20], X[:20]]))
    assert model.components_.shape == (20, 4)
    assert "all of them are landmarks" in str(model.report_)


def test_functions_with_arguments_and_files(tmp_path):
    def power(x, z, p):
        return float(x @ z) ** p

    model = Nystroem(power, kernel_params={"p": 2}, n_components=90, random_state=0)
    np.testing.assert_allclose(
        products(model.fit(X), X, X), (X @ X.T) ** 2, rtol=1e-5, atol=1e-6
    )
    with pytest.raises(ParameterError, match="must hold plain values"):
        corollary.save(model, tmp_path / "model")
    kept = Nystroem(2 * Gaussian() + Linear(), n_components=9, random_state=0).fit(X)
    corollary.save(kept, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(NEW), kept.transform(NEW))
    with pytest.raises(ParameterError, match="Nystroem: landmarks must be one of"):
        Nystroem(landmarks="best").fit(X)


def test_a_degree_may_be_no_whole_number():
    model = Nystroem("poly", degree=3.1, coef0=0.1, n_components=90).fit(X)
    K = polynomial_kernel(X, degree=3.1, coef0=0.1)
    np.testing.assert_allclose(products(model, X, X), K, rtol=1e-4, atol=1e-4)
    with pytest.raises(DataError, match="finite numbers"):
        Nystroem("poly", degree=2.5, coef0=0.0).fit(X - X.mean(axis=0))
