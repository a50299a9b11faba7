import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import rosen, rosen_der, rosen_hess
from scipy.special import expit

from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics.gradient_check import check_gradient
from corollary.objectives.losses import LOSSES, Hinge, Logistic, Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.problem import linear_problem

X = np.random.default_rng(0).normal(size=(30, 4))
Y = X @ [1.0, -1.0, 0.5, 2.0] + 0.3


@pytest.mark.course("S0-64")
@given(
    A=st.lists(st.floats(-3, 3), min_size=9, max_size=9),
    a=st.lists(st.floats(-3, 3), min_size=3, max_size=3),
)
@settings(max_examples=40, deadline=None)
def test_the_rules_of_linear_and_quadratic_forms(A, a):
    A, a, x = np.reshape(A, (3, 3)), np.array(a), np.array([1.0, -2.0, 0.5])
    assert check_gradient(lambda x: a @ x, a, x).passed
    assert check_gradient(lambda x: x @ A @ x, lambda x: (A + A.T) @ x, x).passed
    wrong = check_gradient(lambda x: x @ A @ x, lambda x: (A + A.T) @ x + 1e-3, x)
    assert not wrong.agrees.any()


@pytest.mark.course("S0-64")
@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("l2", [0.0, 0.3])
def test_every_loss_of_a_linear_model(name, l2):
    loss = LOSSES[name]()
    y = np.sign(Y) if loss.margin else Y
    problem = linear_problem(X, y, loss, Penalty(l2), fit_intercept=True)
    found = check_gradient(problem)
    assert found.passed, found.verdict
    assert found.relative.max() < 1e-7
    half = check_gradient(
        problem.value, lambda x: 0.999 * problem.gradient(x), X[0, :1].repeat(5)
    )
    assert not half.passed


@pytest.mark.course("S0-64")
def test_an_error_in_one_coordinate_is_named():
    def off(x):
        g = rosen_der(x)
        g[2] *= 1 + 1e-5
        return g

    x = np.array([-1.2, 1.0, 0.7, 0.3])
    right, wrong = check_gradient(rosen, rosen_der, x), check_gradient(rosen, off, x)
    assert right.passed
    assert right.relative.max() < 1e-9
    assert wrong.worst == 2
    assert wrong.agrees.tolist() == [True, True, False, True]
    assert "wrong in 1 of 4 coordinates, worst in 2" in wrong.verdict


@pytest.mark.course("S0-64")
def test_the_complex_step_is_exact_to_rounding_where_f_allows_it():
    def f(x):
        return np.exp(x[0]) * np.sin(x[1]) / x[2]

    x = np.array([0.5, 1.2, 0.7])
    exact = np.array([f(x), np.exp(0.5) * np.cos(1.2) / 0.7, -f(x) / 0.7])
    with_complex = check_gradient(f, exact, x)
    without = check_gradient(f, exact, x, complex_step=False)
    assert (with_complex.steps == 0).all()
    assert with_complex.relative.max() < 4e-16
    assert (without.steps > 0).all()
    assert without.relative.max() < 1e-10
    np.testing.assert_array_less(np.abs(without.numerical - exact), without.noise)


def test_functions_that_spoil_complex_numbers_fall_back():
    for f, g in (
        (lambda x: float(x @ x), lambda x: 2 * x),
        (lambda x: np.abs(x) @ np.abs(x), lambda x: 2 * x),
        (lambda x: (x @ x.conj()).real, lambda x: 2 * x),
    ):
        found = check_gradient(f, g, np.array([1.0, -2.0]))
        assert found.passed
        assert (found.steps > 0).all()


@pytest.mark.course("S0-64")
def test_corners_are_recognised_and_any_subgradient_agrees():
    x = np.array([0.0, 2.0])
    for slope in (-1.0, 0.0, 0.4, 1.0):
        found = check_gradient(lambda x: np.abs(x).sum(), np.array([slope, 1.0]), x)
        assert found.passed
        assert found.corners.tolist() == [True, False]
        assert "corners along [0]" in found.verdict
    assert not check_gradient(lambda x: np.abs(x).sum(), [1.2, 1.0], x).passed
    assert not check_gradient(lambda x: np.abs(x).sum(), [0.0, -1.0], x).passed
    hinge = linear_problem(np.array([[1.0]]), [1.0], Hinge())
    at = check_gradient(hinge, x=[1.0])
    assert at.corners.all()
    assert at.passed
    assert not check_gradient(hinge, x=[0.9]).corners.any()
    assert not check_gradient(rosen, rosen_der, np.ones(3)).corners.any()


def test_a_steep_smooth_bend_is_no_corner():
    found = check_gradient(lambda x: 1e4 * x[0] ** 2, lambda x: 2e4 * x, [0.0])
    assert not found.corners.any()
    assert found.passed


@pytest.mark.course("S0-64")
def test_the_noise_of_f_sets_how_sharp_the_check_is():
    def f(x):
        return 1e12 + float(np.sin(x[0]))

    found = check_gradient(f, lambda x: np.cos(x), [0.3])
    assert found.passed
    assert found.blunt
    assert "hides errors below" in found.verdict
    assert abs(found.numerical[0] - np.cos(0.3)) <= 10 * found.noise[0]


def test_units_of_the_coordinates_do_not_matter():
    scales = np.array([1e-4, 1.0, 1e6])
    A = np.diag(1 / scales**2)
    x = scales * [1.0, -1.0, 2.0]
    found = check_gradient(lambda x: x @ A @ x, lambda x: 2 * A @ x, x)
    assert found.passed
    assert found.relative.max() < 1e-9


@pytest.mark.course("S0-64")
def test_hessians_by_their_products():
    v = np.array([1.0, 2.0, -1.0])
    x = np.array([-1.2, 1.0, 0.4])
    assert check_gradient(
        lambda x: rosen_der(x) @ v, lambda x: rosen_hess(x) @ v, x
    ).passed
    problem = linear_problem(X, np.sign(Y), Logistic(), Penalty(0.2))
    u, w = np.arange(4.0), np.full(4, 0.3)
    found = check_gradient(lambda w: problem.gradient(w) @ u, problem.hessian(w) @ u, w)
    assert found.passed
    np.testing.assert_allclose(problem.hessian_product(w, u), problem.hessian(w) @ u)


def test_the_course_gradient_of_logistic_regression():
    t = (Y > 0).astype(float)

    def J(theta):
        return -np.mean(
            t * np.log(expit(X @ theta)) + (1 - t) * np.log1p(-expit(X @ theta))
        )

    theta = np.array([0.1, -0.2, 0.3, 0.4])
    found = check_gradient(
        J, lambda theta: X.T @ (expit(X @ theta) - t) / len(t), theta
    )
    assert found.passed
    assert found.relative.max() < 1e-7
    sign = check_gradient(J, lambda theta: X.T @ (t - expit(X @ theta)) / len(t), theta)
    assert not sign.agrees.any()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((rosen,), "needs a gradient and a point x"),
        ((rosen, rosen_der), "needs a gradient and a point x"),
        ((rosen, np.zeros(2), np.zeros(3)), r"as many entries as x = 3; got shape \(2"),
        ((rosen, rosen_der, [np.nan, 1.0]), "x must be finite"),
        ((rosen, rosen_der, 1.0), "x must be a vector"),
        ((lambda x: np.inf, lambda x: x, [1.0]), "f must be a finite number near x"),
        ((lambda x: x, lambda x: x, [1.0, 2.0]), "f must be a finite number"),
        ((lambda x: x[0], lambda x: x * np.nan, [1.0]), "gradient must be finite"),
        ((lambda x: np.sqrt(x[0]), lambda x: x, [0.0]), "both sides of x along"),
    ],
)
def test_bad_arguments(arguments, words):
    with pytest.raises((DataError, ParameterError), match=words):
        check_gradient(*arguments)
    with pytest.raises(ParameterError, match="tol must be in"):
        check_gradient(linear_problem(X, Y, Squared()), tol=0)
