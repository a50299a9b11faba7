"""Gaussian naive Bayes, fit and predict all rows, 1,000,000 x 60, ten classes."""

import numpy as np
from harness import Close, Job
from workloads import blobs


def data():
    X, y = blobs(1_000_000, 60, 10, std=4.0, box=1.5, dtype=np.float64)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import GaussianNB

    return lambda: GaussianNB().fit(X, y).predict(X)


def sklearn(X, y):
    from sklearn.naive_bayes import GaussianNB

    return lambda: GaussianNB().fit(X, y).predict(X)


def dask_ml(X, y):
    import dask.array as da
    from dask_ml.naive_bayes import GaussianNB

    rows = 100_000
    A, t = da.from_array(X, (rows, -1)), da.from_array(y, rows)
    return lambda: GaussianNB().fit(A, t).predict(A).compute()


def quality(predicted, y, **_):
    return {"accuracy": np.mean(predicted == y)}


JOB = Job(
    title="Gaussian naive Bayes, fit and predict 1,000,000 x 60, 10 classes",
    data=data,
    contestants={"corollary": corollary, "scikit-learn": sklearn, "dask-ml": dask_ml},
    quality=quality,
    equal={"accuracy": Close(max, absolute=1e-5)},
)
