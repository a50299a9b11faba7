import numpy as np
import pytest

from corollary.core.errors import ParameterError
from corollary.objectives.losses import Logistic, Squared
from corollary.objectives.penalties import Penalty
from corollary.solvers.gradient_descent import GradientDescent
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import FiniteSum, Problem, linear_problem
from corollary.solvers.stochastic import Stochastic

ONE = np.array([0])


def parabola(curvature=2.0):
    """One term, x^2 curvature/2, so that steps can be done by hand."""
    terms = FiniteSum.of_gradients(1, lambda x, rows: curvature * x[None, :], curvature)
    return Problem(
        1,
        lambda x: curvature / 2 * float(x @ x),
        lambda x: curvature * x,
        terms=terms,
    )


def path(rule, steps=4, rate=0.1, **options):
    solver = Stochastic(rule, rate=rate, schedule="constant", **options)
    found = minimize(parabola(), solver, tol=0, max_iter=steps, start=[1.0])
    return np.sqrt(found.trace)  # x of f = x^2, all positive here


@pytest.mark.course("S1-54")
def test_a_batch_of_all_rows_is_gradient_descent():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(30, 3)), rng.normal(size=30)
    problem = linear_problem(X, y, Squared(), Penalty(0.1), fit_intercept=True)
    full = Stochastic("sgd", batch=30, rate=0.2, schedule="constant")
    a = minimize(problem, full, tol=0, max_iter=20)
    b = minimize(problem, GradientDescent(rate=0.2), tol=0, max_iter=20)
    np.testing.assert_allclose(a.trace, b.trace, rtol=1e-12)
    np.testing.assert_allclose(a.x, b.x, rtol=1e-12)


@pytest.mark.course("S1-54")
def test_the_rules_by_hand():
    np.testing.assert_allclose(path("sgd"), [1, 0.8, 0.64, 0.512, 0.4096])
    x, v, heavy = 1.0, 0.0, [1.0]
    for _ in range(4):
        v = 0.5 * v - 0.1 * 2 * x
        x += v
        heavy.append(x)
    np.testing.assert_allclose(path("momentum", momentum=0.5), heavy)
    x, v, ahead = 1.0, 0.0, [1.0]
    for _ in range(4):
        v = 0.5 * v - 0.1 * 2 * (x + 0.5 * v)
        x += v
        ahead.append(x)
    np.testing.assert_allclose(path("nesterov", momentum=0.5), ahead)
    assert abs(ahead[-1] - heavy[-1]) > 0.01
    x, s, own = 1.0, 0.0, [1.0]
    for _ in range(4):
        s += (2 * x) ** 2
        x -= 0.1 * 2 * x / np.sqrt(s)
        own.append(x)
    np.testing.assert_allclose(path("adagrad"), own, rtol=1e-7)
    x, m, s, adam = 1.0, 0.0, 0.0, [1.0]
    for t in range(1, 5):
        m, s = 0.9 * m + 0.1 * 2 * x, 0.999 * s + 0.001 * (2 * x) ** 2
        x -= 0.1 * m / (1 - 0.9**t) / np.sqrt(s / (1 - 0.999**t))
        adam.append(x)
    np.testing.assert_allclose(path("adam"), adam, rtol=1e-7)
    assert adam[1] == pytest.approx(0.9)  # the first step has the size of the rate


@pytest.mark.course("S1-54")
@pytest.mark.parametrize("rule", ["sgd", "momentum", "nesterov"])
def test_no_momentum_is_plain(rule):
    np.testing.assert_allclose(path(rule, momentum=0.0), path("sgd"))


@pytest.mark.course("S1-54")
def test_the_best_heavy_ball_converges_with_the_root_of_kappa():
    kappa, d = 100.0, 8
    lambdas = np.geomspace(1, kappa, d)
    terms = FiniteSum.of_gradients(1, lambda x, rows: (lambdas * x)[None, :])
    problem = Problem(
        d, lambda x: 0.5 * lambdas @ x**2, lambda x: lambdas * x, terms=terms
    )
    best = (np.sqrt(kappa) - 1) / (np.sqrt(kappa) + 1)
    heavy = Stochastic(
        "momentum",
        rate=4 / (np.sqrt(kappa) + 1) ** 2,
        momentum=best**2,
        schedule="constant",
    )
    plain = Stochastic("sgd", rate=2 / (kappa + 1), schedule="constant")
    found = [
        minimize(problem, s, tol=0, max_iter=120, start=np.ones(d))
        for s in (heavy, plain)
    ]
    rates = [(f.trace[-1] / f.trace[60]) ** (1 / 120) for f in found]
    assert rates[0] == pytest.approx(best, abs=0.03)
    assert rates[1] == pytest.approx((kappa - 1) / (kappa + 1), abs=0.01)


@pytest.mark.course("S1-54")
def test_a_constant_rate_hovers_and_a_falling_one_converges():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    y = X @ [1.0, -2.0] + rng.normal(size=200)
    problem = linear_problem(X, y, Squared(), Penalty(0.1))
    best = minimize(problem, "newton", tol=1e-12).objective
    left = {}
    for schedule in ("constant", "inverse"):
        solver = Stochastic("sgd", rate=0.05, schedule=schedule, decay=0.05)
        found = minimize(problem, solver, tol=0, max_iter=60)
        left[schedule] = np.mean(found.trace[-10:]) - best
    assert left["inverse"] < left["constant"] / 20
    batch = Stochastic("sgd", batch=20, rate=0.05, schedule="constant")
    small = np.mean(minimize(problem, batch, tol=0, max_iter=60).trace[-10:]) - best
    mean = Stochastic("sgd", rate=0.05, schedule="constant", average=True)
    averaged = np.mean(minimize(problem, mean, tol=0, max_iter=60).trace[-10:]) - best
    assert max(small, averaged) < left["constant"] / 5  # less noise


@pytest.mark.course("S1-54")
def test_seeds_repeat_and_batches_count_terms():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(25, 2))
    problem = linear_problem(X, np.sign(X[:, 0]), Logistic(), Penalty(0.1))
    runs = [
        minimize(problem, Stochastic("sgd", batch=10, seed=s), tol=0, max_iter=3)
        for s in (0, 0, 1)
    ]
    assert (runs[0].x == runs[1].x).all()
    assert (runs[0].x != runs[2].x).any()
    assert runs[0].evaluations["terms"] == 75


@pytest.mark.parametrize(
    "options",
    [{"rule": "luck"}, {"schedule": "x"}, {"momentum": 1.0}, {"batch": 0}, {"rate": 0}],
    ids=str,
)
def test_bad_settings(options):
    with pytest.raises(ParameterError, match=f"Stochastic: {next(iter(options))} must"):
        Stochastic(**options)
