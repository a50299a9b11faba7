import numpy as np
import pytest

from corollary.objectives.losses import Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.accelerated import Accelerated
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import Problem, linear_problem, quadratic_problem


@pytest.mark.course("S1-54")
@pytest.mark.parametrize("restart", [False, True])
def test_obeys_nesterovs_bound_where_gradient_descent_does_not(restart):
    d = 60  # the chain that is hard for every first-order method
    H = (np.diag(np.full(d, 2.0)) - np.eye(d, k=1) - np.eye(d, k=-1)) / 4
    c = np.zeros(d)
    c[0] = 0.25
    problem = quadratic_problem(H, c)
    x = np.linalg.solve(H, c)
    best, L = problem.value(x), problem.lipschitz
    k = np.arange(1, 101)
    bound = 2 * L * (x @ x) / (k + 1) ** 2
    fast = minimize(problem, Accelerated(restart=restart), tol=0, max_iter=100)
    slow = minimize(problem, "gradient_descent", tol=0, max_iter=100)
    assert (fast.trace[1:] - best <= bound).all()
    assert fast.trace[-1] - best < 0.25 * (slow.trace[-1] - best)


@pytest.mark.course("S1-54")
def test_the_bound_holds_with_l1_too():
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(40, 80)), np.zeros(80)
    w[:5] = 3
    problem = linear_problem(X, X @ w, Squared(), Penalty(0.5, 1.0))
    best = minimize(problem, Accelerated(), tol=1e-10, max_iter=10**4)
    run = minimize(problem, Accelerated(restart=False), tol=0, max_iter=150)
    k = np.arange(1, 151)
    bound = 2 * problem.lipschitz * (best.x @ best.x) / (k + 1) ** 2
    assert (run.trace[1:] - best.objective <= bound + 1e-12).all()


@pytest.mark.course("S1-54")
def test_restarts_make_it_geometric_where_F_is_strongly_convex():
    problem = quadratic_problem(np.diag(np.geomspace(1, 1000, 20)), np.ones(20))
    counts = {
        name: minimize(problem, solver, tol=1e-8, max_iter=10**5).iterations
        for name, solver in (
            ("restarted", Accelerated()),
            ("plain", Accelerated(restart=False)),
            ("gradient", "gradient_descent"),
        )
    }
    assert counts["restarted"] < counts["plain"] / 2
    assert counts["restarted"] < counts["gradient"] / 10


def test_without_a_lipschitz_constant_it_backtracks():
    H, c = np.diag([1.0, 50.0]), np.array([1.0, 2.0])
    problem = Problem(2, lambda x: 0.5 * x @ H @ x - c @ x, lambda x: H @ x - c)
    found = minimize(problem, "accelerated", tol=1e-9)
    np.testing.assert_allclose(found.x, [1.0, 0.04], rtol=1e-8)
