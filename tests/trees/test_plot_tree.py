"""Pictures of trees: boxes that can be read, names that are drawn as they are."""

import io
from itertools import combinations

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from corollary import ID3Classifier
from corollary.datasets import play_tennis
from corollary.trees import plot_tree

matplotlib.use("Agg")


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def boxes(ax):
    """Return the texts in boxes and where these are, in pixels."""
    ax.figure.canvas.draw()
    texts = [t for t in ax.texts if t.get_zorder() == 3]
    return texts, [t.get_bbox_patch().get_window_extent() for t in texts]


def overlap(a, b):
    return a.x0 < b.x1 and b.x0 < a.x1 and a.y0 < b.y1 and b.y0 < a.y1


@pytest.mark.parametrize("load", [load_breast_cancer, load_digits])
def test_a_tree_of_depth_four_can_be_read(load):
    X, y = load(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    ax = plot_tree(model, filled=True)
    texts, extents = boxes(ax)
    assert len(texts) == model.tree_.node_count
    assert not any(overlap(a, b) for a, b in combinations(extents, 2))
    assert min(text.get_fontsize() for text in texts) >= 8
    area = ax.figure.bbox
    assert all(area.x0 <= e.x0 and e.x1 <= area.x1 for e in extents)
    assert all(area.y0 <= e.y0 and e.y1 <= area.y1 for e in extents)


def test_letters_shrink_in_given_axes():
    X, y = load_breast_cancer(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
    figure, ax = plt.subplots(figsize=(9, 5))
    assert plot_tree(model, ax=ax) is ax
    assert figure.get_size_inches().tolist() == [9, 5]
    _, extents = boxes(ax)
    assert not any(overlap(a, b) for a, b in combinations(extents, 2))
    plot_tree(model, ax=ax, fontsize=3.5)
    assert ax.texts[-1].get_fontsize() == 3.5


def test_branches_of_values_are_at_the_edges():
    table = play_tennis()
    model = ID3Classifier().fit(table.X, table.y)
    ax = plot_tree(model, feature_names=table.columns, rounded=True)
    texts, extents = boxes(ax)
    assert len(texts) == 8
    assert texts[0].get_text().splitlines()[0] == "Outlook"
    assert not any(overlap(a, b) for a, b in combinations(extents, 2))
    edges = {t.get_text() for t in ax.texts if t.get_zorder() == 2}
    assert {"= Sunny", "= Rain", "= Overcast", "= High"} <= edges


@pytest.mark.parametrize(
    "name", [r"$\frac{$", "$x_1$", "<b>&amp;", "two\nlines", "%s{}"]
)
def test_markup_in_names_is_harmless(name):
    model = ID3Classifier().fit([[name, 1], ["b", 2]], [name, "no"])
    ax = plot_tree(model, feature_names=[name, "second"])
    ax.figure.savefig(io.BytesIO())
    first = boxes(ax)[0][0].get_text().splitlines()[0]
    assert first == name.replace("\n", " ")


def test_depth_is_cut_and_one_leaf_is_a_tree():
    X, y = load_digits(return_X_y=True)
    model = DecisionTreeClassifier(random_state=0).fit(X, y)
    texts, _ = boxes(plot_tree(model, max_depth=1))
    assert len(texts) == 3
    assert texts[1].get_text().endswith("(...)")
    alone = ID3Classifier().fit([["a"], ["b"]], [1, 1])
    assert len(boxes(plot_tree(alone))[0]) == 1
    numbers = DecisionTreeRegressor(max_depth=2).fit(X, y.astype(float))
    assert "value = " in boxes(plot_tree(numbers, filled=True))[0][0].get_text()
    colors = {t.get_bbox_patch().get_facecolor() for t in boxes(plt.gca())[0]}
    assert len(colors) == 7
    assert np.isfinite([c for color in colors for c in color]).all()
