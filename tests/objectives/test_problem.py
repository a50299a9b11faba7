"""The problem of a linear model: gradients, curvature and optimality in one place."""

from functools import partial

import numpy as np
import pytest

from corollary.engine.sources.source import Chunk
from corollary.objectives.chunk_losses import CrossEntropy, Deviance
from corollary.objectives.duality import dual_bound
from corollary.objectives.families import Binomial, Tweedie
from corollary.objectives.links import LINKS, Log
from corollary.objectives.penalties import Penalty
from corollary.objectives.problem import constant_curvature, linear_problem_of

LOSSES = {
    "two classes": CrossEntropy(2, np.array([1.0, 2.0])),
    "three classes": CrossEntropy(3, np.array([0.5, 1.0, 2.0])),
    "counts": Deviance("test", Tweedie(1.0), Log()),
    "probit": Deviance("test", Binomial(shares=False), LINKS["probit"]),
}


def drawn(name, *, intercept=True, penalty=None):
    """Return a problem, a chunk of rows, and a point."""
    rng = np.random.default_rng(0)
    loss = LOSSES[name]
    X = rng.normal([5.0, 0.0, -2.0], size=(40, 3))
    classes = getattr(loss, "K", 2)
    y = rng.poisson(2.0, 40) if name == "counts" else rng.integers(0, classes, 40)
    chunk = Chunk(X, y.astype(np.int32), rng.uniform(0.5, 2.0, 40))
    census = loss.census(chunk)
    if isinstance(loss, CrossEntropy):
        loss = CrossEntropy(loss.K, loss.weights, census.sum_y)
    penalty = Penalty(0.3, 0.0) if penalty is None else penalty
    problem = linear_problem_of(loss, penalty, census, X.dtype, intercept=intercept)
    theta = 0.3 * rng.normal(size=problem.shape)
    theta[:, -1] *= intercept
    return problem, chunk, theta.reshape(-1)


def value(problem, chunk, theta):
    return problem.smooth(problem.sums(chunk, theta), theta)[0]


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("name", LOSSES)
def test_the_gradient_is_that_of_finite_differences(name, intercept):
    problem, chunk, theta = drawn(name, intercept=intercept)
    _, g = problem.smooth(problem.sums(chunk, theta), theta)
    free = np.tile(problem.free, problem.shape[0])
    at = partial(value, problem, chunk)
    steps = 1e-6 * np.eye(len(theta))
    numeric = np.array([(at(theta + h) - at(theta - h)) / 2e-6 for h in steps])
    np.testing.assert_allclose(g[free], numeric[free], atol=1e-7)
    assert (g[~free] == 0).all()


@pytest.mark.parametrize("name", ["two classes", "three classes", "counts"])
def test_the_hessian_is_the_derivative_of_the_gradient(name):
    problem, chunk, theta = drawn(name)
    H = problem.sums(chunk, theta, "full").H
    m, p = problem.shape
    curved = np.asarray(H).reshape(m * p, m * p) / problem.n
    curved = curved + np.diag(problem.weights_of(problem.penalty.l2))

    def g(point):
        return problem.smooth(problem.sums(chunk, point), point)[1]

    steps = 1e-6 * np.eye(len(theta))
    numeric = np.array([(g(theta + h) - g(theta - h)) / 2e-6 for h in steps])
    np.testing.assert_allclose(curved, numeric, atol=1e-6)
    blocks = problem.sums(chunk, theta, "blocks").H / problem.n
    diagonal = problem.sums(chunk, theta, "diagonal").H / problem.n
    for k in range(m):
        own = slice(k * p, (k + 1) * p)
        ridge = np.diag(problem.weights_of(problem.penalty.l2))[own, own]
        np.testing.assert_allclose(blocks[k] + ridge, curved[own, own], atol=1e-12)
        np.testing.assert_allclose(diagonal[k], np.diagonal(blocks[k]), atol=1e-9)


@pytest.mark.parametrize("name", LOSSES)
def test_the_inverse_of_blocks_inverts_what_is_free(name):
    problem, chunk, theta = drawn(name, intercept=False)
    H = problem.sums(chunk, theta, "blocks").H / problem.n
    P = problem.inverse(H)
    d = problem.shape[1] - 1
    for block, inverse in zip(H, P, strict=True):
        ridged = block[:d, :d] + problem.penalty.l2 * np.eye(d)
        np.testing.assert_allclose(inverse[:d, :d] @ ridged, np.eye(d), atol=1e-8)
        assert not inverse[d].any()
        assert not inverse[:, d].any()


def test_chunks_add_up_and_points_come_back():
    problem, chunk, theta = drawn("three classes")
    halves = [
        Chunk(chunk.X[some], chunk.y[some], chunk.w[some])
        for some in (slice(0, 15), slice(15, 40))
    ]
    first, second = (problem.sums(half, theta, "full") for half in halves)
    both, whole = first + second, problem.sums(chunk, theta, "full")
    np.testing.assert_allclose(both.H, whole.H, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(both.loss, whole.loss, rtol=1e-13)
    np.testing.assert_allclose(problem.point(*problem.model(theta)), theta, rtol=1e-12)


def test_curvature_at_the_constant_model_needs_the_covariance_only():
    problem, chunk, _ = drawn("three classes")
    theta = problem.constant_model()
    pi = problem.loss.totals / problem.n
    census = problem.loss.census(chunk)
    expected = constant_curvature(census.spread, problem.mean, pi * (1 - pi))
    summed = problem.sums(chunk, theta, "blocks").H / problem.n
    np.testing.assert_allclose(expected, summed, rtol=1e-10, atol=1e-12)


def test_a_dual_bound_is_the_best_over_its_scale():
    rng = np.random.default_rng(0)
    s = rng.normal(size=4)
    scales = np.linspace(0, 1, 2001)
    for penalty in (Penalty(0.7), Penalty(0.4, 1.0)):
        values = []
        for c in scales:
            over = np.maximum(np.abs(c * s) - penalty.l1, 0.0)
            outside = penalty.l2 == 0 and over.any()
            conjugate = 0.0 if penalty.l2 == 0 else over @ over / (2 * penalty.l2)
            values.append(-np.inf if outside else 1.3 * c - 0.2 * c * c - conjugate)
        best = dual_bound(1.3, 0.4, s, penalty)
        assert max(values) <= best + 1e-12
        assert best == pytest.approx(max(values), abs=1e-3)
    assert dual_bound(-1.0, 0.0, s, Penalty(1.0)) == 0.0


def test_fenchel_and_young_hold_for_every_penalty():
    rng = np.random.default_rng(1)
    for penalty in (Penalty(0.5), Penalty(0.5, 0.4), Penalty(2.0, 1.0)):
        for _ in range(20):
            w, s = rng.normal(size=5), 0.5 * rng.normal(size=5)
            w[rng.integers(5)] = 0.0
            assert penalty.young(w, s) >= 0
        inside = np.clip(s, -penalty.l1, penalty.l1)
        attained = penalty.gradient(w) if penalty.l2 else inside * (w == 0)
        if penalty.l2:
            assert penalty.young(w, attained) == pytest.approx(0, abs=1e-12)
