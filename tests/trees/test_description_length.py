"""Description lengths by hand, and the shortest of all prunings by trying them."""

from itertools import combinations
from math import comb, log2

import numpy as np
import pytest

from corollary import DataError, GaussianNB, ID3Classifier
from corollary.datasets import play_tennis
from corollary.trees import choose_by_description_length, description_length
from corollary.trees.multiway_tree import kept


@pytest.mark.course("S3-80")
def test_play_tennis_by_hand():
    table = play_tennis()
    full = description_length(ID3Classifier().fit(table.X, table.y))
    assert full.tree == pytest.approx(3 * (1 + log2(4)) + 5 * 2)
    assert full.errors == pytest.approx(sum(log2(n + 1) for n in (4, 2, 3, 3, 2)))
    assert full.total == full.tree + full.errors
    stump = description_length(ID3Classifier(max_depth=1).fit(table.X, table.y))
    assert stump.tree == pytest.approx(3 + 3 * 2)
    wrong = log2(5) + 2 * (log2(6) + log2(comb(5, 2)))
    assert stump.errors == pytest.approx(wrong)


def test_thresholds_and_more_classes_by_hand():
    X, y = [[0.5], [1.5], [2.5], [3.5]], ["a", "a", "b", "c"]
    model = ID3Classifier(max_depth=1).fit(X, y)
    length = description_length(model)
    assert length.tree == pytest.approx(1 + 0 + log2(3) + 2 * (1 + log2(3)))
    right = log2(3) + log2(comb(2, 1)) + log2(2)
    assert length.errors == pytest.approx(log2(3) + right)


@pytest.mark.course("S3-80")
@pytest.mark.parametrize("seed", range(6))
def test_no_pruning_is_shorter(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (60, 3))
    y = (X[:, 0] == 1) ^ (rng.random(60) < 0.15)
    model = ID3Classifier(max_depth=2).fit(X, y)
    chosen = choose_by_description_length(model)
    inner = np.flatnonzero(model.tree_.feature >= 0)
    lengths = []
    for size in range(len(inner) + 1):
        for leaves in combinations(inner, size):
            trial = ID3Classifier().fit(X, y)
            trial.tree_ = kept(model.tree_, list(leaves))
            lengths.append(description_length(trial).total)
    assert chosen.length.total == pytest.approx(min(lengths))
    assert chosen.length.total <= chosen.length_before.total
    assert chosen.n_nodes <= chosen.n_nodes_before
    assert model.tree_.n_nodes == chosen.n_nodes_before


@pytest.mark.course("S3-80")
def test_noise_is_cut_off_and_signal_kept():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 3, (800, 6))
    y = (X[:, 0] == 1) ^ (rng.random(800) < 0.2)
    full = ID3Classifier().fit(X[:400], y[:400])
    chosen = choose_by_description_length(full)
    assert chosen.n_nodes == 4
    assert chosen.model.score(X[400:], y[400:]) > full.score(X[400:], y[400:]) + 0.05
    noise = ID3Classifier().fit(X[:, 1:], y)
    assert choose_by_description_length(noise).n_nodes == 1
    assert "pruned to 4" in str(chosen)


def test_refuses_other_models():
    with pytest.raises(DataError, match="ID3Classifier"):
        description_length(GaussianNB())
