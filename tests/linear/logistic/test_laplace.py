import numpy as np
import pytest
from scipy import stats
from scipy.integrate import dblquad, quad
from scipy.special import expit, log_expit

from corollary import LogisticRegression, engine
from corollary.core.errors import DataError, ParameterError
from corollary.linear.logistic.laplace import averaged_sigmoid, laplace


def make(n=80, d=2, k=2, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + 2
    scores = X @ rng.normal(size=(d, k)) + rng.gumbel(size=(n, k))
    return X, scores.argmax(axis=1)


def numeric_hessian(f, x, step=1e-4):
    n, H = len(x), np.empty((len(x), len(x)))
    E = step * np.eye(n)
    for i in range(n):
        for j in range(n):
            H[i, j] = f(x + E[i] + E[j]) - f(x + E[i] - E[j])
            H[i, j] += f(x - E[i] - E[j]) - f(x - E[i] + E[j])
    return H / (4 * step**2)


@pytest.mark.course("S4-60")
@pytest.mark.parametrize("weighted", [False, True])
def test_the_covariance_is_the_inverse_curvature_of_the_log_posterior(weighted):
    X, y = make()
    w = np.random.default_rng(1).uniform(0.5, 2, 80) if weighted else np.ones(80)
    C = 0.7
    model = LogisticRegression(C=C, tol=1e-10).fit(X, y, w)
    posterior = laplace(model, X, y, w)
    Z = np.column_stack([X - posterior.mean, np.ones(80)])

    def minus_log_posterior(theta):
        fit = (w * log_expit(np.where(y == 1, 1, -1) * (Z @ theta))).sum()
        return -fit + (theta[:-1] ** 2).sum() / (2 * C)  # prior N(0, C I)

    theta = posterior.theta[0]
    H = numeric_hessian(minus_log_posterior, theta)
    np.testing.assert_allclose(np.linalg.inv(posterior.covariance), H, rtol=1e-5)
    best = minus_log_posterior(theta)  # and theta is its mode, the MAP estimate
    rng = np.random.default_rng(0)
    for _ in range(50):
        assert minus_log_posterior(theta + 0.01 * rng.normal(size=3)) > best
    np.testing.assert_allclose(
        posterior.scores(X)[0][:, 0], model.decision_function(X), rtol=1e-9
    )


@pytest.mark.course("S4-60")
@pytest.mark.parametrize("m", [-3.0, 0.0, 0.5, 8.0])
@pytest.mark.parametrize("s", [0.0, 1e-3, 0.4, 0.999, 1.0, 3.0, 30.0, 1e4])
def test_the_averaged_sigmoid_is_the_integral(m, s):
    found = averaged_sigmoid(np.array([m]), np.array([s]))[0]
    if s == 0:
        expected = expit(m)
    elif s < 10:
        expected = quad(
            lambda z: expit(m + s * z) * stats.norm.pdf(z),
            -9,
            9,
            epsabs=1e-13,
            limit=500,
        )[0]
    else:
        expected = quad(
            lambda u: stats.norm.cdf((m - np.log(u / (1 - u))) / s),
            0,
            1,
            epsabs=1e-12,
            limit=500,
        )[0]
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.course("S4-60")
def test_the_averaged_prediction_comes_near_the_exact_one():
    X, y = make(60, 1)
    C = 1.0
    model = LogisticRegression(C=C, tol=1e-10).fit(X, y)
    posterior = laplace(model, X, y)
    signs = np.where(y == 1, 1.0, -1.0)
    shift = log_expit(signs * model.decision_function(X)).sum()

    def weight(b0, b):
        fit = log_expit(signs * (b * X[:, 0] + b0)).sum() - b**2 / (2 * C)
        return np.exp(fit - shift)

    b, b0 = model.coef_[0, 0], model.intercept_[0]
    limits = (b - 3, b + 3, b0 - 6, b0 + 6)
    options = {"epsabs": 1e-6, "epsrel": 1e-6}
    total = dblquad(weight, *limits, **options)[0]
    for x in (0.0, 4.0):
        exact = dblquad(
            lambda c, a, x=x: weight(c, a) * expit(a * x + c), *limits, **options
        )[0]
        found = posterior.predict_proba(np.array([[x]]))[0, 1]
        point = model.predict_proba(np.array([[x]]))[0, 1]
        assert abs(found - exact / total) < 0.02
        assert abs(found - 0.5) < abs(point - 0.5)  # less sure than the mode alone


def test_more_classes_by_draws():
    X, y = make(150, 2, 3)
    model = LogisticRegression(C=2.0, tol=1e-10).fit(X, y)
    posterior = laplace(model, X, y)
    p = posterior.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    assert np.abs(p - model.predict_proba(X)).max() < 0.1
    far = np.array([[60.0, -60.0]])
    assert posterior.predict_proba(far).max() <= model.predict_proba(far).max() + 1e-12
    theta = posterior.theta.ravel()
    Z = np.column_stack([X - posterior.mean, np.ones(150)])

    def minus_log_posterior(theta):
        T = theta.reshape(3, 3)
        A = Z @ T.T
        fit = A[np.arange(150), y] - np.log(np.exp(A).sum(axis=1))
        return -fit.sum() + (T[:, :-1] ** 2).sum() / 4

    H = numeric_hessian(minus_log_posterior, theta)
    S = posterior.covariance
    np.testing.assert_allclose(S @ H @ S, S, rtol=1e-3, atol=1e-4)


def test_chunks_and_weights_change_nothing():
    X, y = make()
    times = np.random.default_rng(2).integers(1, 4, 80)
    model = LogisticRegression(tol=1e-10).fit(X, y, times)
    whole = laplace(model, np.repeat(X, times, axis=0), np.repeat(y, times))
    with engine.use(chunk_rows=13):
        parts = laplace(model, X, y, times)
    np.testing.assert_allclose(parts.covariance, whole.covariance, rtol=1e-9)


def test_without_an_intercept_its_score_is_certain():
    X, y = make()
    model = LogisticRegression(fit_intercept=False, tol=1e-10).fit(X, y)
    posterior = laplace(model, X, y)
    assert posterior.scores(np.zeros((1, 2)))[1][0, 0, 0] == 0
    np.testing.assert_allclose(
        posterior.scores(X)[0][:, 0], model.decision_function(X), rtol=1e-9
    )


def test_bad_input():
    X, y = make()
    model = LogisticRegression().fit(X, y)
    with pytest.raises(DataError, match="laplace: rows must come from data that can"):
        laplace(model, iter([(X, y)]))
    with pytest.raises(ParameterError, match="n_draws must be a whole number >= 1"):
        laplace(model, X, y).predict_proba(X, n_draws=0)
