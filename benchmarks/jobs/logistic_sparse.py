"""Logistic regression on sparse rows, 100,000 x 50,000, 80 nonzeros a row, C = 1.

LIBLINEAR penalises the intercept, so everybody fits without one.
"""

from harness import Close, Job
from workloads import csr, logistic_objective, sparse_classes


def data():
    X, y = sparse_classes(100_000, 50_000, 80)
    return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "y": y}


def corollary(data, indices, indptr, y):
    from corollary import LogisticRegression

    X = csr(data, indices, indptr, 50_000)
    model = LogisticRegression(fit_intercept=False, tol=1e-6, max_iter=500)
    return lambda: model.fit(X, y)


def sklearn_liblinear(data, indices, indptr, y):
    from sklearn.linear_model import LogisticRegression

    X = csr(data, indices, indptr, 50_000)
    model = LogisticRegression(solver="liblinear", fit_intercept=False, tol=1e-3)
    return lambda: model.fit(X, y)


def sklearn_lbfgs(data, indices, indptr, y):
    from sklearn.linear_model import LogisticRegression

    X = csr(data, indices, indptr, 50_000)
    model = LogisticRegression(fit_intercept=False, tol=1e-6, max_iter=500)
    return lambda: model.fit(X, y)


def quality(model, data, indices, indptr, y):
    X = csr(data, indices, indptr, 50_000)
    return {"objective": logistic_objective(model, X, y)}


JOB = Job(
    title="Logistic regression, sparse 100,000 x 50,000, 80 nonzeros a row, 2 classes",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn liblinear": sklearn_liblinear,
        "scikit-learn lbfgs": sklearn_lbfgs,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
