"""A hundred rows of five features: what a fit costs when the data cost nothing."""

from importlib import import_module

import numpy as np
from harness import Close, Job

SKLEARN = {
    "LinearRegression": "linear_model",
    "Ridge": "linear_model",
    "LogisticRegression": "linear_model",
    "GaussianNB": "naive_bayes",
    "KMeans": "cluster",
    "PCA": "decomposition",
}


def data():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 5))
    y = (X[:, 0] + rng.standard_normal(100) > 0).astype(int)
    return {"X": X, "y": y}


def settings(name, X):
    if name == "KMeans":
        return {"n_clusters": 3, "init": X[:3], "n_init": 1}
    return {"n_components": 2} if name == "PCA" else {}


def fitter(name, package):
    def contestant(X, y):
        module = f"{package}.{SKLEARN[name]}" if package != "corollary" else package
        learner = getattr(import_module(module), name)
        return lambda: learner(**settings(name, X)).fit(X, y)

    return contestant


def quality(model, X, y):
    return {"score": model.score(X, y)}


JOBS = [
    Job(
        title=f"{name}, 100 x 5",
        data=data,
        contestants={
            "corollary": fitter(name, "corollary"),
            "scikit-learn": fitter(name, "sklearn"),
        },
        quality=quality,
        equal={"score": Close(max, relative=1e-4)},
    )
    for name in SKLEARN
]
