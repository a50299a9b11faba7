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


@pytest.mark.parametrize("leaves", [2, 31, 200, 600])
@pytest.mark.parametrize("outputs", [1, 3])
def test_scores_are_those_of_a_walk(leaves, outputs, dtype, rng):
    n, d = 2500, 7
    X = rng.integers(0, 200, size=(n, d)).astype(dtype)
    X[rng.random((n, d)) < 0.1] = np.nan
    counts = np.full(d, 200, np.int32)
    edges = np.full((d, 256), np.inf)
    edges[:, :199] = np.arange(199) + 0.5
    mask = np.arange(d) == 2
    bins = Bins(edges, counts, mask)
    codes = bins.codes(X)
    growth = Growth(CodedRows.of(bins, codes, 1), Limits(leaves, 0, 1))
    trees = [
        growth.grow(Gradients.of(rng.normal(size=n), None)) for _ in range(2 * outputs)
    ]
    model = BoostedTrees.of(bins, np.arange(outputs) + 0.5, trees)
    some = rng.choice(n, 130, replace=False)
    expected = walked(model, codes[:, some])
    np.testing.assert_allclose(model.scores(X[some]), expected, rtol=1e-13)
    coded = np.ascontiguousarray(codes[:, some])
    np.testing.assert_array_equal(model.coded_scores(coded, 2), model.scores(X[some]))
