"""Conjugate gradients: d steps, the shortest solution, any scale."""

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary import LinearRegression, Ridge, StopReason
from corollary.solvers import conjugate_gradient as cg

SEEDS = st.integers(0, 2**31)
FEW = settings(max_examples=25, deadline=None)


def spectrum(seed, eigenvalues):
    rng = np.random.default_rng(seed)
    d = len(eigenvalues)
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    return Q * np.asarray(eigenvalues) @ Q.T


def solve(A, C, steps, diagonal=None):
    state = cg.begin(C, np.ones(len(A)) if diagonal is None else diagonal)
    for _ in range(steps):
        state = cg.step(state, A @ state.p)
    return state


@given(seed=SEEDS, d=st.integers(1, 12))
@FEW
def test_d_steps_solve_d_equations(seed, d):
    A = spectrum(seed, np.linspace(1, 20, d))
    C = np.random.default_rng(seed).normal(size=(d, 2))
    state = solve(A, C, d)
    np.testing.assert_allclose(state.b, np.linalg.solve(A, C), rtol=1e-8, atol=1e-10)
    assert state.residual() < 1e-9


@given(seed=SEEDS, k=st.integers(1, 5))
@FEW
def test_k_distinct_eigenvalues_need_k_steps(seed, k):
    A = spectrum(seed, np.repeat(np.arange(1.0, k + 1), 4))
    c = np.random.default_rng(seed).normal(size=(4 * k, 1))
    np.testing.assert_allclose(A @ solve(A, c, k).b, c, atol=1e-9)


@given(seed=SEEDS)
@FEW
def test_the_same_iterates_as_scipy(seed):
    A = spectrum(seed, np.geomspace(1, 100, 10))
    c = np.random.default_rng(seed).normal(size=10)
    for steps in (1, 3, 6):
        theirs, _ = scipy.sparse.linalg.cg(A, c, rtol=0, maxiter=steps)
        np.testing.assert_allclose(
            solve(A, c[:, None], steps).b[:, 0], theirs, rtol=1e-7
        )


@given(seed=SEEDS)
@FEW
def test_each_step_is_the_best_in_its_subspace(seed):
    A = spectrum(seed, np.geomspace(1, 1e3, 8))
    c = np.random.default_rng(seed).normal(size=(8, 1))
    krylov = np.linalg.qr(
        np.column_stack([np.linalg.matrix_power(A, i) @ c for i in range(3)])
    )[0]
    best = krylov @ np.linalg.solve(krylov.T @ A @ krylov, krylov.T @ c)
    np.testing.assert_allclose(solve(A, c, 3).b, best, rtol=1e-6, atol=1e-12)


@given(seed=SEEDS, rank=st.integers(1, 6))
@FEW
def test_singular_systems_end_at_the_shortest_solution(seed, rank):
    values = np.zeros(8)
    values[:rank] = np.linspace(1, 5, rank)
    A = spectrum(seed, values)
    c = A @ np.random.default_rng(seed).normal(size=(8, 1))
    np.testing.assert_allclose(solve(A, c, rank).b, np.linalg.pinv(A) @ c, atol=1e-8)


@given(seed=SEEDS)
@FEW
def test_the_preconditioner_makes_units_irrelevant(seed):
    rng = np.random.default_rng(seed)
    A, D = spectrum(seed, np.linspace(1, 9, 6)), 10.0 ** rng.integers(-4, 5, size=6)
    c = rng.normal(size=(6, 1))
    scaled = D[:, None] * A * D
    for steps in range(1, 6):
        plain = solve(A, c, steps, np.diagonal(A))
        other = solve(scaled, D[:, None] * c, steps, np.diagonal(scaled))
        np.testing.assert_allclose(D[:, None] * other.b, plain.b, rtol=1e-7, atol=1e-12)


def test_systems_side_by_side_do_not_meet():
    A = spectrum(0, np.linspace(1, 30, 9))
    C = np.random.default_rng(1).normal(size=(9, 3)) * [1.0, 1e-6, 1e6]
    together = solve(A, C, 4).b
    for j in range(3):
        np.testing.assert_allclose(
            together[:, [j]], solve(A, C[:, [j]], 4).b, rtol=1e-12
        )


def test_a_solved_system_stays_solved():
    A = spectrum(0, np.ones(4))
    C = np.column_stack([np.ones(4), np.zeros(4)])
    state = solve(A, C, 7)
    np.testing.assert_allclose(state.b, C, atol=1e-12)
    assert np.isfinite(state.p).all()
    assert state.residual() < 1e-12


def test_the_residual_is_the_true_one_relative_to_the_right_hand_side():
    A = spectrum(2, np.geomspace(1, 50, 7))
    C = np.random.default_rng(2).normal(size=(7, 2))
    state = solve(A, C, 3)
    true = np.linalg.norm(C - A @ state.b, axis=0) / np.linalg.norm(C, axis=0)
    assert state.residual() == pytest.approx(true.max(), rel=1e-10)


# -- through the public learners -------------------------------------------------------
@pytest.mark.parametrize("solver", ["sparse_cg", "lsqr"])
@pytest.mark.parametrize("weighted", [False, True])
def test_ridge_by_steps_is_ridge_in_closed_form(solver, weighted):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6)) * 10.0 ** np.arange(-3, 3) + 5
    Y = X @ rng.normal(size=(6, 2)) + rng.normal(size=(80, 2))
    w = rng.uniform(0.5, 2, 80) if weighted else None
    steps = Ridge(0.1, solver=solver, tol=1e-12).fit(X, Y, sample_weight=w)
    exact = Ridge(0.1).fit(X, Y, sample_weight=w)
    np.testing.assert_allclose(steps.coef_, exact.coef_, rtol=1e-6)
    np.testing.assert_allclose(steps.intercept_, exact.intercept_, rtol=1e-6)
    assert steps.report_.stop is StopReason.CONVERGED
    assert steps.report_.optimality.value <= 1e-12


def test_sparse_rows_with_very_many_columns_never_meet_a_square_matrix():
    rng = np.random.default_rng(0)
    rows, columns = np.repeat(np.arange(60), 20), rng.integers(4000, size=1200)
    X = sp.csr_array((rng.normal(size=1200), (rows, columns)), shape=(60, 4000))
    y = X @ rng.normal(size=4000) + 3
    model = LinearRegression(tol=1e-10).fit(X, y)
    assert model.report_.facts["route"] == "iterative"
    Xc = X.toarray() - X.toarray().mean(axis=0)
    shortest = Xc.T @ (np.linalg.pinv(Xc @ Xc.T, rcond=1e-10) @ (y - y.mean()))
    np.testing.assert_allclose(model.predict(X), y, rtol=1e-6, atol=1e-6)
    assert np.linalg.norm(model.coef_) >= np.linalg.norm(shortest) * (1 - 1e-9)


def test_few_sparse_rows_need_few_passes():
    """A preconditioner would lead out of the span of the rows: 23 passes, not 8."""
    rng = np.random.default_rng(0)
    S = sp.random(300, 12_000, density=0.01, format="csr", random_state=0)
    y = np.asarray(S[:, :50].sum(axis=1)).ravel() + rng.normal(size=300)
    model = Ridge().fit(S, y)
    assert model.report_.facts["route"] == "iterative"
    assert model.report_.passes <= 12
    theirs = sklearn.linear_model.Ridge(tol=1e-10).fit(S, y)
    size = np.abs(theirs.coef_).max()
    np.testing.assert_allclose(model.coef_, theirs.coef_, atol=1e-3 * size)
