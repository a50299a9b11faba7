"""Trees in DOT: every node and edge, and names that mean nothing there."""

import re

import pytest
from sklearn import tree as sklearn_tree
from sklearn.datasets import load_iris

from corollary import ID3Classifier, ParameterError
from corollary.datasets import play_tennis
from corollary.trees import export_graphviz

STRING = r'"((?:[^"\\]|\\.)*)"'
NODE = re.compile(rf"^(\d+) \[label={STRING}(?:, fillcolor={STRING})?\] ;$")
EDGE = re.compile(rf"^(\d+) -> (\d+) \[label={STRING}\] ;$")


def parsed(text):
    """Read nodes and edges; a line that is neither is one of the frame."""
    lines = text.splitlines()
    assert lines[0] == "digraph Tree {"
    assert lines[-1] == "}"
    nodes, edges = {}, {}
    for line in lines[1:-1]:
        if found := NODE.match(line):
            nodes[int(found[1])] = found[2]
        elif found := EDGE.match(line):
            edges[int(found[1]), int(found[2])] = found[3]
        else:
            assert line.startswith(("node [", "edge [", "rankdir="))
    return nodes, edges


def test_nodes_and_edges_of_a_binary_tree():
    X, y = load_iris(return_X_y=True)
    model = sklearn_tree.DecisionTreeClassifier(random_state=0).fit(X, y)
    nodes, edges = parsed(export_graphviz(model, filled=True, rounded=True))
    tree = model.tree_
    assert len(nodes) == tree.node_count
    wanted = {
        (i, int(child))
        for i in range(tree.node_count)
        for child in (tree.children_left[i], tree.children_right[i])
        if child >= 0
    }
    assert set(edges) == wanted
    assert nodes[0].startswith("x")
    assert "samples = 150" in nodes[0]
    assert "value = [50, 50, 50]" in nodes[0]


def test_nodes_and_edges_of_values():
    table = play_tennis()
    model = ID3Classifier().fit(table.X, table.y)
    nodes, edges = parsed(export_graphviz(model, feature_names=table.columns))
    assert len(nodes) == 8
    assert nodes[0] == (
        r"Outlook\nentropy = 0.94\nsamples = 14\nvalue = [5, 9]\nclass = Yes"
    )
    assert sorted(edges[0, c] for c in (1, 2, 3)) == ["= Overcast", "= Rain", "= Sunny"]


NASTY = ['"] ; evil [label="', "back\\slash", "\\", "two\nlines", "<b>bold</b>", "\x00"]


@pytest.mark.parametrize("name", NASTY, ids=repr)
def test_names_are_escaped(name):
    model = ID3Classifier().fit([[name, 1], ["other", 1]], [name, "class"])
    text = export_graphviz(model, feature_names=[name, "b"])
    nodes, edges = parsed(text)
    assert len(nodes) == 3
    assert len(edges) == 2
    assert "\x00" not in text


def test_what_is_too_deep_is_left_out():
    table = play_tennis()
    model = ID3Classifier().fit(table.X, table.y)
    nodes, _ = parsed(export_graphviz(model, max_depth=0, rotate=True))
    assert len(nodes) == 4
    assert list(nodes.values())[1:] == ["(...)"] * 3
    options = {"impurity": False, "node_ids": True, "proportion": True}
    nodes, _ = parsed(export_graphviz(model, **options))
    assert nodes[0].startswith(r"node 0\nx0\nsamples = 100.0%\nvalue = [0.357, 0.643]")
    with pytest.raises(ParameterError, match="precision"):
        export_graphviz(model, precision=-1)


def test_regression():
    X, y = load_iris(return_X_y=True)
    model = sklearn_tree.DecisionTreeRegressor(max_depth=2).fit(X, y)
    nodes, _ = parsed(export_graphviz(model, filled=True))
    assert nodes[0].endswith(r"value = 1")
