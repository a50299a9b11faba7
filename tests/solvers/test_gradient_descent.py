import itertools

import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import minimize_scalar, rosen, rosen_der
from scipy.special import logsumexp, softmax

from corollary.core.errors import ParameterError
from corollary.objectives.losses import Logistic, Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.gradient_descent import GradientDescent
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import Problem, linear_problem, quadratic_problem


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


def soft(seed=0, d=4):
    """log sum exp of linear functions with a bowl: smooth, convex, not quadratic."""
    rng = np.random.default_rng(seed)
    A, b, m = rng.normal(size=(12, d)), rng.normal(size=12), 0.3

    def value(x):
        return logsumexp(A @ x + b) + m / 2 * x @ x + 0.1 * (x**4).sum()

    def gradient(x):
        return A.T @ softmax(A @ x + b) + m * x + 0.4 * x**3

    return Problem(d, value, gradient)


@pytest.mark.course("S2-28")
@pytest.mark.parametrize("seed", range(4))
def test_an_exact_step_of_any_convex_function_is_the_best_along_its_line(seed):
    problem = soft(seed)
    x = np.random.default_rng(seed).normal(size=4) * 2
    solver = GradientDescent("exact")
    points = list(itertools.islice(solver.steps(problem, x), 6))
    for a, b in itertools.pairwise(points):
        line = minimize_scalar(
            lambda t, a=a: problem.value(a.x - t * a.gradient),
            bracket=(0, 1),
            options={"xtol": 1e-12},
        )
        assert problem.value(b.x) == pytest.approx(line.fun, rel=1e-12)
        assert abs(a.gradient @ b.gradient) < 1e-9 * (a.gradient @ a.gradient)
    found = minimize(problem, solver, start=x, tol=1e-9)
    oracle = scipy_minimize(problem.value, x, jac=problem.gradient, tol=1e-12)
    np.testing.assert_allclose(found.x, oracle.x, atol=1e-6)
    assert (np.diff(found.trace) <= 1e-14).all()


@pytest.mark.course("S2-28")
def test_the_search_finds_the_step_of_the_formula_where_no_hessian_is_given():
    problem, x, _ = bowl(3)
    plain = Problem(5, problem.value, problem.gradient, quadratic=True)
    for one in (plain, Problem(5, problem.value, problem.gradient)):
        for n in (1, 2, 7):
            a, b = (
                minimize(p, GradientDescent("exact"), tol=0, max_iter=n, start=x + 1)
                for p in (problem, one)
            )
            np.testing.assert_allclose(a.x, b.x, rtol=1e-9)


@pytest.mark.course("S2-28")
@pytest.mark.parametrize("seed", range(3))
def test_coordinate_descent_minimises_any_convex_function_along_each_axis(seed):
    problem = soft(seed)
    x = np.random.default_rng(seed).normal(size=4)
    one = minimize(problem, "coordinate_descent", tol=0, max_iter=1, start=x).x
    step = x.copy()
    for j in range(4):

        def along(t, j=j):
            return problem.value(np.r_[step[:j], t, step[j + 1 :]])

        step[j] = minimize_scalar(along, options={"xtol": 1e-12}).x
    np.testing.assert_allclose(one, step, atol=1e-6)
    found = minimize(problem, "coordinate_descent", tol=1e-9, start=x)
    oracle = scipy_minimize(problem.value, x, jac=problem.gradient, tol=1e-12)
    np.testing.assert_allclose(found.x, oracle.x, atol=1e-6)
    assert (np.diff(found.trace) <= 1e-14).all()
    assert found.stop.word == "converged"


@pytest.mark.parametrize("solver", ["exact_line_search", "coordinate_descent"])
def test_without_convexity_it_still_falls_and_without_a_minimum_it_ends(solver):
    valley = Problem(2, rosen, rosen_der)
    with pytest.warns(Warning, match="max_iter reached"):
        found = minimize(valley, solver, start=[-1.2, 1.0], max_iter=50)
    assert (np.diff(found.trace) <= 1e-12).all()
    slide = Problem(1, lambda x: -x[0], lambda x: -np.ones(1))
    with pytest.warns(Warning, match="max_iter reached"):
        assert minimize(slide, solver, max_iter=3).x[0] > 1e6


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
