import numpy as np
import pytest

import corollary
from corollary import FisherDiscriminant, MSEProcedure
from corollary.core.errors import DataError, ParameterError
from corollary.datasets import (
    fisher_points,
    nonseparable_points,
    squared_error_points,
    student_perceptron,
)
from corollary.linear.least_squares.mse_procedure import normalized
from corollary.linear.separability import separability


def solution(model):
    return np.append(model.intercept_, model.coef_)


@pytest.mark.course("S3-60")
@pytest.mark.parametrize(
    ("far", "margins", "a", "Ya"),
    [
        (False, 1.0, (2.663, 1.045, -0.944), (0.438, 1.281, 0.607, 1.112)),
        (True, 1.0, (3.219, 0.153, -0.438), (0.197, 0.920, -0.044, 1.161)),
        (True, [1, 1, 1, 10], (-1.051, 1.664, -0.898), (0.854, 0.985, 0.810, 10.03)),
    ],
)
def test_points_of_the_course(far, margins, a, Ya):
    table = squared_error_points(far=far)
    assert separability(table.X, table.y).separable
    model = MSEProcedure(margins=margins).fit(table.X, table.y)
    np.testing.assert_allclose(solution(model), a, atol=6e-4)
    Y = normalized(table.X, table.y)
    np.testing.assert_allclose(Y @ solution(model), Ya, atol=6e-3)
    assert model.errors_ == sum(value <= 0 for value in Ya)
    assert bool(model.report_.warnings) == (model.errors_ > 0)


@pytest.mark.course("S3-60")
def test_solution_is_the_pseudoinverse_and_scales_with_the_margins():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.integers(2, size=50)
    b = rng.uniform(0.5, 3, size=50)
    model = MSEProcedure(margins=b).fit(X, y)
    wanted = np.linalg.pinv(normalized(X, y)) @ b
    np.testing.assert_allclose(solution(model), wanted, rtol=1e-10)
    scaled = MSEProcedure(margins=7 * b).fit(X, y)
    np.testing.assert_allclose(solution(scaled), 7 * wanted, rtol=1e-10)


@pytest.mark.course("S3-60")
def test_collinear_features_do_not_break_it():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    twice = np.column_stack([X, X[:, 0] + X[:, 1]])  # Y'Y is singular
    a = MSEProcedure().fit(X, y)
    b = MSEProcedure().fit(twice, y)
    np.testing.assert_allclose(
        a.decision_function(X), b.decision_function(twice), atol=1e-10
    )


@pytest.mark.course("S3-60")
def test_margins_of_fisher_give_fishers_direction():
    table = fisher_points()
    model = MSEProcedure(margins="fisher").fit(table.X, table.y)
    direction = np.array(table.known["direction"])
    cosine = model.coef_[0] @ direction
    cosine /= np.linalg.norm(model.coef_) * np.linalg.norm(direction)
    assert abs(cosine) == pytest.approx(1, abs=1e-7)
    rng = np.random.default_rng(2)
    y = (rng.random(300) < 0.2).astype(int)  # unequal classes
    X = rng.normal(size=(300, 4)) @ rng.normal(size=(4, 4)) + y[:, None] * [1, 0, 2, 1]
    v = FisherDiscriminant().fit(X, y).directions_.ravel()
    w = MSEProcedure(margins="fisher").fit(X, y).coef_[0]
    cosine = (v @ w) / (np.linalg.norm(v) * np.linalg.norm(w))
    assert abs(cosine) == pytest.approx(1, abs=1e-10)


@pytest.mark.course("S3-54")
def test_augmented_and_normalised_rows_turn_separation_into_one_inequality():
    table = student_perceptron()
    Y = normalized(table.X, table.y == "A")
    np.testing.assert_array_equal(Y[0], [1, 1, 1, -1, -1])
    np.testing.assert_array_equal(Y[1], [-1, -1, -1, -1, -1])
    a = np.array(table.known["from_quarters"])
    assert (Y @ a > 0).all()
    for other in (3 * a, a + np.array(table.known["from_halves"])):  # a cone
        assert (Y @ other > 0).all()
    points = nonseparable_points()
    found = separability(points.X, points.y)
    Y = normalized(points.X, points.y)
    np.testing.assert_allclose(found.weights @ Y, 0, atol=1e-9)  # so no a exists


def test_weights_are_repetitions_and_files_keep_it(tmp_path):
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.integers(2, size=40)
    times = rng.integers(0, 3, size=40)
    for margins in (2.0, "fisher"):
        weighted = MSEProcedure(margins=margins).fit(X, y, times.astype(float))
        again = MSEProcedure(margins=margins).fit(
            np.repeat(X, times, axis=0), np.repeat(y, times)
        )
        np.testing.assert_allclose(solution(weighted), solution(again), rtol=1e-9)
        assert weighted.errors_ == again.errors_
    corollary.save(weighted, tmp_path / "model")
    loaded = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), weighted.predict(X))


def test_bad_input_is_told_in_one_sentence():
    X = np.array([[0.0], [1.0], [3.0]])
    for margins, text in (
        ([1, 0, 1], "every margin must be a finite number > 0; got 0 in row 1."),
        ([1, 1, -2], "every margin must be a finite number > 0; got -2 in row 2."),
        ([1, np.nan, 1], "every margin must be a finite number > 0; got nan in row 1."),
        ([1, 1], "margins must be one number or one for each of the 3 rows; got shape"),
        (0.0, "margins must be a number > 0 or 'fisher' or an array; got 0.0."),
    ):
        with pytest.raises(ParameterError) as caught:
            MSEProcedure(margins=margins).fit(X, [0, 1, 1])
        assert str(caught.value).startswith(f"MSEProcedure: {text}")
    with pytest.raises(DataError, match="MSEProcedure: needs samples of 2 classes"):
        MSEProcedure().fit(X, [1, 1, 1])
    X[2] = np.nan
    with pytest.raises(DataError, match="MSEProcedure: Input X must be finite"):
        MSEProcedure().fit(X, [0, 1, 1])
