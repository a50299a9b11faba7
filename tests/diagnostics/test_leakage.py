"""Leaks: what knows the target is named, what merely helps is not."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from sklearn.model_selection import GroupKFold, cross_val_score
from threadpoolctl import threadpool_limits

from corollary import DecisionTreeRegressor, LogisticRegression, Ridge, StandardScaler
from corollary.core.errors import DataError
from corollary.diagnostics import find_leaks
from corollary.diagnostics.coded_matrix import coded_matrix
from corollary.diagnostics.column_skill import column_skills, target_matrix
from corollary.diagnostics.out_of_fold import folds_of


@pytest.fixture(autouse=True)
def one_thread():
    """Small matrices are faster without threads, above all on a busy machine."""
    with threadpool_limits(1, "blas"):
        yield


def rows(n=400, d=5, seed=0, classes=True):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    s = X @ rng.normal(size=d) + rng.normal(size=n)
    return X, (s > 0).astype(int) if classes else s, rng


@pytest.mark.parametrize("classes", [True, False])
@pytest.mark.parametrize("seed", range(5))
def test_a_column_that_knows_is_found_and_honest_columns_are_not(classes, seed):
    X, y, rng = rows(seed=seed, classes=classes)
    assert find_leaks(X, y).columns == ()
    noise = (rng.uniform(size=len(y)) < 0.03) if classes else 0.1 * rng.normal(size=400)
    known = np.abs(y - noise) if classes else y + noise
    found = find_leaks(np.column_stack([X, known]), y).columns
    assert [one.column for one in found] == ["column 5"]
    assert found[0].how == "value"
    assert found[0].score > 0.8
    assert "is it known before the target is?" in str(found[0])


def test_the_skill_of_a_column_is_the_share_of_variance_it_explains():
    rng = np.random.default_rng(1)
    x = rng.normal(size=20_000)
    y = x + rng.normal(size=20_000)  # R^2 = 1/2
    coded = coded_matrix("test", np.column_stack([x, rng.normal(size=20_000)]))
    folds = folds_of(False, y)
    knows, not_at_all = column_skills(coded, target_matrix(y, False), folds)
    assert knows.value == pytest.approx(0.5, abs=0.02)
    assert not_at_all.value == pytest.approx(0.0, abs=0.01)
    assert 0.002 < knows.error < 0.01


def test_missing_values_and_identifiers_that_tell_the_target():
    X, y, rng = rows()
    gone = np.where((y == 1) & (rng.uniform(size=len(y)) < 0.9), np.nan, 1.0)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["when"] = gone * rng.normal(size=len(y))
    order = np.argsort(y, kind="stable")
    number = np.empty(len(y), dtype=np.int64)
    number[order] = np.arange(len(y)) + 1_000
    frame["id"] = number
    found = {one.column: one.how for one in find_leaks(frame, y).columns}
    assert found == {"when": "missing", "id": "identifier"}
    frame["id"] = rng.permutation(number)
    assert {one.column for one in find_leaks(frame, y).columns} == {"when"}


def test_prices_are_no_identifiers_and_dates_of_a_trend_no_leak():
    rng = np.random.default_rng(2)
    price = np.round(np.exp(rng.normal(10, 0.5, 400)))  # hardly one repeats
    day = np.datetime64("2024-01-01") + np.arange(400)
    z = rng.normal(size=400)
    sold = price * np.exp(-0.8 * rng.uniform(size=400))
    assert find_leaks(pd.DataFrame({"price": price, "z": z}), sold).columns == ()
    trend = np.arange(400) + 5 * rng.normal(size=400)
    assert find_leaks(pd.DataFrame({"day": day, "z": z}), trend).columns == ()
    number = pd.DataFrame({"row": np.arange(400), "z": z})
    assert [one.column for one in find_leaks(number, trend).columns] == ["row"]


def test_a_column_encoded_with_all_rows_is_found():
    rng = np.random.default_rng(2)
    town = rng.integers(60, size=300)
    y = rng.integers(2, size=300)
    means = np.array(
        [y[town == k].mean() if (town == k).any() else 0 for k in range(60)]
    )
    X = pa.table({"noise": rng.normal(size=300), "town": means[town]})
    found = find_leaks(X, y).columns
    assert [one.how for one in found] == ["encoded"]


def test_preparation_outside_the_folds_leaves_marks():
    X, y, rng = rows(300, 4)
    assert find_leaks(X, y).prepared == ()
    scaled = find_leaks(StandardScaler().fit_transform(X), y)
    assert "mean 0 and standard deviation 1" in scaled.prepared[0]
    few = (np.arange(300) < 40).astype(int)
    again = rng.choice(np.flatnonzero(few), size=220)
    rows_again = np.concatenate([np.arange(300), again])
    found = find_leaks(X[rows_again], few[rows_again])
    assert any("oversample inside the folds" in text for text in found.prepared)
    noise = rng.normal(size=(60, 1_000))
    target = rng.integers(2, size=60)
    r = np.abs((noise - noise.mean(0)).T @ (target - target.mean())) / noise.std(0)
    best = np.argsort(-r)[:20]
    assert "choose them inside" in find_leaks(noise[:, best], target).prepared[0]


@pytest.mark.parametrize("how", ["groups", "time"])
def test_a_random_split_flatters_where_rows_belong_together(how):
    rng = np.random.default_rng(3)
    group = np.repeat(np.arange(40), 10)
    X = rng.normal(size=(400, 3)) * 0.1 + rng.normal(size=(40, 3))[group]
    level = np.cumsum(rng.normal(size=40)) if how == "time" else rng.normal(size=40)
    X[:, 0] += group * (how == "time")
    y = level[group] + 0.1 * rng.normal(size=400)
    model = DecisionTreeRegressor(random_state=0)
    given = {how: group}
    found = find_leaks(X, y, model=model, **given).split
    assert found.kind == how.rstrip("s")
    assert found.flatters
    assert found.structured > 2 * found.random
    assert "flatters" in found.sentence
    if how == "groups":
        oracle = -cross_val_score(
            model,
            X,
            y,
            groups=group,
            cv=GroupKFold(5),
            scoring="neg_mean_squared_error",
        ).mean()
        assert found.structured == pytest.approx(oracle, rel=1e-6)


@pytest.mark.parametrize("how", ["groups", "time"])
def test_an_idle_group_makes_no_difference(how):
    worse = 0
    for seed in range(10):
        X, y, rng = rows(250, 3, seed, classes=False)
        groups = rng.integers(40, size=250)
        split = find_leaks(X, y, model=Ridge(), **{how: groups}).split
        worse += split.flatters and split.difference > 0.15 * split.random
    assert worse <= 1


def test_a_split_is_checked_for_what_both_sides_share():
    X, y, rng = rows(200)
    X[150:155] = X[:5]
    test = np.arange(150, 200)
    groups = np.arange(200) // 7
    found = find_leaks(X, y, test=test, groups=groups, time=np.arange(200))
    assert len(found.duplicates.across) == 5
    assert found.overlaps == ("1 of 29 groups stand on both sides of the split.",)
    plain = find_leaks(X[:150], y[:150], test=X[150:]).to_findings()
    assert plain["duplicates"]["across"] == 5
    assert plain["split_check"] is None
    late = find_leaks(X, y, test=rng.permutation(200)[:50], time=np.arange(200))
    assert "not after the training rows" in late.overlaps[0]


def test_texts_several_classes_and_what_is_printed():
    rng = np.random.default_rng(4)
    y = rng.choice(["low", "middle", "high"], size=300)
    X = pd.DataFrame({"code": [text[0] for text in y], "x": rng.normal(size=300)})
    found = find_leaks(X, y, model=LogisticRegression())
    assert [one.column for one in found.columns] == ["code"]
    assert found.any
    assert str(found).startswith("code alone explains 100.0%")
    assert "code" in found._repr_html_()
    none = find_leaks(X[["x"]], y)
    assert not none.any
    assert str(none) == "No leak was found."


def test_bad_input():
    with pytest.raises(DataError, match="one target for each row"):
        find_leaks(np.zeros((5, 1)), [1, 2])
    with pytest.raises(DataError, match="finite"):
        find_leaks(np.zeros((5, 1)), [1, 2, np.nan, 1, 2])
    assert find_leaks(np.zeros((5, 1)), [1, 1, 1, 1, 1]).columns == ()
