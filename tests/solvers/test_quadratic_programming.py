"""Convex quadratic programmes: the oracle's answer, the gap, proofs of none."""

import clarabel
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csc_matrix

from corollary.core.errors import DataError
from corollary.projections import project_simplex
from corollary.solvers.quadratic_programming import solve_qp


@pytest.mark.course("S0-27")
@settings(max_examples=30, deadline=None)
@given(st.integers(1, 6), st.integers(0, 6), st.integers(0, 10**6))
def test_kkt_conditions_and_oracle(n, m, seed):
    rng = np.random.default_rng(seed)
    R = rng.normal(size=(n, n))
    P, q = R @ R.T + 0.05 * np.eye(n), rng.normal(size=n)
    A, x0 = rng.normal(size=(n // 3, n)), rng.normal(size=n)
    G = rng.normal(size=(m, n))
    b, h = A @ x0, G @ x0 + rng.random(m)
    found = solve_qp(P, q, A, b, G, h)
    assert found.status == "optimal"
    x, y, z = found.x, found.equality, found.inequality
    np.testing.assert_allclose(P @ x + q + A.T @ y + G.T @ z, 0, atol=1e-8)
    np.testing.assert_allclose(A @ x, b, atol=1e-8)
    assert (G @ x <= h + 1e-8).all()
    assert (z >= 0).all()
    assert np.abs(z * (h - G @ x)).max(initial=0) <= 1e-7
    assert found.value - found.dual_value == pytest.approx(0, abs=1e-7)
    rows = csc_matrix(np.vstack([A, G]))
    cones = [clarabel.ZeroConeT(len(b)), clarabel.NonnegativeConeT(m)]
    quiet = clarabel.DefaultSettings()
    quiet.verbose = False
    right = np.concatenate([b, h])
    best = clarabel.DefaultSolver(csc_matrix(P), q, rows, right, cones, quiet).solve()
    assert found.value == pytest.approx(best.obj_val, abs=1e-6 * (1 + abs(found.value)))


@pytest.mark.course("S0-27")
def test_the_simplex_as_a_programme():
    x = np.array([0.9, 0.4, -0.3, 0.2])
    found = solve_qp(
        np.eye(4), -x, np.ones((1, 4)), [1.0], -np.eye(4), np.zeros(4), tol=1e-12
    )
    np.testing.assert_allclose(found.x, project_simplex(x).point, atol=1e-9)


@pytest.mark.course("S0-27")
def test_proofs_that_there_is_no_answer():
    # x <= -1 and x >= 1
    G, h = np.array([[1.0], [-1.0]]), np.array([-1.0, -1.0])
    none = solve_qp([[1.0]], [0.0], None, None, G, h)
    assert none.status == "infeasible"
    z = none.inequality
    assert (z >= 0).all()
    assert abs(float((G.T @ z)[0])) <= 1e-12
    assert h @ z < 0
    endless = solve_qp([[0.0]], [-1.0], None, None, [[-1.0]], [0.0])
    assert endless.status == "unbounded"
    assert -endless.x[0] < 0
    assert "prove" in str(none)


def test_a_linear_programme_and_a_plain_system():
    # min -x1 - x2 in the unit square
    G, h = np.vstack([np.eye(2), -np.eye(2)]), np.array([1.0, 1.0, 0.0, 0.0])
    corner = solve_qp(np.zeros((2, 2)), [-1.0, -1.0], None, None, G, h)
    np.testing.assert_allclose(corner.x, [1.0, 1.0], atol=1e-7)
    free = solve_qp([[2.0, 0.0], [0.0, 4.0]], [-2.0, -4.0])
    np.testing.assert_allclose(free.x, [1.0, 1.0])
    assert "optimal" in str(free)


def test_misuse():
    with pytest.raises(DataError, match="P must be symmetric"):
        solve_qp([[1.0, 1.0], [0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(DataError, match="eigenvalues >= 0"):
        solve_qp([[-1.0]], [0.0])
    with pytest.raises(DataError, match="A and b must come together"):
        solve_qp([[1.0]], [0.0], [[1.0]])
    with pytest.raises(DataError, match="must be \\(k, 1\\)"):
        solve_qp([[1.0]], [0.0], [[1.0, 2.0]], [1.0])
