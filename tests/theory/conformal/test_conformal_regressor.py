"""Intervals around any regressor: those of the oracles, right as often as stated."""

import numpy as np
import pytest
from oracles.conformal import given_regressor, normal_rows
from scipy import stats
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression as TheirRegression
from sklearn.linear_model import QuantileRegressor as TheirQuantiles
from sklearn.model_selection import KFold, LeaveOneOut, ShuffleSplit
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import corollary
from corollary import ConformalRegressor, LinearRegression, QuantileRegressor
from corollary.core.errors import DataError, ParameterError


# -- the same as others ----------------------------------------------------------------
@pytest.mark.parametrize("delta", [0.05, 0.1, 0.25, 0.3])
@pytest.mark.parametrize("n", [37, 98, 201])  # (n + 1) delta is never whole
def test_split_intervals_are_mapies_and_crepes_to_the_bit(n, delta):
    from crepes import ConformalRegressor as Crepes
    from mapie.regression import SplitConformalRegressor

    X, y = normal_rows(n, seed=n)
    Z, _ = normal_rows(50, seed=1)
    base = TheirRegression().fit(*normal_rows(40, seed=2))
    model = ConformalRegressor(base, delta=delta, prefit=True).fit(X, y)
    found = model.predict_interval(Z)
    mapie = SplitConformalRegressor(base, confidence_level=1 - delta, prefit=True)
    np.testing.assert_array_equal(
        found, mapie.conformalize(X, y).predict_interval(Z)[1][:, :, 0]
    )
    crepes = Crepes().fit(y - base.predict(X))
    theirs = crepes.predict_int(base.predict(Z), confidence=1 - delta)
    np.testing.assert_array_equal(found, theirs)


@pytest.mark.parametrize(
    ("method", "theirs", "cv"),
    [
        ("cv+", "plus", KFold(4)),
        ("cv+", "plus", LeaveOneOut()),
        ("minmax", "minmax", KFold(4)),
    ],
)
def test_intervals_of_folds_are_mapies_to_the_bit(method, theirs, cv):
    from mapie.regression import CrossConformalRegressor

    (X, y), (Z, _) = normal_rows(60, seed=0), normal_rows(30, seed=1)
    mapie = CrossConformalRegressor(
        TheirRegression(), confidence_level=0.8, method=theirs, cv=cv
    )
    expected = mapie.fit_conformalize(X, y).predict_interval(Z)[1][:, :, 0]
    model = ConformalRegressor(TheirRegression(), method=method, delta=0.2, cv=cv)
    np.testing.assert_array_equal(model.fit(X, y).predict_interval(Z), expected)
    np.testing.assert_allclose(
        model.predict(Z), TheirRegression().fit(X, y).predict(Z), rtol=1e-12
    )


def test_jackknife_plus_is_a_naive_one():
    (X, y), (Z, _) = normal_rows(25, seed=0), normal_rows(9, seed=1)
    model = ConformalRegressor(method="jackknife+", delta=0.2).fit(X, y)
    low, high = np.empty((9, 25)), np.empty((9, 25))
    for i in range(25):
        rest = np.arange(25) != i
        f = TheirRegression().fit(X[rest], y[rest])
        R = abs(y[i] - f.predict(X[i : i + 1])[0])
        low[:, i], high[:, i] = f.predict(Z) - R, f.predict(Z) + R
    low, high = np.sort(low, axis=1), np.sort(high, axis=1)
    naive = np.column_stack([low[:, 5 - 1], high[:, 21 - 1]])  # 0.2 * 26, 0.8 * 26
    np.testing.assert_allclose(model.predict_interval(Z), naive, rtol=1e-10)
    assert len(model.estimators_) == 25


def test_cross_conformal_is_the_hull_of_the_y_with_large_p_values():
    (X, y), (Z, _) = normal_rows(40, seed=3), normal_rows(5, seed=4)
    cv = KFold(4)
    model = ConformalRegressor(method="cross", delta=0.25, cv=cv).fit(X, y)
    plus = ConformalRegressor(method="cv+", delta=0.25, cv=cv).fit(X, y)
    grid = np.linspace(-8, 8, 4001)
    count = np.zeros((5, len(grid)))
    for train, test in cv.split(X):
        f = TheirRegression().fit(X[train], y[train])
        R = np.abs(y[test] - f.predict(X[test]))
        miss = np.abs(grid - f.predict(Z)[:, None])
        count += (R[:, None, None] >= miss).sum(axis=0)
    inside = (1 + count) / 41 > 0.25
    found, outer = model.predict_interval(Z), plus.predict_interval(Z)
    for row in range(5):
        hull = grid[inside[row]][[0, -1]]
        np.testing.assert_allclose(found[row], hull, atol=0.005)
    assert (outer[:, 0] <= found[:, 0]).all()
    assert (outer[:, 1] >= found[:, 1]).all()


def test_quantile_intervals_are_mapies_to_the_bit():
    from mapie.regression import ConformalizedQuantileRegressor

    (X, y), (Z, _) = normal_rows(80, seed=0), normal_rows(30, seed=1)
    train = normal_rows(80, seed=5)
    three = [
        TheirQuantiles(quantile=tau, alpha=0).fit(*train) for tau in (0.05, 0.95, 0.5)
    ]
    mapie = ConformalizedQuantileRegressor(three, confidence_level=0.9, prefit=True)
    points, ends = mapie.conformalize(X, y).predict_interval(
        Z, symmetric_correction=True
    )
    model = ConformalRegressor(tuple(three), method="quantile", prefit=True).fit(X, y)
    np.testing.assert_array_equal(model.predict_interval(Z), ends[:, :, 0])
    np.testing.assert_array_equal(model.predict(Z), points)
    pair = ConformalRegressor(three[:2], method="quantile", prefit=True).fit(X, y)
    middle = (three[0].predict(Z) + three[1].predict(Z)) / 2
    np.testing.assert_allclose(pair.predict(Z), middle)


# -- as often right as stated ----------------------------------------------------------
def conditional_coverage(draws, n, delta, seed=0):
    """Return the exact coverage given the calibration rows, of many draws of them."""
    rng = np.random.default_rng(seed)
    base = given_regressor()
    found = np.empty(draws)
    for i in range(draws):
        y = rng.normal(size=n)
        model = ConformalRegressor(base, delta=delta, prefit=True)
        q = model.fit(np.zeros((n, 1)), y).quantile_[0]
        found[i] = 2 * stats.norm.cdf(q) - 1
    return found, model.coverage_


@pytest.mark.parametrize(
    ("draws", "n"),
    [(1000, 49), pytest.param(10_000, 99, marks=pytest.mark.slow)],
)
def test_coverage_is_in_its_band_and_follows_the_beta_law(draws, n):
    found, stated = conditional_coverage(draws, n, 0.1)
    error = found.std() / np.sqrt(draws)
    assert stated.at_least - 3 * error <= found.mean() <= stated.at_most + 3 * error
    assert stats.kstest(found, stats.beta(*stated.beta).cdf).pvalue > 0.01
    low, high = stated.between(0.9)
    inside = np.mean((low <= found) & (found <= high))
    assert abs(inside - 0.9) < 4 * np.sqrt(0.09 / draws)


def mean_coverage(make, draws, n=60, m=100, seed=0):
    """Return the mean coverage on new rows over draws of everything, and its error."""
    found = np.empty(draws)
    for i in range(draws):
        X, y = normal_rows(n, seed=(seed, i, 0))
        Z, z = normal_rows(m, seed=(seed, i, 1))
        low, high = make().fit(X, y).predict_interval(Z).T
        found[i] = np.mean((low <= z) & (z <= high))
    return found.mean(), found.std() / np.sqrt(draws)


@pytest.mark.parametrize(
    ("method", "draws"),
    [
        ("split", 200),
        ("cv+", 60),
        ("minmax", 60),
        *(
            pytest.param(method, 1000, marks=pytest.mark.slow)
            for method in ("split", "quantile", "cv+", "cross", "minmax")
        ),
        pytest.param("jackknife+", 200, marks=pytest.mark.slow),
    ],
)
def test_new_rows_are_covered(method, draws):
    def make():
        return ConformalRegressor(method=method, delta=0.2, calibration_size=0.5)

    mean, error = mean_coverage(make, draws)
    stated = make().fit(*normal_rows(60, seed=0)).coverage_
    assert stated.at_least - 3 * error <= mean
    if method == "split":
        assert mean <= stated.at_most + 3 * error
    if method == "minmax":
        assert mean >= 0.8 - 3 * error


def test_groups_are_covered_each_by_itself():
    rng = np.random.default_rng(0)
    base = given_regressor()

    def drawn(n):
        groups = rng.choice(["calm", "wild"], p=[0.8, 0.2], size=n)
        scale = np.where(groups == "wild", 5.0, 1.0)
        return np.zeros((n, 1)), scale * rng.normal(size=n), groups

    found, marginal = [], []
    for _ in range(150):
        X, y, groups = drawn(400)
        Z, z, new = drawn(400)
        own = ConformalRegressor(base, prefit=True).calibrate(X, y, groups=groups)
        low, high = own.predict_interval(Z, groups=new).T
        held = (low <= z) & (z <= high)
        found.append([held[new == g].mean() for g in ("calm", "wild")])
        low, high = (
            ConformalRegressor(base, prefit=True).fit(X, y).predict_interval(Z).T
        )
        marginal.append(((low <= z) & (z <= high))[new == "wild"].mean())
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(150)
    assert (mean >= 0.9 - 3 * error).all()
    assert (mean <= 0.9 + 1 / 60 + 3 * error).all()
    assert np.mean(marginal) < 0.7  # one threshold for all fails the small group
    assert set(own.group_coverage_) == {"calm", "wild"}
    assert own.coverage_.rows == min(one.rows for one in own.group_coverage_.values())


def test_quantile_intervals_adapt_to_the_noise():
    rng = np.random.default_rng(0)

    def drawn(n):
        X = rng.uniform(0, 1, size=(n, 1))
        return X, (0.1 + 2 * X[:, 0]) * rng.normal(size=n)

    (X, y), (Z, z) = drawn(3000), drawn(20_000)
    split = ConformalRegressor(random_state=0).fit(X, y).predict_interval(Z)
    model = ConformalRegressor(method="quantile", random_state=0).fit(X, y)
    found = model.predict_interval(Z)
    calm, wild = Z[:, 0] < 0.2, Z[:, 0] > 0.8

    def held(ends, rows):
        return np.mean((ends[rows, 0] <= z[rows]) & (z[rows] <= ends[rows, 1]))

    width = found[:, 1] - found[:, 0]
    assert width[wild].mean() > 3 * width[calm].mean()
    assert abs(held(found, slice(None)) - 0.9) < 0.03
    for rows in (calm, wild):
        assert abs(held(found, rows) - 0.9) < 0.06
    assert held(split, calm) > 0.99  # as wide everywhere
    assert held(split, wild) < 0.8


# -- how it is used --------------------------------------------------------------------
def test_too_few_rows_give_everything_and_say_so():
    X, y = normal_rows(8, seed=0)
    base = LinearRegression().fit(X, y)
    with pytest.warns(UserWarning, match="8 calibration rows are too few for delta"):
        model = ConformalRegressor(base, prefit=True).fit(X, y)
    assert np.isinf(model.predict_interval(X)).all()
    assert model.coverage_.everything
    assert "the set is everything" in str(model.coverage_)
    assert "the set is everything" in str(model.report_)
    assert np.isfinite(model.predict_interval(X, delta=0.2)).all()
    for method in ("cv+", "jackknife+", "cross", "minmax"):
        with pytest.warns(UserWarning, match="too few"):
            model = ConformalRegressor(method=method).fit(X, y)
        assert np.isinf(model.predict_interval(X)).all()


def test_the_report_states_the_guarantee():
    model = ConformalRegressor(random_state=0).fit(*normal_rows(396, seed=0))
    facts = model.report_.facts
    assert facts["n_calibration"] == 99
    assert facts["coverage_at_least"] == 0.9
    assert facts["coverage_at_most"] == pytest.approx(0.91)
    assert facts["score_bound"] == model.quantile_[0]
    assert model.report_.rows == 396
    assert "coverage >=   0.9" in str(model.report_)


def test_any_delta_serves_after_the_fit():
    X, y = normal_rows(200, seed=0)
    model = ConformalRegressor(random_state=0).fit(X, y)
    for delta in (0.5, 0.05):
        again = ConformalRegressor(delta=delta, random_state=0).fit(X, y)
        np.testing.assert_array_equal(
            model.predict_interval(X, delta=delta), again.predict_interval(X)
        )


def test_calibration_and_training_rows_are_apart():
    X, y = normal_rows(100, seed=0)
    model = ConformalRegressor(calibration_size=0.3, random_state=0).fit(X, y)
    scores = model.calibrations_[0].scores
    assert len(scores) == 30
    miss = np.abs(y - model.predict(X))
    held = np.array([np.abs(miss - s).argmin() for s in scores])
    rest = np.setdiff1d(np.arange(100), held)
    alone = TheirRegression().fit(X[rest], y[rest])
    np.testing.assert_allclose(model.estimator_.coef_, alone.coef_, rtol=1e-10)


def test_whole_weights_are_copies_in_every_method():
    X, y = normal_rows(60, seed=0)
    w = np.random.default_rng(0).integers(0, 4, size=60)
    for method in ("split", "cv+", "minmax"):
        model = ConformalRegressor(method=method, random_state=0)
        weighted = model.fit(X, y, sample_weight=w).predict_interval(X)
        copies = model.fit(np.repeat(X, w, axis=0), np.repeat(y, w))
        np.testing.assert_allclose(weighted, copies.predict_interval(X), rtol=1e-9)
    base = LinearRegression().fit(X, y)
    prefit = ConformalRegressor(base, prefit=True)
    q = prefit.calibrate(X, y, sample_weight=w).quantile_
    assert q == prefit.fit(np.repeat(X, w, axis=0), np.repeat(y, w)).quantile_


def test_other_weights_stay_with_their_rows():
    X, y = normal_rows(400, seed=0)
    w = np.random.default_rng(0).uniform(size=400)
    model = ConformalRegressor(random_state=0).fit(X, y, sample_weight=w)
    same = ConformalRegressor(random_state=0).fit(X, y, sample_weight=1e-9 * w)
    np.testing.assert_allclose(model.quantile_, same.quantile_, rtol=1e-6)
    with pytest.raises(DataError, match="whole numbers"):
        ConformalRegressor(method="cv+").fit(X, y, sample_weight=w)


def test_foreign_models_pipelines_frames_and_boosting_serve():
    import pandas as pd

    X, y = normal_rows(200, seed=0)
    frame = pd.DataFrame(X, columns=["a", "b"])
    pipeline = make_pipeline(StandardScaler(), TheirRegression())
    model = ConformalRegressor(pipeline, random_state=0).fit(frame, y)
    assert model.predict_interval(frame).shape == (200, 2)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    fitted = TheirRegression().fit(frame, y)
    prefit = ConformalRegressor(fitted, prefit=True).fit(frame, y)
    assert prefit.predict_interval(frame).shape == (200, 2)
    boosting = GradientBoostingRegressor(loss="quantile", n_estimators=20)
    model = ConformalRegressor(boosting, method="quantile", random_state=0).fit(X, y)
    assert [m.alpha for m in model.estimators_] == [0.05, 0.95]
    inside = make_pipeline(StandardScaler(), QuantileRegressor(alpha=0.0))
    model = ConformalRegressor(inside, method="quantile", random_state=0).fit(X, y)
    assert model.predict_interval(X).shape == (200, 2)


def test_ctrl_c_ends_the_fit_of_the_folds(monkeypatch):
    X, y = normal_rows(40, seed=0)
    model, fits = ConformalRegressor(corollary.SVR(), method="cv+"), []
    whole = corollary.SVR.fit

    def interrupted(self, *args, **more):
        fits.append(self)
        whole(self, *args, **more)
        self.report_.stop = corollary.StopReason.INTERRUPTED
        raise KeyboardInterrupt

    monkeypatch.setattr(corollary.SVR, "fit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert len(fits) == 1
    assert not hasattr(model, "estimator_")


def test_a_model_that_was_never_calibrated_says_so():
    X, y = normal_rows(40, seed=0)
    model = ConformalRegressor(LinearRegression().fit(X, y), prefit=True)
    with pytest.raises(DataError, match="groups must have"):
        model.calibrate(X, y, groups=[1])
    with pytest.raises(NotFittedError):
        model.predict_interval(X)


@pytest.mark.parametrize("method", ["split", "quantile", "cv+", "jackknife+", "minmax"])
def test_a_saved_model_is_the_same(method, tmp_path):
    X, y = normal_rows(40, seed=0)
    model = ConformalRegressor(method=method, delta=0.3, random_state=0).fit(X, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_interval(X), model.predict_interval(X))
    assert again.coverage_ == model.coverage_


# -- bad input -------------------------------------------------------------------------
def fitted(**more):
    return ConformalRegressor(random_state=0, **more).fit(*normal_rows(80, seed=0))


@pytest.mark.parametrize("delta", [0, 1, -0.1, 2, np.nan, "a", None])
def test_delta_must_be_in_the_open_interval(delta):
    X, y = normal_rows(80, seed=0)
    with pytest.raises(ParameterError, match=r"delta must be a number in \(0, 1\)"):
        ConformalRegressor(delta=delta).fit(X, y)
    if delta is not None:
        with pytest.raises(ParameterError, match=r"delta must be a number in \(0, 1\)"):
            fitted().predict_interval(X, delta=delta)


def test_groups_that_were_not_calibrated_are_refused():
    X, y = normal_rows(80, seed=0)
    model = ConformalRegressor(LinearRegression().fit(X, y), prefit=True)
    groups = np.repeat(["a", "b"], 40)
    model.calibrate(X, y, groups=groups)
    with pytest.raises(
        DataError, match="among those of calibration, 'a', 'b'; got 'c'"
    ):
        model.predict_interval(X[:1], groups=["c"])
    with pytest.raises(DataError, match="got 7"):
        model.predict_interval(X[:1], groups=[7])
    with pytest.raises(DataError, match="alike; got none"):
        model.predict_interval(X)
    with pytest.raises(DataError, match="one entry for each of the 80 rows"):
        model.predict_interval(X, groups=groups[:3])
    with pytest.raises(DataError, match="alike; got them"):
        fitted().predict_interval(X, groups=groups)


def test_other_bad_input_ends_in_one_sentence():
    X, y = normal_rows(80, seed=0)
    base = LinearRegression().fit(X, y)
    prefit = ConformalRegressor(base, prefit=True)
    with pytest.raises(DataError, match="at least 1 row"):
        prefit.fit(np.empty((0, 2)), [])
    broken = given_regressor(value=np.nan)
    with pytest.raises(DataError, match="scores must be numbers; got NaN in row 0"):
        ConformalRegressor(broken, prefit=True).fit(X, y)
    with pytest.raises(ParameterError, match="needs method 'split' or 'quantile'"):
        ConformalRegressor(base, method="cv+", prefit=True).fit(X, y)
    with pytest.raises(ParameterError, match="prefit needs a fitted estimator"):
        ConformalRegressor(prefit=True).fit(X, y)
    with pytest.raises(ParameterError, match="needs a regressor with a parameter for"):
        ConformalRegressor(LinearRegression(), method="quantile").fit(X, y)
    with pytest.raises(ParameterError, match="several estimators need"):
        ConformalRegressor((base, base)).fit(X, y)
    with pytest.raises(ParameterError, match="every row in one test fold"):
        ConformalRegressor(method="cv+", cv=ShuffleSplit(3)).fit(X, y)
    with pytest.raises(ParameterError, match="leave some of the 80 rows"):
        ConformalRegressor(calibration_size=80).fit(X, y)
    with pytest.raises(ParameterError, match="takes no groups and no ratio"):
        fitted(method="cv+").predict_interval(X, groups=y)
    two = TheirRegression().fit(X, np.column_stack([y, y]))
    with pytest.raises(DataError, match="one number for each row"):
        ConformalRegressor(two, prefit=True).fit(X, y)
    with pytest.raises(DataError, match="needs at least 2 rows"):
        ConformalRegressor().fit(X[:1], y[:1])
