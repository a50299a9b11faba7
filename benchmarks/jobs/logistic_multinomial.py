"""Logistic regression with ten classes, 100,000 x 100, C = 1."""

from harness import Close, Job
from workloads import logistic_objective, softmax_classes


def data():
    X, y = softmax_classes(100_000, 100, 10)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import LogisticRegression

    return lambda: LogisticRegression(tol=1e-5, max_iter=500).fit(X, y)


def sklearn(X, y):
    from sklearn.linear_model import LogisticRegression

    return lambda: LogisticRegression(tol=1e-5, max_iter=500).fit(X, y)


def sklearnex(X, y):
    from sklearnex.linear_model import LogisticRegression

    return lambda: LogisticRegression(tol=1e-5, max_iter=500).fit(X, y)


def quality(model, X, y):
    return {"objective": logistic_objective(model, X, y)}


JOB = Job(
    title="Logistic regression, 100,000 x 100, 10 classes",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn lbfgs": sklearn,
        "scikit-learn-intelex": sklearnex,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
