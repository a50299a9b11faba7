"""Profiles: the numbers of each column, against NumPy."""

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.core.errors import ParameterError
from corollary.workbench import Profile, profile_table, read_table

RNG = np.random.default_rng(0)
KEYS = (
    "name original kind role why how missing distinct mean sd minimum quartiles "
    "maximum histogram top"
).split()


def profiled(values, name="x"):
    data = read_table({name: values, "row": np.arange(len(values)) * 0.5})
    return profile_table(data).columns[0]


def test_numbers_are_those_of_numpy():
    x = np.round(RNG.gamma(2, 3, size=999), 1)
    x[::10] = np.nan
    column, some = profiled(x), x[~np.isnan(x)]
    assert column.missing == 100
    assert column.distinct == len(np.unique(some))
    assert column.mean == pytest.approx(some.mean())
    assert column.sd == pytest.approx(some.std(ddof=1))
    assert (column.minimum, column.maximum) == (some.min(), some.max())
    assert column.quartiles == pytest.approx(np.quantile(some, [0.25, 0.5, 0.75]))
    counts, edges = np.histogram(some, 20)
    assert column.edges == pytest.approx(edges)
    assert sum(column.counts) == len(some)
    assert np.abs(np.subtract(column.counts, counts)).sum() <= 4  # rounding at edges
    assert column.top is None


def test_a_few_whole_numbers_have_a_bin_each():
    column = profiled([1, 1, 2, 4, 4, 4, None])
    assert column.edges == (0.5, 1.5, 2.5, 3.5, 4.5)
    assert column.counts == (2, 1, 0, 3)
    assert column.top == ((4.0, 3), (1.0, 2), (2.0, 1))


def test_words_and_booleans_are_counted():
    column = profiled(["b", "a", "b", None, "c"])
    assert (column.missing, column.distinct) == (1, 3)
    assert column.top == (("b", 2), ("a", 1), ("c", 1))
    assert column.mean is None
    assert column.edges is None
    assert profiled([True, False, True, None]).top == (("true", 2), ("false", 1))
    many = profiled([f"w{i % 40}" for i in range(200)])
    assert len(many.top) == 10


def test_dates_are_written_and_binned_by_years():
    days = np.datetime64("2020-01-01") + np.arange(0, 731).astype("timedelta64[D]")
    column = profiled(days.astype("datetime64[us]"))
    assert (column.minimum, column.maximum) == ("2020-01-01", "2021-12-31")
    assert column.quartiles[1] == "2020-12-31"
    assert column.edges[0] == pytest.approx(2020, abs=0.01)
    assert column.edges[-1] == pytest.approx(2022, abs=0.01)
    assert sum(column.counts) == 731
    moment = np.array(["2020-01-01T10:30", "2020-01-02T00:00"], "datetime64[us]")
    assert profiled(moment).minimum == "2020-01-01 10:30"


@pytest.mark.parametrize(
    "values",
    [
        [1e308, -1e308, 5.0],
        [1e308] * 3,
        [5e-324, 0.0, 1.0],
        [2.0**60, 2.0**60 + 2**10],
        [None, None],
        [7.5],
        [0.1, 0.1 + 1e-17, 0.1 + 2e-16],
        [2**62, 2**62 + 1],
    ],
)
def test_extreme_columns_have_finite_numbers(values):
    column = profiled(values)
    assert json.dumps(column.to_dict(), allow_nan=False)
    assert str(column)


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False) | st.none(),
        min_size=1,
        max_size=50,
    )
)
def test_any_numbers_are_profiled(values):
    column = profiled(pa.array(values, pa.float64()))
    some = [value for value in values if value is not None]
    assert column.missing == len(values) - len(some)
    assert column.distinct == len(set(some))
    assert json.dumps(column.to_dict(), allow_nan=False)
    if some:
        assert sum(column.counts) == len(some)
        assert (np.diff(column.edges) > 0).all()
        assert len(column.counts) <= 21
        low, middle, high = column.quartiles
        assert column.minimum <= low <= middle <= high <= column.maximum


def test_the_entries_are_those_of_a_report():
    table = {"a": RNG.normal(size=50), "b": ["x", "y"] * 25}
    found = profile_table(read_table(table, target="b"))
    assert isinstance(found, Profile)
    entries = found.to_dict()
    assert [list(entry) for entry in entries] == [KEYS, KEYS]
    assert entries[0]["histogram"].keys() == {"edges", "counts"}
    assert entries[1]["top"] == [["x", 25], ["y", 25]]
    assert entries[1]["role"] == "target"
    assert json.loads(json.dumps(entries, allow_nan=False)) == entries
    lines = str(found).splitlines()
    assert lines[0] == "50 rows, 2 columns"
    assert lines[3].startswith("b       category  target")


def test_a_profile_can_be_drawn():
    import matplotlib.pyplot as plt

    table = {"a": RNG.normal(size=50), "b": ["x", "y"] * 25}
    for column in profile_table(read_table(table)).columns:
        axes = column.plot()
        assert axes.get_title() == column.schema.name
        plt.close(axes.figure)


def test_only_tables_that_were_read_are_profiled():
    with pytest.raises(ParameterError, match="Use read_table"):
        profile_table({"a": [1, 2]})
