"""Trees as text: scikit-learn's text for its trees, the same form for ID3."""

from types import SimpleNamespace

import numpy as np
import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError

from corollary import DataError, GaussianNB, ID3Classifier, ParameterError
from corollary.datasets import play_tennis
from corollary.trees import export_text

X, Y = load_iris(return_X_y=True)

OPTIONS = [
    {},
    {"max_depth": 0},
    {"max_depth": 2},
    {"decimals": 4, "spacing": 1, "show_weights": True},
    {"feature_names": ["a", "b", "c", "d"]},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", ["DecisionTreeClassifier", "DecisionTreeRegressor"])
def test_binary_trees_read_as_in_scikit_learn(name, options):
    w = np.random.default_rng(0).random(len(Y))
    model = getattr(sklearn_tree, name)(max_depth=5, random_state=0).fit(X, Y, w)
    assert export_text(model, **options) == sklearn_tree.export_text(model, **options)


def test_class_names():
    model = sklearn_tree.DecisionTreeClassifier(max_depth=2).fit(X, Y)
    names = ["setosa", "versicolor", "virginica"]
    wanted = sklearn_tree.export_text(model, class_names=names)
    assert export_text(model, class_names=names) == wanted


def test_several_numbers():
    model = sklearn_tree.DecisionTreeRegressor(max_depth=2).fit(X, X[:, :2])
    assert export_text(model) == sklearn_tree.export_text(model)
    both = sklearn_tree.DecisionTreeClassifier().fit(X, np.stack([Y, Y], axis=1))
    with pytest.raises(DataError, match="one output"):
        export_text(both)


def test_splits_by_categories():
    tree = SimpleNamespace(
        children_left=np.array([1, -1, -1]),
        children_right=np.array([2, -1, -1]),
        feature=np.array([0, -2, -2]),
        threshold=np.array([np.nan, -2, -2]),
        value=np.array([[[0.5, 0.5]], [[1.0, 0.0]], [[0.0, 1.0]]]),
        impurity=np.array([0.5, 0.0, 0.0]),
        n_node_samples=np.array([2, 1, 1]),
        category_set=np.array([0, -1, -1]),
        left_categories=np.array([[0b101, 0b10]], np.uint32),
    )
    model = SimpleNamespace(tree_=tree, n_features_in_=1, classes_=np.array([0, 1]))
    lines = export_text(model).splitlines()
    assert lines[0] == "|--- feature_0 in {0, 2, 33}"
    assert lines[2] == "|--- feature_0 not in {0, 2, 33}"


def test_branches_of_values():
    table = play_tennis()
    model = ID3Classifier().fit(table.X, table.y)
    lines = export_text(model, feature_names=table.columns).splitlines()
    assert lines[:3] == [
        "|--- Outlook = Overcast",
        "|   |--- class: Yes",
        "|--- Outlook = Rain",
    ]
    assert len(lines) == 7 + 5  # branches and leaves
    short = export_text(model, max_depth=0).splitlines()
    assert "|   |--- truncated branch of depth 2" in short


def test_a_leaf_and_names_of_two_lines():
    model = ID3Classifier().fit([["a"], ["b"]], ["one\ntwo"] * 2)
    assert export_text(model) == "|--- class: one two\n"


def test_refuses():
    model = ID3Classifier().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(DataError, match="decision tree"):
        export_text(GaussianNB().fit(X, Y))
    with pytest.raises(NotFittedError):
        export_text(ID3Classifier())
    with pytest.raises(ParameterError, match="1 names"):
        export_text(model, feature_names=[])
    with pytest.raises(ParameterError, match="2 names"):
        export_text(model, class_names=["x"])
    with pytest.raises(ParameterError, match="spacing"):
        export_text(model, spacing=0)
    with pytest.raises(ParameterError, match="max_depth"):
        export_text(model, max_depth=-1)
