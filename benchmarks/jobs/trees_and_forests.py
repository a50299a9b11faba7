"""One tree of depth 10, a random forest, and AdaBoost with stumps."""

from harness import Close, Job
from workloads import accuracy_of, bent_classes


def learner(module, name, **options):
    def contestant(X, y, **_):
        from importlib import import_module

        made = getattr(import_module(module), name)
        return lambda: made(**options).fit(X, y)

    return contestant


def right(model, X, y, X_test, y_test):
    return {"accuracy": accuracy_of(model, X_test, y_test)}


DEEP = {"max_depth": 10, "random_state": 0}
HUNDRED = {"n_estimators": 100, "n_jobs": 2, "random_state": 0}
ONE = {"n_estimators": 1, "max_depth": 10, "learning_rate": 1.0, "n_jobs": 2}
BOOSTED = {"n_estimators": 100, "random_state": 0}
FOREST, BOOST = "RandomForestClassifier", "AdaBoostClassifier"
TREE = "DecisionTreeClassifier"

JOBS = [
    Job(
        title="Decision tree, exact, 200,000 x 30, depth 10",
        data=lambda: bent_classes(200_000, 30),
        contestants={
            "corollary": learner("corollary", TREE, **DEEP),
            "scikit-learn": learner("sklearn.tree", TREE, **DEEP),
        },
        quality=right,
        equal={"accuracy": Close(max, relative=0.005)},
    ),
    Job(
        title="Decision tree, 255 bins, 200,000 x 30, depth 10",
        data=lambda: bent_classes(200_000, 30),
        contestants={
            "corollary": learner("corollary", TREE, max_bins=255, **DEEP),
            "XGBoost": learner("xgboost", "XGBClassifier", **ONE),
        },
        quality=right,
        equal={"accuracy": Close(max, relative=0.01)},
    ),
    Job(
        title="Random forest, 50,000 x 30, 100 trees",
        data=lambda: bent_classes(50_000, 30),
        contestants={
            "corollary": learner("corollary", FOREST, **HUNDRED),
            "scikit-learn": learner("sklearn.ensemble", FOREST, **HUNDRED),
            "scikit-learn-intelex": learner("sklearnex.ensemble", FOREST, **HUNDRED),
        },
        quality=right,
        equal={"accuracy": Close(max, relative=0.005)},
    ),
    Job(
        title="AdaBoost, 50,000 x 30, 100 stumps",
        data=lambda: bent_classes(50_000, 30),
        contestants={
            "corollary": learner("corollary", BOOST, **BOOSTED),
            "scikit-learn": learner("sklearn.ensemble", BOOST, **BOOSTED),
        },
        quality=right,
        equal={"accuracy": Close(max, relative=0.01)},
    ),
]
