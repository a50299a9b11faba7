"""Makers of problems, one for each fault.

Each draws a law, rows and a model, plants the fault, and returns None where fresh rows
do not show it, so that the next draw is tried.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import sklearn.ensemble as se
import sklearn.linear_model as sl
import sklearn.naive_bayes as sn
import sklearn.neighbors as sk
import sklearn.neural_network as sm
import sklearn.preprocessing as sp
import sklearn.svm as ss
import sklearn.tree as st
from fault_laws import (
    FRESH,
    LIMIT,
    TRIES,
    Problem,
    calm_models,
    excess,
    fitted,
    flexible_model,
    is_sound,
    law_of,
    linear_model,
    losses,
    pick,
    quick,
    signal_of,
    simple,
    sized,
    tree_model,
)
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import TransformedTargetRegressor
from sklearn.feature_selection import SelectKBest
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline

import corollary as co

FAULTS = (
    "healthy",
    "high_bias",
    "high_variance",
    "little_data",
    "target_leak",
    "split_leak",
    "unconverged",
    "wrong_objective",
    "bad_stage",
    "label_noise",
    "class_skew",
    "shift",
    "collinearity",
)


# -- one maker a fault -----------------------------------------------------------------
def healthy(rng):
    classes = pick(rng, 0, 0, 2, 2, 3)
    kind = pick(rng, "linear", "linear", "additive", "steps")
    d = int(rng.integers(4, 21 if kind == "linear" else 11))
    law = law_of(rng, d, kind, rng.uniform(0.3, 1.2), classes)
    n = sized(rng, 300 if kind == "linear" else 900)
    X, y = law.draw(n, rng)
    model = (linear_model if kind == "linear" else tree_model)(rng, classes)
    if kind != "linear" and rng.uniform() < 0.5:
        model = flexible_model(rng, classes, n)
    if not is_sound(law, model, X, y, rng):
        return None
    problem = simple("healthy", law, model, X, y, kind)
    extra = int(rng.integers(5))
    if extra == 0:
        problem.given["groups"] = rng.integers(max(10, n // 15), size=n)
    elif extra == 1:
        problem.given["time"] = rng.permutation(n)
    elif extra == 2:
        problem.given["test"] = law.draw(max(100, n // 3), rng)
    return problem


def high_bias(rng):
    classes = pick(rng, 0, 0, 2, 2, 3)
    ways = ("linear", "penalty", "shallow", "neighbours", "bayes", "rounds")
    way = pick(rng, *ways[: 5 if quick() else 6])
    if way == "bayes" and not classes:
        way = "linear"
    kind = pick(rng, "additive", "interaction", "steps")
    kind = "linear" if way == "penalty" else kind
    kind = "interaction" if way == "bayes" else kind
    d = int(rng.integers(4, 13))
    law = law_of(rng, d, kind, rng.uniform(0.2, 0.7), classes)
    n = sized(rng, 400)
    X, y = law.draw(n, rng)
    if way == "linear":
        model = linear_model(rng, classes)
    elif way == "penalty":
        size = float(10 ** rng.uniform(1.0, 2.5)) * n
        tiny = 1 / size
        model = (
            pick(rng, co.LogisticRegression, sl.LogisticRegression)(C=tiny)
            if classes
            else pick(rng, co.Ridge, sl.Ridge)(alpha=size)
        )
    elif way == "shallow":
        kinds = (co.DecisionTreeClassifier, st.DecisionTreeClassifier)
        kinds = (
            kinds if classes else (co.DecisionTreeRegressor, st.DecisionTreeRegressor)
        )
        model = pick(rng, *kinds)(max_depth=int(rng.integers(1, 3)))
    elif way == "neighbours":
        k = int(n * rng.uniform(0.25, 0.45))
        ours = (co.KNeighborsClassifier, sk.KNeighborsClassifier)
        ours = ours if classes else (co.KNeighborsRegressor, sk.KNeighborsRegressor)
        model = pick(rng, *ours)(n_neighbors=k)
    elif way == "rounds":
        kinds = (co.GradientBoostingClassifier, se.GradientBoostingClassifier)
        if not classes:
            kinds = (co.GradientBoostingRegressor, se.GradientBoostingRegressor)
        model = pick(rng, *kinds)(n_estimators=int(rng.integers(3, 9)), random_state=0)
    else:
        model = pick(rng, co.GaussianNB, sn.GaussianNB)()
    if excess(law, model, X, y, rng) < 1.3:
        return None
    big = law.draw(min(8 * n, 8_000), rng)
    again = clone(model)
    if way == "neighbours":
        again.set_params(n_neighbors=int(k / n * len(big[1])))
    if way == "penalty":
        ratio = len(big[1]) / n
        again.set_params(
            **({"C": tiny / ratio} if classes else {"alpha": size * ratio})
        )
    if excess(law, again, *big, rng) < 0.9 * excess(law, model, X, y, rng):
        return None
    return simple("high_bias", law, model, X, y, f"{way}, {kind}")


def high_variance(rng):
    classes = pick(rng, 0, 0, 2, 2, 3)
    ways = ("tree", "neighbour", "least squares", "kernel", "polynomial", "boost")
    way = pick(rng, *ways[: 5 if quick() else 6])
    d = int(rng.integers(4, 13))
    n = sized(rng, 150, 2_000)
    if way == "least squares":
        d = int(rng.integers(15, 31))
        n = int(d * rng.uniform(2.2, 4) * (2 if classes else 1))
        n = max(n, 150 if classes else 60)
    law = law_of(rng, d, "linear", rng.uniform(0.5, 1.3), classes)
    X, y = law.draw(n, rng)
    if way == "tree":
        kinds = (co.DecisionTreeClassifier, st.DecisionTreeClassifier)
        kinds = (
            kinds if classes else (co.DecisionTreeRegressor, st.DecisionTreeRegressor)
        )
        model = pick(rng, *kinds)(random_state=0)
    elif way == "neighbour":
        ours = (co.KNeighborsClassifier, sk.KNeighborsClassifier)
        ours = ours if classes else (co.KNeighborsRegressor, sk.KNeighborsRegressor)
        model = pick(rng, *ours)(n_neighbors=int(rng.integers(1, 3)))
    elif way == "least squares":
        model = (
            pick(rng, co.LogisticRegression, sl.LogisticRegression)(
                C=1e6, max_iter=3_000
            )
            if classes
            else pick(rng, co.LinearRegression, sl.LinearRegression)()
        )
    elif way == "kernel":
        gamma = float(rng.uniform(1.0, 3.0))
        model = (
            pick(rng, co.SVC, ss.SVC)(C=100.0, gamma=gamma)
            if classes
            else pick(rng, co.KernelRidge)(alpha=1e-3, kernel="rbf", gamma=gamma)
        )
    elif way == "polynomial":
        d = 4
        law = law_of(rng, d, "linear", rng.uniform(0.5, 1.3), classes)
        n = int(rng.uniform(150, 300))
        X, y = law.draw(n, rng)
        last = co.LogisticRegression(C=1e5, max_iter=3_000)
        last = last if classes else co.LinearRegression()
        model = make_pipeline(co.PolynomialFeatures(4), co.StandardScaler(), last)
    else:
        kinds = (co.GradientBoostingClassifier, se.GradientBoostingClassifier)
        if not classes:
            kinds = (co.GradientBoostingRegressor, se.GradientBoostingRegressor)
        model = pick(rng, *kinds)(n_estimators=120, max_depth=5, random_state=0)
    how = "error" if classes and not hasattr(model, "predict_proba") else ""
    calm = co.LogisticRegression(C=0.1) if classes else co.RidgeCV((1, 10, 100, 1e3))
    fresh = law.draw(FRESH, rng)
    wild = losses(fitted(model, X, y), *fresh, classes, how)
    steady = losses(fitted(calm, X, y), *fresh, classes, how)
    if wild < 1.3 * steady:
        return None
    return simple("high_variance", law, model, X, y, way)


def few_rows_of_a_curve(rng):
    """Return a smooth law with too few rows for any model that could learn it."""
    classes = pick(rng, 0, 0, 2)
    kind = pick(rng, "additive", "interaction", "steps")
    d = int(rng.integers(4, 11))
    law = law_of(rng, d, kind, rng.uniform(0.15, 0.5), classes)
    n = sized(rng, 150, 500)
    X, y = law.draw(n, rng)
    fresh = law.draw(FRESH, rng)
    models = [*calm_models(classes), tree_model(rng, classes)]
    found = [losses(fitted(m, X, y), *fresh, classes) for m in models]
    best = int(np.argmin(found))
    more = law.draw(3 * n, rng)
    both = np.vstack([X, more[0]]), np.concatenate([y, more[1]])
    if losses(fitted(models[best], *both), *fresh, classes) > 0.7 * found[best]:
        return None
    return simple("little_data", law, models[best], X, y, kind)


def little_data(rng):
    if rng.uniform() < 0.4:
        return few_rows_of_a_curve(rng)
    classes = pick(rng, 0, 0, 2)
    d = int(rng.integers(15, 31))
    law = law_of(rng, d, "linear", rng.uniform(0.25, 0.7), classes, live=d)
    n = max(100, int(d * rng.uniform(3, 6))) * (2 if classes else 1)
    X, y = law.draw(n, rng)
    fresh = law.draw(FRESH, rng)
    if classes:
        rows = [
            (co.LogisticRegression(C=c, max_iter=1_000), c) for c in (0.02, 0.1, 0.5, 3)
        ]
    else:
        rows = [(co.Ridge(alpha=a), a) for a in (0.3, 1.0, 3.0, 10.0, 30.0)]
    found = [losses(fitted(m, X, y), *fresh, classes) for m, _ in rows]
    best = int(np.argmin(found))
    model = rows[best][0]
    if rng.uniform() < 0.4:
        model = (
            sl.LogisticRegression(C=rows[best][1], max_iter=1_000)
            if classes
            else sl.Ridge(alpha=rows[best][1])
        )
    big = law.draw(6 * n, rng)
    if losses(fitted(model, *big), *fresh, classes) > 0.8 * found[best]:
        return None
    return simple("little_data", law, model, X, y, "linear")


def sound(rng, low=300, classes=None):
    """Return a law, rows and a model without a fault."""
    for _ in range(TRIES):
        kinds = (0, 2, 3) if classes is None else (classes,)
        count = pick(rng, *kinds)
        kind = pick(rng, "linear", "linear", "additive")
        d = int(rng.integers(4, 13))
        law = law_of(rng, d, kind, rng.uniform(0.4, 1.2), count)
        n = sized(rng, low if kind == "linear" else max(low, 800), 3_000)
        X, y = law.draw(n, rng)
        model = (linear_model if kind == "linear" else tree_model)(rng, count)
        if excess(law, model, X, y, rng) < 1.2:
            return law, model, X, y
    return None


def target_leak(rng):
    got = sound(rng)
    if got is None:
        return None
    law, model, X, y = got
    way = pick(rng, "copy", "copy", "function", "identifier")
    noise = rng.uniform(0.05, 0.3) if not law.classes else rng.uniform(0.01, 0.07)
    a, b = rng.normal(size=2) * 3
    place = int(rng.integers(law.d + 1))

    def known(y, draws):
        if way == "identifier":
            order = np.lexsort((draws.uniform(size=len(y)), y))
            number = np.empty(len(y))
            number[order] = np.arange(len(y)) + 10_000
            return number
        if law.classes:
            wrong = draws.uniform(size=len(y)) < noise
            given = np.where(wrong, draws.integers(law.classes, size=len(y)), y)
            if way == "function":
                return given + 0.1 * draws.normal(size=len(y))
            return given.astype(float)
        z = y + noise * y.std() * draws.normal(size=len(y))
        return a * np.tanh(z / 2) + b if way == "function" else a * z + b

    def leaking(n, draws):
        X, y = law.draw(n, draws)
        return np.insert(X, place, known(y, draws), axis=1), y

    def deploy(n, draws):  # where it is not yet known
        X, y = leaking(n, draws)
        X[:, place] = draws.permutation(X[:, place])
        return X, y

    X = np.insert(X, place, known(y, rng), axis=1)
    if way == "identifier":
        model = make_pipeline(co.StandardScaler(), clone(model))
    return Problem("target_leak", model, X, y, way, deploy, leaking)


def split_leak(rng):
    classes = pick(rng, 0, 2)
    way = pick(rng, "group", "group", "time")
    d = int(rng.integers(4, 9))
    count = int(rng.integers(15, 60))
    size = int(rng.integers(8, 25))
    w = rng.normal(size=d) * rng.uniform(0.1, 0.3)
    within = rng.uniform(0.1, 0.35)
    noise = rng.uniform(0.2, 0.5)

    def draw(n, draws, new=True):
        groups = max(2, -(-n // size))
        g = np.repeat(np.arange(groups), size)[:n]
        centre = draws.normal(size=(groups, d))
        level = draws.normal(size=groups)
        if way == "time":
            level = np.cumsum(level) / np.sqrt(groups) * 2
            centre[:, 0] = np.arange(groups) / count * 2
        X = centre[g] + within * draws.normal(size=(n, d))
        s = level[g] + X[:, 1:] @ w[1:] + noise * draws.normal(size=n)
        return X, (s > np.median(level)).astype(int) if classes else s, g

    n = count * size
    X, y, g = draw(n, rng)
    if classes and min(np.bincount(y, minlength=2)) < 0.2 * n:
        return None
    trees = {"n_estimators": 60, "random_state": 0}
    if classes:
        model = pick(
            rng,
            lambda: co.RandomForestClassifier(**trees),
            lambda: co.KNeighborsClassifier(3),
            lambda: co.HistGradientBoostingClassifier(),
            lambda: se.ExtraTreesClassifier(**trees),
        )()
    else:
        model = pick(
            rng,
            lambda: co.RandomForestRegressor(**trees),
            lambda: co.KNeighborsRegressor(3),
            lambda: co.HistGradientBoostingRegressor(),
            lambda: se.ExtraTreesRegressor(**trees),
        )()
    half = rng.permutation(n)
    a, b = half[: 4 * n // 5], half[4 * n // 5 :]
    seen = losses(fitted(model, X[a], y[a]), X[b], y[b], classes)
    if way == "group":
        folds = [
            np.flatnonzero(np.isin(g, k)) for k in np.array_split(np.arange(count), 4)
        ]
    else:
        folds = np.array_split(np.arange(n), 4)[2:]
    new = []
    for fold in folds:
        rest = np.setdiff1d(np.arange(n), fold)
        rest = rest if way == "group" else rest[rest < fold[0]]
        if classes and len(np.unique(y[rest])) < 2:
            return None
        new.append(losses(fitted(model, X[rest], y[rest]), X[fold], y[fold], classes))
    if np.mean(new) < 1.5 * seen:
        return None
    given = {"groups": g} if way == "group" else {"time": g}
    mixed = rng.permutation(n)
    given = {name: values[mixed] for name, values in given.items()}
    problem = Problem(
        "split_leak",
        model,
        X[mixed],
        y[mixed],
        way,
        lambda m, draws: draw(m, draws)[:2],
        None,
        given,
        "honest",
    )
    problem.truth = float(np.mean(new))
    return problem


def unconverged(rng):
    classes = pick(rng, 0, 2)
    d = int(rng.integers(4, 21))
    law = law_of(rng, d, "linear", rng.uniform(0.25, 0.8), classes)
    n = sized(rng, 200)
    scales = 10 ** rng.uniform(-1.5, 1.5, size=d) if rng.uniform() < 0.5 else np.ones(d)
    shift = rng.normal(size=d) * rng.uniform(0, 2)

    def draw(m, draws):
        X, y = law.draw(m, draws)
        return (X + shift) * scales, y

    X, y = draw(n, rng)
    few = int(rng.integers(1, 5))
    if classes:
        model = pick(
            rng,
            lambda: sl.LogisticRegression(max_iter=few, C=100.0),
            lambda: co.LogisticRegression(max_iter=1, C=100.0),
            lambda: sm.MLPClassifier((8,), max_iter=few, random_state=0),
            lambda: sl.SGDClassifier(
                loss="log_loss",
                max_iter=few,
                learning_rate="constant",
                eta0=1e-4,
                random_state=0,
            ),
            lambda: sl.LogisticRegression(solver="saga", max_iter=few, random_state=0),
        )()
    else:
        model = pick(
            rng,
            lambda: co.GradientDescentRegressor(max_iter=few),
            lambda: sl.SGDRegressor(
                max_iter=few, learning_rate="constant", eta0=1e-5, random_state=0
            ),
            lambda: sm.MLPRegressor((8,), max_iter=few * 3, random_state=0),
            lambda: make_pipeline(
                sp.StandardScaler(),
                sl.SGDRegressor(
                    max_iter=few, learning_rate="constant", eta0=1e-5, random_state=0
                ),
            ),
            lambda: sl.LinearRegression(),
        )()
        if isinstance(model, sl.LinearRegression):
            model = sl.Lasso(alpha=1e-3, max_iter=1, selection="random", random_state=0)
    if quick() and "MLP" in type(model).__name__:
        return None
    fresh = draw(FRESH, rng)
    try:
        short = losses(fitted(model, X, y), *fresh, classes)
    except ValueError:
        return None
    full = co.LogisticRegression() if classes else co.RidgeCV()
    done = losses(
        fitted(make_pipeline(co.StandardScaler(), full), X, y), *fresh, classes
    )
    if not short > 1.3 * done:
        return None
    how = type(getattr(model, "steps", [("", model)])[-1][1]).__name__
    return Problem("unconverged", model, X, y, how, draw, draw)


def dear(factor):
    """Return a loss that counts a missed 1 so many times."""

    def cost(y, predicted):
        wrong = np.asarray(predicted) != y
        return wrong * np.where(np.asarray(y) == 1, factor, 1.0)

    return cost


def wrong_objective(rng):
    way = pick(rng, outliers, outliers, costs, skewed_targets, bold_probabilities)
    return way(rng, int(rng.integers(4, 11)), sized(rng, 250))


def outliers(rng, d, n):
    law = law_of(rng, d, "linear", rng.uniform(0.2, 0.6), 0)
    share = rng.uniform(0.04, 0.15)
    size = rng.uniform(8, 30)
    side = pick(rng, 0, 1)

    def spoilt(m, draws):
        X, y = law.draw(m, draws)
        bad = draws.uniform(size=m) < share
        jump = size * (1 + draws.exponential(size=m))
        jump = jump if side else jump * draws.choice([-1, 1], size=m)
        return X, y + bad * jump

    X, y = spoilt(n, rng)
    least = (co.LinearRegression(), sl.Ridge(), co.Ridge(), sl.LinearRegression())
    model = pick(rng, *least)
    fresh = law.draw(FRESH, rng)
    calm = losses(fitted(co.HuberRegressor(), X, y), *fresh, 0, "absolute")
    if losses(fitted(model, X, y), *fresh, 0, "absolute") < 1.2 * calm:
        return None
    given = {"loss": "absolute"} if rng.uniform() < 0.6 else {}
    rows = (model, X, y, "outliers", law.draw, spoilt)
    return Problem("wrong_objective", *rows, given, "absolute")


def costs(rng, d, n):
    law = law_of(rng, d, "linear", rng.uniform(0.5, 1.0), 2)
    X, y = law.draw(n, rng)
    kinds = (co.LogisticRegression(), sl.LogisticRegression(), co.GaussianNB())
    model = pick(rng, *kinds)
    factor = float(rng.uniform(5, 20))
    cost = dear(factor)
    found = fitted(model, X, y)
    Z, z = law.draw(FRESH, rng)
    cheap = (found.predict_proba(Z)[:, 1] * factor > 0.5).astype(int)
    if cost(z, cheap).mean() > 0.8 * cost(z, found.predict(Z)).mean():
        return None
    rows = (model, X, y, "costs", law.draw, law.draw)
    return Problem("wrong_objective", *rows, {"loss": cost}, "costs")


def skewed_targets(rng, d, n):
    base = law_of(rng, d, "linear", rng.uniform(0.5, 1.0), 0)
    scale = rng.uniform(1.0, 2.0)

    def skewed(m, draws):
        X, y = base.draw(m, draws)
        return X, np.exp(scale * y)

    X, y = skewed(n, rng)
    least = (co.LinearRegression(), sl.Ridge(), co.HistGradientBoostingRegressor())
    model = pick(rng, *least)
    logged = TransformedTargetRegressor(model, func=np.log, inverse_func=np.exp)
    fresh = skewed(FRESH, rng)
    own = losses(fitted(model, X, y), *fresh, 0, "absolute")
    if losses(fitted(logged, X, y), *fresh, 0, "absolute") > 0.85 * own:
        return None
    rows = (model, X, y, "skewed", skewed, skewed)
    return Problem("wrong_objective", *rows, {"loss": "absolute"}, "absolute")


def bold_probabilities(rng, d, n):
    """Naive Bayes counts every column several times, and is too sure of itself."""
    law = law_of(rng, max(d, 6), "linear", rng.uniform(0.6, 1.2), 2)
    blur = rng.uniform(0.1, 0.5)

    def doubled(m, draws):
        X, y = law.draw(m, draws)
        near = X[:, :, None] + blur * draws.normal(size=(*X.shape, 3))
        return near.reshape(m, -1), y

    X, y = doubled(n, rng)
    model = pick(rng, co.GaussianNB(), sn.GaussianNB())
    Z, z = doubled(FRESH, rng)
    own, calm = (
        log_loss(z, fitted(one, X, y).predict_proba(Z))
        for one in (model, CalibratedClassifierCV(model))
    )
    if calm > 0.85 * own:
        return None
    rows = (model, X, y, "probabilities", doubled, doubled)
    return Problem("wrong_objective", *rows, {"loss": "log_loss"}, "log")


def bad_stage(rng):
    classes = pick(rng, 0, 2)
    way = pick(rng, "pca", "normalizer", "bins", "select", "unscaled", "binarizer")
    d = int(rng.integers(5, 13))
    n = sized(rng, 250)
    law = law_of(rng, d, "linear", rng.uniform(0.3, 0.8), classes)
    scales = np.ones(d)
    first = None
    last = co.LogisticRegression() if classes else co.Ridge()
    if way == "pca":
        scales = np.where(np.isin(np.arange(d), law.live), 0.3, 3.0)
        if (scales == 0.3).all():
            return None
        first = pick(rng, co.PCA(int(rng.integers(1, 3))), co.PCA(1))
    elif way == "normalizer":
        first = pick(rng, co.Normalizer(), sp.Normalizer(norm="max"))
    elif way == "bins":
        first = pick(
            rng,
            sp.KBinsDiscretizer(
                2, encode="ordinal", quantile_method="averaged_inverted_cdf"
            ),
            co.KBinsDiscretizer(2, encode="ordinal"),
        )
    elif way == "select":
        first = SelectKBest(pick(rng, lowest_first, lowest_first), k=max(1, d // 3))
    elif way == "binarizer":
        first = pick(rng, co.Binarizer(), sp.Binarizer(threshold=1.0))
    else:
        scales = np.where(np.isin(np.arange(d), law.live), 1.0, 300.0)
        if (scales == 1.0).all():
            return None
        ours = (co.KNeighborsClassifier, sk.KNeighborsClassifier)
        ours = ours if classes else (co.KNeighborsRegressor, sk.KNeighborsRegressor)
        last = pick(rng, *ours)(n_neighbors=15)

    def draw(m, draws):
        X, y = law.draw(m, draws)
        return X * scales, y

    X, y = draw(n, rng)
    model = last if first is None else make_pipeline(first, last)
    if first is not None and rng.uniform() < 0.5:
        model = make_pipeline(co.StandardScaler(), first, last)
        if way == "pca":
            return None
    better = make_pipeline(co.StandardScaler(), last)
    fresh = draw(FRESH, rng)
    with_it = losses(fitted(model, X, y), *fresh, classes)
    if with_it < 1.25 * losses(fitted(better, X, y), *fresh, classes):
        return None
    return Problem("bad_stage", model, X, y, way, draw, draw)


def lowest_first(X, y):
    """Rank columns by how little they know: a selection with its sign wrong."""
    return -np.abs(np.corrcoef(X.T, y)[-1, :-1])


def label_noise(rng):
    classes = pick(rng, 2, 2, 3)
    kind = pick(rng, "linear", "linear", "additive")
    d = int(rng.integers(4, 13))
    law = law_of(rng, d, kind, rng.uniform(0.1, 0.3), classes)
    n = sized(rng, 300 if kind == "linear" else 800)
    share = rng.uniform(0.12, 0.28)

    def noisy(m, draws):
        X, y = law.draw(m, draws)
        bad = draws.uniform(size=m) < share
        return X, np.where(bad, (y + draws.integers(1, classes, size=m)) % classes, y)

    X, y = noisy(n, rng)
    model = (linear_model if kind == "linear" else tree_model)(rng, classes)
    fresh = law.draw(FRESH, rng)
    found = fitted(model, X, y)
    if losses(found, *fresh, classes, "error") > 0.12:
        return None
    return Problem("label_noise", model, X, y, kind, law.draw, noisy)


def class_skew(rng):
    kind = pick(rng, "linear", "linear", "additive")
    d = int(rng.integers(4, 13))
    law = law_of(rng, d, kind, rng.uniform(0.7, 1.5), 2)
    share = rng.uniform(0.02, 0.1)
    n = sized(rng, 700)

    def skewed(m, draws):
        X, y = law.draw(int(2.2 * m), draws)
        few = np.flatnonzero(y == 1)[: max(8, int(share * m))]
        rest = np.flatnonzero(y == 0)[: m - len(few)]
        rows = draws.permutation(np.concatenate([few, rest]))
        return X[rows], y[rows]

    X, y = skewed(n, rng)
    model = (linear_model if kind == "linear" else tree_model)(rng, 2)
    fresh = skewed(2 * FRESH, rng)
    found = fitted(model, X, y)
    recall = (found.predict(fresh[0][fresh[1] == 1]) == 1).mean()
    p = found.predict_proba(fresh[0])[:, 1]
    ones = p[fresh[1] == 1]
    area = np.mean(ones[:, None] > np.sort(p[fresh[1] == 0])[None, :: max(1, n // 50)])
    if recall > 0.35 or area < 0.75:
        return None
    return Problem("class_skew", model, X, y, kind, skewed, skewed, {}, "balanced")


def shift(rng):
    got = sound(rng, 300)
    if got is None:
        return None
    law, model, X, y = got
    way = pick(rng, "columns", "columns", "law")
    moved = rng.permutation(law.d)[: int(rng.integers(1, law.d // 2 + 1))]
    by = rng.uniform(0.6, 1.5, size=len(moved)) * rng.choice([-1, 1], size=len(moved))
    turn = rng.uniform(0.5, 1.0)
    other, _ = signal_of(rng, law.d, "linear")
    spread = other(law.columns(2_000, rng)).std()

    def there(m, draws):
        X = law.columns(m, draws)
        X[:, moved] += by
        if way == "columns":
            return X, law.targets(X, draws)
        mixed = replace(
            law, signal=lambda Z: (1 - turn) * law.signal(Z) + turn * other(Z) / spread
        )
        return X, mixed.targets(X, draws)

    test = there(max(150, int(len(y) * rng.uniform(0.3, 0.8))), rng)
    return Problem("shift", model, X, y, way, there, law.draw, {"test": test})


def collinearity(rng):
    classes = pick(rng, 0, 2)
    d = int(rng.integers(4, 13))
    law = law_of(rng, d, "linear", rng.uniform(0.4, 1.0), classes)
    n = sized(rng, 400)
    way = pick(rng, "copy", "near copy", "sum")
    j, k = rng.permutation(d)[:2]
    blur = rng.uniform(0.005, 0.05)
    factor = rng.uniform(0.3, 3)

    def draw(m, draws):
        X, y = law.draw(m, draws)
        if way == "copy":
            more = factor * X[:, j]
        elif way == "near copy":
            more = X[:, j] + blur * draws.normal(size=m)
        else:
            more = X[:, j] - X[:, k] + blur * draws.normal(size=m)
        return np.column_stack([X, more]), y

    X, y = draw(n, rng)
    if classes:
        model = pick(
            rng,
            co.LogisticRegression(C=100.0),
            sl.LogisticRegression(C=100.0, max_iter=5_000),
        )
    else:
        model = pick(
            rng, co.LinearRegression(), sl.LinearRegression(), co.Ridge(alpha=1e-3)
        )
    floor = law.bayes(law.columns(FRESH, rng))
    if losses(fitted(model, X, y), *draw(FRESH, rng), classes) > 1.12 * floor:
        return None
    return Problem("collinearity", model, X, y, way, draw, draw, {}, "condition")


MAKERS = {
    "healthy": healthy,
    "high_bias": high_bias,
    "high_variance": high_variance,
    "little_data": little_data,
    "target_leak": target_leak,
    "split_leak": split_leak,
    "unconverged": unconverged,
    "wrong_objective": wrong_objective,
    "bad_stage": bad_stage,
    "label_noise": label_noise,
    "class_skew": class_skew,
    "shift": shift,
    "collinearity": collinearity,
}


def problem(fault, seed, most_rows=None):
    """Draw a problem with a fault, the same for the same seed."""
    rng = np.random.default_rng([FAULTS.index(fault), seed])
    LIMIT["rows"] = most_rows or 3_000
    for _ in range(TRIES * 5):
        found = MAKERS[fault](rng)
        if found is not None:
            return found
    raise RuntimeError(f"no {fault} was drawn from seed {seed}")
