"""Imputation by a number for each column: scikit-learn's, from any source, weighted."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.impute import SimpleImputer as Theirs

import corollary
from corollary import SimpleImputer, config_context, engine
from corollary.core.errors import DataError, ParameterError
from corollary.preparation import tally

RNG = np.random.default_rng(0)
X = np.column_stack(
    [RNG.normal(size=200), RNG.integers(4, size=200), 1e8 + RNG.random(200)]
)
HOLES = np.where(RNG.random(X.shape) < 0.3, np.nan, X)
STRATEGIES = ["mean", "median", "most_frequent", "constant", np.max]


@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("add_indicator", [False, True])
def test_columns_are_filled_as_scikit_learn_does(strategy, add_indicator):
    options = {"strategy": strategy, "add_indicator": add_indicator, "fill_value": 3}
    ours, theirs = SimpleImputer(**options).fit(HOLES), Theirs(**options).fit(HOLES)
    np.testing.assert_allclose(
        ours.statistics_, theirs.statistics_.astype(float), rtol=1e-14
    )
    Z = ours.transform(HOLES)
    np.testing.assert_allclose(Z, theirs.transform(HOLES).astype(float), rtol=1e-14)
    names = ours.get_feature_names_out().tolist()
    assert names == theirs.get_feature_names_out().tolist()
    if add_indicator:
        np.testing.assert_array_equal(ours.inverse_transform(Z), HOLES)


@pytest.mark.parametrize("strategy", STRATEGIES[:4])
@pytest.mark.parametrize("chunk_rows", [3, 50])
def test_chunks_and_weights_count_as_rows_do(strategy, chunk_rows):
    times = RNG.integers(0, 4, size=200)
    make = SimpleImputer(strategy=strategy, add_indicator=True)
    with config_context(chunk_rows=chunk_rows):
        weighted = make.fit(HOLES, sample_weight=times).statistics_
    repeated = make.fit(np.repeat(HOLES, times, axis=0)).statistics_
    np.testing.assert_allclose(weighted, repeated, rtol=1e-14)


@pytest.mark.parametrize("strategy", STRATEGIES[:4])
@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_array])
def test_sparse_rows_are_filled_as_dense_ones(strategy, kind):
    rows = np.where(RNG.random(X.shape) < 0.5, 0.0, HOLES)
    given = kind(rows)
    before = given.copy()
    model = SimpleImputer(strategy=strategy, fill_value=2.0, add_indicator=True)
    Z = model.fit(given).transform(given)
    dense = SimpleImputer(strategy=strategy, fill_value=2.0, add_indicator=True)
    np.testing.assert_allclose(
        Z.toarray(), dense.fit_transform(rows), rtol=1e-14, atol=1e-15
    )
    assert Z.format == given.format
    assert (given.indices == before.indices).all()  # nothing given is changed
    np.testing.assert_array_equal(given.toarray(), before.toarray())


def test_another_number_may_stand_for_what_is_missing():
    rows = np.where(np.isnan(HOLES), -1.0, HOLES)
    model = SimpleImputer(missing_values=-1, strategy="median").fit(rows)
    oracle = SimpleImputer(strategy="median").fit(HOLES)
    np.testing.assert_array_equal(model.statistics_, oracle.statistics_)
    np.testing.assert_array_equal(model.transform(rows), oracle.transform(HOLES))
    with pytest.raises(DataError, match="NaN in row"):
        model.transform(HOLES)
    with pytest.raises(ParameterError, match="must not be 0 for sparse rows"):
        SimpleImputer(missing_values=0).fit(sp.eye_array(3).tocsr())
    with pytest.raises(ParameterError, match="must be a number or NaN"):
        SimpleImputer(missing_values="none").fit(X)


def test_columns_without_values_are_left_out_or_kept():
    rows = HOLES.copy()
    rows[:, 1] = np.nan
    frame = pd.DataFrame(rows, columns=["a", "b", "c"])
    model = SimpleImputer().fit(frame)
    assert np.isnan(model.statistics_[1])
    assert "columns [1] have no value" in model.report_.warnings[0]
    with pytest.warns(UserWarning, match=r"without any observed values: \['b'\]"):
        assert model.transform(frame).shape == (200, 2)
    assert model.get_feature_names_out().tolist() == ["a", "c"]
    kept = SimpleImputer(keep_empty_features=True).fit(frame)
    assert (kept.transform(frame)[:, 1] == 0).all()
    constant = SimpleImputer(
        strategy="constant", fill_value=7, keep_empty_features=True
    )
    assert (constant.fit_transform(frame)[:, 1] == 7).all()


def test_float32_stays_and_nothing_given_is_changed():
    rows = HOLES.astype(np.float32)
    before = rows.copy()
    Z = SimpleImputer().fit_transform(rows)
    assert Z.dtype == np.float32
    np.testing.assert_array_equal(rows, before)


def test_the_mean_of_a_column_stays_and_its_variance_shrinks():
    gone = RNG.random((50_000, 1)) < 0.4
    rows = np.where(gone, np.nan, 5.0 + RNG.normal(size=gone.shape))
    model = SimpleImputer().fit(rows)
    Z = model.transform(rows)
    assert Z.mean() == pytest.approx(np.nanmean(rows), rel=1e-12)
    share = model.report_.facts["missing_share"]
    assert share == pytest.approx(gone.mean())
    assert Z.var() == pytest.approx(np.nanvar(rows) * (1 - share), rel=1e-12)


# -- the most frequent value -----------------------------------------------------------
def test_ties_go_to_the_lowest_value():
    rows = np.array([[3.0], [1.0], [3.0], [1.0], [2.0], [np.nan]])
    assert SimpleImputer(strategy="most_frequent").fit(rows).statistics_ == [1.0]


def test_many_distinct_values_are_counted_in_parts(monkeypatch):
    rows = RNG.integers(400, size=(3000, 2)).astype(float)
    rows[:30, 0] = 123.0
    model = SimpleImputer(strategy="most_frequent")

    def begin(d):
        return tally.Counting(np.full(d, np.nan), np.zeros(d), most=20)

    monkeypatch.setattr(tally.Counting, "begin", begin)
    with config_context(chunk_rows=500):
        found = model.fit(rows).statistics_
    np.testing.assert_array_equal(
        found, Theirs(strategy="most_frequent").fit(rows).statistics_
    )
    assert model.report_.reads > 50


# -- functions -------------------------------------------------------------------------
def test_a_function_sees_all_values_of_all_chunks():
    def spread(x):
        return float(x.max() - x.min())

    source = engine.ChunkSource([HOLES[a : a + 30] for a in range(0, 200, 30)])
    model = SimpleImputer(strategy=spread).fit(source)
    want = np.nanmax(HOLES, axis=0) - np.nanmin(HOLES, axis=0)
    np.testing.assert_array_equal(model.statistics_, want)
    with pytest.raises(DataError, match="must be 0 or 1"):
        SimpleImputer(strategy=spread).fit(HOLES, sample_weight=np.full(200, 2.0))
    with pytest.raises(ParameterError, match="must return a finite number"):
        SimpleImputer(strategy=lambda x: "much").fit(HOLES)


def test_zeros_that_are_not_stored_go_to_the_function_too():
    rows = sp.csr_array(np.array([[0.0], [0.0], [6.0]]))
    assert SimpleImputer(strategy=np.mean).fit(rows).statistics_ == [2.0]


@pytest.mark.parametrize("wrong", ["x", np.nan, np.inf, [1]])
def test_a_constant_that_is_no_number_is_refused(wrong):
    with pytest.raises(ParameterError, match="fill_value"):
        SimpleImputer(strategy="constant", fill_value=wrong).fit(X)


def test_a_saved_imputer_answers_the_same(tmp_path):
    rows = HOLES.copy()
    rows[:, 1] = np.nan
    model = SimpleImputer(add_indicator=True, keep_empty_features=False).fit(rows)
    corollary.save(model, tmp_path / "model")
    again = corollary.load(tmp_path / "model")
    with pytest.warns(UserWarning, match="Skipping features"):
        np.testing.assert_array_equal(again.transform(rows), model.transform(rows))


@pytest.mark.parametrize("indicator", [False, True])
@pytest.mark.parametrize("library", ["pandas", "pandas blocks", "polars", "pyarrow"])
def test_a_frame_stays_as_it_is(library, indicator):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(50, 3))
    values[rng.random((50, 3)) < 0.2] = np.nan
    frame = pd.DataFrame(values.copy(), columns=["a", "b", "c"])
    if library == "pandas blocks":
        frame["d"] = np.arange(50)
    if library == "polars":
        frame = pl.from_pandas(frame)
    if library == "pyarrow":
        frame = pa.Table.from_pandas(frame)
    model = SimpleImputer(add_indicator=indicator).fit(frame)
    filled = model.transform(frame)
    again = frame.to_pandas() if library in ("polars", "pyarrow") else frame
    np.testing.assert_array_equal(again.to_numpy()[:, :3], values)
    means = np.where(np.isnan(values), np.nanmean(values, axis=0), values)
    np.testing.assert_allclose(filled[:, :3], means)
