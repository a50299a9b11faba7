"""A round of dual descent is the book's."""

import numpy as np
import pytest
from oracles import multiclass_hinge as oracle


@pytest.mark.parametrize("summed", [False, True], ids=["largest", "sum"])
@pytest.mark.parametrize("constant", [0.0, 2.0])
def test_rounds_are_those_of_the_definition(summed, constant, rows, loop, rng):
    n, d, K = 30, 5, 4
    X, args = rows(n, d)
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, float)
    y = rng.integers(K, size=n).astype(np.int32)
    C = rng.uniform(0.1, 2.0, size=n)
    squares = (dense**2).sum(axis=1) + constant**2
    alpha, W, b = np.zeros((n, K)), np.zeros((K, d)), np.zeros(K)
    for _ in range(3):
        order = rng.permutation(n)
        wanted = oracle.hinge_round(
            dense, y, order, C, squares, summed, constant, alpha, W, b
        )
        loop("hinge_round")(*args, y, order, C, squares, summed, constant, alpha, W, b)
        for ours, theirs in zip((alpha, W, b), wanted, strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
    assert np.abs(alpha.sum(axis=1)).max() < 1e-9
    own = alpha[np.arange(n), y]
    assert (own <= C * ((K - 1) if summed else 1) + 1e-9).all()


def test_rows_of_zeros_move_nothing(rows, loop):
    _, args = rows(3, 2)
    y, order = np.zeros(3, np.int32), np.arange(3)
    alpha, W, b = np.zeros((3, 2)), np.zeros((2, 2)), np.zeros(2)
    C, squares = np.ones(3), np.zeros(3)
    loop("hinge_round")(*args, y, order, C, squares, False, 0.0, alpha, W, b)
    assert not alpha.any()
    assert not W.any()
