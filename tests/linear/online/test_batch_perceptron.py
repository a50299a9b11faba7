import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from corollary import BatchPerceptron
from corollary.core.errors import DataError, ParameterError
from corollary.datasets import nonseparable_points, student_perceptron
from corollary.linear.separability import separability


def textbook(X, t, a, eta, steps, harmonic=False):
    Y, trace = t[:, None] * np.insert(X, 0, 1, axis=1), [a]
    for k in range(1, steps + 1):
        wrong = Y[Y @ a <= 0]
        a = a + (eta / k if harmonic else eta) * wrong.sum(axis=0)
        trace.append(a)
    return np.array(trace)


@pytest.mark.course("S3-57")
def test_students_of_the_course():
    table = student_perceptron()
    model = BatchPerceptron(start_at=[0.25] * 5).fit(table.X, table.y == "A")
    assert model.intercept_.tolist() == [0.25]
    assert model.coef_.tolist() == [[2.25, 0.25, -1.75, -1.75]]
    assert model.report_.facts["separated"] is True
    assert model.score(table.X, table.y == "A") == 1.0


@pytest.mark.course("S3-57", "S3-56")
@pytest.mark.parametrize("schedule", ["constant", "harmonic"])
@given(seed=st.integers(0, 2**31), eta=st.sampled_from([0.5, 2.0]))
@settings(max_examples=15, deadline=None)
def test_steps_are_the_textbooks(schedule, seed, eta):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(-3, 4, size=(15, 3)).astype(float), np.arange(15) % 2
    if schedule == "harmonic":
        X += rng.normal(size=X.shape)  # thirds are not exact: no ties
    options = {"eta0": eta, "schedule": schedule, "max_iter": 6}
    model = BatchPerceptron(**options)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X, y)
    trace = textbook(X, 2.0 * y - 1, np.zeros(4), eta, 6, schedule == "harmonic")
    found = np.append(model.intercept_, model.coef_)
    np.testing.assert_allclose(found, trace[model.n_iter_], rtol=1e-12, atol=1e-12)


@pytest.mark.course("S3-57")
def test_separable_classes_are_separated_in_as_many_steps_for_any_rate():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 3))
    y = X @ [1.0, -2.0, 0.5] + 0.3 > 0
    assert separability(X, y).separable
    steps = {
        BatchPerceptron(eta0=eta, max_iter=100_000).fit(X, y).n_iter_
        for eta in (0.25, 1.0, 8.0)
    }
    assert len(steps) == 1  # from a = 0 the rate only scales a
    model = BatchPerceptron(max_iter=100_000).fit(X, y)
    assert model.errors_ == 0
    assert model.score(X, y) == 1.0


@pytest.mark.course("S3-56", "S3-57")
def test_without_separability_a_falling_rate_settles_and_the_pocket_keeps_the_best():
    table = nonseparable_points()
    y = table.y == 1
    with pytest.warns(ConvergenceWarning, match="max_iter reached"):
        restless = BatchPerceptron(max_iter=900, output="pocket").fit(table.X, y)
    assert restless.errors_ == 1
    assert restless.score(table.X, y) == 0.8
    assert "separability(X, y)" in restless.report_.warnings[0]
    calm = BatchPerceptron(schedule="harmonic", max_iter=5000, tol=1e-2)
    calm.fit(table.X, y)
    assert calm.report_.stop.word == "converged"
    assert calm.n_iter_ > 100


def test_bad_input_is_told_in_one_sentence():
    X = np.eye(4)
    for options, y, error, text in (
        ({"eta0": 0.0}, [0, 0, 1, 1], ParameterError, "eta0 must be a number > 0; got"),
        ({}, [0, 0, 0, 0], DataError, "needs samples of 2 classes; Only binary"),
        ({}, [0, 1, 2, 2], DataError, "needs samples of 2 classes; Only binary"),
        (
            {"start_at": [1.0]},
            [0, 0, 1, 1],
            DataError,
            "start_at must hold 5 finite numbers, the intercept first; got shape (1,).",
        ),
    ):
        with pytest.raises(error) as caught:
            BatchPerceptron(**options).fit(X, y)
        assert str(caught.value).startswith(f"BatchPerceptron: {text}")
    X[1, 2] = np.nan
    with pytest.raises(DataError, match="Input X must be finite; got NaN in row 1"):
        BatchPerceptron().fit(X, [0, 0, 1, 1])
