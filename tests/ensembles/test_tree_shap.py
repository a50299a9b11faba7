"""Exact Shapley values: against every coalition, and the laws they obey."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from oracles import tree_shap as oracle
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression as Foreign

from corollary import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
    engine,
)
from corollary.core.errors import MemoryLimitError
from corollary.ensembles import tree_shap
from corollary.trees.tree import Tree

D = 4


def rows(n=120, seed=0, missing=False, categories=False):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, D))
    if categories:
        X[:, 1] = rng.integers(0, 5, n)
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + (X[:, 1] % 2) + X[:, 3]
    if missing:
        X[rng.random(X.shape) < 0.15] = np.nan
    return X, y


def numbers(model):
    """Return the numbers that a model's values explain."""
    if hasattr(model, "decision_function"):
        return model.decision_function
    return model.predict_proba if hasattr(model, "predict_proba") else model.predict


MODELS = [
    DecisionTreeRegressor(max_depth=6),
    DecisionTreeClassifier(max_depth=6),
    RandomForestRegressor(n_estimators=4, max_depth=5, random_state=0),
    RandomForestClassifier(n_estimators=4, max_depth=5, random_state=0),
    ExtraTreesRegressor(n_estimators=4, max_depth=5, random_state=0),
    ExtraTreesClassifier(n_estimators=4, max_depth=5, random_state=0),
    HistGradientBoostingRegressor(max_iter=5, min_samples_leaf=3),
    HistGradientBoostingClassifier(max_iter=5, min_samples_leaf=3),
]
WITH_CATEGORIES = [
    DecisionTreeRegressor(max_depth=6, categorical_features=[1]),
    HistGradientBoostingRegressor(
        max_iter=5, min_samples_leaf=3, categorical_features=[1]
    ),
]


def name(model):
    return type(model).__name__


def fitted(model, X, y, classes=3):
    if hasattr(model, "predict_proba"):
        y = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    return model.fit(X, y)


# -- against every coalition -----------------------------------------------------------
def games_of(model):
    """Return the trees of a model, what each is multiplied by, and its output."""
    if hasattr(model, "tree_"):
        return [(model.tree_, 1.0, None)]
    if hasattr(model, "estimators_"):
        return [(e.tree_, 1 / len(model), None) for e in model.estimators_]
    boosted, found = model.trees_, []
    K = len(boosted.base)
    number = np.cumsum(boosted._categorical) - 1
    for t, (a, b) in enumerate(pairwise(boosted.starts)):
        found.append((by_codes(boosted, slice(a, b), number), 1.0, t % K))
    return found


def by_codes(boosted, cut, number):
    """Return a tree over codes, every split a set of codes: missing ones have a bit."""
    bins, feature = boosted.bins, boosted.feature[cut]
    m = len(feature)
    sets = np.zeros((m, 8), np.uint32)
    for k in range(m):
        f = feature[k]
        for code in range(bins.counts[f] + 1 if f >= 0 else 0):
            if bins.categorical[f]:
                word = boosted.sets[number[cut][k], code // 32]
                left = (int(word) >> (code % 32)) & 1
            elif code == bins.counts[f]:
                left = boosted.missing_left[cut][k]
            else:
                left = code <= boosted.bin[cut][k]
            sets[k, code // 32] |= np.uint32(int(left) << (code % 32))
    inner = feature >= 0
    left = np.where(inner, boosted.left[cut], -1).astype(np.int32)
    count = boosted.count[cut]
    return Tree(
        D,
        np.array([1]),
        left,
        np.where(inner, left + 1, -1).astype(np.int32),
        np.where(inner, feature, -2).astype(np.int32),
        np.full(m, np.nan),
        np.zeros(m, np.uint8),
        boosted.value[cut].reshape(-1, 1, 1).copy(),
        np.zeros(m),
        count.astype(np.int64),
        count.astype(np.float64),
        np.where(inner, np.arange(m), -1).astype(np.int32),
        sets,
    )


def by_the_book(model, x):
    """Return the sum of the trees' games, by their shares of the training rows."""
    K = len(model.trees_.base) if hasattr(model, "trees_") else None
    phi = pairs = 0.0
    if K:
        x = model.trees_.bins.codes(x[None, :])[:, 0].astype(float)
    for tree, scale, output in games_of(model):
        one, two = oracle.shapley(oracle.path_dependent(tree, x), D)
        if output is not None:
            place = np.eye(K)[[output]]
            one, two = one * place, two * place
        phi, pairs = phi + scale * one, pairs + scale * two
    return phi, pairs


def check(found, i, expected, pairs):
    values = found.values[i].reshape(D, -1)
    np.testing.assert_allclose(values, expected, rtol=1e-9, atol=1e-10)
    both = found.interactions[i].reshape(D, D, -1)
    np.testing.assert_allclose(both, pairs, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=name)
def test_values_by_coverage_are_those_of_every_coalition(model, missing):
    X, y = rows(missing=missing)
    fitted(model, X, y)
    found = tree_shap(model, X[:7], interactions=True)
    for i in range(7):
        check(found, i, *by_the_book(model, X[i]))


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("model", MODELS, ids=name)
def test_values_against_a_background_are_those_of_every_coalition(model, missing):
    X, y = rows(missing=missing)
    fitted(model, X, y)
    found = tree_shap(model, X[:5], X[20:33], interactions=True)
    for i in range(5):
        game = oracle.interventional(numbers(model), X[i], X[20:33])
        check(found, i, *oracle.shapley(game, D))


@pytest.mark.parametrize("model", WITH_CATEGORIES, ids=name)
def test_categories_known_and_unknown(model):
    X, y = rows(categories=True, missing=True)
    fitted(model, X, y)
    assert any(
        (t.category_set is not None and (t.category_set >= 0).any())
        for t, *_ in games_of(model)
    )
    asked = X[:6].copy()
    asked[5, 1] = 77  # never seen
    found = tree_shap(model, asked, interactions=True)
    against = tree_shap(model, asked, X[20:30], interactions=True)
    np.testing.assert_allclose(found.answers, model.predict(asked), atol=1e-10)
    for i in range(5):
        check(found, i, *by_the_book(model, X[i]))
    for i in range(6):
        game = oracle.interventional(model.predict, asked[i], X[20:30])
        check(against, i, *oracle.shapley(game, D))


# -- laws ------------------------------------------------------------------------------
@pytest.mark.parametrize("background", [None, 15], ids=["coverage", "background"])
@pytest.mark.parametrize("model", MODELS, ids=name)
def test_values_lead_from_the_base_to_the_answer(model, background):
    X, y = load_iris(return_X_y=True)
    model.fit(X, y)
    others = None if background is None else X[:: 150 // background]
    found = tree_shap(model, X, others, interactions=True)
    np.testing.assert_allclose(found.answers, numbers(model)(X), atol=1e-10)
    if others is not None:
        means = np.atleast_1d(numbers(model)(others).mean(axis=0))
        np.testing.assert_allclose(found.base, means, atol=1e-12)
    pairs = found.interactions
    np.testing.assert_array_equal(pairs, np.swapaxes(pairs, 1, 2))
    np.testing.assert_allclose(pairs.sum(axis=2), found.values, atol=1e-10)


def test_a_feature_never_used_gets_nothing():
    X, y = rows()
    X = np.column_stack([X, np.zeros(len(X))])
    for model in MODELS:
        fitted(model, X, y)
        for others in (None, X[:9]):
            found = tree_shap(model, X[:8], others, interactions=True)
            assert (found.values[:, D] == 0).all()
            off = found.interactions[:, D]
            assert (np.delete(off, D, axis=1) == 0).all()
            assert abs(off).max() == 0


def chain(depth, d):
    """Return a tree that asks one feature after another, each alone in its split."""
    m = 2 * depth + 1
    left, right = np.full(m, -1, np.int32), np.full(m, -1, np.int32)
    feature, node = np.full(m, -2, np.int32), 0
    cover = np.zeros(m)
    cover[0] = 2.0**20
    for k in range(depth):
        a, b = 2 * k + 1, 2 * k + 2
        left[node], right[node], feature[node] = a, b, k % d
        cover[a], cover[b] = 0.3 * cover[node], 0.7 * cover[node]
        node = b
    value = np.random.default_rng(1).normal(size=(m, 1, 1)) * 10
    threshold = np.where(feature >= 0, -0.5, -2.0)
    threshold += np.where(feature >= 0, np.arange(m) / 1e4, 0)
    return Tree(
        d,
        np.array([1]),
        left,
        right,
        feature,
        threshold,
        np.zeros(m, np.uint8),
        value,
        np.zeros(m),
        np.ones(m, np.int64),
        cover,
    )


@pytest.mark.parametrize(("depth", "d"), [(60, 60), (60, 7), (300, 250)])
def test_deep_trees_lose_no_digits(depth, d):
    X = np.random.default_rng(0).normal(size=(20, d))
    X[:5] = 1.0  # to the end of the chain
    model = DecisionTreeRegressor().fit(X, X[:, 0])
    model.tree_ = chain(depth, d)
    for others in (None, X[5:]):
        found = tree_shap(model, X, others)
        expected = model.tree_.predict(X)[:, 0]
        np.testing.assert_allclose(found.answers, expected, atol=1e-9)


def test_one_feature_at_a_time_is_the_difference_of_answers():
    X, y = rows()
    model = DecisionTreeRegressor(max_depth=4).fit(X[:, :1], y)
    found = tree_shap(model, X[:, :1])
    mean = found.base[0]
    assert mean == pytest.approx(y.mean())
    np.testing.assert_allclose(found.values[:, 0], model.predict(X[:, :1]) - mean)


def test_twin_trees_give_twin_features_the_same():
    """Symmetry: features that enter alike get alike."""
    rng = np.random.default_rng(3)
    X = rng.integers(0, 2, size=(400, 2)).astype(float)
    X = np.vstack([X, X[:, ::-1]])
    y = X[:, 0] * X[:, 1]
    model = RandomForestRegressor(n_estimators=1, bootstrap=False).fit(X, y)
    found = tree_shap(model, [[1.0, 1.0]], X)
    assert found.values[0, 0] == pytest.approx(found.values[0, 1], abs=1e-12)


# -- how it runs -----------------------------------------------------------------------
def test_threads_and_rows_beside_change_no_bit():
    X, y = load_breast_cancer(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=20).fit(X, y)
    with engine.use(threads=1):
        one = tree_shap(model, X[:203], interactions=True)
        against = tree_shap(model, X[:50], X[50:80])
    with engine.use(threads=4):
        four = tree_shap(model, X[:203], interactions=True)
        assert (tree_shap(model, X[:50], X[50:80]).values == against.values).all()
    assert (one.values == four.values).all()
    assert (one.interactions == four.interactions).all()
    np.testing.assert_array_equal(tree_shap(model, X[6:7]).values, one.values[6:7])


def test_sparse_and_narrow_rows():
    X, y = rows()
    X[X < 0] = 0
    model = RandomForestRegressor(n_estimators=3, random_state=0).fit(X, y)
    dense = tree_shap(model, X, X[:5])
    sparse = tree_shap(model, sp.csr_array(X), sp.csr_array(X[:5]))
    np.testing.assert_array_equal(dense.values, sparse.values)
    X = X.astype(np.float32)
    narrow = tree_shap(model, X)
    np.testing.assert_allclose(narrow.answers, model.predict(X))


def test_several_numbers_at_once():
    X, y = rows()
    Y = np.column_stack([y, -2 * y])
    found = tree_shap(RandomForestRegressor(n_estimators=3).fit(X, Y), X)
    assert found.values.shape == (len(X), D, 2)
    np.testing.assert_allclose(found.values[..., 1], -2 * found.values[..., 0])


def test_a_leaf_alone_gives_nothing():
    X, _ = rows()
    for model in (DecisionTreeRegressor(), HistGradientBoostingRegressor()):
        found = tree_shap(model.fit(X, np.full(len(X), 3.0)), X[:2], interactions=True)
        assert found.base.tolist() == [3.0]
        assert not found.values.any()
        assert not found.interactions.any()


# -- the record ------------------------------------------------------------------------
def frame():
    import pandas as pd

    X, y = rows()
    return pd.DataFrame(X, columns=["a$b$", "line\nbreak", "c", "d"]), y


def test_record_reads_prints_and_draws():
    import matplotlib.pyplot as plt

    X, y = frame()
    model = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y > 0)
    found = tree_shap(model, X)
    assert found.names[0] == "a$b$"
    assert found.outputs == ("False", "True")
    means = np.abs(found.values).mean(axis=0).sum(axis=1)
    np.testing.assert_allclose(found.importances, means)
    text = str(found)
    assert len(text.splitlines()) == 2 + D
    best = found.names[int(means.argmax())]
    assert text.splitlines()[2].startswith(" ".join(best.split()))
    ax = found.plot()
    assert [bar.get_width() for bar in ax.patches] == sorted(means, reverse=True)
    ax = found.plot(row=2, output=1, most=2)
    widths = [bar.get_width() for bar in ax.patches]
    assert len(widths) == 3
    end = found.base[1] + sum(widths)
    assert end == pytest.approx(model.predict_proba(X)[2, 1])
    ax.figure.canvas.draw()
    labels = [label.get_text() for label in found.plot(most=4).get_yticklabels()]
    assert r"a\$b\$" in labels
    plt.close("all")


# -- bad input -------------------------------------------------------------------------
def test_bad_input_gets_one_sentence():
    X, y = rows()
    model = DecisionTreeRegressor().fit(X, y)
    with pytest.raises(ValueError, match="tree_shap: model must be a tree, a forest"):
        tree_shap(Foreign().fit(X, y), X)
    with pytest.raises(NotFittedError):
        tree_shap(DecisionTreeRegressor(), X)
    with pytest.raises(ValueError, match="4 features"):
        tree_shap(model, X[:, :3])
    with pytest.raises(ValueError, match="4 features"):
        tree_shap(model, X, X[:, :3])
    with pytest.raises(ValueError, match="0 sample"):
        tree_shap(model, X, X[:0])
    many = DecisionTreeClassifier().fit(X, np.column_stack([y > 0, y > 1]))
    with pytest.raises(ValueError, match="one output; got 2"):
        tree_shap(many, X)
    found = tree_shap(model, X[:3])
    with pytest.raises(ValueError, match="row must be below 3; got 3"):
        found.plot(row=3)
    with pytest.raises(ValueError, match="output must be below 1; got 1"):
        found.plot(row=0, output=1)
    with pytest.raises(ValueError, match="most must be at least 1; got 0"):
        found.plot(most=0)


def test_too_much_for_memory_is_refused_at_once():
    X, y = rows()
    model = DecisionTreeRegressor().fit(X, y)
    with (
        engine.use(memory_limit="10KB"),
        pytest.raises(MemoryLimitError, match="fewer rows"),
    ):
        tree_shap(model, X, interactions=True)
