"""A tree grown from sums of chunks is the tree grown from all rows, to the bit."""

import numpy as np
import pytest

from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import CodedRows, Gradients, Growth, Limits, Scale
from corollary.trees.rows_in_leaves import RowsInLeaves
from corollary.trees.summed_tree import SummedGrowth, SummedTree, Units


def made_rows(n, d, seed, categories=()):
    """Return bins, codes, gradients and hessians; some codes say missing."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(2, 200, size=d).astype(np.int32)
    codes = np.stack([rng.integers(0, c + 1, size=n) for c in counts])
    edges = np.full((d, 256), np.inf)
    bins = Bins(edges, counts, np.isin(np.arange(d), categories))
    g = 0.3 * rng.normal(size=n) + (codes[0] > 30) * np.sin(codes[1] / 20.0)
    h = rng.uniform(0.0001, 0.25, size=n) ** 3
    return bins, codes.astype(np.uint8), g.clip(-1, 1), h


def gradients(kind, g, h, scale=None):
    if kind == "constant":
        return Gradients.of(g, None, scale=scale)
    return Gradients.of(g, h, (1.0, 0.25) if kind == "packed" else None, scale=scale)


def by_sums(rows, kind, growth, cuts):
    """Grow a tree from chunks; return it, the leaf of each row and the rounds."""
    bins, codes, g, h = rows
    n = len(g)
    largest = 1.0 if kind == "constant" else h.max()
    scale = Scale(n, (np.abs(g).max(), largest))
    chunks = []
    for a, b in zip([0, *cuts], [*cuts, n], strict=True):
        own = gradients(kind, g[a:b], h[a:b], scale)
        coded = CodedRows.of(bins, np.ascontiguousarray(codes[:, a:b]), 1)
        chunks.append(RowsInLeaves(coded, own))
    cells = sum(chunk.cells(0) for chunk in chunks)
    units = Units.of(chunks[0].gradients)
    tree, rounds = SummedTree.of(growth, units, n, cells, seed=7), 0
    while asks := tree.asks():
        rounds += 1
        for chunk in chunks:
            for ask in asks:
                chunk.part(ask)
        for ask in asks:
            left = sum(len(chunk.of(ask.left)) for chunk in chunks)
            tree.take(ask, left, sum(chunk.cells(ask.summed) for chunk in chunks))
    return tree, rounds


RULES = {
    "plain": {},
    "deep": {"max_depth": 4},
    "drawn": {"max_features": 3},
    "ridge": {"l2": 2.5},
}


@pytest.mark.parametrize("kind", ["constant", "packed", "wide"])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("categories", [(), (1, 4)], ids=["numbers", "categories"])
@pytest.mark.parametrize("n", [400, 20_000])
def test_the_tree_is_the_one_of_all_rows(n, categories, rule, kind):
    rows = made_rows(n, 6, n, categories)
    bins, codes, g, h = rows
    limits = Limits(**{"max_leaves": 24, "min_samples_leaf": 20, **RULES[rule]})
    whole = Growth(CodedRows.of(bins, codes, 1), limits)
    expected = whole.grow(gradients(kind, g, h), seed=7)
    growth = SummedGrowth(bins, limits, None, None)
    tree, rounds = by_sums(rows, kind, growth, [n // 3, n // 3, n // 2 + 1])
    for name, value in vars(tree.made()).items():
        np.testing.assert_array_equal(value, getattr(expected, name), err_msg=name)
    assert rounds < 24


@pytest.mark.parametrize("kind", ["constant", "wide"])
def test_signs_and_sets_of_features_bound_it_alike(kind):
    rows = made_rows(9000, 6, 3)
    bins, codes, g, h = rows
    signs = np.array([1, -1, 0, 0, 1, 0], np.int8)
    sets = np.array([[1], [3], [2], [2], [3], [1]], np.uint64)
    limits = Limits(31)
    whole = Growth(CodedRows.of(bins, codes, 1), limits, signs, sets)
    expected = whole.grow(gradients(kind, g, h), seed=7)
    growth = SummedGrowth(bins, limits, signs, sets)
    tree, _ = by_sums(rows, kind, growth, [1, 5000])
    for name, value in vars(tree.made()).items():
        np.testing.assert_array_equal(value, getattr(expected, name), err_msg=name)


def test_a_split_of_too_few_rows_is_searched_again():
    rows = made_rows(20_000, 6, 2)
    bins, codes, g, h = rows
    limits = Limits(63, 0, 150)
    expected = Growth(CodedRows.of(bins, codes, 2), limits).grow(
        gradients("packed", g, h), seed=7
    )
    growth = SummedGrowth(bins, limits, None, None)
    tree, _ = by_sums(rows, "packed", growth, [700])
    assert any(site.strict > 1 for site in tree.sites)
    assert (tree.made().count >= 150).all()
    for name, value in vars(tree.made()).items():
        np.testing.assert_array_equal(value, getattr(expected, name), err_msg=name)


def test_the_sites_hold_the_rows_of_the_leaves():
    rows = made_rows(3000, 4, 1)
    bins, codes, g, h = rows
    limits = Limits(12)
    leaf = np.empty(3000, np.int32)
    whole = Growth(CodedRows.of(bins, codes, 1), limits)
    whole.grow(gradients("constant", g, h), seed=7, leaf_of=leaf)
    tree, _ = by_sums(rows, "constant", SummedGrowth(bins, limits, None, None), [10])
    counts = np.bincount(leaf, minlength=len(tree.nodes()))
    for node, site in enumerate(tree.nodes()):
        assert counts[node] in (0, site.rows)
