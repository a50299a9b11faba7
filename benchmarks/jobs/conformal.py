"""Conformal sets beyond what the model inside costs: it hands out its columns."""

import numpy as np
from harness import Close, Job

ROWS, CALIBRATION, CLASSES = 1_000_000, 2000, 10


def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(ROWS, 1))
    return {"X": X, "y": X[:, 0] + rng.normal(size=ROWS)}


def classes():
    rng = np.random.default_rng(0)
    P = np.exp(2 * rng.normal(size=(ROWS, CLASSES)))
    P /= P.sum(axis=1, keepdims=True)
    y = (P.cumsum(axis=1) > rng.random((ROWS, 1))).argmax(axis=1)
    return {"X": P, "y": y}


def folds():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(21_000, 5))
    return {"X": X, "y": X[:, 0] + rng.normal(size=len(X))}


def given(classes):
    """Return a fitted model that answers with the features."""
    from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

    class Given(ClassifierMixin if classes else RegressorMixin, BaseEstimator):
        classes_, n_features_in_ = np.arange(CLASSES), CLASSES if classes else 1

        def fit(self, X, y):
            return self

        def predict(self, X):
            return X.argmax(axis=1) if classes else X[:, 0]

        def predict_proba(self, X):
            return X

        def __sklearn_is_fitted__(self):
            return True

    return Given()


class Ones(np.random.RandomState):
    """Draws nothing by chance, so that MAPIE's adaptive sets are ours."""

    def uniform(self, *_, size=None, **__):
        return np.ones(size)


def ours(kind):
    def prepare(X, y):
        from corollary import ConformalClassifier, ConformalRegressor

        C = slice(CALIBRATION)
        if kind == "interval":
            model = ConformalRegressor(given(False), prefit=True).fit(X[C], y[C])
            return lambda: model.predict_interval(X)
        model = ConformalClassifier(given(True), conformity_score=kind, prefit=True)
        model.fit(X[C], y[C])
        return lambda: model.predict_set(X)

    return prepare


def mapie(kind):
    def prepare(X, y):
        from mapie.classification import SplitConformalClassifier
        from mapie.regression import SplitConformalRegressor

        C = slice(CALIBRATION)
        if kind == "interval":
            model = SplitConformalRegressor(given(False), prefit=True)
            model.conformalize(X[C], y[C])
            return lambda: model.predict_interval(X)[1][:, :, 0]
        model = SplitConformalClassifier(
            given(True), conformity_score=kind, prefit=True, random_state=Ones()
        ).conformalize(X[C], y[C])
        return lambda: model.predict_set(X)[1][:, :, 0]

    return prepare


def crepes(X, y):
    from crepes import ConformalRegressor

    model = ConformalRegressor().fit(y[:CALIBRATION] - X[:CALIBRATION, 0])
    return lambda: model.predict_int(X[:, 0], confidence=0.9)


def ours_folds(X, y):
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold

    from corollary import ConformalRegressor

    model = ConformalRegressor(LinearRegression(), method="cv+", cv=KFold(5))
    model.fit(X[:1000], y[:1000])
    return lambda: model.predict_interval(X[1000:])


def mapie_folds(X, y):
    from mapie.regression import CrossConformalRegressor
    from sklearn.linear_model import LinearRegression
    from sklearn.model_selection import KFold

    model = CrossConformalRegressor(LinearRegression(), method="plus", cv=KFold(5))
    model.fit_conformalize(X[:1000], y[:1000])
    return lambda: model.predict_interval(X[1000:])[1][:, :, 0]


def widths(ends, **_):
    return {"mean width": np.mean(ends[:, 1] - ends[:, 0])}


def sizes(sets, **_):
    return {"mean size": np.asarray(sets, dtype=bool).sum(axis=1).mean()}


JOBS = [
    Job(
        title="Split conformal intervals of 1,000,000 rows, beyond the model",
        data=numbers,
        contestants={
            "corollary": ours("interval"),
            "MAPIE": mapie("interval"),
            "crepes": crepes,
        },
        quality=widths,
        equal={"mean width": Close(relative=1e-12)},
    ),
    *(
        Job(
            title=f"Conformal sets ({words}), 1,000,000 x 10 classes, beyond the model",
            data=classes,
            contestants={"corollary": ours(kind), "MAPIE": mapie(kind)},
            quality=sizes,
            equal={"mean size": Close(relative=1e-5)},
        )
        for kind, words in (("lac", "threshold"), ("aps", "adaptive"))
    ),
    Job(
        title="CV+ intervals of 20,000 rows, 1,000 residuals in 5 folds",
        data=folds,
        contestants={"corollary": ours_folds, "MAPIE": mapie_folds},
        quality=widths,
        equal={"mean width": Close(relative=1e-12)},
    ),
]
