"""Hashing: FeatureHasher's columns, the same everywhere, and fair on average."""

import datetime
import subprocess
import sys
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from common import typed
from hypothesis import given, settings
from hypothesis import strategies as st
from preparation.columns import frames
from sklearn.feature_extraction import FeatureHasher

import corollary
from corollary import HashingEncoder, engine
from corollary.core.errors import DataError, ParameterError
from corollary.preparation import hashing_encoder

TABLE = typed.mixed()
TEXTS = st.text(max_size=6)


@given(
    rows=st.lists(st.tuples(TEXTS, TEXTS, TEXTS), min_size=1, max_size=12),
    width=st.sampled_from([1, 2, 7, 64, 2**14]),
    signs=st.booleans(),
)
@settings(max_examples=100, deadline=None)
def test_texts_get_the_columns_of_a_feature_hasher(rows, width, signs):
    frame = pd.DataFrame(rows, columns=["a", "ß", "c d"], dtype=object)
    try:
        frame.to_json().encode()
        dicts = frame.to_dict("records")
        hasher = FeatureHasher(width, alternate_sign=signs)
        wanted = hasher.transform(dicts)
    except UnicodeEncodeError:  # half a character
        return
    model = HashingEncoder(width, alternate_sign=signs).fit(frame)
    found = model.transform(frame)
    assert found.format == "csr"
    np.testing.assert_array_equal(found.toarray(), wanted.toarray())


@given(frame=frames())
@settings(max_examples=80, deadline=None)
def test_equal_rows_are_equal_and_every_cell_counts_once(frame):
    model = HashingEncoder(2**20, alternate_sign=False).fit(frame)
    out = model.transform(frame).toarray() if len(frame) < 3 else None
    rows = model.transform(frame)
    np.testing.assert_array_equal(np.asarray(rows.sum(axis=1)).ravel(), frame.shape[1])
    again = model.transform(frame.iloc[::-1])
    assert (rows[::-1] != again).nnz == 0
    if out is not None:
        np.testing.assert_array_equal(out, rows.toarray())


def hashed(value):
    model = HashingEncoder(2**16).fit([["a"]])
    row = model.transform(np.array([[value]], dtype=object))
    return int(row.indices[0]), float(row.data[0])


@pytest.mark.parametrize(
    "same",
    [
        [3, 3.0, np.int8(3), np.float32(3.0), "3"],
        [0.5, np.float32(0.5), "0.5"],
        [True, np.bool_(True), "True"],
        [None, np.nan, pd.NaT, pd.NA],
        [
            datetime.date(2026, 1, 2),
            datetime.datetime(2026, 1, 2),
            np.datetime64("2026-01-02"),
            pd.Timestamp("2026-01-02"),
            pd.Timestamp("2026-01-02 01:00", tz="Europe/Rome"),
        ],
        [Decimal("1.50"), Decimal("1.5"), 1.5, "1.5"],
        [Decimal("300"), 300],
        [
            datetime.timedelta(1),
            np.timedelta64(24, "h"),
            pd.Timedelta("1D"),
            np.timedelta64(86_400 * 10**9, "ns"),
        ],
        [-0.0, 0, 0.0],
    ],
    ids=[
        "whole",
        "fraction",
        "boolean",
        "missing",
        "date",
        "decimal",
        "hundreds",
        "duration",
        "zero",
    ],
)
def test_one_value_in_several_types_has_one_place(same):
    assert len({hashed(value) for value in same}) == 1


def test_a_column_has_the_same_places_in_every_type():
    days = np.array(["2026-01-02", "2026-05-01"], dtype="datetime64[D]")
    columns = {
        "n": [pd.Series([1, 2]), pd.Series([1.0, 2.0]), pd.Series(["1", "2"])],
        "t": [pd.Series(["u", "v"], dtype=t) for t in (object, "str", "category")],
        "d": [pd.Series(days.astype(f"M8[{u}]")) for u in ("s", "us", "ns")],
    }
    for name, series in columns.items():
        found = [
            HashingEncoder(999).fit(s.to_frame(name)).transform(s.to_frame(name))
            for s in series
        ]
        assert all((found[0] != other).nnz == 0 for other in found[1:])


def test_another_process_gives_the_same_columns():
    code = (
        "from corollary import HashingEncoder\n"
        "X = [['Rome', 1.5, None], ['Ōsaka', 7, True]]\n"
        "rows = HashingEncoder(97).fit(X).transform(X)\n"
        "print(rows.indices.tolist(), rows.data.tolist())"
    )
    command = [sys.executable, "-c", code]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    X = [["Rome", 1.5, None], ["Ōsaka", 7, True]]
    rows = HashingEncoder(97).fit(X).transform(X)
    assert printed.strip() == f"{rows.indices.tolist()} {rows.data.tolist()}"


def test_inner_products_are_fair_and_vary_as_the_theory_says():
    d, agree, D, draws = 8, 5, 32, 4000
    x, z = [0] * d, [0] * agree + [1] * (d - agree)
    found = np.empty(draws)
    for draw in range(draws):
        names = [f"{draw} {j}" for j in range(d)]  # a hash of its own
        frame = pd.DataFrame([x, z], columns=names)
        h = HashingEncoder(D).fit(frame).transform(frame).toarray()
        found[draw] = h[0] @ h[1]
    variance = (d**2 + agree**2 - 2 * agree) / D  # (3)
    assert abs(found.mean() - agree) < 4 * np.sqrt(variance / draws)
    np.testing.assert_allclose(found.var(), variance, rtol=0.15)


@pytest.mark.parametrize("kind", typed.SOURCES)
def test_every_source_gives_the_same_columns(kind, tmp_path):
    source = typed.SOURCES[kind](TABLE, tmp_path)
    through = HashingEncoder(500).fit(source).transform(source)
    found = sp.vstack([c.X for part in through.parts() for c in part.chunks()])
    frame = typed.features(TABLE)
    expected = HashingEncoder(500).fit(frame).transform(frame)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


def test_chunks_of_any_size_give_the_same_columns():
    X = np.random.default_rng(0).integers(50, size=(200, 3)).astype(str).astype(object)
    model = HashingEncoder(100).fit(X)
    parts = engine.predict(model, engine.ChunkSource([X[:7], X[7:]]), "transform")
    joined = sp.vstack(list(parts))
    assert (joined != model.transform(X)).nnz == 0


def test_ten_thousand_new_values_have_a_place():
    names = np.array([[f"town {i}"] for i in range(10_000)], dtype=object)
    model = HashingEncoder(2**14).fit(names[:2])
    rows = model.transform(names)
    counts = np.bincount(rows.indices, minlength=2**14)
    expected = 10_000 / 2**14
    assert abs((counts == 0).mean() - np.exp(-expected)) < 0.02  # as balls in bins


def test_what_cannot_be_written_in_one_way_is_refused():
    class Thing:
        pass

    X = np.empty((1, 1), dtype=object)
    X[0, 0] = Thing()
    with pytest.raises(DataError, match=r"'x0' .* written in one way; got a .*Thing"):
        HashingEncoder().fit([["a"]]).transform(X)
    X[0, 0] = {"a": 1}
    with pytest.raises(DataError, match=r"strings, numbers or dates; got \['dict'\]"):
        HashingEncoder().fit([["a"]]).transform(X)
    with pytest.raises(ParameterError, match="n_features must be"):
        HashingEncoder(0).fit([["a"]])


def test_a_model_survives_its_file_and_keeps_no_value(tmp_path):
    frame = TABLE.to_pandas().drop(columns="y")
    model = HashingEncoder(64).fit(frame)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    assert (again.transform(frame) != model.transform(frame)).nnz == 0
    assert b"Rome" not in (tmp_path / "model").read_bytes()
    assert len(again.get_feature_names_out()) == 64


def test_true_is_not_1_whatever_comes_first():
    X = np.array([[1], [True], ["1"], ["True"], [0.0], [False]], dtype=object)
    model = HashingEncoder(2**20).fit(X)
    rows = model.transform(X)
    again = model.transform(X[::-1])[::-1]
    assert (rows != again).nnz == 0
    assert rows.indices[0] == rows.indices[2] != rows.indices[1] == rows.indices[3]


@given(
    values=st.lists(st.integers(0, 60), min_size=1, max_size=60),
    D=st.sampled_from([1, 2, 16, 64, 2**14]),
    rows=st.integers(1, 60),
)
@settings(max_examples=60, deadline=None)
def test_the_report_counts_values_and_those_that_share_a_column(values, D, rows):
    X = np.array([[f"v{v}", v % 5] for v in values], dtype=object)
    with corollary.config_context(chunk_rows=rows):
        facts = HashingEncoder(D).fit(X).report_.facts
    names = {(j, cell) for row in X for j, cell in enumerate(row)}
    hasher = FeatureHasher(D, alternate_sign=False)
    places = [hasher.transform([{f"x{j}": f"{v}"}]).indices[0] for j, v in names]
    shared = sum(places.count(place) > 1 for place in places)
    assert facts["n_values"] == len(names)
    assert facts["collision_share"] == pytest.approx(shared / len(names))


def test_many_values_are_counted_by_the_lowest_hashes(monkeypatch):
    monkeypatch.setattr(hashing_encoder, "MOST", 4096)
    X = np.array([[f"town {i}"] for i in range(50_000)], dtype=object)
    with corollary.config_context(chunk_rows=3000):
        model = HashingEncoder(2**16).fit(X)
    facts = model.report_.facts
    assert abs(facts["n_values"] / 50_000 - 1) < 4 / np.sqrt(4096)
    places = HashingEncoder(2**16).fit(X[:1]).transform(X).indices
    _, counts = np.unique(places, return_counts=True)
    shared = counts[counts > 1].sum() / 50_000
    assert facts["collision_share"] == pytest.approx(shared, abs=0.04)
    assert HashingEncoder(X.shape[0]).fit(X).report_.facts == {
        **facts,
        "collision_share": pytest.approx(1 - np.exp(-1), abs=0.04),
        "n_features_out": 50_000,
    }


def test_a_crowd_is_warned_of():
    X = np.array([[f"town {i}"] for i in range(100)], dtype=object)
    report = HashingEncoder(64).fit(X).report_
    assert "of the values are in one column with another" in report.warnings[0]
    assert "n_features=1024" in report.warnings[0]
    assert not HashingEncoder(1024).fit(X).report_.warnings
    removed = np.arange(100) < 3  # rows of weight 0 are not seen
    report = HashingEncoder(64).fit(X, sample_weight=removed).report_
    assert report.facts["n_values"] == 3
