"""RANSAC: scikit-learn's answers, the law of the draws, and wild rows without a say."""

import numpy as np
import pytest
import sklearn.linear_model
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import corollary
from corollary import LinearRegression, RANSACRegressor, Ridge, StopReason
from corollary.core.errors import DataError, ParameterError


def line_with_wild_rows(n=200, d=2, wild=0.4, seed=0, noise=0.002):
    """Return rows of a plane, a share of them wild in x and y; the mask of those."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    b = np.arange(1.0, d + 1)
    y = X @ b + 4 + noise * rng.uniform(-1, 1, size=n)
    out = np.arange(n) < wild * n
    X[out] += 5
    y[out] = 100 + 50 * rng.normal(size=int(out.sum()))
    return X, y, out


@pytest.mark.parametrize("wild", [0.1, 0.29, 0.45, 0.6])
def test_wild_rows_have_no_say(wild):
    X, y, out = line_with_wild_rows(wild=wild)
    model = RANSACRegressor(
        residual_threshold=0.1, max_trials=1000, random_state=0
    ).fit(X, y)
    np.testing.assert_array_equal(model.inlier_mask_, ~out)
    clean = LinearRegression().fit(X[~out], y[~out])
    np.testing.assert_allclose(model.estimator_.coef_, clean.coef_, rtol=1e-10)
    np.testing.assert_allclose(model.predict(X[:5]), clean.predict(X[:5]), rtol=1e-10)
    least_squares = LinearRegression().fit(X, y)
    assert np.abs(least_squares.coef_ - clean.coef_).max() > 1


@pytest.mark.parametrize("loss", ["absolute_error", "squared_error"])
@pytest.mark.parametrize("targets", [1, 2])
def test_it_finds_what_scikit_learn_finds(loss, targets):
    X, y, _ = line_with_wild_rows(seed=3)
    y = y if targets == 1 else np.column_stack([y, -2 * y + X[:, 0]])
    options = {"loss": loss, "residual_threshold": 0.5, "max_trials": 300}
    ours = RANSACRegressor(random_state=0, **options).fit(X, y)
    theirs = sklearn.linear_model.RANSACRegressor(random_state=0, **options).fit(X, y)
    np.testing.assert_array_equal(ours.inlier_mask_, theirs.inlier_mask_)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-8)
    np.testing.assert_allclose(ours.score(X, y), theirs.score(X, y), rtol=1e-8)


def test_the_usual_threshold_is_the_median_deviation():
    X, y, _ = line_with_wild_rows(seed=1, wild=0.2)
    model = RANSACRegressor(random_state=0).fit(X, y)
    deviation = np.median(np.abs(y - np.median(y)))
    assert model.report_.facts["threshold"] == pytest.approx(deviation)


@given(share=st.floats(0.05, 0.99), k=st.integers(1, 6), p=st.floats(0.01, 0.9999))
@settings(max_examples=60, deadline=None)
def test_as_many_draws_as_the_law_asks_for(share, k, p):
    from corollary.linear.robust.ransac_regressor import draws_needed

    draws = draws_needed(share, k, p)
    assert (1 - share**k) ** draws <= (1 - p) * (1 + 1e-9)
    if draws > 1:
        assert (1 - share**k) ** (draws - 1) >= (1 - p) * (1 - 1e-9)


def test_a_clean_draw_is_as_likely_as_the_report_says():
    X, y, _ = line_with_wild_rows(n=60, wild=0.5, noise=0.0)
    found = missed = 0.0
    for seed in range(300):
        with pytest.warns(ConvergenceWarning):
            model = RANSACRegressor(
                residual_threshold=1e-6,
                max_trials=8,
                stop_probability=1 - 1e-9,
                random_state=seed,
            ).fit(X, y)
        assert model.n_trials_ == 8
        found += model.inlier_mask_.sum() == 30
        missed += (1 - 0.5**3) ** 8
    assert abs(found / 300 - (1 - missed / 300)) < 4 * np.sqrt(0.25 / 300)


def test_the_report_names_the_rule_that_ended_the_draws():
    X, y, _ = line_with_wild_rows()
    base = {"residual_threshold": 0.1, "random_state": 0}
    model = RANSACRegressor(max_trials=500, **base).fit(X, y)
    facts = model.report_.facts
    assert model.report_.stop is StopReason.CONVERGED
    assert facts["stop_rule"] == "stop_probability"
    q = model.inlier_mask_.mean()
    assert facts["clean_draw"] == pytest.approx(1 - (1 - q**3) ** model.n_trials_)
    assert facts["clean_draw"] >= 0.99
    assert facts["n_inliers"] == model.inlier_mask_.sum() == 120
    rules = {"stop_n_inliers": 3, "stop_score": -1e9}
    for rule, value in rules.items():
        early = RANSACRegressor(**base, **{rule: value}).fit(X, y)
        assert early.report_.facts["stop_rule"] == rule
        assert early.n_trials_ == 1
    with pytest.warns(ConvergenceWarning, match="Raise max_trials"):
        short = RANSACRegressor(max_trials=2, **base).fit(X, y)
    assert short.report_.facts["stop_rule"] == "max_trials"
    assert "no draw was clean" in str(short.report_)
    with pytest.warns(ConvergenceWarning, match="max_skips"):
        short = RANSACRegressor(max_skips=1, max_trials=500, **base).fit(X, y)
    assert short.report_.facts["stop_rule"] == "max_skips"


@pytest.mark.parametrize("inside", [LinearRegression(), Ridge(alpha=1e-8)])
def test_a_weight_is_a_repetition(inside):
    X, y, _ = line_with_wild_rows(n=60)
    w = np.random.default_rng(0).integers(0, 4, size=60)
    options = {
        "estimator": inside,
        "min_samples": 3,
        "residual_threshold": 0.1,
        "max_trials": 200,
        "random_state": 0,
    }
    weighted = RANSACRegressor(**options).fit(X, y, sample_weight=w)
    repeated = RANSACRegressor(**options).fit(np.repeat(X, w, 0), np.repeat(y, w))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), rtol=1e-9)
    assert weighted.n_trials_ == repeated.n_trials_
    assert not weighted.inlier_mask_[w == 0].any()
    np.testing.assert_array_equal(
        np.repeat(weighted.inlier_mask_, w), repeated.inlier_mask_
    )


def test_the_heaviest_set_wins_not_the_longest():
    X = np.arange(16.0)[:, None]
    y = np.where(np.arange(16) < 10, X[:, 0], 100 - 3 * X[:, 0])
    options = {"residual_threshold": 1e-6, "max_trials": 300, "random_state": 0}
    assert RANSACRegressor(**options).fit(X, y).inlier_mask_.sum() == 10
    w = np.where(np.arange(16) < 10, 1.0, 2.5)
    model = RANSACRegressor(**options).fit(X, y, sample_weight=w)
    np.testing.assert_array_equal(model.inlier_mask_, w == 2.5)


def test_lines_move_with_the_data():
    X, y, _ = line_with_wild_rows()
    A, a, c = np.array([[2.0, 1.0], [0.5, -1.0]]), np.array([3.0, -1.0]), 7.0
    options = {"max_trials": 1000, "random_state": 0}
    first = RANSACRegressor(residual_threshold=0.1, **options).fit(X, y)
    moved = RANSACRegressor(residual_threshold=0.5, **options)
    moved.fit(X @ A, 5 * y + X @ A @ a + c)
    np.testing.assert_array_equal(moved.inlier_mask_, first.inlier_mask_)
    np.testing.assert_allclose(
        moved.predict(X @ A), 5 * first.predict(X) + X @ A @ a + c, rtol=1e-9
    )


def test_the_order_of_the_rows_does_not_matter():
    X, y, _ = line_with_wild_rows(n=80)
    order = np.random.default_rng(1).permutation(80)
    options = {"residual_threshold": 0.1, "random_state": 3, "max_trials": 300}
    model = RANSACRegressor(**options).fit(X, y)
    again = RANSACRegressor(**options).fit(X[order], y[order])
    assert again.n_trials_ == model.n_trials_
    np.testing.assert_array_equal(again.inlier_mask_, model.inlier_mask_[order])


def test_checks_of_the_user_skip_draws():
    X, y, out = line_with_wild_rows()
    model = RANSACRegressor(
        residual_threshold=0.1,
        max_trials=300,
        is_data_valid=lambda X, y: (y < 50).all(),
        is_model_valid=lambda model, X, y: model.coef_[0] < 2,
        random_state=0,
    ).fit(X, y)
    assert model.n_skips_invalid_data_ > 0
    np.testing.assert_array_equal(model.inlier_mask_, ~out)
    with pytest.raises(DataError, match="100 draws refused by is_data_valid"):
        RANSACRegressor(is_data_valid=lambda X, y: False).fit(X, y)
    with pytest.raises(DataError, match="100 by is_model_valid"):
        RANSACRegressor(is_model_valid=lambda m, X, y: False).fit(X, y)


def test_ctrl_c_keeps_the_best_set():
    X, y, _ = line_with_wild_rows()
    calls = 0

    def loss(truth, predicted):
        nonlocal calls
        calls += 1
        if calls == 20:
            raise KeyboardInterrupt
        return np.abs(truth - predicted)

    options = {"residual_threshold": 0.1, "random_state": 0}
    model = RANSACRegressor(loss=loss, max_trials=1000, stop_probability=1.0, **options)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.report_.stop is StopReason.INTERRUPTED
    assert model.n_trials_ == 20
    assert model.report_.facts["stop_rule"] == "interrupt"
    with pytest.warns(ConvergenceWarning):
        same = RANSACRegressor(max_trials=19, stop_probability=1.0, **options).fit(X, y)
    np.testing.assert_allclose(model.predict(X), same.predict(X))


def test_what_cannot_be_is_told():
    X, y, _ = line_with_wild_rows(n=10)
    with pytest.raises(ParameterError, match="min_samples must be given"):
        RANSACRegressor(Ridge()).fit(X, y)
    with pytest.raises(ParameterError, match="n_samples = 10; got 11"):
        RANSACRegressor(min_samples=11).fit(X, y)
    with pytest.raises(DataError, match="without a row within the threshold"):
        RANSACRegressor(residual_threshold=0.0, loss=lambda a, b: a * 0 + 1).fit(X, y)
    knn = sklearn.neighbors.KNeighborsRegressor(1)
    with pytest.raises(ParameterError, match="does not support sample_weight"):
        RANSACRegressor(knn, min_samples=3).fit(X, y, np.ones(10))


def test_a_model_survives_its_file(tmp_path):
    X, y, _ = line_with_wild_rows()
    model = RANSACRegressor(residual_threshold=0.1, max_trials=500, random_state=0)
    model.fit(X, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.inlier_mask_, model.inlier_mask_)


def test_most_rows_of_one_value_are_a_consensus():
    X = np.arange(12.0)[:, None] / 7
    y = np.full(12, 0.3)
    y[:4] = [5.0, -2.0, 9.0, 4.0]
    model = RANSACRegressor(random_state=0).fit(X, y)  # no deviation, but rounding
    np.testing.assert_array_equal(model.inlier_mask_, y == 0.3)
    one = RANSACRegressor(min_samples=1).fit(X[:1], y[:1])
    np.testing.assert_allclose(one.predict(X[:1]), y[:1])
