"""Bias, variance and noise of predictors, against their closed form."""

import numpy as np
import pytest

from corollary import KernelRidge, LinearRegression, Ridge
from corollary.core.errors import DataError, ParameterError
from corollary.theory import predictor_decomposition, smoother_decomposition

X = np.linspace(-1, 1, 15)[:, None]


def curve(X):
    return np.sin(3 * X[:, 0])


A = np.hstack([np.ones((15, 1)), X])
H = A @ np.linalg.pinv(A)  # the smoother of a line


def line(X, y, X_new):
    """Least squares on the rows themselves."""
    return H @ y


@pytest.mark.course("S1-39")
def test_a_line_through_a_curve_has_the_parts_of_its_smoother():
    found = predictor_decomposition(
        LinearRegression(), X, curve, noise=0.5, n_draws=2000, random_state=0
    )
    oracle = smoother_decomposition(H, curve(X), noise=0.5)
    spread = np.sqrt(oracle.variance / 2000)
    assert (np.abs(found.bias - oracle.bias) < 4 * spread).all()
    np.testing.assert_allclose(found.variance, oracle.variance, rtol=0.15)
    np.testing.assert_array_equal(found.noise, 0.25)
    assert (np.abs(found.mse - oracle.total) < 4.5 * found.mse_error).all()


@pytest.mark.course("S1-39")
@pytest.mark.parametrize("model", [LinearRegression(), Ridge(alpha=3.0)])
def test_the_sum_of_the_parts_is_the_error_on_new_labels(model):
    found = predictor_decomposition(
        model, X, curve, noise=0.7, n_draws=1000, random_state=1
    )
    assert (np.abs(found.mse - found.total) < 4.5 * found.mse_error).all()
    total = found.mean_noise + found.mean_squared_bias + found.mean_variance
    assert total == pytest.approx(found.total.mean(), rel=1e-12)
    assert found.mean_mse == pytest.approx(total, rel=0.05)


@pytest.mark.course("S1-39")
def test_on_the_training_labels_the_identity_is_off_by_twice_the_leverage():
    sigma = 0.5
    oracle = smoother_decomposition(H, curve(X), noise=sigma)
    np.testing.assert_allclose(
        oracle.total - oracle.training_mse, 2 * sigma**2 * np.diag(H), rtol=1e-12
    )
    found = predictor_decomposition(
        line, X, curve, noise=sigma, n_draws=4000, random_state=2
    )
    np.testing.assert_allclose(found.covariance, sigma**2 * np.diag(H), atol=0.012)
    np.testing.assert_allclose(found.training_mse, oracle.training_mse, rtol=0.12)
    assert found.training_mse.mean() == pytest.approx(
        (found.total - 2 * found.covariance).mean(), rel=0.02
    )
    assert found.training_mse.mean() < found.mean_mse


@pytest.mark.course("S1-39")
def test_bias_and_variance_add_up_to_rounding_on_the_same_draws():
    predictions = []

    def learner(X, y, X_new):
        answer = np.polyval(np.polyfit(X[:, 0], y, 3), X_new[:, 0])
        predictions.append(answer)
        return answer

    points = np.array([[-0.5], [0.0], [0.9]])
    found = predictor_decomposition(
        learner,
        lambda n, rng: rng.uniform(-1, 1, size=(n, 1)),
        curve,
        noise=0.3,
        points=points,
        n_train=12,
        n_draws=300,
        random_state=0,
    )
    squares = ((np.array(predictions) - curve(points)) ** 2).mean(axis=0)
    np.testing.assert_allclose(found.squared_bias + found.variance, squares, rtol=1e-10)
    assert found.training_mse is None


@pytest.mark.course("S1-39")
def test_a_stiffer_model_trades_variance_for_bias():
    parts = [
        predictor_decomposition(
            KernelRidge(alpha=alpha, kernel="rbf", gamma=5.0),
            lambda n, rng: rng.uniform(-1, 1, size=(n, 1)),
            curve,
            noise=0.3,
            points=X,
            n_train=30,
            n_draws=80,
            random_state=0,
        )
        for alpha in (1e-2, 1.0, 100.0)
    ]
    bias = [part.mean_squared_bias for part in parts]
    variance = [part.mean_variance for part in parts]
    assert bias[0] < bias[1] < bias[2]
    assert variance[0] > variance[1] > variance[2]


def test_noise_may_depend_on_the_point():
    def scatter(X, rng):
        return (0.1 + np.abs(X[:, 0])) * rng.normal(size=len(X))

    found = predictor_decomposition(
        line, X, curve, noise=scatter, n_draws=3000, random_state=0
    )
    np.testing.assert_allclose(found.noise, (0.1 + np.abs(X[:, 0])) ** 2, rtol=0.15)


def test_a_smoother_at_other_points():
    a = np.array([[1.0, 2.0], [1.0, -3.0]])
    found = smoother_decomposition(
        a @ np.linalg.pinv(A),
        X[:, 0],
        noise=2.0,
        target_at_points=np.array([2.0, -3.0]),
    )
    np.testing.assert_allclose(found.bias, 0, atol=1e-12)
    expected = 4 * np.diag(a @ np.linalg.inv(A.T @ A) @ a.T)
    np.testing.assert_allclose(found.variance, expected)
    assert found.covariance is None


def test_words_and_picture():
    found = predictor_decomposition(LinearRegression(), X, curve, n_draws=20)
    assert "their sum" in str(found)
    assert "on training labels" in str(found)
    ax = found.plot()
    assert len(ax.lines[0].get_xdata()) == 15


def test_draws_are_keyed_by_the_seed():
    runs = [
        predictor_decomposition(
            LinearRegression(), X, curve, n_draws=10, random_state=seed
        ).bias
        for seed in (0, 0, 1)
    ]
    assert (runs[0] == runs[1]).all()
    assert (runs[0] != runs[2]).any()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"n_draws": 1}, "n_draws must be"),
        ({"n_train": 0}, "n_train must be"),
        ({"noise": -1.0}, "noise must be"),
        ({"noise": np.inf}, "noise must be"),
        ({"learner": 3}, "learner must be"),
        ({"target": 3}, "learner must be"),
        ({"rows": [[np.nan]]}, "must be finite"),
        ({"target": lambda X: [1.0]}, "must return 15 numbers"),
        ({"learner": lambda X, y, P: np.full(len(P), np.nan)}, "must be finite"),
    ],
)
def test_bad_input_is_told(more, words):
    given = {"learner": LinearRegression(), "rows": X, "target": curve, "n_draws": 3}
    with pytest.raises((ParameterError, DataError), match=words):
        predictor_decomposition(**{**given, **more})
    with pytest.raises(DataError, match="smoother must be"):
        smoother_decomposition([[1.0, 2.0]], [1.0])
    with pytest.raises(ParameterError, match="noise must be"):
        smoother_decomposition([[1.0]], [1.0], noise=-1.0)
