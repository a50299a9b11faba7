"""Every solver on one interface: the same minimum, and one sentence where it cannot."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import minimize as scipy_minimize
from scipy.optimize import rosen, rosen_der, rosen_hess
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import ElasticNet

from corollary import StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.objectives.losses import Hinge, Huber, Logistic, Squared, SquaredHinge
from corollary.objectives.penalties import Penalty
from corollary.solvers.minimize import SOLVERS, minimize
from corollary.solvers.problem import Problem, linear_problem, quadratic_problem

QUADRATIC = {"conjugate_gradient"}
NOISY = {"sgd", "momentum", "nesterov", "adagrad", "adam"}
EXACT = [name for name in SOLVERS if name not in NOISY]
SMOOTH = [name for name in EXACT if name not in QUADRATIC]


def rows(n=60, d=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X @ rng.normal(size=d) + 0.5 * rng.normal(size=n)


def logistic(**options):
    X, y = rows()
    return linear_problem(X, np.sign(y), Logistic(), Penalty(0.1), **options)


@pytest.mark.course("S4-10", "S1-54", "S2-28")
@pytest.mark.parametrize("name", EXACT)
def test_all_find_the_minimum_of_least_squares(name):
    X, y = rows()
    H, c = X.T @ X / 60 + 0.1 * np.eye(4), X.T @ y / 60
    problem = linear_problem(X, y, Squared(), Penalty(0.1))
    found = minimize(problem, name, tol=1e-10, max_iter=3000)
    np.testing.assert_allclose(found.x, np.linalg.solve(H, c), rtol=1e-8)
    assert found.stop is StopReason.CONVERGED
    assert found.gap < 1e-12
    assert found.trace[-1] <= found.trace[0]


@pytest.mark.course("S4-10")
@pytest.mark.parametrize("name", SMOOTH)
@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("sparse", [False, True])
def test_all_find_the_minimum_of_logistic_regression_that_scipy_finds(
    name, intercept, sparse
):
    X, y = rows()
    weights = np.arange(60) % 3
    data = sp.csr_array(X) if sparse else X
    problem = linear_problem(
        data,
        np.sign(y),
        Logistic(),
        Penalty(0.1),
        fit_intercept=intercept,
        sample_weight=weights,
    )
    found = minimize(problem, name, tol=1e-9, max_iter=5000)
    o, t = weights / weights.sum(), np.sign(y)
    A = np.c_[X, np.ones(60)] if intercept else X

    def cost(x):
        return o @ np.logaddexp(0, -t * (A @ x)) + 0.05 * (x[:4] @ x[:4])

    oracle = scipy_minimize(cost, np.zeros(A.shape[1]), method="BFGS", tol=1e-10)
    assert found.objective == pytest.approx(oracle.fun, rel=1e-10)
    np.testing.assert_allclose(found.x, oracle.x, atol=1e-5)
    assert found.objective == pytest.approx(cost(found.x), rel=1e-13)
    assert found.gap <= 1e-8


@pytest.mark.course("S1-54")
@pytest.mark.parametrize("name", sorted(NOISY))
def test_stochastic_solvers_come_close_to_the_same_minimum(name):
    problem = logistic()
    best = minimize(problem, "newton", tol=1e-12).objective
    with pytest.warns(ConvergenceWarning):
        found = minimize(problem, name, tol=1e-12, max_iter=60)
    assert found.evaluations["terms"] == 60 * 60
    assert 0 <= found.objective - best < 2e-3
    assert found.objective - best <= found.gap


@pytest.mark.course("S2-28")
@pytest.mark.parametrize(
    "name", ["gradient_descent", "backtracking", "accelerated", "saga"]
)
@pytest.mark.parametrize("intercept", [False, True])
def test_prox_solvers_agree_with_coordinate_descent_and_the_elastic_net(
    name, intercept
):
    X, y = rows(d=8, seed=3)
    penalty = Penalty(0.5, 0.7)
    problem = linear_problem(X, y, Squared(), penalty, fit_intercept=intercept)
    oracle = ElasticNet(
        alpha=0.5, l1_ratio=0.7, fit_intercept=intercept, tol=1e-14, max_iter=10**5
    ).fit(X, y)
    found = minimize(problem, name, tol=1e-11, max_iter=5000)
    turns = minimize(problem, "coordinate_descent", tol=1e-11, max_iter=5000)
    np.testing.assert_allclose(found.x[:8], oracle.coef_, atol=1e-9)
    np.testing.assert_allclose(turns.x, found.x, atol=1e-9)
    assert ((found.x[:8] == 0) == (oracle.coef_ == 0)).all()
    assert (oracle.coef_ == 0).any()
    assert found.gap < 1e-9
    assert (np.diff(turns.trace) <= 1e-14).all()


@pytest.mark.parametrize("loss", [Logistic(), SquaredHinge(), Huber(0.5)], ids=repr)
def test_l1_with_any_smooth_loss(loss):
    X, y = rows(d=8, seed=4)
    problem = linear_problem(X, np.sign(y), loss, Penalty(0.05, 1.0))
    solvers = ["accelerated", "coordinate_descent", "saga", "backtracking"]
    found = [minimize(problem, s, tol=1e-9, max_iter=5000) for s in solvers]
    for other in found[1:]:
        np.testing.assert_allclose(other.x, found[0].x, atol=1e-7)
    assert max(f.gap for f in found) < 1e-7


@pytest.mark.course("S4-10")
@pytest.mark.parametrize("name", ["bfgs", "lbfgs", "nonlinear_cg", "newton"])
def test_rosenbrocks_valley(name):
    valley = Problem(2, rosen, rosen_der, rosen_hess)
    found = minimize(valley, name, start=[-1.2, 1.0], tol=1e-8, max_iter=5000)
    np.testing.assert_allclose(found.x, [1.0, 1.0], atol=1e-7)
    assert found.stop is StopReason.CONVERGED
    assert found.iterations < 300
    assert found.evaluations["gradient"] >= found.iterations


@pytest.mark.course("S4-10")
def test_better_solvers_take_fewer_iterations_to_the_same_optimum():
    rng = np.random.default_rng(1)
    scales = np.geomspace(1, 20, 6)
    X = rng.normal(size=(200, 6)) * scales
    y = np.sign(X @ (1 / scales) + rng.normal(size=200))
    problem = linear_problem(X, y, Logistic(), Penalty(0.01))
    runs = {
        name: minimize(problem, name, tol=1e-6, max_iter=10**5)
        for name in (
            "gradient_descent",
            "accelerated",
            "nonlinear_cg",
            "bfgs",
            "lbfgs",
            "newton",
        )
    }
    counts = {name: run.iterations for name, run in runs.items()}
    assert counts["newton"] < counts["bfgs"] < counts["accelerated"]
    assert counts["lbfgs"] < counts["accelerated"] < counts["gradient_descent"] / 5
    assert counts["nonlinear_cg"] < counts["accelerated"]
    values = [run.objective for run in runs.values()]
    assert np.ptp(values) < 1e-10


@pytest.mark.parametrize(
    ("problem", "solver", "words"),
    [
        (logistic(), "conjugate_gradient", "ConjugateGradient: needs a quadratic"),
        (Problem(2, rosen, rosen_der), "newton", "Newton: needs a Hessian; got"),
        (Problem(2, rosen), "bfgs", "BFGS: needs a gradient; got the function"),
        (Problem(2, rosen, rosen_der), "sgd", "needs a sum of terms"),
        (Problem(2, rosen, rosen_der), "saga", "needs a sum of terms"),
        (Problem(2, rosen, rosen_der), "gradient_descent", "needs the Lipschitz"),
        (
            Problem(2, rosen, rosen_der, simple=np.sum, prox=lambda v, t: v),
            "coordinate_descent",
            "needs a linear model",
        ),
    ],
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_a_pair_that_does_not_fit_fails_with_one_sentence(problem, solver, words):
    with pytest.raises(ParameterError, match=words):
        minimize(problem, solver)


@pytest.mark.parametrize("solver", ["lbfgs", "newton", "bfgs", "adam", "nonlinear_cg"])
def test_l1_needs_a_solver_with_a_proximal_map(solver):
    X, y = rows()
    problem = linear_problem(X, y, Squared(), Penalty(1.0, 1.0))
    with pytest.raises(ParameterError, match="only a proximal map, such as l1"):
        minimize(problem, solver)


@pytest.mark.parametrize("solver", ["saga", "lbfgs", "accelerated", "backtracking"])
def test_corners_need_a_subgradient_method(solver):
    X, y = rows()
    problem = linear_problem(X, np.sign(y), Hinge(), Penalty(0.1))
    with pytest.raises(ParameterError, match=r"without corners.*solver='sgd'"):
        minimize(problem, solver)


def test_the_hinge_by_subgradients_ends_by_its_gap():
    X, y = rows()
    problem = linear_problem(X, np.sign(y), Hinge(), Penalty(0.1))
    found = minimize(problem, "sgd", tol=0.02, max_iter=2000)
    assert found.stop is StopReason.CONVERGED
    assert found.gap <= 0.02


@pytest.mark.parametrize(
    "name", ["gradient_descent", "bfgs", "lbfgs", "newton", "saga"]
)
def test_stops_say_why(name):
    problem = logistic()
    with pytest.warns(ConvergenceWarning, match="max_iter reached; gradient"):
        found = minimize(problem, name, tol=1e-14, max_iter=1)
    assert found.stop is StopReason.MAX_PASSES
    assert "Raise max_iter" in str(found)
    assert len(found.trace) == 2
    assert found.objective == pytest.approx(problem.objective(found.x), rel=1e-14)


def test_a_rate_that_is_too_large_diverges_and_keeps_the_best_point():
    from corollary.solvers.gradient_descent import GradientDescent

    bowl = quadratic_problem(np.diag([1.0, 10.0]), [1.0, 1.0])
    with pytest.warns(ConvergenceWarning, match="smaller learning_rate"):
        found = minimize(bowl, GradientDescent(rate=0.25))
    assert found.stop is StopReason.DIVERGED
    assert np.isfinite(found.x).all()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda p: minimize(p, "magic"), "minimize: solver must be a Solver or one of"),
        (lambda p: minimize(p, start=[1.0]), "start must have 4 entries"),
        (lambda p: minimize(p, start=[np.nan] * 4), "start must be finite"),
        (lambda p: minimize(p, tol=-1), "tol must be >= 0"),
        (lambda p: minimize(p, max_iter=0), "max_iter at least 1"),
    ],
)
def test_bad_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call(logistic())


def test_starting_at_the_minimum_ends_at_once():
    bowl = quadratic_problem(np.eye(2), [1.0, 2.0])
    for name in SOLVERS.keys() - NOISY - {"saga"}:
        found = minimize(bowl, name, start=[1.0, 2.0])
        assert (found.iterations, found.stop) == (0, StopReason.CONVERGED), name


def test_bad_problems():
    X, y = rows()
    with pytest.raises(DataError, match=r"X must be \(n, d\) and y \(n,\)"):
        linear_problem(X, y[:-1], Squared())
    with pytest.raises(DataError, match="labels -1 and"):
        linear_problem(X, y, Logistic())
    with pytest.raises(DataError, match="X must be finite"):
        linear_problem(np.full((2, 1), np.nan), [1.0, 2.0], Squared())
    with pytest.raises(ParameterError, match="simple and prox must come together"):
        Problem(1, lambda x: 0.0, simple=lambda x: 0.0)
    with pytest.raises(DataError, match="H must be symmetric"):
        quadratic_problem([[1.0, 2.0], [0.0, 1.0]], [0.0, 0.0])
    with pytest.raises(DataError, match="eigenvalues >= 0"):
        quadratic_problem([[1.0, 0.0], [0.0, -1.0]], [0.0, 0.0])
