"""All pairs: scikit-learn's predictions, votes, ties and what breaks them."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Logistic
from sklearn.multiclass import OneVsOneClassifier as Theirs
from sklearn.naive_bayes import GaussianNB as Naive

import corollary
from corollary import GaussianNB, LogisticRegression, OneVsOneClassifier, datasets
from corollary.core.errors import DataError

X, Y, _ = datasets.blobs(300, 2, 4, random_state=1)
X = X + np.random.default_rng(0).normal(scale=2.0, size=X.shape)
NAMES = np.array(["ash", "beech", "elm", "oak"])[Y]


@pytest.mark.course("S3-72")
@pytest.mark.parametrize(
    "base", [Logistic(), Naive(), LogisticRegression(tol=1e-8), GaussianNB()], ids=str
)
def test_predictions_are_scikit_learns(base):
    for rows in (slice(None), NAMES < "c"):  # four classes, then two
        ours = OneVsOneClassifier(base).fit(X[rows], NAMES[rows])
        theirs = Theirs(base).fit(X[rows], NAMES[rows])
        assert len(ours.estimators_) == len(theirs.estimators_)
        g = theirs.decision_function(X)
        np.testing.assert_allclose(ours.decision_function(X), g, rtol=1e-8, atol=1e-10)
        if ours.n_classes_ > 2:
            assert (ours.predict(X) == theirs.predict(X)).all()
        else:
            assert (ours.predict(X) == ours.estimators_[0].predict(X).choose(
                ours.classes_)).all()  # fmt: skip


@pytest.mark.course("S3-72")
def test_c_choose_2_machines_see_their_two_classes_and_vote():
    model = OneVsOneClassifier().fit(X, NAMES)
    assert len(model.estimators_) == 6
    votes = np.zeros((300, 4))
    for (i, j), member in zip(
        combinations(range(4), 2), model.estimators_, strict=True
    ):
        rows = np.isin(NAMES, model.classes_[[i, j]])
        alone = LogisticRegression().fit(X[rows], NAMES[rows] == model.classes_[j])
        np.testing.assert_allclose(member.coef_, alone.coef_, rtol=1e-9)
        second = alone.predict(X)
        votes[:, j] += second
        votes[:, i] += ~second
    g = model.decision_function(X)
    assert (np.abs(g - votes) < 1 / 3).all()  # scores break ties, never majorities
    np.testing.assert_array_equal(np.rint(g), votes)
    best = votes.max(axis=1)
    assert (votes[np.arange(300), g.argmax(axis=1)] == best).all()


@pytest.mark.course("S3-72")
def test_ties_are_found_and_broken_by_scores():
    # three classes that beat each other in a ring around the origin
    turns = np.arange(3) * 2 * np.pi / 3
    rows = np.repeat(np.column_stack([np.cos(turns), np.sin(turns)]), 40, axis=0)
    rows = rows + np.random.default_rng(1).normal(scale=0.3, size=rows.shape)
    model = OneVsOneClassifier().fit(rows, np.repeat([0, 1, 2], 40))
    grid = np.random.default_rng(2).normal(scale=0.05, size=(4000, 2))
    found = model.ambiguity(grid)
    g = model.decision_function(grid)
    votes = np.rint(g)
    ties = (votes == votes.max(axis=1, keepdims=True)).sum(axis=1)
    np.testing.assert_array_equal(found.several, ties > 1)
    np.testing.assert_array_equal(found.none, ties == 3)
    assert found.none.any()
    assert (model.predict(grid) == g.argmax(axis=1)).all()
    assert "contested_share" in model.report_.facts


def test_weights_threads_streams_and_files(tmp_path):
    times = np.random.default_rng(2).integers(1, 3, size=300)
    a = OneVsOneClassifier(GaussianNB(), n_jobs=-1).fit(X, NAMES, times)
    b = OneVsOneClassifier(GaussianNB())
    b.fit(np.repeat(X, times, axis=0), np.repeat(NAMES, times))
    np.testing.assert_allclose(
        a.decision_function(X), b.decision_function(X), rtol=1e-9
    )
    stream = OneVsOneClassifier(GaussianNB())
    for rows in (slice(0, 150), slice(150, 300)):
        stream.partial_fit(X[rows], NAMES[rows], np.unique(NAMES), times[rows])
    np.testing.assert_allclose(
        stream.decision_function(X), a.decision_function(X), rtol=1e-7
    )
    corollary.save(a, tmp_path / "m")
    again = corollary.load(tmp_path / "m")
    np.testing.assert_array_equal(again.predict(X), a.predict(X))
    assert str(again.report_) == str(a.report_)
    assert again.report_.facts["n_members"] == 6


def test_one_class_is_too_few():
    with pytest.raises(DataError, match="at least two classes; got 1 class"):
        OneVsOneClassifier().fit(X, np.zeros(300, int))
