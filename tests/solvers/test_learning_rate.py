import numpy as np
import pytest

from corollary import GradientDescentRegressor, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.objectives.losses import Logistic, Squared
from corollary.solvers.learning_rate import (
    higher,
    learning_rate_ladder,
    lower,
    watch,
)
from corollary.solvers.problem import Problem, linear_problem, quadratic_problem


@pytest.mark.course("S4-4")
def test_the_monitor_is_relative_so_units_do_not_matter():
    trace = [10.0, 5.0, 4.0, 3.998, 3.9979]
    for unit in (1e-6, 1.0, 1e9):
        seen = watch(np.array(trace) * unit, tol=1e-3)
        assert (seen.verdict, seen.iteration) == ("converged", 3)
        assert seen.fall == pytest.approx(0.0005)
    assert watch(trace, tol=0).verdict == "falling"
    assert watch([1.0, 0.5, 0.6, 0.1]).verdict == "rising"
    assert watch([1.0, 0.5, np.nan]).iteration == 2
    assert watch([3.0, 1.0, 0.0, 0.0]).verdict == "converged"


@pytest.mark.course("S4-4")
@pytest.mark.parametrize("L", [0.05, 1.0, 7.0, 150.0, 4000.0])
def test_a_rung_rises_exactly_where_the_rate_is_two_over_L_or_more(L):
    problem = quadratic_problem(np.diag([L, L / 3]), [L, 1.0])
    ladder = learning_rate_ladder(problem, steps=20)
    for rung in ladder.rungs:
        assert (rung.watched.verdict == "rising") == (rung.rate > 2 / L)
    assert 0.15 / L < ladder.recommended < 2 / L
    ratios = np.array(
        [b.rate / a.rate for a, b in zip(ladder.rungs, ladder.rungs[1:], strict=False)]
    )
    assert ((ratios > 2.9) & (ratios < 3.4)).all()


@pytest.mark.course("S4-4")
def test_the_recommended_rate_serves_the_regressor():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3)) * 4
    y = X @ [1.0, 2.0, 3.0] + 5 + rng.normal(size=100)
    problem = linear_problem(X, y, Squared(), fit_intercept=True)
    ladder = learning_rate_ladder(problem)
    rate = ladder.recommended
    model = GradientDescentRegressor(learning_rate=rate, max_iter=3000).fit(X, y)
    assert model.report_.stop is StopReason.CONVERGED
    assert rate < model.report_.facts["largest_learning_rate"]
    rung = next(r for r in ladder.rungs if r.rate == rate)
    np.testing.assert_allclose(
        rung.trace[:20], model.report_.objective[:20], rtol=1e-10
    )
    three_times = next(r for r in ladder.rungs if r.rate > rate)
    assert three_times.watched.verdict == "rising" or (
        three_times.trace[-1] > rung.trace[-1]
    )
    assert "<- take this" in str(ladder)


@pytest.mark.course("S4-4")
def test_logistic_regression_too():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 3)) * 4
    y = np.sign(X[:, 0] + rng.normal(size=100) * 4)
    ladder = learning_rate_ladder(linear_problem(X, y, Logistic()))
    best = min(rung.last for rung in ladder.rungs)
    assert next(r for r in ladder.rungs if r.rate == ladder.recommended).last == best


def test_rungs_follow_each_other():
    assert [higher(r) for r in (0.01, 0.03, 1.0, 3.0)] == [0.03, 0.1, 3.0, 10.0]
    assert [lower(r) for r in (0.01, 0.03, 1.0, 3.0)] == [0.003, 0.01, 0.3, 1.0]


def test_bad_arguments_and_a_wrong_gradient():
    bowl = quadratic_problem(np.eye(1), [1.0])
    for call, words in (
        (lambda: learning_rate_ladder(bowl, [0.1, -1]), "rates must be finite"),
        (lambda: learning_rate_ladder(bowl, steps=1), "steps must be at least 2"),
        (lambda: watch([1.0]), "trace must hold"),
        (lambda: watch([1.0, 0.5], tol=-1), "tol must be >= 0"),
    ):
        with pytest.raises((ParameterError, DataError), match=words):
            call()
    settled = learning_rate_ladder(bowl, start=[1.0])
    assert settled.rungs[0].stationary
    uphill = Problem(1, lambda x: float(x @ x), lambda x: -2 * x)
    with pytest.raises(DataError, match="Check the gradient"):
        learning_rate_ladder(uphill, start=[1.0])
