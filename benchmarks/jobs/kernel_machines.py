"""Kernel machines: fits and predictions of support vectors, on blobs that overlap."""

import numpy as np
from harness import Close, Job
from scipy.sparse import csr_matrix
from workloads import overlapping_blobs

CACHE = 2000  # megabytes


def fitting(package, name, options):
    """Make the contestant of a library: fit its class of this name."""

    def contestant(X, y):
        from importlib import import_module

        make = getattr(import_module(package), name)
        target = () if name == "OneClassSVM" else (y,)
        return lambda: make(cache_size=CACHE, **options).fit(X, *target)

    return contestant


class Libsvm:
    """A model of LIBSVM's own Python interface under scikit-learn's names."""

    def __init__(self, model, X):
        self.model = model
        self.support_ = np.array(model.get_sv_indices()) - 1
        self.support_vectors_ = X[self.support_]
        self.dual_coef_ = np.array(model.get_sv_coef()).T

    def predict(self, X):
        from libsvm.svmutil import svm_predict

        return np.array(svm_predict([], csr_matrix(X), self.model, "-q")[0])

    def score(self, X, y):
        return float(np.mean(self.predict(X) == y))


def libsvm(name, options):
    """Make LIBSVM's contestant; its own copy of the rows is made beforehand."""
    given = {"gamma": "-g", "C": "-c", "nu": "-n", "epsilon": "-p"}
    kind = {"SVC": 0, "OneClassSVM": 2, "SVR": 3}[name]
    words = " ".join(f"{given[key]} {value!r}" for key, value in options.items())

    def contestant(X, y):
        from libsvm.svmutil import svm_parameter, svm_problem, svm_train

        problem = svm_problem(np.asarray(y, float), csr_matrix(X))
        asked = svm_parameter(f"-s {kind} -m {CACHE} -q {words}")
        return lambda: Libsvm(svm_train(problem, asked), X)

    return contestant


def contestants(name, options, *, intelex=True):
    packages = {"corollary": "corollary", "scikit-learn": "sklearn.svm"}
    if intelex:
        packages["scikit-learn-intelex"] = "sklearnex.svm"
    fits = {who: fitting(package, name, options) for who, package in packages.items()}
    return {**fits, "LIBSVM": libsvm(name, options)}


def expansion(model, X, gamma):
    """Return coefficients c of the support vectors V, and c'K(V, V)c."""
    c, V = np.ravel(model.dual_coef_), np.asarray(model.support_vectors_)
    squares, total = (V**2).sum(axis=1), 0.0
    for a in range(0, len(V), 2000):
        part = slice(a, a + 2000)
        D = squares[part, None] + squares - 2 * V[part] @ V.T
        total += c[part] @ (np.exp(-gamma * D) @ c)
    return c, float(total)


def classes(n, d):
    X, y = overlapping_blobs(n, d)
    return {"X": X, "y": y}


def ten():
    rng = np.random.default_rng(0)
    centres, y = 0.7 * rng.standard_normal((10, 30)), rng.integers(0, 10, 20_000)
    return {"X": centres[y] + rng.standard_normal((20_000, 30)), "y": y}


def waves():
    X, _ = overlapping_blobs(10_000, 20)
    noise = 0.1 * np.random.default_rng(5).standard_normal(len(X))
    return {"X": X, "y": np.sin(X[:, 0]) + X[:, 1] * X[:, 2] + noise}


def svc_job(title, n, d, C):
    gamma = 1 / d

    def quality(model, X, y):
        c, norm = expansion(model, X, gamma)
        return {"dual": np.abs(c).sum() - norm / 2, "vectors": len(c)}

    return Job(
        title=title,
        data=lambda: classes(n, d),
        contestants=contestants("SVC", {"C": C, "gamma": gamma}),
        quality=quality,
        equal={"dual": Close(max, relative=1e-4)},
    )


def svr_quality(model, X, y):
    c, norm = expansion(model, X, 1 / 20)
    at = np.asarray(model.support_)
    return {"dual": y[at] @ c - 0.1 * np.abs(c).sum() - norm / 2, "vectors": len(c)}


def one_class_quality(model, X, y):
    _, norm = expansion(model, X, 1 / 20)
    return {"dual": norm / 2, "outliers": float(np.mean(model.predict(X[:5000]) < 0))}


def predicting(package):
    def contestant(X, y):
        from importlib import import_module

        make = import_module(package).SVC
        model = make(C=1.0, gamma=1 / 50, cache_size=CACHE).fit(X[:20_000], y[:20_000])
        return lambda: model.predict(X[20_000:])

    return contestant


JOBS = [
    svc_job("SVC, 20,000 x 50", 20_000, 50, 1.0),
    svc_job("SVC, 10,000 x 20, C = 10", 10_000, 20, 10.0),
    Job(
        title="SVC, 20,000 x 30, ten classes",
        data=ten,
        contestants=contestants("SVC", {"gamma": 1 / 30}),
        quality=lambda model, X, y: {"accuracy": model.score(X[:4000], y[:4000])},
        equal={"accuracy": Close(max, absolute=1e-3)},
    ),
    Job(
        title="SVR, 10,000 x 20, C = 10",
        data=waves,
        contestants=contestants("SVR", {"C": 10.0, "gamma": 1 / 20, "epsilon": 0.1}),
        quality=svr_quality,
        equal={"dual": Close(max, relative=1e-4)},
    ),
    Job(
        title="One-class SVM, 30,000 x 20",
        data=lambda: classes(30_000, 20),
        contestants=contestants(
            "OneClassSVM", {"nu": 0.1, "gamma": 1 / 20}, intelex=False
        ),
        quality=one_class_quality,
        equal={"dual": Close(min, relative=1e-4)},
    ),
    Job(
        title="Predictions of an SVC, 10,000 rows x 50",
        data=lambda: classes(30_000, 50),
        contestants={
            "corollary": predicting("corollary"),
            "scikit-learn": predicting("sklearn.svm"),
            "scikit-learn-intelex": predicting("sklearnex.svm"),
        },
        quality=lambda found, X, y: {"accuracy": np.mean(found == y[20_000:])},
        equal={"accuracy": Close(max, absolute=1e-3)},
    ),
]
