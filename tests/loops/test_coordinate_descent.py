"""Coordinate descent in the compiled loop against the book."""

import numpy as np
import pytest
from oracles import coordinate_descent as oracle

from corollary import loops


def problem(rng, n, p, room=0):
    X, y = rng.normal(size=(n, p)), rng.normal(size=n)
    if p > 2:
        X[:, 1] = 0.0  # never moves
    G = np.full((p + room, p + room), np.nan)  # only the first p x p may be read
    G[:p, :p] = X.T @ X
    return G, X.T @ y, float(y @ y)


@pytest.mark.parametrize("positive", [False, True])
@pytest.mark.parametrize("l2", [0.0, 0.7])
@pytest.mark.parametrize("share", [0.01, 0.1, 0.9, 1.5])
@pytest.mark.parametrize("p", [0, 1, 3, 17, 40])
def test_descend(p, share, l2, positive, rng):
    G, c, y2 = problem(rng, 30, p, room=3)
    l1 = share * np.abs(c).max(initial=1.0)
    for epochs in (0, 1, 7, 25):
        b = np.abs(rng.normal(size=p)) * (rng.random(p) < 0.5)
        q = c - G[:p, :p] @ b
        wanted = oracle.descend(G[:p, :p], c, y2, l1, l2, positive, epochs, -1, b)
        done, gap = loops.descend(G, c, y2, l1, l2, positive, epochs, -1, b, q)
        assert done == wanted[0] == epochs
        np.testing.assert_allclose(gap, wanted[1], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(b, wanted[2], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(q, wanted[3], rtol=1e-8, atol=1e-9)


def test_stops_at_the_goal(rng):
    G, c, y2 = problem(rng, 50, 20)
    l1, goal = 0.05 * np.abs(c).max(), 1e-6 * y2
    b, q = np.zeros(20), c.copy()
    epochs, gap = loops.descend(G, c, y2, l1, 0.0, False, 1000, goal, b, q)
    assert 0 < epochs < 1000
    assert epochs % 10 == 0
    assert 0 <= gap <= goal
    assert loops.descend(G, c, y2, l1, 0.0, False, 1000, goal, b, q) == (0, gap)


@pytest.mark.parametrize("m", [1, 3, 8])
@pytest.mark.parametrize("l2", [0.0, 0.7])
@pytest.mark.parametrize("share", [0.01, 0.3, 1.5])
@pytest.mark.parametrize("p", [0, 1, 3, 17])
def test_descend_blocks(p, share, l2, m, rng):
    G, _, _ = problem(rng, 30, p, room=3)
    C, y2 = np.where(np.arange(p)[:, None] == 1, 0.0, rng.normal(size=(p, m))), 900.0
    C = 5 * C if p > 2 else C
    l1 = share * np.sqrt((C**2).sum(axis=1)).max(initial=0.1)
    for epochs in (0, 1, 7, 25):
        B = rng.normal(size=(p, m)) * (rng.random((p, 1)) < 0.5)
        Q = C - G[:p, :p] @ B
        wanted = oracle.descend_blocks(G[:p, :p], C, y2, l1, l2, epochs, B)
        c, b, q = (np.ascontiguousarray(A.T) for A in (C, B, Q))
        step = np.empty(m)
        done, gap = loops.descend_blocks(G, c, y2, l1, l2, epochs, -1, b, q, step)
        assert done == epochs
        np.testing.assert_allclose(gap, wanted[0], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(b.T, wanted[1], rtol=1e-8, atol=1e-9)
        np.testing.assert_allclose(q.T, wanted[2], rtol=1e-8, atol=1e-9)
