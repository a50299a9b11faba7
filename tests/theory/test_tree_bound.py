"""A bound on the error of a decision tree by the length of its description."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import binom
from sklearn import tree as sklearn_tree

from corollary import DecisionTreeClassifier, ExtraTreeClassifier, ID3Classifier
from corollary.core.errors import DataError
from corollary.datasets import play_tennis
from corollary.theory import tree_bound
from corollary.trees import description_length


def boxes(rng, n, noise=0.0):
    X = rng.random((n, 2))
    y = (X[:, 0] > 0.4) & (X[:, 1] < 0.7)
    return X, y ^ (rng.random(n) < noise)


@pytest.mark.parametrize(
    "learner", [DecisionTreeClassifier, sklearn_tree.DecisionTreeClassifier]
)
def test_the_price_is_that_of_the_code_and_of_the_rows_named(learner):
    X, y = boxes(np.random.default_rng(0), 1000, 0.05)
    model = learner(max_leaf_nodes=3, random_state=0).fit(X, y)
    m, leaves, n = 2, 3, 1000
    bits = (m + leaves) + m * np.log2(2) + leaves * np.log2(2)
    e = int((model.predict(X) != y).sum())
    found = tree_bound(model, X, y)
    price = 0.05 * 2.0**-bits * float(n) ** (-2 * m)
    assert binom.cdf(e, n - 2 * m, found.value) == pytest.approx(price, rel=1e-5)
    assert found.holds
    assert not found.vacuous


def test_a_tree_of_categories_names_no_rows():
    table = play_tennis()
    model = ID3Classifier().fit(table.X, table.y)
    found = tree_bound(model, table.X, table.y)
    bits = description_length(model).tree
    assert binom.cdf(0, 14, found.value) == pytest.approx(0.05 * 2.0**-bits, rel=1e-6)
    assert found.holds


def test_pruning_proves_more_than_growing_to_the_end():
    X, y = boxes(np.random.default_rng(1), 2000, 0.1)
    small = DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y)
    full = DecisionTreeClassifier().fit(X, y)
    assert (full.predict(X) == y).all()
    assert tree_bound(small, X, y).value < 0.3
    assert tree_bound(full, X, y).value > 0.9


@pytest.mark.parametrize("noise", [0.0, 0.2])
def test_the_bound_holds_for_trees_that_were_grown(noise):
    rng, missed = np.random.default_rng(2), 0
    X_new, y_new = boxes(rng, 50_000)
    for _ in range(40):
        X, y = boxes(rng, 200, noise)
        model = DecisionTreeClassifier(max_leaf_nodes=4).fit(X, y)
        clean = np.mean(model.predict(X_new) != y_new)
        missed += tree_bound(model, X, y, 0.2).value < noise + (1 - 2 * noise) * clean
    assert missed <= 0.2 * 40


def test_thresholds_that_are_drawn_are_guidance():
    X, y = boxes(np.random.default_rng(3), 300)
    for seed in range(5):
        model = ExtraTreeClassifier(max_depth=1, random_state=seed).fit(X, y)
        assert not tree_bound(model, X, y).holds


def test_rows_may_be_sparse():
    X, y = boxes(np.random.default_rng(5), 300)
    model = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)
    dense = tree_bound(model, X, y).value
    assert tree_bound(model, sp.csr_array(X), y).value == dense


def test_missing_values_cost_a_bit_a_node():
    X, y = boxes(np.random.default_rng(4), 500)
    X[::50, 0] = np.nan
    model = DecisionTreeClassifier(max_leaf_nodes=3).fit(X, y)
    found = tree_bound(model, X, y)
    assert found.holds
    assert not found.vacuous


def test_what_is_no_tree_is_refused_in_a_sentence():
    with pytest.raises(DataError, match=r"^tree_bound: .*; got"):
        tree_bound("tree", [[0.0]], [0])
