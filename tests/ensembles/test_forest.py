"""Laws of all forests: seeds, threads, samples, rows out of bag."""

import numpy as np
import pytest
import scipy.sparse as sp

import corollary
from corollary import (
    DecisionTreeClassifier,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)

FORESTS = [
    RandomForestClassifier,
    RandomForestRegressor,
    ExtraTreesClassifier,
    ExtraTreesRegressor,
]
rng = np.random.default_rng(0)
X = rng.normal(size=(600, 5))
Z = np.digitize(X[:, 0] + X[:, 1] * X[:, 2] + 0.3 * rng.normal(size=600), [-0.5, 0.5])
PARTS = ("feature", "threshold", "children_left", "value")


def assert_same_forest(a, b):
    assert len(a.estimators_) == len(b.estimators_)
    for one, other in zip(a.estimators_, b.estimators_, strict=True):
        for part in PARTS:
            left, right = getattr(one.tree_, part), getattr(other.tree_, part)
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("forest", FORESTS)
def test_a_forest_is_the_same_on_any_number_of_threads(forest):
    grown = []
    for threads in (1, 2, 4):
        with corollary.config_context(threads=threads):
            grown.append(forest(9, random_state=1, max_features=2).fit(X, Z))
    assert_same_forest(grown[0], grown[1])
    assert_same_forest(grown[0], grown[2])


@pytest.mark.parametrize("forest", FORESTS)
def test_a_forest_grown_on_is_the_forest_grown_at_once(forest):
    once = forest(8, random_state=1).fit(X, Z)
    later = forest(3, random_state=1, warm_start=True).fit(X, Z)
    first = later.estimators_[0]
    later.set_params(n_estimators=8).fit(X, Z)
    assert later.estimators_[0] is first
    assert_same_forest(once, later)


def test_a_forest_cannot_lose_trees_and_says_when_it_grows_none():
    model = RandomForestClassifier(3, warm_start=True).fit(X, Z)
    with pytest.raises(ValueError, match="n_estimators must be at least the 3 trees"):
        model.set_params(n_estimators=2).fit(X, Z)
    with pytest.warns(UserWarning, match="does not fit new trees"):
        model.set_params(n_estimators=3).fit(X, Z)


@pytest.mark.parametrize("forest", FORESTS[:2])
def test_the_order_of_the_rows_does_not_matter(forest):
    order = rng.permutation(len(X))
    a = forest(5, random_state=2).fit(X, Z)
    b = forest(5, random_state=2).fit(X[order], Z[order])
    np.testing.assert_allclose(a.predict(X), b.predict(X), atol=1e-12)


@pytest.mark.parametrize("forest", FORESTS)
def test_a_weight_is_a_repetition(forest):
    times = rng.integers(0, 4, len(X))
    options = {"n_estimators": 5, "random_state": 2, "bootstrap": True}
    weighted = forest(max_samples=1.0, **options).fit(X, Z, times)
    repeated = forest(max_samples=1.0, **options)
    repeated.fit(X.repeat(times, 0), Z.repeat(times))
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-9)


@pytest.mark.parametrize("forest", FORESTS)
def test_the_answer_is_the_mean_of_the_trees(forest):
    model = forest(7, random_state=0, max_depth=6).fit(X, Z)
    ask = "predict_proba" if hasattr(model, "classes_") else "predict"
    mean = np.mean([getattr(tree, ask)(X) for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(getattr(model, ask)(X), mean, atol=1e-12)
    leaves = np.column_stack([tree.apply(X) for tree in model.estimators_])
    np.testing.assert_array_equal(model.apply(X), leaves)
    path, start = model.decision_path(X)
    assert path.shape == (len(X), start[-1])
    assert (path[:, start[1:-1]].toarray() == 1).all()  # all rows pass the roots
    means = np.mean([tree.feature_importances_ for tree in model.estimators_], axis=0)
    np.testing.assert_allclose(model.feature_importances_, means / means.sum())


@pytest.mark.parametrize("forest", FORESTS)
def test_rows_out_of_bag_are_answered_by_the_trees_without_them(forest):
    model = forest(40, random_state=0, bootstrap=True, oob_score=True).fit(X, Z)
    inside = [np.bincount(s, minlength=len(X)) for s in model.estimators_samples_]
    labels = hasattr(model, "classes_")
    ask = "predict_proba" if labels else "predict"
    answers = np.array([getattr(t, ask)(X) for t in model.estimators_])
    out = np.array(inside) == 0
    found = model.oob_decision_function_ if labels else model.oob_prediction_
    for i in range(0, len(X), 37):
        np.testing.assert_allclose(found[i], answers[out[:, i], i].mean(axis=0))
    share = out.mean()
    np.testing.assert_allclose(share, (1 - 1 / len(X)) ** len(X), atol=0.01)
    grown = [tree.tree_.weighted_n_node_samples[0] for tree in model.estimators_]
    assert set(grown) == {float(len(X))}
    assert model.oob_score_ < model.score(X, Z)


def test_the_score_out_of_bag_is_that_of_new_rows():
    fresh = rng.normal(size=(4000, 5))
    signal = fresh[:, 0] + fresh[:, 1] * fresh[:, 2]
    new = np.digitize(signal + 0.3 * rng.normal(size=4000), [-0.5, 0.5])
    model = RandomForestClassifier(200, oob_score=True, random_state=0).fit(X, Z)
    assert abs(model.oob_score_ - model.score(fresh, new)) < 0.04


def test_few_trees_leave_rows_without_a_score():
    model = RandomForestRegressor(2, oob_score=True, random_state=0)
    with pytest.warns(UserWarning, match="do not have OOB scores"):
        model.fit(X, Z)


@pytest.mark.parametrize(
    ("asked", "drawn"), [(None, 600), (50, 50), (0.25, 150), (2.0, 1200)]
)
def test_samples_are_as_large_as_asked(asked, drawn):
    model = RandomForestClassifier(3, max_samples=asked, random_state=0).fit(X, Z)
    assert {len(sample) for sample in model.estimators_samples_} == {drawn}
    for tree in model.estimators_:
        assert tree.tree_.weighted_n_node_samples[0] == drawn


def test_classes_weigh_alike_in_each_sample_if_asked_to():
    model = RandomForestClassifier(
        4, class_weight="balanced_subsample", random_state=0, max_features=None
    ).fit(X, Z)
    for tree, sample in zip(model.estimators_, model.estimators_samples_, strict=True):
        np.testing.assert_allclose(tree.tree_.value[0, 0], 1 / 3)
        times = np.bincount(sample, minlength=len(X)).astype(float)
        totals = np.bincount(Z, times)
        w = times * (len(sample) / (3 * totals))[Z]
        alone = DecisionTreeClassifier().fit(X, Z, w)
        np.testing.assert_array_equal(alone.predict(X), tree.predict(X))


def test_sparse_rows_make_the_same_forest():
    holey = np.where(rng.random(X.shape) < 0.5, 0.0, X)
    dense = RandomForestClassifier(4, random_state=0, oob_score=True)
    sparse = RandomForestClassifier(4, random_state=0, oob_score=True)
    with pytest.warns(UserWarning, match="OOB"):
        dense.fit(holey, Z)
    with pytest.warns(UserWarning, match="OOB"):
        sparse.fit(sp.csr_array(holey), Z)
    assert_same_forest(dense, sparse)
    shares = dense.oob_decision_function_, sparse.oob_decision_function_
    np.testing.assert_array_equal(*shares)
    proba = sparse.predict_proba(sp.csr_array(holey))
    np.testing.assert_allclose(proba, dense.predict_proba(holey))


@pytest.mark.parametrize("forest", FORESTS)
def test_a_saved_forest_answers_as_before(forest, tmp_path):
    y = np.column_stack([Z, Z > 0])
    model = forest(4, random_state=0).fit(np.where(X > 1.5, np.nan, X), y)
    corollary.save(model, tmp_path / "forest.model")
    again = corollary.load(tmp_path / "forest.model")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_forged_forest_is_refused(tmp_path):
    wide = RandomForestClassifier(2, random_state=0).fit(np.tile(X, 3), Z)
    two = RandomForestClassifier(2, random_state=0).fit(X, Z > 0)
    for other in (wide, two):
        model = RandomForestClassifier(2, random_state=0).fit(X, Z)
        model.estimators_ = other.estimators_
        corollary.save(model, tmp_path / "forged.model")
        with pytest.raises(ValueError, match="estimators_ must be trees"):
            corollary.load(tmp_path / "forged.model")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"bootstrap": False, "oob_score": True}, "oob_score needs bootstrap=True"),
        ({"bootstrap": False, "max_samples": 10}, "max_samples needs bootstrap=True"),
        ({"n_estimators": 0}, "n_estimators must be"),
        ({"max_samples": 0.0}, "max_samples must be"),
    ],
)
def test_what_does_not_go_together_is_refused(options, words):
    with pytest.raises(ValueError, match=f"^RandomForestClassifier: {words}"):
        RandomForestClassifier(**options).fit(X, Z)
