"""Newton's method on pieces of quadratics ends exactly, wherever it begins."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from corollary.solvers import piecewise_newton


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 1e4))
def test_the_minimum_of_squared_hinges(seed, C):
    rng = np.random.default_rng(seed)
    A, x0 = rng.normal(size=(12, 3)), 10 * rng.normal(size=3)

    def all_of(x):
        u = np.maximum(0, 1 - A @ x)
        H = np.eye(3) + 2 * C * (A[u > 0].T @ A[u > 0])
        return 0.5 * x @ x + C * u @ u, x - 2 * C * A.T @ u, H

    search = piecewise_newton.begin(x0)
    for _ in range(200):
        if search.line:
            points = (search.x + t * search.d for t in piecewise_newton.LENGTHS)
            slopes = np.array([all_of(z)[1] @ search.d for z in points])
            search = piecewise_newton.along(search, slopes)
        search = piecewise_newton.step(search, *all_of(search.trial))
        if search.stalled:
            break
    found = minimize(lambda x: all_of(x)[:2], x0, jac=True, options={"gtol": 1e-9})
    assert search.f <= found.fun * (1 + 1e-9)
    assert np.abs(search.g).max() <= 1e-8 * (1 + C)


def test_a_quadratic_takes_one_step():
    H, c = np.diag([1.0, 4.0]), np.array([1.0, 2.0])
    search = piecewise_newton.begin(np.zeros(2))
    search = piecewise_newton.step(search, 0.0, -c, H)
    np.testing.assert_allclose(search.trial, [1.0, 0.5])
    assert search.decrement == 1.0
