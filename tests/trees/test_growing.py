"""Impurities, gains and stopping rules, as the course states them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from oracles import cart as oracle

from corollary import DecisionTreeClassifier, DecisionTreeRegressor
from corollary.trees.growing import count_of_features

rng = np.random.default_rng(1)
X = rng.normal(size=(400, 3))
Y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.2 * rng.normal(size=400)
Z = (Y > 0).astype(int)

tables = st.integers(2, 12).flatmap(
    lambda n: st.tuples(
        arrays.arrays(np.float64, (n, 2), elements=st.integers(-3, 3)),
        arrays.arrays(np.float64, n, elements=st.integers(-5, 5)),
        arrays.arrays(np.float64, n, elements=st.integers(1, 3)),
    )
)


@given(tables)
def test_the_first_split_is_the_best_of_all(table):
    x, y, w = table
    for criterion in ("squared_error", "absolute_error"):
        model = DecisionTreeRegressor(criterion=criterion, max_depth=1).fit(x, y, w)
        if model.get_n_leaves() == 1:
            assert y.min() == y.max() or (x == x[0]).all()
            continue
        leaf = model.apply(x)
        got = oracle.left_impurity(leaf == 1, y, w, criterion)
        best = oracle.best_impurity(x, y, w, criterion)
        assert got <= best + 1e-9 * (1 + best)


@pytest.mark.course("S2-46")
def test_the_gini_impurity_of_two_classes_is_the_error_of_drawn_labels():
    tree = DecisionTreeClassifier(min_samples_leaf=15).fit(X, Z).tree_
    p = tree.value[:, 0, 1]
    np.testing.assert_allclose(tree.impurity, 2 * p * (1 - p), atol=1e-12)
    drawn, label = rng.random(200_000) < p[0], rng.random(200_000) < p[0]
    np.testing.assert_allclose((drawn != label).mean(), tree.impurity[0], atol=5e-3)


@pytest.mark.course("S2-46")
def test_friedmans_gain_is_the_decrease_of_the_squared_error():
    options = {"min_samples_leaf": 5}
    tree = DecisionTreeRegressor(**options).fit(X, Y).tree_
    friedman = DecisionTreeRegressor(criterion="friedman_mse", **options).fit(X, Y)
    np.testing.assert_array_equal(tree.threshold, friedman.tree_.threshold)
    np.testing.assert_array_equal(tree.feature, friedman.tree_.feature)
    i = np.flatnonzero(tree.feature >= 0)
    a, b = tree.children_left[i], tree.children_right[i]
    w, mean = tree.weighted_n_node_samples, tree.value[:, 0, 0]
    gain = w[a] * w[b] / (w[a] + w[b]) * (mean[a] - mean[b]) ** 2
    sse = w * tree.impurity
    np.testing.assert_allclose(gain, sse[i] - sse[a] - sse[b], atol=1e-9)


@pytest.mark.course("S2-46")
@pytest.mark.parametrize(
    ("criterion", "y"),
    [("gini", Z), ("entropy", Z), ("squared_error", Y), ("absolute_error", Y)],
)
def test_each_criterion_minimises_its_weighted_distortion(criterion, y):
    labels = criterion in ("gini", "entropy")
    learner = DecisionTreeClassifier if labels else DecisionTreeRegressor
    model = learner(criterion=criterion, max_depth=1).fit(X[:80], y[:80])
    left = model.apply(X[:80]) == 1
    got = oracle.left_impurity(left, y[:80], np.ones(80), criterion)
    best = oracle.best_impurity(X[:80], y[:80], np.ones(80), criterion)
    np.testing.assert_allclose(got, best, rtol=1e-9)


@pytest.mark.course("S2-46")
def test_stopping_rules_are_kept():
    def tree(**rule):
        return DecisionTreeRegressor(**rule).fit(X, Y).tree_

    leaf = tree().feature < 0
    assert tree(max_depth=3).max_depth == 3
    assert tree(max_leaf_nodes=9).n_leaves == 9
    assert tree(min_samples_leaf=7).n_node_samples.min() >= 7
    assert tree(min_samples_leaf=0.05).n_node_samples.min() >= 20
    grown = tree(min_samples_split=30)
    assert grown.n_node_samples[grown.feature >= 0].min() >= 30
    assert tree(min_weight_fraction_leaf=0.1).n_node_samples.min() >= 40
    assert tree(min_impurity_decrease=1e9).node_count == 1
    assert tree().impurity[leaf].max() == 0  # grown until the leaves are pure


def test_best_first_takes_the_largest_gains():
    best = DecisionTreeRegressor(max_leaf_nodes=6).fit(X, Y).tree_
    whole = DecisionTreeRegressor().fit(X, Y).tree_
    mass = whole.weighted_n_node_samples * whole.impurity
    inner = np.flatnonzero(whole.feature >= 0)
    gain = dict.fromkeys(range(whole.node_count), 0.0)
    for i in inner:
        gain[i] = mass[i] - mass[whole.children_left[i]] - mass[whole.children_right[i]]
    frontier, total = {0}, 0.0
    for _ in range(5):
        i = max(frontier, key=gain.get)
        frontier -= {i}
        frontier |= {int(whole.children_left[i]), int(whole.children_right[i])}
        total += gain[i]
    leaves = best.feature < 0
    left = (best.weighted_n_node_samples * best.impurity)[leaves].sum()
    np.testing.assert_allclose(mass[0] - left, total)


def test_bins_split_as_the_exact_tree_where_values_are_few():
    few = np.round(X, 1)
    exact = DecisionTreeRegressor(min_samples_leaf=5).fit(few, Y)
    binned = DecisionTreeRegressor(min_samples_leaf=5, max_bins=255).fit(few, Y)
    np.testing.assert_array_equal(exact.tree_.threshold, binned.tree_.threshold)


def test_bins_lose_little():
    exact = DecisionTreeRegressor(max_depth=6, min_samples_leaf=5).fit(X, Y)
    binned = DecisionTreeRegressor(max_depth=6, min_samples_leaf=5, max_bins=32)
    assert binned.fit(X, Y).score(X, Y) > exact.score(X, Y) - 0.05


@pytest.mark.parametrize("kind", ["labels", "numbers"])
def test_monotonic_features_never_turn(kind):
    signs = [1, -1, 0]
    if kind == "labels":
        model = DecisionTreeClassifier(monotonic_cst=signs).fit(X, Z)
        ask = lambda x: model.predict_proba(x)[:, 1]  # noqa: E731
    else:
        model = DecisionTreeRegressor(monotonic_cst=signs).fit(X, Y)
        ask = model.predict
    assert model.get_n_leaves() > 10
    for j, sign in ((0, 1), (1, -1)):
        for x in X[:40]:
            line = np.tile(x, (50, 1))
            line[:, j] = np.linspace(-3, 3, 50)
            assert (sign * np.diff(ask(line)) >= 0).all()


@pytest.mark.parametrize("options", [{}, {"max_features": 2, "random_state": 3}])
def test_a_tree_is_the_same_on_any_number_of_threads(options):
    import corollary

    rows = rng.normal(size=(30_000, 4))
    y = (rows[:, 0] * rows[:, 1] > 0).astype(int)
    trees = []
    for threads in (1, 2, 3):
        with corollary.config_context(threads=threads):
            model = DecisionTreeClassifier(max_depth=12, **options).fit(rows, y)
            trees.append(model.tree_)
    for other in trees[1:]:
        for name in ("children_left", "feature", "threshold", "value", "impurity"):
            a, b = getattr(trees[0], name), getattr(other, name)
            np.testing.assert_array_equal(a, b)


def test_features_to_look_at_are_counted_as_scikit_learn_counts():
    counts = [count_of_features(asked, 30) for asked in (None, "sqrt", "log2", 0.01, 7)]
    assert counts == [30, 5, 4, 1, 7]
