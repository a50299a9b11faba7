import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.linear_model

from corollary import (
    ElasticNet,
    Lasso,
    LinearRegression,
    MultiTaskElasticNet,
    MultiTaskLasso,
)
from corollary.core.errors import DataError
from corollary.objectives.penalties import Penalty

TIGHT = {"tol": 1e-13, "max_iter": 100_000}
SHAPES = [(80, 6), (40, 300), (30, 1200)]


def make(n=80, d=6, m=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) + rng.normal(size=d)
    B = rng.normal(size=(3, m))
    return X, X[:, :3] @ B + rng.normal(size=(n, m)) + 1


def objective(model, X, Y, w, alpha, rho):
    B, N = model.coef_.T, w.sum()
    loss = (w[:, None] * (Y - model.predict(X)) ** 2).sum() / (2 * N)
    lengths = np.sqrt((B**2).sum(axis=1)).sum()
    return loss + alpha * (rho * lengths + (1 - rho) / 2 * (B**2).sum())


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rho", [0.3, 0.8, 1.0])
@pytest.mark.parametrize("intercept", [True, False])
def test_agrees_with_scikit_learn(shape, rho, intercept):
    X, Y = make(*shape)
    how = {"l1_ratio": rho, "fit_intercept": intercept, **TIGHT}
    theirs = sklearn.linear_model.MultiTaskElasticNet(0.2, **how).fit(X, Y)
    for rows in (X, sp.csr_array(X)):
        ours = MultiTaskElasticNet(0.2, **how).fit(rows, Y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-6)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-6)
    if rho == 1.0:
        lasso = MultiTaskLasso(0.2, fit_intercept=intercept, **TIGHT).fit(X, Y)
        np.testing.assert_allclose(lasso.coef_, theirs.coef_, atol=1e-6)


@pytest.mark.course("S3-91")
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rho", [0.6, 1.0])
def test_the_gap_bounds_the_distance_and_the_conditions_hold(shape, rho):
    X, Y = make(*shape)
    w = np.random.default_rng(1).uniform(0.5, 2, len(Y))
    best = MultiTaskElasticNet(0.2, l1_ratio=rho, **TIGHT).fit(X, Y, w)
    least = objective(best, X, Y, w, 0.2, rho)
    assert best.report_.objective[-1] == pytest.approx(least, rel=1e-10)
    for tol in (1e-1, 1e-2, 1e-3):
        rough = MultiTaskElasticNet(0.2, l1_ratio=rho, tol=tol).fit(X, Y, w)
        above = objective(rough, X, Y, w, 0.2, rho) - least
        assert -1e-12 <= above <= rough.dual_gap_ + 1e-12
    residual = w[:, None] * (Y - best.predict(X))
    G = (X - np.average(X, axis=0, weights=w)).T @ residual / w.sum()
    G -= 0.2 * (1 - rho) * best.coef_.T
    lengths = np.sqrt((G**2).sum(axis=1))
    on = best.coef_.any(axis=0)
    np.testing.assert_allclose(lengths[on], 0.2 * rho, rtol=1e-5)  # (2)
    assert (lengths[~on] <= 0.2 * rho * (1 + 1e-9)).all()
    facts = best.report_.facts
    assert facts["n_features_used"] == on.sum() < shape[1] or shape[1] < 10


@pytest.mark.parametrize("shape", SHAPES[:2])
def test_one_target_gives_the_lasso_and_the_elastic_net(shape):
    X, Y = make(*shape, m=1)
    for ours, one in (
        (MultiTaskLasso(0.1, **TIGHT), Lasso(0.1, **TIGHT)),
        (MultiTaskElasticNet(0.1, **TIGHT), ElasticNet(0.1, **TIGHT)),
    ):
        ours, one = ours.fit(X, Y), one.fit(X, Y[:, 0])
        np.testing.assert_allclose(ours.coef_[0], one.coef_, atol=2e-6)
        assert ours.coef_.shape == (1, shape[1])


def test_ends_of_the_penalty():
    X, Y = make()
    Xc, Yc = X - X.mean(axis=0), Y - Y.mean(axis=0)
    top = np.sqrt(((Xc.T @ Yc) ** 2).sum(axis=1)).max() / len(Y)  # (3)
    assert not MultiTaskLasso(top * (1 + 1e-9)).fit(X, Y).coef_.any()
    assert MultiTaskLasso(0.99 * top, **TIGHT).fit(X, Y).coef_.any()
    free = MultiTaskLasso(0.0, **TIGHT).fit(X, Y)
    np.testing.assert_allclose(free.coef_, LinearRegression().fit(X, Y).coef_)


def test_weights_are_repetitions():
    X, Y = make()
    w = np.random.default_rng(0).integers(0, 3, len(Y))
    once = MultiTaskLasso(0.2, **TIGHT).fit(X, Y, w)
    twice = MultiTaskLasso(0.2, **TIGHT).fit(X.repeat(w, 0), Y.repeat(w, 0))
    np.testing.assert_allclose(once.coef_, twice.coef_, atol=1e-9)


def test_a_warm_start_that_is_the_end_takes_no_step():
    X, Y = make()
    model = MultiTaskLasso(0.1, warm_start=True).fit(X, Y)
    assert model.n_iter_ > 0
    before = model.coef_
    assert model.fit(X, Y).n_iter_ == 0
    np.testing.assert_array_equal(model.coef_, before)


def test_one_column_of_targets_is_refused():
    X, Y = make()
    with pytest.raises(DataError, match="MultiTaskLasso: y must be a matrix"):
        MultiTaskLasso().fit(X, Y[:, 0])


def test_the_penalty_of_blocks_has_its_map_and_its_conjugate():
    rng = np.random.default_rng(0)
    V, t = rng.normal(size=(5, 3)), 0.4
    for rho in (0.5, 1.0):
        R = Penalty(1.3, rho, blocks=True)
        W = R.prox(V, t)

        def cost(U, R=R):
            return ((U - V) ** 2).sum() / 2 + t * R.value(U)

        for _ in range(200):
            assert cost(W) <= cost(W + 1e-3 * rng.normal(size=V.shape))
        S = R.gradient(W + 1.0)
        assert R.young(W + 1.0, S) == pytest.approx(0.0, abs=1e-12)
        assert R.violation(W + 1.0, R.l2 * (W + 1.0) - S) < 1e-12
    assert R.value(V) == pytest.approx(1.3 * np.sqrt((V**2).sum(axis=1)).sum())
