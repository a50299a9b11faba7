"""Importance, effects and attributions of columns, for any model on any table."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn import inspection
from sklearn.pipeline import make_pipeline

from corollary import (
    ColumnTransformer,
    DecisionTreeRegressor,
    HistGradientBoostingRegressor,
    LinearRegression,
    LogisticRegression,
    OneHotEncoder,
    RandomForestClassifier,
    StandardScaler,
)
from corollary.core.errors import DataError, ParameterError
from corollary.diagnostics import (
    partial_effects,
    permutation_importance,
    shapley_values,
)
from corollary.ensembles import tree_shap

TABLES = [pa.table, pd.DataFrame, pl.DataFrame]


def mixed(n=400, seed=0):
    rng = np.random.default_rng(seed)
    town = rng.choice(["Bonn", "Oslo", "Rome"], size=n)
    cells = {
        "age": rng.integers(18, 90, size=n),
        "town": town,
        "noise": rng.normal(size=n),
    }
    score = (cells["age"] - 54) / 15 + 2.0 * (town == "Rome") - 1
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "yes", "no")
    return cells, y


def pipeline():
    columns = ColumnTransformer(
        [
            ("numbers", StandardScaler(), ["age", "noise"]),
            ("towns", OneHotEncoder(), ["town"]),
        ]
    )
    return make_pipeline(columns, LogisticRegression())


# -- importance ------------------------------------------------------------------------
def test_importance_of_a_sum_is_twice_the_variance_of_its_part():
    def f(X):
        return 2 * X[:, 0] + X[:, 1]

    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 3))
    found = permutation_importance(f, X, f(X) + rng.normal(size=4000))
    gap = np.abs(found.importance - [8, 2, 0]) / np.maximum(found.standard_error, 1e-9)
    assert gap.max() < 4
    assert found.loss == "squared"
    assert found.baseline == pytest.approx(1, abs=0.1)
    assert found.order.tolist() == [0, 1, 2]


def test_the_standard_error_is_that_over_other_rows():
    def f(X):
        return 2 * X[:, 0] + X[:, 1] * X[:, 2]

    rng = np.random.default_rng(1)
    found = []
    for seed in range(120):
        X = rng.normal(size=(150, 3))
        y = f(X) + 0.5 * rng.normal(size=150)
        found.append(permutation_importance(f, X, y, random_state=seed))
    scatter = np.std([each.importance for each in found], axis=0)
    stated = np.mean([each.standard_error for each in found], axis=0)
    assert (stated / scatter > 0.85).all()
    assert (stated / scatter < 1.45).all()


def test_importances_are_those_of_scikit_learn():
    rng = np.random.default_rng(2)
    X = rng.normal(size=(300, 4))
    y = X[:, 0] + 0.5 * X[:, 1] + 0.2 * rng.normal(size=300)
    model = LinearRegression().fit(X, y)
    ours = permutation_importance(model, X, y, repeats=30)
    theirs = inspection.permutation_importance(
        model, X, y, scoring="neg_mean_squared_error", n_repeats=30, random_state=0
    )
    gap = np.abs(ours.importance - theirs.importances_mean)
    assert (gap <= 3 * ours.standard_error + 1e-9).all()


@pytest.mark.parametrize("made", TABLES)
def test_a_pipeline_on_a_mixed_table(made):
    cells, y = mixed()
    table = made(cells)
    model = pipeline().fit(table, y)
    found = permutation_importance(model, table, y)
    assert found.names == ("age", "town", "noise")
    assert found.loss == "log_loss"
    assert found.importance[0] > found.importance[1] > 10 * abs(found.importance[2])
    by_name = permutation_importance(model, table, y, columns=["town"])
    assert by_name.names == ("town",)
    wrong = permutation_importance(model, table, y, loss="error")
    assert wrong.baseline == pytest.approx(np.mean(model.predict(table) != y))
    page = found.to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert [row["column"] for row in page] == ["age", "town", "noise"]
    assert "log loss" in str(found)


def test_columns_that_say_the_same_are_permuted_together():
    rng = np.random.default_rng(3)
    x = rng.normal(size=500)
    X = np.column_stack([x, x, rng.normal(size=500)])
    y = x + 0.1 * rng.normal(size=500)

    def f(X):
        return (X[:, 0] + X[:, 1]) / 2

    apart = permutation_importance(f, X, y)
    joint = permutation_importance(f, X, y, columns=[[0, 1], 2])
    assert joint.names == ("x0 + x1", "x2")
    assert joint.importance[0] == pytest.approx(2, rel=0.2)
    assert apart.importance[0] == pytest.approx(0.5, rel=0.3)  # a quarter, each


def test_weights_losses_and_labels():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] > 0).astype(int)
    model = RandomForestClassifier(n_estimators=20, random_state=0).fit(X, y)
    assert permutation_importance(model, X, y).loss == "log_loss"
    labels = permutation_importance(model.predict, X, y)
    assert labels.loss == "error"
    assert labels.importance[0] > 0.3
    w = (X[:, 1] > 0).astype(float)
    kept = permutation_importance(model.predict, X, y, sample_weight=w)
    assert kept.importance[0] == pytest.approx(0.5, abs=0.1)
    own = permutation_importance(
        model.predict, X, y, loss=lambda y, f: np.abs(y - f), repeats=1
    )
    assert own.importance[0] > 0.3
    sparse = sp.csr_matrix(X * (np.abs(X) > 0.5))
    linear = LinearRegression().fit(sparse, X[:, 0])
    assert permutation_importance(linear, sparse, X[:, 0]).importance.argmax() == 0


# -- effects ---------------------------------------------------------------------------
@pytest.mark.parametrize("method", ["ale", "partial_dependence"])
def test_effects_of_an_additive_model_are_its_parts(method):
    rng = np.random.default_rng(5)
    X = rng.uniform(-2, 2, size=(900, 2))

    def f(X):
        return np.sin(X[:, 0]) + 3 * X[:, 1]

    first, second = partial_effects(f, X, method=method, grid=30)
    grid = np.array(first.grid)
    shape = np.sin(grid) - np.sin(X[:, 0]).mean() + f(X).mean()
    np.testing.assert_allclose(first.effect, shape, atol=0.05)
    np.testing.assert_allclose(
        np.diff(second.effect), 3 * np.diff(second.grid), atol=1e-9
    )
    assert second.range == pytest.approx(3 * np.ptp(second.grid))
    assert np.abs(second.high - second.effect).max() < 1e-9  # no row differs


def test_accumulated_effects_stay_where_the_rows_are():
    rng = np.random.default_rng(6)
    x = rng.uniform(size=2000)
    X = np.column_stack([x, x + 0.02 * rng.normal(size=2000)])

    def f(X):  # off the diagonal, where no row is, the model is wild
        return X[:, 0] + 100 * (X[:, 0] - X[:, 1]) ** 2 * (
            np.abs(X[:, 0] - X[:, 1]) > 0.2
        )

    (local,) = partial_effects(f, X, [0], rows=2000)
    (global_,) = partial_effects(f, X, [0], method="partial_dependence", rows=2000)
    assert local.range == pytest.approx(1, abs=0.1)
    assert global_.range > 5


def test_the_band_covers_the_mean_and_the_spread_shows_an_interaction():
    rng = np.random.default_rng(7)

    def f(X):
        return X[:, 0] * X[:, 1]

    held = []
    for _ in range(60):
        X = np.column_stack([rng.uniform(-1, 1, 300), 1 + rng.normal(size=300)])
        for method in ("ale", "partial_dependence"):
            (found,) = partial_effects(f, X, [0], method=method, grid=6)
            truth = np.diff(found.grid)  # E x1 = 1
            gap = np.diff(found.effect) - truth
            held.append(found.effect[-1] - found.effect[0] - np.ptp(found.grid))
            assert np.abs(gap).max() < 1
            ends = found.high[[0, -1]] - found.low[[0, -1]]
            assert (ends > 0).all()
            assert found.spread.max() > 0.05
    assert abs(np.mean(held)) < 0.05


@pytest.mark.parametrize("made", TABLES)
def test_effects_of_a_pipeline_on_a_mixed_table(made):
    cells, y = mixed()
    cells["town"] = np.where(np.arange(400) % 17 == 0, None, cells["town"])
    table = made({name: list(v) for name, v in cells.items()})
    model = pipeline().fit(table, y)
    found = partial_effects(model, table)
    assert found.what == "yes"
    age, town, _ = found
    assert (age.kind, age.method) == ("number", "ale")
    assert (town.kind, town.method) == ("category", "partial_dependence")
    assert (np.diff(age.effect) > 0).all()
    assert set(town.grid) == {"Bonn", "Oslo", "Rome", "missing"}
    by_town = dict(zip(town.grid, town.effect, strict=True))
    assert by_town["Rome"] > max(by_town["Oslo"], by_town["Bonn"]) + 0.1
    assert town.effect[0] == pytest.approx(by_town[town.grid[0]])
    importances = permutation_importance(model, table, y)
    page = found.to_findings(importances)
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert [row["column"] for row in page] == ["age", "town", "noise"]
    assert list(page[0])[:3] == ["column", "importance", "importance_se"]
    assert page[1]["kind"] == "category"
    assert "probability of yes" in str(found)


def test_partial_dependence_is_that_of_scikit_learn():
    rng = np.random.default_rng(8)
    X = rng.normal(size=(200, 3))
    y = X[:, 0] ** 2 + X[:, 1]
    model = HistGradientBoostingRegressor(max_iter=20).fit(X, y)
    (ours,) = partial_effects(model, X, [0], method="partial_dependence", grid=8)
    theirs = inspection.partial_dependence(
        model, X, [0], custom_values={0: np.array(ours.grid)}, method="brute"
    )["average"][0]
    np.testing.assert_allclose(np.diff(ours.effect), np.diff(theirs), atol=1e-9)


def test_columns_of_one_value_are_left_out_and_dates_are_ordered():
    rng = np.random.default_rng(9)
    day = np.datetime64("2024-01-01") + rng.integers(0, 300, size=200)
    frame = pd.DataFrame(
        {
            "day": day,
            "same": 1.0,
            "none": np.nan,
            "flag": day > np.datetime64("2024-06-01"),
        }
    )

    def f(frame):
        return frame["flag"].to_numpy() * 1.0

    found = partial_effects(f, frame)
    assert [each.column for each in found] == ["day", "flag"]
    assert found[0].grid == sorted(found[0].grid)
    assert found[0].range == 0
    assert found[1].range == pytest.approx(1)
    assert set(found[1].grid) == {"True", "False"}


# -- attributions ----------------------------------------------------------------------
def test_values_of_a_linear_model_are_exact():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(60, 4))
    beta = np.array([2.0, -1.0, 0.5, 0.0])
    found = shapley_values(lambda X: X @ beta, X[:5], X)
    np.testing.assert_allclose(found.base + found.values.sum(axis=1), X[:5] @ beta)
    slope = found.values[0] - found.values[1]
    np.testing.assert_allclose(slope, beta * (X[0] - X[1]), atol=1e-9)
    assert found.standard_errors.max() < 1e-9


@pytest.mark.parametrize("seed", [0, 1])
def test_values_are_those_of_the_exact_method_for_trees(seed):
    rng = np.random.default_rng(11)
    X = rng.normal(size=(400, 6))
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3] * (X[:, 4] > 0)
    model = HistGradientBoostingRegressor(max_iter=60, max_leaf_nodes=15).fit(X, y)
    rows, others = X[:6], X[50:80]
    exact = tree_shap(model, rows, background=others)
    found = shapley_values(
        model, rows, others, background_rows=30, repeats=8, random_state=seed
    )
    np.testing.assert_allclose(found.base, float(exact.base[0]))
    np.testing.assert_allclose(
        found.base + found.values.sum(axis=1), model.predict(rows), rtol=1e-12
    )
    z = (found.values - exact.values) / np.maximum(found.standard_errors, 1e-9)
    there = found.standard_errors > 1e-9
    assert np.sqrt(np.mean(z[there] ** 2)) < 1.5  # the errors are as stated
    assert np.abs(found.values - exact.values).max() < 0.15
    assert np.abs(z[there]).max() < 5


def test_reverse_orders_cancel_noise():
    rng = np.random.default_rng(12)
    X = rng.normal(size=(40, 2))
    # for two columns an order and its reverse are all there are
    found = shapley_values(lambda X: X[:, 0] * X[:, 1], X[:3], X)
    model = DecisionTreeRegressor().fit(X, X[:, 0] * X[:, 1])
    exact = tree_shap(model, X[:3], background=X)
    ours = shapley_values(model, X[:3], X)
    np.testing.assert_allclose(ours.values, exact.values, atol=1e-9)
    assert found.standard_errors.max() < 1e-9


@pytest.mark.parametrize("made", TABLES)
def test_attributions_of_a_pipeline_on_a_mixed_table(made):
    cells, y = mixed()
    table = made(cells)
    model = pipeline().fit(table, y)
    few = made({name: v[:3] for name, v in cells.items()})
    found = shapley_values(model, few, table, row_numbers=[7, 8, 9])
    np.testing.assert_allclose(
        found.base + found.values.sum(axis=1), model.predict_proba(few)[:, 1]
    )
    page = found.to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert [row["row"] for row in page] == [7, 8, 9]
    parts = {part["column"]: part for part in page[0]["parts"]}
    assert parts["town"]["value"] == cells["town"][0]
    assert set(parts) == {"age", "town", "noise"}
    total = sum(part["contribution"] for part in parts.values())
    assert page[0]["base"] + total == pytest.approx(page[0]["prediction"])
    assert "probability of yes" in str(found)


def test_one_column_and_many_classes():
    rng = np.random.default_rng(13)
    X = rng.normal(size=(90, 1))
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = LogisticRegression().fit(X, y)
    found = shapley_values(model, X[:4], X, output=2)
    np.testing.assert_allclose(
        found.values[:, 0], model.predict_proba(X[:4])[:, 2] - found.base
    )
    effects = partial_effects(model, X, output=0)
    assert (np.diff(effects[0].effect) <= 0).all()
    assert found.what == ("2",) * 4
    own = shapley_values(model, X[:4], X)  # each row its most probable class
    P = model.predict_proba(X[:4])
    assert own.what == tuple(str(c) for c in P.argmax(axis=1))
    np.testing.assert_allclose(own.base + own.values[:, 0], P.max(axis=1))
    top = partial_effects(model, X)
    assert top.what == str(model.predict_proba(X).mean(axis=0).argmax())
    with pytest.raises(ParameterError, match="output must name one of the 3 outputs"):
        shapley_values(model, X[:4], X, output="blue")


def test_drawn():
    import matplotlib

    matplotlib.use("Agg")
    cells, y = mixed(100)
    table = pd.DataFrame(cells)
    model = pipeline().fit(table, y)
    pictures = [
        permutation_importance(model, table, y),
        partial_effects(model, table),
        shapley_values(model, table[:2], table),
    ]
    for found in pictures:
        axes = found.plot()
        figure = np.ravel(axes)[0].figure
        assert figure.axes
        matplotlib.pyplot.close(figure)


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        (lambda X, y: permutation_importance(3, X, y), ParameterError, "have predict"),
        (
            lambda X, y: permutation_importance(np.sum, X, y[:1]),
            DataError,
            "each of the 5 rows",
        ),
        (
            lambda X, y: permutation_importance(lambda X: X[:, 0], X, y, repeats=0),
            ParameterError,
            "repeats",
        ),
        (
            lambda X, y: permutation_importance(
                lambda X: X[:, 0], X, y, columns=["age"]
            ),
            DataError,
            "one column 'age'",
        ),
        (
            lambda X, y: partial_effects(lambda X: ["a"] * len(X), X),
            DataError,
            "must return numbers",
        ),
        (
            lambda X, y: partial_effects(lambda X: X[:1, 0], X),
            DataError,
            "each of the 5 rows",
        ),
        (
            lambda X, y: partial_effects(lambda X: X[:, 0], X, grid=1),
            ParameterError,
            "grid",
        ),
        (
            lambda X, y: shapley_values(lambda X: X[:, 0], X, X[:, :1]),
            DataError,
            "like X",
        ),
        (
            lambda X, y: shapley_values(lambda X: X[:, 0], X, X, row_numbers=[1]),
            DataError,
            "row_numbers",
        ),
        (
            lambda X, y: shapley_values(lambda X: X[:, 0], X[:0], X),
            DataError,
            "rows and columns",
        ),
    ],
)
def test_bad_questions_end_in_one_sentence(asked, error, words):
    X = np.arange(10.0).reshape(5, 2)
    with pytest.raises(error, match=words):
        asked(X, np.arange(5.0))
