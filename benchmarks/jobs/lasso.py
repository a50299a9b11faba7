"""The lasso, 2,000 x 20,000, at a thirtieth of the largest useful penalty."""

import numpy as np
from harness import Close, Job
from workloads import correlated_columns, lasso_objective


def data():
    X, y = correlated_columns(2_000, 20_000, 200)
    return {"X": X, "y": y, "alpha": np.abs(X.T @ y).max() / len(y) / 30}


def corollary(X, y, alpha):
    from corollary import Lasso

    return lambda: Lasso(alpha, fit_intercept=False, tol=1e-5).fit(X, y)


def sklearn(X, y, alpha):
    from sklearn.linear_model import Lasso

    model = Lasso(alpha, fit_intercept=False, tol=1e-5, max_iter=20_000)
    return lambda: model.fit(X, y)


def celer(X, y, alpha):
    from celer import Lasso

    return lambda: Lasso(alpha, fit_intercept=False, tol=1e-5).fit(X, y)


def skglm(X, y, alpha):
    from skglm import Lasso

    return lambda: Lasso(alpha, fit_intercept=False, tol=1e-6).fit(X, y)


def quality(model, X, y, alpha):
    return {"objective": lasso_objective(model, X, y, alpha)}


JOB = Job(
    title="Lasso, 2,000 x 20,000",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn": sklearn,
        "celer": celer,
        "skglm": skglm,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
