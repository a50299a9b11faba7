"""Least squares, 500,000 x 100."""

import numpy as np
from harness import Close, Job
from workloads import linear, ridge_solution


def data():
    X, y = linear(500_000, 100)
    return {"X": X, "y": y, "exact": ridge_solution(X, y, alpha=0.0)}


def corollary(X, y, **_):
    from corollary import LinearRegression

    return lambda: LinearRegression().fit(X, y)


def sklearn(X, y, **_):
    from sklearn.linear_model import LinearRegression

    return lambda: LinearRegression().fit(X, y)


def sklearn_cholesky(X, y, **_):
    from sklearn.linear_model import Ridge

    return lambda: Ridge(1e-8, solver="cholesky").fit(X, y)


def sklearnex(X, y, **_):
    from sklearnex.linear_model import LinearRegression

    return lambda: LinearRegression().fit(X, y)


def quality(model, exact, **_):
    return {"coef error": np.abs(np.ravel(model.coef_) - exact).max()}


JOB = Job(
    title="Linear regression, 500,000 x 100",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn": sklearn,
        "scikit-learn Ridge(1e-8), cholesky": sklearn_cholesky,
        "scikit-learn-intelex": sklearnex,
    },
    quality=quality,
    equal={"coef error": Close(absolute=1e-9)},
)
