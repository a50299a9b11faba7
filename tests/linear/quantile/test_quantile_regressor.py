"""Quantile regression: scikit-learn's and statsmodels' answers, gap and subgradient."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import QuantileRegressor as Theirs

from corollary import QuantileRegressor, engine
from corollary.core.errors import ParameterError
from corollary.linear.quantile.quantile_crossings import quantile_crossings

SOLVERS = ["highs", "interior-point"]


def sample(n=150, d=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * np.arange(1, d + 1) + 5
    return X, X @ rng.normal(size=d) + rng.standard_t(2, size=n) + 3


def objective(coef, intercept, X, y, t, alpha, w=None):
    w = np.ones(len(y)) if w is None else w
    r = y - X @ coef - intercept
    return w @ np.maximum(t * r, (t - 1) * r) / w.sum() + alpha * np.abs(coef).sum()


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize(
    ("t", "alpha"), [(0.5, 0.0), (0.9, 0.1), (0.05, 0.02), (0.3, 9)]
)
def test_the_answer_is_scikit_learns(solver, intercept, t, alpha):
    X, y = sample()
    w = np.random.default_rng(1).integers(0, 3, size=len(y)).astype(float)
    for weights in (None, w):
        options = {"quantile": t, "alpha": alpha, "fit_intercept": intercept}
        ours = QuantileRegressor(solver=solver, **options).fit(X, y, weights)
        theirs = Theirs(**options).fit(X, y, weights)
        mine = objective(ours.coef_, ours.intercept_, X, y, t, alpha, weights)
        best = objective(theirs.coef_, theirs.intercept_, X, y, t, alpha, weights)
        np.testing.assert_allclose(mine, best, rtol=1e-9)
        np.testing.assert_allclose(ours.report_.objective[-1], mine, rtol=1e-9)
        gap = ours.report_.optimality.value
        assert mine - best <= gap + 1e-12
        assert gap <= 1e-6 * mine


@pytest.mark.parametrize("t", [0.1, 0.5, 0.75])
def test_the_answer_is_statsmodels(t):
    from statsmodels.regression.quantile_regression import QuantReg

    X, y = sample(400, 2, 3)
    theirs = QuantReg(y, np.column_stack([np.ones(400), X])).fit(q=t, p_tol=1e-12)
    ours = QuantileRegressor(quantile=t, alpha=0).fit(X, y)
    np.testing.assert_allclose(
        np.r_[ours.intercept_, ours.coef_], theirs.params, rtol=2e-5
    )


@pytest.mark.parametrize("solver", SOLVERS)
def test_zero_is_a_subgradient_at_the_answer(solver):
    X, y = sample(300, 4, 5)
    t, alpha = 0.3, 0.05
    model = QuantileRegressor(quantile=t, alpha=alpha, solver=solver).fit(X, y)
    r = y - model.predict(X)
    zero = np.abs(r) < 1e-9
    Z = np.column_stack([X, np.ones(300)])
    fixed = Z[~zero].T @ np.where(r[~zero] > 0, t, t - 1)
    free = np.abs(model.coef_) < 1e-9  # a zero weight leaves the penalty's slope free
    pulls = 300 * alpha * np.where(free, 0, np.sign(model.coef_))
    A = np.hstack([Z[zero].T, -300 * alpha * np.eye(5)[:, :4][:, free]])
    a, *_ = np.linalg.lstsq(A, np.r_[pulls, 0] - fixed, rcond=None)
    np.testing.assert_allclose(A @ a, np.r_[pulls, 0] - fixed, atol=1e-7)
    assert zero.sum() + free.sum() == 5
    own, slopes = a[: zero.sum()], a[zero.sum() :]
    assert ((own >= t - 1 - 1e-9) & (own <= t + 1e-9)).all()
    assert (np.abs(slopes) <= 1 + 1e-9).all()


@pytest.mark.course("S2-17")
@given(seed=st.integers(0, 10**6), t=st.sampled_from([0.2, 0.5, 0.8]))
@settings(max_examples=20, deadline=None)
def test_a_constant_model_is_a_quantile(seed, t):
    y = np.random.default_rng(seed).normal(size=21)
    for solver in SOLVERS:
        model = QuantileRegressor(quantile=t, alpha=1e4, solver=solver)
        model.fit(np.arange(21.0)[:, None], y)
        assert model.coef_[0] == pytest.approx(0, abs=1e-9)
        below = np.mean(y < model.intercept_ - 1e-9)
        above = np.mean(y > model.intercept_ + 1e-9)
        assert below <= t
        assert above <= 1 - t


@pytest.mark.parametrize("seed", range(4))
def test_the_gap_is_never_below_the_truth(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(3, size=(60, 3)).astype(float)  # many equal rows: degenerate
    y = rng.integers(4, size=60).astype(float)
    best = Theirs(quantile=0.4, alpha=0).fit(X, y)
    least = objective(best.coef_, best.intercept_, X, y, 0.4, 0)
    for solver in SOLVERS:
        model = QuantileRegressor(quantile=0.4, alpha=0, solver=solver).fit(X, y)
        mine = objective(model.coef_, model.intercept_, X, y, 0.4, 0)
        assert mine - least <= model.report_.optimality.value + 1e-12
        np.testing.assert_allclose(mine, least, rtol=1e-6)


def test_large_data_in_passes_reach_the_linear_program():
    X, y = sample(4000, 4, 9)
    exact = QuantileRegressor(quantile=0.8, alpha=0.01, solver="highs").fit(X, y)
    with engine.use(chunk_rows=700):
        model = QuantileRegressor(
            quantile=0.8, alpha=0.01, solver="interior-point"
        ).fit(engine.ChunkSource(lambda: ((X[a::3], y[a::3]) for a in range(3))))
    np.testing.assert_allclose(model.coef_, exact.coef_, rtol=1e-9)
    assert model.report_.optimality.relative < 1e-9
    assert "interior-point" in str(model.report_)


@pytest.mark.parametrize("solver", SOLVERS)
def test_sparse_rows(solver):
    X, y = sample(200, 5, 2)
    X[np.random.default_rng(0).random(X.shape) < 0.6] = 0
    options = {"quantile": 0.6, "alpha": 0.05, "solver": solver}
    dense = QuantileRegressor(**options).fit(X, y)
    sparse = QuantileRegressor(**options).fit(sp.csr_array(X), y)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-9)


def test_crossing_quantiles_are_noted_and_rearranged():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 1, size=(80, 1))
    y = (1 - x[:, 0]) * rng.normal(size=80)
    models = [QuantileRegressor(quantile=t, alpha=0).fit(x, y) for t in (0.9, 0.1, 0.5)]
    inside, beyond = (quantile_crossings(models, at) for at in (x / 2, x + 2))
    assert inside.share == 0
    assert beyond.share == 1
    assert inside.quantiles.tolist() == [0.1, 0.5, 0.9]
    assert (np.diff(beyond.rearranged, axis=1) >= 0).all()
    assert "80 of 80 rows (100.0%), first in row 0" in str(beyond)
    assert str(inside) == "no quantiles cross on these 80 rows"
    with pytest.raises(ParameterError, match="two or more different quantiles"):
        quantile_crossings(models[:1], x)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"quantile": 0.0}, "quantile must be a number in \\(0, 1\\)"),
        ({"quantile": 1.0}, "quantile must be"),
        ({"alpha": -1.0}, "alpha must be a number >= 0"),
        ({"solver": "simplex"}, "solver must be one of"),
        ({"solver_options": 3}, "solver_options must be None or a dict"),
    ],
)
def test_bad_parameters_get_a_sentence(options, words):
    with pytest.raises(ParameterError, match=words):
        QuantileRegressor(**options).fit([[0.0], [1.0]], [0.0, 1.0])


@pytest.mark.parametrize("offset", [0.0, 1000.25])
def test_a_corner_of_short_numbers_is_found_to_the_last_digit(offset):
    X, y = np.array([[0.0], [1], [1]]) + offset, [1.0, 2, 11]
    model = QuantileRegressor(quantile=0.51, alpha=0).fit(X, y)
    assert model.coef_.tolist() == [10.0]
    assert model.intercept_ == 1.0 - 10 * offset
