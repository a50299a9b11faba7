"""Sets of classes: those of the oracles, and right as often as stated."""

import numpy as np
import pytest
from oracles.conformal import GivenProbabilities, drawn_classes, naive_score
from sklearn.linear_model import LogisticRegression as TheirRegression
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

import corollary
from corollary import ConformalClassifier, GaussianNB, LogisticRegression
from corollary.core.errors import DataError, ParameterError
from corollary.theory.conformal import conformal_classifier as module

SCORES = ["lac", "aps", "raps"]


def prefit(K, **more):
    return ConformalClassifier(GivenProbabilities().fit(np.eye(K)), prefit=True, **more)


class Ones(np.random.RandomState):
    """Draws a constant, so that MAPIE's sets are without chance."""

    def uniform(self, *_, size=None, **__):
        return np.ones(size)


# -- the same as others ----------------------------------------------------------------
def test_threshold_sets_are_mapies_and_crepes():
    from crepes import ConformalClassifier as Crepes
    from mapie.classification import SplitConformalClassifier

    (P, y), (Z, _) = drawn_classes(150, 5, 0), drawn_classes(400, 5, 1)
    model = prefit(5, delta=0.2).fit(P, y)
    mapie = SplitConformalClassifier(
        model.estimator, confidence_level=0.8, conformity_score="lac", prefit=True
    )
    found = model.predict_set(Z)
    theirs = mapie.conformalize(P, y).predict_set(Z)[1][:, :, 0]
    np.testing.assert_array_equal(found, theirs)
    crepes = Crepes().fit(1 - P[np.arange(150), y])
    theirs = crepes.predict_set(1 - Z, confidence=0.8, smoothing=False)
    np.testing.assert_array_equal(found, theirs.astype(bool))


def test_adaptive_sets_without_chance_are_mapies():
    from mapie.classification import SplitConformalClassifier

    (P, y), (Z, _) = drawn_classes(150, 5, 0), drawn_classes(400, 5, 1)
    model = prefit(5, delta=0.2, conformity_score="aps").fit(P, y)
    mapie = SplitConformalClassifier(
        model.estimator,
        confidence_level=0.8,
        conformity_score="aps",
        prefit=True,
        random_state=Ones(),
    ).conformalize(P, y)
    theirs = mapie.predict_set(Z)[1][:, :, 0]
    found = model.predict_set(Z)
    np.testing.assert_array_equal(found, theirs)
    assert found.any(axis=1).all()


@pytest.mark.parametrize("randomize", [False, True])
@pytest.mark.parametrize("score", SCORES)
def test_sets_of_folds_are_a_naive_count(score, randomize):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = np.digitize(X[:, 0] + 0.5 * rng.normal(size=60), [-0.5, 0.5])
    Z, cv = rng.normal(size=(8, 2)), KFold(4)
    model = ConformalClassifier(
        GaussianNB(),
        method="cv+",
        conformity_score=score,
        delta=0.25,
        cv=cv,
        randomize=randomize,
        random_state=0,
    ).fit(X, y)
    by_chance = randomize and score != "lac"
    new = model._keyed(Z) if by_chance else np.zeros(8)
    count = np.zeros((8, 3), dtype=int)
    for number, (train, test) in enumerate(cv.split(X)):
        f = GaussianNB().fit(X[train], y[train])
        own, asked = f.predict_proba(X[test]), f.predict_proba(Z)
        u = model._drawn(len(test), number) if by_chance else np.zeros(len(test))
        for i in range(len(test)):
            s = naive_score(score, own[i], y[test][i], u[i], 0.01, 1)
            for row in range(8):
                for c in range(3):
                    t = naive_score(score, asked[row], c, new[row], 0.01, 1)
                    count[row, c] += s < t - 1e-12
    np.testing.assert_array_equal(model.predict_set(Z), count < 0.75 * 61)
    np.testing.assert_array_equal(model.predict(Z), GaussianNB().fit(X, y).predict(Z))


# -- as often right as stated ----------------------------------------------------------
def coverages(make, draws, n, m, K=4, **more):
    found = np.empty(draws)
    for i in range(draws):
        P, y = drawn_classes(n, K, (i, 0), **more)
        Z, z = drawn_classes(m, K, (i, 1), **more)
        found[i] = make().fit(P, y).predict_set(Z)[np.arange(m), z].mean()
    return found.mean(), found.std() / np.sqrt(draws)


@pytest.mark.parametrize("randomize", [False, True])
@pytest.mark.parametrize("score", SCORES)
@pytest.mark.parametrize("draws", [200, pytest.param(1000, marks=pytest.mark.slow)])
def test_new_rows_are_covered(draws, score, randomize):
    def make():
        return prefit(4, conformity_score=score, randomize=randomize, delta=0.2)

    mean, error = coverages(make, draws, n=60, m=100)
    assert 0.8 - 3 * error <= mean <= 0.8 + 1 / 61 + 3 * error


def test_rows_that_are_all_alike_are_covered_by_chance_alone():
    """Calibration rows draw each their own u, though their content is the same."""
    found = []
    for i in range(300):
        rng = np.random.default_rng(i)
        P = np.tile([0.5, 0.3, 0.2], (59, 1))
        y = rng.choice(3, p=P[0], size=60)
        model = prefit(
            3, conformity_score="aps", randomize=True, delta=0.2, random_state=i
        ).fit(P, y[:59])
        found.append(model.predict_set(P[:1])[0, y[59]])
    assert abs(np.mean(found) - 0.8) < 3 * np.sqrt(0.16 / 300)


def test_every_class_is_covered_by_itself():
    rng = np.random.default_rng(0)
    K, found, marginal = 3, [], []
    prior = np.array([0.7, 0.25, 0.05])
    for _ in range(200):
        y, z = rng.choice(K, p=prior, size=600), rng.choice(K, p=prior, size=600)

        def rows(y):
            P = np.exp(rng.normal(size=(len(y), K)) + np.eye(K)[y]) * prior
            return P / P.sum(axis=1, keepdims=True)

        P, Z = rows(y), rows(z)
        for per_class, kept in ((True, found), (False, marginal)):
            model = prefit(K, per_class=per_class, conformity_score="aps").fit(P, y)
            held = model.predict_set(Z)[np.arange(600), z]
            kept.append([held[z == c].mean() for c in range(K)])
    mean, error = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(200)
    assert (mean >= 0.9 - 3 * error).all()
    assert np.mean(marginal, axis=0).min() < 0.85
    assert len(model.quantile_) == 1


def test_groups_and_classes_together():
    P, y = drawn_classes(2000, 3, 0)
    Z, z = drawn_classes(2000, 3, 1)
    groups, new = np.arange(2000) % 2, np.arange(2000) % 2
    for per_class in (False, True):
        model = prefit(3, per_class=per_class, conformity_score="aps")
        model.calibrate(P, y, groups=groups)
        sets = model.predict_set(Z, groups=new)
        for g in (0, 1):
            alone = prefit(3, per_class=per_class, conformity_score="aps")
            alone.fit(P[groups == g], y[groups == g])
            np.testing.assert_array_equal(
                sets[new == g], alone.predict_set(Z[new == g])
            )
        assert abs(sets[np.arange(2000), z].mean() - 0.9) < 0.03


def test_adaptive_sets_grow_where_rows_are_hard():
    def half_hard(seed):
        hard, easy = (drawn_classes(2000, 10, seed, s) for s in (0.3, 4.0))
        return (np.concatenate(pair) for pair in zip(hard, easy, strict=True))

    (P, y), (Z, z) = half_hard(0), half_hard(1)
    hard = np.arange(4000) < 2000
    held = {}
    for score in ("lac", "aps"):
        model = prefit(10, conformity_score=score, randomize=True, random_state=0)
        sets = model.fit(P, y).predict_set(Z)
        right = sets[np.arange(4000), z]
        held[score] = right[hard].mean()
        assert abs(right.mean() - 0.9) < 0.02
        assert sets[hard].sum(axis=1).mean() > 3 * sets[~hard].sum(axis=1).mean()
    assert abs(held["aps"] - 0.9) < 0.02  # these are the true probabilities
    assert held["lac"] < held["aps"] - 0.02
    tamed = prefit(10, conformity_score="raps", size_penalty=0.2, size_free=2)
    sizes = tamed.fit(P, y).predict_set(Z).sum(axis=1)
    assert sizes.max() < sets.sum(axis=1).max()


# -- how it is used --------------------------------------------------------------------
def rows(n=200, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, np.array(["a", "b", "c"])[np.digitize(X[:, 0], [-0.5, 0.5])]


@pytest.mark.parametrize("score", SCORES)
def test_blocks_and_the_order_of_rows_change_nothing(score, monkeypatch):
    (P, y), (Z, _) = drawn_classes(100, 6, 0), drawn_classes(300, 6, 1)
    model = prefit(6, conformity_score=score, randomize=True, random_state=0).fit(P, y)
    whole = model.predict_set(Z)
    parts = np.vstack([model.predict_set(Z[:7]), model.predict_set(Z[7:])])
    np.testing.assert_array_equal(parts, whole)
    monkeypatch.setattr(module, "NUMBERS", 50)
    np.testing.assert_array_equal(model.predict_set(Z), whole)


def test_any_model_serves_and_its_answers_are_its_own():
    import pandas as pd

    X, y = rows()
    base = TheirRegression().fit(X, y)
    model = ConformalClassifier(base, prefit=True).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), base.predict(X))
    np.testing.assert_array_equal(model.predict_proba(X), base.predict_proba(X))
    assert model.score(X, y) == base.score(X, y)
    frame = pd.DataFrame(X, columns=["u", "v"])
    pipeline = make_pipeline(TheirRegression())
    model = ConformalClassifier(pipeline, method="cv+").fit(frame, y)
    assert model.predict_set(frame).shape == (200, 3)
    texts = ["good book", "bad film"] * 30
    from sklearn.feature_extraction.text import CountVectorizer

    reader = make_pipeline(CountVectorizer(), TheirRegression())
    model = ConformalClassifier(reader, random_state=0).fit(texts, [1, 0] * 30)
    np.testing.assert_array_equal(
        model.predict_set(["good good book", "bad film"]), [[0, 1], [1, 0]]
    )


def test_a_class_that_no_training_row_has_is_still_covered():
    X, y = rows(60)
    y = y.astype(object)
    y[0] = "rare"
    cv = [(np.arange(30, 60), np.arange(30)), (np.arange(30), np.arange(30, 60))]
    model = ConformalClassifier(method="cv+", cv=cv).fit(X, y)
    assert model.classes_.tolist() == ["a", "b", "c", "rare"]
    assert model.predict_set(X).shape == (60, 4)
    assert model.scores_.max() == 1.0


def test_too_few_rows_give_all_classes_and_say_so():
    P, y = drawn_classes(7, 3, 0)
    with pytest.warns(UserWarning, match="7 calibration rows are too few"):
        model = prefit(3, conformity_score="aps").fit(P, y)
    assert model.predict_set(P).all()
    assert model.coverage_.everything
    with pytest.warns(UserWarning, match="too few"):
        model = prefit(3, per_class=True, delta=0.3).fit(P, y)


@pytest.mark.parametrize("method", ["split", "cv+"])
def test_a_saved_model_is_the_same(method, tmp_path):
    X, y = rows()
    model = ConformalClassifier(
        LogisticRegression(),
        method=method,
        conformity_score="raps",
        randomize=True,
        random_state=0,
    ).fit(X, y)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.predict_set(X), model.predict_set(X))
    assert again.coverage_ == model.coverage_


# -- bad input -------------------------------------------------------------------------
def test_bad_input_ends_in_one_sentence():
    X, y = rows()
    base = GaussianNB().fit(X, y)
    model = ConformalClassifier(base, prefit=True)
    with pytest.raises(DataError, match=r"among the classes of the model.*got 'd'"):
        model.fit(X, np.where(y == "a", "d", y))
    with pytest.raises(DataError, match="at least 1 row"):
        model.fit(X[:0], y[:0])
    with pytest.raises(ParameterError, match="must offer predict_proba"):
        ConformalClassifier(LinearSVC()).fit(X, y)
    with pytest.raises(ParameterError, match="per_class needs method='split'"):
        ConformalClassifier(method="cv+", per_class=True).fit(X, y)
    with pytest.raises(ParameterError, match="conformity_score must be one of"):
        ConformalClassifier(conformity_score="gini").fit(X, y)
    with pytest.raises(ParameterError, match="prefit needs a fitted estimator"):
        ConformalClassifier(prefit=True).fit(X, y)
    with pytest.raises(ParameterError, match=r"delta must be a number in \(0, 1\)"):
        model.fit(X, y).predict_set(X, delta=1.0)
    with pytest.raises(DataError, match="scores must be numbers; got NaN"):
        prefit(3).fit(np.full((5, 3), np.nan), [0, 1, 2, 0, 1])
