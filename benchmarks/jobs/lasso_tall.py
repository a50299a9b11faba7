"""The lasso, 300,000 x 200."""

import numpy as np
from harness import Close, Job
from workloads import lasso_objective, linear

ALPHA = 0.05


def data():
    X, y = linear(300_000, 200)
    return {"X": np.asfortranarray(X), "y": y}


def corollary(X, y):
    from corollary import Lasso

    return lambda: Lasso(ALPHA, tol=1e-5).fit(X, y)


def sklearn(X, y):
    from sklearn.linear_model import Lasso

    return lambda: Lasso(ALPHA, tol=1e-5).fit(X, y)


def sklearn_gram(X, y):
    from sklearn.linear_model import Lasso

    return lambda: Lasso(ALPHA, tol=1e-5, precompute=True).fit(X, y)


def celer(X, y):
    from celer import Lasso

    return lambda: Lasso(ALPHA, tol=1e-5).fit(X, y)


def quality(model, X, y):
    return {"objective": lasso_objective(model, X, y, ALPHA)}


JOB = Job(
    title="Lasso, 300,000 x 200",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn": sklearn,
        "scikit-learn, Gram matrix": sklearn_gram,
        "celer": celer,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
