"""One decision tree, exact and with bins; a random forest."""

import numpy as np
from harness import Close, Job

TEST = 50_000


def curved_classes(n, d=30):
    """Make two classes that waves and products tell apart, with some noise."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n + TEST, d))
    score = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * X[:, 3] ** 2 - 0.5
    score += 0.25 * X[:, 4:8].sum(axis=1)
    y = (score + 0.3 * rng.standard_normal(len(X)) > 0).astype(np.int64)
    return {"X": X[:n], "y": y[:n], "new_X": X[n:], "new_y": y[n:]}


def many_rows():
    return curved_classes(200_000)


def some_rows():
    return curved_classes(50_000)


def tree(X, y, **_):
    from corollary import DecisionTreeClassifier

    return lambda: DecisionTreeClassifier(max_depth=10).fit(X, y)


def binned_tree(X, y, **_):
    from corollary import DecisionTreeClassifier

    return lambda: DecisionTreeClassifier(max_depth=10, max_bins=255).fit(X, y)


def sklearn_tree(X, y, **_):
    from sklearn.tree import DecisionTreeClassifier

    return lambda: DecisionTreeClassifier(max_depth=10, random_state=0).fit(X, y)


def xgboost_tree(X, y, **_):
    from xgboost import XGBClassifier

    model = XGBClassifier(
        n_estimators=1, max_depth=10, learning_rate=1.0, n_jobs=2, tree_method="hist"
    )
    return lambda: model.fit(X, y)


def forest(X, y, **_):
    from corollary import RandomForestClassifier

    return lambda: RandomForestClassifier(100, random_state=0).fit(X, y)


def sklearn_forest(X, y, **_):
    from sklearn.ensemble import RandomForestClassifier

    return lambda: RandomForestClassifier(100, random_state=0, n_jobs=2).fit(X, y)


def intel_forest(X, y, **_):
    from sklearnex.ensemble import RandomForestClassifier

    return lambda: RandomForestClassifier(100, random_state=0, n_jobs=2).fit(X, y)


def accuracy(model, new_X, new_y, **_):
    return {"accuracy": float((model.predict(new_X) == new_y).mean())}


SAME = {"accuracy": Close(max, relative=0.01)}

JOBS = [
    Job(
        title="Decision tree of depth 10, 200,000 x 30",
        data=many_rows,
        contestants={"corollary": tree, "scikit-learn": sklearn_tree},
        quality=accuracy,
        equal=SAME,
    ),
    Job(
        title="Decision tree of depth 10 from 255 bins, 200,000 x 30",
        data=many_rows,
        contestants={"corollary": binned_tree, "xgboost": xgboost_tree},
        quality=accuracy,
        equal=SAME,
    ),
    Job(
        title="Random forest of 100 trees, 50,000 x 30",
        data=some_rows,
        contestants={
            "corollary": forest,
            "scikit-learn": sklearn_forest,
            "scikit-learn-intelex": intel_forest,
        },
        quality=accuracy,
        equal=SAME,
    ),
]
