"""Logistic regression with an L1 penalty, 20,000 x 300, C = 0.02.

LIBLINEAR penalises the intercept, so everybody fits without one.
"""

from harness import Close, Job
from workloads import logistic_objective, softmax_classes


def data():
    X, y = softmax_classes(20_000, 300, 2)
    return {"X": X, "y": y}


def corollary(X, y):
    from corollary import LogisticRegression

    model = LogisticRegression(
        l1_ratio=1, C=0.02, solver="coordinate-descent", fit_intercept=False, tol=1e-6
    )
    return lambda: model.fit(X, y)


def sklearn_liblinear(X, y):
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(
        l1_ratio=1, C=0.02, solver="liblinear", fit_intercept=False, tol=1e-4
    )
    return lambda: model.fit(X, y)


def quality(model, X, y):
    return {"objective": logistic_objective(model, X, y, 0.02, l1_ratio=1.0)}


JOB = Job(
    title="L1 logistic regression, 20,000 x 300, 2 classes",
    data=data,
    contestants={
        "corollary": corollary,
        "scikit-learn liblinear": sklearn_liblinear,
    },
    quality=quality,
    equal={"objective": Close(relative=1e-6)},
)
