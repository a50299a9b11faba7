"""The search of linear problems: every method ends at the same minimum."""

import numpy as np
import pytest

from corollary.engine.sources.source import Chunk
from corollary.linear import descent
from corollary.objectives.chunk_losses import CrossEntropy
from corollary.objectives.penalties import Penalty
from corollary.objectives.problem import constant_curvature, linear_problem_of


def searched(K, penalty, method, *, intercept=True, patience=10):
    """Return the last state of a search of up to 200 passes, and how many it took."""
    rng = np.random.default_rng(0)
    X = rng.normal([3.0, 0.0, -1.0, 0.0], [1.0, 10.0, 0.1, 1.0], size=(120, 4))
    y = (X @ rng.normal(size=(4, K)) + rng.gumbel(size=(120, K))).argmax(axis=1)
    chunk = Chunk(X, y.astype(np.int32), rng.uniform(0.5, 2.0, 120))
    census = CrossEntropy(K).census(chunk)
    loss = CrossEntropy(K, totals=census.sum_y)
    problem = linear_problem_of(loss, penalty, census, X.dtype, intercept=intercept)
    pi = census.sum_y / census.n
    H = constant_curvature(
        census.spread, problem.mean, (pi * (1 - pi))[-loss.outputs :]
    )
    theta = problem.constant_model()
    state = descent.begin(problem, theta, method, H, patience=patience)
    steps = 0
    while steps < 200:
        steps += 1
        state = descent.advance(descent.statistics(chunk, state), state)
        slopes = problem.subgradient(state.search.x, state.search.g)
        if np.abs(slopes).max() < 1e-10 or state.search.stalled:
            break
    return state, steps


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_every_method_ends_at_the_same_minimum(K, l1_ratio, intercept):
    penalty = Penalty(0.05, l1_ratio)
    methods = ["lbfgs", "proximal_newton", *(["newton"] if l1_ratio == 0 else [])]
    ends = [searched(K, penalty, name, intercept=intercept)[0] for name in methods]
    problem = ends[0].problem
    for end in ends:
        assert end.search.f == pytest.approx(ends[0].search.f, rel=1e-10)
        slopes = problem.subgradient(end.search.x, end.search.g)
        assert np.abs(slopes).max() < 1e-6
        offsets = end.search.x.reshape(problem.shape)[:, -1]
        assert (np.abs(offsets).max() > 1e-3) == intercept


def test_the_curvature_is_summed_anew_when_patience_ends():
    penalty = Penalty(1e-4)
    always, steps = searched(2, penalty, "lbfgs", patience=-1)
    rarely, more = searched(2, penalty, "lbfgs", patience=10**6)
    assert always.H is not None
    assert rarely.H is None
    assert steps <= more
    assert always.search.f == pytest.approx(rarely.search.f, rel=1e-9)


def test_the_gradient_at_the_start_is_kept():
    state, _ = searched(3, Penalty(0.1), "lbfgs")
    np.testing.assert_array_equal(state.start, state.problem.constant_model())
    intercepts = state.first.reshape(state.problem.shape)[:, -1]
    np.testing.assert_allclose(intercepts, 0, atol=1e-12)  # the shares are right
