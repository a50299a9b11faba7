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


# -- effects of all classes, and of dates ----------------------------------------------
def three_classes(seed=14, n=200):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "x": rng.normal(size=n),
            "z": rng.normal(size=n),
            "town": rng.choice(["Bonn", "Oslo", "Rome"], size=n),
        }
    )
    score = table["x"] + 0.5 * (table["town"] == "Rome") + 0.1 * table["z"]
    y = np.array(["low", "middle", "top"])[np.digitize(score, [-0.6, 0.6])]
    columns = ColumnTransformer(
        [("n", StandardScaler(), ["x", "z"]), ("t", OneHotEncoder(), ["town"])]
    )
    return make_pipeline(columns, LogisticRegression()).fit(table, y), table


def naive_dependence(model, table, name, values, c):
    """Return (1) about its mean over the rows, in a loop."""
    heights = []
    for value in values:
        answers = []
        for i in range(len(table)):
            row = table.iloc[[i]].copy()
            row[name] = value
            answers.append(model.predict_proba(row)[0, c])
        heights.append(np.mean(answers))
    share = np.array([(table[name] == value).mean() for value in values])
    P = model.predict_proba(table)[:, c].mean()
    return P + np.array(heights) - share @ heights


@pytest.mark.parametrize("method", ["auto", "partial_dependence"])
def test_effects_of_all_classes_are_those_of_each_and_sum_to_no_change(method):
    model, table = three_classes()
    weight = np.random.default_rng(0).integers(1, 4, size=len(table)).astype(float)
    asked = {"method": method, "grid": 7, "sample_weight": weight}
    found = partial_effects(model, table, output="all", **asked)
    assert found.what == ("low", "middle", "top")
    assert [each.what for each in found] == list(found.what) * 3
    assert [each.column for each in found[:6]] == ["x"] * 3 + ["z"] * 3
    for at in range(0, 9, 3):
        total = sum(each.effect for each in found[at : at + 3])
        np.testing.assert_allclose(total, 1, atol=1e-12)
    for c, label in enumerate(model.classes_):
        alone = partial_effects(model, table, output=label, **asked)
        assert alone.mean == pytest.approx(found.mean[c])
        for one, same in zip(alone, found[c::3], strict=True):
            assert (one.what, one.column, one.grid) == (label, same.column, same.grid)
            for name in ("effect", "low", "high", "spread"):
                np.testing.assert_allclose(getattr(one, name), getattr(same, name))
    listed = partial_effects(model, table, output=["top", "low"], **asked)
    assert listed.what == ("top", "low")
    np.testing.assert_allclose(listed[0].effect, found[2].effect)


def test_the_effect_of_each_class_is_that_of_a_plain_loop():
    model, table = three_classes(n=60)
    found = partial_effects(model, table, ["town"], output="all")
    for c, each in enumerate(found):
        truth = naive_dependence(model, table, "town", each.grid, c)
        np.testing.assert_allclose(each.effect, truth, atol=1e-12)


def test_of_each_column_the_classes_are_shown_that_it_moves_most():
    def f(X):  # of five outputs the last two move, by the first column alone
        part = np.tanh(X[:, 0])
        return np.column_stack([0 * part, 0 * part, 0.01 * part, 2 * part, -part])

    X = np.random.default_rng(15).normal(size=(200, 2))
    found = partial_effects(f, X, output="all")
    assert len(found) == 10
    first, second = found.by_column()
    assert [len(first), len(second)] == [3, 3]
    assert [round(each.range / first[0].range, 3) for each in first] == [1, 0.5, 0.005]

    def g(X):  # the first output moves by chance alone
        return np.column_stack([20 * X[:, 0] * np.sign(X[:, 1]), X[:, 0]])

    found = partial_effects(g, X, [0], output="all")
    assert found[0].range > found[1].range
    assert found.by_column() == [[found[1], found[0]]]
    model, table = three_classes()
    found = partial_effects(model, table, output="all")
    page = found.to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert [row["column"] for row in page] == ["x", "z", "town"]
    for row, effects in zip(page, found.by_column(), strict=True):
        assert [row["of"], *(one["of"] for one in row["others"])] == [
            each.what for each in effects
        ]
        assert row["others"][1]["effect"] == effects[2].effect.tolist()
    assert "3 mean answers over 200 rows" in str(found)
    assert "top, x: from" in str(found)
    assert found.plot()[0].get_legend() is not None


def test_a_class_may_be_called_all():
    X = np.random.default_rng(16).normal(size=(90, 1))
    y = np.array(["all", "none", "some"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    model = LogisticRegression().fit(X, y)
    assert partial_effects(model, X, output="all").what == "all"
    every = partial_effects(model, X, output=["all", "none", "some"])
    assert every.what == ("all", "none", "some")
    with pytest.raises(ParameterError, match="output must name one of the 3"):
        partial_effects(model, X, output=["all", "blue"])


def hours(n=2_000, seed=17):
    """Return moments of two years with a level that rises, and other columns."""
    rng = np.random.default_rng(seed)
    start = np.datetime64("2021-01-01T00:00:00")
    at = start + rng.choice(2 * 365 * 24, size=n, replace=False) * np.timedelta64(
        1, "h"
    )
    return pd.DataFrame({"at": np.sort(at), "x": rng.normal(size=n)})


def by_hour(table):
    hour = table["at"].dt.hour.to_numpy()
    days = (table["at"] - pd.Timestamp("2021-01-01")).dt.days.to_numpy()
    wave = 10 * np.cos(2 * np.pi * (hour - 17) / 24)
    return 50 + wave + days / 365 + table["x"].to_numpy() * (1 + hour / 24)


def test_the_hour_effect_of_a_date_is_found_with_its_shape_and_the_rise_along_time():
    table = hours()
    (at,) = partial_effects(by_hour, table, ["at"], rows=1000)
    assert (at.kind, at.method) == ("date", "partial_dependence")
    assert at.grid == sorted(at.grid)
    middle = np.array(at.grid, "datetime64[D]")
    rise = (middle - middle[0]).astype(int) / 365
    shape = at.effect - at.effect.mean() - (rise - rise.mean())
    reach = (at.high - at.low) / 2
    assert (np.abs(shape) < 1.5 * reach).all()
    part = at.part
    assert (part.column, part.kind) == ("at: hour of the day", "part")
    assert part.grid == [f"{hour}:00" for hour in range(24)]
    truth = 10 * np.cos(2 * np.pi * (np.arange(24) - 17) / 24)
    gap = part.effect - part.effect.mean() - truth
    assert np.abs(gap).max() < 0.6
    assert (np.abs(gap) < 1.5 * (part.high - part.low) / 2).all()
    assert part.range > 4 * at.range
    page = at.to_findings()
    assert page["part"]["grid"][:2] == ["0:00", "1:00"]
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert "at: hour of the day: from" in str(at)
    at.plot()


@pytest.mark.parametrize(
    ("part", "f"),
    [
        ("weekday", lambda t: t.dt.day_of_week.to_numpy() * 1.0),
        ("month", lambda t: (t.dt.month.to_numpy() == 7) * 1.0),
    ],
)
def test_the_part_that_moves_the_answer_is_told_from_the_others(part, f):
    table = hours()
    (at,) = partial_effects(lambda X: f(X["at"]), table, ["at"])
    assert at.part.column == f"at: {part}"
    truth = {"weekday": np.arange(7.0), "month": np.arange(12) == 6}[part]
    np.testing.assert_allclose(np.diff(at.part.effect), np.diff(1.0 * truth), atol=1e-9)
    names = {"weekday": ["Mon", "Tue"], "month": ["Jan", "Feb"]}[part]
    assert at.part.grid[:2] == names


def test_the_effect_of_a_part_weighs_its_moments():
    """An independent loop; some moments have many rows."""
    rng = np.random.default_rng(18)
    days = rng.choice(700, size=20, replace=False) * np.timedelta64(1, "D")
    noon = rng.choice([0, 12], size=20) * np.timedelta64(1, "h")
    moments = np.datetime64("2021-01-01T00:00:00") + days + noon
    at = rng.choice(moments, size=200, p=np.arange(1, 21) / 210)
    table = pd.DataFrame({"at": at, "x": rng.normal(size=200)})
    w = rng.integers(1, 5, size=200).astype(float)

    def f(X):
        days = (X["at"] - pd.Timestamp("2021-01-01")).dt.days.to_numpy()
        noon = (X["at"].dt.hour == 12).to_numpy()
        return days * (1 + 0.1 * X["x"].to_numpy()) + 9e3 * noon

    (at,) = partial_effects(f, table, ["at"], sample_weight=w, grid=5)
    moments, weights, heights = [], [], []
    for moment, rows in table.groupby("at"):
        moments.append(moment)
        weights.append(w[rows.index].sum())
        answers = f(table.assign(at=moment))
        heights.append(w @ answers / w.sum())
    weights, heights = np.array(weights), np.array(heights)
    heights += w @ f(table) / w.sum() - weights @ heights / weights.sum()
    hour = np.array([moment.hour for moment in moments])
    truth = [
        weights[hour == h] @ heights[hour == h] / weights[hour == h].sum()
        for h in np.unique(hour)
    ]
    np.testing.assert_allclose(at.part.effect, truth)
    spans = np.array_split(np.arange(len(moments)), 5)
    by_hour = dict(zip(np.unique(hour), truth, strict=True))
    heights += weights @ heights / weights.sum() - [by_hour[h] for h in hour]
    line = [weights[s] @ heights[s] / weights[s].sum() for s in spans]
    np.testing.assert_allclose(at.effect, line)
    assert at.part.grid == ["0:00", "12:00"]


def test_the_band_of_a_part_covers_it_over_other_moments_and_rows():
    truth = 10 * np.cos(2 * np.pi * (np.arange(24) - 17) / 24)
    inside = []
    for seed in range(20):
        table = hours(600, seed)
        table["x"] -= table["x"].mean()
        (at,) = partial_effects(by_hour, table, ["at"], rows=200, random_state=seed)
        there = [int(text.split(":")[0]) for text in at.part.grid]
        gap = (
            at.part.effect
            - at.part.effect.mean()
            - (truth[there] - truth[there].mean())
        )
        inside.append(np.abs(gap) < (at.part.high - at.part.low) / 2)
    share = np.concatenate(inside).mean()
    assert 0.9 < share < 1


def test_no_part_is_told_where_answers_differ_by_chance():
    told = 0
    for seed in range(40):
        table = hours(300, seed)
        noise = dict(
            zip(table["at"], np.random.default_rng(seed).normal(size=300), strict=True)
        )

        def f(X, noise=noise):
            return np.array([noise[at] for at in X["at"]])

        (at,) = partial_effects(f, table, ["at"], rows=300)
        told += at.part is not None
    assert told <= 4


def test_dates_without_a_part_are_a_line_and_classes_share_the_part():
    table = hours(600)
    (at,) = partial_effects(lambda X: X["x"].to_numpy(), table, ["at"])
    assert at.part is None
    assert at.range == pytest.approx(0, abs=1e-12)
    year = pd.DataFrame({"at": pd.to_datetime(["2001", "2002", "2003"] * 4)})
    (few,) = partial_effects(lambda X: X["at"].dt.year.to_numpy() * 1.0, year)
    assert few.grid == ["2001-01-01", "2002-01-01", "2003-01-01"]
    np.testing.assert_allclose(few.effect, [2001, 2002, 2003])
    assert few.part is None
    (local,) = partial_effects(lambda X: X["x"].to_numpy(), table, ["at"], method="ale")
    assert (local.kind, local.method) == ("date", "ale")

    def f(X):
        p = by_hour(X) / 100
        return np.column_stack([p, (1 - p) / 2, (1 - p) / 2])

    found = partial_effects(f, table, ["at"], output="all")
    assert {each.part.column for each in found} == {"at: hour of the day"}
    total = sum(each.part.effect for each in found)
    np.testing.assert_allclose(total, 1, atol=1e-12)
    page = found.to_findings()[0]
    assert len(page["others"]) == len(page["part"]["others"]) == 2


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
