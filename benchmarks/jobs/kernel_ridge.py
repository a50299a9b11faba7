"""Kernel ridge regression with a Gaussian kernel, 8,000 x 20."""

import numpy as np
from harness import Close, Job


def data():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(8000, 20))
    return {"X": X, "y": np.sin(X.sum(axis=1)) + 0.1 * rng.normal(size=8000)}


def corollary(X, y, **_):
    from corollary import KernelRidge

    return lambda: KernelRidge(alpha=1.0, kernel="rbf").fit(X, y)


def sklearn(X, y, **_):
    from sklearn.kernel_ridge import KernelRidge

    return lambda: KernelRidge(alpha=1.0, kernel="rbf").fit(X, y)


def quality(model, X, y, **_):
    from sklearn.metrics.pairwise import rbf_kernel

    a = np.asarray(model.dual_coef_)
    left = y - rbf_kernel(X, gamma=1 / X.shape[1]) @ a - a
    return {"residual": np.linalg.norm(left) / np.linalg.norm(y)}


JOB = Job(
    title="Kernel ridge, Gaussian kernel, 8,000 x 20",
    data=data,
    contestants={"corollary": corollary, "scikit-learn": sklearn},
    quality=quality,
    equal={"residual": Close(absolute=1e-10)},
)
