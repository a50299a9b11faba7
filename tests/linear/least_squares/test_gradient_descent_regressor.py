import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from corollary import GradientDescentRegressor, LinearRegression, StopReason
from corollary.datasets import two_moons


def make(n=200, d=3, seed=0, scales=None):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (np.ones(d) if scales is None else scales)
    return X, X @ (rng.normal(size=d) / (1 if scales is None else scales)) + 1


@pytest.mark.course("S4-3")
def test_the_update_is_simultaneous_and_follows_the_formula():
    X, y = make()
    A = np.column_stack([X, np.ones(len(X))])
    theta, alpha = np.zeros(4), 0.3
    for _ in range(7):
        theta = theta - alpha / len(y) * A.T @ (A @ theta - y)
    with pytest.warns(ConvergenceWarning):
        model = GradientDescentRegressor(learning_rate=alpha, max_iter=7, tol=0).fit(
            X, y
        )
    np.testing.assert_allclose(
        np.append(model.coef_, model.intercept_), theta, rtol=1e-12
    )
    one_by_one = np.zeros(4)  # sequential updates end elsewhere
    for _ in range(7):
        for j in range(4):
            one_by_one[j] -= alpha / len(y) * A[:, j] @ (A @ one_by_one - y)
    assert np.abs(one_by_one - theta).max() > 1e-3


@pytest.mark.course("S4-3")
def test_the_limit_is_the_normal_equation_and_the_cost_falls():
    X, y = make()
    y = y + np.random.default_rng(1).normal(size=len(y))
    model = GradientDescentRegressor(tol=1e-10, max_iter=5000).fit(X, y)
    exact = LinearRegression().fit(X, y)
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-8)
    assert (np.diff(model.report_.objective) <= 1e-15).all()
    residual = y - model.predict(X)
    assert model.report_.objective[-1] == pytest.approx(
        (residual**2).mean() / 2, rel=1e-8
    )


@pytest.mark.course("S4-3")
def test_steps_shrink_by_themselves_at_a_fixed_rate():
    X, y = make()
    gaps = np.array(
        GradientDescentRegressor(learning_rate=0.1, tol=1e-6)
        .fit(X, y)
        .report_.objective
    )
    falls = -np.diff(gaps)
    assert (np.diff(falls) <= 1e-12).all()


@pytest.mark.course("S4-3")
@pytest.mark.parametrize(("factor", "converges"), [(0.98, True), (1.02, False)])
def test_converges_below_two_over_the_largest_eigenvalue_only(factor, converges):
    X, y = make()
    A = np.column_stack([X, np.ones(len(X))])
    limit = 2 / np.linalg.eigvalsh(A.T @ A / len(A))[-1]
    model = GradientDescentRegressor(learning_rate=factor * limit, max_iter=5000)
    if converges:
        model.fit(X, y)
        assert model.report_.stop is StopReason.CONVERGED
    else:
        with pytest.warns(ConvergenceWarning, match="smaller learning_rate"):
            model.fit(X, y)
        assert model.report_.stop is StopReason.DIVERGED
    assert model.report_.facts["largest_learning_rate"] == pytest.approx(
        limit, rel=1e-9
    )


@pytest.mark.course("S4-5")
def test_scaling_lowers_the_condition_number_and_the_passes():
    X, y = make(scales=np.array([1.0, 10.0, 100.0]))
    raw = GradientDescentRegressor(max_iter=300)
    with pytest.warns(ConvergenceWarning, match="scale the features"):
        raw.fit(X, y)
    scaled = make_pipeline(StandardScaler(), GradientDescentRegressor(max_iter=300))
    scaled.fit(X, y)
    report = scaled[-1].report_
    assert report.condition < 10 < 1e3 < raw.report_.condition
    assert report.passes < 100
    assert report.stop is StopReason.CONVERGED


@pytest.mark.course("S4-5")
def test_scaling_uses_training_statistics_only_and_leaves_least_squares_alone():
    X, y = make(scales=np.array([1.0, 10.0, 1000.0]))
    train, test = slice(0, 150), slice(150, 200)
    plain = LinearRegression().fit(X[train], y[train])
    piped = make_pipeline(StandardScaler(), LinearRegression()).fit(X[train], y[train])
    np.testing.assert_allclose(
        piped.predict(X[test]), plain.predict(X[test]), rtol=1e-9
    )
    np.testing.assert_allclose(piped[0].mean_, X[train].mean(axis=0))
    assert np.abs(piped[0].mean_ - X.mean(axis=0)).max() > 1e-3
    z = piped[0].transform(X[train])
    np.testing.assert_allclose(z.std(axis=0), 1.0)
    assert np.abs(z).max() > 1  # z-scores do not stay within [-1, 1]


@pytest.mark.course("S4-5")
def test_a_constant_feature_survives_scaling():
    X, y = make()
    X = np.column_stack([X, np.full(len(X), 7.0)])
    model = make_pipeline(
        StandardScaler(), GradientDescentRegressor(max_iter=2000)
    ).fit(X, y)
    assert np.isfinite(model.predict(X)).all()
    assert model[-1].coef_[3] == 0


def test_labels_as_numbers():
    X, y = two_moons(200, random_state=0)
    model = GradientDescentRegressor().fit(X, y.astype(float))
    exact = LinearRegression().fit(X, y.astype(float))
    np.testing.assert_allclose(model.coef_, exact.coef_, atol=1e-4)
