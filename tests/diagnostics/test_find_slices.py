"""Slices: the search is exact, the alarms are honest, the words are right."""

import json
from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.core.table import table_of
from corollary.diagnostics import find_slices, row_losses
from corollary.diagnostics.find_slices import Residual, members_of
from corollary.diagnostics.slice_conditions import conditions_of
from corollary.diagnostics.slice_search import Limits, Rows, searched
from corollary.diagnostics.slice_tables import pair_tables, single_table


def mixed(n, rng):
    return {
        "age": rng.integers(18, 90, size=n),
        "income": rng.lognormal(size=n),
        "town": rng.choice(
            ["Rome", "Oslo", "Bonn", "Nice"], p=[0.5, 0.3, 0.15, 0.05], size=n
        ),
        "rooms": rng.integers(1, 5, size=n),
        "smoker": rng.choice(["no", "yes"], size=n),
        "height": np.where(rng.random(n) < 0.15, np.nan, rng.normal(170, 10, size=n)),
    }


def conditions(cells, bins, least):
    table = table_of("test", pd.DataFrame(cells))
    return [
        conditions_of(j, table.names[j], column, bins, least)
        for j, column in enumerate(table.columns)
    ]


def brute(columns, losses, least, delta):
    """Test every condition and every pair by scipy; return those that Holm keeps."""
    n = len(losses)
    spread = losses.std(ddof=1)
    two = len(np.unique(losses)) == 2
    every = [[(c.texts[i], c.rows(i)) for i in range(len(c))] for c in columns]
    kinds = {1: [((t,), mask) for c in every for t, mask in c], 2: []}
    for a, b in combinations(every, 2):
        kinds[2] += [((t, s), x & y) for t, x in a for s, y in b]
    kept = {}
    for slices in kinds.values():
        p = {}
        for names, mask in slices:
            m = mask.sum()
            if not least <= m <= n - least:
                continue
            inside, rest = losses[mask], losses[~mask]
            z = (inside.mean() - losses.mean()) * m / spread / np.sqrt(m * (1 - m / n))
            if two:
                worst = losses == losses.max()
                other = stats.hypergeom.sf(worst[mask].sum() - 1, n, worst.sum(), m)
            else:
                other = stats.ttest_ind(
                    inside, rest, equal_var=False, alternative="greater"
                ).pvalue
            p[names] = max(stats.norm.sf(z), other)
        order = sorted(p, key=p.get)
        held = 0.0
        for k, names in enumerate(order):
            held = max(held, p[names] * max(len(slices) - k, len(slices) / 2))
            if held <= delta / 2:
                kept[names] = 2 * held
    return kept


def names_of(found):
    slices = found.slices
    for t, (i, j), p in zip(slices.table, slices.at, slices.p, strict=True):
        table = found.tables[t]
        texts = [table.a.texts[i]] + ([] if table.b is None else [table.b.texts[j]])
        yield tuple(texts), p


@pytest.mark.parametrize("kind", ["numbers", "errors", "few errors"])
def test_the_search_finds_what_testing_every_slice_finds(kind):
    rng = np.random.default_rng(0)
    n = 600
    cells = mixed(n, rng)
    bad = (cells["age"] > 60) & (cells["smoker"] == "yes")
    if kind == "numbers":
        losses = rng.exponential(size=n) + 1.5 * bad
    elif kind == "errors":
        losses = (rng.random(n) < 0.2 + 0.5 * bad).astype(float)
    else:
        losses = (rng.random(n) < 0.002 + 0.12 * bad).astype(float)
        cells["street"] = rng.integers(20, size=n).astype(str)
    least, delta = 20, 0.05
    columns = conditions(cells, 6, least)
    rows = Rows.of(losses, np.ones(n), least)
    levels = {1: delta / 2, 2: delta / 2}
    pruned = searched(columns, rows, levels, 10**6)
    whole = searched(columns, rows, levels, 10**6, prune=False)
    expected = brute(columns, losses, least, delta)
    assert dict(names_of(pruned)) == dict(names_of(whole))
    found = dict(names_of(pruned))
    assert set(found) == set(expected)
    for names, p in found.items():
        assert p == pytest.approx(expected[names], rel=1e-6)
    assert len(found) > 3
    if kind == "few errors":
        assert 0 < pruned.pruned < pruned.pairs  # few errors in many streets
    assert pruned.tests[1] == sum(map(len, columns))


@pytest.mark.parametrize("most", [3, 100])
def test_too_many_pairs_are_limited_but_paid_for(most):
    rng = np.random.default_rng(1)
    n = 400
    X = rng.normal(size=(n, 6))
    losses = rng.normal(size=n) + 2.0 * ((X[:, 0] > 0) & (X[:, 1] > 0))
    columns = conditions({f"x{j}": X[:, j] for j in range(6)}, 4, 20)
    found = searched(
        columns, Rows.of(losses, np.ones(n), 20), {1: 0.025, 2: 0.025}, most
    )
    assert found.pairs == min(most, 15)
    sizes = [len(c) for c in columns]
    assert found.tests[2] == sum(a * b for a, b in combinations(sizes, 2))
    best = min(names_of(found), key=lambda each: each[1])[0]
    assert {text.split()[0] for text in best} == {"x0", "x1"}


@pytest.mark.parametrize(
    "law", ["normal", "exponential", "rare errors", "many errors", "log losses"]
)
def test_false_alarms_are_rare(law):
    rng = np.random.default_rng(2)
    draws = {
        "normal": lambda n: rng.normal(size=n),
        "exponential": lambda n: rng.exponential(size=n),
        "rare errors": lambda n: (rng.random(n) < 0.05).astype(float),
        "many errors": lambda n: (rng.random(n) < 0.9).astype(float),
        "log losses": lambda n: -np.log(rng.beta(3, 0.7, size=n)),
    }
    alarms = 0
    for _ in range(50):
        cells = mixed(300, rng)
        alarms += len(find_slices(pd.DataFrame(cells), draws[law](300))) > 0
    assert alarms <= 7  # of 50 at delta = 0.05: more has a chance of one in 300


@pytest.mark.slow
@pytest.mark.parametrize("law", ["normal", "exponential", "lognormal", "errors"])
def test_false_alarms_are_at_most_delta(law):
    rng = np.random.default_rng(3)
    draws = {
        "normal": lambda n: rng.normal(size=n),
        "exponential": lambda n: rng.exponential(size=n),
        "lognormal": lambda n: rng.lognormal(sigma=2, size=n),
        "errors": lambda n: (rng.random(n) < 0.3).astype(float),
    }
    alarms = 0
    for _ in range(600):
        cells = mixed(400, rng)
        alarms += len(find_slices(pd.DataFrame(cells), draws[law](400))) > 0
    assert alarms <= 0.05 * 600 + 2 * np.sqrt(0.05 * 0.95 * 600)


def planted(n=4000, seed=4):
    rng = np.random.default_rng(seed)
    cells = mixed(n, rng)
    losses = rng.exponential(size=n)
    losses[(cells["age"] > 61) & (cells["smoker"] == "yes")] += 1.0
    losses[cells["town"] == "Nice"] += 1.2
    return cells, losses


@pytest.mark.parametrize("made", [pa.table, pd.DataFrame, pl.DataFrame])
def test_planted_slices_are_found_in_words_and_nothing_else(made):
    cells, losses = planted()
    found = find_slices(made(cells), losses)
    texts = [each.where for each in found]
    assert len(texts) == 2
    assert "town = Nice" in texts
    (pair,) = set(texts) - {"town = Nice"}
    assert pair.startswith("age > ")
    assert pair.endswith(" and smoker = yes")
    assert 55 <= float(pair.split()[2]) <= 68
    for each in found:
        mask = np.zeros(len(losses), dtype=bool)
        mask[each.members] = True
        assert each.loss == pytest.approx(losses[mask].mean())
        assert each.rest == pytest.approx(losses[~mask].mean())
        assert each.loss > each.rest
        assert each.p_value < 1e-6
    nice = next(each for each in found if each.where == "town = Nice")
    assert nice.rows == (cells["town"] == "Nice").sum()


def test_one_condition_stands_where_the_second_adds_nothing():
    rng = np.random.default_rng(5)
    cells = mixed(3000, rng)
    losses = rng.exponential(size=3000) + (cells["smoker"] == "yes")
    assert [each.where for each in find_slices(pd.DataFrame(cells), losses)] == [
        "smoker = yes"
    ]


def test_columns_that_repeat_each_other_are_named_once():
    rng = np.random.default_rng(6)
    town = rng.choice(["a", "b", "c"], size=900)
    frame = pd.DataFrame({"town": town, "same": town})
    losses = rng.normal(size=900) + 2 * (town == "b")
    assert [each.where for each in find_slices(frame, losses)] == ["town = b"]


def test_missing_values_are_a_slice():
    rng = np.random.default_rng(7)
    x = np.where(rng.random(1000) < 0.2, np.nan, rng.normal(size=1000))
    town = np.where(rng.random(1000) < 0.2, None, "Rome")
    losses = rng.normal(size=1000) + 1.0 * np.isnan(x) + 2.0 * (town == None)  # noqa: E711
    found = find_slices(pd.DataFrame({"x": x, "town": town}), losses)
    assert {each.where for each in found} == {"x is missing", "town is missing"}


def test_dates_booleans_and_few_numbers_have_their_words():
    rng = np.random.default_rng(8)
    n = 3000
    day = np.datetime64("2020-01-01") + rng.integers(0, 1000, size=n)
    flag, rooms = rng.random(n) < 0.3, rng.integers(1, 4, size=n)
    for late, text in (
        (day > np.datetime64("2022-01-01"), "day > 202"),
        (flag, "flag = True"),
        (rooms == 2, "rooms = 2"),
        (rooms >= 2, "rooms > 1"),
    ):
        losses = rng.normal(size=n) + 1.0 * late
        frame = pd.DataFrame({"day": day, "flag": flag, "rooms": rooms})
        found = find_slices(frame, losses)
        assert found[0].where.startswith(text)


def test_weights_are_how_much_a_row_counts():
    cells, losses = planted(1500)
    rng = np.random.default_rng(9)
    frame, ones = pd.DataFrame(cells), np.ones(1500)
    plain = find_slices(frame, losses)
    same = find_slices(frame, losses, sample_weight=3 * ones)
    assert [each.where for each in same] == [each.where for each in plain]
    assert same[0].p_value == pytest.approx(plain[0].p_value)
    w = rng.random(1500)
    found = find_slices(frame, losses, sample_weight=w)
    assert found.mean == pytest.approx(np.average(losses, weights=w))
    inside = found[0].members
    assert found[0].loss == pytest.approx(np.average(losses[inside], weights=w[inside]))
    bad = np.zeros(1500, dtype=bool)
    bad[plain[0].members] = True
    assert (
        len(find_slices(frame, losses, sample_weight=np.where(bad, 1e-9, 1.0)))
        < len(plain) + 1
    )


def test_options_limit_what_is_found():
    cells, losses = planted()
    frame = pd.DataFrame(cells)
    assert all(len(s.conditions) == 1 for s in find_slices(frame, losses, max_order=1))
    assert len(find_slices(frame, losses, most=1)) == 1
    assert all(s.rows >= 900 for s in find_slices(frame, losses, min_rows=900))
    two = row_losses(losses * 0, losses)  # squared errors are losses too
    assert len(find_slices(frame, two)) >= 1


def test_arrays_have_numbered_columns_and_findings_are_plain():
    rng = np.random.default_rng(10)
    X = rng.normal(size=(1000, 3))
    found = find_slices(X, rng.normal(size=1000) + 2 * (X[:, 1] > 1))
    assert found[0].where.startswith("x1 > ")
    page = found.to_findings()
    assert json.loads(json.dumps(page, allow_nan=False)) == page
    assert list(page[0]) == ["where", "rows", "loss", "rest", "p_value", "sentence"]
    assert "the mean loss is" in str(found)


def test_drawn():
    import matplotlib

    matplotlib.use("Agg")
    cells, losses = planted()
    ax = find_slices(pd.DataFrame(cells), losses).plot()
    assert len(ax.patches) == 2
    matplotlib.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    "X",
    [
        np.zeros((50, 2)),
        np.full((50, 1), np.nan),
        np.array([["a"]] * 50, dtype=object),
        np.array([[f"text {i}"] for i in range(50)], dtype=object),
        np.array([[1, "a"], [None, 2.5]] * 25, dtype=object),
    ],
)
@pytest.mark.parametrize("losses", [np.zeros(50), np.arange(50.0)])
def test_nothing_to_find_is_no_error(X, losses):
    assert len(find_slices(X, losses)) == 0
    assert "no slice" in str(find_slices(X, losses))


def test_one_row_has_no_slice():
    assert len(find_slices([[1.0]], [0.5])) == 0


@pytest.mark.parametrize(
    ("X", "losses", "options", "error", "words"),
    [
        ([[1.0]], [1.0, 2.0], {}, DataError, "each of the 2 answers"),
        ([[1.0]], [np.nan], {}, DataError, "finite"),
        ([[1.0]], ["a"], {}, DataError, "hold numbers"),
        (np.empty((0, 2)), [], {}, DataError, "not empty"),
        ([[1.0]], [1.0], {"max_order": 3}, ParameterError, "max_order"),
        ([[1.0]], [1.0], {"min_rows": 1}, ParameterError, "min_rows"),
        ([[1.0]], [1.0], {"bins": 1}, ParameterError, "bins"),
        ([[1.0]], [1.0], {"delta": 0}, ParameterError, "delta"),
    ],
)
def test_bad_input_ends_in_one_sentence(X, losses, options, error, words):
    with pytest.raises(error, match=words):
        find_slices(X, losses, **options)


# -- inside the search -----------------------------------------------------------------
@pytest.mark.parametrize("seed", range(5))
def test_no_pair_is_above_its_bound(seed):
    rng = np.random.default_rng(seed)
    columns = conditions(mixed(200, rng), 4, 5)
    losses = rng.choice([rng.exponential(size=200), rng.random(200) < 0.1]).astype(
        float
    )
    rows = Rows.of(losses, np.ones(200), 5)
    limits = [Limits.of(single_table(c, rows.u), rows) for c in columns]
    pairs = list(combinations(range(len(columns)), 2))
    for table in pair_tables(columns, rows.u, pairs):
        m = table.over(table.count)
        z = np.where(m >= 5, rows.z(table.over(table.total), np.maximum(m, 1)), -9)
        i, j = columns.index(table.a), columns.index(table.b)
        assert z.max() <= limits[i].best_pair(limits[j], rows) + 1e-9


def test_the_bound_is_met_by_a_slice_of_all_errors():
    a, b = np.repeat(["x", "y"], 50), np.tile(np.repeat(["p", "q"], 25), 2)
    losses = ((a == "x") & (b == "p")).astype(float)
    columns = conditions({"a": a, "b": b}, 4, 5)
    rows = Rows.of(losses, np.ones(100), 5)
    first, second = (Limits.of(single_table(c, rows.u), rows) for c in columns)
    found = first.best_pair(second, rows)
    assert found == pytest.approx(float(rows.z(25 * 0.75, 25)))


def test_pair_tables_count_what_plain_counting_counts():
    rng = np.random.default_rng(11)
    columns = conditions(mixed(300, rng), 5, 10)
    u = rng.normal(size=300)
    pairs = list(combinations(range(len(columns)), 2))
    seen = []
    for table in pair_tables(columns, u, pairs):
        seen.append((columns.index(table.a), columns.index(table.b)))
        np.testing.assert_allclose(table.count, table.sums(None))
        np.testing.assert_allclose(table.total, table.sums(u), atol=1e-9)
    assert sorted(seen) == pairs
    few = [(0, 3), (2, 4)]
    tables = pair_tables(columns, u, few)
    assert sorted((columns.index(t.a), columns.index(t.b)) for t in tables) == few


def test_what_a_slice_explains_is_taken_off():
    cells, losses = planted(1500)
    columns = conditions(cells, 6, 20)
    rows = Rows.of(losses, np.ones(1500), 20)
    found = searched(columns, rows, {1: 0.025, 2: 0.025}, 100)
    left = Residual(found, rows.u.copy(), [table.total for table in found.tables])
    for k in (0, 3):
        inside = members_of(found, k)
        left.lowered(inside)
        outside = np.setdiff1d(np.arange(1500), inside)
        assert left.r[inside].mean() == pytest.approx(left.r[outside].mean(), abs=1e-9)
        assert left.z()[k] == pytest.approx(0, abs=1e-6)
        for table, total in zip(found.tables, left.totals, strict=True):
            np.testing.assert_allclose(total, table.sums(left.r), atol=1e-8)


def test_chance_does_not_add_a_condition():
    rng = np.random.default_rng(12)
    for _ in range(12):
        cells = mixed(1200, rng)
        losses = rng.normal(size=1200) + 0.6 * (cells["smoker"] == "yes")
        found = [each.where for each in find_slices(pd.DataFrame(cells), losses)]
        assert found == ["smoker = yes"]
