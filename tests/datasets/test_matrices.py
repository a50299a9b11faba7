"""Lauchli's matrix keeps its singular values; the concepts shatter two points."""

from itertools import combinations

import numpy as np
import pytest

from corollary.datasets import concepts, lauchli


@pytest.mark.parametrize("n", [3, 6])
def test_lauchli_singular_values_survive_and_eigenvalues_do_not(n):
    X = lauchli(n, 1e-9)
    s = np.linalg.svd(X, compute_uv=False)
    np.testing.assert_allclose(s, [np.sqrt(n), *[1e-9] * (n - 1)], rtol=1e-6)
    assert np.linalg.matrix_rank(X @ X.T) == 1


def test_concepts_have_dimension_two():
    table = concepts()
    shattered = [
        pair
        for pair in combinations(range(3), 2)
        if len(np.unique(table[:, pair], axis=0)) == 4
    ]
    assert shattered == [(0, 1), (0, 2)]
    assert len(np.unique(table, axis=0)) < 8
