import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import corollary
from corollary import CostSensitiveClassifier, GaussianNB, StopReason
from corollary.core.errors import DataError, ParameterError
from corollary.decisions.decision_rules import change_priors, decide

LOSS = {"treat": {"ill": 0, "well": 1}, "wait": {"ill": 9, "well": 0}}


def make(n=600, seed=0, share=0.3):
    rng = np.random.default_rng(seed)
    ill = rng.random(n) < share
    X = rng.normal(size=(n, 2)) + 1.5 * ill[:, None]
    return X, np.where(ill, "ill", "well")


@pytest.mark.course("S3-7", "S1-5", "S0-3")
def test_actions_are_those_of_least_expected_cost():
    X, y = make()
    model = CostSensitiveClassifier(loss=LOSS).fit(X, y)
    P = GaussianNB().fit(X, y).predict_proba(X)
    table = np.array([[0, 1], [9, 0]])
    np.testing.assert_allclose(model.risk(X), P @ table.T, rtol=1e-12)
    expected = np.array(["treat", "wait"])[decide(P, table)]
    np.testing.assert_array_equal(model.predict(X), expected)
    # two classes: treat iff P(ill) > 1/10
    np.testing.assert_array_equal(model.predict(X) == "treat", P[:, 0] > 0.1)


@pytest.mark.course("S3-7")
def test_it_costs_less_than_the_most_probable_class():
    X, y = make()
    new, truth = make(seed=1)
    wary = CostSensitiveClassifier(loss=[[0, 9], [1, 0]]).fit(X, 1 - (y == "ill"))
    plain = wary.revised(loss=None)
    table, codes = np.array([[0, 9], [1, 0]]), 1 - (truth == "ill")
    plain_cost = table[plain.predict(new), codes].mean()
    assert wary.cost(new, codes) < plain_cost
    np.testing.assert_allclose(plain.cost(new, codes), 1 - plain.score(new, codes))


@pytest.mark.course("S3-7")
@pytest.mark.parametrize(
    "estimator",
    [LogisticRegression(), KNeighborsClassifier(5), corollary.LogisticRegression()],
    ids=["theirs", "neighbours", "ours"],
)
def test_any_probabilistic_classifier_serves(estimator):
    X, y = make()
    model = CostSensitiveClassifier(estimator).fit(X, y)
    inner = clone(estimator).fit(X, y)
    np.testing.assert_allclose(
        model.predict_proba(X), inner.predict_proba(X), rtol=1e-12
    )
    np.testing.assert_array_equal(model.predict(X), inner.predict(X))
    assert model.report_.rows == 600
    delegated = model.report_.stop is StopReason.DELEGATED
    assert delegated == (not hasattr(inner, "report_"))


@pytest.mark.course("S3-8", "S1-5")
def test_refusal():
    X, y = make()
    model = CostSensitiveClassifier(reject_cost=0.2).fit(X, y)
    top = model.predict_proba(X).max(axis=1)
    np.testing.assert_array_equal(model.predict(X) == "reject", top < 0.8)
    assert model.actions_.tolist() == ["ill", "well", "reject"]
    never = model.revised(reject_cost=0.5)
    assert "reject" not in never.predict(X)
    always = model.revised(reject_cost=0.0)
    assert (always.predict(X)[top < 1] == "reject").all()
    # what it decides, it decides better
    kept = model.predict(X) != "reject"
    right = never.predict(X) == y
    assert right[kept].mean() > right.mean()
    numbers = CostSensitiveClassifier(reject_cost=0.2).fit(X, (y == "ill").astype(int))
    assert set(numbers.predict(X).tolist()) == {0, 1, -1}
    named = CostSensitiveClassifier(reject_cost=0.2, reject_label="ask").fit(
        X, (y == "ill").astype(int)
    )
    assert set(named.predict(X).tolist()) == {0, 1, "ask"}


@pytest.mark.course("S3-12")
def test_priors_are_changed_after_training():
    X, y = make()
    model = CostSensitiveClassifier().fit(X, y)
    retrained = GaussianNB(priors=[0.9, 0.1]).fit(X, y)
    changed = model.revised(priors=[0.9, 0.1])
    np.testing.assert_allclose(
        changed.predict_proba(X), retrained.predict_proba(X), rtol=1e-8, atol=1e-12
    )
    assert changed.estimator_ is model.estimator_
    np.testing.assert_array_equal(
        changed.revised(priors=None).predict_proba(X), model.predict_proba(X)
    )
    old = model.training_priors_
    np.testing.assert_allclose(
        changed.predict_proba(X), change_priors(model.predict_proba(X), old, [0.9, 0.1])
    )


@pytest.mark.course("S3-12")
def test_priors_of_training_come_from_y_where_the_estimator_keeps_none():
    X, y = make()
    w = np.random.default_rng(0).uniform(0.5, 2, len(y))
    model = CostSensitiveClassifier(LogisticRegression(), priors=[0.5, 0.5])
    model.fit(X, y, w)
    ill = w[y == "ill"].sum() / w.sum()
    np.testing.assert_allclose(model.training_priors_, [ill, 1 - ill])


def test_weights_are_passed_on_and_refused_where_they_cannot_be():
    X, y = make()
    w = np.random.default_rng(0).integers(0, 3, len(y)).astype(float)
    weighted = CostSensitiveClassifier().fit(X, y, sample_weight=w)
    again = CostSensitiveClassifier().fit(
        np.repeat(X, w.astype(int), axis=0), np.repeat(y, w.astype(int))
    )
    np.testing.assert_allclose(
        weighted.predict_proba(X), again.predict_proba(X), rtol=1e-9
    )
    with pytest.raises(ParameterError, match="takes it; got a KNeighborsClassifier"):
        CostSensitiveClassifier(KNeighborsClassifier()).fit(X, y, w)


def test_many_classes_in_float32():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(500), 4)
    X = (rng.normal(size=(500, 3))[y] * 5 + rng.normal(size=(2000, 3))).astype("f4")
    model = CostSensitiveClassifier(reject_cost=0.6).fit(X, y)
    assert np.isfinite(model.risk(X)).all()
    assert set(model.predict(X)) <= {-1, *range(500)}


def test_a_fitted_estimator_can_be_used_as_it_is():
    X, y = make()
    inner = GaussianNB().fit(X, y)
    model = CostSensitiveClassifier(inner, loss=LOSS, prefit=True).fit(X)
    assert model.estimator_ is inner
    np.testing.assert_array_equal(
        model.predict(X), CostSensitiveClassifier(loss=LOSS).fit(X, y).predict(X)
    )
    with pytest.raises(ParameterError, match="prefit needs a fitted estimator"):
        CostSensitiveClassifier(prefit=True).fit(X, y)


def test_it_learns_from_any_source_that_its_estimator_learns_from():
    X, y = make()
    codes = (y == "ill").astype(int)
    chunks = [(X[a : a + 100], codes[a : a + 100]) for a in range(0, 600, 100)]
    model = CostSensitiveClassifier(reject_cost=0.3, priors=[0.5, 0.5])
    model.fit(corollary.engine.ChunkSource(lambda: iter(chunks)))
    whole = clone(model).fit(X, codes)
    np.testing.assert_allclose(model.predict_proba(X), whole.predict_proba(X))
    assert model.report_.rows == 600


def test_it_works_in_scikit_learn():
    X, y = make()
    model = CostSensitiveClassifier(loss=LOSS, reject_cost=0.3)
    found = cross_val_predict(model, X, y, cv=3)
    assert set(found) == {"treat", "wait", "reject"}
    assert model.get_params()["loss"] is LOSS


def test_a_dict_with_lists_and_rows_that_are_no_classes():
    X, y = make()
    lists = CostSensitiveClassifier(loss={"treat": [0, 1], "wait": [9, 0]}).fit(X, y)
    named = CostSensitiveClassifier(loss=LOSS).fit(X, y)
    np.testing.assert_array_equal(lists.predict(X), named.predict(X))
    three = CostSensitiveClassifier(loss=[[0, 1], [9, 0], [1, 0.1]]).fit(X, y)
    assert three.actions_.tolist() == [0, 1, 2]


BAD = [
    ({"loss": [[0, 1, 2]]}, "a column for each of 2 classes; got shape (1, 3)."),
    ({"loss": [[0, np.nan], [1, 0]]}, "loss must be finite; got NaN."),
    ({"loss": {"treat": {"ill": 0}}}, "must name the classes ['ill', 'well']; got"),
    ({"loss": {"treat": [0, 1, 2]}}, "a cost for each of ['ill', 'well']; got"),
    ({"loss": {}}, "loss must be a table of numbers"),
    ({"reject_cost": -0.5}, "reject_cost must be >= 0; got -0.5."),
    ({"reject_cost": 0.1, "reject_label": "ill"}, "must not be an action; got 'ill'."),
    ({"priors": [0.5, 0.6]}, "The sum of the priors should be 1; got 1.1."),
    (
        {"priors": [0.5, 0.25, 0.25]},
        "must match number of classes = 2; got 3.",
    ),
    ({"priors": [1.5, -0.5]}, "Priors must be non-negative; got -0.5."),
    ({"estimator": "GaussianNB"}, "estimator must be None or an estimator; got"),
    ({"estimator": Perceptron()}, "Perceptron: the estimator must offer predict_proba"),
]


@pytest.mark.parametrize(("parameters", "part"), BAD)
def test_bad_input_ends_in_one_sentence(parameters, part):
    X, y = make(60)
    with pytest.raises((ParameterError, DataError)) as caught:
        CostSensitiveClassifier(**parameters).fit(X, y)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)


def test_more_bad_input():
    X, y = make(60)
    model = CostSensitiveClassifier().fit(X, y)
    with pytest.raises(ParameterError, match="revised without training; got est"):
        model.revised(estimator=GaussianNB())
    with pytest.raises(DataError, match="y must be among the classes"):
        model.cost(X, np.full(60, "dead"))
    with pytest.raises(DataError, match="as many rows as X = 60; got 2"):
        model.cost(X, y[:2])
    prefit = CostSensitiveClassifier(
        LogisticRegression().fit(X, y), priors=[0.5, 0.5], prefit=True
    )
    with pytest.raises(DataError, match="only where those of training are known"):
        prefit.fit(X)
    prefit.fit(X, y)
