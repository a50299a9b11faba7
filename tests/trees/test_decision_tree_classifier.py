"""Classification trees against scikit-learn's, and what they refuse."""

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.tree as peers

import corollary
from corollary import DecisionTreeClassifier

rng = np.random.default_rng(7)
X = rng.normal(size=(1500, 3)).astype(np.float32).astype(float)
TWO = (X[:, 0] + 0.8 * rng.normal(size=1500) > 0.3).astype(int)
THREE = np.digitize(X[:, 0] + X[:, 1] ** 2 + 0.5 * rng.normal(size=1500), [0, 1])
W = rng.random(1500) + 0.1
HOLES = np.where(rng.random(X.shape) < 0.1, np.nan, X)
NAMES = "children_left children_right feature n_node_samples".split()
CLOSE = "value impurity weighted_n_node_samples".split()


def assert_same_tree(ours, theirs):
    a, b = ours.tree_, theirs.tree_
    for name in NAMES:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    for name in CLOSE:
        np.testing.assert_allclose(getattr(a, name), getattr(b, name), atol=1e-9)
    inner = a.feature >= 0
    np.testing.assert_allclose(a.threshold[inner], b.threshold[inner])
    np.testing.assert_array_equal(
        a.missing_go_to_left[inner], b.missing_go_to_left[inner]
    )
    assert (a.max_depth, a.n_leaves) == (b.max_depth, b.n_leaves)


@pytest.mark.course("S2-46")
@pytest.mark.parametrize("criterion", ["gini", "entropy"])
@pytest.mark.parametrize("y", [TWO, THREE, np.column_stack([TWO, THREE])], ids="23m")
@pytest.mark.parametrize("w", [None, W], ids=["plain", "weighted"])
@pytest.mark.parametrize("rows", [X, HOLES], ids=["whole", "missing"])
@pytest.mark.parametrize(
    "rule",
    [
        {"max_depth": 4},
        {"max_leaf_nodes": 9},
        {"ccp_alpha": 0.004},
        {"min_impurity_decrease": 0.004},
    ],
    ids=str,
)
def test_the_tree_is_scikit_learns(criterion, y, w, rows, rule):
    options = {"criterion": criterion, "min_samples_leaf": 60, **rule}
    ours = DecisionTreeClassifier(**options).fit(rows, y, w)
    theirs = peers.DecisionTreeClassifier(random_state=0, **options).fit(rows, y, w)
    assert_same_tree(ours, theirs)
    np.testing.assert_array_equal(ours.predict(rows), theirs.predict(rows))
    shares = ours.predict_proba(rows), theirs.predict_proba(rows)
    for a, b in zip(*shares, strict=True):
        np.testing.assert_allclose(a, b)
    np.testing.assert_array_equal(ours.apply(rows), theirs.apply(rows))
    difference = ours.decision_path(rows) != theirs.decision_path(rows)
    assert difference.nnz == 0


def test_sparse_rows_make_the_same_tree():
    holey = np.where(rng.random(X.shape) < 0.6, 0.0, X)
    dense = DecisionTreeClassifier(min_samples_leaf=30).fit(holey, THREE)
    for kind in (sp.csr_array, sp.csc_matrix):
        sparse = DecisionTreeClassifier(min_samples_leaf=30).fit(kind(holey), THREE)
        assert_same_tree(sparse, dense)
        np.testing.assert_array_equal(
            sparse.predict(sp.csr_array(holey)), dense.predict(holey)
        )


def test_single_precision_makes_the_same_tree():
    single = DecisionTreeClassifier(min_samples_leaf=30).fit(X.astype("f4"), THREE)
    assert_same_tree(single, DecisionTreeClassifier(min_samples_leaf=30).fit(X, THREE))


@pytest.mark.parametrize("weights", ["balanced", {0: 3.0, 1: 0.5}, {0: 0.0}])
def test_class_weights_are_weights_of_rows(weights):
    by_class = {0: 3.0, 1: 0.5} if isinstance(weights, dict) else None
    if weights == {0: 0.0}:
        by_class = {0: 0.0, 1: 1.0}
    if weights == "balanced":
        by_class = dict(enumerate(len(TWO) / (2 * np.bincount(TWO))))
    rows = np.array([by_class[z] for z in TWO])
    model = DecisionTreeClassifier(class_weight=weights, min_samples_leaf=40)
    other = DecisionTreeClassifier(min_samples_leaf=40)
    a = model.fit(X, TWO).predict(X)
    if weights == {0: 0.0}:
        assert (a == 1).all()
        return
    np.testing.assert_array_equal(a, other.fit(X, TWO, rows).predict(X))


def test_labels_of_any_type_and_of_several_outputs():
    names = np.array(["no", "yes"])[TWO]
    model = DecisionTreeClassifier(max_depth=5).fit(X, names)
    assert set(model.predict(X)) == {"no", "yes"}
    both = DecisionTreeClassifier(max_depth=5).fit(X, np.column_stack([names, names]))
    assert [list(c) for c in both.classes_] == [["no", "yes"]] * 2
    np.testing.assert_array_equal(both.predict(X)[:, 0], both.predict(X)[:, 1])
    assert len(both.predict_log_proba(X)) == 2


def test_missing_values_alone_may_tell_the_classes():
    x = np.where(TWO == 1, np.nan, X[:, 0])[:, None]
    model = DecisionTreeClassifier().fit(x, TWO)
    assert model.get_n_leaves() == 2
    assert model.tree_.threshold[0] == np.inf
    assert model.score(x, TWO) == 1


def test_unseen_missing_values_go_where_most_rows_go():
    model = DecisionTreeClassifier(max_depth=1).fit(X, TWO)
    tree = model.tree_
    side = np.argmax(tree.n_node_samples[1:]) + 1
    assert model.apply(np.full((1, 3), np.nan))[0] == side


def test_categories_beyond_those_of_training_go_with_the_missing():
    x = np.repeat([0.0, 1, 2, 40], 50)[:, None]
    y = np.repeat([1, 0, 1, 0], 50)
    model = DecisionTreeClassifier(categorical_features=[0]).fit(x, y)
    assert model.get_n_leaves() == 2
    assert model.score(x, y) == 1
    strange = np.array([[-1.0], [2.5], [1e9], [np.nan]])
    assert len(set(model.apply(strange))) == 1


def test_three_classes_split_categories_along_their_main_direction():
    categories = rng.integers(0, 12, 3000)
    y = np.array([0, 1, 2])[(categories // 4 + (rng.random(3000) < 0.1)) % 3]
    x = rng.permutation(12)[categories].astype(float)[:, None]
    model = DecisionTreeClassifier(categorical_features=[0], max_leaf_nodes=3)
    plain = DecisionTreeClassifier(max_leaf_nodes=3).fit(x, y)
    assert model.fit(x, y).score(x, y) > 0.87
    assert plain.score(x, y) < 0.8


def test_drawn_thresholds_lie_between_the_values():
    for seed in range(5):
        model = DecisionTreeClassifier(splitter="random", random_state=seed)
        tree = model.fit(X, TWO).tree_
        assert model.score(X, TWO) == 1
        for i in np.flatnonzero(tree.feature >= 0)[:20]:
            at = model.decision_path(X)[:, [i]].toarray()[:, 0] > 0
            values = X[at, tree.feature[i]]
            assert values.min() <= tree.threshold[i] < values.max()


def test_a_saved_tree_answers_as_before(tmp_path):
    y = np.column_stack([TWO, THREE])
    model = DecisionTreeClassifier(max_depth=6).fit(HOLES, y)
    corollary.save(model, tmp_path / "tree.model")
    again = corollary.load(tmp_path / "tree.model")
    np.testing.assert_array_equal(again.predict(HOLES), model.predict(HOLES))


REFUSED = {
    "infinite": ({}, np.where(X > 3, np.inf, X), TWO, "finite"),
    "one leaf": ({"max_leaf_nodes": 1}, X, TWO, "max_leaf_nodes must be"),
    "one row to split": ({"min_samples_split": 1}, X, TWO, "min_samples_split must"),
    "no category": ({"categorical_features": [0]}, X, TWO, "categories must be whole"),
    "no column": ({"categorical_features": [3]}, X, TWO, "must name columns"),
    "three signs": ({"monotonic_cst": [2, 0, 0]}, X, TWO, "monotonic_cst must be -1"),
    "signs of three": ({"monotonic_cst": [1, 0, 0]}, X, THREE, "two classes"),
    "strange class": ({"class_weight": {7: 1.0}}, X, TWO, "must name classes"),
    "measurements": ({}, X, X[:, 0], "class labels"),
}


@pytest.mark.parametrize("case", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_learned_from_is_refused_in_a_sentence(case):
    options, rows, y, words = case
    with pytest.raises(ValueError, match=f"^DecisionTreeClassifier: .*{words}"):
        DecisionTreeClassifier(**options).fit(rows, y)


def test_what_tells_nothing_makes_one_leaf():
    for rows, y in (
        (np.ones((20, 2)), np.arange(20) % 2),
        (X[:20], np.zeros(20)),
        (np.full((20, 2), np.nan), np.arange(20) % 2),
    ):
        model = DecisionTreeClassifier().fit(rows, y)
        assert model.get_n_leaves() == 1
        assert model.get_depth() == 0
        assert not model.feature_importances_.any()
