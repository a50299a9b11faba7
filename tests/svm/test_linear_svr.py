"""The linear machine for numbers: scikit-learn's minimum, ridge as a limit, misuse."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.svm import LinearSVR as Liblinear

from corollary import LinearSVR
from corollary.core.errors import ParameterError

pytestmark = pytest.mark.filterwarnings("ignore:Liblinear failed")


def rows(n=150, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, 2 * X[:, 0] - X[:, 1] + rng.normal(size=n) + 1.5


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
@pytest.mark.parametrize("C", [0.02, 1.0])
def test_minimum(loss, C):
    X, y = rows()
    model = LinearSVR(loss=loss, epsilon=0.3, C=C).fit(X, y)
    power = 1 if loss == "epsilon_insensitive" else 2

    def primal(w, b):
        u = np.maximum(0, np.abs(y - X @ w - b) - 0.3)
        return 0.5 * (w @ w + b * b) + C * np.sum(u**power)

    w, b = model.coef_, float(model.intercept_[0])
    assert model.report_.optimality.value <= 1e-10 * primal(w, b)
    rng = np.random.default_rng(1)
    for size in 10.0 ** -np.arange(1, 6):
        for s in size * rng.normal(size=(30, 4)):
            assert primal(w + s[:3], b + s[3]) >= primal(w, b) * (1 - 1e-12)
    theirs = Liblinear(
        loss=loss,
        epsilon=0.3,
        C=C,
        dual=True,
        tol=1e-12,
        max_iter=10**5,
        random_state=0,
    ).fit(X, y)
    assert primal(w, b) <= primal(theirs.coef_, theirs.intercept_[0]) * (1 + 1e-12)
    np.testing.assert_allclose(w, theirs.coef_, atol=2e-3)


def test_without_a_tube_it_is_ridge_regression():
    X, y = rows()
    model = LinearSVR(
        loss="squared_epsilon_insensitive", C=0.7, fit_intercept=False
    ).fit(X, y)
    ridge = Ridge(alpha=1 / 1.4, fit_intercept=False).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-8)


def test_many_features_by_descent():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 420)) / 20
    y = X[:, 0] * 3 + 0.1 * rng.normal(size=80)
    for loss in ("epsilon_insensitive", "squared_epsilon_insensitive"):
        model = LinearSVR(loss=loss, epsilon=0.05, C=10, tol=1e-8, max_iter=10000)
        model.fit(X, y)
        assert "descent" in model.report_.facts["solver"]
        theirs = Liblinear(
            loss=loss,
            epsilon=0.05,
            C=10,
            dual=True,
            tol=1e-9,
            max_iter=10**5,
            random_state=0,
        ).fit(X, y)
        np.testing.assert_allclose(model.coef_, theirs.coef_, atol=2e-4)


def test_misuse():
    with pytest.raises(ParameterError, match="dual must be True or 'auto'"):
        LinearSVR(dual=False).fit(*rows(20))
    with pytest.raises(ParameterError, match="epsilon must be a number >= 0"):
        LinearSVR(epsilon=-1.0).fit(*rows(20))
