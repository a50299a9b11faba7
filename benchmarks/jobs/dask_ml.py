"""Dask-ML's own learners against the same jobs in memory, at a size it can bear."""

import numpy as np
from harness import Close, Job
from workloads import blobs, inertia, logistic_objective, softmax_classes

CHUNK = 25_000
K, PASSES = 20, 10


def clusters():
    X, _ = blobs(200_000, 20, 50, std=3.0, box=4.0, dtype=np.float64)
    return {"X": X, "init": X[:K]}


def k_means(X, init):
    from corollary import KMeans

    model = KMeans(K, init=init, n_init=1, max_iter=PASSES, tol=0)
    return lambda: model.fit(X).cluster_centers_


def dask_k_means(X, init):
    import dask.array as da
    from dask_ml.cluster import KMeans

    A = da.from_array(X, (CHUNK, -1))
    model = KMeans(K, init=init, max_iter=PASSES, tol=0)
    return lambda: np.asarray(model.fit(A).cluster_centers_)


def classes():
    X, y = softmax_classes(200_000, 20, 2)
    return {"X": X, "y": y}


def logistic(X, y):
    from corollary import LogisticRegression

    return lambda: LogisticRegression().fit(X, y)


def dask_logistic(X, y):
    import dask.array as da
    from dask_ml.linear_model import LogisticRegression

    A, t = da.from_array(X, (CHUNK, -1)), da.from_array(y, CHUNK)
    return lambda: LogisticRegression(solver="lbfgs", C=1.0, tol=1e-6).fit(A, t)


JOBS = [
    Job(
        title="Dask-ML's k-means, 200,000 x 20, k = 20, 10 passes",
        data=clusters,
        contestants={"corollary": k_means, "dask-ml": dask_k_means},
        quality=lambda centers, X, **_: {"inertia": inertia(X, centers)},
        equal={"inertia": Close(relative=1e-4)},
    ),
    Job(
        title="Dask-ML's logistic regression, 200,000 x 20",
        data=classes,
        contestants={"corollary": logistic, "dask-ml": dask_logistic},
        quality=lambda model, X, y: {"objective": logistic_objective(model, X, y)},
        equal={"objective": Close(relative=1e-5)},
    ),
]
