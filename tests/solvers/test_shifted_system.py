"""Three routes to one system, and the laws of the preconditioner."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.core.report import StopReason
from corollary.kernels.gram import MatrixGram
from corollary.solvers.shifted_system import cholesky, conjugate_gradients, pivoted


def system(seed, n=30, rank=12):
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(n, rank))
    return G @ G.T, rng.uniform(0.1, 2.0, n), rng.normal(size=(n, 3))


@given(seed=st.integers(0, 1000))
@settings(max_examples=20, deadline=None)
def test_all_routes_solve_the_system(seed):
    K, shift, Y = system(seed)
    exact = np.linalg.solve(K + np.diag(shift), Y)
    np.testing.assert_allclose(cholesky(K.copy(), shift, Y).A, exact, atol=1e-9)
    gram = MatrixGram(K, np.float64)
    for rank in (1, 5, 30):
        found = conjugate_gradients(
            gram, K.diagonal(), shift, Y, rank=rank, tol=1e-13, max_iter=500
        )
        assert found.stop is StopReason.CONVERGED
        np.testing.assert_allclose(found.A, exact, atol=1e-9)


def test_float32_is_refined_to_what_float64_gives(monkeypatch):
    monkeypatch.setattr("corollary.solvers.shifted_system.SMALL", 10)
    K, shift, Y = system(1, n=200)
    found = cholesky(K.copy(), shift, Y)
    assert found.method == "Cholesky in float32, refined"
    A = K + np.diag(shift)
    left = np.linalg.norm(Y - A @ found.A)
    assert left <= 1e-14 * np.linalg.norm(A) * np.linalg.norm(found.A)
    hard = cholesky(K.copy(), shift * 1e-9, Y)  # float32 has no factor of this
    assert hard.method == "Cholesky, float64"


def test_a_singular_system_has_its_shortest_solution():
    K, _, Y = system(2)
    found = cholesky(K.copy(), np.zeros(30), Y)
    assert found.rank == 12
    np.testing.assert_allclose(found.A, np.linalg.pinv(K) @ Y, atol=1e-9)


def test_pivots_end_at_the_rank_and_take_the_largest_first():
    K, _, _ = system(3)
    G = pivoted(MatrixGram(K, np.float64), K.diagonal(), 30)
    assert G.shape == (30, 12)
    np.testing.assert_allclose(G @ G.T, K, atol=1e-9)
    left = [np.trace(K - G[:, :m] @ G[:, :m].T) for m in range(13)]
    assert (np.diff(left) < 0).all()
    assert G[K.diagonal().argmax(), 0] ** 2 == pytest.approx(K.diagonal().max())


def test_more_pivots_take_fewer_steps():
    K, shift, Y = system(4, n=200, rank=200)
    K /= np.arange(1, 201)[:, None] ** 2 * np.arange(1, 201) ** 2
    steps = [
        conjugate_gradients(
            MatrixGram(K, np.float64),
            K.diagonal(),
            1e-5 * shift,
            Y,
            rank=rank,
            tol=1e-10,
            max_iter=1000,
        ).steps
        for rank in (1, 10, 60)
    ]
    assert steps[0] > 2 * steps[1] > 2 * steps[2]
