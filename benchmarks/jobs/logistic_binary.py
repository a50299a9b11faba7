"""Logistic regression with two classes, 300,000 x 100, C = 1."""

from harness import Close, Job
from workloads import logistic_objective, softmax_classes


def data():
    X, y = softmax_classes(300_000, 100, 2)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import LogisticRegression

    return lambda: LogisticRegression(tol=1e-5, max_iter=500).fit(X, y)


def sklearn_lbfgs(X, y):
    from sklearn.linear_model import LogisticRegression

    return lambda: LogisticRegression(tol=1e-5, max_iter=500).fit(X, y)


def sklearn_newton(X, y):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(solver="newton-cholesky", tol=1e-5)
    return lambda: model.fit(X, y)


def sklearnex(X, y):
    from sklearnex.linear_model import LogisticRegression

    return lambda: LogisticRegression(tol=1e-5, max_iter=500).fit(X, y)


def glum(X, y):
    from glum import GeneralizedLinearRegressor

    model = GeneralizedLinearRegressor(
        family="binomial", alpha=1 / len(y), l1_ratio=0, gradient_tol=1e-5
    )
    t = y.astype(float)
    return lambda: model.fit(X, t)


def quality(model, X, y):
    return {"objective": logistic_objective(model, X, y)}


JOB = Job(
    title="Logistic regression, 300,000 x 100, 2 classes",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn lbfgs": sklearn_lbfgs,
        "scikit-learn newton-cholesky": sklearn_newton,
        "scikit-learn-intelex": sklearnex,
        "glum": glum,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
