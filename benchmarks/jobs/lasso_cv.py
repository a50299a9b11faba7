"""The lasso with 100 penalties and 5 folds, 1,000 x 5,000."""

import numpy as np
from harness import Close, Job
from workloads import independent_columns

SETTINGS = {"cv": 5, "tol": 1e-4, "eps": 1e-2}


def data():
    X, y = independent_columns(1_000, 5_000, 50)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import LassoCV

    return lambda: LassoCV(alphas=100, **SETTINGS).fit(X, y)


def sklearn(X, y):
    from sklearn.linear_model import LassoCV

    return lambda: LassoCV(alphas=100, n_jobs=2, **SETTINGS).fit(X, y)


def quality(model, **_):
    errors = np.asarray(model.mse_path_).mean(axis=1)
    return {"held-out error": errors.min(), "alpha": model.alpha_}


JOB = Job(
    title="Lasso, 100 penalties x 5 folds, 1,000 x 5,000",
    data=data,
    contestants={"corollary": corollary, "scikit-learn": sklearn},
    quality=quality,
    equal={"held-out error": Close(relative=1e-3), "alpha": Close(relative=1e-6)},
)
