"""The diagnosis: each fault is named by what was measured, and its advice is tried."""

import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
import sklearn.linear_model
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.pipeline import make_pipeline
from threadpoolctl import threadpool_limits

from corollary import (
    PCA,
    ColumnTransformer,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    GradientDescentRegressor,
    LinearRegression,
    LogisticRegression,
    OneHotEncoder,
    Ridge,
    StandardScaler,
    config_context,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import Diagnosis, Evidence, diagnose, try_actions
from corollary.diagnostics.diagnose import sampled_rows
from corollary.diagnostics.judged_loss import judged_loss
from corollary.diagnostics.out_of_fold import folds_of, out_of_fold


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices are faster without threads, above all on a busy machine."""
    with threadpool_limits(1, "blas"):
        yield


def linear(n=300, d=4, noise=0.5, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    return X, X[:, 0] - X[:, 1] + noise * rng.normal(size=n), rng


def classes(n=400, d=4, seed=0, scale=3.0):
    X, s, rng = linear(n, d, 0.0, seed)
    return X, (rng.uniform(size=n) < 1 / (1 + np.exp(-scale * s))).astype(int), rng


@pytest.mark.course("S4-64")
def test_high_bias_and_what_heals_it():
    X, _, rng = linear()
    y = X[:, 0] * X[:, 1] + 0.2 * rng.normal(size=300)
    found = diagnose(LinearRegression(), X, y)
    assert found.main.name == "high_bias"
    assert found.main.confidence > 0.95
    assert found.reference < 0.3 * found.validation
    assert found.training > found.reference  # cannot even fit its training rows as well
    assert "Get more rows." in {words for words, _ in found.will_not_help}
    tried = try_actions(LinearRegression(), X, y, found).actions[0]
    assert tried.key == "flexible_model"
    assert tried.verdict == "helped"
    assert tried.after < 0.3 * tried.before


@pytest.mark.course("S4-64")
def test_high_variance_and_what_heals_it():
    X, y, _ = linear(noise=1.0)
    model = DecisionTreeRegressor(random_state=0)
    found = diagnose(model, X, y)
    assert found.main.name == "high_variance"
    assert found.training < 0.01 * found.validation
    assert "Lower the penalty." in {words for words, _ in found.will_not_help}
    tried = try_actions(model, X, y, found)
    assert [a.verdict for a in tried.actions if a.tried][:1] == ["helped"]
    assert {"more_penalty", "stable_model"} >= {a.key for a in tried.actions}


def test_a_penalty_that_is_too_high_is_told_by_its_own_knob():
    X, y, _ = linear(noise=0.3)
    found = diagnose(Ridge(alpha=1e4), X, y)
    assert found.main.name == "high_bias"
    assert any(a.key == "less_penalty" for a in found.actions)


def test_too_few_rows():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(70, 20))
    y = X @ rng.normal(size=20) / 4 + 0.3 * rng.normal(size=70)
    found = diagnose(Ridge(alpha=1.0), X, y)
    assert found.main.name == "little_data"
    assert found.actions[0].key == "more_rows"


def test_no_fault():
    X, y, _ = linear()
    found = diagnose(Ridge(), X, y)
    assert found.names == ("healthy",)
    assert found.main.confidence > 0.5
    assert found.actions == ()
    X, y, _ = classes()
    assert diagnose(LogisticRegression(), X, y).names == ("healthy",)


def test_a_column_that_leaks_is_dropped_and_measured_where_it_is_not_known():
    X, y, rng = classes()
    X = np.column_stack([X, np.where(rng.uniform(size=400) < 0.03, 1 - y, y)])
    model = LogisticRegression()
    found = diagnose(model, X, y)
    assert found.main.name == "target_leak"
    assert found.actions[0].drop_columns == (4,)
    tried = try_actions(model, X, y, found).actions[0]
    assert tried.verdict == "helped"
    assert tried.after > found.validation  # though the score with the leak was better


def test_a_group_on_both_sides_of_the_split():
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(60), 8)
    X = rng.normal(size=(60, 3))[groups] + 0.1 * rng.normal(size=(480, 3))
    y = rng.normal(size=60)[groups] + 0.3 * rng.normal(size=480)
    found = diagnose(DecisionTreeRegressor(random_state=0), X, y, groups=groups)
    assert found.main.name == "split_leak"
    assert found.actions[0].key == "structured_split"


def test_repeated_rows_flatter_and_are_dropped():
    X, y, _ = linear(200, noise=1.0)
    X, y = np.vstack([X, X[:120]]), np.concatenate([y, y[:120]])
    model = DecisionTreeRegressor(random_state=0)
    found = diagnose(model, X, y)
    assert "duplicate_rows" in found.names
    drop = next(a for a in found.actions if a.key == "drop_duplicates")
    assert sorted(drop.drop_rows) == list(range(200, 320))


@pytest.mark.parametrize("ours", [True, False])
def test_an_optimiser_that_is_not_done(ours):
    X, y, _ = linear(300, noise=0.3)
    X = X * [1.0, 30.0, 1.0, 1.0] + 5
    model = GradientDescentRegressor(max_iter=3)
    if not ours:
        X, y, _ = classes()
        model = sklearn.linear_model.LogisticRegression(C=100.0, max_iter=1)
        X = X * [1.0, 30.0, 1.0, 1.0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = diagnose(model, X, y)
    assert found.main.name == "unconverged"
    assert found.actions[0].key in ("scale", "more_iterations", "newton")


def test_a_stage_that_destroys():
    X, y, _ = linear(300, noise=0.3)
    X = X * [0.2, 0.2, 3.0, 3.0]
    model = make_pipeline(PCA(1), LinearRegression())
    found = diagnose(model, X, y)
    assert found.main.name == "bad_stage"
    assert "without pca (PCA)" in found.actions[0].action
    assert try_actions(model, X, y, found).actions[0].verdict == "helped"


def test_outliers_lead_a_squared_error():
    X, y, rng = linear(400, noise=0.3)
    y = y + 30 * (rng.uniform(size=400) < 0.07)
    found = diagnose(LinearRegression(), X, y, loss="absolute")
    assert found.main.name == "wrong_objective"
    assert found.actions[0].key == "robust_loss"
    tried = try_actions(LinearRegression(), X, y, found).actions[0]
    assert tried.verdict == "helped"


def test_costs_that_the_most_probable_class_does_not_serve():
    X, y, _ = classes(600, scale=1.0)

    def cost(y, predicted):
        return (y != predicted) * np.where(y == 1, 10.0, 1.0)

    found = diagnose(LogisticRegression(), X, y, loss=cost)
    assert found.main.name == "wrong_objective"
    assert found.loss == "mean cost"
    tried = try_actions(LogisticRegression(), X, y, found).actions[0]
    assert tried.verdict == "helped"
    assert tried.after < 0.7 * tried.before


def test_labels_that_are_wrong_are_found_and_corrected_in_training_only():
    X, y, rng = classes(600, scale=12.0)
    wrong = rng.uniform(size=600) < 0.15
    given = np.where(wrong, 1 - y, y)
    model = LogisticRegression()
    found = diagnose(model, X, given)
    assert found.main.name == "label_noise"
    rows, labels = found.actions[0].relabel
    assert np.mean(wrong[rows]) > 0.8
    assert (labels != given[rows]).all()
    tried = try_actions(model, X, given, found).actions[0]
    assert tried.tried
    assert tried.before == pytest.approx(found.validation)


def test_a_rare_class_that_is_passed_over():
    X, _, rng = linear(2_000, noise=0.0)
    s = X[:, 0] - X[:, 1]
    y = (rng.uniform(size=2_000) < 1 / (1 + np.exp(4.2 - 1.2 * s))).astype(int)
    assert y.mean() < 0.1
    model = LogisticRegression()
    found = diagnose(model, X, y)
    assert found.main.name == "class_skew"
    assert found.actions[0].key == "threshold"
    tried = try_actions(model, X, y, found)
    assert {a.key: a.verdict for a in tried.actions} == {
        "threshold": "helped",
        "class_weights": "helped",
    }


def test_rows_of_the_test_that_are_not_like_training_rows():
    X, y, rng = linear(400)
    Z = rng.normal(size=(200, 4)) + np.array([1.5, 0, 0, 0])
    found = diagnose(Ridge(), X, y, test=(Z, Z[:, 0] * Z[:, 1]))
    assert found.main.name == "shift"
    assert "column 0" in found.main.evidence[0]
    weights = next(a for a in found.actions if a.sample_weight is not None)
    assert np.mean(weights.sample_weight) == pytest.approx(1.0)
    assert not any(a.tried for a in try_actions(Ridge(), X, y, found).actions)
    tried = try_actions(Ridge(), X, y, found, test=(Z, Z[:, 0] * Z[:, 1]))
    assert [a.tried for a in tried.actions] == [False, True]
    assert diagnose(Ridge(), X, y, test=Z).main.name == "shift"
    alike = rng.normal(size=(200, 4))
    assert "shift" not in diagnose(Ridge(), X, y, test=alike).names


def test_copied_columns():
    X, y, rng = linear(400)
    X = np.column_stack([X, X[:, 0] + 0.01 * rng.normal(size=400)])
    found = diagnose(LinearRegression(), X, y)
    assert found.main.name == "collinearity"
    assert found.actions[0].drop_columns in ((0,), (4,))
    tried = try_actions(LinearRegression(), X, y, found).actions[0]
    assert tried.verdict == "no difference"


def test_columns_that_tell_nothing():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(300, 5)), rng.normal(size=300)
    found = diagnose(Ridge(alpha=1_000.0), X, y)
    assert found.main.name == "no_signal"


def test_a_model_that_reads_what_no_other_can_has_a_signal():
    rng = np.random.default_rng(5)
    filler = ["film", "plot", "scene", "actor", "music"]
    liked = rng.integers(0, 2, 200)
    texts = [
        " ".join([*rng.choice(filler, 6), "good" if one else "bad"]) for one in liked
    ]
    frame = pd.DataFrame({"review": texts, "stars": rng.integers(1, 6, 200)})
    words = ColumnTransformer([("words", CountVectorizer(), "review")])
    model = make_pipeline(words, LogisticRegression())
    assert diagnose(model, frame, liked).main.name == "healthy"


def test_a_split_that_is_structured_already_is_no_fault():
    rng = np.random.default_rng(6)
    group = np.repeat(np.arange(40), 10)
    X = np.column_stack([rng.normal(size=40)[group], rng.normal(size=(400, 2))])
    y = rng.normal(size=40)[group] + X[:, 1] + 0.1 * rng.normal(size=400)
    model = DecisionTreeRegressor(random_state=0)
    named = [
        diagnose(
            model, X, y, groups=group, evidence=Evidence(structured=structured)
        ).main.name
        for structured in (False, True)
    ]
    assert named[0] == "split_leak" != named[1]


# -- what it takes ---------------------------------------------------------------------
@pytest.mark.parametrize(
    "made", [pytest.param(pd.DataFrame, marks=pytest.mark.slow), pa.table]
)
def test_tables_of_mixed_columns_in_a_pipeline(made):
    rng = np.random.default_rng(4)
    town = rng.choice(["Rome", "Oslo", "Bonn"], size=300)
    x = rng.normal(size=300)
    X = made({"town": town.tolist(), "x": x, "z": rng.normal(size=300)})
    y = np.where((town == "Rome") == (x > 0), "yes", "no")
    columns = ColumnTransformer(
        [("texts", OneHotEncoder(), ["town"]), ("rest", StandardScaler(), ["x", "z"])]
    )
    model = make_pipeline(columns, LogisticRegression())
    found = diagnose(model, X, y)
    assert found.main.name == "high_bias"  # an interaction
    tried = try_actions(model, X, y, found).actions[0]
    assert tried.verdict == "helped"
    json.dumps(tried.to_findings())
    json.dumps(found.to_findings(), allow_nan=False)


def test_a_column_that_a_pipeline_asks_for_by_name_is_dropped_all_the_same():
    X, y, rng = classes()
    frame = pd.DataFrame(X, columns=list("abcd"))
    frame["known"] = np.where(rng.uniform(size=400) < 0.02, 1 - y, y)
    columns = ColumnTransformer([("all", StandardScaler(), list(frame.columns))])
    model = make_pipeline(columns, LogisticRegression())
    found = diagnose(model, frame, y)
    assert found.main.name == "target_leak"
    assert "Drop known." in str(found)
    assert try_actions(model, frame, y, found).actions[0].verdict == "helped"


def test_evidence_is_used_and_not_measured_again():
    X, y, _ = linear()
    folds = folds_of(False, y, seed=5)
    loss = judged_loss("squared", Ridge(), y)
    own = out_of_fold(DecisionTreeRegressor(random_state=0), X, y, folds, loss)
    other = out_of_fold(Ridge(), X, y, folds, loss)

    class Unfit(DecisionTreeRegressor):
        fits = 0

        def fit(self, X, y, **options):
            type(self).fits += 1
            return super().fit(X, y, **options)

    known = Evidence(
        loss="squared",
        folds=folds,
        losses=own.losses,
        training=own.training,
        predicted=own.predicted,
        references={"ridge": other.losses},
        half=own.losses,
    )
    found = diagnose(Unfit(random_state=0), X, y, evidence=known)
    assert found.main.name == "high_variance"
    assert found.reference == pytest.approx(other.mean, rel=0.2)
    assert found.validation == pytest.approx(own.mean)
    again = diagnose(Unfit(random_state=0), X, y, evidence=found.evidence)
    assert again.names == found.names


def test_time_is_kept_and_rows_are_left_out():
    X, y, _ = linear(25_000)
    found = diagnose(Ridge(), X, y, time_budget=1)
    assert found.seconds < 10
    assert "of 25,000 rows" in found.notes[0]


def test_the_first_screen_shows_three_actions():
    X, y, _ = linear(120, noise=1.0)
    found = diagnose(DecisionTreeRegressor(random_state=0), X, y)
    text = str(found)
    assert text.startswith("High variance: the model is too flexible (confidence")
    assert text.count("\n  1. ") == 1
    assert "\n  4. " not in text
    assert "<table>" in found._repr_html_()
    assert found.plot().get_title() == found.main.title


def test_the_same_seed_gives_the_same_answer():
    X, y, _ = classes(100)
    model = DecisionTreeClassifier(random_state=0)
    one, two = (diagnose(model, X, y, random_state=3) for _ in range(2))
    assert one.to_findings() == two.to_findings()


def test_a_fitted_model_is_left_as_it_was():
    X, y, _ = linear(100)
    model = Ridge().fit(X, y)
    before = model.coef_.copy()
    diagnose(model, X, y)
    np.testing.assert_array_equal(model.coef_, before)
    with config_context(memory_limit="1GB"):
        diagnose(make_pipeline(StandardScaler(), Ridge()), X, y)


def test_bad_input_is_refused_in_a_sentence():
    X, y, _ = linear(50)
    with pytest.raises(DataError, match="one target for each of the 50 rows"):
        diagnose(Ridge(), X, y[:10])
    with pytest.raises(DataError, match="10 rows or more"):
        diagnose(Ridge(), X[:3], y[:3])
    with pytest.raises(DataError, match="2 different values"):
        diagnose(Ridge(), X, np.ones(50))
    with pytest.raises(DataError, match="must hold numbers"):
        diagnose(Ridge(), X, np.array(["a"] * 50))
    with pytest.raises(DataError, match="finite"):
        diagnose(Ridge(), X, np.where(y > 0, y, np.nan))
    with pytest.raises(ParameterError, match="classifier or a regressor"):
        diagnose(StandardScaler(), X, y)
    with pytest.raises(ParameterError, match="loss must be one of squared, absolute"):
        diagnose(Ridge(), X, y, loss="error")
    with pytest.raises(ParameterError, match="time_budget"):
        diagnose(Ridge(), X, y, time_budget=0)
    with pytest.raises(DataError, match="groups must hold one entry"):
        diagnose(Ridge(), X, y, groups=[1, 2])
    with pytest.raises(DataError, match="diagnosis must come from diagnose"):
        try_actions(Ridge(), X, y, Diagnosis(()))


def test_a_loss_that_is_asked_for_decides_what_lacks():
    X, y, _ = linear(noise=1.0)
    reached = diagnose(DecisionTreeRegressor(random_state=0), X, y, target_loss=5.0)
    assert reached.main.name == "healthy"
    assert reached.target_loss == 5.0
    short = diagnose(Ridge(), X, y, target_loss=0.1)
    assert short.main.name == "high_bias"  # training rows lose more than 0.1 too
    assert short.actions[0].key == "more_features"
    assert short.plot() is not None


def test_groups_stay_whole_and_rare_classes_stay_where_rows_are_left_out():
    rng = np.random.default_rng(6)
    y = (np.arange(5_000) % 1_000 == 0).astype(int)
    rows = sampled_rows(500, y, None, rng)
    assert y[rows].sum() == 5
    assert 500 <= len(rows) <= 510
    groups = np.arange(5_000) // 50
    rows = sampled_rows(500, y, groups, rng)
    assert len(np.unique(groups[rows])) == 10


def test_a_curve_that_is_known_is_used():
    class Curve:
        sizes = np.array([100, 200])
        validation = np.array([2.0, 1.0])
        validation_se = np.array([0.05, 0.05])

    X, y, _ = linear(noise=1.0)
    known = Evidence(learning_curve=Curve())
    assert diagnose(Ridge(), X, y, evidence=known).main.name == "little_data"
