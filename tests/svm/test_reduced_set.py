"""Fewer support vectors, and the most that this can change."""

import numpy as np
import pytest
from common.machines import data, target
from sklearn.metrics.pairwise import rbf_kernel

import corollary
from corollary import SVC, SVDD, KernelRidge
from corollary.core.errors import ParameterError
from corollary.svm.reduced_set import compress


@pytest.mark.course("S0-32")
@pytest.mark.parametrize("K", [2, 3])
def test_fewer_vectors_at_a_known_price(K):
    X, y, _ = data(12, 300)
    y = y if K == 2 else np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.5])
    model = SVC(C=2.0).fit(X, y)
    last = np.inf
    for m in (5, 20, 60, len(model.support_)):
        small = compress(model, m, X)
        assert small.after <= m
        assert small.change <= small.bound + 1e-9
        total = (small.distance**2).sum()
        assert total <= last * (1 + 1e-9) + 1e-12
        last = total
    assert small.change < 1e-5
    assert compress(model, 60, X).agreement > 0.95
    with pytest.raises(ParameterError, match="n_vectors must be at least 1"):
        compress(model, 0)
    with pytest.raises(ParameterError, match="compress: model must be"):
        compress(KernelRidge().fit(X, y), 3)


@pytest.mark.course("S0-32", "S1-50")
@pytest.mark.parametrize("kernel", ["rbf", "poly"])
def test_a_ball_with_fewer_vectors(kernel):
    X, _, _ = data(14, 300)
    ball = SVDD(nu=0.3, kernel=kernel, gamma=0.5, degree=2, coef0=1.0).fit(X)
    last = np.inf
    for m in (3, 10, 30, len(ball.support_)):
        small = compress(ball, m, X)
        assert small.change <= small.bound * (1 + 1e-9) + 1e-9
        assert small.distance[0] <= last * (1 + 1e-9) + 1e-12
        last = small.distance[0]
        # the distances are those from a centre, so none is below 0
        assert (small.model.score_samples(X) <= 1e-9).all()
    assert small.change < 1e-6
    assert compress(ball, 60, X).agreement > 0.9


@pytest.mark.course("S0-32")
@pytest.mark.parametrize("name", ["SVC", "SVR", "OneClassSVM", "SVDD", "HardMarginSVC"])
def test_a_given_matrix_is_compressed_alike(name):
    X, y, number = data(15, 120)
    y = y if name != "HardMarginSVC" else (X[:, 0] > 0).astype(int)
    K = rbf_kernel(X, gamma=0.5)
    make, goal = getattr(corollary, name), target(name, y, number)
    goal = None if name == "SVDD" else goal
    named = make(gamma=0.5, tol=1e-9).fit(X, goal)
    given = make(kernel="precomputed", tol=1e-9).fit(K, goal)
    a, b = compress(named, 10, X), compress(given, 10, K)
    if name in ("SVC", "SVR"):  # the others' free rows tie for the first choice
        np.testing.assert_array_equal(a.model.support_, b.model.support_)
        np.testing.assert_allclose(b.model.predict(K), a.model.predict(X), atol=1e-6)
    for found, rows in ((a, X), (b, K)):
        assert found.after == len(found.model.support_) == 10
        assert found.change <= found.bound
        assert found.model.predict(rows).shape == (120,)
    whole = compress(given, len(given.support_), K)
    assert whole.change <= 1e-6 * (1 + np.abs(given.dual_coef_).max())
    with pytest.raises(ParameterError, match=r"kernel matrix of the fit, \(120, 120\)"):
        compress(given, 10)
    with pytest.raises(ParameterError, match=r"got shape \(5, 120\)"):
        compress(given, 10, K[:5])
