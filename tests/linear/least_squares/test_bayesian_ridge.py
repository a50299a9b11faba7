import numpy as np
import pytest
import sklearn.linear_model

from corollary import BayesianRidge, Ridge


def make(n=40, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    return X, X @ rng.normal(size=d) + rng.normal(size=n) + 3


@pytest.mark.course("S4-60")
@pytest.mark.parametrize("n", [40, 6])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fit_intercept": False},
        {"alpha_init": 2.0, "lambda_init": 0.1, "max_iter": 4},
        {"alpha_1": 2.0, "alpha_2": 3.0, "lambda_1": 0.5, "lambda_2": 4.0},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_agrees_with_scikit_learn(n, options, weighted):
    X, y = make(n, 4 if n > 20 else 10)
    w = np.random.default_rng(1).uniform(0.5, 2, n) if weighted else None
    options = {"tol": 1e-10, "max_iter": 500, "compute_score": True} | options
    ours = BayesianRidge(**options).fit(X, y, w)
    theirs = sklearn.linear_model.BayesianRidge(**options).fit(X, y, w)
    for name in ("alpha_", "lambda_", "coef_", "intercept_", "X_offset_"):
        np.testing.assert_allclose(
            getattr(ours, name), getattr(theirs, name), rtol=1e-6, err_msg=name
        )
    np.testing.assert_allclose(ours.sigma_, theirs.sigma_, rtol=1e-5, atol=1e-9)
    np.testing.assert_allclose(ours.scores_[:-1], theirs.scores_[:-1], rtol=1e-7)
    assert ours.n_iter_ == theirs.n_iter_
    for a, b in zip(
        ours.predict(X, return_std=True),
        theirs.predict(X, return_std=True),
        strict=True,
    ):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_the_mean_is_ridge_with_the_ratio_of_the_precisions():
    X, y = make()
    model = BayesianRidge().fit(X, y)
    ridge = Ridge(model.lambda_ / model.alpha_).fit(X, y)
    np.testing.assert_allclose(model.coef_, ridge.coef_, rtol=1e-9)


def test_too_few_steps_are_said():
    X, y = make()
    model = BayesianRidge(max_iter=2, tol=1e-12).fit(X, y)
    assert "Raise max_iter" in model.report_.warnings[0]
