"""Least squares on stacks of subsets: each one as it is alone; draws by weight."""

import numpy as np
import pytest

from corollary.linear.robust.subset_fits import drawn_subsets, subset_solutions


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e9])
@pytest.mark.parametrize("targets", [1, 2])
def test_each_subset_is_solved_as_if_alone(k, scale, targets):
    rng = np.random.default_rng(k)
    X, Y = rng.normal(size=(12, 2)), scale * rng.normal(size=(12, targets))
    X[6:9] = X[6]  # subsets of these have many solutions
    subsets = np.array([rng.permutation(12)[:k] for _ in range(40)] + [range(6, 6 + k)])
    y = Y[:, 0] if targets == 1 else Y
    found = subset_solutions(X, y, subsets, intercept=True)
    A = np.column_stack([np.ones(12), X])
    for subset, b in zip(subsets, found, strict=True):
        alone = np.linalg.lstsq(A[subset], y[subset], rcond=None)[0]
        np.testing.assert_allclose(b, alone, rtol=1e-6, atol=1e-9 * scale)


@pytest.mark.parametrize("scale", [1e-12, 1.0, 1e12])
def test_columns_that_are_one_to_rounding_have_the_shortest_solution(scale):
    rng = np.random.default_rng(0)
    x = rng.normal(size=300)
    X = np.column_stack([x, 0.1 * x])  # some of these subsets look regular to a solver
    y = scale * rng.normal(size=300)
    subsets = np.arange(300).reshape(100, 3)
    A = np.column_stack([np.ones(300), X])
    for subset in subsets:
        b = subset_solutions(X, y, subset[None], intercept=True)[0]
        alone = np.linalg.lstsq(A[subset], y[subset], rcond=1e-12)[0]
        np.testing.assert_allclose(b, alone, rtol=1e-6, atol=1e-9 * scale)


def test_draws_are_distinct_and_follow_the_weights():
    w = np.array([1.0, 2.0, 3.0, 4.0])
    drawn = drawn_subsets(np.random.default_rng(0), 4000, 2, w)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    found = np.bincount(drawn.ravel(), minlength=4) / 4000
    p = w / w.sum()
    wanted = [
        p[i] + sum(p[j] * p[i] / (1 - p[j]) for j in range(4) if j != i)
        for i in range(4)
    ]
    np.testing.assert_allclose(found, wanted, atol=0.03)


@pytest.mark.parametrize("size", [2, 9])
def test_equal_weights_give_every_row_its_share(size):
    drawn = drawn_subsets(np.random.default_rng(1), 3000, size, np.ones(20))
    assert all(len(set(subset)) == size for subset in drawn.tolist())
    shares = np.bincount(drawn.ravel(), minlength=20) / 3000
    np.testing.assert_allclose(shares, size / 20, atol=0.05)
