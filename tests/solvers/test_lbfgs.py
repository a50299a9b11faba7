"""L-BFGS finds the minimum that scipy finds, whatever the units."""

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st

from corollary.solvers import lbfgs

SEEDS = st.integers(0, 2**31)


def minimise(function, x, precondition=lambda g: g.copy(), most=500, tol=1e-9):
    """Drive the search; return it, the evaluations and the accepted values."""
    search, values = lbfgs.begin(x), []
    for _ in range(most):
        f, g = function(search.trial)
        search = lbfgs.step(search, f, g, precondition, 1e-16)
        values.append(search.f)
        if search.gradient_norm() <= tol or search.stalled:
            break
    return search, len(values), values


def quadratic(seed, d=8, condition=1e3):
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(d, d)))[0]
    A = Q * np.geomspace(1, condition, d) @ Q.T
    b = rng.normal(size=d)
    return A, b, lambda x: (0.5 * x @ A @ x - b @ x, A @ x - b)


def rosenbrock(x):
    return scipy.optimize.rosen(x), scipy.optimize.rosen_der(x)


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_quadratics_end_at_the_solution_of_the_linear_system(seed):
    A, b, f = quadratic(seed)
    search, _, _ = minimise(f, np.zeros(8))
    np.testing.assert_allclose(search.x, np.linalg.solve(A, b), rtol=1e-5, atol=1e-8)


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_smooth_convex_functions_end_where_scipy_does(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(60, 5)), rng.choice([-1.0, 1.0], 60)

    def logistic(w):
        z = -y * (X @ w)
        p = 1 / (1 + np.exp(-z))
        return np.logaddexp(0, z).sum() + 0.5 * w @ w, -X.T @ (y * p) + w

    search, count, _ = minimise(logistic, np.zeros(5))
    theirs = scipy.optimize.minimize(
        logistic,
        np.zeros(5),
        jac=True,
        method="L-BFGS-B",
        options={"gtol": 1e-9, "ftol": 0},
    )
    assert search.f <= theirs.fun * (1 + 1e-12)
    np.testing.assert_allclose(search.x, theirs.x, atol=1e-5)
    assert count <= 60


def test_a_curved_valley():
    search, count, _ = minimise(rosenbrock, np.array([-1.2, 1.0, -1.2, 1.0]))
    assert search.f < 1e-15
    np.testing.assert_allclose(search.x, 1.0, atol=1e-7)
    assert count < 200


@given(seed=SEEDS)
@settings(max_examples=25, deadline=None)
def test_accepted_values_never_rise(seed):
    start = np.random.default_rng(seed).uniform(-2, 2, size=4)
    _, _, values = minimise(rosenbrock, start, most=60)
    assert (np.diff(values) <= 1e-12 * np.abs(values[:-1])).all()


def test_the_inverse_hessian_as_preconditioner_needs_one_step():
    A, b, f = quadratic(0, condition=1e6)
    search, count, _ = minimise(
        f, np.zeros(8), lambda g: np.linalg.solve(A, g), tol=1e-8
    )
    assert count == 2
    np.testing.assert_allclose(search.x, np.linalg.solve(A, b), rtol=1e-8)


@pytest.mark.parametrize("factor", [1e-6, 1e4])
def test_the_scale_of_the_preconditioner_does_not_matter_after_the_first_step(factor):
    A, b, f = quadratic(1)
    search, count, _ = minimise(f, np.zeros(8), lambda g: factor * g)
    np.testing.assert_allclose(search.x, np.linalg.solve(A, b), rtol=1e-5, atol=1e-8)
    assert count < 80


@given(seed=SEEDS)
@settings(max_examples=15, deadline=None)
def test_preconditioning_is_a_change_of_variables(seed):
    # f(x) with P = D D' walks like f(D u) with P = I
    rng = np.random.default_rng(seed)
    _, _, f = quadratic(seed, d=5, condition=50)
    D = np.exp(rng.normal(size=5))
    plain, there = lbfgs.begin(np.zeros(5)), lbfgs.begin(np.zeros(5))
    for _ in range(8):
        value, g = f(plain.trial)
        plain = lbfgs.step(plain, value, g, lambda g: D * D * g, 1e-16)
        value, g = f(D * there.trial)
        there = lbfgs.step(there, value, D * g, lambda g: g.copy(), 1e-16)
        size = np.abs(plain.trial).max()
        np.testing.assert_allclose(plain.trial, D * there.trial, atol=1e-6 * size)


def test_nan_and_infinity_shorten_the_step():
    def walled(x):
        if x[0] > 1:
            return np.nan, np.full(1, np.nan)
        return float(-np.log1p(-x[0]) - 1.5 * x[0]), 1 / (1 - x) - 1.5

    search, _, _ = minimise(walled, np.array([-10.0]), lambda g: 100 * g)
    np.testing.assert_allclose(search.x, 1 / 3, rtol=1e-6)


def test_where_no_step_helps_the_search_says_stalled():
    search, count, _ = minimise(
        lambda x: (float(np.abs(x).sum()), -np.sign(x)), np.ones(2)
    )
    assert search.stalled  # the gradient lies: it points the wrong way
    np.testing.assert_array_equal(search.x, 1.0)
    assert count == lbfgs.MOST_TRIES + 2


def test_values_that_are_all_noise_end_the_search():
    rng = np.random.default_rng(0)

    def flat(x):
        return 1.0 + 1e-16 * rng.normal(), np.full(2, 1e-6)

    search = lbfgs.begin(np.zeros(2))
    for _ in range(40):
        f, g = flat(search.trial)
        search = lbfgs.step(search, f, g, lambda g: g.copy(), 1e-9)
        if search.stalled:
            break
    assert search.stalled


def test_a_record_of_the_search_is_never_changed():
    _, _, f = quadratic(2)
    states, search = [], lbfgs.begin(np.zeros(8))
    for _ in range(6):
        value, g = f(search.trial)
        states.append((search, search.x.copy(), search.trial.copy()))
        search = lbfgs.step(search, value, g, lambda g: g.copy(), 1e-16)
    for state, x, trial in states:
        np.testing.assert_array_equal(state.x, x)
        np.testing.assert_array_equal(state.trial, trial)
    assert search.pairs.shape[1] <= lbfgs.MEMORY
