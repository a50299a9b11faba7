"""Joining the dots: through every dot, and the price of it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.model_selection import LeaveOneOut, cross_val_predict
from sklearn.pipeline import make_pipeline

import corollary
from corollary import JoinTheDots, LinearRegression, PolynomialFeatures, engine
from corollary.core.errors import DataError, ParameterError


def sample(n, seed, noise=0.3):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 3, size=(n, 1))
    return x, (x[:, 0] - 1) ** 2 + noise * rng.normal(size=n)


@pytest.mark.course("S3-95")
def test_it_interpolates_with_no_training_error():
    x, y = sample(40, 0)
    model = JoinTheDots().fit(x, y)
    np.testing.assert_array_equal(model.predict(x), y)
    order = np.argsort(x[:, 0])
    at = np.linspace(x.min(), x.max(), 300)
    want = np.interp(at, x[order, 0], y[order])
    np.testing.assert_allclose(model.predict(at[:, None]), want, rtol=1e-14)
    assert model.report_.facts["training_error"] == 0


@pytest.mark.course("S3-95")
@pytest.mark.parametrize("extrapolation", ["constant", "linear"])
def test_leave_one_out_in_closed_form(extrapolation):
    x, y = sample(30, 1)
    x[20:25] = x[:5]  # ties
    model = JoinTheDots(extrapolation=extrapolation)
    out = cross_val_predict(model, x, y, cv=LeaveOneOut())
    error = model.fit(x, y).leave_one_out_error_
    np.testing.assert_allclose(error, np.mean((y - out) ** 2), rtol=1e-11)


@pytest.mark.course("S3-95")
def test_the_variance_it_pays():
    noise = 0.5
    x, y = sample(4000, 2, noise)
    fresh, y_fresh = sample(4000, 3, noise)
    model = JoinTheDots().fit(x, y)
    np.testing.assert_allclose(model.noise_variance_, noise**2, rtol=0.06)
    missed = np.mean((model.predict(fresh) - y_fresh) ** 2)
    np.testing.assert_allclose(missed, 5 / 3 * noise**2, rtol=0.06)
    np.testing.assert_allclose(model.report_.facts["expected_error"], missed, rtol=0.1)
    curve = make_pipeline(PolynomialFeatures(2), LinearRegression()).fit(x, y)
    np.testing.assert_allclose(
        np.mean((curve.predict(fresh) - y_fresh) ** 2), noise**2, rtol=0.05
    )


@pytest.mark.course("S3-95")
def test_cross_validation_chooses_the_parabola():
    x, y = sample(20, 4, noise=1.0)
    models = {
        "line": LinearRegression(),
        "parabola": make_pipeline(PolynomialFeatures(2), LinearRegression()),
        "dots": JoinTheDots(),
    }
    errors = {
        name: np.mean((y - cross_val_predict(m, x, y, cv=LeaveOneOut())) ** 2)
        for name, m in models.items()
    }
    training = {
        n: np.mean((m.fit(x, y).predict(x) - y) ** 2) for n, m in models.items()
    }
    assert min(errors, key=errors.get) == "parabola"
    assert min(training, key=training.get) == "dots"


@given(seed=st.integers(0, 999), pieces=st.integers(1, 5))
@settings(max_examples=25, deadline=None)
def test_weights_repeat_and_chunks_do_not_matter(seed, pieces):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(6, size=(25, 1)).astype(float), rng.normal(size=25)
    times = rng.integers(0, 3, size=25)
    times[0] = 1
    again = JoinTheDots().fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    parts = np.array_split(np.arange(25), pieces)
    source = engine.ChunkSource(lambda: ((x[i], y[i], times[i]) for i in parts))
    for model in (JoinTheDots().fit(x, y, times), JoinTheDots().fit(source)):
        np.testing.assert_array_equal(model.x_, again.x_)
        np.testing.assert_allclose(model.y_, again.y_, atol=1e-14)
        np.testing.assert_allclose(
            model.leave_one_out_error_, again.leave_one_out_error_, rtol=1e-10
        )


def test_beyond_the_ends():
    x, y = [[0.0], [1.0], [2.0]], [0.0, 1.0, 4.0]
    ask = [[-1.0], [3.0]]
    assert JoinTheDots(extrapolation="constant").fit(x, y).predict(ask).tolist() == [
        0,
        4,
    ]
    assert JoinTheDots(extrapolation="linear").fit(x, y).predict(ask).tolist() == [
        -1,
        7,
    ]
    with pytest.raises(DataError, match="between the dots, 0 and 2; got -1 in row 0"):
        JoinTheDots(extrapolation="error").fit(x, y).predict(ask)
    one = JoinTheDots(extrapolation="linear").fit([[1.0]], [5.0])
    assert one.predict(ask).tolist() == [5, 5]


def test_one_column_of_several_is_used_and_that_is_said():
    x, y = sample(15, 6)
    X = np.hstack([np.ones((15, 1)), x, -x])
    model = JoinTheDots(1).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), y)
    assert "only column 1 is used" in model.report_.warnings[0]
    with pytest.raises(ParameterError, match="below the number of columns = 3; got 3"):
        JoinTheDots(3).fit(X, y)
    with pytest.raises(ParameterError, match="extrapolation must be one of"):
        JoinTheDots(extrapolation="guess").fit(X, y)


def test_saved_and_loaded(tmp_path):
    x, y = sample(15, 5)
    model = JoinTheDots(extrapolation="linear").fit(x, y)
    corollary.save(model, tmp_path / "m")
    again = corollary.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(2 * x), model.predict(2 * x))
    assert str(again.report_) == str(model.report_)
