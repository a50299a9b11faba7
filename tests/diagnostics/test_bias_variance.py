"""Bias, variance and noise: parts that add up, by simulation and from data."""

import matplotlib
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.pipeline import make_pipeline

from corollary import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    LinearRegression,
    LogisticRegression,
    PolynomialFeatures,
    Ridge,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import bias_variance_decomposition, simulated_bias_variance
from corollary.diagnostics.bias_variance import label_parts
from corollary.theory import smoother_decomposition

GRID = np.linspace(0.02, 0.98, 50)[:, None]


def uniform(n, rng):
    return rng.uniform(size=(n, 1))


def wave(X):
    return np.sin(2 * np.pi * X[:, 0])


def polynomial(degree):
    return make_pipeline(PolynomialFeatures(degree), LinearRegression())


# -- by simulation ---------------------------------------------------------------------
@pytest.mark.course("S3-96")
def test_noise_bias_and_variance_add_up_to_the_error_on_new_labels():
    found = [
        simulated_bias_variance(
            polynomial(degree), uniform, wave, noise=0.3, points=GRID,
            n_train=60, n_draws=250, random_state=degree,
        )
        for degree in (1, 3, 9)
    ]  # fmt: skip
    for one in found:
        gap = one.error.mean() - one.total.mean()
        assert abs(gap) < 4 * one.error_se
        assert one.error_se < 0.1 * one.error.mean()
        assert one.noise == pytest.approx(0.09)
        assert one.n_draws == 250
    # a richer model: less bias, more variance; the middle one is best
    bias, variance = (
        [one.means[part] for one in found] for part in ("bias", "variance")
    )
    assert bias[0] > 10 * bias[1] > 10 * bias[2]
    assert max(variance[:2]) < variance[2]
    totals = [one.total.mean() for one in found]
    assert min(totals) == totals[1]
    assert found[0].largest == "bias"
    assert "more rows will not" in found[0].advice


@pytest.mark.course("S3-96")
def test_a_penalty_trades_variance_for_bias_as_the_closed_form_has_it():
    rng = np.random.default_rng(0)
    X = PolynomialFeatures(6, include_bias=False).fit_transform(
        rng.uniform(-1, 1, (40, 1))
    )
    f = np.sin(3 * X[:, 0])
    parts = []
    for alpha in (1e-3, 0.1, 10.0):
        model = Ridge(alpha, fit_intercept=False)
        found = simulated_bias_variance(
            model, X, lambda Z: np.sin(3 * Z[:, 0]), noise=0.5, n_draws=400,
            random_state=1,
        )  # fmt: skip
        H = X @ np.linalg.solve(X.T @ X + alpha * np.eye(6), X.T)
        exact = smoother_decomposition(H, f, noise=0.5)
        assert found.means["bias"] == pytest.approx(
            exact.mean_squared_bias + exact.mean_variance / 400, rel=0.15, abs=2e-4
        )
        assert found.means["variance"] == pytest.approx(exact.mean_variance, rel=0.1)
        parts.append((found.means["bias"], found.means["variance"]))
    assert parts[0][0] < parts[1][0] < parts[2][0]
    assert parts[0][1] > parts[1][1] > parts[2][1]


@given(st.integers(2, 5), st.integers(0, 10**6))
@settings(max_examples=60)
def test_the_parts_of_0_1_loss_add_up_exactly(K, seed):
    rng = np.random.default_rng(seed)
    p, q = rng.dirichlet(np.ones(K), 20), rng.dirichlet(np.ones(K), 20)
    noise, bias, variance, spread = label_parts(p, q)
    np.testing.assert_allclose(noise + bias + variance, 1 - (p * q).sum(axis=1))
    assert set(bias) <= {0.0, 1.0}
    if K == 2:  # Domingos: c1 = 2 Pr[g = y*] - 1, c2 = +-1
        best = p.argmax(axis=1)
        hit = q[np.arange(20), best]
        np.testing.assert_allclose(noise, (2 * hit - 1) * p.min(axis=1))
        np.testing.assert_allclose(variance, np.where(bias > 0, -spread, spread))


def test_labels_are_simulated_too():
    def law(X):
        return 1 / (1 + np.exp(-4 * np.sin(2 * np.pi * X[:, 0])))

    line = simulated_bias_variance(
        LogisticRegression(C=100), uniform, law, loss="error", points=GRID,
        n_draws=150, random_state=0,
    )  # fmt: skip
    tree = simulated_bias_variance(
        DecisionTreeClassifier(), uniform, law, loss="error", points=GRID,
        n_draws=150, random_state=0,
    )  # fmt: skip
    for one in (line, tree):
        assert abs(one.error.mean() - one.total.mean()) < 4 * one.error_se
    assert tree.spread.mean() > 1.5 * line.spread.mean()
    three = simulated_bias_variance(
        DecisionTreeClassifier(max_depth=2), uniform,
        lambda X: np.column_stack([X[:, 0] / 2, X[:, 0] / 2, 1 - X[:, 0]]),
        loss="error", n_draws=60, random_state=1,
    )  # fmt: skip
    assert abs(three.error.mean() - three.total.mean()) < 4 * three.error_se


# -- from data -------------------------------------------------------------------------
@pytest.mark.course("S3-96")
def test_parts_from_data_add_up_and_agree_with_the_simulation():
    rng = np.random.default_rng(2)
    X = uniform(400, rng)
    y = wave(X) + 0.3 * rng.normal(size=400)
    for degree in (1, 9):
        found = bias_variance_decomposition(polynomial(degree), X, y, noise=0.09)
        np.testing.assert_allclose(found.total, found.error)
        truth = simulated_bias_variance(
            polynomial(degree), uniform, wave, noise=0.3, points=X,
            n_train=400, n_draws=100, random_state=3,
        )  # fmt: skip
        assert found.means["bias"] == pytest.approx(truth.means["bias"], abs=0.03)
        assert found.means["variance"] == pytest.approx(
            truth.means["variance"], rel=0.6, abs=0.002
        )
    line, tree = (
        bias_variance_decomposition(model, X, y)
        for model in (LinearRegression(), DecisionTreeRegressor())
    )
    assert line.largest == "bias"
    assert "bias or noise" in line.advice
    assert tree.means["variance"] > 10 * line.means["variance"]
    # rows are judged by trees that have not drawn them: noise twice, and more
    assert tree.error.mean() > 0.13


def test_the_variance_from_data_has_no_bias_of_its_own():
    # the mean of a bootstrap sample: Var g = s^2 / n, and bias^2 + noise = s^2
    class Mean(LinearRegression):
        def fit(self, X, y, sample_weight=None):
            super().fit(X, y)
            self.coef_, self.intercept_ = np.zeros(1), float(np.mean(y))
            return self

    found = []
    for seed in range(20):
        y = np.random.default_rng(seed).normal(size=60)
        one = bias_variance_decomposition(
            Mean(), np.arange(60.0)[:, None], y, n_draws=12, random_state=seed
        )
        found.append([one.means["variance"], one.means["bias"]])
    variance, bias = np.mean(found, axis=0)
    assert variance == pytest.approx(1 / 60, rel=0.15)
    assert bias == pytest.approx(1.0, rel=0.15)


def test_labels_from_data():
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    y = np.where(X[:, 0] * X[:, 1] > 0, "same", "different")
    table = pa.table({"a": X[:, 0], "b": X[:, 1]})
    line = bias_variance_decomposition(LogisticRegression(), table, y, n_draws=20)
    tree = bias_variance_decomposition(DecisionTreeClassifier(), table, y, n_draws=20)
    for one in (line, tree):
        assert one.loss == "error"
        np.testing.assert_allclose(one.total, one.error, atol=1e-12)
    assert line.means["bias"] > 0.3 > tree.means["bias"]  # no line separates them


def test_the_text_and_the_picture():
    matplotlib.use("Agg")
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 1)), rng.normal(size=50)
    found = bias_variance_decomposition(LinearRegression(), X, y, n_draws=10)
    assert "bias and noise" in str(found)
    known = bias_variance_decomposition(LinearRegression(), X, y, n_draws=10, noise=1.0)
    assert "  noise           1\n" in str(known)
    assert [t.get_text() for t in known.plot().get_xticklabels()] == [
        "noise", "bias", "variance", "measured",
    ]  # fmt: skip
    matplotlib.pyplot.close("all")


class Odd(ClassifierMixin, BaseEstimator):
    """A classifier with an answer of its own."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), 7)


def test_what_is_refused():
    X, y = np.arange(20.0)[:, None], np.arange(20.0)
    decompose, simulate = bias_variance_decomposition, simulated_bias_variance
    line = LinearRegression()
    for call, error, words in (
        (lambda: decompose(line, X, y[:5]), DataError, "one target for each"),
        (lambda: decompose(line, X[:3], y[:3]), DataError, "at least 5 rows"),
        (lambda: decompose(line, X, y, n_draws=1), ParameterError, "n_draws"),
        (lambda: decompose(line, X, y, noise=-1), ParameterError, "noise must be"),
        (lambda: decompose(line, X, np.c_[y, y]), DataError, "one column"),
        (lambda: simulate(line, uniform, wave, loss="log"), ParameterError, "loss"),
        (lambda: simulate(line, uniform, wave, n_draws=1), ParameterError, "n_draws"),
        (lambda: simulate(3, uniform, wave, loss="error"), ParameterError, "learner"),
        (lambda: simulate(Odd(), uniform, wave, loss="error"), DataError, "probabil"),
        (lambda: simulate(Odd(), uniform, lambda X: X[:, 0], loss="error"), DataError,
         "labels 0 to 1"),
    ):  # fmt: skip
        with pytest.raises(error, match=words):
            call()
