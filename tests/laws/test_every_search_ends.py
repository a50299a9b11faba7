"""No data keeps a search from its end: every one has a bound that data cannot move."""

import time

import numpy as np
import pytest

from corollary import SVC, ElasticNetCV, LassoCV, LinearSVC, OneClassSVM, loops
from corollary.core.errors import DataError, ParameterError
from corollary.core.report import StopReason
from corollary.engine import Moments
from corollary.kernels.feature_maps import GaussianMap
from corollary.kernels.gram import MatrixGram, TileKernel, tile_matrix
from corollary.objectives.penalties import Penalty
from corollary.solvers import smo
from corollary.solvers.coordinate_descent import path
from corollary.solvers.design import Grams
from corollary.solvers.proximal_newton import thinned
from corollary.svm.ivanov import lambda_of_norm

rng = np.random.default_rng(0)
X = rng.normal(size=(30, 3))
y = X @ [1.0, -2.0, 0.5] + 0.1 * rng.normal(size=30)


@pytest.mark.parametrize("scale", [1e160, 1e300])
@pytest.mark.parametrize("learner", [LassoCV, ElasticNetCV])
def test_a_target_beyond_squares_is_refused(learner, scale):
    with pytest.raises(DataError, match="Input y must be at most"):
        learner().fit(X, y * scale)


def test_weights_beyond_all_bounds_are_refused():
    with pytest.raises(DataError, match="Input sample_weight must be at most"):
        OneClassSVM().fit(X, sample_weight=np.full(30, 1e300))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("place", ["G", "c", "y2"])
def test_descent_on_numbers_that_are_none_ends(bad, place):
    moments = Moments.of(X, None, y[:, None])
    at = {"G": (0, 1), "c": (1, 3), "y2": (3, 3)}[place]
    M2 = moments.M2.copy()
    M2[at] = M2[at[::-1]] = bad
    design = Grams([Moments(moments.n, moments.mean, M2)], 3, intercept=True)
    with np.errstate(invalid="ignore", over="ignore"):
        (point,) = next(path(design, [Penalty(0.1, 1.0)], tol=1e-9))
    assert isinstance(point.stop, StopReason)


def test_pairs_of_variables_without_a_value_end():
    K, s = X @ X.T, np.where(y > 0, 1.0, -1.0)
    K[3, 3] = np.inf
    lo, hi = np.where(s > 0, 0.0, -1.0), np.where(s > 0, 1.0, 0.0)
    dual = smo.Dual(-s, lo, hi, np.zeros(30), np.zeros(30))
    limits = smo.Limits(tol=1e-9)
    with np.errstate(invalid="ignore", over="ignore"):
        try:
            found = smo.solve(MatrixGram(K, np.float64), dual, limits)
        except np.linalg.LinAlgError:
            return
    assert found.stop is not StopReason.CONVERGED


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_the_least_gap_of_no_numbers_ends(bad):
    n = 4
    f, zero, one = np.array([1.0, bad, 0.0, 2.0]), np.zeros(n), np.ones(n)
    for low, high in ((-1.0, 1.0), (-np.inf, np.inf), (-1.7e308, 1.7e308)):
        loops.least_gap(f, zero, -one, one, zero, 0.0, low, high, 0.0, 1e-12, 0.0)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("degree", [0, 1, 2, 3, 4, 7, 10, 31])
def test_a_power_by_squaring_is_a_power(degree, dtype):
    rows = X.astype(dtype)
    K = tile_matrix(TileKernel("poly", 0.3, 0.5, degree), rows, rows)
    expected = (0.3 * X @ X.T + 0.5) ** degree
    eps = np.finfo(dtype).eps
    np.testing.assert_allclose(K, expected, rtol=20 * (degree + 1) * eps, atol=eps)


def test_a_degree_of_millions_costs_no_more_than_its_logarithm():
    rows = np.clip(X, -0.5, 0.5)
    begun = time.process_time()
    K = tile_matrix(TileKernel("poly", 0.5, 0.0, 10**8), rows, rows)
    assert time.process_time() - begun < 1.0
    assert not K.any()
    with pytest.raises(DataError, match="X must be so small that its powers of degree"):
        SVC(kernel="poly", degree=10**8).fit(3 * X, y > 0)


def test_a_penalty_between_any_two_floats_takes_few_fits():
    calls = []

    def fit(lam):
        calls.append(lam)
        return [1.0 / (1.0 + lam)]

    lam = lambda_of_norm(fit, 0.25, low=1e-300, high=1e300, tol=0.0)
    assert lam == pytest.approx(3.0)
    assert len(calls) < 210


def test_a_map_of_too_wide_a_ball_is_refused():
    with pytest.raises(ParameterError, match="a degree up to 10000 must"):
        GaussianMap.within(1e-3, radius=1e6)


@pytest.mark.parametrize("C", [100.0, 1e4])
@pytest.mark.parametrize("seed", range(4))
def test_an_l1_machine_of_dependent_columns_ends_soon(seed, C):
    """Columns of rank 3 on seven scales: a thousand passes once, and no end."""
    draw = np.random.default_rng(seed)
    rows = draw.normal(size=(16, 3)) @ draw.normal(size=(3, 33))
    rows *= 10.0 ** draw.integers(-3, 4, size=33)
    labels = np.arange(16) % 2
    model = LinearSVC(penalty="l1", dual=False, C=C).fit(rows, labels)
    assert model.report_.stop is StopReason.CONVERGED
    assert model.report_.passes < 60


def test_dependent_columns_leave_the_support_downhill():
    draw = np.random.default_rng(0)
    B = draw.normal(size=(20, 3))
    A = np.hstack([B, B @ draw.normal(size=(3, 4))])
    G, c, b, l1 = A.T @ A, A.T @ draw.normal(size=20), draw.normal(size=7), 0.3

    def P(b):
        return 0.5 * b @ G @ b - c @ b + l1 * np.abs(b).sum()

    fresh = thinned(G, l1, b, c - G @ b)
    assert np.count_nonzero(fresh) <= 3
    assert P(fresh) <= P(b) + 1e-12
    np.testing.assert_array_equal(thinned(G, l1, fresh, c - G @ fresh), fresh)
