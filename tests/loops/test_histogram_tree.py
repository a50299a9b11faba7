"""Trees from integer histograms against every split by the book."""

import numpy as np
import pytest
from oracles import histogram_tree as oracle

from corollary import loops
from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import CodedRows, Gradients, Growth, Limits


def coded(rng, n, d, most=12, missing=False, categories=()):
    """Return bins and codes (d, n) of made-up features."""
    counts = rng.integers(1, most + 1, size=d).astype(np.int32)
    codes = np.stack([rng.integers(0, c + missing, size=n) for c in counts])
    mask = np.isin(np.arange(d), categories)
    edges = np.full((d, 256), np.inf)
    return Bins(edges, counts, mask), codes.astype(np.uint8)


def integers(rng, n, kind):
    """Return gradients that are exact in every form, and what they stand for."""
    g = rng.integers(-40, 41, size=n).astype(float)
    g[:2] = -40, 40
    if kind == "constant":
        return g, np.ones(n), Gradients.of(g, None)
    h = rng.integers(1, 9, size=n).astype(float)
    h[0] = 8
    if kind == "wide":
        return g, h, Gradients.of(g, h)
    h[:] = 8.0  # estimates of counts are exact
    b = n.bit_length()
    packed = (g.astype(np.int64) * 65536 + h.astype(np.int64)).astype(np.int32)
    return g, h, Gradients(packed, None, False, (1.0, 1.0, 0, b + 4))


@pytest.mark.parametrize("kind", ["constant", "wide", "packed"])
@pytest.mark.parametrize("missing", [False, True], ids=["full", "missing"])
@pytest.mark.parametrize("n", [30, 150, 600])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_the_best_first_tree(seed, n, missing, kind):
    rng = np.random.default_rng([seed, n])
    bins, codes = coded(rng, n, 5, missing=missing, categories=(1, 4))
    g, h, gradients = integers(rng, n, kind)
    growth = Growth(CodedRows.of(bins, codes, 1), Limits(9, 0, 4, shrinkage=1.0))
    scores = np.zeros(n)
    tree = growth.grow(gradients, scores=scores)
    given = codes, g, h, bins.counts, bins.categorical
    value, leaves = oracle.grown(*given, 9, 4, 0.0)
    assert (tree.feature < 0).sum() == leaves
    np.testing.assert_allclose(scores, value, rtol=1e-6, atol=1e-7)


@pytest.mark.parametrize("kind", ["constant", "wide", "packed"])
def test_threads_grow_the_same_tree(kind):
    rng = np.random.default_rng(1)
    n, d = 60_000, 37
    bins, codes = coded(rng, n, d, most=255, missing=True, categories=(3,))
    g, _, gradients = integers(rng, n, kind)
    codes[5] = np.clip(np.searchsorted(np.linspace(-40, 40, 20), g), 0, 19)
    bins.counts[5] = 20
    found = []
    for threads in (1, 2, 3, 8):
        rows = CodedRows.of(bins, codes, threads)
        scores = np.zeros(n)
        growth = Growth(rows, Limits(31, 0, 20))
        tree = growth.grow(gradients, seed=7, scores=scores)
        found.append((*vars(tree).values(), scores))
    for other in found[1:]:
        for a, b in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(a, b)


def test_a_leaf_has_as_many_rows_as_asked_where_counts_are_estimated():
    rng = np.random.default_rng(2)
    n = 20_000
    bins, codes = coded(rng, n, 6, most=255)
    g, h = rng.normal(size=n) * 0.3, rng.uniform(0.0001, 0.25, size=n) ** 3
    gradients = Gradients.of(g.clip(-1, 1), h, (1.0, 0.25))
    assert gradients.h is None
    leaf = np.empty(n, np.int32)
    growth = Growth(CodedRows.of(bins, codes, 2), Limits(63, 0, 150))
    tree = growth.grow(gradients, leaf_of=leaf)
    rows = np.bincount(leaf, minlength=len(tree.feature))
    assert (rows[tree.feature < 0] >= 150).all()
    np.testing.assert_array_equal(rows[tree.feature < 0], tree.count[tree.feature < 0])
    assert (tree.feature < 0).sum() > 20


def test_few_kept_histograms_change_nothing(monkeypatch):
    rng = np.random.default_rng(3)
    n = 3000
    bins, codes = coded(rng, n, 8, most=100, missing=True)
    _, _, gradients = integers(rng, n, "wide")
    trees = []
    for most in (2**28, 1):
        monkeypatch.setattr("corollary.trees.histogram_tree.BYTES", most)
        growth = Growth(CodedRows.of(bins, codes, 1), Limits(40, 0, 5))
        trees.append(growth.grow(gradients))
    for a, b in zip(*(vars(tree).values() for tree in trees), strict=True):
        np.testing.assert_array_equal(a, b)


def test_integer_sums_are_the_sums_within_their_bound():
    rng = np.random.default_rng(4)
    n = 50_000
    g, h = rng.normal(size=n), rng.uniform(0, 2, size=n)
    for gradients in (Gradients.of(g, h), Gradients.of(g, None)):
        unit = gradients.fields[0]
        error = abs(unit * gradients.g.astype(float).sum() - g.sum())
        assert error <= n * unit / 2
        assert np.abs(unit * gradients.g - g).max() <= unit / 2 * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["constant", "wide", "packed"])
@pytest.mark.parametrize("d", [3, 16, 37])
def test_histograms_of_some_rows_are_sums_of_their_integers(d, kind):
    rng = np.random.default_rng(d)
    n = 900
    bins, codes = coded(rng, n, d, most=255, missing=True)
    g, _, gradients = integers(rng, n, kind)
    rows = CodedRows.of(bins, codes, 1)
    some = rng.permutation(n)[:500].astype(np.int32)
    width = 1 if gradients.h is None else 2
    cells = np.full(d * 256 * width, -1, np.int64)
    form = gradients.g, gradients.h, gradients.constant, gradients.fields
    loops.sum_histograms(rows.groups, rows.ends, *form, some, cells)
    cells = cells.reshape(d, 256, width)
    unit_g, _, hessian_at, gradient_at = gradients.fields
    for f in range(d):
        sums = np.bincount(codes[f, some], g[some], 256)
        parts = cells[f, :, 0] >> (0 if width == 2 else gradient_at)
        np.testing.assert_allclose(parts * unit_g, sums, atol=1e-6)
        if kind != "packed":
            counts = cells[f, :, -1] & ((1 << (hessian_at or gradient_at)) - 1)
            np.testing.assert_array_equal(
                counts, np.bincount(codes[f, some], None, 256)
            )


def test_rows_are_parted_in_their_order():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 256, size=500).astype(np.uint8)
    left = rng.integers(0, 2, size=256).astype(np.uint8)
    rows = rng.permutation(500).astype(np.int32)
    before, others = rows.copy(), np.empty(500, np.int32)
    middle = loops.part_rows(codes, left, rows, 40, 460, others)
    own = before[40:460]
    goes = left[codes[own]].astype(bool)
    np.testing.assert_array_equal(rows[40:middle], own[goes])
    np.testing.assert_array_equal(rows[middle:460], own[~goes])
    for outside in (np.s_[:40], np.s_[460:]):
        np.testing.assert_array_equal(rows[outside], before[outside])
