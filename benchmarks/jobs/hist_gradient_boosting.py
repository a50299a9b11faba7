"""Boosting from histograms: large data, small data, and its predictions."""

import numpy as np
from harness import Close, Job
from workloads import bent_classes, log_loss_of

LEAVES = 31


def corollary(trees):
    def contestant(X, y, **_):
        from corollary import HistGradientBoostingClassifier

        return lambda: HistGradientBoostingClassifier(
            max_iter=trees, early_stopping=False
        ).fit(X, y)

    return contestant


def sklearn(trees):
    def contestant(X, y, **_):
        from sklearn.ensemble import HistGradientBoostingClassifier

        return lambda: HistGradientBoostingClassifier(
            max_iter=trees, early_stopping=False
        ).fit(X, y)

    return contestant


def lightgbm(trees, **options):
    def contestant(X, y, **_):
        from lightgbm import LGBMClassifier

        threads = {"n_jobs": 2, "verbose": -1, **options}
        return lambda: LGBMClassifier(n_estimators=trees, **threads).fit(X, y)

    return contestant


def xgboost(trees):
    def contestant(X, y, **_):
        return lambda: boosted(X, y, trees)

    return contestant


def boosted(X, y, trees):
    from xgboost import XGBClassifier

    model = XGBClassifier(
        n_estimators=trees,
        max_leaves=LEAVES,
        grow_policy="lossguide",
        max_depth=0,
        learning_rate=0.1,
        tree_method="hist",
        n_jobs=2,
    )
    return model.fit(X, y)


def loss(model, X, y, X_test, y_test):
    return {"log loss": log_loss_of(model, X_test, y_test)}


QUANTIZED = {
    "use_quantized_grad": True,
    "num_grad_quant_bins": 16,
    "quant_train_renew_leaf": True,
}


def predicting(make):
    def contestant(X, y, X_test, y_test):
        model, rows = make(X, y), np.tile(X_test, (10, 1))
        return lambda: np.ravel(model.predict(rows))

    return contestant


def daal(X, y):
    import daal4py

    return daal4py.mb.convert_model(boosted(X, y, 200).get_booster())


def right(labels, X, y, X_test, y_test):
    return {"accuracy": float(np.mean(labels[: len(y_test)] == y_test))}


JOBS = [
    Job(
        title="Histogram boosting, 200,000 x 30, 200 trees of 31 leaves",
        data=lambda: bent_classes(200_000, 30),
        contestants={
            "corollary": corollary(200),
            "scikit-learn": sklearn(200),
            "LightGBM": lightgbm(200),
            "LightGBM quantized": lightgbm(200, **QUANTIZED),
            "XGBoost": xgboost(200),
        },
        quality=loss,
        equal={"log loss": Close(relative=0.025)},
    ),
    Job(
        title="Histogram boosting, 1,000 x 10, 100 trees",
        data=lambda: bent_classes(1_000, 10),
        contestants={
            "corollary": corollary(100),
            "scikit-learn": sklearn(100),
            "LightGBM": lightgbm(100),
            "LightGBM, one thread": lightgbm(100, n_jobs=1),
        },
        quality=loss,
        equal={"log loss": Close(relative=0.05)},
    ),
    Job(
        title="Predictions of histogram boosting, 500,000 x 30, 200 trees",
        data=lambda: bent_classes(100_000, 30),
        contestants={
            "corollary": predicting(lambda X, y: corollary(200)(X, y)()),
            "scikit-learn": predicting(lambda X, y: sklearn(200)(X, y)()),
            "LightGBM": predicting(lambda X, y: lightgbm(200)(X, y)()),
            "XGBoost": predicting(lambda X, y: boosted(X, y, 200)),
            "daal4py": predicting(daal),
        },
        quality=right,
        equal={"accuracy": Close(max, relative=0.005)},
    ),
]
