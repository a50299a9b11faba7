import numpy as np
import pytest
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import rosen, rosen_der, rosen_hess

from corollary.objectives.losses import Logistic
from corollary.objectives.penalties import Penalty
from corollary.solvers.bfgs import BFGS, updated
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import Problem, linear_problem, quadratic_problem


def bowl(d=6, seed=0):
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(2 * d, d))
    return quadratic_problem(A.T @ A, rng.normal(size=d))


@pytest.mark.course("S4-10")
@pytest.mark.parametrize("d", [2, 5, 9])
def test_conjugate_gradients_end_in_at_most_d_steps(d):
    found = minimize(bowl(d), "conjugate_gradient", tol=1e-8)
    assert found.iterations <= d
    few = quadratic_problem(np.diag([1.0, 1, 1, 4, 4, 9]), np.ones(6))
    assert minimize(few, "conjugate_gradient", tol=1e-10).iterations == 3


@pytest.mark.course("S4-10")
def test_exact_bfgs_walks_like_conjugate_gradients():
    problem = bowl()
    a = minimize(problem, BFGS(exact=True), tol=0, max_iter=4)
    b = minimize(problem, "conjugate_gradient", tol=0, max_iter=4)
    np.testing.assert_allclose(a.trace, b.trace, rtol=1e-6)


@pytest.mark.course("S4-10")
def test_the_secant_equation_and_positive_definiteness():
    rng = np.random.default_rng(0)
    B, H = np.eye(4), np.diag([1.0, 2, 3, 4])
    for k in range(8):
        s = rng.normal(size=4)
        B = updated(B, s, H @ s, fresh=k == 0)
        np.testing.assert_allclose(B @ (H @ s), s, atol=1e-10)
        assert np.linalg.eigvalsh(B)[0] > 0
    assert (updated(B, s, -s, fresh=False) == B).all()


@pytest.mark.course("S4-10")
def test_the_valley_in_five_dimensions_as_scipy_walks_it():
    start = np.array([-1.2, 1.0, -0.5, 2.0, 1.5])
    ours = minimize(Problem(5, rosen, rosen_der), "bfgs", start=start, tol=1e-6)
    theirs = scipy_minimize(rosen, start, jac=rosen_der, method="BFGS")
    np.testing.assert_allclose(ours.x, theirs.x, atol=1e-4)
    assert ours.iterations <= 2 * theirs.nit


@pytest.mark.course("S4-10")
def test_newton_doubles_the_digits():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = np.sign(X[:, 0] + rng.normal(size=80))
    problem = linear_problem(X, y, Logistic(), Penalty(0.01))
    best = minimize(problem, "newton", tol=1e-14, max_iter=50).x
    errors = []
    for k in range(1, 7):
        x = minimize(problem, "newton", tol=0, max_iter=k).x
        errors.append(np.linalg.norm(x - best))
    errors = np.array([e for e in errors if e > 1e-12])
    constant = errors[1:] / errors[:-1] ** 2
    assert constant.max() < 5
    assert errors[-1] < 1e-5


def test_newton_ends_a_quadratic_in_one_step_and_a_saddle_elsewhere():
    assert minimize(bowl(), "newton", tol=1e-9).iterations == 1
    valley = Problem(2, rosen, rosen_der, rosen_hess)
    assert minimize(valley, "newton", start=[-1.2, 1.0]).objective < 1e-12


@pytest.mark.course("S4-10")
def test_solvers_count_what_they_call():
    found = minimize(bowl(), "lbfgs", tol=1e-8)
    assert set(found.evaluations) == {"f", "gradient"}
    assert found.evaluations["gradient"] >= found.iterations
    assert set(minimize(bowl(), "newton").evaluations) == {"f", "gradient", "Hessian"}
    assert "Hessian product" in minimize(bowl(), "conjugate_gradient").evaluations
