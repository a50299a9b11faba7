"""Histogram boosting: scikit-learn's trees, the laws of its constraints, bad input."""

from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn import ensemble
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import train_test_split

import corollary
from corollary import HistGradientBoostingClassifier, HistGradientBoostingRegressor


def few_values(n=1200, d=5, seed=0, missing=0.0):
    """Return rows whose features have at most 60 values, and a target."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 60, size=(n, d)).astype(float)
    y = np.sin(X[:, 0] / 9) + X[:, 1] * X[:, 2] / 900 + rng.normal(size=n) / 9
    X[rng.random(X.shape) < missing] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [0.0, 0.2], ids=["full", "missing"])
@pytest.mark.parametrize("loss", ["squared_error", "poisson", "gamma"])
def test_numbers_are_scikit_learns(loss, missing):
    X, y = few_values(missing=missing)
    y = y - y.min() + 0.1
    options = dict(loss=loss, max_iter=40, l2_regularization=0.3, random_state=0)
    ours = HistGradientBoostingRegressor(**options).fit(X, y)
    theirs = ensemble.HistGradientBoostingRegressor(**options).fit(X, y)
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_are_scikit_learns(classes):
    X, y = few_values()
    z = np.digitize(y, np.quantile(y, np.arange(1, classes) / classes))
    w = np.random.default_rng(1).uniform(0.5, 2, size=len(y))
    options = dict(max_iter=25, random_state=0)
    ours = HistGradientBoostingClassifier(**options).fit(X, z, sample_weight=w)
    theirs = ensemble.HistGradientBoostingClassifier(**options)
    theirs.fit(X, z, sample_weight=w)
    assert_allclose(
        ours.predict_proba(X), theirs.predict_proba(X), rtol=2e-4, atol=1e-6
    )


@pytest.mark.parametrize("q", [0.1, 0.5, 0.9])
def test_a_quantile_leaves_its_share_below(q):
    X, y = few_values(4000)
    model = HistGradientBoostingRegressor(loss="quantile", quantile=q).fit(X, y)
    assert abs(np.mean(y <= model.predict(X)) - q) < 0.02


def test_the_median_is_the_quantile_of_a_half():
    X, y = few_values()
    absolute = HistGradientBoostingRegressor(loss="absolute_error").fit(X, y)
    half = HistGradientBoostingRegressor(loss="quantile", quantile=0.5).fit(X, y)
    assert_allclose(absolute.predict(X), half.predict(X))


@pytest.mark.parametrize("load", [load_iris, load_breast_cancer, load_diabetes])
def test_held_out_rows_are_predicted_as_well(load):
    X, y = load(return_X_y=True)
    A, B, a, b = train_test_split(X, y, random_state=0)
    name = "Regressor" if load is load_diabetes else "Classifier"
    ours = getattr(corollary, f"HistGradientBoosting{name}")(random_state=0)
    theirs = getattr(ensemble, f"HistGradientBoosting{name}")(random_state=0)
    assert ours.fit(A, a).score(B, b) > theirs.fit(A, a).score(B, b) - 0.03


def test_the_model_is_the_same_for_any_threads_and_chunks():
    X, y = few_values(9000, 8, missing=0.1)
    models = []
    for threads in (1, 2, 5):
        with corollary.config_context(threads=threads):
            model = HistGradientBoostingRegressor(max_iter=20, random_state=3)
            models.append(model.fit(X, y))
    cuts = [0, 10, 4000, 4001, 9000]
    parts = [(X[a:b], y[a:b]) for a, b in pairwise(cuts)]
    model = HistGradientBoostingRegressor(max_iter=20, random_state=3)
    models.append(model.fit(lambda: iter(parts)))
    for other in models[1:]:
        for name in ("feature", "bin", "left", "value", "count"):
            expected = getattr(models[0].trees_, name)
            assert_array_equal(getattr(other.trees_, name), expected)


@pytest.mark.parametrize("sign", [-1, 1])
@pytest.mark.parametrize("given", ["list", "dict"])
def test_a_monotone_feature_only_rises_or_falls(sign, given):
    X, y = few_values(3000)
    constraint = [sign, 0, 0, 0, 0]
    if given == "dict":
        import pandas as pd

        X = pd.DataFrame(X, columns=list("abcde"))
        constraint = {"a": sign}
    model = HistGradientBoostingRegressor(monotonic_cst=constraint).fit(X, y)
    line = np.tile(np.asarray(X)[:50], (61, 1, 1))
    line[:, :, 0] = np.arange(61)[:, None]
    rows = line.reshape(-1, 5)
    if given == "dict":
        rows = pd.DataFrame(rows, columns=list("abcde"))
    steps = np.diff(model.predict(rows).reshape(61, 50), axis=0)
    assert (sign * steps >= 0).all()
    assert (sign * steps > 0).any()


def test_features_of_different_sets_do_not_interact():
    X, y = few_values(3000)
    model = HistGradientBoostingRegressor(interaction_cst=[[0, 1], [2, 3, 4]]).fit(X, y)
    a, b = X[:40].copy(), X[40:80].copy()
    ab, ba = a.copy(), b.copy()
    ab[:, :2], ba[:, :2] = b[:, :2], a[:, :2]
    parts = [model.predict(rows) for rows in (a, b, ab, ba)]
    assert_allclose(parts[0] + parts[1], parts[2] + parts[3])
    free = HistGradientBoostingRegressor().fit(X, y)
    parts = [free.predict(rows) for rows in (a, b, ab, ba)]
    assert np.abs(parts[0] + parts[1] - parts[2] - parts[3]).max() > 1e-3


def test_categories_are_split_into_sets():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 40, size=(2000, 1)).astype(float)
    odd = rng.permutation(40) < 20
    y = odd[X[:, 0].astype(int)].astype(float)
    options = dict(max_iter=1, learning_rate=1.0, max_leaf_nodes=2)
    sets = HistGradientBoostingRegressor(categorical_features=[0], **options).fit(X, y)
    assert_allclose(sets.predict(X), y, atol=1e-9)
    numbers = HistGradientBoostingRegressor(**options).fit(X, y)
    assert np.abs(numbers.predict(X) - y).max() > 0.4
    unseen = sets.predict([[99.0], [np.nan], [-1.0]])
    assert (unseen == unseen[0]).all()


def test_a_missing_value_goes_where_it_belongs():
    X = np.r_[np.zeros(50), np.ones(50), np.full(50, np.nan)][:, None]
    y = np.r_[np.zeros(50), np.ones(50), np.zeros(50)]
    model = HistGradientBoostingRegressor(max_iter=1, learning_rate=1.0).fit(X, y)
    assert_allclose(model.predict([[np.nan], [0.0], [1.0]]), [0, 0, 1], atol=1e-9)


def test_a_fit_stops_where_held_out_rows_rest():
    X, y = few_values(2000)
    noise = np.random.default_rng(0).permutation(y)
    model = HistGradientBoostingRegressor(
        early_stopping=True, max_iter=500, random_state=0
    ).fit(X, noise)
    assert model.n_iter_ < 60
    assert len(model.validation_score_) == model.n_iter_ + 1
    scores = model.validation_score_
    assert max(scores[-10:]) <= scores[-11] + 1e-7
    assert corollary.HistGradientBoostingRegressor().fit(X, y).n_iter_ == 100


@pytest.mark.parametrize("scoring", ["loss", None, "r2", "neg_mean_absolute_error"])
def test_own_rows_and_scores_tell_when_to_stop(scoring):
    X, y = few_values(1500)
    A, B, a, b = train_test_split(X, y, random_state=0)
    model = HistGradientBoostingRegressor(
        early_stopping=True, scoring=scoring, max_iter=30, tol=0, n_iter_no_change=30
    ).fit(A, a, X_val=B, y_val=b)
    from sklearn.metrics import mean_absolute_error, mean_squared_error, r2_score

    rule = {
        "loss": lambda p: -mean_squared_error(b, p) / 2,
        "neg_mean_absolute_error": lambda p: -mean_absolute_error(b, p),
    }.get(scoring, lambda p: r2_score(b, p))
    expected = [rule(p) for p in model.staged_predict(B)]
    assert_allclose(model.validation_score_[1:], expected, rtol=1e-9)


def test_a_warm_start_goes_on():
    X, y = few_values()
    z = (y > np.median(y)).astype(int)
    whole = HistGradientBoostingClassifier(max_iter=30, random_state=0).fit(X, z)
    model = HistGradientBoostingClassifier(max_iter=12, warm_start=True, random_state=0)
    model.fit(X, z).set_params(max_iter=30).fit(X, z)
    assert model.n_iter_ == 30
    assert_allclose(model.decision_function(X), whole.decision_function(X), rtol=1e-12)


def test_stages_end_in_the_prediction():
    X, y = load_iris(return_X_y=True)
    model = HistGradientBoostingClassifier(max_iter=8).fit(X, y)
    stages = list(model.staged_decision_function(X))
    assert len(stages) == 8
    assert_allclose(stages[-1], model.decision_function(X), rtol=1e-12)
    *_, last = model.staged_predict_proba(X)
    assert_allclose(last.sum(axis=1), 1)
    *_, labels = model.staged_predict(X)
    assert_array_equal(labels, model.predict(X))


def test_a_class_weight_is_a_weight_of_its_rows():
    X, y = load_iris(return_X_y=True)
    w = np.where(y == 1, 3.0, 1.0)
    by_class = HistGradientBoostingClassifier(class_weight={1: 3.0}).fit(X, y)
    by_row = HistGradientBoostingClassifier().fit(X, y, sample_weight=w)
    assert_array_equal(by_class.predict_proba(X), by_row.predict_proba(X))


def test_weight_zero_removes_a_row():
    X, y = few_values(300)
    w = np.ones(300)
    w[200:] = 0
    weighted = HistGradientBoostingRegressor(random_state=0).fit(
        X, np.where(w > 0, y, 1e6), sample_weight=w
    )
    cut = HistGradientBoostingRegressor(random_state=0).fit(X[:200], y[:200])
    assert_allclose(weighted.predict(X), cut.predict(X), rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize("outcome", [0.0, 4.0])
def test_a_constant_target_is_predicted(outcome):
    X, _ = few_values(100)
    model = HistGradientBoostingRegressor().fit(X, np.full(100, outcome))
    assert_allclose(model.predict(X), outcome)


def test_a_column_without_values_is_of_no_use():
    X, y = few_values(500)
    lost = np.hstack([X, np.full((500, 1), np.nan)])
    options = dict(max_iter=20, random_state=0)
    a = HistGradientBoostingRegressor(**options).fit(lost, y).predict(lost)
    assert_allclose(a, HistGradientBoostingRegressor(**options).fit(X, y).predict(X))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"max_leaf_nodes": 1}, "max_leaf_nodes must be None or a whole number >= 2"),
        ({"monotonic_cst": [1]}, "monotonic_cst must have 5 entries"),
        ({"monotonic_cst": [2, 0, 0, 0, 0]}, "monotonic_cst must be -1, 0 or 1"),
        ({"interaction_cst": [[9]]}, "numbers of features from 0 to 4"),
        ({"categorical_features": ["a"]}, "a mask, numbers or names of features"),
        ({"categorical_features": [7]}, "number features from 0 to 4; got"),
        ({"loss": "quantile"}, "needs quantile between 0 and 1"),
        ({"loss": "gamma"}, "needs targets above 0"),
    ],
)
def test_bad_input_gets_one_sentence(options, sentence):
    X, y = few_values(100)
    with pytest.raises(ValueError, match=sentence):
        HistGradientBoostingRegressor(**options).fit(X, y)


def test_infinite_values_are_refused_by_place():
    X, y = few_values(100)
    X[3, 2] = np.inf
    with pytest.raises(ValueError, match="got infinity in row 3, column 2"):
        HistGradientBoostingRegressor().fit(X, y)


def test_a_forged_tree_is_refused():
    from dataclasses import replace

    X, y = few_values(200)
    trees = HistGradientBoostingRegressor(max_iter=2).fit(X, y).trees_
    turned = trees.left.copy()
    turned[trees.feature >= 0] = 0
    far = trees.feature.copy()
    far[0] = 99
    for forged in ({"left": turned}, {"feature": far}, {"starts": trees.starts[:-1]}):
        with pytest.raises(ValueError, match="from a root to its leaves"):
            replace(trees, **forged)


def test_trees_refuse_rows_of_other_features():
    X, y = few_values(200)
    model = HistGradientBoostingRegressor(max_iter=2).fit(X, y)
    for narrow in (model.trees_.scores, model.trees_.bins.codes, model.columns_.matrix):
        with pytest.raises(ValueError, match="rows must have"):
            narrow(X[:, :3])


def test_a_tree_without_bounds_learns_every_row():
    X = np.column_stack([np.arange(20_000) // 200, np.arange(20_000) % 200]) * 1.0
    y = 200.0 * X[:, 0] + X[:, 1]  # another number in every row, far apart enough
    order = np.random.default_rng(0).permutation(len(y))
    model = HistGradientBoostingRegressor(
        max_iter=1,
        learning_rate=1.0,
        max_leaf_nodes=None,
        min_samples_leaf=1,
        early_stopping=False,
    ).fit(X[order], y[order])
    assert (model.trees_.feature < 0).sum() == len(y)
    assert_allclose(model.predict(X), y, atol=0.5)


def test_a_value_that_was_never_missing_goes_to_the_larger_side():
    X, y = few_values(300)
    options = {"max_iter": 8, "early_stopping": False, "min_samples_leaf": 5}
    ours = HistGradientBoostingRegressor(**options).fit(X, y)
    theirs = ensemble.HistGradientBoostingRegressor(**options).fit(X, y)
    X = X[:60].copy()
    X[np.arange(60), np.arange(60) % X.shape[1]] = np.nan
    assert_allclose(ours.predict(X), theirs.predict(X), rtol=1e-5)


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_split_against_its_sign_is_not_taken(sign):
    rng = np.random.default_rng(0)
    X = rng.integers(0, 20, size=(500, 2)).astype(float)
    y = -sign * X[:, 0] + 0.1 * X[:, 1]  # the first feature is the stronger one
    options = {"max_iter": 1, "learning_rate": 1.0, "max_leaf_nodes": 2}
    free = HistGradientBoostingRegressor(**options).fit(X, y)
    bound = HistGradientBoostingRegressor(monotonic_cst=[sign, 0], **options).fit(X, y)
    assert free.trees_.feature[0] == 0
    assert bound.trees_.feature[0] == 1
    cut = X[:, 1] <= bound.trees_.bin[0]  # codes are values here
    sides = [y[cut].mean(), y[~cut].mean()]
    assert_allclose(bound.predict(X), np.where(cut, *sides), rtol=1e-4, atol=1e-3)
