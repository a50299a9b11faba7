"""Ordinal encoding: scikit-learn's numbers, on every source, with weights."""

import numpy as np
import pandas as pd
import pytest
from common import typed
from hypothesis import given, settings
from hypothesis import strategies as st
from preparation.columns import assert_categories, frames, theirs

import corollary
from corollary import OrdinalEncoder
from corollary.core.errors import DataError, ParameterError

TABLE = typed.mixed()
OPTIONS = st.fixed_dictionaries(
    {
        "dtype": st.sampled_from([np.float64, np.float32]),
        "encoded_missing_value": st.sampled_from([np.nan, -5]),
        "min_frequency": st.sampled_from([None, 2, 3, 0.2, 0.5]),
        "max_categories": st.sampled_from([None, 1, 2, 3]),
    }
)


@given(frame=frames(), options=OPTIONS)
@settings(max_examples=150, deadline=None)
def test_agrees_with_scikit_learn_on_mixed_columns(frame, options):
    model = OrdinalEncoder(**options).fit(frame)
    other = theirs(model).fit(frame)
    assert_categories(model.categories_, other.categories_)
    ours, others = model.transform(frame), other.transform(frame)
    np.testing.assert_array_equal(ours, others)
    assert ours.dtype == others.dtype
    np.testing.assert_array_equal(
        model.get_feature_names_out(), other.get_feature_names_out()
    )


@given(
    frame=frames(),
    rows=st.lists(st.integers(0, 24)),
    unknown=st.sampled_from([-1, -7, np.nan]),
    most=st.sampled_from([None, 2]),
)
@settings(max_examples=100, deadline=None)
def test_values_that_fit_did_not_have(frame, rows, unknown, most):
    some = frame.iloc[[i for i in rows if i < len(frame)] or [0]]
    options = {"handle_unknown": "use_encoded_value", "unknown_value": unknown}
    model = OrdinalEncoder(**options, max_categories=most).fit(some)
    np.testing.assert_array_equal(
        model.transform(frame), theirs(model).fit(some).transform(frame)
    )


@given(frame=frames(), rows=st.integers(1, 25), options=OPTIONS)
@settings(max_examples=60, deadline=None)
def test_chunks_of_any_size_give_the_same_model(frame, rows, options):
    whole = OrdinalEncoder(**options).fit(frame)
    with corollary.config_context(chunk_rows=rows):
        parts = OrdinalEncoder(**options).fit(frame)
    assert_categories(parts.categories_, whole.categories_)
    np.testing.assert_array_equal(parts.transform(frame), whole.transform(frame))


@given(
    frame=frames(most=12),
    weights=st.lists(st.integers(0, 3), min_size=12, max_size=12),
    options=OPTIONS,
)
@settings(max_examples=60, deadline=None)
def test_a_weight_counts_a_row_so_many_times(frame, weights, options):
    w = np.array(weights[: len(frame)])
    if not w.any():
        w[0] = 1
    weighted = OrdinalEncoder(**options).fit(frame, sample_weight=w)
    many = frame.iloc[np.repeat(np.arange(len(w)), w)]
    there = frame[w > 0]
    np.testing.assert_array_equal(
        weighted.transform(there), OrdinalEncoder(**options).fit(many).transform(there)
    )


@given(frame=frames(), options=OPTIONS)
@settings(max_examples=80, deadline=None)
def test_the_inverse_returns_what_was_there(frame, options):
    model = OrdinalEncoder(**options).fit(frame)
    back = model.inverse_transform(model.transform(frame))
    rare = getattr(model, "infrequent_categories_", [None] * frame.shape[1])
    for j, name in enumerate(frame.columns):
        few = set() if rare[j] is None else set(rare[j].tolist())
        for mine, value in zip(back[:, j], frame[name].astype(object), strict=True):
            if pd.isna(value):
                assert pd.isna(mine) or (value is None and None in few)
            elif value in few:
                assert mine == "infrequent_sklearn"
            else:
                assert mine == value


@pytest.mark.parametrize("kind", typed.SOURCES)
def test_every_source_gives_the_same_numbers(kind, tmp_path):
    source = typed.SOURCES[kind](TABLE, tmp_path)
    model = OrdinalEncoder().fit(source)
    through = model.transform(source)
    rows = np.concatenate([c.X for part in through.parts() for c in part.chunks()])
    none = kind != "dask"  # of pandas, where a missing text is NaN
    frame = typed.features(TABLE) if none else TABLE.to_pandas().drop(columns="y")
    np.testing.assert_array_equal(rows, OrdinalEncoder().fit_transform(frame))


def test_given_order_is_kept():
    X = np.array([["low"], ["high"], ["middle"]], dtype=object)
    model = OrdinalEncoder(categories=[["low", "middle", "high"]]).fit(X)
    assert model.transform(X).ravel().tolist() == [0.0, 2.0, 1.0]


def test_the_inverse_with_infrequent_and_missing_values():
    X = np.array([["a"] * 5 + ["b"] * 3 + ["c", "d", np.nan]], dtype=object).T
    model = OrdinalEncoder(min_frequency=2, encoded_missing_value=-1).fit(X)
    back = model.inverse_transform([[0], [1], [2], [-1]]).ravel().tolist()
    assert back[:3] == ["a", "b", "infrequent_sklearn"]
    assert back[3] != back[3]


def test_numbers_that_stand_for_nothing_are_refused():
    model = OrdinalEncoder().fit([["a"], ["b"]])
    for number in (2, -1, 0.5, np.nan):
        with pytest.raises(DataError, match=r"must be 0 ... 1; got .* in row 1"):
            model.inverse_transform([[0], [number]])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"unknown_value": 3}, "must be None where handle_unknown='error'"),
        ({"handle_unknown": "use_encoded_value"}, "a whole number or NaN"),
        (
            {"handle_unknown": "use_encoded_value", "unknown_value": 1},
            "already used for the categories of 'town'",
        ),
        (
            {
                "handle_unknown": "use_encoded_value",
                "unknown_value": 1,
                "max_categories": 2,
            },
            "one of 0 ... 1",
        ),
        ({"encoded_missing_value": 0}, "encoded_missing_value must not be"),
        ({"dtype": int}, "missing values in 'town'"),
        (
            {
                "handle_unknown": "use_encoded_value",
                "unknown_value": np.nan,
                "dtype": int,
            },
            "float dtype",
        ),
    ],
)
def test_parameters_that_make_no_sense(options, text):
    frame = pd.DataFrame({"town": ["Rome", "Oslo", "Bonn", np.nan]})
    with pytest.raises(ParameterError, match=text):
        OrdinalEncoder(**options).fit(frame)


def test_a_model_survives_its_file(tmp_path):
    frame = TABLE.to_pandas().drop(columns="y")
    model = OrdinalEncoder(max_categories=20).fit(frame)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    np.testing.assert_array_equal(again.transform(frame), model.transform(frame))
