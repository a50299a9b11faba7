"""Roles of columns, each for a reason; a name alone decides nothing."""

import numpy as np
import pytest

from corollary.workbench import read_table

N = 120
RNG = np.random.default_rng(0)


def role(values, name="c", **others):
    """Return the role of a column beside a feature, and why."""
    table = {"x": RNG.normal(size=len(values)), **others, name: values}
    column = read_table(table).column(name)
    return column.role, column.why


def test_constants_and_empty_columns():
    assert role([5] * N) == ("constant", "'5.0' in all rows")
    assert role(["a"] * N)[0] == "constant"
    assert role([None] * N) == ("constant", "no cell holds a value")
    assert role([5, None] * (N // 2))[0] == "feature"


@pytest.mark.parametrize(
    ("name", "values", "words"),
    [
        ("c", np.arange(N), "counts the rows from 0"),
        ("customer_id", RNG.permutation(N) * 7, "its name says so"),
        ("PassengerId", np.arange(1, N + 1), "its name says so"),
        ("Unnamed: 0", np.arange(N), "its name says so"),
        ("c", [f"A-{i:05d}" for i in range(N)], "different value in each"),
        ("c", [f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(N)], "UUIDs"),
    ],
)
def test_identifiers(name, values, words):
    found, why = role(values, name)
    assert found == "identifier"
    assert words in why


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("c", RNG.permutation(N) * 7),  # unique, but no counter and no name
        ("c", RNG.normal(size=N)),  # floats are all different
        ("year", np.arange(1900, 1900 + N)),
        ("id", RNG.integers(0, 60, N)),  # a name without uniqueness
        ("key", np.repeat([1, 2, 3], N // 3)),
        ("width", RNG.permutation(N) * 3),
    ],
)
def test_no_identifiers(name, values):
    assert role(values, name)[0] == "feature"


def test_a_counter_is_a_feature_where_there_is_no_other():
    x = np.arange(N)
    data = read_table({"x": x, "y": x * 2.5 + RNG.normal(size=N)}, target="y")
    assert data.features.column_names == ["x"]
    few = read_table({"x": range(10), "z": RNG.normal(size=10)})
    assert few.column("x").role == "feature"


def test_duplicates_and_recodings():
    town = RNG.choice(["a", "b", "c"], N)
    table = {
        "town": town,
        "number": [{"a": 3, "b": 1, "c": 7}[t] for t in town],
        "v": RNG.normal(size=N),
        "other": RNG.choice(["a", "b", "c"], N),
    }
    table["w"] = table["v"]
    data = read_table(table)
    roles = {c.name: (c.role, c.why) for c in data.columns}
    assert roles["number"][0] == "duplicate"
    assert "'town'" in roles["number"][1]
    assert roles["w"] == ("duplicate", "the same as 'v'")
    assert {roles[name][0] for name in ("town", "v", "other")} == {"feature"}


def test_missing_values_belong_to_a_pattern():
    a = ["x", "y", None, "y"] * 30
    table = {"a": a, "b": [{"x": 1, "y": 2, None: None}[v] for v in a]}
    table["c"] = [{"x": 1, "y": 2, None: 3}[v] for v in a]
    data = read_table(table | {"d": RNG.normal(size=N)})
    assert data.column("b").role == "duplicate"
    assert data.column("c").role == "feature"  # it knows more than a


def test_a_copy_of_the_target_is_no_duplicate():
    y = RNG.choice(["a", "b"], N)
    data = read_table({"y": y, "leak": y, "x": RNG.normal(size=N)}, target="y")
    assert data.column("leak").role == "feature"
    assert data.column("y").role == "target"


def test_groups_need_a_name_and_rows():
    who = RNG.integers(0, 30, N)
    assert role(who, "patient")[0] == "group"
    assert role([f"u{i}" for i in who], "UserName")[0] == "group"
    assert "30 values" in role(np.arange(N) % 30, "subject")[1]
    assert role(who, "width")[0] == "feature"
    assert role(np.arange(N) % 3, "group")[0] == "feature"  # few values
    assert role(RNG.normal(size=N), "user_score")[0] == "feature"
    assert role(who + 18, "customer_age")[0] == "feature"
    assert role(np.arange(N) % 12, "family")[0] == "feature"  # how many, or which one?
    assert role(np.arange(N) % 12, "family_id")[0] == "group"


def days(steps):
    return (np.datetime64("2020-01-01") + steps.astype("timedelta64[D]")).astype(
        "M8[us]"
    )


def test_time_is_a_date_along_which_rows_lie():
    order, mixed = np.sort(RNG.integers(0, 900, N)), RNG.permutation(N)
    assert role(days(order), "c") == ("time", "the rows are sorted by these dates")
    assert role(days(mixed), "visit_date")[0] == "time"
    assert role(days(mixed), "c")[0] == "feature"
    assert role(days(mixed), "birth_date")[0] == "feature"
    both = read_table({"date": days(mixed), "c": days(order), "x": RNG.normal(size=N)})
    assert [c.role for c in both.columns] == ["feature", "time", "feature"]


def test_roles_can_be_stated():
    data = read_table({"a": range(60), "b": RNG.normal(size=60)})
    assert data.column("a").role == "identifier"
    changed = data.with_roles({"a": "feature", "b": "ignored"}, "asked for")
    assert changed.features.column_names == ["a"]
    assert changed.column("b").why == "asked for"
    assert data.column("b").role == "feature"
    with pytest.raises(ValueError, match="roles must be among"):
        data.with_roles({"a": "king"})
    with pytest.raises(ValueError, match="column 'z'"):
        data.with_roles({"z": "feature"})
