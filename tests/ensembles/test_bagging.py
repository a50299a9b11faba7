"""Bagging: draws by content and weight, votes and means, out-of-bag scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    make_friedman1,
)
from sklearn.ensemble import BaggingClassifier as TheirClassifier
from sklearn.ensemble import BaggingRegressor as TheirRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import cross_val_score, train_test_split
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import LinearSVC

import corollary
from corollary import (
    BaggingClassifier,
    BaggingRegressor,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GaussianNB,
    LinearRegression,
    LogisticRegression,
    Ridge,
)
from corollary.core.errors import ParameterError
from corollary.ensembles import majority_vote_accuracy

X, Y = load_iris(return_X_y=True)
XD, YD = load_diabetes(return_X_y=True)


# -- the calculator ----------------------------------------------------------------
@pytest.mark.course("S2-47")
def test_a_majority_of_independent_voters():
    assert round(majority_vote_accuracy(0.6, 11), 5) == 0.75350
    assert round(majority_vote_accuracy(0.6, 101), 5) == 0.97910
    assert majority_vote_accuracy(0.6, 1) == pytest.approx(0.6)
    assert majority_vote_accuracy(0.5, 8) == pytest.approx(0.5)
    rng = np.random.default_rng(0)
    for p, T in ((0.6, 11), (0.3, 6), (0.55, 50)):
        right = (rng.random((200_000, T)) < p).sum(axis=1)
        share = np.mean(right > T / 2) + 0.5 * np.mean(right == T / 2)
        assert majority_vote_accuracy(p, T) == pytest.approx(share, abs=0.004)
    rising = [majority_vote_accuracy(0.6, T) for T in range(1, 41, 2)]
    assert np.all(np.diff(rising) > 0)
    for p, T in ((1.2, 3), (0.5, 0), (0.5, 2.5)):
        with pytest.raises(ParameterError):
            majority_vote_accuracy(p, T)


# -- votes and means ---------------------------------------------------------------
@pytest.mark.course("S2-47")
@pytest.mark.parametrize(
    "base", [None, GaussianNB(), KNeighborsClassifier(3), LinearSVC()], ids=str
)
def test_members_see_their_draws_and_vote(base):
    model = BaggingClassifier(
        base, 7, max_samples=0.6, max_features=0.75, random_state=0
    ).fit(X, Y)
    P = np.zeros((len(X), 3))
    every = zip(
        model.estimators_,
        model.estimators_samples_,
        model.estimators_features_,
        strict=True,
    )
    for member, rows, features in every:
        assert len(rows) == 90
        assert len(set(features)) == 3
        fresh = type(member)(**member.get_params()).fit(X[rows][:, features], Y[rows])
        answers = fresh.predict(X[:, features])
        np.testing.assert_array_equal(answers, member.predict(X[:, features]))
        if hasattr(member, "predict_proba"):
            P += member.predict_proba(X[:, features])
        else:
            P += np.eye(3)[answers]
    np.testing.assert_allclose(model.predict_proba(X), P / 7)
    np.testing.assert_array_equal(model.predict(X), (P / 7).argmax(axis=1))
    assert len({tuple(rows) for rows in model.estimators_samples_}) == 7


@pytest.mark.course("S2-47")
def test_regressors_are_averaged():
    model = BaggingRegressor(Ridge(), 6, random_state=0).fit(XD, YD)
    each = [
        Ridge().fit(XD[rows], YD[rows]).predict(XD)
        for rows in model.estimators_samples_
    ]
    np.testing.assert_allclose(model.predict(XD), np.mean(each, axis=0))
    several = np.column_stack([YD, YD**2])
    pair = BaggingRegressor(Ridge(), 3, random_state=0).fit(XD, several)
    assert pair.predict(XD).shape == several.shape


@pytest.mark.course("S2-47")
def test_bagging_lowers_the_error_of_trees_as_scikit_learns_does():
    ours = BaggingRegressor(DecisionTreeRegressor(random_state=0), 50, random_state=0)
    theirs = TheirRegressor(n_estimators=50, random_state=0)
    alone = cross_val_score(DecisionTreeRegressor(random_state=0), XD, YD).mean()
    mine, peer = (cross_val_score(m, XD, YD).mean() for m in (ours, theirs))
    assert mine > alone + 0.3
    assert mine == pytest.approx(peer, abs=0.04)
    A, b = load_breast_cancer(return_X_y=True)
    mine = cross_val_score(BaggingClassifier(n_estimators=30, random_state=0), A, b)
    peer = cross_val_score(TheirClassifier(n_estimators=30, random_state=0), A, b)
    assert mine.mean() == pytest.approx(peer.mean(), abs=0.02)


# -- out of bag --------------------------------------------------------------------
@pytest.mark.course("S2-47")
def test_out_of_bag_answers_come_from_members_that_never_saw_the_row():
    model = BaggingClassifier(oob_score=True, n_estimators=40, random_state=1).fit(X, Y)
    P, times = np.zeros((len(X), 3)), np.zeros(len(X))
    for member, rows in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = np.setdiff1d(np.arange(len(X)), rows)
        P[out] += member.predict_proba(X[out])
        times[out] += 1
    share = [len(np.unique(rows)) / len(X) for rows in model.estimators_samples_]
    assert np.mean(share) == pytest.approx(1 - np.exp(-1), abs=0.02)
    np.testing.assert_allclose(model.oob_decision_function_, P / times[:, None])
    assert model.oob_score_ == np.mean(P.argmax(axis=1) == Y)
    assert model.report_.facts["out_of_bag_score"] == model.oob_score_


@pytest.mark.course("S2-47")
def test_the_out_of_bag_score_foretells_new_rows():
    A, b = make_friedman1(1500, noise=1.0, random_state=0)
    train, test, y, z = train_test_split(A, b, test_size=0.5, random_state=0)
    model = BaggingRegressor(n_estimators=60, oob_score=True, random_state=0)
    model.fit(train, y)
    assert model.oob_score_ == pytest.approx(r2_score(y, model.oob_prediction_))
    assert model.oob_score_ == pytest.approx(model.score(test, z), abs=0.04)
    assert model.score(train, y) > model.oob_score_ + 0.08


def test_rows_in_every_bag_have_no_out_of_bag_answer():
    model = BaggingRegressor(n_estimators=1, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="rows are in every bag"):
        model.fit(XD, YD)
    assert np.isnan(model.oob_prediction_).mean() == pytest.approx(0.63, abs=0.05)
    with pytest.raises(ParameterError, match="oob_score needs bootstrap=True"):
        BaggingRegressor(bootstrap=False, oob_score=True).fit(XD, YD)


# -- draws -------------------------------------------------------------------------
def test_weights_are_probabilities_and_count_like_copies():
    w = np.zeros(len(X))
    w[::3] = 2
    model = BaggingClassifier(GaussianNB(), random_state=0).fit(X, Y, w)
    assert all((rows % 3 == 0).all() for rows in model.estimators_samples_)
    times = np.random.default_rng(0).integers(0, 4, size=len(X))
    weighted = BaggingClassifier(GaussianNB(), max_samples=1.0, random_state=0)
    weighted.fit(X, Y, times)
    order = np.random.default_rng(1).permutation(times.sum())
    copies = BaggingClassifier(GaussianNB(), max_samples=1.0, random_state=0)
    copies.fit(X.repeat(times, 0)[order], Y.repeat(times)[order])
    np.testing.assert_allclose(weighted.predict_proba(X), copies.predict_proba(X))
    heavy = np.ones(len(X))
    heavy[0] = 75
    model = BaggingClassifier(GaussianNB(), 20, random_state=0).fit(X, Y, heavy)
    share = np.mean([np.mean(rows == 0) for rows in model.estimators_samples_])
    assert share == pytest.approx(75 / 224, abs=0.05)


def test_rows_without_replacement_are_different():
    model = BaggingRegressor(
        LinearRegression(), max_samples=100, bootstrap=False, random_state=0
    ).fit(XD, YD)
    assert all(len(set(rows)) == 100 for rows in model.estimators_samples_)
    with pytest.raises(ParameterError, match="without replacement"):
        BaggingRegressor(max_samples=1000, bootstrap=False).fit(XD, YD)
    with pytest.raises(ParameterError, match="max_features must be <= n_features = 10"):
        BaggingRegressor(max_features=11).fit(XD, YD)


def test_a_warm_start_adds_members():
    model = BaggingClassifier(n_estimators=3, warm_start=True, random_state=0).fit(X, Y)
    first = list(model.estimators_)
    model.set_params(n_estimators=6).fit(X, Y)
    assert model.estimators_[:3] == first
    cold = BaggingClassifier(n_estimators=6, random_state=0).fit(X, Y)
    np.testing.assert_array_equal(model.predict_proba(X), cold.predict_proba(X))
    with pytest.raises(ParameterError, match="at least the 6 members"):
        model.set_params(n_estimators=2).fit(X, Y)


def test_threads_change_nothing():
    one = BaggingClassifier(n_estimators=8, random_state=0).fit(X, Y)
    two = BaggingClassifier(n_estimators=8, random_state=0, n_jobs=2).fit(X, Y)
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))


def test_draws_of_one_class_are_learned():
    y = np.zeros(60, dtype=int)
    y[:2] = 1
    model = BaggingClassifier(
        LogisticRegression(), 10, max_samples=5, random_state=0
    ).fit(XD[:60], np.array(["no", "yes"])[y])
    kinds = {type(member).__name__ for member in model.estimators_}
    assert "PriorClassifier" in kinds
    assert model.predict_proba(XD[:60]).sum(axis=1) == pytest.approx(1)


def test_sparse_rows_come_to_the_members_as_they_are():
    for kind in (sp.csr_array, sp.csc_array, sp.csr_matrix, sp.csc_matrix):
        model = BaggingRegressor(Ridge(), 3, random_state=0).fit(kind(XD), YD)
        dense = BaggingRegressor(Ridge(), 3, random_state=0).fit(XD, YD)
        np.testing.assert_allclose(model.predict(kind(XD)), dense.predict(XD))


def test_a_file_keeps_members_of_some_features_and_classes(tmp_path):
    model = BaggingClassifier(
        DecisionTreeClassifier(), max_features=2, max_samples=6, random_state=0
    ).fit(X, np.array(["a", "b", "c"])[Y])
    corollary.save(model, tmp_path / "model")
    loaded = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(X), model.predict_proba(X))
    assert not hasattr(loaded, "estimators_samples_")
    near = BaggingRegressor(KNeighborsRegressor()).fit(XD, YD)
    with pytest.raises(ParameterError, match="to be saved"):
        corollary.save(near, tmp_path / "near")
