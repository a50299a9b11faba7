import numpy as np
import pytest
from scipy.optimize import brentq

from corollary.solvers import iterative_scaling as scaling


def make(seed=0, n=8, m=3):
    rng = np.random.default_rng(seed)
    F = rng.uniform(0, 2, size=(n, m))
    return F, rng.dirichlet(np.ones(n)) @ F, np.full(n, 1 / n)


@pytest.mark.course("S0-14")
def test_a_step_of_gis_without_penalty_is_the_logarithm_of_the_ratio():
    F, b, p = make()
    C = float(F.sum(axis=1).max())
    s = scaling.gis_step(scaling.begin(np.zeros(3), C), p @ F, b, np.zeros(3))
    np.testing.assert_allclose(s.mu, np.log(b / (p @ F)) / C, rtol=1e-10)
    assert s.rounds == 1


@pytest.mark.course("S0-14")
@pytest.mark.parametrize("penalty", [0.0, 0.3])
def test_a_round_of_iis_solves_its_equation(penalty):
    F, b, p = make(1)
    total, mu = F.sum(axis=1), np.array([0.2, -0.4, 0.1])
    s = scaling.begin(mu, float(total.max()))
    while s.rounds == 0:
        G = F * np.exp(np.outer(total, s.delta)) * p[:, None]
        s = scaling.iis_step(s, G.sum(axis=0), total @ G, b, np.full(3, penalty))
    for j in range(3):

        def h(t, j=j):
            tilted = p @ (F[:, j] * np.exp(t * total))
            return tilted + penalty * (mu[j] + t) - b[j]

        exact = brentq(h, -20, 20)
        np.testing.assert_allclose(s.mu[j] - mu[j], exact, rtol=0.02)
    assert s.inner == 0
    np.testing.assert_array_equal(s.delta, 0)


def test_gis_with_a_penalty_solves_its_equation():
    F, b, p = make(2)
    C, penalty, mu = float(F.sum(axis=1).max()), np.full(3, 0.5), np.array([1.0, 0, -1])
    s = scaling.gis_step(scaling.begin(mu, C), p @ F, b, penalty)
    left = (p @ F) * np.exp(C * (s.mu - mu)) + penalty * s.mu
    np.testing.assert_allclose(left, b, rtol=1e-9)


def test_a_target_of_zero_moves_far_but_stays_finite():
    F, _, p = make(3)
    s = scaling.begin(np.zeros(3), float(F.sum(axis=1).max()))
    for _ in range(5):
        s = scaling.gis_step(s, p @ F, np.zeros(3), np.zeros(3))
    assert np.isfinite(s.mu).all()
    assert (s.mu < -1).all()


def test_a_feature_that_never_comes_is_left_alone():
    s = scaling.gis_step(scaling.begin(np.zeros(1), 1.0), np.zeros(1), np.zeros(1), np.zeros(1))  # noqa: E501  # fmt: skip
    np.testing.assert_array_equal(s.mu, [0.0])
