"""AdaBoost.R2: the rounds of the paper, weighted medians, scikit-learn's accuracy."""

import numpy as np
import pytest
from sklearn.datasets import load_diabetes
from sklearn.ensemble import AdaBoostRegressor as Theirs
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsRegressor

import corollary
from corollary import AdaBoostRegressor, DecisionTreeRegressor, Ridge
from corollary.ensembles.ada_boost_regressor import weighted_medians

X, Y = load_diabetes(return_X_y=True)


@pytest.mark.course("S3-83")
@pytest.mark.parametrize("loss", ["linear", "square", "exponential"])
@pytest.mark.parametrize("rate", [1.0, 0.5])
def test_every_round_is_that_of_the_paper(loss, rate):
    model = AdaBoostRegressor(
        DecisionTreeRegressor(max_depth=4, random_state=0),
        n_estimators=6,
        loss=loss,
        learning_rate=rate,
        random_state=0,
    ).fit(X, Y)
    D = np.full(len(Y), 1 / len(Y))
    for t, member in enumerate(model.estimators_):
        fresh = DecisionTreeRegressor(**member.get_params()).fit(X, Y, D * len(Y))
        np.testing.assert_allclose(fresh.predict(X), member.predict(X))
        e = np.abs(member.predict(X) - Y)
        e = e / e.max()
        L = {"linear": e, "square": e**2, "exponential": 1 - np.exp(-e)}[loss]
        eps = D @ L
        assert model.estimator_errors_[t] == pytest.approx(eps)
        beta = eps / (1 - eps)
        assert model.estimator_weights_[t] == pytest.approx(-rate * np.log(beta))
        D = D * beta ** (rate * (1 - L))
        D = D / D.sum()
    P = np.column_stack([member.predict(X) for member in model.estimators_])
    for row, answer in zip(P[:50], model.predict(X[:50]), strict=True):
        order = np.argsort(row)
        sums = np.cumsum(model.estimator_weights_[order])
        assert answer == row[order][sums >= sums[-1] / 2][0]


def test_the_weighted_median():
    P = np.array([[3.0, 1.0, 2.0], [5.0, 5.0, 0.0]])
    a = np.array([1.0, 1.0, 1.5])
    assert weighted_medians(P, a).tolist() == [2.0, 5.0]
    assert weighted_medians(P, np.array([9.0, 1.0, 1.0])).tolist() == [3.0, 5.0]


def test_it_is_as_accurate_as_scikit_learns():
    ours = cross_val_score(AdaBoostRegressor(random_state=0), X, Y).mean()
    theirs = cross_val_score(Theirs(random_state=0), X, Y).mean()
    tree = cross_val_score(DecisionTreeRegressor(max_depth=3), X, Y).mean()
    assert ours == pytest.approx(theirs, abs=0.04)
    assert ours > tree + 0.05


@pytest.mark.course("S3-83")
def test_a_base_without_weights_is_fitted_on_drawn_rows():
    make = {"n_estimators": 5, "random_state": 0}
    model = AdaBoostRegressor(KNeighborsRegressor(), **make).fit(X, Y)
    again = AdaBoostRegressor(KNeighborsRegressor(), **make).fit(X, Y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))
    order = np.random.default_rng(0).permutation(len(Y))
    other = AdaBoostRegressor(KNeighborsRegressor(), **make).fit(X[order], Y[order])
    np.testing.assert_allclose(other.estimator_errors_, model.estimator_errors_)


def test_boosting_ends():
    line = AdaBoostRegressor(Ridge(alpha=0.0)).fit(X, X @ np.arange(10.0) * 2**10)
    assert len(line.estimators_) < 50
    flat = AdaBoostRegressor().fit(np.zeros((4, 1)), np.ones(4))
    assert flat.report_.facts["ended_by"] == "a member without errors"
    assert flat.predict([[3.0]]).tolist() == [1.0]
    halves = AdaBoostRegressor().fit(np.zeros((4, 1)), [0.0, 0.0, 1.0, 1.0])
    assert halves.report_.facts["ended_by"] == "an error of 1/2"
    assert len(halves.estimators_) == 1


def test_stages_end_in_the_prediction():
    model = AdaBoostRegressor(n_estimators=8, random_state=0).fit(X, Y)
    stages = list(model.staged_predict(X))
    assert len(stages) == 8
    np.testing.assert_array_equal(stages[-1], model.predict(X))
    np.testing.assert_array_equal(stages[0], model.estimators_[0].predict(X))
    scores = list(model.staged_score(X, Y))
    assert scores[-1] == pytest.approx(model.score(X, Y))


def test_a_file_keeps_the_members(tmp_path):
    model = AdaBoostRegressor(n_estimators=4, random_state=0).fit(X, Y)
    corollary.save(model, tmp_path / "model")
    loaded = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict(X), model.predict(X))
    np.testing.assert_allclose(loaded.feature_importances_.sum(), 1.0)
