"""Poisson regression, 300,000 x 100, a light penalty."""

import numpy as np
from harness import Close, Job

ALPHA = 1e-4


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300_000, 100))
    y = rng.poisson(np.exp(X @ (0.1 * rng.normal(size=100)) - 0.5)).astype(float)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import PoissonRegressor

    return lambda: PoissonRegressor(alpha=ALPHA).fit(X, y)


def sklearn_lbfgs(X, y):
    from sklearn.linear_model import PoissonRegressor

    return lambda: PoissonRegressor(alpha=ALPHA).fit(X, y)


def sklearn_newton(X, y):
    from sklearn.linear_model import PoissonRegressor

    return lambda: PoissonRegressor(alpha=ALPHA, solver="newton-cholesky").fit(X, y)


def glum(X, y):
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(family="poisson", alpha=ALPHA, l1_ratio=0)
    return lambda: model.fit(X, y)


def quality(model, X, y):
    eta = X @ model.coef_ + model.intercept_
    penalty = 0.5 * ALPHA * float(model.coef_ @ model.coef_)
    return {"objective": float(np.mean(np.exp(eta) - y * eta)) + penalty}


JOB = Job(
    title="Poisson regression, 300,000 x 100",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn lbfgs": sklearn_lbfgs,
        "scikit-learn newton-cholesky": sklearn_newton,
        "glum": glum,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
