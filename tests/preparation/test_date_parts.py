"""Parts of dates: those of pandas, on every source; waves go round."""

import datetime

import numpy as np
import pandas as pd
import pytest
from common import typed
from hypothesis import given, settings
from hypothesis import strategies as st

import corollary
from corollary import DateParts
from corollary.core.errors import DataError, ParameterError
from corollary.preparation.date_parts import CYCLIC, PARTS

TABLE = typed.mixed()
DATES = st.datetimes(datetime.datetime(1700, 1, 1), datetime.datetime(2250, 1, 1))


def by_pandas(series, part, origin):
    """Return a part as pandas tells it."""
    if part == "elapsed_days":
        return (series - origin) / pd.Timedelta("1D")
    return getattr(series.dt, {"weekday": "day_of_week"}.get(part, part))


@given(dates=st.lists(DATES | st.none(), min_size=1, max_size=20))
@settings(max_examples=150, deadline=None)
def test_parts_are_those_of_pandas(dates):
    series = pd.Series(pd.to_datetime(dates), name="t").astype("datetime64[us]")
    model = DateParts(PARTS).fit(series.to_frame())
    out = model.transform(series.to_frame())
    for j, part in enumerate(PARTS):
        wanted = by_pandas(series, part, series.min()).to_numpy(dtype=float)
        np.testing.assert_allclose(out[:, j], wanted, rtol=1e-12, err_msg=part)


@given(dates=st.lists(DATES, min_size=1, max_size=10))
@settings(max_examples=60, deadline=None)
def test_waves_have_the_phase_of_the_calendar(dates):
    series = pd.Series(dates, dtype="datetime64[us]")
    out = DateParts(CYCLIC, cyclic=True).fit_transform(series.to_frame("t"))
    steps = {
        "quarter": (series.dt.quarter - 1) / 4,
        "month": (series.dt.month - 1) / 12,
        "day": (series.dt.day - 1) / series.dt.days_in_month,
        "weekday": series.dt.day_of_week / 7,
        "hour": series.dt.hour / 24,
        "minute": series.dt.minute / 60,
        "second": series.dt.second / 60,
        "day_of_year": (series.dt.day_of_year - 1) / (365 + series.dt.is_leap_year),
    }
    for j, part in enumerate(CYCLIC):
        angle = np.arctan2(out[:, 2 * j], out[:, 2 * j + 1]) / (2 * np.pi) % 1
        apart = np.abs(angle - steps[part]) % 1
        assert (np.minimum(apart, 1 - apart) < 1e-9).all(), part


def test_the_last_day_of_a_year_is_next_to_the_first():
    days = [["2025-12-31"], ["2026-01-01"], ["2026-07-01"]]
    out = DateParts(["day_of_year"], cyclic=["day_of_year"]).fit_transform(days)
    assert np.linalg.norm(out[0] - out[1]) < 0.02
    assert np.linalg.norm(out[0] - out[2]) > 1.9


@pytest.mark.course("S3-87")
def test_a_linear_model_of_a_wave_finds_its_amplitude_and_phase():
    days = np.datetime64("2021-01-01") + np.arange(3 * 365)  # no leap year
    turn = 2 * np.pi * (np.arange(3 * 365) % 365) / 365
    y = 4 + 3 * np.cos(turn - 1.2)
    X = DateParts(["day_of_year"], cyclic=True).fit_transform(days[:, None])
    model = corollary.LinearRegression().fit(X, y)
    sine, cosine = model.coef_
    np.testing.assert_allclose(np.hypot(sine, cosine), 3.0)
    np.testing.assert_allclose(np.arctan2(sine, cosine), 1.2)


@pytest.mark.parametrize("kind", [*typed.SOURCES, *typed.FRAMES])
def test_every_source_gives_the_same_parts(kind, tmp_path):
    dates = TABLE.select(["since", "y"])
    expected = DateParts().fit_transform(TABLE.select(["since"]).to_pandas())
    if kind in typed.FRAMES:
        out = DateParts().fit_transform(typed.FRAMES[kind](dates.select(["since"])))
    else:
        import dask.dataframe as dd
        import pyarrow.csv
        import pyarrow.parquet

        from corollary import engine

        if kind == "parquet":
            pyarrow.parquet.write_table(dates, tmp_path / "a.parquet")
            source = engine.ParquetSource(tmp_path, target="y")
        elif kind == "csv":
            pyarrow.csv.write_csv(dates, tmp_path / "a.csv")
            source = engine.CSVSource(tmp_path, target="y")
        elif kind == "dask":
            frame = dd.from_pandas(dates.to_pandas(), 4)
            source = engine.DaskSource(frame, target="y")
        else:
            source = typed.SOURCES[kind](TABLE, tmp_path).select(["since"])
        model = DateParts().fit(source)
        through = model.transform(source)
        out = np.concatenate([c.X for part in through.parts() for c in part.chunks()])
    np.testing.assert_allclose(out, expected)


@pytest.mark.parametrize(
    "values",
    [
        ["2026-03-01T12:30", None, "1999-12-31"],
        [datetime.datetime(2026, 3, 1, 12, 30), None, datetime.date(1999, 12, 31)],
        [pd.Timestamp("2026-03-01 12:30"), pd.NaT, pd.Timestamp("1999-12-31")],
        [np.datetime64("2026-03-01T12:30"), np.datetime64("NaT"), "1999-12-31"],
        ["2026-03-01T13:30+01:00", np.nan, "1999-12-31T00:00Z"],
    ],
    ids=["texts", "Python", "pandas", "NumPy", "zones"],
)
def test_dates_come_in_many_forms(values):
    X = np.empty((3, 1), dtype=object)
    X[:, 0] = values
    out = DateParts(["year", "hour", "minute", "elapsed_days"]).fit_transform(X)
    wanted = [[2026, 12, 30, 9557 + 12.5 / 24], [np.nan] * 4, [1999, 0, 0, 0]]
    np.testing.assert_allclose(out, wanted)


def test_numbers_count_units_since_1970():
    day = 20_513  # 2026-03-01
    for unit, one in (("D", 1), ("h", 24), ("min", 1440), ("s", 86_400)):
        X = np.array([[day * one], [0]])
        out = DateParts(["year", "month", "day"], unit=unit).fit_transform(X)
        assert out.tolist() == [[2026.0, 3.0, 1.0], [1970.0, 1.0, 1.0]]
    holes = DateParts(["year"]).fit_transform(np.array([[np.nan], [0.5]]))
    np.testing.assert_array_equal(holes, [[np.nan], [1970.0]])


def test_the_origin_is_the_first_date_of_training_or_given():
    X = [["2026-01-03"], ["2026-01-01"], ["2026-01-02"]]
    model = DateParts(["elapsed_days"]).fit(X)
    assert model.origin_.tolist() == [datetime.datetime(2026, 1, 1)]
    assert model.transform([["2025-12-31"]]).tolist() == [[-1.0]]
    later = DateParts(["elapsed_days"]).fit(X, sample_weight=[1, 0, 1])
    assert later.transform(X).ravel().tolist() == [1.0, -1.0, 0.0]
    for origin in ("2025-12-31", datetime.date(2025, 12, 31)):
        given = DateParts(["elapsed_days"], origin=origin).fit(X)
        assert given.transform(X).ravel().tolist() == [3.0, 1.0, 2.0]


@given(
    days=st.lists(st.integers(-(10**5), 10**5) | st.none(), min_size=1, max_size=20),
    rows=st.integers(1, 20),
)
@settings(max_examples=50, deadline=None)
def test_chunks_of_any_size_give_the_same_model(days, rows):
    X = np.array([[np.nan if day is None else day] for day in days], dtype=float)
    whole = DateParts().fit(X)
    with corollary.config_context(chunk_rows=rows):
        parts = DateParts().fit(X)
    np.testing.assert_array_equal(parts.origin_, whole.origin_)
    np.testing.assert_array_equal(parts.transform(X), whole.transform(X))


def test_a_column_without_a_date():
    frame = pd.DataFrame({"t": pd.Series([None, None], dtype="datetime64[us]")})
    model = DateParts().fit(frame)
    assert np.isnan(model.transform(frame)).all()
    assert "hold no date" in model.report_.warnings[0]
    later = model.transform(pd.DataFrame({"t": pd.to_datetime(["2026-01-01"])}))
    assert later[0, 0] == 2026
    assert np.isnan(later[0, -1])


def test_names_and_frames():
    frame = pd.DataFrame({"t": pd.to_datetime(["2026-01-01"])}, index=[7])
    model = DateParts(["year", "month"], cyclic=["month"])
    out = model.set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["t_year", "t_month_sin", "t_month_cos"]
    assert out.index.tolist() == [7]
    assert DateParts(dtype=np.float32).fit_transform(frame).dtype == np.float32


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"extract": ["century"]}, "extract must be a list of year"),
        ({"extract": ["year", "year"]}, "each once"),
        ({"cyclic": ["year"]}, "cyclic must be True or False or a list of quarter"),
        ({"origin": "soon"}, "origin must be 'first' or a date; got 'soon'"),
        ({"origin": None}, "origin must be 'first' or a date"),
        ({"unit": "weeks"}, "unit must be one of 'D'"),
        ({"dtype": int}, "a type of floats"),
    ],
)
def test_parameters_that_make_no_sense(options, text):
    with pytest.raises(ParameterError, match=text):
        DateParts(**options).fit([["2026-01-01"]])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("2026-13-01", r"ISO 8601 .*; got '2026-13-01' in row 1"),
        ("soon", "got 'soon' in row 1"),
        (True, "got True in row 1"),
        (3.5, "got 3.5 in row 1"),
        ([1], r"got \[1\] in row 1"),
    ],
)
def test_what_is_no_date_is_named(value, text):
    X = np.empty((2, 1), dtype=object)
    X[0, 0], X[1, 0] = "2026-01-01", value
    with pytest.raises(DataError, match=f"DateParts: column 0 .*{text}"):
        DateParts().fit(X)


@pytest.mark.parametrize("number", [1e9, -1e9, 1e300, 4e6])
def test_numbers_of_another_unit_are_refused(number):
    with pytest.raises(DataError, match=r"years 1 to 9998.*set unit"):
        DateParts().fit(np.array([[0.0], [number]]))


def test_a_model_survives_its_file(tmp_path):
    frame = TABLE.select(["since"]).to_pandas()
    model = DateParts(cyclic=["month", "weekday"]).fit(frame)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
    assert again.origin_.dtype == model.origin_.dtype


def test_fractions_of_a_microsecond_are_left_out():
    X = np.array([["2026-01-02T03:04:05.000000001"], ["NaT"]], dtype="datetime64[ns]")
    out = DateParts(["year", "second"]).fit_transform(X)
    np.testing.assert_array_equal(out, [[2026, 5], [np.nan, np.nan]])
