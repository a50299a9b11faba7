"""K-means on clustered data, 500,000 x 50 in single precision, k = 100, 20 passes."""

import numpy as np
from harness import Close, Job
from workloads import blobs, inertia

K, PASSES = 100, 20


def start(X):
    rows = np.random.default_rng(1).choice(len(X), K, replace=False)
    return {"X": X, "init": X[rows]}


def data():
    return start(blobs(500_000, 50, 300, std=3.0, box=4.0, dtype=np.float32)[0])


def settings(init):
    return {"n_clusters": K, "init": init, "n_init": 1, "max_iter": PASSES, "tol": 0}


def corollary(X, init):
    from corollary import KMeans

    return lambda: KMeans(**settings(init)).fit(X).cluster_centers_


def sklearn_lloyd(X, init):
    from sklearn.cluster import KMeans

    return lambda: KMeans(**settings(init)).fit(X).cluster_centers_


def sklearn_elkan(X, init):
    from sklearn.cluster import KMeans

    return lambda: KMeans(**settings(init), algorithm="elkan").fit(X).cluster_centers_


def sklearnex(X, init):
    from sklearnex.cluster import KMeans

    return lambda: KMeans(**settings(init)).fit(X).cluster_centers_


def faiss(X, init):
    import faiss

    def fit():
        model = faiss.Kmeans(X.shape[1], K, niter=PASSES, max_points_per_centroid=10**9)
        model.train(X, init_centroids=init)
        return model.centroids

    return fit


def quality(centers, X, **_):
    return {"inertia": inertia(X, centers)}


CONTESTANTS = {
    "corollary": corollary,
    "scikit-learn lloyd": sklearn_lloyd,
    "scikit-learn elkan": sklearn_elkan,
    "scikit-learn-intelex": sklearnex,
    "faiss": faiss,
}

JOB = Job(
    title="K-means, 500,000 x 50 float32, clustered, k = 100, 20 passes",
    data=data,
    contestants=CONTESTANTS,
    quality=quality,
    equal={"inertia": Close(relative=1e-4)},
)
