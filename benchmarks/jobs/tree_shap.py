"""Shapley values of 2,000 rows by 200 boosted trees of 31 leaves."""

import numpy as np
from harness import Close, Job
from workloads import bent_classes


def corollary(X, y, X_test, **_):
    from corollary import HistGradientBoostingClassifier
    from corollary.ensembles import tree_shap

    model = HistGradientBoostingClassifier(max_iter=200, early_stopping=False)
    model.fit(X, y)

    def explained():
        found = tree_shap(model, X_test[:2000])
        score = model.decision_function(X_test[:2000])
        return found.values.sum(axis=1) + found.base[0], score

    return explained


def lightgbm(X, y, X_test, **_):
    from lightgbm import LGBMClassifier

    model = LGBMClassifier(n_estimators=200, n_jobs=2, verbose=-1).fit(X, y)

    def explained():
        found = model.predict(X_test[:2000], pred_contrib=True)
        return found.sum(axis=1), model.predict(X_test[:2000], raw_score=True)

    return explained


def xgboost(X, y, X_test, **_):
    from xgboost import DMatrix, XGBClassifier

    leaves = {"max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide"}
    model = XGBClassifier(n_estimators=200, tree_method="hist", n_jobs=2, **leaves)
    booster, rows = model.fit(X, y).get_booster(), DMatrix(X_test[:2000])

    def explained():
        found = booster.predict(rows, pred_contribs=True)
        return found.sum(axis=1), booster.predict(rows, output_margin=True)

    return explained


def sums(result, **_):
    total, score = result
    return {"worst sum": float(np.abs(total - score[:2000]).max())}


JOB = Job(
    title="Shapley values of 2,000 x 30, 200 boosted trees of 31 leaves",
    data=lambda: bent_classes(50_000, 30),
    contestants={"corollary": corollary, "LightGBM": lightgbm, "XGBoost": xgboost},
    quality=sums,
    equal={"worst sum": Close(absolute=1e-3)},
)
