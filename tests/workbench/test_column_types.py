"""What columns hold: numbers, dates, booleans, words, as people write them."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from corollary.workbench import read_table


def column(cells, name="x", **options):
    """Read one column of texts; return its values, what is known of it, the notes."""
    cells = list(cells)
    data = read_table({name: cells, "other": range(len(cells))}, **options)
    return data.table.column(name).to_pylist(), data.column(name), data.notes


# -- numbers -------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("cells", "numbers", "how"),
    [
        (["1", "2.5", "-3e2", "+.5", ""], [1, 2.5, -300, 0.5, None], "as written"),
        ([" 1 ", "2"], [1, 2], "as written"),
        (["1,5", "2,25", "3"], [1.5, 2.25, 3], "decimal comma"),
        (["1,234.5", "2,000.0", "7"], [1234.5, 2000, 7], 'thousands ","'),
        (["1,234", "12,500", "1,234,567"], [1234, 12500, 1234567], 'thousands ","'),
        (
            ["1.234,5", "2.000,0", "0,25"],
            [1234.5, 2000, 0.25],
            'decimal comma; thousands "."',
        ),
        (
            ["1 234", "12 000,5", "7"],
            [1234, 12000.5, 7],
            'decimal comma; thousands " "',
        ),
        (["1\u00a0234", "12\u202f000"], [1234, 12000], 'thousands " "'),
        (["1'234.5", "2'000"], [1234.5, 2000], 'thousands "\'"'),
        (["12%", "3.5 %", "-1%"], [12, 3.5, -1], 'sign "%"'),
        (["$1,200.50", "$3", "-$4"], [1200.5, 3, -4], 'thousands ","; sign "$"'),
        (["1,50 €", "20 €"], [1.5, 20], 'decimal comma; sign "€"'),
        (["USD 5", "USD 7.5"], [5, 7.5], 'sign "USD"'),
        (["86,314 km", "1,200 km"], [86314, 1200], 'thousands ","; sign "km"'),
        (["3.5kg", "-12kg"], [3.5, -12], 'sign "kg"'),
        (["50 km/h", "7 km/h"], [50, 7], 'sign "km/h"'),
        (["12 m²", "7.5 m²"], [12, 7.5], 'sign "m²"'),
        (["(5.5)", "\u22126", "7"], [-5.5, -6, 7], "as written"),
    ],
)
def test_numbers_are_read_as_people_write_them(cells, numbers, how):
    values, schema, notes = column(cells)
    assert values == numbers
    assert (schema.kind, schema.how, notes) == ("number", how, ())


def test_a_comma_that_may_be_either_is_told_by_the_file():
    table = {"a": ["1,234", "2,500"], "b": ["0,5", "1,25"]}
    data = read_table(table)
    assert data.table.column("a").to_pylist() == [1.234, 2.5]
    point = {"a": ["1.234", "12.500"], "b": ["0,5", "1,25"]}
    assert read_table(point).table.column("a").to_pylist() == [1234, 12500]
    english = {"a": ["1,234", "2,500"], "b": ["0.5", "1.25"]}
    assert read_table(english).table.column("a").to_pylist() == [1234, 2500]
    stated = read_table(english, decimal=",")
    assert stated.table.column("a").to_pylist() == [1.234, 2.5]
    plain = {"a": ["1.5", "2.25"], "b": ["0,5", "1,25"]}
    assert read_table(plain).table.column("a").to_pylist() == [1.5, 2.25]


def test_signs_that_only_some_cells_have_are_no_numbers():
    assert column(["$5", "€7", "$3", "€1"])[1].kind == "category"
    assert column(["5%", "7", "3", "1"])[1].kind == "category"


@pytest.mark.parametrize(
    "word", ["", "NA", "N/A", "nan", "NaN", "null", "None", "?", "-", " NA ", "#N/A"]
)
def test_words_for_nothing_are_missing(word):
    values, schema, notes = column([word, "1.5", "2"])
    assert (values, schema.kind, notes) == ([None, 1.5, 2], "number", ())
    values, schema, _ = column([word, "red", "blue"])
    assert (values, schema.kind) == ([None, "red", "blue"], "category")


def test_infinity_is_missing_and_said():
    values, schema, notes = column(["1", "inf", "2"])
    assert (values, schema.kind) == ([1, None, 2], "number")
    assert "1 infinite" in notes[0]


@pytest.mark.parametrize("form", [int, str])
def test_large_whole_numbers_are_not_rounded(form):
    big = [2**60 + i for i in range(4)]
    assert column(map(form, big))[0] == big
    longer = [str(10**25 + i) for i in range(4)]
    assert column(longer)[0] == longer
    assert column(["1e300", "-2e300"])[0] == [1e300, -2e300]


def test_codes_with_leading_zeros_stay_words():
    values, schema, _ = column(["01234", "98765", "00001"])
    assert (values, schema.kind) == (["01234", "98765", "00001"], "category")
    assert column(["01", "12", "07"])[1].kind == "number"
    assert column(["0.25", "0.50", "1.00"])[1].kind == "number"


def odd(count, words, n=1000):
    cells = [str(i * 0.5) for i in range(n)]
    for i in range(count):
        cells[7 * i] = words[i % len(words)]
    return cells


def test_a_few_odd_words_among_numbers_are_missing_and_said():
    values, schema, notes = column(odd(5, ["unknown", "see file"]))
    assert schema.kind == "number"
    assert values[0] is None
    assert values[1] == 0.5
    assert "'x': 5 of 1,000 cells are no numbers, such as 'unknown'" in notes[0]
    _, schema, notes = column(odd(6, ["unknown"]))
    assert schema.kind == "category"
    assert "kinds={'x': 'number'}" in notes[0]
    many = [f"word {i}" for i in range(20)]
    assert column(odd(20, many, 10_000))[1].kind == "category"
    assert column(odd(19, many, 10_000))[1].kind == "number"


# -- booleans ------------------------------------------------------------------------
@pytest.mark.parametrize(
    "pair", [("true", "false"), ("Yes", "no"), ("T", "F"), ("TRUE", "FALSE")]
)
def test_booleans_are_told_by_their_words(pair):
    values, schema, _ = column([pair[0], pair[1], "", pair[0]])
    assert (values, schema.kind) == ([True, False, None, True], "boolean")


def test_zeros_and_ones_are_numbers_and_mixed_pairs_are_words():
    assert column(["0", "1", "1"])[1].kind == "number"
    assert column(["true", "no"])[1].kind == "category"


# -- dates ---------------------------------------------------------------------------
DAY = dt.datetime(2021, 3, 4)


@pytest.mark.parametrize(
    ("cells", "how", "first"),
    [
        (["2021-03-04", "2021-12-31"], "year-month-day", DAY),
        (["2021/3/4", "2021/12/31"], "year-month-day", DAY),
        (
            ["2021-03-04 10:30", "2021-12-31 00:00"],
            "year-month-day",
            DAY + dt.timedelta(hours=10, minutes=30),
        ),
        (
            ["2021-03-04T10:30:00Z", "2021-12-31T00:00:00+02:00"],
            "year-month-day",
            DAY + dt.timedelta(hours=10, minutes=30),
        ),
        (
            ["2021-03-04 14", "2021-12-31T00"],
            "year-month-day",
            DAY + dt.timedelta(hours=14),
        ),
        (["4.3.2021", "31.12.2021"], "day.month.year", DAY),
        (["04.03.21", "31.12.21"], "day.month.year", DAY),
        (["3/4/2021", "12/31/2021"], "month/day/year", DAY),
        (["4/3/2021", "31/12/2021"], "day/month/year", DAY),
        (["03-04-2021", "12-31-2021"], "month-day-year", DAY),
        (
            ["3/4/2021 2:05 PM", "12/31/2021 12:00 AM"],
            "month/day/year",
            DAY + dt.timedelta(hours=14, minutes=5),
        ),
        (["4 Mar 2021", "31 December 2021"], "day month-name year", DAY),
        (["04-Mar-2021", "31-Dec-2021"], "day month-name year", DAY),
        (["March 4, 2021", "Dec 31, 2021"], "month-name day year", DAY),
        (
            ["4.3.2021 10:30:15.25", "31.12.2021 00:00:00"],
            "day.month.year",
            DAY + dt.timedelta(hours=10, minutes=30, seconds=15, milliseconds=250),
        ),
    ],
)
def test_dates_are_read_as_people_write_them(cells, how, first):
    values, schema, notes = column([*cells, ""])
    assert (schema.kind, schema.how, notes) == ("date", how, ())
    assert values[0] == first
    assert (values[1].month, values[1].day) in ((12, 31), (12, 30))
    assert values[2] is None


@pytest.mark.parametrize(
    ("cells", "how"),
    [
        (["03/2021", "12/2021"], "month/year"),
        (["2021-03", "2021-12"], "year-month"),
        (["Mar 2021", "December 2021"], "month-name year"),
    ],
)
def test_months_without_a_day_are_the_first_of_them(cells, how):
    values, schema, notes = column([*cells, ""])
    assert (schema.kind, schema.how, notes) == ("date", how, ())
    assert values == [dt.datetime(2021, 3, 1), dt.datetime(2021, 12, 1), None]
    assert column(["13/2021", "44/2021"])[1].kind == "category"


def test_a_zone_is_turned_into_greenwich():
    values, _, _ = column(["2021-03-04T10:30:00+02:00", "2021-03-04T10:30:00-05:30"])
    assert [value.hour for value in values] == [8, 16]


@pytest.mark.parametrize(("sign", "how"), [("/", "month/day"), (".", "day.month")])
def test_dates_that_no_cell_decides_are_noted(sign, how):
    values, schema, notes = column([f"3{sign}4{sign}2021", f"5{sign}6{sign}2021"])
    assert schema.how.startswith(how)
    assert values[0].month == (3 if sign == "/" else 4)
    assert "no cell tells days from months" in notes[0]


@pytest.mark.parametrize(
    "cells",
    [
        ["13/13/2021", "14/15/2021"],
        ["2021-02-30", "2021-02-31"],
        ["1.2.3", "4.5.6"],
        ["1577836800", "1577923200"],
        ["31.12.2021", "12.31.2021"],
    ],
)
def test_what_is_no_date_is_not_read_as_one(cells):
    assert column(cells)[1].kind != "date"


@given(
    st.lists(
        st.dates(dt.date(1900, 1, 1), dt.date(2199, 12, 31)), min_size=2, max_size=20
    ),
    st.sampled_from(["%Y-%m-%d", "%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%B %d, %Y"]),
)
def test_dates_survive_any_form_that_tells_days_from_months(days, form):
    days.append(dt.date(2020, 1, 31))
    values, schema, _ = column([day.strftime(form) for day in days])
    assert schema.kind == "date"
    assert [value.date() for value in values] == days


def test_digits_are_dates_where_the_name_says_so():
    cells = [20210304, 20211231]
    for form in (int, str, float):
        values, schema, _ = column(map(form, cells), "order_date")
        assert (schema.kind, schema.how) == ("date", "yearmonthday")
        assert values == [DAY, dt.datetime(2021, 12, 31)]
    assert column(cells, "amount")[1].kind == "number"
    assert column([20210304, 20211331], "date")[1].kind == "number"


def test_times_of_the_day_are_hours():
    values, schema, _ = column(["14:30", "00:15:36", ""])
    assert values == [14.5, 0.26, None]
    assert (schema.kind, schema.how) == ("number", "time of day")
    assert column(["14:30", "25:00"])[1].kind == "category"


# -- words ---------------------------------------------------------------------------
def test_few_words_are_a_category_sentences_are_text():
    rng = np.random.default_rng(0)
    towns = rng.choice(["Oslo", "Rome", "Bonn"], 200).tolist()
    assert column(towns)[1].kind == "category"
    sentences = [f"this is sentence number {i} of all" for i in range(200)]
    _, schema, _ = column(sentences)
    assert (schema.kind, schema.role) == ("text", "feature")
    names = [f"name{rng.integers(150)}" for i in range(200)]
    _, schema, _ = column(names)
    assert schema.kind == "category"
    assert "many for 200 rows" in schema.why
    people = [f"Mr. Name{rng.integers(150)}" for i in range(200)]  # words of names
    assert column(people)[1].kind == "text"
    assert column([f"class {i % 9}" for i in range(200)])[1].kind == "category"


def test_arrow_types_become_plain_ones():
    import decimal

    table = pa.table(
        {
            "small": pa.array([1.5, None], pa.float32()),
            "byte": pa.array([1, 2], pa.int8()),
            "money": pa.array([decimal.Decimal("1.25"), None]),
            "clock": pa.array([dt.time(1, 30), dt.time(12)]),
            "wait": pa.array([dt.timedelta(seconds=90), None]),
            "zone": pa.array([0, 1], pa.timestamp("s", "Europe/Oslo")),
            "views": pa.array(["a", None], pa.string_view()),
            "coded": pa.array(["a", "b"]).dictionary_encode(),
            "none": pa.nulls(2),
            "bytes": pa.array([b"x", b"y"]),
            "raw": pa.array([b"\xff", b"\xfe"]),
        }
    )
    data = read_table(table)
    types = {name: str(data.table.schema.field(name).type) for name in
             data.table.column_names}  # fmt: skip
    assert types == {
        "small": "float",
        "byte": "double",
        "money": "double",
        "clock": "double",
        "wait": "double",
        "zone": "timestamp[us]",
        "views": "string",
        "coded": "string",
        "none": "double",
        "bytes": "string",
    }
    assert data.table.column("clock").to_pylist() == [1.5, 12]
    assert data.table.column("wait").to_pylist() == [90, None]
    assert "'raw'" in data.notes[0]


@given(
    st.lists(
        st.floats(allow_nan=False, allow_infinity=False, width=64).map(float),
        min_size=2,
        max_size=30,
    )
)
def test_any_floats_written_by_a_program_are_read_back_exactly(numbers):
    values, schema, _ = column([repr(number) for number in numbers])
    assert schema.kind == "number"
    assert values == numbers
