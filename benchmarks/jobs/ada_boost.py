"""AdaBoost with a hundred stumps, 50,000 x 30."""

from harness import Close, Job
from workloads import accuracy_of, bent_classes

STUMPS = {"n_estimators": 100, "random_state": 0}


def corollary(X, y, **_):
    from corollary import AdaBoostClassifier

    return lambda: AdaBoostClassifier(**STUMPS).fit(X, y)


def sklearn(X, y, **_):
    from sklearn.ensemble import AdaBoostClassifier

    return lambda: AdaBoostClassifier(**STUMPS).fit(X, y)


def right(model, X, y, X_test, y_test):
    return {"accuracy": accuracy_of(model, X_test, y_test)}


JOB = Job(
    title="AdaBoost, 50,000 x 30, 100 stumps",
    data=lambda: bent_classes(50_000, 30),
    contestants={"corollary": corollary, "scikit-learn": sklearn},
    quality=right,
    equal={"accuracy": Close(max, relative=0.01)},
)
