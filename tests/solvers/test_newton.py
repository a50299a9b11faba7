import numpy as np
import pytest
from scipy.optimize import minimize, rosen, rosen_der, rosen_hess
from scipy.special import expit

from corollary.solvers import newton


def run(x, f, most=200, tol=1e-10):
    search, values = newton.begin(np.asarray(x, float)), []
    for _ in range(most):
        search = newton.step(search, *f(search.trial))
        values.append(search.f)
        if search.gradient_norm() <= tol or search.stalled:
            break
    return search, values


def logistic(seed=0, ridge=1e-3):
    rng = np.random.default_rng(seed)
    A, y = rng.normal(size=(40, 3)), rng.choice([-1.0, 1.0], 40)

    def f(x):
        z = y * (A @ x)
        p = expit(-z)
        H = (A * (p * (1 - p))[:, None]).T @ A + ridge * np.eye(3)
        return (
            np.logaddexp(0, -z).sum() + ridge / 2 * x @ x,
            ridge * x - A.T @ (y * p),
            H,
        )

    return f


def test_a_quadratic_takes_one_step():
    H, c = np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([1.0, -2.0])
    search, values = run([5, 5], lambda x: (x @ H @ x / 2 - c @ x, H @ x - c, H))
    np.testing.assert_allclose(search.x, np.linalg.solve(H, c), rtol=1e-12)
    assert len(values) == 2


@pytest.mark.parametrize("seed", range(5))
def test_it_ends_where_scipy_does_and_never_rises(seed):
    f = logistic(seed)
    search, values = run(np.full(3, 8.0), f)
    best = minimize(lambda x: f(x)[:2], np.zeros(3), jac=True, options={"gtol": 1e-9})
    np.testing.assert_allclose(search.x, best.x, atol=1e-6)
    assert (np.diff(values) <= 1e-12).all()
    assert search.decrement < 1e-12


def test_long_steps_are_halved():
    # Newton's own step from here raises f
    def f(x):
        r = np.sqrt(1 + x[0] ** 2)
        return r, x / r, np.array([[r**-3]])

    search, values = run([3.0], f)
    np.testing.assert_allclose(search.x, [0.0], atol=1e-8)
    assert (np.diff(values) <= 0).all()


def test_a_flat_direction_is_left_alone():
    H = np.diag([2.0, 0.0])
    search, _ = run([3.0, 7.0], lambda x: (x[0] ** 2, np.array([2 * x[0], 0.0]), H))
    np.testing.assert_allclose(search.x, [0.0, 7.0], atol=1e-12)


def test_a_valley_that_bends():
    search, _ = run([1.2, 1.4], lambda x: (rosen(x), rosen_der(x), rosen_hess(x)))
    np.testing.assert_allclose(search.x, [1, 1], atol=1e-8)


def test_it_stalls_rather_than_loops():
    # a gradient that is wrong: no step along it lowers f
    f = lambda x: (float(x @ x), -2 * x, 2 * np.eye(1))  # noqa: E731
    search, values = run([1.0], f)
    assert search.stalled
    assert len(values) < 60
    np.testing.assert_array_equal(search.x, [1.0])
