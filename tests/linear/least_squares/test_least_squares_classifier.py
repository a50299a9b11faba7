import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import (
    GradientDescentRegressor,
    LeastSquaresClassifier,
    MSEProcedure,
    Ridge,
)
from corollary.core.errors import DataError, ParameterError


def classes(n=120, d=3, K=3, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n) % K)
    return rng.normal(size=(K, d))[y] * 2 + rng.normal(size=(n, d)), y


@pytest.mark.course("S3-62", "S1-33")
def test_closed_form_with_the_transpose_in_its_place():
    X, y = classes()
    Y, B = np.insert(X, 0, 1, axis=1), np.eye(3)[y]
    A = np.linalg.inv(Y.T @ Y) @ Y.T @ B  # Y'B, not Y B
    model = LeastSquaresClassifier().fit(X, y)
    np.testing.assert_allclose(model.intercept_, A[0], rtol=1e-9)
    np.testing.assert_allclose(model.coef_, A[1:].T, rtol=1e-9)
    np.testing.assert_array_equal(model.predict(X), (Y @ A).argmax(axis=1))


@pytest.mark.course("S3-62", "S1-33")
@given(seed=st.integers(0, 2**31), K=st.integers(2, 5))
@settings(max_examples=20, deadline=None)
def test_outputs_sum_to_one_everywhere(seed, K):
    X, y = classes(K=K, seed=seed)
    w = np.random.default_rng(seed).uniform(0.1, 3, size=len(y))
    model = LeastSquaresClassifier().fit(X, y, w)
    far = np.random.default_rng(1).normal(size=(50, 3)) * 100
    np.testing.assert_allclose(model.outputs(far).sum(axis=1), 1, rtol=1e-9)
    assert (model.outputs(far) < 0).any()  # they are no probabilities


@pytest.mark.course("S1-33")
def test_limit_of_gradient_descent_is_the_closed_form():
    X, y = classes()
    model = LeastSquaresClassifier().fit(X, y)
    descent = GradientDescentRegressor(tol=1e-12, max_iter=100_000)
    descent.fit(X, np.eye(3)[y])
    np.testing.assert_allclose(descent.coef_, model.coef_, atol=1e-9)
    np.testing.assert_allclose(descent.intercept_, model.intercept_, atol=1e-9)


@pytest.mark.course("S3-62")
def test_two_classes_are_the_mse_procedure():
    X, y = classes(K=2)
    model, mse = LeastSquaresClassifier().fit(X, y), MSEProcedure().fit(X, y)
    f = model.decision_function(X)
    np.testing.assert_allclose(f, mse.decision_function(X), rtol=1e-9)


@pytest.mark.course("S3-62")
def test_masking_of_a_middle_class_is_told():
    x = np.concatenate([np.linspace(c - 0.3, c + 0.3, 30) for c in (-3, 0, 3)])
    model = LeastSquaresClassifier().fit(x[:, None], np.repeat([0, 1, 2], 30))
    assert 1 not in model.predict(x[:, None])
    assert "classes [1] are never predicted" in model.report_.warnings[0]
    X, y = classes()
    assert not LeastSquaresClassifier().fit(X, y).report_.warnings


def test_ridge_is_that_of_ridge_regression():
    X, y = classes()
    model = LeastSquaresClassifier(alpha=5.0).fit(X, y)
    ridge = Ridge(alpha=5.0).fit(X, np.eye(3)[y])
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)
    np.testing.assert_allclose(model.intercept_, ridge.intercept_, rtol=1e-9)


def test_collinear_features_give_the_shortest_solution():
    X, y = classes()
    twice = np.column_stack([X, X[:, 0]])
    model = LeastSquaresClassifier().fit(twice, y)
    assert model.rank_ == 3
    plain = LeastSquaresClassifier().fit(X, y)
    np.testing.assert_allclose(model.outputs(twice), plain.outputs(X), atol=1e-10)
    np.testing.assert_allclose(model.coef_[:, 0], model.coef_[:, 3], atol=1e-10)


def test_bad_input_is_told_in_one_sentence():
    X, y = classes(n=12)
    with pytest.raises(DataError) as caught:
        LeastSquaresClassifier().fit(X, np.ones(12, int))
    assert str(caught.value) == (
        "LeastSquaresClassifier: needs samples of at least 2 classes in the data; got "
        "one class, 1."
    )
    with pytest.raises(ParameterError, match="alpha must be a number >= 0; got -1"):
        LeastSquaresClassifier(alpha=-1).fit(X, y)
    X[4, 1] = np.nan
    with pytest.raises(DataError, match="Input X must be finite; got NaN in row 4"):
        LeastSquaresClassifier().fit(X, y)
