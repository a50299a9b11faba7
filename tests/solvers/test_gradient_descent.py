import itertools

import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.objectives.losses import Logistic, Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.gradient_descent import GradientDescent
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import linear_problem, quadratic_problem


def bowl(seed=0, d=5, kappa=30.0):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(d, d)))
    H = Q @ np.diag(np.geomspace(1, kappa, d)) @ Q.T
    c = rng.normal(size=d)
    x = np.linalg.solve(H, c)
    return quadratic_problem((H + H.T) / 2, c), x, -0.5 * c @ x


@pytest.mark.course("S2-28")
@pytest.mark.parametrize("seed", range(5))
def test_exact_steps_obey_kantorovichs_rate_and_turn_at_right_angles(seed):
    problem, _, best = bowl(seed)
    start = np.random.default_rng(seed + 9).normal(size=5)
    solver = GradientDescent("exact")
    found = minimize(problem, solver, tol=0, max_iter=25, start=start)
    left = found.trace - best
    assert (left[1:] <= (29 / 31) ** 2 * left[:-1] * (1 + 1e-9)).all()
    steps = [
        i.gradient for _, i in zip(range(8), solver.steps(problem, start), strict=False)
    ]
    for a, b in itertools.pairwise(steps):
        assert abs(a @ b) < 1e-10 * (a @ a)


@pytest.mark.course("S2-28")
def test_the_worst_start_attains_the_rate():
    problem = quadratic_problem(np.diag([1.0, 9.0]), [0.0, 0.0])
    found = minimize(problem, GradientDescent("exact"), tol=0, max_iter=9, start=[9, 1])
    np.testing.assert_allclose(found.trace, 45 * 0.64 ** np.arange(10), rtol=1e-12)


@pytest.mark.course("S2-28")
def test_no_fixed_step_falls_further_than_the_exact_one():
    problem, _, _ = bowl(1)
    x = np.ones(5)
    one = minimize(problem, GradientDescent("exact"), tol=0, max_iter=1, start=x)
    for rate in np.geomspace(1e-3, 1, 40):
        other = problem.value(x - rate * problem.gradient(x))
        assert one.objective <= other + 1e-12


@pytest.mark.course("S1-54")
def test_converges_below_two_over_L_and_obeys_the_sublinear_bound():
    problem, x, best = bowl(2)
    below = GradientDescent(rate=1.99 / problem.lipschitz)
    assert minimize(problem, below, max_iter=10**4).stop.word == "converged"
    with pytest.warns(Warning, match="diverged"):
        minimize(problem, GradientDescent(rate=2.01 / problem.lipschitz))
    found = minimize(problem, "gradient_descent", tol=0, max_iter=200)
    k = np.arange(1, 201)
    bound = problem.lipschitz * (x @ x) / (2 * k)
    assert (found.trace[1:] - best <= bound).all()
    assert (np.diff(found.trace) <= 1e-12).all()


@pytest.mark.parametrize("penalty", [Penalty(0.1), Penalty(0.1, 0.5)], ids=repr)
def test_backtracking_never_rises_and_needs_no_constant(penalty):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3)) * 100
    y = np.sign(X[:, 0] + rng.normal(size=50) * 100)
    problem = linear_problem(X, y, Logistic(), penalty)
    found = minimize(problem, "backtracking", tol=0, max_iter=200)
    assert (np.diff(found.trace) <= 1e-14 * found.trace[0]).all()
    assert found.gradient_norm < 1e-3


def test_one_step_is_the_formula():
    X, y = np.array([[1.0], [2.0]]), np.array([1.0, 1.0])
    problem = linear_problem(X, y, Squared())  # f' = (5 x - 3)/2
    one = minimize(problem, GradientDescent(rate=0.1), tol=0, max_iter=1, start=[1.0])
    assert one.x[0] == pytest.approx(0.9)
    assert problem.lipschitz == pytest.approx(2.5)


@pytest.mark.parametrize(("step", "rate"), [("best", None), ("fixed", -1.0)])
def test_bad_settings(step, rate):
    with pytest.raises(ParameterError, match=r"GradientDescent: (step|rate) must be"):
        GradientDescent(step, rate)
