import numpy as np
import pytest

from corollary.objectives.losses import Logistic
from corollary.objectives.penalties import Penalty
from corollary.solvers.minimize import minimize
from corollary.solvers.problem import FiniteSum, Problem, linear_problem
from corollary.solvers.saga import Saga
from corollary.solvers.stochastic import Stochastic


def logistic(n=100, l2=0.1, l1_ratio=0.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 4))
    y = np.sign(X[:, 0] + rng.normal(size=n))
    return linear_problem(X, y, Logistic(), Penalty(l2, l1_ratio), fit_intercept=True)


@pytest.mark.course("S1-54")
def test_converges_geometrically_where_sgd_hovers():
    problem = logistic()
    best = minimize(problem, "newton", tol=1e-12).objective
    saga = minimize(problem, "saga", tol=0, max_iter=80)
    sgd = Stochastic("sgd", rate=0.2, schedule="constant")
    noisy = minimize(problem, sgd, tol=0, max_iter=80)
    assert saga.trace[40] - best < 1e-3 * (saga.trace[10] - best)
    assert saga.trace[80] - best < 1e-13
    assert noisy.trace[80] - best > 1e-5


def test_gradients_kept_whole_give_the_same_iterates():
    problem = logistic()
    data = problem.linear
    terms = problem.terms

    def gradients(x, rows):
        slopes = terms.parts(x, rows)
        return slopes[:, None] * data.A[rows] + terms.common(x)

    whole = FiniteSum.of_gradients(terms.n, gradients, terms.lipschitz)
    other = Problem(5, problem.value, problem.gradient, terms=whole)
    assert whole.gradient(np.ones(5), np.arange(100)) == pytest.approx(
        problem.gradient(np.ones(5))
    )
    a = minimize(other, Saga(), tol=1e-9)
    b = minimize(problem, Saga(), tol=1e-9)
    np.testing.assert_allclose(a.x, b.x, atol=1e-7)


def test_the_table_has_one_number_a_row_of_a_linear_model():
    problem = logistic()
    parts = problem.terms.parts(np.zeros(5), np.arange(100))
    assert parts.shape == (100,)
    total = problem.terms.total(parts, np.arange(100)) / 100
    np.testing.assert_allclose(total, problem.gradient(np.zeros(5)), rtol=1e-12)
