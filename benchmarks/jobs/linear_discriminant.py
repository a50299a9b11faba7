"""Linear discriminant analysis, 500,000 x 100, ten classes: fit, then probabilities."""

from importlib import import_module

import numpy as np
from harness import Close, Job
from workloads import blobs

N, D, K = 500_000, 100, 10
ROWS = 200_000  # of the probabilities


def data():
    X, y = blobs(N, D, K, std=4.0, box=1.5, dtype=np.float64)
    return {"X": X, "y": y}


def model(package, learner, options):
    return getattr(import_module(package), learner)(**options)


def fit(*which):
    def contestant(X, y):
        learner = model(*which)
        return lambda: learner.fit(X, y)

    return contestant


def probabilities(*which):
    def contestant(X, y):
        fitted = model(*which).fit(X[:50_000], y[:50_000])
        return lambda: fitted.predict_proba(X[:ROWS])

    return contestant


def accuracy(fitted, X, y):
    P = fitted if isinstance(fitted, np.ndarray) else fitted.predict_proba(X[:ROWS])
    return {"accuracy": np.mean(P.argmax(axis=1) == y[:ROWS])}


def jobs_of(learner, title, solvers):
    """Race one learner's fit, and its probabilities for some rows."""
    return [
        Job(
            title=f"{title}, {what}, {K} classes",
            data=data,
            contestants={"corollary": how("corollary", learner, {})}
            | {
                f"scikit-learn {solver}": how(
                    "sklearn.discriminant_analysis", learner, {"solver": solver}
                )
                for solver in solvers
            },
            quality=accuracy,
            equal={"accuracy": Close(max, absolute=1e-4)},
        )
        for what, how in (
            (f"fit {N:,} x {D}", fit),
            (f"probabilities {ROWS:,} x {D}", probabilities),
        )
    ]


JOBS = jobs_of(
    "LinearDiscriminantAnalysis",
    "Linear discriminant analysis",
    ("lsqr", "eigen", "svd"),
)
