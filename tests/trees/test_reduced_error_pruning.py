"""Reduced-error pruning against the hill climbing of the book."""

import numpy as np
import pytest
from oracles import id3 as oracle

from corollary import DataError, GaussianNB, ID3Classifier
from corollary.trees import reduced_error_pruning


def drawn(seed, n=150):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (2 * n, 4))
    y = (X[:, 0] == 1) ^ (rng.random(2 * n) < 0.25)
    return X[:n], y[:n].astype(int), X[n:], y[n:].astype(int)


def one_leaf_more(tree):
    """Yield a tree for every inner node, which is a leaf in it."""
    answer, j, below = tree
    if j is None:
        return
    yield answer, None, {}
    for value, part in below.items():
        for less in one_leaf_more(part):
            yield answer, j, {**below, value: less}


def climb(tree, X, y):
    """Prune one node after the other while the accuracy does not fall."""

    def right(tree):
        return sum(oracle.ask(tree, x) == c for x, c in zip(X, y, strict=True))

    while True:
        trials = list(one_leaf_more(tree))
        best = max(trials, key=lambda t: (right(t), -oracle.size(t)), default=None)
        if best is None or right(best) < right(tree):
            return tree, right(tree)
        tree = best


@pytest.mark.course("S3-79")
@pytest.mark.parametrize("seed", range(6))
def test_the_hill_climbing_of_the_book(seed):
    X, y, V, z = drawn(seed)
    model = ID3Classifier().fit(X, y)
    pruned = reduced_error_pruning(model, V, z)
    rows = [(tuple(x), c, 1.0) for x, c in zip(X.tolist(), y, strict=True)]
    wanted, right = climb(oracle.grow(rows, 4), list(map(tuple, V.tolist())), z)
    assert pruned.n_nodes == oracle.size(wanted)
    assert pruned.accuracy == pytest.approx(right / len(z))


@pytest.mark.course("S3-79")
@pytest.mark.parametrize("seed", range(6))
def test_accuracy_never_falls_and_size_strictly_does(seed):
    X, y, V, z = drawn(seed)
    model = ID3Classifier().fit(X, y)
    pruned = reduced_error_pruning(model, V, z)
    errors = [(1 - pruned.accuracy_before) * len(z)]
    errors += [step.errors for step in pruned.steps]
    assert (np.diff(errors) <= 1e-9).all()
    sizes = [pruned.n_nodes_before, *(step.n_nodes for step in pruned.steps)]
    assert (np.diff(sizes) < 0).all()
    assert pruned.n_nodes == pruned.model.tree_.n_nodes == sizes[-1]
    assert pruned.accuracy == pytest.approx(pruned.model.score(V, z))
    assert pruned.accuracy_before == pytest.approx(model.score(V, z))
    assert model.tree_.n_nodes == pruned.n_nodes_before  # not changed
    assert pruned.accuracy > pruned.accuracy_before  # a quarter of y is noise
    again = reduced_error_pruning(pruned.model, V, z)
    assert not again.steps


@pytest.mark.course("S3-79")
def test_continuous_and_weighted():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 3))
    y = (X[:, 0] > 0) ^ (rng.random(300) < 0.2)
    model = ID3Classifier().fit(X[:150], y[:150])
    w = rng.integers(0, 3, 150)
    one = reduced_error_pruning(model, X[150:], y[150:], w)
    two = reduced_error_pruning(
        model, np.repeat(X[150:], w, axis=0), np.repeat(y[150:], w)
    )
    assert one.steps == two.steps
    assert one.n_nodes < one.n_nodes_before / 2
    np.testing.assert_array_equal(one.model.predict(X), two.model.predict(X))


def test_labels_that_training_did_not_have_are_always_wrong():
    model = ID3Classifier().fit([["a"], ["b"]], [0, 1])
    pruned = reduced_error_pruning(model, [["a"], ["b"], ["b"]], [0, 1, 7])
    assert pruned.accuracy == pytest.approx(2 / 3)
    assert not pruned.steps
    assert str(pruned).startswith("3 nodes pruned to 3 in 0 steps")


def test_refuses():
    model = ID3Classifier().fit([["a"], ["b"]], [0, 1])
    with pytest.raises(DataError, match="ID3Classifier"):
        reduced_error_pruning(GaussianNB(), [[1]], [0])
    with pytest.raises(DataError, match="one label"):
        reduced_error_pruning(model, [["a"]], [0, 1])
    with pytest.raises(DataError, match="not all 0"):
        reduced_error_pruning(model, [["a"]], [0], [0.0])
