"""Sums of trees without walks against walks."""

import numpy as np
import pytest

from corollary.ensembles.boosted_trees import BoostedTrees
from corollary.trees.bins import Bins
from corollary.trees.histogram_tree import CodedRows, Gradients, Growth, Limits


def walked(trees, codes):
    """Follow every row from every root."""
    K, n = len(trees.base), codes.shape[1]
    out = np.tile(trees.base, (n, 1))
    number = np.cumsum((trees.feature >= 0) & trees.bins.categorical[trees.feature]) - 1
    for t, start in enumerate(trees.starts[:-1]):
        for i in range(n):
            k = start
            while (f := trees.feature[k]) >= 0:
                code = codes[f, i]
                if trees.bins.categorical[f]:
                    left = trees.sets[number[k], code // 32] >> (code % 32) & 1
                else:
                    lost = code == trees.bins.counts[f]
                    left = trees.missing_left[k] if lost else code <= trees.bin[k]
                k = start + trees.left[k] + (0 if left else 1)
            out[i, t % K] += trees.value[k]
    return out


def bins_of(counts, mask):
    """Return bins of whole numbers from 0."""
    edges = np.full((len(counts), 256), np.inf)
    for f, count in enumerate(counts):
        edges[f, : count - 1] = np.arange(count - 1) + 0.5
    return Bins(edges, np.asarray(counts, np.int32), mask)


@pytest.mark.parametrize("leaves", [(2,), (31,), (200,), (600,), (31, 600, 1, 31, 31)])
@pytest.mark.parametrize("outputs", [1, 3])
def test_scores_are_those_of_a_walk(leaves, outputs, dtype, rng):
    n, d = 2500, 7
    X = rng.integers(0, 200, size=(n, d)).astype(dtype)
    X[rng.random((n, d)) < 0.1] = np.nan
    bins = bins_of([200] * d, np.arange(d) == 2)
    rows = CodedRows.of(bins, bins.codes(X), 1)
    sizes = [leaves[t % len(leaves)] for t in range(7 * outputs)]
    trees = [
        Growth(rows, Limits(size, 0, 1)).grow(Gradients.of(rng.normal(size=n), None))
        for size in sizes
    ]
    model = BoostedTrees.of(bins, np.arange(outputs) + 0.5, trees)
    some = X[rng.choice(n, 400, replace=False)]
    some[300:] = np.nan_to_num(some[300:], nan=7)  # blocks without missing values
    codes = bins.codes(some)
    expected = walked(model, codes)
    np.testing.assert_allclose(model.scores(some), expected, rtol=1e-13)
    np.testing.assert_array_equal(model.coded_scores(codes, 2), model.scores(some))
