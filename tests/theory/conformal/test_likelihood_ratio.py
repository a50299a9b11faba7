"""Covariate shift: weights restore the coverage that a shift takes away."""

import numpy as np
import pytest
from oracles.conformal import GivenProbabilities
from scipy import stats
from sklearn.ensemble import RandomForestClassifier

import corollary
from corollary import ConformalClassifier, ConformalRegressor, LinearRegression
from corollary.core.errors import DataError, ParameterError
from corollary.theory import likelihood_ratio

SHIFT = 1.5


def drawn(rng, n, mean=0.0):
    """Draw rows whose noise grows with x, so that a shift of x uncovers them."""
    X = rng.normal(mean, 1.0, size=(n, 1))
    return X, X[:, 0] + np.exp(0.7 * X[:, 0]) * rng.normal(size=n)


def true_ratio(X):
    law = stats.norm
    return law.pdf(X[:, 0], SHIFT) / law.pdf(X[:, 0], 0.0)


def mean_coverage(draws, n=300, m=100):
    """Return the coverage of shifted rows: without weights, with true, learned ones."""
    rng = np.random.default_rng(0)
    base = LinearRegression().fit(*drawn(rng, 500))
    found = np.empty((draws, 3))
    for i in range(draws):
        (X, y), (Z, z) = drawn(rng, n), drawn(rng, m, SHIFT)
        model = ConformalRegressor(base, prefit=True, delta=0.2)
        ends = [
            model.fit(X, y).predict_interval(Z),
            model.calibrate(X, y, ratio=true_ratio).predict_interval(Z),
            model.calibrate(X, y, ratio=likelihood_ratio(X, Z)).predict_interval(Z),
        ]
        found[i] = [np.mean((e[:, 0] <= z) & (z <= e[:, 1])) for e in ends]
    return found.mean(axis=0), found.std(axis=0) / np.sqrt(draws)


@pytest.mark.parametrize("draws", [100, pytest.param(1000, marks=pytest.mark.slow)])
def test_weights_cover_what_the_shift_uncovers(draws):
    (plain, true, learned), (_, error, rough) = mean_coverage(draws)
    assert plain < 0.65
    assert true >= 0.8 - 3 * error
    assert true <= 0.9
    assert learned >= 0.8 - 3 * rough - 0.03  # the ratio itself is an estimate


def test_arrays_are_functions_evaluated():
    rng = np.random.default_rng(1)
    (X, y), (Z, _) = drawn(rng, 300), drawn(rng, 50, SHIFT)
    model = ConformalRegressor(LinearRegression().fit(X, y), prefit=True)
    by_function = model.calibrate(X, y, ratio=true_ratio).predict_interval(Z)
    model.calibrate(X, y, ratio=true_ratio(X))
    by_array = model.predict_interval(Z, ratio=true_ratio(Z))
    np.testing.assert_array_equal(by_array, by_function)
    scaled = model.calibrate(X, y, ratio=lambda X: 7 * true_ratio(X))
    np.testing.assert_array_equal(scaled.predict_interval(Z), by_function)


def test_equal_ratios_are_no_shift():
    rng = np.random.default_rng(2)
    X, y = drawn(rng, 99)
    model = ConformalRegressor(LinearRegression().fit(X, y), prefit=True)
    plain = model.fit(X, y).predict_interval(X)
    even = model.calibrate(X, y, ratio=np.full(99, 0.3))
    np.testing.assert_array_equal(
        even.predict_interval(X, ratio=np.full(99, 0.3)), plain
    )


def test_thresholds_are_a_naive_weighted_quantile():
    rng = np.random.default_rng(3)
    (X, y), (Z, _) = drawn(rng, 60), drawn(rng, 20, SHIFT)
    base = LinearRegression().fit(X, y)
    model = ConformalRegressor(base, prefit=True, delta=0.3)
    found = model.calibrate(X, y, ratio=true_ratio).predict_interval(Z)
    s, w, new = np.abs(y - base.predict(X)), true_ratio(X), true_ratio(Z)
    for row in range(20):
        q = np.inf
        for score in np.sort(s)[::-1]:
            if w[s <= score].sum() / (w.sum() + new[row]) < 0.7:
                break
            q = score
        assert found[row, 1] - base.predict(Z)[row] == pytest.approx(q)


def test_sets_of_classes_are_weighted_too():
    rng = np.random.default_rng(4)
    base = GivenProbabilities().fit(np.eye(3))
    P = rng.dirichlet(np.ones(3), size=400)
    y = np.array([rng.choice(3, p=p) for p in P])
    ratio = P[:, 0] + 0.1
    for per_class in (False, True):
        model = ConformalClassifier(base, prefit=True, per_class=per_class)
        model.calibrate(P, y, ratio=ratio, groups=np.arange(400) % 2)
        sets = model.predict_set(P, ratio=ratio, groups=np.arange(400) % 2)
        assert sets[np.arange(400), y].mean() >= 0.89


def test_the_learned_ratio_is_near_the_true_one_and_any_classifier_serves():
    rng = np.random.default_rng(5)
    X, Z = drawn(rng, 4000)[0], drawn(rng, 2000, SHIFT)[0]
    at = np.linspace(-1, 2, 7)[:, None]
    found = likelihood_ratio(X, Z)(at)
    np.testing.assert_allclose(found, true_ratio(at), rtol=0.25)
    forest = RandomForestClassifier(
        n_estimators=10, min_samples_leaf=50, random_state=0
    )
    w = likelihood_ratio(X, Z, forest)
    assert np.corrcoef(np.log(w(at) + 0.01), np.log(found))[0, 1] > 0.9
    assert "2000 new rows, 4000 old" in str(w)


def test_a_model_with_a_learned_ratio_is_saved(tmp_path):
    rng = np.random.default_rng(6)
    (X, y), (Z, _) = drawn(rng, 200), drawn(rng, 100, SHIFT)
    model = ConformalRegressor(LinearRegression().fit(X, y), prefit=True)
    model.calibrate(X, y, ratio=likelihood_ratio(X, Z))
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_interval(Z), model.predict_interval(Z))


def test_bad_ratios_end_in_one_sentence():
    rng = np.random.default_rng(7)
    X, y = drawn(rng, 50)
    model = ConformalRegressor(LinearRegression().fit(X, y), prefit=True)
    for bad, words in (
        (np.ones(3), "one number for each of the 50 rows; got shape"),
        (np.full(50, np.nan), "finite and >= 0; got nan in row 0"),
        (-np.ones(50), "finite and >= 0; got -1.0 in row 0"),
        (np.zeros(50), "above 0 in some row"),
        ("much", "one number for each"),
    ):
        with pytest.raises(DataError, match=words):
            model.calibrate(X, y, ratio=bad)
    model.calibrate(X, y, ratio=np.ones(50))
    with pytest.raises(DataError, match="alike; got none for new rows"):
        model.predict_interval(X)
    with pytest.raises(DataError, match="alike; got it for new rows alone"):
        model.fit(X, y).predict_interval(X, ratio=np.ones(50))
    with pytest.raises(DataError, match="the same features"):
        likelihood_ratio(X, np.ones((5, 3)))
    with pytest.raises(DataError, match="at least 1 row each"):
        likelihood_ratio(X, X[:0])
    with pytest.raises(ParameterError, match="must offer predict_proba"):
        likelihood_ratio(X, X, LinearRegression())
