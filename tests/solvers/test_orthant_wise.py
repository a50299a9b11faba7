import numpy as np
import pytest

from corollary.solvers import lbfgs, orthant_wise, proximal_newton
from corollary.solvers.orthant_wise import least_subgradient


def problem(d=30, seed=0, free=0):
    """Return a quadratic, its penalties and its minimiser by coordinate descent."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2 * d, d)) * rng.uniform(0.3, 3, d)
    H, c = A.T @ A / d, 3 * rng.normal(size=d)
    l1 = np.full(d, 2.0)
    l1[:free] = 0.0
    x = np.zeros(d)
    for _ in range(3000):
        for j in range(d):
            u = c[j] - H[j] @ x + H[j, j] * x[j]
            x[j] = np.sign(u) * max(abs(u) - l1[j], 0.0) / H[j, j]
    return H, c, l1, x


def value(H, c, l1, x):
    return 0.5 * x @ H @ x - c @ x + l1 @ np.abs(x)


@pytest.mark.parametrize("free", [0, 3])
@pytest.mark.parametrize("seed", range(3))
def test_ends_at_the_minimum_with_exact_zeros(free, seed):
    H, c, l1, x = problem(seed=seed, free=free)
    search = lbfgs.begin(np.zeros(len(c)))
    last = np.inf
    for _ in range(400):
        at = search.trial
        F, g = value(H, c, l1, at), H @ at - c
        search = orthant_wise.step(
            search, F, g, l1, lambda v: v / np.diagonal(H), 1e-16
        )
        assert search.f <= last + 1e-9 * abs(search.f)  # never rises
        last = search.f
        if np.abs(least_subgradient(search.x, search.g, l1)).max() < 1e-8:
            break
    np.testing.assert_allclose(search.x, x, atol=1e-6)
    np.testing.assert_array_equal(search.x == 0, x == 0)


@pytest.mark.parametrize("free", [0, 3])
def test_a_quadratic_is_its_own_model(free):
    H, c, l1, x = problem(free=free)
    search = proximal_newton.begin(np.zeros(len(c)))
    for _ in range(8):
        at = search.trial
        F, g = value(H, c, l1, at), H @ at - c
        search = proximal_newton.step(search, F, g, H, l1, l1 == 0, 1e-16)
        if search.stalled:
            break
    np.testing.assert_allclose(search.x, x, atol=1e-9)
    np.testing.assert_array_equal(search.x == 0, x == 0)
    assert search.decrement == pytest.approx(0.0, abs=1e-12)


def test_a_step_that_is_too_long_is_shortened():
    # log cosh is flat far out: Newton's own step from 3 overshoots by far
    def look(x):
        return np.log(np.cosh(x)).sum(), np.tanh(x), np.diag(1 / np.cosh(x) ** 2)

    l1, search = np.array([0.1]), proximal_newton.begin(np.array([3.0]))
    for _ in range(60):
        at = search.trial
        f, g, H = look(at)
        before = search.f
        search = proximal_newton.step(
            search, f + float(l1 @ np.abs(at)), g, H, l1, np.array([False]), 1e-16
        )
        assert search.f <= before
        if search.stalled:
            break
    assert search.x.tolist() == [0.0]


def test_the_least_subgradient():
    v = least_subgradient(
        np.array([1.0, -1.0, 0.0, 0.0, 0.0]), np.array([0.5, 0.5, 0.5, 2.0, -2.0]), 1.0
    )
    assert v.tolist() == [1.5, -0.5, 0.0, 1.0, -1.0]
