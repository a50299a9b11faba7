"""Principal components, 20 of 500,000 x 100."""

import numpy as np
from harness import Close, Job
from workloads import low_rank

K = 20


def data():
    X = low_rank(500_000, 100, K)
    vectors = np.linalg.eigh(np.cov(X, rowvar=False))[1]
    return {"X": X, "exact": vectors[:, : -K - 1 : -1].T.copy()}


def corollary(X, **_):
    from corollary import PCA

    return lambda: PCA(K).fit(X)


def sklearn(X, **_):
    from sklearn.decomposition import PCA

    return lambda: PCA(K, svd_solver="covariance_eigh").fit(X)


def sklearn_randomized(X, **_):
    from sklearn.decomposition import PCA

    return lambda: PCA(K, svd_solver="randomized", random_state=0).fit(X)


def sklearnex(X, **_):
    from sklearnex.decomposition import PCA

    return lambda: PCA(K, svd_solver="covariance_eigh").fit(X)


def quality(model, exact, **_):
    cosines = np.linalg.svd(model.components_ @ exact.T, compute_uv=False)
    sine = np.sqrt(max(0.0, 1 - min(cosines.min(), 1.0) ** 2))
    return {"variance": model.explained_variance_.sum(), "sine to exact": sine}


JOB = Job(
    title="PCA, 20 components of 500,000 x 100",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn covariance_eigh": sklearn,
        "scikit-learn randomized": sklearn_randomized,
        "scikit-learn-intelex": sklearnex,
    },
    quality=quality,
    equal={
        "variance": Close(max, relative=1e-6),
        "sine to exact": Close(absolute=1e-5),
    },
)
