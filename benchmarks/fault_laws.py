"""Laws, models and losses for problems with a planted fault."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import sklearn.ensemble as se
import sklearn.linear_model as sl
import sklearn.neighbors as sk
import sklearn.preprocessing as sp
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import corollary as co

FRESH = 4_000  # rows that show what a fault costs
TRIES = 60
LIMIT = {"rows": 3_000}  # of a problem, where the fault can be shown with fewer


# -- laws ------------------------------------------------------------------------------
@dataclass
class Law:
    """How rows and targets come about."""

    d: int
    columns: Callable[[int, Any], np.ndarray]
    signal: Callable[[np.ndarray], np.ndarray]  # of mean 0 and deviation 1, about
    noise: float
    classes: int  # 0 for numbers

    def score(self, X):
        return self.signal(X)

    def probabilities(self, X):
        f = self.signal(X) / self.noise
        if self.classes == 2:
            p = 1 / (1 + np.exp(-2.5 * f))
            return np.column_stack([1 - p, p])
        edges = np.array([-0.45, 0.45]) / self.noise
        low = 1 / (1 + np.exp(3 * (f - edges[0])))
        high = 1 / (1 + np.exp(-3 * (f - edges[1])))
        p = np.column_stack([low, np.maximum(1 - low - high, 1e-9), high])
        return p / p.sum(axis=1, keepdims=True)

    def targets(self, X, rng):
        if not self.classes:
            return self.signal(X) + self.noise * rng.normal(size=len(X))
        P = self.probabilities(X).cumsum(axis=1)
        return (rng.uniform(size=(len(X), 1)) > P).sum(axis=1)

    def draw(self, n, rng):
        X = self.columns(n, rng)
        return X, self.targets(X, rng)

    def bayes(self, X):
        if not self.classes:
            return self.noise**2
        P = self.probabilities(X)
        return float(np.mean((P * (1 - P)).sum(axis=1)) / 2)


def columns_of(rng, d):
    kind = rng.integers(4)
    mix = np.eye(d) + rng.uniform(0, 0.5) * rng.normal(size=(d, d)) / np.sqrt(d)
    scales = np.ones(d)

    def made(n, draws):
        if kind == 0:
            Z = draws.normal(size=(n, d))
        elif kind == 1:
            Z = draws.uniform(-1.7, 1.7, size=(n, d))
        elif kind == 2:
            Z = draws.normal(size=(n, d)) @ mix
        else:
            Z = draws.normal(size=(n, d))
            coarse = np.arange(d) % 3 == 1
            Z[:, coarse] = np.round(Z[:, coarse] * 1.2)
        return Z * scales

    return made


def signal_of(rng, d, kind, live=None):
    live = live or int(rng.integers(2, min(d, 8) + 1))
    some = rng.permutation(d)[:live]
    w = rng.uniform(0.5, 1.5, size=live) * rng.choice([-1, 1], size=live)
    if kind == "linear":
        raw = lambda X: X[:, some] @ w  # noqa: E731
    elif kind == "additive":
        shapes = [np.sin, np.abs, np.tanh, np.square]
        which = rng.integers(4, size=live)
        raw = lambda X: sum(  # noqa: E731
            a * shapes[k](1.5 * X[:, j]) for a, k, j in zip(w, which, some, strict=True)
        )
    elif kind == "interaction":
        a, b = some[0], some[1 % live]
        if a == b:
            b = (a + 1) % d
        raw = lambda X: X[:, a] * X[:, b] + 0.3 * X[:, some] @ w  # noqa: E731
    else:  # steps
        cuts = rng.normal(size=live) * 0.5
        raw = lambda X: sum(  # noqa: E731
            a * (X[:, j] > c) for a, j, c in zip(w, some, cuts, strict=True)
        )
    return raw, some


def law_of(rng, d, kind, noise, classes, live=None):
    columns = columns_of(rng, d)
    raw, some = signal_of(rng, d, kind, live)
    look = raw(columns(4_000, rng))
    middle, spread = look.mean(), look.std()
    law = Law(d, columns, lambda X: (raw(X) - middle) / spread, noise, classes)
    law.live = some
    return law


# -- models ----------------------------------------------------------------------------
def pick(rng, *options):
    return options[int(rng.integers(len(options)))]


def linear_model(rng, classes):
    if classes:
        return pick(
            rng,
            lambda: co.LogisticRegression(),
            lambda: sl.LogisticRegression(max_iter=2_000),
            lambda: make_pipeline(co.StandardScaler(), co.LogisticRegression()),
            lambda: co.LinearDiscriminantAnalysis(),
        )()
    return pick(
        rng,
        lambda: co.LinearRegression(),
        lambda: co.Ridge(),
        lambda: sl.Ridge(),
        lambda: make_pipeline(sp.StandardScaler(), sl.LinearRegression()),
        lambda: make_pipeline(co.StandardScaler(), co.Ridge(alpha=3.0)),
    )()


def quick():
    """Tell whether small problems are asked for, without models that are slow."""
    return LIMIT["rows"] <= 500


def tree_model(rng, classes):
    if quick():
        kinds = (co.HistGradientBoostingClassifier, co.HistGradientBoostingRegressor)
        kind = kinds[0] if classes else kinds[1]
        return kind(max_iter=60, learning_rate=0.08, max_leaf_nodes=8)
    if classes:
        return pick(
            rng,
            lambda: co.HistGradientBoostingClassifier(
                max_iter=60, learning_rate=0.08, max_leaf_nodes=8
            ),
            lambda: co.ExplainableBoostingClassifier(),
            lambda: se.GradientBoostingClassifier(
                n_estimators=60, max_depth=2, random_state=0
            ),
            lambda: co.GradientBoostingClassifier(
                n_estimators=60, max_depth=2, random_state=0
            ),
        )()
    return pick(
        rng,
        lambda: co.HistGradientBoostingRegressor(
            max_iter=100, learning_rate=0.08, max_leaf_nodes=8
        ),
        lambda: co.ExplainableBoostingRegressor(),
        lambda: se.GradientBoostingRegressor(
            n_estimators=120, max_depth=2, random_state=0
        ),
        lambda: co.GradientBoostingRegressor(
            n_estimators=120, max_depth=2, random_state=0
        ),
    )()


# -- a problem -------------------------------------------------------------------------
@dataclass
class Problem:
    """A model and rows with one planted fault."""

    fault: str
    model: Any
    X: Any
    y: Any
    how: str
    deploy: Callable[[int, Any], tuple]  # clean rows of where the model is to work
    more: Callable[[int, Any], tuple] | None = None  # rows like the training rows
    given: dict = field(default_factory=dict)  # to diagnose()
    judge: str = ""  # of the advice, where it is not the loss


def losses(model, X, y, law_classes, how=""):
    """Return a mean loss on clean rows."""
    if not law_classes:
        f = np.asarray(model.predict(X), dtype=float)
        if how == "absolute":
            return float(np.abs(y - f).mean())
        return float(((y - f) ** 2).mean())
    labels = np.asarray(model.classes_)
    if how == "balanced":
        f = model.predict(X)
        return float(np.mean([(f[y == k] != k).mean() for k in np.unique(y)]))
    if how == "error" or not hasattr(model, "predict_proba"):
        return float((model.predict(X) != y).mean())
    P = np.asarray(model.predict_proba(X))
    return float((((labels == y[:, None]) - P) ** 2).sum(axis=1).mean() / 2)


def fitted(model, X, y, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clone(model).fit(X, y, **options)


def sized(rng, low=150, high=3_000):
    high = max(low, min(high, LIMIT["rows"]))
    return int(np.exp(rng.uniform(np.log(low), np.log(high))))


def excess(law, model, X, y, rng, how=""):
    """Return the loss on fresh rows over the least possible one."""
    fresh = law.draw(FRESH, rng)
    floor = law.bayes(fresh[0])
    return losses(fitted(model, X, y), *fresh, law.classes, how) / floor


def simple(fault, law, model, X, y, how, **more):
    return Problem(fault, model, X, y, how, law.draw, law.draw, **more)


def calm_models(classes):
    """Return models of several kinds, of which the best is hard to beat by much."""
    wood = {"n_estimators": 100, "min_samples_leaf": 2, "random_state": 0}
    if classes:
        return (
            co.LogisticRegression(),
            co.LogisticRegression(C=0.03),
            make_pipeline(
                co.PolynomialFeatures(2, include_bias=False),
                co.StandardScaler(),
                co.LogisticRegression(C=0.05),
            ),
            co.HistGradientBoostingClassifier(max_leaf_nodes=15, min_samples_leaf=10),
            co.ExtraTreesClassifier(**wood),
        )
    return (
        co.RidgeCV((0.1, 1, 10, 100, 1e3)),
        make_pipeline(
            co.PolynomialFeatures(2, include_bias=False),
            co.StandardScaler(),
            co.RidgeCV((0.1, 1, 10, 100, 1e3)),
        ),
        co.HistGradientBoostingRegressor(max_leaf_nodes=15, min_samples_leaf=10),
        co.ExtraTreesRegressor(**wood),
    )


def flexible_model(rng, classes, n):
    """Return a model of many shapes, with sensible settings."""
    wood = {"n_estimators": 100, "min_samples_leaf": 3, "random_state": 0}
    k = max(5, int(n**0.5 / 2))
    if classes:
        return pick(
            rng,
            lambda: co.RandomForestClassifier(**wood),
            lambda: se.ExtraTreesClassifier(**wood),
            lambda: make_pipeline(co.StandardScaler(), co.KNeighborsClassifier(k)),
            lambda: make_pipeline(sp.StandardScaler(), sk.KNeighborsClassifier(k)),
        )()
    return pick(
        rng,
        lambda: co.RandomForestRegressor(**wood),
        lambda: se.ExtraTreesRegressor(**wood),
        lambda: make_pipeline(co.StandardScaler(), co.KNeighborsRegressor(k)),
        lambda: make_pipeline(sp.StandardScaler(), co.SVR(C=1.0)),
    )()


def best_of_others(law, X, y, fresh):
    """Return the least loss on fresh rows of several sensible models."""
    return min(
        losses(fitted(model, X, y), *fresh, law.classes)
        for model in calm_models(law.classes)
    )


def is_sound(law, model, X, y, rng):
    """Tell whether neither another model nor more rows would help by much."""
    fresh = law.draw(FRESH, rng)
    own = losses(fitted(model, X, y), *fresh, law.classes)
    if own > 1.05 * best_of_others(law, X, y, fresh):
        return False
    more = law.draw(2 * len(y), rng)
    both = np.vstack([X, more[0]]), np.concatenate([y, more[1]])
    return losses(fitted(model, *both), *fresh, law.classes) > 0.88 * own
